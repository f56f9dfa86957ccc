"""Measures: known values, directions, and what files make of them."""

import json
import math

import numpy as np
import pytest

from ludwin.arena.standing import Tally
from ludwin.errors import BadParameter
from ludwin.evolve.store import MEASURE, read_measure
from ludwin.formats import examine
from ludwin.lab.experiment import row_of
from ludwin.measure import Measure, rank

LAPS = [160.2, 161.0, 160.3, 160.9]  # mean 160.6
MORE_LAPS = [*LAPS, 160.6]


def laps(*seconds):
    return Measure.of_samples("lap time", seconds, opponent="sepang", unit="s", direction="less")


def test_a_score_has_the_interval_of_clopper_and_pearson():
    found = Measure.of("random", (2, 0, 8))
    # oracle: the tabled 95 % limits of 8 successes in 10 trials
    assert (found.value, found.n) == (0.8, 10)
    assert (found.low, found.high) == (pytest.approx(0.4439, abs=1e-4), pytest.approx(0.9748, abs=1e-4))


def test_a_rate_is_a_score_by_another_name():
    assert Measure.of_rate("deals solved", 9, 10).low == pytest.approx(0.5550, abs=1e-4)  # tabled
    assert Measure.of_rate("deals solved", 0, 0).n == 0
    with pytest.raises(BadParameter, match="11 of 10 cannot be"):
        Measure.of_rate("deals solved", 11, 10)


def test_samples_have_students_interval():
    found = laps(*LAPS)
    # by hand: mean 160.6, deviation 0.40825, t(3) = 3.18245, so ± 0.64961
    assert found.value == pytest.approx(160.6)
    assert found.high - found.value == pytest.approx(3.182446 * 0.408248 / 2, rel=1e-5)
    assert str(found) == "lap time 160.60 s [159.95, 161.25]"


def test_a_bootstrap_is_the_same_for_the_same_seed_and_holds_the_mean():
    skewed = [1.0] * 30 + [50.0]
    one, two = (Measure.of_samples("nodes", skewed, bootstrap=True, seed=seed) for seed in (3, 3))
    assert one == two
    assert one.low < one.value < one.high
    assert one.low >= 1.0 > Measure.of_samples("nodes", skewed).low  # which no resample can be below, and Student is


def test_one_sample_has_no_interval_and_says_so():
    found = Measure.single("nodes", 5184, direction="less")
    assert not found.has_interval and found.n == 1
    assert str(found) == "nodes 5184 (one sample, no interval)"
    assert found.keys()["low"] is None
    assert found.verdict(5184) == "measured"
    assert laps(160.0).verdict(160.0) == "measured"


@pytest.mark.parametrize(("direction", "better"), [("more", 1), ("less", 0)])
def test_the_direction_decides_who_is_better(direction, better):
    two = [Measure.of_samples("m", [v, v + 0.1, v - 0.1, v, v], direction=direction) for v in (10.0, 20.0)]
    assert two[better].better_than(two[1 - better])
    assert two[better].surely_better_than(two[1 - better])
    assert not two[1 - better].surely_better_than(two[better])
    assert rank(two)[0] == better
    assert two[better].verdict(15.0) == "beaten"
    assert two[1 - better].verdict(15.0) == "below"


def test_too_few_samples_reproduce_nothing():
    """Two decisions of 23.0 ± 806 once reproduced 417.6."""
    two = Measure.of_samples("nodes", [86.5, -40.5])
    assert two.low < 417.6 < two.high
    assert two.verdict(417.6) == "measured" and two.verdict(417.6, least=2) == "reproduced"
    assert Measure.exact("x", 0.5).verdict(0.5) == "reproduced"  # nothing was sampled


def test_overlapping_intervals_are_not_surely_better():
    fast, slow = laps(160.0, 161.0, 160.5), laps(160.2, 161.2, 160.7)
    assert fast.better_than(slow) and not fast.surely_better_than(slow)


def test_different_things_do_not_compare():
    with pytest.raises(BadParameter, match=r"lap time in s \(less is better\) cannot be compared with nodes"):
        laps(1.0, 2.0).better_than(Measure.single("nodes", 3))


@pytest.mark.parametrize("direction", ["up", "", "MORE"])
def test_a_direction_is_more_or_less(direction):
    with pytest.raises(BadParameter, match="more or less"):
        Measure.single("m", 1.0, direction=direction)


@pytest.mark.parametrize("values", [[], [math.nan], [1.0, math.inf]])
def test_samples_are_finite_numbers(values):
    with pytest.raises(BadParameter, match="finite numbers"):
        Measure.of_samples("m", values)


@pytest.mark.parametrize(
    "measure",
    [
        laps(*LAPS),
        Measure.single("nodes", 7, direction="less"),
        Measure.of("random", (1, 2, 7)),
        Measure.of("random", (1, 0, 2, 0, 7)),
        Measure.exact("target", 0.5),
        Measure.of_rate("deals solved", 3, 4, opponent="deals 1-4"),
    ],
)
def test_a_measure_survives_its_file(measure, tmp_path):
    data = measure.as_json()
    examine(data, MEASURE)
    again = read_measure(tmp_path, data)
    assert again.keys() == measure.keys()
    assert (again.opponent, again.counts) == (measure.opponent, measure.counts)


