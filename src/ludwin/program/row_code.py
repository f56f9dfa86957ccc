"""Machine code for programs on rows: the interpreter of a language, and single programs, eight rows at a time.

The interpreter shares what programs have in common.  It takes as many programs as have about a thousand different nodes
together and goes through their nodes from the last to the first, so that a function finds its arguments on a stack; a
node that was there already (same primitive, same arguments, same numbers) is not entered again.  A generation of
evolution is a family, and of its nodes a tenth may be different.  Then, for every block of rows, each shared node is
computed once, what nobody needs (introns) not at all; columns are read where they lie, and the roots are copied to the
result.  Deciding what to do costs one branch for a node and a block.

Importing this file imports llvmlite.
"""

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir

from ludwin.program.assemble import branches
from ludwin.program.language import LETTERS, Language
from ludwin.program.native import F64, LIBRARY, Arithmetic
from ludwin.program.rows import LANES
from ludwin.program.tree import Tree

I64, I32, I8 = ir.IntType(64), ir.IntType(32), ir.IntType(8)
MANY = ir.VectorType(F64, LANES)
POINTER = F64.as_pointer()
SIDE_BY_SIDE = {"abs": f"llvm.fabs.v{LANES}f64", "total_sqrt": f"llvm.sqrt.v{LANES}f64"}

_lock = threading.Lock()
_engines: list[Any] = []  # functions are bare addresses, so no engine is ever taken down


class _RowWriter(Arithmetic):
    """Writes arithmetic on eight rows."""

    def __init__(self, module: ir.Module, builder: ir.IRBuilder):
        self.module, self.builder = module, builder

    def constant(self, value: float) -> Any:
        return ir.Constant(MANY, [ir.Constant(F64, value)] * LANES)

    def spread(self, scalar: Any) -> Any:
        """Return a number in all eight places."""
        one = self.builder.insert_element(ir.Constant(MANY, ir.Undefined), scalar, ir.Constant(I32, 0))
        mask = ir.Constant(ir.VectorType(I32, LANES), [ir.Constant(I32, 0)] * LANES)
        return self.builder.shuffle_vector(one, ir.Constant(MANY, ir.Undefined), mask)

    def call(self, name: str, parts: Sequence[Any]) -> Any:
        if name in SIDE_BY_SIDE:
            intrinsic = self.module.globals.get(SIDE_BY_SIDE[name]) or ir.Function(
                self.module, ir.FunctionType(MANY, [MANY]), SIDE_BY_SIDE[name]
            )
            return self.builder.call(intrinsic, parts)
        if name not in LIBRARY:
            return super().call(name, parts)
        function = self.library(LIBRARY[name])
        function.attributes.add("nobuiltin")
        found = ir.Constant(MANY, ir.Undefined)
        for lane in range(LANES):
            place = ir.Constant(I32, lane)
            value = self.builder.call(function, [self.builder.extract_element(parts[0], place)])
            found = self.builder.insert_element(found, value, place)
        return found

    def take(self, pointer: Any, row: Any) -> Any:
        """Return eight rows from an address."""
        cell = self.builder.gep(pointer, [row])
        return self.builder.load(self.builder.bitcast(cell, MANY.as_pointer()), align=8)

    def put(self, value: Any, pointer: Any, row: Any) -> None:
        """Write eight rows to an address."""
        cell = self.builder.gep(pointer, [row])
        self.builder.store(value, self.builder.bitcast(cell, MANY.as_pointer()), align=8)


def _loop(builder: ir.IRBuilder, start: Any, stop: Any, step: int, body: Callable[[Any], None]) -> None:
    """Write a loop that runs at least once."""
    before, head = builder.block, builder.append_basic_block("loop")
    builder.branch(head)
    builder.position_at_end(head)
    index = builder.phi(I64)
    index.add_incoming(start, before)
    body(index)
    following = builder.add(index, ir.Constant(I64, step))
    index.add_incoming(following, builder.block)
    behind = builder.append_basic_block("behind")
    builder.cbranch(builder.icmp_signed("<", following, stop), head, behind)
    builder.position_at_end(behind)


def _machine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=2
    )


