"""Table 5.11 of the thesis: what evolved selection formulas are made of.

Published: the share of final formulas that contain n, N and Q at least once, and their size, over 100 decisions about each
function (the table's Carcassonne rows are not here).  A formula without n does not explore, and reward alone often breeds such.

Verdicts.  *Reproduced*: within three standard errors of the difference of two samples of 100 (a share p has the deviation √(p(1-p))),
for other numbers of runs as in `fop_tables`.  Rows about ties compare with the specification's own runs, stated there without deviations:
they are means over 20 generations of 100 decisions, and 0.06 is tolerated.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 5.8.
"""

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ludwin.files import write_whole
from ludwin.lab.experiment import Experiment, Row, Run
from ludwin.lab.fop import FUNCTIONS, PLAYOUTS, Sample, deviation_of, function, mean_of, measure
from ludwin.lab.fop_tables import EVOLVING, RUNS, Metric, reasons
from ludwin.search.formula import Formula

LETTERS = "nNQ"
SHARE, SIZE, TIES = Metric("share", "share", 0.02), Metric("size", "size", 0.1), Metric("ties", "ties", 0.06, by_deviation=False)
# function: shares of n, N, Q and size ± SD, of EA-MCTS and of SIEA-MCTS
PUBLISHED: Mapping[str, Mapping[str, tuple[float, float, float, float, float]]] = {
    "1": {"EA-MCTS": (0.49, 0.52, 0.95, 12.0, 5.7), "SIEA-MCTS": (0.50, 0.52, 0.95, 11.92, 5.5)},
    "2": {"EA-MCTS": (0.55, 0.53, 0.93, 13.2, 7.4), "SIEA-MCTS": (0.63, 0.49, 0.93, 12.81, 8.2)},
    "3": {"EA-MCTS": (0.73, 0.60, 0.91, 13.69, 6.8), "SIEA-MCTS": (0.72, 0.59, 0.88, 14.69, 7.5)},
    "4": {"EA-MCTS": (0.61, 0.60, 0.93, 14.24, 7.1), "SIEA-MCTS": (0.65, 0.52, 0.94, 13.07, 7.3)},
    "5": {"EA-MCTS": (0.58, 0.67, 0.99, 14.32, 7.5), "SIEA-MCTS": (0.59, 0.61, 0.99, 13.86, 6.9)},
}
# EA-MCTS in the specification's own runs
SPECIFICATION: Mapping[str, tuple[float, float, float, float, float]] = {
    "1": (0.62, 0.51, 0.94, 12.1, 5.6),
    "2": (0.68, 0.57, 0.93, 14.2, 8.0),
    "3": (0.67, 0.56, 0.92, 12.9, 7.0),
    "4": (0.56, 0.62, 0.93, 13.1, 7.5),
    "5": (0.62, 0.69, 0.96, 14.6, 7.5),
}
TIED = {"1": 0.89, "2": 0.30, "3": 0.65, "4": 0.22, "5": 0.13}  # generations with several best, in the specification's runs
SHOWN = 20  # formulas a page shows


@dataclass(frozen=True)
class Analysis:
    """The analysis; a smaller budget and a larger threshold are for tests."""

    playouts: int = PLAYOUTS
    threshold: float = 1e-5
    mode: str = "fast"


def fill(run: Run, analysis: Analysis) -> None:
    """Let both evolving agents decide about every function and look at their formulas."""
    pages = ["# Evolved formulas", "", f"seed {run.seed}, {run.games} decisions each; the most frequent final formulas", ""]
    for f in FUNCTIONS:
        game = function(f, analysis.threshold)
        for label, name in EVOLVING.items():
            sample = measure(run, game, f"{name}:playouts={analysis.playouts}", f"f{f}, {label}", analysis.mode)
            formulas = [Formula.parse(decision.formula) for decision in sample.decisions]
            _enter_shares(run, f"f{f}, {label}", PUBLISHED[f][label], formulas)
            if label == "EA-MCTS":
                _enter_shares(run, f"f{f}, {label}, specification", SPECIFICATION[f], formulas)
            _enter_ties(run, f, label, sample)
            pages += [f"## f{f}, {label}", "", *(f"- {count} × `{text}`" for text, count in Counter(map(str, formulas)).most_common(SHOWN)), ""]
    if run.folder:
        write_whole(run.folder / "formulas.md", "\n".join(pages))


def _enter_shares(run: Run, label: str, row: tuple[float, float, float, float, float], formulas: list[Formula]) -> None:
    *shares, size, deviation = row
    for letter, published in zip(LETTERS, shares, strict=True):
        spread = math.sqrt(published * (1 - published))
        _enter(run, f"{label}: share with {letter}", SHARE, published, spread, [float(formula.uses(letter)) for formula in formulas])
    _enter(run, f"{label}: size", SIZE, size, deviation, [float(formula.size) for formula in formulas])


def _enter_ties(run: Run, f: str, label: str, sample: Sample) -> None:
    """Enter how often several formulas were best, and how often semantics then decided."""
    begun = [decision for decision in sample.decisions if decision.generations]
    if not begun:
        return
    ties = [decision.tied / decision.generations for decision in begun]
    if label == "EA-MCTS":
        _enter(run, f"f{f}, {label}: generations with a tie", TIES, TIED[f], 0.0, ties)
        return
    decided = mean_of([decision.semantic / decision.generations for decision in begun])
    title = f"f{f}, {label}: generations decided by semantics"
    run.add(Row(title, "share", None, decided.value, decided.low, decided.high, "measured", None, len(begun), "the specification found 0 to 2 %"))


def _enter(run: Run, label: str, metric: Metric, published: float, spread: float, values: list[float]) -> None:
    ours, tolerance = mean_of(values), metric.tolerance(spread, len(values))
    verdict = "reproduced" if abs(ours.value - published) <= tolerance + 1e-12 else "differs"
    why = reasons(values, published, metric, tolerance) if verdict == "differs" else []
    note = "; ".join([f"SD {deviation_of(values):.3g}", f"± {tolerance:.3g}", *why])
    run.add(Row(label, metric.title, published, ours.value, ours.low, ours.high, verdict, tolerance, len(values), note))


def experiment(analysis: Analysis) -> Experiment:
    """Return the experiment that analyses formulas."""
    about = "what the evolved selection formulas of f1 to f5 are made of (games = decisions an agent and function)"
    return Experiment("formulas-5.11", about, {"quick": (10, 1), "standard": (RUNS, 1), "paper": (RUNS, 1)}, lambda run: fill(run, analysis))


FORMULAS = experiment(Analysis())
