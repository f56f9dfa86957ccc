"""Columns and cells as people see them: what notation and drawings share.  Not compiled."""

from ludwin.games.freecell.cards import CELLS, COLUMNS, TO_CELL, TO_HOME, card_at, length_of
from ludwin.games.freecell.rules import nth_cell
from ludwin.primitives import shr


def seen_column(s, c):
    """Return which column people see, from 0 on the left."""
    return shr(s.where, 8 * c) & 255


def cell_place(s, card):
    """Return which cell a card is in, from 0 on the left."""
    return next(k for k in range(CELLS) if shr(s.held, 8 * k) & 255 == card)


def source_text(s, m):
    """Return where a move comes from."""
    source = m // 16 % 16
    if source < COLUMNS:
        return str(seen_column(s, source) + 1)
    return "abcd"[cell_place(s, nth_cell(s, source - 8))]


def target_text(s, m):
    """Return where a move goes."""
    target = m % 16
    if target == TO_HOME:
        return "h"
    if target == TO_CELL:
        return "abcd"[[k for k in range(CELLS) if shr(s.held, 8 * k) & 255 == 0][m // 256 - 1]]
    return str(seen_column(s, target) + 1)


def columns_of(s):
    """Return the columns as people see them, the deepest cards first."""
    columns = [[] for _ in range(COLUMNS)]
    for c in range(COLUMNS):
        columns[seen_column(s, c)] = [card_at(s, c, i) for i in range(length_of(s, c))]
    return columns
