"""Programs for people: infix with few digits, sums as tables, and an algebra that is for reading only.

Why it is here.  `Plus(MultERC[1.6232358](Mobility), …)` is exact, and nobody reads it.  Here a program becomes
`1.623 Mobility - 4 FriendlyPieceCount`: numbers have four digits, sums are collected, products with constants are
multiplied out, and an `IFT` between two constants becomes a truth that counts.

Not bit-exact.  Rounding and reordering change last digits, so a comparison of two nearly equal numbers may turn over.
What plays is the program itself; its exact simplification is in `simplify.py`.  Whoever prints this says so.
"""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from ludwin.program.assemble import branches
from ludwin.program.language import LETTERS
from ludwin.program.tree import Tree

NOT_EXACT = "for reading: rounded and reordered, not bit-exact"
DIGITS = 4
MANY_DIGITS = 1e9  # whole numbers beyond it have a power of ten
# How tightly an expression binds: what stands inside something tighter gets brackets.
CHOICE, OR, AND, NOT, COMPARE, SUM, PRODUCT, ATOM = range(8)
BINDING = {ast.Add: SUM, ast.Sub: SUM, ast.Mult: PRODUCT, ast.Div: PRODUCT}
SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


def number(x: float, digits: int = DIGITS) -> str:
    """Return a number with few digits.

    >>> number(1.6232358), number(-4.0), number(123456.7), number(0.00012345)
    ('1.623', '-4', '123457', '0.0001234')
    >>> number(9999.7), number(6.02214e23)
    ('10000', '6.022e+23')
    """
    if 10**digits - 0.5 <= abs(x) < MANY_DIGITS:
        return f"{x:.0f}"
    text = f"{x:.{digits}g}"
    return f"{x:.{digits + 3}f}".rstrip("0") if "e" in text and 1e-7 < abs(x) < 1 else text


Named = Callable[[str, int], str]


def bracketed(name: str, place: int) -> str:
    """Return a terminal and its place, as programs write them."""
    return f"{name}[{place}]"


# ---- Infix --------------------------------------------------------------------------------------------------------


def infix(tree: Tree, at: int = 0, named: Named = bracketed) -> str:
    """Return a program as a formula, node by node and in its own order; only the digits are fewer, and what is asked
    beside `true` or `false` is asked alone.

    >>> from ludwin.program.board import language
    >>> from ludwin.program.text import read
    >>> spoken = language(4, {"Men": "men"}, {"IsKing": "is king"}, "example")
    >>> infix(read(spoken, "Minus(MultERC[2.34567](Men), IFT(IsKing[3], 1.5, Zero))"))
    'Men * 2.346 - (1.5 if IsKing[3] else 0)'
    >>> infix(read(spoken, "IFT(NAND(IsKing[3], True), Men, Zero)"))
    'Men if not IsKing[3] else 0'
    """
    return _Infix(tree, named).node(at)[0]


