"""Expectimax against a hand-written oracle, and the Star family against expectimax."""

from pathlib import Path

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter, CannotPlay
from ludwin.primitives import CHANCE

TREES = str(Path(__file__).parent / "random_trees.py")


def expected_payoff(state, player):
    """The oracle: a recursion over the public interface, whole trees only."""
    if state.over:
        return state.payoff(player)
    if state.mover == CHANCE:
        return sum(state.chance(m) * expected_payoff(state.play(m), player) for m in state.moves())
    values = [expected_payoff(state.play(m), player) for m in state.moves()]
    return max(values) if state.mover == player else min(values)


def test_expectimax_is_the_expected_payoff():
    game = load(TREES)
    for seed in range(3):
        state = game.state(seed=seed)
        assert agent("expectimax:depth=4").choose(game, state).value == pytest.approx(
            expected_payoff(state, 0), abs=1e-12
        )


def test_pig_near_the_goal_has_the_known_value():
    game = load("pig:goal=2")  # any roll of 2 to 6 wins at once, if it is held; a 1 gives the turn away
    state = game.start()
    win = 5 / 6 + 1 / 6 * (1 - 6 / 7)  # who is to roll wins with 6/7: p = 5/6 + (1 - p)/6
    assert win == pytest.approx(6 / 7)
    values = [agent(f"expectimax:depth={depth}").choose(game, state).value for depth in (2, 4, 6, 8)]
    assert abs(values[-1] - (2 * win - 1)) < 0.01 and abs(values[-1] - (2 * win - 1)) < abs(values[0] - (2 * win - 1))


def compare_stars(trees):
    game = load(TREES)
    saved = {"star1": 0, "star2": 0}
    total = 0
    for seed in range(trees):
        state = game.state(seed=seed)
        oracle = agent("expectimax:depth=4").choose(game, state, seed=seed)
        total += oracle.kinds["leaves"]
        for name in saved:
            star = agent(f"{name}:depth=4").choose(game, state, seed=seed)
            assert star.value == pytest.approx(oracle.value, abs=1e-12)
            assert star.move == oracle.move
            assert name != "star1" or star.kinds["leaves"] <= oracle.kinds["leaves"]
            saved[name] += star.kinds["leaves"]
    return {name: 1 - leaves / total for name, leaves in saved.items()}


def test_star1_and_star2_return_expectimax_with_fewer_leaves():
    saved = compare_stars(60)
    assert saved["star1"] > 0.05 and saved["star2"] > saved["star1"]


@pytest.mark.slow
def test_star1_and_star2_return_expectimax_on_a_thousand_trees():
    saved = compare_stars(1000)
    assert saved["star1"] > 0.05 and saved["star2"] > saved["star1"]


def test_star2_with_more_probes_returns_the_same_value():
    game = load(TREES)
    for seed in range(20):
        state = game.state(seed=seed)
        values = {agent(f"star2:depth=4,probe={probe}").choose(game, state).value for probe in (1, 2, 3)}
        assert max(values) - min(values) < 1e-12


def test_payoffs_outside_the_bounds_are_refused():
    game = load(TREES)
    with pytest.raises(CannotPlay, match="give low= and high="):
        agent("star1:depth=4,low=-0.1,high=0.1").choose(game, game.state(seed=3))
    with pytest.raises(BadParameter, match="low must be below high"):
        agent("star1:low=1,high=1")


def test_modes_agree_on_chance_searches():
    game = load(TREES)
    state = game.state(seed=11)
    for text in ("expectimax:depth=2", "star2:depth=2", "maxn:depth=2", "flat:playouts=20"):
        assert agent(text).choose(game, state, seed=5) == agent(text).choose(game, state, seed=5, mode="plain")
