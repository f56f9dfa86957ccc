"""The theorem in words: what is believed, what is defined, what was proved, and what was not.

Why it is here.  "73 steps hold" says nothing to somebody who does not know what the steps lead to.  The statement is written
from what the checker read and proved, never from what the file says of itself.
"""

from dataclasses import dataclass

from ludwin.discover.checker.reader import File, quote
from ludwin.discover.checker.terms import Goal, Var, show, show_clause, show_goal, show_pred
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
            ("Definitions", self.definitions),
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
    theorem = _about(theory, file, file.entry)
    if set(file.result.clauses) == set(file.seed.clauses):
        theorem.append("The derived program is the plain program itself.")
    for name in dict.fromkeys(c.head.name for c in file.result.clauses):
        if name != file.entry and (name in theory.contracts or name in defined):
            theorem.append(_line(theory, name))
    return Statement(tuple(_axioms(theory)), tuple(definitions), tuple(theorem), tuple(_unproved(theory)))


def _tests(tests: tuple[Goal, ...]) -> str:
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
        where = "never, as far as is promised" if pred.total is None else "always" if not pred.total else "where " + " and ".join(pred.total) + " holds"
        line = f"{name}({into}) gives one {', one '.join(outs)}, {where}"
        found.append(line + ("; what it gives is smaller than what it was given, and no chain of smaller things is endless" if pred.smaller else ""))
    found += [f"exactly one of {', '.join(group)} holds" for group in program.either]
    found += [f"{show_goal(a.head)}: {_tests(a.tests)}" for name, a in program.facts.items() if name in theory.primitives]
    found += [f"{show_goal(x.first)}, {show_goal(x.second)}: {_tests(x.tests)}" for x in program.lemmas]
    found.append("lists are finite; numbers are reals, inf and -inf")
    return found


def _about(theory: Theory, file: File, name: str) -> list[str]:
    """Return the theorem about the entry."""
    program, pred = theory.program, theory.program.preds[file.entry]
    found = [_line(theory, name)]
    facts = [(n, a) for n, a in program.facts.items() if n not in theory.primitives]
    found += [f"of the plain program: {show_goal(a.head)}: {_tests(a.tests)}" for _, a in facts]
    assert pred.name == name
    return found


def _line(theory: Theory, name: str) -> str:
    program, pred = theory.program, theory.program.preds[name]
    kinds = theory.kind.of(name)
    if name in theory.contracts:
        contract = theory.contracts[name]
        need = _need(theory, name)
        lines = "; and ".join(" or ".join(map(show_goal, line)) for line in contract.lines)
        return f"{show_goal(contract.head)}{need} ends with one answer, and if {show_goal(contract.of)} in the plain program, then {lines}"
    about = program.require.get(name)
    args = [show(a) for a in about.head.args] if about else [f"X{i}" for i in range(len(pred.modes))]
    into = ", ".join(f"{args[i]}: {kinds[i]}" for i in pred.places("in"))
    source = "of its definition" if name not in {r.clause.head.name for rs in theory.plain.values() for r in rs if name == r.clause.head.name} else "of the plain program and the definitions above"
    return f"{name}({','.join(args)}){_need(theory, name)} ends for all {into} with one answer, the answer {source}"


def _need(theory: Theory, name: str) -> str:
    about = theory.program.require.get(name)
    return f", where {_tests(about.tests)}," if about else ""


def _unproved(theory: Theory) -> list[str]:
    found = [
        "that the axioms are true of a game: the agent `derived:FILE` compares what it can before it plays",
        "rounding: the theorem is about real numbers, programs calculate with doubles; no nan goes in",
        "that less is looked at than by the plain program: node counts are measured, not proved",
        "the scheduler, the code generators and the compiler that make a running program of the clauses: they are tested",
    ]
    if theory.program.lemmas:
        found.append("a primitive that changes in time, such as a table, must keep its lemma at every moment")
    return found


def heading(file: File) -> str:
    """Return the name of a derivation for people; a name from a file is quoted."""
    return quote(file.problem)


__all__ = ["Statement", "heading", "show_pred", "state", "Var"]
