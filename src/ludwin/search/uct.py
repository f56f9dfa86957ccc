"""UCT: grow a tree of random games towards the promising moves.

The idea.  Each playout walks down the tree by the upper confidence bound Q + c * sqrt(ln N / n),
adds one node, plays on at random, and carries the payoffs back up.  It works because the bound
treats every node as a bandit: bad moves are tried ever more rarely, but never given up.

Values.  Every node keeps the sum of payoffs of the player who moved into it, so any number of
players, players who move twice, and nature (whose moves are drawn by weight) need no special case.
Hidden information: the budget is divided among worlds drawn by the game's `observe`, each with a
tree of its own, and the visits at the roots are added up (determinised UCT).

References.  L. Kocsis and C. Szepesvári, "Bandit based Monte-Carlo planning", ECML 2006, 282-293.
P. Cowling, E. Powley, D. Whitehouse, "Information set Monte Carlo tree search", 2012.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import MAX_PLIES, PLAYERS, Floats, Ints, Moves, States, copy, mover, moves, observe, payoff, play
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, stream
from ludwin.search.choice import Agent, Choice, must_move, setting
from ludwin.search.playout import playout, sample

UNEXPANDED = -1


def expand(s, out, node: int, size: int, first, width, tried, move, visits, total):
    """Give `node` one child per legal move, all unvisited; return the tree's new size."""
    n = moves(s, out)
    first[node] = size
    width[node] = n
    tried[node] = 0
    for i in range(n):
        move[size + i] = out[i]
        visits[size + i] = 0
        total[size + i] = 0.0
        width[size + i] = UNEXPANDED
    return size + n


def untried(node: int, first, width, tried, move, rng):
    """Return a random child that has not been tried: it changes places with the next in the row."""
    here = first[node] + tried[node]
    there = here + draw(rng, width[node] - tried[node])
    swapped = move[here]
    move[here] = move[there]
    move[there] = swapped
    tried[node] += 1
    return here


def promising(node: int, first, width, visits, total, c: float):
    """Return the child with the highest upper confidence bound, the first among equals."""
    log_n = math.log(visits[node])
    best = first[node]
    highest = -math.inf
    for child in range(first[node], first[node] + width[node]):
        bound = total[child] / visits[child] + c * math.sqrt(log_n / visits[child])
        if bound > highest:
            highest = bound
            best = child
    return best


def drawn(s, out, node: int, first, width, move, rng):
    """Return the child of nature's node that chance chooses, by weight."""
    for i in range(width[node]):
        out[i] = move[first[node] + i]
    return first[node] + sample(s, out, width[node], rng)


def grow(
    states: States,
    bufs: Moves,
    rng: Ints,
    first: Ints,
    width: Ints,
    tried: Ints,
    move: Ints,
    visits: Ints,
    total: Floats,
    path: Ints,
    owner: Ints,
    stats: Ints,
    playouts: int,
    room: int,
    c: float,
):
    """Grow the tree by playouts until `playouts` are done or fewer than `room` nodes are left.

    stats: playouts done, size of the tree, states looked at.
    """
    s = states[1]
    out = bufs[0]
    while stats[0] < playouts:
        if stats[1] > room:
            return 0
        # Step 1. Walk down from the root; stop behind a new node or at the end of the game.
        copy(s, states[0])
        node = 0
        plies = 0
        path[0] = 0
        fresh = False
        while not fresh and plies < MAX_PLIES:
            if width[node] == UNEXPANDED:
                stats[1] = expand(s, out, node, stats[1], first, width, tried, move, visits, total)
            if width[node] == 0:
                break
            player = mover(s)
            if player == CHANCE:
                node = drawn(s, out, node, first, width, move, rng)
                fresh = visits[node] == 0
            elif tried[node] < width[node]:
                node = untried(node, first, width, tried, move, rng)
                fresh = True
            else:
                node = promising(node, first, width, visits, total, c)
            play(s, move[node])
            plies += 1
            path[plies] = node
            owner[plies] = player
        # Step 2. Play on at random.
        stats[2] += plies + playout(s, out, rng)
        # Step 3. Carry the payoffs back to every node of the path.
        visits[0] += 1
        for p in range(PLAYERS):
            worth = payoff(s, p)
            for i in range(1, plies + 1):
                if owner[i] == p:
                    total[path[i]] += worth
        for i in range(1, plies + 1):
            visits[path[i]] += 1
        stats[0] += 1
    return 1


