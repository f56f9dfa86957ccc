"""Principal variations: the line of play behind a value, ply by ply.

Why it is here.  A value is believed more readily with the moves that lead to it.  Every ply keeps the best line below
it: its length in `w.lengths`, its moves in a row of `w.lines`, which has `w.run.plies` places.  Kernel text, shared by
the plain and the refined alpha-beta.
"""

from typing import Any

MEMBERS = {"lengths": [int], "lines": [int]}


def sizes(plies: int) -> dict[str, int]:
    """Return how many cells the lines of so many plies need."""
    return {"lengths": plies + 1, "lines": (plies + 1) * plies}


def empty_line(w, ply):
    """Begin the line of a ply with nothing."""
    w.lengths[ply] = 0
    return 0


def remember_line(w, ply, move):
    """Put a move before the line of the child: the principal variation of this ply."""
    below = w.lengths[ply + 1]
    plies = w.run.plies
    here = ply * plies
    w.lengths[ply] = below + 1
    w.lines[here] = move
    for i in range(below):
        w.lines[here + 1 + i] = w.lines[here + plies + i]
    return 0


def line_of(w: Any, ply: int = 0) -> tuple[int, ...]:
    """Return the line of a ply, for people."""
    first = ply * w.run.plies
    return tuple(int(move) for move in w.lines[first : first + w.lengths[ply]])
