"""Vectors as genomes: bits, whole numbers, real numbers, each with its bounds.

Why it is here.  Feature subsets are bits, deals of a card game are whole numbers, weights of an
evaluation are real numbers.  A vector is a tuple; the crossovers are the same for all three, and a kind
adds what a gene may be and how it mutates.  Genes never leave their bounds.

References.  J. H. Holland, Adaptation in Natural and Artificial Systems (1975).  G. Syswerda, "Uniform
crossover in genetic algorithms", ICGA 1989.  K. Deb, R. B. Agrawal, "Simulated binary crossover for continuous search
space", Complex Systems 9 (1995), 115-148.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Generic, Self, TypeVar

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import is_list
from ludwin.evolve.operators import CROSSOVERS
from ludwin.program.stream import Stream
from ludwin.settings import one_of, within

X = TypeVar("X", int, float)

Vector = tuple[float, ...]
Whole = tuple[int, ...]
Genes = tuple[X, ...]

LONGEST = 10_000_000  # genes: a population of more would not fit into memory
SIMULATED = "sbx"  # the crossover that makes numbers which neither parent has
FARTHEST = 1e300  # of a gene from 0: sums and differences of a few of them are finite
ETA = 20.0  # how close children of `sbx` and of polynomial mutation stay to their parents (Deb's usual index)


def one_point(a: Genes[X], b: Genes[X], stream: Stream) -> tuple[Genes[X], Genes[X]]:
    """Exchange everything behind a random cut; both sides of it keep a gene at least."""
    if len(a) < 2:
        return a, b
    cut = 1 + stream.below(len(a) - 1)
    return a[:cut] + b[cut:], b[:cut] + a[cut:]


def two_point(a: Genes[X], b: Genes[X], stream: Stream) -> tuple[Genes[X], Genes[X]]:
    """Exchange a random stretch, seen on a ring: neither nothing nor everything."""
    if len(a) < 2:
        return a, b
    first, other = stream.below(len(a)), stream.below(len(a) - 1)
    low, high = sorted((first, other + (other >= first)))
    return a[:low] + b[low:high] + a[high:], b[:low] + a[low:high] + b[high:]


def uniform(a: Genes[X], b: Genes[X], stream: Stream) -> tuple[Genes[X], Genes[X]]:
    """Exchange each gene with probability 1/2."""
    swaps = [stream.chance(0.5) for _ in a]
    left = tuple(y if swap else x for x, y, swap in zip(a, b, swaps, strict=True))
    return left, tuple(x if swap else y for x, y, swap in zip(a, b, swaps, strict=True))


def simulated_binary(a: Vector, b: Vector, stream: Stream) -> tuple[Vector, Vector]:
    """Move each gene of both, with probability 1/2, as far from the middle as one-point crossover of bits would; of
    these half are exchanged.
    """
    left, right = list(a), list(b)
    for place, (x, y) in enumerate(zip(a, b, strict=True)):
        if stream.chance(0.5):
            u = stream.uniform()
            spread = (2 * u if u <= 0.5 else 1 / (2 * (1 - u))) ** (1 / (ETA + 1))
            near, far = 0.5 * ((1 + spread) * x + (1 - spread) * y), 0.5 * ((1 - spread) * x + (1 + spread) * y)
            left[place], right[place] = (near, far) if stream.chance(0.5) else (far, near)
    return tuple(left), tuple(right)


@dataclass(frozen=True)
class _Vectors(Generic[X]):
    """What all vectors share: a length, a crossover, and a rate of mutation (0: one gene on average)."""

    length: int
    crossover: str = "one-point"
    rate: float = 0.0

    name: ClassVar[str] = "vector"

    def __post_init__(self) -> None:
        if not isinstance(self.length, Integral):
            raise BadParameter(f"{self.name}: length must be a whole number, got {brief(self.length)}")
        _demand_numbers(f"{self.name}: rate", self.rate)
        within(f"{self.name}: length", self.length, least=1, most=LONGEST)
        one_of(f"{self.name}: crossover", self.crossover, CROSSOVERS)
        if self.crossover == SIMULATED and not isinstance(self, Reals):
            raise BadParameter(f"{self.name}: crossover {SIMULATED} is for real numbers")
        if not 0 <= self.rate <= 1:
            raise BadParameter(f"{self.name}: rate is a probability, from 0 to 1, got {self.rate}")

    @property
    def gene_rate(self) -> float:
        """The probability that a gene mutates."""
        return self.rate or 1 / self.length

    def gene(self, place: int, stream: Stream) -> X:
        """Return a random gene for this place."""
        raise NotImplementedError

    def changed(self, place: int, gene: X, stream: Stream) -> X:
        """Return a mutated gene for this place."""
        raise NotImplementedError

    def begin(self, n: int, stream: Stream) -> list[Genes[X]]:
        """Return n random vectors."""
        return [self.make(stream.split(k)) for k in range(n)]

    def make(self, stream: Stream) -> Genes[X]:
        """Return a random vector."""
        return tuple(self.gene(place, stream) for place in range(self.length))

    def cross(self, a: Genes[X], b: Genes[X], stream: Stream) -> tuple[Genes[X], Genes[X]]:
        """Return both children."""
        found = CROSSOVERS[self.crossover](a, b, stream)
        if self.crossover not in CROSSOVERS.others:
            left, right = found
            return tuple(left), tuple(right)
        what = f"{self.name}: crossover {self.crossover}"
        if not isinstance(found, list | tuple) or len(found) != 2 or not all(is_list(one) for one in found):
            raise BadParameter(f"{what} must return two vectors of {self.length}, got {brief(found)}")
        return self._child(found[0], what), self._child(found[1], what)

    def _child(self, genes: Any, what: str) -> Genes[X]:
        """Return a child that a user's crossover made. Raises BadParameter if it is no vector of this kind."""
        plain = genes.tolist() if hasattr(genes, "tolist") else list(genes)
        if len(plain) != self.length:
            raise BadParameter(f"{what} must return two vectors of {self.length}, got one of {len(plain)}")
        kind: Any = self
        child: Genes[X] = tuple(plain)
        try:
            good = kind.read(kind.write(child)) == child
        except BadParameter:
            good = False
        if not good:
            raise BadParameter(f"{what} made {brief(plain)}, which is outside of what {self.name} may be")
        return child

    def donate(self, donor: Genes[X], receiver: Genes[X], stream: Stream) -> Genes[X]:
        """Return the receiver's child of the crossover alone."""
        return self.cross(donor, receiver, stream)[1]

    def mutate(self, g: Genes[X], stream: Stream) -> Genes[X]:
        """Change each gene with the rate."""
        rate = self.gene_rate
        return tuple(self.changed(place, gene, stream) if stream.chance(rate) else gene for place, gene in enumerate(g))

    def size(self, g: Genes[X]) -> int:
        """Return the number of genes."""
        return len(g)


