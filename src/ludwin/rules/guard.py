"""A suspicious copy of the rules: plain Python that stops where compiled code would go wrong.

Why it is here.  Compiled code does not examine an index, and its integers wrap round without a
word.  This pass rewrites the compiled functions so that CPython examines every index, every
arithmetic result and every power, and stops on the author's line.  `check` plays on this copy
first; when it is happy, plain and compiled code can only agree or be caught disagreeing.
"""

import ast
import copy
import types
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

from ludwin.errors import RuleError, brief
from ludwin.rules.plain import HIGHEST, LOWEST, describe, frozen
from ludwin.rules.reach import Reached
from ludwin.rules.source import Source


def guarded_index(array: Any, index: Any, text: str) -> int:
    """Return the index if it lies inside the array."""
    if isinstance(index, bool) or not isinstance(index, int):
        raise RuleError(f"{text}: an index must be a whole number, got {describe(index)}")
    if index < 0:
        raise RuleError(f"{text}: negative index {index} (compiled arrays do not wrap round)")
    if index >= len(array):
        raise RuleError(f"{text}: index {index} is outside 0 … {len(array) - 1}")
    return index


def guarded_item(array: Any, index: Any, text: str) -> Any:
    """Return array[index] if the index lies inside; the array has been computed only once."""
    if isinstance(index, tuple):  # NumPy's T[0, 1]; lint leaves it to NumPy's tables
        for part in index:
            array = guarded_item(array, part, text)
        return array
    if isinstance(array, tuple | list) or hasattr(array, "dtype"):
        return array[guarded_index(array, index, text)]
    raise RuleError(f"{text}: {describe(array)} is not an array")


def guarded_invert(value: Any, text: str) -> int:
    """Return ~value for whole numbers; a truth value means something else when compiled."""
    if isinstance(value, bool):
        raise RuleError(f"{text}: ~ of a truth value differs when compiled: use not")
    return ~int(value)


def guarded_result(value: Any, text: str) -> Any:
    """Return the result of an arithmetic operation if it fits 64 bits."""
    if isinstance(value, int) and not LOWEST <= value <= HIGHEST:
        raise RuleError(f"{text} overflows 64 bits: {brief(value)} (primitives add, mul and shl wrap round)")
    return value


def guarded_power(base: Any, exponent: Any, text: str) -> Any:
    """Return base ** exponent for integers; floats are refused."""
    if isinstance(base, float) or isinstance(exponent, float):
        raise RuleError(f"{text}: float ** rounds differently when compiled: use power(x, y) from ludwin.primitives")
    if exponent < 0:
        raise RuleError(f"{text}: a negative exponent makes a float: use power(x, y) from ludwin.primitives")
    if exponent > 64 and abs(base) > 1:  # not computed: it could take an hour
        raise RuleError(f"{text} overflows 64 bits: {brief(base)} to the power {brief(exponent)}")
    return guarded_result(base**exponent, text)


def guarded_shift(count: Any, text: str) -> int:
    """Return a shift count if the machine can do it."""
    if not isinstance(count, int) or not 0 <= count <= 63:
        raise RuleError(f"{text}: a shift must be by 0 … 63 bits, got {brief(count)}")
    return count


GUARDS = {
    f.__name__: f for f in (guarded_index, guarded_item, guarded_result, guarded_power, guarded_shift, guarded_invert)
}


def _call(name: str, node: ast.AST, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*args, ast.Constant(ast.unparse(node))], [])


