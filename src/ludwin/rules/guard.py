"""A suspicious copy of the rules: plain Python that stops where compiled code would go wrong.

Why it is here.  Compiled code does not examine an index, and its integers wrap round without a
word.  This pass rewrites the compiled functions so that CPython examines every index, every
arithmetic result and every power, and stops on the author's line.  `check` plays on this copy
first; when it is happy, plain and compiled code can only agree or be caught disagreeing.
"""

import ast
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ludwin.errors import RuleError
from ludwin.rules.plain import HIGHEST, LOWEST, describe
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


def guarded_result(value: Any, text: str) -> Any:
    """Return the result of an arithmetic operation if it fits 64 bits."""
    if isinstance(value, int) and not LOWEST <= value <= HIGHEST:
        raise RuleError(f"{text} overflows 64 bits: {value} (primitives add, mul and shl wrap round)")
    return value


def guarded_power(base: Any, exponent: Any, text: str) -> Any:
    """Return base ** exponent for integers; floats are refused."""
    if isinstance(base, float) or isinstance(exponent, float):
        raise RuleError(f"{text}: float ** rounds differently when compiled: use power(x, y) from ludwin.primitives")
    if exponent < 0:
        raise RuleError(f"{text}: a negative exponent makes a float: use power(x, y) from ludwin.primitives")
    return guarded_result(base**exponent, text)


def guarded_shift(count: Any, text: str) -> int:
    """Return a shift count if the machine can do it."""
    if not isinstance(count, int) or not 0 <= count <= 63:
        raise RuleError(f"{text}: a shift must be by 0 … 63 bits, got {count!r}")
    return count


GUARDS = {f.__name__: f for f in (guarded_index, guarded_result, guarded_power, guarded_shift)}


def _call(name: str, node: ast.AST, *args: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), [*args, ast.Constant(ast.unparse(node))], [])


class Guard(ast.NodeTransformer):
    """Wraps indices and arithmetic in the guards above; lines stay the author's."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        array = ast.parse(ast.unparse(node.value), mode="eval").body
        new = ast.Subscript(self.visit(node.value), _call("guarded_index", node, array, self.visit(node.slice)), node.ctx)
        if isinstance(node.slice, ast.Tuple):
            new.slice = self.visit(node.slice)
        return ast.copy_location(new, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        left, right = self.visit(node.left), self.visit(node.right)
        if isinstance(node.op, ast.Pow):
            return ast.copy_location(_call("guarded_power", node, left, right), node)
        if isinstance(node.op, ast.LShift | ast.RShift):
            right = _call("guarded_shift", node, right)
        return ast.copy_location(_call("guarded_result", node, ast.BinOp(left, node.op, right)), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        new = ast.UnaryOp(node.op, self.visit(node.operand))
        if isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
            return ast.copy_location(_call("guarded_result", node, new), node)
        return ast.copy_location(new, node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.target, ast.Subscript):  # the cell itself examines what is stored
            node.target = self.visit(node.target)
            node.value = self.visit(node.value)
            return node
        load = ast.parse(ast.unparse(node.target), mode="eval").body
        operation = self.visit(ast.copy_location(ast.BinOp(load, node.op, node.value), node))
        return ast.copy_location(ast.Assign([node.target], operation), node)


def guarded(reached: Reached, modules: Mapping[Path, types.ModuleType]) -> dict[Path, dict[str, Any]]:
    """Return for each file its names, with every compiled function in its guarded form."""
    spaces: dict[Path, dict[str, Any]] = {}
    for source, function in reached.values():
        space = spaces.setdefault(source.path, {**vars(modules[source.path]), **GUARDS})
        tree = ast.Module([Guard().visit(_fresh(function))], [])
        exec(compile(ast.fix_missing_locations(tree), str(source.path), "exec"), space)
    for source, _ in reached.values():
        link(source, spaces)
    return spaces


def link(source: Source, spaces: Mapping[Path, dict[str, Any]]) -> None:
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


def _fresh(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return a copy of a syntax tree that may be changed."""
    import copy

    return copy.deepcopy(function)
