"""Positions that come again: a search that knows them neither runs into a draw by repetition nor misses one.

The idea.  Rules leave repetition to the referee, so a search that looks at states alone goes round in circles with a
won game.  Here it keeps the keys of the line that it looks at, and those of the game so far; a position that occurred
before counts as a draw at once, for whoever could go there once can go there again.  Keys of the game lie in a small
table under their low bits, two places each, so that asking costs nothing.  Kernel text.

References.  D. Slate and L. Atkin, "Chess 4.5: the Northwestern University chess program", 1977.
"""

from collections.abc import Sequence
from typing import Any

PAST = 2**12  # places for the keys of the game so far
MEMBERS = {"path": [int], "past": [int]}


def came_before(w, ply, k):
    """Tell whether a position of key `k` lies before ply number `ply` of the line, or in the game so far."""
    at = k & (PAST - 2)
    if w.past[at] == k or w.past[at + 1] == k:
        return True
    i = ply - 2  # the position just before has another mover, or none
    while i >= 0:
        if w.path[i] == k:
            return True
        i -= 1
    return False


def write_past(w: Any, keys: Sequence[int]) -> None:
    """Put the keys of a game so far in their places; the last ones are the ones that stay."""
    for i in range(PAST):
        w.past[i] = 0
    for k in keys:
        at = k & (PAST - 2)
        w.past[at + 1] = w.past[at]
        w.past[at] = k
