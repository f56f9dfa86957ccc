"""Scores of cases and objectives, and the selections that read them: frequencies and fronts are those of others."""

import math
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis.strategies import floats, integers, lists, tuples
from scipy.stats import chisquare

from ludwin.errors import BadParameter
from ludwin.evolve.engine import Individual, Plan, evolve, read_generation, write_generation
from ludwin.evolve.operators import SELECTIONS, Operators, breeding, mutation, replacement, selection
from ludwin.evolve.pareto import archived, crowding_distances, fronts, hypervolume
from ludwin.evolve.population import Scored
from ludwin.evolve.selection import Candidates, by_worth, chooser
from ludwin.evolve.vectors import Bits
from ludwin.program.stream import Stream

KIND = Bits(8)


class Halves:
    """Two objectives: ones in front, and noughts behind; cases are the single bits."""

    lasting = True

    def score(self, genomes, generation, stream):
        return [Scored.of(cases=g, objectives=[sum(g[:4]), sum(g[4:])], directions=("more", "less")) for g in genomes]


def pool_of(cases, **plan):
    people = [Individual(k, math.fsum(row) / len(row), cases=tuple(map(float, row))) for k, row in enumerate(cases)]
    worth = [one.fitness for one in people]
    return Candidates(Plan(**plan), people, worth, by_worth(worth))


def test_a_score_without_a_value_has_the_mean_of_its_cases_or_its_first_objective():
    assert Scored.of(cases=[1, 2, 6]).value == 3
    assert Scored.of(objectives=[4.0, 1.0], directions=("less", "more")).value == -4.0
    for wrong, message in (
        ({}, "has none of them"),
        ({"objectives": [1.0], "directions": ("up",)}, "one of more, less, got 'up'"),
        ({"objectives": [1.0], "directions": ("more", "less")}, "2 directions cannot be those of 1"),
    ):
        with pytest.raises(BadParameter, match=message):
            Scored.of(**wrong)


def test_lexicase_chooses_by_the_first_case_that_tells():
    # Cases A and B in random order.  0 is best on A, 1 and 2 on B, of which 2 is better on A; 3 is never best.
    choose = chooser(pool_of([(5, 0), (1, 3), (2, 3), (4, 2)], selection="lexicase"))
    counts = Counter(choose(Stream(7, k)) for k in range(2000))
    assert set(counts) == {0, 2}
    assert chisquare([counts[0], counts[2]]).pvalue > 1e-4


def test_lexicase_draws_lots_among_those_who_are_alike_in_all_cases():
    choose = chooser(pool_of([(1, 1), (1, 1), (0, 0), (1, 1)], selection="lexicase"))
    counts = Counter(choose(Stream(3, k)) for k in range(3000))
    assert set(counts) == {0, 1, 3} and chisquare(list(counts.values())).pvalue > 1e-4


def test_epsilon_lexicase_lets_pass_who_is_within_the_median_deviation():
    # Case A: 10, 9.5, 1, 0, 0.  Its median is 1, the deviations 9, 8.5, 0, 1, 1, their median 1: so 0 and 1 pass.
    rows = [(10, 0), (9.5, 5), (1, 1), (0, 2), (0, 3)]
    plain, soft = (chooser(pool_of(rows, selection=name)) for name in ("lexicase", "epsilon-lexicase"))
    assert {plain(Stream(1, k)) for k in range(200)} == {0, 1}
    assert {soft(Stream(1, k)) for k in range(200)} == {1}  # by A both pass, and by B only the second


def test_selections_by_cases_refuse_a_fitness_without_them():
    people = [Individual(k, 0.0) for k in range(3)]
    for name, what in (("lexicase", "single cases"), ("crowded", "objectives")):
        with pytest.raises(BadParameter, match=what):
            chooser(Candidates(Plan(selection=name), people, [0.0] * 3, by_worth([0.0] * 3)))


points = lists(tuples(integers(0, 9), integers(0, 9), integers(0, 9)), min_size=1, max_size=25)


