"""The kinds of all variables and expressions, found before any code is written.

The idea.  A function is compiled once for each row of argument kinds it is called with.  Its statements are read
again and again, each time with what the last reading has learnt about its variables, until nothing new is
learnt: kinds can only grow (truth value, whole number, float), so this ends.  Functions that call each other in a
circle are read in turn until the whole circle is settled.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from ludwin.kernel.compiler import operators, words
from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.flow import Variables, plain_name, variables
from ludwin.kernel.compiler.kinds import (
    BOOL,
    FLOAT,
    INT,
    NOTHING,
    ArrayKind,
    BundleKind,
    NotOneKind,
    RecordKind,
    Several,
    StackKind,
    ValueKind,
    article,
    is_number,
    join,
)
from ludwin.kernel.compiler.scope import Constant, LiteralTable, Meaning, Module, Routine, Word, math_constant

MOST = 2000  # functions of one kernel, each counted once per row of argument kinds
WHOLE = ("moves", "mover", "key")  # functions of the contract that return whole numbers
CASTS = {"int": INT, "float": FLOAT}
OURS = ("llvm", "ludwin", "table")  # names that symbols of the module or of LLVM begin with

Key = tuple[Routine, tuple[ValueKind, ...]]


class Typed:
    """One function for one row of argument kinds."""

    def __init__(self, routine: Routine, kinds: tuple[ValueKind, ...], number: int, found: Variables):
        self.routine = routine
        self.arguments = kinds
        self.variables = found
        self.symbol = f"@{'f.' if routine.name in OURS else ''}{plain_name(routine.name)}.{number}"
        self.kinds: dict[str, ValueKind | None] = dict(zip(found.arguments, kinds, strict=True))
        self.result: ValueKind | None = None
        self.types: dict[int, ValueKind] = {}  # expression -> kind
        self.callees: dict[int, Typed] = {}  # call -> function
        self.busy = False

    @property
    def path(self) -> Path:
        """The file of its text."""
        return self.routine.scope.path


class Inference:
    """All functions that an entry needs."""

    def __init__(self) -> None:
        self.found: dict[Key, Typed] = {}
        self.flows: dict[Routine, Variables] = {}
        self.circle = False  # whether a function was asked about before it was settled

    def function(self, routine: Routine, kinds: tuple[ValueKind, ...]) -> Typed:
        """Return a function for these argument kinds, read for the first time if it is new."""
        key = (routine, kinds)
        typed = self.found.get(key)
        if typed is None:
            if len(self.found) >= MOST:
                raise NotCompilable(f"{routine.name} is called with too many kinds of arguments")
            if routine not in self.flows:
                self.flows[routine] = variables(routine.tree)
            typed = self.found[key] = Typed(routine, kinds, len(self.found), self.flows[routine])
            self.read(typed)
        elif typed.busy:
            self.circle = True
        return typed

    def read(self, typed: Typed) -> bool:
        """Read a function until nothing new is learnt; tell whether anything was."""
        typed.busy = True
        changed = False
        while True:
            before = (dict(typed.kinds), typed.result)
            _FunctionReader(self, typed).read()
            if before == (typed.kinds, typed.result):
                break
            changed = True
        typed.busy = False
        return changed

    def settle(self, entry: Typed) -> None:
        """Read circles of functions until they are settled, and name what cannot be."""
        changed = self.circle
        while changed:
            changed = False
            for typed in list(self.found.values()):
                changed = self.read(typed) or changed
        for typed in self.found.values():
            if typed.result is None:
                reason = f"{typed.routine.name} never returns: it always calls itself"
                raise NotCompilable(reason, typed.routine.tree).at(typed.routine.tree, typed.path)


def unquoted(annotation: ast.expr | None) -> str:
    """Return the text of an annotation, with or without quotation marks."""
    return ast.unparse(annotation).strip("'\"") if annotation is not None else ""


class _FunctionReader:
    """Reads one function once."""

    def __init__(self, inference: Inference, typed: Typed):
        self.inference = inference
        self.typed = typed
        self.scope = typed.routine.scope
        self.variables = typed.variables

    def read(self) -> None:
        tree = self.typed.routine.tree
        try:
            ends = self.block(tree.body)
            if ends and self.typed.result is None:
                self.give(NOTHING, tree)
        except NotCompilable as error:
            raise error.at(tree, self.typed.path) from None

    # Statements; each tells whether control can go on behind it.

    def block(self, body: list[ast.stmt]) -> bool:
        for statement in body:
            if id(statement) not in self.variables.live:
                return False
            try:
                if not self.statement(statement):
                    return False
            except NotCompilable as error:
                raise error.at(statement, self.typed.path) from None
        return True

    def statement(self, node: ast.stmt) -> bool:
        match node:
            case ast.Assign(targets=targets, value=value):
                kind = self.kind(value)
                for target in targets:
                    self.bind(target, kind)
            case ast.AnnAssign(target=target, value=value):
                if value is not None:
                    self.bind(target, self.kind(value))
            case ast.AugAssign(target=target, op=op, value=value):
                left = self.load(target) if isinstance(target, ast.Name) else self.kind(target)
                self.bind(target, operators.binary(op, left, self.kind(value)))
            case ast.For(target=target, iter=ast.Call(args=args), body=body):
                if not 1 <= len(args) <= 3:
                    raise NotCompilable(f"range takes 1 to 3 numbers, got {len(args)}", node)
                for arg in args:
                    operators.whole(self.kind(arg))
                self.bind(target, INT)
                self.block(body)
            case ast.While(test=test, body=body):
                self.truth(test)
                self.block(body)
                return not is_endless(node)
            case ast.If(test=test, body=body, orelse=orelse):
                self.truth(test)
                one, two = self.block(body), self.block(orelse)
                return one or two
            case ast.Return(value=value):
                nothing = value is None or (isinstance(value, ast.Constant) and value.value is None)
                self.give(NOTHING if value is None or nothing else self.kind(value), node)
                return False
            case ast.Break() | ast.Continue():
                return False
            case ast.Expr(value=value):
                if not isinstance(value, ast.Constant) and not is_print(value):
                    self.kind(value)
            case ast.Assert(test=test):
                self.truth(test)
            case ast.Pass():
                pass
            case _:
                raise NotCompilable(f"a {type(node).__name__.lower()} statement cannot be compiled", node)
        return True

    def give(self, kind: ValueKind | None, node: ast.AST) -> None:
        routine = self.typed.routine
        if kind is not None and routine.contract and routine.name in WHOLE:
            operators.whole(kind)
            kind = INT
        try:
            self.typed.result = join(self.typed.result, kind)
        except NotOneKind as error:
            raise NotCompilable(f"{routine.name} returns {error}: it must return one kind", node) from None

    def bind(self, target: ast.expr, kind: ValueKind | None) -> None:
        if isinstance(target, ast.Name):
            if kind is NOTHING:
                raise NotCompilable(f"{target.id} would be None here: the function returns nothing", target)
            variable = self.variables.writes[id(target)]
            try:
                self.typed.kinds[variable] = join(self.typed.kinds.get(variable), kind)
            except NotOneKind as error:
                raise NotCompilable(f"{target.id} is {error} in turn: use two names", target) from None
        elif isinstance(target, ast.Tuple):
            if kind is None:
                return
            if not isinstance(kind, Several) or len(kind.parts) != len(target.elts):
                raise NotCompilable(f"{article(kind)} cannot be taken apart into {len(target.elts)} values", target)
            for part, each in zip(target.elts, kind.parts, strict=True):
                self.bind(part, each)
        else:
            place = self.kind(target)
            owner = self.kind(target.value) if isinstance(target, ast.Subscript) else None
            if isinstance(owner, Several):
                raise NotCompilable("a tuple cannot be changed: make a new one", target)
            if isinstance(owner, ArrayKind) and owner.fixed:
                raise NotCompilable(
                    f"{ast.unparse(target)} is a cell of a constant table: what changes is a field", target
                )
            if place is None or kind is None:
                return
            if not is_number(place):
                raise NotCompilable(f"{ast.unparse(target)} is {article(place)}: set its cells one by one", target)
            if not is_number(kind):
                raise NotCompilable(f"{article(kind)} is stored where a number is needed", target)
            if place is INT and kind is FLOAT:
                cell = isinstance(target, ast.Subscript)
                what = "stored in an integer cell" if cell else "used where a whole number is needed"
                raise NotCompilable(f"a float is {what}", target)

    def truth(self, node: ast.expr) -> None:
        kind = self.kind(node)
        if kind is not None and not is_number(kind):
            raise NotCompilable(f"{article(kind)} is no truth value: compare numbers", node)

    # Expressions.

    def kind(self, node: ast.expr) -> ValueKind | None:
        try:
            found = self._kind(node)
        except NotCompilable as error:
            raise error.at(node, self.typed.path) from None
        if found is not None:
            self.typed.types[id(node)] = found
        return found

    def _kind(self, node: ast.expr) -> ValueKind | None:
        match node:
            case ast.Constant(value=value):
                return constant_kind(value)
            case ast.Name():
                return self.load(node)
            case ast.BinOp(left=left, op=op, right=right):
                return operators.binary(op, self.kind(left), self.kind(right))
            case ast.UnaryOp(op=op, operand=operand):
                if isinstance(op, ast.Not):
                    self.truth(operand)
                    return BOOL
                return operators.unary(op, self.kind(operand))
            case ast.Compare(left=left, ops=ops, comparators=others):
                kinds = [self.kind(part) for part in (left, *others)]
                for sign, one, two in zip(ops, kinds, kinds[1:], strict=False):
                    operators.comparison(sign, one, two)
                return BOOL
            case ast.BoolOp(values=values):
                for part in values[:-1]:
                    self.truth(part)
                return self.joined(values)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                self.truth(test)
                return self.joined([body, orelse])
            case ast.Tuple(elts=parts):
                kinds = [self.kind(part) for part in parts]
                if NOTHING in kinds:
                    raise NotCompilable("None cannot be part of a tuple", node)
                return Several(tuple(k for k in kinds if k is not None)) if None not in kinds else None
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.item(node)
            case ast.Call():
                return self.call(node)
        raise NotCompilable(f"a {type(node).__name__.lower()} cannot be compiled", node)

    def joined(self, parts: list[ast.expr]) -> ValueKind | None:
        kind: ValueKind | None = None
        for part in parts:
            one = self.kind(part)
            if one is NOTHING:
                raise NotCompilable("None is used where a value is needed", part)
            try:
                kind = join(kind, one)
            except NotOneKind as error:
                raise NotCompilable(f"this may be {error}: it must be of one kind", part) from None
        return kind

    def load(self, node: ast.Name) -> ValueKind | None:
        variable = self.variables.reads.get(id(node))
        if variable is not None:
            if variable.endswith(".unbound"):
                raise NotCompilable(f"{node.id} is read before it has a value", node)
            return self.typed.kinds.get(variable)
        found = self.scope.find(node.id)
        if isinstance(found, Constant):
            return constant_kind(found.value)
        if isinstance(found, LiteralTable):
            return found.kind
        if found is None:
            raise NotCompilable(f"{node.id!r} is not defined, or no number", node)
        raise NotCompilable(f"{node.id} is no number: it can only be called", node)

    def attribute(self, node: ast.Attribute) -> ValueKind | None:
        outer = self.member(node)
        if outer is not None:
            if isinstance(outer, Constant):
                return constant_kind(outer.value)
            if isinstance(outer, LiteralTable):
                return outer.kind
            raise NotCompilable(f"{ast.unparse(node)} is no number: it can only be called", node)
        owner = self.kind(node.value)
        if owner is None:
            return None
        if isinstance(owner, RecordKind):
            if node.attr not in owner.fields:
                raise NotCompilable(f"{owner.name} has no field {node.attr!r} (it has {', '.join(owner.fields)})", node)
            return owner.kind(node.attr)
        if isinstance(owner, BundleKind):
            if node.attr not in owner.members:
                raise NotCompilable(f"the workspace has no {node.attr!r} (it has {', '.join(owner.members)})", node)
            return owner.members[node.attr]
        raise NotCompilable(f"{article(owner)} has no field {node.attr!r}", node)

    def member(self, node: ast.Attribute) -> Meaning | None:
        """Return what `module.name` means; None if this is a field of a value."""
        if not isinstance(node.value, ast.Name) or id(node.value) in self.variables.reads:
            return None
        module = self.scope.find(node.value.id)
        if module is None:
            raise NotCompilable(f"{node.value.id!r} is not defined", node)
        return member(module, node)

    def item(self, node: ast.Subscript) -> ValueKind | None:
        kind = self.kind(node.value)
        for index in indices(node):
            if isinstance(kind, Several):
                kind = self.part(kind, index, node)
                continue
            operators.whole(self.kind(index))
            if isinstance(kind, StackKind):
                kind = kind.record
            elif isinstance(kind, ArrayKind):
                kind = kind.item
            elif kind is not None:
                raise NotCompilable(f"{ast.unparse(node.value)} is {article(kind)}, which has no items", node)
        return kind

    def part(self, kind: Several, index: ast.expr, node: ast.AST) -> ValueKind:
        if not isinstance(index, ast.Constant) or not isinstance(index.value, int):
            raise NotCompilable("a tuple is indexed by a plain number only", node)
        if not 0 <= index.value < len(kind.parts):
            raise NotCompilable(f"a tuple of {len(kind.parts)} has no part {index.value}", node)
        return kind.parts[int(index.value)]

    def call(self, node: ast.Call) -> ValueKind | None:
        called = self.called(node)
        kinds = list(self.passed(node))
        if isinstance(called, Word):
            return words.result(called.name, kinds)
        if not isinstance(called, Routine):
            raise NotCompilable(f"{ast.unparse(node.func)} cannot be called", node)
        wanted = called.tree.args.args
        if len(kinds) != len(wanted):
            if None in kinds:
                return None
            raise NotCompilable(f"{called.name} takes {len(wanted)} arguments, got {len(kinds)}", node)
        for kind, arg in zip(kinds, wanted, strict=True):
            if kind is NOTHING:
                raise NotCompilable(f"None is passed as {arg.arg}", node)
        fitted = tuple(fit(called, k, kind) for k, kind in enumerate(kinds) if kind is not None)
        if len(fitted) < len(kinds):
            return None
        typed = self.typed.callees[id(node)] = self.inference.function(called, fitted)
        return typed.result

    def called(self, node: ast.Call) -> Meaning:
        if node.keywords:
            raise NotCompilable("only plain arguments can be compiled, no names", node)
        found: Meaning | None = None
        if isinstance(node.func, ast.Attribute):
            found = self.member(node.func)
        elif isinstance(node.func, ast.Name) and id(node.func) not in self.variables.reads:
            found = self.scope.find(node.func.id)
        if found is None:
            raise NotCompilable(f"{ast.unparse(node.func)} is not a function that can be compiled", node)
        return found

    def passed(self, node: ast.Call) -> Iterator[ValueKind | None]:
        for arg in node.args:
            if isinstance(arg, ast.Starred):
                kind = self.kind(arg.value)
                if kind is None:
                    yield None
                elif isinstance(kind, Several):
                    yield from kind.parts
                else:
                    raise NotCompilable(f"{article(kind)} cannot be spread over arguments", node)
            else:
                yield self.kind(arg)


def fit(routine: Routine, number: int, kind: ValueKind) -> ValueKind:
    """Return the kind that an argument has inside: as it is, or as text of ours is annotated."""
    if not routine.scope.trusted or not is_number(kind):
        return kind
    arg = routine.tree.args.args[number]
    wanted = CASTS.get(unquoted(arg.annotation), kind)
    if wanted is INT and kind is FLOAT:
        raise NotCompilable(f"{routine.name} takes a whole number as {arg.arg}, got a float")
    return wanted


def member(module: Meaning, node: ast.Attribute) -> Meaning:
    """Return what a name of a module means."""
    found: Meaning | None = None
    if isinstance(module, Module) and module.scope is None:
        value = math_constant(node.attr)
        found = Constant(value) if value is not None else Word(f"math.{node.attr}")
    elif isinstance(module, Module):
        assert module.scope is not None
        found = module.scope.find(node.attr)
    if found is None:
        raise NotCompilable(f"{ast.unparse(node)} cannot be compiled", node)
    return found


def constant_kind(value: object) -> ValueKind:
    """Return the kind of a literal."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int):
        if not -(2**63) <= value <= 2**63:  # 2**63 is written behind a minus
            raise NotCompilable(f"the constant {value} does not fit 64 bits")
        return INT
    if isinstance(value, float):
        return FLOAT
    raise NotCompilable(f"{value!r} cannot be compiled: rules compute with numbers only")


def indices(node: ast.Subscript) -> list[ast.expr]:
    """Return the indices of `T[i]` or `T[i, j]`."""
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def is_endless(node: ast.While) -> bool:
    """Tell whether control never comes behind a loop: its test is always true, and no break leaves it."""

    def breaks(body: list[ast.stmt]) -> bool:
        for part in body:
            if isinstance(part, ast.Break):
                return True
            if isinstance(part, ast.If) and (breaks(part.body) or breaks(part.orelse)):
                return True
        return False

    return isinstance(node.test, ast.Constant) and bool(node.test.value) and not breaks(node.body)


def is_print(node: ast.expr) -> bool:
    """Tell whether this is a print or a breakpoint, which compiled code leaves out."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "breakpoint")
