"""The paper's syntax, read and written: clauses as Prolog has them, with declarations.

Why it is here.  Programs, derivation files and proofs are texts that people read; reading back what was
written gives the same program.  A mistake is told with its line and column.

    :- pred eval(in:position, out:number) is total, cost.     modes, kinds and promises
    :- pred left(in:position, out:position) is total(inner), smaller.
    :- either leaf, inner.                                    exactly one of these tests holds
    :- fact value(P, V): V >= -1, V <= 1.                     what is always true of an output
    :- require window(P, A, B, V): A < B.                     what every caller guarantees
    :- lemma cost(P, V), bound(P, H): H <= V.                 how two calls about one thing compare
    max(P, A) :- leaf(P), eval(P, A).
"""

import math
import re
from dataclasses import dataclass
from typing import NoReturn

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
    canonical_names,
    modes,
    names,
    negate,
    tidy,
)

MOST_DEPTH = 100  # brackets within brackets
_TOKEN = re.compile(
    r"(?P<skip>\s+|%[^\n]*)|(?P<number>\d+(?:\.\d+)?)|(?P<var>[A-Z_]\w*)|"
    r"(?P<name>[a-z]\w*)|(?P<mark>:-|>=|=<|<=|[-+*/()\[\]|,.<>=:])"
)
PROMISES = ("total", "cost", "smaller", "det", "pure")


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    line: int
    column: int


class _ClauseReader:
    def __init__(self, text: str, where: str):
        self.where = where
        self.tokens = self._scan(text)
        self.at = 0
        self.blank = 0

    def _scan(self, text: str) -> list[_Token]:
        found, at, line, start = [], 0, 1, 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                raise BadProgram(f"{self.where}:{line}:{at - start + 1}: cannot read {text[at]!r}")
            if match.lastgroup != "skip":
                found.append(_Token(str(match.lastgroup), match[0], line, at - start + 1))
            line += match[0].count("\n")
            if "\n" in match[0]:
                start = match.start() + match[0].rindex("\n") + 1
            at = match.end()
        found.append(_Token("end", "the end", line, at - start + 1))
        self._demand_shallow(found)
        return found

    def _demand_shallow(self, tokens: list[_Token]) -> None:
        """Raise BadProgram for brackets within brackets, or signs before signs, without end."""
        depth = signs = 0
        for token in tokens:
            depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
            signs = signs + 1 if token.text == "-" else 0
            if max(depth, signs) > MOST_DEPTH:
                self.fail(f"more than {MOST_DEPTH} brackets within brackets, or signs before signs", token)

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, reason: str, token: _Token | None = None) -> NoReturn:
        token = token or self.token
        raise BadProgram(f"{self.where}:{token.line}:{token.column}: {reason}")

    def take(self, *texts: str) -> _Token:
        token = self.token
        if texts and token.text not in texts:
            self.fail(f"expected {' or '.join(repr(t) for t in texts)}, got {token.text!r}")
        self.at += 1
        return token

    def sees(self, *texts: str) -> bool:
        return self.token.kind != "end" and self.token.text in texts

    def word(self) -> str:
        if self.token.kind != "name":
            self.fail(f"expected a name in small letters, got {self.token.text!r}")
        return self.take().text

    # terms

    def expression(self) -> Term:
        left = self.product()
        while self.sees("+", "-"):
            left = Struct(self.take().text, (left, self.product()))
        return left

    def product(self) -> Term:
        left = self.factor()
        while self.sees("*", "/"):
            left = Struct(self.take().text, (left, self.factor()))
        return left

    def factor(self) -> Term:
        token = self.token
        if self.sees("-"):
            self.take()
            inner = self.factor()
            return negate(inner)
        if self.sees("("):
            self.take()
            inner = self.expression()
            self.take(")")
            return inner
        if self.sees("["):
            return self.items()
        if token.kind == "number":
            self.take()
            return Const(float(token.text) if "." in token.text else int(token.text))
        if token.kind == "var":
            self.take()
            if token.text == "_":
                self.blank += 1
                return Var(f"_{self.blank}")
            return Var(token.text)
        if token.kind == "name":
            name = self.word()
            if self.sees("("):
                return Struct(name, self.arguments())
            return Const(math.inf if name == "inf" else name)
        self.fail(f"expected a term, got {token.text!r}")

    def items(self) -> Term:
        self.take("[")
        if self.sees("]"):
            self.take()
            return NIL
        things = [self.expression()]
        while self.sees(","):
            self.take()
            things.append(self.expression())
        tail: Term = NIL
        if self.sees("|"):
            self.take()
            tail = self.expression()
        self.take("]")
        for item in reversed(things):
            tail = Struct(".", (item, tail))
        return tail

    def arguments(self) -> tuple[Term, ...]:
        self.take("(")
        args = [self.expression()]
        while self.sees(","):
            self.take()
            args.append(self.expression())
        self.take(")")
        return tuple(args)

    # goals, clauses, declarations

    def goal(self) -> Goal:
        token = self.token
        left = self.expression()
        if self.token.kind == "mark" and self.token.text in (*COMPARE, "=<"):
            sign = self.take().text.replace("=<", "<=")
            return Goal(sign, (left, self.expression()))
        if self.token.text == "is":
            self.take()
            return Goal("is", (left, self.expression()))
        if isinstance(left, Struct) and left.functor[0].isalpha():
            return Goal(left.functor, left.args)
        if isinstance(left, Const) and isinstance(left.value, str) and left != NIL:
            return Goal(left.value, ())
        self.fail("expected a goal such as p(X), X >= Y or X is Y-1", token)

    def goals(self) -> list[Goal]:
        found = [self.goal()]
        while self.sees(","):
            self.take()
            found.append(self.goal())
        return found

    def clause(self) -> Clause:
        head = self.goal()
        body = []
        if self.sees(":-"):
            self.take()
            body = self.goals()
        self.take(".")
        return Clause(
            head, tuple(g for g in body if g.name not in COMPARE), tuple(g for g in body if g.name in COMPARE)
        )

    def declare(self) -> Pred:
        name = self.word()
        ways, kinds = [], []
        self.take("(")
        while True:
            ways.append(self.take("in", "out").text)
            kind = "any"
            if self.sees(":"):
                self.take()
                kind = self.word()
            kinds.append(kind)
            if self.take(",", ")").text == ")":
                break
        total: tuple[str, ...] | None = None
        costly = smaller = False
        if self.sees("is"):
            self.take()
            while True:
                token = self.token
                promise = self.word()
                if promise not in PROMISES:
                    self.fail(f"unknown promise {promise!r}; there are {', '.join(PROMISES)}", token)
                if promise == "total":
                    total = ()
                    if self.sees("("):
                        total = tuple(str(t.value) for t in self.arguments() if isinstance(t, Const))
                costly |= promise == "cost"
                smaller |= promise == "smaller"
                if not self.sees(","):
                    break
                self.take()
        self.take(".")
        return Pred(name, tuple(ways), tuple(kinds), total, costly, smaller)


