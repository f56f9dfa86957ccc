"""Solvers of mate problems made by hand: what evolved searches have to beat.

Why it is here.  Four known ideas over one search (`prove.py`): checks first, fewest replies first, a first pass of
checks alone, each with a table and iterative deepening or straight at the depth that is asked; and df-pn (`dfpn.py`).
The best of them on a pool of problems is its baseline.
"""

from ludwin.games.chess.attacks import in_check
from ludwin.games.chess.opponents.mates.prove import RECORDS, attack, defend, forget, may_check, push
from ludwin.kernel.names import Bundle, moves
from ludwin.kernel.text import Kernel
from ludwin.program.act_kernel import take_back

PLAIN, CHECKS_FIRST, FEWEST_REPLIES = 0, 1, 2
CHECKS_ALONE = 1  # the number of the pass in which the player only gives check


def admits_checks(w, stage):
    """Tell whether a move is looked at: in the first pass if it gives check, later always."""
    return stage != CHECKS_ALONE or in_check(w.positions[w.acts.open], w.positions[w.acts.open].turn)


def worth_by_order(w, stage):
    """Return the worth of a move that was just made, by the order that is asked."""
    s = w.positions[w.acts.open]
    if w.mate.order == CHECKS_FIRST:
        return 1.0 if in_check(s, s.turn) else 0.0
    if w.mate.order == FEWEST_REPLIES:
        return -1.0 * moves(s, w.choices[w.acts.depth + 1])
    return 0.0


def hint_by_hand(w, stage):
    """Return no hint."""
    return 0.0


def finishes_by_hand(w, stage):
    """Tell whether a last move is made: who looks ahead makes none that cannot give check."""
    return w.mate.looks == 0 or may_check(w.positions[w.acts.open], w.mate.pending)


def search_mate(w: Bundle):
    """Return whether the mover of position 0 mates within n moves; `w.mate.found` is the move."""
    forget(w)
    for stage in range(CHECKS_ALONE if w.mate.passes == 1 else 0, -1, -1):
        for depth in range(1 if w.mate.deepen == 1 else w.mate.n, w.mate.n + 1):
            if attack(w, stage, depth):
                w.mate.answer = depth
                return 1
    return 0


def list_keys(w: Bundle):
    """Return how many moves of position 0 mate within n moves, and write them to `w.keys`."""
    forget(w)
    n = moves(w.positions[0], w.choices[0])
    found = 0
    for i in range(n):
        m = w.choices[0][i]
        push(w, m)
        if defend(w, 0, w.mate.n - 1):
            w.keys[found] = m
            found += 1
        take_back(w)
    return found


BY_HAND = {"admits": admits_checks, "worth": worth_by_order, "hint": hint_by_hand, "finishes": finishes_by_hand}
SEARCH = Kernel("mate search", search_mate, bind=BY_HAND, records=RECORDS)
KEYS = Kernel("keys of mates", list_keys, bind=BY_HAND, records=RECORDS)
