"""Matches and leagues as a source: events that are played, or gone on with from their record file.

Why it is here.  A table may take a day.  Every event of it is a record file in the folder of the run, so a stopped run
goes on with the next game.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ludwin.arena.records import Record, read_records
from ludwin.arena.results import Outcome
from ludwin.arena.stats import Estimate, Sprt
from ludwin.arena.tournament import tournament
from ludwin.game import Game
from ludwin.lab.experiment import TableRun, file_name
from ludwin.search.choice import Agent


def event(
    run: TableRun, label: str, game: Game, agents: Sequence[Agent], games: int, *, seed: int, sprt: Sprt | None = None
) -> tuple[Outcome, list[Record]]:
    """Play an event, or go on with what is on file; return its outcome and its games."""
    run.demand_mine()
    with tempfile.TemporaryDirectory() as spare:
        path = _path(run, label) or Path(spare) / "games.jsonl"
        run.news(f"{label}: {games} games")
        done = _resumed(run, path, game, agents, games=games, seed=seed, sprt=sprt)
        return done, [record for _, record in read_records(path)]


def score(
    run: TableRun, label: str, game: Game, first: Agent, second: Agent, *, openings: int | None = None
) -> Estimate:
    """Return the first agent's score in a match, after so many random plies; resumed if its record is there."""
    run.demand_mine()
    run.news(f"{label}: {run.games} games")
    done = _resumed(run, _path(run, label), game, (first, second), games=run.games, seed=run.seed, openings=openings)
    return done.standing.tallies[0, 1].summary().score


def _path(run: TableRun, label: str) -> Path | None:
    return run.folder / f"{file_name(label)}.jsonl" if run.folder else None


def _resumed(run: TableRun, path: Path | None, game: Game, agents: Sequence[Agent], **terms: Any) -> Outcome:
    there = path is not None and path.exists()
    files: dict[str, Any] = {"out": None if there else path, "resume": path if there else None}
    return tournament(game, agents, **terms, **files, workers=run.workers, progress=run.progress)
