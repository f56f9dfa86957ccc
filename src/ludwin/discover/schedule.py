"""From a set of clauses to a decision tree: in which order to do what, once and for all.

Why it is here.  Clauses say what is true; machines want to be told what to do next.  The schedule asks the
cheapest question first, never computes what only some of the remaining clauses need while all of them need
something else, and shares whatever clauses have in common.  It is the interpreter's strategy, decided
before the program runs; Python text, kernel text and pictures are written from it.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludwin.discover.region import Fact, Literal, Region, deny, facts_of, is_literal, meet, region
from ludwin.discover.term import (
    NIL,
    BadProgram,
    Clause,
    Const,
    Goal,
    Name,
    Program,
    Struct,
    Term,
    Var,
    canonical_names,
    intern,
    modes,
    names,
    spell,
)


@dataclass(frozen=True)
class Return:
    """The results, as terms of the tree's own variables."""

    outs: tuple[Term, ...]


@dataclass(frozen=True)
class Let:
    """Compute something and go on."""

    goal: Goal
    then: "Tree"


@dataclass(frozen=True)
class If:
    """Ask a question: a test goal, a comparison, or whether a list has a first item (`cons`)."""

    test: Goal
    then: "Tree"
    other: "Tree"


Tree = Return | Let | If


class _ScheduledClause:
    """A clause in the tree's variables, with what it still needs."""

    def __init__(self, program: Program, clause: Clause, shared: "_Shared"):
        found, labels = canonical_names(program, clause)
        self.lists: list[tuple[Name, bool, Term]] = []  # name of a list, has it an item, the pattern
        for i, (arg, mode) in enumerate(zip(clause.head.args, program.preds[clause.head.name].modes, strict=True)):
            if mode == "in":
                self._pattern(arg, intern("@arg", i), shared)
        subst: dict[str, Term] = {name: Var(shared.variable(canonical, name)) for name, canonical in found.items()}
        self.goals: dict[Name, Goal] = {}
        self.tests: dict[Name, Goal] = {}
        for goal, label in labels.items():
            renamed = Goal(goal.name, tuple(_rename(arg, subst) for arg in goal.args))
            out = modes(program, goal)[1]
            if out:
                for k, term in enumerate(out):
                    self._pattern(term, intern(k, label), shared)
                self.goals[label] = _plain_outputs(program, renamed, label, shared)
            else:
                self.tests[label] = renamed
        self.facts: list[tuple[Fact, Goal]] = []
        for test in clause.tests:
            renamed = Goal(test.name, tuple(_rename(arg, subst) for arg in test.args))
            self.facts += [(fact, renamed) for fact in facts_of(test, found.__getitem__)]
        self.outs = tuple(_rename(term, subst) for term in modes(program, clause.head)[1])

    def _pattern(self, arg: Term, name: Name, shared: "_Shared") -> None:
        if arg == NIL:
            self.lists.append((name, False, arg))
        elif isinstance(arg, Struct) and arg.functor == ".":
            self.lists.append((name, True, arg))
            for k, part in enumerate(arg.args):
                self._pattern(part, intern("@part", k, name), shared)
        elif isinstance(arg, Var):
            shared.variable(name, arg.name)
        elif isinstance(arg, Const):
            raise BadProgram(f"a schedule cannot match the number {arg.value}")


class _Shared:
    """Variables of the whole tree, by canonical name."""

    def __init__(self, program: Program):
        self.program = program
        self.by_name: dict[Name, str] = {}
        self.taken: set[str] = set()

    def variable(self, canonical: Name, wish: str) -> str:
        if canonical not in self.by_name:
            name, number = wish, 1
            while name in self.taken:
                name, number = f"{wish}{number}", number + 1
            self.by_name[canonical] = name
            self.taken.add(name)
        return self.by_name[canonical]


def _rename(term: Term, subst: dict[str, Term]) -> Term:
    if isinstance(term, Var):
        return subst[term.name]
    return Struct(term.functor, tuple(_rename(arg, subst) for arg in term.args)) if isinstance(term, Struct) else term


def _plain_outputs(program: Program, goal: Goal, label: Name, shared: _Shared) -> Goal:
    """Return the goal with plain variables where it had patterns for its outputs."""
    args: list[Term] = []
    k = 0
    ways = ("out", "in") if goal.name == "is" else program.preds[goal.name].modes
    for arg, mode in zip(goal.args, ways, strict=True):
        if mode == "out":
            args.append(arg if isinstance(arg, Var) else Var(shared.variable(intern(k, label), "Xs")))
            k += 1
        else:
            args.append(arg)
    return Goal(goal.name, tuple(args))


@dataclass(frozen=True)
class Procedure:
    """A predicate as a procedure: its inputs and what to do."""

    name: str
    inputs: tuple[str, ...]
    kinds: tuple[str, ...]
    tree: Tree


def schedule(program: Program, name: str) -> Procedure:
    """Return the decision tree of a predicate. Raises BadProgram if some case has no clause."""
    shared = _Shared(program)
    pred = program.preds[name]
    attempts = [_ScheduledClause(program, clause, shared) for clause in program.defined[name]]
    inputs = tuple(shared.variable(intern("@arg", i), f"X{i}") for i, mode in enumerate(pred.modes) if mode == "in")
    kinds = tuple(kind for kind, mode in zip(pred.kinds, pred.modes, strict=True) if mode == "in")
    start = region(())
    if name in program.pre:
        where = {v.name: intern("@arg", i) for i, v in enumerate(program.heads[name].args) if isinstance(v, Var)}
        plain = [
            test for test in program.pre[name] if all(is_literal(arg) for arg in test.args)
        ]  # sums are beyond a schedule
        start = region(f for test in plain for f in facts_of(test, where.__getitem__))
    builder = _Builder(program, name, shared)
    ready = {
        canonical for canonical in shared.by_name if canonical in {intern("@arg", i) for i in range(len(pred.modes))}
    }
    return Procedure(name, inputs, kinds, builder.build(attempts, frozenset(ready), {}, {}, start, frozenset()))


