"""The checker's own reader: raw bytes in, a well-formed file or one line of refusal out.

Why it is here.  A derivation may come from anywhere.  The checker reads the bytes of the file itself, and only a small
language: plain ASCII, no comments, no key twice, no number beyond what a double holds exactly.  Whatever is not
understood is refused; nothing is skipped, guessed or repaired.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NoReturn

from ludwin.discover.checker.terms import (
    INF,
    MINUS_INF,
    SIGNS,
    About,
    App,
    Atom,
    Declared,
    HornClause,
    Lemma,
    LogicProgram,
    Num,
    Promise,
    RefusedProof,
    Term,
    Variable,
)

FORMAT = "ludwin-derivation"
VERSIONS = (1, 2)
MOST_BYTES = 20_000_000
MOST_STEPS = 5_000
MOST_TEXT = 8_000  # characters of one clause or line
MOST_DEPTH = 40  # brackets within brackets
MOST_ARGUMENTS = 24
MOST_OPERATORS = 120  # signs and items of one term
LARGEST = 2**53
RULES = (
    "define",
    "unfold",
    "fold",
    "split",
    "join",
    "entailed",
    "unsat",
    "unlinked",
    "subsume",
    "determinise",
    "merge",
    "replace",
    "rename",
    "refine",
)
KEYS = {1: {"format", "version", "problem", "entry", "seed", "steps", "result", "notes"}}
KEYS[2] = KEYS[1] | {"axioms", "theorem"}
STEP_KEYS = {"rule", "removed", "added", "because", "by", "data"}
DATA_KEYS = {"goal", "test", "other", "declare", "specification"}
RESERVED = {"is", "inf", "in", "out", "pred", "either", "fact", "require", "lemma"}

_WORD = re.compile(
    r"[ \t\n]*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<var>[A-Z_][A-Za-z0-9_]*)|"
    r"(?P<name>[a-z][A-Za-z0-9_]*)|(?P<mark>:-|>=|=<|<=|[-+*/()\[\]|,.<>=:]))"
)


@dataclass(frozen=True)
class ClaimedStep:
    """One step of a file, read."""

    rule: str
    removed: tuple[HornClause, ...]
    added: tuple[HornClause, ...]
    declared: LogicProgram | None = None
    contract: Promise | None = None


@dataclass(frozen=True)
class File:
    """A derivation file, read: well-formed, nothing proved."""

    problem: str
    entry: str
    seed: LogicProgram
    steps: tuple[ClaimedStep, ...]
    result: LogicProgram
    axioms: tuple[str, ...] | None
    theorem: tuple[str, ...] | None


# JSON


def read_json(raw: bytes) -> Any:
    """Return the JSON value of some bytes; a key twice, a nan or nesting without end is refused."""
    if len(raw) > MOST_BYTES:
        raise RefusedProof(f"the file has {len(raw):,} bytes, more than {MOST_BYTES:,}")
    try:
        text = raw.decode("utf8")
    except UnicodeDecodeError as error:
        raise RefusedProof(f"this is no derivation: byte {error.start} is not UTF-8") from None
    try:
        return json.loads(
            text, object_pairs_hook=_once, parse_constant=_no_constant, parse_int=_int, parse_float=_float
        )
    except RecursionError:
        raise RefusedProof("this is no derivation: it is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise RefusedProof(f"this is no derivation: {error.msg} at line {error.lineno}, column {error.colno}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise RefusedProof(f"the key {quote(key)} stands twice in one object")
        found[key] = value
    return found


def _no_constant(word: str) -> NoReturn:
    raise RefusedProof(f"{word} is no number of a file")


def _int(digits: str) -> int:
    if len(digits) > 20:
        raise RefusedProof(f"a number of {len(digits)} digits is not understood")
    return int(digits)


def _float(digits: str) -> float:
    if len(digits) > 60 or float(digits) in (float("inf"), float("-inf")):
        raise RefusedProof(f"the number {quote(digits)} is not understood")
    return float(digits)


def quote(value: object) -> str:
    """Return something from a file for a message: short, on one line, in ASCII."""
    text = ascii(value)
    return text if len(text) <= 60 else text[:57] + "…'"


def read_file(data: Any) -> File:
    """Return the derivation of a JSON value. Raises RefusedProof."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise RefusedProof(f"this is no derivation (a file of ours begins with its format, {FORMAT!r})")
    version = data.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version not in VERSIONS:
        raise RefusedProof(
            f"version {quote(version)} is not known, this program reads versions {', '.join(map(str, VERSIONS))}"
        )
    _only(data, KEYS[version], "the file")
    problem, entry = _words(data, "problem", "the file"), _text(data, "entry", "the file")
    if not re.fullmatch(r"[a-z][A-Za-z0-9_]*", entry):
        raise RefusedProof(f"the entry {quote(entry)} is no name of a predicate")
    if not isinstance(data.get("notes", {}), dict):
        raise RefusedProof("'notes' must be an object")
    seed = read_program("\n".join(_texts(data, "seed", "the file")), "seed")
    steps = []
    items = data.get("steps")
    if not isinstance(items, list):
        raise RefusedProof("'steps' is missing or no list")
    if len(items) > MOST_STEPS:
        raise RefusedProof(f"{len(items)} steps are more than {MOST_STEPS}")
    for i, item in enumerate(items):
        steps.append(_step(item, f"step {i + 1}"))
    result = read_program("\n".join(_texts(data, "result", "the file")), "result")
    stated = [tuple(_texts(data, key, "the file")) if version > 1 else None for key in ("axioms", "theorem")]
    return File(problem, entry, seed, tuple(steps), result, stated[0], stated[1])


