"""Verdicts: what our figure means beside a published one, by rules that are named and fixed before anything runs.

Why it is here.  "Reproduced" is a claim.  Two decisions have an interval that meets every number ever printed, so with
few samples the claim costs nothing and says nothing.  Each rule therefore states how many samples it needs; below
that the row is *measured*: a figure, and no claim.  What a row was judged by is the rule's name, which the pages of
results and `docs/reference/verdicts.md` explain.

Words.  *Reproduced*: ours and theirs are the same, as far as the samples tell.  *Differs*: they are not.  *Beaten* and
*below*: where more is better, ours is better or worse.  *Measured*: nothing was published, or samples are too few.

>>> from dataclasses import replace
>>> few = Finding(Estimate(23.0, -200.0, 246.0), samples=2, published=417.6, tolerance=806.0)
>>> NEAR.judge(few), NEAR.judge(replace(few, samples=100)), NEAR.judge(replace(few, samples=100, tolerance=160.0))
('measured', 'reproduced', 'differs')
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean

from ludwin.arena.stats import Estimate

ERRORS = 3  # standard errors of a difference that are no difference
LEAST_P = 2 * NormalDist().cdf(-ERRORS)  # the same as a probability
SIGNIFICANT = 0.05  # what a paper calls significant
ROUNDING = 1e-12  # of differences that lie at the tolerance itself
EVEN = 0.5  # the score of equals


@dataclass(frozen=True)
class Finding:
    """What a rule is given: our figure with its interval, how many samples it is of, and what was published.

    `published` is a mean, `scores` are several published figures of one sort, `p` is the probability of our
    difference by chance, and `answer` a published yes or no: whether a difference is significant, or our means stand in
    the published order.
    """

    ours: Estimate
    samples: int
    published: float | None = None
    tolerance: float | None = None
    scores: Sequence[float] = ()
    p: float = 1.0
    answer: bool | None = None


@dataclass(frozen=True)
class VerdictRule:
    """A rule with a name: what it asks, how many samples it needs, and what one sample is."""

    name: str
    asks: str
    least: int
    unit: str
    decide: Callable[[Finding], str]

    def judge(self, finding: Finding) -> str:
        """Return the verdict; `measured` of fewer samples than the rule needs."""
        return "measured" if finding.samples < self.least else self.decide(finding)

    def lacks(self, finding: Finding) -> str:
        """Return a note if there would be a verdict with more samples, else nothing."""
        if finding.samples >= self.least or self.decide(finding) == "measured":
            return ""
        return f"{finding.samples} are too few for a verdict, which needs {self.least} {self.unit}"


def _interval(given: Finding) -> str:
    if given.published is None:
        return "measured"
    about = given.tolerance or 0.0
    meets = given.ours.low - about <= given.published <= given.ours.high + about
    return "reproduced" if meets else "differs"


def _near(given: Finding) -> str:
    if given.published is None:
        return "measured"
    apart = abs(given.ours.value - given.published)
    return "reproduced" if apart <= (given.tolerance or 0.0) + ROUNDING else "differs"


def _same_mean(given: Finding) -> str:
    return "measured" if given.published is None else "differs" if given.p < LEAST_P else "reproduced"


def _range(given: Finding) -> str:
    if not given.scores:
        return "measured"
    if given.ours.low > fmean(given.scores):
        return "beaten"
    return "reproduced" if given.ours.high >= min(given.scores) else "below"


def _same_answer(given: Finding) -> str:
    if given.answer is None:
        return "measured"
    return "reproduced" if (given.p < SIGNIFICANT) == given.answer else "differs"


def _at_most(given: Finding) -> str:
    return "measured" if given.published is None else "reproduced" if given.ours.low <= given.published else "differs"


def _order(given: Finding) -> str:
    return "differs" if not given.answer else "reproduced" if given.ours.low > 0 else "measured"


def _against(given: Finding) -> str:
    return "beaten" if given.ours.low > EVEN else "below" if given.ours.high < EVEN else "measured"


def _gain(given: Finding) -> str:
    return "beaten" if given.ours.low > 0 else "below" if given.ours.high < 0 else "measured"


SCORE = VerdictRule(
    "score", "does the interval of a match's score meet the published score, give or take?", 100, "games", _interval
)
INTERVAL = VerdictRule(
    "interval",
    "does our interval meet the published figure, give or take a stated tolerance?",
    20,
    "samples",
    _interval,
)
NEAR = VerdictRule(
    "near",
    f"does our mean lie within {ERRORS} standard errors of the difference, or a stated least tolerance?",
    10,
    "samples",
    _near,
)
SAME_MEAN = VerdictRule(
    "same mean",
    f"do two means differ by more than {ERRORS} standard errors, by Welch's test and after Holm's correction?",
    10,
    "games",
    _same_mean,
)
RANGE = VerdictRule(
    "range",
    "does our interval lie above the published mean, meet the published range, or neither?",
    100,
    "games",
    _range,
)
SAME_ANSWER = VerdictRule(
    "same answer",
    f"is a difference significant (p < {SIGNIFICANT}) where it was published as significant, and only there?",
    10,
    "samples of each",
    _same_answer,
)
AT_MOST = VerdictRule(
    "at most", "does our interval begin at the published figure or below it?", 25, "samples", _at_most
)
ORDER = VerdictRule(
    "order", "do means stand in the published order, and the first clearly above the last?", 20, "samples", _order
)
AGAINST = VerdictRule("against", "does the interval of a score lie above or below one half?", 10, "games", _against)
GAIN = VerdictRule("gain", "does the interval of a paired difference lie above or below 0?", 10, "samples", _gain)

RULES = {
    rule.name: rule for rule in (SCORE, INTERVAL, NEAR, SAME_MEAN, RANGE, SAME_ANSWER, AT_MOST, ORDER, AGAINST, GAIN)
}


def noted(*notes: str) -> str:
    """Return notes as one text; empty ones are left out."""
    return "; ".join(note for note in notes if note)
