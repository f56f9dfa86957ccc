"""Mate in n by df-pn: proof numbers, depth first, with a table.

The idea.  A proof number counts the leaves that must at least be settled to prove a mate, a disproof number those to
refute it.  The search goes into the child that is cheapest for its side, and stays below it until its numbers exceed
what the second best would cost.  Here the depth is bounded: after n moves of the player's there is no mate.

References.  A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", dissertation, Tokyo (2002).
"""

from ludwin.games.chess.generate import can_move
from ludwin.games.chess.opponents.mates.prove import MATE, forget, is_mated, known_as, push
from ludwin.games.chess.opponents.mates.prove import RECORDS as PROVING
from ludwin.kernel.names import Bundle, moves
from ludwin.kernel.text import Kernel
from ludwin.program.act_kernel import make, take_back

ENOUGH = 10**9  # a number that stands for "impossible"
PROOF = {"key": int, "generation": int, "proof": int, "disproof": int}
LEVEL = {"proof": int, "disproof": int, "best": int, "second": int}
RECORDS = {
    **PROVING,
    "mate": MATE,
    "entries": [PROOF],
    "proofs": "Moves",  # of the children of each position on the stack
    "disproofs": "Moves",
    "levels": [LEVEL],
}


def settle(w, here, i, proof, disproof):
    """Write the numbers of child i."""
    w.proofs[here][i] = proof
    w.disproofs[here][i] = disproof
    return 0


def judge(w, here, i, plies):
    """Set the numbers of child i, which is on top of the stack: settled, as the table knows them, or new."""
    s = w.positions[w.acts.open]
    if s.turn != w.mate.me:
        if is_mated(s):
            return settle(w, here, i, 0, ENOUGH)
        if plies == 1:
            return settle(w, here, i, ENOUGH, 0)
    if not can_move(s) or moves(s, w.choices[w.acts.depth + 1]) == 0:
        return settle(w, here, i, ENOUGH, 0)
    k = known_as(s, plies, plies - 1)
    entry = w.entries[k & w.mate.mask]
    if entry.key == k and entry.generation == w.mate.generation:
        return settle(w, here, i, entry.proof, entry.disproof)
    return settle(w, here, i, 1, 1)


def sum_up(w, here, n):
    """Compute the numbers of a position from its children, and which is the cheapest for who moves there."""
    level = w.levels[here]
    mine = w.positions[here].turn == w.mate.me
    least = ENOUGH
    total = 0
    level.best = 0
    level.second = ENOUGH
    for i in range(n):
        a = w.proofs[here][i] if mine else w.disproofs[here][i]
        b = w.disproofs[here][i] if mine else w.proofs[here][i]
        total = min(total + b, ENOUGH)
        if a < least or i == 0:
            level.second = least
            least = a
            level.best = i
        elif a < level.second:
            level.second = a
    level.proof = least if mine else total
    level.disproof = total if mine else least
    return 0


def dig(w, plies, proof, disproof):
    """Search a position until one of its numbers reaches its threshold; `w.levels` of its place keeps them."""
    here = w.acts.open
    n = moves(w.positions[here], w.choices[here])
    level = w.levels[here]
    mine = w.positions[here].turn == w.mate.me
    for i in range(n):
        push(w, w.choices[here][i])
        judge(w, here, i, plies)
        take_back(w)
    while w.acts.cut == 0:
        sum_up(w, here, n)
        if level.proof >= proof or level.disproof >= disproof or level.proof == 0 or level.disproof == 0:
            break
        i = level.best
        own = w.proofs[here][i] if mine else w.disproofs[here][i]
        other = w.disproofs[here][i] if mine else w.proofs[here][i]
        first = min(proof if mine else disproof, level.second + 1)
        rest = (disproof - level.disproof if mine else proof - level.proof) + other
        make(w, w.choices[here][i])
        dig(w, plies - 1, first if mine else rest, rest if mine else first)
        below = w.levels[w.acts.open]
        settle(w, here, i, below.proof, below.disproof)
        take_back(w)
        if w.proofs[here][i] == own and w.disproofs[here][i] == other and own == 0:
            break
    if w.acts.cut == 0:
        k = known_as(w.positions[here], plies + 1, plies)
        entry = w.entries[k & w.mate.mask]
        entry.key = k
        entry.generation = w.mate.generation
        entry.proof = level.proof
        entry.disproof = level.disproof
    return 0


def search_numbers(w: Bundle):
    """Return whether the mover of position 0 mates within n moves; `w.mate.found` is the move."""
    forget(w)
    for depth in range(1 if w.mate.deepen == 1 else w.mate.n, w.mate.n + 1):
        dig(w, 2 * depth - 1, ENOUGH, ENOUGH)
        if w.acts.cut == 0 and w.levels[0].proof == 0:
            w.mate.found = w.choices[0][w.levels[0].best]
            w.mate.answer = depth
            return 1
    return 0


NUMBERS = Kernel("df-pn for mates", search_numbers, records=RECORDS)