class _Builder:
    def __init__(self, program: Program, name: str, shared: _Shared):
        self.program, self.name, self.shared = program, name, shared

    def build(
        self,
        live: list[_ScheduledClause],
        ready: frozenset[Name],
        lists: dict[Name, bool],
        tests: dict[Name, bool],
        known: Region,
        done: frozenset[Name],
    ) -> Tree:
        live = [a for a in live if self._possible(a, lists, tests, known)]
        if not live:
            raise BadProgram(f"{self.name}: no clause covers some case")
        for a in live:
            if (
                set(a.goals) <= done
                and all(n in lists for n, _, _ in a.lists)
                and all(t in tests for t in a.tests)
                and all(known.entails(f) for f, _ in a.facts)
            ):
                return Return(a.outs)
        for a in live:  # 1. is there a first item?
            for name, _, pattern in a.lists:
                if name not in lists and name in ready:
                    parts = next((p for b in live for n, has, p in b.lists if n == name and has), pattern)
                    inner = ready | (
                        {intern("@part", 0, name), intern("@part", 1, name)} if isinstance(parts, Struct) else set()
                    )
                    items = [Var(self.shared.variable(intern("@part", k, name), w)) for k, w in ((0, "C"), (1, "Cs"))]
                    test = Goal("cons", (Var(self.shared.variable(name, "Xs")), *items))
                    yes = self.build(live, inner, {**lists, name: True}, tests, known, done)
                    return If(test, yes, self.build(live, ready, {**lists, name: False}, tests, known, done))
        for a in live:  # 2. tests of positions
            for label, goal in a.tests.items():
                if label not in tests and self._has(goal, ready):
                    return self._ask(label, goal, live, ready, lists, tests, known, done)
        for a in live:  # 3. comparisons
            for fact, goal in a.facts:
                if not known.entails(fact) and all(self._is_ready(lit, ready) for lit in (fact[0], fact[2])):
                    yes = self.build(live, ready, lists, tests, meet(known, [fact]), done)
                    return If(goal, yes, self.build(live, ready, lists, tests, meet(known, [deny(fact)]), done))
        label, goal = self._next(live, ready, done)
        outs = {intern(k, label) for k in range(len(modes(self.program, goal)[1]))}
        return Let(goal, self.build(live, ready | outs, lists, tests, known, done | {label}))

    @staticmethod
    def _is_ready(lit: Literal, ready: frozenset[Name]) -> bool:
        return lit[0] == "" or lit[0] in ready

    def _has(self, goal: Goal, ready: frozenset[Name]) -> bool:
        have = {self.shared.by_name[n] for n in ready if n in self.shared.by_name}
        return all(name in have for term in modes(self.program, goal)[0] for name in names(term))

    @staticmethod
    def _possible(a: _ScheduledClause, lists: dict[Name, bool], tests: dict[Name, bool], known: Region) -> bool:
        if any(lists.get(name, has) != has for name, has, _ in a.lists) or not all(tests.get(t, True) for t in a.tests):
            return False
        return not meet(known, [f for f, _ in a.facts]).empty

    def _ask(
        self,
        label: Name,
        goal: Goal,
        live: list[_ScheduledClause],
        ready: frozenset[Name],
        lists: Any,
        tests: dict[Name, bool],
        known: Region,
        done: frozenset[Name],
    ) -> Tree:
        group = next((g for g in self.program.either if goal.name in g), (goal.name,))
        back = {self.shared.by_name[n]: n for n in ready if n in self.shared.by_name}
        about = [spell(term, back) for term in modes(self.program, goal)[0]]
        others = [intern(test, *about) for test in group if test != goal.name]
        yes = self.build(live, ready, lists, {**tests, label: True, **dict.fromkeys(others, False)}, known, done)
        no = {**tests, label: False}
        left = [other for other in others if tests.get(other) is not False]
        if len(left) == 1:  # one of the group must hold
            no[left[0]] = True
        return If(goal, yes, self.build(live, ready, lists, no, known, done))

    def _next(self, live: list[_ScheduledClause], ready: frozenset[Name], done: frozenset[Name]) -> tuple[Name, Goal]:
        """Choose what to compute: something cheap that all need, else the costly call that most need."""
        wanted: Counter[Name] = Counter()
        goals: dict[Name, Goal] = {}
        for a in live:
            for label, goal in a.goals.items():
                if label not in done and self._has(goal, ready):
                    wanted[label] += 1
                    goals.setdefault(label, goal)
        if not wanted:
            raise BadProgram(f"{self.name}: nothing can be computed next")
        costly = {n: goals[n].name != "is" and self.program.preds[goals[n].name].costly for n in wanted}
        best = max(wanted, key=lambda n: (wanted[n] == len(live) and not costly[n], wanted[n], not costly[n]))
        return best, goals[best]


def walk(tree: Tree) -> Iterator[Tree]:
    """Yield every node of a tree."""
    yield tree
    if isinstance(tree, Let):
        yield from walk(tree.then)
    elif isinstance(tree, If):
        yield from walk(tree.then)
        yield from walk(tree.other)


def reachable(program: Program, entries: tuple[str, ...]) -> list[str]:
    """Return the defined predicates that some entries need, in the order of the program."""
    found, waiting = set(), list(entries)
    while waiting:
        name = waiting.pop()
        if name in found or name not in program.defined:
            continue
        found.add(name)
        waiting += [goal.name for clause in program.defined[name] for goal in clause.goals]
    return [name for name in program.defined if name in found]