class _Infix:
    def __init__(self, tree: Tree, named: Named):
        self.tree, self.named = tree, named

    def node(self, at: int) -> tuple[str, int]:
        text, binding = self.plain(at)
        factor = self.tree.factors[at]
        if factor == 1.0:
            return text, binding
        return f"{number(factor)} * {_inside(text, binding, PRODUCT + 1)}", PRODUCT

    def plain(self, at: int) -> tuple[str, int]:
        tree = self.tree
        primitive, children = tree.primitive(at), list(tree.children(at))
        if primitive.reads:
            return (self.named(primitive.name, tree.places[at]) if primitive.places else primitive.name), ATOM
        if primitive.acts or not primitive.rule:
            return f"{primitive.name}({', '.join(self.node(child)[0] for child in children)})", ATOM
        if primitive.is_alias:
            return self.node(children[primitive.used[0]])
        known = {LETTERS[k]: self.node(children[k]) for k in primitive.used}
        known["v"] = (number(tree.values[at]), ATOM)
        if primitive.name in ("True", "False"):
            return primitive.name.lower(), ATOM
        return self.rule(primitive.tree, known)

    def rule(self, node: ast.expr, known: dict[str, tuple[str, int]]) -> tuple[str, int]:
        match node:
            case ast.Name(id=name):
                return known[name]
            case ast.Constant(value=value):
                return number(float(value)), ATOM  # type: ignore[arg-type]
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in SIGNS:
                tight = BINDING[type(operator)]
                a = _inside(*self.rule(left, known), tight)
                b = _inside(*self.rule(right, known), tight + (0 if isinstance(operator, ast.Add | ast.Mult) else 1))
                return f"{a} {SIGNS[type(operator)]} {b}", tight
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"not {_inside(*self.rule(operand, known), NOT)}", NOT
            case ast.UnaryOp(operand=operand):
                return f"-{_inside(*self.rule(operand, known), PRODUCT)}", PRODUCT
            case ast.IfExp(test=test, body=body, orelse=other):
                parts = [self.rule(part, known) for part in (body, test, other)]
                then, question, rest = (_inside(text, tight, CHOICE + 1) for text, tight in parts)
                return f"{then} if {question} else {rest}", CHOICE
            case ast.Compare(left=left, ops=operators, comparators=others):
                text = _inside(*self.rule(left, known), COMPARE + 1)
                for sign, other in zip(operators, others, strict=True):
                    text += f" {COMPARISONS[type(sign)]} {_inside(*self.rule(other, known), COMPARE + 1)}"
                return text, COMPARE
            case ast.BoolOp(op=operator, values=values):
                tight, word, idle = (AND, " and ", "true") if isinstance(operator, ast.And) else (OR, " or ", "false")
                parts = [self.rule(value, known) for value in values]
                told = [part for part in parts if part != (idle, ATOM)] or parts[:1]
                return told[0] if len(told) == 1 else (word.join(_inside(*part, tight) for part in told), tight)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return f"{name}({', '.join(self.rule(part, known)[0] for part in arguments)})", ATOM
        return ast.unparse(node), CHOICE


def _inside(text: str, binding: int, wanted: int) -> str:
    return f"({text})" if binding < wanted else text


# ---- Sums ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SumRow:
    """One row of a sum: a coefficient and what it multiplies; a terminal at a place, where it is one."""

    coefficient: float
    text: str
    terminal: str = ""
    place: int = -1


@dataclass
class Sum:
    """A program, or one phase of it, as a constant and rows."""

    constant: float = 0.0
    rows: dict[str, SumRow] = field(default_factory=dict)
    where: str = ""  # the phase: a condition, empty for the whole game

    def add(self, coefficient: float, text: str, terminal: str = "", place: int = -1) -> None:
        """Add something, to the row that has it already if there is one."""
        old = self.rows.get(text)
        total = coefficient + (old.coefficient if old else 0.0)
        self.rows[text] = SumRow(total, text, terminal, place)

    @property
    def parts(self) -> list[SumRow]:
        """The rows that count, the largest coefficients first."""
        found = [part for part in self.rows.values() if abs(part.coefficient) > 1e-12]
        return sorted(found, key=lambda part: (-abs(part.coefficient), part.text))

    def formula(self) -> str:
        """Return the sum as one line."""
        texts = []
        for part in self.parts:
            sign = "-" if part.coefficient < 0 else "+"
            texts.append(f"{sign} {_times(abs(part.coefficient), part.text)}")
        if self.constant or not texts:
            texts.append(f"{'-' if self.constant < 0 else '+'} {number(abs(self.constant))}")
        line = " ".join(texts)
        return line[2:] if line.startswith("+ ") else "-" + line[2:] if line.startswith("- ") else line


def _times(coefficient: float, text: str) -> str:
    return text if number(coefficient) == "1" else f"{number(coefficient)} {text}"


def sums(tree: Tree, named: Named = bracketed) -> list[Sum]:
    """Return a program as a sum, or as one for each of two phases if it begins with a choice between two sums."""
    return list(_Algebra(tree, named).phases(0, ""))


