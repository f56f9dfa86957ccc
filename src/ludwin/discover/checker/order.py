"""Orders, decided by cases: is there a way to rank some numbers so that a formula holds?

Why it is here.  Most obligations only compare, copy and change signs.  For these the checker needs no solver: it lays
out the formula case by case, keeps a graph of "is at least", and gives a case up when something would exceed itself.
The order is that of the extended reals: dense, with a least and a greatest element, and with a sign change that
reverses it. If every case is given up, no numbers satisfy the formula; that, and nothing else, is believed.
"""

import time
from fractions import Fraction
from typing import Any

from ludwin.discover.checker.formula import Formula, Value, deny, minus, parts, values

ZERO: Value = ("num", Fraction(0))
MOST_CASES = 50_000
MOST_SECONDS = 30.0


class TooHard(Exception):
    """More cases than the checker is willing to look at."""


class _Graph:
    """What is known: `above[x][y]` is True if x > y, False if x >= y."""

    __slots__ = ("above", "below", "signed")

    def __init__(self, signed: bool) -> None:
        self.signed = signed  # whether minus occurs at all: then every fact has a mirror image
        self.above: dict[Value, dict[Value, bool]] = {}
        self.below: dict[Value, dict[Value, bool]] = {}

    def copy(self) -> "_Graph":
        made = _Graph(self.signed)
        made.above = {x: dict(row) for x, row in self.above.items()}
        made.below = {x: dict(row) for x, row in self.below.items()}
        return made

    def meet(self, x: Value) -> bool:
        """Make room for a value: constants know each other, everything lies between the infinities. False if that
        cannot be.
        """
        if x in self.above:
            return True
        known = list(self.above)
        self.above[x], self.below[x] = {}, {}
        fine = True
        for y in known:
            order = _constants(x, y)
            if order is not None:
                fine &= self.add(x, y, True) if order > 0 else self.add(y, x, True)
        if x[0] not in ("num", "inf"):
            for end in (("inf", 1), ("inf", -1)):
                fine &= self.meet(end)
            fine &= self.add(("inf", 1), x, False) and self.add(x, ("inf", -1), False)
        if self.signed:
            fine &= self.meet(ZERO) and self.meet(minus(x))
        return fine

    def add(self, x: Value, y: Value, strict: bool) -> bool:
        """Learn that x is at least y (more than y if strict), and all that follows; False if that cannot be."""
        if x == y:
            return not strict
        have = self.above[x].get(y)
        if have is not None and (have or not strict):
            return True
        highs = [(x, False), *self.below[x].items()]  # everything at least x
        lows = [(y, False), *self.above[y].items()]  # everything at most y
        for high, s in highs:
            row = self.above[high]
            for low, t in lows:
                hard = strict or s or t
                if high == low:
                    if hard:
                        return False
                    continue
                old = row.get(low)
                if old is None or (hard and not old):
                    row[low] = hard
                    self.below[low][high] = hard
        return True

    def learn(self, x: Value, y: Value, strict: bool) -> bool:
        """Learn a fact and its mirror image, and that a number at least its negative is at least zero."""
        for v in (x, y):
            if not self.meet(v):
                return False
        if not self.add(x, y, strict):
            return False
        return not self.signed or (self.add(minus(y), minus(x), strict) and self.halve())

    def halve(self) -> bool:
        """Where x >= -x, let x >= 0 >= -x."""
        changed = True
        while changed:
            changed = False
            for x in list(self.above):
                other = minus(x)
                if x == other or x[0] in ("num", "inf") or other not in self.above[x]:
                    continue
                strict = self.above[x][other]
                for a, b in ((x, ZERO), (ZERO, other)):
                    old = self.above[a].get(b)
                    if old is None or (strict and not old):
                        if not self.add(a, b, strict):
                            return False
                        changed = True
        return True

    def says(self, x: Value, y: Value, strict: bool) -> bool | None:
        """Return whether a fact is known to hold or known to fail."""
        if x == y:
            return not strict
        if x in self.above:
            have = self.above[x].get(y)
            if have is not None and (have or not strict):
                return True
        if y in self.above:
            back = self.above[y].get(x)
            if back is not None and (back or strict):
                return False
        order = _constants(x, y)
        return None if order is None else order > 0


def _constants(x: Value, y: Value) -> int | None:
    """Return 1 or -1 if both are constants and differ."""
    if x[0] not in ("num", "inf") or y[0] not in ("num", "inf"):
        return None
    a, b = (_rank(v) for v in (x, y))
    return (a > b) - (a < b) or None


