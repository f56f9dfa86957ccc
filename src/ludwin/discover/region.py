"""Regions: what is known about the order of some numbers, decided exactly.

Why it is here.  The tests of a clause carve a region out of all values that its variables can take.
A region is a conjunction of comparisons between *literals*: variables, their negatives and constants.
Closing it under transitivity, under sign change (x >= y means -y >= -x) and under `x >= -x means
x >= 0` decides every question that a transformation asks: is it empty, does it entail a test, is the
union of two regions again a region?  These are octagons without sums (dense order; whole numbers are
not told from others), so that `X is -Y` needs no reasoning of its own.

A literal is a pair (name, sign); constants are literals of the name "" with their value as sign.
The least and greatest constants are -inf and inf: every variable lies between.

References.  A. Miné, "The octagon abstract domain", Higher-Order and Symbolic Computation 19 (2006),
31-100, whose strong closure this is for bounds of zero.
"""

import math
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise
from typing import Any

from ludwin.discover.term import Const, Goal, Struct, Term, Var, text_of

Literal = tuple[Any, float]  # (name, 1 or -1), or ("", value)
Fact = tuple[Literal, bool, Literal]  # (x, strict, y): x > y if strict, else x >= y
ZERO: Literal = ("", 0)


def literal(term: Term, rename: Callable[[str], Any] | None = None) -> Literal:
    """Return a signed variable or a number as a literal."""
    if isinstance(term, Var):
        return (rename(term.name) if rename else term.name, 1)
    if isinstance(term, Const) and not isinstance(term.value, str):
        return ("", term.value)
    if isinstance(term, Struct) and term.functor == "-" and len(term.args) == 1:
        name, sign = literal(term.args[0], rename)
        return (name, -sign)
    raise TypeError(f"{term} is not a signed variable or a number")


def is_literal(term: Term) -> bool:
    """Tell whether a term is a signed variable or a number."""
    if isinstance(term, Struct):
        return term.functor == "-" and len(term.args) == 1 and isinstance(term.args[0], Var)
    return isinstance(term, Var) or not isinstance(term.value, str)


def opposite(x: Literal) -> Literal:
    """Return minus a literal."""
    return (x[0], -x[1]) if x[1] else x


def term_of(x: Literal) -> Term:
    """Return a literal as a term again."""
    if x[0] == "":
        return Const(x[1])
    return Var(x[0]) if x[1] > 0 else Struct("-", (Var(x[0]),))


def facts_of(test: Goal, rename: Callable[[str], Any] | None = None) -> tuple[Fact, ...]:
    """Return a comparison as facts; an equality is two."""
    x, y = literal(test.args[0], rename), literal(test.args[1], rename)
    match test.name:
        case ">=":
            return ((x, False, y),)
        case ">":
            return ((x, True, y),)
        case "<=":
            return ((y, False, x),)
        case "<":
            return ((y, True, x),)
    return ((x, False, y), (y, False, x))


def deny(fact: Fact) -> Fact:
    """Return the opposite of a fact."""
    x, strict, y = fact
    return (y, not strict, x)


