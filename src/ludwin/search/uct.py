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
from typing import TYPE_CHECKING, Any, ClassVar

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.kernel.names import MAX_PLIES, PLAYERS, Bundle, copy, mover, moves, observe, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, mix, stream
from ludwin.search.budget import Budgeted
from ludwin.search.choice import Choice, must_move, setting
from ludwin.search.playout import playout, sample
from ludwin.search.seat import Seat, Sitting, alarm
from ludwin.search.watching import is_unwanted

if TYPE_CHECKING:
    from ludwin.search.montecarlo.view import SearchTree

UNEXPANDED = -1
ROUND = 64  # playouts a world and round, where seconds are shared among worlds
MOST_NODES = 2**24  # a tree never grows beyond this; then playouts start at its leaves

# The children of a node lie side by side from `first` on; `gained` is the sum of payoffs to the player who moved here.
NODE = {"first": int, "width": int, "tried": int, "move": int, "visits": int, "gained": float}
STEP = {"node": int, "player": int}  # of the walk down the tree: where it came to, and who moved there
ROOT = {"move": int, "visits": int, "gained": float}  # a move of the position, summed over all worlds
SHARE = {"gained": float}  # of a player: the sum of payoffs over all playouts
RUN = {
    **{"playouts": int, "nodes": int, "worlds": int, "room": int, "c": float},  # settings
    **{"played": int, "size": int, "looked": int, "stop": int},  # playouts, the tree's size, states seen, a clock rang
}
RECORDS = {
    **{"states": "States", "bufs": "Moves", "rng": "Ints"},
    **{"run": RUN, "tree": [NODE], "path": [STEP], "roots": [ROOT], "shares": [SHARE]},
}


def expand(w, s, out, node: int):
    """Give a node one child per legal move, all unvisited."""
    n = moves(s, out)
    parent = w.tree[node]
    first = w.run.size
    parent.first = first
    parent.width = n
    parent.tried = 0
    for i in range(n):
        child = w.tree[first + i]
        child.move = out[i]
        child.visits = 0
        child.gained = 0.0
        child.width = UNEXPANDED
    w.run.size = first + n
    return 0


def untried(w, node: int):
    """Return a random child that has not been tried: its move changes places with that of the next in the row."""
    parent = w.tree[node]
    here = parent.first + parent.tried
    there = here + draw(w.rng, parent.width - parent.tried)
    swapped = w.tree[here].move
    w.tree[here].move = w.tree[there].move
    w.tree[there].move = swapped
    parent.tried += 1
    return here


def promising(w, node: int, c: float):
    """Return the child with the highest upper confidence bound, the first among equals."""
    parent = w.tree[node]
    log_n = math.log(parent.visits)
    best = parent.first
    highest = -math.inf
    for number in range(parent.first, parent.first + parent.width):
        child = w.tree[number]
        bound = child.gained / child.visits + c * math.sqrt(log_n / child.visits)
        if bound > highest:
            highest = bound
            best = number
    return best


def drawn(w, s, out, node: int):
    """Return the child of nature's node that chance chooses, by weight."""
    parent = w.tree[node]
    for i in range(parent.width):
        out[i] = w.tree[parent.first + i].move
    return parent.first + sample(s, out, parent.width, w.rng)


def walk(w, s, out, c: float):
    """Walk down from the root and stop behind a new node or at the end of the game; return the length of the path."""
    node = 0
    plies = 0
    fresh = False
    while not fresh and plies < MAX_PLIES:
        if w.tree[node].width == UNEXPANDED:
            if w.run.size > w.run.room:
                break
            expand(w, s, out, node)
        parent = w.tree[node]
        if parent.width == 0:
            break
        player = mover(s)
        if player == CHANCE:
            node = drawn(w, s, out, node)
            fresh = w.tree[node].visits == 0
        elif parent.tried < parent.width:
            node = untried(w, node)
            fresh = True
        else:
            node = promising(w, node, c)
        play(s, w.tree[node].move)
        plies += 1
        w.path[plies].node = node
        w.path[plies].player = player
    return plies


def grow(w, playouts: int, nodes: int):
    """Grow the tree of state 0 until the playouts, the nodes or the time are used up."""
    run = w.run
    s = w.states[1]
    out = w.bufs[0]
    c = run.c
    played = 0
    looked = run.looked
    while played < playouts and run.looked - looked < nodes and run.stop == 0:
        # Step 1. Walk down the tree.
        copy(s, w.states[0])
        plies = walk(w, s, out, c)
        # Step 2. Play on at random.
        run.looked += plies + playout(s, out, w.rng)
        # Step 3. Carry the payoffs back to every node of the path.
        w.tree[0].visits += 1
        for p in range(PLAYERS):
            worth = payoff(s, p)
            w.shares[p].gained += worth
            for i in range(1, plies + 1):
                if w.path[i].player == p:
                    w.tree[w.path[i].node].gained += worth
        for i in range(1, plies + 1):
            w.tree[w.path[i].node].visits += 1
        played += 1
    run.played += played
    return 0


def same_world(w):
    """Stand in for `imagine` where nothing is hidden."""
    return 0


def imagine(w):
    """Replace what the mover of state 0 cannot see by a guess that fits what it has seen."""
    observe(w.states[0], mover(w.states[0]), w.rng)
    return 0


guess = same_world  # bound to imagine where the game hides something


def gather(w, n: int):
    """Add the root's children to the sums over all worlds, move by move."""
    first = w.tree[0].first
    for number in range(first, first + w.tree[0].width):
        child = w.tree[number]
        for i in range(n):
            root = w.roots[i]
            if root.move == child.move:
                root.visits += child.visits
                root.gained += child.gained
    return 0