@dataclass(frozen=True)
class Bits(_Vectors[int]):
    """Strings of bits; mutation flips them.

    >>> Bits(4).text((0, 1, 1, 0))
    '0110'
    """

    name: ClassVar[str] = "bits"

    def gene(self, place: int, stream: Stream) -> int:
        """Return 0 or 1."""
        return stream.below(2)

    def changed(self, place: int, gene: int, stream: Stream) -> int:
        """Return the other bit."""
        return 1 - gene

    def write(self, g: Whole) -> Any:
        """Return a text of 0 and 1."""
        return self.text(g)

    def read(self, data: Any) -> Whole:
        """Return the bits of a text."""
        if not isinstance(data, str) or len(data) != self.length or set(data) - {"0", "1"}:
            raise BadParameter(f"bits: wanted a text of {self.length} times 0 or 1, got {data!r}")
        return tuple(int(bit) for bit in data)

    def text(self, g: Whole) -> str:
        """Return the bits without spaces."""
        return "".join(map(str, g))


@dataclass(frozen=True)
class Integers(_Vectors[int]):
    """Whole numbers from low to high; mutation draws a gene anew (reset) or moves it a little (creep).

    `low` and `high` may be one number for all genes or one for each.  Creep moves a gene by 1 … `step`,
    up or down, as far as the bounds go.
    """

    low: int | Whole = 0
    high: int | Whole = 1
    mutation: str = "reset"
    step: int = 1

    name: ClassVar[str] = "integers"

    def __post_init__(self) -> None:
        super().__post_init__()
        _bounds(self.name, self.length, self.low, self.high)
        one_of("integers: mutation", self.mutation, ("reset", "creep"))
        _demand_numbers("integers: step", self.step, whole=True)
        within("integers: step", self.step, least=1)

    def gene(self, place: int, stream: Stream) -> int:
        """Return any number within the bounds."""
        low = _at(self.low, place)
        return low + stream.below(_at(self.high, place) - low + 1)

    def changed(self, place: int, gene: int, stream: Stream) -> int:
        """Return the gene drawn anew, or moved."""
        if self.mutation == "reset":
            return self.gene(place, stream)
        move = (1 + stream.below(self.step)) * (1 - 2 * stream.below(2))
        return min(_at(self.high, place), max(_at(self.low, place), gene + move))

    def write(self, g: Whole) -> Any:
        """Return a list."""
        return list(g)

    def read(self, data: Any) -> Whole:
        """Return the vector of a list."""
        if not isinstance(data, list) or any(isinstance(x, bool) or not isinstance(x, int) for x in data):
            raise BadParameter(f"integers: wanted a list of {self.length} whole numbers, got {data!r}")
        return _within(self.name, tuple(data), self.length, self.low, self.high)

    def text(self, g: Whole) -> str:
        """Return the numbers with spaces."""
        return " ".join(map(str, g))


