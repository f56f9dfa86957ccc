"""The laws of a game file that can be seen without running it.

Why it is here.  Compiled Python is a smaller language than Python, and the compiler's own
complaints run to 200 lines.  This reader walks the functions that will be compiled and names the
first thing that is not allowed, with the author's line and the way out.  What only a game in
progress can show (an index out of range, an overflow) is `check`'s business.
"""

import ast
import builtins
import inspect
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from ludwin import primitives
from ludwin.errors import RuleError, brief, did_you_mean
from ludwin.rules.contract import (
    MATH,
    MATH_CONSTANTS,
    MATH_INSTEAD,
    REQUIRED,
    RETURNS,
    VARIANTS,
    WORLD_REQUIRED,
    WORLD_RETURNS,
    WORLD_VARIANTS,
)
from ludwin.rules.layout import Layout
from ludwin.rules.reach import locals_of, reach, roots
from ludwin.rules.source import PRIMITIVES, Source
from ludwin.rules.syntax import (
    demand_kept_imports,
    demand_shallow,
    ends,
    flat,
    is_array,
    is_print,
    kind_of,
    rectangular,
    with_operands,
    word,
)

BUILTINS = {"abs", "bool", "breakpoint", "float", "int", "len", "max", "min", "print", "range"}
ONE_ARGUMENT = {"abs", "bool", "float", "int", "len"}
LIMIT = 2**63
WORDS = set(primitives.__all__) - {"stream"}
ARITY = {
    name: len(inspect.signature(getattr(primitives, name)).parameters)
    for name in WORDS
    if callable(getattr(primitives, name))
}

STATEMENTS = (
    *(ast.Return, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.If, ast.While, ast.For),
    *(ast.Break, ast.Continue, ast.Pass, ast.Expr, ast.Assert),
)
EXPRESSIONS = (
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.IfExp, ast.Compare, ast.Call),
    *(ast.Constant, ast.Name, ast.Attribute, ast.Subscript, ast.Tuple),
)

REFUSED: dict[type, str] = {
    ast.List: "a list cannot be compiled: use an array field, or a tuple at the top of the file",
    ast.ListComp: "a list cannot be compiled: use a loop over an array field",
    ast.Dict: "a dict cannot be compiled: use an array field or a tuple",
    ast.Set: "a set cannot be compiled: use the bits of an integer",
    ast.Lambda: "a lambda cannot be compiled: define a function at the top of the file",
    ast.FunctionDef: "a function inside a function cannot be compiled: define it at the top of the file",
    ast.Try: "exceptions cannot be compiled: test the condition instead",
    ast.Raise: "exceptions cannot be compiled: test the condition instead",
    ast.Global: "a rule may not change a global: everything that changes is a field of the state",
    ast.JoinedStr: "texts cannot be compiled: they belong into show, name or write",
    ast.Slice: "slices cannot be compiled: use a loop over the cells",
    ast.Import: "import at the top of the file",
    ast.ImportFrom: "import at the top of the file",
}


def lint(source: Source, fields: Layout, modules: Mapping[Path, ModuleType], senses: Layout | None = None) -> None:
    """Raise RuleError for the first static fault in a file's compiled functions.

    `modules` are the executed files, for the kinds of their constants; `senses` are what views of a world hold.
    """
    for name, arguments in (WORLD_REQUIRED if source.is_world else REQUIRED).items():
        if not source.find(name):
            near = did_you_mean(name, set(source.functions) - set(source.contract))
            what = "world" if source.is_world else "game"
            raise RuleError(
                f"the {what} has no function {name}({', '.join(arguments)}){near.replace('did you mean', 'is it')}",
                source.path,
                1,
            )
    for owner in source.family():
        for node in owner.tree.body:
            if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names):
                raise RuleError(f"import the names of {node.module} one by one instead of *", *owner.place(node))
    lint_functions(source, roots(source), fields, modules, senses)