@given(points=points)
def test_fronts_and_room_are_those_of_deap(points):
    tools, base = pytest.importorskip("deap.tools"), pytest.importorskip("deap.base")

    class Fit(base.Fitness):
        weights = (1.0, 1.0, 1.0)

    class One(list):
        def __init__(self, values, place):
            super().__init__(values)
            self.fitness, self.place = Fit(values), place

    everybody = [One(values, place) for place, values in enumerate(points)]
    theirs = [sorted(one.place for one in front) for front in tools.emo.sortNondominated(everybody, len(points))]
    assert fronts(points) == theirs
    if all(len({point[k] for point in points}) == len(points) for k in range(3)):  # ties are ordered by lot
        tools.emo.assignCrowdingDist(everybody)
        ours = crowding_distances(points)  # deap also divides by the number of objectives
        for mine, one in zip(ours, everybody, strict=True):
            other = one.fitness.crowding_dist
            assert math.isinf(mine) == math.isinf(other)
            assert math.isinf(mine) or mine == pytest.approx(3 * other)


@given(points=lists(tuples(floats(0, 1), floats(0, 1)), min_size=1, max_size=12))
def test_the_hypervolume_is_the_share_of_points_that_are_dominated(points):
    grid = [((i + 0.5) / 40, (j + 0.5) / 40) for i in range(40) for j in range(40)]
    counted = sum(any(x >= a and y >= b for x, y in points) for a, b in grid) / len(grid)
    assert hypervolume(points, (0, 0)) == pytest.approx(counted, abs=0.06)


def test_an_archive_keeps_the_undominated_and_drops_the_most_crowded():
    people = [Individual(k, 0.0, objectives=(float(k), float(9 - k))) for k in range(10)]
    kept = archived([], [*people, Individual(99, 0.0, objectives=(1.0, 1.0))])
    assert [one.genome for one in kept] == list(range(10))
    few = archived(kept, [], most=4)
    assert len(few) == 4 and {0, 9} <= {one.genome for one in few}


def test_nsga2_covers_the_front_of_two_objectives():
    plan = Plan(population=24, generations=25, selection="crowded", replacement="nsga2", mutation=1.0)
    last = list(evolve(KIND, Halves(), plan, seed=1))[-1]
    assert {one.objectives for one in last.individuals} == {(4.0, -0.0)}  # here one genome is best in both

    class Trade(Halves):
        def score(self, genomes, generation, stream):
            return [Scored.of(objectives=[sum(g), sum(g)], directions=("more", "less")) for g in genomes]

    last = list(evolve(KIND, Trade(), plan, seed=1))[-1]
    assert {one.objectives[0] for one in last.individuals} == set(map(float, range(9)))


def test_cases_and_objectives_are_stored_and_a_run_goes_on_with_them():
    plan = Plan(population=10, generations=6, selection="lexicase")
    history = list(evolve(KIND, Halves(), plan, seed=2))
    for generation in history:
        again = read_generation(KIND, write_generation(KIND, generation))
        assert again == generation and again.best.cases == tuple(map(float, again.best.genome))
    assert list(evolve(KIND, Halves(), plan, seed=2, start=history[3])) == history[4:]


@pytest.mark.parametrize(
    "answer, message",
    [
        (lambda k: Scored(math.nan), "returned nan, a finite number"),
        (lambda k: Scored(1.0, cases=(1.0, math.inf)), "returned inf, a finite number"),
        (lambda k: Scored(1.0, cases=(1.0,) * (k + 1)), "the same cases: 1 of them, then 2"),
        (lambda k: Scored(1.0, objectives=(1.0,) * (k + 1)), "the same objectives"),
    ],
)
def test_an_answer_that_is_no_score_is_told_in_one_line(answer, message):
    class Wrong:
        def score(self, genomes, generation, stream):
            return [answer(k) for k, _ in enumerate(genomes)]

    with pytest.raises(BadParameter, match=message) as found:
        next(evolve(KIND, Wrong(), Plan(population=4), seed=1))
    assert "\n" not in str(found.value)


# ---- Registers ------------------------------------------------------------------------------------------------


