"""New formulas from old: subtree mutation, and the filter that refuses senseless offspring.

Why it is here.  Evolution inside a search runs in compiled code, so its only operator works on arrays.  Formulas lie in
slots of `program` and `number`, `genes[LENGTH]` cells each, in postfix order: a subtree is the run of cells that ends
at its uppermost node.  Kernel text.

Mutation.  With probability 0.9 an inner node is chosen, else a leaf; its subtree gives way to a new one of depth 1, 2
or 3 in which all leaves lie equally deep (Koza's "full").  An offspring differs from its parent and is not too deep.
Where the regret term is protected, the formula is E + term, and its last `genes[PROTECTED]` cells, the term and its
plus, are never touched.

The filter.  A formula that ignores rewards, or never comes back to a neglected child, cannot search; the filters ask
for both on two small trees or on a grid of statistics.

References.  J. Koza, *Genetic Programming* (1992); F. Valdez Ameneyro's thesis (2024), sections 5.2 and 7.4.
"""

import math

from ludwin.primitives import draw, uniform
from ludwin.search.formula import CHILD_VISITS, LOG, NUMBER, PARENT_VISITS, PLUS, VARIANCE, Q, formula_value
from ludwin.search.mcts_rules import RICH, normal

# Settings of evolution: whole numbers in `genes`, others in `rates`.
GENES = 24
LAMBDA, GENERATIONS, SAMPLES, LENGTH, DEEPEST_FORMULA, FILTER, SEMANTIC, BEHAVIOUR, RELATIVE, ALLOCATION = range(10)
FITNESS_KIND, REEVALUATE, CONTINUED, INSTALL, ONLY_CONSTANT, STRIDE, ROWS, CELLS_OF_LOG, SEED_SLOT, BY_BRANCHES = range(
    10, 20
)
PROTECTED, DIFFER, GUARD_BY_SEED, CARRY = range(20, 24)
RATES = 16
LOWEST, UPPERMOST, GUARD, NOVELTY_WEIGHT, INNER, SIGMA, FIRST_CONSTANT = range(7)
CONSTANTS = 8  # how many values a new constant may have; they stand in `rates`
NO_FILTER, TWO_TREES, GRID = range(3)  # genes[FILTER]

SLOT = 4  # of `slots`: cells a formula
SIZE_OF, MEASURED, NEW_NODES, SAME_BRANCH = range(4)
TRIES = 10_000  # then the offspring is a copy of its parent


def arity(code):
    """Return how many operands a node takes."""
    if code <= NUMBER:
        return 0
    return 1 if code < PLUS else 2


def subtree_begin(program, base, i):
    """Return where the subtree begins whose uppermost node is number i of the formula at `base`."""
    wanted = 1
    at = i
    while True:
        wanted += arity(program[base + at]) - 1
        if wanted == 0:
            return at
        at -= 1


def formula_depth(program, begin, end, stack):
    """Return how many edges the longest path of a formula has."""
    top = 0
    for i in range(begin, end):
        takes = arity(program[i])
        if takes == 0:
            stack[top] = 0.0
            top += 1
        elif takes == 1:
            stack[top - 1] += 1.0
        else:
            top -= 1
            stack[top - 1] = max(stack[top - 1], stack[top]) + 1.0
    return int(stack[0])


def choose_point(program, base, size, inner, rng):
    """Return a mutation point: an inner node with probability `inner`, else a leaf; of a single leaf, the leaf."""
    inside = 0
    for i in range(size):
        if program[base + i] > NUMBER:
            inside += 1
    if inside == 0:
        return size - 1
    wants_inner = uniform(rng) < inner
    k = draw(rng, inside if wants_inner else size - inside)
    point = 0
    for i in range(size):
        if (program[base + i] > NUMBER) == wants_inner:
            if k == 0:
                point = i
            k -= 1
    return point


def new_leaf(program, number, at, constant, rich, rng):
    """Write a terminal: Q, n, N, a constant, 2, or one of the richer ones."""
    kind = draw(rng, 9 if rich > 0 else 5)
    number[at] = 0.0
    if kind < 3:
        program[at] = kind
    elif kind < 5:
        program[at] = NUMBER
        number[at] = constant if kind == 3 else 2.0
    else:
        program[at] = VARIANCE + kind - 5
    return 0


def new_subtree(program, number, at: int, depth: int, constant: float, rich: int, rng):
    """Write a random formula with all leaves at the given depth; return the cell behind it."""
    if depth == 0:
        new_leaf(program, number, at, constant, rich, rng)
        return at + 1
    code = LOG + draw(rng, 6)
    end = new_subtree(program, number, at, depth - 1, constant, rich, rng)
    if code >= PLUS:
        end = new_subtree(program, number, end, depth - 1, constant, rich, rng)
    program[end] = code
    number[end] = 0.0
    return end + 1


def same_formula(program, number, slots, length, a, b):
    """Tell whether two slots hold the same formula."""
    if slots[SLOT * a + SIZE_OF] != slots[SLOT * b + SIZE_OF]:
        return False
    for i in range(slots[SLOT * a + SIZE_OF]):
        if program[length * a + i] != program[length * b + i] or number[length * a + i] != number[length * b + i]:
            return False
    return True


