"""Three stages of the endgame language (figure 12.1): the same budget of games for each.

Why it is here.  The book tells how its language grew: from raw terminals and arithmetic, by a master's advice, to
terminals that say good or bad and to three programs.  It gives no figures; here are some.
"""

from ludwin.games.chess.evolve import measure
from ludwin.games.chess.language import STAGES
from ludwin.games.chess.tables.endings_runs import FRESH, champion_of, extent, made
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.measure import Measure
from ludwin.primitives import stream

ENDING = "KQRKQR"


def stages(run: TableRun) -> None:
    """Make the runs of each stage; enter the fresh games of their champions against Master."""
    with folder_of(run) as folder:
        for stage in STAGES:
            values = []
            for k in range(run.runs):
                seed = run.seed + k
                one = made(run, folder / f"{stage}-seed-{seed}", seed, {"endings": ENDING, "language": stage})
                again = measure(one.settings, champion_of(one), "master", run.games, stream(seed, FRESH), run.workers)
                values.append(again.value)
            mean = Measure.of_samples("points", values, opponent="master")
            run.add(row_of(f"{stage}, champions of {ENDING} against Master", mean, None, None, extent(run)))


CHESS_LANGUAGE = LabTable(
    "chess-language",
    "three stages of the language of endgame players, with the same budget",
    {"quick": (100, 2), "standard": (1000, 5), "paper": (1000, 20)},
    stages,
)
