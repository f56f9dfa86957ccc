"""Acting programs in plain, checked and fast: what a domain hands in, and the actor that runs them.

Why it is here.  This is the one place where a language of actions, a domain and a game meet: the loop of the language
as kernel text, the binding of the domain's functions, the workspaces.  A search that runs acting programs itself takes
`bound` and `RECORDS` into its own kernel; everybody else makes an `Actor`.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType
from typing import Any

from ludwin.errors import BadParameter, did_you_mean
from ludwin.game import Game, State
from ludwin.kernel.memory import write
from ludwin.kernel.specialise import compiler, specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.program import act_kernel
from ludwin.program.act import DEEPEST, DEPTH, STEPS, Action, Ended, refuse_reserved, whole
from ludwin.program.act_code import ACT, READ, act_stride, assemble_acts
from ludwin.program.act_kernel import RECORDS, run_program
from ludwin.program.assemble import FIRST, JUMP, SELECT, STOP, TIMES, UNLESS
from ludwin.program.interpret import dispatch, expression
from ludwin.program.language import Language
from ludwin.program.rule import imported
from ludwin.program.tree import Tree
from ludwin.program.values import answers, inputs

LONGEST = 20_000  # numbers of code, and registers, that an actor holds: programs of some two thousand nodes
BLOCK = """
from ludwin.program.act_kernel import ask, perform
from ludwin.program.total import {imports}


def run_block(w, at):
    code = w.acts_code
    registers = w.acts_registers
    while True:
        operation = code[at]
        value = 0.0
        if operation == {READ}:
            value = 1.0 * ask(w, code[at + 2], code[at + 3])
        elif operation == {ACT}:
            value = perform(w, at)
        elif operation == {TIMES}:
            value = registers[code[at + 2]] * registers[code[at + 3]]
{branches}
        elif operation == {SELECT}:
            value = registers[code[at + 3]] if registers[code[at + 2]] != 0.0 else registers[code[at + 4]]
        elif operation == {JUMP}:
            at = code[at + 1]
            continue
        elif operation == {UNLESS}:
            at = at + {width} if registers[code[at + 2]] != 0.0 else code[at + 1]
            continue
        elif operation == {STOP}:
            return registers[code[at + 1]]
        else:
            value = registers[code[at + 2]]
        registers[code[at + 1]] = value
        at += {width}
"""


@dataclass(frozen=True)
class Effects:
    """What a domain lets programs do and ask: kernel text, and the names by which a language knows it.

    `act(w, k, node)` does the action number k of `actions`. `ask(w, k, place)` answers input number k of `reads`;
    without it programs ask the game's queries and `mobility`. `undo(w)` takes back the last open effect,
    if it is not just a position on the stack. `records` are workspaces of the domain's own in the bundle.
    """

    actions: Mapping[str, Action]
    act: Callable[..., Any]
    reads: tuple[str, ...] = ()
    ask: Callable[..., Any] | None = None
    undo: Callable[..., Any] | None = None
    records: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        refuse_reserved(self.actions)
        for word in ("act", "ask", "undo"):
            _examine_text(getattr(self, word), word)
        for name in self.records:
            if name in RECORDS:
                raise BadParameter(f"a domain cannot have a workspace {name!r}: that is the actor's own")

    def numbers(self, game: Game) -> dict[str, int]:
        """Return the numbers of all inputs."""
        return inputs(game) if self.ask is None else {name: k for k, name in enumerate(self.reads)}


def _examine_text(function: Any, word: str) -> None:
    """Raise BadParameter unless a function has a text that can be compiled."""
    if function is None and word != "act":
        return
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    found = getattr(function, "__qualname__", "?")
    at_the_top = isinstance(function, FunctionType) and found.isidentifier()
    if not at_the_top or not (getattr(module, "__text__", None) or getattr(module, "__file__", None)):
        raise BadParameter(f"{word} must be a function at the top of a Python file, which is compiled; got {found}")


def text(language: Language) -> str:
    """Return the kernel text of the loop that runs blocks of the language's programs."""
    branches = []
    for number, primitive in enumerate(language.primitives):
        if not primitive.takes or primitive.acts or primitive.is_lazy or primitive.is_alias:
            continue
        used = len(primitive.used) + int(primitive.has_value)
        operands = [f"registers[code[at + {2 + i}]]" for i in range(used)]
        branches.append((FIRST + number, expression(language, number, operands)))
    found = dispatch(branches)
    return BLOCK.format(
        READ=READ,
        ACT=ACT,
        TIMES=TIMES,
        SELECT=SELECT,
        JUMP=JUMP,
        UNLESS=UNLESS,
        STOP=STOP,
        width=act_stride(language),
        branches=found,
        imports=imported(found),
    )


