"""What the results of games say, and how far they can be believed.

Why it is here.  A match is a sample.  This module turns its counts into estimates with 95 %
intervals, decides as early as honesty allows whether one agent is stronger (SPRT), and holds the
usual tests for other measurements.  All of it has an answer for 0-N, for nothing but draws, for
one game and for none.

Counts.  Results come as counts in the order of their score, from all lost to all won: five for pairs
of games with sides swapped (pair score 0, 1/2, 1, 3/2, 2), three for single games (lost, drawn, won;
`trinomial` builds them from wins, draws and losses).  Two games of one opening are not independent,
so pairs are the better sample: the noise of the opening cancels.

Normalised Elo.  The mean score above 1/2, in standard deviations of one game's score, times
800 / ln 10: unlike Elo it says how many games a difference costs to see, whatever the share of draws.

No games at all are the answer of ignorance: score 1/2 in [0, 1], Elo 0 in [-inf, inf], likelihood of
superiority 1/2.  A clean sweep has Elo inf, with a finite end on the other side.

Repeated games.  Two players who hardly ever vary play the same few games again and again, and 2,000 copies
of one game say no more than one about who plays better.  What a match wants to know is the score over
all situations that the two might meet; each different game is one look at these, and the copies only
settle how much it weighs.  If the results of different games are independent with one variance v, and
game k makes up the share w_k of the match, the mean score has the variance v · Σ w_k², so the match is worth
1 / Σ w_k² independent games (Kish's effective sample size): 1 for copies of one game, all of them if no two are
equal, and never more than there are different ones.  `Repeats` counts this, and intervals, ratings and
sequential tests take the `share` of the games that it leaves.  The price: at a game so small that honest
random players repeat themselves, intervals are wider than they need be; they never are too narrow for that.

Coverage.  Without draws the interval of the score (and so of Elo) covers the truth at least 19 times in 20,
however few games there are (Clopper and Pearson).  With draws and with pairs it was enumerated: for 2 to 30
games, 2 to 95 % draws and 1 to 24 pairs never below 0.95; so for normalised Elo (`tests/arena/test_coverage.py`).

References.  C. J. Clopper, E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26 (1934), 404-413.  L. Kish, Survey Sampling (1965).  A. Wald, Sequential Analysis (1947).
M. Van den Bergh, "A practical introduction to the GSPRT" and "Normalized Elo" (2017-2021), the notes behind Stockfish's
fishtest.  A. Owen, Empirical Likelihood (2001).  S. Holm, "A simple sequentially rejective multiple
test procedure", Scand. J. Statist. 6 (1979), 65-70.
"""

import math
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, stdev
from typing import Literal

from ludwin.errors import BadParameter

Counts = Sequence[float]
Model = Literal["normalised", "logistic"]
Verdict = Literal["accept", "reject", "continue"]

NORMALISED_ELO = 800 / math.log(10)  # of one standard deviation of one game's score
NORMAL = NormalDist()
MOST_MARKS = 2**20  # different games that are remembered; a later one is taken for new unless it is among them
TOO_FEW = 0.9  # a match that is worth less than this share of its games deserves a warning


