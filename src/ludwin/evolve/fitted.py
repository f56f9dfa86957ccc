"""Regression: a formula for a table, with linear scaling.

Why it is here.  To find a formula is to find its form and its numbers, and selection that must find both at once mostly
throws good forms away: x*x is worth nothing where 3*x*x + 100 is wanted.  Linear scaling gives every program the slope
and the intercept that suit it best, by least squares, before its errors are counted; evolution is left with the
form.  What a program was given belongs to it: it is read, drawn, exported and tested as `intercept + slope * program`,
with the numbers of the rows that evolution saw.

>>> from ludwin.evolve.plan import Plan
>>> from ludwin.evolve.toys import ARITHMETIC
>>> x = [-2.0, -1.0, 0.0, 1.0, 2.0]
>>> plan = Plan(population=20, generations=0)
>>> curve = regression("curve", {"x": x}, [100 + 3 * v * v for v in x], ARITHMETIC, scaling="linear", plan=plan)
>>> from ludwin.program.text import read, write
>>> fit, square = curve.fitness, read(ARITHMETIC, "Mul(X, X)")
>>> [float(round(c, 9)) for c in fit.coefficients([square])[0]], round(-fit.score([(square,)], 0, None)[0].value, 9)
([100.0, 3.0], 0.0)
>>> write(curve.program(square))
'Plus[100.0](Times[3.0](Mul(X, X)))'

A scaling is a function of an array of values, a line for each program, and of the wanted values; it returns a line of
coefficients for each program, and the formula is c0 + c1 * value + c2 * value**2 + ….  An error is a
function of the same two that returns an array of errors.  Both are registered (`operators.py`), so whoever has another
adds it with `@scaling("name")` or `@error("name")`.

References.  M. Keijzer, "Improving symbolic regression with interval arithmetic and linear scaling", EuroGP 2003,
70-82.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any, ClassVar

import numpy as np

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import called
from ludwin.evolve.kind import Representation
from ludwin.evolve.operators import ERRORS, GENOMES, SCALINGS
from ludwin.evolve.parts import decoded
from ludwin.evolve.plan import Plan
from ludwin.evolve.population import Score, Scored
from ludwin.evolve.problem import Problem
from ludwin.measure import LESS
from ludwin.program.language import Language, Primitive
from ludwin.program.rows import Columns
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, join
from ludwin.program.vary import Limits
from ludwin.settings import Setting, one_of

WORST = 1e30  # an error above this, or one that is no number, counts as this
ROWS = "rows"  # what the identity of a run calls the hash of its data
FLAT = 1e-12  # values that differ by less than this part of their size are all the same but for rounding
SQUARABLE = 400  # the power of two up to which values, and their products, are squared and summed without harm
LEAST = 2.0**-1022  # below it numbers have fewer digits
Floats = Any  # an array of numbers


# ---- Scalings and errors --------------------------------------------------------------------------------------


def unscaled(values: Floats, wanted: Floats) -> Floats:
    """Return coefficients that change nothing."""
    return np.tile([0.0, 1.0], (len(values), 1))


def linear(values: Floats, wanted: Floats) -> Floats:
    """Return intercept and slope by least squares; a program that is constant on all rows gets the mean, and slope 0.

    Sums go along the rows of one program at a time, so that its numbers do not depend on who else is there.
    """
    above, beyond = _powers(values), _powers(wanted[None, :])[0]
    values, wanted = np.ldexp(values, -above[:, None]), np.ldexp(wanted, -beyond)
    mean, middle = values.mean(axis=1), wanted.mean()
    off = values - mean[:, None]
    spread = (off * off).sum(axis=1)
    rounding = FLAT * np.abs(values).max(axis=1)
    flat = ~(spread > values.shape[1] * rounding * rounding)
    slope = np.where(flat, 0.0, (off * (wanted - middle)).sum(axis=1) / np.where(flat, 1.0, spread))
    shown = np.ldexp(slope, beyond - above)
    flat |= ~np.isfinite(shown) | ((above != beyond) & (np.abs(shown) < LEAST))  # a slope that is no number of its own
    return np.column_stack(
        (np.ldexp(np.where(flat, middle, middle - slope * mean), beyond), np.where(flat, 0.0, shown))
    )


def _powers(values: Floats) -> Floats:
    """Return by which power of two each line is divided before it is squared: 0 but for the huge and the tiny.

    A power of two changes no digit, so nothing depends on where this begins.
    """
    largest = np.abs(values).max(axis=1)
    power = np.frexp(largest)[1]
    return np.where(np.isfinite(largest) & (np.abs(power) > SQUARABLE), power, 0)


def offset(values: Floats, wanted: Floats) -> Floats:
    """Return the mean error as intercept, and slope 1."""
    return np.column_stack(((wanted - values).mean(axis=1), np.ones(len(values))))


def absolute(values: Floats, wanted: Floats) -> Floats:
    """Return distances."""
    return np.abs(values - wanted)


def squared(values: Floats, wanted: Floats) -> Floats:
    """Return squares of distances."""
    off = values - wanted
    return off * off


# ---- The fitness ----------------------------------------------------------------------------------------------


class Fit:
    """How well programs fit a column of numbers: the mean error, and the errors of the rows as cases."""

    lasting: ClassVar[bool] = True

    def __init__(
        self, kind: Representation[Any], rows: Columns, wanted: Floats, scaling: str, error: str, cases: bool = False
    ):
        self.kind, self.rows, self.wanted = kind, rows, wanted
        self.scaling, self.error, self.cases = scaling, error, cases

    def score(self, genomes: Sequence[Any], generation: int, stream: Stream | None) -> list[Score]:
        """Return minus the mean errors."""
        trees = [decoded(self.kind, genome) for genome in genomes]
        values = self.rows.values(trees)
        errors = self._errors(values, self._coefficients(values))
        means = errors.mean(axis=1).tolist()
        found = (-errors).tolist() if self.cases else [()] * len(trees)
        return [Scored(-mean, {}, tuple(cases)) for mean, cases in zip(means, found, strict=True)]

    def coefficients(self, trees: Sequence[Tree]) -> Floats:
        """Return what each program is scaled by on the rows of this fit; no scaling, where its values are no numbers.

        Raises BadParameter if a scaling of the user's returns something else.
        """
        return self._coefficients(self.rows.values(trees))

    def errors(self, trees: Sequence[Tree], coefficients: Floats) -> Floats:
        """Return the errors of scaled programs on the rows of this fit."""
        return self._errors(self.rows.values(trees), coefficients)

    def _coefficients(self, values: Floats) -> Floats:
        found = _asked("scaling", self.scaling, SCALINGS[self.scaling], values, self.wanted)
        if found.ndim != 2 or len(found) != len(values) or not found.shape[1]:
            raise BadParameter(f"scaling={self.scaling} must return a line of coefficients for each program")
        usable = np.isfinite(found).all(axis=1) & np.isfinite(values).all(axis=1)
        plain = np.zeros_like(found)
        plain[:, min(1, found.shape[1] - 1)] = 1.0
        return np.where(usable[:, None], found, plain)

    def _errors(self, values: Floats, coefficients: Floats) -> Floats:
        with np.errstate(all="ignore"):
            fitted = applied(values, coefficients)
        found = _asked("error", self.error, ERRORS[self.error], fitted, self.wanted)
        if found.shape != values.shape:
            raise BadParameter(f"error={self.error} must return an error for each value")
        return np.where(found < WORST, found, WORST)  # nan is not below


def _asked(what: str, name: str, function: Callable[..., Any], values: Floats, wanted: Floats) -> Floats:
    """Return what a scaling or an error answers, a user's perhaps. Raises BadParameter if it raises."""
    with np.errstate(all="ignore"):
        return np.asarray(called(f"{what}={name}", lambda: np.asarray(function(values, wanted), dtype=float)))


