"""Worlds that tick: the simulating referee in all its ways, and what becomes of drivers that fail."""

import json
import os
import re
from pathlib import Path

import pytest

import ludwin
from ludwin.arena import world_desk
from ludwin.arena.records import BadRecords, Loss, parse_record
from ludwin.arena.replay import examine, open_event
from ludwin.arena.simulate import Stage, pack, unpack
from ludwin.errors import BadParameter, BadPosition, CannotPlay, LudwinError, RuleError
from ludwin.library import agent, load
from ludwin.program.language import Language, Primitive
from ludwin.program.text import read
from ludwin.search.drive import Hold, ProgramDriver

WORLDS = Path(__file__).parents[1] / "worlds"
SUMO, TORUS, STEADY = (str(WORLDS / name) for name in ("sumo.py", "torus.py", "steady.py"))
MODES = ("plain", "checked", "fast")


@pytest.fixture(scope="module")
def sumo():
    return load(SUMO)


@pytest.fixture(scope="module")
def torus():
    return load(TORUS)


def driver(tmp_path, text, name="driver.py"):
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def programs(game, *texts):
    """Return an agent with a program for each control, in a small language that reads what the world shows."""
    reads = [Primitive(name, "Float", reads=name, places=size) for name, (_, size) in game.queries.items()]
    words = (
        Primitive("Add", "Float", ("Float", "Float"), "a + b"),
        Primitive("Mul", "Float", ("Float", "Float"), "a * b"),
        Primitive("Less", "Bool", ("Float", "Float"), "a < b"),
        Primitive("If", "Float", ("Bool", "Float", "Float"), "b if a else c"),
        Primitive("Number", "Float", rule="v", draws=(-5.0, 5.0)),
    )
    language = Language("driving", ("Float", "Bool"), (*words, *reads))
    return ProgramDriver(tuple(read(language, text) for text in texts))


# The same run in every mode, in one call and tick by tick.


@pytest.mark.parametrize(
    "seats",
    [
        ("random", "own"),
        ("own:driver=careful", "hold:push=0.7"),
        (STEADY, "own:driver=careful"),
        (f"{STEADY}:gain=0.3", STEADY),
    ],
)
def test_a_run_is_the_same_in_every_mode_and_by_both_referees(sumo, seats):
    agents = [agent(text) for text in seats]
    for seed in (1, 2**62, 77):
        runs = [Stage(sumo, agents, mode).play(seed, rotation=seed % 2) for mode in MODES]
        runs += [Stage(sumo, agents, mode).play(seed, rotation=seed % 2, in_python=True) for mode in MODES]
        assert runs == runs[:1] * len(runs)


def test_three_players_with_two_controls_each(torus):
    agents = [agent("own"), agent("random"), agent("hold:pace=1")]
    for rotation in range(3):
        runs = [Stage(torus, agents, mode).play(5, rotation) for mode in MODES]
        runs.append(Stage(torus, agents).play(5, rotation, in_python=True))
        assert runs == runs[:1] * 4
        assert runs[0].ticks > 3


def test_programs_drive_alike_interpreted_and_compiled(sumo):
    pilot = programs(sumo, "If(Less(behind, 2.5), 1.0, Add(Mul(closing, -0.4), 0.3))")
    runs = [Stage(sumo, [pilot, agent("own:driver=careful")], mode).play(9) for mode in MODES]
    runs.append(Stage(sumo, [pilot, agent("own:driver=careful")]).play(9, in_python=True))
    assert runs == runs[:1] * 4 and runs[0].ticks > 10


def test_programs_share_their_code(sumo, torus):
    one, two = programs(sumo, "1.0"), programs(sumo, "gap")
    stages = [Stage(sumo, [pilot, agent("own")]) for pilot in (one, two)]
    assert stages[0].compiled is stages[1].compiled is not None
    with pytest.raises(CannotPlay, match=r"1 programs do not drive in .*2 controls"):
        Stage(torus, [one] * 3)


def test_a_users_driver_is_compiled_and_checked(sumo):
    stage = Stage(sumo, [agent(STEADY), agent("own")])
    assert stage.compiled is not None and stage.compiled.mode == "checked"
    assert Stage(sumo, [agent("random"), agent("own")]).compiled.mode == "fast"


