"""Acting programs as register code: one block for the program, one for each branch.

The idea.  The register code of `assemble.py` reads all inputs before it starts.  Here the world changes meanwhile, so
an input is an instruction, in its place; it is read again after the next action, and not before.  What only computes
is shared and folded as ever, for that changes neither the effects nor the steps.  A branch is a block that ends with
STOP, which its action runs when it likes.  Registers are written in one place each, and a block never runs within
itself, so blocks need no stack of their own.

Layout.  `code` begins with the address of each program's first instruction. An action's instruction is: operation,
target, number of the action, effects that it may hold open, register of its own number, how many arguments; then for
each argument its register, or for a branch -1 - the address of its block.
"""

from collections.abc import Mapping, Sequence

from ludwin.errors import BadParameter
from ludwin.program.act import EVERYWHERE, Action, examine
from ludwin.program.assemble import JUMP, STOP, UNLESS, Assembler, Code, stride
from ludwin.program.language import Language
from ludwin.program.tree import Tree

READ, ACT = -1, -2  # operations beyond those of every language
ACTION, OPENS, NUMBER, COUNT, ARGUMENTS = 2, 3, 4, 5, 6  # where an action's instruction holds what


def act_stride(language: Language) -> int:
    """Return the length of an instruction."""
    return max([stride(language), *(ARGUMENTS + len(p.takes) for p in language.primitives if p.acts)])


def assemble_acts(trees: Sequence[Tree], inputs: Mapping[str, int], actions: Mapping[str, Action]) -> Code:
    """Return the code of several programs of one language; `inputs` and `actions` are what the domain offers."""
    if not trees or any(tree.language != trees[0].language for tree in trees):
        raise BadParameter("one program or several are needed, all of one language")
    for tree in trees:
        examine(tree, actions)
    writer = _Writer(trees[0], inputs, actions)
    starts = [writer.program(tree) for tree in trees]
    return writer.finished(starts)


class _Writer(Assembler):
    """Writes the blocks of programs; `pending` are the branches whose blocks are still to be written."""

    def __init__(self, tree: Tree, inputs: Mapping[str, int], actions: Mapping[str, Action]):
        super().__init__(tree, dict(inputs))
        self.width = act_stride(tree.language)
        self.actions = actions
        self.order = {name: k for k, name in enumerate(actions)} | EVERYWHERE
        self.pending: list[tuple[list[int], int, int]] = []  # instruction, its cell, the branch's node
        self.done = 0  # actions written so far

    def program(self, tree: Tree) -> int:
        """Write a program, and return the number of its first instruction."""
        self.begin(tree)
        start = self.block(0)
        while self.pending:
            instruction, cell, at = self.pending.pop(0)
            instruction[cell] = -1 - self.block(at)
        return start

    def block(self, at: int) -> int:
        """Write what runs as one: it begins with nothing known but constants."""
        start = len(self.out)
        self.known, self.reads = {}, {}
        self.emit(STOP, self.node(at))
        return start

    def finished(self, starts: Sequence[int]) -> Code:
        """Return the code, the numbers of instructions made addresses."""
        head = len(starts)
        code = [head + start * self.width for start in starts]
        for instruction in self.out:
            if instruction[0] in (JUMP, UNLESS):
                instruction[1] = head + instruction[1] * self.width
            elif instruction[0] == ACT:
                for cell in range(ARGUMENTS, ARGUMENTS + instruction[COUNT]):
                    if instruction[cell] < 0:
                        instruction[cell] = -1 - (head + (-1 - instruction[cell]) * self.width)
            code += instruction
        return Code(tuple(code), tuple(self.values), ())

    def input(self, name: str, place: int) -> int:
        """Emit the reading of an input, unless nothing has been done since it was read last."""
        number = self.offered(name)
        if (name, place) not in self.reads:
            self.reads[name, place] = self.register()
            self.emit(READ, self.reads[name, place], number, place)
        return self.reads[name, place]

    def action(self, at: int) -> int:
        """Emit an action: first its arguments, then what it does; what was read before is not known after it."""
        primitive = self.tree.primitive(at)
        arguments: list[int] = []
        branches = []
        for number, child in enumerate(self.tree.children(at)):
            if primitive.is_branch(number):
                branches.append((ARGUMENTS + number, child))
                arguments.append(0)
            else:
                arguments.append(self.node(child))
        own = self.constant(self.tree.number(at))
        opens = 0 if primitive.acts in EVERYWHERE else self.actions[primitive.acts].opens
        target = self.register()
        instruction = self.emit(ACT, target, self.order[primitive.acts], opens, own, len(arguments), *arguments)
        self.pending += [(instruction, cell, child) for cell, child in branches]
        self.done += 1
        self.reads = {}
        return target

    def ready(self, at: int) -> bool:
        """Return whether a node's value lies in a register anyway: constants only, for inputs are read when needed."""
        return at in self.fixed

    def branch(self, test: int, then: int, other: int, into: int | None) -> int:
        """Emit a conditional; what one way has read, the other has not."""
        condition = self.node(test)
        target = self.register() if into is None else into
        unless = self.emit(UNLESS, 0, condition)
        reads, done = dict(self.reads), self.done
        self.arm(then, target)
        jump = self.emit(JUMP, 0)
        unless[1] = len(self.out)
        self.reads = dict(reads)
        self.arm(other, target)
        jump[1] = len(self.out)
        self.reads = reads if self.done == done else {}
        return target
