"""The transposition table: what has been searched need not be searched again.

The idea.  Different orders of moves lead to the same position.  A row of four cells (key; generation,
depth, bound and sureness; best move; value) is kept for each position under the low bits of its key, and
replaced by whatever comes later.  A stored value answers only at the same remaining depth, so that
the search returns exactly what it would return without the table; `deeper` relaxes that.  Kernel text.

References.  R. Greenblatt, D. Eastlake, S. Crocker, "The Greenblatt chess program", 1967.
"""

EXACT, LOWER, UPPER = 1, 2, 3
ENTRY = {"key": int, "about": int, "move": int, "value": float}  # about: generation, depth, kind of bound, sureness


def store(entry, k, about, move, value):
    """Write one row."""
    entry.key = k
    entry.about = about
    entry.move = move
    entry.value = value
    return 0


def about(generation, depth, bound, sure):
    """Return generation, depth, kind of bound and sureness in one cell."""
    return generation * 65536 + depth * 8 + bound * 2 + sure


def is_sure(entry):
    """Tell, as 0 or 1, whether the line behind a row's value ends the game."""
    return entry.about & 1


def knows(entry, k, generation):
    """Tell whether a row is about the position of key `k`, and of this choice."""
    return entry.key == k and entry.about >> 16 == generation


def answers(entry, depth, deeper, alpha, beta):
    """Tell whether a row that knows the position answers this depth and window."""
    data = entry.about
    known = (data >> 3) & 8191
    if known != depth and not (deeper and known > depth):
        return False
    bound = (data >> 1) & 3
    return bound == EXACT or (bound == LOWER and entry.value >= beta) or (bound == UPPER and entry.value <= alpha)


def bound_of(value, alpha, beta):
    """Tell what a fail-soft value is: exact inside the window, a bound outside."""
    if value >= beta:
        return LOWER
    if value <= alpha:
        return UPPER
    return EXACT
