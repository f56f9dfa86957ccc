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

import dataclasses
import math
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import (
    MAX_PLIES,
    PLAYERS,
    Floats,
    Ints,
    Moves,
    States,
    copy,
    mover,
    moves,
    observe,
    payoff,
    play,
)
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, mix, stream
from ludwin.search.budget import Budgeted
from ludwin.search.choice import Choice, must_move, setting
from ludwin.search.playout import playout, sample
from ludwin.search.seat import Seat, Sitting, alarm

UNEXPANDED = -1
ROUND = 64  # playouts a world and round, where seconds are shared among worlds
MOST_NODES = 2**24  # a tree never grows beyond this; then playouts start at its leaves
PLAYED, SIZE, LOOKED, STOP = 0, 1, 2, 3  # in stats: playouts, nodes of the tree, states looked at, stopped by a clock


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


def grow(states, bufs, rng, first, width, tried, move, visits, total, path, owner, stats, playouts, nodes, room, c):
    """Grow the tree of state 0 until the playouts, the nodes or the time are used up."""
    s = states[1]
    out = bufs[0]
    played = 0
    looked = stats[LOOKED]
    while played < playouts and stats[LOOKED] - looked < nodes and stats[STOP] == 0:
        # Step 1. Walk down from the root; stop behind a new node or at the end of the game.
        copy(s, states[0])
        node = 0
        plies = 0
        path[0] = 0
        fresh = False
        while not fresh and plies < MAX_PLIES:
            if width[node] == UNEXPANDED:
                if stats[SIZE] > room:
                    break
                stats[SIZE] = expand(s, out, node, stats[SIZE], first, width, tried, move, visits, total)
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
        stats[LOOKED] += plies + playout(s, out, rng)
        # Step 3. Carry the payoffs back to every node of the path.
        visits[0] += 1
        for p in range(PLAYERS):
            worth = payoff(s, p)
            for i in range(1, plies + 1):
                if owner[i] == p:
                    total[path[i]] += worth
        for i in range(1, plies + 1):
            visits[path[i]] += 1
        played += 1
    stats[PLAYED] += played
    return 0


def same_world(states, rng):
    """Stand in for `imagine` where nothing is hidden."""
    return 0


def imagine(states, rng):
    """Replace what the mover of state 0 cannot see by a guess that fits what it has seen."""
    observe(states[0], mover(states[0]), rng)
    return 0


guess = same_world  # bound to imagine where the game hides something


def gather(first, width, move, visits, total, root_move, root_visits, root_total, n):
    """Add the root's children to the sums over all worlds, move by move."""
    for child in range(first[0], first[0] + width[0]):
        for i in range(n):
            if root_move[i] == move[child]:
                root_visits[i] += visits[child]
                root_total[i] += total[child]
    return 0


def most_visited(root_visits, root_total, n):
    """Return the number of the most visited move; among equals the higher mean, then the first."""
    best = 0
    for i in range(1, n):
        if root_visits[i] > root_visits[best] or (
            root_visits[i] == root_visits[best] and root_visits[i] > 0 and root_total[i] > root_total[best]
        ):
            best = i
    return best


def uct(
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
    root_move: Ints,
    root_visits: Ints,
    root_total: Floats,
    playouts: int,
    nodes: int,
    worlds: int,
    room: int,
    c: float,
):
    """Return the most visited move of state 0 after the budget, divided among `worlds` trees."""
    seed = rng[0]
    n = moves(states[0], bufs[0])
    for i in range(n):
        root_move[i] = bufs[0][i]
        root_visits[i] = 0
        root_total[i] = 0.0
    stats[PLAYED] = 0
    stats[LOOKED] = 0
    copy(states[2], states[0])
    for world in range(worlds):
        rng[0] = mix(mix(0, seed), world)
        copy(states[0], states[2])
        guess(states, rng)
        width[0] = UNEXPANDED
        visits[0] = 0
        stats[SIZE] = 1
        share = playouts // worlds + (1 if world < playouts % worlds else 0)
        grow(
            states,
            bufs,
            rng,
            first,
            width,
            tried,
            move,
            visits,
            total,
            path,
            owner,
            stats,
            share,
            nodes // worlds,
            room,
            c,
        )
        if width[0] != UNEXPANDED:
            gather(first, width, move, visits, total, root_move, root_visits, root_total, n)
    return root_move[most_visited(root_visits, root_total, n)]