class Region:
    """A closed set of facts; make it with `region`. `facts` is None if nothing satisfies them."""

    __slots__ = ("above", "facts")

    def __init__(self, above: dict[tuple[Literal, Literal], bool] | None):
        self.above = above
        self.facts: frozenset[Fact] | None = (
            None if above is None else frozenset((x, strict, y) for (x, y), strict in above.items())
        )

    @property
    def empty(self) -> bool:
        """Whether no values satisfy the region."""
        return self.facts is None

    def entails(self, fact: Fact) -> bool:
        """Tell whether a fact holds everywhere in the region."""
        if self.above is None:
            return True
        x, strict, y = fact
        if x == y:
            return not strict
        known = self.above.get((x, y))
        if known is not None and (known or not strict):
            return True
        if x[0] != "" and y[0] != "" and x[1] > 0 and y[1] > 0:
            return False  # the closure has every fact about plain variables
        return meet(self, [deny(fact)]).empty

    def equal(self, x: Literal, y: Literal) -> bool:
        """Tell whether two literals are equal everywhere in the region."""
        return x == y or (self.entails((x, False, y)) and self.entails((y, False, x)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Region) and self.facts == other.facts

    def __hash__(self) -> int:
        return hash(self.facts)


@lru_cache(maxsize=200_000)
def _close(facts: frozenset[Fact]) -> Region:
    constants = sorted({lit[1] for x, _, y in facts for lit in (x, y) if lit[0] == ""} | {0})
    spread = sorted({c for value in constants for c in (value, -value)})
    nodes: dict[Literal, None] = {("", c): None for c in spread}
    signed = any(lit[1] < 0 for x, _, y in facts for lit in (x, y) if lit[0] != "") or len(spread) > 1
    for x, _, y in facts:
        for lit in (x, y):
            nodes[lit] = None
            if signed:
                nodes[opposite(lit)] = None
    above: dict[Literal, dict[Literal, bool]] = {node: {} for node in nodes}

    def add(x: Literal, strict: bool, y: Literal) -> None:
        above[x][y] = above[x].get(y, False) or strict

    for x, strict, y in facts:
        add(x, strict, y)
        if signed:
            add(opposite(y), strict, opposite(x))
    for low, high in pairwise(spread):
        add(("", high), True, ("", low))
    if math.inf in spread:
        for node in nodes:
            if node[0] != "":
                add(("", math.inf), False, node)
                add(node, False, ("", -math.inf))
    if not _transitive(above):
        return Region(None)
    if signed and any(node[0] != "" for node in nodes):
        changed = False
        for node in list(nodes):
            if node[0] != "" and opposite(node) in above[node]:
                for x, y in ((node, ZERO), (ZERO, opposite(node))):
                    strict = above[node][opposite(node)]
                    if y not in above[x] or (strict and not above[x][y]):
                        add(x, strict, y)
                        changed = True
        if changed and not _transitive(above):
            return Region(None)
    return Region(
        {(x, y): s for x, row in above.items() for y, s in row.items() if x != y and not (x[0] == "" and y[0] == "")}
    )


def _transitive(above: dict[Literal, dict[Literal, bool]]) -> bool:
    """Close under transitivity in place; False if something is greater than itself."""
    for middle, row in above.items():
        if not row:
            continue
        onward = list(row.items())
        for x, from_x in above.items():
            first = from_x.get(middle)
            if first is None or x == middle:
                continue
            for y, second in onward:
                strict = first or second
                if not from_x.get(y, False) and (strict or y not in from_x):
                    from_x[y] = strict
    return not any(row.get(x, False) for x, row in above.items())


def region(facts: Iterable[Fact]) -> Region:
    """Return the closed region of some facts.

    >>> x, y, z = (("x", 1), ("y", 1), ("z", 1))
    >>> region([(x, False, y), (y, True, z)]).entails((x, True, z))
    True
    >>> region([(x, True, y), (y, False, x)]).empty
    True
    """
    return _close(frozenset(f for f in facts if f[0] != f[2] or f[1]))


def meet(first: Region, facts: Iterable[Fact]) -> Region:
    """Return the region with more facts."""
    return first if first.facts is None else region([*first.facts, *facts])


def within(inner: Region, outer: Region) -> bool:
    """Tell whether one region lies inside another."""
    return inner.facts is None or (outer.facts is not None and all(inner.entails(fact) for fact in outer.facts))


def project(whole: Region, names: Iterable[Any]) -> Region:
    """Forget every variable but `names`; exact, because the order is dense."""
    if whole.facts is None:
        return whole
    kept = {*names, ""}
    return region(f for f in whole.facts if f[0][0] in kept and f[2][0] in kept)


def hull(first: Region, second: Region) -> Region:
    """Return the least region around two: what both entail."""
    if first.facts is None:
        return second
    if second.facts is None:
        return first
    both = {f for f in first.facts if second.entails(f)} | {f for f in second.facts if first.entails(f)}
    weak = {(x, False, y) for x, strict, y in first.facts | second.facts if strict}
    return region(both | {f for f in weak if first.entails(f) and second.entails(f)})


def exact_join(first: Region, second: Region) -> Region | None:
    """Return the union of two regions if it is a region, else None.

    The hull is the union if and only if no point of it misses both.
    """
    around = hull(first, second)
    if first.facts is None or second.facts is None:
        return around
    assert around.facts is not None
    for a in basis(first):
        for b in basis(second):
            if not meet(around, [deny(a), deny(b)]).empty:
                return None
    return around


@lru_cache(maxsize=200_000)
def basis(whole: Region) -> tuple[Fact, ...]:
    """Return few facts that entail the whole region, in a fixed order, one of each mirrored pair."""
    if whole.facts is None:
        return ()
    kept: dict[Fact, None] = {}
    for fact in sorted(whole.facts, key=_nice):
        x, strict, y = fact
        if (opposite(y), strict, opposite(x)) not in kept:
            kept[fact] = None
    for fact in sorted(kept, key=_nice, reverse=True):
        rest = [f for f in kept if f != fact]
        if region(rest).entails(fact):
            del kept[fact]
    return tuple(kept)


def _nice(fact: Fact) -> tuple[Any, ...]:
    x, strict, y = fact
    minus = (x[0] != "" and x[1] < 0) + (y[0] != "" and y[1] < 0)
    return (("" in (x[0], y[0])), minus, text_of(x[0]), x[1], text_of(y[0]), y[1], strict)


def cover(regions: list[Region], inside: Region) -> bool:
    """Tell whether some regions together cover all of `inside`."""
    if inside.empty:
        return True
    if not regions:
        return False
    first, rest = regions[0], regions[1:]
    if first.facts is None:
        return cover(rest, inside)
    known = inside
    for fact in basis(first):
        if not cover(rest, meet(known, [deny(fact)])):
            return False
        known = meet(known, [fact])
    return True
