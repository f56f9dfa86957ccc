"""Small questions about pieces of rules: what a node of syntax is called, whether a table is rectangular.

Why it is here.  The lint tells one story, what rules may say; these are the questions that it asks on the way.
"""

import ast
from typing import Any

from ludwin.rules.source import is_numpys

DEEPEST = 6  # dimensions of a table; a list that holds itself has no end


def word_for(node: ast.AST) -> str:
    """Return what people call a piece of syntax."""
    name = type(node).__name__
    return {"GeneratorExp": "generator", "SetComp": "set", "DictComp": "dict", "NamedExpr": "walrus :="}.get(
        name, name.lower()
    )


def is_print(node: ast.expr) -> bool:
    """Tell whether an expression only helps to look for a mistake."""
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


def with_parts(node: ast.expr, parts: list[ast.Constant]) -> ast.expr:
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
    """Tell whether a value is an array of NumPy's."""
    return is_numpys(value) and hasattr(value, "dtype") and not isinstance(value, type)


def flat(table: Any) -> list[Any]:
    """Return the cells of a table, row after row."""
    return [x for item in table for x in flat(item)] if isinstance(table, list | tuple) else [table]


def rectangular(table: Any, depth: int = 0) -> bool:
    """Tell whether all rows of a table are equally long, at every depth."""
    rows = [item for item in table if isinstance(item, list | tuple)]
    if not rows:
        return True
    return (
        depth < DEEPEST
        and len(rows) == len(table)
        and len({len(row) for row in rows}) == 1
        and all(rectangular(row, depth + 1) for row in rows)
    )
