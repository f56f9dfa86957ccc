"""The words that the compiler knows by itself: Python's own functions, our primitives, functions of math.

Why it is here.  Each word has a rule for its kind and a few lines of LLVM's language.  Functions of math are the C
library's, as in CPython, and LLVM may not compute or replace them, so that results agree to the last bit; where CPython
raises (the logarithm of 0, an exponential too large), compiled code ends in a fault.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    ArrayKind,
    NotOneKind,
    RecordKind,
    Several,
    ValueKind,
    article,
    is_number,
    join,
)
from ludwin.kernel.compiler.operators import LOWEST, Value, compare_least, whole, wrap

if TYPE_CHECKING:
    from ludwin.kernel.compiler.lines import Lines

Kinds = Sequence[ValueKind | None]
Emit = Callable[["Lines", Sequence[Value]], Value]


@dataclass(frozen=True)
class Meaning:
    """How many arguments a word takes, of which sort, what it yields, and how it is written."""

    least: int
    most: int
    takes: str  # "whole", "number", or "any" where `kind` examines them
    kind: Callable[[Kinds], ValueKind | None]
    emit: Emit


def result(name: str, kinds: Kinds) -> ValueKind | None:
    """Return the kind of a call; raises NotCompilable if the word or its arguments cannot be compiled."""
    short = name.removeprefix("math.")
    meaning = WORDS.get(name)
    if meaning is None:
        raise NotCompilable(f"{name} cannot be compiled")
    if not meaning.least <= len(kinds) <= meaning.most:
        wanted = str(meaning.least) if meaning.least == meaning.most else f"{meaning.least} or more"
        raise NotCompilable(f"{short} takes {wanted} argument{'s' if wanted != '1' else ''}, got {len(kinds)}")
    for kind in kinds:
        if kind is not None and meaning.takes == "whole" and kind not in (INT, BOOL):
            raise NotCompilable(f"{short} takes whole numbers, got {article(kind)}")
        if kind is not None and meaning.takes == "number" and not is_number(kind):
            raise NotCompilable(f"{short} takes numbers, got {article(kind)}")
    return meaning.kind(kinds)


# Python's own.


def _joined(kinds: Kinds) -> ValueKind | None:
    kind: ValueKind | None = None
    for one in kinds:
        try:
            kind = join(kind, one)
        except NotOneKind as error:
            raise NotCompilable(f"min and max take numbers, got {error}") from None
    return None if None in kinds else kind


def _extreme(greatest: bool) -> Emit:
    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        """As Python's: a later one must be truly smaller or greater."""
        if len({value.kind for value in values}) > 1 and len(values) <= FEW:
            return _mixed_extreme(e, values, greatest)
        wanted = _joined([value.kind for value in values])
        assert wanted is not None
        values = [e.cast(value, wanted, joining=True) for value in values]
        best, kind = values[0], values[0].kind
        text = kind.llvm(e.checked)
        for value in values[1:]:
            better = compare_least(e, value, best, greatest)
            best = e.value(f"select i1 {better}, {text} {value.text}, {text} {best.text}", kind)
        return best

    return emit


FEW = 6  # values of several kinds that are compared as they are: code grows with their square


def _mixed_extreme(e: "Lines", values: Sequence[Value], greatest: bool) -> Value:
    """Values of several kinds are compared as they are, and only the chosen one becomes of the common kind.

    A block for each pair (the best so far, the next): what is best is known by where control is.
    """
    kind = _joined([value.kind for value in values])
    assert kind is not None
    text = kind.llvm(e.checked)
    cell, end = e.cell(text), e.label()
    blocks = {(best, k): e.label() for k in range(1, len(values) + 1) for best in range(k)}
    e.go(blocks[0, 1])
    for (best, k), label in blocks.items():
        e.start(label)
        if k == len(values):
            e.out(f"store {text} {e.cast(values[best], kind, joining=True).text}, ptr {cell}")
            e.go(end)
        else:
            e.branch(compare_least(e, values[k], values[best], greatest), blocks[k, k + 1], blocks[best, k + 1])
    e.start(end)
    return e.value(f"load {text}, ptr {cell}", kind)


