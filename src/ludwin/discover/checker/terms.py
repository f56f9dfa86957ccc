"""The checker's own terms, clauses and declarations.

Why it is here.  The checker shares no code with the search, so it has its own idea of what a program is.  Numbers are
exact fractions or one of the two infinities; everything else is a variable or a functor with arguments.
"""

from dataclasses import dataclass, field
from fractions import Fraction

from ludwin.errors import LudwinError

SIGNS = (">=", "<=", ">", "<", "=")


class RefusedProof(LudwinError, ValueError):
    """A file, a program or a step that the checker does not accept; the message says why."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Num:
    """A finite number, exactly; or an infinity: `value` is then 1 or -1 and `infinite` true."""

    value: Fraction
    infinite: bool = False


@dataclass(frozen=True, slots=True)
class App:
    """A functor with arguments: `max(A,B)`, `A+B`, `-A` (functor "~"), `[C|Cs]` (functor "."), `[]` ("[]"), a word."""

    functor: str
    args: tuple["Term", ...] = ()


Term = Variable | Num | App
INF, MINUS_INF = Num(Fraction(1), True), Num(Fraction(-1), True)


@dataclass(frozen=True, slots=True)
class Atom:
    """A call, a comparison, or arithmetic (`is`)."""

    name: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class HornClause:
    """A head and a body in the order in which it was written."""

    head: Atom
    body: tuple[Atom, ...]


@dataclass(frozen=True)
class Declared:
    """What a file declares of a predicate. `total` names tests of the first argument; None: it may fail anywhere."""

    name: str
    modes: tuple[str, ...]
    kinds: tuple[str, ...]
    total: tuple[str, ...] | None
    smaller: bool
    cost: bool

    def places(self, mode: str) -> tuple[int, ...]:
        """Return the places of the arguments of a mode."""
        return tuple(i for i, m in enumerate(self.modes) if m == mode)


@dataclass(frozen=True)
class About:
    """Tests about the arguments of a predicate: a fact or a requirement."""

    head: Atom
    tests: tuple[Atom, ...]


@dataclass(frozen=True)
class Lemma:
    """Two calls about one thing, and how their results compare."""

    first: Atom
    second: Atom
    tests: tuple[Atom, ...]


@dataclass(frozen=True)
class Promise:
    """`head` answers for `of` so that in every line one of the tests holds."""

    head: Atom
    of: Atom
    lines: tuple[tuple[Atom, ...], ...]


@dataclass
class LogicProgram:
    """Declarations and clauses."""

    preds: dict[str, Declared] = field(default_factory=dict)
    either: list[tuple[str, ...]] = field(default_factory=list)
    facts: dict[str, About] = field(default_factory=dict)
    require: dict[str, About] = field(default_factory=dict)
    lemmas: list[Lemma] = field(default_factory=list)
    clauses: list[HornClause] = field(default_factory=list)

    def of(self, name: str) -> list[HornClause]:
        """Return the clauses of a predicate."""
        return [clause for clause in self.clauses if clause.head.name == name]


def variables(term: Term) -> set[str]:
    """Return the variables of a term."""
    if isinstance(term, Variable):
        return {term.name}
    return set().union(*map(variables, term.args)) if isinstance(term, App) and term.args else set()


def goal_variables(goal: Atom) -> set[str]:
    """Return the variables of a goal."""
    return set().union(*map(variables, goal.args)) if goal.args else set()


_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}


def show(term: Term, rank: int = 0) -> str:
    """Return a term as text, in the clause language."""
    if isinstance(term, Variable):
        return term.name.replace("_#", "_")
    if isinstance(term, Num):
        if term.infinite:
            return "inf" if term.value > 0 else "-inf"
        return str(term.value.numerator) if term.value.denominator == 1 else decimal(term.value)
    if term.functor == "[]":
        return "[]"
    if term.functor == ".":
        return f"[{show(term.args[0])}|{show(term.args[1])}]"
    if term.functor == "~":
        return f"-{show(term.args[0], 3)}"
    if term.functor in _RANK:
        mine = _RANK[term.functor]
        text = f"{show(term.args[0], mine)}{term.functor}{show(term.args[1], mine + 1)}"
        return f"({text})" if mine < rank else text
    return f"{term.functor}({','.join(map(show, term.args))})" if term.args else term.functor


def decimal(value: Fraction) -> str:
    """Return a fraction that was read as a decimal as that decimal."""
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    digits = str(abs(int(value * 10**places))).rjust(places + 1, "0")
    return f"{'-' if value < 0 else ''}{digits[:-places]}.{digits[-places:]}"


def show_goal(goal: Atom) -> str:
    """Return a goal as text."""
    if goal.name in SIGNS or goal.name == "is":
        return f"{show(goal.args[0])} {goal.name} {show(goal.args[1])}"
    return f"{goal.name}({','.join(map(show, goal.args))})" if goal.args else goal.name


def show_clause(clause: HornClause) -> str:
    """Return a clause as text."""
    body = ", ".join(map(show_goal, clause.body))
    return f"{show_goal(clause.head)} :- {body}." if body else f"{show_goal(clause.head)}."


def show_pred(pred: Declared) -> str:
    """Return a declaration as text."""
    args = ", ".join(m if k == "any" else f"{m}:{k}" for m, k in zip(pred.modes, pred.kinds, strict=True))
    promises = [] if pred.total is None else ["total" + (f"({','.join(pred.total)})" if pred.total else "")]
    promises += ["cost"] * pred.cost + ["smaller"] * pred.smaller
    return f":- pred {pred.name}({args}){' is ' + ', '.join(promises) if promises else ''}."
