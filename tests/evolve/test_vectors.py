"""Vectors: places keep their genes, genes keep their bounds, and rates are what they say."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from ludwin.errors import BadParameter
from ludwin.evolve.strategies import Adaptive, SelfAdaptive
from ludwin.evolve.vectors import CROSSOVERS, Bits, Integers, Reals, one_point, two_point, uniform
from ludwin.program.stream import Stream

RARE = 1e-4
KINDS = [
    Bits(9),
    Bits(1),
    Integers(6, low=-3, high=(1, 2, 3, 4, 5, -3)),
    Integers(6, low=0, high=9, mutation="creep", step=3, crossover="uniform"),
    Reals(5, low=-1.0, high=2.0, crossover="two-point"),
    Reals(3, low=(0.0, 5.0, -1.0), high=(1.0, 5.0, 1.0), mutation="reset"),
    SelfAdaptive(Reals(4, low=-5.0, high=5.0)),
]


@pytest.mark.parametrize("name", [name for name in CROSSOVERS if name != "sbx"])  # which makes new numbers
@given(data=st.lists(st.tuples(st.integers(), st.integers()), min_size=1, max_size=12), seed=st.integers(0, 10**6))
def test_children_of_a_crossover_share_out_the_genes_of_each_place(name, data, seed):
    a, b = (tuple(column) for column in zip(*data, strict=True))
    left, right = CROSSOVERS[name](a, b, Stream(seed))
    assert [sorted(pair) for pair in zip(left, right, strict=True)] == [sorted(pair) for pair in zip(a, b, strict=True)]
    assert CROSSOVERS[name](a, b, Stream(seed)) == (left, right)


def shapes(crossover, n, draws=20_000):
    """Count the children of all zeros and all ones."""
    stream, found = Stream(5), {}
    for _ in range(draws):
        child, other = crossover((0,) * n, (1,) * n, stream)
        assert all(x + y == 1 for x, y in zip(child, other, strict=True))
        found[child] = found.get(child, 0) + 1
    return found


def test_one_point_crossover_cuts_everywhere_alike_and_always_exchanges_something():
    found = shapes(one_point, 6)
    assert set(found) == {(0,) * cut + (1,) * (6 - cut) for cut in range(1, 6)}
    assert chisquare(list(found.values())).pvalue > RARE


def test_two_point_crossover_exchanges_every_stretch_alike():
    found = shapes(two_point, 5)
    stretches = {(0,) * low + (1,) * (high - low) + (0,) * (5 - high) for low in range(5) for high in range(low + 1, 5)}
    assert set(found) == stretches and len(stretches) == 10
    assert chisquare(list(found.values())).pvalue > RARE


def test_uniform_crossover_exchanges_each_gene_independently():
    found = shapes(uniform, 4)
    assert len(found) == 16
    assert chisquare(list(found.values())).pvalue > RARE


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_operators_keep_the_kind_and_repeat_with_the_seed(kind):
    parents = kind.begin(30, Stream(1))
    for k in range(300):
        a, b = parents[k % 30], parents[(7 * k + 1) % 30]
        kept = (a, b)
        children = [
            *kind.cross(a, b, Stream(2, k)),
            kind.donate(a, b, Stream(3, k)),
            kind.mutate(a, Stream(4, k)),
            kind.make(Stream(5, k)),
        ]
        assert kept == (a, b), "the parents stay as they are"
        assert children[:4] == [
            *kind.cross(a, b, Stream(2, k)),
            kind.donate(a, b, Stream(3, k)),
            kind.mutate(a, Stream(4, k)),
        ]
        for child in children:  # `read` refuses what leaves the bounds
            assert kind.read(json.loads(json.dumps(kind.write(child)))) == child
            assert (
                kind.size(child) == kind.size(a)
                and kind.text(child)
                and hash(child) == hash(kind.read(kind.write(child)))
            )


@pytest.mark.parametrize("rate, expected", [(0.0, 1 / 20), (0.25, 0.25), (1.0, 1.0)])
def test_bits_flip_at_their_rate(rate, expected):
    kind, stream, flips = Bits(20, rate=rate), Stream(8), 0
    for _ in range(2000):
        flips += sum(kind.mutate((0,) * 20, stream))
    assert abs(flips / 40_000 - expected) < 0.01


def test_creep_moves_by_its_step_at_most_and_both_ways_alike():
    kind, stream, found = Integers(1, low=-100, high=100, mutation="creep", step=3, rate=1.0), Stream(9), {}
    for _ in range(12_000):
        (gene,) = kind.mutate((0,), stream)
        found[gene] = found.get(gene, 0) + 1
    assert set(found) == {-3, -2, -1, 1, 2, 3}
    assert chisquare(list(found.values())).pvalue > RARE
    assert all(kind.mutate((100,), Stream(k))[0] <= 100 for k in range(50))


def test_reset_draws_all_values_alike():
    kind, stream, found = Integers(1, low=2, high=7, rate=1.0), Stream(10), [0] * 6
    for _ in range(12_000):
        found[kind.mutate((3,), stream)[0] - 2] += 1
    assert chisquare(found).pvalue > RARE


def test_gaussian_steps_have_the_stated_size_and_come_back_from_the_bounds():
    kind, stream = Reals(1, low=-50.0, high=50.0, step=0.01, rate=1.0), Stream(11)
    moves = [kind.mutate((0.0,), stream)[0] for _ in range(20_000)]
    assert abs(sum(moves) / 20_000) < 0.03 and abs(sum(m * m for m in moves) / 20_000 - 1) < 0.05
    wild = Reals(1, low=0.0, high=1.0, step=3.0, rate=1.0)
    found = [wild.mutate((0.5,), stream)[0] for _ in range(5000)]
    assert all(0 <= x <= 1 for x in found) and sum(x in (0.0, 1.0) for x in found) == 0
    assert kind.stretched(2.0).step == 0.02


def test_self_adaptive_steps_change_before_the_values_and_stay_positive():
    kind = SelfAdaptive(Reals(3, low=0.0, high=1.0))
    g = Adaptive((0.5, 0.5, 0.5), (0.1, 0.1, 0.1))
    for k in range(300):
        g = kind.mutate(g, Stream(12, k))
        assert all(0 < step <= 1 for step in g.steps)
    assert g.steps != (0.1, 0.1, 0.1)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Bits(0), "length must be at least 1"),
        (lambda: Bits(3, crossover="three-point"), "crossover must be one of one-point"),
        (lambda: Bits(3, rate=1.5), "rate is a probability"),
        (lambda: Integers(3, low=2, high=1), "low must be at most high"),
        (lambda: Integers(3, low=(0, 0), high=1), "3 genes need 3 bounds, got 2"),
        (lambda: Integers(3, mutation="flip"), "mutation must be one of reset, creep"),
        (lambda: Integers(3, step=0), "step must be at least 1"),
        (lambda: Reals(3, high=float("inf")), r"bounds are at most 1e\+300 from 0, got 0.0 and inf"),
        (lambda: Integers(3, high=10**400), r"bounds are at most 1e\+300 from 0, got 0 and a number of about"),
        (lambda: Reals(3, mutation="creep"), "mutation must be one of gaussian, polynomial, reset"),
        (lambda: Reals(3, step=0.0), "step must be above 0"),
        (lambda: Bits(3).read("012"), "wanted a text of 3 times 0 or 1, got '012'"),
        (lambda: Integers(2).read([0, 1.5]), "wanted a list of 2 whole numbers"),
        (lambda: Integers(2).read([0, 3]), "gene 2 must be from 0 to 1, got 3"),
        (lambda: Integers(2).read([0]), "wanted 2 genes, got 1"),
        (lambda: Reals(2).read([0.0, float("nan")]), "wanted a list of 2 numbers"),
        (lambda: Reals(2).read([0.0, 2.0]), "gene 2 must be from 0.0 to 1.0, got 2.0"),
        (lambda: SelfAdaptive(Reals(1)).read([0.0]), "has values and steps"),
        (lambda: SelfAdaptive(Reals(1)).read({"values": [0.0], "steps": [0.0]}), "steps are above 0"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(make, message):
    with pytest.raises(BadParameter, match=message) as found:
        make()
    assert "\n" not in str(found.value)