def _abs_kind(kinds: Kinds) -> ValueKind | None:
    return INT if kinds[0] is BOOL else kinds[0]


def _abs(e: "Lines", values: Sequence[Value]) -> Value:
    x = e.cast(values[0], INT) if values[0].kind is BOOL else values[0]
    if x.kind is FLOAT:
        return e.intrinsic("llvm.fabs.f64", x)
    minus = wrap(e, "sub", Value("0", INT), x) if not e.checked else None
    negative = e.ssa(f"icmp slt i64 {x.text}, 0")
    if minus is None:
        e.fault(e.ssa(f"icmp eq i64 {x.text}, {LOWEST}"), "overflow")
        minus = e.value(f"sub i64 0, {x.text}", INT)
    return e.value(f"select i1 {negative}, i64 {minus.text}, i64 {x.text}", INT)


def _int(e: "Lines", values: Sequence[Value]) -> Value:
    if values[0].kind is not FLOAT:
        return e.cast(values[0], INT)
    return to_whole(e, values[0])


def to_whole(e: "Lines", x: Value) -> Value:
    """Write a float, rounded towards 0, as a whole number; a fault where none of 64 bits is near."""
    inside = e.ssa(f"fcmp olt double {e.intrinsic('llvm.fabs.f64', x).text}, 0x43E0000000000000")
    lowest = e.ssa(f"fcmp oeq double {x.text}, 0xC3E0000000000000")
    fine = e.ssa(f"or i1 {inside}, {lowest}")
    e.fault(e.ssa(f"xor i1 {fine}, true"), "whole")
    return e.value(f"fptosi double {x.text} to i64", INT)


def _float(e: "Lines", values: Sequence[Value]) -> Value:
    return e.cast(values[0], FLOAT)


def _bool(e: "Lines", values: Sequence[Value]) -> Value:
    return e.cast(values[0], BOOL)


def _len_kind(kinds: Kinds) -> ValueKind | None:
    kind = kinds[0]
    if kind is not None and not isinstance(kind, ArrayKind | Several):
        raise NotCompilable(f"len takes an array, got {article(kind)}")
    return INT


def _len(e: "Lines", values: Sequence[Value]) -> Value:
    kind = values[0].kind
    if isinstance(kind, Several):
        return Value(str(len(kind.parts)), INT)
    return e.length(values[0])


# The machine.


def _copy_kind(kinds: Kinds) -> ValueKind | None:
    if any(kind is not None and not isinstance(kind, RecordKind) for kind in kinds):
        raise NotCompilable("copy takes two states")
    if None not in kinds and kinds[0] is not kinds[1]:
        raise NotCompilable("copy takes two states of one game")
    return NOTHING


def _copy(e: "Lines", values: Sequence[Value]) -> Value:
    to, source = values
    assert isinstance(to.kind, RecordKind)
    e.declare("declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)")
    size = 8 * to.kind.cells
    e.out(f"call void @llvm.memcpy.p0.p0.i64(ptr align 8 {to.text}, ptr align 8 {source.text}, i64 {size}, i1 false)")
    return Value("", NOTHING)


def _cell_kind(kinds: Kinds) -> ValueKind | None:
    if kinds[0] is not None and not isinstance(kinds[0], RecordKind):
        raise NotCompilable("cell takes a state and a number")
    whole(kinds[1])
    return INT


def _cell(e: "Lines", values: Sequence[Value]) -> Value:
    index = e.cast(values[1], INT)
    assert isinstance(values[0].kind, RecordKind)
    e.bound(index, str(values[0].kind.cells))
    place = e.ssa(f"getelementptr inbounds i64, ptr {values[0].text}, i64 {index.text}")
    return e.value(f"load i64, ptr {place}", INT)


