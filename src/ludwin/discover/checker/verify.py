"""From the bytes of a file to a theorem with its axioms, or to a refusal.

Why it is here.  This module says what is an axiom, what is a definition and what is the theorem.

*Axioms* are what the plain program declares of primitives, of which it has no clauses: where they answer, what they
return, that parts are smaller, which tests exclude each other.  They are printed, never proved; but axioms that nothing
could satisfy are refused.  *Definitions* are the clauses of the plain program and of new predicates that speak of older
ones. They are checked to define functions.  *The theorem* says of the entry what the derived program computes.  It is
proved from the derived program alone; the steps of the file are checked as well, each by itself, but the theorem does
not rest on them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ludwin.discover.checker import axioms
from ludwin.discover.checker.descent import descends
from ludwin.discover.checker.formula import Formula, Value, both, deny
from ludwin.discover.checker.reader import ClaimedStep, File, quote, read_file, read_json, same_declarations
from ludwin.discover.checker.statement import Statement, state
from ludwin.discover.checker.terms import (
    SIGNS,
    About,
    Declared,
    HornClause,
    LogicProgram,
    Promise,
    RefusedProof,
    Variable,
    goal_variables,
    show_clause,
)
from ludwin.discover.checker.theory import Obligation, Theory

COUNTS = {  # how many clauses a rule takes and gives; None: any number
    "split": (1, 2),
    "join": (2, 1),
    "entailed": (1, 1),
    "unsat": (1, 0),
    "unlinked": (1, 1),
    "subsume": (1, 0),
    "determinise": (1, 1),
    "merge": (1, 1),
    "replace": (1, 1),
    "rename": (1, 1),
    "unfold": (1, None),
    "fold": (None, 1),
    "refine": (0, None),
    "define": (0, None),
}


@dataclass(frozen=True)
class Verified:
    """A derivation that holds: the theorem, the programs as the checker read them, and every obligation that was
    met.
    """

    statement: Statement
    file: File
    theory: Theory
    steps: int
    obligations: tuple[Obligation, ...]


def verify_bytes(raw: bytes, where: str = "derivation") -> Verified:
    """Verify the bytes of a derivation file."""
    try:
        data = read_json(raw)
    except RefusedProof as error:
        raise RefusedProof(f"{where}: {error}") from None
    return verify(data, where)


def verify(data: Any, where: str = "derivation") -> Verified:
    """Verify a derivation from its JSON value. Raises RefusedProof in one line."""
    try:
        return _verify(read_file(data))
    except RefusedProof as error:
        raise RefusedProof(f"{where}: {error}") from None
    except RecursionError:
        raise RefusedProof(f"{where}: it is nested too deeply") from None


def _verify(file: File) -> Verified:
    theory = _plain_program(file.seed)
    current = list(file.seed.clauses)
    for i, step in enumerate(file.steps):
        try:
            current = _step(theory, current, step)
        except RefusedProof as error:
            raise RefusedProof(f"step {i + 1} ({step.rule}) is not sound: {error}") from None
    if sorted(map(show_clause, current)) != sorted(map(show_clause, file.result.clauses)) or set(current) != set(
        file.result.clauses
    ):
        raise RefusedProof("the steps do not lead to the result")
    if not same_declarations(theory.program, file.result):
        raise RefusedProof("the result declares other things than the plain program and the steps do")
    try:
        _derived_program(theory, file.result.clauses, file.entry)
    except RefusedProof as error:
        raise RefusedProof(f"the derived program: {error}") from None
    statement = state(theory, file)
    for name, told, found in (("axioms", file.axioms, statement.axioms), ("theorem", file.theorem, statement.theorem)):
        if told is not None and tuple(told) != tuple(found):
            wrong = (
                next((line for line in told if line not in found), None)
                or f"without {quote(next((x for x in found if x not in told), ''))}"
            )
            raise RefusedProof(f"the file states {name} other than what was verified: {quote(wrong)}")
    return Verified(statement, file, theory, len(file.steps), tuple(theory.obligations))


# the plain program


def _plain_program(seed: LogicProgram) -> Theory:
    if not seed.clauses:
        raise RefusedProof("the plain program has no clauses")
    _well_declared(seed)
    theory = Theory(
        LogicProgram(
            dict(seed.preds),
            list(seed.either),
            dict(seed.facts),
            dict(seed.require),
            list(seed.lemmas),
            list(seed.clauses),
        )
    )
    axioms.consistent(theory)
    try:
        names = dict.fromkeys(clause.head.name for clause in seed.clauses)
        for clause in seed.clauses:
            theory.read(clause)
        for name in names:
            theory.plain[name] = [theory.read(clause) for clause in seed.of(name)]
        descends(theory, seed.clauses, "it does not end")
        for name in names:
            _function(theory, name, seed.of(name))
        for clause in seed.clauses:
            theory.fact(clause)
    except RefusedProof as error:
        raise RefusedProof(f"the plain program: {error}") from None
    axioms.lemmas(theory)
    return theory


def _function(theory: Theory, name: str, clauses: list[HornClause]) -> None:
    """Raise RefusedProof unless clauses define a function of their inputs."""
    for clause in clauses:
        theory.calls(clause)
    theory.cover(name, clauses)
    theory.agree(name, clauses)


def _well_declared(program: LogicProgram) -> None:
    """Raise RefusedProof unless declarations speak of what exists, of distinct variables and of tests."""
    defined = {clause.head.name for clause in program.clauses}
    for what, have, most in (
        ("predicates", program.preds, 300),
        ("clauses", program.clauses, 1000),
        ("lemmas", program.lemmas, 20),
    ):
        if len(have) > most:
            raise RefusedProof(f"{len(have)} {what} are more than {most}")
    for pred in program.preds.values():
        _well_promised(pred, program, defined)
    seen: set[str] = set()
    for group in program.either:
        if len(group) < 2 or len(set(group)) != len(group):
            raise RefusedProof(f"either {', '.join(group)}: a choice is between two different tests or more")
        for test in group:
            if test in seen:
                raise RefusedProof(f"{test} stands in two choices, which could contradict each other")
            seen.add(test)
            _is_test(program, test, defined)
    for word, table in (("fact", program.facts), ("require", program.require)):
        for about in table.values():
            _well_about(program, about, word, defined)
    for lemma in program.lemmas:
        _well_lemma(program, lemma.first, lemma.second, lemma.tests)


def _well_promised(pred: Declared, program: LogicProgram, defined: set[str]) -> None:
    if "in" not in pred.modes:
        raise RefusedProof(f"{pred.name} has no input")
    if pred.name in defined and pred.total:
        raise RefusedProof(f"{pred.name} has clauses, so that `total({','.join(pred.total)})` is not for it to promise")
    if pred.name in defined and pred.smaller:
        raise RefusedProof(f"{pred.name} has clauses; only primitives are promised to be smaller")
    if pred.modes[0] != "in" and pred.name not in defined:
        raise RefusedProof(f"the first argument of the primitive {pred.name} must be an input")
    if pred.smaller and ("out" not in pred.modes or pred.kinds[0] == "number"):
        raise RefusedProof(f"{pred.name} cannot be smaller: it returns nothing, or its first argument is a number")
    for test in pred.total or ():
        _is_test(program, test, defined)


def _is_test(program: LogicProgram, test: str, defined: set[str]) -> None:
    if test not in program.preds or program.preds[test].modes != ("in",) or test in defined:
        raise RefusedProof(f"{test} is no test: a test is a primitive with one input and no output")


def _distinct(args: tuple[Any, ...], where: str) -> None:
    names = [arg.name for arg in args if isinstance(arg, Variable)]
    if len(names) != len(args) or len(set(names)) != len(names):
        raise RefusedProof(f"{where}: the arguments must be different variables")


def _well_about(program: LogicProgram, about: About, word: str, defined: set[str]) -> None:
    name = about.head.name
    if name not in program.preds or len(about.head.args) != len(program.preds[name].modes):
        raise RefusedProof(f"`{word}` speaks of {name} with {len(about.head.args)} arguments, which is not declared")
    _distinct(about.head.args, f"`{word}` about {name}")
    pred = program.preds[name]
    allowed = {
        arg.name
        for arg, mode in zip(about.head.args, pred.modes, strict=True)
        if isinstance(arg, Variable) and (word == "fact" or mode == "in")
    }
    for test in about.tests:
        if test.name not in SIGNS or not goal_variables(test) <= allowed:
            raise RefusedProof(
                f"`{word}` about {name}: only comparisons of its {'arguments' if word == 'fact' else 'inputs'} are "
                f"understood"
            )
    if word == "require" and name not in defined:
        raise RefusedProof(f"`require` about {name}: a primitive says where it answers by `total`")


def _well_lemma(program: LogicProgram, first: Any, second: Any, tests: Any) -> None:
    where = f"the lemma about {first.name} and {second.name}"
    for goal in (first, second):
        if goal.name not in program.preds or len(goal.args) != len(program.preds[goal.name].modes):
            raise RefusedProof(f"{where}: {goal.name} with {len(goal.args)} arguments is not declared")
        _distinct(goal.args, where)
    into, outs = [], []
    for goal in (first, second):
        pred = program.preds[goal.name]
        into.append([goal.args[i] for i in pred.places("in")])
        outs += [goal.args[i].name for i in pred.places("out")]
    if set(into[0]) != set(into[1]):
        raise RefusedProof(f"{where}: both calls must be about the same inputs")
    if len(set(outs)) != len(outs) or set(outs) & {v.name for v in into[0]}:
        raise RefusedProof(f"{where}: outputs must be different variables")
    for test in tests:
        if test.name not in SIGNS or not goal_variables(test) <= {*outs, *(v.name for v in into[0])}:
            raise RefusedProof(f"{where}: only comparisons of the arguments are understood")


# the steps


def _step(theory: Theory, current: list[HornClause], step: ClaimedStep) -> list[HornClause]:
    takes, gives = COUNTS[step.rule]
    for wanted, have, word in ((takes, step.removed, "takes"), (gives, step.added, "gives")):
        if wanted is not None and len(have) != wanted:
            raise RefusedProof(f"the rule {word} {wanted} clauses, not {len(have)}")
    rest = list(current)
    for clause in step.removed:
        if clause not in rest:
            raise RefusedProof(f"it removes a clause that is not there: {show_clause(clause)}")
        rest.remove(clause)
    if step.rule == "define":
        _define(theory, step)
        return rest + list(step.added)
    heads = {clause.head.name for clause in (*step.removed, *step.added)}
    if step.rule == "refine":
        if not heads <= set(theory.contracts):
            raise RefusedProof(f"{', '.join(sorted(heads - set(theory.contracts)))} has no contract")
    elif len(heads) != 1:
        raise RefusedProof("the clauses are not about one predicate")
    for clause in step.added:
        if clause.head.name in theory.primitives or clause.head.name not in theory.program.preds:
            raise RefusedProof(f"{clause.head.name} is not a predicate with clauses")
        theory.truth(clause)
    after = rest + list(step.added)
    if step.removed:
        name = step.removed[0].head.name
        theory.cover(name, [c for c in after if c.head.name == name], list(step.removed))
    return after


def _define(theory: Theory, step: ClaimedStep) -> None:
    new = step.declared
    if new is None or len(new.preds) != 1 or new.clauses or new.either or new.facts or new.lemmas:
        raise RefusedProof("a definition declares one predicate, what it requires, and nothing else")
    (pred,) = new.preds.values()
    if pred.name in theory.program.preds:
        raise RefusedProof(f"{pred.name} is not a new name")
    if set(new.require) - {pred.name}:
        raise RefusedProof("a definition requires something of its own predicate only")
    if pred.smaller or pred.total != () or "out" not in pred.modes or "in" not in pred.modes:
        raise RefusedProof(
            f"{pred.name} must be declared total, with an input and an output, and cannot be promised to be smaller"
        )
    program = theory.program
    for about in new.require.values():
        _well_about(LogicProgram(new.preds), about, "require", {pred.name})
    for test in new.require[pred.name].tests if new.require else ():
        if not goal_variables(test):
            raise RefusedProof(f"what {pred.name} requires must be about its inputs")
    program.preds[pred.name] = pred
    program.require.update(new.require)
    theory.kind.declare(LogicProgram({pred.name: pred}, require=new.require))
    if step.contract is not None:
        if step.added:
            raise RefusedProof("a predicate has a contract or clauses that define it, not both")
        _contract(theory, pred, step.contract)
        return
    if not step.added:
        raise RefusedProof(f"{pred.name} is defined by no clauses and has no contract")
    for clause in step.added:
        if clause.head.name != pred.name:
            raise RefusedProof(f"the definition of {pred.name} has a clause about {clause.head.name}")
        for goal in clause.body:
            if goal.name == pred.name or goal.name in theory.contracts:
                raise RefusedProof(
                    f"a definition speaks of plain functions that are defined already, not of {goal.name}"
                )
        theory.read(clause)
    theory.plain[pred.name] = [theory.read(clause) for clause in step.added]
    _function(theory, pred.name, list(step.added))
    axioms.satisfiable(theory, pred.name)


def _contract(theory: Theory, pred: Declared, contract: Promise) -> None:
    head, of = contract.head, contract.of
    if head.name != pred.name or len(head.args) != len(pred.modes):
        raise RefusedProof(f"the contract of {pred.name} speaks of something else")
    _distinct(head.args, f"the contract of {pred.name}")
    if (
        of.name not in theory.plain
        or of.name in theory.contracts
        or len(of.args) != len(theory.program.preds[of.name].modes)
    ):
        raise RefusedProof(
            f"the contract of {pred.name} answers for {of.name}, which is no plain function of so many arguments"
        )
    _distinct(of.args, f"the contract of {pred.name}")
    plain = theory.program.preds[of.name]
    mine = {m: {head.args[i] for i in pred.places(m)} for m in ("in", "out")}
    if not {of.args[i] for i in plain.places("in")} <= mine["in"]:
        raise RefusedProof(f"the contract of {pred.name}: the inputs of {of.name} must be inputs of {pred.name}")
    outs = {of.args[i] for i in plain.places("out")}
    if outs & (mine["in"] | mine["out"]):
        raise RefusedProof(f"the contract of {pred.name}: the outputs of {of.name} need names of their own")
    allowed = {v.name for v in (*mine["in"], *mine["out"], *outs) if isinstance(v, Variable)}
    if not contract.lines:
        raise RefusedProof(f"the contract of {pred.name} says nothing")
    for line in contract.lines:
        for test in line:
            if test.name not in SIGNS or not goal_variables(test) <= allowed:
                raise RefusedProof(f"the contract of {pred.name}: only comparisons of the arguments are understood")
    theory.kind.goals([head, of, *(t for line in contract.lines for t in line)], f"the contract of {pred.name}")
    theory.contracts[pred.name] = contract
    axioms.satisfiable(theory, pred.name)
    axioms.says_something(theory, pred.name)


# the derived program


def _derived_program(theory: Theory, clauses: list[HornClause], entry: str) -> None:
    if entry not in theory.program.preds or not any(c.head.name == entry for c in clauses):
        raise RefusedProof(f"the entry {entry} has no clauses")
    names = dict.fromkeys(clause.head.name for clause in clauses)
    for clause in clauses:
        for call in theory.read(clause).calls:
            if call.name not in theory.primitives and call.name not in names:
                raise RefusedProof(f"{call.name} is called and has no clauses")
    descends(theory, clauses, "it does not end")
    for name in names:
        mine = [c for c in clauses if c.head.name == name]
        for clause in mine:
            theory.truth(clause)
            theory.calls(clause)
        theory.cover(name, mine)
        if name in theory.contracts:
            theory.agree(name, mine)


def holds_of(
    verified: Verified,
    name: str,
    wanted: Callable[[tuple[Value, ...], tuple[Value, ...]], Formula],
    *,
    beyond: bool = False,
) -> bool:
    """Tell whether what is proved of a predicate implies something, where it answers (`beyond`: where it does not).

    `wanted` gets the values of its inputs and outputs and returns a formula; it may speak of plain functions.
    """
    theory = verified.theory
    if name not in theory.program.preds or not any(c.head.name == name for c in verified.file.result.clauses):
        return False
    inputs: tuple[Value, ...] = tuple(("arg", i) for i in range(len(theory.program.preds[name].places("in"))))
    known = both(theory.required(name, inputs))
    try:
        theory.prove(
            f"what {name} is used for",
            [deny(known) if beyond else known],
            wanted(inputs, theory.outs(name, inputs)),
            {},
        )
    except RefusedProof:
        return False
    return True
