"""Operators: what `+`, `//`, `<` and their like mean, kind by kind, exactly as in CPython.

Why it is here.  Whole numbers have 64 bits: fast code wraps round, checked code ends in a fault.  Everything else is
CPython's meaning to the last bit: `//` and `%` round down for all signs, floats too; `/` of whole numbers is rounded
once, however large they are; a whole number and a float are compared as the numbers that they are, not after
rounding.  Division by zero and negative shifts are faults in all modes.
"""

import ast
from typing import TYPE_CHECKING, NamedTuple

from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.kinds import BOOL, FLOAT, INT, ValueKind, article, is_number
from ludwin.kernel.compiler.scope import EXACT

if TYPE_CHECKING:
    from ludwin.kernel.compiler.lines import Lines

LOWEST, HIGHEST = -(2**63), 2**63 - 1
BITS = {ast.BitAnd: "and", ast.BitOr: "or", ast.BitXor: "xor"}
FLOATS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul"}
WHOLES = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~",
}  # fmt: skip
COMPARED = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}
MIRRORED = {ast.Eq: ast.Eq, ast.NotEq: ast.NotEq, ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


class Value(NamedTuple):
    """A value in LLVM's language, and its kind."""

    text: str
    kind: ValueKind

    @property
    def number(self) -> int | None:
        """The whole number that this is, if that is known now."""
        if self.kind is INT and not self.text.startswith("%"):
            return int(self.text)
        return None


# Kinds.


def binary(op: ast.operator, a: ValueKind | None, b: ValueKind | None) -> ValueKind | None:
    """Return the kind of `a op b`; raises NotCompilable if there is none."""
    if a is None or b is None:
        return None
    if type(op) not in SIGNS:
        raise NotCompilable("@ cannot be compiled")
    if not is_number(a) or not is_number(b):
        wrong = b if is_number(a) else a
        raise NotCompilable(f"{SIGNS[type(op)]} takes numbers, got {article(wrong)}")
    if isinstance(op, ast.Div):
        return FLOAT
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor) and a is b is BOOL:
        return BOOL
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.LShift | ast.RShift) and FLOAT in (a, b):
        raise NotCompilable(f"{SIGNS[type(op)]} takes whole numbers, got a float")
    if isinstance(op, ast.Pow) and FLOAT in (a, b):
        raise NotCompilable("float ** rounds differently when compiled: use power(x, y) from ludwin.primitives")
    return FLOAT if FLOAT in (a, b) else INT


def unary(op: ast.unaryop, a: ValueKind | None) -> ValueKind | None:
    """Return the kind of `-a`, `+a` or `~a`."""
    if a is None:
        return None
    if not is_number(a):
        raise NotCompilable(f"{SIGNS[type(op)]} takes a number, got {article(a)}")
    if isinstance(op, ast.Invert) and a is FLOAT:
        raise NotCompilable("~ takes a whole number, got a float")
    return INT if a is BOOL else a


def comparison(op: ast.cmpop, a: ValueKind | None, b: ValueKind | None) -> None:
    """Refuse what cannot be compared."""
    if type(op) not in COMPARED:
        raise NotCompilable("in and is cannot be compiled: compare with ==")
    for kind in (a, b):
        if kind is not None and not is_number(kind):
            raise NotCompilable(f"{article(kind)} cannot be compared: compare numbers")


def whole(kind: ValueKind | None) -> None:
    """Refuse what is no whole number."""
    if kind is not None and kind not in (INT, BOOL):
        raise NotCompilable(f"{article(kind)} is used where a whole number is needed")


# Code.


def compute(e: "Lines", op: ast.operator, a: Value, b: Value) -> Value:
    """Write `a op b`."""
    kind = binary(op, a.kind, b.kind)
    if isinstance(op, ast.Div):
        return divide(e, a, b)
    assert kind is not None
    x, y = e.cast(a, kind), e.cast(b, kind)
    if isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor):
        return e.value(f"{BITS[type(op)]} {kind.llvm(False)} {x.text}, {y.text}", kind)
    if kind is FLOAT:
        return _floats(e, op, x, y)
    if isinstance(op, ast.FloorDiv | ast.Mod):
        return _floor(e, op, x, y)
    if isinstance(op, ast.Pow):
        if y.number is None or y.number < 0:
            e.fault(e.ssa(f"icmp slt i64 {y.text}, 0"), "power")
        return e.exact("integer_power", x, y)
    if isinstance(op, ast.LShift | ast.RShift):
        return _shift(e, op, x, y)
    return wrap(e, WHOLES[type(op)], x, y)


def wrap(e: "Lines", word: str, x: Value, y: Value) -> Value:
    """Write the sum, difference or product of whole numbers: examined in checked code, wrapped in fast code."""
    if not e.checked:
        return e.value(f"{word} i64 {x.text}, {y.text}", INT)
    name = f"@llvm.s{word}.with.overflow.i64"
    e.declare(f"declare {{i64, i1}} {name}(i64, i64)")
    pair = e.ssa(f"call {{i64, i1}} {name}(i64 {x.text}, i64 {y.text})")
    e.fault(e.ssa(f"extractvalue {{i64, i1}} {pair}, 1"), "overflow")
    return e.value(f"extractvalue {{i64, i1}} {pair}, 0", INT)


