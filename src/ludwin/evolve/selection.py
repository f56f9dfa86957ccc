"""Selection: who becomes a parent.

Why it is here.  All schemes of the literature are one shape, a function from a stream to an index, made
once per generation and then drawn from as often as there are parents.  Tournament and duel need to
know only who beats whom, so a comparator serves them as well as a number does; rank and
proportionate selection turn numbers into the slots of a roulette wheel.

Chances, n individuals: a tournament of k picks the best with 1 - (1 - 1/n)**k; proportionate selection
with f / sum(f); linear ranking with (2 - s + 2 (s - 1) r / (n - 1)) / n, r counting from 0 for the worst
and s the pressure, equals sharing their mean rank.

A scheme is one entry of `SELECTIONS` (`operators.py`), a function from a `Candidates` to what draws:
`ludwin evolve --set selection=NAME`, its help and its refusals follow from it.

References.  J. E. Baker, "Adaptive selection methods for genetic algorithms", ICGA 1985 (ranking).
M. Sipper, Evolved to Win (2011), algorithm 3.3 (the duel).
"""

from bisect import bisect_right
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ludwin.arena.score import points_of
from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import as_number, called, is_ours
from ludwin.evolve.operators import SELECTIONS as SELECTIONS
from ludwin.evolve.population import Compare, Individual, Scored
from ludwin.program.stream import Stream

if TYPE_CHECKING:
    from ludwin.evolve.plan import Plan

G = TypeVar("G", bound=Hashable)

ALL_FAILED = Scored(0.0, {}, (0.0,), (0.0,))  # as long as rows are where everybody failed

Beats = Callable[[int, int], bool]
Choose = Callable[[Stream], int]


def worths(individuals: Sequence[Individual[G]], parsimony: float = 0.0) -> list[float]:
    """Return what selection sees: the fitness, less the price of the size."""
    return [individual.fitness - parsimony * individual.size for individual in individuals]


def by_worth(worth: Sequence[float]) -> Beats:
    """Return who beats whom by number."""
    return lambda a, b: worth[a] > worth[b]


def by_comparison(individuals: Sequence[Individual[G]], compare: Compare[G]) -> Beats:
    """Return who beats whom by a comparator alone; no fitness is read."""
    return lambda a, b: compare(individuals[a], individuals[b]) > 0


def duel(beats: Beats, n: int) -> Choose:
    """Draw two different ones; the first if it beats the second, else the second (algorithm 3.3)."""

    def choose(stream: Stream) -> int:
        first, second = different(n, stream)
        return first if beats(first, second) else second

    return choose if n > 1 else lambda stream: 0


def different(n: int, stream: Stream) -> tuple[int, int]:
    """Return two different numbers below n, all ordered pairs equally likely."""
    first, other = stream.below(n), stream.below(n - 1)
    return first, other + (other >= first)


def tournament(beats: Beats, n: int, size: int) -> Choose:
    """Draw `size` with repeats; whoever is beaten by none that comes later, the first of equals."""

    def choose(stream: Stream) -> int:
        winner = stream.below(n)
        for _ in range(size - 1):
            other = stream.below(n)
            if beats(other, winner):
                winner = other
        return winner

    return choose


def rank(worth: Sequence[float], pressure: float) -> Choose:
    """Draw with a chance that is linear in the rank."""
    n = len(worth)
    order = sorted(worth)
    last = {w: i for i, w in enumerate(order)}
    first = {w: n - 1 - i for i, w in enumerate(reversed(order))}
    ranks = [(first[w] + last[w]) / 2 for w in worth]
    return roulette([2 - pressure + 2 * (pressure - 1) * r / max(1, n - 1) for r in ranks])


def proportionate(worth: Sequence[float]) -> Choose:
    """Draw in proportion to worth; where some are negative, to what they have above the least."""
    floor = min(0.0, *worth) if worth else 0.0
    return roulette([w - floor for w in worth])


def roulette(weights: Sequence[float]) -> Choose:
    """Draw an index in proportion to its weight; where nobody has any, all alike."""
    sums = list(accumulate(weights))
    total = sums[-1]
    if not total > 0:
        return lambda stream: stream.below(len(sums))
    last = max(index for index, weight in enumerate(weights) if weight > 0)
    return lambda stream: min(bisect_right(sums, stream.uniform() * total), last)


