"""Move ordering: look first where a cut is likely.

The idea.  Alpha-beta cuts as soon as one move is good enough, so the best move should come first.
Every move gets a rank: the table's move, then killers (moves that cut elsewhere in this search, in one
list for all plies or one per ply), then the game's own order or a generic one, then the history of
cuts.  Equal ranks keep the order of the rules.  Kernel text.

References.  S. Akl and M. Newborn, "The principal continuation and the killer heuristic", 1977.
J. Gillogly, "The technology chess program", 1972.  J. Schaeffer, "The history heuristic", 1983.
"""

from ludwin.kernel.names import bits, copy, mover, play
from ludwin.primitives import mul, shr
from ludwin.search.quiet import never_noisy
from ludwin.search.values import opinion

OF_TABLE = 2**61
OF_KILLER = 2**60
OF_ORDER = 2**34  # one step of the game's order outweighs any history
MOST_ORDER = 2**24
HISTORY_BITS = 12
HISTORY = 2**HISTORY_BITS
MOST_HISTORY = 2**33
BY_RULES, BY_GAME, BY_NOISE, BY_VALUE = 0, 1, 2, 3
ORDERS = {"rules": BY_RULES, "noisy": BY_NOISE, "value": BY_VALUE}  # any other name is the game's order_NAME
_SCATTER = -0x61C8864680B583EB
is_loud = never_noisy  # bound to the game's `noisy` where there is one


def no_order(s, m):
    """Stand in for the game's order."""
    return 0


order_score = no_order  # bound to the game's order_NAME


def history_cell(player, move):
    """Return the cell of the history table that belongs to a player's move."""
    return (player & 1) * HISTORY + shr(mul(move, _SCATTER), 64 - HISTORY_BITS)


def is_killer(mem, at, move):
    """Tell whether a move is in the killer list that begins at `at` (how many, next place, moves)."""
    for i in range(mem[at]):
        if mem[at + 2 + i] == move:
            return True
    return False


def remember_killer(mem, at, size, move):
    """Put a move into a killer list; the oldest leaves."""
    if not is_killer(mem, at, move):
        mem[at + 2 + mem[at + 1]] = move
        mem[at] = min(mem[at] + 1, size)
        mem[at + 1] = (mem[at + 1] + 1) % size
    return 0


def by_value(s, child, m):
    """Return a rank that grows with the evaluation of the position behind a move."""
    copy(child, s)
    play(child, m)
    value = opinion(child) if mover(child) == mover(s) else -opinion(child)
    b = bits(value)
    ordered = b if b >= 0 else ~b | -(2**63)  # floats compare like these integers
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
