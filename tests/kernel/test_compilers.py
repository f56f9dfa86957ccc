"""Two compilers that know nothing of each other give the same answers: ours and, for one release, numba."""

import random

import pytest

from ludwin import agent, load, perft
from ludwin.errors import BadParameter
from tests.fuzz.choices import compare, positions

numba = pytest.importorskip("numba", reason="the extra `numba` is not installed")

PAIRS = [("nim", "alphabeta:depth=4")]
MORE = [
    ("pig:goal=20", "uct:playouts=40"),
    ("tic-tac-toe", "greedy"),
    ("draughts:size=6", "alphabeta:depth=4,table=12,history=1,killers=ply,pvs=1"),
    ("connect-four:columns=5,rows=4,connect=3", "mcts:playouts=40"),
    ("li-nim", "maxn:depth=3"),
    ("pig:goal=20", "star2:depth=2"),
    ("kuhn-poker", "uct:playouts=40"),
    ("reversi:size=6", "mcts:playouts=30,rule=rave"),
]


@pytest.mark.parametrize(("game", "player"), PAIRS + [pytest.param(*pair, marks=pytest.mark.slow) for pair in MORE])
def test_plain_checked_fast_and_numba_choose_alike(game, player, monkeypatch):
    monkeypatch.setenv("LUDWIN_COMPILER", "ludwin")
    rules, rng = load(game), random.Random(1)
    states = [(state, rng.randrange(2**40)) for state in positions(rules, rng, 4)]
    assert compare(rules, agent(player), states, ("checked", "fast", "numba")) == (12, [])


def test_an_unknown_compiler_is_refused(monkeypatch):
    monkeypatch.setenv("LUDWIN_COMPILER", "gcc")
    with pytest.raises(BadParameter, match="LUDWIN_COMPILER must be ludwin or numba, got 'gcc'"):
        perft(load("nim"), 2)
