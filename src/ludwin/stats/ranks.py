"""Rank correlation: do two columns put the same things in the same order?

References.  M. G. Kendall, "A new measure of rank correlation", Biometrika 30 (1938), 81-93.
"""

from collections.abc import Sequence
from math import copysign, sqrt

from ludwin.primitives import draw, stream
from ludwin.stats import Estimate

RESAMPLES = 2000
SEED = 0x6B656E


def tau(first: Sequence[float], second: Sequence[float]) -> float:
    """Return Kendall's tau-b of two columns, which counts ties; 0 if one of them is constant.

    >>> tau([1, 2, 3, 4], [1, 2, 4, 3]), tau([1, 1, 1], [1, 2, 3])
    (0.6666666666666666, 0.0)
    """
    total, mine, theirs = 0.0, 0, 0
    for i in range(len(first)):
        for j in range(i):
            a, b = first[i] - first[j], second[i] - second[j]
            mine += a != 0
            theirs += b != 0
            total += copysign(1.0, a * b) if a * b else 0.0
    return total / sqrt(mine * theirs) if mine and theirs else 0.0


def kendall(first: Sequence[float], second: Sequence[float]) -> Estimate:
    """Return tau-b with the interval that holds 95 % of its values in resamples of the rows.

    >>> kendall([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]).value
    1.0
    """
    n, rng = len(first), [stream(SEED, len(first))]
    found = []
    for _ in range(RESAMPLES):
        rows = [draw(rng, n) for _ in range(n)]
        found.append(tau([first[k] for k in rows], [second[k] for k in rows]))
    found.sort()
    cut = int(0.025 * RESAMPLES)
    return Estimate(tau(first, second), found[cut], found[-1 - cut])
