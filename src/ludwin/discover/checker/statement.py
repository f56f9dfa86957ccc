"""The theorem in words: what is believed, what is defined, what was proved, and what was not.

Why it is here.  "73 steps hold" says nothing to somebody who does not know what the steps lead to.  The statement is
written from what the checker read and proved, never from what the file says of itself.
"""

from dataclasses import dataclass

from ludwin.discover.checker.reader import File
from ludwin.discover.checker.terms import About, App, Atom, Term, Variable, show, show_clause, show_goal
from ludwin.discover.checker.theory import Theory


@dataclass(frozen=True)
class Statement:
    """Axioms, definitions, theorem, and what is left open, as lines of text."""

    axioms: tuple[str, ...]
    definitions: tuple[str, ...]
    theorem: tuple[str, ...]
    unproved: tuple[str, ...]

    def text(self) -> str:
        """Return the whole statement to print."""
        found = []
        for title, lines in (
            ("Axioms (believed, not proved)", self.axioms),
            ("Definitions (the plain functions)", self.definitions),
            ("Theorem (verified)", self.theorem),
            ("Not proved", self.unproved),
        ):
            found += [f"{title}:", *(f"  {line}" for line in lines)]
        return "\n".join(found) + "\n"


def state(theory: Theory, file: File) -> Statement:
    """Return what was verified."""
    defined = [name for name in theory.plain if name not in {c.head.name for c in file.seed.clauses}]
    definitions = [show_clause(c) for c in file.seed.clauses]
    for name in defined:
        if name in theory.program.require:
            definitions.append(f"{name} is for {_tests(theory.program.require[name].tests)} only:")
        definitions += [show_clause(r.clause) for r in theory.plain[name]]
    theorem = [_line(theory, file.entry)]
    if set(file.result.clauses) == set(file.seed.clauses):
        theorem.append("the derived program is the plain program itself")
    for name in dict.fromkeys(c.head.name for c in file.result.clauses):
        if name != file.entry and (name in theory.contracts or name in defined):
            theorem.append(_line(theory, name))
    facts = [about for name, about in theory.program.facts.items() if name not in theory.primitives]
    theorem += [f"plain {show_goal(about.head)}: {_tests(about.tests)}" for about in facts]
    return Statement(tuple(_axioms(theory)), tuple(definitions), tuple(theorem), tuple(_unproved(theory)))


def _tests(tests: tuple[Atom, ...]) -> str:
    return ", ".join(map(show_goal, tests))


def _axioms(theory: Theory) -> list[str]:
    program, found = theory.program, []
    for name, pred in program.preds.items():
        if name not in theory.primitives:
            continue
        kinds = theory.kind.of(name)
        outs = [kinds[i] for i in pred.places("out")]
        into = ", ".join(kinds[i] for i in pred.places("in"))
        if not outs:
            found.append(f"{name}({into}) is a test: it holds or does not hold")
            continue
        where = (
            "never, as far as is promised"
            if pred.total is None
            else "always"
            if not pred.total
            else "where " + " and ".join(pred.total) + " holds"
        )
        line = f"{name}({into}) gives one {', one '.join(outs)}, {where}"
        found.append(
            line
            + (
                "; what it gives is smaller than what it was given, and no chain of smaller things is endless"
                if pred.smaller
                else ""
            )
        )
    found += [f"exactly one of {', '.join(group)} holds" for group in program.either]
    found += [
        f"{show_goal(a.head)}: {_tests(a.tests)}" for name, a in program.facts.items() if name in theory.primitives
    ]
    found += [f"{show_goal(x.first)}, {show_goal(x.second)}: {_tests(x.tests)}" for x in program.lemmas]
    found.append("lists are finite; numbers are reals, inf and -inf")
    return found


def _line(theory: Theory, name: str) -> str:
    """Return what is proved of a predicate of the derived program."""
    pred, kinds = theory.program.preds[name], theory.kind.of(name)
    contract = theory.contracts.get(name)
    head = contract.head if contract else _head(theory, name)
    into = ", ".join(
        f"{'number' if kinds[i] == 'number' else kinds[i]} {show(head.args[i])}" for i in pred.places("in")
    )
    about = theory.program.require.get(name)
    need = f" where {_tests(_renamed(about, head))}" if about else ""
    start = f"derived {show_goal(head)}: for all {into}{need} it ends with one answer, "
    if contract is not None:
        lines = "; and ".join(" or ".join(map(show_goal, line)) for line in contract.lines)
        return f"{start}and if plain {show_goal(contract.of)}, then {lines}"
    return f"{start}that of plain {show_goal(head)}"


def _head(theory: Theory, name: str) -> Atom:
    """Return a head with a variable for every argument: that of the definition, or one with names by kind."""
    for reading in theory.plain[name]:
        if all(isinstance(arg, Variable) for arg in reading.clause.head.args) and len(
            set(reading.clause.head.args)
        ) == len(reading.clause.head.args):
            return reading.clause.head
    return Atom(name, tuple(Variable(f"X{i}") for i in range(len(theory.program.preds[name].modes))))


def _renamed(about: About, head: Atom) -> tuple[Atom, ...]:
    """Return the tests of a requirement in the variables of another head."""
    names = {old.name: new for old, new in zip(about.head.args, head.args, strict=True) if isinstance(old, Variable)}

    def put(term: Term) -> Term:
        if isinstance(term, Variable):
            return names[term.name]
        return App(term.functor, tuple(map(put, term.args))) if isinstance(term, App) else term

    return tuple(Atom(test.name, tuple(map(put, test.args))) for test in about.tests)


def _unproved(theory: Theory) -> list[str]:
    found = [
        "that the axioms are true of a game: the agent `derived:FILE` compares what it can before it plays",
        "rounding: the theorem is about real numbers, programs calculate with doubles; no nan goes in",
        "that less is looked at than by the plain program: node counts are measured, not proved",
        "the scheduler, the code generators and the compiler that make a running program of the clauses: they are "
        "tested",
    ]
    if theory.program.lemmas:
        found.append("a primitive that changes in time, such as a table, must keep its lemma at every moment")
    return found
