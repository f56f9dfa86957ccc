"""Measure every derived algorithm against its plain program: `python examples/discover/measure.py` (seed 0).

Counts are leaves looked at (expanded nodes for the puzzle); values are compared everywhere.
"""

from random import Random
from types import SimpleNamespace

from ludwin.discover.emit import load_python
from ludwin.discover.problems import discover
from ludwin.discover.trees import Node, uniform, world

INF = float("inf")
count = [0]


def leaf(node):
    count[0] += 1
    return node.value


def total(run, trees, *bounds):
    count[0] = 0
    return [run(tree, *bounds) for tree in trees], count[0]


def report(name, plain, derived):
    (values, before), (same, after) = plain, derived
    assert values == same, name
    print(f"{name:<18} {before:>8} {after:>8}  {after / before:6.1%}")


def trees_with(values, branching, depth, number, rng):
    def make(d, white):
        if d == 0:
            return Node(rng.choice(values), white=white)
        return Node(None, tuple(make(d - 1, not white) for _ in range(branching)), white)

    return [make(depth, True) for _ in range(number)]


def graph(rng, depth, width):
    """Return a game in which different lines meet: each level has `width` positions."""
    level = [Node(rng.randrange(1000), white=depth % 2 == 0) for _ in range(width)]
    for d in range(depth - 1, -1, -1):
        level = [Node(None, tuple(rng.sample(level, 3)), d % 2 == 0) for _ in range(width)]
    return level[0]


def coin_tree(rng, depth, kind="white"):
    if depth == 0:
        return SimpleNamespace(value=rng.randint(-8, 8) / 8, kids=(), kind=kind)
    after = {"white": "coin", "coin": "black", "black": "white"}[kind]
    return SimpleNamespace(
        value=None, kids=tuple(coin_tree(rng, depth - 1, after) for _ in range(2 if kind == "coin" else 3)), kind=kind
    )


def main():
    rng, primitives = Random(0), world((("eval", leaf),))
    found = {
        name: discover(name).derivation
        for name in ("alpha-beta", "fail-soft", "scout", "table", "win-loss", "star1", "branch-and-bound", "maxn")
    }
    print(f"{'algorithm':<18} {'plain':>8} {'derived':>8}")
    trees = [uniform(rng, 4, 6) for _ in range(10)]
    plain = total(load_python(found["alpha-beta"].seed, "value", primitives), trees)
    for name, bounds in (("alpha-beta", ()), ("fail-soft", (-INF, INF)), ("scout", (-INF, INF))):
        report(name, plain, total(load_python(found[name].result, found[name].entry, primitives), trees, *bounds))

    wins = trees_with((-1, 0, 1), 4, 6, 10, rng)
    report(
        "win-loss",
        total(load_python(found["win-loss"].seed, "value", primitives), wins),
        total(load_python(found["win-loss"].result, "value", primitives), wins),
    )

    graphs = [graph(rng, 6, 12) for _ in range(10)]
    store = {}
    space = {**primitives, "probe": lambda p: store.get(id(p), (-INF, INF))}
    run = load_python(found["table"].result, "tabled", space)
    learned = run.__globals__["learned"]

    def remember(p, a, b):
        r, low, high = learned(p, a, b)
        old = store.get(id(p), (-INF, INF))
        store[id(p)] = (max(old[0], low), min(old[1], high))
        return r, low, high

    run.__globals__["learned"] = remember
    report("table", total(load_python(found["table"].seed, "value", space), graphs), total(run, graphs, -INF, INF))
    report(
        "  (alpha-beta)",
        total(load_python(found["table"].seed, "value", space), graphs),
        total(load_python(found["alpha-beta"].result, "value", primitives), graphs),
    )

    coins = [coin_tree(rng, 7) for _ in range(10)]
    chance = {
        "leaf": lambda p: p.value is not None, "inner": lambda p: p.value is None, "children": lambda p: p.kids,
        "eval": leaf,
        "l": lambda p: p.kids[0], "r": lambda p: p.kids[1],
        **{k: (lambda p, k=k: p.kind == k) for k in ("white", "black", "coin")},
    }  # fmt: skip
    report(
        "star1",
        total(load_python(found["star1"].seed, "value", chance), coins),
        total(load_python(found["star1"].result, "value", chance), coins),
    )

    puzzle = {
        "solved": lambda p: p[0] == p[1] == 0,
        "bound": lambda p: p[0] + p[1],
        "step": lambda e: e,
    }  # walk home on a grid, some steps dear
    price = {(x, y, d): rng.choice((1, 1, 2, 3)) for x in range(9) for y in range(9) for d in range(2)}

    def edges(p):
        count[0] += 1
        x, y = p
        return tuple((price[x, y, d], q) for d, q in enumerate(((x - 1, y), (x, y - 1))) if min(q) >= 0)

    puzzle |= {"open": lambda p: not puzzle["solved"](p), "edges": edges}
    starts = [(7, 7), (8, 6), (6, 8)]
    report(
        "branch-and-bound",
        total(load_python(found["branch-and-bound"].seed, "cost", puzzle), starts),
        total(load_python(found["branch-and-bound"].result, "cost", puzzle), starts),
    )

    def shares():
        a, b = sorted((rng.randint(0, 16), rng.randint(0, 16)))
        return a / 16, (b - a) / 16, (16 - b) / 16

    def three(depth):
        return SimpleNamespace(
            value=shares() if depth == 0 else None, kids=() if depth == 0 else tuple(three(depth - 1) for _ in range(4))
        )

    rows = {
        "last": lambda r: len(r) == 1,
        "more": lambda r: len(r) > 1,
        "first": lambda r: r[0],
        "next": lambda r: r[1:],
    }
    multi = {
        **rows,
        "leaf": lambda p: p.value is not None,
        "inner": lambda p: p.value is None,
        "children": lambda p: p.kids,
        "eval": leaf,
    }
    games = [three(6) for _ in range(10)]
    report(
        "maxn",
        total(load_python(found["maxn"].seed, "v0", multi), games),
        total(load_python(found["maxn"].result, "t0", multi), games),
    )


if __name__ == "__main__":
    main()
