"""The study of formulas: how often each is found, by ours with and without linear scaling, by DEAP and by gplearn.

Why it is here.  Node evaluations per second find nothing by themselves.  This is the question behind them: of so many
runs at the same budget, on the same rows, how many find the formula?  Run k of every system looks at the rows of seed
k.  Runs are kept one by one in the folder of the study, so it goes on where it was stopped; systems that are not
installed are left out and said.

`--games` is the number of runs of each system and formula.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import comb
from pathlib import Path
from typing import Any

from ludwin.errors import LudwinError
from ludwin.evolve.formulas import FORMULAS, PLAN, TargetFormula, problem
from ludwin.evolve.plan import Plan
from ludwin.formats import BadFile, Format, Number, Table, Truth, Whole, maybe, read_json, write_json
from ludwin.lab.experiment import LabTable, Row, TableRun, file_name, measured
from ludwin.measure import Measure
from ludwin.stats import Estimate

SEARCH = Format(
    "ludwin-search-for-a-formula",
    1,
    Table({"found": Truth(), "generation": Whole(0), "error": Number(), "unseen": maybe(Number())}),
    "search for a formula",
)
UNSEEN = "median of the mean errors on unseen rows"
POPULATIONS = {"quick": 50, "standard": 200, "paper": PLAN.population}


def plan_of(preset: str) -> Plan:
    """Return the plan that all systems share: Nguyen's, with a smaller population in the smaller presets."""
    return replace(PLAN, population=POPULATIONS[preset])


def ours(scaling: str) -> Callable[[TargetFormula, Plan, int], Any]:
    """Return what looks for a formula with our engine."""

    def look(formula: TargetFormula, plan: Plan, seed: int) -> Any:
        from ludwin.lab.rival_formulas import searched
        from ludwin.program.rows import on_rows

        wanted = problem(formula.name, seed, scaling)

        def values(given: list[Any]) -> Any:
            return on_rows([wanted.program(best)], dict(zip(formula.variables, given, strict=True)))[0]  # type: ignore

        for generation in wanted.run(seed, plan=plan):
            best = wanted.decode(generation.best.genome)
            found = searched(formula, seed, generation.number, values)
            if found.found:
                break
        return found

    return look


def systems(run: TableRun) -> dict[str, Callable[[TargetFormula, Plan, int], Any]]:
    """Return who looks, by name."""
    from ludwin.lab.rival_formulas import RIVALS, present

    found: dict[str, Callable[[TargetFormula, Plan, int], Any]] = {
        "ludwin": ours("none"),
        "ludwin, linear scaling": ours("linear"),
    }
    here = present()
    for name, (package, look) in RIVALS.items():
        if name in here:
            found[f"{name} {here[name]}"] = look
        else:
            run.news(f"no {name}: `pip install {package}` brings it")
    return found


def fill(run: TableRun) -> None:
    """Let every system look for every formula, run by run, and count."""
    who, plan = systems(run), plan_of(run.preset)
    results: dict[tuple[str, str], list[Any]] = {}
    for number in range(run.games):
        for name, formula in FORMULAS.items():
            for system, look in who.items():
                found = kept(run, name, system, number, partial(look, formula, plan, run.seed + number))
                results.setdefault((name, system), []).append(found)
        run.progress.note(f"run {number + 1} of {run.games}")
    for (name, system), those in results.items():
        for row in rows_of(name, system, those, plan):
            run.add(row)


def rows_of(name: str, system: str, those: list[Any], plan: Plan) -> list[Row]:
    """Return how often a system found a formula, and how far off it was on rows that nobody saw."""
    hits = sum(one["found"] for one in those)
    rate = Measure.of_rate("found", hits, len(those))
    budget = f"{plan.population} x {plan.generations + 1} programs at most"
    rows = [measured(f"{name}, {system}", "found", Estimate(rate.value, rate.low, rate.high), len(those), budget)]
    unseen = sorted(one["unseen"] for one in those if one["unseen"] is not None)
    if unseen:
        rows.append(measured(f"{name}, {system}: error", "median error, unseen", middle(unseen), len(unseen), UNSEEN))
    return rows


def middle(values: list[float]) -> Estimate:
    """Return the median of sorted values, and an interval between two of them that holds it with 95 % at least.

    >>> middle([float(k) for k in range(1, 31)])
    Estimate(value=15.5, low=10.0, high=21.0)
    """
    n = len(values)
    value = (values[(n - 1) // 2] + values[n // 2]) / 2
    low, tail = 0, 2**-n  # the chance that at most `low` of n lie below the true median
    while tail + comb(n, low + 1) * 2**-n <= 0.025:
        low, tail = low + 1, tail + comb(n, low + 1) * 2**-n
    low = low if tail <= 0.025 else 0
    return Estimate(value, values[low], values[n - 1 - low])


def kept(run: TableRun, name: str, system: str, number: int, look: Callable[[], Any]) -> dict[str, Any]:
    """Return what a run found: from its file, or now. Raises LudwinError for a file that holds something else."""
    path: Path | None = None
    if run.folder:
        path = run.folder / "searches" / f"{file_name(name)}-{file_name(system)}-{number}.json"
        if path.exists():
            try:
                return read_json(path, SEARCH)
            except BadFile as error:
                raise LudwinError(f"{path} holds no search; remove it, and it is made again ({error})") from None
    found: dict[str, Any] = look()._asdict()
    if path:
        path.parent.mkdir(exist_ok=True)
        write_json(path, SEARCH, found)
    return found


REGRESSION = LabTable(
    "regression",
    "formulas found by ours, with and without linear scaling, by DEAP and by gplearn, at the same budget",
    {"quick": (3, 1), "standard": (30, 1), "paper": (30, 1)},
    fill,
    unit="runs",
    least=1,
    sides=1,
)