def _built(module: ir.Module, name: str, arguments: int) -> Any:
    """Return a function of a module, which is compiled and stays as long as the process."""
    with _lock:
        machine = _machine()
        module.triple = machine.triple
        parsed = llvm.parse_assembly(str(module))
        parsed.verify()
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(parsed, builder)
        engine = llvm.create_mcjit_compiler(parsed, machine)
        engine.finalize_object()
        _engines.append(engine)
        address = engine.get_function_address(name)
    return ctypes.CFUNCTYPE(None, *([ctypes.c_int64] * arguments))(address)


# ---- The interpreter of a language ----------------------------------------------------------------------------

SHAPE, LENGTHS, NODES, PLACES, VALUES, FACTORS, FIRST, TABLE, WORK, SCRATCH, OUT = range(11)
# What the shape holds: sizes, what programs have at all, and where the parts of the work begin.
(
    PROGRAMS, ROWS, ROWS_OF_BLOCK, STRIDE, HAS_VALUES, HAS_FACTORS, HAS_PLACES, MOST, MASK,
    STACK, SLOTS, KIND, ARGUMENTS, PLACE, VALUE, FACTOR, LIVE, POINTERS, ROOTS,
) = range(19)  # fmt: skip
FIELDS = 19
EMPTY = -1
MIX = (
    0x9E3779B97F4A7C15 - 2**64
)  # the golden ratio as a fraction of 2**64: an odd number whose multiples are spread out


def width_of(language: Language) -> int:
    """Return how many arguments a shared node has room for."""
    return max(1, *(len(primitive.takes) for primitive in language.primitives))


def compile_interpreter(language: Language) -> Any:
    """Return the loop of a language: a C function of eleven addresses, as `Columns` hands them over."""
    module = ir.Module("rows")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * 11), "rows")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    _Interpreter(module, builder, language, function.args).write()
    builder.ret_void()
    return _built(module, "rows", 11)