def lint_functions(
    source: Source,
    compiled: Mapping[str, tuple[str, ...]],
    fields: Layout,
    modules: Mapping[Path, ModuleType],
    senses: Layout | None = None,
) -> None:
    """Raise RuleError for the first static fault in these functions of a file and all that they call.

    `compiled` says what arguments they take.
    """
    for name, arguments in compiled.items():
        found = source.find(name)
        if found and len(found[1].args.args) != len(arguments):
            raise RuleError(f"{name} must take ({', '.join(arguments)})", found[0].path, found[1].lineno)
    for owner in source.family():
        demand_kept_imports(owner, modules)
    for owner, function in reach(source, compiled).values():
        demand_shallow(owner, function)
        _FunctionLint(owner, function, fields, modules, senses).read()
        _is_what_it_says(owner, function, vars(modules[owner.path]))


def _is_what_it_says(owner: Source, function: ast.FunctionDef, values: Mapping[str, Any]) -> None:
    """Compiled code takes a function's text, plain Python its name: both must mean the same."""
    twice = [
        node.lineno for node in owner.tree.body if isinstance(node, ast.FunctionDef) and node.name == function.name
    ]
    if len(twice) > 1:
        raise RuleError(
            f"{function.name} is defined twice, in lines {twice[0]} and {twice[1]}: leave one", owner.path, twice[-1]
        )
    value = values.get(function.name)
    if not isinstance(value, FunctionType) or value.__code__.co_firstlineno != function.lineno:
        raise RuleError(
            f"{function.name} is something else when the file has been read: a rule is what its def says",
            *owner.place(function),
        )


