"""Offspring that behave otherwise: does a formula pick other children of the living tree than its parent does?

Why it is here.  Most mutations write the same preference in other words, or change it where nobody looks; thirty
playouts are then spent on measuring the parent once more.  What a formula does is which children it picks, and that can
be asked without a playout, at the nodes where it matters: the most visited ones whose moves have all been tried.
Children of equal value are one set, so formulas that are equal up to a tie are not.  Kernel text.

References.  Q. U. Nguyen, N. X. Hoai, M. O'Neill, R. I. McKay, E. Galván-López, "Semantically-based crossover in
genetic programming" (2011); F. Valdez Ameneyro's thesis (2024), section 7.4.
"""

import math

from ludwin.search.montecarlo.rules import score
from ludwin.search.montecarlo.tree import DECISION


def aim(w, slot: int):
    """Let the tree be read by the formula of a slot."""
    w.run.begin = w.options.length * slot
    w.run.finish = w.run.begin + w.formulas[slot].size
    return 0


def watch(w, most: int):
    """Note the most visited nodes at which a formula chooses, at most so many, the older among equals; return their
    number.
    """
    watched = w.watched
    n = 0
    for node in range(w.run.size):
        here = w.tree[node]
        if here.kind != DECISION or here.proved > 0 or here.children < max(here.width, 2):
            continue
        if n == most and here.visits <= w.tree[watched[n - 1]].visits:
            continue
        k = min(n, most - 1)
        while k > 0 and w.tree[watched[k - 1]].visits < here.visits:
            watched[k] = watched[k - 1]
            k -= 1
        watched[k] = node
        n = min(n + 1, most)
    return n


def top_score(w, node):
    """Return the highest value among a node's children by the formula that is aimed at."""
    top = -math.inf
    child = node.first
    while child > 0:
        below = w.tree[child]
        if below.proved == 0:
            top = max(top, score(w, below, node, 0.0))
        child = below.next
    return top


def picks_otherwise(w, node, one: int, other: int):
    """Tell whether two formulas pick different sets of a node's children."""
    aim(w, one)
    ours = top_score(w, node)
    aim(w, other)
    theirs = top_score(w, node)
    child = node.first
    while child > 0:
        below = w.tree[child]
        if below.proved == 0:
            aim(w, one)
            mine = score(w, below, node, 0.0) == ours
            aim(w, other)
            if mine != (score(w, below, node, 0.0) == theirs):
                return True
        child = below.next
    return False


def behaves_otherwise(w, n: int, one: int, other: int):
    """Tell whether two formulas pick different children at any of the first n nodes that are watched."""
    for k in range(n):
        if picks_otherwise(w, w.tree[w.watched[k]], one, other):
            return True
    return False
