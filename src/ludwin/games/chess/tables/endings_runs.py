"""Runs of endgame players inside tables: made once in the table's folder, gone on with, or only read.

Why it is here.  All figures of chapters 4 and 5 are about evolved players and two benchmarks.  The first is Master,
ours and printed.  The second was Crafty 19.01, which is not to be had: engines that are installed stand in for it, and
our own alpha-beta, which is always there.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ludwin.evolve import run as evolution
from ludwin.evolve.experiment import settle
from ludwin.evolve.store import EVOLUTION, Note, Store
from ludwin.evolve.trees import Genome
from ludwin.games.chess.evolve import ENDINGS, OURS, match, pair_points
from ludwin.games.chess.evolve.endings import PLAIN_POINTS, Endings
from ludwin.games.chess.evolve.others import Grades, against
from ludwin.games.chess.opponents.printed import master
from ludwin.lab.bred import bred
from ludwin.lab.experiment import TableRun, row_of
from ludwin.library import agent
from ludwin.measure import Measure
from ludwin.paths import find_program
from ludwin.primitives import stream
from ludwin.program.stream import Stream
from ludwin.search.choice import Agent

FOUR = "KRKR;KRRKRR;KQKQ;KQRKQR"
OWN = "alphabeta:depth=4,order=mvv,table=16"  # who is always there
ENGINES = (("stockfish", 1), ("stockfish", 8))  # programs, and the depth to which they look
FRESH = 41  # what the seeds of fresh games are for
# Individuals and generations; smaller runs than the book's say so in their rows.
SIZES = {"quick": (40, 6), "standard": (100, 60), "paper": (80, 250)}


def made(
    run: TableRun, folder: Path, seed: int, given: Mapping[str, Any], size: tuple[int, int] | None = None
) -> evolution.Run:
    """Return a finished run with these settings and the preset's size; what is in its folder is gone on with."""
    population, generations = size or SIZES[run.preset]
    wanted: dict[str, Any] = {**breeding(run), **given, "population": population, "generations": generations}
    wanted |= {"baseline": False, "record_games": 2, "champion_games": 2}
    if run.preset == "quick":
        wanted |= {"finalists": 2, "last": 2, "finalist_games": 100}
    settings = settle(ENDINGS, "paper", wanted)
    return bred(run, folder, ENDINGS, "paper", settings, seed, f"{population} players, {generations} generations")


def breeding(run: TableRun) -> dict[str, Any]:
    """Return how players breed: in the book's way at the size of the paper, else in ours."""
    return {} if run.preset == "paper" else dict(OURS)


def best_of_run(found: evolution.Run) -> tuple[Genome, Measure]:
    """Return who was best against Master at any moment of a run, as the book chose, and that very measurement."""
    with Store(found.folder) as store:
        note: Note = max(store.measures(EVOLUTION, "yardstick"), key=lambda note: (note.measure.merit, note.generation))
        genome = store.individual(EVOLUTION, note.generation, note.number, ENDINGS.kind(found.settings)).genome
    return genome, note.measure


def champion_of(found: evolution.Run) -> Genome:
    """Return the champion that the finals of a run have chosen."""
    from ludwin.evolve.store import find_champion, read_champion

    genome: Genome = ENDINGS.kind(found.settings).read(read_champion(find_champion(found.folder))["genome"])
    return genome


def extent(run: TableRun, size: tuple[int, int] | None = None) -> str:
    """Say how much was run."""
    population, generations = size or SIZES[run.preset]
    return f"{run.runs} run{'s' * (run.runs > 1)} of {population} players, {generations} generations"


def benchmarks(run: TableRun) -> list[tuple[str, Agent]]:
    """Return who stands in for Crafty: the engines that are installed, and our own alpha-beta."""
    found = []
    for program, depth in ENGINES:
        if find_program(program):
            found.append((f"{program}, depth {depth}", agent(f"uci:{program},depth={depth}")))
        else:
            run.news(f"{program} is not installed, so nobody meets it")
    return [*found, ("our alpha-beta, depth 4", agent(OWN))]


def fresh_seeds(run: TableRun, count: int, *purpose: int) -> list[int]:
    """Return seeds of games that nobody was chosen by."""
    source = Stream(run.seed, FRESH, *purpose)
    return [source.split(k).seed() for k in range(count)]


def results_against(
    run: TableRun, endings: Endings, player: Agent, rival: Agent, games: int, grades: Grades | None = None
) -> list[int]:
    """Return how fresh games against any agent end: of all endings, both colours."""
    count = max(1, round(games / 2 / len(endings.names)))
    return against(endings, player, rival, fresh_seeds(run, count, 1), grades)


def add_grades(run: TableRun, label: str, grades: Grades, name: str) -> None:
    """Enter how many decisions kept the theoretical result: of all, and of those in which some move loses it."""
    cases = (("", grades.kept, grades.asked), (", some move loses it", grades.held, grades.risky))
    for which, kept, asked in cases:
        if asked:
            share = Measure.of_rate("moves that keep the result", kept, asked, opponent=name)
            run.add(row_of(f"{label}{which}", share, None, None, "exact tables"))


def plain_score(
    endings: Endings, genome: Sequence[Any], games: int, seed: int, rival: Sequence[Any] | None = None
) -> list[float]:
    """Return the points of pairs of games against Master as chapter 5 counts: 1, 1/2, 0."""
    found = match(endings, tuple(genome), tuple(rival or (master(),)), games, stream(seed, FRESH))
    return pair_points(found, PLAIN_POINTS)
