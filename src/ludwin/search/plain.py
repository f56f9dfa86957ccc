"""Alpha-beta: minimax that leaves out what cannot matter.

The idea.  `alpha` is what the mover is already sure of, `beta` what the opponent will allow; once a
move reaches beta, the opponent avoids this position and its other moves need no look.  The answer
is right because a value outside the window would never travel to the root.

This is the plain form: moves in the order of the rules, nothing remembered.  It is what the C++
reference mirrors and what `refined.py`, which has all the refinements, is measured against.  Values
are those of `values.py`, seen from the side of the mover of their own node; the sign changes only
where the mover does.

References.  D. Knuth and R. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6
(1975), 293-326 (this is their F2 in fail-soft form).
"""

from typing import Any

from ludwin.kernel.bundle import Members
from ludwin.kernel.names import Bundle, copy, mover, moves, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Bound, Kernel
from ludwin.search import variation
from ludwin.search.ordering import shuffle
from ludwin.search.seat import Prepare, Seat, nothing
from ludwin.search.values import INFINITE, fact, opinion, wake
from ludwin.search.variation import empty_line, remember_line

COUNTS = {"inner": int, "terminal": int, "static": int, "cuts": int}
RUN = {
    **{"depth": int, "plies": int, "me": int},  # how deep; places of a line; the mover of the root
    **{**COUNTS, "sure": int, "value": float},  # `sure`: the line behind the value ends the game
}
RECORDS = {"states": "States", "bufs": "Moves", "rng": "Ints", "run": RUN, **variation.MEMBERS}


def as_they_come(w, out, n):
    """Stand in for `shuffle`: the root's moves in the order of the rules."""
    return 0


def nothing_sure(w, me, ply):
    """Return what the mover is sure of before any move was tried; the guides' floor can be bound to the name."""
    return -INFINITE


def only_if_better(alpha, best, beta):
    """Tell whether what was sure beforehand cuts after any move; nothing does where nothing was sure."""
    return False


def no_line(w, ply):
    """Take the place of `begin_line` where the line is not kept."""
    return 0


def note_move(w, ply, move):
    """Take the place of `note` where the line is not kept: remember the root's move alone."""
    if ply == 0:
        w.lines[0] = move
    return 0


begin_line = empty_line  # with ties=shuffle, the form of those who play thousands of games, no line is kept
note = remember_line
arrange_root = as_they_come  # bound to `shuffle` with ties=shuffle
least = nothing_sure  # the guides bind a floor here, and then also the next one
is_enough = only_if_better


def leaf(w, s, out, ply: int):
    """Return the value of a state at which the depth is used up: a fact if the game is over, else an opinion.

    Most nodes are leaves, so they have a function of their own, without the weight of the recursion.
    """
    n = moves(s, out)
    begin_line(w, ply)
    if n == 0:
        w.run.terminal += 1
        w.run.sure = 1
        return fact(s)
    w.run.static += 1
    w.run.sure = 0
    return opinion(w, s, n)


def search(w, ply: int, depth: int, alpha: float, beta: float):
    """Return the value of state number `ply`, at least one ply deep; exact inside (alpha, beta), a bound outside.

    w.run.sure tells afterwards whether the line behind the value ends the game.
    """
    # Step 1. The end of the game is a fact, whatever the depth.
    run = w.run
    s = w.states[ply]
    out = w.bufs[ply]
    n = moves(s, out)
    begin_line(w, ply)
    if n == 0:
        run.terminal += 1
        run.sure = 1
        return fact(s)
    # Step 2. Try the moves in the order of the rules, the root's perhaps in another; keep the first best.
    run.inner += 1
    if ply == 0:
        arrange_root(w, out, n)
    me = mover(s)
    child = w.states[ply + 1]
    best = least(w, me, ply)
    sure = 0
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        low = max(alpha, best)
        if depth == 1:
            value = leaf(w, child, w.bufs[ply + 1], ply + 1)
            if mover(child) != me:
                value = -value
        elif mover(child) == me:
            value = search(w, ply + 1, depth - 1, low, beta)
        else:
            value = -search(w, ply + 1, depth - 1, -beta, -low)
        if value > best:
            best = value
            sure = run.sure
            # Step 3. The opponent will not let us come here.
            if best >= beta:
                run.cuts += 1
                break
            if best > alpha:
                note(w, ply, out[i])
        if is_enough(alpha, best, beta):
            run.cuts += 1
            break
    run.sure = sure
    return best


def alphabeta(w: Bundle):
    """Return the first best move of state 0; value, counts and line are in the bundle."""
    run = w.run
    run.inner = 0
    run.terminal = 0
    run.static = 0
    run.cuts = 0
    run.me = mover(w.states[0])
    wake(w)
    run.value = search(w, 0, run.depth, -INFINITE, INFINITE)
    return w.lines[0]


SHUFFLED: Bound = {"arrange_root": shuffle, "begin_line": no_line, "note": note_move}


def plain_seat(depth: int, bind: Bound, members: Members | None = None, prepare: Prepare = nothing) -> Seat:
    """Return the plain form with these bindings, ready to sit; `members` are what they need of the bundle."""

    def settle(run: Specialised, w: Any) -> None:
        w.run.depth, w.run.plies = depth, depth + 1
        prepare(run, w)

    sizes = {"states": depth + 1, "bufs": depth + 1, **variation.sizes(depth + 1)}
    kernel = Kernel("alphabeta", alphabeta, bind=bind, records={**RECORDS, **(members or {})})
    return Seat(kernel, sizes=sizes, prepare=settle)
