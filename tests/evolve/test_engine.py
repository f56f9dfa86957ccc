"""The engine: a run is a pure function of its arguments, and operators have the shares of the plan."""

import json
import math
from collections import Counter
from dataclasses import replace

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.breeding import breed, mate, pairs
from ludwin.evolve.engine import Generation, Individual, Plan, evolve, read_generation, write_generation
from ludwin.evolve.strategies import OnValues, SelfAdaptive, next_step
from ludwin.evolve.toys import Ones
from ludwin.evolve.vectors import Bits, Integers, Reals
from ludwin.program.stream import Stream

BITS = Bits(30)
SMALL = Plan(population=12, generations=6, mutation=0.2, one_way="fitter", elite=1)


class Noisy:
    """Ones and luck: the same genome has another score tomorrow, and all scores of one day depend on the seed."""

    def __init__(self):
        self.asked = []

    def score(self, genomes, generation, stream):
        self.asked.append((generation, tuple(genomes)))
        return [
            (sum(genome) + stream.split(k).uniform(), {"ones": float(sum(genome))}) for k, genome in enumerate(genomes)
        ]


class Relative(Noisy):
    relative = True


class Compared:
    """No number at all, only a comparison of details."""

    lasting = True

    def score(self, genomes, generation, stream):
        return [(0.0, {"ones": float(sum(genome))}) for genome in genomes]

    def compare(self, a, b):
        return a.detail["ones"] - b.detail["ones"]


class Distance:
    """How near a vector is to 0."""

    lasting = True

    def score(self, genomes, generation, stream):
        return [(-math.fsum(x * x for x in genome), {}) for genome in genomes]


def population(n=100, fitness=float):
    """Individuals that are told apart by their gene, their fitness a function of it."""
    return Generation(0, tuple(Individual((k,), fitness(k)) for k in range(n)))


@pytest.mark.parametrize("breeding", ("ga", "gp", "steady", "mu,lambda", "mu+lambda", "random"))
def test_a_run_repeats_with_its_seed_and_goes_on_after_any_of_its_generations(breeding):
    plan = replace(SMALL, breeding=breeding, offspring=15 if "mu" in breeding else 0)
    run = list(evolve(BITS, Noisy(), plan, 3))
    assert [generation.number for generation in run] == list(range(7))
    assert all(len(generation.individuals) == 12 for generation in run)
    assert run == list(evolve(BITS, Noisy(), plan, 3))
    assert run[0] != next(evolve(BITS, Noisy(), plan, 4))
    for generation in run:
        stored = read_generation(BITS, json.loads(json.dumps(write_generation(BITS, generation))))
        assert stored == generation
        assert list(evolve(BITS, Noisy(), plan, 3, start=stored)) == run[generation.number + 1 :]


def test_equal_genomes_are_scored_once_and_copies_keep_a_score_that_lasts():
    noisy, kind = Noisy(), Bits(3)
    run = list(evolve(kind, noisy, SMALL, 1))
    for _, genomes in noisy.asked:
        assert len(set(genomes)) == len(genomes)
    assert run[-1].evaluations == sum(len(genomes) for _, genomes in noisy.asked)
    for generation in run:
        scores = {(individual.genome, individual.fitness) for individual in generation.individuals}
        assert len(scores) == generation.distinct
    lasting = Noisy()
    lasting.lasting = True
    run = list(evolve(kind, lasting, SMALL, 1))
    assert run[-1].evaluations < 7 * 8 and len(lasting.asked) > 1  # there are eight strings of three bits
    for number, genomes in lasting.asked[1:]:
        assert not {individual.genome for individual in run[number - 1].individuals} & set(genomes)


def test_where_fitness_is_relative_everybody_plays_its_own_games():
    fitness = Relative()
    run = list(evolve(Bits(2), fitness, SMALL, 1))
    assert all(len(genomes) == 12 for _, genomes in fitness.asked)
    assert run[-1].evaluations == 12 * 7
    assert len({individual.fitness for individual in run[-1].individuals}) == 12
    with pytest.raises(BadParameter, match="must not be relative"):
        next(evolve(BITS, Relative(), Plan(breeding="steady"), 1))