def parse(text: str, where: str = "program") -> Program:
    """Read a program and examine it. Raises BadProgram with line and column.

    >>> parse("p(X) :- q(X).")
    Traceback (most recent call last):
    ludwin.discover.term.BadProgram: program:1:1: p: no predicate p is declared; write `:- pred p(in).` with its modes
    """
    reader = _ClauseReader(text, where)
    preds: dict[str, Pred] = {}
    either, clauses, places = [], [], []
    facts: dict[str, tuple[Goal, ...]] = {}
    pre: dict[str, tuple[Goal, ...]] = {}
    heads: dict[str, Goal] = {}
    lemmas: list[tuple[Goal, Goal, tuple[Goal, ...]]] = []
    while reader.token.kind != "end":
        token = reader.token
        if reader.sees(":-"):
            reader.take()
            word = reader.take("pred", "either", "fact", "require", "lemma").text
            if word == "pred":
                pred = reader.declare()
                if pred.name in preds:
                    reader.fail(f"{pred.name} is declared twice", token)
                preds[pred.name] = pred
            elif word == "either":
                tests = [reader.word()]
                while reader.sees(","):
                    reader.take()
                    tests.append(reader.word())
                reader.take(".")
                either.append(tuple(tests))
            elif word == "lemma":
                first = reader.goal()
                reader.take(",")
                second = reader.goal()
                reader.take(":")
                lemmas.append((first, second, tuple(reader.goals())))
                reader.take(".")
            else:
                head = reader.goal()
                reader.take(":")
                (facts if word == "fact" else pre)[head.name] = tuple(reader.goals())
                heads[head.name] = head
                reader.take(".")
        else:
            clauses.append(reader.clause())
            places.append(token)
    program = Program(preds, tuple(either), tuple(clauses), facts, pre, heads, tuple(lemmas))
    for clause, token in zip(clauses, places, strict=True):
        try:
            examine(program, clause)
        except BadProgram as error:
            reader.fail(str(error), token)
    return program.with_clauses(tuple(tidy(clause) for clause in clauses))


