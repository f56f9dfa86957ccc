"""Published tables of evolved players: our runs with the book's settings, and what their champions score.

The idea.  A published row is one run: the best of every generation was benchmarked, the best of all kept, and
its score in that benchmark printed.  Such a maximum flatters.  So each of our runs picks its
champion the same way, reports the maximum as published, and lets the champion play fresh games; the
verdict is about the fresh score.

Verdicts, fixed before any run.  Nobody's third run is comparable with our third run, so every row
is compared with all published runs of its group.  *Beaten*: the lower end of our 95 % interval is
above the published mean.  *Reproduced*: our interval meets the published range, which the row states.
*Below*: neither.  *Differs*: a flavour of opponent that was not the published one.  Few runs make wide
intervals, which meet any range: the row says so.  One thing was changed after the first quick tables,
in which two equal scores gave a mean without any uncertainty: the interval of a mean is never
narrower than the chance of its games makes it.
"""

import math
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from ludwin.arena.stats import Estimate
from ludwin.evolve.experiment import Measure
from ludwin.evolve.series import spread_of
from ludwin.evolve.store import Store
from ludwin.lab.experiment import LabTable, Row, TableRun, judged, measured
from ludwin.lab.sources.champions import Column, EvolvedTable, RunChampion, fresh_games, make_champions
from ludwin.lab.verdicts import RANGE, Finding, noted

METRIC = "score in fresh games"


def reproduction(table: EvolvedTable) -> LabTable:
    """Return the experiment that fills a table."""
    sizes = {preset: (size.games, size.runs) for preset, size in table.sizes.items()}
    return LabTable(table.name, table.about, sizes, lambda run: fill(run, table), parted=True)


def fill(run: TableRun, table: EvolvedTable) -> None:
    """Make the runs, let their champions play, and enter all rows."""
    if run.folder is not None:
        _fill(run, table)
        return
    with tempfile.TemporaryDirectory() as folder:  # evolution needs a folder; without --out nobody wants to keep it
        inner = replace(run, folder=Path(folder))
        inner.rows = run.rows
        _fill(inner, table)


def _fill(run: TableRun, table: EvolvedTable) -> None:
    assert run.folder is not None
    (run.folder / "fresh").mkdir(exist_ok=True)
    with Store(run.folder / "fresh", write=True) as store:
        for flavour, changes in table.flavours:
            for group in dict.fromkeys(one.group for one in table.runs):
                champions = make_champions(run, table, group, flavour, changes)
                for column in table.columns if champions else ():
                    _enter(run, table, group, flavour, column, champions, store)


# ---- Rows ---------------------------------------------------------------------------------------


def _enter(
    run: TableRun,
    table: EvolvedTable,
    group: str,
    flavour: str,
    column: Column,
    champions: Sequence[RunChampion],
    store: Store,
) -> None:
    """Enter the rows of one column: every champion, their mean, and the mean of the maxima."""
    published = (
        [] if column.published is None else [one.scores[column.published] for one in table.runs if one.group == group]
    )
    title = ", ".join(filter(None, (flavour, group, column.title)))
    shown = [one for one in table.runs if one.group == group]
    measures = []
    for one, champion in zip(shown, champions, strict=False):  # fewer runs than published ones
        found = fresh_games(run, column, champion, store)
        measures.append(found)
        value = one.scores[column.published] if column.published is not None else None
        ours = Estimate(found.score, found.low, found.high)
        finding = Finding(ours, found.games, value, scores=published)
        run.add(_row(f"{one.name}, {title}", finding, column, _origin(champion)))
    mean, games = fmean(published) if published else None, sum(found.games for found in measures)
    finding = Finding(_mean(measures), games, mean, scores=published)
    run.add(_row(f"mean, {title}", finding, column, _extent(champions, table, group)))
    if column.opponent == champions[0].maximum.opponent and not column.changes:
        _enter_maxima(run, title, champions, published)


def _row(label: str, finding: Finding, column: Column, origin: str) -> Row:
    """Return a row with its verdict, and the range that it was compared with."""
    row, published = judged(label, METRIC, RANGE, finding), finding.scores
    if not published:
        return replace(row, note=noted(origin, column.note))
    least, most = min(published), max(published)
    is_other = row.verdict != "measured" and not column.is_comparable
    is_wide = row.verdict == "reproduced" and not is_other and row.high - row.low > most - least
    note = noted(
        origin,
        f"published range {least:.4f} to {most:.4f}, mean {fmean(published):.4f}",
        "our interval is wider than that, so it says little" if is_wide else "",
        column.note,
        row.note,
    )
    return replace(row, verdict="differs" if is_other else row.verdict, tolerance=(most - least) / 2, note=note)


def _mean(measures: Sequence[Measure]) -> Estimate:
    """Return the mean over runs with its interval: Student's over the runs, but no narrower than that of the games."""
    if len(measures) < 2:
        return Estimate(measures[0].score, measures[0].low, measures[0].high)
    mean = spread_of([found.score for found in measures])
    by_games = math.hypot(*((found.high - found.low) / 2 for found in measures)) / len(measures)
    half = max(mean["high"] - mean["value"], by_games)
    return Estimate(mean["value"], max(mean["value"] - half, 0.0), min(mean["value"] + half, 1.0))


def _origin(champion: RunChampion) -> str:
    """Say where a champion comes from, and what the book would have printed of it."""
    words = f"run {champion.run.folder.name}, seed {champion.run.seed}, {champion.published.fitness}"
    return f"{words}; maximum over generations {champion.maximum.score:.4f} in generation {champion.place.generation}"


def _extent(champions: Sequence[RunChampion], table: EvolvedTable, group: str) -> str:
    """Say how much was run, of how much that was published."""
    settings = champions[0].run.settings
    every = [one for one in (table.made_by or table.runs) if one.group == group]
    words = f"{len(champions)} of {len([one for one in table.runs if one.group == group])} runs"
    if table.made_by:
        words += f", the best of those made (published: of {len(every)})"
    return f"{words}, population {settings['population']}, {settings['generations']} generations"


def _enter_maxima(run: TableRun, title: str, champions: Sequence[RunChampion], published: Sequence[float]) -> None:
    """Enter what the book would have printed: the maxima, which are no fair estimates and have no verdict."""
    maxima = [champion.maximum for champion in champions]
    games = sum(one.games for one in maxima)
    note = (
        "as published: the best of each generation benchmarked, the best of all kept; flattering, hence without a "
        "verdict"
    )
    mean = fmean(published) if published else None
    row = measured(f"mean of maxima, {title}", "maximum over generations", _mean(maxima), games, note)
    run.add(replace(row, published=mean))
