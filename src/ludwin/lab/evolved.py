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

Folders.  Every run is an ordinary run of evolution, below the folder of the table.  Finished ones
of the same settings and seed are taken over from a table beside, since three tables share ten runs.
Its `champion.json` is chosen by `evolve/run.py`, which also lets the fittest of the last generation compete.
"""

import math
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any
from zlib import crc32

from ludwin.errors import LudwinError
from ludwin.evolve import run as evolution
from ludwin.evolve.experiment import Measure, Value, schema, settle
from ludwin.evolve.register import find
from ludwin.evolve.series import spread_of
from ludwin.evolve.store import EVOLUTION, BadRun, Note, Store
from ludwin.formats import BadFile, read_json
from ludwin.lab.experiment import EXPERIMENT, Experiment, Row, Run

FRESH = 90_101  # what the seeds of fresh games are for; `evolve/run.py` has the numbers below
PURPOSE = "fresh"  # measurements of this table in its own store
Changes = Mapping[str, Value]


@dataclass(frozen=True)
class PublishedRun:
    """One row of a published table: its name, its fitness, its scores, and what else was special about it."""

    name: str
    fitness: str
    scores: tuple[float, ...]
    changes: Changes = field(default_factory=dict)
    group: str = ""  # runs of one group are compared with each other


def published_runs(fitness: str, scores: Mapping[str, Sequence[float]]) -> tuple[PublishedRun, ...]:
    """Return published runs of one fitness; the book counts points in 1000 games."""
    return tuple(
        PublishedRun(name, fitness, tuple(value / 1000 for value in values)) for name, values in scores.items()
    )


@dataclass(frozen=True)
class Column:
    """Whom champions meet: an opponent, the published column that it belongs to, and in which game."""

    title: str
    opponent: str
    published: int | None
    is_comparable: bool = True
    changes: Changes = field(default_factory=dict)
    note: str = ""

    @property
    def key(self) -> str:
        """What tells the games of this column from others of the same champion."""
        return self.opponent + "".join(f", {key} {value}" for key, value in self.changes.items())


@dataclass(frozen=True)
class Size:
    """How large a preset is: games of a measurement, runs of each group, individuals, generations."""

    games: int
    runs: int
    population: int
    generations: int


@dataclass(frozen=True)
class Table:
    """A published table, and how its runs were made.

    `made_by` are the runs to make, if the table shows only the best of another table's; `shown` is the share of them.
    `flavours` are guesses at what the book leaves open: every run is made in each.
    """

    name: str
    about: str
    experiment: str
    settings: Changes
    runs: tuple[PublishedRun, ...]
    columns: tuple[Column, ...]
    sizes: Mapping[str, Size]
    flavours: tuple[tuple[str, Changes], ...] = (("", {}),)
    made_by: tuple[PublishedRun, ...] = ()
    shares: tuple[str, ...] = ()  # tables that are filled from the same runs

    @property
    def shown(self) -> float:
        """The share of the runs that the table shows: the best of them."""
        return len(self.runs) / len(self.made_by) if self.made_by else 1.0


@dataclass(frozen=True)
class Champion:
    """The best of a run, chosen as the book did: by the maximum over generations of a benchmark."""

    published: PublishedRun
    run: evolution.Run
    place: Note

    @property
    def maximum(self) -> Measure:
        """The benchmark that it was chosen by."""
        return self.place.measure


def reproduction(table: Table) -> Experiment:
    """Return the experiment that fills a table."""
    sizes = {preset: (size.games, size.runs) for preset, size in table.sizes.items()}
    return Experiment(table.name, table.about, sizes, lambda run: fill(run, table))


def fill(run: Run, table: Table) -> None:
    """Make the runs, let their champions play, and enter all rows."""
    if run.folder is not None:
        _fill(run, table)
        return
    with tempfile.TemporaryDirectory() as folder:  # evolution needs a folder; without --out nobody wants to keep it
        inner = replace(run, folder=Path(folder))
        inner.rows = run.rows
        _fill(inner, table)


def _fill(run: Run, table: Table) -> None:
    assert run.folder is not None
    (run.folder / "fresh").mkdir(exist_ok=True)
    with Store(run.folder / "fresh", write=True) as store:
        for flavour, changes in table.flavours:
            for group in dict.fromkeys(one.group for one in table.runs):
                champions = _champions(run, table, group, flavour, changes)
                for column in table.columns:
                    _enter(run, table, group, flavour, column, champions, store)


# ---- Runs ---------------------------------------------------------------------------------------


def _champions(run: Run, table: Table, group: str, flavour: str, changes: Changes) -> list[Champion]:
    """Return the champions that the table shows of one group, in the order of their runs."""
    wanted = [(seed, one) for seed, one in enumerate(table.made_by or table.runs, run.seed) if one.group == group][
        : run.runs
    ]
    champions = []
    for seed, one in wanted:
        planned = _planned(run, table, one, flavour, changes, seed)
        if not _made(planned).is_finished:
            _take_over(run, table, planned)
        made = _made(planned)
        if not made.is_finished:
            run.news(
                f"{planned.folder.name}: evolution, seed {seed}, {one.fitness}, {planned.settings['generations']} "
                f"generations"
            )
            evolution.carry_out(made, workers=run.workers, progress=run.progress)
        champions.append(Champion(one, made, _best(made)))
    number = max(1, round(table.shown * len(champions)))
    best = sorted(champions, key=lambda champion: -champion.maximum.score)[:number]
    return [champion for champion in champions if champion in best]


def _planned(run: Run, table: Table, one: PublishedRun, flavour: str, changes: Changes, seed: int) -> evolution.Run:
    """Return the run that a published one becomes: the book's settings, and sizes of the preset."""
    assert run.folder is not None
    experiment = find(table.experiment)
    size = table.sizes[run.preset]
    measured = dict.fromkeys(("yardstick_games", "finalist_games", "champion_games"), run.games)
    given: dict[str, Any] = {key: setting.default for key, setting in schema(experiment).items()}
    given |= {
        **table.settings,
        **one.changes,
        **changes,
        "fitness": one.fitness,
        "population": size.population,
        "generations": size.generations,
    }
    given |= {"yardstick_every": 1, "finalists": 1, "last": 1, "record_games": 2, "baseline": False, **measured}
    folder = run.folder / (f"{one.name}-{flavour.replace(' ', '-')}" if flavour else one.name)
    return evolution.Run(folder, experiment, run.preset, settle(experiment, run.preset, given), seed)


