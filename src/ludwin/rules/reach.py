"""Which functions of a file take part in play, and in which order they call each other.

Why it is here.  Only functions that the contract's functions reach are compiled; drawing and parsing
may use any Python.  Functions may call themselves, and each other in a circle.
"""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

from ludwin.rules.contract import VARIANTS, WORLD_VARIANTS
from ludwin.rules.source import Source

Where = tuple[Path, str]  # a function's file and name
Reached = dict[Where, tuple[Source, ast.FunctionDef]]


def roots(source: Source) -> dict[str, tuple[str, ...]]:
    """Return the names of all functions to compile, with their arguments: the contract's and its variants."""
    found = dict(source.contract)
    for name in (*source.functions, *source.imported):
        for prefix, arguments in (WORLD_VARIANTS if source.is_world else VARIANTS).items():
            if name.startswith(prefix) and source.find(name):
                found[name] = arguments
    return found


def calls(source: Source, function: ast.FunctionDef) -> Iterator[tuple[str, Source, ast.FunctionDef, ast.AST]]:
    """Yield (name as written, file, function, node) for each of our functions that this one names."""
    local = locals_of(function)
    for node in ast.walk(function):
        found = None
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local:
            found = source.find(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in local:
            helper = source.helpers.get(source.modules.get(node.value.id, ""))
            found = helper.find(node.attr) if helper else None
        if found:
            yield ast.unparse(node), found[0], found[1], node


def locals_of(function: ast.FunctionDef) -> set[str]:
    """Return the names that are local to a function: its arguments and what it assigns."""
    names = {arg.arg for arg in function.args.args}
    names.update(n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return names


def names_of(function: ast.FunctionDef) -> set[str]:
    """Return the names that a function reads from its file or, as `helper.name`, from another."""
    local = locals_of(function)
    found = set()
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in local:
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id not in local:
            found.add(f"{node.value.id}.{node.attr}")
    return found


def reach(source: Source, roots: Iterable[str]) -> Reached:
    """Return the functions reached from `roots`, callees first (in a circle, the one that is called later)."""
    done: Reached = {}
    seen: set[Where] = set()

    def visit(owner: Source, function: ast.FunctionDef) -> None:
        where = (owner.path, function.name)
        if where in seen:
            return
        seen.add(where)
        for _, home, callee, _ in calls(owner, function):
            visit(home, callee)
        done[where] = (owner, function)

    for root in roots:
        found = source.find(root)
        if found:
            visit(*found)
    return done


def recursive(source: Source, function: ast.FunctionDef) -> bool:
    """Tell whether a function calls itself."""
    return any(callee is function for _, _, callee, _ in calls(source, function))