def reading(tree: Tree, named: Named = bracketed) -> str:
    """Return the program as algebra would have it, a line a phase: not bit-exact (`NOT_EXACT`).

    >>> from ludwin.program.board import language
    >>> from ludwin.program.text import read
    >>> spoken = language(4, {"Men": "men"}, {"IsKing": "is king"}, "example")
    >>> reading(read(spoken, "Minus(MultERC[2](Plus(Men, Men)), IFT(IsKing[3], 1.5, One))"))
    '4 Men - 0.5 [IsKing[3]] - 1'
    """
    return "\n".join(f"{one.where + ': ' if one.where else ''}{one.formula()}" for one in sums(tree, named))


class _Algebra:
    def __init__(self, tree: Tree, named: Named):
        self.tree, self.named = tree, named

    @cached_property
    def infix(self) -> _Infix:
        return _Infix(self.tree, self.named)

    def phases(self, at: int, where: str) -> Iterator[Sum]:
        """Yield the sums of the phases below a node."""
        tree = self.tree
        if tree.primitive(at).is_lazy and tree.factors[at] == 1.0 and not where.count(" and "):
            children = list(tree.children(at))
            test, then, other = (children[k] for k in branches(tree, at))
            if tree.ends[then] - then > 1 and tree.ends[other] - other > 1:
                question, binding = self.infix.node(test)
                before = f"{where} and " if where else ""
                yield from self.phases(then, f"{before}{_inside(question, binding, AND)}")
                yield from self.phases(other, f"{before}not ({question})")
                return
        found = Sum(where=where)
        self.collect(at, 1.0, found)
        yield found

    def collect(self, at: int, scale: float, found: Sum) -> None:
        """Add a node, times a number, to a sum."""
        tree = self.tree
        scale *= tree.factors[at]
        primitive, children = tree.primitive(at), list(tree.children(at))
        if primitive.is_alias:
            self.collect(children[primitive.used[0]], scale, found)
        elif primitive.is_lazy:
            self.choice(at, scale, found)
        elif primitive.rule and not primitive.acts:
            self.rule(primitive.tree, at, scale, found)
        else:
            self.atom(at, scale, found)

    def rule(self, node: ast.expr, at: int, scale: float, found: Sum) -> None:
        """Add what a rule says, as far as it is a sum."""
        children = list(self.tree.children(at))
        match node:
            case ast.Constant(value=value) if self.is_number(at):
                found.constant += scale * float(value)  # type: ignore[arg-type]
            case ast.Name(id="v"):
                found.constant += scale * self.tree.values[at]
            case ast.Name(id=letter) if letter in LETTERS:
                self.collect(children[LETTERS.index(letter)], scale, found)
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as operator, right=right):
                self.rule(left, at, scale, found)
                self.rule(right, at, -scale if isinstance(operator, ast.Sub) else scale, found)
            case ast.BinOp(left=left, op=ast.Mult(), right=ast.Name(id="v")):
                self.rule(left, at, scale * self.tree.values[at], found)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                self.rule(operand, at, -scale, found)
            case _:
                self.atom(at, scale, found)

    def is_number(self, at: int) -> bool:
        return not self.tree.language.is_truth(self.tree.returns(at))

    def choice(self, at: int, scale: float, found: Sum) -> None:
        """Add a choice: between two constants it is a truth that counts."""
        children = list(self.tree.children(at))
        test, then, other = (children[k] for k in branches(self.tree, at))
        a, b = Sum(), Sum()
        self.collect(then, scale, a)
        self.collect(other, scale, b)
        if a.parts or b.parts:
            self.atom(at, scale, found)
            return
        found.constant += b.constant
        primitive = self.tree.primitive(test)
        name, place = (primitive.name, self.tree.places[test]) if primitive.places else ("", -1)
        found.add(a.constant - b.constant, f"[{self.infix.node(test)[0]}]", name, place)

    def atom(self, at: int, scale: float, found: Sum) -> None:
        """Add something that is no sum."""
        text, binding = self.infix.plain(at)  # the factor is in the scale
        found.add(scale, f"[{text}]" if not self.is_number(at) else _inside(text, binding, ATOM))
