"""Induction, for the checker: does every clause keep what the specification of its predicate says?

Why it is here.  Some algorithms do not compute the value itself but something related to it: fail-soft
alpha-beta returns a bound, a table remembers an interval.  Then the new predicate has a *relation* for
its specification, and each clause is proved by induction: suppose that every call keeps its own
relation; the tests of the clause hold; the plain program computes the value from the values of the
parts.  The results of the clause must keep the relation, whatever the values of the parts that it
never looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludwin.discover.logic import SIGNS, Refused, Rule, Theory, Tree, put, read_goal, solve, variables
from ludwin.discover.meaning import Meaning, domains, holds, number

Formula = list[list[Tree]]  # all of (any of tests)


@dataclass
class Specification:
    """`head` answers for `of` in such a way that `relation` holds."""

    of: Tree
    head: Tree
    relation: Formula


def read_specification(theory: Theory, name: str, data: dict[str, Any]) -> Specification:
    """Read a specification from its texts."""
    found = Specification(read_goal(data["of"]), read_goal(data["head"]), [[read_goal(t) for t in line.split(";")] for line in data["relation"]])
    if found.head[0] != name or found.of[0] not in theory.preds:
        raise Refused(f"the specification of {name} speaks of something else")
    return found


def _structure(spec: Specification) -> int:
    """Return which argument of the head is the thing that the plain predicate values."""
    return int(spec.head.index(spec.of[1]))


def keeps_specification(theory: Theory, definitions: dict[str, list[Rule]], specs: dict[str, Any], added: list[Rule]) -> None:
    """Raise Refused unless every clause keeps the relation of its predicate."""
    for rule in added:
        if rule.head[0] not in specs:
            raise Refused(f"{rule.head[0]} has no specification")
        spec: Specification = specs[rule.head[0]]
        cases = list(_cases(theory, definitions, spec, rule))
        if not cases:
            raise Refused(f"the plain program has no case like: {rule.text}")
        for base, value in cases:
            _prove(theory, specs, spec, rule, base, value)


def _cases(theory: Theory, definitions: dict[str, list[Rule]], spec: Specification, rule: Rule) -> Iterator[tuple[list[Tree], list[Tree]]]:
    """Yield the goals and values of the plain clauses that a clause may have to answer for."""
    mine = [g for g in rule.body if len(g) == 2 and g[0] not in SIGNS]
    for k, definition in enumerate(definitions[spec.of[0]]):
        apart = {v: f"{v}~{k}" for v in set().union(*(variables(g) for g in [definition.head, *definition.body]))}
        head, body = put(definition.head, apart), [put(g, apart) for g in definition.body]
        env: dict[str, Tree] = {}
        if not solve(head[1], rule.head[_structure(spec)], env):
            continue
        if any(v in env for v in variables(rule.head)):
            raise Refused(f"the clause must tell the cases of {spec.of[0]} apart: {rule.text}")
        body = [put(g, env) for g in body]
        tests = [g for g in body if len(g) == 2 and g[0] not in SIGNS]
        clash = any(a[1] == b[1] and a[0] != b[0] and any(a[0] in g and b[0] in g for g in theory.either) for a in tests for b in mine)
        if not clash:
            yield body, [put(v, env) for v in head[2:]]


def _prove(theory: Theory, specs: dict[str, Any], spec: Specification, rule: Rule, base: list[Tree], values: list[Tree]) -> None:
    body = list(rule.body) + [g for g in base if g not in rule.body]
    known: Formula = []
    for i, goal in enumerate(rule.body):
        if goal[0] not in specs:
            continue
        other: Specification = specs[goal[0]]
        about = goal[_structure(other)]
        parts: list[Tree] = [f"{v}!{i}" for v in other.of[2:]]
        if other.of[0] == spec.of[0] and about == rule.head[_structure(spec)]:  # it answers for the very same value
            parts = values
        else:
            body.append([other.of[0], about, *parts])
        env = {f"{v}?": arg for v, arg in zip(other.head[1:], goal[1:], strict=True)} | {f"{v}?": p for v, p in zip(other.of[2:], parts, strict=True)}
        known += [[put(_mark(t), env) for t in line] for line in other.relation]
    itself = [spec.of[0], rule.head[_structure(spec)], *values]
    for first, second, tests in theory.lemmas:
        for one in [*body, itself]:
            for two in body:
                if one[0] == first[0] and two[0] == second[0] and one[1] == two[1]:
                    env = {f"{v}?": arg for v, arg in zip([*first[1:], *second[1:]], [*one[1:], *two[1:]], strict=True)}
                    known += [[put(_mark(t), env)] for t in tests]
    for goal in body:
        if goal[0] in theory.facts:
            head, facts = theory.facts[goal[0]]
            known += [[put(_mark(t), {f"{v}?": arg for v, arg in zip(head[1:], goal[1:], strict=True)})] for t in facts]
    if rule.head[0] in theory.pre:
        head, goals = theory.pre[rule.head[0]]
        known += [[put(_mark(t), {f"{v}?": arg for v, arg in zip(head[1:], rule.head[1:], strict=True)})] for t in goals]
    env = {f"{v}?": arg for v, arg in zip(spec.head[1:], rule.head[1:], strict=True)} | {f"{v}?": v2 for v, v2 in zip(spec.of[2:], values, strict=True)}
    goal_lines = [[put(_mark(t), env) for t in line] for line in spec.relation]
    for goal in rule.body:  # what the calls require
        if goal[0] in theory.pre:
            head, tests = theory.pre[goal[0]]
            goal_lines += [[put(_mark(t), {f"{v}?": arg for v, arg in zip(head[1:], goal[1:], strict=True)})] for t in tests]
    meaning = Meaning(theory, Rule(rule.head, body, rule.text))
    known += [[t] for t in meaning.tests]
    whole = Meaning(theory, Rule(rule.head, body, rule.text))
    whole.read([t for line in known + goal_lines for t in line])
    if whole.linear():
        _by_z3(whole, known, goal_lines, rule)
    else:
        _by_order_types(whole, known, goal_lines, rule)


def _mark(tree: Tree) -> Tree:
    return put(tree, {v: f"{v}?" for v in variables(tree)})


def _by_z3(whole: Meaning, known: Formula, wanted: Formula, rule: Rule) -> None:
    from ludwin.discover.checker import need_z3

    z3 = need_z3()
    env = {v: z3.Real(name) for v, name in whole.name.items()}
    for goal in whole.arithmetic:
        env[goal[1]] = number(goal[2], env)
    solver = z3.Solver()
    solver.add(*(z3.Or([holds(t, env) for t in line]) for line in known))
    solver.add(z3.Not(z3.And([z3.Or([holds(t, env) for t in line]) for line in wanted])))
    if solver.check() != z3.unsat:
        raise Refused(f"z3 does not prove that this clause keeps its specification: {rule.text}")


def _by_order_types(whole: Meaning, known: Formula, wanted: Formula, rule: Rule) -> None:
    """Look for values that keep all that is known and break what is wanted; what is wanted is tried as early as possible."""
    spoken = {whole.name[v] for line in wanted for t in line for v in variables(t)}
    for goal in reversed([g for g in whole.arithmetic if g[0] == "is"]):
        if whole.name[goal[1]] in spoken:
            spoken |= {whole.name[v] for v in variables(goal[2])}
    names = _order(whole, known, spoken)
    domain = domains([whole])
    enough = max((i for i, name in enumerate(names) if name in spoken), default=-1) + 1
    variables_of: dict[str, list[str]] = {}
    for v, name in whole.name.items():
        variables_of.setdefault(name, []).append(v)
    made = [g for g in whole.arithmetic if g[0] == "is"]
    plan: list[tuple[list[Tree], list[list[Tree]]]] = []
    have: set[str] = set()
    left, open_lines = list(made), list(known)
    for name in names:
        have |= set(variables_of[name])
        now = []
        for goal in list(left):
            if variables(goal[2]) <= have:
                now.append(goal)
                left.remove(goal)
                have |= set(variables_of[whole.name[goal[1]]])
        ready = [line for line in open_lines if set().union(*(variables(t) for t in line)) <= have]
        open_lines = [line for line in open_lines if line not in ready]
        plan.append((now, ready))
    assert not left and not open_lines, (left, open_lines)

    def search(at: int, env: dict[str, Any]) -> None:
        if at == enough and all(any(holds(t, env) for t in line) for line in wanted):
            return
        if at == len(names):
            told = ", ".join(f"{n}={env[variables_of[n][0]]:g}" for n in names)
            raise Refused(f"this clause does not keep its specification when {told}: {rule.text}")
        now, ready = plan[at]
        for value in domain[names[at]]:
            inner = {**env, **dict.fromkeys(variables_of[names[at]], value)}
            for goal in now:
                inner.update(dict.fromkeys(variables_of[whole.name[goal[1]]], number(goal[2], inner)))
            if all(any(holds(t, inner) for t in line) for line in ready):
                search(at + 1, inner)

    search(0, {})


def _order(whole: Meaning, known: Formula, spoken: set[str]) -> list[str]:
    """Return the numbers in an order in which what is known can be tried early: what is wanted first, then the best linked."""
    lines = [{whole.name[v] for t in line for v in variables(t)} for line in known]
    made = {whole.name[g[1]]: {whole.name[v] for v in variables(g[2])} for g in whole.arithmetic if g[0] == "is"}
    for _ in made:
        lines = [set().union(*(made.get(name, {name}) for name in line)) for line in lines]
    left, found = sorted(whole.numbers()), list[str]()
    while left:
        have = set(found)
        pool = [name for name in left if name in spoken] or left
        best = max(pool, key=lambda name: (sum(line <= have | {name} and name in line for line in lines), sum(name in line for line in lines)))
        found.append(best)
        left.remove(best)
    return found
