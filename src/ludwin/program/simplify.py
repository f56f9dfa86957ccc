"""Programs made shorter for reading, and what they consist of.

The idea.  A node is replaced by something smaller if its rule allows it: the known arguments are put into
the meaning of the rule (`rule.py`), the expression is reduced by the laws of arithmetic and logic,
and if a constant or one argument is left, that takes the node's place.  So `Plus(x, Zero)`,
`IFT(True, x, y)`, `OR(b, True)` and `Minus(x, x)` need no lines of their own here: every language
has its own names, and all have the same laws.

What stays equal.  For finite numbers the value stays equal (==) on every input; the sign of a zero may
change, and where numbers overflow, x - x and 0 * x are taken to be 0.  With `rounding=True` products of
constants are multiplied out, too: that moves the last digits (some 1e-16 of the numbers involved), so a
comparison of two nearly equal numbers may turn over.  It is for reading, not for playing.

What is done stays, too: no action is left out, merged, moved or doubled, so that the effects of a simplified
program, their order and its steps (`act.py`) are those of the original.  Only what never runs may go: introns, and the
branch that a constant condition does not take.  Two equal inputs are equal only if nothing acts between them.  And in
a language of actions no bit of a value may change, since a deed may hang on it: laws that hold for finite numbers
only, or up to the sign of a zero, are left out there.
"""

import ast
import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ludwin.program.assemble import branches, fixed
from ludwin.program.language import LETTERS, Language, Primitive
from ludwin.program.rule import SPACE, is_truth, truth
from ludwin.program.tree import Tree, join, leaf

ROUNDS = 50  # each round makes a program smaller, so this is never reached in earnest


def simplify(tree: Tree, *, rounding: bool = False) -> Tree:
    """Return a program of the same value, usually a shorter one, without introns."""
    for _ in range(ROUNDS):
        shorter = _Simplifier(tree, rounding).node(0)
        if shorter == tree:
            break
        tree = shorter
    return tree


class _Simplifier:
    """One round over a tree, children first."""

    def __init__(self, tree: Tree, rounding: bool):
        self.tree = tree
        self.language = tree.language
        self.rounding = rounding
        self.fixed = fixed(tree)
        self.exact = tree.language.acts
        self.truths = _truths(tree)

    def node(self, at: int) -> Tree:
        if at in self.fixed:
            found = constant(self.language, self.tree.evaluate(_no_input, at), self.tree.wanted[at], self.exact)
            if found is not None:
                return found
        primitive = self.tree.primitive(at)
        children = [
            self.node(child) if number in primitive.used else smallest(self.language, word)
            for number, (child, word) in enumerate(zip(self.tree.children(at), primitive.takes, strict=True))
        ]
        made = Tree(
            self.language,
            self.tree.nodes[at : at + 1],
            self.tree.values[at : at + 1],
            self.tree.places[at : at + 1],
            self.tree.factors[at : at + 1],
        )
        if not primitive.takes:
            return made
        whole = join(
            self.language, primitive.name, *children, value=self.tree.values[at], place=self.tree.places[at]
        ).change(0, factor=self.tree.factors[at])
        if primitive.acts:
            return whole
        return (
            self.replaced(at, whole, children) or (self.multiplied(whole, children) if self.rounding else None) or whole
        )

    def replaced(self, at: int, whole: Tree, children: list[Tree]) -> Tree | None:
        """Return the constant or the argument that a node comes down to, if it does."""
        primitive, wanted = whole.primitive(0), self.tree.wanted[at]
        rule = reduced(whole, children, self.exact)
        if isinstance(rule, ast.Constant):
            if _deeds(whole, children):
                return None
            value = float(rule.value) * whole.factors[0]  # type: ignore[arg-type]
            return constant(self.language, value, wanted, self.exact)
        name = _argument(rule)
        if name is None:
            return None
        number = LETTERS.index(name)
        if any(k != number for k in _deeds(whole, children)):
            return None
        child = _negated_twice(whole, children, self.exact) if isinstance(rule, ast.UnaryOp) else children[number]
        if child is None or not self.language.fits(child.returns(0), wanted):
            return None
        if not isinstance(rule, ast.Name) and not (  # a truth test of the argument: the same only if read as a truth
            self.language.is_truth(primitive.takes[number]) and (self.truths[at] or _gives_truth(self.language, child))
        ):
            return None
        return self.scaled(child, whole.factors[0])

    def scaled(self, tree: Tree, factor: float) -> Tree | None:
        """Return a tree times a factor, None if that would round."""
        if factor == 1.0:
            return tree
        if tree.factors[0] == 1.0 or self.rounding:
            return tree.change(0, factor=tree.factors[0] * factor)
        return None

    def multiplied(self, whole: Tree, children: list[Tree]) -> Tree | None:
        """Return a node `a * v` with its factor, and that of its argument, in its constant v."""
        if not _is_scaling(self.language, whole):
            return None
        child = children[whole.primitive(0).used[0]]
        value = whole.values[0] * whole.factors[0] * child.factors[0]
        child = child.change(0, factor=1.0)
        if _is_scaling(self.language, child):
            value *= child.values[0]
            child = child.subtree(list(child.children(0))[child.primitive(0).used[0]])
        parts = [child if number in whole.primitive(0).used else part for number, part in enumerate(children)]
        made = join(self.language, whole.primitive(0).name, *parts, value=value)
        return made if made != whole else None


