"""The inventor of programs: random functions of the language that rules are written in.

Why it is here. A compiler is wrong where nobody looked: at -2**63, at the second evaluation of an operand, at a
loop that ends on the last integer. This module draws programs in which such places are common, and values with
which they are reached. Every program has its own generator seeded by (seed, number), so that program 4711 is the
same in every run, alone or among others.

A program is a main function `pN(s, a, b, x, y)` and a few functions that it calls; some live in a helper file. All
programs of a file share its constants (`PREAMBLE`, `HELPER`) and the fields of the state (`FIELDS`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.fuzz.tree import Function, Kind, Node, join, sound

LOWEST, HIGHEST = -(2**63), 2**63 - 1

# The state that all programs work on: the order is the order of cells.
FIELDS = {
    "i0": int, "i1": int, "x0": float, "x1": float, "trace": int,
    "cells": 6, "reals": (float, 5), "rng": 1, "ri": 4, "rf": (float, 4),
}  # fmt: skip
INPUTS = 4 + 1 + 6 + 5 + 1  # cells that an input fills; the others are results

PREAMBLE = '''"""Random programs."""

import math

import helper
from helper import H1, STEP, h_note{imports}
from ludwin.primitives import add, clear_lsb, draw, lsb, mix, mul, popcount, power, shl, shr, uniform

N = 5
RATE = 0.75
FLAG = True
MOST = 9223372036854775807
LEAST = -9223372036854775808
DEEP = -0x7FFFFFFFFFFFFFFF
T1 = (3, -1, 4, 1, -5, 9223372036854775807, -9223372036854775808, 0)
T2 = ((1, 0, 2, -7), (0, 3, 0, 9007199254740993), (-1, -2, 5, N))
T3 = (((1, 2), (3, 4), (5, 6)), ((-1, -2), (-3, -4), (-5, N * N)))
F1 = (0.5, -0.0, 1e300, 5e-324, math.inf, math.nan, -2.5)
F2 = ((0.0, 1.0, RATE, -3.75, 1e16), (9007199254740993.0, 1e-3, 2.0, -1.0, math.pi))
M1 = (1, 2.5, 0, -3)
B1 = (True, False, FLAG)
FIELDS = {{
    "i0": int, "i1": int, "x0": float, "x1": float, "trace": int,
    "cells": 6, "reals": (float, 5), "rng": 1, "ri": 4, "rf": (float, 4),
}}
MAX_MOVES = 2
PLAYERS = 1


def setup(s):
    s.i0 = 0


def mover(s):
    return 0


def moves(s, out):
    return 0


def play(s, m):
    s.i0 = m


def payoff(s, p):
    return 0


def note(s, v):
    s.trace = mix(s.trace, 7)
    s.i1 = s.i1 ^ 1
    return v


def count(s, v):
    s.trace = mix(s.trace, v)
    return v


def bump(s, i):
    s.cells[i % 6] = add(s.cells[i % 6], 1)
    s.i0 = s.cells[i % 6] & 255
    return s.i0


'''  # fmt: skip

HELPER = '''"""Functions that programs import."""

import math

from ludwin.primitives import add, clear_lsb, draw, lsb, mix, mul, popcount, power, shl, shr, uniform

STEP = 3
H1 = (2, -3, 5, -7, 11)
N = 2
RATE = -1.5


def h_note(s, v):
    s.trace = mix(s.trace, 11)
    s.x0 = s.x0 * 0.5
    return v


'''

# name -> (kind of row, lives in the helper file too)
TABLES: dict[str, Kind] = {
    "T1": ("r", "i", 8),
    "F1": ("r", "f", 7),
    "M1": ("r", "f", 4),
    "B1": ("r", "b", 3),
    "H1": ("r", "i", 5),
}
GRIDS: dict[str, Kind] = {"T2": ("r", "i", 3, 4), "T3": ("r", "i", 2, 3, 2), "F2": ("r", "f", 2, 5)}
NUMBERS = {"i": ("N", "MOST", "LEAST", "DEEP", "STEP", "helper.N"), "f": ("RATE", "helper.RATE"), "b": ("FLAG",)}
PARAMETERS = {
    "n": (0, 1, 5, 6, -3),
    "rate": (0.75, -0.0, 1e300, 2.0),
    "flag": (True, False),
    "most": (HIGHEST, 12, 2**53 + 1),
}

# fmt: off
INTEGERS = (
    0, 1, -1, 2, -2, 3, 5, 7, -7, 10, 63, 64, -63, -64, 65, 255, 2**31, -(2**31), 2**32, 2**52, 2**53 - 1, 2**53,
    2**53 + 1,
    -(2**53) - 1, 2**61, -(2**61), 2**62, -(2**62), HIGHEST, HIGHEST - 1, LOWEST, LOWEST + 1, 0x5555555555555555,
)
REALS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.7, 10.0, 1e-300, 5e-324, -5e-324, 2.2250738585072014e-308, 1e300,
    -1e300,
    1.7976931348623157e308, math.inf, -math.inf, math.nan, 9007199254740992.0, 9007199254740994.0, 9.223372036854775e18,
    9.223372036854775807e18, -9.223372036854775808e18, 1e19, 0.1, math.pi, 4.974187602077502, 1e16, 64.0, 1.5,
)
MATH = (
    "sqrt", "exp", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
    "cosh",
    "tanh", "erf", "erfc", "fabs", "degrees", "radians", "asinh", "acosh", "atanh",
)
GLOBAL_NAMES = (
    "abs", "len", "min", "max", "int", "float", "bool", "math", "helper", "T1", "N", "RATE", "note", "count",
    "mix", "setup",
    "print",
)
# fmt: on


@dataclass
class Program:
    """One random program: its functions, callees first, the main function last."""

    name: str
    functions: list[Function]

    @property
    def main(self) -> Function:
        return self.functions[-1]

    def copy(self) -> Program:
        """Return a program whose functions may be changed."""
        return Program(self.name, [function.copy() for function in self.functions])

    def reached(self) -> list[Function]:
        """Return the functions that the main function reaches, in their order."""
        known = {f.name: f for f in self.functions}
        found: set[str] = set()
        todo = [self.main.name]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                calls = (n.text.removeprefix("helper.") for n in known[name].walk() if n.op == "call")
                todo += [text for text in calls if text in known]
        return [f for f in self.functions if f.name in found]

    def sound(self) -> bool:
        """Tell whether all kinds are what a compiler must infer."""
        return all(sound(function) for function in self.functions)


@dataclass
class Features:
    """What the compiler at hand can do; what it cannot is not drawn."""

    mutual: bool = True
    unbound: bool = True


@dataclass
class Scope:
    """What may be named at one place of a function."""

    variables: dict[str, Kind]  # certainly assigned here
    frozen: set[str] = field(default_factory=set)  # not to be assigned: counters of loops
    loop: bool = False
    depth: int = 0

    def inner(self, **changes: bool) -> Scope:
        """Return the scope of a block."""
        return Scope(dict(self.variables), set(self.frozen), changes.get("loop", self.loop), self.depth + 1)


def _number(value: int | float | bool) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "math.nan" if value != value else "math.inf" if value > 0 else "(-math.inf)"
    text = repr(value)
    return f"({text})" if text.startswith("-") else text


def const(value: int | float | bool) -> Node:
    """Return a literal."""
    kind = "b" if isinstance(value, bool) else "i" if isinstance(value, int) else "f"
    return Node("const", kind, _number(value))


def _bin(kind: Kind, left: Node, symbol: str, right: Node) -> Node:
    return Node("bin", kind, symbol, [left, right])


def _kind_of(function: Function, kinds: list[Kind]) -> Kind:
    """Return what a function of any kinds gives for arguments of these kinds."""
    known = {name: kind for (name, _), kind in zip(function.arguments, kinds, strict=True)}

    def of(node: Node) -> Kind:
        if node.op == "var":
            return known[node.text]
        kind = join(*(of(part) for part in node.parts))
        return "i" if kind == "b" and node.op != "best" else kind

    for statement in function.body[:-1]:
        known[statement.parts[0].text] = of(statement.parts[1])
    return of(function.body[-1].parts[0])


class Inventor:
    """Draws one program."""

    def __init__(self, seed: int, number: int, features: Features):
        self.rng = random.Random(f"{seed}/{number}")
        self.name = f"p{number}"
        self.features = features
        self.functions: list[Function] = []
        self.fresh = 0
        self.scope = Scope({})
        self.kinds: dict[str, Kind] = {}  # of all variables of the function at hand
        self.in_helper = False
        self.returns: Kind = None
        self.budget = 0
        self.size = 0

    # Step 1. Functions.

    def program(self) -> Program:
        """Return the program."""
        makers: list[Callable[[int], None]] = [self.plain, self.plain, self.pair, self.row, self.poly, self.recursive]
        if self.features.mutual:
            makers.append(self.mutual)
        # How many nodes a function has, about. Compiling both modes takes 18 ms at 8, 30 at 18, 50 at 30, 126 at 60.
        self.size = 60 if self.chance(0.03) else self.rng.choice((8, 12, 12, 18, 18, 18, 30))
        for k in range(self.rng.choice((0, 0, 1, 1, 1, 2)) + self.size // 60):
            self.rng.choice(makers)(k)
        self.begin(
            [("s", "s"), ("a", "i"), ("b", "i"), ("x", "f"), ("y", "f")],
            self.rng.choice(("i", "i", "f", "f", "b", "t")),
            helper=False,
        )
        self.end(self.name, self.rng.randint(2, 6) if self.size < 60 else 9)
        return Program(self.name, self.functions)

    def begin(self, arguments: list[tuple[str, Kind]], returns: Kind, helper: bool) -> None:
        """Start a function: its arguments are the first variables."""
        self.arguments = arguments
        self.kinds = dict(arguments)
        self.scope = Scope(dict(arguments))
        self.returns = self.tuple_kind() if returns == "t" else returns
        self.in_helper = helper
        self.budget = self.size

    def tuple_kind(self) -> Kind:
        kinds = [self.rng.choice("iifb") for _ in range(self.rng.randint(2, 3))]
        return ("t", *kinds, ("t", "i", "f")) if self.chance(0.2) else ("t", *kinds)

    def end(self, name: str, statements: int, annotated: bool = False, front: list[Node] | None = None) -> None:
        """Finish a function with some random statements and a return."""
        body = front or []
        for kind in self.rng.sample("iifb", self.rng.randint(1, 3) if self.size > 12 else 1):
            body.append(self.first(kind))
        body += self.block(statements)
        if not body or body[-1].op not in ("return",):
            body.append(Node("return", parts=[self.expr(self.returns, 2, exact=True)]))
        elif body[-1].parts[0].kind != self.returns:
            body[-1] = Node("return", parts=[self.expr(self.returns, 2, exact=True)])
        function = Function(name, self.arguments, self.returns, body, self.in_helper, annotated)
        if self.chance(0.15):
            self.shadow(function)
        self.functions.append(function)

    def shadow(self, function: Function) -> None:
        """Name a local variable like something global that the function does not use."""
        used = {node.text.partition(".")[0] for node in function.walk()} | {
            "math" for n in function.walk() if "math." in n.text
        }
        used |= {"abs"} if any(n.op == "abs" for n in function.walk()) else set()
        used |= {"math"} if any(n.op == "gcd" for n in function.walk()) else set()
        local = [n.text for n in function.walk() if n.op == "var" and n.text[:1] in "vw" and n.text[1:].isdigit()]
        free = [name for name in GLOBAL_NAMES if name not in used]
        if local and free:
            old, new = self.rng.choice(local), self.rng.choice(free)
            for node in function.walk():
                if node.op in ("var", "for") and node.text == old:
                    node.text = new

    def plain(self, k: int) -> None:
        """A function of numbers, most often with the state."""
        names = [("c", self.rng.choice("if")), ("d", self.rng.choice("ib"))][: self.rng.randint(1, 2)]
        state: list[tuple[str, Kind]] = [("s", "s")] if self.chance(0.7) else []
        self.begin(state + names, self.rng.choice("iifb"), helper=self.chance(0.3))
        self.end(f"{self.name}_f{k}", self.rng.randint(1, 4))

    def pair(self, k: int) -> None:
        """A function that returns a tuple."""
        self.begin([("s", "s"), ("c", "i"), ("z", "f")], "t", helper=self.chance(0.3))
        self.end(f"{self.name}_t{k}", self.rng.randint(0, 3))

    def row(self, k: int) -> None:
        """A function that takes an array, of any length."""
        item = self.rng.choice("if")
        self.begin([("s", "s"), ("r", ("r", item, None)), ("c", "i")], self.rng.choice("if"), helper=self.chance(0.2))
        self.end(f"{self.name}_r{k}", self.rng.randint(1, 4))

    def poly(self, k: int) -> None:
        """A function that is called with several kinds of numbers: each call has kinds of its own."""
        rng = self.rng
        names = ["c", "d"]
        body = []
        for _ in range(rng.randint(1, 3)):
            left, right = (Node("var", "n", rng.choice(names)) for _ in range(2))
            choice = rng.random()
            if choice < 0.6:
                value = _bin("n", left, rng.choice(("+", "-", "*", "//", "%")), right)
            elif choice < 0.8:
                value = Node("best", "n", rng.choice(("min", "max")), [left, right])
            else:
                value = Node("neg", "n", "", [left])
            names.append(f"v{len(names)}")
            body.append(Node("assign", parts=[Node("var", "n", names[-1]), value]))
        last = Node("var", "n", names[-1])
        body.append(Node("return", parts=[last]))
        self.functions.append(Function(f"{self.name}_n{k}", [("c", "n"), ("d", "n")], "n", body, self.chance(0.3)))

    def recursive(self, k: int) -> None:
        """A function that calls itself, at most a few levels deep."""
        self.circle([f"{self.name}_q{k}"])

    def mutual(self, k: int) -> None:
        """Two functions that call each other."""
        self.circle([f"{self.name}_m{k}", f"{self.name}_o{k}"])

    def circle(self, names: list[str]) -> None:
        returns = self.rng.choice("iif")
        arguments: list[tuple[str, Kind]] = [("s", "s"), ("n", "i"), ("c", "i"), ("z", "f")]
        helper = self.chance(0.2)
        for k, name in enumerate(names):
            self.begin(list(arguments), returns, helper=helper)
            self.scope.frozen |= {"n"}
            stop = Node("cmp", "b", "<=", [Node("var", "i", "n"), const(0)])
            front = [Node("branch", parts=[stop], blocks=[[Node("return", parts=[self.expr(returns, 1, exact=True)])]])]
            again = [names[(k + 1) % len(names)]] + ([self.rng.choice(names)] if self.chance(0.3) else [])
            for j, callee in enumerate(again):
                less = _bin("i", Node("var", "i", "n"), "-", const(self.rng.choice((1, 1, 2))))
                value = Node(
                    "call",
                    returns,
                    callee,
                    [Node("var", "s", "s"), less, self.expr("i", 1), self.expr("f", 1, exact=True)],
                )
                front.append(Node("assign", parts=[Node("var", returns, f"u{j}"), value]))
                self.scope.variables[f"u{j}"] = self.kinds[f"u{j}"] = returns
            self.end(name, self.rng.randint(0, 2), annotated=True, front=front)

    # Step 2. Statements.

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def new(self, kind: Kind, letter: str = "v") -> Node:
        """Return a new variable; it may be read from here on."""
        self.fresh += 1
        name = f"{letter}{self.fresh}"
        self.kinds[name] = self.scope.variables[name] = kind
        return Node("var", kind, name)

    def first(self, kind: Kind) -> Node:
        """Return the first assignment of a new variable: an exact kind, so that its kind is plain to see."""
        value = self.expr(kind, 2, exact=True)
        target = self.new(kind)
        return Node("note" if self.chance(0.1) else "assign", parts=[target, value])

    def block(self, statements: int) -> list[Node]:
        """Return some statements; none follows one that leaves."""
        out: list[Node] = []
        for _ in range(statements):
            if self.budget < 0:
                break
            out += self.statement()
            if out[-1].op in ("return", "break", "continue"):
                break
        return out or [Node("pass")]

    def statement(self) -> list[Node]:
        rng, deep = self.rng, self.scope.depth
        self.budget -= 1
        choice = rng.random()
        if choice < 0.26:
            return [self.assignment()]
        if choice < 0.42:
            return [self.augmented()]
        if choice < 0.52:
            return [self.store()]
        if choice < 0.57:
            return [self.several()]
        if choice < 0.62 and self.has_state():
            return [Node("do", parts=[self.call_for_effect()])]
        if choice < 0.65:
            return [
                Node("assert", parts=[Node("bool", "b", "or", [self.expr("b", 2), self.expr("b", 1), self.likely()])])
            ]
        if choice < 0.67:
            return [self.unpacked()]
        if deep < 3 and choice < 0.80:
            return [self.branch()]
        if deep < 3 and choice < 0.90:
            return self.counted()
        if deep < 3 and choice < 0.95:
            return self.guarded()
        if self.scope.loop and choice < 0.98:
            return [Node(rng.choice(("break", "continue")))] if deep > 1 and self.chance(0.4) else [self.leave_loop()]
        return [Node("branch", parts=[self.unlikely()], blocks=[[Node("return", parts=[self.returned()])]])]

    def has_state(self) -> bool:
        return self.scope.variables.get("s") == "s"

    def likely(self) -> Node:
        return Node("cmp", "b", "!=", [self.expr("i", 1), const(self.rng.randint(2, 9))])

    def unlikely(self) -> Node:
        test = Node("cmp", "b", "==", [_bin("i", self.expr("i", 1), "&", const(7)), const(self.rng.randint(0, 7))])
        return Node("bool", "b", "and", [test, self.expr("b", 1)]) if self.chance(0.4) else test

    def leave_loop(self) -> Node:
        return Node("branch", parts=[self.expr("b", 2)], blocks=[[Node(self.rng.choice(("break", "continue")))]])

    def returned(self) -> Node:
        return self.expr(self.returns, 2)

    def choose_variable(self, kinds: str = "ifb") -> Node | None:
        names = [n for n, kind in self.scope.variables.items() if kind in tuple(kinds) and n not in self.scope.frozen]
        if not names:
            return None
        name = self.rng.choice(names)
        return Node("var", self.scope.variables[name], name)

    def assignment(self) -> Node:
        target = self.choose_variable()
        if target is None or self.chance(0.25):
            return self.first(self.rng.choice("iifb"))
        return Node("assign", parts=[target, self.expr(target.kind, 3)])

    def place(self, kind: Kind) -> Node | None:
        """Return something that can be assigned: a variable, a field, a cell."""
        choice = self.rng.random()
        if self.has_state() and kind in "if" and choice < 0.3:
            return Node("field", kind, self.rng.choice(("i0", "i1") if kind == "i" else ("x0", "x1")))
        if self.has_state() and kind in "if" and choice < 0.6:
            return self.cell(kind)
        return self.choose_variable(kind)

    def cell(self, kind: Kind) -> Node:
        """Return a cell of the state."""
        array = self.whole_array(kind)
        return Node("index", kind, "", [array, self.index(array.kind[2], 1)])

    def augmented(self) -> Node:
        kind = self.rng.choice("iif")
        target = self.place(kind)
        if target is None:
            return self.assignment()
        if target.kind == "b":
            return Node("aug", None, self.rng.choice("&|^"), [target, self.expr("b", 2)])
        if target.kind == "i":
            symbol = self.rng.choice(("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>", "**"))
            return Node("aug", None, symbol, [target, self.right_operand(symbol, 2)])
        symbol = self.rng.choice(("+", "-", "*", "/", "//", "%"))
        return Node("aug", None, symbol, [target, self.expr(self.rng.choice("ffi"), 2)])

    def store(self) -> Node:
        kind = self.rng.choice("iif")
        target = self.place(kind)
        if target is None:
            return self.assignment()
        return Node("assign", parts=[target, self.expr(kind, 3)])

    def several(self) -> Node:
        """Return an assignment to several places: a = b = e, or a, b = e, f."""
        kinds = [self.rng.choice("iif") for _ in range(self.rng.choice((2, 2, 3)))]
        if self.chance(0.4):
            kind = kinds[0]
            targets = [t for t in (self.place(k) for k in (kind, kind, "f")) if t]
            return Node("assign", parts=[*targets, self.expr(kind, 2)]) if targets else self.assignment()
        targets = [t for t in (self.place(kind) for kind in kinds) if t]
        if len(targets) < 2:
            return self.assignment()
        if self.chance(0.5):  # change places
            values = [self.read_again(targets[(k + 1) % len(targets)]) for k in range(len(targets))]
            if any(v.kind != t.kind and t.kind != "f" for v, t in zip(values, targets, strict=True)):
                values = [self.expr(t.kind, 2) for t in targets]
        else:
            values = [self.expr(t.kind, 2) for t in targets]
        return Node("unpack", parts=[*targets, Node("tuple", ("t", *(v.kind for v in values)), "", values)])

    def read_again(self, target: Node) -> Node:
        return target.copy()

    def unpacked(self) -> Node:
        """Return a, b = t."""
        source = self.tuple_source()
        if source is None:
            return self.several()
        targets = []
        for kind in source.kind[1:]:
            place = self.place(kind) if isinstance(kind, str) and kind in "if" and self.chance(0.6) else None
            targets.append(place if place is not None else self.new(kind, "v" if isinstance(kind, str) else "t"))
        return Node("unpack", parts=[*targets, source])

    def tuple_source(self) -> Node | None:
        """Return a call that gives a tuple, or a variable that holds one."""
        held = [
            Node("var", kind, name)
            for name, kind in self.scope.variables.items()
            if isinstance(kind, tuple) and kind[0] == "t"
        ]
        calls = [f for f in self.callable() if isinstance(f.returns, tuple)]
        if held and (not calls or self.chance(0.5)):
            return self.rng.choice(held)
        return self.call(self.rng.choice(calls), 1) if calls else None

    def branch(self) -> Node:
        count = self.rng.choice((1, 1, 1, 2))
        tests = [self.expr(self.rng.choice("bbbif"), 2) for _ in range(count)]
        blocks = []
        for _ in range(count + self.rng.randint(0, 1)):
            blocks.append(self.inside(self.rng.randint(1, 3)))
        return Node("branch", parts=tests, blocks=blocks)

    def inside(
        self, statements: int, loop: bool = False, frozen: str = "", first: list[Node] | None = None
    ) -> list[Node]:
        """Return a block with variables of its own."""
        outer = self.scope
        self.scope = outer.inner(loop=True) if loop else outer.inner()
        if frozen:
            self.scope.frozen.add(frozen)
        body = (first or []) + self.block(statements)
        self.scope = outer
        return body

    def counted(self) -> list[Node]:
        """Return a loop over a range; its variable is readable after it, whatever happened."""
        variable = self.choose_variable("i") if self.chance(0.4) else None
        out = []
        if variable is None:
            variable = Node("var", "i", f"v{self.fresh + 1}")
            self.fresh += 1
            if not self.features.unbound or self.chance(0.8):
                out.append(Node("assign", parts=[variable, self.expr("i", 1)]))
        spread, certain = self.spread()
        outer = self.scope
        outer.variables[variable.text] = self.kinds[variable.text] = "i"
        body = self.inside(self.rng.randint(1, 3), loop=True, first=[] if certain else [self.use_fuel()])
        return [*out, Node("for", None, variable.text, spread, [body])]

    def use_fuel(self) -> Node:
        return Node("branch", parts=[self.unlikely()], blocks=[[Node("break")]])

    def spread(self) -> tuple[list[Node], bool]:
        """Return the arguments of a range, and whether it is short for certain."""
        rng = self.rng
        small = lambda: _bin("i", self.expr("i", 1), "&", const(rng.choice((3, 7))))  # noqa: E731
        choice = rng.random()
        if choice < 0.3:
            return [small()], True
        if choice < 0.5:
            return [const(rng.randint(-3, 3)), small()], True
        if choice < 0.7:
            step = (
                _bin("i", small(), "-", const(rng.randint(0, 4)))
                if self.chance(0.5)
                else const(rng.choice((1, 2, -1, -2, 3)))
            )
            return [_bin("i", small(), "-", const(2)), _bin("i", small(), "-", const(4)), step], True
        if choice < 0.78:
            return [_bin("i", const(HIGHEST), "-", small()), const(HIGHEST)], True
        if choice < 0.84:
            return [_bin("i", const(LOWEST), "+", small()), const(LOWEST), const(-1)], True
        if choice < 0.90:
            step = const(rng.choice((2**61, 2**62, 2**62 + 5, HIGHEST)))
            return [const(LOWEST), const(HIGHEST), step] if self.chance(0.5) else [
                const(HIGHEST),
                const(LOWEST),
                Node("neg", "i", "", [step]),
            ], True
        return [self.expr("i", 1) for _ in range(rng.randint(1, 3))], False

    def guarded(self) -> list[Node]:
        """Return a while loop with fuel."""
        level = _bin("i", self.expr("i", 1), "&", const(self.rng.choice((3, 7))))
        fuel = self.new("i", "w")
        start = Node("assign", parts=[fuel, level])
        left = Node("cmp", "b", ">", [fuel.copy(), const(0)])
        burn = Node("aug", None, "-", [fuel.copy(), const(1)])
        self.scope.frozen.add(fuel.text)
        if self.chance(0.3):
            leave = Node("branch", parts=[Node("cmp", "b", "<=", [fuel.copy(), const(0)])], blocks=[[Node("break")]])
            body = self.inside(self.rng.randint(1, 3), loop=True, frozen=fuel.text, first=[leave, burn])
            return [start, Node("while", parts=[const(True)], blocks=[body])]
        order = [left, self.expr("b", 2)] if self.chance(0.7) else [left]
        test = Node("bool", "b", "and", order) if len(order) > 1 else left
        body = self.inside(self.rng.randint(1, 3), loop=True, frozen=fuel.text, first=[burn])
        return [start, Node("while", parts=[test], blocks=[body])]

    # Step 3. Expressions.

    def expr(self, kind: Kind, depth: int, exact: bool = False) -> Node:
        """Return an expression for a place of this kind; with `exact` it is of this very kind."""
        if isinstance(kind, tuple):
            return self.tuple_expr(kind, depth)
        if not exact and kind == "f" and self.chance(0.12):
            return self.expr("i", depth)
        if not exact and kind == "i" and self.chance(0.08):
            return self.expr("b", depth)
        self.budget -= 1
        if depth <= 0 or self.budget < 0:
            return self.leaf(kind)
        maker = {"i": self.int_expr, "f": self.float_expr, "b": self.bool_expr}[kind]
        node = maker(depth)
        if node.kind != kind:
            return self.leaf(kind) if exact or join(node.kind, kind) != kind else node
        if depth > 1 and self.has_state() and self.chance(0.07):
            name = "count" if kind == "i" and not self.in_helper else "note" if not self.in_helper else "h_note"
            return Node("call", kind, name, [Node("var", "s", "s"), node])
        return node

    def tuple_expr(self, kind: Kind, depth: int) -> Node:
        held = [name for name, known in self.scope.variables.items() if known == kind]
        if held and self.chance(0.3):
            return Node("var", kind, self.rng.choice(held))
        calls = [f for f in self.callable() if f.returns == kind]
        if calls and self.chance(0.3):
            return self.call(self.rng.choice(calls), depth - 1)
        return Node("tuple", kind, "", [self.expr(part, depth - 1, exact=True) for part in kind[1:]])

    def leaf(self, kind: Kind) -> Node:
        rng = self.rng
        names = [name for name, known in self.scope.variables.items() if known == kind]
        if names and self.chance(0.6):
            return Node("var", kind, rng.choice(names))
        choice = rng.random()
        if self.has_state() and kind in "if" and choice < 0.25:
            return Node("field", kind, rng.choice(("i0", "i1") if kind == "i" else ("x0", "x1")))
        if choice < 0.35:
            name = rng.choice(NUMBERS[kind])
            if self.in_helper:
                name = {"i": "STEP", "f": "RATE", "b": "True"}[kind]
            return Node("const", kind, name)
        if kind == "i":
            return const(rng.choice(INTEGERS) if self.chance(0.2) else rng.randint(-4, 12))
        if kind == "f":
            return const(rng.choice(REALS) if self.chance(0.3) else round(rng.uniform(-4, 8), 2))
        return const(self.chance(0.5))

    def index(self, size: int | None, depth: int, array: Node | None = None) -> Node:
        """Return an index that fits, most often."""
        if size is None:
            assert array is not None
            return _bin("i", self.expr("i", depth, exact=True), "%", Node("call", "i", "len", [array.copy()]))
        if self.chance(0.015):
            return _bin("i", self.expr("i", depth), "-", const(self.rng.randint(0, 2)))
        if self.chance(0.3):
            return const(self.rng.randrange(size))
        return _bin("i", self.expr("i", depth, exact=True), "%", const(size))

    def array(self, item: Kind) -> Node | None:
        """Return an array of such items: a field, a table, a row of a table, a variable."""
        rng = self.rng
        held = [
            Node("var", kind, name)
            for name, kind in self.scope.variables.items()
            if isinstance(kind, tuple) and kind[:2] == ("r", item)
        ]
        if held and self.chance(0.5):
            return rng.choice(held)
        if self.has_state() and item in "if" and self.chance(0.4):
            return self.whole_array(item)
        tables = [
            (name, kind) for name, kind in TABLES.items() if kind[1] == item and not (self.in_helper and name != "H1")
        ]
        grids = [(name, kind) for name, kind in GRIDS.items() if kind[1] == item and not self.in_helper]
        if grids and self.chance(0.5):
            name, kind = rng.choice(grids)
            node = Node("const", kind, name)
            while len(node.kind) > 3:
                node = Node("index", ("r", item, *node.kind[3:]), "", [node, self.index(node.kind[2], 0)])
            return node
        if tables:
            name, kind = rng.choice(tables)
            return Node("const", kind, name)
        return None

    def whole_array(self, item: Kind) -> Node:
        return Node("field", ("r", item, 6 if item == "i" else 5), "cells" if item == "i" else "reals")

    def element(self, kind: Kind, depth: int) -> Node:
        array = self.array(kind)
        if array is None:
            return self.leaf(kind)
        return Node("index", kind, "", [array, self.index(array.kind[2], depth - 1, array)])

    def callable(self) -> list[Function]:
        known = (f for f in self.functions if f.helper or not self.in_helper)
        return [f for f in known if self.has_state() or f.arguments[0][0] != "s"]

    def call(self, function: Function, depth: int) -> Node:
        """Return a call of a function of this program."""
        returns = function.returns
        if returns == "n":
            arguments = [self.expr(self.rng.choice("iifb"), depth, exact=True) for _ in function.arguments]
            returns = _kind_of(function, [a.kind for a in arguments])
        else:
            arguments = []
            for name, kind in function.arguments:
                if kind == "s":
                    arguments.append(Node("var", "s", "s"))
                elif isinstance(kind, tuple):
                    array = self.array(kind[1])
                    arguments.append(array if array is not None else self.whole_array(kind[1]))
                elif name == "n":
                    arguments.append(
                        _bin("i", self.expr("i", depth, exact=True), "&", const(self.rng.choice((1, 3, 7))))
                    )
                else:
                    arguments.append(self.expr(kind, depth, exact=True))
        name = function.name
        if function.helper and not self.in_helper and self.chance(0.5):
            name = f"helper.{name}"
        return Node("call", returns, name, arguments)

    def call_of_kind(self, kind: Kind, depth: int) -> Node | None:
        """Return a call that gives this kind, None if no function does."""
        options = [f for f in self.callable() if f.returns in (kind, "n")]
        if not options:
            return None
        node = self.call(self.rng.choice(options), depth - 1)
        return node if node.kind == kind else None

    def call_for_effect(self) -> Node:
        options = [f for f in self.callable() if f.arguments[0][0] == "s"]
        if options and self.chance(0.6):
            return self.call(self.rng.choice(options), 1)
        if self.in_helper:
            return Node("call", "f", "h_note", [Node("var", "s", "s"), self.leaf("f")])
        return Node("call", "i", "bump", [Node("var", "s", "s"), self.expr("i", 1, exact=True)])

    def part(self, kind: Kind, depth: int) -> Node | None:
        """Return a part of a tuple: t[0], f(…)[1], t[2][0]."""
        source = self.tuple_source() if self.has_state() else None
        while source is not None and isinstance(source.kind, tuple):
            fitting = [k for k, part in enumerate(source.kind[1:]) if part == kind or isinstance(part, tuple)]
            if not fitting:
                return None
            k = self.rng.choice(fitting)
            source = Node("item", source.kind[1 + k], str(k), [source])
        return source

    def calm(self, depth: int) -> Node:
        """Return a whole number that is not too large."""
        rng = self.rng
        node = self.expr("i", depth, exact=True)
        choice = rng.random()
        if choice < 0.3:
            return _bin("i", node, "&", const(rng.choice((15, 255, 65535))))
        if choice < 0.5:
            return _bin("i", node, "%", const(rng.choice((7, 97, 1009, -13))))
        return node

    def right_operand(self, symbol: str, depth: int) -> Node:
        rng = self.rng
        if symbol in ("<<", ">>"):
            if self.chance(0.9):
                return _bin(
                    "i",
                    self.expr("i", depth - 1, exact=True),
                    "&",
                    const(rng.choice((3, 7, 15, 63) if symbol == ">>" else (3, 7, 15))),
                )
            return (
                self.expr("i", depth - 1)
                if symbol == ">>"
                else _bin("i", self.expr("i", depth - 1, exact=True), "%", const(70))
            )
        if symbol == "**":
            return (
                const(rng.randint(0, 5))
                if self.chance(0.6)
                else _bin("i", self.expr("i", depth - 1, exact=True), "&", const(3))
            )
        if symbol in ("//", "%"):
            if self.chance(0.4):
                return const(rng.choice((2, 3, 7, -2, -5, 10, -1, 2**40)))
            if self.chance(0.7):
                return _bin("i", self.expr("i", depth - 1, exact=True), "|", const(1))
        return self.calm(depth - 1) if self.chance(0.6) else self.expr("i", depth - 1)

    def int_expr(self, depth: int) -> Node:
        rng, below = self.rng, depth - 1
        choice = rng.random()
        if choice < 0.20:
            return _bin("i", self.calm(below), rng.choice("+-"), self.calm(below))
        if choice < 0.26:
            return _bin("i", self.calm(below), "*", self.calm(below))
        if choice < 0.34:
            symbol = rng.choice(("//", "%"))
            return _bin("i", self.expr("i", below), symbol, self.right_operand(symbol, depth))
        if choice < 0.41:
            left, right = self.expr("i", below), self.expr("i", below)
            return _bin(join(left.kind, right.kind), left, rng.choice("&|^"), right)
        if choice < 0.46:
            symbol = rng.choice(("<<", ">>"))
            return _bin("i", self.calm(below), symbol, self.right_operand(symbol, depth))
        if choice < 0.49:
            return _bin(
                "i",
                _bin("i", self.expr("i", below), "%", const(rng.choice((5, 11, 200, -13)))),
                "**",
                self.right_operand("**", depth),
            )
        if choice < 0.53:
            inner = self.expr("i", below)
            return Node("neg", "i", "", [inner]) if self.chance(0.5) else Node("abs", "i", "", [inner])
        if choice < 0.55:
            return Node("un", "i", "~", [_bin("i", self.calm(below), "+", self.calm(below))])
        if choice < 0.60:
            return self.conditional("i", below)
        if choice < 0.64:
            return self.lazy("i", below)
        if choice < 0.68:
            return self.best("i", below)
        if choice < 0.73:
            return self.rounded(below)
        if choice < 0.75:
            return Node("gcd", "i", "", [self.expr("i", below), self.expr("i", below)])
        if choice < 0.83:
            return self.primitive(below)
        if choice < 0.85:
            array = self.array(rng.choice("if"))
            return self.leaf("i") if array is None else Node("call", "i", "len", [array])
        if choice < 0.88:
            return _bin("i", self.expr("b", below), rng.choice("+-*"), self.expr("b", below))
        if choice < 0.90 and self.has_state() and not self.in_helper:
            return Node("call", "i", "bump", [Node("var", "s", "s"), self.expr("i", below, exact=True)])
        if choice < 0.94:
            return self.call_of_kind("i", depth) or self.element("i", depth)
        if choice < 0.96:
            return self.part("i", depth) or self.element("i", depth)
        return self.element("i", depth)

    def rounded(self, depth: int) -> Node:
        """Return a whole number made of a float that is most often small enough."""
        inner = self.expr("f", depth, exact=True)
        if self.chance(0.8):
            inner = _bin("f", inner, "%", const(self.rng.choice((97.5, 1000.0, -8.0, 1e9))))
        return Node("whole", "i", self.rng.choice(("int", "int", "math.floor", "math.ceil", "math.trunc")), [inner])

    def primitive(self, depth: int) -> Node:
        names = ["shl", "shr", "add", "mul", "popcount", "lsb", "clear_lsb", "mix", "draw"]
        name = self.rng.choice(names)
        if name == "draw":
            if not self.has_state():
                name = "mix"
            else:
                count = _bin("i", _bin("i", self.expr("i", depth, exact=True), "&", const(63)), "+", const(1))
                return Node("call", "i", "draw", [Node("field", ("r", "i", 1), "rng"), count])
        arity = 1 if name in ("popcount", "lsb", "clear_lsb") else 2
        return Node("call", "i", name, [self.expr("i", depth) for _ in range(arity)])

    def conditional(self, kind: Kind, depth: int) -> Node:
        yes, no = self.expr(kind, depth), self.expr(kind, depth)
        test = self.expr(self.rng.choice("bbbif"), depth)
        return Node("if", join(yes.kind, no.kind), "", [yes, test, no])

    def lazy(self, kind: Kind, depth: int) -> Node:
        parts = [self.expr(kind, depth) for _ in range(self.rng.choice((2, 2, 3)))]
        return Node("bool", join(*(p.kind for p in parts)), self.rng.choice(("and", "or")), parts)

    def best(self, kind: Kind, depth: int) -> Node:
        parts = [self.expr(kind, depth) for _ in range(self.rng.choice((2, 2, 3, 4)))]
        return Node("best", join(*(p.kind for p in parts)), self.rng.choice(("min", "max")), parts)

    def float_expr(self, depth: int) -> Node:
        rng, below = self.rng, depth - 1
        choice = rng.random()
        if choice < 0.26:
            left, right = self.expr("f", below), self.expr("f", below)
            return _bin(
                join(left.kind, right.kind) if "f" in (left.kind, right.kind) else "i", left, rng.choice("+-*"), right
            )
        if choice < 0.34:
            return _bin("f", self.expr(rng.choice("ffi"), below), "/", self.divisor(below))
        if choice < 0.42:
            return _bin("f", self.expr("f", below, exact=True), rng.choice(("//", "%")), self.divisor(below))
        if choice < 0.44:
            return _bin(
                "f", self.expr("i", below, exact=True), rng.choice(("//", "%")), self.expr("f", below, exact=True)
            )
        if choice < 0.54:
            return self.function(below)
        if choice < 0.58:
            return Node("call", "f", "float", [self.expr(rng.choice("iifb"), below)])
        if choice < 0.63:
            return self.conditional("f", below)
        if choice < 0.67:
            return self.lazy("f", below)
        if choice < 0.72:
            return self.best("f", below)
        if choice < 0.76:
            inner = self.expr("f", below, exact=True)
            return Node("neg", "f", "", [inner]) if self.chance(0.6) else Node("abs", "f", "", [inner])
        if choice < 0.78 and self.has_state():
            return Node("call", "f", "uniform", [Node("field", ("r", "i", 1), "rng")])
        if choice < 0.82:
            base = (
                Node("abs", "f", "", [self.expr("f", below, exact=True)]) if self.chance(0.6) else self.expr("f", below)
            )
            return Node(
                "call",
                "f",
                "power",
                [base, self.expr("f", 0) if self.chance(0.5) else const(rng.choice((2.0, 0.5, 3.0, -1.0)))],
            )
        if choice < 0.88:
            return self.call_of_kind("f", depth) or self.element("f", depth)
        if choice < 0.91:
            return self.part("f", depth) or self.element("f", depth)
        return self.element("f", depth)

    def divisor(self, depth: int) -> Node:
        if self.chance(0.5):
            return const(self.rng.choice((2.0, 3.0, -0.7, 1e-3, 10, 7, -4.0, math.inf)))
        return self.expr(self.rng.choice("ffi"), depth)

    def function(self, depth: int) -> Node:
        rng = self.rng
        if self.chance(0.2):
            name = rng.choice(("atan2", "copysign", "fmod"))
            return Node("call", "f", f"math.{name}", [self.expr("f", depth), self.expr("f", depth)])
        name = rng.choice(MATH)
        inner = self.expr("f", depth)
        if self.chance(0.6):  # keep to the domain, most often
            if name in ("sqrt", "log", "log2", "log10", "log1p", "acosh"):
                inner = _bin("f", Node("abs", inner.kind if inner.kind == "f" else "i", "", [inner]), "+", const(1.0))
            elif name in ("asin", "acos", "atanh"):
                inner = Node("call", "f", "math.sin", [_bin("f", inner, "%", const(1000.0))])
            elif name in ("exp", "expm1", "sinh", "cosh", "tan", "sin", "cos"):
                inner = _bin("f", inner, "%", const(50.0))
        return Node("call", "f", f"math.{name}", [inner])

    def bool_expr(self, depth: int) -> Node:
        rng, below = self.rng, depth - 1
        choice = rng.random()
        if choice < 0.55:
            count = rng.choice((2, 2, 2, 3, 4))
            kinds = [rng.choice("iiiffb") if self.chance(0.3) else rng.choice(("i", "f")) for _ in range(count)]
            if self.chance(0.5):
                kinds = [kinds[0]] * count
            symbols = " ".join(rng.choice(("<", "<=", ">", ">=", "==", "!=")) for _ in range(count - 1))
            return Node("cmp", "b", symbols, [self.expr(kind, below) for kind in kinds])
        if choice < 0.65:
            return Node("un", "b", "not ", [self.expr(rng.choice("bif"), below)])
        if choice < 0.78:
            return self.lazy("b", below)
        if choice < 0.83:
            return Node("call", "b", "bool", [self.expr(rng.choice("ifb"), below)])
        if choice < 0.87:
            return Node("call", "b", rng.choice(("math.isnan", "math.isinf", "math.isfinite")), [self.expr("f", below)])
        if choice < 0.91:
            return _bin("b", self.expr("b", below), rng.choice("&|^"), self.expr("b", below))
        if choice < 0.95:
            return self.call_of_kind("b", depth) or self.part("b", depth) or self.conditional("b", below)
        return self.conditional("b", below)


def invent(seed: int, number: int, features: Features) -> Program:
    """Return program `number` of a seed."""
    program = Inventor(seed, number, features).program()
    assert program.sound(), f"program {number} of seed {seed} has a kind that cannot be inferred"
    return program


def inputs(seed: int, number: int, how_many: int) -> list[tuple[int | float, ...]]:
    """Return states to start a program in: some calm, some at the edges of the machine."""
    rng = random.Random(f"{seed}/{number}/inputs")
    found = []
    for k in range(how_many):
        wild = (0.0, 0.15, 0.05, 0.6)[k % 4]

        def whole(wild: float = wild) -> int:
            return rng.choice(INTEGERS) if rng.random() < wild else rng.randint(-9, 20)

        def real(wild: float = wild) -> float:
            return (
                rng.choice(REALS)
                if rng.random() < wild
                else rng.choice((round(rng.uniform(-9, 9), 2), float(rng.randint(-4, 9))))
            )

        cells: list[int | float] = [whole(), whole(), real(), real(), 0]
        cells += [whole() for _ in range(6)]
        cells += [real() for _ in range(5)]
        cells += [rng.getrandbits(64) + LOWEST]
        found.append((*cells, *([0] * 4), *([0.0] * 4)))
    return found
