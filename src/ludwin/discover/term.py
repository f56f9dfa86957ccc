"""Programs as values: terms, clauses, predicates with modes, and what can be done to them without thought.

Why it is here.  Everything else in this folder reads and writes these values.  A clause has a head, a
*set* of goals (their order on paper is only a way to write them) and tests; a predicate says which
arguments go in and which come out.  Since predicates are functions of their inputs, every variable
of a clause has a name that does not depend on how it was written: the call that defines it.  Two
clauses are the same if and only if they are the same under these names (`key`), so that renaming and
reordering never count as moves.

References.  R. Burstall and J. Darlington, "A transformation system for developing recursive programs",
JACM 24 (1977), 44-67; T. Cazenave, "Discovering search algorithms with program transformation".
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from ludwin.errors import LudwinError


class BadProgram(LudwinError, ValueError):
    """A program that cannot be read or that breaks the rules of the clause language."""


@dataclass(frozen=True, slots=True)
class Var:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Const:
    """A number, or a word such as `[]`."""

    value: str | int | float


@dataclass(frozen=True, slots=True)
class Struct:
    """A functor with arguments: `-X`, `A+B`, `max(A,B)`, and `'.'(Head,Tail)` for lists."""

    functor: str
    args: tuple["Term", ...]


Term = Var | Const | Struct
Substitution = Mapping[str, Term]

NIL = Const("[]")
INF = Const(math.inf)
COMPARE = (">=", "<=", ">", "<", "=")
MIRROR = {">=": "<=", "<=": ">=", ">": "<", "<": ">", "=": "="}
OPPOSITE = {">=": "<", "<=": ">", ">": "<=", "<": ">="}


@dataclass(frozen=True, slots=True)
class Goal:
    """A call, a test, a comparison (`>=` …) or arithmetic (`is`)."""

    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True)
class Pred:
    """What is promised of a predicate.

    `total` names the tests that must hold of the first argument for it to succeed (empty: always);
    None says that it may fail.  `costly` goals are what a search wants to avoid; `smaller` ones return
    structural parts of their first input.
    """

    name: str
    modes: tuple[str, ...]
    kinds: tuple[str, ...]
    total: tuple[str, ...] | None = None
    costly: bool = False
    smaller: bool = False

    def inputs(self, args: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the arguments that go in."""
        return tuple(a for a, mode in zip(args, self.modes, strict=True) if mode == "in")

    def outputs(self, args: tuple[Term, ...]) -> tuple[Term, ...]:
        """Return the arguments that come out."""
        return tuple(a for a, mode in zip(args, self.modes, strict=True) if mode == "out")


@dataclass(frozen=True)
class Clause:
    """head :- goals, tests. Goals are calls; tests are comparisons of signed variables and numbers."""

    head: Goal
    goals: tuple[Goal, ...] = ()
    tests: tuple[Goal, ...] = ()

    def variables(self) -> list[str]:
        """Return the variables in the order in which a reader meets them."""
        seen: dict[str, None] = {}
        for goal in (self.head, *self.goals, *self.tests):
            for arg in goal.args:
                for name in names(arg):
                    seen[name] = None
        return list(seen)


@dataclass(frozen=True)
class Program:
    """Declared predicates, groups of tests of which exactly one holds, and clauses in their order."""

    preds: Mapping[str, Pred]
    either: tuple[tuple[str, ...], ...]
    clauses: tuple[Clause, ...]
    facts: Mapping[str, tuple[Goal, ...]] = field(default_factory=dict)  # pred -> what always holds of its output V
    pre: Mapping[str, tuple[Goal, ...]] = field(
        default_factory=dict
    )  # pred -> what callers guarantee, over its head variables
    heads: Mapping[str, Goal] = field(
        default_factory=dict
    )  # pred -> the head that names the variables of `facts` and `pre`
    lemmas: tuple[
        tuple[Goal, Goal, tuple[Goal, ...]], ...
    ] = ()  # two calls about one thing, and how their results compare

    @cached_property
    def defined(self) -> dict[str, tuple[Clause, ...]]:
        """The clauses of each defined predicate."""
        found: dict[str, list[Clause]] = {}
        for clause in self.clauses:
            found.setdefault(clause.head.name, []).append(clause)
        return {name: tuple(clauses) for name, clauses in found.items()}

    def with_clauses(self, clauses: tuple[Clause, ...]) -> "Program":
        """Return the same declarations with other clauses."""
        return Program(self.preds, self.either, clauses, self.facts, self.pre, self.heads, self.lemmas)

    def with_pred(
        self, pred: Pred, head: Goal | None = None, pre: tuple[Goal, ...] = (), facts: tuple[Goal, ...] = ()
    ) -> "Program":
        """Return the program with one more declared predicate."""
        heads = {**self.heads, **({pred.name: head} if head else {})}
        return Program(
            {**self.preds, pred.name: pred},
            self.either,
            self.clauses,
            {**self.facts, **({pred.name: facts} if facts else {})},
            {**self.pre, **({pred.name: pre} if pre else {})},
            heads,
            self.lemmas,
        )


