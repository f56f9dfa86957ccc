"""Small questions about syntax trees, imports and constants that `lint` asks.

Why it is here.  What a statement is called, whether control can run past its end, whether a table is rectangular: none
of it knows the laws of a game file, and all of it can be tested by itself.
"""

import ast
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from ludwin.errors import RuleError
from ludwin.rules.source import Source, is_numpys

DEEP = 150  # levels of syntax; to copy and walk through more would exhaust Python's own stack
DEEPEST = 6  # dimensions of a table; a list that holds itself has no end


def word(node: ast.AST) -> str:
    """Return what people call a piece of syntax."""
    name = type(node).__name__
    return {"GeneratorExp": "generator", "SetComp": "set", "DictComp": "dict", "NamedExpr": "walrus :="}.get(
        name, name.lower()
    )


def is_print(node: ast.expr) -> bool:
    """Tell whether this is a print or a breakpoint, which compiled code leaves out."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "breakpoint")


def ends(body: list[ast.stmt]) -> bool:
    """Tell whether control can never run past the end of these statements."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.If):
        return bool(last.orelse) and ends(last.body) and ends(last.orelse)
    if isinstance(last, ast.While):
        forever = isinstance(last.test, ast.Constant) and bool(last.test.value)
        return forever and not any(isinstance(n, ast.Break) for n in ast.walk(last))
    return False


def with_operands(node: ast.expr, parts: list[ast.Constant]) -> ast.expr:
    """Return an operation with other operands."""
    if isinstance(node, ast.UnaryOp):
        return ast.UnaryOp(node.op, parts[0])
    assert isinstance(node, ast.BinOp)
    return ast.BinOp(parts[0], node.op, parts[1])


def kind_of(value: object) -> str:
    """Say what a thing is: `a dict`, `an Urn`, `a class`."""
    if isinstance(value, type):
        return "a class"
    if callable(value):
        return "a function"
    name = type(value).__name__
    return "None" if value is None else f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def is_array(value: object) -> bool:
    """Tell whether a constant is an array of NumPy's."""
    return is_numpys(value) and hasattr(value, "dtype") and not isinstance(value, type)


def flat(table: Any) -> list[Any]:
    """Return all cells of a table."""
    return [x for item in table for x in flat(item)] if isinstance(table, list | tuple) else [table]


def rectangular(table: Any, depth: int = 0) -> bool:
    """Tell whether all rows of a table have one length, in every dimension."""
    rows = [item for item in table if isinstance(item, list | tuple)]
    if not rows:
        return True
    return (
        depth < DEEPEST
        and len(rows) == len(table)
        and len({len(row) for row in rows}) == 1
        and all(rectangular(row, depth + 1) for row in rows)
    )


def demand_shallow(owner: Source, function: ast.FunctionDef) -> None:
    """Raise RuleError for an expression that Python itself could hardly walk through."""
    level: list[ast.AST] = [function]
    for _ in range(DEEP):
        level = [inner for node in level for inner in ast.iter_child_nodes(node)]
        if not level:
            return
    line = next((node.lineno for node in level if isinstance(node, ast.expr | ast.stmt)), function.lineno)
    raise RuleError(
        f"something in {function.name} is nested more than {DEEP} deep: make several lines of it, or a loop",
        owner.path,
        line,
    )


def demand_kept_imports(owner: Source, modules: Mapping[Path, ModuleType]) -> None:
    """A rule that is imported from a file beside must still be that rule when the file has been read."""
    for node in owner.tree.body:
        helper = owner.helpers.get(node.module or "") if isinstance(node, ast.ImportFrom) else None
        for alias in node.names if helper and isinstance(node, ast.ImportFrom) else ():
            local = alias.asname or alias.name
            if not helper or alias.name not in helper.functions or local in owner.functions:
                continue
            if vars(modules[owner.path]).get(local) is not vars(modules[helper.path]).get(alias.name):
                raise RuleError(
                    f"{local} is something else when the file has been read: a rule is what its def says",
                    *owner.place(node),
                )