def test_a_function_becomes_a_selection_a_breeding_a_replacement_and_a_mutation_with_one_line():
    @selection("test-first", "the first")
    def first(pool):
        return lambda stream: 0

    @replacement("test-parents", "nobody is born")
    def parents(run, before, children, stream):
        return before.individuals

    @breeding("test-copies", "everybody again")
    def copies(run, generation):
        return run.followed(generation, generation.individuals, 0)

    @mutation("test-same", "nothing")
    def same(tree, stream, limits):
        return tree

    start, after = list(evolve(KIND, Halves(), Plan(population=5, generations=1, replacement="test-parents"), 1))
    assert after.individuals == start.individuals
    _, after = list(evolve(KIND, Halves(), Plan(population=5, generations=1, breeding="test-copies"), 1))
    assert after.individuals == start.individuals and after.number == 1
    plan = Plan(population=5, generations=1, selection="test-first", breeding="gp", crossover=0.0, mutation=0.0)
    start, after = list(evolve(KIND, Halves(), plan, 1))
    assert {one.genome for one in after.individuals} == {start.individuals[0].genome}


def test_a_register_refuses_names_of_ours_and_functions_of_another_shape():
    with pytest.raises(BadParameter, match="there is a selection 'duel' of ours"):
        selection("duel")
    with pytest.raises(BadParameter, match="a selection is a function of \\(pool\\)"):
        selection("test-shape")(lambda a, b, c: None)
    with pytest.raises(BadParameter, match="a word"):
        selection("two\nlines")
    assert "test-shape" not in SELECTIONS


def test_every_operator_of_ours_is_where_its_register_says():
    from ludwin.evolve import operators

    tables = [table for table in vars(operators).values() if isinstance(table, Operators)]
    assert len({id(table) for table in tables}) == 9
    for table in tables:
        for name in table.ours:
            assert callable(table[name]), f"{table.what} {name}"


# ---- Islands --------------------------------------------------------------------------------------------------


def test_an_island_depends_on_its_own_seed_until_migrants_come():
    plan = Plan(population=24, generations=8, islands=4, migrate_every=4, migrants=2, mutation=0.5)
    apart = list(evolve(KIND, Halves(), Plan(population=24, generations=8, islands=4, migrants=0, mutation=0.5), 5))
    mixed = list(evolve(KIND, Halves(), plan, 5))
    for before, after in zip(apart[:4], mixed[:4], strict=True):
        assert before.individuals == after.individuals
    guests = [k for k, one in enumerate(mixed[4].individuals) if one.origin == "migrant"]
    assert len(guests) == 8 and {k // 6 for k in guests} == {0, 1, 2, 3}
    for k in guests:  # they come from the island before, of the same generation
        home = (k // 6 - 1) % 4
        assert mixed[4].individuals[k].genome in {one.genome for one in apart[4].individuals[6 * home : 6 * home + 6]}
    assert not any(one.origin == "migrant" for one in mixed[5].individuals)


def test_islands_go_on_after_any_generation_as_if_nothing_had_happened():
    plan = Plan(population=20, generations=7, islands=2, migrate_every=3, breeding="mu,lambda", offspring=40)
    history = list(evolve(KIND, Halves(), plan, 5))
    for generation in history[:-1]:
        again = read_generation(KIND, write_generation(KIND, generation))
        assert list(evolve(KIND, Halves(), plan, 5, start=again)) == history[generation.number + 1 :]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"population": 10, "islands": 3}, "10 is no multiple"),
        ({"population": 10, "islands": 5, "migrants": 2}, "migrants are below that, got 2"),
    ],
)
def test_islands_that_cannot_be_are_refused(given, message):
    with pytest.raises(BadParameter, match=message):
        Plan(**given)


@given(lists(tuples(*[integers(0, 4)] * 4), max_size=8))
def test_the_hypervolume_of_more_objectives_counts_the_cells_that_are_dominated(points):
    for width in (1, 3, 4):
        seen = [point[:width] for point in points]
        cells = product(range(4), repeat=width)
        counted = sum(any(all(x > k for x, k in zip(point, cell, strict=True)) for point in seen) for cell in cells)
        assert hypervolume(seen, (0,) * width) == counted


@pytest.mark.parametrize("point", [(1, 2, 3), (1,), (float("nan"), 1)])
def test_points_that_are_none_have_no_hypervolume(point):
    with pytest.raises(BadParameter, match="a point has 2 numbers here"):
        hypervolume([(1, 1), point], (0, 0))
