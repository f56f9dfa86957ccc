"""The few machine words that compiled rules and searches stand on.

Why it is here.  NumPy arrays inside numba cost three to four times the speed of C++ (descriptors,
reference counts).  Raw pointers cost nothing.  So a state is a pointer to a row of 64-bit cells, and
so are move lists, tables and workspaces.  This is the only file that leans on numba's extension
interface; importing it imports numba.

Types.  `CellsType` is an array of int64 or float64 of fixed shape (its first size may be open), and
`StateType` a row of cells with named fields.  Both refuse to store a float as an integer, so that
fault is found by the compiler, not by a wrong result.
"""

import math
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.imputils import lower_constant, lower_getattr_generic, lower_setattr_generic
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global
from numba.extending import (
    intrinsic,
    lower_builtin,
    models,
    overload,
    register_model,
    typeof_impl,
)

from ludwin.kernel.by_numba import portable
from ludwin.kernel.text import Kernel
from ludwin.rules.layout import Layout, layout

I64 = ir.IntType(64)
I128 = ir.IntType(128)
F64 = ir.DoubleType()


class CellsType(types.Type):
    """A pointer to int64 or float64 cells; `shape[0]` is None where the length is not known."""

    def __init__(self, real: bool, shape: tuple[int | None, ...]):
        self.real = real
        self.shape = shape
        super().__init__(name=f"Cells({'float' if real else 'int'}, {shape})")

    @property
    def item(self) -> types.Type:
        """What one index yields: a number, or the cells of a row."""
        if len(self.shape) > 1:
            return CellsType(self.real, self.shape[1:])
        return types.float64 if self.real else types.int64

    @property
    def stride(self) -> int:
        """How many cells one step of the index is."""
        return math.prod(n for n in self.shape[1:] if n is not None)


class StateType(types.Type):
    """A pointer to one state."""

    def __init__(self, fields: Layout):
        self.fields = {field.name: field for field in fields}
        self.cells = fields.cells
        super().__init__(name=f"State({', '.join(f'{f.name}:{f.real:d}:{f.size}' for f in fields)})")


class StatesType(types.Type):
    """A pointer to a stack of states."""

    def __init__(self, state: StateType):
        self.state = state
        super().__init__(name=f"States({state.name})")


class SizedType(types.Type):
    """A pointer with its length, for checked code: cells or states."""

    def __init__(self, cells: CellsType | StatesType):
        self.cells = cells
        super().__init__(name=f"Sized({cells.name})")


@register_model(SizedType)
class _SizedModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: SizedType):
        super().__init__(dmm, fe_type, [("data", fe_type.cells), ("size", types.int64)])


class BundleType(types.Type):
    """A pointer to a table of workspaces, two words each: where it lies and how many rows it has."""

    def __init__(self, members: dict[str, types.Type]):
        self.members = members
        super().__init__(name=f"Bundle({', '.join(f'{name}: {kind.name}' for name, kind in members.items())})")


class _PointerModel(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any):
        real = isinstance(fe_type, CellsType) and fe_type.real
        super().__init__(dmm, fe_type, (F64 if real else I64).as_pointer())


for _kind in (CellsType, StateType, StatesType, BundleType):
    register_model(_kind)(_PointerModel)


# Reading and writing cells: state.field, cells[i], states[i].


@infer_getattr
class _Fields(AttributeTemplate):
    key = StateType

    def generic_resolve(self, state: StateType, name: str) -> types.Type | None:
        field = state.fields.get(name)
        if field is None:
            return None
        if field.size is not None:
            return CellsType(field.real, (field.size,))
        return types.float64 if field.real else types.int64


def _address(builder: Any, pointer: Any, field: Any) -> Any:
    place = builder.gep(pointer, [ir.Constant(I64, field.offset)], inbounds=True)
    return builder.bitcast(place, F64.as_pointer()) if field.real else place


@lower_getattr_generic(StateType)
def _get_field(context: Any, builder: Any, typ: StateType, value: Any, name: str) -> Any:
    field = typ.fields[name]
    place = _address(builder, value, field)
    return place if field.size is not None else builder.load(place)


@lower_setattr_generic(StateType)
def _set_field(context: Any, builder: Any, sig: Any, args: Any, name: str) -> None:
    target, value = args
    builder.store(value, _address(builder, target, sig.args[0].fields[name]))


