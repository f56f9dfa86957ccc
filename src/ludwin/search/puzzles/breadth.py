"""Breadth first, from the start alone or from both ends: the shortest plan, and the proof that there is none.

The idea.  States are met in the order of their distance from the start, so the first goal is a nearest one.  From both
ends the frontiers grow layer by layer, always the smaller one; before they meet no plan is shorter than the two depths
together, and when they meet one is exactly that long.  The way back from the goal is turned round move by move.

References.  E. F. Moore, "The shortest path through a maze" (1959); I. Pohl, "Bi-directional search", Machine
Intelligence 6 (1971).
"""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.kernel.names import Bundle, copy, goal_state, key, moves, play, solved
from ludwin.kernel.text import Kernel
from ludwin.primitives import mix
from ludwin.search.puzzles.pool import (
    DROPPED,
    EXHAUSTED,
    LENGTH,
    LONGEST,
    NODE,
    RECORDS,
    SOLVED,
    add,
    begin,
    fallback,
    find,
    first,
    is_legal,
    is_stopped,
    plant,
    reach,
    spent,
    steps_to,
    tell,
)
from ludwin.search.puzzles.solver import FEWEST_MOVES, Solver, shares
from ludwin.search.seat import Seat


def breadth_first(w: Bundle):
    """Return the first move of a shortest plan; `w.plan` holds all of it.

    A goal is known when its turn comes, as in A*, so that counts can be compared.
    """
    run = w.run
    begin(w)
    plant(w, key(w.states[0]))
    out = w.bufs[0]
    at = 0
    layer = 1  # the first row of the next layer
    while at < run.count:
        if at == layer:
            layer = run.count
            run.depth += 1
        if solved(w.states[at]):
            return tell(w, at)
        if is_stopped(w):
            return fallback(w)
        n = moves(w.states[at], out)
        run.expanded += 1
        for i in range(n):
            before = run.count
            if reach(w, at, out[i]) == before and spent(w):
                return fallback(w)
        at += 1
    run.status = EXHAUSTED
    return fallback(w)


BREADTH = Kernel("bfs", breadth_first, needs=("solved",), records=RECORDS)


@dataclass(frozen=True)
class BreadthFirst(Solver):
    """Meets states in the order of their distance in moves: shortest plans, proofs, and much memory."""

    name: ClassVar[str] = "bfs"

    def claims(self, game: Game) -> str:
        """Return what a plan of this search is."""
        return FEWEST_MOVES

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel with as much room as the memory grants."""
        row = 8 * (game.fields.cells + len(NODE))
        room, slots = shares(memory, row)
        return Seat(BREADTH, sizes={"states": room + 1, "nodes": room + 1, "slots": slots, "bufs": 1})


# ---- From both ends ------------------------------------------------------------------------------------------------

FORWARD, BACKWARD = 0, 1  # the two sides
END = {"first": int, "last": int, "depth": int}  # the rows of a frontier, and how far it is from its end
ENDS = {**RECORDS, "ends": [END]}


def mark(side: int, k: int):
    """Return the key of a state as one side knows it."""
    return mix(side, k)


def enter(w, side: int, parent: int, m: int):
    """Enter the state in row `count` for a side unless it knows it; return whether it was new."""
    k = mark(side, key(w.states[w.run.count]))
    at = find(w, k)
    if w.slots[at] > 0:
        return False
    add(w, k, at, parent, m)
    return True


def meeting(w, side: int, node: int):
    """Return the other side's node of the same state, or -1."""
    return w.slots[find(w, mark(1 - side, key(w.states[node])))] - 1


def join(w, front: int, back: int):
    """Write the plan that two nodes of one state make, and end the search; return its first move."""
    run = w.run
    n = steps_to(w, front)
    if n + steps_to(w, back) > LONGEST:
        run.why = LENGTH
        return fallback(w)
    at = front
    for i in range(n):
        w.plan[n - 1 - i] = w.nodes[at].move
        at = w.nodes[at].parent
    out = w.bufs[0]
    spare = w.states[run.count]  # nothing is entered any more
    while w.nodes[back].parent >= 0:
        wanted = key(w.states[w.nodes[back].parent])
        found = -1
        for i in range(moves(w.states[back], out)):
            copy(spare, w.states[back])
            play(spare, out[i])
            if found < 0 and key(spare) == wanted:
                found = i
        if found < 0:
            run.why = DROPPED
            return fallback(w)
        w.plan[n] = out[found]
        n += 1
        back = w.nodes[back].parent
    run.length = n
    if not is_legal(w, spare):  # the goal's half was found without the moves that were made before
        run.length = 0
        run.why = LENGTH
        return fallback(w)
    run.status = SOLVED
    return first(w)


def widen(w, side: int):
    """Expand the frontier of one side; return the node that met the other side, -1 if none did, -2 if all is spent.

    A goal that is the last move of a game may have a key of its own, so that nothing meets it.
    """
    run = w.run
    end = w.ends[side]
    out = w.bufs[0]
    next_first = run.count
    for at in range(end.first, end.last):
        if is_stopped(w):
            return -2
        n = moves(w.states[at], out)
        run.expanded += 1
        for i in range(n):
            node = run.count
            copy(w.states[node], w.states[at])
            play(w.states[node], out[i])
            run.generated += 1
            if enter(w, side, at, out[i]):
                run.nodes += 1
                run.distinct += 1
                if meeting(w, side, node) >= 0 or (side == FORWARD and solved(w.states[node])):
                    return node
                if spent(w):
                    return -2
    end.first = next_first
    end.last = run.count
    end.depth += 1
    return -1


def bidirectional(w: Bundle):
    """Return the first move of a shortest plan between the position and its goal."""
    run = w.run
    begin(w)
    if solved(w.states[0]):
        plant(w, 0)
        return tell(w, 0)
    plant(w, mark(FORWARD, key(w.states[0])))
    copy(w.states[1], w.states[0])
    goal_state(w.states[1])
    enter(w, BACKWARD, -1, 0)
    for side in range(2):
        w.ends[side].first = side
        w.ends[side].last = side + 1
        w.ends[side].depth = 0
    front = w.ends[0]
    back = w.ends[1]
    while front.last > front.first and back.last > back.first:
        side = FORWARD if front.last - front.first <= back.last - back.first else BACKWARD
        node = widen(w, side)
        run.depth = front.depth + back.depth
        if node >= 0:
            other = meeting(w, side, node)
            if other < 0:
                return tell(w, node)
            return join(w, node, other) if side == FORWARD else join(w, other, node)
        if node < -1:
            return fallback(w)
    run.status = EXHAUSTED
    return fallback(w)


BOTH = Kernel("bidirectional", bidirectional, needs=("solved", "goal_state"), records=ENDS)


@dataclass(frozen=True)
class Bidirectional(Solver):
    """Breadth first from start and goal, for games whose moves can be taken back and that define goal_state."""

    name: ClassVar[str] = "bidirectional"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game names its goal."""
        super().suits(game)
        if "goal_state" not in game.offers:
            raise CannotPlay(f"bidirectional needs goal_state(s), which {game.name} does not define; try bfs")

    def claims(self, game: Game) -> str:
        """Return what a plan of this search is."""
        return FEWEST_MOVES

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel with as much room as the memory grants."""
        row = 8 * (game.fields.cells + len(NODE))
        room, slots = shares(memory, row)
        sizes = {"states": room + 2, "nodes": room + 2, "slots": slots, "bufs": 1, "ends": 2}
        return Seat(BOTH, sizes=sizes)
