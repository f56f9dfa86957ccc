"""New formulas from old: subtree mutation, and the filter that refuses senseless offspring.

Why it is here.  Evolution inside a search runs in compiled code, so its only operator works on cells.  Formulas lie
in slots of `cells`, `length` of them each, in postfix order: a subtree is the run of cells that ends at its uppermost
node.  Kernel text.

Mutation.  With probability 0.9 an inner node is chosen, else a leaf; its subtree gives way to a new one of depth 1, 2
or 3 in which all leaves lie equally deep (Koza's "full").  An offspring differs from its parent and is not too deep.
Where the regret term is protected, the formula is E + term, and its last `protected` cells, the term and its
plus, are never touched.

The filter.  A formula that ignores rewards, or never comes back to a neglected child, cannot search; the filters ask
for both on two small trees or on a grid of statistics.

References.  J. Koza, *Genetic Programming* (1992); F. Valdez Ameneyro's thesis (2024), sections 5.2 and 7.4.
"""

import math

from ludwin.kernel.names import copy
from ludwin.primitives import draw, uniform
from ludwin.search.montecarlo.formula import (
    BEST_CHILD,
    BRANCHES,
    CHILD_VISITS,
    CONSTANTS,
    DEPTH,
    LOG,
    NUMBER,
    PARENT_VISITS,
    PLUS,
    VARIANCE,
    Q,
    formula_value,
)
from ludwin.search.montecarlo.rules import normal

FILTERS = ("none", "two-tree", "grid")
TWO_TREES = FILTERS.index("two-tree")
GRID = FILTERS.index("grid")
CHOICES = len(CONSTANTS)  # how many values a new constant may have
TRIES = 10_000  # then the offspring is a copy of its parent


def arity(code):
    """Return how many operands a node takes."""
    if code <= NUMBER:
        return 0
    return 1 if code < PLUS else 2


def subtree_begin(w, base: int, i: int):
    """Return where the subtree begins whose uppermost node is number i of the formula at `base`."""
    wanted = 1
    at = i
    while True:
        wanted += arity(w.cells[base + at].code) - 1
        if wanted == 0:
            return at
        at -= 1


def formula_depth(w, begin: int, end: int):
    """Return how many edges the longest path of a formula has."""
    stack = w.stack
    top = 0
    for i in range(begin, end):
        takes = arity(w.cells[i].code)
        if takes == 0:
            stack[top] = 0.0
            top += 1
        elif takes == 1:
            stack[top - 1] += 1.0
        else:
            top -= 1
            stack[top - 1] = max(stack[top - 1], stack[top]) + 1.0
    return int(stack[0])


def choose_point(w, base: int, size: int):
    """Return a mutation point: an inner node with probability `inner`, else a leaf; of a single leaf, the leaf."""
    inside = 0
    for i in range(size):
        if w.cells[base + i].code > NUMBER:
            inside += 1
    if inside == 0:
        return size - 1
    wants_inner = uniform(w.rng) < w.options.inner
    k = draw(w.rng, inside if wants_inner else size - inside)
    point = 0
    for i in range(size):
        if (w.cells[base + i].code > NUMBER) == wants_inner:
            if k == 0:
                point = i
            k -= 1
    return point


def new_leaf(w, at: int, constant: float):
    """Write a terminal: Q, n, N, a constant, 2, or one of the richer ones."""
    kind = draw(w.rng, 9 if w.options.rich > 0 else 5)
    leaf = w.cells[at]
    leaf.number = 0.0
    if kind < 3:
        leaf.code = kind
    elif kind < 5:
        leaf.code = NUMBER
        leaf.number = constant if kind == 3 else 2.0
    else:
        leaf.code = VARIANCE + kind - 5
    return 0


def new_subtree(w, at: int, depth: int, constant: float):
    """Write a random formula with all leaves at the given depth; return the cell behind it."""
    if depth == 0:
        new_leaf(w, at, constant)
        return at + 1
    code = LOG + draw(w.rng, 6)
    end = new_subtree(w, at, depth - 1, constant)
    if code >= PLUS:
        end = new_subtree(w, end, depth - 1, constant)
    w.cells[end].code = code
    w.cells[end].number = 0.0
    return end + 1


