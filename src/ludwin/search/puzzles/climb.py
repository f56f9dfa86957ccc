"""Enforced hill climbing: search breadth first for a state that seems nearer, go there, and never look back.

The idea.  From the state in hand breadth-first search finds the nearest state whose estimate is less; its moves are
made and the search begins again there.  Plans come quickly where the estimate has few and small valleys.  A move that
cannot be taken back may lead into a trap, so failure proves nothing once a step was made.

References.  J. Hoffmann and B. Nebel, "The FF planning system", JAIR 14 (2001).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ludwin.game import Game
from ludwin.kernel.names import Bundle, copy, key, moves, solved
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, mind
from ludwin.search.puzzles.estimate import far
from ludwin.search.puzzles.pool import (
    LENGTH,
    LONGEST,
    NODE,
    RECORDS,
    RUN,
    SOLVED,
    begins_solved,
    fallback,
    first,
    is_stopped,
    plant,
    reach,
    run_dry,
    spent,
    steps_to,
)
from ludwin.search.puzzles.solver import Guided, shares
from ludwin.search.seat import Seat
from ludwin.search.values import wake

CLIMBING = {**RECORDS, "run": {**RUN, "best": float}}


def step_to(w, node: int):
    """Append the moves that lead to a node to the plan, and begin again there; return whether there was room."""
    run = w.run
    n = steps_to(w, node)
    if run.length + n > LONGEST:
        run.why = LENGTH
        return False
    at = node
    for i in range(n):
        w.plan[run.length + n - 1 - i] = w.nodes[at].move
        at = w.nodes[at].parent
    run.length += n
    run.depth = run.length
    copy(w.states[0], w.states[node])
    plant(w, key(w.states[0]))
    return True


def nearer(w):
    """Search breadth first from row 0; return the first node that is solved or seems nearer than `best`, -1 if none."""
    run = w.run
    out = w.bufs[0]
    at = 0
    while at < run.count and not is_stopped(w):
        n = moves(w.states[at], out)
        run.expanded += 1
        for i in range(n):
            before = run.count
            node = reach(w, at, out[i])
            if node == before:
                if solved(w.states[node]):
                    return node
                value = far(w, w.states[node])
                if value < run.best:
                    run.best = value
                    return node
                if spent(w):
                    return -1
        at += 1
    return -1


def climb(w: Bundle):
    """Return the first move of the plan that is found."""
    run = w.run
    wake(w)
    if begins_solved(w):
        return fallback(w)
    plant(w, key(w.states[0]))
    run.best = far(w, w.states[0])
    while not spent(w):
        node = nearer(w)
        if node < 0:
            break
        goal = solved(w.states[node])
        if not step_to(w, node):
            break
        if goal:
            run.status = SOLVED
            return first(w)
    run_dry(w, run.length)
    return first(w)


KERNEL = Kernel("enforced hill climbing", climb, needs=("solved",), records=CLIMBING)


@dataclass(frozen=True)
class EnforcedHillClimbing(Guided):
    """Goes to the nearest state that seems nearer to the goal, and on from there; never takes a step back."""

    name: ClassVar[str] = "ehc"
    brain: Brain | None = mind()

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel with as much room as the memory grants."""
        room, slots = shares(memory, 8 * (game.fields.cells + len(NODE)))
        return Seat(KERNEL, sizes={"states": room + 1, "nodes": room + 1, "slots": slots, "bufs": 1})

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {}
