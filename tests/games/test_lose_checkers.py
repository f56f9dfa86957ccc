import pytest

from ludwin import load, perft
from ludwin.errors import BadParameter

GAME = load("lose-checkers")


def test_has_the_moves_of_draughts():
    assert [perft(GAME, depth) for depth in range(1, 8)] == [7, 49, 302, 1469, 7361, 36768, 179740]


def test_parameters_reach_the_rules_of_draughts():
    game = load("lose-checkers:size=6,quiet_limit=2")
    assert game.start().write() == "B:W13,14,15,16,17,18:B1,2,3,4,5,6"
    drawn = game.position("B:WK18:BK1").play("1-4").play("18-14")
    assert drawn.over and drawn.payoffs() == (0, 0)
    with pytest.raises(BadParameter, match="size must be"):
        load("lose-checkers:size=7")


def test_whoever_has_no_piece_left_has_won():
    assert GAME.position("W:W:B3").payoffs() == (-1, 1)
    assert GAME.position("B:W18:B14").play("14x23").payoffs() == (-1, 1)


def test_whoever_is_blocked_has_won():
    assert GAME.position("W:W12:B3,8").payoffs() == (-1, 1)


def test_queries_are_those_of_draughts_seen_by_the_mover():
    draughts = load("draughts")
    assert GAME.queries == draughts.queries
    state = GAME.position("W:W21,K30:B1,K11")
    ask, plain = GAME.function("query"), state.thaw()
    names = list(GAME.queries)
    assert state.mover == 1
    assert ask(plain, 1, names.index("my men"), 0) == 1 and ask(
        plain, 1, names.index("enemy pieces"), 0
    ) == pytest.approx(2.4)
    mine = [square + 1 for square in range(32) if ask(plain, 1, names.index("is mine"), square)]
    assert mine == [3, 12]  # White's 30 and 21, counted from White's own corner
    assert [square + 1 for square in range(32) if ask(plain, 1, names.index("is king"), square)] == [3, 22]
