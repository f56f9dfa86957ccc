"""What a clause says, for the checker: conditions, numbers, and results as a function of the calls.

Why it is here.  To the checker a clause is a function: from the truth of its tests and the values of its
calls to its results, or to "does not apply".  Two sets of clauses are equivalent if these functions
agree everywhere, and everywhere is finite: all truth values times all order types.  With sums and
products among the numbers the question goes to z3 instead.
"""

import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any

from ludwin.discover.logic import SIGNS, Refused, Rule, Theory, Tree, put, sample_line, variables

Env = dict[str, Any]


class Meaning:
    """One clause with every variable named by the call that defines it."""

    def __init__(self, theory: Theory, rule: Rule):
        self.theory, self.rule = theory, rule
        self.name: dict[str, str] = {}
        self.conditions: set[tuple[str, str]] = set()  # (what, about what): cons/nil of a list, a test, the success of a goal
        self.arithmetic: list[Tree] = []
        self._all: list[Tree] = []
        self.calls: dict[str, Tree] = {}  # name of a call -> the goal
        modes = theory.preds[rule.head[0]].modes
        self.heads = [arg for arg, mode in zip(rule.head[1:], modes, strict=True) if mode == "in"]
        for i, (arg, mode) in enumerate(zip(rule.head[1:], modes, strict=True)):
            if mode == "in":
                self._take(arg, f"arg{i}")
        self.outs = [arg for arg, mode in zip(rule.head[1:], modes, strict=True) if mode == "out"]
        self.tests = [goal for goal in rule.body if goal[0] in SIGNS]
        waiting = [goal for goal in rule.body if goal[0] not in SIGNS]
        while waiting:
            ready = [goal for goal in waiting if all(v in self.name for part in self._inputs(goal) for v in variables(part))]
            if not ready:
                raise Refused(
                    f"nothing gives {', '.join(sorted(set().union(*(variables(g) for g in waiting)) - set(self.name)))} a value in: {rule.text or rule.head}"
                )
            for goal in ready:
                self._goal(goal)
            waiting = [goal for goal in waiting if goal not in ready]
        self.read(self.tests)
        for part in [*self.tests, *self.outs]:
            for v in variables(part):
                if v not in self.name:
                    raise Refused(f"nothing gives {v} a value in: {rule.text or rule.head}")

    def _inputs(self, goal: Tree) -> list[Tree]:
        if goal[0] == "is":
            return [goal[2]]
        if goal[0] not in self.theory.preds:
            raise Refused(f"unknown predicate {goal[0]}")
        return [arg for arg, mode in zip(goal[1:], self.theory.preds[goal[0]].modes, strict=True) if mode == "in"]

    def spell(self, tree: Tree) -> str:
        """Return a term in canonical names."""
        if isinstance(tree, str):
            return self.name[tree]
        return f"{tree[0]}({','.join(self.spell(part) for part in tree[1:])})" if isinstance(tree, list) else repr(float(tree))

    def _take(self, arg: Tree, name: str) -> None:
        if isinstance(arg, str):
            if arg in self.name and self.name[arg] != name:
                raise Refused(f"{arg} is given two values in: {self.rule.text or self.rule.head}")
            self.name[arg] = name
        elif isinstance(arg, list) and arg[0] in ("cons", "nil"):
            self.conditions.add((arg[0], name))
            for i, part in enumerate(arg[1:]):
                self._take(part, f"{name}.{i}")
        elif isinstance(arg, list) and arg[0] == "-" and len(arg) == 2 and isinstance(arg[1], str):
            raise Refused(f"a negative pattern is not understood in: {self.rule.text or self.rule.head}")
        else:
            self.arithmetic.append(["=", f"@{name}", arg])

    def _goal(self, goal: Tree) -> None:
        into = self._inputs(goal)
        if goal[0] == "is":
            self.arithmetic.append(goal)
            self.name[goal[1]] = self.spell(["is", goal[2]])
            return
        name = f"{goal[0]}({','.join(self.spell(part) for part in into)})"
        self.calls[name] = goal
        out = [arg for arg, mode in zip(goal[1:], self.theory.preds[goal[0]].modes, strict=True) if mode == "out"]
        declared = self.theory.preds[goal[0]]
        if cheap(self.theory, goal[0]):
            self.arithmetic.append(goal)
        else:
            tests = {
                f"{g[0]}({self.spell(g[1])})"
                for g in self.rule.body
                if len(g) == 2 and g[0] in self.theory.preds and all(v in self.name for v in variables(g[1]))
            }
            if declared.total is None or any(f"{test}({self.spell(into[0])})" not in tests for test in declared.total):
                self.conditions.add(("holds", name))
        for i, arg in enumerate(out):
            self._take(arg, f"{name}#{i}" if len(out) > 1 else name + "#0")

    def read(self, tests: list[Tree]) -> None:
        """Read the clause with these tests; arithmetic that nothing reads only names the input of a call and is left out."""
        if not self._all:
            self._all = list(self.arithmetic)
        self.tests, self.arithmetic = tests, list(self._all)
        while True:
            read = set().union(
                *(variables(p) for p in [*self.tests, *self.outs]), *(variables(g[2]) if g[0] == "is" else variables(g) for g in self.arithmetic)
            )
            kept = [g for g in self.arithmetic if g[0] != "is" or g[1] in read]
            if len(kept) == len(self.arithmetic):
                return
            self.arithmetic = kept

    # evaluation

    def numbers(self) -> set[str]:
        """Return the canonical names whose values are compared or calculated with and are not calculated here."""
        made = {self.name[g[1]] for g in self.arithmetic if g[0] == "is"}
        for goal in self.arithmetic:
            if goal[0] not in ("is", "="):
                made |= {self.name[arg] for arg, mode in zip(goal[1:], self.theory.preds[goal[0]].modes, strict=True) if mode == "out" and isinstance(arg, str)}
        used = {self.name[v] for part in [*self.tests, *self.arithmetic] for v in variables(part) if v in self.name}
        used |= {g[1][1:] for g in self.arithmetic if g[0] == "="}
        used |= {self.name[v] for out in self.outs if isinstance(out, list) and out[0] not in ("cons", "nil") for v in variables(out)}
        return used - made

    def constants(self) -> set[float]:
        """Return the numbers that the clause mentions."""
        return set().union(*(_constants(part) for part in [*self.tests, *self.arithmetic, *self.outs]), set())

    def signed(self) -> bool:
        """Tell whether the clause uses minus."""
        return any(_has(part, "-") for part in [*self.tests, *self.arithmetic, *self.outs])

    def linear(self) -> bool:
        """Tell whether the clause adds or multiplies."""
        return any(_has(part, op) for part in [*self.tests, *self.arithmetic, *self.outs] for op in ("+", "*", "/")) or any(
            _has(part, "-", 3) for part in [*self.tests, *self.arithmetic, *self.outs]
        )

    def result(self, numbers: Env) -> tuple[Any, ...] | None:
        """Return the results for values of the calls, or None if the tests do not hold; other values are their own names."""
        env: Env = {v: numbers.get(name, name) for v, name in self.name.items()}
        for goal in self.arithmetic:
            if goal[0] == "is":
                env[goal[1]] = number(goal[2], env)
            elif goal[0] == "=":
                if numbers[goal[1][1:]] != goal[2]:
                    return None
            elif not self._cheap(goal, env):
                return None
        if not all(holds(test, env) for test in self.tests):
            return None
        return tuple(value(out, env) for out in self.outs)

    def _cheap(self, goal: Tree, env: Env) -> bool:
        modes = self.theory.preds[goal[0]].modes
        into = [value(arg, env) for arg, mode in zip(goal[1:], modes, strict=True) if mode == "in"]
        for rule in self.theory.of(goal[0]):
            inner: Env = {}
            heads = [arg for arg, mode in zip(rule.head[1:], modes, strict=True) if mode == "in"]
            for arg, given in zip(heads, into, strict=True):
                inner[arg] = given
            if all(holds(test, inner) for test in rule.body if test[0] in SIGNS):
                outs = [arg for arg, mode in zip(rule.head[1:], modes, strict=True) if mode == "out"]
                wanted = [arg for arg, mode in zip(goal[1:], modes, strict=True) if mode == "out"]
                for arg, out in zip(wanted, outs, strict=True):
                    env[arg] = value(out, inner)
                return True
        return False


