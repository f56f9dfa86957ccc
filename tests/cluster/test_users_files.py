"""Files of users travel as texts: games with helpers, agents that misbehave, champions, problems."""

import json

import pytest
from clusters import same_runs

from ludwin import shipping
from ludwin.arena.records import read_records
from ludwin.arena.tournament import tournament
from ludwin.evolve.door import evolve
from ludwin.library import load
from ludwin.shipping import NotShipped, pack_game, pack_text, unpack, unpack_game
from ludwin.spread import AtHome, Crew

GAME = """
from pile import HEAP, taken

FIELDS = {"heap": int, "turn": int}
MAX_MOVES = 3
MAX_PLIES = 30


def setup(s):
    s.heap = HEAP
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    for k in range(1, 4):
        if k <= s.heap:
            out[n] = k
            n += 1
    return n


def play(s, m):
    s.heap = taken(s.heap, m)
    s.turn = 1 - s.turn


def payoff(s, p):
    return -1 if s.turn == p else 1
"""
PILE = "HEAP = 9\n\n\ndef taken(heap, m):\n    return heap - m\n"
AGENTS = {
    "raises": "def choose(state):\n    return 1 // 0\n",
    "dies": "import os\n\n\ndef choose(state):\n    os._exit(3)\n",
    "hangs": "import time\n\n\ndef choose(state):\n    time.sleep(60)\n",
    "last": "def choose(state):\n    return state.moves()[-1]\n",
}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "mine.py").write_text(GAME)
    (tmp_path / "pile.py").write_text(PILE)
    for name, text in AGENTS.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


def test_a_game_with_helpers_and_parameters_is_played_elsewhere(folder, crew):
    game = load(f"{folder / 'mine.py'}:heap=12")
    for name, workers in (("here", 1), ("there", crew)):
        agents = ["uct:playouts=10", str(folder / "last.py")]
        tournament(game, agents, games=10, seed=1, workers=workers, out=folder / f"{name}.jsonl")
    assert (folder / "here.jsonl").read_bytes() == (folder / "there.jsonl").read_bytes()


@pytest.mark.parametrize("name", ["raises", "dies", "hangs"])
def test_an_agent_that_misbehaves_there_forfeits_as_here(name, folder, crew, cluster):
    lost = cluster.counts.lost
    for place, workers in (("here", 1), ("there", crew)):
        agents = [str(folder / f"{name}.py"), "random"]
        tournament("nim", agents, games=2, seed=1, workers=workers, out=folder / f"{place}.jsonl", patience=1.0)
    assert (folder / "here.jsonl").read_bytes() == (folder / "there.jsonl").read_bytes()
    assert {record.end for _, record in read_records(folder / "there.jsonl")} == {"forfeit"}
    assert cluster.counts.lost == lost  # it is a child of the worker that dies, and not the worker


def test_what_was_packed_is_what_is_played(folder, monkeypatch):
    packed = json.loads(json.dumps(pack_game(load(f"{folder / 'mine.py'}:heap=7"))))
    assert unpack_game(packed).start().moves() == load(f"{folder / 'mine.py'}:heap=7").start().moves()
    edited = json.loads(json.dumps(packed))
    edited["pack"]["texts"]["pile.py"] += "\n# another text\n"
    with pytest.raises(NotShipped, match="other texts than it left with"):
        unpack_game(edited)
    astray = json.loads(json.dumps(packed))
    astray["pack"]["texts"]["../../astray.py"] = "x = 1\n"
    with pytest.raises(NotShipped, match="no name of a file that is shipped"):
        unpack_game(astray)
    monkeypatch.setattr(shipping, "only_ours", True)
    with pytest.raises(NotShipped, match="--only-ours and does not run mine"):
        unpack_game(packed)


def test_rules_that_compute_something_else_there_are_refused(folder):
    packed = pack_game(load(str(folder / "mine.py")))
    packed["rules"] = "0" * len(packed["rules"])
    with pytest.raises(NotShipped, match="another fingerprint here than where it came from"):
        unpack_game(packed)


def test_a_file_that_a_parameter_names_is_not_shipped(tmp_path):
    (tmp_path / "x.trk").write_text("")
    (tmp_path / "game.py").write_text(GAME.replace("from pile import HEAP, taken", f"{PILE}\nTRACK = 'none'"))
    game = load(f"{tmp_path / 'game.py'}:track={tmp_path / 'x.trk'}")
    with pytest.raises(NotShipped, match="names a file of this machine"):
        pack_game(game)


PROBLEM = """
from ludwin.evolve import Plan, Problem
from ludwin.evolve.vectors import Bits


def ones(genome, stream):
    return sum(genome) + stream.uniform()


PROBLEM = Problem("ones", Bits(8), fitness=ones, plan=Plan(population=6, generations=3))
"""


def test_a_problem_of_ones_own_is_asked_elsewhere(tmp_path, cluster):
    (tmp_path / "ones.py").write_text(PROBLEM)
    cluster.packs["ones.py"] = pack_text(str(tmp_path / "ones.py"))
    for name, workers in (("here", 1), ("there", Crew(1, cluster))):
        evolve(str(tmp_path / "ones.py"), out=tmp_path / name, workers=workers)
    assert same_runs(tmp_path / "here", tmp_path / "there")


def test_a_file_that_nobody_named_cannot_be_sent(tmp_path):
    (tmp_path / "ones.py").write_text(PROBLEM)
    with pytest.raises(NotShipped, match="name it on the line"):
        evolve(str(tmp_path / "ones.py"), out=tmp_path / "run", workers=Crew(1, AtHome()))


def test_a_champion_plays_elsewhere(tmp_path, crew):
    settings = {"population": 4, "generations": 1, "fitness": "2rand", "rounds": 1, "finalists": 1, "last": 1}
    settings |= dict.fromkeys(("yardstick_games", "finalist_games", "champion_games", "record_games"), 2)
    evolve("connect-four", settings=settings, out=tmp_path / "run")
    for name, workers in (("here", 1), ("there", crew)):
        agents = [f"evolved:{tmp_path / 'run'}", "random"]
        tournament("connect-four", agents, games=4, seed=1, workers=workers, out=tmp_path / f"{name}.jsonl")
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


def test_shipped_data_lands_below_the_cache(folder):
    from ludwin.kernel import cache

    main = unpack(pack_text(str(folder / "mine.py")))
    assert main.startswith(str(cache.folder())) and main.endswith("mine.py")