def names(term: Term) -> Iterator[str]:
    """Yield the variables of a term, left to right."""
    if isinstance(term, Var):
        yield term.name
    elif isinstance(term, Struct):
        for arg in term.args:
            yield from names(arg)


def negate(term: Term) -> Term:
    """Return minus a term: `-X`, and X again for `-X`.

    >>> negate(negate(Var("X")))
    Var(name='X')
    """
    if isinstance(term, Const):
        assert not isinstance(term.value, str), term
        return Const(-term.value if term.value else 0)
    if isinstance(term, Struct) and term.functor == "-" and len(term.args) == 1:
        return term.args[0]
    return Struct("-", (term,))


def apply(term: Term, subst: Substitution) -> Term:
    """Return the term with its variables replaced, double signs removed."""
    if isinstance(term, Var):
        found = subst.get(term.name)
        return (
            term if found is None else found if found == term else apply(found, subst) if _open(found, subst) else found
        )
    if isinstance(term, Struct):
        args = tuple(apply(arg, subst) for arg in term.args)
        if (
            term.functor == "-"
            and len(args) == 1
            and not (isinstance(args[0], Const) and isinstance(args[0].value, str))
        ):
            return negate(args[0])
        return Struct(term.functor, args)
    return term


def _open(term: Term, subst: Substitution) -> bool:
    return any(name in subst and subst[name] != Var(name) for name in names(term))


def apply_goal(goal: Goal, subst: Substitution) -> Goal:
    """Return the goal with its variables replaced."""
    return Goal(goal.name, tuple(apply(arg, subst) for arg in goal.args))


def apply_clause(clause: Clause, subst: Substitution) -> Clause:
    """Return the clause with its variables replaced."""
    return Clause(
        apply_goal(clause.head, subst),
        tuple(apply_goal(goal, subst) for goal in clause.goals),
        tuple(apply_goal(test, subst) for test in clause.tests),
    )


def unify(a: Term, b: Term, subst: dict[str, Term]) -> bool:
    """Make two terms equal by extending `subst`; False if they cannot be."""
    a, b = apply(a, subst), apply(b, subst)
    if a == b:
        return True
    if isinstance(a, Var):
        return _bind(a.name, b, subst)
    if isinstance(b, Var):
        return _bind(b.name, a, subst)
    if isinstance(a, Struct) and isinstance(b, Struct) and a.functor == b.functor and len(a.args) == len(b.args):
        return all(unify(x, y, subst) for x, y in zip(a.args, b.args, strict=True))
    return False


def _bind(name: str, term: Term, subst: dict[str, Term]) -> bool:
    if name in names(term):
        return False
    subst[name] = term
    return True


def rename_apart(clause: Clause, taken: set[str]) -> Clause:
    """Return the clause with variables that avoid `taken`: B becomes B1, B2, … as in the paper."""
    subst: dict[str, Term] = {}
    used = set(taken)
    for name in clause.variables():
        new = name
        if new in used:
            stem = name.rstrip("0123456789")
            number = 1
            while f"{stem}{number}" in used:
                number += 1
            new = f"{stem}{number}"
        used.add(new)
        if new != name:
            subst[name] = Var(new)
    return simultaneous(clause, subst) if subst else clause