def cheap(theory: Theory, name: str) -> bool:
    """Tell whether a predicate only compares: its clauses have tests and nothing else."""
    rules = theory.of(name)
    return (
        bool(rules) and all(goal[0] in SIGNS for rule in rules for goal in rule.body) and all(isinstance(arg, str) for rule in rules for arg in rule.head[1:])
    )


def _constants(tree: Tree) -> set[float]:
    if isinstance(tree, list):
        return set().union(*(_constants(part) for part in tree[1:])) if len(tree) > 1 else set()
    return set() if isinstance(tree, str) else {tree}


def _has(tree: Tree, functor: str, length: int = 0) -> bool:
    return isinstance(tree, list) and ((tree[0] == functor and (not length or len(tree) == length)) or any(_has(part, functor, length) for part in tree[1:]))


def value(tree: Tree, env: Env) -> Any:
    """Return the value of a term: a number, or the name of something that is none."""
    if isinstance(tree, str):
        return env[tree]
    if isinstance(tree, list) and (tree[0] in ("cons", "nil") or len(tree) == 1):
        return str(put(tree, {}))
    return number(tree, env)


def number(tree: Tree, env: Env) -> Any:
    """Return the number that a term means."""
    if isinstance(tree, str):
        return env[tree]
    if not isinstance(tree, list):
        if "infinity" in env and tree in (math.inf, -math.inf):
            return env["infinity"] if tree > 0 else -env["infinity"]
        return tree
    parts = [number(part, env) for part in tree[1:]]
    match tree[0], parts:
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
        case (("max" | "min"), [x, y]):
            return pick(tree[0], x, y)
    raise Refused(f"{tree[0]} is no arithmetic")


