"""Whole components: all boards that moves connect, how far each is from a goal, and which is the hardest start.  Kernel
text and its shell.

The idea.  Slides can be taken back, so a board belongs to a component of boards that reach each other.  Breadth first
finds all of it; a second search, from all its goals at once and backward, tells every board's distance; the farthest
board is the hardest that these vehicles can be.  The component is searched through goals, too: who stands at the exit
can back out again.

References.  S. Collette, J.-F. Raskin, F. Servais, "On the symbolic computation of the hardest configurations of the
Rush Hour game", Computers and Games 2006.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, copy, key, solved
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.search.puzzles.pool import RECORDS, RUN, add, begin, find, plant

NODE = {"key": int, "parent": int, "move": int, "far": int, "next": int}
ROOM = 400_000  # boards of a component that are looked at


def slides(s, out):
    """Stand-in for the game's `slides`: all moves, of solved boards, too."""
    return 0


def slide(s, m):
    """Stand-in for the game's `slide`, which counts no moves."""
    return 0


def visit(w, at: int):
    """Enter all boards one slide away from a board that are not known."""
    n = slides(w.states[at], w.bufs[0])
    for i in range(n):
        child = w.states[w.run.count]
        copy(child, w.states[at])
        slide(child, w.bufs[0][i])
        k = key(child)
        slot = find(w, k)
        if w.slots[slot] == 0:
            add(w, k, slot, -1, 0)
        if w.run.count >= w.run.room:
            return False
    return True


def explore(w: Bundle):
    """Fill the pool with the component of row 0; return the number of the board that is farthest from a goal.

    `run.depth` is its distance, -1 if no board of the component is solved, -2 if there are too many.
    """
    run = w.run
    begin(w)
    plant(w, key(w.states[0]))
    run.depth = -2
    at = 0
    while at < run.count:
        if not visit(w, at):
            return 0
        at += 1
    # Step 2. All goals are at distance 0, and wait in a row.
    last = -1
    first = -1
    for i in range(run.count):
        w.nodes[i].far = -1
        w.nodes[i].next = -1
        if solved(w.states[i]):
            w.nodes[i].far = 0
            if last >= 0:
                w.nodes[last].next = i
            else:
                first = i
            last = i
    run.depth = -1
    far = 0
    # Step 3. From them on, one slide after another; slides can be taken back, so this is the way there, too.
    at = first
    while at >= 0:
        far = at
        n = slides(w.states[at], w.bufs[0])
        child = w.states[run.count]
        for i in range(n):
            copy(child, w.states[at])
            slide(child, w.bufs[0][i])
            found = w.slots[find(w, key(child))] - 1
            if w.nodes[found].far < 0:
                w.nodes[found].far = w.nodes[at].far + 1
                w.nodes[last].next = found
                last = found
        at = w.nodes[at].next
    if first >= 0:
        run.depth = w.nodes[far].far
    return far


KERNEL = Kernel(
    "whole components",
    explore,
    needs=("solved",),
    bind={"slides": "slides", "slide": "slide"},
    records={**RECORDS, "nodes": [NODE], "run": RUN},
)


@dataclass(frozen=True)
class Component:
    """What is known of all boards that a board is connected with."""

    distance: int  # of the hardest board, in moves of the game's cost; -1: none can be solved, -2: too many boards
    boards: int
    hardest: State | None


@lru_cache(maxsize=4)
def _explorer(game: Game, most: int) -> tuple[Any, Any]:
    run = specialise(game, KERNEL, "fast")
    slots = 1 << (2 * most).bit_length()
    return run, run.bundle(states=most + 1, nodes=most + 1, slots=slots, bufs=1, plan=1)


def component(state: State, most: int = ROOM) -> Component:
    """Return what is known of the boards around a board, up to so many of them."""
    run, w = _explorer(state.game, most)
    run.put(w.states, 0, state)
    w.run.room, w.run.slots = most, len(w.slots)
    far = int(run(w))
    hardest = run.get(w.states, far) if w.run.depth >= 0 else None
    return Component(int(w.run.depth), int(w.run.count), hardest)
