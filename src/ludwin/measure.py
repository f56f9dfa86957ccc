"""A measure: a number with its metric, its interval, its samples, its unit, and which way is better.

Why it is here.  A laboratory measures many things: the score of a match, the seconds of a lap, the nodes of a search,
the deals that were solved.  Each is a value in an interval that holds the truth 19 times in 20, from so many samples,
and more of it is better, or less.  Stores, reports, comparisons and tables all ask the same questions
of it: how sure is it, and is it better than that one.  Wins and draws are one kind among others.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.primitives import draw, stream
from ludwin.stats import Estimate, Repeats, is_repetitive, mean_of, score

SCORE = "score"  # (wins + draws/2) / games, in [0, 1]
MORE, LESS = "more", "less"
DIRECTIONS = (MORE, LESS)
ENOUGH = 5  # samples for a verdict, unless a rule says otherwise
MOST = 10**12  # trials
LONG = 1e15  # from here on whole numbers are rounded anyway
RESAMPLES = 2_000  # of a bootstrap
MEASURED = frozenset(  # the keys of a measure in files
    [
        "opponent",
        "score",
        "low",
        "high",
        "games",
        "counts",
        "distinct",
        "effective",
        "metric",
        "value",
        "n",
        "unit",
        "direction",
    ]
)
BOOTSTRAP = 0x626F6F74  # sets its stream apart


@dataclass(frozen=True)
class Measure:
    """What was measured: a value with its 95 % interval, from `n` samples; without samples it is exact.

    `opponent` says against whom, or on what: an agent, a track, a set of deals. `counts` are results of games as
    `ludwin.stats` counts them (three cells for games, five for pairs with sides swapped), so that two scores can be
    tested against each other; `distinct` of the games differ, and all together are worth `effective` independent
    ones, on which the interval is based. One sample has no interval: its ends are infinite.
    """

    opponent: str
    value: float
    low: float
    high: float
    n: int = 0
    counts: tuple[int, ...] = ()
    distinct: int = 0
    effective: float = 0.0
    metric: str = SCORE
    unit: str = ""
    direction: str = MORE  # which is better

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise BadParameter(f"the direction of a measure is more or less, got {self.direction!r}")
        for name in ("value", "low", "high"):
            object.__setattr__(self, name, _number(getattr(self, name), self.metric))
        if not math.isfinite(self.value) or not self.low <= self.high:
            raise BadParameter(
                f"a measure of {self.metric} must be a number and its interval, got {self.value} "
                f"[{self.low}, {self.high}]"
            )
        if isinstance(self.n, bool) or not isinstance(self.n, int) or self.n < 0:
            raise BadParameter(f"a measure of {self.metric} has a whole number of samples, got {brief(self.n)}")

    # Making one

    @classmethod
    def of(cls, opponent: str, counts: Sequence[int], repeats: Repeats | None = None) -> "Measure":
        """Return the score of games: (losses, draws, wins), or five counts of pairs from lost to won.

        `repeats` says how often games were repeated; without it all of them differ.

        >>> print(Measure.of("random", (2, 0, 8)))
        0.800 [0.444, 0.975]
        """
        if isinstance(counts, str) or not all(type(count) is int for count in counts):
            raise BadParameter(f"the results of games are counted in whole numbers, got {brief(counts)}")
        games = sum(counts) * (2 if len(counts) == 5 else 1)
        found = score(counts, share=repeats.share if repeats else 1.0)
        distinct, effective = (repeats.distinct, repeats.effective) if repeats else (games, float(games))
        return cls(opponent, found.value, found.low, found.high, games, tuple(counts), distinct, effective)

    @classmethod
    def of_rate(cls, metric: str, hits: int, n: int, *, opponent: str = "", direction: str = MORE) -> "Measure":
        """Return the share of so many trials that succeeded, with Clopper and Pearson's interval.

        >>> print(Measure.of_rate("deals solved", 9, 10))
        deals solved 0.90 [0.55, 1.00]
        """
        if type(hits) is not int or type(n) is not int or not 0 <= hits <= n <= MOST:
            raise BadParameter(f"{metric}: {brief(hits)} of {brief(n)} cannot be")
        found = score((n - hits, 0, hits))
        return cls(opponent, found.value, found.low, found.high, n, metric=metric, direction=direction)

    @classmethod
    def of_samples(
        cls,
        metric: str,
        values: Sequence[float],
        *,
        opponent: str = "",
        unit: str = "",
        direction: str = MORE,
        bootstrap: bool = False,
        seed: int = 0,
        repeats: Repeats | None = None,
    ) -> "Measure":
        """Return the mean of samples: with Student's interval, or one from resampling where they are far from normal.

        `repeats` says how often samples were of the same games; those are one sample.

        >>> print(Measure.of_samples("lap time", [160.2, 161.0, 160.3], unit="s", direction="less"))
        lap time 160.5 s [159.4, 161.6]
        """
        if isinstance(values, str | bytes) or not isinstance(values, Iterable):
            raise BadParameter(f"{metric} is measured by a list of numbers, got {brief(values)}")
        sample = [float(_number(value, metric)) for value in values]
        if not sample or not all(map(math.isfinite, sample)):
            raise BadParameter(f"{metric} is measured by finite numbers, at least one, got {sample[:5]}")
        try:
            found = (
                _bootstrap(sample, seed)
                if bootstrap and len(sample) > 1
                else mean_of(sample, repeats.share if repeats else 1.0)
            )
        except OverflowError:
            raise BadParameter(f"{metric}: the numbers are too large to have a mean, got {brief(sample[:5])}") from None
        n = repeats.distinct if repeats else len(sample)
        return cls(opponent, found.value, found.low, found.high, n, metric=metric, unit=unit, direction=direction)

    @classmethod
    def single(
        cls, metric: str, value: float, *, opponent: str = "", unit: str = "", direction: str = MORE
    ) -> "Measure":
        """Return what was seen once: a value that has no interval.

        >>> print(Measure.single("nodes", 5184, direction="less"))
        nodes 5184 (one sample, no interval)
        """
        return cls(opponent, value, -math.inf, math.inf, 1, metric=metric, unit=unit, direction=direction)

    @classmethod
    def exact(
        cls, opponent: str, value: float, metric: str = SCORE, unit: str = "", direction: str = MORE
    ) -> "Measure":
        """Return a measure without any uncertainty."""
        return cls(opponent, value, value, value, metric=metric, unit=unit, direction=direction)

    # Asking it

    @property
    def score(self) -> float:
        """The value, of games."""
        return self.value

    @property
    def games(self) -> int:
        """The samples, of games."""
        return self.n

    @property
    def is_score(self) -> bool:
        """Whether it is the score of games, the one kind that older files know."""
        return (self.metric, self.unit, self.direction) == (SCORE, "", MORE)

    @property
    def is_exact(self) -> bool:
        """Whether it has no uncertainty at all; nothing seen is no exactness."""
        return self.n == 0 and self.low == self.high

    @property
    def has_interval(self) -> bool:
        """Whether anything is known of how far it may be off."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def merit(self) -> float:
        """The value as something of which more is better: what sorting and choosing go by."""
        return self.value if self.direction == MORE else -self.value

    @property
    def is_repetitive(self) -> bool:
        """Whether so many games were repeated that a person should know."""
        return is_repetitive(self.n, self.effective)

    def better_than(self, other: "Measure") -> bool:
        """Tell whether the value is better, the way it is meant. Raises BadParameter for things that do not compare."""
        self.demand_same(other)
        return self.merit > other.merit

    def surely_better_than(self, other: "Measure") -> bool:
        """Tell whether the whole interval is better than the other's: a test that errs on the side of no."""
        self.demand_same(other)
        return self.low > other.high if self.direction == MORE else self.high < other.low

    def demand_same(self, other: "Measure") -> None:
        """Raise BadParameter unless both measure the same thing in the same unit."""
        mine, yours = ((m.metric, m.unit, m.direction) for m in (self, other))
        if mine != yours:
            raise BadParameter(f"{_said(*mine)} cannot be compared with {_said(*yours)}")

    def verdict(self, published: float | None, tolerance: float = 0.0, least: int = ENOUGH) -> str:
        """Return what it says of a published value, give or take the tolerance.

        `reproduced` if the interval meets it, else `beaten` or `below`, the way it is meant; `measured` where nothing
        was published, or where there are fewer than `least` samples: an interval that holds everything reproduces
        nothing.

        >>> lap = Measure.of_samples("lap time", [150.0, 150.4, 150.2, 150.1, 150.3], unit="s", direction="less")
        >>> lap.verdict(159.8), lap.verdict(150.1), lap.verdict(140.0), lap.verdict(None), lap.verdict(150.1, least=9)
        ('beaten', 'reproduced', 'below', 'measured', 'measured')
        """
        if published is None or not self.has_interval or (self.n < least and not self.is_exact):
            return "measured"
        if not math.isfinite(_number(published, "a published value")) or not _number(tolerance, "a tolerance") >= 0:
            raise BadParameter(f"a published value is a number, give or take one, got {published} ± {tolerance}")
        if self.low - tolerance <= published <= self.high + tolerance:
            return "reproduced"
        return "beaten" if (self.value > published) == (self.direction == MORE) else "below"

    # As text

    def as_json(self) -> dict[str, Any]:
        """Return the measure as files hold it: the score of games by its own keys, all else by `keys`."""
        if not self.is_score or not self.has_interval:
            return {"opponent": self.opponent, **self.keys()}
        data = {"opponent": self.opponent, "score": self.value, "low": self.low, "high": self.high, "games": self.n}
        if not self.counts:
            return data
        return {**data, "counts": list(self.counts), "distinct": self.distinct, "effective": self.effective}

    def keys(self) -> dict[str, Any]:
        """Return metric, value, low, high, n, unit and direction; an infinite end is None, for JSON has none."""
        ends = (self.low, self.high)
        low, high = (end if math.isfinite(end) else None for end in ends)
        about = {"metric": self.metric, "value": self.value, "low": low, "high": high, "n": self.n}
        return {**about, "unit": self.unit, "direction": self.direction}

    def told(self) -> dict[str, Any]:
        """Return the measure as every command prints it: against whom, `keys`, and the counts of games if it has any.

        >>> Measure.exact("all ones", 0.5).told()["value"], "score" in Measure.exact("all ones", 0.5).told()
        (0.5, False)
        """
        data = {"opponent": self.opponent, **self.keys()}
        if not self.counts:
            return data
        return {**data, "counts": list(self.counts), "distinct": self.distinct, "effective": self.effective}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Measure":
        """Return what `as_json` wrote, from an object that has been examined."""
        if "metric" not in data:
            n = data["games"]
            more = tuple(data.get("counts", ())), data.get("distinct", n), data.get("effective", float(n))
            return cls(data["opponent"], data["score"], data["low"], data["high"], n, *more)
        low = -math.inf if data["low"] is None else data["low"]
        high = math.inf if data["high"] is None else data["high"]
        about = {name: data[name] for name in ("metric", "unit", "direction")}
        return cls(data.get("opponent", ""), data["value"], low, high, data["n"], **about)

    def __str__(self) -> str:
        if self.is_score:
            return f"{self.value:.4f}" if self.is_exact else f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"
        unit = f" {self.unit}" if self.unit else ""
        digits = self._digits()
        text = f"{self.metric} {plain(self.value, digits)}{unit}"
        if self.is_exact:
            return text
        if not self.has_interval:
            return f"{text} (one sample, no interval)" if self.n == 1 else f"{text} (no interval)"
        return f"{text} [{plain(self.low, digits)}, {plain(self.high, digits)}]"

    def _digits(self) -> int:
        """Return how many decimals are worth printing: two figures of the interval's half, or all of a whole number."""
        if not self.has_interval:
            return 0 if self.value == int(self.value) else 3
        half = self.high / 2 - self.low / 2
        return max(0, min(6, 1 - math.floor(math.log10(half)))) if half > 0 else (0 if self.value % 1 == 0 else 3)