class Repeats:
    """How often the games of a match repeat each other, and how many independent ones they are worth.

    >>> repeats = Repeats()
    >>> for game in [7, 7, 7, 9]:
    ...     repeats.note(game)
    >>> repeats.games, repeats.distinct, repeats.effective
    (4, 2, 1.6)
    """

    def __init__(self) -> None:
        self.games = 0
        self.distinct = 0
        self.squares = 0  # of how often each game was played
        self.seen: dict[int, int] = {}

    def note(self, mark: int | None) -> None:
        """Enter a game by a mark that equal games share; None is like no other."""
        self.squares += self._more(mark, self.seen)
        self.games += 1

    def _more(self, mark: int | None, seen: dict[int, int]) -> int:
        """Enter a mark and return by how much the squares grow."""
        before = 0 if mark is None else seen.get(mark, 0)
        self.distinct += not before
        if mark is not None and (before or len(seen) < MOST_MARKS):
            seen[mark] = before + 1
        return 2 * before + 1

    @property
    def effective(self) -> float:
        """How many independent games they are worth (Kish)."""
        return self.games * self.games / self.squares if self.squares else 0.0

    @property
    def share(self) -> float:
        """The part of the games that counts; 1 if no game was repeated."""
        return self.effective / self.games if self.games else 1.0

    def shares_after(self, marks: Sequence[int | None]) -> list[float]:
        """Return the share after each of some further games, which are not entered."""
        more: dict[int, int] = {}
        games, squares, found = self.games, self.squares, []
        for mark in marks:
            before = 0
            if mark is not None:
                before = self.seen.get(mark, 0) + more.get(mark, 0)
                more[mark] = more.get(mark, 0) + 1
            games, squares = games + 1, squares + 2 * before + 1
            found.append(games / squares)
        return found


def is_repetitive(games: int, effective: float) -> bool:
    """Tell whether so many games were repeated that a person should know."""
    return effective < TOO_FEW * games


@dataclass(frozen=True)
class Estimate:
    """A number, and the interval that holds the truth 19 times in 20."""

    value: float
    low: float
    high: float

    @property
    def margin(self) -> float:
        """Half the interval's width: the ± of a table. inf where an end is."""
        return (self.high - self.low) / 2

    def as_json(self) -> dict[str, float | None]:
        """Return value, low and high; JSON has no infinity, so infinite ones become None."""
        return {name: number if math.isfinite(number) else None for name, number in vars(self).items()}

    def __str__(self) -> str:
        return f"{self.value:z.2f} [{self.low:z.2f}, {self.high:z.2f}]"


@dataclass(frozen=True)
class Summary:
    """All that a match says about the first agent's strength against the second's."""

    games: int
    score: Estimate
    elo: Estimate
    normalised_elo: Estimate
    superiority: float


@dataclass(frozen=True)
class Evidence:
    """A test's statistic, and the probability of one at least as extreme by chance alone."""

    statistic: float
    p: float


def trinomial(wins: int, draws: int, losses: int) -> tuple[int, int, int]:
    """Return the counts of single games, in the order of their score."""
    return losses, draws, wins


def pentanomial(pair_scores: Iterable[float]) -> tuple[int, int, int, int, int]:
    """Return the counts of pairs that scored 0, 1/2, 1, 3/2 and 2.

    >>> pentanomial([2, 1, 1.5, 1])
    (0, 0, 2, 1, 1)
    """
    codes = _half_points(pair_scores)
    return codes.count(0), codes.count(1), codes.count(2), codes.count(3), codes.count(4)


def summary(counts: Counts, share: float = 1.0) -> Summary:
    """Return everything below at once; `share` is the part of the games that counts (`Repeats`)."""
    games = round(sum(_read(counts))) * games_each(counts)
    found = score(counts, share=share), elo(counts, share=share), normalised_elo(counts, share=share)
    return Summary(games, *found, likelihood_of_superiority(counts, share))


def score(counts: Counts, level: float = 0.95, share: float = 1.0) -> Estimate:
    """Return the mean score per game, in [0, 1], with an interval that stays there.

    Clopper and Pearson's interval for a coin, as many throws as the games are worth: n games whose scores
    vary less than a coin's (draws, balanced pairs) count for more.  Three throws of a fair coin are
    mixed into that variance, so that it is never 0 (with one, the interval covers 0.875 at 90 % draws).
    Without draws it is Clopper and Pearson's interval itself.

    >>> print(score(trinomial(wins=10, draws=0, losses=0)))
    1.00 [0.69, 1.00]
    """
    n = _counting(counts, share)
    if not 0 < level < 1:
        raise BadParameter(f"the level of an interval lies between 0 and 1, got {level}")
    if not any(n):
        return Estimate(0.5, 0.0, 1.0)
    mean, _ = _moments(n)
    mixed_mean, mixed_variance = _moments(_with_coin(n, 3))
    throws, tail = sum(n) * mixed_mean * (1 - mixed_mean) / mixed_variance, (1 - level) / 2
    won, lost = throws * mean, throws * (1 - mean)
    low = 0.0 if mean == 0 else beta_quantile(won, lost + 1, tail)
    high = 1.0 if mean == 1 else beta_quantile(won + 1, lost, 1 - tail)
    return Estimate(mean, min(mean, low), max(mean, high))


