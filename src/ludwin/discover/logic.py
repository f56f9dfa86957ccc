"""The checker's own reader and evaluator: a second, slower and simpler way to understand clauses.

Why it is here.  The checker must not believe the search, so it shares no code with it.  This module
reads clause texts by itself, names variables by the text of the call that defines them, and decides
questions by *trying all order types*: finitely many assignments of small numbers stand for all
values, because programs of comparisons cannot tell more.  Where numbers are added or multiplied, z3
decides.
"""

import itertools
import math
import re
from dataclasses import dataclass, field
from typing import Any

from ludwin.errors import LudwinError

Tree = Any  # a variable "X", a number, or a list [functor, args …]
SIGNS = (">=", "<=", ">", "<", "=")
_WORDS = re.compile(r"\s*(?:%[^\n]*\n\s*)*(\d+\.\d+|\d+|[A-Za-z_]\w*|:-|>=|=<|<=|[-+*/()\[\]|,.<>=:])")


class Refused(LudwinError, ValueError):
    """A step or program that the checker does not accept."""


@dataclass
class Rule:
    """A clause as the checker sees it."""

    head: Tree
    body: list[Tree]
    text: str


@dataclass
class Declared:
    """A predicate as the checker sees it."""

    modes: list[str]
    kinds: list[str]
    total: list[str] | None
    smaller: bool


@dataclass
class Theory:
    """A program as the checker sees it."""

    preds: dict[str, Declared] = field(default_factory=dict)
    either: list[list[str]] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    facts: dict[str, tuple[Tree, list[Tree]]] = field(default_factory=dict)
    pre: dict[str, tuple[Tree, list[Tree]]] = field(default_factory=dict)
    lemmas: list[tuple[Tree, Tree, list[Tree]]] = field(default_factory=list)

    def of(self, name: str) -> list[Rule]:
        """Return the clauses of a predicate."""
        return [rule for rule in self.rules if rule.head[0] == name]


class _Text:
    def __init__(self, text: str):
        self.words: list[str] = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = _WORDS.match(text, at)
            if not found:
                if text[at:].lstrip().startswith("%") or not text[at:].strip():
                    break
                raise Refused(f"cannot read {text[at : at + 20]!r}")
            self.words.append(found[1])
            at = found.end()
        self.at = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def next(self, wanted: str = "") -> str:
        word = self.peek()
        if wanted and word != wanted:
            raise Refused(f"expected {wanted!r}, got {word!r}")
        self.at += 1
        return word

    def sum(self) -> Tree:
        left = self.times()
        while self.peek() in ("+", "-"):
            left = [self.next(), left, self.times()]
        return left

    def times(self) -> Tree:
        left = self.atom()
        while self.peek() in ("*", "/"):
            left = [self.next(), left, self.atom()]
        return left

    def atom(self) -> Tree:
        word = self.next()
        if word == "-":
            return minus(self.atom())
        if word == "(":
            inner = self.sum()
            self.next(")")
            return inner
        if word == "[":
            if self.peek() == "]":
                self.next()
                return ["nil"]
            items = [self.sum()]
            while self.peek() == ",":
                self.next()
                items.append(self.sum())
            tail: Tree = ["nil"]
            if self.peek() == "|":
                self.next()
                tail = self.sum()
            self.next("]")
            for item in reversed(items):
                tail = ["cons", item, tail]
            return tail
        if word[0].isdigit():
            return float(word) if "." in word else int(word)
        if word[0].isupper() or word[0] == "_":
            return word
        if word == "inf":
            return math.inf
        args = []
        if self.peek() == "(":
            self.next()
            args.append(self.sum())
            while self.peek() == ",":
                self.next()
                args.append(self.sum())
            self.next(")")
        return [word, *args]

    def goal(self) -> Tree:
        left = self.sum()
        if self.peek() in (*SIGNS, "=<"):
            return [self.next().replace("=<", "<="), left, self.sum()]
        if self.peek() == "is":
            self.next()
            return ["is", left, self.sum()]
        return left

    def row(self) -> list[Tree]:
        found = [self.goal()]
        while self.peek() == ",":
            self.next()
            found.append(self.goal())
        return found


def minus(tree: Tree) -> Tree:
    """Return minus a term."""
    if isinstance(tree, int | float):
        return -tree if tree else 0
    return tree[1] if isinstance(tree, list) and tree[0] == "-" and len(tree) == 2 else ["-", tree]


def read_rule(text: str) -> Rule:
    """Read one clause."""
    reader = _Text(text)
    return _rule(reader, text)


