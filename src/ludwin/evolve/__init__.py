"""Evolution as a library: genomes, fitness, plans, generations; from a notebook to a stored run.

`docs/reference/evolve-python.md` is the manual.  Names are imported when they are used, so that commands which do not
evolve pay nothing; operators are registered by the decorators of `ludwin.evolve.operators`.

>>> from ludwin.evolve import Bits, Plan, Problem
>>> ones = Problem("ones", Bits(8), fitness=sum, plan=Plan(population=10, generations=30, stop_at=8.0))
>>> [generation.best.fitness for generation in ones.run(seed=1)][-1]
8.0
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

HOMES = {
    "Bits": "vectors",
    "Constants": "covariance",
    "CoPlay": "coevolve",
    "Experiment": "experiment",
    "Generation": "population",
    "HallOfFame": "coevolve",
    "Individual": "population",
    "Integers": "vectors",
    "Knockout": "coevolve",
    "Objects": "objects",
    "OnValues": "strategies",
    "Parts": "parts",
    "Plan": "plan",
    "Policies": "policy",
    "Problem": "problem",
    "RandomTwoWays": "coevolve",
    "Reals": "vectors",
    "Scored": "population",
    "SelfAdaptive": "strategies",
    "Trees": "trees",
    "TwoPopulations": "coevolve",
    "archived": "pareto",
    "defining": "adf",
    "grammar": "grammatical",
    "hypervolume": "pareto",
    "own": "objects",
    "regression": "fitted",
    "single": "trees",
}
ELSEWHERE = {
    "Columns": "ludwin.program.rows",
    "Language": "ludwin.program.language",
    "Limits": "ludwin.program.vary",
    "Primitive": "ludwin.program.language",
    "Stream": "ludwin.program.stream",
    "on_rows": "ludwin.program.rows",
}
__all__ = sorted({*HOMES, *ELSEWHERE})


def __getattr__(name: str) -> Any:
    home = ELSEWHERE.get(name) or (f"ludwin.evolve.{HOMES[name]}" if name in HOMES else "")
    if not home:
        raise AttributeError(f"module 'ludwin.evolve' has no attribute {name!r}")
    return getattr(import_module(home), name)


def __dir__() -> list[str]:
    return list(__all__)


class _EvolvePackage(ModuleType):
    """This package, which can be called: `ludwin.evolve(…)` is the function `ludwin.evolve.door.evolve`."""

    def __call__(self, *given: Any, **words: Any) -> Any:
        from ludwin.evolve.door import evolve

        return evolve(*given, **words)


sys.modules[__name__].__class__ = _EvolvePackage
