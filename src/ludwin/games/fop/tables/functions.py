"""The five functions and their optima as one figure: figure 4.3 of the thesis.

Why it is here.  What misleads a search is seen in the function itself: a peak beside a valley, a mean of a half that
says nothing about its peak.
"""

from ludwin.files import write_whole
from ludwin.games.fop.tables.belief import misleading, optimum
from ludwin.lab.experiment import LabTable, TableRun, measured
from ludwin.library import load
from ludwin.stats import Estimate
from ludwin.svg import Sheet, dressed

FUNCTIONS = ("1", "2", "3", "4", "5")
POINTS = 600
DEPTHS = 7


def fill_functions(run: TableRun) -> None:
    """Find the optimum of each function and the depths at which the mean misleads; draw all five."""
    for f in FUNCTIONS:
        x, top = optimum(load("fop", f=f))
        wrong = misleading(load("fop", f=f), DEPTHS)
        said = ", ".join(map(str, wrong)) or "none"
        note = f"at x = {x:.6g}; depths of 1 to {DEPTHS} whose best mean misses it: {said}"
        run.add(measured(f"f{f}", "optimum", Estimate(top, top, top), 1, note))
    if run.folder:
        write_whole(run.folder / "figure-4-3.svg", dressed(draw_functions()))


def draw_functions() -> str:
    """Draw the five functions side by side, with a star at the optimum of each."""
    wide, high, left, top = 260, 150, 40, 34
    sheet = Sheet(3 * (wide + 60) + 20, 2 * (high + 70) + 10, "figure 4.3: the functions")
    for k, f in enumerate(FUNCTIONS):
        game = load("fop", f=f)
        value, (best, peak) = game.module.value, optimum(game)
        x, y = left + (k % 3) * (wide + 60), top + (k // 3) * (high + 70)
        sheet.text(x, y - 14, f"f{f}", "ink", 13, anchor="start", bold=True)
        for level in (0, 0.5, 1):
            sheet.stroke(x, y + high * (1 - level), x + wide, y + high * (1 - level), "line", thick=0.7)
            sheet.text(x - 6, y + high * (1 - level), f"{level:g}", "quiet", 10, anchor="end")
        points = (f"{x + wide * i / POINTS:.1f} {y + high * (1 - value(i / POINTS)):.1f}" for i in range(POINTS + 1))
        sheet.path("M" + "L".join(points), line="first", thick=1.0)
        sheet.circle(
            round(x + wide * best, 1), round(y + high * (1 - peak), 1), 4, "second", title=f"optimum at {best:.6g}"
        )
        for tick in (0, 0.5, 1):
            sheet.text(x + wide * tick, y + high + 12, f"{tick:g}", "quiet", 10)
    sheet.circle(left + 2 * (wide + 60), top + high + 100, 4, "second")
    sheet.text(left + 2 * (wide + 60) + 10, top + high + 100, "the optimum", "quiet", 12, anchor="start")
    return str(sheet)


FUNCTIONS_4_3 = LabTable(
    "fop-functions",
    "function optimisation: the five functions and their optima, figure 4.3 (--games has no effect)",
    {"quick": (1, 1), "standard": (1, 1), "paper": (1, 1)},
    fill_functions,
    "functions",
    least=1,
    sides=1,
)
