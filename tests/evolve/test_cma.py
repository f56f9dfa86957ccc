"""CMA-ES: known functions, the tutorial's own package as an oracle, invariances and files."""

import json

import numpy as np
import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.cma import CMA, Rates
from ludwin.program.stream import Stream


def rosenbrock(x):
    return -float(np.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2))


def minimise(f, start, sigma, steps, seed=1, **more):
    found = CMA.at(start, sigma, **more)
    for step in range(steps):
        children = found.ask(Stream(seed, step))
        found = found.tell(children, [f(x) for x in children])
    return found


@pytest.mark.parametrize("seed", range(3))
def test_rosenbrock_in_eight_dimensions_is_solved(seed):
    found = minimise(rosenbrock, [0.0] * 8, 0.5, 550, seed)
    assert -rosenbrock(found.mean) < 1e-9  # the tutorial's figure: some 5,000 evaluations in 10 dimensions


def test_the_diagonal_is_learnt_faster_where_axes_are_apart():
    scale = 10.0 ** np.linspace(0, 4, 20)
    cigar = lambda x: -float(np.sum(scale * x**2))  # noqa: E731
    diagonal, full = (minimise(cigar, [1.0] * 20, 0.5, 250, is_diagonal=flag) for flag in (True, False))
    assert -cigar(diagonal.mean) < 1e-6 < -cigar(full.mean)


def test_only_the_order_of_the_children_counts():
    plain = minimise(rosenbrock, [0.5] * 4, 0.3, 30)
    bent = minimise(lambda x: -np.log1p(-rosenbrock(x)) - 7, [0.5] * 4, 0.3, 30)
    assert np.array_equal(plain.mean, bent.mean) and plain.sigma == bent.sigma


def test_a_stored_strategy_goes_on_as_if_nothing_had_happened():
    for flag in (False, True):
        whole = minimise(rosenbrock, [0.5] * 4, 0.3, 20, is_diagonal=flag)
        half = minimise(rosenbrock, [0.5] * 4, 0.3, 10, is_diagonal=flag)
        half = CMA.from_json(json.loads(json.dumps(half.as_json())))
        for step in range(10, 20):
            children = half.ask(Stream(1, step))
            half = half.tell(children, [rosenbrock(x) for x in children])
        assert half.as_json() == whole.as_json()


def test_forged_and_impossible_strategies_are_refused():
    good = CMA.at([0.0, 1.0], 0.5).as_json()
    for change in ({"path": [1.0]}, {"sigma": 0}, {"mean": ["a", 1]}, {"children": 1}, {"covariance": [[1.0]]}):
        with pytest.raises(BadParameter, match="no stored CMA-ES"):
            CMA.from_json({**good, **change})
    with pytest.raises(BadParameter, match="sigma above 0"):
        CMA.at([1.0], 0.0)
    with pytest.raises(BadParameter, match="at least 4 children"):
        CMA.at([1.0], 1.0, children=2)


@pytest.mark.parametrize("n,children", [(2, 6), (10, 10), (40, 15), (40, 60)])
def test_rates_and_weights_are_those_of_the_authors_package(n, children):
    cma = pytest.importorskip("cma", reason="needs the test extra: pip install cma")
    theirs = cma.CMAEvolutionStrategy([0.0] * n, 0.5, {"popsize": children, "verbose": -9, "CMA_active": True}).sp
    ours = Rates(n, children)
    assert ours.parents == pytest.approx(theirs.weights.mueff)
    assert np.allclose(ours.weights[ours.weights > 0], [w for w in theirs.weights if w > 0])
    assert ours.one == pytest.approx(theirs.c1, rel=0.02)
    assert ours.many == pytest.approx(theirs.cmu, rel=0.02)


def test_as_many_evaluations_as_the_authors_package_within_a_third():
    cma = pytest.importorskip("cma", reason="needs the test extra: pip install cma")

    def theirs(seed):
        found = cma.fmin2(lambda x: -rosenbrock(x), [0.0] * 6, 0.5, {"verbose": -9, "seed": seed, "ftarget": 1e-8})
        return found[1].result.evaluations

    def ours(seed):
        found, spent = CMA.at([0.0] * 6, 0.5), 0
        while spent < 20_000:
            children = found.ask(Stream(seed, spent))
            values = [rosenbrock(x) for x in children]
            spent += len(children)
            if max(values) > -1e-8:
                break
            found = found.tell(children, values)
        return spent

    their_mean, our_mean = (np.mean([run(seed) for seed in range(1, 6)]) for run in (theirs, ours))
    assert our_mean < 1.34 * their_mean, (our_mean, their_mean)
