import random

import pytest

from ludwin import load, perft
from ludwin.errors import BadParameter, BadPosition

GAME = load("reversi")
BIK = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288]  # www.aartbik.com/MISC/reversi.html


def test_counts_of_positions_are_the_published_ones():
    assert [perft(GAME, depth) for depth in range(1, 10)] == BIK  # passes begin at depth 9
    assert perft(GAME, 4, mode="plain") == perft(GAME, 4, mode="checked") == BIK[3]


def test_begins_with_four_crossed_discs():
    assert GAME.start().show().splitlines()[4:6] == ["4 . . . O X . . .", "5 . . . X O . . ."]
    assert sorted(map(GAME.start().name, GAME.start().moves())) == ["c4", "d3", "e6", "f5"]


def test_discs_are_turned_in_all_eight_directions():
    rest = "-" * 24 + " "
    state = GAME.position("X-X-X---" + "-OOO----" + "XO-OX---" + "-OOOX---" + "X-XXX---" + rest + "X")
    assert state.play("c3").write() == "X-X-X---" + "-XXX----" + "XXXXX---" + "-XXXX---" + "X-XXX---" + rest + "O"


def test_only_enclosed_discs_are_turned():
    before = "OOOOOOO-" + "--------" * 2 + "---XO---" + "---OX---" + "-" * 24
    assert "h1" not in map(GAME.start().name, GAME.position(before + " X").moves())
    after = GAME.position("XOOOOOO-" + before[8:] + " X").play("h1")
    assert after.write() == "XXXXXXXX" + before[8:] + " O"


def test_a_line_does_not_go_on_in_the_next_row():
    state = GAME.position("-------O" + "OX------" + "--------" + "---XO---" + "---OX---" + "-" * 24 + " X")
    assert "g1" not in map(state.name, state.moves())


def test_passing_is_forced_and_only_then_allowed():
    state = GAME.position("X" * 56 + "XXXXXXO-" + " O")
    assert [state.name(move) for move in state.moves()] == ["pass"]
    after = state.play("pass")
    assert [after.name(move) for move in after.moves()] == ["h8"]
    assert after.play("h8").over


def test_the_game_is_over_when_neither_can_move():
    state = GAME.position("-" * 24 + "---XX---" + "---XX---" + "-" * 24 + " O")
    assert state.over and state.payoffs() == (1, -1)


def test_bit_63_is_a_square_like_any_other():
    state = GAME.position("-" * 24 + "---XO---" + "---OX---" + "-----O--" + "------O-" + "--------" + " X").play("h8")
    assert state.write() == "-" * 24 + "---XO---" + "---OX---" + "-----X--" + "------X-" + "-------X" + " O"
    assert state.discs[0] < 0


def test_the_second_player_wins_4x4():
    worth = {}

    def value(state):
        if state not in worth:
            legal = state.moves()
            worth[state] = max(-value(state.play(move)) for move in legal) if legal else state.payoff()
        return worth[state]

    start = load("reversi", size=4).start()
    assert value(start.play(start.moves()[0])) == 1  # the four first moves are mirror images


def test_evaluation_likes_corners_and_sees_both_sides_alike():
    state = GAME.position("X" + "-" * 26 + "XO---" + "---OX---" + "-" * 24 + " X")
    assert state.evaluate(0) == -state.evaluate(1) > 0
    assert GAME.start().evaluate(0) == 0


@pytest.mark.parametrize(
    ("text", "reason"),
    [("-" * 64 + "X", "the four squares in the middle"), ("X" * 64, "64 squares"), ("Z" * 64 + "X", "64 squares")],
)
def test_refuses_positions_that_cannot_be(text, reason):
    with pytest.raises(BadPosition, match=reason):
        GAME.position(text)


def test_refuses_boards_that_cannot_be():
    with pytest.raises(BadParameter, match="size must be 4, 6 or 8, got 10"):
        load("reversi", size=10)


def test_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(0)
    for _ in range(20):
        ours, theirs = GAME.start(), pyspiel.load_game("othello").new_initial_state()
        while not theirs.is_terminal():
            assert ours.moves() == theirs.legal_actions()
            move = rng.choice(ours.moves())
            ours = ours.play(move)
            theirs.apply_action(move)
        assert list(ours.payoffs()) == theirs.returns()


def test_queries_count_discs_corners_and_squares():
    rows = "X--O----" + "-X------" + "--------" + "---XO---" + "---OX---" + "--------" * 2 + "O------O"
    state = GAME.position(rows + " X")
    ask, plain, names = GAME.function("query"), state.thaw(), list(GAME.queries)
    black = {"my discs": 4, "my corners": 1, "enemy discs": 5, "enemy corners": 2, "discs": -1, "corners": -1}
    white = {"my discs": 5, "my corners": 2, "enemy discs": 4, "enemy corners": 1, "discs": 1, "corners": 1}
    for player, expected in ((0, black), (1, white)):
        for query, value in expected.items():
            assert ask(plain, player, names.index(query), 0) == value, (player, query)
        for square, disc in enumerate(rows):
            assert ask(plain, player, names.index("is empty"), square) == (disc == "-")
            assert ask(plain, player, names.index("is mine"), square) == (disc == "XO"[player])
    assert names[:8] == [*black, "is empty", "is mine"]


@pytest.mark.parametrize("seed", range(30))
def test_tactical_queries_agree_with_a_board_of_rows_and_columns(seed):
    rng, state = random.Random(seed), GAME.start()
    plies = rng.randrange(58)
    for _ in range(plies):
        moves = state.moves()
        if not moves:
            break
        state = state.play(rng.choice(moves))
    plain, ask, names = state.thaw(), GAME.function("query"), list(GAME.queries)
    me = state.mover
    discs = [{k for k in range(64) if plain.discs[p] >> k & 1} for p in (me, 1 - me)]
    empty = set(range(64)) - discs[0] - discs[1]
    corners = {0, 7, 56, 63}
    rim = {k for k in range(64) if k // 8 in (0, 7) or k % 8 in (0, 7)}

    def beside(k):
        rows, columns = range(k // 8 - 1, k // 8 + 2), range(k % 8 - 1, k % 8 + 2)
        return {8 * r + c for r in rows for c in columns if 0 <= r < 8 and 0 <= c < 8} - {k}

    for word, own in (("my", discs[0]), ("enemy", discs[1])):
        expected = {
            "frontier": len([k for k in own if beside(k) & empty]),
            "edges": len(own & rim),
            "risks": len([k for k in own - rim if beside(k) & corners & empty]),
        }
        for what, value in expected.items():
            assert ask(plain, me, names.index(f"{word} {what}"), 0) == value, (word, what)
    placed = [m for m in state.moves() if m < 64]
    assert ask(plain, me, names.index("my places"), 0) == len(placed)
    assert ask(plain, me, names.index("my corner places"), 0) == len(corners & set(placed))
    assert ask(plain, me, names.index("empty squares"), 0) == len(empty)
    assert ask(plain, me, names.index("odd"), 0) == len(empty) % 2


def test_opinions_of_the_book_s_guides_differ_in_corners_alone():
    state = GAME.position(
        "X--O----" + "-X------" + "--------" + "---XO---" + "---OX---" + "--------" * 2 + "O------O X"
    ).thaw()
    discs, corners = GAME.function("evaluate_discs"), GAME.function("evaluate_corners")
    assert [discs(state, player) for player in (0, 1)] == [-1, 1]
    assert [corners(state, player) for player in (0, 1)] == [-6, 6]  # one corner against two, five each
