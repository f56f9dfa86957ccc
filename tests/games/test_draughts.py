import random

import pytest

from ludwin import load, perft
from ludwin.errors import BadParameter, BadPosition, IllegalMove

GAME = load("draughts")
BIK = [7, 49, 302, 1469, 7361, 36768, 179740, 845931, 3963680]  # www.aartbik.com/MISC/checkers.html


def names(text, game=GAME):
    state = game.position(text)
    return sorted(state.name(move) for move in state.moves())


def test_counts_of_positions_are_the_published_ones():
    assert [perft(GAME, depth) for depth in range(1, 10)] == BIK
    assert perft(GAME, 5, mode="plain") == perft(GAME, 5, mode="checked") == BIK[4]


def test_counts_on_10x10_are_the_published_ones():
    game = load("draughts", size=10)
    assert [perft(game, depth, mode="plain") for depth in range(1, 6)] == [9, 81, 810, 8100, 88900]


@pytest.mark.parametrize(("size", "men"), [(4, 2), (6, 6), (8, 12), (10, 15)])
def test_every_board_begins_with_its_men(size, men):
    state = load("draughts", size=size).start()
    squares = size * size // 2
    black = ",".join(map(str, range(1, men + 1)))
    white = ",".join(map(str, range(squares - men + 1, squares + 1)))
    assert state.write() == f"B:W{white}:B{black}"


def test_capture_is_mandatory():
    assert names("B:W15,30:B1,11") == ["11x18"]


def test_jumps_are_completed():
    assert names("B:W15,23:B11") == ["11x27"]


def test_captures_are_chosen_freely_the_longest_or_not():
    assert names("B:W14,15,23,24:BK10") == ["10x17", "10x26", "10x28"]


def test_crowning_ends_the_move():
    state = GAME.position("B:W26,27:B22")
    assert names("B:W26,27:B22") == ["22x31"]
    assert state.play("22x31").write() == "W:W27:BK31"


def test_men_neither_step_nor_jump_backward():
    assert names("B:W10:B15") == ["15-18", "15-19"]
    assert names("W:W18:B23") == ["18-14", "18-15"]


def test_kings_move_one_square_in_all_directions():
    assert names("B:W32:BK18") == ["18-14", "18-15", "18-22", "18-23"]


def test_a_king_may_return_to_the_square_it_began_on():
    state = GAME.position("B:W10,11,18,19:BK7")
    assert names(state.write()) == ["7x14x23x16x7", "7x16x23x14x7"]
    assert state.play("7x14x23x16x7").write() == "W:W:BK7"


def test_no_piece_is_jumped_twice():
    assert names("B:W18:BK14") == ["14x23"]


def test_a_captured_king_is_no_king_any_more():
    after = GAME.position("B:WK15,32:B11").play("11x18")
    assert after.write() == "W:W32:B18"
    assert after.kings == 0


def test_whoever_is_blocked_has_lost():
    state = GAME.position("W:W12:B3,8")
    assert state.over and state.payoff() == -1 and state.payoffs() == (1, -1)


def test_whoever_has_no_piece_has_lost():
    assert GAME.position("W:W:B3").payoffs() == (1, -1)


def test_quiet_plies_make_a_draw_and_men_and_captures_start_again():
    game = load("draughts", quiet_limit=3)
    state = game.position("B:WK32:B9,K1").play("1-6").play("32-28")
    assert state.write() == "B:WK28:BK6,9:H2"
    assert state.play("9-14").quiet == 0
    drawn = state.play("6-1")
    assert drawn.over and drawn.payoffs() == (0, 0)
    assert game.position("B:WK10:BK6,K20:H2").play("6x15").quiet == 0


def test_crowning_is_a_move_of_a_man():
    assert GAME.position("B:WK4:B28:H7").play("28-32").write() == "W:WK4:BK32"


def test_the_ply_limit_makes_a_draw():
    game = load("draughts", ply_limit=2)
    state = game.start().play("11-15").play("22-18")
    assert state.write().endswith(":F2")
    assert state.over and state.payoffs() == (0, 0)
    assert perft(game, 3, mode="plain") == 0