def plain(x: float, digits: int = 4, sign: str = "") -> str:
    """Return a number with so many decimals, or with four figures where these would hide it, or would be a row of
    figures that nobody reads; with `sign="+"` it has one.

    >>> plain(0.25), plain(3e-9), plain(-2.5e18), plain(0.00004, 6, "+")
    ('0.2500', '3e-09', '-2.5e+18', '+0.000040')
    """
    hidden = 0.0 < abs(x) < 0.5 * 10.0**-digits or LONG <= abs(x) < math.inf
    return format(x + 0.0, f"{sign}.4g" if hidden else f"{sign}.{digits}f")


def rank(measures: Sequence[Measure]) -> list[int]:
    """Return the numbers of measures of one thing, the best first; equal ones stay in their order.

    >>> laps = [Measure.single("lap", seconds, unit="s", direction="less") for seconds in (61.0, 59.5, 60.0)]
    >>> rank(laps)
    [1, 2, 0]
    """
    for one in measures[1:]:
        measures[0].demand_same(one)
    return sorted(range(len(measures)), key=lambda k: -measures[k].merit)


def in_one_form(data: Any) -> Any:
    """Return what files say of measures as commands print it: each is the object of `told`, and none is called `score`.

    >>> in_one_form({"score": Measure.exact("all ones", 1.0).as_json(), "size": 3})["measure"]["metric"]
    'score'
    """
    if isinstance(data, Mapping):
        if {"opponent", "low", "high"} <= set(data) <= MEASURED:
            return Measure.from_json(data).told()
        return {
            "measure" if key == "score" and (one is None or isinstance(one, Mapping)) else key: in_one_form(one)
            for key, one in data.items()
        }
    return [in_one_form(one) for one in data] if isinstance(data, list | tuple) else data


def _number(value: Any, what: str) -> Any:
    """Return a number as files hold it: whole ones and floats as they are, others (NumPy's) as floats."""
    try:
        if isinstance(value, str | bytes):
            raise TypeError
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        raise BadParameter(f"{what} must be a number, got {brief(value)}") from None
    return value if type(value) in (int, float) else found


def _said(metric: str, unit: str, direction: str) -> str:
    return f"{metric}{f' in {unit}' if unit else ''} ({direction} is better)"


def _bootstrap(sample: Sequence[float], seed: int) -> Estimate:
    """Return the mean with the interval that holds 95 % of the means of resamples (Efron's percentiles)."""
    rng = [stream(seed, BOOTSTRAP)]
    n = len(sample)
    means = sorted(fmean([sample[draw(rng, n)] for _ in range(n)]) for _ in range(RESAMPLES))
    cut = int(0.025 * len(means))
    return Estimate(fmean(sample), means[cut], means[-1 - cut])
