"""A derivation is a value: it prints as a proof, saves, loads, replays, and is checked by somebody else.

Why it is here.  What the engine finds is worth as much as the reader's trust in it.  So every step keeps
the clauses it took and gave and the obligation it met, the file holds nothing but text, and
`ludwin.discover.checker`, which shares no code with the search, reads the file by itself and verifies it.  What is
loaded is what the checker read: a file's text has one meaning, and what runs is what was verified.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludwin.discover.checker import RefusedProof, Verified, reader, terms, verify
from ludwin.discover.checker.statement import Statement
from ludwin.discover.rules import Step, replace_clauses
from ludwin.discover.syntax import parse, write, write_clause, write_goal
from ludwin.discover.term import (
    COMPARE,
    NIL,
    BadProgram,
    Clause,
    Const,
    Goal,
    Pred,
    Program,
    Struct,
    Term,
    Var,
    negate,
    tidy,
)
from ludwin.errors import LudwinError
from ludwin.files import write_whole

FORMAT, VERSION = "ludwin-derivation", 2


class BadDerivation(LudwinError, ValueError):
    """A file that is no derivation, or a derivation that does not hold."""


@dataclass(frozen=True)
class Derivation:
    """From a seed program to a result, step by step. `entry` is the predicate that a caller asks."""

    problem: str
    entry: str
    seed: Program
    steps: tuple[Step, ...]
    result: Program
    notes: Mapping[str, Any] = field(default_factory=dict)

    def programs(self) -> list[Program]:
        """Return the programs before the first step and after each one."""
        found = [self.seed]
        for step in self.steps:
            found.append(follow(found[-1], step))
        return found

    def _repr_html_(self) -> str:
        from html import escape

        from ludwin.discover.picture import draw

        return f"{draw(self, svg=True)}<pre>{escape(self.proof(steps=False))}</pre>"

    def proof(self, *, steps: bool = True) -> str:
        """Return the derivation as text to read: numbered clauses, each with its reason."""
        number: dict[Clause, int] = {}
        lines = [f"{self.problem}: {len(self.steps)} steps", "", "The plain program:"]
        for clause in self.seed.clauses:
            number[clause] = len(number) + 1
            lines.append(f"{number[clause]:>4}. {write_clause(clause)}")
        if steps:
            lines += ["", "The steps:"]
            for step in self.steps:
                of = ", ".join(str(number[c]) for c in step.removed if c in number)
                goal = next((f" at {_show(v)}" for k, v in step.data if k in ("goal", "test")), "")
                lines.append(f"   {step.rule}{' ' + of if of else ''}{goal}: {step.because} [{step.by}]")
                for clause in step.added:
                    number[clause] = len(number) + 1
                    lines.append(f"{number[clause]:>4}. {write_clause(clause)}")
        lines += ["", "The derived program:"]
        for clause in self.result.clauses:
            lines.append(
                f"{number.get(clause, 0):>4}. {write_clause(clause)}" if steps else f"      {write_clause(clause)}"
            )
        return "\n".join(lines) + "\n"

    def obligations(self) -> dict[tuple[str, str], int]:
        """Return how often each rule's obligation was discharged, and by whom."""
        found: dict[tuple[str, str], int] = {}
        for step in self.steps:
            found[step.rule, step.by] = found.get((step.rule, step.by), 0) + 1
        return found

    def to_json(self, statement: Statement | None = None) -> dict[str, Any]:
        """Return the derivation as plain data; with what the checker verified, a file of version 2 that states its
        theorem.
        """
        told = {} if statement is None else {"axioms": list(statement.axioms), "theorem": list(statement.theorem)}
        return {
            "format": FORMAT,
            "version": 1 if statement is None else VERSION,
            "problem": self.problem,
            "entry": self.entry,
            **told,
            "seed": write(self.seed).splitlines(),
            "steps": [
                {
                    "rule": step.rule,
                    "removed": [write_clause(c) for c in step.removed],
                    "added": [write_clause(c) for c in step.added],
                    "because": step.because,
                    "by": step.by,
                    "data": {key: _show(value) for key, value in step.data},
                }
                for step in self.steps
            ],
            "result": write(self.result).splitlines(),
            "notes": dict(self.notes),
        }

    def verify(self) -> Verified:
        """Have the checker verify the derivation. Raises RefusedProof."""
        return verify(self.to_json(), self.problem)

    def save(self, path: Path | str, verified: Verified | None = None) -> None:
        """Write the file, whole or not at all, with the theorem that the checker verified.

        Raises RefusedProof if it does not hold.
        """
        statement = (verified or self.verify()).statement
        write_whole(Path(path), json.dumps(self.to_json(statement), indent=1, ensure_ascii=False) + "\n")


def _show(value: Any) -> Any:
    if isinstance(value, Goal):
        return write_goal(value)
    if isinstance(value, Clause):
        return write_clause(value)
    if isinstance(value, tuple):
        return [_show(item) for item in value]
    return value


def follow(program: Program, step: Step) -> Program:
    """Return the program after a step; a definition brings its declaration with it."""
    for key, value in step.data:
        if key == "declare":
            extra = parse(str(value))
            (pred,) = extra.preds.values()
            program = program.with_pred(
                pred, extra.heads.get(pred.name), extra.pre.get(pred.name, ()), extra.facts.get(pred.name, ())
            )
    missing = [c for c in step.removed if step.removed.count(c) > program.clauses.count(c)]
    if missing:
        raise BadDerivation(f"a {step.rule} step removes a clause that is not there: {write_clause(missing[0])}")
    return replace_clauses(program, step)


