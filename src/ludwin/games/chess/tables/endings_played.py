"""Figures 4.1 and 4.2: how evolved endgame players do against Master and against an engine.

The idea.  In every tenth generation the best player meets Master in 150 games, and the best such figure of a run is
what the book draws.  Such a maximum flatters, so the player who had it plays fresh games, and the verdict is about
those.  Crafty 19.01 is not to be had; whoever stands in for it is named in the row, and nothing is judged there but the
scores that the book's percentages imply.

Graded moves.  KRKR and KQKQ have four men, so every decision in them (and after captures) can be graded by the exact
tables: how many keep the theoretical result.

References.  M. Sipper, *Evolved to Win* (2011), figures 4.1 and 4.2.
"""

from statistics import fmean

from ludwin.games.chess.evolve import endings_of, measure, player, rival
from ludwin.games.chess.evolve import match as compiled_match
from ludwin.games.chess.evolve.endings import AHEAD, EVEN, MATES, POINTS, Endings, results_of
from ludwin.games.chess.evolve.others import Grades
from ludwin.games.chess.tables.endings_runs import (
    FOUR,
    FRESH,
    add_grades,
    benchmarks,
    best_of_run,
    champion_of,
    extent,
    made,
    results_against,
)
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.lab.published import data_of, figure, number, rows
from ludwin.measure import Measure
from ludwin.primitives import stream

DATA = data_of(__file__)
TOLERANCE = 0.03  # of points: the book's 150 games have a standard error of that size
GAMES = 100  # of a verdict


def figure_4_1a(run: TableRun) -> None:
    """Make the runs of each ending; enter the maximum as it was published, and fresh games of who had it."""
    with folder_of(run) as folder:
        for line in rows(DATA / "chess_f4_1.csv"):
            if line["benchmark"] != "Master":
                continue
            ending, published = line["ending"], figure(line["points"])
            best, fresh = list[float](), list[float]()
            for k in range(run.runs):
                one = made(run, folder / f"{ending}-seed-{run.seed + k}", run.seed + k, {"endings": ending})
                genome, found = best_of_run(one)
                seed = stream(run.seed + k, FRESH)
                again = measure(one.settings, genome, "master", run.games, seed, run.workers)
                fresh.append(again.value)
                best.append(found.value)
                note = f"{extent(run)}; the book: the best of 50 runs"
                run.add(row_of(f"{ending}, seed {run.seed + k}, fresh games", again, None, None, note))
            top = max(range(run.runs), key=lambda k: best[k])
            one = made(run, folder / f"{ending}-seed-{run.seed + top}", run.seed + top, {"endings": ending})
            seed = stream(run.seed + top, FRESH + 1)
            final = measure(one.settings, best_of_run(one)[0], "master", run.games, seed, run.workers)
            note = f"{extent(run)}; its maximum in 150 games was {best[top]:.3f}"
            run.add(row_of(f"{ending}, the best run, fresh games", final, published, TOLERANCE, note, least=GAMES // 2))
            mean = Measure.of_samples("points", fresh)
            run.add(row_of(f"{ending}, mean of the runs' fresh games", mean, published, TOLERANCE, extent(run)))


def figure_4_1b(run: TableRun) -> None:
    """Make runs of each ending; their best meet who stands in for Crafty."""
    with folder_of(run) as folder:
        for line in rows(DATA / "chess_f4_1.csv"):
            if line["benchmark"] == "Master":
                continue
            ending = line["ending"]
            runs = [
                made(run, folder / f"{ending}-seed-{run.seed + k}", run.seed + k, {"endings": ending})
                for k in range(run.runs)
            ]
            top = max(runs, key=lambda one: best_of_run(one)[1].value)
            for name, other in benchmarks(run):
                run.news(f"{ending}: {run.games} games against {name}")
                genome = best_of_run(top)[0]
                found = results_against(run, Endings((ending,)), player(top.settings, genome), other, run.games)
                points = Measure.of_samples("points", _pairs(found), opponent=name)
                note = "the book: near-draw scores against Crafty, its curve is lost"
                run.add(row_of(f"{ending} against {name}", points, number(line["points"]), None, note))


def figure_4_2(run: TableRun) -> None:
    """Make runs on four endings at once; enter percentages, implied scores, and how many moves keep the result."""
    with folder_of(run) as folder:
        runs = [
            made(run, folder / f"four-seed-{run.seed + k}", run.seed + k, {"endings": FOUR}) for k in range(run.runs)
        ]
        top = max(runs, key=lambda one: best_of_run(one)[1].value)
        genome = champion_of(top)
    lines = {line["benchmark"]: line for line in rows(DATA / "chess_f4_2.csv")}
    endings = Endings(endings_of(top.settings), run.workers)
    found = compiled_match(endings, genome, rival("master"), run.games, stream(run.seed, FRESH))
    _percentages(run, "Master", results_of(*found, 0), lines["Master"])
    for name, other in benchmarks(run):
        run.news(f"{run.games} games against {name}")
        grades = Grades()
        results = results_against(run, endings, player(top.settings, genome), other, run.games, grades)
        _percentages(run, name, results, lines["Crafty"])
        add_grades(run, f"{name}: decisions with four men or fewer that keep the theoretical result", grades, name)


def _pairs(results: list[int]) -> list[float]:
    points = [POINTS[result] for result in results]
    return [(a + b) / 2 for a, b in zip(points[::2], points[1::2], strict=True)]


def _percentages(run: TableRun, name: str, results: list[int], line: dict[str, str]) -> None:
    """Enter the shares of wins, advantages and draws, and the points."""
    for word, result in (("wins", MATES), ("advantages", AHEAD), ("draws", EVEN)):
        share = Measure.of_rate(word, sum(one == result for one in results), len(results), opponent=name)
        run.add(row_of(f"{name}: {word}", share, figure(line[word]) / 100, 0.1, extent(run), least=GAMES))
    wins, advantages, draws = (figure(line[word]) / 100 for word in ("wins", "advantages", "draws"))
    implied = wins + 0.75 * advantages + 0.5 * draws
    points = Measure.of_samples("points", _pairs(results), opponent=name)
    assert abs(points.value - fmean(POINTS[one] for one in results)) < 1e-9
    note = "the score that the published percentages imply"
    run.add(row_of(f"{name}: points", points, implied, TOLERANCE, note, least=GAMES // 2))


NAMES = "Evolved to Win, figure"
FIGURE_4_1A = LabTable(
    "chess-f4.1a",
    f"{NAMES} 4.1(a): endgame players against Master",
    {"quick": (100, 2), "standard": (1000, 5), "paper": (1000, 50)},
    figure_4_1a,
)
FIGURE_4_1B = LabTable(
    "chess-f4.1b",
    f"{NAMES} 4.1(b): endgame players against an engine",
    {"quick": (8, 1), "standard": (50, 3), "paper": (50, 15)},
    figure_4_1b,
)
FIGURE_4_2 = LabTable(
    "chess-f4.2",
    f"{NAMES} 4.2: players of four endings against Master and an engine",
    {"quick": (16, 1), "standard": (200, 3), "paper": (500, 20)},
    figure_4_2,
)
