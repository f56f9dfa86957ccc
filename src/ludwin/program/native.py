"""Programs as machine code: for a champion that plays for hours, not for thousands that play once.

The idea.  The meanings of a program's primitives (`rule.py`) are written down as one function of LLVM's
language, `double f(double *registers)`, which reads its inputs from the registers that the interpreter's
own code names; a search calls it by its address in the interpreter's place.  Programs that act are refused (by
`assemble`): their time goes into what the domain does, which is machine code already.  To make one takes some
milliseconds, so it pays off only for long use: `ludwin bench evolution` measures when.

Tolerance.  No operation is reordered, fused or left to fast arithmetic, so + - * / comparisons, abs,
min, max, sqrt and branches give the same bits as the interpreter.  log, exp, sin and cos are the C library's,
as in Python: the same bits here, at most 2 units in the last place elsewhere.

Importing this file imports llvmlite.
"""

import ast
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from ludwin.program.assemble import assemble, branches, fixed
from ludwin.program.language import LETTERS
from ludwin.program.rule import DIVIDE
from ludwin.program.tree import Tree

F64 = ir.DoubleType()
TRUTH = ir.IntType(1)
LIBRARY = {
    "total_log": "log",
    "total_exp": "exp",
    "total_sin": "sin",
    "total_cos": "cos",
    "total_asin": "asin",
    "total_acos": "acos",
}
COMPARISONS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}


@dataclass(frozen=True)
class Native:
    """The address of a compiled program; its code stays as long as the process."""

    address: int
    ir: str


_lock = threading.Lock()
_made: dict[tuple[Tree, tuple[tuple[str, int, int], ...]], Native] = {}
_engines: list[Any] = []  # searches keep bare addresses, so no engine is ever taken down


def compile_programs(trees: Sequence[Tree], inputs: Mapping[str, int]) -> list[Native]:
    """Return the machine code of programs, made together, which is cheaper than one by one.

    `inputs` numbers what terminals may read, as for `assemble`, whose registers the code uses.
    """
    reads = [assemble(tree, dict(inputs)).reads for tree in trees]
    with _lock:
        fresh = list(dict.fromkeys(key for key in zip(trees, reads, strict=True) if key not in _made))
        if fresh:
            _made.update(zip(fresh, _build(fresh), strict=True))
        return [_made[key] for key in zip(trees, reads, strict=True)]


def compile_program(tree: Tree, inputs: Mapping[str, int]) -> Native:
    """Return the machine code of one program."""
    return compile_programs([tree], inputs)[0]


def _build(programs: Sequence[tuple[Tree, tuple[tuple[str, int, int], ...]]]) -> list[Native]:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    module = ir.Module("programs")
    module.triple = machine.triple
    names = [f"ludwin_program_{number}" for number in range(len(programs))]
    functions = [
        _NativeWriter(module, name, tree, reads).function for name, (tree, reads) in zip(names, programs, strict=True)
    ]
    text = str(module)
    parsed = llvm.parse_assembly(text)
    parsed.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(parsed, builder)
    engine = llvm.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    _engines.append(engine)
    return [
        Native(engine.get_function_address(name), str(function))
        for name, function in zip(names, functions, strict=True)
    ]


