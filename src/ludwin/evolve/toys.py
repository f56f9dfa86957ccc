"""Two problems whose answers are known: counting ones, and finding a polynomial.

Why it is here.  Before evolution is believed on a game it must solve what everybody's does.  OneMax asks
a genetic algorithm for a string of ones; symbolic regression asks genetic programming for
x⁴ + x³ + x² + x from twenty of its values.  Each toy is a kind, a fitness and a plan, and takes seconds.

References.  J. R. Koza, Genetic Programming (1992), section 7.3 (the polynomial, its functions and
its adjusted fitness 1 / (1 + error)).
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from ludwin.errors import BadParameter
from ludwin.evolve.kind import Representation
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Fitness, Score
from ludwin.evolve.trees import Genome, single
from ludwin.evolve.vectors import Bits, Whole
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree
from ludwin.program.vary import Limits

G = TypeVar("G", bound=Hashable)

EXACT = 1e-9  # an error below this, over all points, is rounding
HIT = 0.01  # Koza's measure of a point that is met


@dataclass(frozen=True)
class Toy(Generic[G]):
    """A problem that is complete: what varies, what is good, and how to breed it."""

    name: str
    summary: str
    kind: Representation[G]
    fitness: Fitness[G]
    plan: Plan


class Ones:
    """The number of ones."""

    lasting: ClassVar[bool] = True

    def score(self, genomes: Sequence[Whole], generation: int, stream: Stream) -> list[Score]:
        """Count."""
        return [(float(sum(genome)), {}) for genome in genomes]


def one_max(length: int = 100, population: int = 100, generations: int = 100) -> Toy[Whole]:
    """Return OneMax: the fitness of a bit string is its number of ones.

    >>> from ludwin.evolve.engine import evolve
    >>> toy = one_max(length=6, population=6, generations=50)
    >>> [generation.best.fitness for generation in evolve(toy.kind, toy.fitness, toy.plan, seed=1)][-1]
    6.0
    """
    rate = min(0.1, 1 / length)  # one bit per string; the book's small example has a tenth of six bits
    plan = Plan(population=population, generations=generations, mutation=1.0, stop_at=float(length))
    return Toy("onemax", f"a string of {length} ones, from random bits", Bits(length, rate=rate), Ones(), plan)


ARITHMETIC = Language(
    "arithmetic",
    ("Float",),
    (
        Primitive("Add", "Float", ("Float", "Float"), "a + b"),
        Primitive("Sub", "Float", ("Float", "Float"), "a - b"),
        Primitive("Mul", "Float", ("Float", "Float"), "a * b"),
        Primitive(
            "Div",
            "Float",
            ("Float", "Float"),
            "1.0 if b == 0.0 else a / b",
            help="the quotient, and 1 where the divisor is 0",
        ),
        Primitive("X", "Float", reads="x"),
    ),
)


def values(tree: Tree, points: Any) -> Any:
    """Return the values of an arithmetic program at all points at once, an array."""
    import numpy as np

    from ludwin.program.rows import on_rows

    return on_rows([tree], {"x": np.atleast_1d(points)})[0]


class Polynomial:
    """Closeness to x⁴ + x³ + x² + x at equally spaced points from -1 to 1: 1 / (1 + sum of errors)."""

    lasting: ClassVar[bool] = True

    def __init__(self, points: int = 20):
        import numpy as np

        if points < 2:
            raise BadParameter(f"a curve needs 2 points at least, got {points}")
        from ludwin.program.rows import Columns

        self.points = np.linspace(-1.0, 1.0, points)
        self.rows = Columns({"x": self.points})
        self.target = ((self.points + 1) * self.points + 1) * self.points * self.points + self.points

    def score(self, genomes: Sequence[Genome], generation: int, stream: Stream) -> list[Score]:
        """Return fitness, with the error and the number of points that are met."""
        import numpy as np

        scores: list[Score] = []
        with np.errstate(all="ignore"):  # a program may divide by almost nothing; its error is then infinite
            for found in self.rows.values([genome[0] for genome in genomes]):
                errors = np.nan_to_num(np.abs(found - self.target), nan=1e300, posinf=1e300)
                error = float(errors.sum()) if errors.max() < 1e300 else 1e300
                scores.append((1 / (1 + error), {"error": error, "hits": float((errors < HIT).sum())}))
        return scores


def symbolic_regression(population: int = 500, generations: int = 50, points: int = 20) -> Toy[Genome]:
    """Return symbolic regression: a program that is x⁴ + x³ + x² + x at all points."""
    plan = Plan(
        population=population,
        generations=generations,
        breeding="gp",
        selection="tournament",
        tournament=7,
        crossover=0.9,
        mutation=0.0,
        stop_at=1 / (1 + EXACT),
    )
    kind = single(ARITHMETIC, Limits(depth=17, size=1000))
    return Toy(
        "symbolic-regression",
        "a program equal to x^4 + x^3 + x^2 + x, from + - * and division",
        kind,
        Polynomial(points),
        plan,
    )
