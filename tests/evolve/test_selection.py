"""Selection: frequencies are those of the formulas, and a comparator is enough."""

import math

import pytest
from scipy.stats import chisquare

from ludwin.errors import BadParameter
from ludwin.evolve.engine import Individual, Plan
from ludwin.evolve.selection import (
    Candidates,
    by_comparison,
    by_worth,
    chooser,
    comparison,
    different,
    duel,
    leaders,
    proportionate,
    rank,
    roulette,
    shares_beaten,
    tournament,
    worths,
)
from ludwin.program.stream import Stream

DRAWS = 100_000
RARE = 1e-4  # of a false alarm; the seeds are fixed, so a test that is green stays green


def counts(choose, n, seed=1, draws=DRAWS):
    stream, found = Stream(seed), [0] * n
    for _ in range(draws):
        found[choose(stream)] += 1
    return found


def agrees(found, chances):
    """All frequencies within 1 % of the draws, and no worse than chance alone explains."""
    total = sum(found)
    assert all(abs(f / total - c) < 0.01 for f, c in zip(found, chances, strict=True))
    seen = [(f, c * total) for f, c in zip(found, chances, strict=True) if c > 0]
    assert sum(f for f, _ in seen) == total, "somebody without any chance was chosen"
    assert chisquare([f for f, _ in seen], [e for _, e in seen]).pvalue > RARE


def test_proportionate_frequencies_are_shares_of_fitness():
    fitness = [0.0, 1.0, 2.0, 3.0, 4.5, 9.5]
    agrees(counts(proportionate(fitness), 6), [f / 20 for f in fitness])


def test_proportionate_counts_from_the_least_where_fitness_is_negative():
    agrees(counts(proportionate([-1.0, 0.0, 1.0]), 3), [0, 1 / 3, 2 / 3])


def test_without_any_fitness_all_are_alike():
    agrees(counts(proportionate([0.0] * 5), 5), [0.2] * 5)
    agrees(counts(proportionate([-3.0] * 5), 5), [0.2] * 5)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_tournament_frequencies_follow_from_the_largest_of_some_draws(size):
    n = 10
    worth = [float(i) for i in range(n)]
    found = counts(tournament(by_worth(worth), n, size), n)
    agrees(found, [((i + 1) ** size - i**size) / n**size for i in range(n)])
    assert abs(found[-1] / DRAWS - (1 - (1 - 1 / n) ** size)) < 0.01


def test_a_duel_is_between_two_different_ones_and_the_worst_never_wins():
    n = 5
    found = counts(duel(by_worth([float(i) for i in range(n)]), n), n)
    agrees(found, [2 * i / (n * (n - 1)) for i in range(n)])


def test_a_tied_duel_goes_to_the_second():
    choose = duel(lambda a, b: False, 7)
    for seed in range(200):
        assert choose(Stream(seed)) == different(7, Stream(seed))[1]
    assert duel(lambda a, b: False, 1)(Stream(0)) == 0


def test_all_ordered_pairs_of_different_ones_are_equally_likely():
    stream, found = Stream(3), {}
    for _ in range(20_000):
        pair = different(5, stream)
        found[pair] = found.get(pair, 0) + 1
    assert len(found) == 20 and all(a != b for a, b in found)
    assert chisquare(list(found.values())).pvalue > RARE


@pytest.mark.parametrize("pressure", [1.0, 1.5, 2.0])
def test_rank_selection_is_linear_in_the_rank_whatever_the_numbers(pressure):
    worth = [100.0, 0.001, 7.0, -50.0]  # ranks 3, 1, 2, 0
    chances = [(2 - pressure + 2 * (pressure - 1) * r / 3) / 4 for r in (3, 1, 2, 0)]
    assert math.isclose(sum(chances), 1)
    agrees(counts(rank(worth, pressure), 4), chances)


def test_equals_share_their_rank():
    agrees(counts(rank([5.0, 5.0, 1.0], 2.0), 3), [0.5, 0.5, 0])


def test_a_roulette_never_stops_where_there_is_no_weight():
    found = counts(roulette([0.0, 1.0, 0.0, 1.0, 0.0]), 5, draws=2000)
    assert found[0] == found[2] == found[4] == 0 < min(found[1], found[3])


def lap(time, distance):
    """A driver: the time of its lap (0 if it did not finish) and how far it came; it has no fitness that could be
    read.
    """
    return Individual("driver", math.nan, {"time": time, "distance": distance})


def faster(a, b):
    """Finishers before others, then by time, then by distance."""
    if (a.detail["time"] > 0) != (b.detail["time"] > 0):
        return 1 if a.detail["time"] > 0 else -1
    return b.detail["time"] - a.detail["time"] if a.detail["time"] > 0 else a.detail["distance"] - b.detail["distance"]


DRIVERS = [lap(0, 10), lap(0, 900), lap(200, 1000), lap(150, 1000)]  # from worst to best


def test_a_tournament_works_from_a_comparator_alone():
    beats = by_comparison(DRIVERS, faster)
    assert beats(2, 1) and beats(3, 2) and beats(1, 0) and not beats(0, 0) and not beats(1, 2)
    people = [Individual(k, 0.0) for k in range(4)]
    choose = chooser(Candidates(Plan(selection="comparator", tournament=3), people, [math.nan] * 4, beats))
    agrees(counts(choose, 4), [((i + 1) ** 3 - i**3) / 64 for i in range(4)])
    assert shares_beaten(DRIVERS, faster) == [0, 1 / 3, 2 / 3, 1]
    assert shares_beaten([DRIVERS[0]] * 3, faster) == [0.5] * 3


def test_a_plan_with_a_comparator_wants_a_fitness_that_has_one():
    assert comparison(object(), Plan()) is None
    with pytest.raises(BadParameter, match="needs a fitness that compares"):
        comparison(object(), Plan(selection="comparator"))


def test_parsimony_takes_its_price_and_leaders_are_the_best_in_order():
    individuals = [
        Individual("a", 5.0, size=10),
        Individual("b", 4.9, size=2),
        Individual("c", 5.0, size=10),
        Individual("d", 1.0),
    ]
    assert leaders(worths(individuals), 3) == [0, 2, 1]
    assert leaders(worths(individuals, 0.1), 2) == [1, 0]
    assert worths(individuals, 0.1)[0] == 4.0