def beta_quantile(a: float, b: float, chance: float) -> float:
    """Return the x up to which a beta distribution has this chance, by halving.

    >>> round(beta_quantile(1, 10, 0.975), 4)  # oracle: 1 - 0.025 ** (1 / 10)
    0.3085
    """
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if beta_share(a, b, middle) < chance:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def beta_share(a: float, b: float, x: float) -> float:
    """Return the chance that a beta distribution gives to [0, x]: the regularised incomplete beta function.

    The continued fraction of DLMF 8.17.22, evaluated from its front by Lentz's method; the larger half by symmetry.
    """
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    if x > (a + 1) / (a + b + 2):
        return 1.0 - beta_share(b, a, 1.0 - x)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) + math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)) / a
    tiny, c = 1e-300, 1.0
    d = 1.0 / ((1.0 - (a + b) * x / (a + 1)) or tiny)
    value = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 / ((1.0 + term * d) or tiny)
            c = (1.0 + term / c) or tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return front * value


def elo(counts: Counts, level: float = 0.95, share: float = 1.0) -> Estimate:
    """Return the Elo difference whose expected score is the score, and those of its interval's ends.

    >>> print(elo((379, 10170, 21828, 10640, 343)))
    1.59 [0.38, 2.80]
    """
    s = score(counts, level, share)
    return Estimate(elo_of(s.value), elo_of(s.low), elo_of(s.high))


def elo_of(score: float) -> float:
    """Return the Elo difference at which `score` is expected: -inf for 0, inf for 1."""
    if not 0 <= score <= 1:
        raise BadParameter(f"a score lies between 0 and 1, got {score}")
    return 400 * math.log10(score / (1 - score)) if 0 < score < 1 else math.copysign(math.inf, score - 0.5)


def score_of(elo: float) -> float:
    """Return the score expected of a player who is `elo` points stronger."""
    return 0.5 + 0.5 * math.tanh(elo * math.log(10) / 800)


def normalised_elo(counts: Counts, level: float = 0.95, share: float = 1.0) -> Estimate:
    """Return the normalised Elo difference; without any spread it is 0 (draws) or infinite.

    The interval is the delta method's for arctan t, t being the edge in standard deviations: on that
    scale a coin's estimate is as uncertain for every coin.  One throw of a fair coin is mixed in, and the
    interval is wider by 2 / √n standard errors, for games are whole numbers (without it, 4 games cover 0.874).

    >>> print(normalised_elo((379, 10170, 21828, 10640, 343)))
    3.05 [0.73, 5.37]
    """
    n, z = _counting(counts, share), _z(level)
    if not any(n):
        return Estimate(0.0, -math.inf, math.inf)
    z += 2 / math.sqrt(sum(n))
    mixed = _with_coin(n)
    mean, variance = _moments(mixed)
    t = (mean - 0.5) / math.sqrt(variance)
    deviations = [(b + 0.5 - mean) / math.sqrt(variance) for b in edges(len(n))]
    influences = [d - t * (d**2 - 1) / 2 for d in deviations]  # of one observation on t
    error = math.sqrt(_weighted(mixed, [x**2 for x in influences])) / sum(mixed) / (1 + t * t)
    value, low, high = _edge_in_deviations(n), _tan(math.atan(t) - z * error), _tan(math.atan(t) + z * error)
    unit = NORMALISED_ELO / math.sqrt(games_each(counts))
    return Estimate(value * unit, min(value, low) * unit, max(value, high) * unit)