def _simple(line: str, kind: ValueKind) -> Emit:
    """Return what writes one instruction with the arguments in it, as `kind` says."""

    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        return e.value(line.format(*(e.cast(value, INT).text for value in values)), kind)

    return emit


def _bits(e: "Lines", values: Sequence[Value]) -> Value:
    return e.value(f"bitcast double {e.cast(values[0], FLOAT).text} to i64", INT)


def _unbits(e: "Lines", values: Sequence[Value]) -> Value:
    return e.value(f"bitcast i64 {e.cast(values[0], INT).text} to double", FLOAT)


def _above(e: "Lines", values: Sequence[Value]) -> Value:
    """The next float above: the next bit pattern, for negative numbers the one before."""
    x = e.cast(values[0], FLOAT).text
    zero, positive = e.ssa(f"fcmp oeq double {x}, 0.0"), e.ssa(f"fcmp ogt double {x}, 0.0")
    bits = e.ssa(f"bitcast double {x} to i64")
    up, down = e.ssa(f"add i64 {bits}, 1"), e.ssa(f"sub i64 {bits}, 1")
    moved = e.ssa(f"select i1 {positive}, i64 {up}, i64 {down}")
    return e.value(f"bitcast i64 {e.ssa(f'select i1 {zero}, i64 1, i64 {moved}')} to double", FLOAT)


def _count(shift: str) -> Emit:
    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        x, n = (e.cast(value, INT).text for value in values)
        return e.value(f"{shift} i64 {x}, {e.ssa(f'and i64 {n}, 63')}", INT)

    return emit


def _popcount(e: "Lines", values: Sequence[Value]) -> Value:
    e.declare("declare i64 @llvm.ctpop.i64(i64)")
    return e.value(f"call i64 @llvm.ctpop.i64(i64 {e.cast(values[0], INT).text})", INT)


def _lsb(e: "Lines", values: Sequence[Value]) -> Value:
    e.declare("declare i64 @llvm.cttz.i64(i64, i1)")
    return e.value(f"call i64 @llvm.cttz.i64(i64 {e.cast(values[0], INT).text}, i1 false)", INT)


def _clear_lsb(e: "Lines", values: Sequence[Value]) -> Value:
    x = e.cast(values[0], INT).text
    return e.value(f"and i64 {x}, {e.ssa(f'sub i64 {x}, 1')}", INT)


# Chance: splitmix64, as in `ludwin.primitives`.

GOLDEN = -0x61C8864680B583EB
CHANCE = f"""
define internal i64 @ludwin.finalise(i64 %z) nounwind memory(none) {{
  %a = lshr i64 %z, 30
  %b = xor i64 %z, %a
  %c = mul i64 %b, {-0x40A7B892E31B1A47}
  %d = lshr i64 %c, 27
  %e = xor i64 %c, %d
  %f = mul i64 %e, {-0x6B2FB644ECCEEE15}
  %g = lshr i64 %f, 31
  %h = xor i64 %f, %g
  ret i64 %h
}}
"""


def _finalise(e: "Lines", text: str) -> str:
    e.declare(CHANCE)
    return e.ssa(f"call i64 @ludwin.finalise(i64 {text})")


def _mix(e: "Lines", values: Sequence[Value]) -> Value:
    h, x = (e.cast(value, INT).text for value in values)
    folded = e.ssa(f"add i64 {e.ssa(f'mul i64 {h}, {0x2545F4914F6CDD1D}')}, {x}")
    final = _finalise(e, e.ssa(f"add i64 {folded}, {GOLDEN}"))
    return e.value(f"lshr i64 {final}, 1", INT)


def _stream_kind(result: ValueKind) -> Callable[[Kinds], ValueKind | None]:
    def kind(kinds: Kinds) -> ValueKind | None:
        stream = kinds[0]
        if stream is not None and (not isinstance(stream, ArrayKind) or stream.real or len(stream.shape) != 1):
            raise NotCompilable(f"a stream of chance is an array of whole numbers, got {article(stream)}")
        if isinstance(stream, ArrayKind) and stream.fixed:
            raise NotCompilable("a stream of chance changes, and a constant table cannot")
        if len(kinds) > 1:
            whole(kinds[1])
        return result

    return kind