def reduced(whole: Tree, children: list[Tree], exact: bool = False) -> ast.expr:
    """Return the meaning of a tree's first node with its constant arguments put in and the laws applied."""
    rule = _handed_on(whole.primitive(0)) or whole.language.meanings[whole.nodes[0]]
    assert rule is not None
    known: dict[str, ast.expr] = {"v": ast.Constant(whole.values[0])}
    for number in whole.primitive(0).used:
        child = children[number]
        if 0 in fixed(child):
            known[LETTERS[number]] = ast.Constant(child.evaluate(_no_input))
        else:  # equal arguments get one name, if nothing acts in them or between them
            same = [k for k in whole.primitive(0).used if k <= number and children[k] == child]
            while any(0 in children[k].acting for k in range(same[0], number) if k in whole.primitive(0).used):
                same.pop(0)
            known[LETTERS[number]] = ast.Name(LETTERS[same[0]], ast.Load())
    return _Laws(known, exact).visit(copy.deepcopy(rule))  # type: ignore[no-any-return]


def _handed_on(primitive: Primitive) -> ast.expr | None:
    """Return the meaning of a conditional or an alias, which hands a value on as it is, be it a truth or not."""
    if primitive.is_alias:
        return primitive.tree
    if primitive.is_lazy:
        rule = copy.deepcopy(primitive.tree)
        assert isinstance(rule, ast.IfExp)
        rule.test = truth(rule.test)
        return rule
    return None


def _deeds(whole: Tree, children: list[Tree]) -> list[int]:
    """Return the arguments in which something acts whenever the first node runs, or may act."""
    primitive = whole.primitive(0)
    if not whole.language.acts:
        return []
    run = list(primitive.used)
    if primitive.is_lazy:
        test, then, other = branches(whole, 0)
        if 0 in fixed(children[test]):  # the other way is never taken
            run = [then if children[test].evaluate(_no_input) != 0.0 else other]
    return [k for k in run if 0 in children[k].acting]


