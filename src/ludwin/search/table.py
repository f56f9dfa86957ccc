"""The transposition table: what has been searched need not be searched again.

The idea.  Different orders of moves lead to the same position.  A row of four cells (key; generation,
depth, bound and sureness; best move; value) is kept for each position under the low bits of its key, and
replaced by whatever comes later.  A stored value answers only at the same remaining depth, so that
the search returns exactly what it would return without the table; `deeper` relaxes that.  Kernel text.

References.  R. Greenblatt, D. Eastlake, S. Crocker, "The Greenblatt chess program", 1967.
"""

from ludwin.kernel.names import bits, unbits

ROW = 4
EXACT, LOWER, UPPER = 1, 2, 3


def store(table, at, k, generation, depth, bound, sure, move, value):
    """Write one row; generation, depth, kind of bound and sureness share a cell."""
    table[at] = k
    table[at + 1] = generation * 65536 + depth * 8 + bound * 2 + sure
    table[at + 2] = move
    table[at + 3] = bits(value)
    return 0


def knows(table, at, k, generation):
    """Tell whether a row is about the position of key `k`, and of this choice."""
    return table[at] == k and table[at + 1] >> 16 == generation


def answers(table, at, depth, deeper, alpha, beta):
    """Tell whether a row that knows the position answers this depth and window."""
    data = table[at + 1]
    known = (data >> 3) & 8191
    if known != depth and not (deeper and known > depth):
        return False
    value = unbits(table[at + 3])
    bound = (data >> 1) & 3
    return bound == EXACT or (bound == LOWER and value >= beta) or (bound == UPPER and value <= alpha)


def bound_of(value, alpha, beta):
    """Tell what a fail-soft value is: exact inside the window, a bound outside."""
    if value >= beta:
        return LOWER
    if value <= alpha:
        return UPPER
    return EXACT
