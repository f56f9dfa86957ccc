"""The figure of a table or study: a line for each row, its interval and its value, and what was published.

Why it is here.  Whether two rows differ is seen sooner than read.  The picture is made of the rows alone, in the
house style, without anything installed, and is the same bytes for the same table.
"""

import math
from collections.abc import Sequence
from itertools import groupby

from ludwin.evolve.curves import ticks
from ludwin.lab.experiment import Row, TableRun
from ludwin.svg import Sheet, dressed
from ludwin.words import html_table

LINE, LETTER = 22, 6.3  # the height of a row, the width of a letter
PLOT, EDGE = 360, 16
MOST = 300  # rows: beyond them nobody looks


def figure(run: TableRun) -> str:
    """Return the picture of a table as SVG; rows of one metric that follow each other share an axis."""
    rows = [row for row in run.rows if math.isfinite(row.ours)][:MOST]
    panels = [list(group) for _, group in groupby(rows, key=lambda row: row.metric)]
    names = max((len(row.label) for row in rows), default=10) * LETTER + 2 * EDGE
    height = 48 + sum(len(panel) * LINE + 62 for panel in panels)
    wide = max(names + PLOT + 3 * EDGE, len(run.name) * 9 + 2 * EDGE)
    sheet = Sheet(wide, height, run.name)
    sheet.text(EDGE, 20, run.name, size=15, anchor="start", bold=True)
    top = 48.0
    for panel in panels:
        top = _panel(sheet, panel, names, top)
    return dressed(str(sheet))


def _panel(sheet: Sheet, rows: Sequence[Row], left: float, top: float) -> float:
    """Draw rows of one metric below each other, and return where the next ones begin."""
    low, high = _axis(rows)
    right, foot = left + PLOT, top + 18 + len(rows) * LINE

    def at(value: float) -> float:
        return left + (min(max(value, low), high) - low) / (high - low) * PLOT

    sheet.text(left, top + 2, rows[0].metric, "quiet", 12, anchor="start")
    for value in ticks(low, high):
        sheet.stroke(at(value), top + 14, at(value), foot, "line", thick=0.6)
        sheet.text(at(value), foot + 12, f"{value:g}", "quiet", 11)
    for number, row in enumerate(rows):
        y = top + 18 + (number + 0.5) * LINE
        said = f"{row.label}: {row.ours:.4g} [{row.low:.4g}, {row.high:.4g}]"
        sheet.text(left - EDGE, y, row.label, size=11, anchor="end")
        sheet.stroke(at(row.low), y, at(row.high), y, "first", thick=3, opacity=0.45)
        sheet.circle(at(row.ours), y, 4, "first", title=said)
        if row.published is not None:
            x = at(row.published)
            sheet.path(f"M{x:g} {y - 6:g}l6 6l-6 6l-6 -6z", line="second", thick=1.5)
    if any(row.published is not None for row in rows):
        sheet.path(f"M{right - 58:g} {top - 4:g}l6 6l-6 6l-6 -6z", line="second", thick=1.5)
        sheet.text(right, top + 2, "published", "quiet", 11, anchor="end")
    return foot + 44


def _axis(rows: Sequence[Row]) -> tuple[float, float]:
    """Return the ends of an axis: all of a score's if that is not too much, else what the rows need."""
    ends = [end for row in rows for end in (row.low, row.ours, row.high, row.published) if end is not None]
    shown = [end for end in ends if math.isfinite(end)]
    low, high = min(shown), max(shown)
    if rows[0].metric == "score" and low >= 0 and high <= 1:
        return 0.0, 1.0
    slack = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
    return low - slack, high + slack


def report(run: TableRun) -> str:
    """Return the page of a table: what it is, its figure, and every row."""
    columns = ["row", "metric", "published", "ours", "95 % interval", run.unit, "verdict", "note"]
    rows = [
        [
            *(row.label, row.metric, "" if row.published is None else f"{row.published:.4g}", f"{row.ours:.4g}"),
            *(f"{row.low:.4g} … {row.high:.4g}", str(row.games), row.verdict, row.note),
        ]
        for row in run.rows
    ]
    from ludwin.evolve.report import page

    settled = f"preset {run.preset}, {run.games} {run.unit} a {run.each}, seed {run.seed}"
    return page(run.name, settled, [figure(run), html_table("", columns, rows, (2, 3, 5))])
