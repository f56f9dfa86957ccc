"""Beam search: layer by layer, and of each layer only the best few.

The idea.  Breadth first with a narrow frontier: of all new states behind a layer the `width` most promising are kept.
Memory grows with the length of the plan and not with the number of states.  What was dropped is gone, so a beam that
runs dry proves nothing unless it never had to drop a state.

References.  B. Lowerre, "The HARPY speech recognition system" (1976); R. Bisiani, "Beam search" (1987).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ludwin.game import Game
from ludwin.kernel.names import Bundle, copy, key, moves, play, solved
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.estimate import far
from ludwin.search.puzzles.heap import RANKED, pop, push
from ludwin.search.puzzles.marks import forget, is_new
from ludwin.search.puzzles.pool import (
    LENGTH,
    LONGEST,
    MEMORY,
    NODES,
    NOTHING,
    PLACES,
    RUN,
    SOLVED,
    STOPPED,
    begins_solved,
    fallback,
    first,
    is_stopped,
    run_dry,
)
from ludwin.search.puzzles.solver import Guided, shares
from ludwin.search.seat import Seat
from ludwin.search.values import wake

STEP = {"parent": int, "move": int}
RECORDS = {
    **PLACES,
    **{"layer": "States", "nodes": [{**RANKED, **STEP}], "log": [STEP], "heap": [int], "marks": [int]},
    "run": {**RUN, "width": int, "waiting": int, "marked": int, "held": int, "logged": int, "dropped": int},
}


def used_up(w):
    """Tell whether the search must end, and note why."""
    run = w.run
    if run.stop != 0:
        run.why = STOPPED
    elif run.nodes >= run.most:
        run.why = NODES
    elif run.marked >= run.held or run.logged + run.width >= run.room:
        run.why = MEMORY
    return run.why != NOTHING


def consider(w, parent: int, m: int):
    """Judge the new state in row 1 and keep it if it is among the best so far; the worst lies on top of the heap."""
    run = w.run
    rank = -far(w, w.states[1])
    row = run.waiting
    if run.waiting >= run.width:
        run.dropped = 1
        if rank <= w.nodes[w.heap[1]].rank:
            return 0
        row = pop(w)
    node = w.nodes[row]
    node.rank = rank
    node.far = 0.0
    node.place = 0
    node.parent = parent
    node.move = m
    copy(w.states[2 + row], w.states[1])
    push(w, row)
    return 0


def tell_beam(w, parent: int, m: int):
    """Write the plan that ends with move m of a logged state, and return its first move."""
    n = 1
    at = parent
    while at > 0:
        n += 1
        at = w.log[at].parent
    if n > LONGEST:
        w.run.why = LENGTH
        return fallback(w)
    w.run.length = n
    w.run.status = SOLVED
    w.plan[n - 1] = m
    at = parent
    while at > 0:
        n -= 1
        w.plan[n - 1] = w.log[at].move
        at = w.log[at].parent
    return first(w)


def settle_layer(w):
    """Let the kept states be the layer; return how many there are. State i of the layer is logged from `logged` - n
    on."""
    run = w.run
    n = run.waiting
    for row in range(n):
        copy(w.layer[row], w.states[2 + row])
        w.log[run.logged].parent = w.nodes[row].parent
        w.log[run.logged].move = w.nodes[row].move
        run.logged += 1
    run.waiting = 0
    return n


def beam(w: Bundle):
    """Return the first move of the plan that is found."""
    run = w.run
    wake(w)
    if begins_solved(w):
        return fallback(w)
    forget(w)
    run.dropped = 0
    run.waiting = 0
    run.logged = 1
    w.log[0].parent = -1
    is_new(w, key(w.states[0]))
    copy(w.layer[0], w.states[0])
    n = 1
    begun = 0
    out = w.bufs[0]
    while n > 0 and not used_up(w):
        run.depth += 1
        for at in range(n):
            if is_stopped(w):
                return fallback(w)
            count = moves(w.layer[at], out)
            run.expanded += 1
            for i in range(count):
                copy(w.states[1], w.layer[at])
                play(w.states[1], out[i])
                run.generated += 1
                if not is_new(w, key(w.states[1])):
                    continue
                run.nodes += 1
                run.distinct += 1
                if solved(w.states[1]):
                    return tell_beam(w, begun + at, out[i])
                if used_up(w):
                    return fallback(w)
                consider(w, begun + at, out[i])
        begun = run.logged
        n = settle_layer(w)
    return run_dry(w, run.dropped)


KERNEL = Kernel("beam", beam, needs=("solved",), records=RECORDS)


@dataclass(frozen=True)
class Beam(Guided):
    """Breadth first, but of each layer only the `width` most promising states."""

    name: ClassVar[str] = "beam"
    width: int = setting(100, "states of a layer that are kept", least=1, most=2**24)
    brain: Brain | None = mind()

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel; what the layers leave of the memory is for the seen states and the log."""
        row = 8 * (2 * game.fields.cells + len(RANKED) + 3)
        width = max(1, min(self.width, memory // 2 // row))
        rest = memory - width * row
        held, slots = shares(rest // 2, 8)
        logged = width + max(1024, rest // 2 // 16)
        rows = {"states": width + 2, "layer": width + 1, "nodes": width + 1, "heap": width + 2, "bufs": 1}
        return Seat(KERNEL, sizes={**rows, "log": logged, "marks": held + 1, "slots": slots})

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {"width": sizes["nodes"] - 1, "held": sizes["marks"] - 1, "room": sizes["log"] - 1}