@dataclass(frozen=True)
class Reals(_Vectors[float]):
    """Real numbers from low to high; mutation adds a normal deviate (gaussian) or a polynomial one (Deb's, which is
    mostly small and sometimes large), or draws anew (reset).

    `step` is the deviate's size as a share of the gene's range.  What would leave the bounds comes
    back from them as a ball does, so that the ends attract no genes.
    """

    low: float | Vector = 0.0
    high: float | Vector = 1.0
    mutation: str = "gaussian"
    step: float = 0.1

    name: ClassVar[str] = "reals"

    def __post_init__(self) -> None:
        super().__post_init__()
        _bounds(self.name, self.length, self.low, self.high)
        one_of("reals: mutation", self.mutation, ("gaussian", "polynomial", "reset"))
        _demand_numbers("reals: step", self.step)
        if not 0 < self.step < math.inf:
            raise BadParameter(f"reals: step must be above 0, got {self.step}")

    def stretched(self, factor: float) -> Self:
        """Return this kind with its step multiplied, for the 1/5 rule."""
        return replace(self, step=self.step * factor)

    def vector(self, g: Vector) -> Sequence[float]:
        """Return the numbers that CMA-ES adapts."""
        return g

    def of_vector(self, values: Sequence[float], like: Vector) -> Vector:
        """Return the genome of such numbers, within the bounds."""
        return self.bounded(values)

    def spans(self, share: float) -> list[float]:
        """Return a share of each gene's range."""
        return [share * (_at(self.high, place) - _at(self.low, place)) for place in range(self.length)]

    def bounded(self, values: Sequence[float]) -> Vector:
        """Return the values, those outside mirrored back between the bounds."""
        return tuple(_mirrored(x, _at(self.low, place), _at(self.high, place)) for place, x in enumerate(values))

    def cross(self, a: Vector, b: Vector, stream: Stream) -> tuple[Vector, Vector]:
        """Return both children, within the bounds."""
        left, right = super().cross(a, b, stream)
        return (self.bounded(left), self.bounded(right)) if self.crossover == SIMULATED else (left, right)

    def gene(self, place: int, stream: Stream) -> float:
        """Return any number within the bounds."""
        return stream.uniform(_at(self.low, place), _at(self.high, place))

    def changed(self, place: int, gene: float, stream: Stream) -> float:
        """Return the gene moved, or drawn anew."""
        if self.mutation == "reset":
            return self.gene(place, stream)
        low, high = _at(self.low, place), _at(self.high, place)
        if self.mutation == "polynomial":
            u = stream.uniform()
            power = 1 / (ETA + 1)
            move = (2 * u) ** power - 1 if u < 0.5 else 1 - (2 * (1 - u)) ** power
            return _mirrored(gene + move * (high - low), low, high)
        return _mirrored(gene + self.step * (high - low) * stream.normal(), low, high)

    def write(self, g: Vector) -> Any:
        """Return a list."""
        return list(g)

    def read(self, data: Any) -> Vector:
        """Return the vector of a list."""
        return _within(self.name, numbers(data, self.length, self.name), self.length, self.low, self.high)

    def text(self, g: Vector) -> str:
        """Return the numbers with spaces, four digits of each."""
        return " ".join(f"{x:.4g}" for x in g)


