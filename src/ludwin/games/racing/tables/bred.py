"""Runs of drivers inside tables: the book's settings, and the sizes of presets."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludwin.evolve import run as evolution
from ludwin.evolve.experiment import settle
from ludwin.games.racing.evolve import RACING
from ludwin.lab.bred import bred
from ludwin.lab.experiment import TableRun

# Programs and generations of the book's runs, and of smaller ones, which say so in their rows.
SIZES = {"quick": (60, 15), "standard": (250, 100), "paper": (250, 255)}


def made(run: TableRun, folder: Path, seed: int, given: Mapping[str, Any]) -> evolution.Run:
    """Return a finished run of the book's settings but for those given, and the preset's size."""
    population, generations = SIZES[run.preset]
    wanted = {**given, "population": population, "generations": generations, "baseline": False}
    settings = settle(RACING, "paper", wanted)
    extent = f"{population} programs, {generations} generations"
    return bred(run, folder, RACING, "paper", settings, seed, extent)


def extent(run: TableRun) -> str:
    """Say how much was run."""
    population, generations = SIZES[run.preset]
    return f"{run.runs} run{'s' * (run.runs > 1)} of {population} programs, {generations} generations"