def _only(data: dict[str, Any], keys: set[str], where: str) -> None:
    for key in data:
        if key not in keys:
            raise RefusedProof(f"{where} has a key {quote(key)}, which nothing reads")


def _text(data: dict[str, Any], key: str, where: str) -> str:
    value = data.get(key)
    if not isinstance(value, str):
        raise RefusedProof(f"{where}: {key!r} is missing or no text")
    if len(value) > MOST_TEXT:
        raise RefusedProof(f"{where}: {key!r} has more than {MOST_TEXT} characters")
    return value


def _words(data: dict[str, Any], key: str, where: str) -> str:
    """Return a text for people: one line that can be printed."""
    value = _text(data, key, where)
    if not value.isprintable():
        raise RefusedProof(f"{where}: {key!r} has characters that cannot be printed: {quote(value)}")
    return value


def _texts(data: dict[str, Any], key: str, where: str) -> list[str]:
    value = data.get(key)
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise RefusedProof(f"{where}: {key!r} is missing or no list of texts")
    if any(len(item) > MOST_TEXT for item in value):
        raise RefusedProof(f"{where}: a text of {key!r} has more than {MOST_TEXT} characters")
    return value


def _step(item: Any, where: str) -> ClaimedStep:
    if not isinstance(item, dict):
        raise RefusedProof(f"{where} is no object")
    _only(item, STEP_KEYS, where)
    rule = _text(item, "rule", where)
    if rule not in RULES:
        raise RefusedProof(f"{where}: no rule called {quote(rule)}")
    for key in ("because", "by"):
        if key in item:
            _words(item, key, where)
    removed, added = (
        tuple(read_clause(text, where) for text in _texts(item, key, where)) for key in ("removed", "added")
    )
    data = item.get("data", {})
    if not isinstance(data, dict):
        raise RefusedProof(f"{where}: 'data' is no object")
    _only(data, DATA_KEYS, where)
    for key in ("goal", "test"):
        if key in data:
            read_goals(_text(data, key, where), where)
    if "other" in data:
        read_clause(_text(data, "other", where), where)
    declared = contract = None
    if "declare" in data:
        declared = read_program(_text(data, "declare", where), where)
        if len(declared.preds) != 1 or declared.clauses:
            raise RefusedProof(f"{where}: a definition declares one predicate; its clauses stand under 'added'")
    if "specification" in data:
        spec = data["specification"]
        if not isinstance(spec, dict):
            raise RefusedProof(f"{where}: 'specification' is no object")
        _only(spec, {"of", "head", "relation"}, where)
        heads = [read_goals(_text(spec, key, where), where) for key in ("head", "of")]
        if any(len(goals) != 1 for goals in heads):
            raise RefusedProof(f"{where}: a specification has one head and answers for one call")
        lines = []
        for line in _texts(spec, "relation", where):
            parts = [read_goals(part, where) for part in line.split(";")]
            if any(len(part) != 1 for part in parts):
                raise RefusedProof(f"{where}: a line of a specification is tests separated by ';'")
            lines.append(tuple(part[0] for part in parts))
        contract = Promise(heads[0][0], heads[1][0], tuple(lines))
    if (declared is not None or contract is not None) and rule != "define":
        raise RefusedProof(f"{where}: only a definition declares something")
    return ClaimedStep(rule, removed, added, declared, contract)


# clauses


