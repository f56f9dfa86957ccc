"""Robots as files: compiled and in Python they are one, and what fails is told."""

import pytest

from ludwin.arena.simulate import Stage
from ludwin.errors import CannotPlay, RuleError
from ludwin.games.tanks.opponents import AGENTS
from ludwin.games.tanks.opponents.robots import Robot
from ludwin.library import agent, load


def written(folder, text, **given):
    path = folder / "mine.py"
    path.write_text(text)
    return Robot.of(str(path), given)


def fought(robot, seed=3):
    game = load("tanks")
    return Stage(game, [robot, AGENTS["walls"]()], "fast").play(0, start=game.start().seed(seed))


MINE = """
import math
STEP = 100
def main(tank):
    while True:
        yield tank.ahead(STEP)
        yield tank.turn_gun_right(360)
def on_scanned(tank, seen):
    yield tank.fire(min(3, 400 / seen.distance))
def on_hit_wall(tank, hit):
    yield tank.turn_right(90 - hit.bearing + 10 * tank.random())
"""


def test_a_robot_fights_alike_compiled_and_in_python(tmp_path):
    compiled, python = fought(written(tmp_path, MINE)), fought(written(tmp_path, MINE, python="true"))
    assert written(tmp_path, MINE).text().code is not None
    assert compiled.lost == python.lost == ()
    assert list(compiled.final.cells) == list(python.final.cells) and compiled.ticks > 150


def test_a_constant_of_the_file_is_a_parameter(tmp_path):
    assert list(fought(written(tmp_path, MINE)).final.cells) != list(
        fought(written(tmp_path, MINE, step="30")).final.cells
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def main(tank):\n    yield tank.ahead(1 / (tank.time - 5 if tank.time >= 5 else 1))\n", None),
        ("def main(tank):\n    yield tank.ahead(1 / tank.time)\n", "division"),
        ("def main(tank):\n    while True:\n        pass\n", ""),
        ("import math\ndef main(tank):\n    yield tank.ahead(math.inf - math.inf)\n", "nan"),
        ("def main(tank):\n    yield tank.ahead(1)\n    raise SystemExit(3)\n", "systemexit"),
        ("def main(tank):\n    while True:\n        yield 5\n", "yields orders"),
        ("def f(x):\n    return f(x)\ndef main(tank):\n    yield tank.ahead(f(1))\n", "recursion"),
    ],
)
def test_a_robot_that_crashes_loops_or_asks_for_nan_loses_and_the_battle_ends(tmp_path, text, reason):
    run = fought(written(tmp_path, text))
    if reason is None:
        assert run.lost == ()
    else:
        assert [loss.player for loss in run.lost] == [0] and reason in run.lost[0].reason.lower()
        assert run.final.won[1] == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def main(tank):\n    tank.ahead(100)\n", "takes time: write yield"),
        ("def main(tank):\n    yield tank.ahed(100)\n", "did you mean 'ahead'"),
        ("def main(tank):\n    tank.set_ahead(100)\n", "ADVANCED = True"),
        ("def on_seen(tank, seen):\n    pass\ndef main(tank):\n    pass\n", "there is no event on_seen"),
        ("def on_scanned(tank, seen):\n    yield tank.fire(seen.range)\n", "has no 'range'"),
        ("def main(tank):\n    return 5\n", "main returns something, and nobody takes it"),
    ],
)
def test_what_no_robot_may_say_is_refused_before_the_battle(tmp_path, text, line):
    with pytest.raises(RuleError, match=line.replace("(", r"\(")):
        written(tmp_path, text)


def test_a_robot_is_an_agent_by_its_file_and_plays_tanks_alone(tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    made = agent(str(tmp_path / "mine.py"))
    made.suits(load("tanks"))
    with pytest.raises(CannotPlay, match="is a robot of tanks"):
        made.suits(load("nim"))


def test_every_robot_of_the_package_is_described_compiles_and_fights():
    assert len(AGENTS) >= 27
    game = load("tanks")
    for name, kind in AGENTS.items():
        evolved = name == "haiku-evolved"  # programs, and no file
        assert kind.__doc__ and (evolved or kind.text().code is not None), name
        run = Stage(game, [kind(), AGENTS["spin-bot"]()], "fast").play(0, start=game.start().seed(1))
        assert run.lost == (), name