class _Interpreter:
    """Writes the loops: over groups of programs, whose nodes are shared, then over blocks of rows and shared nodes."""

    def __init__(self, module: ir.Module, builder: ir.IRBuilder, language: Language, given: Sequence[Any]):
        self.module, self.builder, self.language = module, builder, language
        self.writer = _RowWriter(module, builder)
        self.width = width_of(language)
        kind = I8 if len(language.primitives) <= 256 else I32
        kinds = [I64, I64, kind, I32, F64, F64, I64, F64, I64, F64, F64]
        self.given = [builder.inttoptr(one, kind.as_pointer()) for one, kind in zip(given, kinds, strict=True)]
        self.shape = [self.at(SHAPE, _whole(k)) for k in range(FIELDS)]
        self.stride = builder.sdiv(self.shape[STRIDE], _whole(8))
        # Cells are made here: inside of loops they would pile up on the stack.
        self.cells = {
            name: builder.alloca(I64) for name in ("program", "node", "count", "height", "slot", "place", "row")
        }

    # What is written often

    def at(self, which: int, index: Any) -> Any:
        return self.builder.load(self.builder.gep(self.given[which], [index]))

    def cell(self, name: str) -> Any:
        return self.builder.load(self.cells[name])

    def put(self, name: str, value: Any) -> None:
        self.builder.store(value, self.cells[name])

    def work(self, part: int, index: Any) -> Any:
        """Return the address of a number of the work."""
        place = self.builder.add(self.shape[part], index)
        return self.builder.gep(self.given[WORK], [place])

    def worked(self, part: int, index: Any) -> Any:
        return self.builder.load(self.work(part, index))

    def keep(self, part: int, index: Any, value: Any) -> None:
        self.builder.store(value, self.work(part, index))

    def while_(self, condition: Callable[[], Any], body: Callable[[], None]) -> None:
        build = self.builder
        head, inside, behind = (build.append_basic_block(name) for name in ("while", "do", "done"))
        build.branch(head)
        build.position_at_end(head)
        build.cbranch(condition(), inside, behind)
        build.position_at_end(inside)
        body()
        build.branch(head)
        build.position_at_end(behind)

    def less(self, a: Any, b: Any) -> Any:
        return self.builder.icmp_signed("<", a, b)

    def step(self, name: str, by: int = 1) -> None:
        self.put(name, self.builder.add(self.cell(name), _whole(by)))

    def each(self, body: Callable[[Any], None]) -> None:
        """Write the loop over the rows of a block."""
        _loop(self.builder, _whole(0), self.count, LANES, body)

    # The loops

    def write(self) -> None:
        self.put("program", _whole(0))
        self.put("node", _whole(0))
        self.while_(lambda: self.less(self.cell("program"), self.shape[PROGRAMS]), self.group)

    def group(self) -> None:
        """Write what is done with as many programs as fit: share their nodes, then compute them on all rows."""
        build = self.builder
        first = self.cell("program")
        self.put("count", _whole(0))
        _loop(build, _whole(0), build.add(self.shape[MASK], _whole(1)), 1, lambda k: self.keep(SLOTS, k, _whole(EMPTY)))

        def fits() -> Any:
            there = self.less(self.cell("program"), self.shape[PROGRAMS])
            at = build.select(there, self.cell("program"), first)
            room = build.icmp_signed("<=", build.add(self.cell("count"), self.at(LENGTHS, at)), self.shape[MOST])
            return build.and_(there, room)

        self.while_(fits, self.share)
        last, count = self.cell("program"), self.cell("count")
        _loop(build, _whole(0), count, 1, lambda k: self.keep(LIVE, k, _whole(0)))
        _loop(build, first, last, 1, lambda k: self.keep(LIVE, self.worked(ROOTS, k), _whole(1)))
        _loop(build, _whole(0), count, 1, lambda k: self.wake(build.sub(build.sub(count, _whole(1)), k)))
        self.put("row", _whole(0))

        def block() -> None:
            self.start = self.cell("row")
            left = build.sub(self.shape[ROWS], self.start)
            self.count = build.select(self.less(left, self.shape[ROWS_OF_BLOCK]), left, self.shape[ROWS_OF_BLOCK])
            _loop(build, _whole(0), count, 1, self.compute)
            _loop(build, first, last, 1, self.hand_over)
            self.put("row", build.add(self.start, self.shape[ROWS_OF_BLOCK]))

        self.while_(lambda: self.less(self.cell("row"), self.shape[ROWS]), block)

    def hand_over(self, program: Any) -> None:
        """Write how the values of a program's root get into its line of the result."""
        build = self.builder
        result = build.inttoptr(self.worked(POINTERS, self.worked(ROOTS, program)), POINTER)
        target = build.gep(self.given[OUT], [build.add(build.mul(program, self.shape[ROWS]), self.start)])
        self.each(lambda row: self.writer.put(self.writer.take(result, row), target, row))

    # Sharing

    def share(self) -> None:
        """Write how one program's nodes become shared ones, from the last to the first, by a stack."""
        build = self.builder
        begin, length = self.cell("node"), self.at(LENGTHS, self.cell("program"))
        end = build.add(begin, length)
        self.put("height", _whole(0))
        last = build.sub(end, _whole(1))
        _loop(build, _whole(0), length, 1, lambda k: self.share_node(build.sub(last, k)))
        self.keep(ROOTS, self.cell("program"), self.worked(STACK, _whole(0)))
        self.put("node", end)
        self.step("program")

    def share_node(self, at: Any) -> None:
        """Write how a node is found among the shared ones, or becomes one."""
        build = self.builder
        number = build.zext(self.at(NODES, at), I64)
        arity = build.load(
            build.gep(self.table("arity", [len(p.takes) for p in self.language.primitives]), [_whole(0), number])
        )
        used = build.load(build.gep(self.table("used", self.used_bits()), [_whole(0), number]))
        height = self.cell("height")
        arguments = []
        for k in range(self.width):
            counts = build.icmp_signed("!=", build.and_(used, _whole(1 << k)), _whole(0))
            place = build.select(counts, build.sub(height, _whole(k + 1)), _whole(0))
            arguments.append(build.select(counts, self.worked(STACK, place), _whole(EMPTY)))
        place, value, factor = (
            self.own(has, lambda which=which: self.bits(which, at))  # type: ignore[misc]
            for has, which in ((HAS_PLACES, PLACES), (HAS_VALUES, VALUES), (HAS_FACTORS, FACTORS))
        )
        key = [number, *arguments, place, value, factor]
        mixed = _whole(0)
        for part in key:
            mixed = build.mul(build.xor(build.add(mixed, _whole(0x632BE5AB)), part), _whole(MIX))
            mixed = build.xor(mixed, build.lshr(mixed, _whole(29)))
        self.put("slot", build.and_(mixed, self.shape[MASK]))
        parts = [KIND, *([ARGUMENTS] * self.width), PLACE, VALUE, FACTOR]

        def other() -> Any:
            """Whether the slot holds another node, so that the next slot must be looked at."""
            found = self.worked(SLOTS, self.cell("slot"))
            is_empty = build.icmp_signed("==", found, _whole(EMPTY))
            there = build.select(is_empty, _whole(0), found)
            same = build.icmp_signed("==", self.worked(KIND, there), number)
            for k, (part, wanted) in enumerate(zip(parts[1:], key[1:], strict=True)):
                held = self.argument(there, k) if part == ARGUMENTS else self.worked(part, there)
                same = build.and_(same, build.icmp_signed("==", held, wanted))
            return build.not_(build.or_(is_empty, same))

        self.while_(
            other, lambda: self.put("slot", build.and_(build.add(self.cell("slot"), _whole(1)), self.shape[MASK]))
        )
        slot = self.cell("slot")
        with build.if_then(build.icmp_signed("==", self.worked(SLOTS, slot), _whole(EMPTY))):
            fresh = self.cell("count")
            self.keep(SLOTS, slot, fresh)
            self.keep(KIND, fresh, number)
            for k, argument in enumerate(arguments):
                self.keep(ARGUMENTS, build.add(build.mul(fresh, _whole(self.width)), _whole(k)), argument)
            for part, own in ((PLACE, place), (VALUE, value), (FACTOR, factor)):
                self.keep(part, fresh, own)
            self.step("count")
        height = build.sub(height, arity)
        self.keep(STACK, height, self.worked(SLOTS, slot))
        self.put("height", build.add(height, _whole(1)))

    def table(self, name: str, numbers: Sequence[int]) -> Any:
        """Return a row of numbers that is part of the code."""
        found = self.module.globals.get(name)
        if found is None:
            kind = ir.ArrayType(I64, len(numbers))
            found = ir.GlobalVariable(self.module, kind, name)
            found.global_constant = True
            found.initializer = ir.Constant(kind, [_whole(one) for one in numbers])
        return found

    def used_bits(self) -> list[int]:
        return [sum(1 << k for k in primitive.used) for primitive in self.language.primitives]

    def own(self, has: int, read: Callable[[], Any]) -> Any:
        """Write the reading of something that programs may have or not have at all."""
        build = self.builder
        self.put("place", _whole(0))
        with build.if_then(build.icmp_signed("!=", self.shape[has], _whole(0))):
            self.put("place", read())
        return self.cell("place")

    def bits(self, which: int, at: Any) -> Any:
        found = self.at(which, at)
        return self.builder.sext(found, I64) if which == PLACES else self.builder.bitcast(found, I64)

    def argument(self, node: Any, k: int) -> Any:
        return self.worked(ARGUMENTS, self.builder.add(self.builder.mul(node, _whole(self.width)), _whole(k)))

    def wake(self, node: Any) -> None:
        """Write that what a node needs is needed: introns stay asleep."""
        build = self.builder
        with build.if_then(build.icmp_signed("!=", self.worked(LIVE, node), _whole(0))):
            for k in range(self.width):
                argument = self.argument(node, k)
                with build.if_then(build.icmp_signed("!=", argument, _whole(EMPTY))):
                    self.keep(LIVE, argument, _whole(1))

    # Computing

    def compute(self, node: Any) -> None:
        """Write the branch on a node's primitive, and what each of them does."""
        build = self.builder
        behind, awake = build.append_basic_block("next"), build.append_basic_block("awake")
        build.cbranch(build.icmp_signed("!=", self.worked(LIVE, node), _whole(0)), awake, behind)
        build.position_at_end(awake)
        wrong = build.append_basic_block("wrong")
        switch = build.switch(self.worked(KIND, node), wrong)
        for k, primitive in enumerate(self.language.primitives):
            if primitive.acts or primitive.calls:
                continue
            block = build.append_basic_block(primitive.name)
            switch.add_case(_whole(k), block)
            build.position_at_end(block)
            self.primitive(k, node)
            build.branch(behind)
        build.position_at_end(wrong)
        build.unreachable()
        build.position_at_end(behind)

    def primitive(self, number: int, node: Any) -> None:
        """Write what one primitive does: its value, times the node's factor, in the node's line of memory."""
        primitive, build = self.language.primitives[number], self.builder
        line = build.gep(self.given[SCRATCH], [build.mul(node, self.shape[ROWS_OF_BLOCK])])
        if primitive.reads:
            column = build.add(self.at(FIRST, _whole(number)), self.worked(PLACE, node))
            offset = build.add(build.mul(column, self.stride), self.start)
            source = build.gep(self.given[TABLE], [offset])
            self.keep(POINTERS, node, build.ptrtoint(source, I64))
        else:
            source = line
            self.rule(number, node, line)
            self.keep(POINTERS, node, build.ptrtoint(line, I64))
        with build.if_then(build.icmp_signed("!=", self.shape[HAS_FACTORS], _whole(0))):
            factor = build.bitcast(self.worked(FACTOR, node), F64)
            with build.if_then(build.fcmp_unordered("!=", factor, ir.Constant(F64, 1.0))):
                many = self.writer.spread(factor)
                self.each(lambda row: self.writer.put(build.fmul(self.writer.take(source, row), many), line, row))
                self.keep(POINTERS, node, build.ptrtoint(line, I64))

    def rule(self, number: int, node: Any, line: Any) -> None:
        primitive, build = self.language.primitives[number], self.builder
        arguments = {k: build.inttoptr(self.worked(POINTERS, self.argument(node, k)), POINTER) for k in primitive.used}
        value = build.bitcast(self.worked(VALUE, node), F64) if primitive.has_value else None

        def on_rows(row: Any) -> None:
            known = {LETTERS[k]: self.writer.take(pointer, row) for k, pointer in arguments.items()}
            if value is not None:
                known["v"] = self.writer.spread(value)
            rule = self.language.meanings[number]
            assert rule is not None
            self.writer.put(self.writer.expression(rule, known), line, row)

        self.each(on_rows)


