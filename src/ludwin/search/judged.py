"""Alpha-beta with a program as its evaluation: how an evolved evaluation plays.

The idea.  The search is that of the guides (`guide.py`): fixed depth, moves of the root in random order,
the first best one played.  Leaves are judged by a program, an argument of the kernel and not part of it,
so one compiled search serves every program of a language.

Values are those of `values.py`: a finished game outweighs any judgement, whatever its scale.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import Floats, Ints, Moves, States, copy, mover, moves, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import draw
from ludwin.program.assemble import assemble
from ludwin.program.language import Language
from ludwin.program.tree import Tree
from ludwin.program.values import LONGEST as LONGEST
from ludwin.program.values import fill as fill
from ludwin.program.values import inputs as inputs
from ludwin.program.values import interpreter
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move
from ludwin.search.seat import Seat, Sitting
from ludwin.search.values import INFINITE, OPINION, fact, worth

NODES, SURE = 0, 1


def judge(s, p, n, code, registers):
    """Stand-in for the interpreter of a language, which is bound to this name."""
    return 0.0


def weigh(s, n, code, registers):
    """Return the judgement from the mover's side, clipped so that no fact is outweighed (nan is the worst)."""
    value = judge(s, mover(s), n, code, registers)
    if not value > -OPINION:
        return -OPINION
    return min(value, OPINION)


def judged_value(states, bufs, mem, code, registers, ply: int, depth: int, alpha: float, beta: float):
    """Return the value of state number `ply`; exact inside (alpha, beta), a bound outside."""
    s = states[ply]
    out = bufs[ply]
    mem[NODES] += 1
    n = moves(s, out)
    if n == 0:
        return fact(s)
    if depth == 0:
        return weigh(s, n, code, registers)
    me = mover(s)
    child = states[ply + 1]
    best = -INFINITE
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        low = max(alpha, best)
        if mover(child) == me:
            value = judged_value(states, bufs, mem, code, registers, ply + 1, depth - 1, low, beta)
        else:
            value = -judged_value(states, bufs, mem, code, registers, ply + 1, depth - 1, -beta, -low)
        if value > best:
            best = value
            if best >= beta:
                break
    return best


def judged(states: States, bufs: Moves, rng: Ints, mem: Ints, value: Floats, code: Ints, registers: Floats, depth: int):
    """Return a best move of state 0: the first one, the moves having been shuffled."""
    s = states[0]
    out = bufs[0]
    n = moves(s, out)
    for i in range(n - 1, 0, -1):
        j = draw(rng, i + 1)
        swapped = out[i]
        out[i] = out[j]
        out[j] = swapped
    mem[NODES] = 1
    best = -INFINITE
    move = out[0]
    me = mover(s)
    for i in range(n):
        copy(states[1], s)
        play(states[1], out[i])
        if mover(states[1]) == me:
            v = judged_value(states, bufs, mem, code, registers, 1, depth - 1, best, INFINITE)
        else:
            v = -judged_value(states, bufs, mem, code, registers, 1, depth - 1, -INFINITE, -best)
        if v > best:
            best = v
            move = out[i]
    value[0] = best
    return move


@lru_cache(maxsize=None)
def kernel(language: Language, queries: bool, native: bool = False) -> Kernel:
    """Return the search with the interpreter of a language in it; with `native`, it can call native code instead."""
    return Kernel("alpha-beta with programs", judged, bind={"judge": interpreter(language, queries, native)})


@dataclass(frozen=True)
class Judged(Agent):
    """Looks `depth` plies ahead and judges the leaves by a program.

    With `native=1` fast mode runs the program as native code: worth its milliseconds of compiling for a
    champion that plays for long. The other modes interpret it, and the moves are the same.
    """

    name: ClassVar[str] = "judged"
    program: Tree
    depth: int = 3
    native: int = 0

    def __str__(self) -> str:
        from ludwin.program.text import write

        native = ",native=1" if self.native else ""
        return f"{self.name}:depth={self.depth}{native},program={write(self.program)!r}"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is one for alpha-beta and answers what the program reads."""
        demand_two_players(self, game)
        try:
            assemble(self.program, inputs(game))
        except BadParameter as error:
            raise CannotPlay(f"{self.name}: {game.name}: {error}") from None

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace; argument 2 and 3 of it are the program."""

        def workspace(run: Specialised) -> list[Any]:
            code, registers = run.ints(LONGEST), run.floats(LONGEST)
            fill(code, registers, game, self.program, bool(self.native) and run.mode == "fast")
            return [run.ints(2), run.floats(1), code, registers, self.depth]

        return Seat(kernel(self.program.language, bool(game.queries), bool(self.native)), self.depth + 1, workspace)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the best move; the seed breaks ties."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        mem, value = sitting.arguments[:2]
        best = float(value[0])
        decided = math.fabs(best) > OPINION
        return Choice(
            move, worth(best, decided, game.payoff_sum), int(mem[NODES]), decided, depth=self.depth, line=(move,)
        )