@infer_getattr
class _Members(AttributeTemplate):
    key = BundleType

    def generic_resolve(self, bundle: BundleType, name: str) -> types.Type | None:
        return bundle.members.get(name)


@lower_getattr_generic(BundleType)
def _get_member(context: Any, builder: Any, typ: BundleType, value: Any, name: str) -> Any:
    kind = typ.members[name]
    at = 2 * list(typ.members).index(name)

    def word(number: int) -> Any:
        found = builder.load(builder.gep(value, [ir.Constant(I64, number)], inbounds=True))
        found.set_metadata("invariant.load", builder.module.add_metadata([]))  # the table stays while code runs
        return found

    if not isinstance(kind, SizedType):
        return builder.inttoptr(word(at), context.get_value_type(kind))
    pair = cgutils.create_struct_proxy(kind)(context, builder)
    pair.data = builder.inttoptr(word(at), context.get_value_type(kind.cells))
    pair.size = word(at + 1)
    return pair._getvalue()


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        array, index = args
        if isinstance(array, SizedType):
            inner = self.generic((array.cells, index), kws)
            return inner and signature(inner.return_type, array, types.int64)
        if isinstance(index, types.Integer | types.Boolean):
            if isinstance(array, CellsType):
                return signature(array.item, array, types.int64)
            if isinstance(array, StatesType):
                return signature(array.state, array, types.int64)
        return None


@lower_builtin(operator.getitem, CellsType, types.int64)
def _get_cell(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    typ = sig.args[0]
    index = args[1] if typ.stride == 1 else builder.mul(args[1], ir.Constant(I64, typ.stride))
    place = builder.gep(args[0], [index], inbounds=True)
    return place if len(typ.shape) > 1 else builder.load(place)


@lower_builtin(operator.getitem, StatesType, types.int64)
def _get_state(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return builder.gep(args[0], [builder.mul(args[1], ir.Constant(I64, sig.args[0].state.cells))], inbounds=True)


def _unsized(context: Any, builder: Any, sig: Any, args: Any) -> tuple[Any, Any]:
    """Return signature and arguments with the bare pointer in place of the sized one."""
    data = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0]).data
    return sig.replace(args=(sig.args[0].cells, *sig.args[1:])), (data, *args[1:])