@dataclass(frozen=True)
class Candidates(Generic[G]):
    """All that a selection may look at: the plan, the individuals, their worths, and who beats whom."""

    plan: "Plan"
    individuals: Sequence[Individual[G]]
    worth: Sequence[float]
    beats: Beats

    @property
    def size(self) -> int:
        """How many individuals there are."""
        return len(self.individuals)

    def leaders(self, count: int) -> list[int]:
        """Return the places of the best, best first."""
        return leaders(self.worth, count)

    @cached_property
    def cases(self) -> Any:
        """The results of the cases, an array with a row for each individual. Raises BadParameter if there are none."""
        return self._rows("cases", "a fitness that gives the results of single cases")

    @cached_property
    def objectives(self) -> Any:
        """The objectives, an array with a row for each individual. Raises BadParameter if there are none."""
        return self._rows("objectives", "a fitness that gives objectives")

    def _rows(self, what: str, wanted: str) -> Any:
        import numpy as np

        scores = [individual.score for individual in self.individuals]
        known = next((one for one in scores if not one.failed), ALL_FAILED)
        rows = [getattr(one.as_long_as(known) if one.failed else one, what) for one in scores]
        lengths = {len(row) for row in rows}
        if 0 in lengths:
            raise BadParameter(f"selection={self.plan.selection} needs {wanted}; this one gives a value only")
        if len(lengths) > 1:
            raise BadParameter(f"all individuals must have the same {what}, got {min(lengths)} and {max(lengths)}")
        return np.array(rows, dtype=float)


def of_duel(pool: Candidates[Any]) -> Choose:
    """Return the duel among these."""
    return duel(pool.beats, pool.size)


def of_tournament(pool: Candidates[Any]) -> Choose:
    """Return the plan's tournament among these."""
    return tournament(pool.beats, pool.size, pool.plan.tournament)


def of_rank(pool: Candidates[Any]) -> Choose:
    """Return linear ranking of these."""
    return rank(pool.worth, pool.plan.pressure)


def of_worth(pool: Candidates[Any]) -> Choose:
    """Return a roulette wheel of these."""
    return proportionate(pool.worth)


def of_all(pool: Candidates[Any]) -> Choose:
    """Return what draws everybody alike."""
    return lambda stream: stream.below(pool.size)


def chooser(pool: Candidates[Any]) -> Choose:
    """Return the plan's selection among these individuals."""
    found: Choose = SELECTIONS[pool.plan.selection](pool)
    if not callable(found):
        raise BadParameter(
            f"selection={pool.plan.selection} must return a function of a stream, got {type(found).__name__}"
        )
    return _watched(found, pool) if pool.plan.selection in SELECTIONS.others else found


def _watched(choose: Choose, pool: Candidates[Any]) -> Choose:
    """Return a user's selection that raises BadParameter where it raises or names nobody."""
    what, places = f"selection={pool.plan.selection}", range(pool.size)

    def watched(stream: Stream) -> int:
        found = called(what, choose, stream)
        if not hasattr(found, "__index__") or found not in places:
            raise BadParameter(f"{what} chose {brief(found)}, a place from 0 to {pool.size - 1} was wanted")
        return int(found)

    return watched


def leaders(worth: Sequence[float], count: int) -> list[int]:
    """Return the places of the best, best first, the first of equals first."""
    return sorted(range(len(worth)), key=lambda i: (-worth[i], i))[:count]


def shares_beaten(individuals: Sequence[Individual[G]], compare: Compare[G]) -> list[float]:
    """Return which share of the others each one beats, equals counting half: a number for comparators.

    It serves reports and elitism; parents are chosen by the comparator itself.
    """
    n = len(individuals)
    points = [0.0] * n
    for a in range(n):
        for b in range(a):
            verdict = compare(individuals[a], individuals[b])
            points[a] += points_of(verdict, 0)
            points[b] += points_of(0, verdict)
    return [point / max(1, n - 1) for point in points]


def comparison(fitness: object, plan: "Plan") -> Compare[G] | None:
    """Return the fitness's comparator if the plan selects by one; raises BadParameter if there is none."""
    if plan.selection != "comparator":
        return None
    compare: Compare[G] | None = getattr(fitness, "compare", None)
    if compare is None:
        raise BadParameter(
            "selection=comparator needs a fitness that compares two individuals; this one gives numbers only"
        )
    if is_ours(fitness):
        return compare
    theirs, what = compare, f"{type(fitness).__name__}.compare"
    return lambda a, b: as_number(called(what, theirs, a, b), what)