@lru_cache(maxsize=None)
def _block(language: Language) -> Callable[..., Any]:
    return kernel_from_text("acting programs", "run_block", text(language)).entry


def bound(language: Language, effects: Effects, game: Game) -> dict[str, Callable[..., Any]]:
    """Return what a kernel must bind so that `run_program(w, number)` runs acting programs in it."""
    found = {"run_block": _block(language), "act": effects.act}
    found["ask"] = effects.ask or (act_kernel.ask_position if answers(game) else act_kernel.ask_mobility)
    return found if effects.undo is None else {**found, "undo": effects.undo}


class Actor:
    """Runs acting programs on positions of a game, each within its limits.

    The bundle `w` is there to prepare and to read: the domain's own records, and `w.positions[0]`, the world.
    """

    def __init__(
        self,
        game: Game,
        language: Language,
        effects: Effects,
        *,
        steps: int = STEPS,
        depth: int = DEPTH,
        mode: str = "fast",
        **sizes: int,
    ):
        """Make an actor; `sizes` says how many rows each array and stack of the domain's own records has."""
        if mode != "plain" and compiler() == "numba":
            raise BadParameter("programs that act need our own compiler: unset LUDWIN_COMPILER, or take the mode plain")
        self.language, self.effects = language, effects
        self.steps, self.numbers, self.loaded = whole(steps, "steps"), effects.numbers(game), 0
        depth = whole(depth, "depth", DEEPEST)
        kernel = Kernel(
            "acting programs", run_program, bind=bound(language, effects, game), records={**RECORDS, **effects.records}
        )
        self.call = specialise(game, kernel, mode)
        self.w = self.call.bundle(
            acts_code=LONGEST, acts_registers=LONGEST, positions=depth + 1, choices=depth + 2, **_sizes(effects, sizes)
        )
        self.w.acts.depth = depth

    def load(self, *trees: Tree) -> "Actor":
        """Take programs; their numbers are 0, 1 and so on."""
        for tree in trees:
            if tree.language != self.language:
                raise BadParameter(f"the program's language is {tree.language.name}, not {self.language.name}")
        code = assemble_acts(trees, self.numbers, self.effects.actions)
        if max(len(code.code), len(code.registers)) > LONGEST:
            raise BadParameter(
                f"programs of {sum(len(tree) for tree in trees)} nodes are too large to run (their code has "
                f"{len(code.code)} numbers, at most {LONGEST})"
            )
        write(self.w.acts_code, code.code)
        write(self.w.acts_registers, code.registers)
        self.loaded = len(trees)
        return self

    def run(self, state: State | None = None, program: int = 0) -> Ended:
        """Run a program on a position, or on the world as the last one left it."""
        if not 0 <= program < self.loaded:
            raise BadParameter(f"there is no program {program}: {self.loaded or 'none'} loaded, numbers count from 0")
        if state is not None:
            if state.game != self.call.game:
                raise BadParameter(f"a position of {state.game.text}, where {self.call.game.text} is acted on")
            self.call.put(self.w.positions, 0, state)
        self.w.acts.limit = self.steps
        value = float(self.call(self.w, program))
        return Ended(value, int(self.w.acts.steps), int(self.w.acts.cut))

    @property
    def state(self) -> State:
        """The world as the last program left it."""
        return self.call.get(self.w.positions, 0)


def _sizes(effects: Effects, sizes: Mapping[str, int]) -> dict[str, int]:
    """Return the sizes of the domain's workspaces. Raises BadParameter for one that is missing or unknown."""
    wanted = [name for name, kind in effects.records.items() if isinstance(kind, str | list)]
    for name in sizes:
        if name not in wanted:
            raise BadParameter(f"there is no workspace {name!r}{did_you_mean(name, wanted)} to give a size to")
    for name in wanted:
        if name not in sizes:
            raise BadParameter(f"the workspace {name!r} needs a size, such as {name}=64")
    return dict(sizes)
