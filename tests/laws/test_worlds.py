"""`check` on worlds that tick: sound ones pass, each planted fault is found and named."""

from pathlib import Path

import pytest

from ludwin import check, load
from ludwin.cli import main
from ludwin.errors import CheckFailed, RuleError

WORLDS = Path(__file__).parents[1] / "worlds"


@pytest.mark.parametrize("name", ["sumo", "torus"])
def test_sound_worlds_keep_the_laws(name):
    report = check(load(WORLDS / f"{name}.py"), playouts=20)
    assert report.positions > 500 and report.modes == ("plain", "checked", "fast")


PLANTED = {
    "nan": ("s.x[p] += s.v[p] * DT", "s.x[p] += s.v[p] * DT + math.fmod(1e308 * 10.0, 2.0)", "math domain error|nan"),
    "overflow to nan": (
        "s.v[p] += (power + gust - 0.3 * s.v[p]) * DT",
        "s.v[p] = power * 1e308 * 10.0 - power * 1e308 * 10.0",
        r"is nan after tick \d+ with push\[0\]",
    ),
    "half a view": ("    view.closing = ", "    closing = ", "sense does not write view.closing for player 0"),
    "nan in a view": ("view.speed = side(p) * s.v[p]", "view.speed = math.inf - math.inf", "view.speed is nan"),
    "sense writes": ("    view.behind = ", "    s.clashes += 1\n    view.behind = ", "sense must not change the state"),
    "over writes": ("def over(s):", "def over(s):\n    s.clashes += 1", "over must not change the state"),
    "payoff writes": ("def payoff(s, p):", "def payoff(s, p):\n    s.v[0] = 0.0", "payoff must not change the state"),
    "index": ("s.still[p] = 1", "s.still[p + 1] = 1", "index 2 is outside 0 … 1"),
    "int store": ("s.clashes += 1", "s.clashes = s.x[0]", "must be a whole number"),
    "int overflow": ("s.clashes += 1", "s.clashes += 1\n    s.still[0] = (s.still[0] + 3) * 1000000007", "64 bits"),
    "payoff sum": ("return -1 if out(s, p) else 1", "return 1", "PAYOFF_SUM says 0"),
    "endless payoff": ("return -1 if out(s, p) else 1", "return math.inf", "payoff is inf"),
    "own driver": (
        "    return 1.0\n\n\ndef control_careful",
        "    return 1.0, 2.0\n\n\ndef control_careful",
        "1 number",
    ),
    "own nan": (
        "    return 1.0\n\n\ndef control_careful",
        "    return math.nan\n\n\ndef control_careful",
        "not finite",
    ),
    "over kind": ("return out(s, 0) or out(s, 1)", "return 0.5", "over must return true or false"),
    "show": ('return "".join(cells)', "return 7", "show must return a text"),
    "loop": (
        "    if s.x[1] - s.x[0] < 1.0",
        "    while s.x[0] > -1e9:\n        s.still[0] = 0\n    if True",
        "does not return",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(tmp_path, monkeypatch, name):
    monkeypatch.setattr("ludwin.rules.watch.PATIENCE", 0.5)
    old, new, reason = PLANTED[name]
    text = (WORLDS / "sumo.py").read_text()
    assert text.count(old) >= 1
    (tmp_path / "planted.py").write_text(text.replace(old, new, 1))
    with pytest.raises((RuleError, CheckFailed), match=reason) as found:
        check(load(tmp_path / "planted.py"), playouts=20)
    assert found.value.path == str(tmp_path / "planted.py") and found.value.line and "\n" not in str(found.value)


def test_a_control_without_range_is_tried_with_huge_numbers(tmp_path):
    text = (
        (WORLDS / "torus.py")
        .read_text()
        .replace("min(max(s.turn[p], -0.5), 0.5)", "s.turn[p] * s.turn[p] - s.turn[p] * s.turn[p]")
    )
    (tmp_path / "wild.py").write_text(text)
    with pytest.raises(RuleError, match="clip it, or give the control a range"):
        check(load(tmp_path / "wild.py"), playouts=20)


def test_chance_that_is_not_in_the_state_is_found(tmp_path):
    """A helper that remembers would make a copy of the state go another way."""
    text = (WORLDS / "sumo.py").read_text().replace("def setup(s):", "def setup(s):\n    s.v[0] = 0.0 * COUNT[0]\n")
    (tmp_path / "hidden.py").write_text(text.replace("EDGE = 10.0", "EDGE = 10.0\nCOUNT = [1]"))
    check(load(tmp_path / "hidden.py"), playouts=3)  # a table that nobody changes
    spoilt = text.replace("EDGE = 10.0", "EDGE = 10.0\nCOUNT = [1]").replace(
        "    cells = [", "    COUNT[0] += 1\n    cells = ["
    )
    (tmp_path / "spoilt.py").write_text(spoilt)
    with pytest.raises(RuleError, match="COUNT is a constant that rules use, and it has changed during play"):
        check(load(tmp_path / "spoilt.py"), playouts=3)


def test_the_commands_run_worlds(tmp_path, capsys):
    world, steady, out = str(WORLDS / "sumo.py"), str(WORLDS / "steady.py"), str(tmp_path / "m.jsonl")
    assert main(["check", world, "--playouts", "5"]) == 0
    assert "keeps the laws of worlds: 5 runs" in capsys.readouterr().out
    assert main(["match", world, steady, "own", "--games", "4", "--out", out]) == 0
    assert "steady.py#" in capsys.readouterr().out
    assert main(["replay", out, "--trust", world]) == 0
    assert "4 games of" in capsys.readouterr().out
    assert main(["replay", out, "--trust", world, "--game", "1", "--plies", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("run 1 of") and shown.count("A") >= 3
    assert main(["tournament", str(WORLDS / "torus.py"), "random", "own", "hold:pace=1", "--games", "3"]) == 0
    assert "own" in capsys.readouterr().out


@pytest.mark.parametrize(
    "command",
    [
        ["perft", "WORLD", "2"],
        ["play", "WORLD", "random", "random"],
        ["analyse", "WORLD", "uct"],
        ["match", "WORLD", "uct", "random"],
        ["match", "WORLD", "random", "own:driver=nobody"],
        ["match", "WORLD", "random", "hold:pull=1"],
        ["match", "WORLD", "random", "./nowhere.py"],
        ["match", "WORLD", "random", "own", "--clock", "1"],
        ["match", "nim", "own", "random"],
        ["match", "nim", "hold:push=1", "random"],
    ],
)
def test_what_cannot_be_done_with_a_world_is_one_line_and_exit_2(capsys, command):
    world = str(WORLDS / "sumo.py")
    assert main([world if word == "WORLD" else word for word in command]) == 2
    lines = [line for line in capsys.readouterr().err.splitlines() if "compiling" not in line]
    assert len(lines) == 1 and lines[0].startswith("ludwin: ")