def likelihood_of_superiority(counts: Counts, share: float = 1.0) -> float:
    """Return the probability that the first agent is the stronger one.

    For single games it is the usual Φ((wins - losses) / √(wins + losses)), for pairs the same with
    their scores; one fair coin's throw is mixed in, so that one game does not prove everything.

    >>> round(likelihood_of_superiority(trinomial(1, 0, 0)), 2)
    0.76
    """
    n = _counting(counts, share)
    b = edges(len(n))
    return NORMAL.cdf(_weighted(n, b) / math.sqrt(_weighted(n, [x**2 for x in b]) + 0.25))


def llr(counts: Counts, low: float, high: float, model: Model = "normalised") -> float:
    """Return the log-likelihood ratio of "`high` Elo stronger" against "`low` Elo stronger".

    Each hypothesis is given its best chance: the exact maximum likelihood among all distributions
    of the scores that have this (normalised or logistic) Elo.  No games: 0.

    >>> round(llr((379, 10170, 21828, 10640, 343), 0, 2), 3)
    2.945
    """
    n, targets = _read(counts), _bounds(low, high, model)
    from ludwin.stats.likelihood import log_likelihood_ratio

    return log_likelihood_ratio(n, targets, model)


@dataclass(frozen=True)
class Sprt:
    """A sequential test of "`low` Elo stronger" against "`high` Elo stronger".

    It accepts a difference of `low` with probability `alpha` and rejects one of `high` with
    probability `beta`, and needs far fewer games than a match of fixed length.

    >>> Sprt(0, 50).first_decision([1.5] * 100)
    48
    """

    low: float
    high: float
    alpha: float = 0.05
    beta: float = 0.05
    model: Model = "normalised"

    def __post_init__(self) -> None:
        _bounds(self.low, self.high, self.model)
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise BadParameter(
                f"alpha and beta are probabilities of an error, above 0 and below 0.5, got {self.alpha} and {self.beta}"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which the test rejects and accepts (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts, share: float = 1.0) -> float:
        """Return where the test stands between its bounds; `share` is the part of the games that counts (`Repeats`)."""
        return _part(share) * llr(counts, self.low, self.high, self.model)

    def decide(self, counts: Counts, share: float = 1.0) -> Verdict:
        """Return "accept" (the difference is `high`), "reject" (it is `low`) or "continue"."""
        reject, accept = self.bounds
        ratio = self.llr(counts, share)
        return "accept" if ratio >= accept else "reject" if ratio <= reject else "continue"

    def first_decision(
        self, pair_scores: Iterable[float], before: Counts = (0, 0, 0, 0, 0), shares: Sequence[float] | None = None
    ) -> int | None:
        """Return after how many games the test decides first, None if it does not.

        `pair_scores` (0, 1/2, 1, 3/2 or 2 each) are in the order of the match, not of arrival, so
        that the answer does not depend on which worker was quicker.  Only whole pairs decide.
        `before` counts pairs that were judged already; their games are not in the answer. `shares` says
        after each pair which part of all games counts: copies of a game are no evidence.
        """
        codes, counts, targets = _half_points(pair_scores), _read(before), _bounds(self.low, self.high, self.model)
        from ludwin.stats.likelihood import first_beyond

        pairs = first_beyond(codes, counts, targets, self.model, self.bounds, shares)
        return None if pairs is None else 2 * pairs


def mann_whitney(first: Sequence[float], second: Sequence[float]) -> Evidence:
    """Test whether values of one sample tend to be larger: Mann and Whitney's U, two-sided.

    An empty sample is no evidence: p = 1.
    """
    from scipy import stats

    x, y = _sample(first), _sample(second)
    if not len(x) or not len(y):
        return Evidence(0.0, 1.0)
    if len({*x, *y}) == 1:
        return Evidence(len(x) * len(y) / 2, 1.0)
    result = stats.mannwhitneyu(x, y, alternative="two-sided")
    return Evidence(float(result.statistic), float(result.pvalue))


def welch_t(first: Sequence[float], second: Sequence[float]) -> Evidence:
    """Test whether two means differ, variances free: Welch's t, two-sided.

    Fewer than two values are no evidence: p = 1. Two constants are equal (p = 1) or not (t = ±inf, p = 0).
    """
    from scipy import stats

    x, y = _sample(first), _sample(second)
    if min(len(x), len(y)) < 2:
        return Evidence(0.0, 1.0)
    if len({*x}) == len({*y}) == 1:
        return Evidence(0.0, 1.0) if x[0] == y[0] else Evidence(math.copysign(math.inf, x[0] - y[0]), 0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nearly constant samples lose digits, which the p-value survives
        result = stats.ttest_ind(x, y, equal_var=False)
    return Evidence(float(result.statistic), float(result.pvalue))


def welch_t_of(first: tuple[float, float, float], second: tuple[float, float, float]) -> Evidence:
    """Test whether two means differ, from mean, variance and size of each sample; a size need not be whole.

    Sizes below two are no evidence: p = 1. Two constants are equal (p = 1) or not (t = ±inf, p = 0).
    """
    from scipy import stats

    (a, v, n), (b, w, m) = first, second
    if min(n, m) < 2:
        return Evidence(0.0, 1.0)
    if v == 0 and w == 0:
        return Evidence(0.0, 1.0) if a == b else Evidence(math.copysign(math.inf, a - b), 0.0)
    error, freedom = v / n + w / m, (v / n + w / m) ** 2 / ((v / n) ** 2 / (n - 1) + (w / m) ** 2 / (m - 1))
    t = (a - b) / math.sqrt(error)
    return Evidence(t, float(2 * stats.t.sf(abs(t), freedom)))


def normality(sample: Sequence[float]) -> Evidence:
    """Test whether a sample may be normal: D'Agostino and Pearson's K², from skewness and kurtosis.

    Fewer than eight values, or values that are all the same, are no evidence: p = 1.
    """
    from scipy import stats

    x = _sample(sample)
    if len(x) < 8 or len({*x}) == 1:
        return Evidence(0.0, 1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # below 20 values the p-value is approximate
        result = stats.normaltest(x)
    statistic, p = float(result.statistic), float(result.pvalue)
    return Evidence(statistic, p) if math.isfinite(statistic) else Evidence(0.0, 1.0)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return the p-values of a family of tests, corrected so that the family errs as seldom as one.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    if any(not 0 <= p <= 1 for p in p_values):
        raise BadParameter(f"p-values lie between 0 and 1, got {list(p_values)}")
    corrected, largest = list(p_values), 0.0
    for rank, number in enumerate(sorted(range(len(p_values)), key=lambda k: p_values[k])):
        largest = max(largest, min(1.0, p_values[number] * (len(p_values) - rank)))
        corrected[number] = largest
    return corrected


def _read(counts: Counts) -> list[float]:
    """Return the counts. Raises BadParameter unless they are three or five numbers from 0 up."""
    try:
        n = [float(count) for count in counts]
    except (TypeError, ValueError):
        n = []
    if len(n) not in (3, 5) or not all(0 <= count < math.inf for count in n):
        raise BadParameter(
            f"counts are three (lost, drawn, won) or five (pair scores 0 to 2) numbers of at least 0, got "
            f"{list(counts)}"
        )
    return n


def _half_points(pair_scores: Iterable[float]) -> list[int]:
    """Return pair scores in half points, 0 … 4."""
    scores = list(pair_scores)
    for s in scores:
        if s not in (0, 0.5, 1, 1.5, 2):
            raise BadParameter(f"a pair of games scores 0, 0.5, 1, 1.5 or 2, got {s}")
    return [round(2 * s) for s in scores]


def _bounds(low: float, high: float, model: Model) -> tuple[float, float]:
    """Return both hypotheses, examined."""
    if model not in ("normalised", "logistic"):
        raise BadParameter(f"model is 'normalised' or 'logistic', got {model!r}")
    if not -2000 <= low < high <= 2000:
        raise BadParameter(
            f"the bounds of a test are two Elo differences, the lower first, both within ±2000, got {low} and {high}"
        )
    return low, high


def _sample(values: Sequence[float]) -> list[float]:
    """Return the values. Raises BadParameter unless they are finite numbers."""
    try:
        x = [float(value) for value in values]
    except (TypeError, ValueError):
        x = [math.nan]
    if not all(map(math.isfinite, x)):
        raise BadParameter("a sample is a list of finite numbers")
    return x


def _z(level: float) -> float:
    """Return how many standard errors an interval of this level reaches to each side."""
    if not 0 < level < 1:
        raise BadParameter(f"the level of an interval lies between 0 and 1, got {level}")
    return NORMAL.inv_cdf(0.5 + level / 2)


def games_each(counts: Sequence[float]) -> int:
    """Return how many games one observation holds."""
    return 2 if len(counts) == 5 else 1


def _with_coin(n: list[float], throws: int = 1) -> list[float]:
    """Return the counts with throws of a fair coin mixed in: of one, half an observation all lost, half all won."""
    return [n[0] + throws / 2, *n[1:-1], n[-1] + throws / 2]


def _part(share: float) -> float:
    """Return the part of the games that counts. Raises BadParameter unless it is one."""
    if not 0 < share <= 1 + 1e-9:
        raise BadParameter(f"the share of games that count lies above 0 and at most at 1, got {share}")
    return min(share, 1.0)


def _counting(counts: Counts, share: float) -> list[float]:
    """Return the counts times the part of the games that counts."""
    return [count * _part(share) for count in _read(counts)]


def edges(cells: int) -> list[float]:
    """Return each cell's score per game less 1/2."""
    return [k / (cells - 1) - 0.5 for k in range(cells)]


def _weighted(n: list[float], values: list[float]) -> float:
    """Return the sum of the values, each as often as it was counted."""
    return sum(count * value for count, value in zip(n, values, strict=True))


def _edge_in_deviations(n: list[float]) -> float:
    """Return how far the mean score lies above 1/2, in standard deviations; without spread 0 or ±inf."""
    mean, variance = _moments(n)
    edge = mean - 0.5
    return edge / math.sqrt(variance) if variance else math.copysign(math.inf, edge) if edge else 0.0


def _tan(angle: float) -> float:
    """Return the tangent, ±inf from the right angles on."""
    return math.tan(angle) if abs(angle) < math.pi / 2 else math.copysign(math.inf, angle)


def _moments(n: list[float]) -> tuple[float, float]:
    """Return mean and variance of the score per game of one observation."""
    b = edges(len(n))
    mean = _weighted(n, b) / sum(n)
    return 0.5 + mean, _weighted(n, [(x - mean) ** 2 for x in b]) / sum(n)


def mean_of(values: Sequence[float], share: float = 1.0) -> Estimate:
    """Return the mean with the 95 % interval of Student's t; of one value the interval is everything.

    `share` of the values count, the others repeat them (`Repeats.share`).

    >>> print(mean_of([0.7, 0.8, 0.75]))
    0.75 [0.63, 0.87]
    """
    mean, n = fmean(values), len(values) * share
    if n < 2:
        return Estimate(mean, -math.inf, math.inf)
    from scipy import stats

    half = float(stats.t.ppf(0.975, n - 1)) * stdev(values) / math.sqrt(n)
    return Estimate(mean, mean - half, mean + half)
