"""Holes: choices that the proof leaves free, filled by evolution.

Why it is here.  A derivation proves the value, not the order in which children are tried: max and min are
commutative (`is_free` asks the region solver), so any order is correct and only the number of nodes
changes.  The order is therefore a named hole in the generated kernel, a score of moves with a few weights,
and a small seeded (mu + lambda) evolution looks for weights that need fewer nodes.  What it finds cannot be
wrong, only slow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from ludwin.discover.derivation import Derivation
from ludwin.discover.kernels import as_kernel, kernel_text, sizes
from ludwin.discover.oracle import Oracle
from ludwin.discover.syntax import parse_goals
from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise

WEIGHTS = ("captures first", "from the square", "to the square")


def is_free(which: str) -> bool:
    """Tell whether children may be tried in any order under `max` or `min`: commutative and associative.

    >>> is_free("max")
    True
    """
    oracle = Oracle()
    swap, turn = (
        parse_goals(f"{which}(X,Y) = {which}(Y,X)")[0],
        parse_goals(f"{which}(X,{which}(Y,Z)) = {which}({which}(X,Y),Z)")[0],
    )
    return oracle.holds(swap, ()) and oracle.holds(turn, ())


@dataclass(frozen=True)
class Filled:
    """Weights for the order of children, and what they are worth."""

    weights: tuple[float, ...]
    nodes: int  # on the training positions
    before: int  # the same in the order of the rules
    values: tuple[float, ...]


def count(
    search: Specialised, states: Sequence[State], depth: int, weights: Sequence[float]
) -> tuple[int, tuple[float, ...]]:
    """Return the nodes and values of a search with an order of children."""
    total, values = 0, []
    w = search.bundle(weights=len(WEIGHTS), **sizes(depth))
    w.run.depth = depth
    for i, weight in enumerate(weights):
        w.weights[i] = weight
    for state in states:
        search.put(w.states, 0, state)
        search(w)
        total += w.run.nodes
        values.append(w.run.value)
    return total, tuple(values)


def evolve_order(
    game: Game,
    derivation: Derivation,
    states: Sequence[State],
    depth: int,
    *,
    seed: int = 0,
    generations: int = 12,
    mode: str = "fast",
) -> Filled:
    """Return the best order of children that a (4 + 8) evolution finds; the game needs `noisy`."""
    assert is_free("max") and is_free("min")
    ordered = as_kernel("derived with order", kernel_text(derivation.result, derivation.entry, order=True))
    search = specialise(game, ordered, mode)
    rng = Random(seed)
    still = (0.0,) * len(WEIGHTS)
    before, values = count(search, states, depth, still)
    people = [(before, still)]
    for _ in range(generations):
        children = []
        for _ in range(8):
            parent = rng.choice(people)[1]
            children.append(tuple(w + rng.gauss(0, 1.0 if i == 0 else 0.1) for i, w in enumerate(parent)))
        people = sorted({*people, *((count(search, states, depth, child)[0], child) for child in children)})[:4]
    nodes, weights = people[0]
    return Filled(weights, nodes, before, values)