def test_other_seeds_are_other_runs_and_the_same_seed_the_same(sumo):
    stage = Stage(sumo, [agent("random"), agent("random")])
    marks = [stage.play(seed).mark for seed in (*range(20), *range(20))]
    assert len(set(marks)) == 20 and marks[:20] == marks[20:]


def test_simulate_is_the_first_run_of_a_match(sumo, tmp_path):
    agents = [agent("random"), agent("own")]
    done = ludwin.simulate(sumo, agents, seed=4)
    assert done == ludwin.simulate(SUMO, ["random", "own"], seed=4, mode="plain")
    ludwin.tournament(sumo, agents, games=2, seed=4, out=tmp_path / "m.jsonl")
    first = json.loads((tmp_path / "m.jsonl").read_text().splitlines()[1])
    assert (first["ticks"], first["final"], first["payoffs"]) == (done.ticks, done.mark, [int(v) for v in done.payoffs])
    assert ludwin.match(sumo, *agents, games=2, seed=4).games == 2


def test_seats_see_the_world_before_anybody_has_acted(tmp_path):
    """A view that shows the others' controls shows those of the tick before, whoever sits first."""
    text = (WORLDS / "sumo.py").read_text()
    text = text.replace("view.gap = abs(s.x[1] - s.x[0])", "view.gap = s.push[1 - p]")
    (tmp_path / "open.py").write_text(text)
    game = load(tmp_path / "open.py")
    copycat = driver(tmp_path, "def control(view):\n    return view.gap + 0.125\n", "copycat.py")
    done = Stage(game, [agent(copycat), agent(copycat)]).play(1)
    one, two = (unpack(text, done.ticks) for text in done.controls)
    assert one == two and one[:3] == [0.125, 0.25, 0.375]


# Drivers that fail.

FAULTS = {
    "def control(view):\n    return 1.0 / (view.gap - view.gap)\n": "ZeroDivisionError: float division by zero",
    "import math\ndef control(view):\n    return math.nan if view.gap < 8.0 else 1.0\n": "push is nan",
    "import math\ndef control(view):\n    return -math.inf\n": "push is -inf",
    "def control(view):\n    raise ValueError('no idea')\n": "ValueError: no idea",
    "def control(view):\n    return 'left'\n": "control must answer 1 numbers, got 'left'",
    "def control(view):\n    return 1.0, 2.0\n": "control must answer 1 numbers, got 2",
    "def control(view):\n    pass\n": "control must answer 1 numbers, got None",
    "def control(view):\n    return {'pull': 1.0}\n": r"control must answer push, got \['pull'\]",
    "def control(view):\n    return 10**400\n": "too large for a float",
    "def control(view):\n    return [1j]\n": "control must answer numbers, got 1j",
    "import sys\ndef control(view):\n    sys.exit(3)\n": "SystemExit: 3",
    "T = (1.0, 2.0)\ndef control(view):\n    return T[int(view.gap)]\n": "IndexError: tuple index out of range",
    "import math\ndef control(view):\n    return math.sqrt(-view.gap)\n": "ValueError: math domain error",
    "def control(view):\n    return view.gapp\n": "has no attribute 'gapp'",
    "def f(x):\n    return f(x)\ndef control(view):\n    return f(view.gap)\n": "RecursionError",
    "class E(Exception):\n    def __str__(self):\n        return 1 / 0\ndef control(view):\n    raise E\n": "^E$",
    "class L(list):\n    def __len__(self):\n        return 1 / 0\ndef control(view):\n    return L()\n": "Zero",
    "class B(BaseException):\n    pass\ndef control(view):\n    raise B('out')\n": "B: out",
    "MEMORY = {'n': int}\ndef control(view, memory):\n    memory.n = memory.n * 5 + 7\n    return 0.5\n": "64 bits",
    "MEMORY = {'n': int}\ndef control(view, memory):\n    memory.n = view.gap\n    return 0.5\n": "whole number",
}


@pytest.mark.parametrize("text", FAULTS)
def test_a_driver_that_fails_loses_its_control_and_the_world_goes_on(sumo, tmp_path, text):
    path = driver(tmp_path, text)
    runs = [Stage(sumo, [agent(path), agent("own:driver=careful")], mode).play(5, rotation=1) for mode in MODES]
    assert runs == runs[:1] * 3
    (loss,) = runs[0].lost
    assert loss.player == 1 and runs[0].ticks > loss.tick + 50
    assert re.search(FAULTS[text], loss.reason)
    assert runs[0].final.still == (0, 1) and runs[0].final.push[1] == 0.0  # retired, and at rest


