"""CMA-ES: children around a mean, and a covariance that learns which steps have paid.

The idea.  Children are drawn from a normal distribution.  Its mean moves to the weighted mean of the best half; its
covariance turns towards the steps that led there, alone (rank mu) and along the path of the mean (rank one), and away
from those of the worse half (active); its step size grows while the mean goes straight on and shrinks while it goes to
and fro.  All constants are those of the tutorial.  Numbers are adapted in units of each gene's range, so that a step of
0.3 means the same for all of them.

What it adapts.  Any kind that says what its numbers are (`vector` and `of_vector`, as `Reals` does) and how wide they
range (`spans`): real vectors, and the constants of a program (`Constants`).  Genes outside their bounds come back as
`Reals` brings them back, for scoring; the distribution learns from the steps as they were drawn.

A resume.  Mean, step, covariance and paths are numbers of the generation (`state`), so the next one is a function of
it.  The mean itself is the first child of the last generation: under noise it is the better player.

References.  N. Hansen, "The CMA evolution strategy: a tutorial", arXiv:1604.00772 (2016).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from ludwin.errors import BadParameter, brief
from ludwin.evolve.population import Child, Generation
from ludwin.evolve.selection import leaders, worths
from ludwin.evolve.vectors import FARTHEST, numbers
from ludwin.program.stream import Stream
from ludwin.program.text import write
from ludwin.program.tree import Tree
from ludwin.settings import within

if TYPE_CHECKING:
    from ludwin.evolve.engine import Running

LEAST_EIGENVALUE = 1e-20
WIDEST = 1e7  # the square root of the largest ratio of variances


@dataclass(frozen=True)
class CovarianceRates:
    """The constants of the strategy for n numbers and so many children, as in the tutorial."""

    weights: tuple[float, ...]
    mu_eff: float
    c_sigma: float
    d_sigma: float
    c_c: float
    c_1: float
    c_mu: float
    chi: float

    @classmethod
    def of(cls, n: int, births: int) -> "CovarianceRates":
        """Return them; the weights of the worse half are below 0."""
        raw = [math.log((births + 1) / 2) - math.log(i) for i in range(1, births + 1)]
        better, worse = raw[: births // 2], [w for w in raw[births // 2 :] if w < 0]
        mu_eff = math.fsum(better) ** 2 / math.fsum(w * w for w in better)
        mu_bad = math.fsum(worse) ** 2 / math.fsum(w * w for w in worse)
        c_sigma = (mu_eff + 2) / (n + mu_eff + 5)
        d_sigma = 1 + 2 * max(0.0, math.sqrt((mu_eff - 1) / (n + 1)) - 1) + c_sigma
        c_c = (4 + mu_eff / n) / (n + 4 + 2 * mu_eff / n)
        c_1 = 2 / ((n + 1.3) ** 2 + mu_eff)
        c_mu = min(1 - c_1, 2 * (0.25 + mu_eff - 2 + 1 / mu_eff) / ((n + 2) ** 2 + mu_eff))
        most = min(1 + c_1 / c_mu, 1 + 2 * mu_bad / (mu_eff + 2), (1 - c_1 - c_mu) / (n * c_mu))
        weights = tuple(w / math.fsum(better) if w > 0 else -most * w / math.fsum(worse) for w in raw)
        chi = math.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))
        return cls(weights, mu_eff, c_sigma, d_sigma, c_c, c_1, c_mu, chi)


def adapt(run: "Running[Any]", generation: Generation[Any]) -> Generation[Any]:
    """Draw the children of a generation, score them, and let the distribution learn."""
    import numpy as np

    kind: Any = run.kind
    if not all(hasattr(kind, name) for name in ("vector", "of_vector", "spans")):
        raise BadParameter(f"breeding=cma needs genomes of real numbers, {kind.name} has none that it could adapt")
    like = generation.best.genome
    scale = np.array(kind.spans(1.0), dtype=float)
    n, births = len(scale), run.plan.population
    if births < 4:
        raise BadParameter(f"breeding=cma needs a population of 4 children, got {births}")
    rates, state = CovarianceRates.of(n, births), generation.state
    # Step 1. The distribution: that of the last generation, or a ball around the best of the first.
    mean = np.array(state["mean"]) if "mean" in state else np.array(kind.vector(like), dtype=float) / _nonzero(scale)
    sigma = float(state.get("sigma", run.plan.step_size))
    covariance = np.array(state["covariance"]).reshape(n, n) if "covariance" in state else np.eye(n)
    p_sigma, p_c = (np.array(state[key]) if key in state else np.zeros(n) for key in ("p_sigma", "p_c"))
    values, axes = np.linalg.eigh((covariance + covariance.T) / 2)
    values = np.maximum(values, max(LEAST_EIGENVALUE, float(values.max()) / WIDEST**2))
    roots = np.sqrt(values)
    # Step 2. The children.
    stream, last = run.chance(generation), generation.number + 1 == run.plan.generations
    draws = np.array([[chance.normal() for _ in range(n)] for chance in (stream.split(k) for k in range(births))])
    if last:
        draws[0] = 0.0
    steps = draws * roots @ axes.T
    genomes = [kind.of_vector((scale * (mean + sigma * step)).tolist(), like) for step in steps]
    pool, cost = run.judged([Child(genome, "cma") for genome in genomes], generation)
    if run.compare is not None:
        pool = run.ranked(pool, run.compare)
    # Step 3. What the better half says.
    order = leaders(worths(pool, run.plan.parsimony), births)
    weights, half = np.array(rates.weights), births // 2
    move = weights[:half] @ steps[order[:half]]
    mean = mean + sigma * move
    # Step 4. The paths, the covariance and the step.
    whitened = axes @ ((axes.T @ move) / roots)
    p_sigma = (1 - rates.c_sigma) * p_sigma + math.sqrt(rates.c_sigma * (2 - rates.c_sigma) * rates.mu_eff) * whitened
    length = float(np.linalg.norm(p_sigma))
    turns = 1 - (1 - rates.c_sigma) ** (2 * (generation.number + 1))
    goes_on = length / math.sqrt(turns) < (1.4 + 2 / (n + 1)) * rates.chi
    p_c = (1 - rates.c_c) * p_c + goes_on * math.sqrt(rates.c_c * (2 - rates.c_c) * rates.mu_eff) * move
    lost = (1 - goes_on) * rates.c_c * (2 - rates.c_c)
    lengths = np.maximum(np.square(draws[order]).sum(axis=1), 1e-30)  # of bad steps, which must not outweigh all else
    shares = np.where(weights < 0, weights * n / lengths, weights)
    covariance = (
        (1 - rates.c_1 - rates.c_mu * weights.sum() + rates.c_1 * lost) * covariance
        + rates.c_1 * np.outer(p_c, p_c)
        + rates.c_mu * (steps[order].T * shares) @ steps[order]
    )
    sigma *= math.exp(min(1.0, rates.c_sigma / rates.d_sigma * (length / rates.chi - 1)))
    learnt = {
        "mean": mean.tolist(),
        "sigma": sigma,
        "covariance": covariance.reshape(-1).tolist(),
        "p_sigma": p_sigma.tolist(),
        "p_c": p_c.tolist(),
    }
    return run.followed(replace(generation, state={**state, **learnt}), pool, cost)


def _nonzero(scale: Any) -> Any:
    import numpy as np

    return np.where(scale == 0.0, 1.0, scale)


# ---- The constants of a program -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Constants:
    """The numbers of one program as a genome: its constants where they are drawn from a range; factors of nodes stay
    as they are.  `decode` is the program with these numbers; genome 0 is the program as it was.

    >>> from ludwin.evolve.covariance import Constants
    >>> from ludwin.program.board import BASIC, FUNCTIONS
    >>> from ludwin.program.language import Language
    >>> from ludwin.program.text import read
    >>> kind = Constants(read(Language("numbers", ("Float", "Bool"), (*FUNCTIONS, *BASIC)), "Plus(2.5, One)"))
    >>> kind.first, kind.text((4.0,))
    ((2.5,), 'Plus(4.0, One)')
    """

    tree: Tree
    step: float = 0.3
    name: ClassVar[str] = "constants"
    places: tuple[int, ...] = field(default=(), init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.tree, Tree):
            raise BadParameter(f"constants are those of one program, got {brief(self.tree)}")
        found = [at for at in range(len(self.tree)) if self._is_free(at)]
        if not found:
            raise BadParameter(f"{write(self.tree):.80} has no constants to adapt")
        within("constants: step", self.step, least=1e-12, most=1e6)
        object.__setattr__(self, "places", tuple(found))

    def _is_free(self, at: int) -> bool:
        primitive = self.tree.primitive(at)
        return primitive.draws is not None and not primitive.choices

    @property
    def first(self) -> tuple[float, ...]:
        """The program's own constants."""
        return tuple(self.tree.values[at] for at in self.places)

    def decode(self, g: Sequence[float]) -> Tree:
        """Return the program with these constants."""
        values = list(self.tree.values)
        for at, value in zip(self.places, g, strict=True):
            values[at] = float(value)
        return Tree(self.tree.language, self.tree.nodes, tuple(values), self.tree.places, self.tree.factors)

    def spans(self, share: float) -> list[float]:
        """Return a share of the range that each constant is drawn from."""
        ranges = [self.tree.primitive(at).draws or (0.0, 1.0) for at in self.places]
        return [share * ((high - low) or 1.0) for low, high in ranges]

    def vector(self, g: Sequence[float]) -> Sequence[float]:
        """Return the numbers themselves."""
        return g

    def of_vector(self, values: Sequence[float], like: Any) -> tuple[float, ...]:
        """Return the numbers themselves: constants may leave the range that they were drawn from."""
        return tuple(min(max(float(x), -FARTHEST), FARTHEST) for x in values)

    def begin(self, n: int, stream: Stream) -> list[tuple[float, ...]]:
        """Return the program as it is, then mutants."""
        return [self.first, *(self.mutate(self.first, stream.split(k)) for k in range(1, n))][:n]

    def make(self, stream: Stream) -> tuple[float, ...]:
        """Return constants drawn anew."""
        return tuple(stream.uniform(*(self.tree.primitive(at).draws or (0.0, 1.0))) for at in self.places)

    def cross(self, a: Any, b: Any, stream: Stream) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Exchange each constant with probability 1/2."""
        swaps = [stream.chance(0.5) for _ in a]
        left = tuple(y if swap else x for x, y, swap in zip(a, b, swaps, strict=True))
        return left, tuple(x if swap else y for x, y, swap in zip(a, b, swaps, strict=True))

    def donate(self, donor: Any, receiver: Any, stream: Stream) -> tuple[float, ...]:
        """Return the receiver's child."""
        return self.cross(receiver, donor, stream)[0]

    def mutate(self, g: Any, stream: Stream) -> tuple[float, ...]:
        """Move every constant a little."""
        widths = self.spans(self.step / 3)
        return self.of_vector([x + width * stream.normal() for x, width in zip(g, widths, strict=True)], g)

    def write(self, g: Any) -> Any:
        """Return a list."""
        return list(g)

    def read(self, data: Any) -> tuple[float, ...]:
        """Return the constants of a list."""
        return numbers(data, len(self.places), self.name)

    def text(self, g: Any) -> str:
        """Return the program with these constants."""
        return write(self.decode(g))

    def size(self, g: Any) -> int:
        """Return the nodes of the program."""
        return len(self.tree)