def _rank(x: Value) -> tuple[int, Any]:
    return (x[1], 0) if x[0] == "inf" else (0, x[1])


class _Search:
    def __init__(self) -> None:
        self.cases, self.began = 0, time.monotonic()
        self.names: dict[Value, Value] = {}
        self.defining: list[Formula] = []

    def flat(self, x: Value) -> Value:
        """Return a plain name for a value; max and min get names of their own and what defines them."""
        match x[0]:
            case "~":
                return minus(self.flat(x[1]))
            case "max" | "min":
                a, b = self.flat(x[1]), self.flat(x[2])
                key = (x[0], a, b)
                if key not in self.names:
                    made = self.names[key] = ("name", len(self.names))
                    facts = [(made, a), (made, b), (a, made), (b, made)]  # for max: what is at least what
                    least = [(">=", p, q) if x[0] == "max" else (">=", q, p) for p, q in facts]
                    self.defining += [*least[:2], ("or", tuple(least[2:]))]
                return self.names[key]
        return x

    def plain(self, formula: Formula) -> Formula:
        if formula[0] in ("and", "or"):
            return (formula[0], tuple(self.plain(part) for part in formula[1]))
        return (formula[0], self.flat(formula[1]), self.flat(formula[2]))

    def satisfiable(self, graph: _Graph, todo: list[Formula]) -> bool:
        """Look for a case that is not given up."""
        self.cases += 1
        if self.cases > MOST_CASES or (self.cases % 64 == 0 and time.monotonic() - self.began > MOST_SECONDS):
            raise TooHard
        choices: list[tuple[Formula, ...]] = []
        while todo:
            formula = todo.pop()
            match formula[0]:
                case "and":
                    todo += formula[1]
                case "or":
                    choices.append(formula[1])
                case "=":
                    if not (graph.learn(formula[1], formula[2], False) and graph.learn(formula[2], formula[1], False)):
                        return False
                case "!=":
                    choices.append(((">", formula[1], formula[2]), (">", formula[2], formula[1])))
                case _:
                    if not graph.learn(formula[1], formula[2], formula[0] == ">"):
                        return False
            if not todo and choices:  # settle what is settled; a choice with one way left is no choice
                left = []
                for ways in choices:
                    live: list[Formula] | None = []
                    for way in ways:
                        known = _settled(graph, way)
                        if known:
                            live = None
                            break
                        if known is None and live is not None:
                            live.append(way)
                    if live is None:
                        continue
                    if not live:
                        return False
                    if len(live) == 1:
                        todo.append(live[0])
                    else:
                        left.append(tuple(live))
                choices = left
        if not choices:
            return True
        ways = min(choices, key=len)
        rest: list[Formula] = [("or", other) for other in choices if other is not ways]
        before: list[Formula] = []
        for way in ways:
            if self.satisfiable(graph.copy(), [*rest, way, *before]):
                return True
            if way[0] not in ("and", "or"):
                before.append(deny(way))  # the next cases are those where this one is false
        return False


def _settled(graph: _Graph, formula: Formula) -> bool | None:
    """Return whether a formula is known to hold or to fail."""
    match formula[0]:
        case "and" | "or":
            stop = formula[0] == "or"
            open_ = False
            for part in formula[1]:
                known = _settled(graph, part)
                if known is stop:
                    return stop
                open_ |= known is None
            return None if open_ else not stop
        case "=" | "!=":
            ends = graph.says(formula[1], formula[2], False), graph.says(formula[2], formula[1], False)
            equal = True if ends == (True, True) else False if False in ends else None
            return equal if formula[0] == "=" or equal is None else not equal
    return graph.says(formula[1], formula[2], formula[0] == ">")


def impossible(formula: Formula) -> bool:
    """Tell whether no extended reals satisfy a formula that only compares. Raises TooHard.

    >>> x, y, z = ("arg", 0), ("arg", 1), ("arg", 2)
    >>> impossible(("and", ((">=", x, y), (">=", y, z), (">", z, x))))
    True
    >>> impossible((">", ("max", x, y), ("max", y, x)))
    True
    >>> impossible((">", x, ("inf", 1)))
    True
    """
    search = _Search()
    plain = search.plain(formula)
    signed = any(part[0] == "~" for value in values(formula) for part in parts(value))
    return not search.satisfiable(_Graph(signed), [plain, *search.defining])
