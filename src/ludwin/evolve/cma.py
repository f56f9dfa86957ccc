"""CMA-ES: evolution of real vectors whose steps learn the shape of the landscape.

The idea.  Children are drawn from a normal distribution.  Its mean moves towards the better half of them; its
covariance grows along directions in which the better ones lay and shrinks along those of the worst (*active*); its
width, sigma, grows while successive steps of the mean agree with each other and shrinks while they cancel out.  Only
the order of the children counts, so any monotone change of the fitness changes nothing.

With `is_diagonal` the covariance is a diagonal: no turning of axes, but a learning rate that is n / 3 times faster and
a state of 3 n numbers.  That is the better choice for few evaluations of many noisy dimensions.

Everything is a pure function: `ask` draws from a stream, `tell` returns the next distribution.  The state goes to
files as numbers.  Fitness is to be maximised, as everywhere in this package.

References.  N. Hansen, "The CMA evolution strategy: a tutorial" (2016), arXiv:1604.00772, whose names and defaults are
used; R. Ros, N. Hansen, "A simple modification in CMA-ES achieving linear time and space complexity", PPSN X (2008),
296-305 (the diagonal).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludwin.errors import BadParameter
from ludwin.program.stream import Stream

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rates:
    """The constants of the strategy, which follow from the dimension and the number of children."""

    n: int
    children: int
    is_diagonal: bool = False

    @cached_property
    def weights(self) -> Array:
        """The weights of the children from best to worst: the better half adds up to 1, the rest is negative."""
        raw = math.log((self.children + 1) / 2) - np.log(np.arange(1, self.children + 1))
        good = np.maximum(raw, 0.0)
        bad = np.minimum(raw, 0.0)
        return np.asarray(good / good.sum() + (bad / -bad.sum() if bad.sum() < 0 else bad))

    @cached_property
    def parents(self) -> float:
        """How many equally weighted parents the positive weights are worth."""
        good = self.weights[self.weights > 0]
        return float(1.0 / np.sum(good**2))

    @property
    def path(self) -> float:
        """The learning rate of the path of the covariance."""
        n, m = self.n, self.parents
        return (4 + m / n) / (n + 4 + 2 * m / n)

    @property
    def width(self) -> float:
        """The learning rate of the path of sigma."""
        return (self.parents + 2) / (self.n + self.parents + 5)

    @property
    def damping(self) -> float:
        """How slowly sigma follows its path."""
        return 1 + 2 * max(0.0, math.sqrt((self.parents - 1) / (self.n + 1)) - 1) + self.width

    @cached_property
    def one(self) -> float:
        """The learning rate of the covariance from its path."""
        rate = 2 / ((self.n + 1.3) ** 2 + self.parents)
        return min(1.0, rate * self.faster)

    @cached_property
    def many(self) -> float:
        """The learning rate of the covariance from the children."""
        m = self.parents
        rate = 2 * (0.25 + m - 2 + 1 / m) / ((self.n + 2) ** 2 + m)
        return max(0.0, min(1 - self.one, rate * self.faster))

    @property
    def faster(self) -> float:
        """How much faster a diagonal is learnt."""
        return (self.n + 2) / 3 if self.is_diagonal else 1.0

    @cached_property
    def active(self) -> Array:
        """The weights for the covariance: the negative ones so small that it stays positive."""
        bad = self.weights[self.weights < 0]
        if not len(bad) or not self.many:
            return np.maximum(self.weights, 0.0)
        unit = bad / -bad.sum()
        worth = float(1.0 / np.sum(unit**2))
        most = min(
            1 + self.one / self.many,
            1 + 2 * worth / (self.parents + 2),
            (1 - self.one - self.many) / (self.n * self.many),
        )
        return np.where(self.weights < 0, self.weights * max(most, 0.0), self.weights)

    @property
    def length(self) -> float:
        """The expected length of a standard normal vector."""
        return math.sqrt(self.n) * (1 - 1 / (4 * self.n) + 1 / (21 * self.n**2))


@dataclass(frozen=True)
class CMA:
    """A distribution of vectors, and what it remembers of its way.

    >>> start = CMA.at([3.0, -2.0], 1.0)
    >>> for step in range(60):
    ...     children = start.ask(Stream(1, step))
    ...     start = start.tell(children, [-(x - 1) ** 2 - 10 * (y + 1) ** 2 for x, y in children])
    >>> [round(float(x), 3) for x in start.mean]
    [1.0, -1.0]
    """

    mean: Array
    sigma: float
    covariance: Array  # a matrix, or its diagonal
    path: Array
    width_path: Array
    children: int
    steps: int = 0

    @classmethod
    def at(cls, mean: Sequence[float], sigma: float, *, children: int = 0, is_diagonal: bool = False) -> "CMA":
        """Return the first distribution, with equal widths about a point. Raises BadParameter."""
        n = len(mean)
        if n < 1 or not sigma > 0 or not math.isfinite(sigma) or not all(map(math.isfinite, mean)):
            raise BadParameter(f"CMA-ES needs finite numbers and a sigma above 0, got {n} numbers and sigma {sigma}")
        if children and children < 4:
            raise BadParameter(f"CMA-ES needs at least 4 children, got {children}")
        zero = np.zeros(n)
        first = np.ones(n) if is_diagonal else np.eye(n)
        return cls(np.array(mean, dtype=float), float(sigma), first, zero, zero, children or default_children(n))

    @property
    def n(self) -> int:
        """The dimension."""
        return len(self.mean)

    @property
    def is_diagonal(self) -> bool:
        """Whether the covariance is a diagonal."""
        return self.covariance.ndim == 1

    @cached_property
    def rates(self) -> Rates:
        """The constants of the strategy."""
        return Rates(self.n, self.children, self.is_diagonal)

    @cached_property
    def axes(self) -> tuple[Array, Array]:
        """The lengths of the axes, and their directions (of a diagonal: none)."""
        if self.is_diagonal:
            return np.sqrt(np.maximum(self.covariance, 1e-300)), np.zeros((0, 0))
        squares, directions = np.linalg.eigh(self.covariance)
        return np.sqrt(np.maximum(squares, 1e-300)), directions

    def ask(self, stream: Stream) -> list[Array]:
        """Return the children of this distribution."""
        lengths, directions = self.axes
        found = []
        for _ in range(self.children):
            z = lengths * np.array([stream.normal() for _ in range(self.n)])
            found.append(self.mean + self.sigma * (z if self.is_diagonal else directions @ z))
        return found

    def tell(self, children: Sequence[Array], fitness: Sequence[float]) -> "CMA":
        """Return the distribution after these children and their fitness (more is better; the first of equals)."""
        if len(children) != self.children or len(fitness) != self.children:
            raise BadParameter(f"CMA-ES asked for {self.children} children, got {len(children)} and {len(fitness)}")
        rates, (lengths, directions) = self.rates, self.axes
        order = sorted(range(self.children), key=lambda k: (-fitness[k], k))
        ways = np.array([(children[k] - self.mean) / self.sigma for k in order])
        # Step 1. The mean moves to the weighted mean of the better half.
        move = np.maximum(rates.weights, 0.0) @ ways
        mean = self.mean + self.sigma * move
        # Step 2. Sigma: is the path of the steps, made round, longer than chance would make it?
        round_move = move / lengths if self.is_diagonal else directions @ ((directions.T @ move) / lengths)
        c = rates.width
        width_path = (1 - c) * self.width_path + math.sqrt(c * (2 - c) * rates.parents) * round_move
        length = float(np.linalg.norm(width_path))
        sigma = self.sigma * math.exp(min(1.0, (c / rates.damping) * (length / rates.length - 1)))
        # Step 3. The covariance: along its path, and along the children, away from the worst.
        fair = math.sqrt(1 - (1 - c) ** (2 * (self.steps + 1)))
        is_short = length / fair < (1.4 + 2 / (self.n + 1)) * rates.length
        d = rates.path
        path = (1 - d) * self.path + (math.sqrt(d * (2 - d) * rates.parents) * move if is_short else 0.0)
        missing = 0.0 if is_short else d * (2 - d)
        weights = self._tamed(rates.active, ways)
        one, many = rates.one, rates.many
        kept = 1 + one * missing - one - many * float(rates.active.sum())
        if self.is_diagonal:
            covariance = kept * self.covariance + one * path**2 + many * (weights @ ways**2)
        else:
            covariance = kept * self.covariance + one * np.outer(path, path) + many * (ways.T * weights) @ ways
            covariance = (covariance + covariance.T) / 2
        return replace(
            self,
            mean=mean,
            sigma=sigma,
            covariance=covariance,
            path=path,
            width_path=width_path,
            steps=self.steps + 1,
        )

    def _tamed(self, weights: Array, ways: Array) -> Array:
        """Return the weights of the covariance, the negative ones made independent of how long their steps were."""
        lengths, directions = self.axes
        rounded = ways / lengths if self.is_diagonal else (ways @ directions) / lengths
        squares = np.sum(rounded**2, axis=1)
        return np.where(weights < 0, weights * self.n / np.maximum(squares, 1e-300), weights)

    def as_json(self) -> dict[str, Any]:
        """Return the distribution as JSON values."""
        arrays = {key: getattr(self, key).tolist() for key in ("mean", "covariance", "path", "width_path")}
        return {**arrays, "sigma": self.sigma, "children": self.children, "steps": self.steps}

    @classmethod
    def from_json(cls, data: Any) -> "CMA":
        """Return what `as_json` wrote. Raises BadParameter."""
        try:
            arrays = {key: np.array(data[key], dtype=float) for key in ("mean", "covariance", "path", "width_path")}
            made = cls(**arrays, sigma=float(data["sigma"]), children=int(data["children"]), steps=int(data["steps"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadParameter(f"this is no stored CMA-ES: {type(error).__name__} {error}") from None
        n = made.n if made.mean.ndim == 1 else 0
        shapes = (made.path.shape, made.width_path.shape)
        is_good = n > 0 and shapes == ((n,), (n,)) and made.covariance.shape in ((n,), (n, n))
        numbers = (made.mean, made.covariance, made.path, made.width_path)
        if not is_good or not all(np.isfinite(one).all() for one in numbers) or made.children < 4 or not made.sigma > 0:
            raise BadParameter("this is no stored CMA-ES: its numbers do not fit together")
        return made


def default_children(n: int) -> int:
    """Return how many children the literature gives a dimension."""
    return 4 + int(3 * math.log(n))
