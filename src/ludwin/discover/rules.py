"""The rules of transformation: what each does to clauses, and what must be proved before it may.

Why it is here.  A `Rule` is data: its name, what it does and the obligation that makes it sound.  The
`Calculus` of a program applies rules to clauses; every application is a `Step` that says which
clauses went, which came, and who discharged the obligation.  Soundness in one sentence: a clause is a
true statement about total functions, every rule turns true statements that cover all inputs into
true statements that cover all inputs, and recursion goes to smaller arguments, so that the last
program computes what the first one does.

References.  H. Tamaki and T. Sato, "Unfold/fold transformation of logic programs", ICLP 1984, 127-138;
A. Pettorossi and M. Proietti, "Transformation of logic programs", in Handbook of Logic in AI 5 (1998).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ludwin.discover.region import (
    Fact,
    Literal,
    Region,
    basis,
    deny,
    exact_join,
    facts_of,
    is_literal,
    literal,
    meet,
    region,
    term_of,
    within,
)
from ludwin.discover.term import (
    Clause,
    Goal,
    Name,
    Program,
    Struct,
    Term,
    Var,
    apply,
    apply_clause,
    canonical_names,
    modes,
    names,
    rename_apart,
    spell,
    text_of,
    tidy,
    unify,
)


@dataclass(frozen=True)
class Rule:
    """A transformation: what it does, and what has to be true for it to be sound."""

    name: str
    does: str
    obligation: str


RULES = {
    rule.name: rule
    for rule in (
        Rule("unfold", "replaces a call by the bodies of all clauses that could answer it", "all resolvents are kept"),
        Rule(
            "split",
            "makes two clauses of one, by a test and its opposite",
            "the order is total; the test's values come without the goals to be saved",
        ),
        Rule(
            "join",
            "makes one clause of two that differ in their regions only",
            "the hull is exactly the union; goals and results are equal",
        ),
        Rule(
            "entailed",
            "rewrites the tests of a clause, leaving out what the others imply",
            "both sets of tests describe the same region",
        ),
        Rule("unsat", "removes a clause that no values satisfy", "the region is empty"),
        Rule(
            "unlinked",
            "removes a goal whose results nobody reads",
            "the goal is pure, total and terminating for these inputs",
        ),
        Rule(
            "subsume",
            "removes a clause that another clause does the work of",
            "wider region, fewer goals, equal results",
        ),
        Rule(
            "determinise",
            "keeps a clause out of another clause's region",
            "there the other clause gives the same result with fewer goals",
        ),
        Rule("merge", "lets two equal calls be one", "predicates are functions of their inputs"),
        Rule("define", "introduces a new predicate", "its name is new"),
        Rule("fold", "replaces goals by a call of a defined predicate", "unfolding the call gives the clauses back"),
        Rule(
            "replace",
            "computes the result from the same calls in another way",
            "equal results for all values of the calls",
        ),
        Rule("rename", "gives a result an equal name", "the region makes both equal"),
        Rule(
            "refine",
            "answers a specification clause by clause",
            "induction: what the calls promise implies what the head promises",
        ),
    )
}


@dataclass(frozen=True)
class Step:
    """One application of a rule: clauses removed, clauses added, and the discharged obligation."""

    rule: str
    removed: tuple[Clause, ...]
    added: tuple[Clause, ...]
    because: str
    by: str = "region solver"
    data: tuple[tuple[str, Any], ...] = ()  # what the checker needs besides: the goal, the test, a new declaration


class Canon:
    """A clause under canonical names: goals and results as numbers, the region over them."""

    __slots__ = ("costly", "goals", "key", "labels", "outs", "region", "vars")

    def __init__(self, program: Program, clause: Clause):
        self.vars, self.labels = canonical_names(program, clause)
        self.goals = frozenset(self.labels.values())
        self.region = region(f for test in clause.tests for f in facts_of(test, self.vars.__getitem__))
        head_in, head_out = modes(program, clause.head)
        self.outs = tuple(self._out(term) for term in head_out)
        shape = tuple(spell(term, self.vars) for term in head_in)
        self.costly = frozenset(
            label
            for goal, label in self.labels.items()
            if goal.name in program.preds and program.preds[goal.name].costly
        )
        self.key = (clause.head.name, shape, self.outs, self.goals, self.region.facts)

    def _out(self, term: Term) -> Any:
        if not is_literal(term):
            return spell(term, self.vars)
        best = literal(term, self.vars.__getitem__)
        if self.region.above:
            same = [y for (x, y) in self.region.above if x == best and self.region.equal(x, y)]
            best = min([best, *same], key=lambda lit: (text_of(lit[0]), lit[1]))
        return best


class Calculus:
    """The rules at work on the clauses of one program, with what is known about its predicates."""

    def __init__(self, program: Program):
        self.program = program
        self._canons: dict[Clause, Canon] = {}

    def canon(self, clause: Clause) -> Canon:
        """Return the canonical form of a clause, remembered."""
        found = self._canons.get(clause)
        if found is None:
            found = self._canons[clause] = Canon(self.program, clause)
        return found

    def key(self, clauses: Iterable[Clause]) -> frozenset[Any]:
        """Return what identifies a set of clauses up to renaming and reordering."""
        return frozenset(self.canon(clause).key for clause in clauses)

    # single rules

    def unfold(self, clause: Clause, goal: Goal) -> Step:
        """Replace a call by the definitions of its predicate."""
        added = []
        for definition in self.program.defined[goal.name]:
            fresh = rename_apart(definition, set(clause.variables()))
            subst = self._answer(goal, fresh)
            if subst is not None:
                at = clause.goals.index(goal)
                whole = Clause(
                    clause.head,
                    (*clause.goals[:at], *fresh.goals, *clause.goals[at + 1 :]),
                    (*clause.tests, *fresh.tests),
                )
                added.append(tidy(apply_clause(whole, subst)))
        return Step(
            "unfold",
            (clause,),
            tuple(added),
            f"{len(added)} resolvents, all kept",
            "by construction",
            (("goal", goal),),
        )

    def _answer(self, goal: Goal, fresh: Clause) -> dict[str, Term] | None:
        """Unify a call with a head so that the caller's names survive; None if they do not fit."""
        pred = self.program.preds[goal.name]
        own = set(fresh.variables())
        subst: dict[str, Term] = {}
        for call, head in zip(pred.inputs(goal.args), pred.inputs(fresh.head.args), strict=True):
            if not unify(head, call, subst):
                return None
        for call, head in zip(pred.outputs(goal.args), pred.outputs(fresh.head.args), strict=True):
            known = apply(head, subst)
            new = isinstance(known, Var) and known.name in own
            if not (unify(known, call, subst) if new else unify(call, known, subst)):
                return None
        return subst

    def split(self, clause: Clause, test: Goal) -> Step:
        """Split a clause by a test."""
        halves = tuple(Clause(clause.head, clause.goals, (*clause.tests, t)) for t in (test, opposite_test(test)))
        return Step(
            "split", (clause,), halves, "one of a test and its opposite holds", "total order", (("test", test),)
        )

    def join(self, first: Clause, second: Clause) -> Step | None:
        """Join two clauses whose regions have an exact union."""
        a, b = self.canon(first), self.canon(second)
        if a.goals != b.goals or a.key[1] != b.key[1] or len(a.outs) != len(b.outs):
            return None
        if a.outs != b.outs:
            if self._agree(b.region, a.outs, b.outs):
                pass
            elif self._agree(a.region, a.outs, b.outs):
                first, second, a, b = second, first, b, a
            else:
                return None
        union = exact_join(a.region, b.region)
        if union is None:
            return None
        joined = Clause(first.head, first.goals, self.tests(first, union))
        return Step("join", (first, second), (joined,), "the union of both regions is exactly the new region")

    @staticmethod
    def _agree(where: Region, first: tuple[Any, ...], second: tuple[Any, ...]) -> bool:
        return all(
            x == y or (isinstance(x, tuple) and isinstance(y, tuple) and where.equal(x, y))
            for x, y in zip(first, second, strict=True)
        )

    def tests(self, clause: Clause, known: Region) -> tuple[Goal, ...]:
        """Return few tests, in the clause's variables, that describe a region."""
        back: dict[Name, str] = {}
        for name, canonical in self.canon(clause).vars.items():
            back.setdefault(canonical, name)
        return tuple(test_of(fact, back) for fact in basis(known))

    def normal(self, clauses: Sequence[Clause], log: list[Step] | None = None) -> tuple[Clause, ...]:
        """Apply the eager rules until nothing changes: merge, unsat, entailed, unlinked, subsume.

        They always help and never hinder one another, so they are no moves of the search.
        """
        found = [c for clause in clauses if (c := self._simplify(clause, log)) is not None]
        return tuple(self._subsume(found, log))

    def _simplify(self, clause: Clause, log: list[Step] | None) -> Clause | None:
        clause = self._merge(clause, log)
        canon = self.canon(clause)
        if canon.region.empty:
            if log is not None:
                log.append(Step("unsat", (clause,), (), "no values satisfy the tests"))
            return None
        few = self.tests(clause, canon.region)
        if set(few) != set(clause.tests) and len(few) != len(clause.tests):
            slim = Clause(clause.head, clause.goals, few)
            if log is not None:
                log.append(Step("entailed", (clause,), (slim,), "the tests that remain imply the others"))
            clause = slim
        return self._unlink(clause, log)

    def _merge(self, clause: Clause, log: list[Step] | None) -> Clause:
        labels = self.canon(clause).labels
        seen: dict[Name, Goal] = {}
        for goal in clause.goals:
            twin = seen.setdefault(labels[goal], goal)
            if twin is not goal:
                subst: dict[str, Term] = {}
                if all(unify(x, y, subst) for x, y in zip(goal.args, twin.args, strict=True)):
                    rest = tuple(g for g in clause.goals if g is not goal)
                    merged = apply_clause(Clause(clause.head, rest, clause.tests), subst)
                    if log is not None:
                        log.append(Step("merge", (clause,), (merged,), "the same call twice"))
                    return self._merge(merged, log)
        return clause

    def total_here(self, clause: Clause, goal: Goal) -> bool:
        """Tell whether a goal always succeeds in this clause's company."""
        if goal.name == "is":
            return True
        pred = self.program.preds[goal.name]
        into, out = modes(self.program, goal)
        if pred.total is None or not out or not all(isinstance(term, Var) for term in out):
            return False
        return all(Goal(test, (into[0],)) in clause.goals for test in pred.total)

    def _unlink(self, clause: Clause, log: list[Step] | None) -> Clause:
        for goal in reversed(clause.goals):
            _, out = modes(self.program, goal)
            if not out or not self.total_here(clause, goal):
                continue
            rest = tuple(g for g in clause.goals if g is not goal)
            read = {n for g in (clause.head, *rest, *clause.tests) for term in g.args for n in names(term)}
            if not any(n in read for term in out for n in names(term)):
                slim = Clause(clause.head, rest, clause.tests)
                if log is not None:
                    log.append(
                        Step(
                            "unlinked",
                            (clause,),
                            (slim,),
                            f"{goal.name} always succeeds and nobody reads its result",
                            "totality proof",
                            (("goal", goal),),
                        )
                    )
                return self._unlink(slim, log)
        return clause

    def subsumes(self, wide: Clause, narrow: Clause) -> bool:
        """Tell whether `wide` does the work of `narrow`."""
        a, b = self.canon(wide), self.canon(narrow)
        return (
            a.key[:2] == b.key[:2]
            and a.goals <= b.goals
            and within(b.region, a.region)
            and self._agree(b.region, a.outs, b.outs)
        )

    def _subsume(self, clauses: list[Clause], log: list[Step] | None) -> list[Clause]:
        kept: list[Clause] = []
        for i, clause in enumerate(clauses):
            for j, other in enumerate(clauses):
                if i != j and self.subsumes(other, clause) and (j < i or not self.subsumes(clause, other)):
                    if log is not None:
                        log.append(
                            Step(
                                "subsume",
                                (clause,),
                                (),
                                "another clause gives the same result",
                                data=(("other", other),),
                            )
                        )
                    break
            else:
                kept.append(clause)
        return kept

    def determinise(self, clauses: Sequence[Clause], log: list[Step]) -> tuple[Clause, ...]:
        """Keep clauses with more costly goals out of the regions of clauses with fewer."""
        found = list(clauses)
        for cheap in clauses:
            a = self.canon(cheap)
            for i, clause in enumerate(found):
                b = self.canon(clause)
                if clause is cheap or not (a.goals < b.goals and a.key[:2] == b.key[:2]):
                    continue
                overlap = meet(b.region, a.region.facts or ())
                if overlap.empty or not self._agree(overlap, a.outs, b.outs):
                    continue
                outside = [meet(b.region, [deny(fact)]) for fact in basis(a.region)]
                outside = [r for r in outside if not r.empty]
                if len(outside) == 1:
                    slim = Clause(clause.head, clause.goals, self.tests(clause, outside[0]))
                    log.append(
                        Step(
                            "determinise",
                            (clause,),
                            (slim,),
                            "where both apply, the other clause is cheaper and agrees",
                            data=(("other", cheap),),
                        )
                    )
                    found[i] = slim
        return tuple(found)


