"""Programs of the endgame language as code for compiled players: terminals are read where they are needed.

Why it is here.  The interpreter of searches reads all inputs of a program before it runs.  Here inputs are dear, a
threat of mate in one above all, and programs of nested conditionals need few of them on any board.  So a read is an
instruction: what lies in the branch that is not taken is never asked.  What was read on every way here is not read
again, and the terminals themselves remember the board.  Programs of all stages of the language are translated into
one, so that one compiled interpreter serves everybody.

Layout.  A program has a page of `w.code` and the same page of `w.registers`.  Instructions have `stride` numbers:
operation, target, operands; targets of jumps are counted from the page's beginning.
"""

from array import array
from functools import lru_cache

from ludwin.errors import BadParameter
from ludwin.games.chess.language import COUNT, INPUTS, laboratory, translated
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.program.assemble import FIRST, JUMP, SELECT, STOP, TIMES, UNLESS, Assembler, stride
from ludwin.program.interpret import expression
from ludwin.program.rule import imported
from ludwin.program.tree import Tree

PAGE = 2560  # numbers of a program's code, and its registers: four hundred nodes

TEXT = """
from ludwin.games.chess.opponents.terminals import terminal
from ludwin.program.total import {imports}


def judge(w, s, p, base):
    at = base
    while True:
        operation = w.code[at]
        if operation == {READ}:
            w.registers[base + w.code[at + 1]] = terminal(w, s, p, w.code[at + 2])
            at += {width}
            continue
        a = w.registers[base + w.code[at + 2]]
        b = w.registers[base + w.code[at + 3]]
        value = a
        if operation == {TIMES}:
            value = a * b
        elif operation == {SELECT}:
            value = b if a != 0.0 else w.registers[base + w.code[at + 4]]
{branches}
        elif operation == {JUMP}:
            at = base + w.code[at + 1]
            continue
        elif operation == {UNLESS}:
            at = at + {width} if a != 0.0 else base + w.code[at + 1]
            continue
        elif operation == {STOP}:
            return w.registers[base + w.code[at + 1]]
        w.registers[base + w.code[at + 1]] = value
        at += {width}
"""


class AdviceAssembler(Assembler):
    """Writes a program whose reads are instructions."""

    def __init__(self, tree: Tree):
        super().__init__(translated(tree), {name: number for name, (number, _) in INPUTS.items()})

    @property
    def reading(self) -> int:
        """The operation that reads; it follows those of the language."""
        return FIRST + len(self.tree.language.primitives)

    def pages(self) -> "tuple[array[int], array[float]]":
        """Return code and registers. Raises BadParameter if they are too long."""
        self.emit(STOP, self.node(0))
        code: list[int] = []
        for instruction in self.out:
            if instruction[0] in (JUMP, UNLESS):
                instruction[1] *= self.width
            code += instruction
        if max(len(code), len(self.values), COUNT) > PAGE:
            raise BadParameter(f"a program of {len(self.tree)} nodes is too large to play; set max_size lower")
        return array("q", code), array("d", self.values)

    def input(self, name: str, place: int) -> int:
        number, factor = self.offered(name), INPUTS[name][1]
        register = self.compute(None, self.reading, number)
        return register if factor == 1.0 else self.compute(None, TIMES, register, self.constant(factor))

    def ready(self, at: int) -> bool:
        return at in self.fixed


@lru_cache(maxsize=8192)
def pages(tree: Tree) -> "tuple[array[int], array[float]]":
    """Return code and registers of a program. Raises BadParameter for what is no endgame program, or too long."""
    return AdviceAssembler(tree).pages()


@lru_cache(maxsize=1)
def judging() -> Kernel:
    """Return the interpreter, `judge(w, s, p, base)`: the worth of a board to the player who has moved."""
    language = laboratory()
    width = stride(language)
    operands = ["a", "b", *(f"w.registers[base + w.code[at + {4 + i}]]" for i in range(width - 4))]
    branches = [
        f"        elif operation == {FIRST + number}:\n            value = {expression(language, number, operands)}"
        for number, primitive in enumerate(language.primitives)
        if primitive.takes and not (primitive.is_lazy or primitive.is_alias)
    ]
    text = TEXT.format(
        READ=FIRST + len(language.primitives),
        STOP=STOP,
        JUMP=JUMP,
        UNLESS=UNLESS,
        TIMES=TIMES,
        SELECT=SELECT,
        width=width,
        branches="\n".join(branches),
        imports=imported("".join(branches)),
    )
    return kernel_from_text("endgame programs", "judge", text)