class Arithmetic:
    """Writes the meanings of rules with a builder; of what numbers are made (one, or several side by side) is said by
    `constant`, `call` and what the operands are.
    """

    module: Any
    builder: Any

    def constant(self, value: float) -> Any:
        """Return a number."""
        return ir.Constant(F64, value)

    def truth(self, value: Any) -> Any:
        """Return whether a number is not 0."""
        return self.builder.fcmp_unordered("!=", value, self.constant(0.0))

    def expression(self, node: ast.expr, known: Mapping[str, Any]) -> Any:
        """Write the meaning of a rule: a double, or one bit for a truth."""
        parts = [self.expression(part, known) for part in _operands(node)]
        build = self.builder
        match node:
            case ast.Name(id=name):
                return known[name]
            case ast.Constant(value=value):
                return self.constant(value)  # type: ignore[arg-type]
            case ast.BinOp(op=operator):
                emit: dict[type, Callable[..., Any]] = {ast.Add: build.fadd, ast.Sub: build.fsub, ast.Mult: build.fmul}
                return emit[type(operator)](*parts)
            case ast.UnaryOp(op=ast.Not()):
                return build.not_(parts[0])
            case ast.UnaryOp():
                return build.fneg(parts[0])
            case ast.IfExp():
                return build.select(*parts)  # no operation can fail, so both sides may run
            case ast.Compare(ops=operators):
                return self.comparison(operators, parts)
            case ast.BoolOp(op=operator):
                value = parts[0]
                for part in parts[1:]:
                    value = build.and_(value, part) if isinstance(operator, ast.And) else build.or_(value, part)
                return value
            case ast.Call(func=ast.Name(id=name)):
                return self.call(name, parts)
        raise AssertionError(f"{ast.unparse(node)} is no meaning of a rule")

    def comparison(self, operators: Sequence[ast.cmpop], parts: Sequence[Any]) -> Any:
        result = None
        for operator, left, right in zip(operators, parts, parts[1:], strict=False):
            compare = self.builder.fcmp_unordered if isinstance(operator, ast.NotEq) else self.builder.fcmp_ordered
            one = compare(COMPARISONS[type(operator)], left, right)
            result = one if result is None else self.builder.and_(result, one)
        return result

    def call(self, name: str, parts: Sequence[Any]) -> Any:
        build = self.builder
        if name == DIVIDE:
            return build.fdiv(*parts)
        if name in ("min", "max"):  # as Python's: a later one must be truly smaller or greater
            value = parts[0]
            for part in parts[1:]:
                value = build.select(build.fcmp_ordered("<" if name == "min" else ">", part, value), part, value)
            return value
        if name == "abs":
            return build.call(self.library("llvm.fabs.f64"), parts)
        if name == "total_sqrt":
            return build.call(self.library("llvm.sqrt.f64"), parts)
        function = self.library(LIBRARY[name])
        function.attributes.add("nobuiltin")  # LLVM must not compute it itself
        return build.call(function, parts)

    def library(self, name: str) -> Any:
        """Return a function of C's library or of LLVM's."""
        found = self.module.globals.get(name)
        return found or ir.Function(self.module, ir.FunctionType(F64, [F64]), name)


class _NativeWriter(Arithmetic):
    """Writes one program as a function of LLVM's language."""

    def __init__(self, module: ir.Module, name: str, tree: Tree, reads: Sequence[tuple[str, int, int]]):
        self.module = module
        self.tree = tree
        self.fixed = fixed(tree)
        self.function = ir.Function(module, ir.FunctionType(F64, [F64.as_pointer()]), name)
        self.builder = ir.IRBuilder(self.function.append_basic_block("entry"))
        # Step 1. All inputs are loaded first: the search has read them already.
        self.inputs = {}
        for number, place, register in reads:
            cell = self.builder.gep(self.function.args[0], [ir.Constant(ir.IntType(64), register)], inbounds=True)
            self.inputs[number, place] = self.builder.load(cell)
        # Step 2. The tree, from its root.
        self.builder.ret(self.node(0))

    def node(self, at: int) -> Any:
        if at in self.fixed:
            return ir.Constant(F64, self.tree.evaluate(_no_input, at))  # computed as the interpreter's constants are
        value = self.plain(at)
        factor = self.tree.factors[at]
        return value if factor == 1.0 else self.builder.fmul(value, ir.Constant(F64, factor))

    def plain(self, at: int) -> Any:
        primitive = self.tree.primitive(at)
        if primitive.reads:
            return self.inputs[primitive.reads, self.tree.places[at]]
        children = list(self.tree.children(at))
        if primitive.is_alias:
            return self.node(children[primitive.used[0]])
        if primitive.is_lazy:
            test, then, other = (children[k] for k in branches(self.tree, at))
            if test in self.fixed:
                return self.node(then if self.tree.evaluate(_no_input, test) != 0.0 else other)
            return self.branch(self.truth(self.node(test)), then, other)
        known = {LETTERS[number]: self.node(children[number]) for number in primitive.used}
        known["v"] = ir.Constant(F64, self.tree.values[at])
        rule = self.tree.language.meanings[self.tree.nodes[at]]
        assert rule is not None
        return self.expression(rule, known)

    def branch(self, condition: Any, then: int, other: int) -> Any:
        arms = []
        with self.builder.if_else(condition) as (yes, no):
            for block, at in ((yes, then), (no, other)):
                with block:
                    arms.append((self.node(at), self.builder.block))
        value = self.builder.phi(F64)
        for incoming, block in arms:
            value.add_incoming(incoming, block)
        return value


def _operands(node: ast.expr) -> list[ast.expr]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return [test, body, orelse]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.BoolOp(values=values) | ast.Call(args=values):
            return values
    return []


def _no_input(name: str, place: int) -> float:
    raise AssertionError("a constant reads nothing")