def _made(planned: evolution.Run) -> evolution.Run:
    """Return the run in its folder, which is begun if it is not there. Raises BadRun if another one is there."""
    if not (planned.folder / "settings.json").exists():
        return evolution.create(planned.folder, planned.experiment, planned.preset, planned.settings, planned.seed)
    found = evolution.reopen(planned.folder, lambda text: planned.experiment)
    if found != planned:
        raise BadRun(f"{planned.folder} holds another run than this table needs; give another --out")
    return found


def _take_over(run: Run, table: Table, planned: evolution.Run) -> None:
    """Copy the same run, finished, from the folder of a table beside that shares its runs."""
    assert run.folder is not None
    for folder in sorted(run.folder.absolute().parent.iterdir()):
        try:
            if folder.samefile(run.folder) or _table_name(folder) not in table.shares:
                continue
            there = replace(planned, folder=folder / planned.folder.name)
            found = evolution.reopen(there.folder, lambda text: planned.experiment)
            evolution.demand_same_version(found)
        except (LudwinError, OSError):
            continue
        if found == there and found.is_finished:
            run.news(f"{planned.folder.name}: taken over from {folder}")
            beside = run.folder / f".ludwin-{planned.folder.name}"
            shutil.rmtree(beside, ignore_errors=True)  # of a copy that was interrupted
            shutil.copytree(there.folder, beside)
            shutil.rmtree(planned.folder)
            os.replace(beside, planned.folder)
            return


def _table_name(folder: Path) -> str:
    """Return which table a folder holds, nothing if it holds none."""
    try:
        return str(read_json(folder / "settings.json", EXPERIMENT)["name"])
    except BadFile:
        return ""


def _best(made: evolution.Run) -> Note:
    """Return who was best in the benchmark of its generation; of equals the latest."""
    with Store(made.folder) as store:
        return max(store.measures(EVOLUTION, "yardstick"), key=lambda note: (note.measure.merit, note.generation))


# ---- Rows ---------------------------------------------------------------------------------------


def verdict(low: float, high: float, published: Sequence[float]) -> str:
    """Return what an interval of ours means beside published scores.

    >>> verdict(0.75, 0.80, [0.70, 0.78]), verdict(0.65, 0.71, [0.70, 0.78]), verdict(0.5, 0.6, [0.70, 0.78])
    ('beaten', 'reproduced', 'below')
    """
    if low > fmean(published):
        return "beaten"
    return "reproduced" if high >= min(published) else "below"