@lower_builtin(operator.getitem, SizedType, types.int64)
def _get_sized(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    get = _get_state if isinstance(sig.args[0].cells, StatesType) else _get_cell
    return get(context, builder, *_unsized(context, builder, sig, args))


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        array, index, value = args
        if isinstance(array, SizedType):
            inner = self.generic((array.cells, index, value), kws)
            return inner and signature(types.none, array, *inner.args[1:])
        if isinstance(array, CellsType) and isinstance(index, types.Integer | types.Boolean) and len(array.shape) == 1:
            if not array.real and not isinstance(value, types.Integer | types.Boolean):
                raise TypingError(f"a {_kind_of(value)} is stored in an integer cell")
            return signature(types.none, array, types.int64, array.item)
        return None


@lower_builtin(operator.setitem, CellsType, types.int64, types.Any)
def _set_cell(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    builder.store(args[2], builder.gep(args[0], [args[1]], inbounds=True))
    return context.get_dummy_value()


@lower_builtin(operator.setitem, SizedType, types.int64, types.Any)
def _set_sized(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return _set_cell(context, builder, *_unsized(context, builder, sig, args))


@intrinsic
def size(typing: Any, array: Any) -> Any:
    """Return how many items an array has."""
    if not isinstance(array, SizedType) and not (isinstance(array, CellsType) and array.shape[0] is not None):
        raise TypingError(f"{array} has no length")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if isinstance(array, SizedType):
            return cgutils.create_struct_proxy(array)(context, builder, value=args[0]).size
        return ir.Constant(I64, array.shape[0])

    return types.int64(array), codegen


@overload(len)
def _length(cells):  # no annotations: numba compares them with those of the lambda
    if isinstance(cells, CellsType | SizedType):
        return lambda cells: size(cells)
    return None


# Tables: constants of a game file, laid into the compiled code itself.


class NumbaTable:
    """A constant table of numbers, as compiled code sees it."""

    def __init__(self, values: Any):
        array = np.asarray(values)
        self.array = np.ascontiguousarray(array, dtype=np.float64 if array.dtype.kind == "f" else np.int64)


@typeof_impl.register(NumbaTable)
def _type_of_table(value: NumbaTable, context: Any) -> CellsType:
    return CellsType(value.array.dtype.kind == "f", value.array.shape)


@lower_constant(CellsType)
def _lower_table(context: Any, builder: Any, typ: CellsType, table: NumbaTable) -> Any:
    item = F64 if typ.real else I64
    flat = table.array.ravel().tolist()
    constant = ir.Constant(ir.ArrayType(item, len(flat)), [ir.Constant(item, v) for v in flat])
    data = cgutils.global_constant(builder, "ludwin_table", constant)
    data.align = 64
    return builder.bitcast(data, item.as_pointer())


# Numbers.


def _kind_of(typ: Any) -> str:
    if isinstance(typ, types.Float):
        return "float"
    return "None" if isinstance(typ, types.NoneType | types.Optional) else str(typ)


def _unary(name: str, emit: Any) -> Any:
    @intrinsic
    def function(typing: Any, x: Any) -> Any:
        _demand_integers(name, x)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return emit(builder, *args)

        return types.int64(types.int64), codegen

    return function


def _binary(name: str, emit: Any) -> Any:
    @intrinsic
    def function(typing: Any, x: Any, y: Any) -> Any:
        _demand_integers(name, x, y)

        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            return emit(builder, *args)

        return types.int64(types.int64, types.int64), codegen

    return function


def _demand_integers(name: str, *args: Any) -> None:
    for arg in args:
        if not isinstance(arg, types.Integer | types.Boolean):
            raise TypingError(f"{name} takes whole numbers, got a {_kind_of(arg)}")


def _count(builder: Any, n: Any) -> Any:
    return builder.and_(n, ir.Constant(I64, 63))


def _call(builder: Any, name: str, args: Any, *extra: Any) -> Any:
    function = cgutils.get_or_insert_function(
        builder.module, ir.FunctionType(I64, [I64, *(e.type for e in extra)]), name
    )
    return builder.call(function, [*args, *extra])


shl = _binary("shl", lambda b, x, n: b.shl(x, _count(b, n)))
shr = _binary("shr", lambda b, x, n: b.lshr(x, _count(b, n)))
add = _binary("add", lambda b, x, y: b.add(x, y))
mul = _binary("mul", lambda b, x, y: b.mul(x, y))
popcount = _unary("popcount", lambda b, x: _call(b, "llvm.ctpop.i64", [x]))
lsb = _unary("lsb", lambda b, x: _call(b, "llvm.cttz.i64", [x], ir.Constant(ir.IntType(1), 0)))
clear_lsb = _unary("clear_lsb", lambda b, x: b.and_(x, b.sub(x, ir.Constant(I64, 1))))
mul_high = _binary(
    "mul_high", lambda b, x, y: b.trunc(b.lshr(b.mul(b.zext(x, I128), b.zext(y, I128)), ir.Constant(I128, 64)), I64)
)


@intrinsic
def power(typing: Any, x: Any, y: Any) -> Any:
    """Call the C library's pow, as CPython does; `nobuiltin` stops LLVM from replacing pow(x, 2) by x*x."""
    for arg in (x, y):
        if not isinstance(arg, types.Number | types.Boolean):
            raise TypingError(f"power takes numbers, got a {_kind_of(arg)}")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(F64, [F64, F64]), "pow")
        function.attributes.add("nobuiltin")
        return builder.call(function, args)

    return types.float64(types.float64, types.float64), codegen


@intrinsic
def whole(typing: Any, x: Any) -> Any:
    """Pass an integer on as int64, and refuse to compile for anything else."""
    if not isinstance(x, types.Integer | types.Boolean):
        raise TypingError(f"a {_kind_of(x)} is used where a whole number is needed")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    return types.int64(types.int64), codegen


@intrinsic
def real(typing: Any, x: Any) -> Any:
    """Pass a number on as float64."""
    if not isinstance(x, types.Number | types.Boolean):
        raise TypingError(f"a {_kind_of(x)} is used where a number is needed")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    return types.float64(types.float64), codegen


@intrinsic
def fit(typing: Any, field: Any, x: Any) -> Any:
    """Pass a value on as the kind of the field that it is stored in; a float does not fit into an integer field."""
    if isinstance(field, types.Integer):
        if not isinstance(x, types.Integer | types.Boolean):
            raise TypingError(f"a {_kind_of(x)} is used where a whole number is needed")
    elif not isinstance(field, types.Float) or not isinstance(x, types.Number | types.Boolean):
        raise TypingError(f"a {_kind_of(x)} is stored in a field that is {_kind_of(field)}")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[1]

    return field(field, field), codegen


@intrinsic
def truth(typing: Any, x: Any) -> Any:
    """Pass a truth value on as a boolean."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return args[0]

    return types.boolean(types.boolean), codegen


def _integer_power(base: Any, exponent: Any) -> Any:
    """Stand in for `**`, which rounds floats differently from CPython; overloaded below."""
    raise AssertionError


@overload(_integer_power)
def _integer_power_(base: Any, exponent: Any) -> Any:
    if not all(isinstance(t, types.Integer | types.Boolean) for t in (base, exponent)):
        raise TypingError("float ** rounds differently when compiled: use power(x, y) from ludwin.primitives")

    def code(base: Any, exponent: Any) -> Any:
        result = 1
        for _ in range(exponent):
            result *= base
        return result

    return code


# The doors: NumPy arrays come in, pointers go on.


def _door(typ: Any, checked: bool) -> Any:
    door = SizedType(typ) if checked else typ

    @intrinsic
    def function(typing: Any, array: Any) -> Any:
        def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
            from numba.np.arrayobj import make_array

            numpy = make_array(sig.args[0])(context, builder, args[0])
            data = builder.bitcast(numpy.data, context.get_value_type(typ))
            if not checked:
                return data
            pair = cgutils.create_struct_proxy(door)(context, builder)
            pair.data = data
            pair.size = builder.extract_value(numpy.shape, 0)
            return pair._getvalue()

        return door(array), codegen

    return function


def doors(fields: Layout, max_moves: int, checked: bool, members: Mapping[str, Any]) -> dict[str, Any]:
    """Return for each kind of workspace what turns a NumPy array into a pointer (sized if checked)."""
    kinds = {
        "States": StatesType(StateType(fields)),
        "Moves": CellsType(False, (None, max_moves)),
        "Ints": CellsType(False, (None,)),
        "Floats": CellsType(True, (None,)),
        "FloatRows": CellsType(True, (None, max_moves)),
    }
    made = {name: _door(kind, checked) for name, kind in kinds.items()}
    return {**made, "Bundle": _door(_bundle(kinds, members, checked), False)}


def _bundle(kinds: Mapping[str, Any], members: Mapping[str, Any], checked: bool) -> BundleType:
    """Return the type of a bundle, from what its kernel declares (`ludwin.kernel.bundle`)."""

    def one(value: Any) -> types.Type:
        if isinstance(value, Kernel):
            return _bundle(kinds, value.records, checked)
        if not isinstance(value, str | list):
            return StateType(layout(value))
        if isinstance(value, str):
            many = kinds[value]
        else:
            (item,) = value
            many = CellsType(item is float, (None,)) if item in (int, float) else StatesType(StateType(layout(item)))
        return SizedType(many) if checked else many

    return BundleType({name: one(value) for name, value in members.items()})


@intrinsic
def copy(typing: Any, to: Any, source: Any) -> Any:
    """Copy one state over another."""
    if not isinstance(to, StateType) or to != source:
        raise TypingError("copy takes two states")

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        cgutils.raw_memcpy(builder, args[0], args[1], ir.Constant(I64, sig.args[0].cells), 8, align=8)
        return context.get_dummy_value()

    return types.none(to, source), codegen


@intrinsic
def cell(typing: Any, state: Any, index: Any) -> Any:
    """Return the 64 bits of cell number `index` of a state."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.load(builder.gep(args[0], [args[1]], inbounds=True))

    return types.int64(state, types.int64), codegen


@intrinsic
def bits(typing: Any, x: Any) -> Any:
    """Return the 64 bits of a float."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], I64)

    return types.int64(types.float64), codegen


@intrinsic
def unbits(typing: Any, x: Any) -> Any:
    """Return the float that 64 bits are."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return builder.bitcast(args[0], F64)

    return types.float64(types.int64), codegen


@njit
def above(x: Any) -> Any:
    """Return the next float above x."""
    if x == 0.0:
        return unbits(1)
    return unbits(bits(x) + 1) if x > 0.0 else unbits(bits(x) - 1)


_A, _B, _C, _GOLDEN = -0x40A7B892E31B1A47, -0x6B2FB644ECCEEE15, 0x2545F4914F6CDD1D, -0x61C8864680B583EB


@njit(inline="never")
def _finalise(z: Any) -> Any:
    z = mul(z ^ shr(z, 30), _A)
    z = mul(z ^ shr(z, 27), _B)
    return z ^ shr(z, 31)


@njit
def mix(h: Any, x: Any) -> Any:
    return shr(_finalise(mul(h, _C) + x + _GOLDEN), 1)


@njit
def draw(rng: Any, n: Any) -> Any:
    rng[0] = rng[0] + _GOLDEN
    return mul_high(_finalise(rng[0]), n)


@njit
def uniform(rng: Any) -> Any:
    rng[0] = rng[0] + _GOLDEN
    return shr(_finalise(rng[0]), 11) * 1.1102230246251565e-16


@intrinsic(prefer_literal=True)
def bound(typing: Any, index: Any, size: Any, place: Any) -> Any:
    """Return the index if it lies in 0 … size-1; else leave with IndexError(place).

    The place is a literal: an exception with computed arguments made checked code four times as
    slow to compile.
    """
    if not isinstance(index, types.Integer | types.Boolean):
        raise TypingError(f"a {_kind_of(index)} is used where a whole number is needed")
    code = place.literal_value

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        with builder.if_then(builder.icmp_unsigned(">=", args[0], args[1]), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, (code,))
        return args[0]

    return types.int64(types.int64, types.int64, place), codegen


@intrinsic(prefer_literal=True)
def item(typing: Any, array: Any, index: Any, place: Any) -> Any:
    """Return array[index] if the index lies inside; else leave with IndexError(place)."""
    if not isinstance(index, types.Integer | types.Boolean):
        raise TypingError(f"a {_kind_of(index)} is used where a whole number is needed")
    if not isinstance(array, CellsType | SizedType):
        raise TypingError(f"a {_kind_of(array)} is indexed like an array")
    code = place.literal_value
    cells = array.cells if isinstance(array, SizedType) else array
    kind = cells.state if isinstance(cells, StatesType) else cells.item

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        if isinstance(array, SizedType):
            pair = cgutils.create_struct_proxy(array)(context, builder, value=args[0])
            data, length = pair.data, pair.size
        else:
            data, length = args[0], ir.Constant(I64, array.shape[0])
        with builder.if_then(builder.icmp_unsigned(">=", args[1], length), likely=False):
            context.call_conv.return_user_exc(builder, IndexError, (code,))
        get = _get_state if isinstance(cells, StatesType) else _get_cell
        return get(context, builder, signature(kind, cells, types.int64), (data, args[1]))

    return kind(array, types.int64, place), codegen


PRIMITIVES: dict[str, Any] = {
    "CHANCE": -1,
    "shl": shl,
    "shr": shr,
    "add": add,
    "mul": mul,
    "popcount": popcount,
    "lsb": lsb,
    "clear_lsb": clear_lsb,
    "power": power,
    **portable.compiled(),
    "mix": mix,
    "draw": draw,
    "uniform": uniform,
}

TOOLS: dict[str, Any] = {  # what `rewrite` writes into a text
    "_ludwin_whole": whole,
    "_ludwin_real": real,
    "_ludwin_truth": truth,
    "_ludwin_fit": fit,
    "_ludwin_power": _integer_power,
    "_ludwin_bound": bound,
    "_ludwin_size": size,
    "_ludwin_item": item,
}


@intrinsic
def call_native(typing: Any, address: Any, registers: Any) -> Any:
    """Return what the native code at an address makes of the registers (`ludwin.program.native`)."""

    def codegen(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        data = args[1]
        if isinstance(registers, SizedType):
            data = cgutils.create_struct_proxy(registers)(context, builder, value=data).data
        function = builder.inttoptr(args[0], ir.FunctionType(F64, [F64.as_pointer()]).as_pointer())
        return builder.call(function, [data])

    return types.float64(types.int64, registers), codegen


MORE: dict[str, Any] = {  # for kernel text only
    "copy": copy,
    "cell": cell,
    "bits": bits,
    "unbits": unbits,
    "above": above,
    "call_native": call_native,
}