def _whole(value: int) -> Any:
    return ir.Constant(I64, value)


# ---- One program ----------------------------------------------------------------------------------------------


def compile_for_rows(tree: Tree, inputs: Mapping[str, int]) -> Any:
    """Return a program as a C function of rows, bytes between columns, and the addresses of table and result."""
    module = ir.Module("program")
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [I64] * 4), "program")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    rows, stride, table, out = function.args
    columns = builder.inttoptr(table, I8.as_pointer())
    target = builder.inttoptr(out, POINTER)

    def on_rows(row: Any) -> None:
        writer = _TreeWriter(module, builder, tree, row)
        for at in range(len(tree)):
            name = tree.primitive(at).reads
            key = (name, tree.places[at])
            if name and key not in writer.inputs:
                offset = builder.mul(stride, ir.Constant(I64, inputs[name] + tree.places[at]))
                column = builder.bitcast(builder.gep(columns, [offset]), POINTER)
                writer.inputs[key] = writer.take(column, row)
        writer.put(writer.node(0), target, row)

    _loop(builder, ir.Constant(I64, 0), rows, LANES, on_rows)
    builder.ret_void()
    return _built(module, "program", 4)


class _TreeWriter(_RowWriter):
    """Writes one program on eight rows; both branches of a conditional are computed."""

    def __init__(self, module: ir.Module, builder: ir.IRBuilder, tree: Tree, row: Any):
        super().__init__(module, builder)
        self.tree, self.row = tree, row
        self.inputs: dict[tuple[str, int], Any] = {}

    def node(self, at: int) -> Any:
        """Return the value of a node."""
        value = self.plain(at)
        factor = self.tree.factors[at]
        return value if factor == 1.0 else self.builder.fmul(value, self.constant(factor))

    def plain(self, at: int) -> Any:
        """Return the value of a node without its factor."""
        primitive, children = self.tree.primitive(at), list(self.tree.children(at))
        if primitive.reads:
            return self.inputs[primitive.reads, self.tree.places[at]]
        if primitive.is_lazy:
            test, then, other = (self.node(children[k]) for k in branches(self.tree, at))
            return self.builder.select(self.truth(test), then, other)
        known = {LETTERS[k]: self.node(children[k]) for k in primitive.used}
        known["v"] = self.constant(self.tree.values[at])
        rule = self.tree.language.meanings[self.tree.nodes[at]]
        assert rule is not None
        return self.expression(rule, known)
