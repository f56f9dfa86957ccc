"""From a function whose kinds are known to its text in LLVM's language: statements, and the function as a whole.

The idea.  Every variable is a cell on the stack, which LLVM turns into registers; every statement becomes a few labels
and branches.  Nothing is clever here: LLVM is.
"""

import ast
from collections.abc import Sequence

from ludwin.kernel.compiler import operators
from ludwin.kernel.compiler.expressions import Expressions
from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.infer import is_print
from ludwin.kernel.compiler.kinds import INT, NOTHING, Several, ValueKind
from ludwin.kernel.compiler.lines import returned
from ludwin.kernel.compiler.operators import Value


class Emitter(Expressions):
    """Writes one function."""

    def write(self) -> None:
        """Write the function and hand it to the module."""
        tree = self.typed.routine.tree
        for name, kind in self.typed.kinds.items():
            if kind is not None and kind is not NOTHING:
                self.cells.append(f"  %v.{name} = alloca {kind.llvm(self.checked)}")
        for name in sorted(self.flags):
            self.cells.append(f"  %set.{name} = alloca i1\n  store i1 false, ptr %set.{name}")
        for k, (name, kind) in enumerate(zip(self.variables.arguments, self.typed.arguments, strict=True)):
            assert self.typed.kinds[name] is not None
            self.store_variable(name, Value(f"%a{k}", kind))
        if self.writer.is_recursive(self.typed):
            self.declare("declare ptr @llvm.frameaddress.p0(i32)")
            frame = self.ssa("ptrtoint ptr " + self.ssa("call ptr @llvm.frameaddress.p0(i32 0)") + " to i64")
            self.fault(self.ssa(f"icmp ult i64 {frame}, %stack"), "deep")
        try:
            self.block(tree.body)
        except NotCompilable as error:
            raise error.at(self.node, self.typed.path) from None
        if self.open:
            self.leave(None)
        self.writer.finish(self.typed, self.text(), self.fails)

    def text(self) -> str:
        """Return the finished definition."""
        kind = self.typed.result
        assert kind is not None
        given = [f"{k.llvm(self.checked)} %a{number}" for number, k in enumerate(self.typed.arguments)]
        if self.writer.needs_stack(self.typed):
            given.append("i64 %stack")
        routine = self.typed.routine
        inline = " alwaysinline" if routine.inline and not self.writer.is_recursive(self.typed) else ""
        result = returned(kind, self.fails, self.checked)
        head = f"define internal {result} {self.typed.symbol}({', '.join(given)}) nounwind{inline} {{\nentry:"
        body: list[str] = []
        for line in self.lines:
            body.append(line if isinstance(line, str) else self.returning(kind, result, *line, len(body)))
        return "\n".join([head, *self.cells, *body, "}"])

    def returning(self, kind: ValueKind, result: str, value: str | None, fault: str, number: int) -> str:
        """Return the lines of a return."""
        if not self.fails:
            return "  ret void" if kind is NOTHING else f"  ret {result} {value or 'poison'}"
        if kind is NOTHING:
            return f"  ret i64 {fault}"
        first = f"  %r{number} = insertvalue {result} poison, {kind.llvm(self.checked)} {value or 'poison'}, 0"
        second = f"  %s{number} = insertvalue {result} %r{number}, i64 {fault}, 1"
        return f"{first}\n{second}\n  ret {result} %s{number}"

    # Statements.

    def block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            if id(statement) not in self.variables.live or not self.open:
                return
            self.node = statement
            self.statement(statement)

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                found = self.expression(value)
                for target in targets:
                    self.store(target, found)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.store(target, self.expression(value))
            case ast.AugAssign():
                self.augmented(node)
            case ast.If():
                self.choice(node)
            case ast.While():
                self.repeat(node)
            case ast.For():
                self.count_through(node)
            case ast.Return(value=value):
                self.give(value)
            case ast.Break():
                self.go(self.loops[-1][1])
            case ast.Continue():
                self.go(self.loops[-1][0])
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant) and not is_print(value):
                    self.expression(value)
            case ast.Assert(test=test):
                self.fault(self.ssa(f"xor i1 {self.truth(test)}, true"), "assert")

    def give(self, node: ast.expr | None) -> None:
        result = self.typed.result
        assert result is not None
        if node is None or result is NOTHING:
            if node is not None and not isinstance(node, ast.Constant):
                self.expression(node)
            self.leave(None)
        else:
            self.leave(self.cast(self.expression(node), result, joining=True).text)

    def augmented(self, node: ast.AugAssign) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            self.store(target, operators.compute(self, node.op, self.load(target), self.expression(node.value)))
            return
        place, kind = self.place(target)
        old = self.value(f"load {kind.llvm(self.checked)}, ptr {place}", kind)
        new = operators.compute(self, node.op, old, self.expression(node.value))
        self.out(f"store {kind.llvm(self.checked)} {self.cast(new, kind, joining=True).text}, ptr {place}")

    def choice(self, node: ast.If) -> None:
        yes, no, end = self.label(), self.label(), self.label()
        self.branch(self.truth(node.test), yes, no if node.orelse else end)
        reached = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self.start(label)
                self.block(body)
                reached = reached or self.open
                if self.open:
                    self.go(end)
        if reached:
            self.start(end)

    def repeat(self, node: ast.While) -> None:
        test, body, end = self.label(), self.label(), self.label()
        self.go(test)
        self.start(test)
        forever = isinstance(node.test, ast.Constant) and bool(node.test.value)
        if forever:
            self.go(body)
        else:
            self.branch(self.truth(node.test), body, end)
        self.start(body)
        self.loops.append((test, end))
        self.block(node.body)
        self.loops.pop()
        if self.open:
            self.go(test)
        broken = any(isinstance(part, ast.Break) for part in ast.walk(node))
        if not forever or broken:
            self.start(end)

    def count_through(self, node: ast.For) -> None:
        """Write a loop over range: a counter of its own, so that the body may change the variable."""
        assert isinstance(node.iter, ast.Call)
        given = [self.cast(self.expression(arg), INT) for arg in node.iter.args]
        first, last = (Value("0", INT), given[0]) if len(given) == 1 else (given[0], given[1])
        step = given[2] if len(given) == 3 else Value("1", INT)
        if step.number == 1 or step.number == -1:
            self.by_one(node, first, last, step.text)
        else:
            self.by_steps(node, first, last, step)

    def by_one(self, node: ast.For, first: Value, last: Value, step: str) -> None:
        test, body, more, end = self.label(), self.label(), self.label(), self.label()
        counter = self.cell("i64")
        self.out(f"store i64 {first.text}, ptr {counter}")
        self.go(test)
        self.start(test)
        at = self.ssa(f"load i64, ptr {counter}")
        self.branch(self.ssa(f"icmp {'slt' if step == '1' else 'sgt'} i64 {at}, {last.text}"), body, end)
        self.start(body)
        self.store(node.target, Value(at, INT))
        self.loop_body(node, more, end)
        self.start(more)
        self.out(f"store i64 {self.ssa(f'add nsw i64 {at}, {step}')}, ptr {counter}")
        self.go(test)
        self.start(end)

    def by_steps(self, node: ast.For, first: Value, last: Value, step: Value) -> None:
        """Any other step: the number of rounds is computed first, as CPython does, so that nothing can overflow."""
        self.node = node.iter
        if step.number is None or step.number == 0:
            self.fault(self.ssa(f"icmp eq i64 {step.text}, 0"), "step")
        up = self.ssa(f"icmp sgt i64 {step.text}, 0")
        low = self.ssa(f"select i1 {up}, i64 {first.text}, i64 {last.text}")
        high = self.ssa(f"select i1 {up}, i64 {last.text}, i64 {first.text}")
        size = self.ssa(f"select i1 {up}, i64 {step.text}, i64 {self.ssa(f'sub i64 0, {step.text}')}")
        room = self.ssa(f"sub i64 {self.ssa(f'sub i64 {high}, {low}')}, 1")
        rounds = self.ssa(f"add i64 {self.ssa(f'udiv i64 {room}, {size}')}, 1")
        some = self.ssa(f"icmp slt i64 {low}, {high}")
        left, counter = self.cell("i64"), self.cell("i64")
        self.out(f"store i64 {self.ssa(f'select i1 {some}, i64 {rounds}, i64 0')}, ptr {left}")
        self.out(f"store i64 {first.text}, ptr {counter}")
        test, body, more, end = self.label(), self.label(), self.label(), self.label()
        self.go(test)
        self.start(test)
        rest = self.ssa(f"load i64, ptr {left}")
        self.branch(self.ssa(f"icmp ne i64 {rest}, 0"), body, end)
        self.start(body)
        at = self.ssa(f"load i64, ptr {counter}")
        self.store(node.target, Value(at, INT))
        self.loop_body(node, more, end)
        self.start(more)
        self.out(f"store i64 {self.ssa(f'sub i64 {rest}, 1')}, ptr {left}")
        self.out(f"store i64 {self.ssa(f'add i64 {at}, {step.text}')}, ptr {counter}")
        self.go(test)
        self.start(end)

    def loop_body(self, node: ast.For, more: str, end: str) -> None:
        self.loops.append((more, end))
        self.block(node.body)
        self.loops.pop()
        if self.open:
            self.go(more)

    # Storing.

    def store(self, target: ast.expr, value: Value) -> None:
        if isinstance(target, ast.Name):
            self.store_variable(self.variables.writes[id(target)], value)
        elif isinstance(target, ast.Tuple):
            assert isinstance(value.kind, Several)
            for part, each in zip(target.elts, list(self.parts(value)), strict=True):
                self.store(part, each)
        else:
            place, kind = self.place(target)
            text = kind.llvm(self.checked)
            self.out(f"store {text} {self.cast(value, kind, joining=True).text}, ptr {place}")

    def store_variable(self, name: str, value: Value) -> None:
        kind = self.typed.kinds[name]
        assert kind is not None
        self.out(f"store {kind.llvm(self.checked)} {self.cast(value, kind, joining=True).text}, ptr %v.{name}")
        if name in self.flags:
            self.out(f"store i1 true, ptr %set.{name}")
