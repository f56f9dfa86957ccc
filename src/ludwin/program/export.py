"""A program as a plain Python module: to read, to keep, to use where there is no ludwin.

The module has one function, `evaluate(read)`, in which `read(name, place)` answers what the program asks
of a position.  Conditionals are if and else, everything that is used twice has a name, introns are
gone, and its values are those of the program to the last bit.

A program that acts becomes `evaluate(read, act)`: `act(name, number, arguments)` does what the program says, in the
same order; branches are functions among the arguments.  `ludwin.program.act.Deeds(world).act` is such a function, with
limits.
"""

import ast
import copy
import inspect
import keyword
from collections.abc import Sequence

from ludwin.errors import BadParameter
from ludwin.program import total
from ludwin.program.assemble import branches, fixed
from ludwin.program.interpret import MOBILITY
from ludwin.program.language import LETTERS
from ludwin.program.rule import TOTAL, is_truth
from ludwin.program.text import lines
from ludwin.program.tree import Tree

WIDTH = 100
BRACKETS = 200  # one in the other, that Python reads
NESTED = (
    40  # conditionals one in the other; what lies deeper is a function of its own, as Python indents 100 times only
)


def python(tree: Tree, game_text: str = "", notes: Sequence[str] = (), whose: str = "the player to move") -> str:
    """Return the text of a Python module that computes the program.

    `game_text` names the game, and `whose` the player for whom the program says how good a position is; `notes` are
    further lines for its head (where the program comes from).
    """
    acts = 0 in tree.acting
    writer = _ActingWriter(tree) if acts else _PythonWriter(tree)
    body = writer.body()
    used = [name for name in TOTAL if any(name in line for line in body)]
    head = [
        f"An evolved program{f' for {game_text}' if game_text else ''}.",
        *notes,
        "",
        *_explain(tree, f"how good a position is for {whose}" if game_text else "the value of the program"),
        "",
        "The program:",
        "",
        *lines(tree).splitlines(),
    ]
    parts = ["\n".join(f"# {line}".rstrip() for line in _plain_lines(head))]
    if used:
        parts.append("import math")
        constants = [f"MOST_EXPONENT = {total.MOST_EXPONENT!r}"] if "total_exp" in used else []
        parts += [*constants, *("\n\n" + _source(name) for name in used)]
    head_line = "def evaluate(read, act):" if acts else "def evaluate(read):"
    return "\n\n".join(parts) + "\n\n\n" + "\n".join([head_line, *(f"    {line}" for line in body)]) + "\n"


def demand_brackets(text: str) -> str:
    """Return a Python text of one expression. Raises BadParameter if Python cannot read its brackets."""
    depth = deepest = 0
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        deepest = max(deepest, depth)
    if deepest > BRACKETS:
        raise BadParameter(f"the program has {deepest} brackets one in the other; Python reads at most {BRACKETS}")
    return text


def _plain_lines(head: Sequence[str]) -> list[str]:
    """Return the lines of a comment; a note of several lines must not become code."""
    return [line for text in head for line in (text.splitlines() or [""])]


def _source(name: str) -> str:
    """Return the text of a total function, without its docstring."""
    function = ast.parse(inspect.getsource(getattr(total, name))).body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = function.body[1:]
    function.returns = None
    for argument in function.args.args:
        argument.annotation = None
    return ast.unparse(function)


def _explain(tree: Tree, value: str) -> list[str]:
    asked = sorted({(p.reads, p.places) for p in (tree.primitive(at) for at in tree.live) if p.reads})
    said = [f"evaluate(read) returns {value} (1.0 and 0.0 are true and false)."]
    if 0 in tree.acting:
        said = [
            "evaluate(read, act) runs the program and returns its value (1.0 and 0.0 are true and false).",
            "act(name, number, arguments) must do, and return the value of:",
            *_explain_actions(tree),
        ]
    if asked:
        said.append("read(name, place) must answer:")
    for name, places in asked:
        what = (
            "the number of legal moves"
            if name == MOBILITY
            else f"for the places 0 to {places - 1}"
            if places
            else "place is always 0"
        )
        said.append(f"    {name!r}: {what}")
    return said