def at_point(program, number, known, stack, begin, end, q, n, total):
    """Return what a formula thinks of a child with these statistics."""
    known[Q] = q
    known[CHILD_VISITS] = n
    known[PARENT_VISITS] = total
    known[VARIANCE] = 0.25
    known[VARIANCE + 1] = q
    known[VARIANCE + 2] = 1.0
    known[VARIANCE + 3] = 2.0
    return formula_value(program, number, begin, end, known, stack)


def passes_two_trees(program, number, known, stack, begin, end):
    """Tell whether a formula prefers the better of two children, and the less visited one."""
    if not at_point(program, number, known, stack, begin, end, 1.0, 1.0, 2.0) > at_point(
        program, number, known, stack, begin, end, 0.0, 1.0, 2.0
    ):
        return False
    return at_point(program, number, known, stack, begin, end, 0.0, 1.0, 3.0) > at_point(
        program, number, known, stack, begin, end, 0.0, 2.0, 3.0
    )


def grid_visits(total, b):
    """Return the b-th number of visits at which the grid asks."""
    if b == 0:
        return 2.0
    if b == 1:
        return 5.0
    return math.floor(total / 4.0) + 1.0 if b == 2 else math.floor(total / 2.0) * 1.0


def passes_grid(program, number, known, stack, begin, end):
    """Tell whether a formula grows with Q and falls with n wherever a grid of statistics asks."""
    total = 1.0
    for _ in range(3):
        total *= 10.0  # 10, 100, 1000
        for b in range(4):
            n = grid_visits(total, b)
            for c in range(3):
                q = 0.1 + 0.4 * c
                here = at_point(program, number, known, stack, begin, end, q, n, total)
                if not at_point(program, number, known, stack, begin, end, q + 0.05, n, total) > here:
                    return False
                if not here > at_point(program, number, known, stack, begin, end, q, 2.0 * n + 1.0, total):
                    return False
    return True


def is_valid(program, number, known, stack, begin, end, kind):
    """Tell whether an offspring passes the filter."""
    if kind == TWO_TREES:
        return passes_two_trees(program, number, known, stack, begin, end)
    if kind == GRID:
        return passes_grid(program, number, known, stack, begin, end)
    return True


def graft(program, number, slots, rates, length, parent, child, spare, point, depth, rich, rng):
    """Write the parent into the child's slot with a new subtree at a point; return False if it became too long."""
    base = length * parent
    size = slots[SLOT * parent + SIZE_OF]
    begin = subtree_begin(program, base, point)
    constant = rates[FIRST_CONSTANT + draw(rng, CONSTANTS)]  # one for all new constants of this offspring
    fresh = new_subtree(program, number, length * spare, depth, constant, rich, rng) - length * spare
    total = begin + fresh + size - point - 1
    if total > length:
        return False
    to = length * child
    for i in range(begin):
        program[to + i] = program[base + i]
        number[to + i] = number[base + i]
    for i in range(fresh):
        program[to + begin + i] = program[length * spare + i]
        number[to + begin + i] = number[length * spare + i]
    for i in range(size - point - 1):
        program[to + begin + fresh + i] = program[base + point + 1 + i]
        number[to + begin + fresh + i] = number[base + point + 1 + i]
    slots[SLOT * child + SIZE_OF] = total
    return True


def mutate(program, number, slots, known, stack, genes, rates, options, parent, child, spare, rng):
    """Write a mutated copy of the parent: another formula, not too deep, and one that passes the filter."""
    length = genes[LENGTH]
    for _ in range(TRIES):
        point = choose_point(
            program, length * parent, slots[SLOT * parent + SIZE_OF] - genes[PROTECTED], rates[INNER], rng
        )
        depth = 1 + draw(rng, 3)
        if not graft(program, number, slots, rates, length, parent, child, spare, point, depth, options[RICH], rng):
            continue
        begin = length * child
        end = begin + slots[SLOT * child + SIZE_OF]
        if (
            formula_depth(program, begin, end, stack) <= genes[DEEPEST_FORMULA]
            and not same_formula(program, number, slots, length, parent, child)
            and is_valid(program, number, known, stack, begin, end, genes[FILTER])
        ):
            return 0
    return 1


def mutate_constant(program, number, slots, genes, rates, parent, child, rng):
    """Write a copy of the parent whose constants are all multiplied by one log-normal factor."""
    length = genes[LENGTH]
    factor = math.exp(rates[SIGMA] * normal(rng))
    slots[SLOT * child + SIZE_OF] = slots[SLOT * parent + SIZE_OF]
    for i in range(slots[SLOT * parent + SIZE_OF]):
        program[length * child + i] = program[length * parent + i]
        value = number[length * parent + i]
        number[length * child + i] = (
            min(max(value * factor, 1e-3), 1e3) if program[length * parent + i] == NUMBER else 0.0
        )
    return 0
