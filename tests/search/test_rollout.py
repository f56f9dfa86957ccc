"""Rollouts: what they estimate is the truth, whether luck is taken out or not, and then they vary less."""

import math
import statistics
from functools import lru_cache

import pytest

from ludwin import agent, load
from ludwin.cli import main
from ludwin.errors import CannotPlay

RACE = load("backgammon:payoff=wins")
# Player 0 has six men left, five on the ace point, and plays 2-1; player 1 has five on its own ace point.  After the
# better play, two men off, nobody has a choice any more.
STATE = RACE.position("XGID=-EA---------------------e-:0:0:1:21:0:0:0:0:6")


@lru_cache(maxsize=None)
def chance_to_win(mine, theirs):
    """Return the chance of who rolls with so many men on the ace point: doubles take four, other rolls two."""
    if theirs <= 0:
        return 0.0
    return 1 / 6 * (1 - chance_to_win(theirs, mine - 4)) + 5 / 6 * (1 - chance_to_win(theirs, mine - 2))


TRUTH = 1 - 2 * chance_to_win(5, 4)


def rolled_out(text, seed):
    choice = agent(text).choose(RACE, STATE, seed=seed)
    assert STATE.name(choice.move) == "2/off 1/off"
    return choice.value, choice.margins[choice.move] / 1.959964


def test_the_truth_of_the_race_is_what_expectimax_finds():
    assert agent("expectimax:depth=8").choose(RACE, STATE).value == pytest.approx(TRUTH, abs=1e-12)


def test_means_are_unbiased_and_intervals_hold_with_luck_and_without():
    # Source of the truth: the recursion above. A false alarm of four standard errors is one in 16,000.
    spread = {}
    for luck in (0, 1):
        found = [rolled_out(f"rollout:games=200,luck={luck},eval=td", seed) for seed in range(12)]
        mean, error = statistics.mean(value for value, _ in found), statistics.mean(error for _, error in found)
        assert abs(mean - TRUTH) < 4 * error / math.sqrt(12)
        assert 0.5 < statistics.stdev(value for value, _ in found) / error < 1.7  # the stated errors are the real ones
        spread[luck] = error
    assert spread[0] > 1.5 * spread[1] > 0


def test_luck_is_taken_out_by_a_factor_in_the_opening():
    # docs/results/backgammon.md: the variance falls ten to twenty-five times; here a third of that is asked.
    game, errors = load("backgammon:payoff=wins"), {}
    state = game.start().play("4-2")
    for luck in (0, 1):
        choice = agent(f"rollout:games=60,plies=6,keep=2,luck={luck},eval=td").choose(game, state, seed=2)
        errors[luck] = [choice.margins[move] ** 2 for move in choice.visits]
    assert sum(errors[0]) > 4 * sum(errors[1])


def test_rollouts_play_alike_in_all_modes():
    choices = [
        agent("rollout:games=3,plies=2,eval=td").choose(RACE, STATE, seed=1, mode=mode) for mode in ("plain", "fast")
    ]
    assert choices[0] == choices[1]


def test_a_finished_game_outweighs_opinions_of_any_scale():
    from ludwin.games.backgammon.opponents.oneply import PubevalBrain

    game = load("backgammon")
    state = game.position("XGID=-BA---------------------o-:0:0:1:21:0:0:0:0:6")
    choice = agent("rollout:games=4,luck=0").with_brain(PubevalBrain()).choose(game, state, seed=1)
    assert -3 <= choice.value <= 3  # Pubeval's own numbers do not come into it


def test_analyse_prints_intervals(capsys):
    words = ["analyse", "backgammon", "rollout:games=20,plies=4,keep=3,eval=td", "--seed", "1", "--from"]
    assert main([*words, "XGID=-b----E-C---eE---c-e----B-:0:0:1:42:0:0:0:0:6"]) == 0
    assert "8/4 6/4" in capsys.readouterr().out


def test_an_unknown_eval_is_answered_with_those_that_there_are():
    with pytest.raises(CannotPlay, match=r"no eval called 'tdd' \(it has game, pips, td\)"):
        agent("rollout:eval=tdd").choose(RACE, STATE)
    with pytest.raises(CannotPlay, match="doubling cube"):
        game = load("backgammon:cube=1")
        agent("star2:eval=td").choose(game, game.start().play("3-1"))
