"""`match`, `tournament` and `simulate` in Python: whatever is handed in, the answer is a result or one clear line."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import ludwin
from ludwin.cli import main
from ludwin.errors import BadParameter, LudwinError
from ludwin.search.playout import Random

SUMO = str(Path(__file__).parents[1] / "worlds" / "sumo.py")
THINGS = (None, 3, -1, 1.5, True, "x", "", b"x", [], ["x"], (), {}, object(), math.nan, math.inf, 10**400, Random)
WORDS = (
    *("games", "seed", "workers", "out", "resume", "mode"),
    *("format", "rounds", "openings", "sprt", "clock", "patience", "adjudicate", "repetition"),
)


def one_line(call):
    """Make a call that may be refused, and then must be in one line."""
    try:
        call()
    except LudwinError as error:
        assert "\n" not in str(error) and str(error)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("word", WORDS)
def test_no_condition_of_an_event_breaks_it(word):
    for thing in THINGS:
        one_line(lambda thing=thing: ludwin.tournament("nim:heap=5", ["random", "random"], **{"games": 2, word: thing}))


def test_no_game_and_no_agent_breaks_an_event():
    for thing in THINGS:
        one_line(lambda thing=thing: ludwin.match(thing, "random", "random", games=2))
        one_line(lambda thing=thing: ludwin.match("nim:heap=5", thing, "random", games=2))
        one_line(lambda thing=thing: ludwin.tournament("nim:heap=5", thing, games=2))
        one_line(lambda thing=thing: ludwin.agent(thing))


@pytest.mark.parametrize("word", ["seed", "rotation", "mode", "patience"])
def test_no_condition_of_a_run_breaks_it(word):
    for thing in THINGS:
        one_line(lambda thing=thing: ludwin.simulate(SUMO, ["own", "hold"], **{word: thing}))


@pytest.mark.parametrize(
    ("conditions", "reason"),
    [
        ({"games": 2.0}, "games must be a whole number, got 2.0"),
        ({"games": True}, "games must be a whole number, got True"),
        ({"games": 10**30}, "games must be at most 1000000000"),
        ({"seed": None}, "seed must be a whole number, got None"),
        ({"patience": math.nan}, "patience must be a finite number of seconds, got nan"),
        ({"clock": 5}, r"clock must be a text such as 60\+1, got 5"),
        ({"openings": 1.5}, "openings must be a number of plies, .*, got 1.5"),
        ({"openings": [3]}, r"openings must be texts, got \(3,\)"),
        ({"workers": "2"}, "workers must be a whole number, got '2'"),
        ({"out": "/"}, "a record needs the name of a file, got '/'"),
    ],
)
def test_a_condition_of_the_wrong_kind_is_named(conditions, reason):
    with pytest.raises(BadParameter, match=reason):
        ludwin.match("nim:heap=5", "random", "random", **{"games": 2, **conditions})


def test_whole_numbers_of_numpy_are_whole_numbers():
    ludwin.match("nim:heap=5", "random", "random", games=np.int64(4), seed=np.int32(7), out="numpy.jsonl")
    ludwin.match("nim:heap=5", "random", "random", games=4, seed=7, out="python.jsonl")
    assert Path("numpy.jsonl").read_bytes() == Path("python.jsonl").read_bytes()


def test_the_command_prints_what_python_returns(capsys):
    assert main(["match", "nim", "greedy", "random", "--games", "6", "--seed", "3", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads(json.dumps(ludwin.match("nim", "greedy", "random", games=6, seed=3).to_dict()))
    assert main(["tournament", "nim", "greedy", "random", "uct:playouts=5", "--games", "2", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    made = ludwin.tournament("nim", ["greedy", "random", "uct:playouts=5"], games=2)
    assert printed == json.loads(json.dumps(made.to_dict()))


@pytest.mark.parametrize("name", ["~nobody-at-all/x.py", "x" * 400, f"./{'x' * 400}.py", "a\0b.py"])
def test_a_name_that_no_file_can_have_is_that_of_no_file(name, capsys):
    for words in (["moves", name], ["check", name], ["choose", "nim", name], ["match", name, "random", "random"]):
        assert main(words) == 2
        said = capsys.readouterr().err.strip()
        assert said.startswith("ludwin: ") and "\n" not in said and "Errno" not in said
    one_line(lambda: ludwin.match("nim", f"evolved:{name}", "random"))
