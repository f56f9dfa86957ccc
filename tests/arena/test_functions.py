"""The functions of the package beside its commands: the same figures, texts for games, one line for mistakes."""

import json
import math

import pytest

import ludwin
from ludwin.cli import main
from ludwin.errors import IllegalMove, LudwinError

OWN = '''"""Take one or two; who takes the last wins."""
FIELDS = {"left": int, "turn": int}
MAX_MOVES = 2


def setup(s):
    s.left = 5
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    for k in range(1, min(2, s.left) + 1):
        out[n] = k
        n += 1
    return n


def play(s, m):
    s.left -= m
    s.turn = 1 - s.turn


def payoff(s, p):
    return -1 if s.turn == p else 1
'''
THINGS = (None, 3, -1, 1.5, True, "x", "", b"x", [], ["x"], (), {}, object(), math.nan, 10**400, "\0", "nim:heap")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A record file of nim, and one of a user's game."""
    folder = tmp_path_factory.mktemp("played")
    (folder / "own.py").write_text(OWN)
    for name, game in (("nim", "nim:heap=7"), ("own", str(folder / "own.py"))):
        agents = ["random", "random", "greedy"] if name == "nim" else ["random", "random"]
        ludwin.tournament(game, agents, games=4, seed=2, mode="plain", out=folder / f"{name}.jsonl")
    return folder


def printed(capsys, *words):
    capsys.readouterr()
    assert main([str(word) for word in words]) == 0
    return capsys.readouterr().out


def test_rate_and_replay_return_what_the_commands_print(played, capsys):
    file = played / "nim.jsonl"
    for name, found in (("rate", ludwin.rate(file)), ("replay", ludwin.replay(file))):
        assert printed(capsys, name, file).strip() == repr(found)
        assert json.loads(printed(capsys, name, file, "--json")) == json.loads(json.dumps(found.to_dict()))


def test_a_tournament_prints_as_the_command_does_and_gives_rows(capsys):
    event = ludwin.tournament("nim:heap=7", ["random", "greedy", "random"], games=4, seed=2, mode="plain")
    words = "tournament nim:heap=7 random greedy random --games 4 --seed 2 --mode plain"
    assert printed(capsys, *words.split()).strip() == repr(event)
    assert [row["agent"] for row in event.rows()] == [row["agent"] for row in event.to_dict()["ratings"]]
    flat = {type(value) for row in (*event.rows(), *event.crosstable()) for value in row.values()}
    assert flat <= {int, float, str, type(None)}
    (row,) = ludwin.match("nim:heap=7", "random", "greedy", games=4, mode="plain").rows()
    assert row["elo.low"] <= row["elo"] <= row["elo.high"] and row["games"] == 4


def test_a_users_records_are_rated_where_their_rules_are_not(played, tmp_path, monkeypatch, capsys):
    (tmp_path / "moved.jsonl").write_bytes((played / "own.jsonl").read_bytes())
    monkeypatch.chdir(tmp_path)
    assert ludwin.rate("moved.jsonl").standing.games == 4
    assert "own.py: 4 games of 2 agents" in printed(capsys, "rate", "moved.jsonl")
    with pytest.raises(LudwinError, match="name their file"):
        ludwin.replay("moved.jsonl")
    assert ludwin.replay("moved.jsonl", trust=played / "own.py").ok


def test_records_of_rules_that_differ_are_not_rated_together(played, tmp_path):
    (tmp_path / "own.py").write_text(OWN.replace("s.left = 5", "s.left = 6"))
    ludwin.match(str(tmp_path / "own.py"), "random", "random", games=2, mode="plain", out=tmp_path / "other.jsonl")
    with pytest.raises(LudwinError, match=r"rules of own\.py that differ"):
        ludwin.rate(played / "own.jsonl", tmp_path / "other.jsonl")


def test_analysing_a_file_is_the_commands_analysis(played, capsys):
    found = ludwin.analyse_file(played / "nim.jsonl", "alphabeta:depth=7", number=1, mode="plain")
    words = ["analyse", played / "nim.jsonl", "alphabeta:depth=7", "--game", "1", "--mode", "plain", "--json"]
    assert json.loads(printed(capsys, *words)) == json.loads(json.dumps(found.to_dict()))
    assert ludwin.analyse("nim:heap=7", "alphabeta:depth=7", moves=["2", 1], mode="plain").unit == "decided"


