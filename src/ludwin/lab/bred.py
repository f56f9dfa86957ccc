"""Runs of evolution inside tables: made once in the table's folder, gone on with, or only read.

Why it is here.  A table of evolved players needs runs before it can fill its rows.  They lie beside the table, one
folder each, so that a table that was stopped goes on where it was, and a second table of the same players reads them.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ludwin.evolve import run as evolution
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.experiment import Experiment, Settings
from ludwin.evolve.store import BadRun
from ludwin.lab.experiment import TableRun


@contextmanager
def folder_of(run: TableRun) -> Iterator[Path]:
    """Give the folder for runs: the table's own, or one that nobody wants to keep."""
    if run.folder is not None:
        yield run.folder
        return
    with tempfile.TemporaryDirectory() as beside:
        yield Path(beside)


def bred(
    run: TableRun, folder: Path, experiment: Experiment, preset: str, settings: Settings, seed: int, extent: str
) -> evolution.Run:
    """Return a finished run with these canonical settings. Raises BadRun if the folder holds another."""
    if (folder / "settings.json").exists():
        found = evolution.reopen(folder, lambda text: experiment)
        if (found.settings, found.seed) != (settings, seed):
            raise BadRun(f"{folder} holds another run than this table needs; give another --out")
    else:
        found = evolution.create(folder, experiment, preset, settings, seed)
    if not found.is_finished:
        run.news(f"{folder.name}: evolution, seed {seed}, {extent}")
        carry_out(found, workers=run.workers, progress=run.progress)
    return found