def _advance(e: "Lines", stream: Value) -> str:
    """Write the next pattern of a stream."""
    e.bound(Value("0", INT), e.length(stream).text if e.checked else "1")
    place = e.pointer(stream)
    moved = e.ssa(f"add i64 {e.ssa(f'load i64, ptr {place}')}, {GOLDEN}")
    e.out(f"store i64 {moved}, ptr {place}")
    return _finalise(e, moved)


def _draw(e: "Lines", values: Sequence[Value]) -> Value:
    n = e.cast(values[1], INT)
    if n.number is None or n.number < 1:
        e.fault(e.ssa(f"icmp slt i64 {n.text}, 1"), "draw")
    pattern = _advance(e, values[0])
    wide = e.ssa(f"mul i128 {e.ssa(f'zext i64 {pattern} to i128')}, {e.ssa(f'zext i64 {n.text} to i128')}")
    return e.value(f"trunc i128 {e.ssa(f'lshr i128 {wide}, 64')} to i64", INT)


def _uniform(e: "Lines", values: Sequence[Value]) -> Value:
    bits = e.ssa(f"lshr i64 {_advance(e, values[0])}, 11")
    return e.value(f"fmul double {e.ssa(f'sitofp i64 {bits} to double')}, 0x3CA0000000000000", FLOAT)  # 2**-53


# Functions of math.


def _library(name: str, too_large: str = "range") -> Emit:
    """Call the C library; `too_large` is what an infinite result of finite arguments means."""

    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        floats = [e.cast(value, FLOAT) for value in values]
        found = e.library(name, *floats)
        examine(e, found, floats, too_large)
        return found

    return emit


def examine(e: "Lines", found: Value, given: Sequence[Value], too_large: str) -> None:
    """End in a fault where CPython raises: nan from what is not nan, infinity from what is finite."""
    odd, fine, not_nan = e.label(), e.label(), e.label()
    size = e.intrinsic("llvm.fabs.f64", found).text
    e.branch(e.ssa(f"fcmp olt double {size}, 0x7FF0000000000000"), fine, odd, likely=True)
    e.start(odd)
    nan_in, finite_in = "false", "true"
    for value in given:
        nan_in = e.ssa(f"or i1 {nan_in}, {e.ssa(f'fcmp uno double {value.text}, 0.0')}")
        below = e.ssa(f"fcmp olt double {e.intrinsic('llvm.fabs.f64', value).text}, 0x7FF0000000000000")
        finite_in = e.ssa(f"and i1 {finite_in}, {below}")
    nan_out = e.ssa(f"fcmp uno double {found.text}, 0.0")
    e.fault(e.ssa(f"and i1 {nan_out}, {e.ssa(f'xor i1 {nan_in}, true')}"), "domain")
    e.branch(nan_out, fine, not_nan)
    e.start(not_nan)
    e.fault(finite_in, too_large)
    e.go(fine)
    e.start(fine)


def _log(e: "Lines", values: Sequence[Value]) -> Value:
    one = _library("log", "domain")(e, values[:1])
    if len(values) == 1:
        return one
    base = _library("log", "domain")(e, values[1:])
    e.fault(e.ssa(f"fcmp oeq double {base.text}, 0.0"), "zero")
    return e.value(f"fdiv double {one.text}, {base.text}", FLOAT)


def _sqrt(e: "Lines", values: Sequence[Value]) -> Value:
    x = e.cast(values[0], FLOAT)
    e.fault(e.ssa(f"fcmp olt double {x.text}, 0.0"), "domain")
    return e.intrinsic("llvm.sqrt.f64", x)


def _rounding(name: str) -> Emit:
    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        if values[0].kind is not FLOAT:
            return e.cast(values[0], INT)
        return to_whole(e, e.intrinsic(f"llvm.{name}.f64", values[0]))

    return emit


