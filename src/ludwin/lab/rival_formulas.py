"""Formulas looked for by other systems: DEAP and gplearn, by the same rows, primitives, plan and budget as ours.

Why it is here.  A rate of success means something beside the rate of others.  Each system is run as its own manual
shows, with the plan that all share: population, generations, tournament, rates of crossover and mutation, depths.
A formula is found if the fittest program of a generation meets every row.

DEAP: strongly limited depth as in its example of symbolic regression, programs on NumPy's arrays.  gplearn: the
generations one by one (`warm_start`), so that it, too, stops when the formula is found; it knows no greatest depth.
"""

import operator
import random
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np

from ludwin.evolve.formulas import HIT, LIMITS, NEAR, STEEP, TargetFormula
from ludwin.evolve.plan import Plan

WORST = 1e30


class Search(NamedTuple):
    """What one run found: whether the formula, in which generation, and how far off the fittest was at the end."""

    found: bool
    generation: int
    error: float
    unseen: float | None = None


Values = Callable[[list[Any]], Any]  # the values of a program on columns


def searched(formula: TargetFormula, seed: int, generation: int, values: Values) -> Search:
    """Return what the fittest program of a run is worth, on the rows it saw and on those it did not."""
    columns, wanted = formula.rows(seed)
    off = distances(values(list(columns.values())), wanted)
    unseen = formula.unseen(seed)
    error = float(distances(values(list(unseen[0].values())), unseen[1]).mean()) if unseen else None
    return Search(bool(off.max() < HIT), generation, float(off.mean()), error)


def distances(values: Any, wanted: Any) -> Any:
    """Return how far values are off; what is no number is very far off."""
    with np.errstate(all="ignore"):
        off = np.abs(np.broadcast_to(np.asarray(values, dtype=float), wanted.shape) - wanted)
    return np.where(off < WORST, off, WORST)


def divide(a: Any, b: Any) -> Any:
    """The quotient, and 1 by a divisor near 0."""
    with np.errstate(all="ignore"):
        return np.where(np.abs(b) > NEAR, np.divide(a, b), 1.0)


def logarithm(a: Any) -> Any:
    """The logarithm of the distance from 0, and 0 near 0."""
    with np.errstate(all="ignore"):
        return np.where(np.abs(a) > NEAR, np.log(np.abs(a)), 0.0)


def exponential(a: Any) -> Any:
    """The exponential, which does not grow beyond a limit."""
    return np.exp(np.minimum(a, STEEP))


def square(a: Any) -> Any:
    """The square."""
    return np.multiply(a, a)


FUNCTIONS: dict[str, tuple[Callable[..., Any], int]] = {
    "Add": (operator.add, 2),
    "Sub": (operator.sub, 2),
    "Mul": (operator.mul, 2),
    "Div": (divide, 2),
    "Sin": (np.sin, 1),
    "Cos": (np.cos, 1),
    "Exp": (exponential, 1),
    "Log": (logarithm, 1),
    "Square": (square, 1),
}


def _number() -> float:
    return random.uniform(-5.0, 5.0)


# ---- DEAP -----------------------------------------------------------------------------------------------------


