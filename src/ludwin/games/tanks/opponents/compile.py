"""From a robot's file to its code: a reader of Python that writes rows of numbers.

Why it is here.  A robot is written as people write it, `yield tank.ahead(100)` in a loop, and must run half a million
turns a second.  Blocking calls make its functions generators; here they become code with places to go on from, on
registers: one for every variable of every function, since no function of a robot is ever active twice.  Functions that
it calls are written out where they are called.  What this reader does not know makes no error: such a robot runs in
Python, with the same results (`plain.py`).
"""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ludwin.games.tanks.opponents import machine as it
from ludwin.games.tanks.opponents.calculate import DEGREE, MATHS, MATHS2
from ludwin.games.tanks.opponents.words import DIVIDED, EVENTS, FUNCTIONS, ORDERS, READS, TIME, TIMES, Wording

Number = int | float
MOST = 50  # functions within functions that are written out


class OnlyPython(Exception):
    """The robot says something that only Python knows."""


@dataclass
class RobotCode:
    """A robot as numbers: rows of code behind the places of main and handlers, and the registers it begins with."""

    rows: list[int]
    first: list[float]  # registers at the beginning: room for events, constants, tables, memory, statics
    statics: int
    registers: int


@dataclass
class OpenFunction:
    """A function that is being written: where its variables are, and what its arguments stand for."""

    tank: str
    event: str = ""
    kind: int = 0
    places: dict[str, int] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)  # variables that have a value here, whatever way was taken
    breaks: list[list[int]] = field(default_factory=list)
    continues: list[list[int]] = field(default_factory=list)
    returns: list[int] | None = None  # jumps to the end of a function that is written out
    result: int = -1


BINARY: dict[type, int] = {
    ast.Add: it.ADD, ast.Sub: it.SUB, ast.Mult: it.MUL, ast.Div: it.DIV, ast.FloorDiv: it.FLOOR_DIV, ast.Mod: it.MOD,
}  # fmt: skip
COMPARE: dict[type, tuple[int, bool]] = {
    ast.Lt: (it.LESS, False), ast.Gt: (it.LESS, True), ast.LtE: (it.LESS_EQUAL, False),
    ast.GtE: (it.LESS_EQUAL, True), ast.Eq: (it.EQUAL, False), ast.NotEq: (it.NOT_EQUAL, False),
}  # fmt: skip