def _fabs(e: "Lines", values: Sequence[Value]) -> Value:
    return e.intrinsic("llvm.fabs.f64", e.cast(values[0], FLOAT))


def _copysign(e: "Lines", values: Sequence[Value]) -> Value:
    return e.intrinsic("llvm.copysign.f64", *(e.cast(value, FLOAT) for value in values))


def _times(factor: str) -> Emit:
    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        return e.value(f"fmul double {e.cast(values[0], FLOAT).text}, {factor}", FLOAT)

    return emit


def _is(test: str) -> Emit:
    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        size = e.intrinsic("llvm.fabs.f64", e.cast(values[0], FLOAT)).text
        return e.value(f"fcmp {test} double {size}, 0x7FF0000000000000", BOOL)

    return emit


def _portable(name: str, too_large: str) -> Emit:
    """Call one of our own functions, which are the same on every machine (`ludwin.elementary`)."""

    def emit(e: "Lines", values: Sequence[Value]) -> Value:
        x = e.cast(values[0], FLOAT)
        found = e.exact(f"portable_{name}", x)
        examine(e, found, [x], too_large)
        return found

    return emit


def _power(e: "Lines", values: Sequence[Value]) -> Value:
    x, y = (e.cast(value, FLOAT) for value in values)
    found = e.library("pow", x, y)
    zero, down = e.ssa(f"fcmp oeq double {x.text}, 0.0"), e.ssa(f"fcmp olt double {y.text}, 0.0")
    finite = e.ssa(f"fcmp one double {y.text}, 0xFFF0000000000000")
    pole = e.ssa(f"and i1 {e.ssa(f'and i1 {zero}, {down}')}, {finite}")
    e.fault(pole, "domain")
    examine(e, found, (x, y), "range")
    # As CPython says: these are 1 whatever the other is, also a nan that signals.
    one = e.ssa(f"or i1 {e.ssa(f'fcmp oeq double {y.text}, 0.0')}, {e.ssa(f'fcmp oeq double {x.text}, 1.0')}")
    return e.value(f"select i1 {one}, double 1.0, double {found.text}", FLOAT)


def _gcd(e: "Lines", values: Sequence[Value]) -> Value:
    found = e.cast(values[0], INT)
    for value in values[1:]:
        found = e.exact("greatest_divisor", found, e.cast(value, INT))
    return found if len(values) > 1 else _abs(e, [found])


def _isqrt(e: "Lines", values: Sequence[Value]) -> Value:
    n = e.cast(values[0], INT)
    e.fault(e.ssa(f"icmp slt i64 {n.text}, 0"), "root")
    return e.exact("integer_root", n)


def _c_fmod(e: "Lines", values: Sequence[Value]) -> Value:
    return e.library("fmod", *(e.cast(value, FLOAT) for value in values))


def _c_floor(e: "Lines", values: Sequence[Value]) -> Value:
    return e.intrinsic("llvm.floor.f64", e.cast(values[0], FLOAT))


def _call_native(e: "Lines", values: Sequence[Value]) -> Value:
    """Call the native code of a program (`ludwin.program.native`) by its address."""
    address = e.ssa(f"inttoptr i64 {e.cast(values[0], INT).text} to ptr")
    return e.value(f"call double {address}(ptr {e.pointer(values[1])})", FLOAT)


def _always(kind: ValueKind) -> Callable[[Kinds], ValueKind | None]:
    return lambda kinds: kind