def of_deap(formula: TargetFormula, plan: Plan, seed: int) -> Search:
    """Look for a formula with DEAP. Its chance is Python's, which is put back as it was."""
    before = random.getstate()
    random.seed(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _by_deap(formula, plan, seed)
    finally:
        random.setstate(before)


def _by_deap(formula: TargetFormula, plan: Plan, seed: int) -> Search:
    from deap import base, gp, tools

    columns, wanted = formula.rows(seed)
    given = list(columns.values())
    primitives = gp.PrimitiveSet("formula", len(given))
    for one in formula.primitives:
        if one.name in FUNCTIONS:
            primitives.addPrimitive(*FUNCTIONS[one.name], name=one.name)
        elif one.draws:
            primitives.addEphemeralConstant(f"number_{formula.name.replace('-', '_')}", _number)
        else:
            primitives.addTerminal(1.0)

    class Error(base.Fitness):  # type: ignore[misc]
        weights = (-1.0,)

    class DeapProgram(gp.PrimitiveTree):  # type: ignore[misc]
        fitness: Any

    def made() -> Any:
        program = DeapProgram(gp.genHalfAndHalf(primitives, 2, 6))
        program.fitness = Error()
        return program

    def values(program: Any) -> Values:
        function = gp.compile(program, primitives)
        return lambda numbers: _quietly(function, numbers)

    limit = gp.staticLimit(key=operator.attrgetter("height"), max_value=LIMITS.depth)
    cross = limit(gp.cxOnePoint)
    mutate = limit(lambda tree: gp.mutUniform(tree, lambda pset, type_: gp.genGrow(pset, 0, 5, type_), primitives))
    people = [made() for _ in range(plan.population)]
    for generation in range(plan.generations + 1):
        for one in people:
            if not one.fitness.valid:
                one.fitness.values = (float(distances(values(one)(given), wanted).mean()),)
        best = min(people, key=lambda one: one.fitness.values[0])
        found = searched(formula, seed, generation, values(best))
        if found.found or generation == plan.generations:
            break
        children: list[Any] = []
        while len(children) < plan.population:
            draw = random.random()
            parents = [_copy(one) for one in tools.selTournament(people, 2, plan.tournament)]
            if draw < plan.crossover:
                children += cross(*parents)
            else:
                children += mutate(parents[0]) if draw < plan.crossover + plan.mutation else parents[:1]
        for child in children:
            child.fitness = Error() if not hasattr(child, "fitness") else child.fitness
        people = children[: plan.population]
    return found


def _copy(program: Any) -> Any:
    """Return a copy of a program; those that vary lose their fitness."""
    copied = type(program)(program)
    copied.fitness = type(program.fitness)()
    return copied


def _quietly(function: Callable[..., Any], numbers: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return function(*numbers)


# ---- gplearn --------------------------------------------------------------------------------------------------


def of_gplearn(formula: TargetFormula, plan: Plan, seed: int) -> Search:
    """Look for a formula with gplearn."""
    from gplearn.functions import make_function
    from gplearn.genetic import SymbolicRegressor

    names = {"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div", "Sin": "sin", "Cos": "cos", "Log": "log"}
    functions: list[Any] = []
    for one in formula.primitives:
        if one.name in names:
            functions.append(names[one.name])
        elif one.name in FUNCTIONS:
            functions.append(make_function(function=FUNCTIONS[one.name][0], name=one.name.lower(), arity=1))
    has_one = any(one.name == "One" for one in formula.primitives)
    numbers = next((one.draws for one in formula.primitives if one.draws), None)
    columns, wanted = formula.rows(seed)
    table = np.column_stack([*columns.values(), *([np.ones(formula.points)] if has_one else [])])
    model = SymbolicRegressor(
        population_size=plan.population,
        generations=1,
        tournament_size=plan.tournament,
        stopping_criteria=0.0,
        const_range=numbers,
        init_depth=(2, 6),
        function_set=functions,
        metric="mean absolute error",
        p_crossover=plan.crossover,
        p_subtree_mutation=plan.mutation,
        p_hoist_mutation=0.0,
        p_point_mutation=0.0,
        warm_start=True,
        random_state=seed,
    )

    def values(given: list[Any]) -> Any:
        rows = np.column_stack([*given, *([np.ones(len(given[0]))] if has_one else [])])
        return _quietly(best.execute, [rows])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for generation in range(plan.generations + 1):
            model.set_params(generations=generation + 1)
            model.fit(table, wanted)
            best = min((one for one in model._programs[-1]), key=lambda one: one.raw_fitness_)
            found = searched(formula, seed, generation, values)
            if found.found:
                break
    return found


RIVALS: dict[str, tuple[str, Callable[[TargetFormula, Plan, int], Search]]] = {
    "DEAP": ("deap", of_deap),
    "gplearn": ("gplearn", of_gplearn),
}


def present() -> dict[str, str]:
    """Return the systems that are installed, with their versions."""
    found = {}
    for name, (package, _) in RIVALS.items():
        try:
            found[name] = version(package)
        except ImportError:
            continue
    return found