def same_formula(w, a: int, b: int):
    """Tell whether two slots hold the same formula."""
    if w.formulas[a].size != w.formulas[b].size:
        return False
    length = w.options.length
    for i in range(w.formulas[a].size):
        one = w.cells[length * a + i]
        other = w.cells[length * b + i]
        if one.code != other.code or one.number != other.number:
            return False
    return True


def at_point(w, begin: int, end: int, q: float, n: float, total: float):
    """Return what a formula thinks of a child with these statistics."""
    known = w.known
    known[Q] = q
    known[CHILD_VISITS] = n
    known[PARENT_VISITS] = total
    known[VARIANCE] = 0.25
    known[BEST_CHILD] = q
    known[DEPTH] = 1.0
    known[BRANCHES] = 2.0
    return formula_value(w, begin, end)


def passes_two_trees(w, begin: int, end: int):
    """Tell whether a formula prefers the better of two children, and the less visited one."""
    if not at_point(w, begin, end, 1.0, 1.0, 2.0) > at_point(w, begin, end, 0.0, 1.0, 2.0):
        return False
    return at_point(w, begin, end, 0.0, 1.0, 3.0) > at_point(w, begin, end, 0.0, 2.0, 3.0)


def grid_visits(total: float, b: int):
    """Return the b-th number of visits at which the grid asks."""
    if b == 0:
        return 2.0
    if b == 1:
        return 5.0
    return math.floor(total / 4.0) + 1.0 if b == 2 else math.floor(total / 2.0) * 1.0


def passes_grid(w, begin: int, end: int):
    """Tell whether a formula grows with Q and falls with n wherever a grid of statistics asks."""
    total = 1.0
    for _ in range(3):
        total *= 10.0  # 10, 100, 1000
        for b in range(4):
            n = grid_visits(total, b)
            for c in range(3):
                q = 0.1 + 0.4 * c
                here = at_point(w, begin, end, q, n, total)
                if not at_point(w, begin, end, q + 0.05, n, total) > here:
                    return False
                if not here > at_point(w, begin, end, q, 2.0 * n + 1.0, total):
                    return False
    return True


def is_valid(w, begin: int, end: int):
    """Tell whether an offspring passes the filter."""
    if w.options.filter == TWO_TREES:
        return passes_two_trees(w, begin, end)
    if w.options.filter == GRID:
        return passes_grid(w, begin, end)
    return True


def copy_cells(w, source: int, to: int, n: int):
    """Copy so many cells of formulas."""
    for i in range(n):
        copy(w.cells[to + i], w.cells[source + i])
    return 0


def graft(w, parent: int, child: int, spare: int, point: int, depth: int):
    """Write the parent into the child's slot with a new subtree at a point; return False if it became too long."""
    length = w.options.length
    base = length * parent
    size = w.formulas[parent].size
    begin = subtree_begin(w, base, point)
    constant = w.constants[draw(w.rng, CHOICES)]  # one for all new constants of this offspring
    fresh = new_subtree(w, length * spare, depth, constant) - length * spare
    total = begin + fresh + size - point - 1
    if total > length:
        return False
    to = length * child
    copy_cells(w, base, to, begin)
    copy_cells(w, length * spare, to + begin, fresh)
    copy_cells(w, base + point + 1, to + begin + fresh, size - point - 1)
    w.formulas[child].size = total
    return True


def mutate(w, parent: int, child: int, spare: int):
    """Write a mutated copy of the parent: another formula, not too deep, and one that passes the filter.

    Return 1 if none is to be found.
    """
    length = w.options.length
    for _ in range(TRIES):
        point = choose_point(w, length * parent, w.formulas[parent].size - w.options.protected)
        depth = 1 + draw(w.rng, 3)
        if not graft(w, parent, child, spare, point, depth):
            continue
        begin = length * child
        end = begin + w.formulas[child].size
        if (
            formula_depth(w, begin, end) <= w.options.deepest
            and not same_formula(w, parent, child)
            and is_valid(w, begin, end)
        ):
            return 0
    return 1


def mutate_constant(w, parent: int, child: int):
    """Write a copy of the parent whose constants are all multiplied by one log-normal factor."""
    length = w.options.length
    factor = math.exp(w.options.sigma * normal(w.rng))
    w.formulas[child].size = w.formulas[parent].size
    for i in range(w.formulas[parent].size):
        old = w.cells[length * parent + i]
        new = w.cells[length * child + i]
        new.code = old.code
        new.number = min(max(old.number * factor, 1e-3), 1e3) if old.code == NUMBER else 0.0
    return 0
