"""One player of four endings: weights bred by CMA-ES, against Master and engines, by one ply and by more.

Why it is here.  The book's best player of several endings met Master and Crafty (figure 4.2), and so does ours, whose
programs are sums of all terminals (`chess-sums`).  It is no figure of the book's: Master takes part in fitness, and the
rows of players who look further than one ply are told apart.  The scores beside ours are those that the book's
percentages imply; engines stand in for Crafty.
"""

from dataclasses import replace

from ludwin.evolve.experiment import Settings, settle
from ludwin.evolve.store import find_champion, read_champion
from ludwin.games.chess.evolve import ENDING_SUMS, endings_of, player
from ludwin.games.chess.evolve.endings import AHEAD, EVEN, MATES, POINTS, Endings
from ludwin.games.chess.evolve.others import Grades
from ludwin.games.chess.tables.endings_runs import (
    FOUR,
    add_grades,
    benchmarks,
    champion_of,
    results_against,
)
from ludwin.lab.bred import bred, folder_of
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.library import agent
from ludwin.measure import Measure

# Plies: the book's player, and the same opinions in a search that ends behind the other side's reply.  Odd depths
# end behind a move of one's own, and 3 was no better than 1 against Stockfish at depth 8 (40 games, seed 900).
DEPTHS = (1, 2, 4)
IMPLIED = {"Master": 0.49, "an engine": 0.42}  # by the percentages of figure 4.2
TOLERANCE = 0.03
SIZES = {"quick": (8, 2), "standard": (60, 60), "paper": (60, 300)}
FITNESS = {"endings": FOUR, "master_games": 16, "peers": 2, "games": 2}  # of each ending


def breeding(run: TableRun) -> Settings:
    """Return the settings of the runs."""
    population, generations = SIZES[run.preset]
    given = {**FITNESS, "population": population, "generations": generations, "last": population, "record_games": 2}
    if run.preset == "quick":
        given |= {"finalist_games": 16, "champion_games": 16, "yardstick_games": 16}
    return settle(ENDING_SUMS, "standard", given)


def four_endings(run: TableRun) -> None:
    """Breed players of four endings; enter points, decisions that keep the result and ends of the best one's games."""
    settings = breeding(run)
    extent = f"{settings['population']} players, {settings['generations']} generations"
    with folder_of(run) as folder:
        runs = [
            bred(run, folder / f"weights-seed-{seed}", ENDING_SUMS, "standard", settings, seed, extent)
            for seed in range(run.seed, run.seed + run.runs)
        ]
        top = max(runs, key=lambda one: float(read_champion(find_champion(one.folder))["score"]["value"]))
        genome = champion_of(top)
    endings = Endings(endings_of(settings), run.workers)
    for depth in DEPTHS:
        one = replace(player(settings, genome), depth=depth)
        for name, other in [("Master", agent("master")), *benchmarks(run)]:
            run.news(f"depth {depth}: {run.games} games against {name}")
            grades = Grades()
            found = results_against(run, endings, one, other, run.games, grades)
            points = [POINTS[result] for result in found]
            pairs = [(a + b) / 2 for a, b in zip(points[::2], points[1::2], strict=True)]
            wins, advantages, draws = (found.count(end) for end in (MATES, AHEAD, EVEN))
            note = f"{wins} mates, {advantages} advantages, {draws} draws"
            published = IMPLIED["Master" if name == "Master" else "an engine"]
            measured = Measure.of_samples("points", pairs, opponent=name)
            run.add(row_of(f"depth {depth} against {name}", measured, published, TOLERANCE, note, least=50))
            add_grades(run, f"depth {depth}, against {name}: four men or fewer", grades, name)


CHESS_FOUR = LabTable(
    "chess-four",
    "one player of four endings against Master and engines, by one ply and by more",
    {"quick": (16, 1), "standard": (200, 1), "paper": (500, 5)},
    four_endings,
)
