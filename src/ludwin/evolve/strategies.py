"""Evolution strategies: many children, the best of them are the next parents, steps that adapt.

Why it is here.  Weights of an evaluation are real numbers, and for these a strategy of (mu, lambda) or
(mu + lambda) with adapting step sizes is the plain tool.  Two ways to adapt: the 1/5 rule, a number of
the whole run that grows while more than a fifth of the children beat their parent, and
self-adaptation, where each genome carries its own step sizes, which are inherited and mutated first.

The comma forgets the parents, which noisy fitness and self-adaptation want; the plus keeps them, and
scores them again beside their children unless the fitness says that scores last.

References.  I. Rechenberg, Evolutionsstrategie (1973).  H.-P. Schwefel, Numerical Optimization of
Computer Models (1981).  H.-G. Beyer, H.-P. Schwefel, "Evolution strategies: a comprehensive
introduction", Natural Computing 1 (2002), 3-52.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from ludwin.errors import BadParameter, brief
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Child, Fitness, Individual, Score
from ludwin.evolve.selection import different, leaders
from ludwin.evolve.vectors import Reals, Vector, numbers
from ludwin.program.stream import Stream

G = TypeVar("G", bound=Hashable)

FIFTH = 0.85  # Schwefel's factor for the 1/5 rule
LEAST_FACTOR = 1e-100  # of steps: those of a run that has converged would shrink until they are no numbers
CLOSE = 0.1  # the spread of the last generation, in parts of its parents'
LEAST_STEP = 1e-12  # of a self-adapted step, as a share of the gene's range


def spread(
    kind: Representation[G], plan: Plan, individuals: Sequence[Individual[G]], stream: Stream, *, last: bool = False
) -> list[Child[G]]:
    """Return the children of an evolution strategy: parents are drawn alike, every child is mutated.

    With recombination of all, children are drawn around the mean of all parents, and some are mutated besides; those
    of the last generation stay close to the mean, where the noise of their selection costs least.
    """
    if plan.recombination == "all":
        return _gathered(kind, plan, individuals, stream, CLOSE if last else 1.0)
    children = []
    for k in range(plan.births):
        chance = stream.split(k)
        parents: tuple[int, ...] = (chance.below(len(individuals)),)
        genome, origin = individuals[parents[0]].genome, "mutation"
        if len(individuals) > 1 and chance.chance(plan.crossover):
            parents = different(len(individuals), chance)
            genome, origin = (
                kind.cross(individuals[parents[0]].genome, individuals[parents[1]].genome, chance)[0],
                "crossover+mutation",
            )
        children.append(Child(kind.mutate(genome, chance), origin, parents))
    return children


def _gathered(
    kind: Representation[G], plan: Plan, individuals: Sequence[Individual[G]], stream: Stream, width: float
) -> list[Child[G]]:
    gather = getattr(kind, "gather", None)
    if gather is None:
        raise BadParameter(f"recombination=all needs genomes that have a mean, {kind.name} has none")
    draw = gather([individual.genome for individual in individuals])
    children = []
    for k in range(plan.births):
        chance = stream.split(k)
        genome, origin = draw(chance, width), "crossover"
        if chance.chance(plan.mutation):
            genome, origin = kind.mutate(genome, chance), "crossover+mutation"
        children.append(Child(genome, origin, tuple(range(len(individuals)))))
    return children


def apart(kind: Representation[G], genomes: Sequence[G], worth: Sequence[float], count: int) -> list[int]:
    """Return the places of the best; where the kind knows niches, of the best of each, as long as there are enough.

    Genomes of one niche are worth the same for a reason that selection cannot see, such as boards that are some moves
    of one another, and without this a population would fill with them.
    """
    ranked = leaders(worth, len(genomes))
    niche = getattr(kind, "niche", None)
    if niche is None:
        return ranked[:count]
    first: dict[Hashable, int] = {}
    for place in ranked:
        first.setdefault(niche(genomes[place]), place)
    chosen = list(first.values())[:count]
    return [*chosen, *[place for place in ranked if place not in chosen][: count - len(chosen)]]


def stretch(kind: Representation[G], step: float) -> Representation[G]:
    """Return the kind with its mutation steps multiplied; raises BadParameter if it has none."""
    stretched = getattr(kind, "stretched", None)
    if stretched is None:
        raise BadParameter(f"steps=fifth needs a genome of real numbers, {kind.name} has no step size")
    changed: Representation[G] = stretched(step)
    return changed


def next_step(step: float, parents: Sequence[float], children: Sequence[tuple[float, tuple[int, ...]]]) -> float:
    """Return the step after the 1/5 rule: worths of the parents, and of each child with its parents' places."""
    share = sum(worth > max(parents[i] for i in places) for worth, places in children) / len(children)
    found = step / FIFTH if share > 0.2 else step * FIFTH if share < 0.2 else step
    return min(1 / LEAST_FACTOR, max(LEAST_FACTOR, found))


