"""One player of four endings: weights bred by CMA-ES, against Master and engines, by one ply and by more.

Whom it has.  The player that Master alone has bred, by one ply, two and four; the same one, by one ply, with draws
told by the material; and two that were bred with such draws against Master and a Master who looks two plies ahead: one
with the book's terminals, one of the tactical flavour, whose terminals are ours.

Why it is here.  The book's best player of several endings met Master and Crafty (figure 4.2), and so does ours, whose
programs are sums of all terminals (`chess-sums`).  It is no figure of the book's: Master takes part in fitness, and the
rows of players who look further than one ply are told apart.  The scores beside ours are those that the book's
percentages imply; engines stand in for Crafty.
"""

from dataclasses import replace
from pathlib import Path

from ludwin.evolve.experiment import Settings, settle
from ludwin.evolve.store import find_champion, read_champion
from ludwin.evolve.trees import Genome
from ludwin.games.chess.evolve import ENDING_SUMS, endings_of, player
from ludwin.games.chess.evolve.endings import AHEAD, EVEN, MATES, POINTS, Endings
from ludwin.games.chess.evolve.others import Grades
from ludwin.games.chess.opponents.advised import STANDING, Advised
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
# The later players.  A pilot (seed 901, 30 generations, tactical) showed that these games suffice.
LATER_SIZES = {"quick": (8, 2), "standard": (40, 60), "paper": (60, 300)}
LATER = {"endings": FOUR, "master_games": 4, "ahead_games": 8, "draws": STANDING}
FLAVOURS = {"book": "the book's terminals", "tactical": "tactical terminals, too"}
FURTHER = 9  # plies of forced play, where players were bred with 5; a pilot: docs/results/chess-endings.md
DRAWS_TOLD = "draws by the material"
BRED_AHEAD = "bred against two plies"


def breeding(run: TableRun) -> Settings:
    """Return the settings of the runs against Master."""
    population, generations = SIZES[run.preset]
    given = {**FITNESS, "population": population, "generations": generations, "last": population}
    return settle(ENDING_SUMS, "standard", given | _short(run))


def later_breeding(run: TableRun, flavour: str) -> Settings:
    """Return the settings of a run against Master who looks ahead, too."""
    population, generations = LATER_SIZES[run.preset]
    given = {**LATER, "flavour": flavour, "population": population, "generations": generations}
    return settle(ENDING_SUMS, "standard", given | {"last": min(population, 10)} | _short(run))


def _short(run: TableRun) -> dict[str, int]:
    few = {"finalist_games": 16, "champion_games": 16, "yardstick_games": 16} if run.preset == "quick" else {}
    return {"record_games": 2, **few}


def best_of_runs(run: TableRun, folder: Path) -> tuple[Settings, Genome]:
    """Breed players against Master; return the settings, and the champion who did best against Master."""
    settings = breeding(run)
    extent = f"{settings['population']} players, {settings['generations']} generations"
    runs = [
        bred(run, folder / f"weights-seed-{seed}", ENDING_SUMS, "standard", settings, seed, extent)
        for seed in range(run.seed, run.seed + run.runs)
    ]
    top = max(runs, key=lambda one: float(read_champion(find_champion(one.folder))["score"]["value"]))
    return settings, champion_of(top)


def later_player(run: TableRun, folder: Path, flavour: str) -> Advised:
    """Breed one player against Master who looks ahead, too: one run, whatever `runs` says, so nothing is chosen."""
    settings = later_breeding(run, flavour)
    extent = f"{settings['population']} players, {settings['generations']} generations"
    name = f"{flavour}-ahead-seed-{run.seed}"
    return player(settings, champion_of(bred(run, folder / name, ENDING_SUMS, "standard", settings, run.seed, extent)))


def four_endings(run: TableRun) -> None:
    """Breed players of four endings; enter points, decisions that keep the result and ends of their games."""
    with folder_of(run) as folder:
        settings, genome = best_of_runs(run, folder)
        later = {flavour: later_player(run, folder, flavour) for flavour in FLAVOURS}
    first = player(settings, genome)
    players = [(f"depth {depth}", replace(first, depth=depth)) for depth in DEPTHS]
    players.append((f"depth 1, {DRAWS_TOLD}", replace(first, draws=STANDING)))
    players += [(f"depth 1, {DRAWS_TOLD}, {BRED_AHEAD}, {FLAVOURS[one]}", later[one]) for one in FLAVOURS]
    label, tactical = players[-1]
    players.append((f"{label}, {FURTHER} plies of forced play", replace(tactical, forced=FURTHER)))
    endings = Endings(endings_of(settings), run.workers)
    for label, one in players:
        enter_games(run, endings, label, one)


def enter_games(run: TableRun, endings: Endings, label: str, one: Advised) -> None:
    """Enter the fresh games of a player against each opponent."""
    for name, other in [("Master", agent("master")), *benchmarks(run)]:
        run.news(f"{label}: {run.games} games against {name}")
        grades = Grades()
        found = results_against(run, endings, one, other, run.games, grades)
        points = [POINTS[result] for result in found]
        pairs = [(a + b) / 2 for a, b in zip(points[::2], points[1::2], strict=True)]
        wins, advantages, draws = (found.count(end) for end in (MATES, AHEAD, EVEN))
        note = f"{wins} mates, {advantages} advantages, {draws} draws"
        published = IMPLIED["Master" if name == "Master" else "an engine"]
        measured = Measure.of_samples("points", pairs, opponent=name)
        run.add(row_of(f"{label} against {name}", measured, published, TOLERANCE, note, least=50))
        add_grades(run, f"{label}, against {name}: four men or fewer", grades, name)


CHESS_FOUR = LabTable(
    "chess-four",
    "one player of four endings against Master and engines, by one ply and by more",
    {"quick": (16, 1), "standard": (200, 1), "paper": (500, 5)},
    four_endings,
)
