"""A Monte Carlo search with its workspace, which can be asked again and again and looked at in between."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.search.choice import Choice, must_move
from ludwin.search.montecarlo.family import Family
from ludwin.search.montecarlo.tree import DECISION
from ludwin.search.montecarlo.view import Metrics, SearchTree
from ludwin.search.seat import Sitting, alarm

SEARCHED = 5000  # states that are looked at to find a position in the tree of the move before


class SearchSession:
    """A search with its workspace `w`: it can be asked again and again, and go on with the tree that it has.

    `choose` forgets the tree of the move before, unless the agent has `reuse=1`: then the part of it below the new
    position is kept (if the position is found there), and the budget comes on top.
    """

    def __init__(self, agent: Family, game: Game, mode: str):
        agent.suits(game)
        self.agent, self.game, self.mode = agent, game, mode
        self.sitting = Sitting(agent.seat(game), game, mode)
        self.w = self.sitting.w
        self.state: State | None = None
        self.seed = 0
        self.played: tuple[int, ...] = ()  # the moves of the game before the tree's root, as far as we were told

    @property
    def trees(self) -> int:
        """How many trees share the budget."""
        return int(self.w.options.trees)

    def choose(self, state: State, seed: int = 0) -> Choice:
        """Return the recommended move of this position."""
        return self._search(state, seed, self._find(state) if self.agent.reuse else None)

    def go_on(self, state: State, seed: int, played: Sequence[int]) -> Choice:
        """Return the recommended move of this position, which is reached by these moves of one game."""
        known = self.agent.reuse and self.state is not None and tuple(played[: len(self.played)]) == self.played
        choice = self._search(state, seed, self._follow(played[len(self.played) :]) if known else None)
        self.played = tuple(played)
        return choice

    def _search(self, state: State, seed: int, root: int | None) -> Choice:
        """Grow a new tree, or the one that we have from this node on."""
        must_move(self.game, state)
        self.w.run.kept = 0 if root is None else 1 + root
        with alarm(self.agent.seconds, self.w.run, "stop", lambda: self._glance(state)):
            best = self.sitting.choose(state, seed)
        self.w.run.kept = 0
        self.state, self.seed = state, seed
        return self._choice(state, best)

    def _children(self, node: int) -> Iterator[tuple[int, Any]]:
        """Yield the children of a node with their numbers, the newest first."""
        child = self.w.tree[node].first
        while child:
            below = self.w.tree[child]
            yield child, below
            child = below.next

    def _follow(self, since: Sequence[int]) -> int | None:
        """Return the node that these moves lead to; None if the tree does not reach it."""
        node = 0
        for move in since:
            node = next((child for child, below in self._children(node) if below.move == move), 0)
            if not node:
                return None
        here = self.w.tree[node]
        return node if here.kind == DECISION and here.visits > 0 else None

    def _find(self, state: State) -> int | None:
        """Return the node of this position in the tree that there is, the nearest to the root; None if it is not
        there.
        """
        if self.state is None:
            return None
        waiting = deque([(0, self.state)])
        for _ in range(SEARCHED):
            if not waiting:
                break
            node, here = waiting.popleft()
            if here == state and self.w.tree[node].kind == DECISION:
                return node
            for child, below in self._children(node):
                if below.visits > 0:
                    waiting.append((child, here._play(int(below.move))))
        return None

    def _choice(self, state: State, best: int) -> Choice:
        run, legal = self.w.run, state.moves()
        roots = dict(zip(legal, (self.w.roots[i] for i in range(len(legal))), strict=True))
        visits = {move: int(root.visits) for move, root in roots.items()}
        values = {move: float(root.mean) * self.agent.unit for move, root in roots.items()}
        playouts = int(run.played) if self.trees == 1 else sum(visits.values())
        kinds = {"playouts": playouts, "tree": int(run.size), "expanded": int(run.expanded)}
        line = (best,) if self.trees > 1 else tuple(int(self.w.tree[node].move) for node in self.path()[1:])
        return Choice(
            best,
            values[best],
            int(run.looked),
            decided=bool(roots[best].proved),
            kinds=kinds,
            line=line if line[:1] == (best,) else (best,),
            visits=visits,
            values=values,
        )

    def _glance(self, state: State) -> Choice | None:
        """Return what the tree of a search that another thread is in says now."""
        run, tree, legal = self.w.run, self.w.tree, state.moves()
        known = [(int(below.move), int(below.visits), float(below.mean)) for _, below in self._some_children()]
        visits = {move: seen for move, seen, _ in known if move in legal}
        values = {move: mean * self.agent.unit for move, _, mean in known if move in legal}
        if not visits:
            return None
        best = max(visits, key=lambda move: (visits[move], values[move]))
        kinds = {"playouts": int(run.played), "tree": int(run.size)}
        line = tuple(int(tree[node].move) for node in self.path()[1:])
        line = line if line[:1] == (best,) else (best,)
        return Choice(best, values[best], int(run.looked), False, kinds, line=line, visits=visits, values=values)

    def _some_children(self) -> Iterator[tuple[int, Any]]:
        """Yield the root's children; a chain that is just being written has an end, too."""
        for number, one in enumerate(self._children(0)):
            if number > self.game.max_moves:
                return
            yield one

    def path(self) -> list[int]:
        """Return the most visited line as numbers of nodes (the higher mean, then the older among equals)."""
        nodes = [0]
        while True:
            best, highest = 0, (0, 0.0)
            for child, below in self._children(nodes[-1]):
                rank = below.visits, below.mean
                if rank[0] > 0 and (not best or rank >= highest):
                    best, highest = child, rank  # children hang newest first, so the last of equals is the oldest
            if not best:
                return nodes
            nodes.append(best)

    def metrics(self) -> Metrics:
        """Return the metrics of the tree as it is now, without making a value of every node."""
        self.must_be_one_tree()
        return Metrics.read(self.w.tree, int(self.w.run.size), int(self.w.run.played), self.path())

    def must_be_one_tree(self) -> None:
        """Raise BadParameter if there are several trees to look at."""
        if self.trees > 1:
            raise BadParameter(
                f"{self.agent.name}: {self.trees} trees have no common picture or metrics; leave out trees="
            )

    def tree(self) -> SearchTree:
        """Return the statistical tree as it is now."""
        self.must_be_one_tree()
        return SearchTree.read(self.game, self.state, self.w.tree, int(self.w.run.size), int(self.w.run.played))
