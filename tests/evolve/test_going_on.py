"""Going on after a generation: what a stop leaves behind, and generations of other problems and plans."""

from dataclasses import replace

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve import Bits, Integers, OnValues, Parts, Plan, Problem, Reals, SelfAdaptive
from ludwin.evolve.engine import read_generation, write_generation
from ludwin.evolve.population import Generation
from ludwin.evolve.populations import ARCHIVE, STATISTICS

SMALL = Plan(population=20, generations=6, mutation=0.5)
ONES = Problem("ones", Bits(10), fitness=sum, plan=SMALL)
CORNER = Problem(
    "corner",
    Reals(2),
    fitness=lambda g: (g[0], g[1] - g[0]),
    direction=("more", "less"),
    archive=0,
    plan=replace(SMALL, selection="crowded", replacement="nsga2"),
)
HOSTS = Problem(
    "hosts", Reals(2), parasites=Integers(1), meet=lambda h, p: (h[p[0]], -h[p[0]]), plan=SMALL,
    parasite_plan=Plan(population=4, mutation=0.5),
)  # fmt: skip
TEAM = Problem(
    "team", Parts((("a", Reals(2)), ("b", Bits(3)))), fitness=lambda g: sum(g["a"]) + sum(g["b"]), teams=True,
    plan=SMALL,
)  # fmt: skip


def test_statistics_see_the_same_before_and_after_a_stop():
    counts = {"turns": lambda g: g.state.get(f"{STATISTICS}turns", 0) + 1, "numbers": lambda g: len(g.state)}
    for plan in (SMALL, Plan(population=8, generations=6, breeding="cma")):
        problem = Problem("sums", Reals(3), fitness=sum, plan=plan, statistics=counts)
        whole = list(problem.run(seed=1))
        assert all(list(problem.run(seed=1, start=one)) == whole[one.number + 1 :] for one in whole)


@pytest.mark.parametrize("width", [0.0, 1e-200, 1e200])
@pytest.mark.parametrize("breeding", ["mu,lambda", "ga"])
def test_steps_of_genes_with_one_value_or_of_strange_sizes_come_back_from_a_file(width, breeding):
    kind = SelfAdaptive(Reals(2, low=(0.0, 1.0), high=(width, 2.0)))
    plan = Plan(population=6, generations=5, breeding=breeding, crossover=0.7, mutation=0.5)
    for last in Problem("steps", kind, fitness=OnValues(lambda v: -v[1]), plan=plan).run(seed=1):
        assert read_generation(kind, write_generation(kind, last)) == last


@pytest.mark.parametrize(
    "problem, start, more, message",
    [
        (ONES, ONES, {"breeding": "alps", "population": 100}, "alps needs a population of 100, this generation has 20"),
        (ONES, ONES, {"islands": 3, "population": 21}, "3 islands share individuals evenly, this generation has 20"),
        (ONES, ONES, {"breeding": "steady", "elite": 30, "population": 40}, "elite is below 20"),
        (ONES, CORNER, {}, "the genomes of this generation are not bits as they are here"),
        (HOSTS, CORNER, {}, "there are no parasites beside this generation"),
        (TEAM, CORNER, {}, "there are no a beside this generation"),
    ],
)
def test_generations_of_others_are_refused_in_one_line(problem, start, more, message):
    plan = replace(problem.plan, generations=9, mutation=0.2, **more)
    with pytest.raises(BadParameter, match=f"^start: .*{message}"):
        problem.solve(seed=1, start=start.solve(seed=1), plan=plan)


def test_a_generation_without_anybody_is_refused():
    with pytest.raises(BadParameter, match=r"^start: there is nobody"):
        ONES.solve(seed=1, start=Generation(0, ()))


def test_an_archive_may_begin_with_a_generation_that_had_none():
    start = CORNER.solve(seed=1)
    last = replace(CORNER, archive=9).solve(seed=1, start=start, plan=replace(CORNER.plan, generations=8))
    assert 1 <= len(last.beside(ARCHIVE).individuals) <= 9


@pytest.mark.parametrize("fitness", [lambda v: -abs(v[0] - 0.5), lambda v: v[0] if v[0] < 0.9 else 1.0])
def test_the_fifth_rule_outlives_convergence(fitness):
    plan = Plan(population=1, generations=4600, breeding="mu+lambda", steps="fifth", offspring=2)
    last = Problem("valley", Reals(1), fitness=fitness, plan=plan).solve(seed=1)
    assert last.number == 4600 and 1e-100 <= last.state["step"] < 1
