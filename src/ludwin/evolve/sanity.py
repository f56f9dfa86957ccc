"""The toys as experiments: runs of seconds whose answers are known.

Why it is here.  Whoever wants to see what a run is, or to test one, needs an experiment that is over at
once and can be judged exactly.  OneMax is measured by its own count; symbolic regression by points
that evolution never saw, so that it has a sample, as games are.
"""

from functools import lru_cache
from typing import Any

from ludwin.evolve.experiment import Experiment, Measure, Setting, Settings
from ludwin.evolve.toys import ARITHMETIC, EXACT, HIT, one_max, symbolic_regression, values
from ludwin.evolve.trees import Genome
from ludwin.evolve.vectors import Whole
from ludwin.program.draw import svg
from ludwin.program.export import python
from ludwin.program.simplify import simplify
from ludwin.program.stream import Stream
from ludwin.program.text import lines, read

ALL_ONES = "all ones"
CURVE = "x^4 + x^3 + x^2 + x at fresh points"
ZERO = read(ARITHMETIC, "Sub(X, X)")  # what a part is replaced by


def _ones(settings: Settings, genome: Whole, opponent: str, games: int, seed: int, workers: int) -> Measure:
    return Measure.exact(opponent, sum(genome) / len(genome))


ONEMAX = Experiment(
    name="onemax",
    summary="a string of ones from random bits: the toy of genetic algorithms",
    kind=lambda settings: one_max(settings["length"]).kind,
    fitness=lambda settings, workers: one_max(settings["length"]).fitness,
    opponents=lambda settings: (ALL_ONES,),
    measure=_ones,
    settings=(Setting("length", 60, "bits of a string", least=1, most=100_000),),
    defaults={"population": 60, "generations": 60, "mutation": 1.0},
    presets={
        "quick": {},
        "standard": {"length": 100, "population": 100, "generations": 100, "baseline": True},
        "paper": {"length": 6, "population": 6, "generations": 30, "baseline": True},
    },
)


@lru_cache(maxsize=4)
def _regression(points: int) -> Any:
    return symbolic_regression(points=points)


def _hits(settings: Settings, genome: Genome, opponent: str, games: int, seed: int, workers: int) -> Measure:
    """Count the fresh points that a program meets, one a game."""
    import numpy as np

    stream = Stream(seed)
    points = np.array([stream.uniform(-1.0, 1.0) for _ in range(games)])
    with np.errstate(all="ignore"):
        errors = np.abs(values(genome[0], points) - (((points + 1) * points + 1) * points + 1) * points)
    hits = int((errors < HIT).sum())  # a value that is no number is no hit
    return Measure.of(opponent, (games - hits, 0, hits))


def _facts(settings: Settings, genome: Genome) -> dict[str, Any]:
    tree = genome[0]
    used = sorted({tree.primitive(at).name for at in range(len(tree))})
    return {"simplified": lines(simplify(tree)), "depth": tree.depth, "used": used}


def _picture(settings: Settings, genome: Genome) -> str:
    return svg(genome[0])


def _export(settings: Settings, genome: Genome) -> str:
    return python(genome[0], notes=("A champion of symbolic-regression.",))


def _parts(settings: Settings, genome: Genome) -> list[tuple[str, Genome]]:
    """Return the program without each argument of its root."""
    tree = genome[0]
    return [
        (f"argument {number} of the root", (tree.graft(at, ZERO),)) for number, at in enumerate(tree.children(0), 1)
    ]


REGRESSION = Experiment(
    name="symbolic-regression",
    summary="a program equal to x^4 + x^3 + x^2 + x: the toy of genetic programming",
    kind=lambda settings: _regression(settings["points"]).kind,
    fitness=lambda settings, workers: _regression(settings["points"]).fitness,
    opponents=lambda settings: (CURVE,),
    measure=_hits,
    settings=(Setting("points", 20, "points of the curve that fitness sees", least=2, most=10_000),),
    defaults={
        "population": 500,
        "generations": 50,
        "breeding": "gp",
        "tournament": 7,
        "crossover": 0.9,
        "mutation": 0.0,
        "stop_at": 1 / (1 + EXACT),
    },
    presets={
        "quick": {"population": 200, "generations": 30},
        "standard": {"baseline": True},
        "paper": {"baseline": True},
    },
    champion=lambda settings, genome: {"language": ARITHMETIC.name},
    facts=_facts,
    parts=_parts,
    picture=_picture,
    export=_export,
)
