"""Programs as register code: what the interpreter inside compiled searches runs.

The idea.  A tree of 80 nodes has some 40 leaves, and a stack machine spends half its time pushing them.
Here constants and inputs lie in registers before the program starts, so that only functions cost
an instruction, each input is read once a position however often the program names it, introns
are left out, a conditional jumps over the branch that is not taken (and only selects, if both are in registers), what
depends on no input is computed beforehand, and what was computed already on every way here is not computed again.
Nothing of this changes a bit of the value.

Layout.  `code` begins with the number of inputs, the first instruction and the address of native code (0:
none); then a triple (input, place, register) per input; then instructions of `stride` numbers: operation,
target, operands.  `registers` holds the constants.
"""

import ast
from dataclasses import dataclass
from typing import cast

from ludwin.errors import BadParameter
from ludwin.program.language import LETTERS, Language
from ludwin.program.tree import Tree

STOP, JUMP, UNLESS, MOVE, TIMES, SELECT = 0, 1, 2, 3, 4, 5  # operations of every language; its functions follow
FIRST = 6
HEAD = 3
ADDRESS = 2  # where the code holds the address of native code


def stride(language: Language) -> int:
    """Return the length of an instruction: operation, target, operands."""
    return 2 + max([2, *(len(p.used) + int(p.has_value) for p in language.primitives if p.takes and p.rule)])


@dataclass(frozen=True)
class Code:
    """A program ready for the interpreter; `reads` are its inputs with their places and registers."""

    code: tuple[int, ...]
    registers: tuple[float, ...]
    reads: tuple[tuple[str, int, int], ...]


def assemble(tree: Tree, inputs: dict[str, int]) -> Code:
    """Return the register code of a program; `inputs` numbers what terminals may read."""
    return Assembler(tree, inputs).code()


class Assembler:
    """Writes the register code of one tree."""

    def __init__(self, tree: Tree, inputs: dict[str, int]):
        self.begin(tree)
        self.numbers = inputs
        self.width = stride(tree.language)
        self.reads: dict[tuple[str, int], int] = {}
        self.constants: dict[str, int] = {}
        self.known: dict[tuple[int, ...], int] = {}  # what was computed on every way here, and its register
        self.values: list[float] = []
        self.out: list[list[int]] = []

    def begin(self, tree: Tree) -> None:
        """Turn to a tree."""
        self.tree = tree
        self.fixed = fixed(tree)

    def code(self) -> Code:
        self.emit(STOP, self.node(0))
        head = HEAD + 3 * len(self.reads)
        code = [len(self.reads), head, 0]
        for (name, place), register in self.reads.items():
            code += [self.numbers[name], place, register]
        for instruction in self.out:
            if instruction[0] in (JUMP, UNLESS):
                instruction[1] = head + instruction[1] * self.width
            code += instruction
        return Code(
            tuple(code),
            tuple(self.values),
            tuple((name, place, register) for (name, place), register in self.reads.items()),
        )

    def register(self, value: float = 0.0) -> int:
        self.values.append(value)
        return len(self.values) - 1

    def constant(self, value: float) -> int:
        key = value.hex()
        if key not in self.constants:
            self.constants[key] = self.register(value)
        return self.constants[key]

    def emit(self, operation: int, target: int, *operands: int) -> list[int]:
        instruction = [operation, target, *operands]
        instruction += [0] * (self.width - len(instruction))
        self.out.append(instruction)
        return instruction

    def compute(self, into: int | None, operation: int, *operands: int) -> int:
        """Emit an operation unless its result is known; return the register of the result."""
        key = (operation, *operands)
        if key not in self.known:
            self.known[key] = self.register() if into is None else into
            self.emit(operation, self.known[key], *operands)
        return self.known[key]

    def node(self, at: int, into: int | None = None) -> int:
        """Emit what computes a node, into a register if one is given and it saves a move; return the register of its
        value.
        """
        tree, factor = self.tree, self.tree.factors[at]
        if at in self.fixed:
            return self.constant(tree.evaluate(_no_input, at))  # the factor is in it
        if factor != 1.0:
            return self.compute(into, TIMES, self.plain(at, None), self.constant(factor))
        return self.plain(at, into)

    def plain(self, at: int, into: int | None) -> int:
        """Emit what computes a node without its factor."""
        primitive = self.tree.primitive(at)
        if primitive.acts:
            return self.action(at)
        if primitive.calls:
            raise BadParameter(f"the program calls {primitive.calls}; its genome's decode writes such calls out")
        if primitive.reads:
            return self.input(primitive.reads, self.tree.places[at])
        children = list(self.tree.children(at))
        if primitive.is_alias:
            return self.node(children[primitive.used[0]], into)
        if primitive.is_lazy:
            test, then, other = (children[k] for k in branches(self.tree, at))
            if test in self.fixed:
                return self.node(then if self.tree.evaluate(_no_input, test) != 0.0 else other, into)
            if self.ready(then) and self.ready(other):
                return self.compute(into, SELECT, self.node(test), self.node(then), self.node(other))
            return self.branch(test, then, other, into)
        operands = [self.node(children[number]) for number in primitive.used]
        if primitive.has_value:
            operands.append(self.constant(self.tree.values[at]))
        return self.compute(into, FIRST + self.tree.nodes[at], *operands)

    def action(self, at: int) -> int:
        acts = self.tree.primitive(at).acts
        raise BadParameter(f"the program acts ({acts!r:.60}); what judges positions can only compute and read")

    def offered(self, name: str) -> int:
        """Return the number of an input. Raises BadParameter if there is none of this name."""
        if name not in self.numbers:
            raise BadParameter(
                f"the program reads {name!r}, which is not offered here (there is "
                f"{', '.join(self.numbers) or 'nothing'})"
            )
        return self.numbers[name]

    def input(self, name: str, place: int) -> int:
        self.offered(name)
        if (name, place) not in self.reads:
            self.reads[name, place] = self.register()
        return self.reads[name, place]

    def ready(self, at: int) -> bool:
        """Return whether a node's value lies in a register anyway, so that nothing is saved by a jump over it."""
        return at in self.fixed or (bool(self.tree.primitive(at).reads) and self.tree.factors[at] == 1.0)

    def branch(self, test: int, then: int, other: int, into: int | None) -> int:
        condition = self.node(test)
        target = self.register() if into is None else into
        unless = self.emit(UNLESS, 0, condition)
        self.arm(then, target)
        jump = self.emit(JUMP, 0)
        unless[1] = len(self.out)
        self.arm(other, target)
        jump[1] = len(self.out)
        return target

    def arm(self, at: int, target: int) -> None:
        """Emit one branch of a conditional; what it computes is known in it only."""
        before = dict(self.known)
        register = self.node(at, target)
        if register != target:
            self.emit(MOVE, target, register)
        self.known = before


def branches(tree: Tree, at: int) -> tuple[int, int, int]:
    """Return which arguments of a lazy conditional are its test and its branches."""
    rule = cast(ast.IfExp, tree.primitive(at).tree)
    test, then, other = (LETTERS.index(cast(ast.Name, part).id) for part in (rule.test, rule.body, rule.orelse))
    return test, then, other


def fixed(tree: Tree) -> frozenset[int]:
    """Return the nodes whose value depends on no input and on no action."""
    found = set()
    for at in range(len(tree) - 1, -1, -1):
        primitive = tree.primitive(at)
        if primitive.rule and all(
            child in found for number, child in enumerate(tree.children(at)) if number in primitive.used
        ):
            found.add(at)
    return frozenset(found)


def _no_input(name: str, place: int) -> float:
    raise AssertionError("a constant reads nothing")