def _explain_actions(tree: Tree) -> list[str]:
    said = {}
    for primitive in (tree.primitive(at) for at in sorted(tree.live)):
        if primitive.acts:
            words = "functions" if primitive.branches else "numbers"
            known = ", ".join(
                f"{LETTERS[k]}{'()' if primitive.is_branch(k) else ''}" for k in range(len(primitive.takes))
            )
            own = "its constant" if primitive.has_value else "its place" if primitive.places else "0.0"
            what = f"arguments [{known}]" + (f", {words} to call with ()" if primitive.branches else "")
            said[primitive.acts] = f"    {primitive.acts!r}: {what}; number is {own}"
    return [said[name] for name in sorted(said)]


class _PythonWriter:
    """Writes the statements of a program: a tree's inputs first, then its functions from the leaves up."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.fixed = fixed(tree)
        self.inputs: dict[tuple[str, int], str] = {}
        self.functions: list[str] = []
        self.nested = 0  # in how many conditionals the statement lies that is being written
        self.names: set[str] = {"read", "act", "math", *TOTAL}

    def body(self) -> list[str]:
        statements, value = self.node(0, whole=True)
        reads = [f"{name} = float(read({asked!r}, {place}))" for (asked, place), name in self.inputs.items()]
        return [*reads, *self.functions, *statements, f"return {value}"]

    def fresh(self, stem: str) -> str:
        stem = "".join(c if c.isalnum() and c.isascii() else "_" for c in stem).strip("_").lower() or "value"
        stem = f"n{stem}" if stem[0].isdigit() else stem
        taken = stem in self.names or stem in ("float", "abs", "min", "max") or keyword.iskeyword(stem)
        name = "" if taken else stem
        number = 2
        while not name:
            name = "" if f"{stem}_{number}" in self.names else f"{stem}_{number}"
            number += 1
        self.names.add(name)
        return name

    def node(self, at: int, whole: bool = False) -> tuple[list[str], str]:
        """Return the statements before a node's value is known, and the expression that it is then.

        A long expression gets a name, unless it is the whole of a statement.
        """
        if at in self.fixed:
            return [], _literal(self.tree.evaluate(_no_input, at))
        statements, value = self.plain(at)
        factor = self.tree.factors[at]
        if factor != 1.0:
            value = ast.unparse(ast.parse(f"({value}) * {_literal(factor)}"))
        if len(value) > WIDTH and not whole:
            name = self.fresh("value")
            return [*statements, f"{name} = {value}"], name
        return statements, value

    def plain(self, at: int) -> tuple[list[str], str]:
        primitive = self.tree.primitive(at)
        if primitive.reads:
            key = primitive.reads, self.tree.places[at]
            if key not in self.inputs:
                self.inputs[key] = self.fresh(f"{primitive.reads}_{key[1]}" if primitive.places else primitive.reads)
            return [], self.inputs[key]
        children = list(self.tree.children(at))
        if primitive.is_alias:
            return self.node(children[primitive.used[0]])
        if primitive.is_lazy:
            return self.branch(*(children[k] for k in branches(self.tree, at)))
        statements: list[str] = []
        known = {"v": _literal(self.tree.values[at])}
        for number in primitive.used:
            before, known[LETTERS[number]] = self.node(children[number])
            statements += before
        for number in primitive.used:  # what a rule names twice is computed once
            letter = LETTERS[number]
            if self.count(at, letter) > 1 and not known[letter].isidentifier() and children[number] not in self.fixed:
                name = self.fresh("part")
                statements.append(f"{name} = {known[letter]}")
                known[letter] = name
        return statements, self.expression(at, known)

    def count(self, at: int, letter: str) -> int:
        rule = self.tree.language.meanings[self.tree.nodes[at]]
        assert rule is not None
        return sum(1 for node in ast.walk(rule) if isinstance(node, ast.Name) and node.id == letter)

    def expression(self, at: int, known: dict[str, str]) -> str:
        rule = self.tree.language.meanings[self.tree.nodes[at]]
        assert rule is not None
        parsed = {name: ast.parse(text, mode="eval").body for name, text in known.items()}
        return ast.unparse(ast.fix_missing_locations(_Put(parsed).visit(copy.deepcopy(rule))))

    def branch(self, test: int, then: int, other: int) -> tuple[list[str], str]:
        statements, condition = self.node(test, whole=True)
        if test in self.fixed:
            return self.node(then if self.tree.evaluate(_no_input, test) != 0.0 else other)
        name = self.fresh("value")
        statements.append(f"if {_test(condition)}:")
        for word, at in (("", then), ("else:", other)):
            before, value = self.arm(at)
            statements += [word] if word else []
            statements += [f"    {line}" for line in [*before, f"{name} = {value}"]]
        return statements, name

    def arm(self, at: int) -> tuple[list[str], str]:
        """Return the statements of one branch of a conditional, and its value."""
        if self.nested == NESTED:
            return [], f"{self.function('branch', at)}()"
        self.nested += 1
        found = self.node(at, whole=True)
        self.nested -= 1
        return found

    def function(self, stem: str, at: int) -> str:
        """Write a subtree as a function, and return its name."""
        name, nested, self.nested = self.fresh(stem), self.nested, 0
        statements, value = self.node(at, whole=True)
        self.nested = nested
        self.functions += [f"def {name}():", *(f"    {line}" for line in [*statements, f"return {value}"])]
        return name


class _ActingWriter(_PythonWriter):
    """Writes a program that acts: inputs and deeds are statements in their places, branches functions at the head."""

    def body(self) -> list[str]:
        statements, value = self.node(0, whole=True)
        return [*self.functions, *statements, f"return {value}"]

    def plain(self, at: int) -> tuple[list[str], str]:
        primitive = self.tree.primitive(at)
        if primitive.reads:
            name = self.fresh(primitive.reads)
            return [f"{name} = float(read({primitive.reads!r}, {self.tree.places[at]}))"], name
        return self.deed(at) if primitive.acts else super().plain(at)

    def deed(self, at: int) -> tuple[list[str], str]:
        """Return the statements of an action and the name of its value."""
        primitive = self.tree.primitive(at)
        statements: list[str] = []
        arguments = []
        for number, child in enumerate(self.tree.children(at)):
            if primitive.is_branch(number):
                arguments.append(self.function(f"{primitive.acts} {LETTERS[number]}", child))
            else:
                before, value = self.node(child)
                statements += before
                arguments.append(value)
        name = self.fresh(f"{primitive.acts} value")
        call = f"act({primitive.acts!r}, {_literal(self.tree.number(at))}, [{', '.join(arguments)}])"
        return [*statements, f"{name} = float({call})"], name


class _Put(ast.NodeTransformer):
    """Puts expressions in the place of names, and drops the detour of a truth over its number."""

    def __init__(self, known: dict[str, ast.expr]):
        self.known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return copy.deepcopy(self.known.get(node.id, node))

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        return _truth_behind(node) or node


def _truth_behind(node: ast.expr) -> ast.expr | None:
    """Return T for `(1.0 if T else 0.0) != 0.0`."""
    match node:
        case ast.Compare(
            left=ast.IfExp(test=test, body=ast.Constant(value=1.0), orelse=ast.Constant(value=0.0)),
            ops=[ast.NotEq()],
            comparators=[ast.Constant(value=0.0)],
        ) if is_truth(test):
            return test
    return None


def _test(value: str) -> str:
    """Return the condition that a value is true, as short as it can be said."""
    node = ast.parse(f"({value}) != 0.0", mode="eval").body
    return ast.unparse(_truth_behind(node) or node)


def _literal(value: float) -> str:
    """Return a number as Python text, to the last bit."""
    return repr(value) if value - value == 0.0 else f'float("{value}")'


def _no_input(name: str, place: int) -> float:
    raise AssertionError("a constant reads nothing")