@pytest.mark.parametrize("loop", ["while True:\n        pass", "while view.gap > 0.0:\n        view.gap += 1.0"])
def test_a_driver_that_hangs_loses_its_control(sumo, tmp_path, loop):
    path = driver(tmp_path, f"def control(view):\n    {loop}\n    return 0.0\n")
    done = Stage(sumo, [agent(path), agent("own")], patience=0.3).play(5)
    assert [(loss.player, loss.tick, loss.reason) for loss in done.lost] == [
        (0, 0, "no answer within 0.3 s of computing")
    ]
    assert done.ticks > 10


def test_long_loops_are_not_compiled(sumo, tmp_path):
    """Compiled code cannot be stopped: whatever may loop for long runs in Python."""
    short = "def control(view):\n    t = 0.0\n    for k in range(100):\n        t += k\n    return t\n"
    assert Stage(sumo, [agent(driver(tmp_path, short, "short.py")), agent("own")]).compiled
    nested = "def many():\n    t = 0.0\n    for k in range(1000):\n        t += k\n    return t\n"
    nested += "def control(view):\n    t = 0.0\n    for k in range(1000):\n        t += many()\n    return t\n"
    by_view = "def control(view):\n    t = 0.0\n    for k in range(int(view.gap)):\n        t += k\n    return t\n"
    for name, text in (("nested", nested), ("by_view", by_view)):
        assert Stage(sumo, [agent(driver(tmp_path, text, f"{name}.py")), agent("own")]).compiled is None


def test_a_driver_begins_every_run_anew(sumo, tmp_path):
    text = "SEEN = []\ndef control(view):\n    SEEN.append(view.gap)\n    return 1.0 / len(SEEN)\n"
    stage = Stage(sumo, [agent(driver(tmp_path, text)), agent("own")])
    assert stage.play(3) == stage.play(3)
    remembers = Stage(sumo, [agent(STEADY), agent("own")])
    assert remembers.play(3) == remembers.play(3)


def test_a_driver_sees_only_its_view_and_may_spoil_it(sumo, tmp_path):
    spoiler = driver(tmp_path, "def control(view):\n    view.gap = 0.0\n    view.behind = 1e9\n    return 1.0\n")
    runs = [Stage(sumo, [agent(text), agent("own:driver=careful")]).play(3) for text in (spoiler, "hold:push=1")]
    assert (runs[0].mark, runs[0].ticks) == (runs[1].mark, runs[1].ticks)


def test_answers_are_clipped_to_the_range(sumo, tmp_path):
    wild, tame = driver(tmp_path, "def control(view):\n    return 1e300\n"), "hold:push=1"
    assert (
        Stage(sumo, [agent(wild), agent("own")]).play(3).mark == Stage(sumo, [agent(tame), agent("own")]).play(3).mark
    )


def test_numbers_of_numpy_are_numbers(sumo, torus, tmp_path):
    text = "import numpy\ndef control(view):\n    return numpy.float32(0.5) if view.gap > 3 else numpy.array([1.0])\n"
    assert not Stage(sumo, [agent(driver(tmp_path, text)), agent("own")]).play(3).lost


def test_a_position_that_the_world_cannot_stand_is_refused(tmp_path):
    text = (WORLDS / "sumo.py").read_text().replace("s.x[p] += s.v[p] * DT", "s.x[p] += s.v[s.clashes] * DT")
    (tmp_path / "frail.py").write_text(text)
    with pytest.raises(BadPosition, match=r"cannot stand these fields: .*index 9 is outside"):
        load(tmp_path / "frail.py").state(clashes=9)


