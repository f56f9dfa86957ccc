"""Sketches: algorithms that answer a specification, with choices left open for the search.

Why it is here.  Fail-soft bounds, null-window tests, table entries and pruned vectors are not the value
itself but related to it, so they are not found by rewriting equals to equals.  Here a new predicate
gets a relation for its specification, its clauses are a sketch with *choices* (which window, which
test, which answer), and the search takes, clause by clause, the first choices for which induction goes
through: if every call keeps its relation, so does the head, whatever was not looked at.

A sketch is text.  `{a|b|c}` is a choice, the most ambitious option first; the relation is a list of lines,
each a disjunction of tests separated by `;`.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from ludwin.discover.derivation import Derivation, follow
from ludwin.discover.oracle import LINEAR, ORDER, Oracle, is_order
from ludwin.discover.region import Fact, Region, deny, facts_of, is_literal, meet, region
from ludwin.discover.rules import Step
from ludwin.discover.syntax import examine, parse_clause, parse_goals, write_clause
from ludwin.discover.term import (
    BadProgram,
    Clause,
    Goal,
    Program,
    Struct,
    Term,
    Var,
    apply_goal,
    canonical_names,
    modes,
    negate,
    rename_apart,
    unify,
)
from ludwin.discover.work import Work
from ludwin.progress import SILENT, Progress

Line = tuple[Goal, ...]


@dataclass(frozen=True)
class Contract:
    """A new predicate and what it promises: `head` answers for `of` so that all lines of `relation` hold."""

    declare: str
    head: str
    of: str
    relation: tuple[str, ...]

    @property
    def name(self) -> str:
        """The new predicate's name."""
        return self.head.partition("(")[0]

    def lines(self) -> list[Line]:
        """Return the relation as disjunctions of tests."""
        return [tuple(goal for part in line.split(";") for goal in parse_goals(part)) for line in self.relation]


@dataclass(frozen=True)
class Sketch:
    """Contracts, and clauses with choices."""

    contracts: tuple[Contract, ...]
    clauses: tuple[tuple[str, ...], ...]  # groups whose choices belong together


