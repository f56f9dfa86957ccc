"""Chance for everything that varies: a stream of numbers that is a pure function of its seeds.

Why it is here.  A run must be the same on one worker or many and after a resume, so no operator may
share a generator with another: each takes a stream that is made from the seed and from the
numbers that say what it is for (generation, individual, purpose).  The generator is the one of
the kernels (`ludwin.primitives`), so that the streams agree with compiled code.
"""

import math
from collections.abc import Sequence
from typing import TypeVar

from ludwin.primitives import draw, mix, uniform

T = TypeVar("T")


class Stream:
    """Random numbers that depend on the seeds alone.

    >>> Stream(1, 2).below(10) == Stream(1, 2).below(10)
    True
    """

    def __init__(self, *seeds: int):
        self.seeds = seeds
        state = 0
        for seed in seeds:
            state = mix(state, seed)
        self.state = [state]

    def split(self, *numbers: int) -> "Stream":
        """Return an independent stream for a purpose; it does not depend on what was drawn here."""
        return Stream(*self.seeds, *numbers)

    def seed(self) -> int:
        """Return a seed for something else, between 0 and 2**31 - 1."""
        return draw(self.state, 2**31)

    def below(self, n: int) -> int:
        """Return a whole number from 0 to n - 1."""
        return draw(self.state, n)

    def uniform(self, low: float = 0.0, high: float = 1.0) -> float:
        """Return a number from [low, high)."""
        return low + (high - low) * uniform(self.state)

    def chance(self, probability: float) -> bool:
        """Return True with this probability."""
        return uniform(self.state) < probability

    def normal(self) -> float:
        """Return a number of the standard normal distribution (Box and Muller)."""
        radius = math.sqrt(-2.0 * math.log(1.0 - uniform(self.state)))
        return radius * math.cos(2.0 * math.pi * uniform(self.state))

    def pick(self, items: Sequence[T]) -> T:
        """Return one of the items, all equally likely."""
        return items[draw(self.state, len(items))]

    def weighted(self, weights: Sequence[float]) -> int:
        """Return an index with probability proportional to its weight."""
        total = math.fsum(weights)
        mark = uniform(self.state) * total
        last = 0
        for index, weight in enumerate(weights):
            if weight > 0.0:
                last = index
                mark -= weight
                if mark < 0.0:
                    return index
        return last

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order (Fisher and Yates)."""
        result = list(items)
        for i in range(len(result) - 1, 0, -1):
            j = draw(self.state, i + 1)
            result[i], result[j] = result[j], result[i]
        return result

    def sample(self, n: int, k: int) -> list[int]:
        """Return k different numbers below n."""
        return self.shuffled(range(n))[:k]