class Compiler:
    """Writes one robot. `functions` are those of its file, `space` the file's own values."""

    def __init__(
        self,
        functions: Mapping[str, ast.FunctionDef],
        space: Mapping[str, Any],
        memory: Mapping[str, Number],
        static: Mapping[str, Number],
    ):
        self.functions, self.space = functions, space
        self.code: list[int] = [-1] * it.HEAD
        self.first: list[float] = [0.0] * (it.EVENT * it.KINDS)
        self.constants: dict[str, int] = {}
        self.tables: dict[tuple[float, ...], int] = {}
        self.memory: dict[str, int] = {}
        self.inside: list[str] = []
        self.free = 1 << 20  # variables are numbered from here, and moved behind the constants at the end
        self.names = {**{name: float(value) for name, value in memory.items()}}
        self.static = {name: float(value) for name, value in static.items()}

    def write(self) -> RobotCode:
        """Return the whole robot. Raises OnlyPython."""
        for name, value in self.names.items():
            self.memory[name] = self.place(value)
        statics = {name: self.free_place() for name in self.static}
        self.memory |= statics
        for name, kind in {"main": 0, **{word: kind for word, (kind, _) in EVENTS.items()}}.items():
            if name in self.functions:
                self.code[kind] = len(self.code)
                self.function(name, kind)
        # Statics come last of what has a first value, so that a later round can leave them alone.
        moved = {}
        for name, place in statics.items():
            moved[place] = self.place(self.static[name])
        shift = len(self.first)
        for at in range(it.HEAD, len(self.code), it.WIDE):
            for k in _registers_of(self.code[at]):
                place = self.code[at + k]
                if place >= 1 << 20:
                    self.code[at + k] = moved.get(place, place - (1 << 20) + shift)
        registers = shift + self.free - (1 << 20)
        if len(self.code) > it.LONGEST or registers > it.REGISTERS:
            raise OnlyPython("it is too long")
        return RobotCode(self.code, self.first, len(statics), registers)

    # Places.

    def free_place(self) -> int:
        self.free += 1
        return self.free - 1

    def place(self, value: float) -> int:
        self.first.append(value)
        return len(self.first) - 1

    def constant(self, value: Any) -> int:
        if isinstance(value, bool | int | float):
            try:
                number = float(value)
            except OverflowError:
                raise OnlyPython("a number is too large") from None
            if isinstance(value, int) and abs(value) > 2**53:
                raise OnlyPython("a whole number is too large")
            key = number.hex() if number == number else "nan"
            if key not in self.constants:
                self.constants[key] = self.place(number)
            return self.constants[key]
        raise OnlyPython("only numbers are compiled")

    def emit(self, op: int, a: int = 0, b: int = 0, c: int = 0, d: int = 0) -> int:
        self.code += [op, a, b, c, d]
        if len(self.code) > it.LONGEST:
            raise OnlyPython("it is too long")
        return len(self.code) - it.WIDE

    def here(self) -> int:
        return len(self.code)

    # Functions.

    def function(self, name: str, kind: int) -> None:
        node = self.functions[name]
        arguments = [one.arg for one in node.args.args]
        scope = OpenFunction(arguments[0], arguments[1] if kind else "", kind)
        scope.returns = []
        self.body(node.body, scope)
        for jump in scope.returns:
            self.code[jump + 1] = self.here()
        self.emit(it.END)

    def inline(self, node: ast.Call, scope: OpenFunction, blocking: bool) -> int:
        """Write a function of the robot's out; return where its value is."""
        assert isinstance(node.func, ast.Name)
        name = node.func.id
        function = self.functions[name]
        if name in self.inside or len(self.inside) > MOST:
            raise OnlyPython(f"{name} calls itself")
        generator = any(isinstance(one, ast.Yield | ast.YieldFrom) for one in ast.walk(function))
        if generator != blocking or node.keywords or function.args.defaults or function.args.kwonlyargs:
            raise OnlyPython(f"{name} is called in another way than it is written")
        if len(function.args.args) != len(node.args):
            raise OnlyPython(f"{name} takes another number of arguments")
        inner = OpenFunction("", kind=scope.kind, returns=[], result=self.free_place())
        for parameter, given in zip(function.args.args, node.args, strict=True):
            if isinstance(given, ast.Name) and given.id == scope.tank and scope.tank:
                inner.tank = parameter.arg
            elif isinstance(given, ast.Name) and given.id == scope.event and scope.event:
                inner.event = parameter.arg
            else:
                value = self.expression(given, scope)
                place = self.free_place()
                self.emit(it.MOVE, place, value)
                inner.places[parameter.arg] = place
                inner.known.add(parameter.arg)
        self.emit(it.MOVE, inner.result, self.constant(0))
        self.inside.append(name)
        self.body(function.body, inner)
        self.inside.pop()
        for jump in inner.returns or ():
            self.code[jump + 1] = self.here()
        return inner.result

    # Statements.

    def body(self, statements: list[ast.stmt], scope: OpenFunction) -> bool:
        """Write statements; tells whether control can come to their end."""
        for statement in statements:
            writer: Callable[[Any, OpenFunction], bool] | None = getattr(self, f"do_{type(statement).__name__}", None)
            if writer is None:
                raise OnlyPython(f"{type(statement).__name__} is not compiled")
            if not writer(statement, scope):
                return False
        return True

    def do_Pass(self, node: ast.Pass, scope: OpenFunction) -> bool:
        return True

    def do_Expr(self, node: ast.Expr, scope: OpenFunction) -> bool:
        if not isinstance(node.value, ast.Constant):
            self.value(node.value, scope)
        return True

    def do_Return(self, node: ast.Return, scope: OpenFunction) -> bool:
        if node.value is not None:
            value = self.expression(node.value, scope)
            if scope.result >= 0:
                self.emit(it.MOVE, scope.result, value)
        assert scope.returns is not None
        scope.returns.append(self.emit(it.JUMP))
        return False

    def do_Assign(self, node: ast.Assign, scope: OpenFunction) -> bool:
        if len(node.targets) != 1:
            raise OnlyPython("one target at a time is compiled")
        target = node.targets[0]
        if isinstance(target, ast.Tuple):
            if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
                raise OnlyPython("a tuple is compiled beside a tuple only")
            values = []
            for one in node.value.elts:
                place = self.free_place()
                self.emit(it.MOVE, place, self.expression(one, scope))
                values.append(place)
            for one, place in zip(target.elts, values, strict=True):
                self.assign(one, place, scope)
            return True
        self.assign(target, self.value(node.value, scope), scope)
        return True

    def do_AnnAssign(self, node: ast.AnnAssign, scope: OpenFunction) -> bool:
        if node.value is not None:
            self.assign(node.target, self.value(node.value, scope), scope)
        return True

    def do_AugAssign(self, node: ast.AugAssign, scope: OpenFunction) -> bool:
        op = BINARY.get(type(node.op))
        if op is None:
            raise OnlyPython("this operator is not compiled")
        old = self.expression(_loaded(node.target), scope)
        value = self.value(node.value, scope)
        place = self.free_place()
        self.emit(op, place, old, value)
        self.assign(node.target, place, scope)
        return True

    def assign(self, target: ast.expr, value: int, scope: OpenFunction) -> None:
        if isinstance(target, ast.Name):
            if target.id in (scope.tank, scope.event):
                raise OnlyPython("an argument is overwritten")
            place = scope.places.setdefault(target.id, -1)
            if place < 0:
                place = scope.places[target.id] = self.free_place()
            scope.known.add(target.id)
        elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == scope.tank:
            if target.attr not in self.memory:
                raise OnlyPython(f"{target.attr} is not declared in MEMORY")
            place = self.memory[target.attr]
        else:
            raise OnlyPython("only variables and memory are set")
        self.emit(it.MOVE, place, value)

    def do_If(self, node: ast.If, scope: OpenFunction) -> bool:
        test = self.expression(node.test, scope)
        jump = self.emit(it.UNLESS, 0, test)
        before = set(scope.known)
        through = self.body(node.body, scope)
        then = scope.known
        scope.known = set(before)
        if node.orelse:
            over = self.emit(it.JUMP) if through else -1
            self.code[jump + 1] = self.here()
            other = self.body(node.orelse, scope)
            if over >= 0:
                self.code[over + 1] = self.here()
        else:
            self.code[jump + 1] = self.here()
            other = True
        if through and other:
            scope.known &= then
        elif through:
            scope.known = then
        return through or other

    def do_While(self, node: ast.While, scope: OpenFunction) -> bool:
        if node.orelse:
            raise OnlyPython("else after a loop is not compiled")
        begin = self.here()
        endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
        leave = -1 if endless else self.emit(it.UNLESS, 0, self.expression(node.test, scope))
        before = set(scope.known)
        scope.breaks.append([])
        scope.continues.append([])
        if self.body(node.body, scope):
            self.emit(it.JUMP, begin)
        for jump in scope.continues.pop():
            self.code[jump + 1] = begin
        breaks = scope.breaks.pop()
        if leave >= 0:
            self.code[leave + 1] = self.here()
        for jump in breaks:
            self.code[jump + 1] = self.here()
        scope.known = before
        return not endless or bool(breaks)

    def do_For(self, node: ast.For, scope: OpenFunction) -> bool:
        """A loop over range(…), whose numbers are found before it begins."""
        call = node.iter
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range"):
            raise OnlyPython("only loops over range are compiled")
        if node.orelse or not isinstance(node.target, ast.Name) or call.keywords or not 1 <= len(call.args) <= 3:
            raise OnlyPython("this loop is not compiled")
        if not all(_is_whole(one, self.space) for one in call.args):
            raise OnlyPython("a range of constants is compiled")
        numbers = range(*(_whole(one, self.space) for one in call.args))
        counter, last = self.free_place(), self.constant(numbers.start + numbers.step * len(numbers))
        self.emit(it.MOVE, counter, self.constant(numbers.start))
        begin = self.here()
        test = self.free_place()
        self.emit(it.NOT_EQUAL, test, counter, last)
        leave = self.emit(it.UNLESS, 0, test)
        before = set(scope.known)
        self.assign(node.target, counter, scope)
        scope.breaks.append([])
        scope.continues.append([])
        self.body(node.body, scope)
        for jump in scope.continues.pop():
            self.code[jump + 1] = self.here()
        self.emit(it.ADD, counter, counter, self.constant(numbers.step))
        self.emit(it.JUMP, begin)
        self.code[leave + 1] = self.here()
        for jump in scope.breaks.pop():
            self.code[jump + 1] = self.here()
        scope.known = before
        return True

    def do_Break(self, node: ast.Break, scope: OpenFunction) -> bool:
        scope.breaks[-1].append(self.emit(it.JUMP))
        return False

    def do_Continue(self, node: ast.Continue, scope: OpenFunction) -> bool:
        scope.continues[-1].append(self.emit(it.JUMP))
        return False

    # Expressions.

    def value(self, node: ast.expr, scope: OpenFunction) -> int:
        """Write what may stand alone or behind `=`: also what blocks."""
        if isinstance(node, ast.Yield):
            if not isinstance(node.value, ast.Call):
                raise OnlyPython("what is yielded is an order")
            return self.order(node.value, scope, True)
        if isinstance(node, ast.YieldFrom):
            if not isinstance(node.value, ast.Call) or not isinstance(node.value.func, ast.Name):
                raise OnlyPython("what is yielded from is a function of the robot")
            return self.inline(node.value, scope, True)
        return self.expression(node, scope)

    def expression(self, node: ast.expr, scope: OpenFunction) -> int:
        """Write an expression; return the register of its value."""
        writer: Callable[[Any, OpenFunction], int] | None = getattr(self, f"of_{type(node).__name__}", None)
        if writer is None:
            raise OnlyPython(f"{type(node).__name__} is not compiled")
        return writer(node, scope)

    def of_Constant(self, node: ast.Constant, scope: OpenFunction) -> int:
        return self.constant(node.value)

    def of_Name(self, node: ast.Name, scope: OpenFunction) -> int:
        if node.id in scope.places:
            if node.id not in scope.known:
                raise OnlyPython(f"{node.id} may have no value")
            return scope.places[node.id]
        if node.id.isupper() and node.id in self.space:
            return self.constant(self.space[node.id])
        raise OnlyPython(f"{node.id} is not compiled")

    def of_Attribute(self, node: ast.Attribute, scope: OpenFunction) -> int:
        home = node.value.id if isinstance(node.value, ast.Name) else ""
        if home and home == scope.tank:
            if node.attr in self.memory:
                return self.memory[node.attr]
            if node.attr in READS:
                number, way = READS[node.attr]
                place = self.free_place()
                self.emit(it.READ, place, d=number)
                return self.degrees(place, way)
        elif home and home == scope.event:
            fields = next((fields for kind, fields in EVENTS.values() if kind == scope.kind), {})
            if node.attr in {**fields, **TIME}:
                number, way = {**fields, **TIME}[node.attr]
                return self.degrees(it.EVENT * scope.kind + number, way)
        elif home == "math" and self.space.get("math") is math and node.attr in ("pi", "inf", "tau", "e"):
            return self.constant(getattr(math, node.attr))
        raise OnlyPython(f"{ast.unparse(node)} is not compiled")

    def degrees(self, place: int, way: str) -> int:
        if way != DIVIDED:
            return self.times(place, DEGREE if way == TIMES else 1.0)
        to = self.free_place()
        self.emit(it.DIV, to, self.times(place, 180.0), self.constant(math.pi))
        return to

    def times(self, place: int, factor: float) -> int:
        if factor == 1.0:
            return place
        to = self.free_place()
        self.emit(it.MUL, to, place, self.constant(factor))
        return to

    def of_BinOp(self, node: ast.BinOp, scope: OpenFunction) -> int:
        op = BINARY.get(type(node.op))
        if op is None:
            raise OnlyPython("this operator is not compiled")
        left = self.settled(node.left, node.right, scope)
        right = self.expression(node.right, scope)
        to = self.free_place()
        self.emit(op, to, left, right)
        return to

    def settled(self, node: ast.expr, after: ast.expr, scope: OpenFunction) -> int:
        """Write an operand that must keep its value while the next one is found, which may call what changes memory."""
        place = self.expression(node, scope)
        if not any(isinstance(one, ast.Call) for one in ast.walk(after)):
            return place
        to = self.free_place()
        self.emit(it.MOVE, to, place)
        return to

    def of_UnaryOp(self, node: ast.UnaryOp, scope: OpenFunction) -> int:
        value = self.expression(node.operand, scope)
        if isinstance(node.op, ast.UAdd):
            return value
        if not isinstance(node.op, ast.USub | ast.Not):
            raise OnlyPython("this operator is not compiled")
        to = self.free_place()
        self.emit(it.NEG if isinstance(node.op, ast.USub) else it.NOT, to, value)
        return to

    def of_Compare(self, node: ast.Compare, scope: OpenFunction) -> int:
        to, leaves = self.free_place(), []
        left = self.settled(node.left, node.comparators[0], scope)
        for k, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True)):
            if type(op) not in COMPARE:
                raise OnlyPython("this comparison is not compiled")
            number, turned = COMPARE[type(op)]
            right = self.expression(other, scope)
            self.emit(number, to, *((right, left) if turned else (left, right)))
            if k + 1 < len(node.ops):
                leaves.append(self.emit(it.UNLESS, 0, to))
            left = right
        for jump in leaves:
            self.code[jump + 1] = self.here()
        return to

    def of_BoolOp(self, node: ast.BoolOp, scope: OpenFunction) -> int:
        to, leaves = self.free_place(), []
        for k, one in enumerate(node.values):
            self.emit(it.MOVE, to, self.expression(one, scope))
            if k + 1 < len(node.values):
                leaves.append(self.emit(it.UNLESS if isinstance(node.op, ast.And) else it.IF, 0, to))
        for jump in leaves:
            self.code[jump + 1] = self.here()
        return to

    def of_IfExp(self, node: ast.IfExp, scope: OpenFunction) -> int:
        to = self.free_place()
        jump = self.emit(it.UNLESS, 0, self.expression(node.test, scope))
        self.emit(it.MOVE, to, self.expression(node.body, scope))
        over = self.emit(it.JUMP)
        self.code[jump + 1] = self.here()
        self.emit(it.MOVE, to, self.expression(node.orelse, scope))
        self.code[over + 1] = self.here()
        return to

    def of_Subscript(self, node: ast.Subscript, scope: OpenFunction) -> int:
        table = self.space.get(node.value.id) if isinstance(node.value, ast.Name) else None
        if not isinstance(table, tuple) or not table or not all(isinstance(one, int | float) for one in table):
            raise OnlyPython("only tables of numbers at the top of the file are indexed")
        numbers = tuple(float(one) for one in table)
        if numbers not in self.tables:
            self.tables[numbers] = len(self.first)
            self.first += numbers
        to, index = self.free_place(), self.expression(node.slice, scope)
        self.emit(it.TABLE, to, self.tables[numbers], index, len(numbers))
        return to

    def of_Call(self, node: ast.Call, scope: OpenFunction) -> int:
        if any(isinstance(one, ast.Starred) for one in node.args) or node.keywords:
            raise OnlyPython("only plain arguments are compiled")
        if isinstance(node.func, ast.Attribute):
            home = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            if home and home == scope.tank:
                return self.order(node, scope, False)
            if home == "math" and self.space.get("math") is math:
                return self.math(node, node.func.attr, scope)
        elif isinstance(node.func, ast.Name):
            name = node.func.id
            if name in self.functions:
                return self.inline(node, scope, False)
            if name in ("abs", "min", "max", "int", "float", "bool"):
                return self.builtin(node, name, scope)
        raise OnlyPython(f"{ast.unparse(node.func)} is not compiled")

    def builtin(self, node: ast.Call, name: str, scope: OpenFunction) -> int:
        values = [self.settled(one, node, scope) for one in node.args]
        to = self.free_place()
        if name in ("min", "max") and len(values) >= 2:
            self.emit(it.MOVE, to, values[0])
            for value in values[1:]:
                self.emit(it.LEAST if name == "min" else it.MOST, to, to, value)
            return to
        if len(values) != 1 or name in ("min", "max"):
            raise OnlyPython(f"{name} is called in another way")
        if name == "abs":
            self.emit(it.ABS, to, values[0])
        elif name == "int":
            self.emit(it.MATH, to, values[0], d=MATHS.index("trunc"))
        elif name == "bool":
            self.emit(it.NOT_EQUAL, to, values[0], self.constant(0))
        else:
            self.emit(it.MOVE, to, values[0])
        return to

    def math(self, node: ast.Call, name: str, scope: OpenFunction) -> int:
        table = MATHS if len(node.args) == 1 else MATHS2
        if name not in table or name.startswith(("relative", "absolute")):
            raise OnlyPython(f"math.{name} is not compiled")
        return self.call(table is MATHS, table.index(name), node, scope)

    def call(self, single: bool, number: int, node: ast.Call, scope: OpenFunction) -> int:
        values = [self.settled(one, node, scope) for one in node.args]
        to = self.free_place()
        self.emit(it.MATH if single else it.MATH2, to, values[0], 0 if single else values[1], number)
        return to

    def order(self, node: ast.Call, scope: OpenFunction, blocking: bool) -> int:
        """Write an order, or a function of the tank's."""
        if not (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == scope.tank
        ):
            raise OnlyPython("what is yielded is an order of the tank")
        word = node.func.attr
        if word in FUNCTIONS and len(node.args) == 1 and not blocking:
            return self.call(True, MATHS.index(FUNCTIONS[word]), node, scope)
        if word == "random" and not node.args and not blocking:
            to = self.free_place()
            self.emit(it.RANDOM, to)
            return to
        found: Wording | None = ORDERS.get(word)
        if found is None or bool(found.block) != blocking or len(node.args) != int(found.argument) or node.keywords:
            raise OnlyPython(f"{ast.unparse(node)} is not compiled")
        if found.argument:
            value = self.times(self.expression(node.args[0], scope), found.factor)
        else:
            value = self.constant(found.factor)
        to = self.free_place()
        self.emit(it.ORDER, to, value, 0, found.number | found.block << 5)
        return to


def _registers_of(op: int) -> tuple[int, ...]:
    """Return which numbers of a row are registers."""
    if op in (it.JUMP, it.END):
        return ()
    if op in (it.UNLESS, it.IF):
        return (2,)
    return (1, 2, 3)


def _loaded(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Attribute):
        return ast.Attribute(target.value, target.attr, ast.Load())
    raise OnlyPython("only variables and memory are set")


def _is_whole(node: ast.expr, space: Mapping[str, Any]) -> bool:
    return type(_whole(node, space)) is int


def _whole(node: ast.expr, space: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        return -node.operand.value if type(node.operand.value) is int else None
    if isinstance(node, ast.Constant):
        return node.value
    return space.get(node.id) if isinstance(node, ast.Name) and node.id.isupper() else None
