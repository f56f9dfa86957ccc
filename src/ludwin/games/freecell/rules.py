"""FreeCell: a patience of open cards that nearly always comes out.

Rules.  All 52 cards lie open in eight columns.  Four cells hold a card each; each suit is built up at home from the ace
to the king.  The last card of a column and a card in a cell may go home if it is next there, into a free cell, into an
empty column, or on a card of the other colour that is one rank higher at the end of a column.  What is at home stays
there.  Several cards that lie in order may go together if there is room to bring them over one by one: with f free
cells and e empty columns besides the target (f + 1) * 2**e of them.  Solved is the patience when all cards are at home.

Parameters.  `deal` is the number of one of Microsoft's deals.  `runs` says how many cards go together: `super` as many
as there is room for, `linear` f + e + 1 (one less into an empty column), `single` one.  `empty` says which empty
columns may be moved to: `all` as people do, or the `first` only, and no whole column, which loses nothing and spares
searches the symmetry; so it is with free cells.  With `auto` cards that can never be missed go home by themselves
after each move.

Why it is here.  Of Microsoft's first 32,000 deals all but one can be solved, and nearly all by people with patience;
uninformed searches solve next to none.  Chapter 11 of *Evolved to Win* evolves what a search should look at.

References.  M. Helmert, "Complexity results for standard benchmark domains in planning", Artificial Intelligence 143
(2003); G. Heineman, "Algorithm to solve FreeCell solitaire games" (2009); A. Elyasaf, A. Hauptman, M. Sipper,
"GA-FreeCell", GECCO 2011; M. Sipper, *Evolved to Win* (2011), chapter 11.
"""

from ludwin.games.freecell.cards import (
    ALL_HOME,
    COLUMNS,
    TO_CELL,
    TO_HOME,
    automatic,
    bring_home,
    card_at,
    column_hash,
    cut,
    empty_columns,
    free_cells,
    from_cell,
    home_of,
    in_order,
    lay,
    length_of,
    run_of,
    targets,
    to_cell,
    top_of,
)
from ludwin.games.freecell.deals import fields_of, microsoft
from ludwin.games.freecell.heuristics import (
    broken,
    buried,
    difference_from_top,
    inversions,
    phase,
    room,
    sum_of_bottoms,
    well_placed,
)
from ludwin.primitives import add, clear_lsb, lsb, mix, popcount, shl, shr

PLAYERS = 1
DEAL = 1
RUNS = "super"
EMPTY = "all"
AUTO = False
LIMIT = 1000  # moves, after which a game is over

if not 1 <= DEAL <= 1_000_000:
    raise ValueError(f"deal goes from 1 to 1000000, got {DEAL}")
if RUNS not in ("super", "linear", "single"):
    raise ValueError(f"runs is super, linear or single, got {RUNS!r}")
if EMPTY not in ("all", "first"):
    raise ValueError(f"empty is all or first, got {EMPTY!r}")
if not 1 <= LIMIT <= 100_000:
    raise ValueError(f"limit goes from 1 to 100000, got {LIMIT}")

FIELDS = {
    "low": COLUMNS,  # of each column the ten deepest cards, six bits each
    "high": COLUMNS,  # and those upon them
    "lengths": int,  # of each column a byte
    "runs": int,  # of each column a byte: cards at its end that lie in order
    "where": int,  # of each column a byte: which one people see, from 0 on the left
    "cells": int,  # cards in cells, as a set
    "held": int,  # of each cell, as people see it, a byte: its card
    "home": int,  # of each suit a byte: the rank at home
    "wanted": int,  # which cards are next at home, as a set
    "open": int,  # last cards of columns, as a set
    "hash": int,  # sum of the columns' hashes
    "played": int,
    "last": int,  # of the last move: its card, and where it went (1 cell, 2 column, 3 column all in order, 4 home) * 64
    "siblings": int,  # how many moves there were instead of the last one, with it
    "rank": int,  # how hard the deal is among its kind, in thousandths: said from outside
}
MAX_MOVES = 256
MAX_PLIES = LIMIT

QUERIES = {
    "hsdh": "float",
    "number well placed": "float",
    "cards not at foundations": "float",
    "free cells": "float",
    "difference from top": "float",
    "lowest home card": "float",
    "highest home card": "float",
    "difference home": "float",
    "sum of bottom cards": "float",
    "inversions": "float",
    "broken sequences": "float",
    "move to freecell": "bool",
    "move to cascade": "bool",
    "move to foundation": "bool",
    "move to sorted pile": "bool",
    "last card moved": "float",
    "siblings": "float",
    "children": "float",
    "difficulty": "float",
    "g": "float",
    "phase by hsdh": "float",
    "phase by well placed": "float",
    "phase by not at foundations": "float",
    "phase by free cells": "float",
    "phase by difference from top": "float",
    "phase by lowest home": "float",
    "phase by highest home": "float",
    "phase by difference home": "float",
    "phase by sum of bottoms": "float",
}

