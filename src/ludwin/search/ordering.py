"""Move ordering: look first where a cut is likely.

The idea.  Alpha-beta cuts as soon as one move is good enough, so the best move should come first.
Every move gets a rank: the table's move, then killers (moves that cut elsewhere in this search, in one
list for all plies or one per ply), then the game's own order or a generic one, then the history of
cuts.  Equal ranks keep the order of the rules.  Kernel text.

References.  S. Akl and M. Newborn, "The principal continuation and the killer heuristic", 1977.
J. Gillogly, "The technology chess program", 1972.  J. Schaeffer, "The history heuristic", 1983.
"""

from ludwin.kernel.names import bits, copy, mover, play
from ludwin.primitives import draw, mul, shr
from ludwin.search.quiescence import never_noisy
from ludwin.search.values import UNCOUNTED, opinion

OF_TABLE = 2**61
OF_KILLER = 2**60
OF_ORDER = 2**34  # one step of the game's order outweighs any history
OF_QUIET = 2**33  # a killer among quiet moves: before all history, behind the next step of the game's order
MOST_ORDER = 2**24
LOWEST = -(2**63)
HISTORY_BITS = 12
HISTORY = 2**HISTORY_BITS
MOST_HISTORY = 2**33
BY_RULES, BY_GAME, BY_NOISE, BY_VALUE = 0, 1, 2, 3
ORDERS = {"rules": BY_RULES, "noisy": BY_NOISE, "value": BY_VALUE}  # any other name is the game's order_NAME
KILLER_LIST = {"length": int, "next": int}  # its moves are in `w.killers`, `w.run.killer_size` places each
_SCATTER = -0x61C8864680B583EB
is_loud = never_noisy  # bound to the game's `noisy` where there is one


def no_order(s, m):
    """Stand in for the game's order."""
    return 0


order_score = no_order  # bound to the game's order_NAME


def shuffle(w, out, n):
    """Shuffle the moves of a list: with ties=shuffle the root's, so that the first best one is any of the best ones."""
    for i in range(n - 1, 0, -1):
        j = draw(w.rng, i + 1)
        swapped = out[i]
        out[i] = out[j]
        out[j] = swapped
    return 0


def history_cell(player, move):
    """Return the cell of the history table that belongs to a player's move."""
    return (player & 1) * HISTORY + shr(mul(move, _SCATTER), 64 - HISTORY_BITS)


def is_killer(w, number, move):
    """Tell whether a move is in a killer list."""
    first = number * w.run.killer_size
    for i in range(w.killer_lists[number].length):
        if w.killers[first + i] == move:
            return True
    return False


def remember_killer(w, number, move):
    """Put a move into a killer list; the oldest leaves."""
    if not is_killer(w, number, move):
        found = w.killer_lists[number]
        size = w.run.killer_size
        w.killers[number * size + found.next] = move
        found.length = min(found.length + 1, size)
        found.next = (found.next + 1) % size
    return 0


def by_value(w, s, child, m):
    """Return a rank that grows with what the search thinks of the position behind a move."""
    copy(child, s)
    play(child, m)
    value = opinion(w, child, UNCOUNTED) if mover(child) == mover(s) else -opinion(w, child, UNCOUNTED)
    b = bits(value)
    ordered = b if b >= 0 else ~b | LOWEST  # floats compare like these integers
    return ordered >> 40


def sort_moves(out, rank, n):
    """Sort the moves by falling rank; equal ranks stay in order."""
    for i in range(1, n):
        r = rank[i]
        m = out[i]
        k = i
        while k > 0 and rank[k - 1] < r:
            rank[k] = rank[k - 1]
            out[k] = out[k - 1]
            k -= 1
        rank[k] = r
        out[k] = m
    return 0
