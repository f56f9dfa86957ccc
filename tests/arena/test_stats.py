"""Statistics of results: published values, other people's programs, laws, and simulated error rates."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize
from scipy import stats as scipy_stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

from ludwin.arena.stats import (
    NORMALISED_ELO,
    Estimate,
    Sprt,
    elo,
    elo_of,
    holm,
    likelihood_of_superiority,
    llr,
    mann_whitney,
    normalised_elo,
    normality,
    pentanomial,
    score,
    score_of,
    summary,
    trinomial,
    welch_t,
)
from ludwin.errors import BadParameter

pytestmark = pytest.mark.thorough

EDGES = np.linspace(-0.5, 0.5, 5)
PAIRS = (0, 0.5, 1, 1.5, 2)

# Tests of Stockfish: counts, Elo ±, normalised Elo ±, log-likelihood ratio, its bounds.
PUBLISHED = [
    ((379, 10170, 21828, 10640, 343), (1.59, 1.21), (3.05, 2.31), 2.945, (0, 2)),
    ((177, 1629, 3083, 1780, 221), (6.03, 3.49), (10.01, 5.80), 2.913, (0, 3)),
    ((158, 5733, 11998, 5828, 201), (1.31, 1.62), None, 1.215, (0, 3)),
]

# Probabilities of the pair scores, each with strength 0.
BALANCED, DRAWISH, SHARP = (
    (0.05, 0.2, 0.5, 0.2, 0.05),
    (0.002, 0.05, 0.896, 0.05, 0.002),
    (0.25, 0.001, 0.498, 0.001, 0.25),
)

counts = st.one_of(st.lists(st.integers(0, 200), min_size=k, max_size=k) for k in (3, 5)).map(tuple)
small = [c for k in (3, 5) for c in itertools.product(range(4), repeat=k) if sum(c) <= 3]


def close(a, b):
    """The same number, infinities included."""
    return a == b or math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


# ---- Oracles -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("results", "in_elo", "in_normalised", "ratio", "bounds"), PUBLISHED)
def test_agrees_with_published_tests_of_stockfish(results, in_elo, in_normalised, ratio, bounds):
    estimate = elo(results)
    assert (round(estimate.value, 2), estimate.margin) == (in_elo[0], pytest.approx(in_elo[1], rel=0.01))
    assert estimate.margin > in_elo[1] - 0.005  # theirs is Wald's, ours never narrower
    if in_normalised:
        estimate = normalised_elo(results)
        assert (round(estimate.value, 2), estimate.margin) == (
            in_normalised[0],
            pytest.approx(in_normalised[1], rel=0.02),
        )
    assert llr(results, *bounds) == pytest.approx(ratio, abs=0.0006)


def test_the_published_tests_end_as_published():
    assert Sprt(0, 2).bounds == pytest.approx((-2.944, 2.944), abs=0.0005)  # log(0.95 / 0.05)
    assert Sprt(0, 2).decide(PUBLISHED[0][0]) == "accept"
    assert Sprt(0, 3).decide(PUBLISHED[1][0]) == "continue"
    assert Sprt(0, 3).decide(PUBLISHED[2][0]) == "continue"
    assert Sprt(0, 3).decide(PUBLISHED[1][0][::-1]) == "reject"


@given(wins=st.integers(0, 500), losses=st.integers(0, 500), level=st.sampled_from((0.8, 0.95, 0.99)))
def test_without_draws_the_score_has_the_interval_of_clopper_and_pearson(wins, losses, level):
    assume(wins + losses)
    ours = score(trinomial(wins, 0, losses), level)
    theirs = proportion_confint(wins, wins + losses, alpha=1 - level, method="beta")
    assert (ours.low, ours.high) == pytest.approx(theirs, abs=1e-9)


@given(wins=st.integers(0, 300), losses=st.integers(0, 300))
def test_likelihood_of_superiority_is_near_that_of_a_uniform_prior(wins, losses):
    exact = 1 - scipy_stats.beta.cdf(0.5, wins + 1, losses + 1)
    assert likelihood_of_superiority(trinomial(wins, 0, losses)) == pytest.approx(exact, abs=0.012)


def test_elo_is_the_logistic_of_the_score():
    assert elo_of(10 / 11) == pytest.approx(400)
    assert score_of(400) == pytest.approx(10 / 11)
    assert elo(trinomial(60, 20, 20)).value == pytest.approx(400 * math.log10(0.7 / 0.3))


def world(base, nelo):
    """Probabilities of the pair scores with exactly this normalised Elo: `base`, tilted."""
    t = nelo * math.sqrt(2) / NORMALISED_ELO

    def tilted(x):
        weights = np.array(base) * np.exp(x * EDGES)
        return weights / weights.sum()

    def excess(x):
        p = tilted(x)
        return p @ EDGES / math.sqrt(p @ (EDGES - p @ EDGES) ** 2) - t

    return tilted(optimize.brentq(excess, -30, 30))


def best_with_moments(n, *rows):
    """The largest likelihood of distributions under which all rows have mean 0: Newton on the multipliers, a convex
    problem.
    """
    h, x = np.array(rows), np.zeros(len(rows))

    def value(x):
        weight = 1 + x @ h
        return n @ np.log(weight) if weight.min() > 0 else -math.inf

    for _ in range(60):
        weight = 1 + x @ h
        slope = h @ (n / weight)
        step = np.linalg.solve((h * (n / weight**2)) @ h.T + 1e-12 * np.eye(len(h)), slope)
        if slope @ step < 1e-9:
            return n @ np.log(n / n.sum()) - value(x)
        size = 1.0
        while size > 1e-12 and value(x + size * step) < value(x) + 0.1 * size * (slope @ step):
            size /= 2
        x = x + size * step
    return -math.inf  # no such distribution


def by_search(results, strength, model):
    """The largest likelihood under the hypothesis: where mean and deviation are linked, by a search over the
    deviation.
    """
    n = np.array(results, float)
    t = strength * math.sqrt(2) / NORMALISED_ELO
    if model == "logistic" or t == 0:
        return best_with_moments(n, EDGES - (score_of(strength) - 0.5))

    def loss(deviation):
        return -best_with_moments(n, EDGES - t * deviation, (EDGES - t * deviation) ** 2 - deviation**2)

    grid = np.linspace(0.005, 0.495, 99)
    k = int(np.argmin([loss(deviation) for deviation in grid]))
    low, high = grid[max(k - 1, 0)], grid[min(k + 1, 98)]
    for _ in range(30):  # thirds
        a, b = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, b) if loss(a) < loss(b) else (a, high)
    return -loss((low + high) / 2)


@pytest.mark.parametrize("model", ["normalised", "logistic"])
@pytest.mark.parametrize("bounds", [(0, 50), (-30, 10), (0, 250), (-200, -60)])
@pytest.mark.parametrize("results", [(3, 20, 60, 25, 4), (1, 1, 2, 5, 9), (40, 3, 20, 5, 32), (1, 4, 231, 8, 2)])
def test_the_ratio_is_that_of_exact_maximum_likelihoods(results, bounds, model):
    expected = by_search(results, bounds[1], model) - by_search(results, bounds[0], model)
    assert llr(results, *bounds, model) == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_a_drawish_sample_finds_the_better_of_two_peaks():
    # Regression: climbing from one start only missed this likelihood by 2.08.
    found = by_search((1, 3, 233, 3, 1), 170, "normalised") - by_search((1, 3, 233, 3, 1), 0, "normalised")
    assert llr((1, 3, 233, 3, 1), 0, 170) == pytest.approx(found, abs=1e-3)


def by_van_den_bergh(results, nelo):
    """The likelihood by the iteration of the GSPRT notes: the constraint straightened at the last distribution."""
    n = np.array(results, float)
    n[n == 0] = 1e-3
    p, q = n / n.sum(), np.full(5, 0.2)
    t = nelo * math.sqrt(2) / NORMALISED_ELO
    for _ in range(60):
        mean = q @ EDGES
        deviation = math.sqrt(q @ (EDGES - mean) ** 2)
        g = EDGES - t * deviation * (1 + ((mean - EDGES) / deviation) ** 2) / 2
        ends = -1 / g.max() * (1 - 1e-12), -1 / g.min() * (1 - 1e-12)
        x = optimize.brentq(lambda x, g=g: (p * g / (1 + x * g)).sum(), *ends, xtol=1e-14)
        q = p / (1 + x * g)
    return n @ np.log(q)


@settings(max_examples=60, deadline=None)
@given(
    results=st.lists(st.integers(0, 400), min_size=5, max_size=5),
    bounds=st.sampled_from([(0, 2), (0, 10), (-5, 0), (-3, 20)]),
)
def test_agrees_with_van_den_berghs_iteration(results, bounds):
    assume(sum(results) > 20)
    low, high = (by_van_den_bergh(results, b) for b in bounds)
    assert llr(results, *bounds) == pytest.approx(high - low, abs=1e-5)


samples = st.lists(st.floats(-100, 100).map(lambda v: round(v, 2)), min_size=2, max_size=60)


@given(x=samples, y=samples)
def test_two_samples_are_compared_as_scipy_does(x, y):
    assume(len(set(x + y)) > 1)
    theirs = scipy_stats.mannwhitneyu(x, y, alternative="two-sided")
    assert (mann_whitney(x, y).statistic, mann_whitney(x, y).p) == pytest.approx(tuple(theirs), abs=1e-6)
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    theirs = scipy_stats.ttest_ind(x, y, equal_var=False)
    assert (welch_t(x, y).statistic, welch_t(x, y).p) == pytest.approx(tuple(theirs), abs=1e-6)


@pytest.mark.parametrize("size", [20, 50, 400])
@pytest.mark.parametrize("shape", ["normal", "exponential", "uniform"])
def test_normality_is_judged_as_scipy_does(size, shape):
    x = getattr(np.random.default_rng(size), shape)(size=size)
    theirs = scipy_stats.normaltest(x)
    assert (normality(x).statistic, normality(x).p) == pytest.approx(tuple(theirs), abs=1e-6)
    assert shape == "normal" or size < 400 or normality(x).p < 1e-6


@pytest.mark.parametrize("size", [1, 2, 3, 10, 40])
def test_holms_correction_is_that_of_statsmodels(size):
    p_values = np.random.default_rng(size).beta(0.3, 2, size).round(2).tolist()
    assert holm(p_values) == pytest.approx(multipletests(p_values, method="holm")[1].tolist(), abs=1e-12)


# ---- Laws --------------------------------------------------------------------------------------


@given(counts)
def test_swapping_sides_negates(results):
    for of in (elo, normalised_elo):
        ours, theirs = of(results), of(results[::-1])
        assert close(ours.value, -theirs.value)
        assert close(ours.low, -theirs.high)
        assert close(ours.high, -theirs.low)
    assert likelihood_of_superiority(results) + likelihood_of_superiority(results[::-1]) == pytest.approx(1)


@settings(deadline=None)
@given(counts, st.floats(-300, 300), st.floats(1, 200), st.sampled_from(("normalised", "logistic")))
def test_swapping_sides_and_hypotheses_negates_the_ratio(results, low, width, model):
    there = llr(results, low, low + width, model)
    assert math.isfinite(there)
    assert llr(results[::-1], -low - width, -low, model) == pytest.approx(-there, rel=1e-6, abs=1e-6)


@given(counts, st.sampled_from((0.5, 0.95, 0.999)))
def test_intervals_hold_the_estimate_and_scores_stay_scores(results, level):
    s = score(results, level)
    assert 0 <= s.low <= s.value <= s.high <= 1
    for estimate in (elo(results, level), normalised_elo(results, level)):
        assert estimate.low <= estimate.value <= estimate.high
        assert estimate.low < estimate.high


@given(counts, st.data())
def test_a_better_result_never_lowers_score_or_elo(results, data):
    assume(any(results[:-1]))
    worse = data.draw(st.sampled_from([k for k, n in enumerate(results[:-1]) if n]))
    better = list(results)
    better[worse] -= 1
    better[worse + 1] += 1
    assert score(better).value > score(results).value
    assert elo(better).value > elo(results).value


@given(counts)
def test_more_of_the_same_is_more_certain(results):
    assume(any(results))
    more = [4 * n for n in results]
    assert score(more).margin < score(results).margin
    assert score(more).value == pytest.approx(score(results).value)


@given(counts)
def test_superiority_and_score_point_the_same_way(results):
    above = score(results).value - 0.5
    assert (likelihood_of_superiority(results) - 0.5) * above >= 0
    assert normalised_elo(results).value * above >= 0


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(PAIRS), max_size=80),
    st.lists(st.sampled_from(PAIRS), max_size=5),
    st.sampled_from(("normalised", "logistic")),
)
def test_the_first_decision_is_the_first_prefix_that_decides(pairs, later, model):
    test = Sprt(0, 120, alpha=0.2, beta=0.2, model=model)
    decided = [2 * k for k in range(1, len(pairs) + 1) if test.decide(pentanomial(pairs[:k])) != "continue"]
    assert test.first_decision(pairs) == (decided[0] if decided else None)
    if decided:
        assert test.first_decision(pairs + later) == decided[0]


def test_a_long_match_is_judged_in_parts_as_if_at_once():
    pairs = np.random.default_rng(4).choice(PAIRS, p=[0.1, 0.2, 0.4, 0.2, 0.1], size=2500).tolist()
    test = Sprt(-2, 2)
    decided = test.first_decision(pairs)
    assert decided is None
    assert test.llr(pentanomial(pairs)) != 0
    at = Sprt(-15, 15).first_decision(pairs)
    assert Sprt(-15, 15).decide(pentanomial(pairs[: at // 2])) != "continue"
    assert Sprt(-15, 15).decide(pentanomial(pairs[: at // 2 - 1])) == "continue"


# ---- Defined answers ---------------------------------------------------------------------------


@pytest.mark.parametrize("results", small)
def test_few_games_have_answers(results):
    said = summary(results)
    numbers = [v for e in (said.score, said.elo, said.normalised_elo) for v in (e.value, e.low, e.high)]
    assert not any(math.isnan(v) for v in numbers)
    assert 0 < said.superiority < 1
    assert math.isfinite(llr(results, 0, 5))
    assert math.isfinite(llr(results, -200, 600, "logistic"))
    assert said.games == sum(results) * (2 if len(results) == 5 else 1)


def test_no_games_are_ignorance():
    assert summary((0, 0, 0, 0, 0)) == summary((0, 0, 0))
    assert score((0, 0, 0)) == Estimate(0.5, 0.0, 1.0)
    assert elo((0, 0, 0)) == normalised_elo((0, 0, 0)) == Estimate(0.0, -math.inf, math.inf)
    assert likelihood_of_superiority((0, 0, 0)) == 0.5
    assert llr((0, 0, 0, 0, 0), 0, 10) == 0
    assert Sprt(0, 10).first_decision([]) is None


@pytest.mark.parametrize("n", [1, 10, 1000])
def test_a_sweep_is_infinite_with_a_finite_end(n):
    won = summary(trinomial(n, 0, 0))
    assert (won.score.value, won.score.high, won.elo.value, won.elo.high) == (1, 1, math.inf, math.inf)
    assert math.isfinite(won.elo.low)
    assert math.isfinite(won.normalised_elo.low) == (n > 1)
    assert (won.elo.low > 0) == (won.normalised_elo.low > 0) == (n > 1)
    assert summary(trinomial(0, 0, n)).elo.low == -math.inf


@pytest.mark.parametrize("n", [1, 10, 1000])
@pytest.mark.parametrize("cells", [3, 5])
def test_all_draws_are_equality_and_more_of_them_say_so_better(n, cells):
    results = [0] * cells
    results[cells // 2] = n
    drawn = summary(results)
    assert (drawn.score.value, drawn.elo.value, drawn.normalised_elo.value, drawn.superiority) == (0.5, 0, 0, 0.5)
    assert drawn.score.margin == pytest.approx(1.3 / n, rel=0.7)
    assert llr(results, 0, 20) < 0 < llr(results, -20, 0)


def test_infinite_numbers_are_null_in_json():
    assert json.loads(json.dumps(elo((0, 0, 1)).as_json(), allow_nan=False))["high"] is None
    assert str(Estimate(-0.0, -1.234, math.inf)) == "0.00 [-1.23, inf]"


def test_too_small_or_constant_samples_are_no_evidence():
    for evidence in (
        mann_whitney([], [1.0]),
        mann_whitney([2, 2], [2]),
        welch_t([1.0], [2, 3]),
        welch_t([1, 1], [1, 1]),
        normality([1, 2, 3]),
        normality([4.0] * 50),
    ):
        assert evidence.p == 1
    assert (welch_t([1, 1], [2, 2]).statistic, welch_t([1, 1], [2, 2]).p) == (-math.inf, 0)
    assert 0 < normality(range(10)).p <= 1
    assert holm([]) == []


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: score((1, 2)), "three .* or five"),
        (lambda: score((1, 2, -1)), "at least 0"),
        (lambda: score((1, math.nan, 1)), "three .* or five"),
        (lambda: score((1, 2, 3), 1.0), "level"),
        (lambda: elo_of(1.5), "between 0 and 1, got 1.5"),
        (lambda: Sprt(5, 0), "lower first.* got 5 and 0"),
        (lambda: Sprt(0, math.inf), "within ±2000"),
        (lambda: Sprt(0, 5, alpha=0), "alpha and beta"),
        (lambda: Sprt(0, 5, model="bayes"), "'normalised' or 'logistic', got 'bayes'"),
        (lambda: Sprt(0, 5).first_decision([0.7]), "0, 0.5, 1, 1.5 or 2, got 0.7"),
        (lambda: pentanomial([3]), "got 3"),
        (lambda: welch_t([1, math.nan], [1, 2]), "finite"),
        (lambda: holm([2.0]), "p-values lie between 0 and 1"),
    ],
)
def test_mistakes_are_told(mistake, words):
    with pytest.raises(BadParameter, match=words):
        mistake()


# ---- Simulations -------------------------------------------------------------------------------


def errors(test, base, runs, seed):
    """How often the test errs under either hypothesis, in `runs` matches each."""
    rng = np.random.default_rng(seed)
    wrong = []
    for truth, mistake in ((test.low, "accept"), (test.high, "reject")):
        p, count = world(base, truth), 0
        for _ in range(runs):
            pairs = rng.choice(PAIRS, p=p, size=round(2e7 / (test.high - test.low) ** 2)).tolist()
            at = test.first_decision(pairs)
            assert at is not None
            count += test.decide(pentanomial(pairs[: at // 2])) == mistake
        wrong.append(count)
    return wrong


@pytest.mark.parametrize("base", [BALANCED, SHARP])
def test_sprt_errs_as_seldom_as_it_says(base):
    # Of 120 matches 6 may err; more than 15 do so by chance in 3 of 10,000 runs, and the seed is fixed.
    assert max(errors(Sprt(0, 100), base, runs=120, seed=11)) <= 15


@pytest.mark.slow
@pytest.mark.parametrize("base", [BALANCED, DRAWISH, SHARP])
@pytest.mark.parametrize("bounds", [(0, 30), (-20, 20), (0, 100)])
def test_sprt_errs_as_often_as_it_says(bounds, base):
    # Of 600 matches 30 may err; more than 50 do so by chance in 2 of 10,000 runs.
    first, second = errors(Sprt(*bounds), base, runs=600, seed=12)
    print(f"{bounds} {base}: {first / 600:.3f} accepted wrongly, {second / 600:.3f} rejected wrongly")
    assert max(first, second) <= 50


@pytest.mark.parametrize(
    "truth",
    [
        BALANCED,
        (0.02, 0.1, 0.3, 0.4, 0.18),
        (0.01, 0.02, 0.07, 0.2, 0.7),
        (0.3, 0.0, 0.7),
        (0.05, 0.15, 0.8),
        (0.2, 0.6, 0.2),
    ],
)
def test_intervals_hold_the_truth_19_times_in_20(truth):
    edges = np.linspace(-0.5, 0.5, len(truth))
    mean = truth @ edges
    strength = mean / math.sqrt(truth @ (edges - mean) ** 2) * NORMALISED_ELO / math.sqrt(2 if len(truth) == 5 else 1)
    held = [0, 0]
    for results in np.random.default_rng(3).multinomial(60, truth, size=800).tolist():
        s, n = score(results), normalised_elo(results)
        held[0] += s.low <= 0.5 + mean <= s.high
        held[1] += n.low <= strength <= n.high
    # 760 expected; below 736 is a chance of 1 in 10,000 if exactly 95 % hold.
    assert min(held) >= 736
