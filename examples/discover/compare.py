"""Compare derived alpha-beta with the hand-written one: `python examples/discover/compare.py` (seeds in the text).

Leaves on random trees, speed on draughts, the hole of child order, and reflection.
"""

import tempfile
import time
from pathlib import Path
from random import Random

from ludwin import AlphaBeta, load
from ludwin.discover.agent import Derived
from ludwin.discover.emit import load_python
from ludwin.discover.holes import count, evolve_order
from ludwin.discover.kernels import kernel_text
from ludwin.discover.problems import discover
from ludwin.discover.reflection import reflect
from ludwin.discover.trees import alphabeta, minimax, uniform, world
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import kernel_from_text

seen = [0]


def leaf(node):
    seen[0] += 1
    return node.value


def leaves(run, trees):
    seen[0] = 0
    assert [run(tree) for tree in trees] == [minimax(tree) for tree in trees]
    return seen[0]


def main():
    found = {name: discover(name).derivation for name in ("alpha-beta", "nega-alpha-beta", "beta-cut")}
    primitives, rng = world((("eval", leaf),)), Random(0)
    derived, cut = (
        load_python(found["alpha-beta"].result, "value", primitives),
        load_python(found["beta-cut"].result, "max", primitives),
    )
    for branching, depth in ((2, 10), (3, 6), (5, 4)):
        trees, hand = [uniform(rng, branching, depth) for _ in range(60)], []
        for tree in trees:
            alphabeta(tree, hand.append)
        print(
            f"b={branching} d={depth}: {60 * branching**depth} leaves, derived {leaves(derived, trees)}, by hand "
            f"{len(hand)}",
            end="",
        )
        print(f", the paper's cut {leaves(cut, trees)}" if branching == 2 else "")

    game, best, nodes = load("draughts"), {}, {}
    with tempfile.TemporaryDirectory() as folder:
        agents = {"by hand": AlphaBeta(depth=14)}
        for name in ("alpha-beta", "nega-alpha-beta"):
            found[name].save(Path(folder) / f"{name}.json")
            agents[name] = Derived(file=f"{folder}/{name}.json", depth=14)
        for _ in range(15):
            for name, agent in agents.items():
                began = time.perf_counter()
                nodes[name] = agent.choose(game, game.start()).nodes
                best[name] = min(best.get(name, 1e9), time.perf_counter() - began)
    assert len(set(nodes.values())) == 1
    print(
        f"draughts, depth 14, {nodes['by hand']} nodes each: "
        + ", ".join(f"{name} {best['by hand'] / s:.0%}" for name, s in best.items())
    )

    for name in ("draughts", "lose-checkers"):
        game, rng, states = load(name), Random(1), []
        for i in range(20):
            state = game.start()
            for _ in range(8 + i % 6):
                state = state.play(rng.choice(state.moves())) if not state.over else state
            states += [] if state.over else [state]
        filled = evolve_order(game, found["alpha-beta"], states[:10], 7)
        search = specialise(
            game,
            kernel_from_text(
                "derived with order", "best_move", kernel_text(found["alpha-beta"].result, "value", order=True)
            ),
        )
        (before, values), (after, same) = (count(search, states[10:], 7, w) for w in ((0.0, 0.0, 0.0), filled.weights))
        assert values == same
        print(f"{name}, order of children: {filled.before} -> {filled.nodes} nodes, held out {before} -> {after}")

    result = reflect(limit=3)
    print(f"reflection: {result.plain} programs expanded -> {result.improved}, both at depth {result.depth}")


if __name__ == "__main__":
    main()
