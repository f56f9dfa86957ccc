"""Table 5.11 of the thesis: what evolved selection formulas are made of.

Published: the share of final formulas that contain n, N and Q at least once, and their size, over 100 decisions about
each function, and over all decisions of 30 games of each solo Carcassonne.  A formula without n does not explore, and
reward alone often breeds such.  The Carcassonne games are those of table 5.10 (`carcassonne_solo`), at its 10,000
playouts in every preset.

Verdicts.  *Reproduced*: within three standard errors of the difference of two samples of 100 (a share p has the
deviation √(p(1-p))), for other numbers of runs as in `fop_tables`; Carcassonne's published figures are of 690
decisions, which like ours are taken as independent. Rows about ties compare with the specification's own runs, stated
there without deviations: they are means over 20 generations of 100 decisions, and 0.06 is tolerated.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), section 5.8.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from ludwin.arena.stats import mean_of
from ludwin.files import write_whole
from ludwin.games.carcassonne.tables.solo import GAMES, VARIANTS
from ludwin.games.carcassonne.tables.thoughts import Place, on_file, watch
from ludwin.games.fop.tables.agents import EVOLVING, RUNS, Metric, reasons
from ludwin.games.fop.tables.samples import (
    FUNCTIONS,
    PLAYOUTS,
    Sample,
    deviation_of,
    function,
    measure,
    to_the_end,
)
from ludwin.lab.ahead import compiling
from ludwin.lab.experiment import Experiment, Row, Run
from ludwin.library import agent, load
from ludwin.primitives import stream
from ludwin.search.formula import Formula
from ludwin.search.mcts import Family

LETTERS = "nNQ"
SHARE, SIZE, TIES = (
    Metric("share", "share", 0.02),
    Metric("size", "size", 0.1),
    Metric("ties", "ties", 0.06, by_deviation=False),
)
# function: shares of n, N, Q and size ± SD, of EA-MCTS and of SIEA-MCTS
PUBLISHED: Mapping[str, Mapping[str, tuple[float, float, float, float, float]]] = {
    "1": {"EA-MCTS": (0.49, 0.52, 0.95, 12.0, 5.7), "SIEA-MCTS": (0.50, 0.52, 0.95, 11.92, 5.5)},
    "2": {"EA-MCTS": (0.55, 0.53, 0.93, 13.2, 7.4), "SIEA-MCTS": (0.63, 0.49, 0.93, 12.81, 8.2)},
    "3": {"EA-MCTS": (0.73, 0.60, 0.91, 13.69, 6.8), "SIEA-MCTS": (0.72, 0.59, 0.88, 14.69, 7.5)},
    "4": {"EA-MCTS": (0.61, 0.60, 0.93, 14.24, 7.1), "SIEA-MCTS": (0.65, 0.52, 0.94, 13.07, 7.3)},
    "5": {"EA-MCTS": (0.58, 0.67, 0.99, 14.32, 7.5), "SIEA-MCTS": (0.59, 0.61, 0.99, 13.86, 6.9)},
}
CARCASSONNE: Mapping[str, Mapping[str, tuple[float, float, float, float, float]]] = {
    "Carc_1,d": {"EA-MCTS": (0.59, 0.62, 0.94, 14.26, 8.41), "SIEA-MCTS": (0.53, 0.63, 0.93, 14.05, 7.96)},
    "Carc_1,s": {"EA-MCTS": (0.58, 0.64, 0.88, 13.23, 8.11), "SIEA-MCTS": (0.57, 0.64, 0.89, 13.74, 8.06)},
    "Carc_3,d": {"EA-MCTS": (0.57, 0.63, 0.94, 14.38, 8.12), "SIEA-MCTS": (0.55, 0.61, 0.94, 14.15, 8.13)},
    "Carc_3,s": {"EA-MCTS": (0.61, 0.61, 0.89, 13.59, 8.15), "SIEA-MCTS": (0.55, 0.61, 0.89, 13.26, 7.89)},
}
DECISIONS = 23 * GAMES  # published, of an agent in a variant
# EA-MCTS in the specification's own runs
SPECIFICATION: Mapping[str, tuple[float, float, float, float, float]] = {
    "1": (0.62, 0.51, 0.94, 12.1, 5.6),
    "2": (0.68, 0.57, 0.93, 14.2, 8.0),
    "3": (0.67, 0.56, 0.92, 12.9, 7.0),
    "4": (0.56, 0.62, 0.93, 13.1, 7.5),
    "5": (0.62, 0.69, 0.96, 14.6, 7.5),
}
TIED = {
    "1": 0.89,
    "2": 0.30,
    "3": 0.65,
    "4": 0.22,
    "5": 0.13,
}  # generations with several best, in the specification's runs
SHOWN = 20  # formulas a page shows


@dataclass(frozen=True)
class Solo:
    """Carcassonne's part of a preset; smaller budgets are for tests."""

    games: int
    variants: tuple[str, ...] = tuple(CARCASSONNE)  # each compiles a search, half a minute of CPU time
    settings: str = "playouts=10000"


SOLO = {"quick": Solo(1, ("Carc_1,s", "Carc_3,d")), "standard": Solo(10), "paper": Solo(GAMES)}