class _FunctionLint:
    """Reads one function."""

    def __init__(
        self,
        source: Source,
        function: ast.FunctionDef,
        fields: Layout,
        modules: Mapping[Path, ModuleType],
        senses: Layout | None = None,
    ):
        self.source = source
        self.function = function
        own, seen = set(fields.names), set(senses.names if senses else ())
        self.names = (*fields.names, *(name for name in (senses.names if senses else ()) if name not in own))
        self.arrays = {field.name for field in fields if field.size is not None and field.name not in seen}
        self.arrays |= {field.name for field in senses or () if field.size is not None and field.name not in own}
        self.table = "FIELDS has" if senses is None else "FIELDS, CONTROLS and SENSES have"
        self.modules = modules
        self.values = vars(modules[source.path])
        self.local = locals_of(function)

    def fail(self, node: ast.AST, reason: str) -> RuleError:
        return RuleError(reason, *self.source.place(node))

    def read(self) -> None:
        args = self.function.args
        if args.vararg or args.kwarg or args.kwonlyargs or args.defaults or args.posonlyargs:
            raise self.fail(
                self.function, f"{self.function.name}: only plain arguments can be compiled, no defaults, * or **"
            )
        if self.function.decorator_list:
            raise self.fail(self.function, f"{self.function.name}: decorators are not needed and cannot be compiled")
        for node in ast.walk(self.function):
            if node is not self.function and isinstance(node, ast.FunctionDef | ast.Lambda):
                raise self.fail(node, REFUSED[type(node)])
        self.check_returns()
        for k, statement in enumerate(self.function.body):
            docstring = k == 0 and isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not docstring:
                self.statement(statement)

    def check_returns(self) -> None:
        returns = [n for n in ast.walk(self.function) if isinstance(n, ast.Return)]
        gives = [
            n
            for n in returns
            if n.value is not None and not (isinstance(n.value, ast.Constant) and n.value.value is None)
        ]
        world = self.source.is_world
        must = self.function.name in (WORLD_RETURNS if world else RETURNS) or self.function.name.startswith(
            tuple(WORLD_VARIANTS if world else VARIANTS)
        )
        if not gives and not must:
            return
        for node in returns:
            if node not in gives:
                raise self.fail(node, f"{self.function.name} returns None here and must return a value on every path")
        if not ends(self.function.body):
            raise self.fail(
                self.function.body[-1],
                f"{self.function.name} can end here without returning a value (it would be None)",
            )

    def statement(self, node: ast.stmt) -> None:
        if not isinstance(node, STATEMENTS):
            raise self.fail(node, REFUSED.get(type(node), f"a {word(node)} statement cannot be compiled"))
        if isinstance(node, ast.Expr) and is_print(node.value):
            self.check_print(node.value)
            return
        if isinstance(node, ast.For):
            if not (
                isinstance(node.iter, ast.Call)
                and isinstance(node.iter.func, ast.Name)
                and node.iter.func.id == "range"
            ):
                raise self.fail(node, "only loops over range(…) can be compiled")
            if self.source.find("range") or "range" in self.source.imported or "range" in self.local:
                raise self.fail(node, "range means something else in this file: give that another name")
            if not 1 <= len(node.iter.args) <= 3 or node.iter.keywords:
                raise self.fail(node, f"range takes 1 to 3 numbers, got {len(node.iter.args)}")
            if not isinstance(node.target, ast.Name):
                raise self.fail(node, "a loop over range(…) has one variable")
        if isinstance(node, ast.While | ast.For) and node.orelse:
            raise self.fail(node, "else after a loop cannot be compiled")
        if isinstance(node, ast.Assert):
            self.expression(node.test)
            return
        self.check_targets(node)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.stmt):
                self.statement(child)
            elif isinstance(child, ast.expr) and not (isinstance(node, ast.AnnAssign) and child is node.annotation):
                self.expression(child)

    def check_print(self, node: ast.expr) -> None:
        """Compiled code leaves prints out, so they must be Python's own and change nothing."""
        assert isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        name = node.func.id
        if self.source.find(name) or name in self.source.imported or name in self.local:
            raise self.fail(node, f"{name} means something else in this file: give that another name")
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part is not node:
                home = self.source.imported.get(part.func.id, ("",))[0]
                if self.source.find(part.func.id) or home == PRIMITIVES:
                    raise self.fail(
                        node, f"{name} is left out of compiled code: call {part.func.id} on a line of its own"
                    )

    def check_targets(self, node: ast.stmt) -> None:
        """Only cells and fields of the state change: no tables, no whole arrays."""
        targets = (
            node.targets
            if isinstance(node, ast.Assign)
            else [node.target]
            if isinstance(node, ast.AugAssign | ast.AnnAssign)
            else []
        )
        for target in (n for t in targets for n in ast.walk(t)):
            if not isinstance(target, ast.Subscript | ast.Attribute) or not isinstance(target.ctx, ast.Store):
                continue  # a table may be read inside a target's index
            home: ast.expr = target
            while isinstance(home, ast.Subscript | ast.Attribute):
                home = home.value
            if isinstance(home, ast.Name) and home.id not in self.local:
                changed = ast.unparse(target.value if isinstance(target, ast.Subscript) else target)
                raise self.fail(
                    target, f"{changed} is a constant of the file: everything that changes is a field of the state"
                )
            if isinstance(target, ast.Attribute) and target.attr in self.arrays:
                raise self.fail(
                    target, f"{ast.unparse(target)} is an array: set its cells, {ast.unparse(target)}[i] = …"
                )

    def expression(self, node: ast.expr) -> None:
        if not isinstance(node, EXPRESSIONS):
            raise self.fail(node, REFUSED.get(type(node), f"a {word(node)} cannot be compiled"))
        reader: Callable[[Any], None] | None = getattr(self, f"read_{type(node).__name__}", None)
        if reader:
            reader(node)
        if (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and isinstance(node.operand, ast.Constant)
            and node.operand.value == LIMIT
        ):
            return  # -2**63 is written as minus a number that does not fit
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                if isinstance(node, ast.Call) and child is node.func:
                    continue
                if isinstance(node, ast.Attribute) and isinstance(child, ast.Name):
                    continue
                self.expression(child)

    def read_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str | bytes | complex) or node.value is None or node.value is ...:
            raise self.fail(node, f"{brief(node.value)} cannot be compiled: rules compute with numbers only")
        self.check_size(node, node.value)

    def check_size(self, node: ast.AST, value: object) -> None:
        if isinstance(value, int) and not -LIMIT <= value < LIMIT:
            signed = (value + LIMIT) % (2 * LIMIT) - LIMIT
            way = f"; as a bit pattern write {signed}" if 0 <= value < 2 * LIMIT else ""
            raise self.fail(node, f"the constant {brief(value)} does not fit 64 bits{way}")

    def read_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            raise self.fail(node, "@ cannot be compiled")
        if isinstance(node.op, ast.Pow):
            for side in (node.left, node.right):
                if isinstance(side, ast.Constant) and isinstance(side.value, float):
                    raise self.fail(
                        node, "float ** rounds differently when compiled: use power(x, y) from ludwin.primitives"
                    )
        self.fold(node)

    def fold(self, node: ast.expr) -> int | float | None:
        """Return what an expression of constants is worth, None for others; every step must fit 64 bits."""
        if isinstance(node, ast.Constant):
            return node.value if isinstance(node.value, int | float) else None
        parts = (
            [node.operand]
            if isinstance(node, ast.UnaryOp)
            else [node.left, node.right]
            if isinstance(node, ast.BinOp)
            else []
        )
        values = [self.fold(part) for part in parts]
        if not parts or None in values:
            return None
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow | ast.LShift) and abs(values[1] or 0) > 5000:
            return None  # the game will show it
        try:
            constant = ast.Expression(with_operands(node, [ast.Constant(value) for value in values]))
            value = eval(compile(ast.fix_missing_locations(constant), "", "eval"), {"__builtins__": {}})
        except (ArithmeticError, TypeError, ValueError) as error:
            raise self.fail(node, f"{ast.unparse(node)}: {error}") from None
        if isinstance(node, ast.UnaryOp) and values == [LIMIT]:
            return int(value)  # -2**63 is written as minus a number that does not fit
        self.check_size(node, value)
        return value if isinstance(value, int | float) else None

    def read_Compare(self, node: ast.Compare) -> None:
        if any(isinstance(op, ast.In | ast.NotIn | ast.Is | ast.IsNot) for op in node.ops):
            raise self.fail(node, "in and is cannot be compiled: compare with ==")

    def read_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store) or node.id in self.local:
            return
        if self.source.find(node.id):
            raise self.fail(node, f"the function {node.id} is named but not called")
        if node.id in self.source.modules:
            raise self.fail(node, f"the module {node.id} is not a number")
        if self.source.imported.get(node.id, ("",))[0] in ("math", PRIMITIVES) and callable(self.values.get(node.id)):
            raise self.fail(node, f"the function {node.id} is named but not called")
        if node.id not in self.values:
            known = self.local | set(self.values) | BUILTINS
            raise self.fail(node, f"{node.id!r} is not defined{did_you_mean(node.id, known)}")
        self.check_constant(node, node.id, self.values[node.id])

    def check_constant(self, node: ast.AST, name: str, value: object) -> None:
        """A constant of the file must be a number, or a table of numbers of one shape."""
        self.check_size(node, value)
        if isinstance(value, int | float):
            return
        if is_array(value):
            self.check_array(node, name, value)
            return
        if not isinstance(value, list | tuple):
            raise self.fail(node, f"{name} is {kind_of(value)}: compiled rules use numbers and tuples of numbers only")
        if not rectangular(value):
            raise self.fail(node, f"the table {name} has rows of different lengths: fill them up to one length")
        cells = flat(value)
        if not cells:
            raise self.fail(node, f"the table {name} is empty: a table holds at least one number")
        kinds = sorted(
            {type(v).__name__ for v in cells if isinstance(v, bool) or not isinstance(v, int | float)} - {"bool"}
        )
        if kinds:
            every = sorted({type(v).__name__ for v in cells})
            raise self.fail(node, f"the table {name} mixes {' and '.join(every)}: a table holds numbers only")
        for number in cells:
            self.check_size(node, number)

    def check_array(self, node: ast.AST, name: str, value: Any) -> None:
        if value.dtype.kind not in "biuf" or not value.size:
            what = f"an array of {value.dtype}" if value.size else "empty"
            raise self.fail(node, f"the table {name} is {what}: a table holds whole numbers or floats")
        self.check_size(node, int(value.max()) if value.dtype.kind == "u" else 0)

    def read_Attribute(self, node: ast.Attribute, called: bool = False) -> None:
        if not isinstance(node.value, ast.Name):
            raise self.fail(node, f"{ast.unparse(node)} cannot be compiled: only fields of a state have names")
        name = node.value.id
        if name in self.local:
            if node.attr not in self.names:
                hint = did_you_mean(node.attr, self.names)
                raise self.fail(
                    node, f"the state has no field {node.attr!r}{hint} ({self.table} {', '.join(self.names)})"
                )
        elif name in self.source.modules:
            self.read_module(node, name, called)
        elif self.source.find(name):
            raise self.fail(
                node,
                f"{name} is a function of the file: {ast.unparse(node)} cannot be compiled; what changes is a field "
                f"of the state",
            )
        elif name in self.values:
            raise self.fail(node, self.of_a_thing(node, self.values[name]))
        elif name == "math":
            raise self.fail(node, "'math' is not defined: write import math at the top of the file")
        else:
            raise self.fail(node, f"{name!r} is not defined{did_you_mean(name, self.local | set(self.values))}")

    def of_a_thing(self, node: ast.Attribute, value: object) -> str:
        """Say why a constant of the file has no names of its own, and the way out."""
        assert isinstance(node.value, ast.Name)
        name, text = node.value.id, ast.unparse(node)
        if isinstance(value, type):
            inside = getattr(value, node.attr, None)
            way = (
                f"write {node.attr.upper()} = {int(inside)} at the top of the file"
                if isinstance(inside, int)
                else "write its numbers at the top of the file"
            )
            return f"{name} is a class and {text} cannot be compiled: {way}"
        if isinstance(value, list | tuple) or is_array(value):
            return (
                f"{name} is a table of the file and {text} cannot be compiled: rules may read its cells, "
                f"{name}[i]; what changes is a field of the state"
            )
        return f"{name} is {kind_of(value)} and {text} cannot be compiled: rules use numbers and tuples of numbers only"

    def read_module(self, node: ast.Attribute, name: str, called: bool) -> None:
        """A name of a module: of math, or of a helper file."""
        module = self.source.modules[name]
        helper = self.source.helpers.get(module)
        if module == "math":
            if name != "math":
                raise self.fail(
                    node,
                    f"{ast.unparse(node)} cannot be compiled under that name: write import math, and math.{node.attr}",
                )
            if self.values.get(name) is not math:
                raise self.fail(node, "math is imported and then changed: give the other thing another name")
            self.check_math(node, node.attr, called)
        elif helper is None:
            raise self.fail(
                node,
                f"{ast.unparse(node)} cannot be compiled: rules may use math, {PRIMITIVES} and helper files beside "
                f"the game",
            )
        elif helper.find(node.attr):
            if not called:
                raise self.fail(node, f"the function {ast.unparse(node)} is named but not called")
        elif node.attr not in vars(self.modules[helper.path]):
            raise self.fail(
                node,
                f"{helper.path.stem} has no {node.attr!r}{did_you_mean(node.attr, vars(self.modules[helper.path]))}",
            )
        elif called:
            raise self.fail(
                node,
                f"{ast.unparse(node)} cannot be called: rules call functions that a def at the top of a file makes",
            )
        else:
            self.check_constant(node, ast.unparse(node), vars(self.modules[helper.path])[node.attr])

    def check_math(self, node: ast.AST, name: str, called: bool) -> None:
        """Of math, only what means the same in every mode."""
        if name in MATH_CONSTANTS:
            if called:
                raise self.fail(node, f"math.{name} is a number and cannot be called")
        elif name in MATH_INSTEAD:
            raise self.fail(node, f"math.{name} {MATH_INSTEAD[name]}")
        elif name not in MATH:
            if hasattr(math, name):
                raise self.fail(
                    node, f"math.{name} cannot be compiled; of math rules may use {', '.join(sorted(MATH))}"
                )
            raise self.fail(node, f"math has no {name!r}{did_you_mean(name, (*MATH, *MATH_CONSTANTS))}")
        elif not called:
            raise self.fail(node, f"the function math.{name} is named but not called")

    def read_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Invert) and isinstance(node.operand, ast.Compare | ast.BoolOp):
            raise self.fail(node, f"{ast.unparse(node)}: ~ of a truth value differs when compiled: use not")

    def read_Subscript(self, node: ast.Subscript) -> None:
        index = node.slice
        if (
            isinstance(index, ast.UnaryOp)
            and isinstance(index.op, ast.USub)
            and isinstance(index.operand, ast.Constant)
        ):
            raise self.fail(node, f"negative index {ast.unparse(node)}: compiled arrays do not wrap round")
        if isinstance(index, ast.Tuple) and not self._is_numpys(node.value):
            several = "".join(f"[{ast.unparse(part)}]" for part in index.elts)
            raise self.fail(
                node, f"write {ast.unparse(node.value)}{several}: only NumPy's tables take several indices at once"
            )

    def _is_numpys(self, node: ast.expr) -> bool:
        """Tell whether a table is NumPy's, which `T[0, 1]` is right for."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = self.source.helpers.get(self.source.modules.get(node.value.id, ""))
            return module is not None and is_array(vars(self.modules[module.path]).get(node.attr))
        return (
            isinstance(node, ast.Name)
            and node.id not in self.local
            and is_array(vars(self.modules[self.source.path]).get(node.id))
        )

    def read_Call(self, node: ast.Call) -> None:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise self.fail(node, "only plain arguments can be compiled, no names or *")
        if isinstance(node.func, ast.Attribute):
            self.read_Attribute(node.func, called=True)
            home = node.func.value
            module = self.source.modules.get(home.id, "") if isinstance(home, ast.Name) else ""
            if module == "math":
                self.check_count(node, f"math.{node.func.attr}", MATH[node.func.attr])
            elif module in self.source.helpers:
                found = self.source.helpers[module].find(node.func.attr)
                self.check_count(node, ast.unparse(node.func), len(found[1].args.args) if found else len(node.args))
            else:
                raise self.fail(node, f"{ast.unparse(node.func)} is a number and cannot be called")
            return
        if not isinstance(node.func, ast.Name):
            raise self.fail(node, f"{ast.unparse(node.func)} cannot be called in compiled rules")
        name = node.func.id
        found = self.source.find(name)
        module, original = self.source.imported.get(name, ("", ""))
        if name in self.local:
            raise self.fail(node, f"{name} is a number and cannot be called")
        if module in ("math", PRIMITIVES) and not found:
            self.check_unchanged(node, name, module, original)
        if found:
            self.check_count(node, name, len(found[1].args.args))
        elif module == "math":
            self.check_math(node, original, called=True)
            self.check_count(node, name, MATH[original])
        elif module == PRIMITIVES and original not in WORDS:
            raise self.fail(node, f"{name} is not for rules; rules may use {', '.join(sorted(WORDS))}")
        elif module == PRIMITIVES and original in ARITY:
            self.check_count(node, name, ARITY[original])
        elif module and module not in self.source.helpers and module != PRIMITIVES:
            raise self.fail(
                node,
                f"{name} comes from {module} and cannot be compiled: rules may use math, {PRIMITIVES} and helper "
                f"files beside the game",
            )
        elif name in self.values:
            raise self.fail(
                node,
                f"{name!r} is {kind_of(self.values[name])} and cannot be called: rules call functions that a def at "
                f"the top of a file makes",
            )
        elif name in ONE_ARGUMENT:
            self.check_count(node, name, 1)
        elif name in ("max", "min") and len(node.args) == 1 and isinstance(node.args[0], EXPRESSIONS):
            raise self.fail(
                node, f"{name} needs at least 2 numbers when compiled: for an array use a loop over its cells"
            )
        elif name in BUILTINS:
            return
        elif hasattr(builtins, name):
            raise self.fail(
                node,
                f"{name}(…) cannot be compiled; of Python's own functions rules may use {', '.join(sorted(BUILTINS))}",
            )
        else:
            known = set(self.source.functions) | set(self.source.imported) | BUILTINS
            raise self.fail(node, f"{name!r} is not defined{did_you_mean(name, known)}")

    def check_unchanged(self, node: ast.AST, name: str, module: str, original: str) -> None:
        """An imported name must still mean what was imported: compiled code takes the original."""
        home = math if module == "math" else primitives
        if self.values.get(name) is not getattr(home, original, None):
            raise self.fail(
                node, f"{name} is imported from {module} and then changed: give the other thing another name"
            )

    def check_count(self, node: ast.Call, name: str, wanted: int) -> None:
        if len(node.args) != wanted:
            raise self.fail(node, f"{name} takes {wanted} argument{'s' if wanted != 1 else ''}, got {len(node.args)}")