def opposite_test(test: Goal) -> Goal:
    """Return the opposite comparison.

    >>> from ludwin.discover.syntax import parse_goals, write_goal
    >>> write_goal(opposite_test(*parse_goals("B >= C")))
    'B < C'
    """
    return Goal({">=": "<", "<=": ">", ">": "<=", "<": ">="}[test.name], test.args)


def test_of(fact: Fact, back: dict[Any, str]) -> Goal:
    """Return a fact as a test in a clause's own variables."""
    x, strict, y = fact

    def term(lit: Literal) -> Term:
        return term_of(lit) if lit[0] == "" else term_of((back[lit[0]], lit[1]))

    left, right = term(x), term(y)
    if isinstance(left, Struct) and not isinstance(right, Struct):
        return Goal("<" if strict else "<=", (right, left))
    return Goal(">" if strict else ">=", (left, right))


def replace_clauses(program: Program, step: Step) -> Program:
    """Return the program after a step: what was removed gives its place to what was added."""
    clauses = list(program.clauses)
    at = min((clauses.index(c) for c in step.removed if c in clauses), default=len(clauses))
    for clause in step.removed:
        clauses.remove(clause)
    at = min(at, len(clauses))
    clauses[at:at] = step.added
    return program.with_clauses(tuple(clauses))
