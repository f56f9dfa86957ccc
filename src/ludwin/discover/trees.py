"""Trees to try programs on: all shapes, all order types, and random ones with every awkward case.

Why it is here.  A program that only compares and copies values cannot tell two trees apart whose leaves
are ordered alike.  So running it on every *order type* of a shape (every ranking with ties: 1, 3, 13,
75, 541, 4,683 for 1 to 6 leaves) is a proof for that shape, not a sample.

References.  Order types are the weak orderings counted by the ordered Bell numbers, OEIS A000670; the
shapes without one-child nodes are Schröder's, OEIS A001003.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from random import Random
from typing import Any

Shape = tuple["Shape", ...] | None  # None is a leaf


class Node:
    """A place in a tree; two places are different even if they look alike."""

    __slots__ = ("children", "value", "white")

    def __init__(self, value: Any = None, children: tuple["Node", ...] = (), white: bool = True):
        self.value = value
        self.children = children
        self.white = white  # whether the maximiser moves here

    @property
    def is_leaf(self) -> bool:
        """Whether the node has a value of its own."""
        return self.value is not None

    def leaves(self) -> list["Node"]:
        """Return the leaves from left to right."""
        return [self] if self.is_leaf else [leaf for child in self.children for leaf in child.leaves()]


@lru_cache(maxsize=None)
def shapes(leaves: int) -> tuple[Shape, ...]:
    """Return all ordered tree shapes with so many leaves and no one-child node.

    >>> [len(shapes(n)) for n in range(1, 7)]
    [1, 1, 3, 11, 45, 197]
    """
    return (None,) if leaves == 1 else tuple(kids for kids in _forests(leaves) if len(kids) > 1)


@lru_cache(maxsize=None)
def _forests(leaves: int) -> tuple[tuple[Shape, ...], ...]:
    """Return all rows of two or more shapes, and a single leaf, with so many leaves together."""
    if leaves == 0:
        return ((),)
    found: list[tuple[Shape, ...]] = []
    for first in range(1, leaves):
        for rest in (
            *_forests(leaves - first),
            *(((one,) for one in shapes(leaves - first)) if leaves - first > 1 else ()),
        ):
            found += [(shape, *rest) for shape in shapes(first)]
    return tuple(found) if leaves > 1 else ((None,),)


def chains(shape: Shape, length: int) -> Iterator[Shape]:
    """Yield the shape with a chain of single children put above each of its nodes in turn."""
    over = shape
    for _ in range(length):
        over = (over,)
    yield over
    if shape is not None:
        for i, child in enumerate(shape):
            for changed in chains(child, length):
                yield (*shape[:i], changed, *shape[i + 1 :])


@lru_cache(maxsize=None)
def order_types(n: int) -> tuple[tuple[int, ...], ...]:
    """Return every ranking of n things with ties: ranks 0 … k-1, all used.

    >>> len(order_types(4))
    75
    """
    if n == 0:
        return ((),)
    found = set()
    for ranks in order_types(n - 1):
        top = max(ranks, default=-1) + 1
        for rank in range(top):
            found.add((*ranks, rank))
        for gap in range(top + 1):
            found.add((*(r + (r >= gap) for r in ranks), gap))
    return tuple(sorted(found))


def build(shape: Shape, values: Iterator[Any], white: bool = True) -> Node:
    """Return a tree of a shape with values for its leaves; the players alternate."""
    if shape is None:
        return Node(next(values), white=white)
    return Node(None, tuple(build(child, values, not white) for child in shape), white)


def uniform(rng: Random, branching: int, depth: int, spread: int = 1000, white: bool = True) -> Node:
    """Return a tree with the same number of children everywhere and random leaves."""
    if depth == 0:
        return Node(rng.randrange(spread), white=white)
    return Node(None, tuple(uniform(rng, branching, depth - 1, spread, not white) for _ in range(branching)), white)


def rough(
    rng: Random,
    depth: int,
    widest: int = 4,
    spread: int = 6,
    *,
    alternate: bool = True,
    empty: bool = False,
    white: bool = True,
) -> Node:
    """Return an uneven tree: ties, single children, early leaves, and if wished nodes without children or players who
    move twice.
    """
    if depth == 0 or rng.random() < 0.15:
        return Node(rng.randrange(spread), white=white)
    width = rng.randint(0 if empty else 1, widest)
    kids = []
    for _ in range(width):
        side = not white if alternate else rng.random() < 0.5
        kids.append(rough(rng, depth - 1, widest, spread, alternate=alternate, empty=empty, white=side))
    return Node(None, tuple(kids), white)


def binary(rng: Random, depth: int, spread: int = 100, white: bool = True) -> Node:
    """Return a tree in which every inner node has two children, with early leaves."""
    if depth == 0 or rng.random() < 0.1:
        return Node(rng.randrange(spread), white=white)
    return Node(None, (binary(rng, depth - 1, spread, not white), binary(rng, depth - 1, spread, not white)), white)


def minimax(node: Node) -> Any:
    """Return the value of a tree by definition, seen by the maximiser: the oracle of the tests."""
    if node.is_leaf:
        return node.value
    values = [minimax(child) for child in node.children]
    if node.white:
        return max(values, default=float("-inf"))
    return min(values, default=float("inf"))


def alphabeta(
    node: Node, count: Callable[[Node], None], alpha: float = float("-inf"), beta: float = float("inf")
) -> Any:
    """Return the fail-hard alpha-beta value, written by hand, telling `count` of every leaf: the yardstick."""
    if node.is_leaf:
        count(node)
        return min(max(node.value, alpha), beta)
    for child in node.children:
        value = alphabeta(child, count, alpha, beta)
        if node.white:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return alpha if node.white else beta


def world(extra: Sequence[tuple[str, Callable[..., Any]]] = ()) -> dict[str, Callable[..., Any]]:
    """Return the primitives of trees under the names that the programs use."""
    return {
        "leaf": lambda node: node.is_leaf,
        "inner": lambda node: not node.is_leaf,
        "white": lambda node: node.white,
        "black": lambda node: not node.white,
        "l": lambda node: node.children[0],
        "r": lambda node: node.children[1],
        "children": lambda node: node.children,
        "eval": lambda node: node.value,
        "mine": lambda node: node.value if node.white else -node.value,
        **dict(extra),
    }