class _Laws(ast.NodeTransformer):
    """The laws of arithmetic and logic that make a strict expression shorter."""

    def __init__(self, known: dict[str, ast.expr], exact: bool):
        self.known = known
        self.exact = exact  # only laws that keep every bit of every number

    def visit(self, node: ast.AST) -> Any:
        node = super().visit(node)
        if (
            isinstance(node, ast.expr)
            and not isinstance(node, ast.Constant)
            and all(isinstance(part, ast.Constant) for part in _parts(node))
        ):
            value = eval(
                compile(ast.fix_missing_locations(ast.Expression(copy.deepcopy(node))), "<rule>", "eval"), SPACE
            )
            return ast.Constant(value)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.known.get(node.id, node)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        node.args = [self.visit(part) for part in node.args]
        if _word(node) in ("min", "max") and all(_same(part, node.args[0]) for part in node.args):
            return node.args[0]
        if _word(node) == "total_divide" and _is(node.args[1], 1.0):
            return node.args[0]
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        left, right = node.left, node.right
        if self.exact:
            match node.op:
                case ast.Add() if _is_exactly(right, -0.0):
                    return left
                case ast.Add() if _is_exactly(left, -0.0):
                    return right
                case ast.Sub() if _is_exactly(right, 0.0):
                    return left
                case ast.Mult() if _is(right, 1.0):
                    return left
                case ast.Mult() if _is(left, 1.0):
                    return right
            return node
        match node.op:
            case ast.Add() if _is(right, 0.0):
                return left
            case ast.Add() if _is(left, 0.0):
                return right
            case ast.Sub() if _is(right, 0.0):
                return left
            case ast.Sub() if _same(left, right):
                return ast.Constant(0.0)
            case ast.Mult() if _is(left, 0.0) or _is(right, 0.0):
                return ast.Constant(0.0)
            case ast.Mult() if _is(right, 1.0):
                return left
            case ast.Mult() if _is(left, 1.0):
                return right
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        if not self.exact and len(node.ops) == 1 and _same(node.left, node.comparators[0]):
            return ast.Constant(isinstance(node.ops[0], ast.LtE | ast.GtE | ast.Eq))
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        decisive = isinstance(node.op, ast.Or)  # one True decides an or, one False an and
        parts: list[ast.expr] = []
        for part in node.values:
            if isinstance(part, ast.Constant):
                if bool(part.value) == decisive:
                    return ast.Constant(decisive)
            elif not any(_same(part, other) for other in parts):
                parts.append(part)
        if len(parts) > 1:
            return ast.BoolOp(node.op, parts)
        return parts[0] if parts else ast.Constant(not decisive)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(inner, ast.UnaryOp) and type(inner.op) is type(node.op):
            return inner.operand
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.test, ast.Constant):
            return node.body if node.test.value else node.orelse
        if _same(node.body, node.orelse):
            return node.body
        if _is(node.body, 1.0) and _is_exactly(node.orelse, 0.0) and not is_truth(node.body):
            return node.test  # a truth as a number, named by its test
        return node


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the operands of an expression; the expression itself where there are none."""
    found = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    if isinstance(node, ast.Call):
        found = list(node.args)
    yield from found or [node]


def _word(node: ast.Call) -> str:
    return node.func.id if isinstance(node.func, ast.Name) else ""


def _is(node: ast.expr, value: float) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is float and node.value == value


def _is_exactly(node: ast.expr, value: float) -> bool:
    """Return whether an expression is this number with this sign, be it a zero."""
    if not _is(node, value):
        return False
    return math.copysign(1.0, node.value) == math.copysign(1.0, value)  # type: ignore[attr-defined]


def _same(first: ast.expr, second: ast.expr) -> bool:
    return ast.dump(first) == ast.dump(second)


def _argument(rule: ast.expr) -> str | None:
    """Return the argument that a rule is, or is the truth or the untruth of."""
    match rule:
        case (
            ast.Name(id=name)
            | ast.Compare(left=ast.Name(id=name), ops=[ast.NotEq()], comparators=[ast.Constant(value=0.0)])
        ):
            return name
        case ast.UnaryOp(
            op=ast.Not(),
            operand=ast.Compare(left=ast.Name(id=name), ops=[ast.NotEq()], comparators=[ast.Constant(value=0.0)]),
        ):
            return name
    return None


def _negated_twice(whole: Tree, children: list[Tree], exact: bool) -> Tree | None:
    """Return x if the tree is not(not(x))."""
    name = _argument(reduced(whole, children, exact))
    child = children[LETTERS.index(name)] if name else None
    if child is None or not child.primitive(0).takes or child.primitive(0).acts or child.factors[0] != 1.0:
        return None
    below = [child.subtree(k) for k in child.children(0)]
    rule = reduced(child, below, exact)
    inner = _argument(rule) if isinstance(rule, ast.UnaryOp) else None
    if not inner or any(k != LETTERS.index(inner) for k in _deeds(child, below)):
        return None
    return below[LETTERS.index(inner)]


def _truths(tree: Tree) -> list[bool]:
    """Return for each node whether its value is read as a truth, so that any number but 0 will do for 1.

    Conditionals and aliases hand a value on to whoever reads theirs; actions, and who runs the program, see the number.
    """
    read = [False] * len(tree)
    for at in range(len(tree)):
        primitive = tree.primitive(at)
        for number, child in enumerate(tree.children(at)):
            handed_on = primitive.is_alias or (primitive.is_lazy and number != branches(tree, at)[0])
            truth = read[at] if handed_on else not primitive.acts
            read[child] = truth and tree.language.is_truth(tree.wanted[child])
    return read


def _gives_truth(language: Language, tree: Tree) -> bool:
    """Return whether a tree's value is always 1 or 0: its first node's rule is a test, or hands on what is one."""
    primitive = tree.primitive(0)
    if primitive.is_alias or primitive.is_lazy:
        handed_on = branches(tree, 0)[1:] if primitive.is_lazy else primitive.used
        below = list(tree.children(0))
        return tree.factors[0] == 1.0 and all(_gives_truth(language, tree.subtree(below[k])) for k in handed_on)
    rule = language.meanings[tree.nodes[0]]
    shape = isinstance(rule, ast.IfExp) and _is(rule.body, 1.0) and _is(rule.orelse, 0.0)
    return shape and tree.factors[0] == 1.0


def _is_scaling(language: Language, tree: Tree) -> bool:
    """Return whether a tree's first node multiplies its argument by its own constant."""
    rule = language.meanings[tree.nodes[0]]
    if not isinstance(rule, ast.BinOp) or not isinstance(rule.op, ast.Mult) or len(tree.primitive(0).used) != 1:
        return False
    names = {part.id for part in (rule.left, rule.right) if isinstance(part, ast.Name)}
    return names == {"v", LETTERS[tree.primitive(0).used[0]]}


