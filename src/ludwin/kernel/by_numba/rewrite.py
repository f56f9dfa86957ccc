"""The small changes that make a text compilable: casts, powers, examined indices.

Why it is here.  The text that is compiled is the author's, with the author's lines, but for these
changes.  Calls to a function that calls itself get their numbers cast, because one literal argument
makes numba compile the recursion twice and its disk cache then crashes (numba #6061).  Powers
and stores into fields go through functions that refuse floats where the field is an integer.  In checked mode every
index goes through `bound`.
"""

import ast
import copy

CASTS = {"int": "_ludwin_whole", "float": "_ludwin_real", "bool": "_ludwin_truth"}
INTEGERS = ("moves", "mover", "key")  # contract functions that return whole numbers
LINES = 1_000_000  # a place is coded as file number * LINES + line


class Rewrite(ast.NodeTransformer):
    """Rewrites one function; `casts` are the annotated arguments of self-recursive functions."""

    def __init__(self, casts: dict[str, list[str | None]], checked: bool, file: int):
        self.stores = 0
        self.casts = casts
        self.checked = checked
        self.file = file

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        for arg in node.args.args:
            arg.annotation = None
        node.returns = None
        self.whole = node.name in INTEGERS
        self.generic_visit(node)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if self.whole and node.value is not None:
            node.value = _call("_ludwin_whole", node, node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit(ast.copy_location(ast.Assign([node.target], node.value), node))  # type: ignore[no-any-return]

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in ("print", "breakpoint"):
            return ast.copy_location(ast.Pass(), node)
        return self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("_ludwin_power", node, node.left, node.right) if isinstance(node.op, ast.Pow) else node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.AST]:
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and any(not isinstance(part, ast.Name) for part in target.elts):
            return self._one_by_one(node, target)
        if isinstance(target, ast.Attribute):
            return self._store(node, target, node.value, None)
        return self.generic_visit(node)

    def _store(self, node: ast.stmt, target: ast.Attribute, value: ast.expr, op: ast.operator | None) -> list[ast.AST]:
        """Store into a field through `fit`, which refuses floats where the field is an integer.

        Owner and value are computed once, in Python's order: the value first, or, if it is added to the old one, last.
        """
        self.stores += 1
        owner, given = f"_ludwin_owner{self.stores}", f"_ludwin_value{self.stores}"
        first, second = [(given, self.visit(value)), (owner, self.visit(target.value))][:: -1 if op else 1]
        field = ast.Attribute(ast.Name(owner, ast.Load()), target.attr, ast.Load())
        new: ast.expr = ast.Name(given, ast.Load())
        if op is not None:
            old = ast.Attribute(ast.Name(owner, ast.Load()), target.attr, ast.Load())
            power = isinstance(op, ast.Pow)
            new = _call("_ludwin_power", node, old, new) if power else ast.BinOp(old, op, new)
        place = ast.Attribute(ast.Name(owner, ast.Load()), target.attr, ast.Store())
        statements = [ast.Assign([ast.Name(name, ast.Store())], what) for name, what in (first, second)]
        statements.append(ast.Assign([place], _call("_ludwin_fit", node, field, new)))
        return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in statements]

    def _one_by_one(self, node: ast.Assign, target: ast.Tuple) -> list[ast.AST]:
        """Split an assignment to several fields, so that each store is examined by itself."""
        names = [f"_ludwin_part{k}" for k in range(len(target.elts))]
        parts: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
        statements: list[ast.AST] = [ast.Assign([ast.Tuple(parts, ast.Store())], self.visit(node.value))]
        for name, part in zip(names, target.elts, strict=True):
            value = ast.copy_location(ast.Name(name, ast.Load()), node)
            made = self.visit(ast.copy_location(ast.Assign([part], value), node))
            statements += made if isinstance(made, list) else [made]
        return [ast.fix_missing_locations(ast.copy_location(statement, node)) for statement in statements]

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.AST]:
        if isinstance(node.target, ast.Attribute):
            return self._store(node, node.target, node.value, node.op)
        if isinstance(node.op, ast.Pow):
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
        pair = isinstance(node.value, ast.Call)  # what a function returns is a pair, not an array
        array = copy.deepcopy(node.value)
        self.generic_visit(node)
        if not self.checked or pair:
            return node
        place = ast.copy_location(ast.Constant(self.file * LINES + node.lineno), node)
        if isinstance(node.ctx, ast.Load):  # the array is computed once, for it may draw from a stream
            return _call("_ludwin_item", node, node.value, node.slice, place)
        size = _call("_ludwin_size", node, self.visit(array))
        node.slice = _call("_ludwin_bound", node, node.slice, size, place)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = ast.unparse(node.func)
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