# from what the checker read


def _term(term: terms.Term, blank: Mapping[str, str]) -> Term:
    """Return a term of the checker's as one of ours."""
    if isinstance(term, terms.Variable):
        return Var(blank.get(term.name, term.name))
    if isinstance(term, terms.Num):
        if term.infinite:
            return Const(math.inf if term.value > 0 else -math.inf)
        return Const(int(term.value) if term.value.denominator == 1 else float(term.value))
    args = tuple(_term(arg, blank) for arg in term.args)
    if term.functor == "~":
        return negate(args[0])
    if term.functor == "[]":
        return NIL
    return Struct(term.functor, args) if args else Const(term.functor)


def _goal(goal: terms.Atom, blank: Mapping[str, str]) -> Goal:
    return Goal(goal.name, tuple(_term(arg, blank) for arg in goal.args))


def _clause(clause: terms.HornClause) -> Clause:
    """Return a clause of the checker's as one of ours; nameless variables get names that nothing else has."""
    used = set().union(*(terms.goal_variables(goal) for goal in (clause.head, *clause.body)))
    blank: dict[str, str] = {}
    number = 0
    for name in sorted(v for v in used if "#" in v):
        number += 1
        while f"_{number}" in used:
            number += 1
        blank[name] = f"_{number}"
    goals = [_goal(goal, blank) for goal in clause.body]
    return Clause(
        _goal(clause.head, blank),
        tuple(g for g in goals if g.name not in COMPARE),
        tuple(g for g in goals if g.name in COMPARE),
    )


def _program(found: terms.LogicProgram) -> Program:
    preds = {name: Pred(name, p.modes, p.kinds, p.total, p.cost, p.smaller) for name, p in found.preds.items()}
    tables = [
        {name: tuple(_goal(t, {}) for t in about.tests) for name, about in table.items()}
        for table in (found.facts, found.require)
    ]
    heads = {name: _goal(about.head, {}) for table in (found.facts, found.require) for name, about in table.items()}
    lemmas = tuple(
        (_goal(x.first, {}), _goal(x.second, {}), tuple(_goal(t, {}) for t in x.tests)) for x in found.lemmas
    )
    return Program(
        preds, tuple(found.either), tuple(tidy(_clause(c)) for c in found.clauses), tables[0], tables[1], heads, lemmas
    )


def from_file(file: reader.File, data: Mapping[str, Any]) -> Derivation:
    """Return the derivation that the checker has read; `data` has the words that it does not read."""
    steps = []
    for step, item in zip(file.steps, data["steps"], strict=True):
        extra: list[tuple[str, Any]] = []
        for key, value in item.get("data", {}).items():
            if key in ("goal", "test"):
                extra.append((key, _goal(reader.read_goals(value, key)[0], {})))
            elif key == "other":
                extra.append((key, _clause(reader.read_clause(value, key))))
            else:
                extra.append((key, value))
        clauses = (tuple(map(_clause, step.removed)), tuple(map(_clause, step.added)))
        steps.append(Step(step.rule, *clauses, item.get("because", ""), item.get("by", ""), tuple(extra)))
    return Derivation(
        file.problem, file.entry, _program(file.seed), tuple(steps), _program(file.result), data.get("notes") or {}
    )


def from_json(data: Any, where: str = "derivation") -> Derivation:
    """Return the derivation that plain data describe, its steps re-enacted (not yet checked)."""
    try:
        found = from_file(reader.read_file(data), data)
    except RefusedProof as error:
        raise BadDerivation(f"{where}: {error}") from None
    try:
        last = found.programs()[-1]
    except (BadDerivation, BadProgram) as error:
        raise BadDerivation(f"{where}: {error}") from None
    if set(last.clauses) != set(found.result.clauses):
        raise BadDerivation(f"{where}: the steps do not lead to the result")
    return found


def read_bytes(path: Path | str) -> bytes:
    """Return the bytes of a derivation file, or somewhat more than a file may have. Raises BadDerivation."""
    path = Path(path)
    try:
        with open(path, "rb") as file:
            return file.read(reader.MOST_BYTES + 1)
    except FileNotFoundError:
        raise BadDerivation(
            f"there is no file {str(path)!r}; `ludwin discover alpha-beta --out FILE` writes one"
        ) from None
    except OSError as error:
        raise BadDerivation(f"{path.name}: this is no derivation: {error.strerror or error}") from None


def read_data(path: Path | str) -> Any:
    """Return the JSON value of a derivation file, read by the checker's reader. Raises BadDerivation."""
    raw = read_bytes(path)
    try:
        return reader.read_json(raw)
    except RefusedProof as error:
        raise BadDerivation(f"{Path(path).name}: {error}") from None


def verified_bytes(raw: bytes, where: str) -> tuple[Derivation, Verified]:
    """Return a derivation from the bytes of its file, verified. Raises BadDerivation with what does not hold."""
    try:
        data = reader.read_json(raw)
    except RefusedProof as error:
        raise BadDerivation(f"{where}: {error}") from None
    try:
        verified = verify(data, where)
    except RefusedProof as error:
        raise BadDerivation(str(error)) from None
    return from_file(verified.file, data), verified


def load(path: Path | str, *, check: bool = True) -> Derivation:
    """Read a derivation file; it is verified unless told otherwise.

    Raises BadDerivation with the step that does not hold.
    """
    return (
        verified_bytes(read_bytes(path), Path(path).name)[0] if check else from_json(read_data(path), Path(path).name)
    )