class _Words:
    def __init__(self, text: str, where: str):
        self.where, self.at, self.blank = where, 0, 0
        self.words: list[tuple[str, str]] = []
        if not text.isascii():
            strange = next(c for c in text if not c.isascii())
            raise RefusedProof(f"{where}: the character {strange!a} is not ASCII")
        text, at = text.rstrip(" \t\n"), 0
        while at < len(text):
            found = _WORD.match(text, at)
            if found is None:
                raise RefusedProof(f"{where}: cannot read {quote(text[at : at + 20])}")
            self.words.append((str(found.lastgroup), found[str(found.lastgroup)]))
            at = found.end()
        depth = 0
        for _, word in self.words:
            depth += (word in "([") - (word in ")]")
            if depth > MOST_DEPTH:
                raise RefusedProof(f"{where}: more than {MOST_DEPTH} brackets within brackets")

    def fail(self, wanted: str) -> NoReturn:
        raise RefusedProof(f"{self.where}: expected {wanted}, got {quote(self.peek() or 'the end')}")

    def peek(self) -> str:
        return self.words[self.at][1] if self.at < len(self.words) else ""

    def kind(self) -> str:
        return self.words[self.at][0] if self.at < len(self.words) else "end"

    def take(self, *wanted: str) -> str:
        word = self.peek()
        if not word or (wanted and word not in wanted):
            self.fail(" or ".join(map(repr, wanted)) or "more")
        self.at += 1
        return word

    def name(self) -> str:
        if self.kind() != "name" or self.peek() in RESERVED:
            self.fail("a name in small letters")
        return self.take()

    # terms

    def sum(self) -> Term:
        left, count = self.product(), 0
        while self.peek() in ("+", "-"):
            left, count = App(self.take(), (left, self.product())), self.more(count)
        return left

    def product(self) -> Term:
        left, count = self.factor(), 0
        while self.peek() in ("*", "/"):
            left, count = App(self.take(), (left, self.factor())), self.more(count)
        return left

    def more(self, count: int) -> int:
        if count >= MOST_OPERATORS:
            raise RefusedProof(f"{self.where}: a term has more than {MOST_OPERATORS} parts")
        return count + 1

    def factor(self) -> Term:
        signs = 0
        while self.peek() == "-":
            self.take()
            signs += 1
        inner = self.atom()
        if signs and isinstance(inner, App) and inner.functor not in ("+", "-", "*", "/", "max", "min", "~"):
            raise RefusedProof(f"{self.where}: minus {quote(inner.functor)} is no number")
        return negative(inner) if signs % 2 else inner

    def atom(self) -> Term:
        kind, word = self.kind(), self.peek()
        if word == "(":
            self.take()
            inner = self.sum()
            self.take(")")
            return inner
        if word == "[":
            return self.items()
        if kind == "number":
            return Num(self.number(self.take()))
        if kind == "var":
            self.take()
            if word == "_":
                self.blank += 1
                return Variable(f"_#{self.blank}")
            return Variable(word)
        if kind == "name":
            self.take()
            if word == "inf":
                return INF
            args = self.arguments() if self.peek() == "(" else ()
            if word in RESERVED:
                self.fail("a term")
            return App(word, args)
        self.fail("a term")

    def number(self, word: str) -> Fraction:
        if len(word) > 24:
            raise RefusedProof(f"{self.where}: the number {quote(word)} has too many digits")
        value = Fraction(word)
        if value > LARGEST or value.numerator > LARGEST**2:
            raise RefusedProof(f"{self.where}: the number {quote(word)} is beyond what is calculated exactly")
        return value

    def items(self) -> Term:
        self.take("[")
        if self.peek() == "]":
            self.take()
            return App("[]")
        things = [self.sum()]
        while self.peek() == ",":
            self.take()
            self.more(len(things))
            things.append(self.sum())
        tail: Term = App("[]")
        if self.peek() == "|":
            self.take()
            tail = self.sum()
        self.take("]")
        for item in reversed(things):
            tail = App(".", (item, tail))
        return tail

    def arguments(self) -> tuple[Term, ...]:
        self.take("(")
        args = [self.sum()]
        while self.peek() == ",":
            self.take()
            args.append(self.sum())
        self.take(")")
        if len(args) > MOST_ARGUMENTS:
            raise RefusedProof(f"{self.where}: more than {MOST_ARGUMENTS} arguments")
        return tuple(args)

    # goals and clauses

    def goal(self) -> Atom:
        left = self.sum()
        if self.peek() in (*SIGNS, "=<"):
            sign = self.take().replace("=<", "<=")
            return Atom(sign, (left, self.sum()))
        if self.peek() == "is":
            self.take()
            return Atom("is", (left, self.sum()))
        if isinstance(left, App) and left.functor[0].islower():  # max and min may be names of predicates, too
            return Atom(left.functor, left.args)
        self.fail("a goal such as p(X), X >= Y or X is Y-1")

    def goals(self) -> tuple[Atom, ...]:
        found = [self.goal()]
        while self.peek() == ",":
            self.take()
            found.append(self.goal())
        return tuple(found)

    def clause(self) -> HornClause:
        head = self.goal()
        if head.name in SIGNS or head.name == "is":
            raise RefusedProof(f"{self.where}: the head of a clause is no comparison")
        body: tuple[Atom, ...] = ()
        if self.peek() == ":-":
            self.take()
            body = self.goals()
        self.take(".")
        return HornClause(head, body)


