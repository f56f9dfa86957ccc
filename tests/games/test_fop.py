"""Function optimisation: depths, functions, formulas of the user's, nature's pay."""

import math

import pytest

from ludwin import CHANCE, check, load
from ludwin.errors import BadParameter, BadPosition


def maximum(text, low=0.0, high=1.0, points=200_000):
    """Return the highest value of a game's function on a fine grid, and where it is."""
    value = load(text).module.value
    return max(
        (value(low + (high - low) * (k + 0.5) / points), low + (high - low) * (k + 0.5) / points) for k in range(points)
    )


@pytest.mark.parametrize(("text", "depth"), [("fop", 17), ("fop:t=1e-6", 20), ("fop:k=3", 11), ("fop:t=0.3", 2)])
def test_the_threshold_settles_the_depth(text, depth):
    game = load(text)
    assert depth == game.module.DEPTH and game.max_plies == depth + 1
    state = game.start()
    for _ in range(depth):
        assert state.mover == 0
        state = state.play(state.moves()[-1])
    assert state.mover == CHANCE and all(state.play(move).over for move in state.moves())
    assert game.module.K**depth == game.module.LEAVES


@pytest.mark.parametrize(
    ("f", "highest", "where"),
    [("1", 1.0, 0.5), ("2", 0.9756, 0.8675), ("4", 0.9800, 0.0998), ("5", 0.9800, 0.1000)],
)
def test_the_functions_have_their_known_maxima(f, highest, where):
    value, x = maximum(f"fop:f={f}")
    assert value == pytest.approx(highest, abs=1e-4) and x == pytest.approx(where, abs=1e-3)


def test_the_third_function_is_rugged_on_the_left_and_lower_on_the_right():
    assert maximum("fop:f=3", 0.4965, 0.4975) == (pytest.approx(1.0, abs=1e-4), pytest.approx(0.4970, abs=1e-4))
    assert maximum("fop:f=3", 0.5, 1.0)[0] == pytest.approx(0.85, abs=1e-4)
    value = load("fop:f=3").module.value
    assert min(value(x / 10_000) for x in range(5000, 10_000)) == pytest.approx(0.35, abs=1e-3)
    assert value(0.0) == 0.5


def test_every_function_stays_between_0_and_1():
    for f in "12345":
        value = load("fop", f=f).module.value
        assert all(-1e-12 <= value((k + 0.5) / 4096) <= 1 + 1e-12 for k in range(4096))


def test_nature_pays_with_the_probability_of_the_function():
    game = load("fop:f=2")
    state = game.position("17:100000")
    x = 100000.5 / 2**17
    weights = {move: game.function("chance")(state.thaw(), move) for move in state.moves()}
    assert weights[1] == 0.5 * math.sin(13 * x) * math.sin(27 * x) + 0.5 and weights[0] == 1 - weights[1]
    assert state.play("paid").payoffs() == (1,) and state.play("nothing").payoffs() == (0,)


def test_a_formula_that_is_surely_0_or_1_leaves_nature_no_choice():
    step = load('fop:f="1 if x < 0.5 else 0"')
    assert [step.start().name(0), step.position("17:0").moves(), step.position("17:131071").moves()] == [
        "left",
        [1],
        [0],
    ]


@pytest.mark.parametrize(
    ("text", "python"),
    [
        ("0.5+0.5*sin(9*x)", lambda x: 0.5 + 0.5 * math.sin(9 * x)),
        ("x**3/2", lambda x: x**3 / 2),
        ("abs(cos(pi*x))", lambda x: abs(math.cos(math.pi * x))),
        ("sqrt(x)*exp(-x)", lambda x: math.sqrt(x) * math.exp(-x)),
        ("0.2 if x <= 0.3 else 1-x", lambda x: 0.2 if x <= 0.3 else 1 - x),
        ("(x > 0.25)*0.5", lambda x: 0.5 * (x > 0.25)),
        ("max(min(log(x+1), 0.5), 0.1)", lambda x: max(min(math.log(x + 1), 0.5), 0.1)),
    ],
)
def test_a_formula_of_the_users_means_what_python_means(text, python):
    value = load("fop", f=text).module.value
    for k in range(1, 100):
        assert value(k / 100) == pytest.approx(python(k / 100), abs=1e-12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("fop:f=9", "f must stay between 0 and 1"),
        ("fop:f=2*x", "f must stay between 0 and 1"),
        ("fop:f=y", "'y' is not understood"),
        ("fop:f=__import__('os')", "is not understood"),
        ("fop:f=x+", "f must be 1 to 5 or a formula"),
        ("fop:t=0", "t must lie between 0 and 1"),
        ("fop:t=1e-30", "t is too small"),
        ("fop:k=1", "k must be 2 to 100"),
        ("fop:players=2", "has no parameter 'players'"),
    ],
)
def test_nonsense_is_refused_with_a_reason(text, words):
    with pytest.raises(BadParameter, match=words):
        load(text)


def test_texts_of_positions_read_back_and_impossible_ones_are_refused():
    game = load("fop:k=3,t=0.1")
    for text in ("0:0", "1:2", "3:26", "3:26:1"):
        assert game.position(text).write() == text
    for text in ("4:0", "1:3", "1:1:1", "left", "-1:0"):
        with pytest.raises(BadPosition):
            game.position(text)


def test_keeps_the_laws_of_games():
    check(load('fop:t=0.01,f="0.5 if x < 0.5 else x*(2-x)"'), playouts=50, searches=False)