# What cannot be.


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1\n", r"a driver has a function control\(view\)"),
        ("def control():\n    return 1.0\n", r"control must take \(view\): declare MEMORY"),
        ("MEMORY = {'n': int}\ndef control(view):\n    return 1.0\n", r"control must take \(view, memory\)"),
        ("MEMORY = {'n': str}\ndef control(view, memory):\n    return 1.0\n", "MEMORY: 'n' must be int, float"),
        ("def control(view:\n", "driver.py:1"),
        ("1 / 0\n", "division by zero"),
    ],
)
def test_a_file_that_is_no_driver_is_refused_in_one_line(tmp_path, text, reason):
    with pytest.raises(LudwinError, match=reason) as found:
        agent(driver(tmp_path, text))
    assert "\n" not in str(found.value)


def test_agents_that_move_do_not_drive_and_drivers_do_not_move(sumo):
    nim = load("nim")
    with pytest.raises(CannotPlay, match=r"uct chooses moves, and .*sumo.py is a world that ticks"):
        Stage(sumo, [agent("uct"), agent("random")])
    with pytest.raises(CannotPlay, match="sets controls, and nim is played in moves"):
        agent(STEADY).suits(nim)
    with pytest.raises(CannotPlay, match="played in moves"):
        Stage(nim, [agent("random")] * 2)
    with pytest.raises(CannotPlay, match="nobody moves there"):
        sumo.start().moves()
    with pytest.raises(CannotPlay, match="has no control 'pull'"):
        Stage(sumo, [agent("hold:pull=1"), agent("random")])
    with pytest.raises(CannotPlay, match="no driver 'chrage'; did you mean 'charge'"):
        Stage(sumo, [agent("own:driver=chrage"), agent("random")])
    with pytest.raises(BadParameter, match="2 players, got 1 agent"):
        Stage(sumo, [agent("random")])
    with pytest.raises(BadParameter, match="finite number"):
        agent("hold:push=nan")


def test_drivers_print_back():
    for text in ("hold:push=0.5", "own:driver=careful", f"{STEADY}:gain=0.3", STEADY):
        assert str(agent(text)) == text
    assert Hold((("push", 0.5),)) == agent("hold:push=0.5")


def test_a_state_of_a_world_is_a_value(sumo):
    state = sumo.start().seed(7)
    after = state.tick(push=(1.0, -1.0))
    assert after == state.tick(push=(1.0, -1.0)) != state.tick(push=(1.0, 1.0))
    assert sumo.position(after.write()) == after and state.sense(0)["gap"] > 5
    with pytest.raises(BadPosition, match="has no control 'pull'"):
        state.tick(pull=(1, 1))
    with pytest.raises(BadPosition, match="a number for each of 2 players"):
        state.tick(push=(1.0, float("nan")))


# Events, records, replay.


def play(sumo, path, *seats, **how):
    return ludwin.tournament(sumo, [agent(text) for text in seats], games=6, out=path, **how)


def test_one_and_two_workers_and_every_mode_write_the_same_file(sumo, tmp_path):
    files = []
    for number, how in enumerate(({"workers": 1}, {"workers": 2}, {"mode": "plain"}, {"mode": "checked"})):
        files.append(tmp_path / f"{number}.jsonl")
        play(sumo, files[-1], STEADY, "random", "own:driver=careful", seed=3, **how)
    assert len({file.read_bytes() for file in files}) == 1