def read_goal(text: str) -> Tree:
    """Read one goal."""
    return _Text(text).goal()


def _rule(reader: _Text, text: str = "") -> Rule:
    head = reader.goal()
    body: list[Tree] = []
    if reader.peek() == ":-":
        reader.next()
        body = reader.row()
    reader.next(".")
    return plain(Rule(head, body, text))


def read_theory(text: str) -> Theory:
    """Read declarations and clauses."""
    reader, found = _Text(text), Theory()
    while reader.peek():
        if reader.peek() != ":-":
            found.rules.append(_rule(reader))
            continue
        reader.next()
        word = reader.next()
        if word == "pred":
            name, declared = _declared(reader)
            found.preds[name] = declared
        elif word == "either":
            group = [reader.next()]
            while reader.peek() == ",":
                reader.next()
                group.append(reader.next())
            found.either.append(group)
        elif word == "lemma":
            first = reader.goal()
            reader.next(",")
            second = reader.goal()
            reader.next(":")
            found.lemmas.append((first, second, reader.row()))
        else:
            head = reader.goal()
            reader.next(":")
            (found.facts if word == "fact" else found.pre)[head[0]] = (head, reader.row())
        if word != "pred":
            reader.next(".")
    return found


def _declared(reader: _Text) -> tuple[str, Declared]:
    name = reader.next()
    reader.next("(")
    ways, kinds = [], []
    while True:
        ways.append(reader.next())
        kinds.append("any")
        if reader.peek() == ":":
            reader.next()
            kinds[-1] = reader.next()
        if reader.next() == ")":
            break
    total: list[str] | None = None
    smaller = False
    if reader.peek() == "is":
        while reader.next() in ("is", ","):
            promise = reader.next()
            smaller |= promise == "smaller"
            if promise == "total":
                total = []
                if reader.peek() == "(":
                    while reader.next() in ("(", ","):
                        total.append(reader.next())
            if reader.peek() == ".":
                break
    reader.next(".")
    return name, Declared(ways, kinds, total, smaller)


def put(tree: Tree, env: dict[str, Tree]) -> Tree:
    """Replace variables."""
    if isinstance(tree, str):
        return put(env[tree], env) if tree in env else tree
    if isinstance(tree, list):
        parts = [tree[0], *(put(part, env) for part in tree[1:])]
        return minus(parts[1]) if parts[0] == "-" and len(parts) == 2 else parts
    return tree


def plain(rule: Rule) -> Rule:
    """Let `X is -Y` vanish."""
    for goal in rule.body:
        if goal[0] == "is" and isinstance(goal[1], str):
            value = goal[2]
            core = value[1] if isinstance(value, list) and value[0] == "-" and len(value) == 2 else value
            if not isinstance(core, list) and core != goal[1]:
                env = {goal[1]: value}
                return plain(Rule(put(rule.head, env), [put(g, env) for g in rule.body if g is not goal], rule.text))
    return rule


def variables(tree: Tree) -> set[str]:
    """Return the variables of a term or goal."""
    if isinstance(tree, str):
        return {tree}
    return set().union(*(variables(part) for part in tree[1:])) if isinstance(tree, list) else set()


def solve(a: Tree, b: Tree, env: dict[str, Tree]) -> bool:
    """Unify two terms."""
    a, b = put(a, env), put(b, env)
    if a == b and type(a) is type(b):
        return True
    if isinstance(a, str) and a not in variables(b):
        env[a] = b
        return True
    if isinstance(b, str):
        return solve(b, a, env) if not isinstance(a, str) and b not in variables(a) else False
    if isinstance(a, list) and isinstance(b, list) and a[0] == b[0] and len(a) == len(b):
        return all(solve(x, y, env) for x, y in zip(a[1:], b[1:], strict=True))
    return bool(a == b)


def sample_line(count: int, constants: set[float], signed: bool) -> list[float]:
    """Return the values that each of `count` numbers has to try, so that together they show every order type.

    >>> sample_line(2, {0}, False)
    [-2, -1, 0, 1, 2]
    """
    fixed = sorted(constants | {-c for c in constants} | {0} if signed else constants)
    if not fixed:
        return list(range(max(1, count)))
    finite = [c for c in fixed if not math.isinf(c)]
    found = set(fixed)
    for low, high in itertools.pairwise(finite):
        found |= {low + (high - low) * (k + 1) / (count + 1) for k in range(count)}
    if not finite:
        return sorted(found | set(range(count)))
    found |= {finite[0] - k - 1 for k in range(count)} | {finite[-1] + k + 1 for k in range(count)}
    return sorted(found)
