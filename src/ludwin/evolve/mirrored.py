"""An evolution strategy for weights whose children differ by far less than the noise of their games.

The idea.  Children are drawn in mirrored pairs about the mean, and the mean moves along the sum of all children, each
weighted by how much it scored above the average: an estimate of the slope.  How far it moves is what the strategy
knows about itself.  Between the children of one step true scores differ by 0.015, the noise of forty games is 0.06; so
a step of ordinary length (that of CMA-ES, say) loses more by its random part than it gains by its true one.  The right
length is a Kalman filter's: it weighs the doubt about where the best weights are against the noise of this step, is
short from the beginning and grows shorter as doubt goes.  The player is a running mean of the means that forgets the
first of them.

Measured (lose checkers, 69 weights on the book's terminals, one run each from the same weights, which score 0.782 from
the start and 0.713 after random plies in 1,000 games each): after 120,000 games CMA-ES 0.763 and 0.691, this 0.830 and
0.783 after 140,000 (docs/results/evolution.md).

Assumed, and right to a factor of two in what was measured: with these widths a child loses about LOSS against the mean,
equally by every weight; the best weights would gain as much again.  Where terms say much the same, as counts and
squares do, it is not equal: `turn_of` evens it out.  Measured (113 and 112 weights, two starts, 80,000 games each):
without it 0.789 and 0.744 on the first, with it 0.798 to 0.805 and 0.754 to 0.757, and 0.819 and 0.764 on the second.

References.  I. Rechenberg, "Evolutionsstrategie '94" (1994), on steps that are shortened against noise; D. Brockhoff,
A. Auger, N. Hansen, D. V. Arnold, T. Hohm, "Mirrored sampling and sequential selection for evolution strategies", PPSN
XI (2010); R. E. Kalman, "A new approach to linear filtering and prediction problems", J. Basic Engineering 82 (1960);
O. Shamir, T. Zhang, "Stochastic gradient descent for non-smooth optimization", ICML (2013), on running means.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ludwin.errors import BadParameter
from ludwin.program.stream import Stream

Array = NDArray[np.float64]

LOSS = 0.05  # of a child against the mean, in points a game
NOISE = 0.19  # the variance of the points of one game
LEAST = 0.05  # doubt that always remains, for steps that never stop
EVEN = 0.7  # how far the costs of directions are evened out: 0 not at all, 1 wholly
FLOOR = 0.1  # of the mean cost: directions that cost less are not made as dear as the others
AHEAD = 4.0  # how much more the later means count in the running one: window = steps / AHEAD


@dataclass(frozen=True)
class Mirrored:
    """A distribution of vectors: its mean, the width along every axis, and the doubt about the mean.

    Doubt is the expected square of the distance to the best mean, along one axis, in widths.

    >>> start = Mirrored(np.zeros(2), np.full(2, 0.2))
    >>> for step in range(200):
    ...     children = start.ask(Stream(1, step), 10)
    ...     scores = [1 - (x - 0.3) ** 2 - (y + 0.1) ** 2 for x, y in children]
    ...     start = start.tell(children, scores, 10)
    >>> [round(float(x), 1) for x in start.mean]
    [0.3, -0.1]
    """

    mean: Array
    scale: Array
    doubt: float = 1.0
    steps: int = 0
    turn: Array | None = None  # `turn_of`: what children vary along, if it is not the axes

    def __post_init__(self) -> None:
        if len(self.mean) < 1 or len(self.mean) != len(self.scale):
            raise BadParameter(
                f"a strategy needs as many widths as numbers, got {len(self.scale)} and {len(self.mean)}"
            )

    @property
    def n(self) -> int:
        """The dimension."""
        return len(self.mean)

    def ask(self, stream: Stream, children: int) -> list[Array]:
        """Return children in mirrored pairs: so many, or one fewer."""
        found = []
        for _ in range(max(children // 2, 1)):
            drawn = np.array([stream.normal() for _ in range(self.n)])
            way = self.scale * (drawn if self.turn is None else self.turn @ drawn)
            found += [self.mean + way, self.mean - way]
        return found

    def tell(self, children: Sequence[Array], scores: Sequence[float], games: float) -> "Mirrored":
        """Return the distribution after these children, each of which has scored so many points a game (more is
        better).
        """
        if len(children) != len(scores) or not children:
            raise BadParameter(f"a strategy needs one score for every child, got {len(scores)} of {len(children)}")
        score = np.array(scores)
        ways: Array = (np.array(children) - self.mean) / self.scale
        if self.turn is not None:
            ways = np.asarray(np.linalg.solve(self.turn, ways.T).T, dtype=np.float64)
        slope = (score - score.mean()) @ ways / len(score)
        bend = 2 * LOSS / self.n  # the curvature along one axis, in points per width squared
        noise = NOISE / (games * len(score)) / bend**2  # of the best mean that this slope points at
        gain = self.doubt / (self.doubt + noise)
        step = slope if self.turn is None else self.turn @ slope
        mean = self.mean + self.scale * (gain / bend) * step
        doubt = max(1 / (1 / self.doubt + 1 / noise), min(self.doubt, LEAST))
        return replace(self, mean=mean, doubt=doubt, steps=self.steps + 1)

    def follow(self, middle: Array) -> Array:
        """Return the running mean one step on."""
        return np.asarray(middle + (self.mean - middle) * min(1.0, AHEAD / (self.steps + AHEAD - 1)))

    def as_numbers(self) -> dict[str, float]:
        """Return the strategy as numbers with names."""
        found = {"doubt": self.doubt, "steps": float(self.steps)}
        for key in ("mean", "scale"):
            found |= {f"{key} {k}": float(x) for k, x in enumerate(getattr(self, key))}
        return found

    @classmethod
    def from_numbers(cls, numbers: dict[str, float], n: int) -> "Mirrored | None":
        """Return the strategy of this dimension that `as_numbers` wrote, or None if there is none."""
        if "doubt" not in numbers or f"mean {n - 1}" not in numbers or f"mean {n}" in numbers:
            return None
        mean, scale = (np.array([numbers[f"{key} {k}"] for k in range(n)]) for key in ("mean", "scale"))
        return cls(mean, scale, numbers["doubt"], int(numbers["steps"]))


def widths(spread: Array, evaluation: float, share: float) -> Array:
    """Return the widths of weights whose terms have these spreads: together they move the evaluation by a share of its
    own spread.
    """
    whole = evaluation or 1.0
    scale = np.where(spread > 1e-9, whole / np.maximum(spread, 1e-9), 1e-9)
    return np.asarray(scale * share / math.sqrt(max(len(spread), 1)))


def turn_of(moment: Array, scale: Array) -> Array | None:
    """Return the matrix that evens out what steps of these widths cost, or None if they cost nothing.

    `moment` are the mean products of what terms say about leaves of one decision, as differences from its mean: how far
    apart a change of the weights moves leaves is what it costs a child.  Along directions in which it is much, because
    many terms say the same, children vary less, along the others more; all in all they tell leaves apart as before.
    """
    cost = moment * np.outer(scale, scale)
    each, ways = np.linalg.eigh(cost)
    each = np.maximum(each, 0.0)
    if not each.any():
        return None
    even = (each + FLOOR * each.mean()) ** (-EVEN / 2)
    even *= math.sqrt(each.sum() / (even**2 @ each))
    return np.asarray((ways * even) @ ways.T)
