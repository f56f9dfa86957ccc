"""Perft counts what plain play reaches."""

import pytest

from ludwin import load, perft
from ludwin.search.perft import divide


def leaves(state, depth):
    """Count positions at a depth by playing every move: the definition."""
    return 1 if depth == 0 else sum(leaves(state.play(move), depth - 1) for move in state.moves())


@pytest.mark.parametrize(
    "text", ["nim", "connect-four:columns=4,rows=3,connect=3", "draughts:size=4", "kuhn-poker", "pig:goal=10"]
)
def test_counts_the_positions_at_exactly_a_depth(text):
    game = load(text)
    for depth in range(6):
        assert perft(game, depth) == leaves(game.start(), depth)


def test_divides_by_the_first_move():
    game = load("connect-four:columns=4,rows=3,connect=3")
    parts = divide(game, 4)
    assert list(parts) == game.start().moves() and sum(parts.values()) == perft(game, 4)
    assert divide(game, 0) == {}


def test_begins_where_it_is_told():
    game = load("nim")
    assert perft(game, 2, game.state(heap=2, turn=1)) == 1  # 1 + 1 is the only way to take two in two moves
    assert perft(game, 3, game.state(heap=2, turn=1)) == 0


def test_refuses_a_negative_depth_and_an_unknown_mode():
    game = load("nim")
    with pytest.raises(ValueError, match="depth must be at least 0, got -1"):
        perft(game, -1)
    with pytest.raises(ValueError, match="mode must be one of plain, checked, fast, got 'slow'"):
        perft(game, 2, mode="slow")
