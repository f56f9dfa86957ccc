"""Runs of evolution inside tables: made once in the table's folder, gone on with, or only read."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ludwin.evolve import run as evolution
from ludwin.evolve.experiment import settle
from ludwin.evolve.store import BadRun
from ludwin.games.racing.evolve import RACING
from ludwin.lab.experiment import TableRun

# Programs and generations of the book's runs, and of smaller ones, which say so in their rows.
SIZES = {"quick": (60, 15), "standard": (250, 100), "paper": (250, 255)}


@contextmanager
def folder_of(run: TableRun) -> Iterator[Path]:
    """Give the folder for runs: the table's own, or one that nobody wants to keep."""
    if run.folder is not None:
        yield run.folder
        return
    with tempfile.TemporaryDirectory() as beside:
        yield Path(beside)


def made(run: TableRun, folder: Path, seed: int, given: Mapping[str, Any]) -> evolution.Run:
    """Return a finished run of the book's settings but for those given, and the preset's size."""
    population, generations = SIZES[run.preset]
    wanted = {**given, "population": population, "generations": generations, "baseline": False}
    settings = settle(RACING, "paper", wanted)
    if (folder / "settings.json").exists():
        found = evolution.reopen(folder, lambda text: RACING)
        if (found.settings, found.seed) != (settings, seed):
            raise BadRun(f"{folder} holds another run than this table needs; give another --out")
    else:
        found = evolution.create(folder, RACING, "paper", settings, seed)
    if not found.is_finished:
        run.news(f"{folder.name}: evolution, seed {seed}, {population} programs, {generations} generations")
        evolution.carry_out(found, workers=run.workers, progress=run.progress)
    return found


def extent(run: TableRun) -> str:
    """Say how much was run."""
    population, generations = SIZES[run.preset]
    return f"{run.runs} run{'s' * (run.runs > 1)} of {population} programs, {generations} generations"
