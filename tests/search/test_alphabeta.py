"""Alpha-beta says what minimax says, and minimax is written here once more, from the rules alone."""

import random
from functools import lru_cache

import pytest

from ludwin import AlphaBeta, load
from ludwin.errors import CannotPlay, GameOver

FACT = 2.0**400  # the weight of a finished game against any opinion


@lru_cache(maxsize=None)
def worth(state, depth):
    """Return the value of a position to player 0, by definition: no windows, no signs."""
    if state.over:
        return FACT * (state.payoff(0) - (state.game.payoff_sum or 0) / 2)
    if depth == 0:
        return state.evaluate(0)
    values = [worth(state.play(move), depth - 1) for move in state.moves()]
    return max(values) if state.mover == 0 else min(values)


def expected(state, depth):
    """Return the value of a position to its mover, and its first best move."""
    sign = 1 if state.mover == 0 else -1
    values = [sign * worth(state.play(move), depth - 1) for move in state.moves()]
    return max(values), state.moves()[values.index(max(values))]


def positions(game, number, seed=0, least=0):
    """Return positions of random games in which a player can move, at least so many plies on."""
    rng, found = random.Random(seed), []
    while len(found) < number:
        state, plies = game.start(), rng.randrange(least, 12)
        for _ in range(plies):
            if not state.over:
                state = state.play(rng.choice(state.moves()))
        if not state.over:
            found.append(state)
    return found


CASES = {  # game: (depth, positions); deep enough for the first two to be decided
    "tic-tac-toe": (9, 60),
    "connect-four:columns=4,rows=3,connect=3": (12, 60),
    "connect-four:columns=5,rows=4,connect=3": (4, 40),
    "draughts:size=4": (6, 40),
    "draughts:size=6": (4, 40),
}


def value_of(choice, game):
    return FACT * (choice.value - (game.payoff_sum or 0) / 2) if choice.decided else choice.value


@pytest.mark.parametrize("text", CASES)
def test_value_and_first_best_move_are_those_of_minimax(text):
    game, (depth, number) = load(text), CASES[text]
    decided = set()
    for state in positions(game, number, least=2 if depth > 8 else 0):
        choice = AlphaBeta(depth=depth).choose(game, state)
        value, move = expected(state, depth)
        assert value_of(choice, game) == value, state
        assert choice.move == move, state
        assert choice.decided or abs(value) < FACT / 2
        decided.add(choice.decided)
    assert decided == {True} or depth < 9


@pytest.mark.parametrize("heap", range(1, 33))
def test_nim_is_lost_exactly_when_the_heap_is_a_multiple_of_four(heap):
    game = load("nim:heap=32")  # oracle: Bouton 1901
    choice = AlphaBeta(depth=heap).choose(game, game.state(heap=heap, turn=heap % 2))
    assert choice.decided
    assert choice.value == (-1 if heap % 4 == 0 else 1)
    if heap % 4:
        assert choice.move == heap % 4


def test_a_value_is_decided_exactly_when_its_line_ends_the_game():
    game = load("nim:heap=32")
    for heap in range(1, 20):
        for depth in range(1, 9):
            state = game.state(heap=heap, turn=0)
            choice = AlphaBeta(depth=depth).choose(game, state)
            value, _ = expected(state, depth)
            if value:  # a win or loss within the depth
                assert choice.decided and choice.value == value / FACT
            else:  # nim has no draws and no evaluation: nothing is known yet
                assert (choice.decided, choice.value) == (False, 0.0)


def test_a_draw_is_decided_when_it_is_seen_to_the_end():
    game = load("tic-tac-toe")
    seen, unseen = (AlphaBeta(depth=depth).choose(game, game.start()) for depth in (9, 4))
    assert (seen.decided, seen.value) == (True, 0)
    assert (unseen.decided, unseen.value) == (False, 0)


@pytest.mark.parametrize("depth", range(2, 9))
def test_looks_at_no_more_leaves_than_the_minimal_tree_when_all_are_equal(depth):
    # Oracle: Knuth and Moore (1975), b**ceil(d/2) + b**floor(d/2) - 1 leaves; a big heap of nim is a
    # uniform tree of three moves whose leaves are all worth nothing.
    game = load("nim:heap=64")
    choice = AlphaBeta(depth=depth).choose(game, game.start())
    assert choice.kinds["static"] == 3 ** (depth - depth // 2) + 3 ** (depth // 2) - 1


def test_says_which_games_it_does_not_play():
    for text, words in (("pig", "chance"), ("li-nim", "two players"), ("kuhn-poker", "chance|hides")):
        game = load(text)
        with pytest.raises(CannotPlay, match=words):
            AlphaBeta(depth=2).choose(game, game.start())


def test_asks_for_a_position_in_which_somebody_moves():
    game = load("nim")
    with pytest.raises(GameOver, match="the game is over"):
        AlphaBeta(depth=2).choose(game, game.position("0:1"))


def test_refuses_a_variant_of_a_game_of_chance(workshop):
    names = "FIELDS, GOAL, MAX_MOVES, MAX_PLIES, PAYOFF_SUM, PLAYERS, ROUND_LIMIT, moves, mover, payoff, play, setup"
    game = load(workshop.write(f"from ludwin.games.pig import {names}\n", name="piglet.py"))
    with pytest.raises(CannotPlay, match="chance"):
        AlphaBeta(depth=2).choose(game, game.start())
