"""Coevolution: pairings are exact, knockouts add up, halls remember, problems keep their own time."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from scipy.stats import chisquare

from ludwin.errors import BadParameter
from ludwin.evolve.coevolve import (
    CoPlay,
    HallOfFame,
    Knockout,
    RandomTwoWays,
    TwoPopulations,
    balanced_pairs,
    credit,
    derangement,
    single_elimination,
    two_ways,
)
from ludwin.evolve.engine import Plan, evolve, read_generation, write_generation
from ludwin.evolve.experiment import settle
from ludwin.evolve.problem import Problem
from ludwin.evolve.vectors import Bits, Integers
from ludwin.program.stream import Stream

BITS = Bits(40)


def more_ones(pairs, stream):
    """A game of little luck: more ones win."""
    return [(1.0, 0.0) if sum(a) > sum(b) else (0.0, 1.0) if sum(a) < sum(b) else (0.5, 0.5) for a, b in pairs]


def test_all_derangements_are_equally_likely_and_nobody_stays():
    found = Counter(tuple(derangement(4, Stream(1, k))) for k in range(9000))
    assert len(found) == 9  # the derangements of four
    assert all(order[i] != i for order in found for i in range(4))
    assert chisquare(list(found.values())).pvalue > 1e-4
    with pytest.raises(BadParameter, match="at least 2 is needed, got 1"):
        derangement(1, Stream(1))


@pytest.mark.parametrize("n, rounds", [(2, 3), (7, 5), (100, 50)])
def test_everybody_plays_as_often_in_each_seat_and_never_itself(n, rounds):
    games = balanced_pairs(n, rounds, Stream(2))
    assert (
        Counter(first for first, _ in games)
        == Counter(second for _, second in games)
        == dict.fromkeys(range(n), rounds)
    )
    assert all(a != b for a, b in games)
    assert games == balanced_pairs(n, rounds, Stream(2))
    assert n == 2 or games != balanced_pairs(n, rounds, Stream(3))


@pytest.mark.parametrize("n, opponents, games", [(2, 3, 2), (8, 5, 4), (9, 4, 2), (9, 5, 2), (3, 1, 1)])
def test_random_two_ways_gives_everybody_its_meetings_with_seats_in_turn(n, opponents, games):
    for seed in range(50):
        found = two_ways(n, opponents, games, Stream(4, seed))
        assert all(a != b for a, b in found)
        played = Counter(one for pair in found for one in pair)
        extra = (n * opponents) % 2  # an odd number of invitations: one guest more
        assert sorted(played.values()) == [opponents * games] * (n - extra) + [(opponents + 1) * games] * extra
        if games % 2 == 0:
            assert Counter(a for a, _ in found) == Counter(b for _, b in found)


def test_a_knockout_of_128_has_127_matches_and_a_fitness_sum_of_four_and_a_half():
    asked = []

    def play(pairs, stream):
        asked.append(len(pairs))
        return [(1.0, 0.0) if a > b else (0.0, 1.0) for a, b in pairs]

    bracket = single_elimination(128, 50, play, Stream(5))
    assert bracket.matches == 127 and bracket.games == sum(asked) == 6350 and len(asked) == 7
    assert sum(bracket.fitness) == 4.5
    assert Counter(bracket.fitness) == {
        1 / 128: 64,
        1 / 64: 32,
        1 / 32: 16,
        1 / 16: 8,
        1 / 8: 4,
        1 / 4: 2,
        1 / 2: 1,
        1.0: 1,
    }
    assert bracket.champion == 127 and bracket.fitness[127] == 1.0  # the strongest wins where there is no luck


def test_seats_alternate_within_a_match_so_the_first_seat_is_no_advantage():
    seats = Counter()

    def first_wins(pairs, stream):
        seats.update(pairs)
        return [(1.0, 0.0) for _ in pairs]

    bracket = single_elimination(2, 4, first_wins, Stream(6))
    # Four games 2:2, then single games with the other seat first until one differs: at once.
    assert bracket.games == 5 and abs(seats[0, 1] - seats[1, 0]) == 1


def test_matches_that_stay_drawn_are_decided_by_lot_in_the_end():
    champions = Counter(
        single_elimination(4, 2, lambda pairs, stream: [(0.5, 0.5) for _ in pairs], Stream(7, seed)).champion
        for seed in range(2000)
    )
    assert chisquare([champions[k] for k in range(4)]).pvalue > 1e-4
    assert single_elimination(4, 2, lambda pairs, stream: [(0.5, 0.5) for _ in pairs], Stream(7)).games == 3 * 12


@pytest.mark.parametrize("n", [0, 1, 3, 100])
def test_a_knockout_needs_a_power_of_two(n):
    with pytest.raises(BadParameter, match=f"power of two, got {n}"):
        single_elimination(n, 1, lambda pairs, stream: [], Stream(1))


def test_both_players_of_a_game_are_credited():
    scores = credit(4, [(0, 1), (1, 2)], [(1.0, 0.0), (0.75, 0.25)])
    assert [score for score, _ in scores] == [1.0, 0.375, 0.25, 0.0]
    assert scores[1][1] == {"points": 0.75, "games": 2.0} and scores[3][1]["games"] == 0


@pytest.mark.parametrize(
    "fitness",
    [CoPlay(more_ones, 3), RandomTwoWays(more_ones, 3, 2), Knockout(more_ones, 2)],
    ids=lambda f: type(f).__name__,
)
def test_by_playing_peers_alone_a_population_becomes_better(fitness):
    run = list(evolve(BITS, fitness, Plan(population=32, generations=40, mutation=0.5, tournament=3), 1))
    ones = [
        sum(sum(individual.genome) for individual in generation.individuals) / 32 for generation in (run[0], run[-1])
    ]
    assert ones[0] < 23 and ones[1] > 33


def test_a_hall_of_fame_remembers_the_best_and_a_resume_finds_it_again():
    fitness = HallOfFame(CoPlay(more_ones), more_ones, games=2, members=5)
    plan = Plan(population=16, generations=12)
    run = list(evolve(BITS, fitness, plan, 2))
    for before, generation in pairwise(run):
        new = set(generation.memory) - set(before.memory)
        assert new <= {generation.best.genome} and len(generation.memory) <= 5
    assert run[0].memory == (run[0].best.genome,) and "hall" not in run[0].best.detail
    assert all(0 <= individual.detail["hall"] <= 1 for individual in run[-1].individuals)
    stored = read_generation(BITS, write_generation(BITS, run[7]))
    assert list(evolve(BITS, fitness, plan, 2, start=stored)) == run[8:]


def test_games_against_the_hall_are_played_in_both_seats_and_weighed():
    games = []

    def first_wins(pairs, stream):
        games.extend(pairs)
        return [(1.0, 0.0) for _ in pairs]

    class Nothing:
        def score(self, genomes, generation, stream):
            return [(0.0, {}) for _ in genomes]

    fitness = HallOfFame(Nothing(), first_wins, games=3, weight=0.4)
    scores = fitness.score_knowing(["a", "b"], ("m", "n"), 1, Stream(1))
    assert [score for score, _ in scores] == [0.2, 0.2]  # half of the games are won, with weight 0.4
    assert len(games) == 12 and all({a, b} & {"m", "n"} and {a, b} & {"a", "b"} for a, b in games)


# Solvers are bit strings; a problem is three places where it wants a one. A solver scores the ones it has there.
SOLVERS, PROBLEMS = Bits(12), Integers(3, low=0, high=11)


def meet(pairs, stream):
    solved = [sum(solver[place] for place in problem) / 3 for solver, problem in pairs]
    return [(share, 1 - share) for share in solved]


def arms(solver_plan=None, problem_plan=None, **more):
    solver_plan = solver_plan or Plan(
        population=20, generations=23, breeding="gp", crossover=0.6, mutation=0.3, elite=1
    )
    return TwoPopulations(SOLVERS, PROBLEMS, meet, solver_plan, problem_plan or solver_plan, **more)


def genomes(generation):
    return [individual.genome for individual in generation.individuals]


def test_problems_change_exactly_every_five_generations_of_solvers():
    run = list(arms().run(1))
    assert [step.number for step in run] == list(range(24))
    changes = [step.number for before, step in pairwise(run) if genomes(before.problems) != genomes(step.problems)]
    assert changes == [5, 10, 15, 20]
    assert [step.problems.number for step in run] == [step.number // 5 for step in run]
    assert all(genomes(before.solvers) != genomes(step.solvers) for before, step in pairwise(run))


def test_problems_are_dealt_out_evenly_and_average_over_all_who_met_them():
    run = list(arms().run(2))
    for step in run:
        met = [individual.detail["met"] for individual in step.problems.individuals]
        assert met == [2.0 * (step.number % 5 + 1)] * 20  # 20 solvers, two meetings each, 20 problems
        for individual in step.problems.individuals:
            assert individual.fitness == individual.detail["points"] / individual.detail["met"]
    scarce = list(arms(Plan(population=3, generations=7), Plan(population=20), meetings=1).run(1))
    assert all(
        sum(individual.detail["met"] > 0 for individual in step.problems.individuals) == 3 * (step.number % 5 + 1)
        for step in scarce
    )
    inherited = [individual for individual in scarce[5].problems.individuals if not individual.detail["met"]]
    assert len(inherited) == 17 and all(0 <= individual.fitness <= 1 for individual in inherited)


def test_problems_become_harder_while_solvers_stand_still():
    still = Plan(
        population=20, generations=40, breeding="gp", crossover=0.0, mutation=0.0, selection="rank", pressure=1.0
    )
    run = list(
        arms(
            still, Plan(population=20, breeding="gp", crossover=0.5, mutation=0.4, tournament=3, elite=1), meetings=4
        ).run(3)
    )
    assert run[-1].problems.mean > run[4].problems.mean + 0.1


def test_solvers_learn_from_problems_that_change():
    run = list(
        arms(
            Plan(population=40, generations=60, breeding="gp", crossover=0.6, mutation=0.3, elite=1, tournament=3)
        ).run(4)
    )
    ones = [sum(map(sum, genomes(step.solvers))) / 40 for step in (run[0], run[-1])]
    assert ones[0] < 7 and ones[1] > 10


def test_two_populations_go_on_after_any_of_their_generations():
    run = list(arms().run(5))
    assert run == list(arms().run(5)) != list(arms().run(6))
    for at in (0, 4, 5, 13):
        assert list(arms().run(5, start=run[at])) == run[at + 1 :]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: arms(Plan(breeding="steady")), "breed by ga, gp or random"),
        (lambda: arms(Plan(), Plan(selection="comparator")), "select by number"),
        (lambda: arms(every=0), "every must be at least 1, got 0"),
        (lambda: arms(meetings=21), "at most the 20 problems there are, got 21"),
    ],
)
def test_two_populations_say_what_they_cannot_do(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda games: None, "asked about 80 games and returned None"),
        (lambda games: [(1.0, 0.0)], r"asked about 80 games and returned \[\(1.0, 0.0\)\]"),
        (lambda games: [1.0] * len(games), "returned 1.0, the points of both were wanted"),
        (lambda games: [(float("nan"), 0.0)] * len(games), "returned nan, a finite number was wanted"),
        (lambda games: games[1000], "RandomTwoWays: play raised IndexError"),
    ],
)
def test_what_a_users_games_return_is_examined(answer, message):
    def play(games, stream):
        return answer(games)

    with pytest.raises(BadParameter, match=message):
        next(evolve(Bits(4), RandomTwoWays(play), Plan(population=8), 1))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: CoPlay(more_ones, rounds=0), "CoPlay: rounds must be at least 1, got 0"),
        (lambda: RandomTwoWays(more_ones, opponents=0), "RandomTwoWays: opponents must be at least 1"),
        (lambda: RandomTwoWays(more_ones, games=1.5), "RandomTwoWays: games must be a whole number, got 1.5"),
        (lambda: Knockout(more_ones, games=0), "Knockout: games must be at least 1"),
        (lambda: HallOfFame(CoPlay(more_ones), more_ones, members=0), "HallOfFame: members must be at least 1"),
        (lambda: HallOfFame(CoPlay(more_ones), more_ones, weight=2), "HallOfFame: weight must be at most 1, got 2"),
    ],
)
def test_schemes_without_games_are_refused(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


def test_a_stored_run_of_a_relative_fitness_needs_a_test():
    problem = Problem("climb", Bits(4), fitness=CoPlay(more_ones), plan=Plan(population=8))
    with pytest.raises(BadParameter, match=r"scores of CoPlay depend on who else is there, .* Problem\(test=…\)"):
        made = problem.experiment()
        made.examine(settle(made, "quick", {}))
    made = replace(problem, test=sum).experiment()
    made.examine(settle(made, "quick", {}))


@pytest.mark.parametrize("selection", ["comparator", "lexicase", "crowded"])
def test_two_populations_refuse_selections_that_want_more_than_points(selection):
    with pytest.raises(BadParameter, match=f"select by number, got ga and {selection}"):
        TwoPopulations(BITS, BITS, more_ones, Plan(), Plan(selection=selection))