def pick(which: str, x: Any, y: Any) -> Any:
    """Return the greater or lesser of two numbers, which may be z3's."""
    if isinstance(x, int | float) and isinstance(y, int | float):
        return max(x, y) if which == "max" else min(x, y)
    import z3

    return z3.If(x >= y, x, y) if which == "max" else z3.If(x <= y, x, y)


def holds(test: Tree, env: Env) -> Any:
    """Return whether a comparison holds; a formula if the numbers are z3's."""
    x, y = number(test[1], env), number(test[2], env)
    match test[0]:
        case ">=":
            return x >= y
        case "<=":
            return x <= y
        case ">":
            return x > y
        case "<":
            return x < y
    return x == y


def truths(theory: Theory, meanings: Iterable[Meaning]) -> Iterator[dict[tuple[str, str], bool]]:
    """Yield all ways in which the conditions of some clauses can be true: one of each `either` group, list or no list."""
    atoms = sorted({("cons", c[1]) if c[0] == "nil" else c for m in meanings for c in m.conditions})
    groups: list[list[dict[tuple[str, str], bool]]] = []
    done: set[tuple[str, str]] = set()
    for atom in atoms:
        if atom in done:
            continue
        test, _, rest = atom[1].partition("(")
        group = next((g for g in theory.either if atom[0] == "holds" and test in g), None)
        members = [("holds", f"{t}({rest}") for t in group] if group else [atom]
        done.update(members)
        groups.append([{m: m == chosen for m in members} for chosen in members] if group else [{atom: True}, {atom: False}])
    for choice in itertools.product(*groups):
        yield {k: v for part in choice for k, v in part.items()}


def applies(meaning: Meaning, truth: dict[tuple[str, str], bool]) -> bool:
    """Tell whether the conditions of a clause hold."""
    return all(not truth[("cons", about)] if what == "nil" else truth[(what, about)] for what, about in meaning.conditions)


def domains(meanings: list[Meaning]) -> dict[str, list[float]]:
    """Return the values that each number has to try: enough for the numbers that it is compared with, directly or not."""
    links: list[tuple[set[str], set[float], bool]] = []
    for m in meanings:
        for part in [*m.tests, *m.arithmetic, *(["=", out, 0] for out in m.outs if isinstance(out, list))]:
            these, constants, signed = {m.name[v] for v in variables(part) if v in m.name}, _constants(part), _has(part, "-")
            if part[0] == "=" and isinstance(part[1], str) and part[1].startswith("@"):
                these.add(part[1][1:])
            apart = []
            for others, more, sign in links:
                if others & these:
                    these, constants, signed = these | others, constants | more, signed or sign
                else:
                    apart.append((others, more, sign))
            links = [*apart, (these, constants, signed)]
    names = set().union(*(m.numbers() for m in meanings), set())
    found: dict[str, list[float]] = {}
    for these, constants, signed in links:
        line = sample_line(len(names & these), constants, signed)
        found.update(dict.fromkeys(these & names, line))
    return found


def grid(meanings: list[Meaning]) -> Iterator[Env]:
    """Yield values for all numbers of some clauses that show every order type."""
    found = domains(meanings)
    names = sorted(found)
    for values in itertools.product(*(found[name] for name in names)):
        yield dict(zip(names, values, strict=True))
