"""Likelihood under a constraint: how well a strength that is supposed explains the results of a match.

Why it is here.  Sequential tests (`ludwin.arena.stats.Sprt`) judge thousands of prefixes of a match at once, which is
work for NumPy; a match without a test is summed up without it, and does not wait for it.

Shapes.  Counts and distributions are (..., cells); the functions work on all rows at once.
Edges b are the cells' scores less 1/2.  The sample is p; what we look for is the distribution q
that maximises sum(p log q) among those with a given strength.

References.  M. Van den Bergh, "A practical introduction to the GSPRT" and "Normalized Elo" (2017-2021).  A. Owen,
Empirical Likelihood (2001).
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludwin.stats import NORMALISED_ELO, Model, edges, games_each

Array = NDArray[np.float64]

UNSEEN = 1e-3  # counts of 0 become this in a likelihood, as in fishtest: what has not happened is rare, not impossible
CHUNKS = 32, 1024  # prefixes of a match that are judged at once, at first and at most: most tests end early


def log_likelihood_ratio(counts: Sequence[float], targets: tuple[float, float], model: Model) -> float:
    """Return the log-likelihood ratio of the second target against the first."""
    return float(_llr(np.array([counts], dtype=np.float64), np.array(targets), model)[0])


def first_beyond(
    codes: Sequence[int],
    before: Sequence[float],
    targets: tuple[float, float],
    model: Model,
    bounds: tuple[float, float],
    shares: Sequence[float] | None = None,
) -> int | None:
    """Return after how many pairs the ratio first leaves the bounds, None if it does not.

    `codes` are the pairs' scores in half points, `before` counts pairs that came earlier. `shares` says after each pair
    which part of all games counts.
    """
    reject, accept = bounds
    counts, start, size = np.array(before, dtype=np.float64), 0, CHUNKS[0]
    while start < len(codes):
        prefixes = counts + np.cumsum(np.eye(5)[list(codes[start : start + size])], axis=0)
        ratios = _llr(prefixes, np.array(targets), model)
        if shares is not None:
            ratios = ratios * np.asarray(shares[start : start + size])
        decided = np.flatnonzero((ratios >= accept) | (ratios <= reject))
        if len(decided):
            return start + int(decided[0]) + 1
        counts, start, size = prefixes[-1], start + size, min(2 * size, CHUNKS[1])
    return None


def _tilted(p: Array, g: Array) -> Array:
    """Return the q that maximises sum(p log q) under sum(q g) = 0: p / (1 + x g) for one x.

    Assumes p > 0, and g with both signs.  x is the root of a falling function between two poles,
    which is nearly straight once it is multiplied by the distances from both: Newton's step on
    that, or the middle of the bracket if it leaves it.
    """
    most, least = g.max(-1), g.min(-1)
    low, high = -(1 - 1e-13) / most, -(1 - 1e-13) / least
    x = np.zeros(low.shape)
    for _ in range(200):
        weight = 1 + x[..., None] * g
        q = p / weight
        slack = (q * g).sum(-1)
        low, high = np.where(slack > 0, x, low), np.where(slack > 0, high, x)
        a, b = 1 + x * most, 1 + x * least
        fall = a * b * (q * g * g / weight).sum(-1) - slack * (most * b + least * a)
        newton = x + slack * a * b / np.where(fall > 0, fall, 1.0)
        x, last = np.where((fall > 0) & (newton >= low) & (newton <= high), newton, (low + high) / 2), x
        if (np.abs(x - last) <= 1e-13 * (1 + np.abs(x))).all():
            break
    return p / (1 + x[..., None] * g)


def _normalised_likelihood(p: Array, c: Array) -> Array:
    """Return the largest sum(p log q) among q whose mean edge is t standard deviations, c = t / √(1 + t²).

    The constraint E b = c √(E b²) is not linear, but √m is the least (m / r + r) / 2 over r > 0.
    For a fixed r it is linear, E (b - c (b² / r + r) / 2) = 0, and the best q gives the next
    r = √(E b²), which keeps the constraint solvable.  For t beyond the sample's the likelihood may
    have two peaks: we climb from a wide and from a narrow r and take the better one (in 3,000
    random samples with |c| < 0.97 never worse than the best of 19 starts, four times without the
    narrow one).
    """
    b = np.array(edges(p.shape[-1]))
    c = c[..., None]
    smallest = np.abs(c) / (1 + np.sqrt(1 - c * c))  # r of the smallest edge above which it is solvable
    narrow = b[b > 0][0] * np.maximum(0.5, np.sqrt(smallest))
    r = np.stack((np.full(c.shape, 0.5), narrow))
    for _ in range(100):
        q = _tilted(p, b - c * (b * b / r + r) / 2)
        r, last = np.sqrt((q * b * b).sum(-1, keepdims=True)), r
        if (np.abs(r - last) < 1e-7).all():  # the likelihood is flat in r here
            break
    best: Array = (p * np.log(q)).sum(-1).max(0)
    return best


def _llr(counts: Array, targets: Array, model: Model) -> Array:
    """Return the log-likelihood ratio of each row of counts, the second target against the first."""
    n = np.where(counts > 0, counts, UNSEEN)
    size = n.sum(-1)
    p = n / size[:, None]
    rows = np.broadcast_to(targets[:, None], (2, len(p)))
    if model == "normalised":
        t = rows * math.sqrt(games_each(p[0])) / NORMALISED_ELO
        likelihood = _normalised_likelihood(p, t / np.sqrt(1 + t * t))
    else:
        expected = 0.5 * np.tanh(rows * math.log(10) / 800)
        likelihood = (p * np.log(_tilted(p, np.array(edges(p.shape[-1])) - expected[..., None]))).sum(-1)
    return np.where(counts.any(-1), size * (likelihood[1] - likelihood[0]), 0.0)