def test_counters_stand_still_without_their_limits():
    game = load("draughts", quiet_limit=0, ply_limit=9)
    state = game.position("B:WK32:BK1").play("1-6")
    assert (state.quiet, state.ply) == (0, 1)


def test_a_capture_with_two_paths_is_named_in_full():
    state = GAME.position("B:W10,11,18,19:B7")
    assert names(state.write()) == ["7x14x23", "7x16x23"]
    with pytest.raises(IllegalMove, match="could be several captures; name all squares: 7x14x23 7x16x23"):
        state.parse("7x23")


def test_texts_of_moves_are_read_in_many_forms():
    state = GAME.start()
    assert len({state.parse(text) for text in ("11-15", " 11 - 15 ", "11 15")}) == 1
    state = GAME.position("B:W15,23:B11")
    assert len({state.parse(text) for text in ("11x27", "11x18x27", "11 X 18 X 27", "11:27")}) == 1
    with pytest.raises(IllegalMove, match="'11x18' is no legal move; there are: 11x27"):
        state.parse("11x18")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("B:W21:B22:X3", "after the pieces come :H"),
        ("B:W21:B22:H81", "at most 80"),
        ("B:W21:B22:F1", "at most 0"),
        ("B:W21,21:B1", "two pieces on square 21"),
        ("B:W21:B21", "two pieces on square 21"),
        ("B:W33:B1", "squares are 1 to 32, got 33"),
        ("B:W1:B2", "a man on square 1 would be a king"),
        ("B:W32:B32", "two pieces|would be a king"),
        ("B:W1x:B2", "a piece is a square"),
        ("B:B1:B2", "a position looks like"),
        ("X:W21:B2", "a position looks like"),
        ("B:W17-29:B1", "a side has at most 12 pieces, W has 13"),
    ],
)
def test_refuses_positions_that_cannot_be(text, reason):
    with pytest.raises(BadPosition, match=reason):
        GAME.position(text)


def test_positions_are_read_in_many_forms():
    assert GAME.position("B:W21-32:B1-12") == GAME.start()
    assert GAME.position("b:b1,2:w k30, 21.") == GAME.position("B:W21,K30:B1,2")


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"size": 12}, "size must be 4, 6, 8 or 10, got 12"),
        ({"quiet_limit": 0}, "might never end"),
        ({"ply_limit": -1}, "at least 0"),
    ],
)
def test_refuses_boards_that_cannot_be(parameters, reason):
    with pytest.raises(BadParameter, match=reason):
        load("draughts", **parameters)


def test_key_leaves_the_counters_out_until_they_end_the_game():
    assert (
        GAME.position("B:WK32:BK1:H79").key()
        == GAME.position("B:WK32:BK1").key()
        != GAME.position("B:WK32:BK1:H80").key()
    )
    assert GAME.position("B:WK32:BK1").key() != GAME.position("W:WK32:BK1").key()
    assert GAME.position("B:W28:BK1").key() != GAME.position("B:WK28:BK1").key()


def test_evaluation_sees_both_sides_alike():
    assert GAME.start().evaluate(0) == GAME.start().evaluate(1) == 0
    state = GAME.position("B:W30,31:BK1,2")
    assert state.evaluate(0) == -state.evaluate(1) > 0
    assert GAME.position("W:W31,32:B1,K30").evaluate(1) == GAME.position("B:W32,K3:B1,2").evaluate(0)


# A bound on the number of moves.  A jump leads from a square to one two rows away, so the board falls
# into four quarters that no jump connects.  More pieces to jump over mean more captures, and kings
# jump most freely: count the captures of every set of kings in a quarter (who stand in each other's
# way) with a piece on every square between.