MANY = 255
WORDS: dict[str, Meaning] = {
    "min": Meaning(2, MANY, "number", _joined, _extreme(False)),
    "max": Meaning(2, MANY, "number", _joined, _extreme(True)),
    "abs": Meaning(1, 1, "number", _abs_kind, _abs),
    "int": Meaning(1, 1, "number", _always(INT), _int),
    "float": Meaning(1, 1, "number", _always(FLOAT), _float),
    "bool": Meaning(1, 1, "number", _always(BOOL), _bool),
    "len": Meaning(1, 1, "any", _len_kind, _len),
    "copy": Meaning(2, 2, "any", _copy_kind, _copy),
    "cell": Meaning(2, 2, "any", _cell_kind, _cell),
    "bits": Meaning(1, 1, "number", _always(INT), _bits),
    "unbits": Meaning(1, 1, "whole", _always(FLOAT), _unbits),
    "above": Meaning(1, 1, "number", _always(FLOAT), _above),
    "shl": Meaning(2, 2, "whole", _always(INT), _count("shl")),
    "shr": Meaning(2, 2, "whole", _always(INT), _count("lshr")),
    "add": Meaning(2, 2, "whole", _always(INT), _simple("add i64 {}, {}", INT)),
    "mul": Meaning(2, 2, "whole", _always(INT), _simple("mul i64 {}, {}", INT)),
    "popcount": Meaning(1, 1, "whole", _always(INT), _popcount),
    "lsb": Meaning(1, 1, "whole", _always(INT), _lsb),
    "clear_lsb": Meaning(1, 1, "whole", _always(INT), _clear_lsb),
    "power": Meaning(2, 2, "number", _always(FLOAT), _power),
    "exp": Meaning(1, 1, "number", _always(FLOAT), _portable("exp", "range")),
    "log": Meaning(1, 1, "number", _always(FLOAT), _portable("log", "domain")),
    "sin": Meaning(1, 1, "number", _always(FLOAT), _portable("sin", "domain")),
    "cos": Meaning(1, 1, "number", _always(FLOAT), _portable("cos", "domain")),
    "mix": Meaning(2, 2, "whole", _always(INT), _mix),
    "draw": Meaning(2, 2, "any", _stream_kind(INT), _draw),
    "uniform": Meaning(1, 1, "any", _stream_kind(FLOAT), _uniform),
    "c_fmod": Meaning(2, 2, "number", _always(FLOAT), _c_fmod),
    "c_floor": Meaning(1, 1, "number", _always(FLOAT), _c_floor),
    "call_native": Meaning(2, 2, "any", _always(FLOAT), _call_native),
    "math.log": Meaning(1, 2, "number", _always(FLOAT), _log),
    "math.sqrt": Meaning(1, 1, "number", _always(FLOAT), _sqrt),
    "math.floor": Meaning(1, 1, "number", _always(INT), _rounding("floor")),
    "math.ceil": Meaning(1, 1, "number", _always(INT), _rounding("ceil")),
    "math.trunc": Meaning(1, 1, "number", _always(INT), _rounding("trunc")),
    "math.fabs": Meaning(1, 1, "number", _always(FLOAT), _fabs),
    "math.copysign": Meaning(2, 2, "number", _always(FLOAT), _copysign),
    "math.degrees": Meaning(1, 1, "number", _always(FLOAT), _times("0x404CA5DC1A63C1F8")),  # 180 / pi
    "math.radians": Meaning(1, 1, "number", _always(FLOAT), _times("0x3F91DF46A2529D39")),  # pi / 180
    "math.isfinite": Meaning(1, 1, "number", _always(BOOL), _is("olt")),
    "math.isinf": Meaning(1, 1, "number", _always(BOOL), _is("oeq")),
    "math.isnan": Meaning(1, 1, "number", _always(BOOL), _is("uno")),
    "math.gcd": Meaning(1, MANY, "whole", _always(INT), _gcd),
    "math.isqrt": Meaning(1, 1, "whole", _always(INT), _isqrt),
    **{
        f"math.{name}": Meaning(1, 1, "number", _always(FLOAT), _library(name, too_large))
        for too_large, names in {
            "range": "exp expm1 sinh cosh exp2",
            "domain": "log2 log10 log1p atanh sin cos tan asin acos atan asinh acosh tanh erf erfc cbrt",
        }.items()
        for name in names.split()
    },
    "math.atan2": Meaning(2, 2, "number", _always(FLOAT), _library("atan2")),
    "math.fmod": Meaning(2, 2, "number", _always(FLOAT), _library("fmod", "domain")),
}