def numbers(data: Any, length: int, what: str) -> Vector:
    """Return a list of so many finite numbers as a vector; raises BadParameter for anything else."""
    if (
        not isinstance(data, list)
        or len(data) != length
        or any(isinstance(x, bool) or not isinstance(x, int | float) or not math.isfinite(x) for x in data)
    ):
        raise BadParameter(f"{what}: wanted a list of {length} numbers, got {data!r}")
    return tuple(float(x) for x in data)


def _at(bound: X | Genes[X], place: int) -> X:
    """Return the bound of one gene."""
    return bound[place] if isinstance(bound, tuple) else bound


def _demand_numbers(what: str, given: Any, *, whole: bool = False) -> None:
    """Raise BadParameter for what is no number, or no tuple of numbers."""
    kinds = (int,) if whole else (int, float)
    for value in given if isinstance(given, tuple) else (given,):
        if isinstance(value, bool) or not isinstance(value, kinds):
            raise BadParameter(f"{what} must be a {'whole ' if whole else ''}number, got {brief(value)}")


def _bounds(name: str, length: int, low: Any, high: Any) -> None:
    for bound in (low, high):
        _demand_numbers(f"{name}: a bound", bound, whole=name == Integers.name)
        if isinstance(bound, tuple) and len(bound) != length:
            raise BadParameter(f"{name}: {length} genes need {length} bounds, got {len(bound)}")
    for place in range(length):
        least: float = _at(low, place)
        most: float = _at(high, place)
        if not least <= most:
            raise BadParameter(f"{name}: low must be at most high, got {brief(least)} and {brief(most)}")
        if not -FARTHEST <= least <= most <= FARTHEST:
            raise BadParameter(f"{name}: bounds are at most {FARTHEST:g} from 0, got {brief(least)} and {brief(most)}")


def _within(name: str, genes: Genes[X], length: int, low: X | Genes[X], high: X | Genes[X]) -> Genes[X]:
    if len(genes) != length:
        raise BadParameter(f"{name}: wanted {length} genes, got {len(genes)}")
    for place, gene in enumerate(genes):
        if not _at(low, place) <= gene <= _at(high, place):
            raise BadParameter(
                f"{name}: gene {place + 1} must be from {_at(low, place)} to {_at(high, place)}, got {gene}"
            )
    return genes


def _mirrored(x: float, low: float, high: float) -> float:
    """Return x reflected at the bounds until it lies between them."""
    width = high - low
    if low <= x <= high or width == 0:
        return min(high, max(low, x))
    distance = (x - low) % (2 * width)
    return min(high, max(low, low + min(distance, 2 * width - distance)))