def imagine(states: States, rng: Ints):
    """Replace what the mover of state 0 cannot see by a guess that fits what it has seen."""
    observe(states[0], mover(states[0]), rng)
    return 0


GROW = Kernel("uct", grow)
IMAGINE = Kernel("imagine", imagine)


@dataclass(frozen=True)
class UCT(Agent):
    """Grows a search tree by random playouts and plays the most visited move.

    Plays every game: chance, any number of players, hidden information.
    """

    name: ClassVar[str] = "uct"
    playouts: int = setting(1000, "random games per move", least=1)
    c: float = setting(1.0, "exploration: Q + c * sqrt(ln N / n), Q in payoff units", least=0)
    worlds: int = setting(16, "guesses at what is hidden, where the game hides something", least=1)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the most visited move; among equals the one of higher mean, then the first."""
        must_move(game, state)
        worlds = min(self.worlds, self.playouts) if game.has_secrets else 1
        visits: dict[int, int] = dict.fromkeys(state.moves(), 0)
        totals = dict.fromkeys(visits, 0.0)
        nodes = 0
        for world in range(worlds):
            budget = self.playouts // worlds + (world < self.playouts % worlds)
            tree = Tree(specialise(game, GROW, mode), state, stream(seed, world), budget)
            if game.has_secrets:
                specialise(game, IMAGINE, mode)(tree.states, tree.rng)
            tree.grow(budget, self.c)
            nodes += tree.nodes
            for move, count, total in tree.children():
                visits[move] = visits.get(move, 0) + count
                totals[move] = totals.get(move, 0.0) + total
        best = max(visits, key=lambda move: (visits[move], totals[move] / max(visits[move], 1)))
        return Choice(move=best, value=totals[best] / max(visits[best], 1), nodes=nodes, visits=visits)


class Tree:
    """The arrays of one search tree, which grow as they fill."""

    GROWING = ("first", "width", "tried", "move", "visits", "total")

    def __init__(self, kernel: Specialised, state: State, seed: int, playouts: int):
        self.kernel = kernel
        self.size = 16 * playouts + 4 * kernel.game.max_moves
        self.states, self.bufs, self.rng = kernel.states(2), kernel.moves(1), kernel.ints(1)
        kernel.put(self.states, 0, state)
        self.rng[0] = seed
        for name in self.GROWING:
            setattr(self, name, self._array(name, self.size))
        self.path, self.owner = kernel.ints(kernel.game.max_plies + 1), kernel.ints(kernel.game.max_plies + 1)
        self.stats = kernel.ints(3)
        self.width[0] = UNEXPANDED
        self.stats[1] = 1

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)

    def _array(self, name: str, n: int) -> Any:
        return self.kernel.floats(n) if name == "total" else self.kernel.ints(n)

    def grow(self, playouts: int, c: float) -> None:
        """Add playouts to the tree, making room whenever it is full."""
        while not self._run(playouts, c):
            for name in self.GROWING:
                old, new = getattr(self, name), self._array(name, 2 * self.size)
                new[: self.size] = old
                setattr(self, name, new)
            self.size *= 2

    def _run(self, playouts: int, c: float) -> int:
        trees = (getattr(self, name) for name in self.GROWING)
        room = self.size - self.kernel.game.max_moves
        return int(self.kernel(self.states, self.bufs, self.rng, *trees, self.path, self.owner, self.stats, playouts, room, c))

    @property
    def nodes(self) -> int:
        """How many states were looked at."""
        return int(self.stats[2])

    def children(self) -> list[tuple[int, int, float]]:
        """Return (move, visits, total payoff) for each child of the root."""
        start, n = int(self.first[0]), int(self.width[0])
        return [(int(self.move[i]), int(self.visits[i]), float(self.total[i])) for i in range(start, start + n)]
