"""A state is a value: it compares, hashes, prints and reads back, and never changes."""

import copy
import pickle
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludwin import load, reachable
from ludwin.errors import BadPosition, GameOver, IllegalMove

FLOATS = """
FIELDS = {"x": float, "speed": (float, 2), "one": 1, "turn": int}
MAX_MOVES = 2


def setup(s):
    s.x = 0.1
    s.one[0] = 3


def mover(s):
    return s.turn


def moves(s, out):
    out[0] = 0
    out[1] = 1
    return 2 if s.one[0] > 0 else 0


def play(s, m):
    s.one[0] -= 1
    s.x = s.x / 3 + m
    s.speed[m] -= s.x
    s.turn = 1 - s.turn


def payoff(s, p):
    return 0
"""


def walk(game, seed):
    rng, state = random.Random(seed), game.start()
    yield state
    while not state.over:
        state = state.play(rng.choice(state.moves()))
        yield state


@pytest.fixture
def floats(workshop):
    return load(workshop.write(FLOATS, name="floats.py"))


@pytest.mark.parametrize(
    "text", ["nim:heap=9", "tic-tac-toe", "kuhn-poker", "pig:goal=10", "draughts:size=4", "reversi:size=4"]
)
def test_repr_evaluates_back(text):
    for state in walk(load(text), 1):
        assert eval(repr(state), {"load": load}) == state
        assert eval(repr(state.game), {"load": load}) == state.game


def test_repr_evaluates_back_with_floats(floats):
    for seed in range(3):
        for state in walk(floats, seed):
            assert eval(repr(state), {"load": load}) == state
            assert floats.position(state.fields_text()) == state


@pytest.mark.parametrize("text", ["nim:heap=9", "tic-tac-toe", "kuhn-poker", "pig:goal=10", "draughts:size=4"])
def test_fields_text_reads_back(text):
    game = load(text)
    for state in walk(game, 2):
        again = game.position(state.fields_text())
        assert again == state and hash(again) == hash(state) and again.key() == state.key()
        assert again.moves() == state.moves() and again.mover == state.mover


def test_equal_cells_make_equal_states_of_one_game_only():
    nim, other = load("nim"), load("nim:take=2")
    assert nim.start() == nim.start() and hash(nim.start()) == hash(nim.start())
    assert nim.start().cells == other.start().cells and nim.start() != other.start()
    assert nim.start() != "21:0" and nim.start() != nim.start().cells
    assert len({nim.start(), nim.start(), nim.start().play(1)}) == 2
    assert nim.start().play(1).play(2) == nim.start().play(2).play(1)  # the way does not matter


def test_playing_makes_another_state():
    state = load("nim").start()
    before = (state.cells, repr(state), state.moves())
    after = state.play(3)
    state.moves().append(99)  # a list of one's own
    state.thaw().heap = 0
    assert (state.cells, repr(state), state.moves()) == before and after.heap == 18


def test_fields_are_attributes():
    state = load("tic-tac-toe").start().play("b2")
    assert state.marks == (16, 0) and state.turn == 1
    with pytest.raises(AttributeError, match="a state of tic-tac-toe has no 'mark'"):
        _ = state.mark
    with pytest.raises(AttributeError):
        state.turn = 0


def test_states_of_a_game_with_no_texts_show_their_fields(floats):
    state = floats.start().play(1)
    assert (
        str(state) == state.show() == state.write() == "x=1.0333333333333334 speed=0.0,-1.0333333333333334 one=2 turn=1"
    )
    assert state.name(1) == "1" and state.parse(" 1 ") == 1


@given(heap=st.integers(0, 21), turn=st.integers(0, 1))
@settings(deadline=None)
def test_positions_are_written_as_fields(heap, turn):
    game = load("nim")
    state = game.position(f"heap={heap} turn={turn}")
    assert (state.heap, state.turn) == (heap, turn)
    assert state == game.state(heap=heap, turn=turn) == game.position(f"  turn={turn}   heap={heap} ")
    assert game.position(f"heap={heap}") == game.state(heap=heap)  # fields left out are as at the start