@dataclass(frozen=True)
class UCT(Budgeted):
    """Grows a search tree by random playouts and plays the most visited move.

    Plays every game: chance, any number of players, hidden information. The budget is counted in
    playouts, in nodes (states looked at, those of the playouts included, after Twist), or in seconds.
    """

    name: ClassVar[str] = "uct"
    playouts: int = setting(1000, "random games per move; 0: no limit (with nodes or seconds)", least=0)
    c: float = setting(1.0, "exploration: Q + c * sqrt(ln N / n), Q in payoff units", least=0)
    nodes: int = setting(0, "stop after so many nodes, playouts included; 0: no limit", least=0)
    seconds: float = setting(
        0.0, "stop after so many seconds; 0: no limit (results then depend on the machine)", least=0
    )
    worlds: int = setting(16, "guesses at what is hidden, where the game hides something", least=1)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        bind = {"guess": imagine} if game.has_secrets else {}
        return Seat(Kernel("uct", uct, bind=bind), 3, self._workspace)

    def _workspace(self, run: Specialised) -> list[Any]:
        game = run.game
        worlds = min(self.worlds, self.playouts or self.worlds) if game.has_secrets else 1
        budget = self.playouts or self.nodes or 2**22
        size = min((budget // worlds + 2) * game.max_moves, MOST_NODES) + game.max_moves + 1
        trees = [
            run.floats(size) if name == "total" else run.ints(size)
            for name in ("first", "width", "tried", "move", "visits", "total")
        ]
        paths = [run.ints(game.max_plies + 1), run.ints(game.max_plies + 1), run.ints(4)]
        roots = [run.ints(game.max_moves), run.ints(game.max_moves), run.floats(game.max_moves)]
        limits = [self.playouts or 2**60, self.nodes or 2**60, worlds, size - game.max_moves - 1, self.c]
        return [*trees, *paths, *roots, *limits]

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the most visited move; among equals the one of higher mean, then the first."""
        must_move(game, state)
        if self.seconds and game.has_secrets and not self.playouts:
            return self._choose_by_rounds(game, state, seed, mode)
        sitting = Sitting(self.seat(game), game, mode)
        stats, root_move, root_visits, root_total = sitting.arguments[8:12]
        with alarm(self.seconds, stats, STOP):
            best = sitting.choose(state, seed)
        n = len(state.moves())
        visits = {int(root_move[i]): int(root_visits[i]) for i in range(n)}
        values = {int(root_move[i]): float(root_total[i]) / max(int(root_visits[i]), 1) for i in range(n)}
        return Choice(
            best,
            values[best],
            int(stats[LOOKED]),
            kinds={"playouts": int(stats[PLAYED])},
            line=(best,),
            visits=visits,
            values=values,
        )

    def _choose_by_rounds(self, game: Game, state: State, seed: int, mode: str) -> Choice:
        """Spend seconds on all worlds alike: small rounds over fresh worlds, added up, until the time is over."""
        round_ = dataclasses.replace(self, seconds=0.0, playouts=ROUND * self.worlds)
        deadline = time.monotonic() + self.seconds
        visits = dict.fromkeys(state.moves(), 0)
        totals = dict.fromkeys(visits, 0.0)
        nodes = rounds = 0
        while rounds == 0 or time.monotonic() < deadline:
            choice = round_.choose(game, state, seed=stream(seed, rounds), mode=mode)
            for move, count in choice.visits.items():
                visits[move] += count
                totals[move] += count * choice.values[move]
            nodes += choice.nodes
            rounds += 1
        values = {move: totals[move] / max(count, 1) for move, count in visits.items()}
        best = max(visits, key=lambda move: (visits[move], values[move]))
        kinds = {"playouts": rounds * round_.playouts}
        return Choice(best, values[best], nodes, kinds=kinds, line=(best,), visits=visits, values=values)