@pytest.mark.parametrize("breeding", ["ga", "gp", "steady", "mu+lambda"])
def test_with_an_elite_and_a_lasting_fitness_the_best_never_falls(breeding):
    plan = Plan(population=10, generations=40, breeding=breeding, elite=2, crossover=0.5, mutation=0.5, tournament=1)
    best = [generation.best.fitness for generation in evolve(BITS, Ones(), plan, 5)]
    assert best == sorted(best) and best[-1] > best[0]
    if breeding in ("ga", "gp"):
        assert (
            sum(individual.origin == "elite" for individual in list(evolve(BITS, Ones(), plan, 5))[-1].individuals) == 2
        )


def test_in_steady_state_most_individuals_survive_a_birth_and_losers_leave():
    plan = Plan(population=20, generations=1, breeding="steady", tournament=4, crossover=0.5, mutation=0.5)
    first, second = evolve(Bits(100), Ones(), plan, 1)
    survivors = {individual.genome for individual in first.individuals} & {
        individual.genome for individual in second.individuals
    }
    assert 0 < len(survivors) < 20 and second.mean > first.mean
    assert list(evolve(Bits(100), Ones(), replace(plan, offspring=5), 1)) != [first, second]


def test_ga_breeding_crosses_and_mutates_independently_and_one_way_is_half_of_the_crossovers():
    plan = Plan(population=20_000, crossover=0.8, mutation=0.2, one_way="fitter", selection="duel")
    generation = population(20_000, lambda k: k + 0.5)
    kind = Integers(1, high=20_000, rate=1.0)
    origins = Counter(child.origin for child in breed(kind, plan, generation, None, Stream(1)))
    total = sum(origins.values())
    mutated = sum(count for origin, count in origins.items() if "mutation" in origin)
    assert total == 20_000 and abs(mutated / total - 0.2) < 0.01
    one_way = origins["one-way"] + origins["one-way+mutation"]  # of two parents, the receiver alone is changed
    two_way = (origins["crossover"] + origins["crossover+mutation"]) / 2
    assert abs(one_way / (one_way + two_way) - 0.5) < 0.03
    assert abs((2 * one_way + 2 * two_way) / total - 0.8) < 0.01
    assert abs(origins["one-way+mutation"] / one_way - 0.2) < 0.02


def test_gp_breeding_gives_each_operator_its_share_of_the_children():
    plan = Plan(population=20_000, breeding="gp", crossover=0.5, mutation=0.15)
    children = breed(Integers(1, high=100), plan, population(), None, Stream(2))
    shares = {origin: count / 20_000 for origin, count in Counter(child.origin for child in children).items()}
    assert set(shares) == {"crossover", "mutation", "copy"}
    assert (
        abs(shares["crossover"] - 0.5) < 0.015
        and abs(shares["mutation"] - 0.15) < 0.01
        and abs(shares["copy"] - 0.35) < 0.015
    )
    one_way = breed(Integers(1, high=100), replace(plan, one_way="always"), population(), None, Stream(2))
    assert {child.origin for child in one_way} == {"one-way", "mutation", "copy"}


def test_one_way_crossover_goes_from_the_fitter_to_the_other_and_leaves_the_donor_alone():
    kind, plan = Bits(40), Plan(one_way="fitter")
    for k in range(1000):
        parents = [Individual(genome, float(sum(genome))) for genome in kind.begin(2, Stream(3, k))]
        better = parents[0].fitness > parents[1].fitness
        first, second = mate(
            kind, plan, parents, 0, 1, lambda a, b, who=parents: who[a].fitness > who[b].fitness, Stream(4, k)
        )
        if better:
            assert first.genome is parents[0].genome and first.origin == "copy"
            assert second.origin == "one-way" and second.parents == (1, 0)
        else:
            assert first.origin == second.origin == "crossover"


def test_nobody_is_paired_twice_and_the_share_of_pairs_is_the_probability():
    members = 0
    for k in range(200):
        found = [one for pair in pairs(51, 0.6, Stream(5, k)) for one in pair]
        assert len(set(found)) == len(found)
        members += len(found)
    assert abs(members / (200 * 51) - (0.6 - 0.5 / 51)) < 0.02  # of an odd number one stays alone: half a member less
    assert len(pairs(50, 1.0, Stream(6))) == 25 and pairs(50, 0.0, Stream(6)) == []