_SUPER, _SINGLE, _FIRST, _AUTO = RUNS == "super", RUNS == "single", EMPTY == "first", bool(AUTO)
_START = fields_of(microsoft(DEAL))
_LOW, _HIGH, _LENGTHS = tuple(_START["low"]), tuple(_START["high"]), _START["lengths"]
_RUNS, _WHERE, _OPEN, _HASH = _START["runs"], _START["where"], _START["open"], _START["hash"]
_WANTED = _START["wanted"]


def setup(s):
    for c in range(COLUMNS):
        s.low[c] = _LOW[c]
        s.high[c] = _HIGH[c]
    s.lengths = _LENGTHS
    s.runs = _RUNS
    s.where = _WHERE
    s.wanted = _WANTED
    s.open = _OPEN
    s.hash = _HASH


def mover(s):
    return 0


def solved(s):
    return s.home == ALL_HOME


def payoff(s, p):
    return 1 if solved(s) else 0


def key(s):
    return mix(s.hash, s.cells if s.played < LIMIT else ~s.cells)


# ---- Moves: cards * 256 + from * 16 + to; columns are 0 to 7, cells 8 to 11 by their cards -------------------------
# Into a cell, what stands in front is not the number of cards but which of the free cells it is, from 1 on.


def moves(s, out):
    # Home first, then from cells to columns, from columns to columns, and into cells at last (Heineman's order).
    if s.played >= LIMIT or solved(s):
        return 0
    n = 0
    cells = s.cells
    k = 0
    while cells != 0:
        if shr(s.wanted, lsb(cells)) & 1 == 1:
            out[n] = 256 + (8 + k) * 16 + TO_HOME
            n += 1
        cells = clear_lsb(cells)
        k += 1
    if s.wanted & s.open != 0:
        for c in range(COLUMNS):
            if shr(s.wanted, top_of(s, c)) & 1 == 1:
                out[n] = 256 + c * 16 + TO_HOME
                n += 1
    empty = empty_columns(s)
    n = from_cells(s, out, n, empty)
    n = from_columns(s, out, n, empty)
    if free_cells(s) > 0:
        for c in range(COLUMNS - empty):
            for i in range(1 if _FIRST else free_cells(s)):
                out[n] = (1 + i) * 256 + c * 16 + TO_CELL
                n += 1
    return n


def column_of(s, card):
    """Return the column that ends with a card."""
    c = 0
    while top_of(s, c) != card:
        c += 1
    return c


def from_cells(s, out, n, empty):
    """List moves of cards in cells to columns, behind the first n moves."""
    cells = s.cells
    k = 8
    while cells != 0:
        onto = targets(lsb(cells)) & s.open
        while onto != 0:
            out[n] = 256 + k * 16 + column_of(s, lsb(onto))
            n += 1
            onto = clear_lsb(onto)
        for i in range(min(empty, 1) if _FIRST else empty):
            out[n] = 256 + k * 16 + COLUMNS - empty + i
            n += 1
        cells = clear_lsb(cells)
        k += 1
    return n


def together(free, empty, into_empty):
    """Return how many cards may go together, with so many free cells and empty columns, into a column."""
    if _SINGLE:
        return 1
    besides = empty - 1 if into_empty else empty
    return (free + 1) * (1 << besides) if _SUPER else free + besides + 1


def from_columns(s, out, n, empty):
    """List moves from columns to columns, behind the first n moves."""
    free = free_cells(s)
    most = together(free, empty, False)
    lone = together(free, empty, True) if empty > 0 else 0
    for c in range(COLUMNS - empty):
        length = length_of(s, c)
        run = run_of(s, c)
        for k in range(1, min(run, most) + 1):
            onto = targets(card_at(s, c, length - k)) & s.open
            while onto != 0:
                out[n] = k * 256 + c * 16 + column_of(s, lsb(onto))
                n += 1
                onto = clear_lsb(onto)
        for i in range(min(empty, 1) if _FIRST else empty):
            for k in range(1, min(run, lone, length - 1 if _FIRST else length) + 1):
                out[n] = k * 256 + c * 16 + COLUMNS - empty + i
                n += 1
    return n


def nth_cell(s, k):
    """Return card number k of those in cells, by their order."""
    cells = s.cells
    for _ in range(k):
        cells = clear_lsb(cells)
    return lsb(cells)