def simultaneous(clause: Clause, subst: Substitution) -> Clause:
    """Rename variables all at once (a chain A -> B, B -> C does not collapse)."""
    safe = {name: Var(f"\0{i}") for i, name in enumerate(subst)}
    back = {f"\0{i}": term for i, term in enumerate(subst.values())}
    return apply_clause(apply_clause(clause, safe), back)


def tidy(clause: Clause) -> Clause:
    """Let `X is -Y` and `X is Y` vanish: X becomes the signed variable itself."""
    while True:
        for goal in clause.goals:
            target = goal.args[0] if goal.name == "is" else None
            if isinstance(target, Var):
                value = goal.args[1]
                inner = (
                    value.args[0]
                    if isinstance(value, Struct) and value.functor == "-" and len(value.args) == 1
                    else value
                )
                if isinstance(inner, Var | Const) and target.name not in names(inner):
                    rest = tuple(g for g in clause.goals if g is not goal)
                    clause = apply_clause(Clause(clause.head, rest, clause.tests), {target.name: value})
                    break
        else:
            return clause


def modes(program: Program, goal: Goal) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """Return the inputs and outputs of a goal; arithmetic has one output, a comparison none."""
    if goal.name == "is":
        return goal.args[1:], goal.args[:1]
    if goal.name in COMPARE:
        return goal.args, ()
    pred = program.preds[goal.name]
    return pred.inputs(goal.args), pred.outputs(goal.args)


Name = int  # a canonical name; equal numbers, equal meaning, within one process
_names: dict[tuple[object, ...], Name] = {}
_texts: list[str] = []


def intern(*parts: object) -> Name:
    """Return the number of a canonical name, so that names compare and hash at once."""
    found = _names.get(parts)
    if found is None:
        found = _names[parts] = len(_names)
        _texts.append(_spelled(parts))
    return found


def text_of(name: object) -> str:
    """Return a text for a canonical name that does not depend on what this process has seen before; sort by it."""
    return _texts[name] if isinstance(name, int) else str(name)


def _spelled(parts: tuple[object, ...]) -> str:
    first, rest = parts[0], parts[1:]
    if first in ("@arg", "@const"):
        return f"{first}{rest[0]!r}"
    if first == "@part":
        return f"{text_of(rest[1])}.{rest[0]}"
    return f"{first}({','.join(text_of(part) for part in rest)})"


def canonical_names(program: Program, clause: Clause) -> tuple[dict[str, Name], dict[Goal, Name]]:
    """Name every variable by the call that defines it, and every goal by what it calls on what.

    Goals that are the same call on the same inputs get the same name: predicates are functions.
    Raises BadProgram if a variable is never defined.
    """
    found: dict[str, Name] = {}
    for position, (arg, mode) in enumerate(zip(clause.head.args, program.preds[clause.head.name].modes, strict=True)):
        if mode == "in":
            _name_parts(arg, intern("@arg", position), found)
    goals: dict[Goal, Name] = {}
    waiting = list(clause.goals)
    while waiting:
        rest = []
        for goal in waiting:
            into, out = modes(program, goal)
            if all(name in found for term in into for name in names(term)):
                label = intern(goal.name, *(spell(term, found) for term in into))
                goals[goal] = label
                for k, term in enumerate(out):
                    _name_parts(term, intern(k, label), found)
            else:
                rest.append(goal)
        if len(rest) == len(waiting):
            missing = sorted({n for g in rest for t in modes(program, g)[0] for n in names(t) if n not in found})
            raise BadProgram(f"{clause.head.name}: nothing gives {', '.join(missing)} a value")
        waiting = rest
    return found, goals


def _name_parts(term: Term, name: Name, found: dict[str, Name]) -> None:
    if isinstance(term, Var):
        found.setdefault(term.name, name)
    elif isinstance(term, Struct):
        for k, arg in enumerate(term.args):
            _name_parts(arg, intern("@part", k, name), found)


def spell(term: Term, found: Mapping[str, Name]) -> Name:
    """Return a term in canonical names."""
    if isinstance(term, Var):
        return found[term.name]
    if isinstance(term, Const):
        return intern("@const", term.value)
    return intern(term.functor, *(spell(arg, found) for arg in term.args))