def parse_clause(text: str, where: str = "clause") -> Clause:
    """Read one clause, without looking at what it calls."""
    reader = _ClauseReader(text, where)
    clause = reader.clause()
    if reader.token.kind != "end":
        reader.fail(f"expected nothing after the clause, got {reader.token.text!r}")
    return clause


def parse_goals(text: str, where: str = "goals") -> tuple[Goal, ...]:
    """Read goals and tests separated by commas.

    >>> write_goal(parse_goals("B >= C")[0])
    'B >= C'
    """
    return tuple(_ClauseReader(text, where).goals()) if text.strip() else ()


def examine(program: Program, clause: Clause) -> None:
    """Raise BadProgram unless a clause calls what exists and gives every variable a value."""
    for goal in (clause.head, *clause.goals):
        if goal.name == "is":
            continue
        if goal.name not in program.preds:
            kinds = ", ".join("in" for _ in goal.args)
            raise BadProgram(
                f"{clause.head.name}: no predicate {goal.name} is declared; write `:- pred {goal.name}({kinds}).` "
                f"with its modes"
            )
        if len(goal.args) != len(program.preds[goal.name].modes):
            raise BadProgram(
                f"{clause.head.name}: {goal.name} takes {len(program.preds[goal.name].modes)} arguments, got "
                f"{len(goal.args)}"
            )
    found, _ = canonical_names(program, clause)
    for test in clause.tests:
        for name in (n for term in test.args for n in names(term)):
            if name not in found:
                raise BadProgram(f"{clause.head.name}: nothing gives {name} a value")
    for term in modes(program, clause.head)[1]:
        for name in names(term):
            if name not in found:
                raise BadProgram(f"{clause.head.name}: the head's variable {name} never gets a value")


_RANK = {"+": 1, "-": 1, "*": 2, "/": 2}


def write_term(term: Term, rank: int = 0) -> str:
    """Return the text of a term."""
    if isinstance(term, Var):
        return term.name
    if isinstance(term, Const):
        if isinstance(term.value, float) and math.isinf(term.value):
            return "inf" if term.value > 0 else "-inf"
        return str(term.value)
    if term.functor == ".":
        items, rest = [], Struct(".", term.args)
        tail: Term = rest
        while isinstance(tail, Struct) and tail.functor == ".":
            items.append(write_term(tail.args[0]))
            tail = tail.args[1]
        return f"[{','.join(items)}{'' if tail == NIL else '|' + write_term(tail)}]"
    if term.functor == "-" and len(term.args) == 1:
        return f"-{write_term(term.args[0], 3)}"
    if term.functor in _RANK:
        mine = _RANK[term.functor]
        text = f"{write_term(term.args[0], mine)}{term.functor}{write_term(term.args[1], mine + 1)}"
        return f"({text})" if mine < rank else text
    return f"{term.functor}({','.join(write_term(arg) for arg in term.args)})"


def write_goal(goal: Goal) -> str:
    """Return the text of a goal."""
    if goal.name in COMPARE or goal.name == "is":
        return f"{write_term(goal.args[0])} {goal.name} {write_term(goal.args[1])}"
    return f"{goal.name}({','.join(write_term(arg) for arg in goal.args)})" if goal.args else goal.name


def write_clause(clause: Clause) -> str:
    """Return the text of a clause, on one line."""
    body = ", ".join(write_goal(goal) for goal in (*clause.goals, *clause.tests))
    return f"{write_goal(clause.head)} :- {body}." if body else f"{write_goal(clause.head)}."


def write_pred(pred: Pred) -> str:
    """Return the declaration of a predicate."""
    args = ", ".join(
        mode if kind == "any" else f"{mode}:{kind}" for mode, kind in zip(pred.modes, pred.kinds, strict=True)
    )
    promises = [] if pred.total is None else ["total" + (f"({','.join(pred.total)})" if pred.total else "")]
    promises += ["cost"] * pred.costly + ["smaller"] * pred.smaller
    return f":- pred {pred.name}({args}){' is ' + ', '.join(promises) if promises else ''}."


def write(program: Program) -> str:
    """Return the text of a program, declarations first, that `parse` reads back."""
    lines = [write_pred(pred) for pred in program.preds.values()]
    lines += [f":- either {', '.join(group)}." for group in program.either]
    for word, table in (("fact", program.facts), ("require", program.pre)):
        lines += [
            f":- {word} {write_goal(program.heads[name])}: {', '.join(write_goal(g) for g in goals)}."
            for name, goals in table.items()
        ]
    for first, second, tests in program.lemmas:
        lines.append(f":- lemma {write_goal(first)}, {write_goal(second)}: {', '.join(map(write_goal, tests))}.")
    return "\n".join([*lines, *(write_clause(clause) for clause in program.clauses)]) + "\n"