def options(group: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield a group of clauses with every combination of choices; equal choices in a group are one choice.

    >>> list(options(["p({1|2})."]))
    [('p(1).',), ('p(2).',)]
    """
    holes = list(dict.fromkeys(re.findall(r"\{[^}]*\}", "\n".join(group))))
    for picks in product(*(hole[1:-1].split("|") for hole in holes)):
        texts = list(group)
        for hole, pick in zip(holes, picks, strict=True):
            texts = [text.replace(hole, pick) for text in texts]
        yield tuple(texts)


class Prover:
    """Proves clauses by induction, with the region solver or z3; counts what it was asked."""

    def __init__(self, seed: Program, contracts: Sequence[Contract]):
        self.seed = seed
        self.contracts = {c.name: c for c in contracts}
        self.oracle = Oracle()

    def keeps(self, program: Program, clause: Clause) -> bool:
        """Tell whether a clause keeps its contract, whatever the values of the parts it does not look at."""
        cases = list(self._obligations(program, clause))
        return bool(cases) and all(
            self._entails(known, [*wanted, *self._required(program, clause)]) for known, wanted in cases
        )

    @staticmethod
    def _required(program: Program, clause: Clause) -> list[Line]:
        """Return what the calls of a clause require of it."""
        found: list[Line] = []
        for goal in clause.goals:
            if goal.name in program.pre:
                env = dict(zip(map(_name, program.heads[goal.name].args), goal.args, strict=True))
                found += [(_at_once(t, env),) for t in program.pre[goal.name]]
        return found

    def counterexample(self, program: Program, clause: Clause) -> str:
        """Return values for which a clause breaks its contract, as z3 finds them."""
        from ludwin.discover.oracle import _formula, need_z3

        z3 = need_z3()
        for known, wanted in self._obligations(program, clause):
            solver = z3.Solver()
            solver.add(*(z3.Or([_formula(t, z3) for t in line]) for line in known))
            solver.add(z3.Not(z3.And([z3.Or([_formula(t, z3) for t in line]) for line in wanted])))
            if solver.check() == z3.sat:
                model = solver.model()
                return ", ".join(f"{d.name()}={model[d]}" for d in sorted(model.decls(), key=lambda d: d.name()))
        return ""

    def _obligations(self, program: Program, clause: Clause) -> Iterator[tuple[list[Line], list[Line]]]:
        contract = self.contracts[clause.head.name]
        head, of = parse_goals(contract.head)[0], parse_goals(contract.of)[0]
        place = head.args.index(of.args[0])
        for definition in self.seed.defined[of.name]:
            base = rename_apart(definition, set(clause.variables()))
            subst: dict[str, Term] = {}
            if not unify(base.head.args[0], clause.head.args[place], subst) or any(
                v in subst for v in clause.variables()
            ):
                continue
            goals = [apply_goal(g, subst) for g in base.goals]
            if self._clash(goals, clause):
                continue
            known: list[Line] = [(apply_goal(t, subst),) for t in base.tests]
            known += [(t,) for t in clause.tests]
            names_of: dict[Any, Goal] = {}
            everything = [*clause.goals, *goals]
            for i, goal in enumerate(clause.goals):
                other = self.contracts.get(goal.name)
                if other is None:
                    continue
                o_head, o_of = parse_goals(other.head)[0], parse_goals(other.of)[0]
                parts = [Var(f"{_name(v)}_{i}") for v in o_of.args[1:]]
                thing = goal.args[o_head.args.index(o_of.args[0])]
                everything.append(Goal(o_of.name, (thing, *parts)))
                if o_of.name == of.name and thing == clause.head.args[place]:  # it answers for the very same value
                    known += [
                        (Goal("=", (part, _walk(out, subst))),)
                        for part, out in zip(parts, base.head.args[1:], strict=True)
                    ]
                env = {
                    **dict(zip(map(_name, o_head.args), goal.args, strict=True)),
                    **dict(zip(map(_name, o_of.args[1:]), parts, strict=True)),
                }
                known += [tuple(_at_once(t, env) for t in line) for line in other.lines()]
            known += self._merge(program, clause, everything, names_of)
            known += [(Goal("=", g.args),) for g in everything if g.name == "is"]
            itself = Goal(of.name, (clause.head.args[place], *(_walk(out, subst) for out in base.head.args[1:])))
            known += self._facts(program, clause, [*everything, itself])
            env = {
                **dict(zip(map(_name, head.args), clause.head.args, strict=True)),
                **dict(zip(map(_name, of.args[1:]), [_walk(v, subst) for v in base.head.args[1:]], strict=True)),
            }
            yield known, [tuple(_at_once(t, env) for t in line) for line in contract.lines()]

    def _clash(self, goals: Sequence[Goal], clause: Clause) -> bool:
        """Tell whether a plain clause and a new one belong to different cases."""
        for one in goals:
            for two in clause.goals:
                alike = len(one.args) == 1 and one.args == two.args and one.name != two.name
                if alike and any(one.name in group and two.name in group for group in self.seed.either):
                    return True
        return False

    def _merge(self, program: Program, clause: Clause, goals: Sequence[Goal], names_of: dict[Any, Goal]) -> list[Line]:
        """Equal calls give equal results: say so of every pair."""
        whole = Clause(clause.head, tuple(goals))
        _, labels = canonical_names(program, whole)
        found: list[Line] = []
        for goal in goals:
            twin = names_of.setdefault(labels[goal], goal)
            if twin is not goal:
                found += [
                    (Goal("=", (x, y)),)
                    for x, y in zip(modes(program, goal)[1], modes(program, twin)[1], strict=True)
                    if x != y and is_literal(x)
                ]
        return found

    def _facts(self, program: Program, clause: Clause, goals: Sequence[Goal]) -> list[Line]:
        found: list[Line] = []
        for goal in (clause.head, *goals):
            table = program.pre if goal is clause.head else program.facts
            if goal.name in table:
                env = dict(zip(map(_name, program.heads[goal.name].args), goal.args, strict=True))
                found += [(_at_once(t, env),) for t in table[goal.name]]
        for first, second, tests in program.lemmas:
            for one in goals:
                for two in goals:
                    if (one.name, two.name) == (first.name, second.name) and one.args[0] == two.args[0]:
                        env = dict(zip(map(_name, (*first.args, *second.args)), (*one.args, *two.args), strict=True))
                        found += [(_at_once(t, env),) for t in tests]
        return found

    # deciding

    def _entails(self, known: Sequence[Line], wanted: Sequence[Line]) -> bool:
        numbers = [arg for line in (*known, *wanted) for test in line for arg in test.args]
        if all(is_order(arg) for arg in numbers):
            self.oracle.by[ORDER] += 1
            return self._by_cases(known, wanted)
        self.oracle.by[LINEAR] += 1
        return self._by_z3(known, wanted)

    def _by_cases(self, known: Sequence[Line], wanted: Sequence[Line]) -> bool:
        plain: list[list[tuple[Fact, ...]]] = []
        for line in known:
            plain += _flat(line)
        for line in wanted:
            if self._satisfiable(region(deny(f) for t in line for f in facts_of(t)), plain):
                return False
        return True

    def _satisfiable(self, where: Region, lines: Sequence[Sequence[tuple[Fact, ...]]]) -> bool:
        """Look for an order that satisfies every line: settle what is settled, branch on the shortest rest."""
        rest: list[list[tuple[Fact, ...]]] = []
        changed = True
        todo = [list(line) for line in lines]
        while changed:
            changed, rest = False, []
            for line in todo:
                if where.empty:
                    return False
                if any(all(where.entails(f) for f in facts) for facts in line):
                    continue
                live = [facts for facts in line if not meet(where, facts).empty]
                if not live:
                    return False
                if len(live) == 1:
                    where, changed = meet(where, live[0]), True
                else:
                    rest.append(live)
            todo = rest
        self.oracle.cases += 1
        if where.empty:
            return False
        if not rest:
            return True
        line = min(rest, key=len)
        others = [other for other in rest if other is not line]
        return any(self._satisfiable(meet(where, facts), others) for facts in line)

    def _by_z3(self, known: Sequence[Line], wanted: Sequence[Line]) -> bool:
        from ludwin.discover.oracle import _formula, need_z3

        z3 = need_z3()
        solver = z3.Solver()
        solver.set("timeout", 5000)
        solver.add(*(z3.Or([_formula(t, z3) for t in line]) for line in known))
        solver.add(z3.Not(z3.And([z3.Or([_formula(t, z3) for t in line]) for line in wanted])))
        return bool(solver.check() == z3.unsat)


def _flat(line: Line) -> list[list[tuple[Fact, ...]]]:
    """Return a line as lines of facts: `X = max(Y,Z)` becomes what it means."""
    if (
        len(line) == 1
        and line[0].name == "="
        and isinstance(line[0].args[1], Struct)
        and line[0].args[1].functor in ("max", "min")
    ):
        x, term = line[0].args[0], line[0].args[1]
        assert isinstance(term, Struct)
        if not all(is_literal(arg) for arg in term.args):
            raise BadProgram("write max and min of plain values in a sketch")
        up, down = (">=", "<=") if term.functor == "max" else ("<=", ">=")
        return [[facts_of(Goal(up, (x, arg)))] for arg in term.args] + [
            [facts_of(Goal(down, (x, arg))) for arg in term.args]
        ]
    return [[facts_of(test) for test in line]]


def _name(term: Term) -> str:
    assert isinstance(term, Var), term
    return term.name


def _walk(term: Term, subst: Mapping[str, Term]) -> Term:
    return apply_goal(Goal("x", (term,)), subst).args[0]


def _at_once(goal: Goal, env: Mapping[str, Term]) -> Goal:
    """Replace variables all at once."""

    def put(term: Term) -> Term:
        if isinstance(term, Var):
            return env.get(term.name, term)
        if isinstance(term, Struct):
            args = tuple(put(arg) for arg in term.args)
            return negate(args[0]) if term.functor == "-" and len(args) == 1 else Struct(term.functor, args)
        return term

    return Goal(goal.name, tuple(put(arg) for arg in goal.args))


def complete(
    seed: Program, entry: str, problem: str, sketch: Sketch, progress: Progress = SILENT
) -> tuple[Derivation | None, Work, Prover, str]:
    """Return the derivation that fills a sketch, what it took, the prover, and what failed if it is None."""
    tally, program, steps = Work(), seed, []
    for contract in sketch.contracts:
        spec = {"of": contract.of, "head": contract.head, "relation": list(contract.relation)}
        step = Step(
            "define",
            (),
            (),
            f"{contract.name} answers for {contract.of.partition('(')[0]}",
            "by construction",
            (("declare", contract.declare), ("specification", spec)),
        )
        steps.append(step)
        program = follow(program, step)
    prover = Prover(seed, sketch.contracts)
    chosen: list[Clause] = []
    for group in sketch.clauses:
        for texts in options(group):
            tally.generated += 1
            clauses = [parse_clause(text) for text in texts]
            for clause in clauses:
                examine(program, clause)
            if all(prover.keeps(program, clause) for clause in clauses):
                chosen += clauses
                tally.states += 1
                tally.depth += 1
                break
        else:
            failed = parse_clause(next(iter(options(group)))[0])
            why = prover.counterexample(program, failed)
            return (
                None,
                tally,
                prover,
                f"no choice keeps the contract in: {write_clause(failed)}" + (f" (for example {why})" if why else ""),
            )
        tally.tell(progress)
    who = " and ".join(sorted(prover.oracle.by))
    step = Step("refine", (), tuple(chosen), f"{len(chosen)} clauses, each proved by induction", who)
    program = follow(program, step)
    return Derivation(problem, entry, seed, (*steps, step), program), tally, prover, ""