class Guard(ast.NodeTransformer):
    """Wraps indices and arithmetic in the guards above; lines stay the author's."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.slice, ast.Tuple):  # T[i, j] of a NumPy table is T[i][j]
            inner: ast.expr = node.value
            for index in node.slice.elts:
                inner = ast.copy_location(ast.Subscript(inner, index, ast.Load()), node)
            assert isinstance(inner, ast.Subscript)
            inner.ctx = node.ctx
            return cast(ast.AST, self.visit(inner))
        if isinstance(node.ctx, ast.Load):
            return ast.copy_location(_call("guarded_item", node, self.visit(node.value), self.visit(node.slice)), node)
        array = _again(node.value)
        new = ast.Subscript(
            self.visit(node.value), _call("guarded_index", node, array, self.visit(node.slice)), node.ctx
        )
        return ast.copy_location(new, node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for arg in node.args.args:
            arg.annotation = None
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return cast(ast.AST, self.visit(ast.copy_location(ast.Assign([node.target], node.value), node)))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        text = copy.deepcopy(node)
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "abs":
            return ast.copy_location(_call("guarded_result", text, node), node)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow):
            return ast.copy_location(_call("guarded_power", node, left, right), node)
        if isinstance(node.op, ast.LShift | ast.RShift):
            right = _call("guarded_shift", node, right)
        return ast.copy_location(_call("guarded_result", node, ast.BinOp(left, node.op, right)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Invert):
            return ast.copy_location(_call("guarded_invert", node, self.visit(node.operand)), node)
        new = ast.UnaryOp(node.op, self.visit(node.operand))
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            return ast.copy_location(_call("guarded_result", node, new), node)
        return ast.copy_location(new, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.target, ast.Subscript):  # the cell itself examines what is stored
            text = copy.deepcopy(node)
            node.target = self.visit(node.target)
            node.value = self.visit(node.value)
            if isinstance(node.op, ast.LShift | ast.RShift):
                node.value = _call("guarded_shift", text, node.value)
            return node
        load = _again(node.target)
        operation = self.visit(ast.copy_location(ast.BinOp(load, node.op, node.value), node))
        return ast.copy_location(ast.Assign([node.target], operation), node)


def _again(node: ast.expr) -> ast.expr:
    """Return a second reading of an expression, on the author's line."""
    fresh = ast.parse(ast.unparse(node), mode="eval").body
    for part in ast.walk(fresh):
        ast.copy_location(part, node)
    return fresh


def guarded(reached: Reached, modules: Mapping[Path, types.ModuleType]) -> dict[Path, dict[str, Any]]:
    """Return for each file its names, with every compiled function in its guarded form."""
    spaces: dict[Path, dict[str, Any]] = {}
    used = words(function for _, function in reached.values())
    for source, function in reached.values():
        if source.path not in spaces:
            spaces[source.path] = {**_frozen(vars(modules[source.path]), used), **GUARDS}
        space = spaces[source.path]
        tree = ast.Module([Guard().visit(_fresh(function))], [])
        exec(compile(ast.fix_missing_locations(tree), str(source.path), "exec"), space)
    for source, _ in reached.values():
        link(source, spaces, used)
    return spaces


def words(functions: Iterable[ast.FunctionDef]) -> set[str]:
    """Return all names that functions use, of whatever kind."""
    nodes = [node for function in functions for node in ast.walk(function)]
    return {n.id for n in nodes if isinstance(n, ast.Name)} | {n.attr for n in nodes if isinstance(n, ast.Attribute)}


def _frozen(space: Mapping[str, Any], used: set[str]) -> dict[str, Any]:
    """Return a file's names with its tables as rules may use them: Python's numbers, and never changed."""
    return {name: frozen(value) if name in used else value for name, value in space.items()}


def link(source: Source, spaces: Mapping[Path, dict[str, Any]], used: set[str]) -> None:
    """Let the imported names of a file mean the new forms of the functions that they name."""
    space = spaces[source.path]
    for local in source.imported:
        found = source.find(local)
        if found and found[0].path in spaces:
            space[local] = spaces[found[0].path][found[1].name]
    for local, name in source.modules.items():
        helper = source.helpers.get(name)
        if helper and helper.path in spaces:
            space[local] = types.SimpleNamespace(**spaces[helper.path])
        elif helper:
            space[local] = types.SimpleNamespace(**_frozen(vars(space[local]), used))


def _fresh(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return a copy of a syntax tree that may be changed."""
    return copy.deepcopy(function)