def applied(values: Floats, coefficients: Floats) -> Floats:
    """Return c0 + value * (c1 + value * (c2 + …)) of every program, as `scaled` computes it."""
    total = np.broadcast_to(coefficients[:, -1:], values.shape)
    for column in range(coefficients.shape[1] - 2, -1, -1):
        total = coefficients[:, column : column + 1] + values * total
    return total


@lru_cache(maxsize=256)
def _wider(language: Language, rule: str) -> tuple[Language, str, str]:
    """Return a language with primitives for scaling behind all others, and the names of these."""
    times, plus = "Times", "Plus"
    while {times, plus} & set(language.number):
        times, plus = f"{times}_", f"{plus}_"
    root, number, why = language.root, (-1.0, 1.0), "the program, fitted to what was wanted"
    first = Primitive(times, root, (root,), rule or "a * v", draws=None if rule else number, help=why)
    second = Primitive(plus, root, (root,), "v + a", draws=number, help=why)
    primitives = (*language.primitives, first, second)
    return Language(language.name, language.types, primitives, root, dict(language.sets)), times, plus


def scaled(tree: Tree, coefficients: Sequence[float]) -> Tree:
    """Return a program with its scaling above it, as it is computed: `Plus[intercept](Times[slope](program))`.

    What changes nothing is left out; of three coefficients and more all but the first are in the rule of `Times`.
    """
    intercept, *others = (float(c) for c in coefficients)
    rule = ""
    if len(others) > 1:
        rule = repr(others[-1])
        for c in reversed(others[:-1]):
            rule = f"({c!r} + a * {rule})"
        rule = f"a * {rule}"
    wider, times, plus = _wider(tree.language, rule)
    found = Tree(wider, tree.nodes, tree.values, tree.places, tree.factors)
    if not others:
        return join(wider, plus, join(wider, times, found, value=0.0), value=intercept)
    if rule or others[0] != 1.0:
        found = join(wider, times, found, value=others[0])
    if intercept != 0.0:
        found = join(wider, plus, found, value=intercept)
    return found if len(found) > len(tree) else tree


# ---- The problem ----------------------------------------------------------------------------------------------

PLAN = Plan(population=200, generations=50, breeding="gp", tournament=5, crossover=0.8, mutation=0.2, elite=1)


