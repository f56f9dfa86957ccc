"""Champions of evolved runs as a source: runs made as published ones were, and fresh games of the best of each.

The idea.  A published row is one run: the best of every generation was benchmarked, the best of all kept.  Ours picks
its champion the same way, and then plays games that nobody has seen.

Folders.  Every run is an ordinary run of evolution, below the folder of the table.  Finished ones
of the same settings and seed are taken over from a table beside, since three tables share ten runs.
Its `champion.json` is chosen by `evolve/carrying.py`, which also lets the fittest of the last generation compete.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from ludwin.errors import LudwinError
from ludwin.evolve import run as evolution
from ludwin.evolve.at_once import carry_out_all
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.errands import Away
from ludwin.evolve.experiment import Measure, Value, schema, settle
from ludwin.evolve.register import find
from ludwin.evolve.store import EVOLUTION, BadRun, Note, Store
from ludwin.formats import BadFile, read_json
from ludwin.lab.experiment import EXPERIMENT, TableRun
from ludwin.lab.published import rows
from ludwin.spread import elsewhere

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


def published_runs(path: Path) -> tuple[PublishedRun, ...]:
    """Return the published runs of a file; the book counts points in 1000 games."""
    found = []
    for row in rows(path):
        run, fitness = row.pop("run"), row.pop("fitness")
        depth = row.pop("depth", "")  # where a table has two, they are two groups
        special: dict[str, Value] = {"depth": int(depth)} if depth else {}
        points = tuple(float(cell) / 1000 for cell in row.values())
        found.append(PublishedRun(run, fitness, points, special, f"depth {depth}" if depth else ""))
    return tuple(found)


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
class EvolvedSize:
    """How large a preset is: games of a measurement, runs of each group, individuals, generations."""

    games: int
    runs: int
    population: int
    generations: int


@dataclass(frozen=True)
class EvolvedTable:
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
    sizes: Mapping[str, EvolvedSize]
    flavours: tuple[tuple[str, Changes], ...] = (("", {}),)
    made_by: tuple[PublishedRun, ...] = ()
    shares: tuple[str, ...] = ()  # tables that are filled from the same runs

    @property
    def shown(self) -> float:
        """The share of the runs that the table shows: the best of them."""
        return len(self.runs) / len(self.made_by) if self.made_by else 1.0


@dataclass(frozen=True)
class RunChampion:
    """The best of a run, chosen as the book did: by the maximum over generations of a benchmark."""

    published: PublishedRun
    run: evolution.Run
    place: Note

    @property
    def maximum(self) -> Measure:
        """The benchmark that it was chosen by."""
        return self.place.measure


def make_champions(run: TableRun, table: EvolvedTable, group: str, flavour: str, changes: Changes) -> list[RunChampion]:
    """Return the champions that the table shows of one group, in the order of their runs."""
    wanted = [(seed, one) for seed, one in enumerate(table.made_by or table.runs, run.seed) if one.group == group][
        : run.runs
    ]
    found, together = list[tuple[PublishedRun, evolution.Run]](), list[evolution.Run]()
    for seed, one in wanted:
        with run.cell():
            run.demand_mine()
            planned = plan_run(run, table, one, flavour, changes, seed)
            if not _made(planned).is_finished:
                _take_over(run, table, planned)
            made = _made(planned)
            if not made.is_finished:
                run.news(
                    f"{planned.folder.name}: evolution, seed {seed}, {one.fitness}, {planned.settings['generations']} "
                    f"generations"
                )
                if elsewhere(run.workers):
                    together.append(made)
                else:
                    carry_out(made, workers=run.workers, progress=run.progress)
            found.append((one, made))
    if together:
        carry_out_all(together, workers=run.workers, progress=run.progress)
    if run.part:
        return []  # their games need all of them
    champions = [RunChampion(one, made, _best(made)) for one, made in found]
    number = max(1, round(table.shown * len(champions)))
    best = sorted(champions, key=lambda champion: -champion.maximum.score)[:number]
    return [champion for champion in champions if champion in best]


def plan_run(
    run: TableRun, table: EvolvedTable, one: PublishedRun, flavour: str, changes: Changes, seed: int
) -> evolution.Run:
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


def _take_over(run: TableRun, table: EvolvedTable, planned: evolution.Run) -> None:
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


def fresh_games(run: TableRun, column: Column, champion: RunChampion, store: Store) -> Measure:
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
    spread = elsewhere(run.workers)
    if spread:
        away, wanted = Away.of(spread, experiment, settings), (genome, column.opponent, run.games, seed)
        found = away.measures([wanted], column.changes)[0]
    else:
        changed = {**settings, **column.changes}
        found = experiment.measure(changed, genome, column.opponent, run.games, seed, run.workers)
    kept = replace(found, opponent=column.key)
    store.add_measure(label, PURPOSE, Note(place.generation, place.number, kept))
    return kept