def test_start_is_a_position():
    game = load("nim")
    assert game.position("start") == game.position(" START ") == game.start()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hepa=5", "nim has no field 'hepa'; did you mean 'heap'? (it has heap, turn)"),
        ("heap=five", "'heap=five' is not field=number"),
        ("heap=", "'heap=' is not field=number"),
        ("=5", "nim has no field ''"),
        ("heap=1,2", "heap must be a whole number, got list"),
        ("heap=2.5", "heap must be a whole number, got float 2.5"),
        ("heap=nan", "heap must be a whole number, got float nan"),
        ("heap=9223372036854775808", "does not fit 64 bits"),
        ("heap=--5", "is not field=number"),
        ("heap=-5", "the rules cannot stand these fields"),
        ("turn=2", "the rules cannot stand these fields: mover 2"),
        ("turn=-2", "the rules cannot stand these fields: mover -2"),
        ("nonsense", "cannot read 'nonsense'"),
        ("heap=5 nonsense", "cannot read"),
        ("", "cannot read ''"),
    ],
)
def test_refuses_a_position(text, words):
    with pytest.raises(BadPosition) as caught:
        load("nim").position(text)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_refuses_arrays_of_another_length_and_fields_of_another_type(floats):
    game = load("tic-tac-toe")
    with pytest.raises(BadPosition, match="marks has 2 cells, got 3"):
        game.position("marks=1,2,3")
    with pytest.raises(BadPosition, match="marks has 2 cells, got 1"):
        game.state(marks=5)
    with pytest.raises(BadPosition, match=r"a cell of s\.marks must be a whole number, got float"):
        game.state(marks=(1, 2.0))
    with pytest.raises(BadPosition, match="must be a number, got str"):
        floats.state(x="1")
    assert floats.state(x=2, one=[7], speed=(1, 2)).cells == (2.0, 1.0, 2.0, 7, 0)
    assert floats.position("one=7 x=2").cells[:1] == (2.0,)


def test_refuses_an_illegal_move_with_the_board():
    state = load("nim").position("2:0")
    with pytest.raises(IllegalMove, match=r"(?s)nim: '3' is not a legal move here\n\|\|  \(2\)"):
        state.play(3)
    with pytest.raises(IllegalMove, match="nim: "):
        state.play("3")
    with pytest.raises(IllegalMove, match="nim: "):
        load("nim").position("0:0").play("1")


def test_payoffs_are_for_finished_games_and_players():
    game = load("nim")
    with pytest.raises(GameOver, match="the game is not over"):
        game.start().payoff()
    over = game.position("0:1")
    assert over.payoff() == -1 and over.payoff(0) == 1 and over.payoffs() == (1, -1)
    for player in (-1, 2):
        with pytest.raises(GameOver, match="player must be one of 0 … 1"):
            over.payoff(player)


def test_chances_sum_to_one_and_belong_to_nature():
    game = load("pig:goal=10")
    rolling = game.start().play("roll")
    assert rolling.mover == -1 and sum(rolling.chance(face) for face in rolling.moves()) == pytest.approx(1)
    with pytest.raises(GameOver, match="not nature's"):
        game.start().chance(0)
    with pytest.raises(IllegalMove):
        rolling.chance(7)


def test_reachable_yields_every_state_once_nearest_first():
    game = load("nim:heap=6")
    states = list(reachable(game))
    assert len(states) == len(set(states)) == 12  # oracle: 6 and 5 stones with one player to move, 4 to 0 with either
    assert states[0] == game.start() and len(list(reachable(game, limit=4))) == 4


def test_states_can_be_copied():
    state = load("nim").start()
    assert copy.copy(state) == state == copy.deepcopy(state)


def test_pickling_says_what_to_do_instead():
    with pytest.raises(TypeError, match=r"send game\.text and state\.fields_text"):
        pickle.dumps(load("nim").start())


@pytest.mark.parametrize("name", ["over", "moves", "play", "key", "name", "show", "cells", "game", "mover", "payoff"])
def test_a_field_may_have_any_name(name, workshop):
    path = workshop.write(
        workshop.text.replace('"turn": int', f'"turn": int, "{name}": int').replace(
            "s.turn = 0", f"s.turn = 0\n    s.{name} = 5"
        )
    )
    state = load(path).start()
    assert state[name] == 5  # as an attribute the method or property of that name comes first
    assert eval(repr(state), {"load": load}) == state


def test_refuses_a_field_that_is_given_twice():
    with pytest.raises(BadPosition):
        load("nim").position("heap=5 heap=6")