def test_an_event_goes_on_after_a_torn_line(sumo, tmp_path):
    whole, torn = tmp_path / "whole.jsonl", tmp_path / "torn.jsonl"
    for path in (whole, torn):
        play(sumo, path, STEADY, "random")
    torn.write_bytes(torn.read_bytes()[: -len(torn.read_bytes()) // 3])
    ludwin.tournament(sumo, [agent(STEADY), agent("random")], games=6, resume=torn)
    assert torn.read_bytes() == whole.read_bytes()


def test_an_edited_driver_is_another(sumo, tmp_path):
    path = driver(tmp_path, "def control(view):\n    return 1.0\n")
    play(sumo, tmp_path / "m.jsonl", path, "random")
    driver(tmp_path, "def control(view):\n    return 0.5\n")
    with pytest.raises(LudwinError, match="another event: its agents"):
        ludwin.tournament(sumo, [agent(path), agent("random")], games=6, resume=tmp_path / "m.jsonl")


def replayed(path, game):
    event = open_event(path, lambda text: game, lambda named: str(game.source.path))
    for line, record in event.games:
        examine(event, line, record)
    return event


def test_recorded_runs_replay_without_their_drivers(sumo, tmp_path):
    path = driver(tmp_path, "def control(view):\n    return 0.1 * view.gap - 0.3 if view.gap > 2.0 else 1 / 0\n")
    play(sumo, tmp_path / "m.jsonl", path, STEADY, "random")
    Path(path).unlink()
    lines = (tmp_path / "m.jsonl").read_text().splitlines()[1:]
    assert any("ZeroDivisionError" in line for line in lines)
    assert str(tmp_path) not in "".join(lines) and any('"controls":["' in line for line in lines)
    replayed(tmp_path / "m.jsonl", sumo)


FORGERIES = {
    "payoffs": lambda run: run["payoffs"].reverse(),
    "final": lambda run: run.update(final=run["final"] ^ 1),
    "ticks": lambda run: run.update(ticks=run["ticks"] + 1),
    "end": lambda run: run.update(end="length" if run["end"] == "rules" else "rules"),
    "controls": lambda run: run.update(controls=[None, None]),
    "numbers": lambda run: run.update(controls=[pack([1.0] * run["ticks"]) if c else c for c in run["controls"]]),
    "packing": lambda run: run.update(controls=["AAAA" if c else c for c in run["controls"]]),
    "bomb": lambda run: run.update(controls=[pack([0.0] * 10**6) if c else c for c in run["controls"]]),
    "loss": lambda run: run.update(lost=[{"player": 0, "tick": 1, "reason": "forged"}]),
    "moves": lambda run: run.update(moves=[1]),
    "no ticks": lambda run: [run.pop(key) for key in ("ticks", "final", "controls")],
    "length": lambda run: run.update(ticks=10**8),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_runs_are_found_out(sumo, tmp_path, name):
    ludwin.tournament(sumo, [agent(STEADY), agent("own:driver=charge")], games=2, out=tmp_path / "m.jsonl")
    header, first, second = (tmp_path / "m.jsonl").read_text().splitlines()
    run = json.loads(first)
    assert run["payoffs"][0] != run["payoffs"][1]
    FORGERIES[name](run)
    (tmp_path / "m.jsonl").write_text("\n".join([header, json.dumps(run), second, ""]))
    with pytest.raises(BadRecords):
        replayed(tmp_path / "m.jsonl", sumo)


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"controls": [None]}, "2 seats, but 1 rows of controls"),
        ({"lost": [{"player": 2, "tick": 0, "reason": ""}]}, "loses its control once"),
        ({"lost": [{"player": 0, "tick": 9, "reason": ""}]}, "at one of the 9 ticks"),
        ({"lost": [{"player": 0}]}, "tick"),
        ({"ticks": -1}, "ticks"),
    ],
)
def test_runs_that_cannot_be_are_refused(more, reason):
    run = {
        "game": 0,
        "pair": 0,
        "seats": [0, 1],
        "moves": [],
        "payoffs": [0, 0],
        "end": "rules",
        "ticks": 9,
        "final": 1,
    }
    with pytest.raises(BadRecords, match=reason):
        parse_record(json.dumps({**run, **more}), "file", 2)


def test_a_driver_that_kills_its_worker_loses_its_control(sumo, tmp_path):
    path = driver(
        tmp_path, "import os\ndef control(view):\n    if view.gap < 5.0:\n        os._exit(7)\n    return 0.4\n"
    )
    outcome = ludwin.tournament(sumo, [agent(path), agent("random")], games=2, out=tmp_path / "m.jsonl")
    assert outcome.standing.lost == [2, 0] and outcome.standing.forfeits == [0, 0]
    assert '"reason":"died: exit status 7"' in (tmp_path / "m.jsonl").read_text()
    replayed(tmp_path / "m.jsonl", sumo)


