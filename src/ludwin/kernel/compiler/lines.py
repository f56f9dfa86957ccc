"""The text of a function in LLVM's language, line by line: values, labels, faults, memory, casts, calls.

Why it is here.  Operators, words and statements are all written with these few means.  What can go wrong is tested
where it happens: `fault` branches to a line that leaves the function with the number of the fault, and a caller that
gets a number other than 0 hands it on.
"""

import ast
import struct
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ludwin.kernel.compiler import operators
from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.infer import Typed
from ludwin.kernel.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    SIZED,
    ArrayKind,
    BundleKind,
    RecordKind,
    Several,
    StackKind,
    ValueKind,
)
from ludwin.kernel.compiler.operators import Value
from ludwin.kernel.compiler.scope import EXACT

if TYPE_CHECKING:
    from ludwin.kernel.compiler.module import ModuleWriter

LIKELY, UNLIKELY = ", !prof !0", ", !prof !1"  # branch weights, defined in `module`


class Lines:
    """The text of one function, as far as it is written."""

    def __init__(self, writer: "ModuleWriter", typed: Typed):
        self.writer = writer
        self.typed = typed
        self.checked = writer.checked
        self.variables = typed.variables
        self.cells: list[str] = []  # the head of the function: its stack
        self.lines: list[str | tuple[str | None, str]] = []  # the body; a pair is a return: value, fault
        self.count = 0
        self.open = True  # whether control can come to the next line
        self.loops: list[tuple[str, str]] = []  # labels of continue and break
        self.node: ast.AST = typed.routine.tree
        self.fails = writer.is_recursive(typed)
        self.flags = {
            self.variables.reads[node]
            for node in self.variables.doubtful
            if not self.variables.reads[node].endswith(".unbound")
        }

    # The text.

    def out(self, line: str) -> None:
        """Write a line, if control can come here."""
        if self.open:
            self.lines.append("  " + line)

    def ssa(self, line: str) -> str:
        """Write a line with a result and return its name."""
        self.count += 1
        self.out(f"%t{self.count} = {line}")
        return f"%t{self.count}"

    def value(self, line: str, kind: ValueKind) -> Value:
        """Write a line with a result and return it as a value."""
        return Value(self.ssa(line), kind)

    def label(self) -> str:
        """Return a new label."""
        self.count += 1
        return f"L{self.count}"

    def cell(self, text: str) -> str:
        """Return a new cell on the stack."""
        self.count += 1
        self.cells.append(f"  %c{self.count} = alloca {text}")
        return f"%c{self.count}"

    def go(self, label: str) -> None:
        """Go on at a label."""
        self.out(f"br label %{label}")
        self.open = False

    def branch(self, test: str, yes: str, no: str, *, likely: bool = False, unlikely: bool = False) -> None:
        """Go on at one of two labels."""
        self.out(f"br i1 {test}, label %{yes}, label %{no}{LIKELY if likely else UNLIKELY if unlikely else ''}")
        self.open = False

    def start(self, label: str) -> None:
        """Let a label stand here."""
        self.lines.append(f"{label}:")
        self.open = True

    def leave(self, value: str | None, fault: str = "0") -> None:
        """Return from the function."""
        if self.open:
            self.lines.append((value, fault))
            self.open = False

    def fault(self, test: str, what: str) -> None:
        """Leave with a fault on the present line if a test is true."""
        number = self.writer.faults.number(what, self.typed.routine.scope.number, getattr(self.node, "lineno", 0))
        self.leave_if(test, str(number))

    def leave_if(self, test: str, number: str) -> None:
        """Leave with the number of a fault if a test is true."""
        self.fails = True
        bad, fine = self.label(), self.label()
        self.branch(test, bad, fine, unlikely=True)
        self.start(bad)
        self.leave(None, number)
        self.start(fine)

    def declare(self, text: str) -> None:
        """Bring a declaration or a definition into the module."""
        self.writer.declare(text)

    def intrinsic(self, name: str, *values: Value) -> Value:
        """Write a call of one of LLVM's functions of floats."""
        self.declare(f"declare double @{name}({', '.join('double' for _ in values)})")
        return self.value(f"call double @{name}({', '.join(f'double {v.text}' for v in values)})", FLOAT)

    def library(self, name: str, *values: Value) -> Value:
        """Write a call of a function of the C library, which LLVM may neither compute nor replace."""
        self.declare(f"declare double @{name}({', '.join('double' for _ in values)}) nounwind willreturn memory(none)")
        given = ", ".join(f"double {v.text}" for v in values)
        return self.value(f"call double @{name}({given}) nobuiltin nounwind willreturn memory(none)", FLOAT)

    def exact(self, name: str, *values: Value) -> Value:
        """Write a call of one of the compiler's own functions (`exact`); what goes wrong in it is an overflow here."""
        typed = self.writer.exact(name, tuple(value.kind for value in values))
        found, number = self.invoke(typed, values)
        if number is not None:
            self.fault(self.ssa(f"icmp ne i64 {number}, 0"), "overflow")
        return found

    def invoke(self, typed: Typed, values: Sequence[Value]) -> tuple[Value, str | None]:
        """Write a call of a compiled function; return its value and the number of its fault, None if it has none."""
        fails = self.writer.need(typed)
        kind = typed.result
        assert kind is not None
        given = [
            f"{wanted.llvm(self.checked)} {self.cast(value, wanted, joining=True).text}"
            for value, wanted in zip(values, typed.arguments, strict=True)
        ]
        if self.writer.needs_stack(typed):
            given.append("i64 %stack")
        result = returned(kind, fails, self.checked)
        line = f"call {result} {typed.symbol}({', '.join(given)})"
        if result == "void":
            self.out(line)
            return Value("", NOTHING), None
        found = self.ssa(line)
        if not fails:
            return Value(found, kind), None
        if kind is NOTHING:
            return Value("", NOTHING), found
        number = self.ssa(f"extractvalue {result} {found}, 1")
        return self.value(f"extractvalue {result} {found}, 0", kind), number

    # Memory.

    def pointer(self, value: Value) -> str:
        """Return the bare pointer of a value."""
        if value.kind.llvm(self.checked) == SIZED:
            return self.ssa(f"extractvalue {SIZED} {value.text}, 0")
        return value.text

    def length(self, value: Value) -> Value:
        """Return how many items an array has."""
        kind = value.kind
        if isinstance(kind, ArrayKind) and kind.shape[0] is not None:
            return Value(str(kind.shape[0]), INT)
        if not self.checked:
            raise NotCompilable("the length of this array is not known in compiled code", self.node)
        return self.value(f"extractvalue {SIZED} {value.text}, 1", INT)

    def bound(self, index: Value, length: str) -> None:
        """In checked code, leave with a fault if an index does not lie inside."""
        known = index.number
        if self.checked and not (known is not None and length.isdigit() and 0 <= known < int(length)):
            self.fault(self.ssa(f"icmp uge i64 {index.text}, {length}"), "index")

    def step(self, base: Value, index: Value) -> Value:
        """Return the place of one item of an array or stack."""
        kind = base.kind
        assert isinstance(kind, ArrayKind | StackKind)
        if self.checked:
            self.bound(index, self.length(base).text)
        item = kind.record if isinstance(kind, StackKind) else kind.item
        stride = kind.record.cells if isinstance(kind, StackKind) else kind.stride
        at = index.text
        if stride != 1:
            at = str(index.number * stride) if index.number is not None else self.ssa(f"mul nsw i64 {at}, {stride}")
        return self.value(f"getelementptr inbounds i64, ptr {self.pointer(base)}, i64 {at}", item)

    def field(self, owner: Value, name: str) -> Value:
        """Return the address of a field of a record."""
        assert isinstance(owner.kind, RecordKind)
        offset = owner.kind.fields[name].offset
        return self.value(f"getelementptr inbounds i64, ptr {owner.text}, i64 {offset}", owner.kind.kind(name))

    def member(self, owner: Value, name: str) -> Value:
        """Return a workspace of a bundle; the table of a bundle never changes while code runs."""
        assert isinstance(owner.kind, BundleKind)
        kind = owner.kind.members[name]
        at = 2 * list(owner.kind.members).index(name)
        place = self.ssa(f"getelementptr inbounds i64, ptr {owner.text}, i64 {at}")
        pointer = self.ssa(f"load ptr, ptr {place}, !invariant.load !2")
        if kind.llvm(self.checked) != SIZED:
            return Value(pointer, kind)
        place = self.ssa(f"getelementptr inbounds i64, ptr {owner.text}, i64 {at + 1}")
        size = self.ssa(f"load i64, ptr {place}, !invariant.load !2")
        return self.sized(pointer, size, kind)

    def sized(self, pointer: str, size: str, kind: ValueKind) -> Value:
        """Return a pointer together with its length."""
        half = self.ssa(f"insertvalue {SIZED} poison, ptr {pointer}, 0")
        return self.value(f"insertvalue {SIZED} {half}, i64 {size}, 1", kind)

    # Several values, and casts.

    def parts(self, value: Value) -> Iterator[Value]:
        """Yield the parts of a tuple."""
        assert isinstance(value.kind, Several)
        for k, kind in enumerate(value.kind.parts):
            yield self.value(f"extractvalue {value.kind.llvm(self.checked)} {value.text}, {k}", kind)

    def together(self, values: Sequence[Value]) -> Value:
        """Return several values as one."""
        kind = Several(tuple(value.kind for value in values))
        made = "poison"
        for k, value in enumerate(values):
            text = value.kind.llvm(self.checked)
            made = self.ssa(f"insertvalue {kind.llvm(self.checked)} {made}, {text} {value.text}, {k}")
        return Value(made, kind)

    def cast(self, value: Value, kind: ValueKind, *, joining: bool = False) -> Value:
        """Return a value as another kind; where kinds are `joining`, checked code examines that nothing is lost."""
        source = value.kind
        if source is kind or source == kind:
            return value
        if kind is BOOL:
            if source is FLOAT:
                return self.value(f"fcmp une double {value.text}, 0.0", BOOL)
            return self.value(f"icmp ne i64 {value.text}, 0", BOOL)
        if kind is INT:
            assert source is BOOL
            if value.text in ("true", "false"):
                return Value("1" if value.text == "true" else "0", INT)
            return self.value(f"zext i1 {value.text} to i64", INT)
        if kind is FLOAT:
            return self.to_float(value, joining)
        if isinstance(kind, Several):
            parts = zip(list(self.parts(value)), kind.parts, strict=True)
            return self.together([self.cast(part, wanted, joining=joining) for part, wanted in parts])
        if kind.llvm(self.checked) == SIZED and source.llvm(self.checked) != SIZED:
            return self.sized(value.text, self.length(value).text, kind)
        return Value(value.text, kind)

    def to_float(self, value: Value, joining: bool) -> Value:
        if value.kind is BOOL:
            return self.value(f"uitofp i1 {value.text} to double", FLOAT)
        known = value.number
        if known is not None and abs(known) <= EXACT:
            return constant(float(known))
        made = self.value(f"sitofp i64 {value.text} to double", FLOAT)
        if joining and self.checked:
            self.fault(operators.loses(self, value, made), "inexact")
        return made


def returned(kind: ValueKind, fails: bool, checked: bool) -> str:
    """Return the type of what a function returns: its value, with the number of a fault if it can fail."""
    if not fails:
        return kind.llvm(checked)
    return "i64" if kind is NOTHING else f"{{{kind.llvm(checked)}, i64}}"


def constant(value: object) -> Value:
    """Return a literal."""
    if isinstance(value, bool):
        return Value("true" if value else "false", BOOL)
    if isinstance(value, int):
        return Value(str(value), INT)
    assert isinstance(value, float)
    return Value("0x" + struct.pack(">d", value).hex().upper(), FLOAT)
