"""Heat maps: the weights of a terminal at all its places, drawn as the board that the places are on.

Why it is here.  Thirty-two weights in a row say nothing; on a board one sees at once that the edge is good and the
double corner bad.  How places lie on a board is a game's affair; here the usual ones are known by their number: n * n
squares row by row from the top, or the dark squares of an even board as draughts counts them, seen by the mover, whose
own side is drawn below.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

from ludwin.program.readable import Sum, number

CELL = 46
FEWEST = 4  # places that make a picture
GOOD, BAD = (31, 119, 60), (178, 34, 34)  # what a large positive and a large negative weight are drawn in


def grid(places: int) -> list[list[int]] | None:
    """Return the rows of a board from the top, -1 where there is no place; None if the number fits no board.

    >>> grid(4), grid(8)
    ([[0, 1], [2, 3]], [[-1, 7, -1, 6], [5, -1, 4, -1], [-1, 3, -1, 2], [1, -1, 0, -1]])
    """
    side = math.isqrt(places)
    if side * side == places and side > 1:
        return [[row * side + column for column in range(side)] for row in range(side)]
    wide = math.isqrt(2 * places)
    if wide * wide == 2 * places and wide % 2 == 0:
        half = wide // 2
        rows = []
        for row in range(wide):
            cells = [-1] * wide
            for k in range(half):  # square 1 is the last but one of the row nearest to its player
                cells[wide - 2 - 2 * k + row % 2] = row * half + k
            rows.append(cells)
        return rows[::-1]
    return None


def maps(one: Sum) -> dict[str, dict[int, float]]:
    """Return the weights of each terminal that has places, by place."""
    found: dict[str, dict[int, float]] = {}
    for part in one.rows.values():
        if part.terminal and part.place >= 0:
            found.setdefault(part.terminal, {})[part.place] = part.coefficient
    return {name: weights for name, weights in found.items() if len(weights) >= FEWEST}


def text_map(weights: Mapping[int, float], rows: Sequence[Sequence[int]]) -> str:
    """Return a heat map in characters."""
    cells = [[number(weights[k], 2) if k in weights else "." if k >= 0 else "" for k in row] for row in rows]
    wide = max(len(cell) for row in cells for cell in row)
    return "\n".join(" ".join(cell.rjust(wide) for cell in row).rstrip() for row in cells)


def svg_map(title: str, weights: Mapping[int, float], rows: Sequence[Sequence[int]]) -> str:
    """Return a heat map as SVG: green adds to the evaluation, red takes off, paler is less."""
    largest = max((abs(weight) for weight in weights.values()), default=1.0) or 1.0
    wide, high = CELL * len(rows[0]), CELL * len(rows) + 24
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide + 2} {high + 2}" width="{wide + 2}" '
        f'height="{high + 2}" font-family="sans-serif" font-size="12" text-anchor="middle">',
        f'<text x="{wide / 2:g}" y="15" font-size="13">{escape(title)}</text>',
    ]
    for i, row in enumerate(rows):
        for j, place in enumerate(row):
            x, y = 1 + j * CELL, 25 + i * CELL
            weight = weights.get(place) if place >= 0 else None
            fill = "#f3f3f0" if place < 0 else "#dcdcd6" if weight is None else _colour(weight / largest)
            out.append(f'<rect x="{x}" y="{y}" width="{CELL}" height="{CELL}" fill="{fill}" stroke="#fff"/>')
            if weight is not None:
                ink = "#fff" if abs(weight) > 0.6 * largest else "#222"
                text = number(weight, 2)
                out.append(f'<text x="{x + CELL / 2:g}" y="{y + CELL / 2 + 4:g}" fill="{ink}">{text}</text>')
    return "\n".join([*out, "</svg>"])


def _colour(share: float) -> str:
    target = GOOD if share > 0 else BAD
    mix = [round(255 + (channel - 255) * min(abs(share), 1.0)) for channel in target]
    return f"#{mix[0]:02x}{mix[1]:02x}{mix[2]:02x}"
