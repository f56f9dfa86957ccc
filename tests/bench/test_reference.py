import subprocess
import sys

import pytest

from ludwin import load, perft
from ludwin.bench import reference
from ludwin.errors import BadParameter, LudwinError
from ludwin.primitives import stream
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.uct import UCT

REASON = reference.available()
needs_compiler = pytest.mark.skipif(REASON is not None, reason=str(REASON))
both = pytest.mark.parametrize("name", reference.GAMES)


def answer(agent, name, seed=0):
    game = load(name)
    choice = agent.choose(game, game.start(), seed=seed)
    return choice.move, choice.value, choice.nodes


@needs_compiler
@both
def test_perft_counts_the_same_leaves(name):
    game = load(name)
    assert [reference.perft(name, depth) for depth in range(1, 8)] == [perft(game, depth) for depth in range(1, 8)]


@needs_compiler
def test_perft_of_draughts_is_the_published_one():
    assert reference.perft("draughts", 9) == 3963680  # www.aartbik.com/MISC/checkers.html


@needs_compiler
@both
@pytest.mark.parametrize("depth", [1, 2, 5, 8])
def test_alphabeta_has_the_same_move_value_and_nodes(name, depth):
    assert reference.alphabeta(name, depth) == answer(AlphaBeta(depth=depth), name)


@needs_compiler
@both
@pytest.mark.parametrize(
    ("playouts", "c", "seed"), [(1, 1.0, 0), (5, 1.0, 1), (300, 1.0, 2), (2000, 0.3, 3), (2000, 2.0, -4)]
)
def test_uct_has_the_same_move_value_and_nodes(name, playouts, c, seed):
    assert reference.uct(name, playouts, c, stream(seed, 0)) == answer(UCT(playouts=playouts, c=c), name, seed)


@needs_compiler
def test_is_compiled_once_and_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("LUDWIN_CACHE", str(tmp_path))
    code = "from ludwin.bench import reference; print(reference.perft('connect-four', 3))"
    times = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["343"]
        (built,) = tmp_path.glob("ludwin_reference_*/reference.*")
        times.append(built.stat().st_mtime_ns)
    assert times[0] == times[1]
    assert {file.name for file in built.parent.iterdir()} <= {built.name, "lock"}  # nothing is left lying about


def test_tells_that_there_is_no_compiler(monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert reference.available() == "no C++ compiler called no-such-compiler"
    with pytest.raises(LudwinError, match="no C\\+\\+ reference: no C\\+\\+ compiler called no-such-compiler"):
        reference.perft("draughts", 1)


@needs_compiler
def test_refuses_what_it_cannot_do():
    with pytest.raises(BadParameter, match="no game called 'draught'; did you mean 'draughts'"):
        reference.perft("draught", 1)
    with pytest.raises(BadParameter, match="depth must be at least 1, got 0"):
        reference.alphabeta("draughts", 0)
    with pytest.raises(BadParameter, match="playouts must be at least 1, got 0"):
        reference.uct("draughts", 0, 1.0, 0)