def play(s, m):
    n = shr(m, 8)
    source = shr(m, 4) & 15
    target = m & 15
    s.siblings = count_moves(s)
    card = 0
    if source < COLUMNS:
        card = top_of(s, source)
        s.hash = add(s.hash, -column_hash(s, source))
    if target < COLUMNS:
        s.hash = add(s.hash, -column_hash(s, target))
        if source < COLUMNS:
            first = length_of(s, source) - n
            for i in range(n):
                lay(s, target, card_at(s, source, first + i))
            cut(s, source, n)
            s.open = s.open | shl(1, card)  # the last of them lies open there, too
            card = card_at(s, target, length_of(s, target) - n)
        else:
            card = nth_cell(s, source - 8)
            from_cell(s, card)
            lay(s, target, card)
        s.hash = add(s.hash, column_hash(s, target))
    else:
        if source < COLUMNS:
            cut(s, source, 1)
        else:
            card = nth_cell(s, source - 8)
            from_cell(s, card)
        if target == TO_CELL:
            to_cell(s, card, n - 1)
        else:
            bring_home(s, card)
    if source < COLUMNS:
        s.hash = add(s.hash, column_hash(s, source))
    went = 4 if target == TO_HOME else 1
    if target < COLUMNS:
        went = 3 if run_of(s, target) == length_of(s, target) else 2
    s.last = went * 64 + card
    if _AUTO:
        automatic(s)
    in_order(s)
    s.played += 1


# ---- Estimates: how far it seems to be, each of Table 11.1 alone and by weights ------------------------------------

_MAXIMA = (100.0, 52.0, 52.0, 12.0, 13.0, 13.0, 13.0, 13.0, 100.0, 52.0, 52.0)


def raw(s, k):
    """Return heuristic number k as Table 11.1 defines it, or one of our two."""
    if k == 0:
        return 1.0 * buried(s)
    if k == 1:
        return 1.0 * well_placed(s)
    if k == 2:
        return 52.0 - home_of(s, 0) - home_of(s, 1) - home_of(s, 2) - home_of(s, 3)
    if k == 3:
        return 1.0 * room(s)
    if k == 4:
        return difference_from_top(s)
    low = min(home_of(s, 0), home_of(s, 1), home_of(s, 2), home_of(s, 3))
    high = max(home_of(s, 0), home_of(s, 1), home_of(s, 2), home_of(s, 3))
    if k == 5:
        return 13.0 - low
    if k == 6:
        return 1.0 * high
    if k == 7:
        return 1.0 * (high - low)
    if k == 8:
        return 1.0 * sum_of_bottoms(s)
    return 1.0 * inversions(s) if k == 9 else 1.0 * broken(s)


def query(s, p, k, a):
    if k < 11:
        return raw(s, k) / _MAXIMA[k]
    went = shr(s.last, 6)
    if k == 11:
        return 1.0 if went == 1 else 0.0
    if k == 12:
        return 1.0 if went == 2 or went == 3 else 0.0
    if k == 13:
        return 1.0 if went == 4 else 0.0
    if k == 14:
        return 1.0 if went == 3 else 0.0
    if k == 15:
        return shr(s.last & 63, 2) / 13
    if k == 16:
        return min(1.0, s.siblings / 40)
    if k == 17:
        return min(1.0, count_moves(s) / 40)
    if k == 18:
        return s.rank / 1000
    if k == 19:
        return min(1.0, s.played / 200)
    return phase(s.played, raw(s, k - 20))


def count_moves(s):
    """Count the moves without listing them."""
    if s.played >= LIMIT or solved(s):
        return 0
    n = 0
    free = free_cells(s)
    empty = empty_columns(s)
    cells = s.cells
    while cells != 0:
        card = lsb(cells)
        n += (shr(s.wanted, card) & 1) + popcount(targets(card) & s.open) + (min(empty, 1) if _FIRST else empty)
        cells = clear_lsb(cells)
    n += popcount(s.wanted & s.open)
    most = together(free, empty, False)
    lone = together(free, empty, True) if empty > 0 else 0
    for c in range(COLUMNS - empty):
        length = length_of(s, c)
        run = run_of(s, c)
        for k in range(1, min(run, most) + 1):
            n += popcount(targets(card_at(s, c, length - k)) & s.open)
        n += min(run, lone, length - 1 if _FIRST else length) * (min(empty, 1) if _FIRST else empty)
    return n + (COLUMNS - empty) * (min(free, 1) if _FIRST else free)


def distance(s):
    # A true lower bound: every card that is not at home goes there by a move, but those that may go by themselves.
    left = 52 - home_of(s, 0) - home_of(s, 1) - home_of(s, 2) - home_of(s, 3)
    return min(left, 1) if _AUTO else left


def distance_hsdh(s):
    return raw(s, 0)


def distance_well_placed(s):
    return 52.0 - raw(s, 1)


def distance_not_at_foundations(s):
    return raw(s, 2)


def distance_free_cells(s):
    return 12.0 - raw(s, 3)


def distance_difference_from_top(s):
    return raw(s, 4) + 13.0


def distance_lowest_home(s):
    return raw(s, 5)


def distance_highest_home(s):
    return 13.0 - raw(s, 6)


def distance_difference_home(s):
    return raw(s, 7)


def distance_sum_of_bottoms(s):
    return raw(s, 8)


def distance_inversions(s):
    return raw(s, 9)


def distance_broken(s):
    return raw(s, 10)
