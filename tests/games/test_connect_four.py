import random

import pytest

from ludwin import load, perft
from ludwin.errors import BadParameter, BadPosition, IllegalMove

GAME = load("connect-four")


def test_counts_of_positions_are_the_known_ones():
    known = [7, 49, 343, 2401, 16807, 117649, 823536, 5673234]  # every path, wins cut off
    assert [perft(GAME, depth) for depth in range(1, 9)] == known


@pytest.mark.parametrize(
    ("columns", "way"),
    [
        ("a b a b a b a", "up"),
        ("a a b b c c d", "along"),
        ("a b b c c d c d d g d", "rising"),
        ("g f f e e d e d d a d", "falling"),
    ],
)
def test_four_in_a_line_win(columns, way):
    state = GAME.start()
    for column in columns.split():
        assert not state.over
        state = state.play(column)
    assert state.payoffs() == (1, -1), way


def test_lines_do_not_wrap_round_the_edge():
    assert not GAME.position("X6/X6/O6/X6/OX5/OX4O").over  # the top of column a and the bottom of b


def test_a_full_column_is_closed_and_a_full_board_is_a_draw():
    game = load("connect-four", columns=3, rows=2, connect=3)
    state = game.start().play("a").play("a")
    assert [state.name(move) for move in state.moves()] == ["b", "c"]
    with pytest.raises(IllegalMove, match="one of the columns b c, got 'a'"):
        state.parse("a")
    for column in "bbc":
        state = state.play(column)
    assert state.over and state.payoffs() == (1, -1)
    drawn = game.position("OXO/XOX")
    assert drawn.over and drawn.payoffs() == (0, 0)


def test_the_first_player_wins_connect_three_on_a_small_board():
    game = load("connect-four", columns=4, rows=4, connect=3)
    worth = {}

    def value(state):
        if state not in worth:
            worth[state] = state.payoff() if state.over else max(-value(state.play(move)) for move in state.moves())
        return worth[state]

    assert value(game.position("4/4/4/1XO1")) == 1


def test_evaluation_sees_both_sides_alike():
    rng = random.Random(1)
    state = GAME.start()
    assert state.evaluate(0) == 0
    for _ in range(12):
        state = state.play(rng.choice(state.moves()))
        if state.over:
            break
        assert state.evaluate(0) == -state.evaluate(1)
        assert -1 < state.evaluate(0) < 1
    centre, edge = GAME.start().play("d"), GAME.start().play("a")
    assert centre.evaluate(0) > edge.evaluate(0) > 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("7/7/7/7/3X3/3.3", "hangs in the air"),
        ("7/7/7/7/7/3XX2", r"not \+2"),
        ("7/7/7/7/OOO4/XXXX2O", "X has a line but it is also its turn"),
        ("7/7/7/7/7/8", "rows of 7 places"),
        ("7/7/7/7/7", "6 rows"),
        ("7/7/7/7/OOXO3/XXXXO2", "X won before its last move"),
    ],
)
def test_refuses_positions_that_cannot_be(text, reason):
    with pytest.raises(BadPosition, match=reason):
        GAME.position(text)


def test_refuses_boards_beyond_63_bits():
    with pytest.raises(BadParameter, match="at most 63, got 8 columns and 8 rows"):
        load("connect-four", columns=8, rows=8)


def test_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(0)
    for _ in range(50):
        ours, theirs = GAME.start(), pyspiel.load_game("connect_four").new_initial_state()
        while not theirs.is_terminal():
            assert ours.moves() == theirs.legal_actions()
            move = rng.choice(ours.moves())
            ours = ours.play(move)
            theirs.apply_action(move)
        assert list(ours.payoffs()) == theirs.returns()