def _floats(e: "Lines", op: ast.operator, x: Value, y: Value) -> Value:
    if isinstance(op, ast.FloorDiv | ast.Mod):
        e.fault(e.ssa(f"fcmp oeq double {y.text}, 0.0"), "zero")
        return e.exact("float_floor" if isinstance(op, ast.FloorDiv) else "float_remainder", x, y)
    return e.value(f"{FLOATS[type(op)]} double {x.text}, {y.text}", FLOAT)


def divide(e: "Lines", a: Value, b: Value) -> Value:
    """Write `a / b`: whole numbers beyond 2**53 take the long way, which rounds only once."""
    if FLOAT in (a.kind, b.kind):
        x, y = e.cast(a, FLOAT), e.cast(b, FLOAT)
        e.fault(e.ssa(f"fcmp oeq double {y.text}, 0.0"), "zero")
        return e.value(f"fdiv double {x.text}, {y.text}", FLOAT)
    x, y = e.cast(a, INT), e.cast(b, INT)
    e.fault(e.ssa(f"icmp eq i64 {y.text}, 0"), "zero")
    beyond = [large(e, value) for value in (x, y) if value.number is None or abs(value.number) > EXACT]
    short = e.label()
    cell = e.cell("double")
    if beyond:
        long, end = e.label(), e.label()
        test = beyond[0] if len(beyond) == 1 else e.ssa(f"or i1 {beyond[0]}, {beyond[1]}")
        e.branch(test, long, short, unlikely=True)
        e.start(long)
        e.out(f"store double {e.exact('divide_large', x, y).text}, ptr {cell}")
        e.go(end)
        e.start(short)
    quotient = e.ssa(f"fdiv double {e.cast(x, FLOAT).text}, {e.cast(y, FLOAT).text}")
    if not beyond:
        return Value(quotient, FLOAT)
    e.out(f"store double {quotient}, ptr {cell}")
    e.go(end)
    e.start(end)
    return e.value(f"load double, ptr {cell}", FLOAT)


def large(e: "Lines", x: Value) -> str:
    """Write whether a whole number lies beyond 2**53."""
    moved = e.ssa(f"add i64 {x.text}, {EXACT}")
    return e.ssa(f"icmp ugt i64 {moved}, {2 * EXACT}")


def loses(e: "Lines", x: Value, made: Value) -> str:
    """Write whether a whole number is another one after it has become a float (2**63 is no whole number of 64 bits)."""
    e.declare("declare i64 @llvm.fptosi.sat.i64.f64(double)")
    back = e.ssa(f"call i64 @llvm.fptosi.sat.i64.f64(double {made.text})")
    changed = e.ssa(f"icmp ne i64 {back}, {x.text}")
    return e.ssa(f"or i1 {changed}, {e.ssa(f'fcmp oeq double {made.text}, 0x43E0000000000000')}")


def _floor(e: "Lines", op: ast.operator, x: Value, y: Value) -> Value:
    """Write `x // y` or `x % y` of whole numbers; the machine traps for a divisor of 0, and of -1 where it
    overflows.
    """
    known = y.number
    if known == 0:
        e.fault("true", "zero")
        return Value("0", INT)
    quotient = isinstance(op, ast.FloorDiv)
    if known == -1:
        return wrap(e, "sub", Value("0", INT), x) if quotient else Value("0", INT)
    if known is not None:
        return _rounded(e, quotient, x, y)
    if e.checked:
        e.fault(e.ssa(f"icmp eq i64 {y.text}, 0"), "zero")
        if quotient:
            lowest = e.ssa(f"icmp eq i64 {x.text}, {LOWEST}")
            e.fault(e.ssa(f"and i1 {lowest}, {e.ssa(f'icmp eq i64 {y.text}, -1')}"), "overflow")
    # One test serves both: y + 1 < 2 without sign.
    odd, usual, end = e.label(), e.label(), e.label()
    cell = e.cell("i64")
    e.branch(e.ssa(f"icmp ult i64 {e.ssa(f'add i64 {y.text}, 1')}, 2"), odd, usual, unlikely=True)
    e.start(odd)
    e.fault(e.ssa(f"icmp eq i64 {y.text}, 0"), "zero")
    minus = e.ssa(f"sub i64 0, {x.text}") if quotient else "0"
    e.out(f"store i64 {minus}, ptr {cell}")
    e.go(end)
    e.start(usual)
    e.out(f"store i64 {_rounded(e, quotient, x, y).text}, ptr {cell}")
    e.go(end)
    e.start(end)
    return e.value(f"load i64, ptr {cell}", INT)


