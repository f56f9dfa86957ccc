"""Which assignments a reading may see: the variables behind the names of a function.

Why it is here.  Python lets a name be a whole number here and a float there.  Compiled code gives each variable one
kind, so a name is taken apart first: assignments that a common reading may see are one variable, all others
are variables of their own.  `n = 3; s.cells[n] = 1; n = n / 2` has two.  The same walk finds readings that may come
before any assignment, which Python calls unbound.

How.  A forward walk over the statements carries, for each name, the assignments that may have made its present
value; loops are walked twice, because what the second round brings is what all later rounds bring.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

UNBOUND = -1  # the assignment that has not happened
Reach = dict[str, frozenset[int]]  # name -> assignments that may have made its value


@dataclass
class Variables:
    """The variable of each name that is read or written, by the identity of its node."""

    reads: dict[int, str] = field(default_factory=dict)
    writes: dict[int, str] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    doubtful: set[int] = field(default_factory=set)  # readings that may be unbound
    live: set[int] = field(default_factory=set)  # statements that control can come to


def variables(function: ast.FunctionDef) -> Variables:
    """Return the variables of a function."""
    walk = _Walk(function)
    walk.run()
    return walk.settle()


def assigned(function: ast.FunctionDef) -> set[str]:
    """Return the names that are local to a function."""
    names = {arg.arg for arg in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names


class _Walk:
    def __init__(self, function: ast.FunctionDef):
        self.function = function
        self.local = assigned(function)
        self.names: list[str] = []  # of each assignment
        self.numbers: dict[int, int] = {}  # node -> assignment
        self.reading: dict[int, tuple[str, frozenset[int]]] = {}  # node -> what it may see
        self.loops: list[tuple[list[Reach], list[Reach]]] = []  # states at break and at continue
        self.live: set[int] = set()

    def run(self) -> None:
        here: Reach = {name: frozenset((UNBOUND,)) for name in self.local}
        for arg in self.function.args.args:
            here[arg.arg] = frozenset((self.number(arg, arg.arg),))
        self.block(self.function.body, here)

    def number(self, node: ast.AST, name: str) -> int:
        if id(node) not in self.numbers:
            self.numbers[id(node)] = len(self.names)
            self.names.append(name)
        return self.numbers[id(node)]

    # A state of None means that control never comes here.

    def block(self, body: Sequence[ast.stmt], here: Reach | None) -> Reach | None:
        for statement in body:
            if here is None:
                return None
            self.live.add(id(statement))
            here = self.statement(statement, here)
        return here

    def statement(self, node: ast.stmt, here: Reach) -> Reach | None:
        match node:
            case ast.Assign(targets=targets, value=value):
                self.expression(value, here)
                for target in targets:
                    here = self.store(target, here)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.expression(value, here)
                    here = self.store(target, here)
            case ast.AugAssign(target=target, value=value):
                if isinstance(target, ast.Name):
                    self.read(target, here)
                self.expression(value, here)
                here = self.store(target, here)
            case ast.If(test=test, body=body, orelse=orelse):
                self.expression(test, here)
                return merge(self.block(body, dict(here)), self.block(orelse, dict(here)))
            case ast.While(test=test, body=body):
                forever = isinstance(test, ast.Constant) and bool(test.value)
                return self.loop(node, body, here, forever)
            case ast.For(body=body, iter=iterated):
                self.expression(iterated, here)
                return self.loop(node, body, here, False)
            case ast.Return(value=value):
                if value is not None:
                    self.expression(value, here)
                return None
            case ast.Break() | ast.Continue():
                if self.loops:
                    self.loops[-1][isinstance(node, ast.Continue)].append(here)
                return None
            case ast.Expr(value=value):
                self.expression(value, here)
            case ast.Assert(test=test):
                self.expression(test, here)
        return here

    def loop(self, node: ast.While | ast.For, body: Sequence[ast.stmt], here: Reach, forever: bool) -> Reach | None:
        entry: Reach = here
        for _ in range(2):
            self.loops.append(([], []))
            if isinstance(node, ast.While):
                self.expression(node.test, entry)
                inside = dict(entry)
            else:
                inside = self.store(node.target, dict(entry))
            end = self.block(body, inside)
            breaks, continues = self.loops.pop()
            back = end
            for state in continues:
                back = merge(back, state)
            joined = merge(entry, back)
            assert joined is not None
            if joined == entry:
                break  # a second round would bring nothing new
            entry = joined
        if isinstance(node, ast.While):
            self.expression(node.test, entry)
        after: Reach | None = None if forever else entry
        for state in breaks:
            after = merge(after, state)
        return after

    def store(self, target: ast.expr, here: Reach) -> Reach:
        if isinstance(target, ast.Name):
            return {**here, target.id: frozenset((self.number(target, target.id),))}
        if isinstance(target, ast.Tuple | ast.List):
            for part in target.elts:
                here = self.store(part, here)
            return here
        self.expression(target, here)
        return here

    def expression(self, node: ast.expr, here: Reach) -> None:
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                self.read(part, here)

    def read(self, node: ast.Name, here: Reach) -> None:
        if node.id in self.local:
            _, known = self.reading.get(id(node), ("", frozenset()))
            self.reading[id(node)] = (node.id, known | here[node.id])

    def settle(self) -> Variables:
        """Unite the assignments that a common reading may see."""
        parent = list(range(len(self.names)))

        def top(x: int) -> int:
            while parent[x] != x:
                parent[x] = parent[parent[x]]
                x = parent[x]
            return x

        for _, seen in self.reading.values():
            numbers = sorted(seen - {UNBOUND})
            for number in numbers[1:]:
                parent[top(number)] = top(numbers[0])
        labels: dict[int, str] = {}
        counts: dict[str, int] = {}
        for number, name in enumerate(self.names):
            root = top(number)
            if root not in labels:
                count = counts[name] = counts.get(name, 0) + 1
                labels[root] = plain_name(name) if count == 1 else f"{plain_name(name)}.{count}"
        found = Variables(arguments=[labels[top(self.numbers[id(a)])] for a in self.function.args.args], live=self.live)
        found.writes = {node: labels[top(number)] for node, number in self.numbers.items()}
        for node, (name, seen) in self.reading.items():
            numbers = sorted(seen - {UNBOUND})
            found.reads[node] = labels[top(numbers[0])] if numbers else f"{name}.unbound"
            if UNBOUND in seen:
                found.doubtful.add(node)
        return found


def plain_name(name: str) -> str:
    """Return a name as LLVM's language can write it; Python allows letters of all alphabets.

    >>> plain_name("heap"), plain_name("höhe")
    ('heap', 'h.f6.he')
    """
    return "".join(letter if letter.isascii() else f".{ord(letter):x}." for letter in name)


def merge(a: Reach | None, b: Reach | None) -> Reach | None:
    """Return what may have happened on either of two ways; None is a way that is never gone."""
    if a is None or b is None:
        return b if a is None else a
    return {name: seen | b[name] for name, seen in a.items()}
