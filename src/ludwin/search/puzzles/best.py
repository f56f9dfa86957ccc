"""Best first: expand the most promising state that was met, wherever it lies.

The idea.  A* ranks a state by what it has cost to reach it and what it will cost at least: g + h.  If h never says too
much, the first goal that is taken from the queue is a cheapest one.  With `weight` W the rank is g + W * h: plans cost
at most W times the optimum and are found sooner; W = 0 is uniform cost search (Dijkstra).  Greedy best first looks at
h alone.  A state that is reached more cheaply than before is moved up, and expanded again if need be, so A* needs no
consistent h.  Greedy best first does not look at a state twice; where a longer way came first and moves ran out (games
have a limit of moves), what it leaves unseen is no proof that there is no plan, and it says that it gave up.

References.  P. Hart, N. Nilsson, B. Raphael, "A formal basis for the heuristic determination of minimum cost paths",
IEEE Trans. SSC 4 (1968); I. Pohl, "Heuristic search viewed as path finding in a graph", Artificial Intelligence 1
(1970); J. Doran and D. Michie, "Experiments with the Graph Traverser program" (1966).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ludwin.game import Game
from ludwin.kernel.names import Bundle, copy, cost, key, moves, play, solved
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.estimate import FAR, far
from ludwin.search.puzzles.heap import RANKED, pop, push
from ludwin.search.puzzles.pool import (
    DROPPED,
    EXHAUSTED,
    NODE,
    OPEN,
    PRICES,
    RECORDS,
    RUN,
    SOLVED,
    add,
    begin,
    fallback,
    find,
    is_legal,
    plant,
    spent,
    tell,
)
from ludwin.search.puzzles.solver import ANY, CHEAPEST, Guided, shares
from ludwin.search.seat import Seat
from ludwin.search.values import wake

OPEN_NODE = {**NODE, **RANKED, "cost": float}
BEST = {
    **RECORDS,
    **{"nodes": [OPEN_NODE], "heap": [int]},
    "run": {**RUN, "waiting": int, "weight": float, "greedy": int, "longer": int, "ended": int},
}


def rank(w, node):
    """Return by what a node is compared with others."""
    return node.far if w.run.greedy == 1 else node.cost + w.run.weight * node.far


def way_to(w, node: int):
    """Return how many moves lead to a node."""
    n = 0
    while w.nodes[node].parent >= 0:
        node = w.nodes[node].parent
        n += 1
    return n


def meet(w, parent: int, m: int, price: float):
    """Play a move of a node; a new state waits to be expanded, a known one perhaps once more. Return it if it is a
    goal that a greedy search is content with, else -1.
    """
    run = w.run
    child = w.states[run.count]
    copy(child, w.states[parent])
    play(child, m)
    run.generated += 1
    k = key(child)
    at = find(w, k)
    if w.slots[at] == 0:
        number = add(w, k, at, parent, m)
        run.nodes += 1
        run.distinct += 1
        node = w.nodes[number]
        node.cost = price
        node.place = 0
        node.far = 0.0 if solved(child) else far(w, child)
        node.rank = rank(w, node)
        push(w, number)
        return number if run.greedy == 1 and solved(child) else -1
    node = w.nodes[w.slots[at] - 1]
    if price < node.cost and run.greedy == 1:
        run.longer = 1
    elif price < node.cost:
        node.cost = price
        node.parent = parent
        node.move = m
        node.rank = rank(w, node)
        copy(w.states[w.slots[at] - 1], child)  # the way is part of some states: how many moves, which one was last
        if node.place == 0:
            run.nodes += 1
        push(w, w.slots[at] - 1)
    return -1


def best_first(w: Bundle):
    """Return the first move of the plan that is found."""
    run = w.run
    wake(w)
    begin(w)
    run.waiting = 0
    run.longer = 0  # whether a way to a state may have been kept that has more moves than another
    run.ended = 0  # whether a state had no moves, perhaps for its way was too long
    plant(w, key(w.states[0]))
    root = w.nodes[0]
    root.cost = 0.0
    root.place = 0
    root.far = 0.0 if solved(w.states[0]) else far(w, w.states[0])
    root.rank = rank(w, root)
    push(w, 0)
    out = w.bufs[0]
    while run.waiting > 0:
        top = pop(w)
        s = w.states[top]
        if solved(s):
            move = tell(w, top)
            if run.longer == 0 or run.status != SOLVED or is_legal(w, w.states[run.count]):
                run.doubt *= run.longer
                return move
            # A state on the way was reached more cheaply since, by more moves than there may be before this goal.
            run.status = OPEN
            run.doubt = 1
            continue
        n = moves(s, out)
        run.expanded += 1
        if n == 0:
            run.ended = 1
            run.doubt |= way_to(w, top) >= run.early
        for i in range(n):
            price = 1.0 * cost(s, out[i])
            if not price >= 0.0 or w.nodes[top].cost + price >= FAR:
                run.why = PRICES
                return fallback(w)
            if price != 1.0:
                run.longer = 1
            goal = meet(w, top, out[i], w.nodes[top].cost + price)
            if goal >= 0:
                return tell(w, goal)
            if spent(w):
                return fallback(w)
    if run.longer == 1 and (run.doubt == 1 or (run.ended == 1 and run.greedy == 1)):
        run.why = DROPPED
    else:
        run.status = EXHAUSTED
    return fallback(w)


KERNEL = Kernel("best first", best_first, needs=("solved",), records=BEST)


def _furniture(game: Game, memory: int) -> Seat:
    room, slots = shares(memory, 8 * (game.fields.cells + len(OPEN_NODE) + 1))
    sizes = {"states": room + 1, "nodes": room + 1, "slots": slots, "heap": room + 2, "bufs": 1}
    return Seat(KERNEL, sizes=sizes)


@dataclass(frozen=True)
class AStar(Guided):
    """Expands the state of the least g + weight * h; with weight 1 and a true lower bound its plans are cheapest."""

    name: ClassVar[str] = "astar"
    demands: ClassVar[bool] = False
    weight: float = setting(1.0, "how much the estimate weighs beside the cost so far (0: uniform cost)", least=0)
    brain: Brain | None = mind()

    def claims(self, game: Game) -> str:
        """Return what a plan of this search is."""
        return CHEAPEST if self.weight == 0 or (self.weight <= 1 and self.lower_bound(game)) else ANY

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel with as much room as the memory grants."""
        return _furniture(game, memory)

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {"weight": float(self.weight), "greedy": 0}


@dataclass(frozen=True)
class BestFirst(Guided):
    """Expands the state that seems nearest to a goal, whatever it has cost to get there."""

    name: ClassVar[str] = "best-first"
    brain: Brain | None = mind()

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel with as much room as the memory grants."""
        return _furniture(game, memory)

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {"weight": 1.0, "greedy": 1}