def negative(term: Term) -> Term:
    """Return minus a term."""
    if isinstance(term, Num):
        return (MINUS_INF if term.value > 0 else INF) if term.infinite else Num(-term.value)
    if isinstance(term, App) and term.functor == "~":
        return term.args[0]
    return App("~", (term,))


def read_clause(text: str, where: str) -> HornClause:
    """Read one clause and nothing else."""
    words = _Words(text, where)
    clause = words.clause()
    if words.kind() != "end":
        words.fail("nothing after the clause")
    return clause


def read_goals(text: str, where: str) -> tuple[Atom, ...]:
    """Read goals separated by commas and nothing else."""
    words = _Words(text, where)
    goals = words.goals()
    if words.kind() != "end":
        words.fail("nothing after the goals")
    return goals


def read_program(text: str, where: str) -> LogicProgram:
    """Read declarations and clauses. Nothing may be declared twice."""
    words, found = _Words(text, where), LogicProgram()
    while words.kind() != "end":
        words.blank = 0
        if words.peek() != ":-":
            found.clauses.append(words.clause())
            continue
        words.take()
        word = words.take("pred", "either", "fact", "require", "lemma")
        if word == "pred":
            pred = _declared(words)
            if pred.name in found.preds:
                raise RefusedProof(f"{where}: {pred.name} is declared twice")
            found.preds[pred.name] = pred
        elif word == "either":
            group = [words.name()]
            while words.peek() == ",":
                words.take()
                group.append(words.name())
            found.either.append(tuple(group))
            words.take(".")
        elif word == "lemma":
            first = words.goal()
            words.take(",")
            second = words.goal()
            words.take(":")
            found.lemmas.append(Lemma(first, second, words.goals()))
            words.take(".")
        else:
            head = words.goal()
            words.take(":")
            table = found.facts if word == "fact" else found.require
            if head.name in table:
                raise RefusedProof(f"{where}: there are two declarations `{word}` about {head.name}")
            table[head.name] = About(head, words.goals())
            words.take(".")
    return found


def _declared(words: _Words) -> Declared:
    name = words.name()
    words.take("(")
    modes, kinds = [], []
    while True:
        modes.append(words.take("in", "out"))
        kinds.append("any")
        if words.peek() == ":":
            words.take()
            kinds[-1] = words.name()
        if words.take(",", ")") == ")":
            break
    if len(modes) > MOST_ARGUMENTS:
        raise RefusedProof(f"{words.where}: {name} has more than {MOST_ARGUMENTS} arguments")
    total: tuple[str, ...] | None = None
    promises: list[str] = []
    if words.peek() == "is":
        words.take()
        while True:
            promise = words.take("total", "cost", "smaller", "det", "pure")
            if promise in promises:
                raise RefusedProof(f"{words.where}: {name} is promised to be {promise} twice")
            promises.append(promise)
            if promise == "total":
                tests: list[str] = []
                if words.peek() == "(":
                    words.take()
                    tests.append(words.name())
                    while words.take(",", ")") == ",":
                        tests.append(words.name())
                total = tuple(tests)
            if words.peek() != ",":
                break
            words.take()
    words.take(".")
    return Declared(name, tuple(modes), tuple(kinds), total, "smaller" in promises, "cost" in promises)


def same_declarations(one: LogicProgram, two: LogicProgram) -> bool:
    """Tell whether two programs declare the same, in whatever order."""

    def all_of(p: LogicProgram) -> Sequence[Any]:
        return p.preds, {frozenset(g) for g in p.either}, p.facts, p.require, set(p.lemmas)

    return list(all_of(one)) == list(all_of(two))
