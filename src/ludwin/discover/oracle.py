"""The two judges of the search: the region solver for orders, z3 for sums.

Why it is here.  Context closure asks one kind of question over and over: are two expressions equal for all
values that satisfy some tests?  If they are made of max, min and minus, cases over the order of their
literals decide it; if numbers are added or scaled, z3 does.  Every verdict is counted and remembered, so
that a derivation can say who proved what.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from ludwin.discover.interpret import compare, value_of
from ludwin.discover.region import Literal, Region, deny, facts_of, is_literal, literal, meet, opposite, region
from ludwin.discover.term import BadProgram, Const, Goal, Struct, Term, Var, names

ORDER, LINEAR = "region solver", "z3"


def is_order(term: Term) -> bool:
    """Tell whether a term is made of max, min, minus and literals."""
    if isinstance(term, Struct):
        if term.functor in ("max", "min") or (term.functor == "-" and len(term.args) == 1):
            return all(is_order(arg) for arg in term.args)
        return False
    return True


class Oracle:
    """Decides equalities and tests under assumptions; `by` counts verdicts, `cases` the order cases looked at."""

    def __init__(self) -> None:
        self.by: Counter[str] = Counter()
        self.cases = 0
        self.asked = 0  # questions that z3 itself had to answer
        self._samples: dict[Any, list[dict[str, Any]]] = {}
        self._known: dict[Any, bool] = {}

    def equal(self, first: Term, second: Term, given: Sequence[Goal]) -> bool:
        """Tell whether two expressions are equal wherever the given tests hold."""
        return self.holds(Goal("=", (first, second)), given)

    def holds(self, test: Goal, given: Sequence[Goal]) -> bool:
        """Tell whether a test holds wherever the given tests hold."""
        key = (test, tuple(given))
        if key not in self._known:
            self._known[key] = self._order(test, given) if self.who(test, given) == ORDER else self._linear(test, given)
            self.by[self.who(test, given)] += 1
        return self._known[key]

    @staticmethod
    def who(test: Goal, given: Sequence[Goal] = ()) -> str:
        """Return who decides a test."""
        return ORDER if all(is_order(arg) for goal in (test, *given) for arg in goal.args) else LINEAR

    # orders

    def _order(self, test: Goal, given: Sequence[Goal]) -> bool:
        for known in self._assume(region(()), list(given)):
            for after, x in self._values(test.args[0], known):
                for last, y in self._values(test.args[1], after):
                    self.cases += 1
                    if not all(last.entails(fact) for fact in _facts(test.name, x, y)):
                        return False
        return True

    def _assume(self, known: Region, given: list[Goal]) -> Iterator[Region]:
        if not given:
            yield known
            return
        for after, x in self._values(given[0].args[0], known):
            for last, y in self._values(given[0].args[1], after):
                met = meet(last, _facts(given[0].name, x, y))
                if not met.empty:
                    yield from self._assume(met, given[1:])

    def _values(self, term: Term, known: Region) -> Iterator[tuple[Region, Literal]]:
        """Yield the cases in which a term is one of its literals."""
        if is_literal(term):
            yield known, literal(term)
            return
        assert isinstance(term, Struct), term
        if term.functor == "-":
            for after, x in self._values(term.args[0], known):
                yield after, opposite(x)
            return
        for after, x in self._values(term.args[0], known):
            for last, y in self._values(term.args[1], after):
                great, small = (x, y) if term.functor == "max" else (y, x)
                fact = (great, False, small)
                if last.entails(fact):
                    yield last, x
                elif last.entails(deny(fact)):
                    yield last, y
                else:
                    yield meet(last, [fact]), x
                    yield meet(last, [deny(fact)]), y

    # sums

    def _linear(self, test: Goal, given: Sequence[Goal]) -> bool:
        z3 = need_z3()
        if any(
            not compare(test.name, *(value_of(arg, point) for arg in test.args)) for point in self._points(test, given)
        ):
            return False
        self.asked += 1
        solver = z3.Solver()
        solver.set("timeout", 2000)
        solver.add(*self._bounds(z3, test, *given), *(_formula(goal, z3) for goal in given), z3.Not(_formula(test, z3)))
        return bool(solver.check() == z3.unsat)

    @staticmethod
    def _bounds(z3: Any, *goals: Goal) -> list[Any]:
        """Infinity is a number that no variable exceeds."""
        top = z3.Real("inf")
        found = sorted({name for goal in goals for arg in goal.args for name in names(arg)})
        return [top > 0, *(f for name in found for f in (z3.Real(name) <= top, z3.Real(name) >= -top))]

    def _points(self, test: Goal, given: Sequence[Goal]) -> list[dict[str, Any]]:
        """Return values that satisfy the given tests: most false statements fail at one of them, without z3.

        The values are quarters, so that sums, doubles and halves of them are exact.
        """
        made = tuple(g for g in given if g.name == "=" and isinstance(g.args[0], Var))
        computed = {g.args[0].name for g in made if isinstance(g.args[0], Var)}
        free = frozenset(n for g in (test, *given) for arg in g.args for n in names(arg)) - computed
        found = self._pool(free, made)
        key: tuple[Any, ...] = (free, made)
        for goal in given:
            if goal in made:
                continue
            key = (*key, goal)
            if key not in self._samples:
                self._samples[key] = [p for p in found if compare(goal.name, *(value_of(arg, p) for arg in goal.args))]
            found = self._samples[key]
        return found[:40]

    def _pool(self, free: frozenset[str], made: tuple[Goal, ...]) -> list[dict[str, Any]]:
        key = (free, made)
        if key not in self._samples:
            rng = Random(0)
            pool = []
            for _ in range(2000):
                point: dict[str, Any] = {name: rng.randint(-8, 8) / 4 for name in sorted(free)}
                for goal in made:
                    assert isinstance(goal.args[0], Var)
                    point[goal.args[0].name] = value_of(goal.args[1], point)
                pool.append(point)
            self._samples[key] = pool
        return self._samples[key]

    def counterexample(self, test: Goal, given: Sequence[Goal]) -> str:
        """Return values for which a test fails although the given tests hold, as z3 tells them."""
        z3 = need_z3()
        solver = z3.Solver()
        solver.add(*self._bounds(z3, test, *given), *(_formula(goal, z3) for goal in given), z3.Not(_formula(test, z3)))
        if solver.check() != z3.sat:
            return ""
        model = solver.model()
        return ", ".join(f"{name}={model[name]}" for name in sorted(model, key=str))


def need_z3() -> Any:
    """Return z3, or say how to get it."""
    try:
        import z3
    except ImportError:
        raise BadProgram("this problem has sums, which need the z3 solver: pip install 'ludwin[discover]'") from None
    return z3


def _facts(sign: str, x: Literal, y: Literal) -> tuple[Any, ...]:
    from ludwin.discover.region import term_of

    return facts_of(Goal(sign, (term_of(x), term_of(y))))


def _formula(goal: Goal, z3: Any) -> Any:
    x, y = (_number(arg, z3) for arg in goal.args)
    match goal.name:
        case ">=":
            return x >= y
        case "<=":
            return x <= y
        case ">":
            return x > y
        case "<":
            return x < y
    return x == y


def _number(term: Term, z3: Any) -> Any:
    if isinstance(term, Var):
        return z3.Real(term.name)
    if isinstance(term, Const):
        if isinstance(term.value, float) and math.isinf(term.value):
            return z3.Real("inf") if term.value > 0 else -z3.Real("inf")
        return z3.RealVal(term.value)
    args = [_number(arg, z3) for arg in term.args]
    match term.functor, args:
        case "-", [x]:
            return -x
        case "-", [x, y]:
            return x - y
        case "+", [x, y]:
            return x + y
        case "*", [x, y]:
            return x * y
        case "/", [x, y]:
            return x / y
        case "max", [x, y]:
            return z3.If(x >= y, x, y)
        case "min", [x, y]:
            return z3.If(x <= y, x, y)
    raise BadProgram(f"{term.functor} is no arithmetic")
