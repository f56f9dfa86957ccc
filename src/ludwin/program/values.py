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
from ludwin.kernel import tactics
from ludwin.kernel.asked import asked, field_query, has_only_fields
from ludwin.kernel.memory import write
from ludwin.kernel.names import Floats, Ints, States, mover
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.program.assemble import ADDRESS, assemble
from ludwin.program.interpret import LONGEST as LONGEST
from ludwin.program.interpret import MOBILITY, numbers, reads_facts, text
from ludwin.program.language import Language
from ludwin.program.tree import Read, Tree

MANY = len(tactics.FACTS)


def inputs(game: Game) -> dict[str, int]:
    """Return what programs can read of a game: the numbers of its queries (or fields), of mobility, and of facts."""
    known = numbers({name: k for k, name in enumerate(asked(game))})
    return {**known, **{fact: tactics.number_of(fact) for fact in tactics.possible(game)}}


def answers(game: Game) -> bool:
    """Tell whether programs can ask anything of a game but mobility."""
    return bool(asked(game))


def reader(state: State) -> Read:
    """Return what answers a program's questions about a position, for the readable evaluator."""
    game = state.game
    known = inputs(game)
    query = field_query(game.fields, game.players) if has_only_fields(game) else None
    query = game.function("query") if game.queries else query
    plain = state.thaw()
    mobility = len(state.moves())
    facts = lru_cache(maxsize=1)(lambda: tactics.plain_facts(state, state.mover))

    def read(name: str, place: int) -> float:
        if name == MOBILITY:
            return float(mobility)
        if name in tactics.FACTS:
            return facts()[name]
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


def judge_with_facts(
    states: States, mobility: Ints, code: Ints, registers: Floats, out: Floats, count: int, facts: Floats
):
    """Judge many positions whose tactical facts are known, MANY each."""
    for i in range(count):
        for k in range(MANY):
            registers[LONGEST + k] = facts[i * MANY + k]
        out[i] = judge(states[i], mover(states[i]), mobility[i], code, registers)
    return 0


def judge_from(
    states: States, seats: Ints, mobility: Ints, code: Ints, registers: Floats, out: Floats, count: int, facts: Floats
):
    """Judge many positions, each as one player sees it; their facts are known, MANY each."""
    for i in range(count):
        for k in range(MANY):
            registers[LONGEST + k] = facts[i * MANY + k]
        out[i] = judge(states[i], seats[i], mobility[i], code, registers)
    return 0


@lru_cache(maxsize=None)
def judging_from(language: Language, queries: bool) -> Kernel:
    """Return the kernel that judges many positions, each as one player sees it."""
    return Kernel("programs as players see positions", judge_from, bind={"judge": interpreter(language, queries)})


@lru_cache(maxsize=None)
def judging(language: Language, queries: bool, native: bool = False) -> Kernel:
    """Return the kernel that judges many positions by a program of the language."""
    entry = judge_with_facts if reads_facts(language) else judge_all
    return Kernel("programs on positions", entry, bind={"judge": interpreter(language, queries, native)})


def values(tree: Tree, game: Game, states: Sequence[State], mode: str = "fast", native: bool = False) -> list[float]:
    """Return the program's values of unfinished positions, each from its mover's side.

    `native` runs native code in fast mode; the other modes interpret.
    """
    run = specialise(game, judging(tree.language, answers(game), native), mode)
    stack, mobility, out = run.states(len(states)), run.ints(len(states)), run.floats(len(states))
    code, registers = run.ints(LONGEST), run.floats(LONGEST + MANY)
    fill(code, registers, game, tree, native and mode == "fast")
    for number, state in enumerate(states):
        run.put(stack, number, state)
        mobility[number] = len(state.moves())
    if not reads_facts(tree.language):
        run(stack, mobility, code, registers, out, len(states))
        return [float(value) for value in out]
    facts = run.floats(len(states) * MANY)
    write(facts, [x for state in states for x in tactics.plain_facts(state, state.mover).values()])
    run(stack, mobility, code, registers, out, len(states), facts)
    return [float(value) for value in out]
