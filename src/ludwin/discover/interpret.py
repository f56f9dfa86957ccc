"""The reference interpreter: runs clauses as they stand, and counts what is costly.

Why it is here.  A clause is a set of goals, so that somebody must choose an order.  This interpreter is
lazy: it keeps all clauses that may still apply, does what is cheap, and calls the costly goal that most
of them wait for.  A clause that saves a goal therefore saves it in fact, before any code is generated.
Costs are counts of calls, never seconds, and a run that exceeds its allowance is stopped.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ludwin.discover.term import COMPARE, NIL, Clause, Const, Goal, Program, Struct, Term, Var, modes, names
from ludwin.errors import LudwinError

World = Mapping[str, Callable[..., Any]]  # a primitive returns its output, a tuple of several, or whether a test holds


class NoAnswer(LudwinError, RuntimeError):
    """A call that no clause answers: the program is not total."""


class AxiomBroken(LudwinError, ValueError):
    """A primitive that does not keep what the program supposes of it."""


class TooCostly(LudwinError, RuntimeError):
    """A run that exceeded its allowance."""


@dataclass
class _Attempt:
    clause: Clause
    env: dict[str, Any]
    goals: list[Goal]
    tests: list[Goal] = field(default_factory=list)


class Interpreter:
    """Runs a program in a world of primitives; `counts` tells how often each predicate was called."""

    def __init__(self, program: Program, world: World, allowance: int | None = None, costly: str = "eval"):
        self.program = program
        self.world = world
        self.allowance = allowance
        self.costly = costly
        self.counts: Counter[str] = Counter()

    def call(self, name: str, *inputs: Any) -> Any:
        """Return the output of a predicate (a tuple if there are several)."""
        out = self._call(name, inputs)
        return out[0] if len(out) == 1 else out

    def _call(self, name: str, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        self.counts[name] += 1
        if name == self.costly and self.allowance is not None and self.counts[name] > self.allowance:
            raise TooCostly(f"more than {self.allowance} calls of {name}")
        if name not in self.program.defined:
            result = self.world[name](*inputs)
            out = self.program.preds[name].modes.count("out")
            return tuple(result) if out > 1 else (result,)
        live = []
        for clause in self.program.defined[name]:
            env: dict[str, Any] = {}
            if all(
                match(term, value, env) for term, value in zip(modes(self.program, clause.head)[0], inputs, strict=True)
            ):
                live.append(_Attempt(clause, env, list(clause.goals), list(clause.tests)))
        memo: dict[tuple[str, tuple[Any, ...]], tuple[Any, ...]] = {}
        while True:
            live = [attempt for attempt in live if self._advance(attempt, memo)]
            for attempt in live:
                if not attempt.goals and not attempt.tests:
                    return tuple(value_of(term, attempt.env) for term in modes(self.program, attempt.clause.head)[1])
            wanted: Counter[tuple[str, tuple[Any, ...]]] = Counter()
            for attempt in live:
                ready = {(g.name, found) for g in attempt.goals if (found := self._ready(g, attempt.env)) is not None}
                wanted.update(sorted(ready, key=lambda item: [g.name for g in attempt.goals].index(item[0])))
            if not wanted:
                raise NoAnswer(f"no clause of {name} answers")
            most = max(wanted.values())
            goal = next(item for item in wanted if wanted[item] == most)
            memo[goal] = self._call(*goal)

    def _ready(self, goal: Goal, env: dict[str, Any]) -> tuple[Any, ...] | None:
        into = modes(self.program, goal)[0]
        if all(name in env for term in into for name in names(term)):
            return tuple(value_of(term, env) for term in into)
        return None

    def _advance(self, attempt: _Attempt, memo: dict[tuple[str, tuple[Any, ...]], tuple[Any, ...]]) -> bool:
        """Do all that is known or cheap, tests first; False if the clause does not apply.

        A primitive may be asked only where the tests of its clause say that it answers, so nothing is computed
        as long as a test can be asked.
        """
        while True:
            for test in list(attempt.tests):
                if all(name in attempt.env for term in test.args for name in names(term)):
                    if not compare(test.name, *(value_of(term, attempt.env) for term in test.args)):
                        return False
                    attempt.tests.remove(test)
            goal = self._next(attempt, memo)
            if goal is None:
                return True
            into = self._ready(goal, attempt.env)
            assert into is not None
            if goal.name == "is":
                result = into
            elif (goal.name, into) in memo:
                result = memo[goal.name, into]
            else:
                result = memo[goal.name, into] = self._call(goal.name, into)
            out = modes(self.program, goal)[1]
            if not out and not result[0]:
                return False
            if not all(match(term, value, attempt.env) for term, value in zip(out, result, strict=False)):
                return False
            attempt.goals.remove(goal)

    def _next(self, attempt: _Attempt, memo: dict[tuple[str, tuple[Any, ...]], tuple[Any, ...]]) -> Goal | None:
        """Return a goal that can be done at once: a test, else arithmetic, something known, or something cheap."""
        ready = [(goal, into) for goal in attempt.goals if (into := self._ready(goal, attempt.env)) is not None]
        for goal, _ in ready:
            if goal.name != "is" and not modes(self.program, goal)[1]:
                return goal
        for goal, into in ready:
            if goal.name == "is" or (goal.name, into) in memo or not self.program.preds[goal.name].costly:
                return goal
        return None


def match(term: Term, value: Any, env: dict[str, Any]) -> bool:
    """Match a pattern with a value, binding its variables."""
    if isinstance(term, Var):
        return bool(env.setdefault(term.name, value) == value)
    if term == NIL:
        return isinstance(value, tuple) and not value
    if isinstance(term, Struct) and term.functor == ".":
        return (
            isinstance(value, tuple)
            and len(value) > 0
            and match(term.args[0], value[0], env)
            and match(term.args[1], value[1:], env)
        )
    if isinstance(term, Struct) and term.functor == "-":
        return match(term.args[0], -value, env)
    return isinstance(term, Const) and bool(value == term.value)


def value_of(term: Term, env: Mapping[str, Any]) -> Any:
    """Return the value of a term whose variables are all known."""
    if isinstance(term, Var):
        return env[term.name]
    if isinstance(term, Const):
        return () if term == NIL else term.value
    args = [value_of(arg, env) for arg in term.args]
    match term.functor:
        case ".":
            return (args[0], *args[1])
        case "-":
            return -args[0] if len(args) == 1 else args[0] - args[1]
        case "+":
            return args[0] + args[1]
        case "*":
            return args[0] * args[1]
        case "/":
            return args[0] / args[1]
        case "max":
            return max(args)
        case "min":
            return min(args)
    return (term.functor, *args)


def compare(sign: str, x: Any, y: Any) -> bool:
    """Return whether a comparison holds."""
    match sign:
        case ">=":
            return bool(x >= y)
        case "<=":
            return bool(x <= y)
        case ">":
            return bool(x > y)
        case "<":
            return bool(x < y)
    assert sign in COMPARE
    return bool(x == y)


def watched(program: Program, world: World) -> dict[str, Callable[..., Any]]:
    """Return a world whose primitives are held to the facts that a program declares of them."""
    found = dict(world)
    for name in program.facts:
        if name in found and name not in program.defined:
            found[name] = _watch(program, name, found[name])
    return found


def _watch(program: Program, name: str, run: Callable[..., Any]) -> Callable[..., Any]:
    head, pred = program.heads[name], program.preds[name]
    several = pred.modes.count("out") > 1

    def asked(*inputs: Any) -> Any:
        result = run(*inputs)
        values = (
            *zip(pred.inputs(head.args), inputs, strict=True),
            *zip(pred.outputs(head.args), result if several else (result,), strict=True),
        )
        env = {arg.name: value for arg, value in values if isinstance(arg, Var)}
        for test in program.facts[name]:
            if not compare(test.name, *(value_of(arg, env) for arg in test.args)):
                from ludwin.discover.syntax import write_goal

                raise AxiomBroken(
                    f"{write_goal(head)}: {write_goal(test)} does not hold: it gave {value_of(test.args[0], env)}"
                )
        return result

    return asked