FORKS = """import os

left = [8]

def control(view):
    left[0] -= 1
    if left[0] % 2 == 0 and left[0] >= 0:
        os.fork()
    return 1.0
"""
INTERRUPTS = "class T:\n    def tolist(self): raise KeyboardInterrupt\n\ndef control(view):\n    return T()\n"
SWALLOWS = """def control(view):
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_copy_of_the_process_that_a_driver_makes_does_not_go_on_with_the_run(sumo, tmp_path):
    forks = driver(tmp_path, FORKS)
    tame = driver(tmp_path, FORKS.replace("os.fork()", "os.getpid()"), "tame.py")
    for mode in ("plain", "fast"):
        run = ludwin.simulate(sumo, [forks, "own"], seed=2, mode=mode)
        assert run == ludwin.simulate(sumo, [tame, "own"], seed=2, mode=mode) and run.lost == ()


def test_a_driver_that_catches_everything_cannot_hold_up_simulate(sumo, tmp_path, monkeypatch):
    monkeypatch.setattr(world_desk, "HANGS", 2)
    run = ludwin.simulate(sumo, [driver(tmp_path, SWALLOWS), "own"], seed=2, patience=0.1)
    assert run.lost == (Loss(0, 0, "no answer: it hung"),) and run.ticks > 0


def test_a_driver_that_ends_its_process_loses_its_control_in_simulate_too(sumo, tmp_path):
    ends = driver(tmp_path, "import os\n\ndef control(view):\n    os._exit(3)\n")
    assert ludwin.simulate(sumo, ["own", ends], seed=2).lost == (Loss(1, 0, "died: exit status 3"),)


def test_a_driver_that_raises_an_interrupt_of_its_own_loses_its_control_and_no_more(sumo, tmp_path):
    play(sumo, tmp_path / "r.jsonl", driver(tmp_path, INTERRUPTS), "own")
    lines = (tmp_path / "r.jsonl").read_text().splitlines()
    assert len(lines) == 7 and all('"KeyboardInterrupt"' in line for line in lines[1:])


@pytest.mark.parametrize("terms", [{"repetition": 0}, {"openings": 2}, {"clock": "10"}, {"adjudicate": "plies=9"}])
def test_terms_of_games_in_moves_are_refused(sumo, terms):
    with pytest.raises(BadParameter, match="is for games that are played in moves"):
        ludwin.tournament(sumo, [agent("random"), agent("own")], games=2, **terms)


def test_packed_numbers_come_back():
    numbers = [0.1, -0.0, 1e300, 5e-324]
    assert str(unpack(pack(numbers), 4)) == str(numbers)
    for text, count in ((pack(numbers), 3), (pack(numbers), 5), ("!", 0), ("é", 1)):
        with pytest.raises(LudwinError):
            unpack(text, count)


# Worlds that break the contract.

BROKEN = {
    "no tick": ("def tick(s):", "def tock(s):", r"the world has no function tick\(s\)"),
    "no senses": ("SENSES = {", "SINSES = {", "SENSES must be a table"),
    "controls": ('CONTROLS = {"push": (-1, 1)}', "CONTROLS = {}", "CONTROLS must be a table"),
    "range": ('{"push": (-1, 1)}', '{"push": (1, -1)}', "must have low < high"),
    "large": ('{"push": (-1, 1)}', '{"push": (0, 10**400)}', "a number that is too large for a float"),
    "wide": ('{"push": (-1, 1)}', '{"push": (-1e308, 1e308)}', "a range that is too wide for a float"),
    "kind": ('{"push": (-1, 1)}', '{"push": int}', r"must be float, \(low, high\) or"),
    "clash": ('{"push": (-1, 1)}', '{"v": (-1, 1)}', "is a control, which is a field of its own"),
    "name": ('{"push": (-1, 1)}', '{"for": (-1, 1)}', "CONTROLS: 'for' cannot be a field's name"),
    "attribute": ("view.gap =", "view.gip =", "no field 'gip'; did you mean 'gap'"),
    "arguments": ("def sense(s, p, view):", "def sense(s, view):", r"sense must take \(s, p, view\)"),
    "list": ("return out(s, 0) or out(s, 1)", "return [1]", "a list cannot be compiled"),
    "queries": ("EDGE = 10.0", "EDGE = 10.0\nQUERIES = {}", "SENSES, which are its QUERIES"),
    "ticks": ("MAX_TICKS = 400", "MAX_TICKS = 0", "MAX_TICKS must be a whole number of at least 1"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_world_is_refused_in_one_line(tmp_path, name):
    old, new, reason = BROKEN[name]
    text = (WORLDS / "sumo.py").read_text()
    assert old in text
    (tmp_path / "broken.py").write_text(text.replace(old, new))
    with pytest.raises(RuleError, match=reason) as found:
        load(tmp_path / "broken.py")
    assert found.value.line and "\n" not in str(found.value)
