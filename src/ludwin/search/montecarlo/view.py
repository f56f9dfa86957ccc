"""A finished statistical tree as people see it: columns, metrics, JSON, a picture.

Why it is here.  A search that chose badly is understood by looking at its tree: how wide, how deep, where the
visits went and when.  A tree is a table, one row a node, the root first; parents come before children.
"""

import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ludwin.game import Game, State
from ludwin.primitives import CHANCE
from ludwin.search.montecarlo.tree import END, KINDS
from ludwin.svg import Sheet, dressed, mixed

STAGES = 3  # nodes are told apart by the third of the search in which they were added
BINS = 128
NAMED = 5000  # nodes whose moves have names in JSON: each is a position to be played


@dataclass(frozen=True)
class Metrics:
    """What is said of a tree in tables: `SearchTree` explains the words."""

    expansion_rate: float
    terminals: int
    leaf_depth: float
    leaf_spread: float
    line: tuple[int, ...]  # the moves of the most visited line

    @classmethod
    def read(cls, tree: Any, size: int, playouts: int, path: Sequence[int]) -> "Metrics":
        """Read the nodes of a search."""
        line = tuple(int(tree[node].move) for node in path[1:])
        count = _counts_of_many if size > MANY and hasattr(tree, "cells") else _counts
        nodes, ends, leaves, depth, square = count(tree, size)
        spread = math.sqrt(max(leaves * square - depth * depth, 0)) / leaves
        return cls((nodes - 1) / max(playouts, 1), ends, depth / leaves, spread, line)


MANY = 20000  # nodes from which NumPy's start is worth its while
Counts = tuple[int, int, int, int, int]  # visited nodes, ends, leaves, the sum of their depths and of the squares


def _counts(tree: Any, size: int) -> Counts:
    visits, kinds, levels, parents = (tree.column(name, size) for name in ("visits", "kind", "level", "parent"))
    nodes = [node for node in range(size) if visits[node] > 0]
    inner = {parents[node] for node in nodes if node}
    depths = [levels[node] for node in nodes if node not in inner]
    ends = sum(kinds[node] >= END for node in nodes)
    return len(nodes), ends, len(depths), sum(depths), sum(depth * depth for depth in depths)


def _counts_of_many(tree: Any, size: int) -> Counts:
    import numpy as np

    visits, kinds, levels, parents = (np.asarray(tree.cells(w, size)) for w in ("visits", "kind", "level", "parent"))
    seen = visits > 0
    is_leaf = np.ones(size, dtype=bool)
    is_leaf[parents[seen][1:]] = False
    depths = levels[seen & is_leaf]
    ends = int(np.count_nonzero(seen & (kinds >= END)))
    return int(seen.sum()), ends, len(depths), int(depths.sum()), int((depths * depths).sum())


