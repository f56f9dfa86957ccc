"""Weights that self-play teaches: better than random ones, repeatable, seeds of a run, and cases for programs."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.bouts import Bouts
from ludwin.evolve.door import evolve
from ludwin.evolve.experiment import settle
from ludwin.evolve.generic import experiment, language
from ludwin.evolve.learned import lesson, outcome_sum, outcomes, td_sum
from ludwin.evolve.players import open_player, payoff_range
from ludwin.evolve.sums import weighted_sum
from ludwin.library import agent, load
from ludwin.program.stream import Stream
from ludwin.program.values import reader

SMALL = {"population": 4, "generations": 1, "fitness": "6rand", "finalists": 1, "last": 1, "against": "random"}
SMALL |= {"finalist_games": 6, "champion_games": 12, "record_games": 6, "yardstick_games": 6}


def test_what_self_play_teaches_beats_random_weights():
    """Pig: at most 0.27 of five random sums against a random player; what was learnt from 300 games about 0.9."""
    game = load("pig")
    spoken, (low, high) = language(game), payoff_range(game)
    bouts = Bouts(game, lambda tree: open_player(tree, game, 1, low, high))

    def score(tree):
        found = bouts.against(tree, agent("random"), range(60))
        return sum(bout.points for bout in found) / len(found)

    best = max(score(weighted_sum(spoken, Stream(k))) for k in range(3))
    assert min(score(td_sum(game, spoken, 300, 1)), score(outcome_sum(game, spoken, 300, 1))) > max(best, 0.75)


def test_the_same_seed_teaches_the_same_and_another_something_else():
    game = load("tic-tac-toe")
    spoken = language(game)
    first = td_sum(game, spoken, 40, 1)
    lesson.cache_clear()
    assert td_sum(game, spoken, 40, 1) == first != td_sum(game, spoken, 40, 2)


def test_a_learnt_sum_reads_its_inputs_in_the_right_places():
    """The kept positions, summed by hand with the learnt weights, are what the program says of them."""
    game = load("pig")
    spoken = language(game)
    tree, found = td_sum(game, spoken, 30, 4), lesson(game, spoken, 30, 4)
    state = game.start()
    read = reader(state)
    from ludwin.evolve.labels import all_inputs

    by_hand = sum(w * read(name, place) for w, (name, place) in zip(found.weights, all_inputs(spoken), strict=True))
    assert tree.evaluate(read) == pytest.approx(by_hand)
    assert 0 <= found.results.min() <= found.results.max() <= 1 and np.isfinite(found.rows).all()


def test_programs_foretell_results_case_by_case():
    game = load("pig")
    problem = outcomes(game, language(game), games=40, seed=1)
    first, *_, last = problem.run(seed=1, plan=replace(problem.plan, population=30, generations=4))
    assert len(first.best.cases) == len(problem.fitness.wanted) > 100
    assert problem.score_of(last) <= problem.score_of(first) < 0.26  # of 0.25, which is a coin's


@pytest.mark.parametrize("name, way, many", [("pig", "both", 2), ("tic-tac-toe", "td", 1)])
def test_a_run_begins_with_what_was_learnt_and_goes_on_without_learning_again(tmp_path, monkeypatch, name, way, many):
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")
    settings = {**SMALL, "learn": way, "learn_games": 30, "linear": 0.0}
    found = experiment(name)
    kind = found.kind(settle(found, "quick", settings))
    begun = kind.begin(4, Stream(1))
    assert len(begun) == 4 and all(len(g[0]) > 4 for g in begun[:many])
    run = evolve(name, seed=1, out=tmp_path / "run", settings=settings)
    assert json.loads((tmp_path / "run" / "settings.json").read_text())["settings"]["learn"] == way
    monkeypatch.setattr("ludwin.evolve.learned.lesson", None)
    again = evolve(name, seed=1, out=tmp_path / "run", settings=settings)
    assert again.champion == run.champion


@pytest.mark.parametrize(
    "name, more, reason",
    [
        ("kuhn-poker", {"learn": "td"}, "self-play teaches games of two or more that hide nothing"),
        ("tic-tac-toe", {"learn": "td", "flavour": "tactical"}, "leave flavour=tactical out"),
        ("tic-tac-toe", {"learn": "tds"}, "did you mean 'td'"),
        ("tic-tac-toe", {"learn": "td", "trees": 10}, "set trees=1"),
    ],
)
def test_what_cannot_be_taught_is_refused_before_anything_runs(name, more, reason):
    found = experiment(name)
    with pytest.raises((BadParameter, CannotPlay), match=reason):
        found.examine(settle(found, "quick", more))
