"""Programs on the positions of a game: what they may ask there, and what they answer.

Why it is here.  Searches, tests and reports all need a program in the form that compiled code runs.  This is
the one place where a language meets a game: the numbers of the inputs, the arrays of a
program, the interpreter as a kernel, and `values`, which judges many positions in one call.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.kernel.memory import write
from ludwin.kernel.names import Floats, Ints, States, mover
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.program.assemble import ADDRESS, assemble
from ludwin.program.interpret import MOBILITY, numbers, text
from ludwin.program.language import Language
from ludwin.program.tree import Read, Tree

LONGEST = 6000  # numbers of code, and registers, that a player holds: programs of a thousand nodes


def inputs(game: Game) -> dict[str, int]:
    """Return what programs can read of a game: the numbers of its queries, and of mobility."""
    return numbers({name: k for k, name in enumerate(game.queries)})


def reader(state: State) -> Read:
    """Return what answers a program's questions about a position, for the readable evaluator."""
    game = state.game
    known = inputs(game)
    query = game.function("query") if game.queries else None
    plain = state.thaw()
    mobility = len(state.moves())

    def read(name: str, place: int) -> float:
        if name == MOBILITY:
            return float(mobility)
        return float(query(plain, state.mover, known[name], place))  # type: ignore[misc]

    return read


def fill(code: Any, registers: Any, game: Game, program: Tree, native: bool = False) -> None:
    """Put a program into the arrays that a kernel takes; with `native`, the address of its native code, too."""
    assembled = assemble(program, inputs(game))
    if len(assembled.code) > len(code) or len(assembled.registers) > len(registers):
        raise BadParameter(
            f"a program of {len(program)} nodes is too large to play (its code has {len(assembled.code)} numbers, at "
            f"most {len(code)})"
        )
    write(code, assembled.code)
    write(registers, assembled.registers)
    if native:
        from ludwin.program.native import compile_program

        code[ADDRESS] = compile_program(program, inputs(game)).address


@lru_cache(maxsize=None)
def interpreter(language: Language, queries: bool, native: bool = False) -> Kernel:
    """Return the interpreter of a language as a kernel, `judge(s, p, n, code, registers)`; with `native` it can call
    native code instead.
    """
    return kernel_from_text("interpreter", "judge", text(language, queries, native))


def judge(s, p, n, code, registers):
    """Stand-in for the interpreter of a language, which is bound to this name."""
    return 0.0


def judge_all(states: States, mobility: Ints, code: Ints, registers: Floats, out: Floats, count: int):
    """Judge many positions, each from its mover's side."""
    for i in range(count):
        out[i] = judge(states[i], mover(states[i]), mobility[i], code, registers)
    return 0


@lru_cache(maxsize=None)
def judging(language: Language, queries: bool, native: bool = False) -> Kernel:
    """Return the kernel that judges many positions by a program of the language."""
    return Kernel("programs on positions", judge_all, bind={"judge": interpreter(language, queries, native)})


def values(tree: Tree, game: Game, states: Sequence[State], mode: str = "fast", native: bool = False) -> list[float]:
    """Return the program's values of unfinished positions, each from its mover's side.

    `native` runs native code in fast mode; the other modes interpret.
    """
    run = specialise(game, judging(tree.language, bool(game.queries), native), mode)
    stack, mobility, out = run.states(len(states)), run.ints(len(states)), run.floats(len(states))
    code, registers = run.ints(LONGEST), run.floats(LONGEST)
    fill(code, registers, game, tree, native and mode == "fast")
    for number, state in enumerate(states):
        run.put(stack, number, state)
        mobility[number] = len(state.moves())
    run(stack, mobility, code, registers, out, len(states))
    return [float(value) for value in out]
