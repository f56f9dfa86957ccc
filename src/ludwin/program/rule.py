"""What the rule of a primitive means: one strict expression that every way to run programs starts from.

Why it is here.  A program is run by the readable evaluator, inside compiled searches, as native code and
as an exported module, and all must agree to the last bit.  They do, because they do not read the rule
as it was written but its meaning: an expression in which every number is a float, every test
a truth, every truth that is used as a number is 1.0 or 0.0, and no operation fails (`total.py`).
"""

import ast

from ludwin.program import total

# What a rule may call: its name there, and the function that is meant.
CALLS = {
    "abs": abs,
    "min": min,
    "max": max,
    "log": total.total_log,
    "sqrt": total.total_sqrt,
    "sin": total.total_sin,
    "cos": total.total_cos,
    "exp": total.total_exp,
    "asin": total.total_asin,
    "acos": total.total_acos,
}
SEVERAL = ("min", "max")  # these take two or more arguments, the others one
DIVIDE = "total_divide"
TOTAL = (DIVIDE, *(f.__name__ for f in CALLS.values() if f.__name__.startswith("total_")))
LATER = ("total_asin", "total_acos")  # imported where they are used only: the text of older languages stays as it was
SPACE = {"__builtins__": {}, "abs": abs, "min": min, "max": max, **{name: getattr(total, name) for name in TOTAL}}


def imported(text: str) -> str:
    """Return what a kernel's text must import of `total`."""
    return ", ".join(name for name in TOTAL if name not in LATER or name in text)


def is_truth(node: ast.expr) -> bool:
    """Return whether an expression is true or false rather than a number."""
    if isinstance(node, ast.IfExp):
        return is_truth(node.body) and is_truth(node.orelse)
    return isinstance(node, ast.Compare | ast.BoolOp) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )


def number(node: ast.expr) -> ast.expr:
    """Return an expression as a number: a truth is 1.0 or 0.0."""
    return ast.IfExp(node, ast.Constant(1.0), ast.Constant(0.0)) if is_truth(node) else node


def truth(node: ast.expr) -> ast.expr:
    """Return an expression as a truth: a number is true unless it is 0."""
    return node if is_truth(node) else ast.Compare(node, [ast.NotEq()], [ast.Constant(0.0)])


class _Strict(ast.NodeTransformer):
    """Makes numbers numbers and truths truths; `truths` are the arguments that are truths."""

    def __init__(self, truths: frozenset[str]):
        self.truths = truths

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return truth(node) if node.id in self.truths else node

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        assert isinstance(node.value, bool | int | float)
        return ast.Constant(float(node.value))

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        left, right = number(self.visit(node.left)), number(self.visit(node.right))
        if isinstance(node.op, ast.Div):
            return ast.Call(ast.Name(DIVIDE, ast.Load()), [left, right], [])
        return ast.BinOp(left, node.op, right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not):
            return ast.UnaryOp(ast.Not(), truth(operand))
        if isinstance(operand, ast.Constant):
            return ast.Constant(-float(operand.value))  # type: ignore[arg-type]
        return ast.UnaryOp(ast.USub(), number(operand))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        return ast.Compare(
            number(self.visit(node.left)), node.ops, [number(self.visit(part)) for part in node.comparators]
        )

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        return ast.BoolOp(node.op, [truth(self.visit(part)) for part in node.values])

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        test, body, orelse = truth(self.visit(node.test)), self.visit(node.body), self.visit(node.orelse)
        if not (is_truth(body) and is_truth(orelse)):
            body, orelse = number(body), number(orelse)
        return ast.IfExp(test, body, orelse)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        assert isinstance(node.func, ast.Name)
        return ast.Call(
            ast.Name(CALLS[node.func.id].__name__, ast.Load()), [number(self.visit(part)) for part in node.args], []
        )


def meaning(tree: ast.expr, truths: frozenset[str]) -> ast.expr:
    """Return the strict expression of a rule's syntax tree, a number."""
    strict = number(_Strict(truths).visit(ast.parse(ast.unparse(tree), mode="eval").body))
    return ast.parse(ast.unparse(ast.fix_missing_locations(strict)), mode="eval").body
