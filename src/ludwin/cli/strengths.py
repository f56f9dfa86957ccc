"""`ludwin show PATH --strengths`: which terminals a champion's language lives by, as a table, JSON and a picture."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.evolve.show import Champion

USUAL = ("alone", "disabled")
GAMES = 200
LINE, LEFT, PLOT, EDGE = 22, 210, 320, 16  # of the picture


def add_strengths(group: "argparse._ArgumentGroup") -> None:
    """Take what to measure."""
    group.add_argument(
        "--strengths",
        nargs="*",
        metavar="WAY",
        help="measure its terminals: alone, disabled (both by default), and by evolving: left-out, pairs, counts; "
        "--games N games each, --svg draws them",
    )
    group.add_argument(
        "--runs", type=take.positive, metavar="N", help="small runs for each thing that must evolve anew (default: 2)"
    )


def measure_strengths(options: argparse.Namespace, champion: "Champion") -> dict[str, Any]:
    """Return the strengths of a champion's terminals. Raises BadParameter."""
    from ludwin.cli.common import say
    from ludwin.errors import BadParameter
    from ludwin.evolve.strengths import EVOLVED, Study

    ways = tuple(options.strengths) or USUAL
    if options.runs is not None and not set(ways) & set(EVOLVED):
        raise BadParameter(f"--runs is for {', '.join(EVOLVED)}, which evolve; leave it away")
    study = Study(
        champion.run,
        champion.genome,
        options.games or GAMES,
        options.seed or 0,
        options.runs or 2,
        options.workers or 1,
        say,
    )
    return study.measured(ways)


def print_strengths(data: dict[str, Any]) -> None:
    """Print the tables of strengths."""
    from ludwin.cli.common import print_table

    rows = [
        [
            row["terminal"],
            str(row["uses"]),
            *(_cell(row[key] and row[key]["value"]) for key in ("alone", "opposite")),
            *(_cell(row[key]) for key in ("disabled", "left_out", "strength")),
        ]
        for row in data["terminals"]
    ]
    heads = ["terminal", "uses", "alone", "opposite", "disabled", "left out", "strength"]
    print(f"terminals, the strongest first; the whole has {data['whole']['value']:.4f}:")
    print_table("strengths", heads, rows, right=tuple(range(1, 7)))
    if "pairs" in data:
        print("players that read two terminals:")
        cells = [[row["first"], row["second"], _cell(row["score"])] for row in data["pairs"]]
        print_table("pairs", ["first", "second", "score"], cells, right=(2,))
    if "counts" in data:
        print("players that read some terminals, drawn by lot:")
        cells = [[str(row["terminals"]), _cell(row["score"])] for row in data["counts"]]
        print_table("counts", ["terminals", "score"], cells, right=(0, 1))


def _cell(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def strengths_svg(data: dict[str, Any]) -> str:
    """Return the strengths as bars: what a terminal is alone, and what is lost where it is disabled or left out."""
    from ludwin.svg import Sheet, dressed

    rows: Sequence[dict[str, Any]] = data["terminals"]
    values = [max(_number(row, key), 0.0) for row in rows for key in ("alone", "disabled", "left_out")]
    most = max([*values, 1e-9])
    sheet = Sheet(LEFT + PLOT + 4 * EDGE, 60 + LINE * len(rows), "strengths of terminals")
    sheet.text(EDGE, 20, "strengths of terminals", size=15, anchor="start", bold=True)
    sheet.text(LEFT, 40, "alone (wide), lost when disabled, lost when left out", "quiet", 11, anchor="start")
    for number, row in enumerate(rows):
        y = 60 + LINE * number
        sheet.text(LEFT - 8, y, row["terminal"], size=11, anchor="end")
        for key, shift, thick, paint in (
            ("alone", -4, 6, "first"),
            ("disabled", 2, 3, "second"),
            ("left_out", 6, 3, "quiet"),
        ):
            length = max(_number(row, key), 0.0) / most * PLOT
            if length > 0.5:
                sheet.stroke(LEFT, y + shift, LEFT + length, y + shift, paint, thick=thick)
        said = _cell(row["strength"])
        sheet.text(LEFT + PLOT + EDGE, y, said, "quiet", 11, anchor="start")
    return dressed(str(sheet))


def _number(row: dict[str, Any], key: str) -> float:
    value = row[key]
    if isinstance(value, dict):
        value = value["value"]
    return float(value or 0.0)
