"""What a clause says: conditions, comparisons and results, every variable named by the call that gives it.

Why it is here.  To the checker a clause is a statement: *if* these tests of things hold and these comparisons hold,
*then* the outputs are these.  Predicates are functions of their inputs, so a variable needs no name of its own; two
clauses that differ only in the names of variables or the order of goals have the same reading.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from ludwin.discover.checker.formula import Formula, Value, calls_in, compare, minus, number, with_sums
from ludwin.discover.checker.terms import (
    SIGNS,
    Atom,
    HornClause,
    LogicProgram,
    Num,
    RefusedProof,
    Term,
    Variable,
    show_clause,
    variables,
)

Condition = tuple[str, tuple[Value, ...]]  # (a test, or LIST for "has a first item"; what about)
LIST = "[|]"  # no predicate can have this name
MOST_WEIGHT = 5000  # how large a value may become when computed variables are put in: X1 is X0+X0, X2 is X1+X1, …


@dataclass(frozen=True)
class Call:
    """A call of a predicate with outputs, as values."""

    name: str
    inputs: tuple[Value, ...]

    def sources(self) -> frozenset[Condition]:
        """Return the calls that must have been answered before this one can be made."""
        return sources(self.inputs)


def sources(given: Collection[Value]) -> frozenset[Condition]:
    """Return the calls whose outputs some values speak of."""
    return frozenset((v[1], v[3]) for value in given for v in calls_in(value))


@dataclass
class Reading:
    """A clause as a statement about its arguments."""

    clause: HornClause
    conditions: dict[Condition, bool] = field(default_factory=dict)
    tests: list[Formula] = field(default_factory=list)
    outs: list[Value] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    computed: list[Value] = field(default_factory=list)  # every number that the clause computes
    impossible: bool = False  # a condition that contradicts another

    @property
    def name(self) -> str:
        """The predicate that the clause is about."""
        return self.clause.head.name


class _TermReader:
    def __init__(
        self, program: LogicProgram, kinds: dict[str, list[str]], contracts: Collection[str], clause: HornClause
    ):
        self.program, self.kinds, self.contracts = program, kinds, contracts
        self.found = Reading(clause)
        self.env: dict[str, Value] = {}
        self.weights: dict[str, int] = {}
        self.where = show_clause(clause)

    def read(self) -> Reading:
        clause, found = self.found.clause, self.found
        pred = self.program.preds[clause.head.name]
        if not pred.places("out"):
            raise RefusedProof(f"a predicate with clauses has an output: {self.where}")
        for at, i in enumerate(pred.places("in")):
            self._take(clause.head.args[i], ("arg", at), self.kinds[pred.name][i])
        self._weigh(clause.head.args)
        waiting = [goal for goal in clause.body if goal.name not in SIGNS]
        targets = [goal.args[0].name for goal in waiting if goal.name == "is" and isinstance(goal.args[0], Variable)]
        if len(set(targets)) != len(targets):
            raise RefusedProof(f"a variable is computed twice: {self.where}")
        while waiting:
            ready = [
                goal for goal in waiting if all(v in self.env for arg in self._inputs(goal) for v in variables(arg))
            ]
            if not ready:
                missing = sorted(
                    {v for g in waiting for arg in self._inputs(g) for v in variables(arg)} - set(self.env)
                )
                raise RefusedProof(f"nothing gives {', '.join(missing)} a value: {self.where}")
            for goal in ready:
                weight = 1 + self._weigh(self._inputs(goal))
                bound = set().union(*map(variables, goal.args)) - set(self.env)
                self.weights.update(
                    dict.fromkeys(bound, weight + self._weigh([a for a in goal.args if not isinstance(a, Variable)]))
                )
                self._goal(goal)
            waiting = [goal for goal in waiting if not any(goal is g for g in ready)]
        self._weigh(clause.head.args)
        for goal in clause.body:
            if goal.name in SIGNS:
                self._weigh(goal.args)
                x, y = self.value(goal.args[0]), self.value(goal.args[1])
                found.computed += [x, y]
                found.tests.append(compare(goal.name, x, y))
        for i in pred.places("out"):
            out = self.value(clause.head.args[i])
            if self.kinds[pred.name][i] == "number":
                found.computed.append(out)
            found.outs.append(out)
        return found

    def _weigh(self, terms: Collection[Term]) -> int:
        """Return how large the values of some terms are, before they are built."""
        weight = sum(self._weight(term) for term in terms)
        if weight > MOST_WEIGHT:
            raise RefusedProof(f"what is computed is too large to be looked at: {self.where}")
        return weight

    def _weight(self, term: Term) -> int:
        if isinstance(term, Variable):
            return self.weights.get(term.name, 1)
        return 1 if isinstance(term, Num) else 1 + sum(map(self._weight, term.args))

    def _inputs(self, goal: Atom) -> list[Term]:
        if goal.name == "is":
            return [goal.args[1]]
        return [goal.args[i] for i in self.program.preds[goal.name].places("in")]

    def _take(self, term: Term, value: Value, kind: str) -> None:
        """Match a pattern with a value that comes in."""
        if isinstance(term, Variable):
            if term.name not in self.env:
                self.env[term.name] = value
            elif kind == "number":
                self.found.tests.append(("=", self.env[term.name], value))
            else:
                raise RefusedProof(f"{term.name} stands for two things: {self.where}")
        elif isinstance(term, Num):
            self.found.tests.append(("=", value, constant(term)))
        elif term.functor == "[]":
            self._condition(LIST, (value,), False)
        elif term.functor == ".":
            self._condition(LIST, (value,), True)
            self._take(term.args[0], ("hd", value), "thing")
            self._take(term.args[1], ("tl", value), "list")
        elif term.functor == "~" and isinstance(term.args[0], Variable) and term.args[0].name not in self.env:
            self.env[term.args[0].name] = minus(value)
        else:
            raise RefusedProof(f"a pattern is a variable, a number or a list: {self.where}")

    def _condition(self, test: str, about: tuple[Value, ...], holds: bool) -> None:
        if self.found.conditions.setdefault((test, about), holds) != holds:
            self.found.impossible = True

    def _goal(self, goal: Atom) -> None:
        if goal.name == "is":
            target = goal.args[0]
            if not isinstance(target, Variable):
                raise RefusedProof(f"`is` computes a variable: {self.where}")
            value = self.value(goal.args[1])
            self.found.computed.append(value)
            if target.name in self.env:
                raise RefusedProof(f"{target.name} is computed and comes from elsewhere, too: {self.where}")
            self.env[target.name] = value
            return
        pred = self.program.preds[goal.name]
        given = []
        for i in pred.places("in"):
            given.append(self.value(goal.args[i]))
            if self.kinds[goal.name][i] == "number":
                self.found.computed.append(given[-1])
        inputs = tuple(given)
        outs = pred.places("out")
        if not outs:
            self._condition(goal.name, inputs, True)
            return
        call = Call(goal.name, inputs)
        if call not in self.found.calls:
            self.found.calls.append(call)
        tag = "call" if goal.name in self.contracts else "out"
        for k, i in enumerate(outs):
            self._take(goal.args[i], (tag, goal.name, k, inputs), self.kinds[goal.name][i])

    def value(self, term: Term) -> Value:
        """Return the value of a term whose variables have values."""
        if isinstance(term, Variable):
            if term.name not in self.env:
                raise RefusedProof(f"nothing gives {term.name} a value: {self.where}")
            return self.env[term.name]
        if isinstance(term, Num):
            return constant(term)
        args = [self.value(arg) for arg in term.args]
        match term.functor:
            case "[]":
                return ("nil",)
            case ".":
                return ("cons", *args)
            case "~":
                return minus(args[0])
            case "max" | "min" if len(args) == 2:
                return (term.functor, *args)
            case "+" | "-" if len(args) == 2:
                return added(args[0], args[1] if term.functor == "+" else minus(args[1]))
            case "*" | "/" if len(args) == 2:
                return self._times(term.functor, args[0], args[1])
        if args:
            raise RefusedProof(f"{term.functor} is no arithmetic: {self.where}")
        return ("word", term.functor)

    def _times(self, sign: str, x: Value, y: Value) -> Value:
        if sign == "*" and x[0] != "num":
            x, y = y, x
        factor, other = (x, y) if sign == "*" else (y, x)
        if factor[0] != "num" or factor[1] == 0:
            raise RefusedProof(
                f"only products with and quotients by a number other than 0 are understood: {self.where}"
            )
        return times(factor[1] if sign == "*" else 1 / factor[1], other)


def added(x: Value, y: Value) -> Value:
    """Return a sum, computed if both are numbers."""
    if x[0] == "num" and y[0] == "num":
        return number(x[1] + y[1])
    return ("+", x, y)


def times(factor: Fraction, x: Value) -> Value:
    """Return a multiple."""
    if x[0] == "num":
        return number(factor * x[1])
    if x[0] == "inf":
        return ("inf", x[1] if factor > 0 else -x[1])
    return x if factor == 1 else ("*", factor, x)


def constant(term: Num) -> Value:
    """Return a constant as a value."""
    return ("inf", int(term.value)) if term.infinite else ("num", term.value)


def read(program: LogicProgram, kinds: dict[str, list[str]], contracts: Collection[str], clause: HornClause) -> Reading:
    """Return the reading of a clause; calls of predicates in `contracts` are known by their contracts only."""
    return _TermReader(program, kinds, contracts, clause).read()


def test_formula(goal: Atom, env: dict[str, Value], where: str) -> Formula:
    """Return a comparison over variables with values; one of its sums that is no number makes it false."""
    reader = _TermReader.__new__(_TermReader)
    reader.env, reader.where = env, where
    return with_sums(compare(goal.name, reader.value(goal.args[0]), reader.value(goal.args[1])))


def truths(either: list[tuple[str, ...]], open_: Collection[Condition]) -> Iterator[dict[Condition, bool]]:
    """Yield all ways in which some conditions can hold: of an `either` group exactly one."""
    groups: list[list[dict[Condition, bool]]] = []
    done: set[Condition] = set()
    for key in open_:
        if key in done:
            continue
        group = next((g for g in either if key[0] in g), None)
        if group is None:
            done.add(key)
            groups.append([{key: True}, {key: False}])
        else:
            members = [(test, key[1]) for test in group]
            done.update(members)
            groups.append([{m: m == chosen for m in members} for chosen in members])
    found: list[dict[Condition, bool]] = [{}]
    for ways in groups:
        found = [{**known, **way} for known in found for way in ways]
        if len(found) > 4096:
            raise RefusedProof("more than 4096 combinations of tests in one predicate")
    yield from found


def close(either: list[tuple[str, ...]], known: dict[Condition, bool]) -> dict[Condition, bool] | None:
    """Return what follows from some conditions by the `either` groups; None if they contradict each other."""
    found = dict(known)
    for (test, about), holds in known.items():
        for group in either:
            if test not in group:
                continue
            others = [(t, about) for t in group if t != test]
            if holds:
                for other in others:
                    if found.setdefault(other, False):
                        return None
    for group in either:
        for about in {about for test, about in known if test in group}:
            members = [(t, about) for t in group]
            unknown = [m for m in members if m not in found]
            if all(found.get(m) is False for m in members if m in found) and not any(found.get(m) for m in members):
                if not unknown:
                    return None
                if len(unknown) == 1:
                    found[unknown[0]] = True
    for (test, about), holds in found.items():
        if test == LIST and about[0][0] in ("cons", "nil") and holds != (about[0][0] == "cons"):
            return None
    return found
