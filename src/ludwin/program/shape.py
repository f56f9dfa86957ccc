"""A shape as kernel text: a program whose constants are data, compiled together with the search that asks it.

Why it is here.  Tuning the numbers of one program takes a hundred thousand games.  The interpreter (`interpret.py`)
decodes the program at every leaf, and native code (`native.py`) has the numbers inside and would be made anew for every
child.  Here the *shape* is compiled, what a program is without its constants, and these lie in registers.  The queries
are called with constant numbers, so the compiler sees through them.  Same operations in the same order: same bits.

What a shape is.  Primitives and places, node by node; of the factors only whether they are 1.
"""

from collections.abc import Mapping
from functools import lru_cache

from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.program.assemble import branches
from ludwin.program.interpret import expression
from ludwin.program.language import Language, Primitive
from ludwin.program.rule import imported
from ludwin.program.tree import Tree

Shape = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]


def shape_of(tree: Tree) -> Shape:
    """Return what a program is without its constants."""
    return tree.nodes, tree.places, tuple(factor != 1.0 for factor in tree.factors)


def constants(tree: Tree) -> tuple[float, ...]:
    """Return the constants of a program in the order of its nodes, each before its node's factor."""
    found = []
    for at in range(len(tree)):
        if tree.primitive(at).has_value:
            found.append(tree.values[at])
        if tree.factors[at] != 1.0:
            found.append(tree.factors[at])
    return tuple(found)


def with_constants(tree: Tree, given: tuple[float, ...]) -> Tree:
    """Return a program of the same shape with other constants."""
    values, factors, k = list(tree.values), list(tree.factors), 0
    for at in range(len(tree)):
        if tree.primitive(at).has_value:
            values[at] = given[k]
            k += 1
        if tree.factors[at] != 1.0:
            factors[at] = given[k]
            k += 1
    assert k == len(given)
    return Tree(tree.language, tree.nodes, tuple(values), tree.places, tuple(factors))


def judge_of(tree: Tree, inputs: Mapping[str, int]) -> Kernel:
    """Return `judge(s, p, n, code, registers)` of a program's shape; registers hold its constants, code is not read."""
    return _kernel(tree.language, shape_of(tree), tuple(sorted(inputs.items())))


@lru_cache(maxsize=256)
def _kernel(language: Language, shape: Shape, inputs: tuple[tuple[str, int], ...]) -> Kernel:
    nodes, places, marks = shape
    bare = Tree(language, nodes, (0.0,) * len(nodes), places, tuple(2.0 if mark else 1.0 for mark in marks))
    return kernel_from_text("shape", "judge", _Text(bare, dict(inputs)).text())


class _Text:
    """Writes one shape as a function."""

    def __init__(self, tree: Tree, inputs: Mapping[str, int]):
        self.tree, self.inputs = tree, inputs
        self.lines: list[str] = []
        self.names = 0
        self.slots: dict[tuple[int, str], int] = {}
        for at in range(len(tree)):
            if tree.primitive(at).has_value:
                self.slots[at, "value"] = len(self.slots)
            if tree.factors[at] != 1.0:
                self.slots[at, "factor"] = len(self.slots)

    def text(self) -> str:
        result = self.node(0, "    ", {})
        head = [f"from ludwin.program.total import {imported(''.join(self.lines))}"]
        if any(self.inputs[primitive.reads] >= 0 for primitive in self.reading()):
            head.append("from ludwin.kernel.names import query")
        body = "\n".join(self.lines)
        return "\n".join([*head, "", "", "def judge(s, p, n, code, registers):", body, f"    return {result}", ""])

    def reading(self) -> list[Primitive]:
        return [p for p in map(self.tree.primitive, range(len(self.tree))) if p.reads]

    def put(self, indent: str, value: str) -> str:
        self.names += 1
        self.lines.append(f"{indent}t{self.names} = {value}")
        return f"t{self.names}"

    def node(self, at: int, indent: str, known: dict[tuple[str, int], str]) -> str:
        """Write what computes a node; `known` are the inputs that were read on every way here."""
        value = self.plain(at, indent, known)
        if (at, "factor") in self.slots:
            return self.put(indent, f"{value} * registers[{self.slots[at, 'factor']}]")
        return value

    def plain(self, at: int, indent: str, known: dict[tuple[str, int], str]) -> str:
        tree = self.tree
        primitive, place = tree.primitive(at), tree.places[at]
        if primitive.reads:
            if (primitive.reads, place) not in known:
                number = self.inputs[primitive.reads]
                value = "1.0 * n" if number < 0 else f"1.0 * query(s, p, {number}, {place})"
                known[primitive.reads, place] = self.put(indent, value)
            return known[primitive.reads, place]
        children = list(tree.children(at))
        if primitive.is_alias:
            return self.node(children[primitive.used[0]], indent, known)
        if primitive.is_lazy:
            test, then, other = (children[k] for k in branches(tree, at))
            truth = self.node(test, indent, known)
            name = self.put(indent, "0.0")
            for line, part in ((f"if {truth} != 0.0:", then), ("else:", other)):
                self.lines.append(indent + line)
                value = self.node(part, indent + "    ", dict(known))
                self.lines.append(f"{indent}    {name} = {value}")
            return name
        operands = [self.node(children[number], indent, known) for number in primitive.used]
        if primitive.has_value:
            operands.append(f"registers[{self.slots[at, 'value']}]")
        return self.put(indent, expression(tree.language, tree.nodes[at], operands))
