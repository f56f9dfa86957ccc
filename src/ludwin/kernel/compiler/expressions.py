"""Expressions in LLVM's language: parts are evaluated in Python's order, each becomes a line or two."""

import ast

from ludwin.kernel.compiler import operators, words
from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.infer import Typed, indices, member
from ludwin.kernel.compiler.kinds import BOOL, FLOAT, INT, BundleKind, Several, ValueKind
from ludwin.kernel.compiler.lines import Lines, constant
from ludwin.kernel.compiler.operators import Value
from ludwin.kernel.compiler.scope import Constant, LiteralTable, Module, Word


class Expressions(Lines):
    """Writes the expressions of one function."""

    def expression(self, node: ast.expr) -> Value:
        """Write an expression."""
        outer, self.node = self.node, node
        found = self._expression(node)
        self.node = outer
        return found

    def _expression(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=value):
                return constant(value)
            case ast.Name():
                return self.load(node)
            case ast.BinOp(left=left, op=op, right=right):
                return operators.compute(self, op, self.expression(left), self.expression(right))
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)) if isinstance(value, int | float):
                return constant(-value)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.value(f"xor i1 {self.truth(operand)}, true", BOOL)
            case ast.UnaryOp(op=op, operand=operand):
                return operators.negate(self, op, self.expression(operand))
            case ast.Compare():
                return self.compare(node)
            case ast.BoolOp():
                return self.lazy(node)
            case ast.IfExp():
                return self.either(node)
            case ast.Tuple(elts=parts):
                return self.together([self.expression(part) for part in parts])
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.item(node)
            case ast.Call():
                return self.call(node)
        raise NotCompilable(f"a {type(node).__name__.lower()} cannot be compiled", node)

    def kind(self, node: ast.expr) -> ValueKind:
        """Return the kind that inference has found."""
        return self.typed.types[id(node)]

    def truth(self, node: ast.expr) -> str:
        return self.cast(self.expression(node), BOOL).text

    def load(self, node: ast.Name) -> Value:
        name = self.variables.reads.get(id(node))
        if name is None:
            return self.outside(self.typed.routine.scope.find(node.id))
        if id(node) in self.variables.doubtful:
            flag = self.ssa(f"load i1, ptr %set.{name}")
            self.fault(self.ssa(f"xor i1 {flag}, true"), "unbound")
        kind = self.typed.kinds.get(name)
        if kind is None:
            raise NotCompilable(f"{node.id} never has a value here", node)
        return self.value(f"load {kind.llvm(self.checked)}, ptr %v.{name}", kind)

    def outside(self, found: object) -> Value:
        """Return a constant or a table of a file."""
        if isinstance(found, LiteralTable):
            return Value(self.writer.table(found), found.kind)
        assert isinstance(found, Constant)
        return constant(found.value)

    def attribute(self, node: ast.Attribute) -> Value:
        if isinstance(node.value, ast.Name) and id(node.value) not in self.variables.reads:
            module = self.typed.routine.scope.find(node.value.id)
            assert isinstance(module, Module)
            return self.outside(member(module, node))
        owner = self.expression(node.value)
        if isinstance(owner.kind, BundleKind):
            return self.member(owner, node.attr)
        return self.fetch(self.field(owner, node.attr))

    def fetch(self, place: Value) -> Value:
        """Return what lies at a place: a number is loaded, anything larger stays where it is."""
        if place.kind is INT or place.kind is FLOAT:
            return self.value(f"load {place.kind.llvm(self.checked)}, ptr {place.text}", place.kind)
        return place

    def item(self, node: ast.Subscript) -> Value:
        value = self.expression(node.value)
        for index in indices(node):
            if isinstance(value.kind, Several):
                assert isinstance(index, ast.Constant)
                number = int(index.value)  # type: ignore[arg-type]
                part = value.kind.parts[number]
                value = self.value(f"extractvalue {value.kind.llvm(self.checked)} {value.text}, {number}", part)
            else:
                value = self.fetch(self.step(value, self.cast(self.expression(index), INT)))
        return value

    def place(self, node: ast.expr) -> tuple[str, ValueKind]:
        """Return the address that a field or an item has, and what lies there."""
        if isinstance(node, ast.Attribute):
            owner = self.expression(node.value)
            found = self.field(owner, node.attr)
            return found.text, found.kind
        assert isinstance(node, ast.Subscript)
        value = self.expression(node.value)
        for index in indices(node):
            value = self.step(value, self.cast(self.expression(index), INT))
        return value.text, value.kind

    def compare(self, node: ast.Compare) -> Value:
        """Write a comparison; a longer chain stops at the first that is false, as in Python."""
        left = self.expression(node.left)
        if len(node.ops) == 1:
            return Value(operators.compare(self, node.ops[0], left, self.expression(node.comparators[0])), BOOL)
        end = self.label()
        cell = self.cell("i1")
        for k, (op, other) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.expression(other)
            found = operators.compare(self, op, left, right)
            self.out(f"store i1 {found}, ptr {cell}")
            if k < len(node.ops) - 1:
                more = self.label()
                self.branch(found, more, end)
                self.start(more)
            left = right
        self.go(end)
        self.start(end)
        return self.value(f"load i1, ptr {cell}", BOOL)

    def lazy(self, node: ast.BoolOp) -> Value:
        """Write `and` and `or`: later parts only run if the earlier ones leave the question open."""
        kind = self.kind(node)
        text = kind.llvm(self.checked)
        end = self.label()
        cell = self.cell(text)
        for k, part in enumerate(node.values):
            value = self.expression(part)
            if k < len(node.values) - 1:
                keep, more = self.label(), self.label()
                yes, no = (more, keep) if isinstance(node.op, ast.And) else (keep, more)
                self.branch(self.cast(value, BOOL).text, yes, no)
                self.start(keep)  # only what is chosen becomes of the common kind
                self.out(f"store {text} {self.cast(value, kind, joining=True).text}, ptr {cell}")
                self.go(end)
                self.start(more)
            else:
                self.out(f"store {text} {self.cast(value, kind, joining=True).text}, ptr {cell}")
        self.go(end)
        self.start(end)
        return self.value(f"load {text}, ptr {cell}", kind)

    def either(self, node: ast.IfExp) -> Value:
        kind = self.kind(node)
        text = kind.llvm(self.checked)
        yes, no, end = self.label(), self.label(), self.label()
        cell = self.cell(text)
        self.branch(self.truth(node.test), yes, no)
        for label, part in ((yes, node.body), (no, node.orelse)):
            self.start(label)
            self.out(f"store {text} {self.cast(self.expression(part), kind, joining=True).text}, ptr {cell}")
            self.go(end)
        self.start(end)
        return self.value(f"load {text}, ptr {cell}", kind)

    # Calls.

    def call(self, node: ast.Call) -> Value:
        values: list[Value] = []
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                values.extend(self.parts(self.expression(arg.value)))
            else:
                values.append(self.expression(arg))
        typed = self.typed.callees.get(id(node))
        if typed is None:
            called = self.called(node)
            assert isinstance(called, Word)
            return words.WORDS[called.name].emit(self, values)
        found, number = self.invoke(typed, values)
        if number is not None:
            self.leave_if(self.ssa(f"icmp ne i64 {number}, 0"), number)
        if typed.routine.name == "moves" and self.typed.routine.scope.trusted and not typed.routine.scope.trusted:
            self.examine_moves(typed, values[-1], found)
        return found

    def examine_moves(self, typed: Typed, out: Value, found: Value) -> None:
        """Leave with a fault if the rules' `moves` says that it wrote more moves than there is room for.

        What it wrote too far is written; `ludwin.kernel.memory` keeps some room behind the last row for that.
        """
        routine = typed.routine
        number = self.writer.faults.number("moves", routine.scope.number, routine.tree.lineno)
        self.leave_if(self.ssa(f"icmp ugt i64 {found.text}, {self.length(out).text}"), str(number))

    def called(self, node: ast.Call) -> object:
        scope = self.typed.routine.scope
        if isinstance(node.func, ast.Attribute):
            assert isinstance(node.func.value, ast.Name)
            module = scope.find(node.func.value.id)
            assert module is not None
            return member(module, node.func)
        assert isinstance(node.func, ast.Name)
        return scope.find(node.func.id)