def test_a_table_is_a_list_of_rows_and_goes_on_in_its_folder(tmp_path, capsys):
    found = ludwin.reproduce("fop-functions", seed=3, out=tmp_path / "t")
    assert found.rows() and found.rows() == ludwin.reproduce("fop-functions", seed=3, out=tmp_path / "t").rows()
    assert len(found) == len(found.rows()) and found[0].as_json() == found.rows()[0] and repr(found).startswith("# fop")
    line = f"reproduce fop-functions --seed 3 --json --resume {tmp_path / 't'}"
    assert json.loads(printed(capsys, *line.split())) == json.loads(json.dumps(found.to_dict()))


def test_evolution_is_a_package_and_a_function(tmp_path, capsys):
    small = {"population": 6, "generations": 2, "baseline": False}
    found = ludwin.evolve("onemax", seed=1, out=tmp_path / "run", settings=small)
    assert len(found.rows()) == found.to_dict()["generations"] and "champion" in repr(found)
    again = ludwin.evolve("onemax", seed=1, out=tmp_path / "run", settings=small)
    assert (
        again.to_dict() == found.to_dict() == json.loads(printed(capsys, "evolve", "--resume", found.folder, "--json"))
    )
    with pytest.raises(LudwinError, match="another run"):
        ludwin.evolve("onemax", seed=2, out=tmp_path / "run", settings=small)
    from ludwin.evolve import Plan

    assert ludwin.evolve.plan.Plan is Plan


def test_discovery_is_a_package_and_a_function():
    found = ludwin.discover("beta-cut", max_states=5)
    assert found.to_dict()["states"] <= 5 and found.to_dict()["found"] is False


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: repr(thing)[:20])
def test_no_argument_breaks_a_function(thing, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    calls = (
        lambda: ludwin.rate(thing),
        lambda: ludwin.replay(thing),
        lambda: ludwin.replay("none.jsonl", trust=thing),
        lambda: ludwin.analyse(thing, "random"),
        lambda: ludwin.analyse("nim", thing, mode="plain"),
        lambda: ludwin.analyse("nim", "random", position=thing, mode="plain"),
        lambda: ludwin.analyse("nim", "random", moves=thing, mode="plain"),
        lambda: ludwin.analyse("nim", "random", moves=[thing], mode="plain"),
        lambda: ludwin.analyse("nim", "random", lines=thing, mode="plain"),
        lambda: ludwin.analyse("nim", "random", mode=thing),
        lambda: ludwin.analyse_file(thing, "random"),
        lambda: ludwin.reproduce(thing),
        lambda: ludwin.reproduce("nothing-of-this-name", seed=thing),
        lambda: ludwin.discover(thing),
        lambda: ludwin.discover("nothing-of-this-name", seed=thing),
        lambda: ludwin.evolve(thing, out="x", settings={"nothing": 1}),
        lambda: ludwin.evolve("lose-checkers", out=thing, settings={"nothing": 1}),
        lambda: ludwin.evolve("lose-checkers", settings=thing or 1, preset="none"),
        lambda: ludwin.tune("nim", "uct", thing),
        lambda: ludwin.tune("nim", thing, "c=1..2,none=1..2"),
        lambda: ludwin.tune(thing, "uct", "c=1..2,none=1..2"),
        lambda: ludwin.load(thing),
        lambda: ludwin.agent(thing),
        lambda: ludwin.perft(thing, 1),
        lambda: ludwin.perft("nim", thing, mode="plain"),
        lambda: ludwin.check(thing),
    )
    raw = []
    for number, call in enumerate(calls):
        try:
            call()
        except LudwinError as error:
            lines = str(error).splitlines()[:1] if isinstance(error, IllegalMove) else str(error).splitlines()
            if len(lines) != 1:  # below an illegal move stands the board
                raw.append(f"call {number}: not one line: {error}")
        except Exception as error:
            raw.append(f"call {number}: {type(error).__name__}: {error}")
    assert raw == []