def _rounded(e: "Lines", quotient: bool, x: Value, y: Value) -> Value:
    """Write the machine's division, which rounds towards 0, corrected to round down."""
    rest = e.ssa(f"srem i64 {x.text}, {y.text}")
    inexact = e.ssa(f"icmp ne i64 {rest}, 0")
    signs = e.ssa(f"icmp slt i64 {e.ssa(f'xor i64 {rest}, {y.text}')}, 0")
    wrong = e.ssa(f"and i1 {inexact}, {signs}")
    if not quotient:
        moved = e.ssa(f"add i64 {rest}, {y.text}")
        return e.value(f"select i1 {wrong}, i64 {moved}, i64 {rest}", INT)
    toward = e.ssa(f"sdiv i64 {x.text}, {y.text}")
    lower = e.ssa(f"sub i64 {toward}, 1")
    return e.value(f"select i1 {wrong}, i64 {lower}, i64 {toward}", INT)


def _shift(e: "Lines", op: ast.operator, x: Value, y: Value) -> Value:
    """Write `x << y` or `x >> y`; counts of 64 and more push all bits out, negative ones are a fault."""
    count = y.number
    if count is None or count < 0:
        e.fault(e.ssa(f"icmp slt i64 {y.text}, 0"), "shift")
    if isinstance(op, ast.RShift):
        most = str(min(count, 63)) if count is not None and count >= 0 else _least(e, y)
        return e.value(f"ashr i64 {x.text}, {most}", INT)
    most = str(min(count, 63)) if count is not None and count >= 0 else _least(e, y)
    shifted = e.ssa(f"shl i64 {x.text}, {most}")
    if count is None or count > 63:
        beyond = e.ssa(f"icmp sgt i64 {y.text}, 63")
        shifted = e.ssa(f"select i1 {beyond}, i64 0, i64 {shifted}")
    if e.checked:
        back = e.ssa(f"ashr i64 {shifted}, {most}")
        e.fault(e.ssa(f"icmp ne i64 {back}, {x.text}"), "overflow")
    return Value(shifted, INT)


def _least(e: "Lines", y: Value) -> str:
    small = e.ssa(f"icmp slt i64 {y.text}, 63")
    return e.ssa(f"select i1 {small}, i64 {y.text}, i64 63")


def negate(e: "Lines", op: ast.unaryop, a: Value) -> Value:
    """Write `-a`, `+a` or `~a`."""
    x = e.cast(a, INT) if a.kind is BOOL else a
    if isinstance(op, ast.UAdd):
        return x
    if isinstance(op, ast.Invert):
        return e.value(f"xor i64 {x.text}, -1", INT)
    if x.kind is FLOAT:
        return e.value(f"fneg double {x.text}", FLOAT)
    return wrap(e, "sub", Value("0", INT), x)


def compare(e: "Lines", op: ast.cmpop, a: Value, b: Value) -> str:
    """Write `a op b` as one bit."""
    whole_word, float_word = COMPARED[type(op)]
    if a.kind is FLOAT and b.kind is FLOAT:
        return e.ssa(f"fcmp {float_word} double {a.text}, {b.text}")
    if a.kind is FLOAT:
        return _mixed(e, MIRRORED[type(op)](), e.cast(b, INT), a)
    if b.kind is FLOAT:
        return _mixed(e, op, e.cast(a, INT), b)
    x, y = e.cast(a, INT), e.cast(b, INT)
    return e.ssa(f"icmp {whole_word} i64 {x.text}, {y.text}")


def _mixed(e: "Lines", op: ast.cmpop, x: Value, y: Value) -> str:
    """Compare a whole number with a float as numbers.

    Rounding keeps order, so only where the rounded number equals the float can the answer be wrong; there the float is
    a whole number, and the two are compared as such (2**63, which no whole number reaches, apart).
    """
    word = COMPARED[type(op)][1]
    rounded = e.ssa(f"sitofp i64 {x.text} to double")
    simple = e.ssa(f"fcmp {word} double {rounded}, {y.text}")
    if x.number is not None and abs(x.number) <= EXACT:
        return simple
    e.declare("declare i64 @llvm.fptosi.sat.i64.f64(double)")
    cut = e.ssa(f"call i64 @llvm.fptosi.sat.i64.f64(double {y.text})")
    exact = e.ssa(f"icmp {COMPARED[type(op)][0]} i64 {x.text}, {cut}")
    # x < 2**63 always; a saturated float would say x <= 2**63 - 1, with equality.
    beyond = e.ssa(f"fcmp oeq double {y.text}, 0x{0x43E0000000000000:X}")
    less = "true" if isinstance(op, ast.NotEq | ast.Lt | ast.LtE) else "false"
    exact = e.ssa(f"select i1 {beyond}, i1 {less}, i1 {exact}")
    same = e.ssa(f"fcmp oeq double {rounded}, {y.text}")
    return e.ssa(f"select i1 {same}, i1 {exact}, i1 {simple}")


def compare_least(e: "Lines", a: Value, b: Value, greatest: bool) -> str:
    """Write whether `a` is truly smaller than `b`, or greater."""
    return compare(e, ast.Gt() if greatest else ast.Lt(), a, b)
