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
from ludwin.discover.kernels import kernel_text
from ludwin.discover.oracle import Oracle
from ludwin.discover.syntax import parse_goals
from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import kernel_from_text

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
    plies, total, values = depth + 2, 0, []
    stack, bufs, sure, counts = search.states(plies), search.moves(plies), search.ints(plies), search.ints(plies)
    cells, value = search.floats(len(WEIGHTS)), search.floats(1)
    for i, weight in enumerate(weights):
        cells[i] = weight
    for state in states:
        nodes = search.ints(3)
        search.put(stack, 0, state)
        search(stack, bufs, sure, nodes, counts, cells, value, depth)
        total += int(nodes[0])
        values.append(float(value[0]))
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
    search = specialise(
        game,
        kernel_from_text(
            "derived with order", "best_move", kernel_text(derivation.result, derivation.entry, order=True)
        ),
        mode,
    )
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