def most_visited(w, n: int):
    """Return the most visited move; among equals the one of higher mean, then the first."""
    best = w.roots[0]
    for i in range(1, n):
        root = w.roots[i]
        if root.visits > best.visits or (root.visits == best.visits and root.visits > 0 and root.gained > best.gained):
            best = root
    return best.move


def uct(w: Bundle):
    """Return the most visited move of state 0 after the budget, divided among `worlds` trees."""
    run = w.run
    seed = w.rng[0]
    n = moves(w.states[0], w.bufs[0])
    for i in range(n):
        w.roots[i].move = w.bufs[0][i]
        w.roots[i].visits = 0
        w.roots[i].gained = 0.0
    for p in range(PLAYERS):
        w.shares[p].gained = 0.0
    run.played = 0
    run.looked = 0
    copy(w.states[2], w.states[0])
    for world in range(run.worlds):
        w.rng[0] = mix(mix(0, seed), world)
        copy(w.states[0], w.states[2])
        guess(w)
        w.tree[0].width = UNEXPANDED
        w.tree[0].visits = 0
        run.size = 1
        share = run.playouts // run.worlds + (1 if world < run.playouts % run.worlds else 0)
        grow(w, share, run.nodes // run.worlds)
        if w.tree[0].width != UNEXPANDED:
            gather(w, n)
    return most_visited(w, n)


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

    @property
    def values_in(self) -> str:
        """Values are expected payoffs."""
        return "payoff"

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        worlds = min(self.worlds, self.playouts or self.worlds) if game.has_secrets else 1
        budget = self.playouts or self.nodes or 2**22
        size = min((budget // worlds + 2) * game.max_moves, MOST_NODES) + game.max_moves + 1

        def prepare(_: Specialised, w: Any) -> None:
            w.run.playouts, w.run.nodes = self.playouts or 2**60, self.nodes or 2**60
            w.run.worlds, w.run.room, w.run.c = worlds, size - game.max_moves - 1, self.c

        kernel = Kernel("uct", uct, bind={"guess": imagine} if game.has_secrets else {}, records=RECORDS)
        sizes = {"states": 3, "tree": size, "path": game.max_plies + 1, "roots": game.max_moves, "shares": game.players}
        return Seat(kernel, sizes=sizes, prepare=prepare)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the most visited move; among equals the one of higher mean, then the first."""
        must_move(game, state)
        if self.seconds and game.has_secrets and not self.playouts:
            return self._choose_by_rounds(game, state, seed, mode)
        sitting = Sitting(self.seat(game), game, mode)
        w = sitting.w
        with alarm(self.seconds, w.run, "stop", lambda: self._glance(w, state)):
            best = sitting.choose(state, seed)
        return self._read_choice(w, state, best)

    def grown(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> "tuple[Choice, SearchTree]":
        """Return the choice and the tree behind it; raises BadParameter where several worlds are searched."""
        from ludwin.search.montecarlo.view import SearchTree

        if game.has_secrets:
            raise BadParameter(f"uct searches {self.worlds} worlds of {game.name}, which have no common tree")
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        w = sitting.w
        with alarm(self.seconds, w.run, "stop", lambda: self._glance(w, state)):
            best = sitting.choose(state, seed)
        return self._read_choice(w, state, best), SearchTree.of_uct(game, state, w.tree, int(w.run.played))

    def heeds(self, game: Game, mode: str = "fast") -> bool:
        """Tell whether it can be ended from outside."""
        return True

    def _glance(self, w: Any, state: State) -> Choice | None:
        """Return what a search that another thread is in says now: of one world its tree, of several their sums."""
        legal, root = state.moves(), w.tree[0]
        if w.run.worlds > 1:
            found = [(r.move, r.visits, r.gained) for r in (w.roots[i] for i in range(len(legal)))]
        elif not 0 <= root.width <= len(legal):
            return None
        else:
            children = [w.tree[root.first + i] for i in range(root.width)]
            found = [(child.move, child.visits, child.gained) for child in children]
        visits = {move: seen for move, seen, _ in found if move in legal}
        if not any(visits.values()):
            return None
        values = {move: gained / max(seen, 1) for move, seen, gained in found if move in legal}
        best = max(visits, key=lambda move: (visits[move], values[move]))
        return self._told(w, state, best, visits, values, sum(visits.values()))

    def _read_choice(self, w: Any, state: State, best: int) -> Choice:
        roots = [w.roots[i] for i in range(len(state.moves()))]
        visits = {root.move: root.visits for root in roots}
        values = {root.move: root.gained / max(root.visits, 1) for root in roots}
        return self._told(w, state, best, visits, values, w.run.played)

    def _told(
        self, w: Any, state: State, best: int, visits: dict[int, int], values: dict[int, float], played: int
    ) -> Choice:
        """Return a choice with its reasons; of three players or more what each of them gets on average."""
        players = state.game.players
        payoffs = tuple(w.shares[p].gained / max(played, 1) for p in range(players)) if players > 2 else ()
        found = Choice(best, values[best], w.run.looked, kinds={"playouts": played}, line=(best,))
        return dataclasses.replace(found, visits=visits, values=values, payoffs=payoffs)

    def _choose_by_rounds(self, game: Game, state: State, seed: int, mode: str) -> Choice:
        """Spend seconds on all worlds alike: small rounds over fresh worlds, added up, until the time is over."""
        round_ = dataclasses.replace(self, seconds=0.0, playouts=ROUND * self.worlds)
        deadline = time.monotonic() + self.seconds
        visits = dict.fromkeys(state.moves(), 0)
        totals = dict.fromkeys(visits, 0.0)
        nodes = rounds = 0
        while rounds == 0 or (time.monotonic() < deadline and not is_unwanted()):
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
