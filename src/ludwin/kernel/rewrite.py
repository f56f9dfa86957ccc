"""The small changes that make a text compilable: casts, powers, examined indices.

Why it is here.  The text that is compiled is the author's, with the author's lines, but for these
changes.  Calls to a function that calls itself get their numbers cast, because one literal argument
makes numba compile the recursion twice and its disk cache then crashes (numba #6061).  Powers
and stores into integer fields go through functions that refuse floats.  In checked mode every index
goes through `bound`.
"""

import ast
import copy

from ludwin.rules.layout import Layout

CASTS = {"int": "_whole", "float": "_real", "bool": "_truth"}
LINES = 1_000_000  # a place is coded as file number * LINES + line


class Rewrite(ast.NodeTransformer):
    """Rewrites one function; `casts` are the annotated arguments of self-recursive functions."""

    def __init__(self, fields: Layout, casts: dict[str, list[str | None]], checked: bool, file: int):
        self.integers = {field.name for field in fields if field.size is None and not field.real}
        self.casts = casts
        self.checked = checked
        self.file = file

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for arg in node.args.args:
            arg.annotation = None
        node.returns = None
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        assert node.value is not None
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))  # type: ignore[no-any-return]

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print":
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("_power", node, node.left, node.right) if isinstance(node.op, ast.Pow) else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target = node.targets[0]
        if isinstance(target, ast.Attribute) and target.attr in self.integers:
            node.value = _call("_whole", node.value, node.value)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if isinstance(node.target, ast.Attribute) or isinstance(node.op, ast.Pow):
            load = copy.deepcopy(node.target)
            load.ctx = ast.Load()
            value = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
            return self.visit(ast.copy_location(ast.Assign([node.target], value), node))  # type: ignore[no-any-return]
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        if isinstance(node.slice, ast.Tuple):
            inner: ast.expr = node.value
            for index in node.slice.elts:
                inner = ast.copy_location(ast.Subscript(inner, index, ast.Load()), node)
            assert isinstance(inner, ast.Subscript)
            inner.ctx = node.ctx
            return self.visit(inner)  # type: ignore[no-any-return]
        array = copy.deepcopy(node.value)
        self.generic_visit(node)
        if self.checked:
            size = _call("_size", node, self.visit(array))
            place = ast.copy_location(ast.Constant(self.file * LINES + node.lineno), node)
            node.slice = _call("_bound", node, node.slice, size, place)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else None
        if name in self.casts:
            for k, kind in enumerate(self.casts[name][: len(node.args)]):
                if kind in CASTS:
                    node.args[k] = _call(CASTS[kind], node.args[k], node.args[k])
        return node


def _call(name: str, place: ast.AST, *args: ast.expr) -> ast.Call:
    call = ast.Call(ast.Name(name, ast.Load()), list(args), [])
    ast.copy_location(call, place)
    ast.copy_location(call.func, place)
    return call


def annotations(function: ast.FunctionDef) -> list[str | None]:
    """Return what each argument is annotated with, None where nothing is."""
    return [ast.unparse(a.annotation).strip("'\"") if a.annotation else None for a in function.args.args]