def test_the_comparator_alone_leads_to_the_optimum():
    plan = Plan(population=30, generations=60, selection="comparator", tournament=3, elite=1, mutation=0.5)
    run = list(evolve(BITS, Compared(), plan, 1))
    assert run[-1].best.detail["ones"] == 30 > run[0].best.detail["ones"]
    assert all(0 <= individual.fitness <= 1 for individual in run[-1].individuals)
    with pytest.raises(BadParameter, match="compares two individuals"):
        next(evolve(BITS, Ones(), plan, 1))
    for breeding in ("steady", "mu,lambda"):
        best = list(evolve(BITS, Compared(), replace(plan, breeding=breeding, crossover=0.4), 1))[-1].best
        assert best.detail["ones"] >= 29


def test_parsimony_makes_selection_prefer_the_small():
    class Sized(Integers):
        def size(self, g):
            return g[0]

    kind = Sized(1, low=1, high=1000)

    class Flat(Ones):
        def score(self, genomes, generation, stream):
            return [(1.0, {}) for _ in genomes]

    sizes = [
        list(
            evolve(kind, Flat(), Plan(population=40, generations=15, parsimony=price, crossover=0.0, mutation=0.02), 1)
        )[-1].mean_size
        for price in (0.0, 0.001)
    ]
    assert sizes[1] < 100 < sizes[0]


def test_a_run_stops_at_a_fitness_that_is_good_enough():
    plan = Plan(population=50, generations=200, stop_at=25.0, mutation=0.5)
    run = list(evolve(BITS, Ones(), plan, 1))
    assert run[-1].best.fitness >= 25 > run[-2].best.fitness and len(run) < 200
    assert list(evolve(BITS, Ones(), plan, 1, start=run[-1])) == []


def test_random_search_has_as_many_births_and_learns_nothing():
    for plan in (
        replace(SMALL, generations=30),
        Plan(population=3, generations=30, breeding="mu,lambda", offspring=12),
    ):
        runs = {p.breeding: list(evolve(BITS, Ones(), p, 1)) for p in (plan, plan.baseline)}
        random, evolved = runs["random"], runs[plan.breeding]
        assert all(len(generation.individuals) == 12 for generation in random)
        assert random[-1].evaluations >= evolved[-1].evaluations
        assert max(generation.best.fitness for generation in random) < evolved[-1].best.fitness
        assert {individual.origin for individual in random[-1].individuals} == {"random"}


@pytest.mark.parametrize("breeding", ["mu,lambda", "mu+lambda"])
def test_steps_that_adapt_come_far_nearer_than_fixed_ones(breeding):
    reals = Reals(8, low=-5.0, high=5.0, rate=1.0)
    plan = Plan(population=4, offspring=20, generations=100, breeding=breeding, crossover=0.0)
    fixed = list(evolve(reals, Distance(), plan, 2))[-1]
    fifth = list(evolve(reals, Distance(), replace(plan, steps="fifth"), 2))[-1]
    own = list(evolve(SelfAdaptive(reals), OnValues(Distance()), replace(plan, crossover=0.5), 2))[-1]
    assert fixed.best.fitness < -0.05
    assert fifth.best.fitness > -1e-4 and 0 < fifth.state["step"] < 1e-2
    assert own.best.fitness > -1e-3


def test_the_step_grows_if_more_than_a_fifth_of_the_children_beat_their_parent():
    children = [(2.0, (0,)), (0.5, (0,)), (0.5, (1,)), (0.5, (1,)), (0.5, (0, 1))]
    assert next_step(1.0, [1.0, 1.0], children) == 1.0
    assert next_step(1.0, [1.0, 1.0], children[1:]) == 0.85
    assert next_step(1.0, [0.4, 1.0], children) == 1 / 0.85
    with pytest.raises(BadParameter, match="which have a step size; bits are none"):
        list(evolve(BITS, Ones(), Plan(breeding="mu,lambda", steps="fifth", generations=1), 1))


