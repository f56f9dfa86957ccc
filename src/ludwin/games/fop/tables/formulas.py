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
from ludwin.games.carcassonne.tables.thoughts import WatchedGame, on_file, watch
from ludwin.games.fop.tables.agents import EVOLVING, RUNS, Metric, reasons
from ludwin.games.fop.tables.samples import FUNCTIONS, PLAYOUTS, Sample, deviation_of, function, measure, to_the_end
from ludwin.lab.ahead import compiling
from ludwin.lab.experiment import LabTable, TableRun, judged, measured
from ludwin.lab.published import Line, data_of, figure, rows
from ludwin.lab.verdicts import NEAR, Finding, noted
from ludwin.library import agent, load
from ludwin.primitives import stream
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.formula import Formula

DATA = data_of(__file__)

Shares = tuple[float, float, float, float, float]  # of formulas with n, N and Q; size and its deviation
LETTERS = "nNQ"
SHARE, SIZE, TIES = (
    Metric("share", "share", 0.02),
    Metric("size", "size", 0.1),
    Metric("ties", "ties", 0.06, by_deviation=False),
)


def _shares(row: Line) -> Shares:
    n, parents, q, size, deviation = (figure(row[key]) for key in ("n", "N", "Q", "size", "size_sd"))
    return n, parents, q, size, deviation


def _by_agent(game: str) -> dict[str, Shares]:
    return {row["agent"]: _shares(row) for row in rows(DATA / "formulas_5_11.csv") if row["game"] == game}


PUBLISHED: Mapping[str, Mapping[str, Shares]] = {f: _by_agent(f"f{f}") for f in FUNCTIONS}
CARCASSONNE: Mapping[str, Mapping[str, Shares]] = {
    game: _by_agent(game) for game in ("Carc_1,d", "Carc_1,s", "Carc_3,d", "Carc_3,s")
}
DECISIONS = 23 * GAMES  # published, of an agent in a variant
# EA-MCTS in the specification's own runs, and how many of its generations had several best
SPECIFICATION: Mapping[str, Shares] = {row["f"]: _shares(row) for row in rows(DATA / "formulas_specification.csv")}
TIED = {row["f"]: figure(row["tied"]) for row in rows(DATA / "formulas_specification.csv")}
SHOWN = 20  # formulas a page shows


@dataclass(frozen=True)
class SoloPart:
    """Carcassonne's part of a preset; smaller budgets are for tests."""

    games: int
    variants: tuple[str, ...] = tuple(CARCASSONNE)  # each compiles a search, half a minute of CPU time
    settings: str = "playouts=10000"


SOLO = {"quick": SoloPart(1, ("Carc_1,s", "Carc_3,d")), "standard": SoloPart(10), "paper": SoloPart(GAMES)}


@dataclass(frozen=True)
class Analysis:
    """The analysis; a smaller budget and a larger threshold are for tests."""

    playouts: int = PLAYOUTS
    threshold: float = 1e-5
    mode: str = "fast"
    solo: Mapping[str, SoloPart] = field(default_factory=lambda: SOLO)


def fill(run: TableRun, analysis: Analysis) -> None:
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


def fill_carcassonne(run: TableRun, size: SoloPart, mode: str) -> list[str]:
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


def _fill_variant(run: TableRun, variant: str, size: SoloPart, mode: str) -> list[str]:
    game, places, pages = (
        load(VARIANTS[variant]),
        [WatchedGame(stream(run.seed, k)) for k in range(size.games)],
        list[str](),
    )
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
    run: TableRun,
    label: str,
    row: Shares,
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


def _enter_ties(run: TableRun, f: str, label: str, sample: Sample) -> None:
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
    run.add(measured(title, "share", decided, len(begun), "the specification found 0 to 2 %"))


def _enter(
    run: TableRun,
    label: str,
    metric: Metric,
    published: float,
    spread: float,
    values: list[float],
    decisions: int = RUNS,
    more: str = "",
) -> None:
    tolerance = metric.tolerance(spread, len(values), decisions)
    finding = Finding(mean_of(values), len(values), published, tolerance)
    why = reasons(values, published, metric, tolerance) if NEAR.judge(finding) == "differs" else []
    note = noted(f"SD {deviation_of(values):.3g}", f"± {tolerance:.3g}", more, *why)
    run.add(judged(label, metric.title, NEAR, finding, note=note))


def experiment(analysis: Analysis) -> LabTable:
    """Return the experiment that analyses formulas."""
    about = (
        "what the evolved selection formulas of f1 to f5 and of solo Carcassonne are made of (--games: decisions "
        "an agent and function)"
    )
    return LabTable(
        "formulas-5.11",
        about,
        {"quick": (10, 1), "standard": (RUNS, 1), "paper": (RUNS, 1)},
        lambda run: fill(run, analysis),
        "decisions",
    )


FORMULAS = experiment(Analysis())
