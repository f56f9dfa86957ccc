"""Figures 9.2 and 9.3: how drivers improve from generation to generation, by both measures of fitness.

The idea.  The book draws the best and the mean of a generation, and says of its runs that they usually peak between
generation 150 and 200 of 255; it prints no numbers.  So the rows are measured: the best at five moments of a run, as
means over runs, and when the best of all was born.  With --out the curves are drawn as well.
"""

from pathlib import Path

from ludwin.evolve.curves import Line, chart
from ludwin.evolve.store import EVOLUTION, Point, Store
from ludwin.files import write_whole
from ludwin.games.racing.tables.bred import SIZES, extent, made
from ludwin.games.racing.tables.field import track_file
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, TableRun, row_of
from ludwin.measure import Measure

MEASURES = {"distance": ("Race Distance", "feet in 250 s", 1.0), "time": ("Modified Race Time", "s", -1.0)}
RUNS = {"quick": (2, 2), "standard": (2, 5), "paper": (2, 10)}  # races, of which there are none; runs


def fill(run: TableRun, fitness: str) -> None:
    """Make the runs, and enter what their best was worth at five moments."""
    given = {"tracks": track_file("sepang"), "fitness": fitness}
    with folder_of(run) as folder:
        curves = [_points(run, folder / f"seed-{run.seed + k}", run.seed + k, given) for k in range(run.runs)]
    name, unit, sign = MEASURES[fitness]
    last = SIZES[run.preset][1]
    direction = "more" if sign > 0 else "less"
    for generation in dict.fromkeys(round(last * part / 4) for part in range(5)):
        values = [sign * points[generation].best_fitness for points in curves]
        found = Measure.of_samples(f"{name}, best", values, unit=unit, direction=direction)
        run.add(row_of(f"generation {generation}", found, None, None, extent(run)))
    peaks = [float(max(points, key=lambda point: (point.best_fitness, -point.number)).number) for points in curves]
    found = Measure.of_samples("generation of the best", peaks)
    run.add(row_of("peak", found, None, None, "the book: usually between 150 and 200 of 255"))
    if run.folder is not None:
        lines = [
            Line(f"seed {run.seed + k}, best", [(point.number, sign * point.best_fitness) for point in points])
            for k, points in enumerate(curves)
        ]
        write_whole(run.folder / "curves.svg", chart(f"{name}, {unit}", lines))


def _points(run: TableRun, folder: Path, seed: int, given: dict[str, str]) -> list[Point]:
    """Return the generations of a run; who did not finish is drawn at 1000 s, as in the book, or a little above."""
    found = made(run, folder, seed, given)
    with Store(found.folder) as store:
        return store.points(EVOLUTION)


FIGURE_9_2 = LabTable(
    "racing-f9.2",
    "Evolved to Win, figure 9.2: generations by Race Distance",
    RUNS,
    lambda run: fill(run, "distance"),
    unit="races",
    sides=1,
)
FIGURE_9_3 = LabTable(
    "racing-f9.3",
    "Evolved to Win, figure 9.3: generations by Modified Race Time",
    RUNS,
    lambda run: fill(run, "time"),
    unit="races",
    sides=1,
)