def constant(language: Language, value: float, wanted: str, exact: bool = False) -> Tree | None:
    """Return the terminal that is this constant where a type is wanted: a named one, or a number; None if there is
    none. With `exact` the sign of a zero counts.
    """
    number = None
    if not math.isfinite(value):
        return None
    for primitive in (language.primitives[k] for k in language.fitting[wanted]):
        if primitive.takes or not primitive.rule:
            continue
        if not primitive.has_value:
            made = leaf(language, primitive.name)
            found = made.evaluate(_no_input)
            if found == value and (not exact or math.copysign(1.0, found) == math.copysign(1.0, value)):
                return made
        elif primitive.is_constant and not primitive.choices and number is None:
            number = leaf(language, primitive.name, value if exact else value + 0.0)
    return number


def smallest(language: Language, wanted: str) -> Tree:
    """Return the least program of a type: a terminal, if there is one, a constant if possible."""

    def cost(k: int) -> tuple[int, bool, bool, bool, int]:
        primitive = language.primitives[k]
        return language.least_of[k], bool(primitive.acts), bool(primitive.reads), primitive.has_value, k

    best = min(language.fitting[wanted], key=cost)
    primitive = language.primitives[best]
    children = [smallest(language, word) for word in primitive.takes]
    return join(language, primitive.name, *children, value=_first_value(primitive))


def _first_value(primitive: Primitive) -> float:
    if primitive.choices:
        return float(primitive.choices[0])
    low, high = primitive.draws or (0.0, 0.0)
    return min(max(0.0, low), high)


def _no_input(name: str, place: int) -> float:
    raise AssertionError("a constant reads nothing")


@dataclass(frozen=True)
class Use:
    """How often a primitive occurs in a program: where it can run, and in introns."""

    live: int
    introns: int


def usage(tree: Tree) -> dict[str, Use]:
    """Return how often each primitive of the program occurs, the most used first."""
    counts: dict[str, list[int]] = {}
    for at in range(len(tree)):
        counts.setdefault(tree.primitive(at).name, [0, 0])[at not in tree.live] += 1
    order = sorted(counts, key=lambda name: (-counts[name][0], -counts[name][1], name))
    return {name: Use(*counts[name]) for name in order}


def sizes(tree: Tree) -> dict[str, int]:
    """Return the numbers of a program: nodes, depth, live nodes, introns, functions, terminals, changed factors."""
    functions = sum(1 for at in range(len(tree)) if tree.primitive(at).takes)
    return {
        "nodes": len(tree),
        "depth": tree.depth,
        "live": len(tree.live),
        "introns": len(tree) - len(tree.live),
        "functions": functions,
        "terminals": len(tree) - functions,
        "factors": sum(1 for factor in tree.factors if factor != 1.0),
    }