LIMITS = Limits(17, 200)
OWN = {  # fields of a problem that its fitness settles here
    *("fitness", "batch", "meet", "parasites", "teams", "cases", "direction"),
    *("failed", "options", "settled", "program", "tested_on"),
}


def options(scaling: str, error: str, genome: str = "") -> tuple[Setting, ...]:
    """Return the settings of a regression, with these defaults; a kind that the user gives is no setting."""
    return (
        Setting("scaling", scaling, SCALINGS.told(), choices=SCALINGS),
        Setting("error", error, ERRORS.told(), choices=ERRORS),
        *([Setting("genome", genome, GENOMES.told(), choices=GENOMES)] if genome else []),
    )


def regression(
    name: str,
    columns: Mapping[str, Any] | Columns,
    target: Any,
    genome: Language | Representation[Any],
    *,
    test: tuple[Mapping[str, Any] | Columns, Any] | None = None,
    scaling: str = "linear",
    error: str = "absolute",
    **more: Any,
) -> Problem:
    """Return the problem of finding a formula for a column of numbers. Raises BadParameter.

    `genome` is a language, or a kind whose genomes are, or stand for, one program; how a language is searched is the
    setting `genome` (`genomes.py`).  `test` holds columns and wanted
    values that evolution never sees; the champion is measured there with the scaling of the rows that it saw.
    `scaling` and `error` are also settings of a stored run: `--set scaling=none`.  Cases are kept where selection goes
    by them (lexicase).  What else is given goes to the `Problem`.
    """
    way = "tree" if isinstance(genome, Language) else ""
    if more.get("direction") == LESS:
        del more["direction"]
    for key in sorted(OWN & set(more)):
        raise BadParameter(f"{name}: a regression says itself what {key} is; Problem(…) is for another fitness")
    if test is not None and not (isinstance(test, tuple | list) and len(test) == 2):
        raise BadParameter(f"{name}: test is columns and wanted values, a pair, got {brief(test)}")
    limits = more.pop("limits", LIMITS)
    rows, wanted = _table(name, columns, target)
    unseen = _table(f"{name}, test", *test) if test is not None else None
    one_of("scaling", scaling, SCALINGS)
    one_of("error", error, ERRORS)
    base: dict[str, Any] = {"plan": PLAN, "direction": LESS, **more}
    base["identity"] = {ROWS: _hash_of((rows, wanted), *([unseen] if unseen else [])), **more.get("identity", {})}

    def settled(settings: Mapping[str, Any]) -> Problem:
        chosen = str(settings["scaling"]), str(settings["error"])
        kind = GENOMES[str(settings["genome"])](genome, limits) if isinstance(genome, Language) else genome
        cases = "lexicase" in str(settings["selection"])
        fit = Fit(kind, rows, wanted, *chosen, cases)
        fresh = fit if unseen is None else Fit(kind, *unseen, *chosen)
        return Problem(
            name,
            kind,
            fitness=fit,
            test=lambda tree: fresh.errors([tree], fit.coefficients([tree]))[0],
            tested_on="rows that evolution never saw" if unseen else "the rows of the fitness",
            program=lambda tree: scaled(tree, fit.coefficients([tree])[0]),
            options=options(scaling, error, way),
            settled=settled,
            **{**base, "metric": more.get("metric", f"mean {chosen[1]} error")},
        )

    return settled({"scaling": scaling, "error": error, "genome": way, "selection": base["plan"].selection})


def _table(name: str, columns: Mapping[str, Any] | Columns, target: Any) -> tuple[Columns, Floats]:
    """Return rows and wanted values. Raises BadParameter unless they fit together."""
    rows = columns if isinstance(columns, Columns) else Columns(columns, reuse=True)
    try:
        wanted = np.asarray(target, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BadParameter(f"{name}: the wanted values must be numbers that a float holds") from None
    if wanted.shape != (rows.length,):
        raise BadParameter(
            f"{name}: {rows.length} rows need as many wanted values in one list, got the shape {wanted.shape}"
        )
    good = np.isfinite(rows.table[:, : rows.length]).all(axis=0)
    if not good.all():
        raise BadParameter(
            f"{name}: the columns must hold finite numbers; leave the other rows out, such as row {good.argmin() + 1} "
            f"of {rows.length}"
        )
    good = np.isfinite(wanted)
    if not good.all():
        raise BadParameter(
            f"{name}: the wanted values must be finite; leave the others out with their rows, such as row "
            f"{good.argmin() + 1} of {rows.length}"
        )
    return rows, wanted


def _hash_of(*tables: tuple[Columns, Floats]) -> str:
    """Return a hash of all rows: a run of other data is another run."""
    found = sha256()
    for rows, wanted in tables:
        names = [[name, rows.first[name], rows.places[name]] for name in rows.first]
        found.update(json.dumps([names, rows.length]).encode())
        found.update(np.ascontiguousarray(rows.table[:, : rows.length], dtype="<f8").tobytes())
        found.update(np.ascontiguousarray(wanted, dtype="<f8").tobytes())
    return found.hexdigest()