@dataclass(frozen=True)
class Analysis:
    """The analysis; a smaller budget and a larger threshold are for tests."""

    playouts: int = PLAYOUTS
    threshold: float = 1e-5
    mode: str = "fast"
    solo: Mapping[str, Solo] = field(default_factory=lambda: SOLO)


def fill(run: Run, analysis: Analysis) -> None:
    """Let both evolving agents decide about every function and look at their formulas."""
    pages = [
        "# Evolved formulas",
        "",
        f"seed {run.seed}, {run.games} decisions each; the most frequent final formulas",
        "",
    ]
    for f in FUNCTIONS:
        game = function(f, analysis.threshold)
        for label, name in EVOLVING.items():
            sample = measure(
                run,
                game,
                f"{name}:playouts={analysis.playouts}{to_the_end(analysis.playouts)}",
                f"f{f}, {label}",
                analysis.mode,
            )
            formulas = [Formula.parse(decision.formula) for decision in sample.decisions]
            _enter_shares(run, f"f{f}, {label}", PUBLISHED[f][label], formulas)
            if label == "EA-MCTS":
                _enter_shares(run, f"f{f}, {label}, specification", SPECIFICATION[f], formulas)
            _enter_ties(run, f, label, sample)
            pages += _page(f"f{f}, {label}", formulas)
    if run.preset in analysis.solo:
        pages += fill_carcassonne(run, analysis.solo[run.preset], analysis.mode)
    if run.folder:
        write_whole(run.folder / "formulas.md", "\n".join(pages))


def fill_carcassonne(run: Run, size: Solo, mode: str) -> list[str]:
    """Let both evolving agents play Carcassonne alone, enter what their formulas are made of, and return their part of
    the page.
    """
    pages: list[str] = []
    for k, variant in enumerate(size.variants):
        with ExitStack() as beside:
            for other in size.variants[k + 1 : k + 2] if k % 2 == 0 else ():  # two searches are compiled at a time
                if mode == "fast" and not on_file(run, f"{other}, EA-MCTS"):
                    beside.enter_context(compiling(load(VARIANTS[other]), f"ea-mcts:{size.settings}", run.workers))
            pages += _fill_variant(run, variant, size, mode)
    return pages


def _fill_variant(run: Run, variant: str, size: Solo, mode: str) -> list[str]:
    game, places, pages = load(VARIANTS[variant]), [Place(stream(run.seed, k)) for k in range(size.games)], list[str]()
    for label, name in EVOLVING.items():
        made = agent(f"{name}:{size.settings}")
        assert isinstance(made, Family)
        seen = watch(run, f"{variant}, {label}", game, made, places, mode)
        formulas = [Formula.parse(thought.formula) for played in seen for thought in played.thoughts if thought.formula]
        if formulas:
            _enter_shares(
                run,
                f"{variant}, {label}",
                CARCASSONNE[variant][label],
                formulas,
                DECISIONS,
                f"{made.playouts:,} playouts, games: {size.games}",
            )
        pages += _page(f"{variant}, {label}", formulas)
    return pages


def _page(title: str, formulas: Sequence[Formula]) -> list[str]:
    return [
        f"## {title}",
        "",
        *(f"- {count} × `{text}`" for text, count in Counter(map(str, formulas)).most_common(SHOWN)),
        "",
    ]


def _enter_shares(
    run: Run,
    label: str,
    row: tuple[float, float, float, float, float],
    formulas: Sequence[Formula],
    decisions: int = RUNS,
    more: str = "",
) -> None:
    *shares, size, deviation = row
    for letter, published in zip(LETTERS, shares, strict=True):
        spread = math.sqrt(published * (1 - published))
        _enter(
            run,
            f"{label}: share with {letter}",
            SHARE,
            published,
            spread,
            [float(formula.uses(letter)) for formula in formulas],
            decisions,
            more,
        )
    _enter(run, f"{label}: size", SIZE, size, deviation, [float(formula.size) for formula in formulas], decisions, more)


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
    run.add(
        Row(
            title,
            "share",
            None,
            decided.value,
            decided.low,
            decided.high,
            "measured",
            None,
            len(begun),
            "the specification found 0 to 2 %",
        )
    )


def _enter(
    run: Run,
    label: str,
    metric: Metric,
    published: float,
    spread: float,
    values: list[float],
    decisions: int = RUNS,
    more: str = "",
) -> None:
    ours, tolerance = mean_of(values), metric.tolerance(spread, len(values), decisions)
    verdict = "reproduced" if abs(ours.value - published) <= tolerance + 1e-12 else "differs"
    why = reasons(values, published, metric, tolerance) if verdict == "differs" else []
    note = "; ".join(filter(None, [f"SD {deviation_of(values):.3g}", f"± {tolerance:.3g}", more, *why]))
    run.add(Row(label, metric.title, published, ours.value, ours.low, ours.high, verdict, tolerance, len(values), note))


def experiment(analysis: Analysis) -> Experiment:
    """Return the experiment that analyses formulas."""
    about = (
        "what the evolved selection formulas of f1 to f5 and of solo Carcassonne are made of (--games: decisions "
        "an agent and function)"
    )
    return Experiment(
        "formulas-5.11",
        about,
        {"quick": (10, 1), "standard": (RUNS, 1), "paper": (RUNS, 1)},
        lambda run: fill(run, analysis),
        "decisions",
    )


FORMULAS = experiment(Analysis())