@dataclass(frozen=True)
class SearchTree:
    """The nodes of a search tree, column by column; `totals` and `means` are seen by each node's owner.

    The owner is the player who moved into a node; `born` is the number of the playout that added it.
    """

    game: Game | None = field(repr=False)
    root: State | None = field(repr=False)
    playouts: int
    parents: tuple[int, ...] = field(repr=False)
    moves: tuple[int, ...] = field(repr=False)
    visits: tuple[int, ...] = field(repr=False)
    totals: tuple[float, ...] = field(repr=False)
    means: tuple[float, ...] = field(repr=False)
    kinds: tuple[str, ...] = field(repr=False)
    owners: tuple[int, ...] = field(repr=False)
    born: tuple[int, ...] = field(repr=False)
    depths: tuple[int, ...] = field(repr=False)

    @classmethod
    def read(cls, game: Game, root: State | None, tree: Any, size: int, playouts: int) -> "SearchTree":
        """Read the nodes of a search; those that were never visited are left out."""
        visits = tree.column("visits", size)
        kept = [node for node in range(size) if visits[node] > 0 or node == 0]
        number = {node: k for k, node in enumerate(kept)}

        def of(name: str) -> tuple[Any, ...]:
            cells = tree.column(name, size)
            return tuple(cells[node] for node in kept)

        parents = tuple(number[parent] if k else -1 for k, parent in enumerate(of("parent")))
        kinds = tuple(KINDS[kind] for kind in of("kind"))
        figures = of("move"), of("visits"), of("total"), of("mean"), kinds, of("owner"), of("born"), of("level")
        return cls(game, root, playouts, parents, *figures)

    @classmethod
    def of_uct(cls, game: Game, root: State, tree: Any, playouts: int) -> "SearchTree":
        """Read the tree of `uct`, whose nodes hold less: kinds and owners are found by playing, `born` is not known."""
        columns: list[list[Any]] = [[] for _ in range(8)]
        parents, moves, visits, totals, means, kinds, owners, depths = columns
        waiting = deque([(0, -1, root, -1)])
        while waiting:
            node, parent, state, owner = waiting.popleft()
            here, number = tree[node], len(parents)
            seen = int(here.visits)
            end = state.over
            for column, value in zip(
                columns,
                (
                    parent,
                    int(here.move) if number else 0,
                    seen,
                    float(here.gained) if number else 0.0,
                    float(here.gained) / max(seen, 1) if number else 0.0,
                    "end" if end else "chance" if state.mover == CHANCE else "decision",
                    owner,
                    depths[parent] + 1 if number else 0,
                ),
                strict=True,
            ):
                column.append(value)
            for child in range(int(here.first), int(here.first) + int(here.width)) if int(here.width) > 0 else ():
                if tree[child].visits > 0:
                    waiting.append((child, number, state._play(int(tree[child].move)), state.mover))
        born = (0,) * len(parents)
        figures = tuple(parents), tuple(moves), tuple(visits), tuple(totals), tuple(means)
        return cls(game, root, playouts, *figures, tuple(kinds), tuple(owners), born, tuple(depths))

    def __len__(self) -> int:
        return len(self.parents)

    @cached_property
    def _children(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.parents]
        for node, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(node)
        return found

    def children(self, node: int) -> list[int]:
        """Return the children of a node, oldest first."""
        return self._children[node]

    @property
    def leaves(self) -> list[int]:
        """The nodes without children."""
        return [node for node in range(len(self)) if not self._children[node]]

    @property
    def expansion_rate(self) -> float:
        """Nodes added per playout, the root not counted."""
        return (len(self) - 1) / max(self.playouts, 1)

    @property
    def terminals(self) -> int:
        """How many different ends of the game are in the tree."""
        return sum(kind in ("end", "lottery") for kind in self.kinds)

    @property
    def leaf_depth(self) -> float:
        """The mean depth of the leaves."""
        depths = [self.depths[leaf] for leaf in self.leaves]
        return sum(depths) / len(depths)

    @property
    def leaf_spread(self) -> float:
        """The standard deviation of the leaves' depths."""
        depths, mean = [self.depths[leaf] for leaf in self.leaves], self.leaf_depth
        return math.sqrt(sum((depth - mean) ** 2 for depth in depths) / len(depths))

    def path(self) -> list[int]:
        """Return the nodes from the root along the most visited children (the higher mean, then the older among
        equals).
        """
        nodes = [0]
        while self._children[nodes[-1]]:
            nodes.append(
                max(self._children[nodes[-1]], key=lambda child: (self.visits[child], self.means[child], -child))
            )
        return nodes

    def line(self) -> tuple[int, ...]:
        """Return the moves of the most visited line."""
        return tuple(self.moves[node] for node in self.path()[1:])

    def stage(self, node: int) -> int:
        """Return in which third of the search a node was added: 0, 1 or 2."""
        return min(STAGES * max(self.born[node] - 1, 0) // max(self.playouts, 1), STAGES - 1)

    def histogram(self, place: Callable[[int], float], bins: int = BINS) -> list[list[int]]:
        """Return how many nodes lie in each bin of [0, 1], by stage; `place(node)` says where a node lies."""
        counts = [[0] * bins for _ in range(STAGES)]
        for node in range(len(self)):
            counts[self.stage(node)][min(int(place(node) * bins), bins - 1)] += 1
        return counts

    def centre(self, node: int) -> float:
        """Return the middle of a node's interval in `fop`, where every move picks one of K equal parts of what is left
        of [0, 1].
        """
        parts = int(getattr(self.game.module, "K", 2)) if self.game else 2
        index, depth = (
            (int(self.root.index), int(self.root.depth))
            if self.root and self.game and self.game.name == "fop"
            else (0, 0)
        )
        return middle(self.steps(node), parts, index, depth)

    def steps(self, node: int) -> list[int]:
        """Return the moves from the root to a node."""
        steps: list[int] = []
        while self.parents[node] >= 0:
            steps.append(self.moves[node])
            node = self.parents[node]
        return steps[::-1]

    def names(self, nodes: Sequence[int]) -> dict[int, str]:
        """Return the texts of the moves that lead into nodes, whose parents must be among them; the root has none."""
        if self.root is None:
            return {node: str(self.moves[node]) if node else "" for node in nodes}
        states: dict[int, State] = {0: self.root}
        found = {0: ""}
        for node in sorted(nodes):
            if node:
                before = states[self.parents[node]]
                found[node] = before.name(self.moves[node])
                states[node] = before._play(self.moves[node])
        return found

    def json(self) -> dict[str, Any]:
        """Return the tree as one JSON object, columns as lists; the `NAMED` most visited nodes have
        the names of their moves, and all have the codes.
        """
        columns = ("parents", "visits", "totals", "means", "kinds", "owners", "born", "depths")
        head = {
            "format": "ludwin-tree",
            "version": 2,
            "game": self.game.text if self.game else "",
            "playouts": self.playouts,
            "nodes": len(self),
        }
        metrics = {
            "expansion_rate": self.expansion_rate,
            "terminals": self.terminals,
            "leaf_depth": self.leaf_depth,
            "leaf_spread": self.leaf_spread,
        }
        names = self.names(_shown(self, NAMED))
        line = [
            {"move": names.get(node) or str(self.moves[node]), "code": self.moves[node]} for node in self.path()[1:]
        ]
        texts = [names.get(node) for node in range(len(self))]
        return {
            **head,
            **metrics,
            "line": line,
            "moves": texts,
            "codes": list(self.moves),
            **{name: list(getattr(self, name)) for name in columns},
        }

    def _repr_svg_(self) -> str:
        return dressed(self.svg(60))

    def svg(self, nodes: int = 200) -> str:
        """Return a picture of the most visited nodes: width of an edge by visits, colour by mean reward."""
        return draw(self, nodes)


def middle(steps: Sequence[int], parts: int = 2, index: int = 0, depth: int = 0) -> float:
    """Return the middle of the interval that is left of [0, 1] after picking one of `parts` equal parts again and
    again.

    It begins with interval number `index` of those of a depth.

    >>> middle([1, 0]), middle([], 2, 7, 3)
    (0.625, 0.9375)
    """
    width = parts**depth
    for step in steps:
        index, width = index * parts + step, width * parts
    return float((index + 0.5) / width)


def arrange(tree: SearchTree, limit: int) -> dict[int, float]:
    """Return the `limit` most visited nodes of a tree, parents first, and how far right each of them stands in a
    picture.
    """
    shown = _shown(tree, limit)
    place = _places(tree, shown)
    return {node: place[node] for node in shown}


def draw(tree: SearchTree, limit: int) -> str:
    """Draw the `limit` most visited nodes of a tree as SVG, a level a row, children under their parents.

    A node is as large as its visits, and warm where its mean is high, cold where it is low; moves stand beside their
    nodes, and the most visited line is drawn thick.
    """
    place = arrange(tree, limit)
    shown, names = list(place), tree.names(list(place))
    longest = max((len(names[node]) for node in shown if node), default=1)
    across = min(max(22.0, 7.0 * longest + 8), 64.0)
    down = 62.0
    deepest = max(tree.depths[node] for node in shown)
    means = [tree.means[node] for node in shown]
    low, high = min(means), max(means)
    words = f"{len(shown)} of {len(tree)} nodes, {tree.playouts} playouts"
    sheet = Sheet(
        max(across * (max(place.values()) + 1) + 40, 460),
        down * (deepest + 1) + 70,
        f"{tree.game.text if tree.game else 'tree'}: {words}",
    )
    at = {node: (across * (place[node] + 0.5) + 20, down * (tree.depths[node] + 0.6) + 40) for node in shown}
    line = set(tree.path())
    for node in shown:
        if node:
            (x, y), (to_x, to_y) = at[tree.parents[node]], at[node]
            best = node in line
            thick = 0.6 + 5.0 * tree.visits[node] / max(tree.visits[0], 1)
            sheet.stroke(x, y, to_x, to_y, "mark" if best else "line", thick=round(max(thick, 2.5 * best), 2))
    for node in shown:
        x, y = at[node]
        warmth = (tree.means[node] - low) / (high - low) if high > low else 0.5
        _mark(sheet, tree, node, (x, y), warmth, names[node])
    _legend(sheet, words, low, high)
    return str(sheet)


def _legend(sheet: Sheet, words: str, low: float, high: float) -> None:
    """Say what sizes, colours and the thick line mean."""
    sheet.text(12, 14, words, "ink", 12, anchor="start")
    for k in range(60):
        sheet.rect(12 + 2 * k, 26, 2, 9, _warm(k / 59))
    edges = f"mean {low:.3g} to {high:.3g}" if high > low else f"mean {low:.3g}"
    sheet.text(138, 31, f"{edges}   size: visits", "quiet", 11, anchor="start")
    sheet.stroke(330, 31, 354, 31, "mark", thick=3)
    sheet.text(360, 31, "most visited", "quiet", 11, anchor="start")


def _warm(part: float) -> str:
    """Return a colour from cold (blue) over pale to warm (orange)."""
    pale = "#e9e4d6"
    return mixed(2 * part, "#2f6f9f", pale) if part < 0.5 else mixed(2 * part - 1, pale, "#c05a22")


def _shown(tree: SearchTree, limit: int) -> list[int]:
    """Return the most visited nodes, with all their ancestors (a child has never more visits than its parent)."""
    ranked = sorted(range(len(tree)), key=lambda node: (-tree.visits[node], node))[: max(limit, 1)]
    chosen = set(ranked)
    for node in ranked:
        while node >= 0:
            chosen.add(node)
            node = tree.parents[node]
    return sorted(chosen)


def _places(tree: SearchTree, shown: Sequence[int]) -> dict[int, float]:
    """Return how far right each node stands: leaves side by side, parents above the middle of their children."""
    place: dict[int, float] = {}
    order: list[int] = []
    stack, shown_set, used = [0], set(shown), 0
    while stack:
        node = stack.pop()
        order.append(node)
        stack += sorted((c for c in tree.children(node) if c in shown_set), key=lambda c: -tree.moves[c])
    inside = {node: [c for c in tree.children(node) if c in shown_set] for node in order}
    for node in order:
        if not inside[node]:
            place[node] = float(used)
            used += 1
    for node in reversed(order):
        if inside[node]:
            place[node] = (min(place[c] for c in inside[node]) + max(place[c] for c in inside[node])) / 2
    return place


def _mark(sheet: Sheet, tree: SearchTree, node: int, at: tuple[float, float], warmth: float, name: str) -> None:
    """Draw one node: a circle for a decision, a diamond for chance, a square for an end; its move below it."""
    x, y = at
    size = 4.0 + 11.0 * math.sqrt(tree.visits[node] / max(tree.visits[0], 1))
    title = f"{name or 'the position'}: {tree.visits[node]} visits, mean {tree.means[node]:.4g}, {tree.kinds[node]}"
    title += f", playout {tree.born[node]}" if tree.born[node] > 0 else ""
    colour, more = _warm(warmth), {"line": "ink", "thick": 0.8, "title": title}
    if tree.kinds[node] in ("end", "lottery"):
        sheet.rect(round(x - size, 1), round(y - size, 1), round(2 * size, 1), round(2 * size, 1), colour, **more)
    elif tree.kinds[node] == "chance":
        sheet.path(
            f"M{x:.1f} {y - 1.2 * size:.1f}l{size:.1f} {1.2 * size:.1f}l{-size:.1f} {1.2 * size:.1f}"
            f"l{-size:.1f} {-1.2 * size:.1f}z",
            colour,
            **more,
        )
    else:
        sheet.circle(round(x, 1), round(y, 1), round(size, 1), colour, **more)
    if node:
        sheet.text(round(x, 1), round(y + size + 8, 1), name if len(name) < 10 else name[:8] + "…", "ink", 10)