def _enter(
    run: Run, table: Table, group: str, flavour: str, column: Column, champions: Sequence[Champion], store: Store
) -> None:
    """Enter the rows of one column: every champion, their mean, and the mean of the maxima."""
    published = (
        [] if column.published is None else [one.scores[column.published] for one in table.runs if one.group == group]
    )
    title = ", ".join(filter(None, (flavour, group, column.title)))
    shown = [one for one in table.runs if one.group == group]
    measures = []
    for one, champion in zip(shown, champions, strict=False):  # fewer runs than published ones
        found = _fresh(run, column, champion, store)
        measures.append(found)
        value = one.scores[column.published] if column.published is not None else None
        run.add(
            _row(
                f"{one.name}, {title}",
                value,
                found.score,
                found.low,
                found.high,
                found.games,
                published,
                column,
                _origin(champion),
            )
        )
    games = sum(found.games for found in measures)
    run.add(
        _row(
            f"mean, {title}",
            fmean(published) if published else None,
            *_mean(measures),
            games,
            published,
            column,
            _extent(champions, table, group),
        )
    )
    if column.opponent == champions[0].maximum.opponent and not column.changes:
        _enter_maxima(run, title, champions, published)


def _row(
    label: str,
    value: float | None,
    ours: float,
    low: float,
    high: float,
    games: int,
    published: Sequence[float],
    column: Column,
    note: str,
) -> Row:
    """Return a row with its verdict, and the range that it was compared with."""
    said, tolerance = "measured", None
    if published:
        said = verdict(low, high, published) if column.is_comparable else "differs"
        tolerance = (max(published) - min(published)) / 2
        note = f"{note}; published range {min(published):.4f} to {max(published):.4f}, mean {fmean(published):.4f}"
        if said == "reproduced" and high - low > max(published) - min(published):
            note += "; our interval is wider than that, so it says little"
    if column.note:
        note = f"{note}; {column.note}"
    return Row(label, "score in fresh games", value, ours, low, high, said, tolerance, games, note)


def _mean(measures: Sequence[Measure]) -> tuple[float, float, float]:
    """Return the mean over runs with its interval: Student's over the runs, but no narrower than that of the games."""
    if len(measures) < 2:
        return measures[0].score, measures[0].low, measures[0].high
    mean = spread_of([found.score for found in measures])
    by_games = math.hypot(*((found.high - found.low) / 2 for found in measures)) / len(measures)
    half = max(mean["high"] - mean["value"], by_games)
    return mean["value"], max(mean["value"] - half, 0.0), min(mean["value"] + half, 1.0)


def _origin(champion: Champion) -> str:
    """Say where a champion comes from, and what the book would have printed of it."""
    words = f"run {champion.run.folder.name}, seed {champion.run.seed}, {champion.published.fitness}"
    return f"{words}; maximum over generations {champion.maximum.score:.4f} in generation {champion.place.generation}"


def _extent(champions: Sequence[Champion], table: Table, group: str) -> str:
    """Say how much was run, of how much that was published."""
    settings = champions[0].run.settings
    every = [one for one in (table.made_by or table.runs) if one.group == group]
    words = f"{len(champions)} of {len([one for one in table.runs if one.group == group])} runs"
    if table.made_by:
        words += f", the best of those made (published: of {len(every)})"
    return f"{words}, population {settings['population']}, {settings['generations']} generations"


def _enter_maxima(run: Run, title: str, champions: Sequence[Champion], published: Sequence[float]) -> None:
    """Enter what the book would have printed: the maxima, which are no fair estimates and have no verdict."""
    maxima = [champion.maximum for champion in champions]
    games = sum(one.games for one in maxima)
    note = (
        "as published: the best of each generation benchmarked, the best of all kept; flattering, hence without a "
        "verdict"
    )
    mean = fmean(published) if published else None
    run.add(
        Row(f"mean of maxima, {title}", "maximum over generations", mean, *_mean(maxima), "measured", None, games, note)
    )


def _fresh(run: Run, column: Column, champion: Champion, store: Store) -> Measure:
    """Return how a champion does in games that nobody has seen, from the store if they were played."""
    label, place = champion.run.folder.name, champion.place
    for note in store.measures(label, PURPOSE):
        if (note.generation, note.number, note.measure.opponent) == (place.generation, place.number, column.key):
            return note.measure
    run.news(f"{label}: {run.games} fresh games, {column.title}")
    experiment, settings = champion.run.experiment, champion.run.settings
    with Store(champion.run.folder) as own:
        genome = own.individual(EVOLUTION, place.generation, place.number, experiment.kind(settings)).genome
    seed = champion.run.seed_for(FRESH, crc32(column.key.encode()))
    found = experiment.measure({**settings, **column.changes}, genome, column.opponent, run.games, seed, run.workers)
    kept = replace(found, opponent=column.key)
    store.add_measure(label, PURPOSE, Note(place.generation, place.number, kept))
    return kept
