"""Offspring that behave otherwise: does a formula pick other children of the living tree than its parent does?

Why it is here.  Most mutations write the same preference in other words, or change it where nobody looks; thirty
playouts are then spent on measuring the parent once more.  What a formula does is which children it picks, and that can
be asked without a playout, at the nodes where it matters: the most visited ones whose moves have all been tried.
Children of equal value are one set, so formulas that are equal up to a tie are not.  Kernel text.

References.  Q. U. Nguyen, N. X. Hoai, M. O'Neill, R. I. McKay, E. Galván-López, "Semantically-based crossover in
genetic programming" (2011); F. Valdez Ameneyro's thesis (2024), section 7.4.
"""

import math

from ludwin.search.formula_vary import LENGTH, SIZE_OF, SLOT
from ludwin.search.mcts_rules import score
from ludwin.search.mcts_tree import (
    BEGIN,
    CHILDREN,
    DECISION,
    FINISH,
    FIRST,
    KIND,
    NEXT,
    NODE,
    PROVED,
    SIZE,
    VISITS,
    WIDTH,
)


def aim(slots, stats, genes, slot):
    """Let the tree be read by the formula of a slot."""
    stats[BEGIN] = genes[LENGTH] * slot
    stats[FINISH] = stats[BEGIN] + slots[SLOT * slot + SIZE_OF]
    return 0


def watch(tree, stats, watched, most):
    """Note the most visited nodes at which a formula chooses, at most so many, the older among equals; return their
    number.
    """
    n = 0
    for node in range(stats[SIZE]):
        at = NODE * node
        if tree[at + KIND] != DECISION or tree[at + PROVED] > 0 or tree[at + CHILDREN] < max(tree[at + WIDTH], 2):
            continue
        visits = tree[at + VISITS]
        if n == most and visits <= tree[NODE * watched[n - 1] + VISITS]:
            continue
        k = min(n, most - 1)
        while k > 0 and tree[NODE * watched[k - 1] + VISITS] < visits:
            watched[k] = watched[k - 1]
            k -= 1
        watched[k] = node
        n = min(n + 1, most)
    return n


def top_score(desk, tree, node):
    """Return the highest value among a node's children by the formula that is aimed at."""
    _, _, rng, _, worth, _, _, store, program, number, known, stack, _, options, reals, stats = desk
    top = -math.inf
    child = tree[NODE * node + FIRST]
    while child > 0:
        if tree[NODE * child + PROVED] == 0:
            top = max(
                top,
                score(child, node, 0.0, tree, worth, store, program, number, known, stack, options, reals, stats, rng),
            )
        child = tree[NODE * child + NEXT]
    return top


def picks_otherwise(desk, tree, slots, genes, node, one, other):
    """Tell whether two formulas pick different sets of a node's children."""
    _, _, rng, _, worth, _, _, store, program, number, known, stack, _, options, reals, stats = desk
    aim(slots, stats, genes, one)
    ours = top_score(desk, tree, node)
    aim(slots, stats, genes, other)
    theirs = top_score(desk, tree, node)
    child = tree[NODE * node + FIRST]
    while child > 0:
        if tree[NODE * child + PROVED] == 0:
            aim(slots, stats, genes, one)
            mine = (
                score(child, node, 0.0, tree, worth, store, program, number, known, stack, options, reals, stats, rng)
                == ours
            )
            aim(slots, stats, genes, other)
            if mine != (
                score(child, node, 0.0, tree, worth, store, program, number, known, stack, options, reals, stats, rng)
                == theirs
            ):
                return True
        child = tree[NODE * child + NEXT]
    return False


def behaves_otherwise(desk, tree, slots, genes, watched, n, one, other):
    """Tell whether two formulas pick different children at any of the first n nodes that are watched."""
    for k in range(n):
        if picks_otherwise(desk, tree, slots, genes, watched[k], one, other):
            return True
    return False