class Adaptive(NamedTuple):
    """A vector and the step size of each of its genes."""

    values: Vector
    steps: Vector


@dataclass(frozen=True)
class SelfAdaptive:
    """Real vectors that carry their own step sizes; `OnValues` lets a fitness see the values alone."""

    reals: Reals

    name: ClassVar[str] = "self-adaptive reals"

    def __post_init__(self) -> None:
        if not isinstance(self.reals, Reals):
            raise BadParameter(f"SelfAdaptive takes Reals, got {brief(self.reals)}")

    def begin(self, n: int, stream: Stream) -> list[Adaptive]:
        """Return n random vectors."""
        return [self.make(stream.split(k)) for k in range(n)]

    def make(self, stream: Stream) -> Adaptive:
        """Return a random vector with the kind's own steps."""
        return Adaptive(self.reals.make(stream), tuple(self._spans(self.reals.step)))

    def _spans(self, share: float) -> list[float]:
        """Return a share of each gene's range; of a gene that has one value, the share: steps are above 0."""
        return [span or share for span in self.reals.spans(share)]

    def cross(self, a: Adaptive, b: Adaptive, stream: Stream) -> tuple[Adaptive, Adaptive]:
        """Cross the values; the children take the geometric means of the steps."""
        steps = tuple(map(_middle, a.steps, b.steps))
        left, right = self.reals.cross(a.values, b.values, stream)
        return Adaptive(left, steps), Adaptive(right, steps)

    def donate(self, donor: Adaptive, receiver: Adaptive, stream: Stream) -> Adaptive:
        """Return the receiver with some of the donor's values."""
        return Adaptive(self.reals.donate(donor.values, receiver.values, stream), receiver.steps)

    def mutate(self, g: Adaptive, stream: Stream) -> Adaptive:
        """Mutate the steps by a log-normal factor, then move each value by its new step."""
        n = len(g.values)
        together = stream.normal() / math.sqrt(2 * n)
        each = 1 / math.sqrt(2 * math.sqrt(n))
        limits = zip(g.steps, self._spans(LEAST_STEP), self._spans(1.0), strict=True)
        steps = tuple(
            min(most, max(least, step * math.exp(together + each * stream.normal()))) for step, least, most in limits
        )
        return Adaptive(
            self.reals.bounded([x + step * stream.normal() for x, step in zip(g.values, steps, strict=True)]), steps
        )

    def write(self, g: Adaptive) -> Any:
        """Return the values and steps."""
        return {"values": list(g.values), "steps": list(g.steps)}

    def read(self, data: Any) -> Adaptive:
        """Return what `write` wrote."""
        if not isinstance(data, dict) or set(data) != {"values", "steps"}:
            raise BadParameter(f"a self-adaptive genome has values and steps, got {data!r}")
        steps = numbers(data["steps"], self.reals.length, "steps")
        if min(steps) <= 0:
            raise BadParameter(f"steps are above 0, got {min(steps)}")
        return Adaptive(self.reals.read(data["values"]), steps)

    def text(self, g: Adaptive) -> str:
        """Return the values."""
        return self.reals.text(g.values)

    def size(self, g: Adaptive) -> int:
        """Return the number of values."""
        return len(g.values)


def _middle(a: float, b: float) -> float:
    """Return the geometric mean of two steps, whose product may be no number of its own."""
    product = a * b
    return math.sqrt(product) if 0 < product < math.inf else math.sqrt(a) * math.sqrt(b)


@dataclass(frozen=True)
class OnValues(Generic[G]):
    """A fitness of vectors, for genomes that carry steps beside their values: a function of them, or an object that
    scores them. A function comes back as a function of the genomes.

    >>> OnValues(sum)(Adaptive((1.0, 2.0), (0.1, 0.1)))
    3.0
    """

    fitness: Fitness[Vector]

    def __new__(cls, fitness: Any) -> Any:
        """Return the fitness; of a function, a function."""
        if hasattr(fitness, "score"):
            return super().__new__(cls)
        if not callable(fitness):
            raise BadParameter(f"OnValues takes a fitness: a function, or an object with score, got {brief(fitness)}")
        return wraps(fitness)(lambda genome, *stream: fitness(genome.values, *stream))

    @property
    def relative(self) -> bool:
        """As the fitness says."""
        return getattr(self.fitness, "relative", False)

    @property
    def lasting(self) -> bool:
        """As the fitness says."""
        return getattr(self.fitness, "lasting", False)

    def score(self, genomes: Sequence[Adaptive], generation: int, stream: Stream) -> Sequence[Score]:
        """Score the values."""
        return self.fitness.score([genome.values for genome in genomes], generation, stream)