def test_a_score_keeps_the_keys_of_older_files():
    assert list(Measure.of("random", (1, 0, 1)).as_json()) == [
        "opponent",
        "score",
        "low",
        "high",
        "games",
        "counts",
        "distinct",
        "effective",
    ]
    assert list(Measure.exact("x", 1.0).as_json()) == ["opponent", "score", "low", "high", "games"]


def test_every_other_measure_has_the_seven_keys():
    assert list(laps(*LAPS).keys()) == ["metric", "value", "low", "high", "n", "unit", "direction"]


def test_a_match_is_a_measure():
    tally = Tally()
    for mine, other in ((1, -1), (1, -1), (0, 0), (1, -1)):
        tally.note(mine, other)
    found, old = tally.measure("random"), tally.summary().score
    assert (found.value, found.low, found.high, found.n) == (tally.score, old.low, old.high, 4)
    assert found.metric == "score"


def test_a_cell_of_a_table_minds_the_direction():
    row = row_of("sepang", laps(*MORE_LAPS), published=170.0)
    assert (row.metric, row.verdict, row.games) == ("lap time (s)", "beaten", 5)
    assert row_of("sepang", laps(*MORE_LAPS), published=150.0).verdict == "below"
    single = row_of("sepang", laps(160.0), published=150.0)
    assert (single.verdict, single.low, single.note) == ("measured", 160.0, "one sample, no interval")


# Whatever is handed in


@pytest.mark.parametrize(
    "values", [["a"], "12", [None], None, 3, [10**400], [1e308, 1e308], [[1.0, 2.0]], [math.nan], [], np.ones((2, 2))]
)
@pytest.mark.parametrize("bootstrap", [False, True])
def test_what_is_no_list_of_numbers_is_refused(values, bootstrap):
    with pytest.raises(BadParameter, match=r"^lap"):
        Measure.of_samples("lap", values, bootstrap=bootstrap)


@pytest.mark.parametrize("value", ["x", None, 10**400, math.nan, math.inf])
def test_a_value_is_a_number(value):
    with pytest.raises(BadParameter, match=r"nodes must be a number"):
        Measure.single("nodes", value)


@pytest.mark.parametrize(("low", "high", "n"), [(3, 2, 5), (0, 2, -3), (0, 2, "3"), (0, 2, True), (math.nan, 2, 5)])
def test_an_interval_has_two_ends_and_a_number_of_samples(low, high, n):
    with pytest.raises(BadParameter, match="a measure of score"):
        Measure("x", 1, low, high, n)


@pytest.mark.parametrize(("hits", "n"), [(2, 1), (-1, 1), ("1", 2), (None, None), (1.5, 2), (10**30, 10**31)])
def test_a_rate_is_so_many_of_so_many(hits, n):
    with pytest.raises(BadParameter, match="cannot be"):
        Measure.of_rate("deals", hits, n)


def test_nothing_seen_reproduces_nothing():
    for nothing in (Measure.of_rate("deals solved", 0, 0), Measure.of("random", (0, 0, 0))):
        assert nothing.verdict(0.5) == "measured" and not nothing.is_exact
        assert str(nothing).removeprefix("deals solved ").split()[1] in ("[0.000,", "[0.00,")
    assert Measure.exact("x", 0.5).verdict(0.5) == "reproduced"


@pytest.mark.parametrize("published", [math.nan, math.inf, "x", 10**400])
def test_a_published_value_is_a_number(published):
    with pytest.raises(BadParameter, match="a published value"):
        laps(*MORE_LAPS).verdict(published)
    for tolerance in (math.nan, -1.0, "x"):
        with pytest.raises(BadParameter, match=r"toleran|give or take"):
            laps(*MORE_LAPS).verdict(160.0, tolerance)


@pytest.mark.parametrize(
    "measure",
    [
        Measure.single("score", 0.5),
        Measure.of_samples("score", [0.5]),
        Measure.single("nodes", np.float32(3.5)),
        Measure("x", 0.0, -1e308, 1e308, 3, metric="m"),
        Measure("x", 0.0, -math.inf, 3.0, 3, metric="m"),
    ],
)
def test_odd_measures_survive_json_as_well(measure):
    text = json.dumps(measure.as_json(), allow_nan=False)
    assert Measure.from_json(json.loads(text)) == measure and str(measure)


@pytest.mark.parametrize(
    "values, said",
    [
        ([3e-9, 4e-9, 5e-9], "error 4e-09 [1.516e-09, 6.484e-09]"),
        ([2e200, 2e200], "error 2e+200 [2e+200, 2e+200]"),
        ([0.0, 0.0], "error 0 [0, 0]"),
        ([1.25, 1.75], "error 1.5 [-1.7, 4.7]"),
    ],
)
def test_tiny_and_huge_numbers_are_neither_hidden_nor_rows_of_figures(values, said):
    assert str(Measure.of_samples("error", values)) == said


def test_what_is_exact_and_small_is_not_said_to_be_nothing():
    assert str(Measure.exact("rows", 0.0004, "error")) == "error 0.0004"
    assert str(Measure.exact("rows", -0.0, "error")) == "error 0"
