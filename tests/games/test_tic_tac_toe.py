import random

import pytest

from ludwin import load, perft, reachable
from ludwin.errors import BadPosition

GAME = load("tic-tac-toe")


def test_counts_of_positions_are_the_known_ones():
    assert [perft(GAME, depth) for depth in range(1, 10)] == [9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872]
    assert sum(1 for _ in reachable(GAME)) == 5478


def test_there_are_255168_games():
    leaves = [perft(GAME, depth) for depth in range(10)] + [0]
    going_on = [leaves[depth + 1] // (9 - depth) if depth < 9 else 0 for depth in range(10)]  # each has so many moves
    assert sum(leaves[:10]) - sum(going_on) == 255168


def test_is_a_draw():
    worth = {}
    for state in reversed(list(reachable(GAME))):
        after = [-worth[state.play(move)] for move in state.moves()]
        worth[state] = max(after) if after else state.payoff()
    assert worth[GAME.start()] == 0


def test_a_line_on_the_full_board_wins():
    state = GAME.position("XOX/OOX/..X")
    assert state.over and state.payoffs() == (1, -1)
    full = GAME.position("XOX/OXO/OX.").play("c3")
    assert full.payoffs() == (1, -1)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("XX./.../...", r"X has as many marks as O or one more, not \+2"),
        ("O../.../...", "not -1"),
        ("XXX/OO./O..", "X has a line but it is also its turn"),
        ("OOO/XX./X.X", "O has a line but it is also its turn"),
        ("X../...", "three rows such as"),
    ],
)
def test_refuses_positions_that_cannot_be(text, reason):
    with pytest.raises(BadPosition, match=reason):
        GAME.position(text)


def test_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(0)
    for _ in range(50):
        ours, theirs = GAME.start(), pyspiel.load_game("tic_tac_toe").new_initial_state()
        while not theirs.is_terminal():
            assert ours.moves() == theirs.legal_actions()
            move = rng.choice(ours.moves())
            ours = ours.play(move)
            theirs.apply_action(move)
        assert list(ours.payoffs()) == theirs.returns()