def quarters(size):
    """Return the landing places of a king, as four sets that no jump connects."""
    dark = [(r, c) for r in range(size) for c in range(size) if (r + c) % 2]
    return [
        {(r, c) for r, c in dark if r % 2 == row and (r // 2 + c // 2) % 2 == side} for row in (0, 1) for side in (0, 1)
    ]


def captures(at, jumped, free):
    """Count the ways to go on jumping until no jump is left."""
    count = 0
    for down in (-1, 1):
        for right in (-1, 1):
            over, to = (at[0] + down, at[1] + right), (at[0] + 2 * down, at[1] + 2 * right)
            if to in free and over not in jumped:
                count += captures(to, jumped | {over}, free)
    return count or 1


def most_captures(places):
    kings = [{place for k, place in enumerate(sorted(places)) if chosen >> k & 1} for chosen in range(1 << len(places))]
    return max(sum(captures(king, frozenset(), (places - some) | {king}) for king in some) for some in kings)


@pytest.mark.parametrize(("size", "bound"), [(4, 8), (6, 18), (8, 68), (10, 944)])
def test_no_position_has_more_moves_than_there_is_room_for(size, bound):
    game = load("draughts", size=size)
    assert sum(most_captures(places) for places in quarters(size)) == bound <= game.max_moves
    assert (size - 1) ** 2 <= game.max_moves  # each pair of neighbours is one step at most


def test_agrees_with_pydraughts():
    board_of = pytest.importorskip("draughts", reason="pydraughts is not installed").Board
    rng = random.Random(5)
    for game in range(2):
        ours, theirs = GAME.start(), board_of(variant="english")
        for _ in range(70):
            paths = {tuple(map(int, full_name(ours, move).replace("x", "-").split("-"))): move for move in ours.moves()}
            their_moves = {tuple(move.steps_move): move for move in theirs.legal_moves()}
            assert set(paths) == set(their_moves), (game, ours.write())
            if not paths:
                break
            path = rng.choice(sorted(paths))
            ours = ours.play(paths[path])
            theirs.push(their_moves[path])


def full_name(state, move):
    """Return the text of a move with all its squares."""
    return "x".join(map(str, state.game.part("notation")._path(move)))


def test_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(6)
    for _ in range(20):
        ours, theirs = GAME.start(), pyspiel.load_game("checkers").new_initial_state()
        while not theirs.is_terminal():
            turns = dict(whole_turns(theirs))
            paths = {tuple(map(place, state_path(ours, move))): move for move in ours.moves()}
            assert set(paths) == set(turns), ours.write()
            path = rng.choice(sorted(paths))
            ours, theirs = ours.play(paths[path]), turns[path]
        if ours.over:
            assert list(ours.payoffs()) == theirs.returns()


def state_path(state, move):
    return list(map(int, full_name(state, move).split("x")))


def place(square):
    """Return OpenSpiel's name of a square: it has Black at the bottom, so the board is turned."""
    row, k = divmod(square - 1, 4)
    column = 2 * k + (row % 2 == 0)
    return "hgfedcba"[column] + str(row + 1)


def whole_turns(state, so_far=()):
    """Yield (squares, state after them): OpenSpiel counts each jump as a move of its own."""
    player = state.current_player()
    for action in state.legal_actions():
        text = state.action_to_string(action)
        squares = (*(so_far or (text[:2],)), text[2:4])
        after = state.clone()
        after.apply_action(action)
        if not after.is_terminal() and after.current_player() == player:
            yield from whole_turns(after, squares)
        else:
            yield squares, after


# ---- What programs may ask ------------------------------------------------------------------------


def ask(state, player, query, square=1):
    """Return the answer to a query; squares are counted from 1, as seen from the player's own side."""
    function = state.game.function("query")
    return function(state.thaw(), player, list(state.game.queries).index(query), square - 1)


def test_queries_count_from_the_side_of_whoever_asks():
    state = GAME.position("B:W21,22,K30,K5:B1,2,7,K11")
    black = {
        "my men": 3,
        "my kings": 1,
        "my pieces": 4.4,
        "enemy men": 2,
        "enemy kings": 2,
        "enemy pieces": 4.8,
        "men": 1,
        "kings": -1,
        "pieces": -0.4,
    }
    white = {
        "my men": 2,
        "my kings": 2,
        "my pieces": 4.8,
        "enemy men": 3,
        "enemy kings": 1,
        "enemy pieces": 4.4,
        "men": -1,
        "kings": 1,
        "pieces": 0.4,
    }
    for player, expected in ((0, black), (1, white)):
        for query, value in expected.items():
            assert ask(state, player, query) == pytest.approx(value), (player, query)
    assert list(GAME.queries)[:13] == [*black, "is empty", "is mine", "is king", "is man"]


@pytest.mark.parametrize("seed", range(40))
def test_tactical_queries_say_what_the_lists_of_moves_say(seed):
    rng, state = random.Random(seed), GAME.start()
    plies = rng.randrange(60)
    for _ in range(plies):
        moves = state.moves()
        if not moves:
            break
        state = state.play(rng.choice(moves))
    mine, theirs = state.mover, 1 - state.mover
    for player, word, other in ((mine, "my", "enemy"), (theirs, "enemy", "my")):
        seen = state if player == mine else _turned(state)
        moves = seen.moves()
        captures = [m for m in moves if m >> 12]
        jumpers = {m & 63 for m in captures}
        assert ask(state, mine, f"{word} jumpers") == len(jumpers)
        assert ask(state, mine, "can capture" if word == "my" else "enemy can capture") == bool(jumpers)
        assert ask(state, theirs, f"{other} jumpers") == len(jumpers)
        first = {(m & 63) + _shift(m) for m in captures}
        assert ask(state, mine, f"{other} victims") == len(first)
        if not captures:  # steps are listed only where nothing is captured
            assert ask(state, mine, f"{word} steps") == len(moves)
            assert ask(state, mine, f"{word} movable") == len({m & 63 for m in moves})
        movable, blocked = (ask(state, mine, f"{word} {what}") for what in ("movable", "blocked"))
        assert movable + blocked == bin(state.thaw().pieces[player]).count("1")
    both = ask(state, mine, "can capture") and ask(state, mine, "enemy can capture")
    assert ask(state, mine, "both can capture") == bool(both)


def _turned(state):
    """Return the position with the other side to move."""
    text = state.write()
    return GAME.position(("W" if text[0] == "B" else "B") + text[1:])


def _shift(m):
    """Return from a capture's first square to the piece that it jumps over first."""
    path = m >> 17
    return (4 + (path & 1)) * (1 - (path & 2))


def test_squares_are_counted_from_the_asking_player_s_corner():
    state = GAME.position("B:W21,K30:B1,K11")
    true_for_black = {
        "is mine": {1, 11},
        "is king": {11, 30},
        "is man": {1, 21},
        "is empty": set(range(1, 33)) - {1, 11, 21, 30},
    }
    for query, squares in true_for_black.items():
        assert {square for square in range(1, 33) if ask(state, 0, query, square)} == squares
        turned = squares if query != "is mine" else {21, 30}
        assert {
            33 - square for square in range(1, 33) if ask(state, 1, query, square)
        } == turned  # the board turned round


def test_a_position_turned_round_is_the_same_to_the_other_player():
    rng = random.Random(3)
    for size in (8, 10):
        game, last = load("draughts", size=size), size * size // 2
        for _ in range(30):
            squares = rng.sample(range(size // 2 + 1, last - size // 2 + 1), 12)  # men on the last row would be kings
            pieces = [(square, rng.choice(["", "K"])) for square in squares]
            one = game.position(
                f"B:W{','.join(k + str(s) for s, k in pieces[:5])}:B{','.join(k + str(s) for s, k in pieces[5:])}"
            )
            turned = [(last + 1 - square, king) for square, king in pieces]
            other = game.position(
                f"W:W{','.join(k + str(s) for s, k in turned[5:])}:B{','.join(k + str(s) for s, k in turned[:5])}"
            )
            for query, (_, places) in game.queries.items():
                for square in range(1, max(places, 1) + 1):
                    assert ask(one, 0, query, square) == pytest.approx(ask(other, 1, query, square), abs=1e-12)


def test_opinions_of_the_book_s_guides_differ_in_kings_alone():
    state = GAME.position("B:W21,22,K30,K5:B1,2,7,K11").thaw()
    men, kings = GAME.function("evaluate_men"), GAME.function("evaluate_kings")
    assert men(state, 0) == pytest.approx(4.4 - 4.8) and men(state, 1) == pytest.approx(4.8 - 4.4)
    assert kings(state, 0) == pytest.approx(5 - 6) and kings(state, 1) == pytest.approx(6 - 5)