def test_the_plus_strategy_scores_parents_again_beside_their_children_unless_scores_last():
    plan = Plan(population=5, offspring=10, generations=2, breeding="mu+lambda", crossover=0.0)
    noisy = Noisy()
    run = list(evolve(Bits(50), noisy, plan, 1))
    assert {individual.genome for individual in run[0].individuals} <= set(noisy.asked[1][1])
    assert [len(generation.individuals) for generation in run] == [5, 5, 5]
    lasting = Noisy()
    lasting.lasting = True
    list(evolve(Bits(50), lasting, plan, 1))
    assert len(lasting.asked[1][1]) <= 10


def test_a_generation_tells_best_mean_sizes_and_diversity():
    generation = Generation(
        0,
        (
            Individual("a", 1.0, size=3),
            Individual("b", 4.0, size=5),
            Individual("b", 4.0, size=5),
            Individual("c", 3.0),
        ),
    )
    assert generation.best is generation.individuals[1]
    assert (generation.mean, generation.sizes, generation.mean_size, generation.distinct) == (3.0, (3, 5, 5, 1), 3.5, 3)


@pytest.mark.parametrize(
    "answer, message",
    [
        (
            lambda genomes: [(math.nan, {}) for _ in genomes],
            "the fitness returned nan, a finite number was wanted, for [01]+",
        ),
        (lambda genomes: [(1.0, {})], "was asked for 12 scores and gave 1"),
    ],
)
def test_a_fitness_that_answers_nonsense_is_named(answer, message):
    class Wrong:
        relative = True

        def score(self, genomes, generation, stream):
            return answer(genomes)

    with pytest.raises(BadParameter, match=message):
        next(evolve(BITS, Wrong(), SMALL, 1))


@pytest.mark.parametrize(
    "given, message",
    [
        ({"population": "0"}, "population must be at least 1, got 0"),
        ({"population": "many"}, "population must be a whole number, got 'many'"),
        ({"poplation": "5"}, "no setting 'poplation'; did you mean 'population'"),
        ({"breeding": "sheep"}, "breeding must be one of ga, gp, .*, random, .*, got 'sheep'"),
        ({"crossover": "1.5"}, "crossover must be at most 1, got 1.5"),
        ({"mutation": "nan"}, "mutation must be a finite number"),
        ({"breeding": "gp", "crossover": "0.9", "mutation": "0.2"}, "at most 1 together, got 0.9 and 0.2"),
        ({"pressure": "3"}, "pressure must be at most 2"),
        ({"elite": "101"}, "elite must be at most the population of 100"),
        ({"breeding": "steady", "elite": "100"}, "somebody must leave"),
        ({"breeding": "mu,lambda", "offspring": "99"}, "offspring must be at least that, got 99"),
        ({"selection": "comparator", "stop_at": "5"}, "a comparator gives no number"),
    ],
)
def test_a_plan_says_in_one_line_what_is_wrong(given, message):
    with pytest.raises(BadParameter, match=message) as found:
        Plan.parse(given)
    assert "\n" not in str(found.value)


def test_settings_are_of_one_type_however_they_are_given():
    assert Plan(crossover=1) == Plan(crossover=1.0) == Plan.parse({"crossover": "1"})
    assert json.dumps(Plan(crossover=1).crossover) == "1.0"
    with pytest.raises(BadParameter, match="population must be a whole number, got True"):
        Plan(population=True)


@pytest.mark.parametrize(
    "data, message",
    [
        ([], "not a stored generation of bits"),
        ({"individuals": []}, "not a stored generation of bits"),
        ({"number": 0, "evaluations": 0, "state": {}, "memory": [], "individuals": []}, "has no individuals"),
        (
            {"number": 0, "evaluations": 0, "state": {}, "memory": ["2"], "individuals": []},
            "wanted a text of 30 times 0 or 1",
        ),
        (
            {"number": 0, "evaluations": 0, "state": {"step": "x"}, "memory": [], "individuals": []},
            "holds finite numbers, got 'x'",
        ),
    ],
)
def test_what_is_not_a_stored_generation_is_refused(data, message):
    with pytest.raises(BadParameter, match=message):
        read_generation(BITS, data)
