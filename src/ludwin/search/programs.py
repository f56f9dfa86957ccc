"""Programs as brains: one tree, or several and a chooser that says which of them is asked.

Why it is here.  An evolved evaluation is worth what it plays, in any search.  A program is data: its code and registers
are members of the search's bundle, so one compiled search serves every program of a language.

Choosers.  `advantage` asks the first of three programs where the game's `evaluate` says that player p is ahead, the
second where it is even, the third where p is behind.  Any other name is the game's `stage_NAME(s, p)`, a whole number
from 0 on: contact or race, opening or endgame.
"""

import functools
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.kernel import tactics
from ludwin.kernel.bundle import Members
from ludwin.kernel.names import copy, evaluate, mover, moves
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel, kernel_from_text
from ludwin.primitives import CHANCE
from ludwin.program.assemble import ADDRESS, assemble
from ludwin.program.interpret import asked_facts, reads_facts
from ludwin.program.language import Language
from ludwin.program.text import write
from ludwin.program.tree import Tree
from ludwin.program.values import LONGEST, MANY, answers, inputs, interpreter
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.brain import Brain

ADVANTAGE = "advantage"
MOST = 8  # programs of one brain

TEXT = """
from ludwin.search.programs import counted, facts, judge, stage


def assess(w, s, p, n):
    m = counted(w, s, n)
    k = stage(s, p)
{branches}
    {facts}return judge(s, p, m, w.brain_code_{last}, w.brain_registers_{last})
"""
BRANCH = """    if k {test} {number}:
        {facts}return judge(s, p, m, w.brain_code_{number}, w.brain_registers_{number})"""
FACTS_OF = "facts(w, s, p, m, w.brain_registers_{number}); "


def judge(s, p, n, code, registers):
    """Stand-in for the interpreter of a language, which is bound to this name."""
    return 0.0


def stage(s, p):
    """Stand-in for the game's `stage_NAME`, which is bound to this name."""
    return 0


def by_advantage(s, p):
    """Return 0 where the game's evaluation says that player p is ahead, 1 where it is even, 2 where p is behind."""
    value = 1.0 * evaluate(s, p)
    return 0 if value > 0.0 else 1 if value == 0.0 else 2


def counted(w, s, n):
    """Return how many moves a position has, which some callers do not know."""
    return moves(s, w.brain_bufs[0]) if n < 0 else n


def by_program(w, s, p, n):
    """Return what the one program says."""
    return judge(s, p, counted(w, s, n), w.brain_code_0, w.brain_registers_0)


# ---- Tactical facts (`kernel/tactics.py`) -----------------------------------------------------------------------


def give_turn(s):
    """Stand-in for what gives the turn away, where a game has it."""
    return False


def is_noisy(s, m):
    """Stand-in for the game's `noisy`."""
    return False


def how_far(s):
    """Stand-in for the game's `distance`."""
    return 0.0


def loud(w, s, n):
    """Return how many of the moves in the brain's list are noisy."""
    count = 0
    for i in range(n):
        if is_noisy(s, w.brain_bufs[0][i]):
            count += 1
    return count


def facts(w, s, p, n, registers):
    """Put the facts that a program asks for behind its registers, as player p sees them."""
    asks = w.brain_tactics.asks
    for k in range(MANY):
        registers[LONGEST + k] = 0.0
    if asks & 16 != 0:
        registers[LONGEST + 4] = 1.0 * how_far(s)
    player = mover(s)
    if asks & 15 != 0 and player != CHANCE:
        here = 0 if player == p else 1
        registers[LONGEST + here] = 1.0 * n
        if asks & 12 != 0:
            registers[LONGEST + 2 + here] = 1.0 * loud(w, s, moves(s, w.brain_bufs[0]))
        copy(w.brain_states[0], s)
        if give_turn(w.brain_states[0]):
            other = moves(w.brain_states[0], w.brain_bufs[0])
            registers[LONGEST + 1 - here] = 1.0 * other
            if asks & 12 != 0:
                registers[LONGEST + 3 - here] = 1.0 * loud(w, w.brain_states[0], other)
    return 0


def by_tactical_program(w, s, p, n):
    """Return what the one program says, which reads tactical facts."""
    m = counted(w, s, n)
    facts(w, s, p, m, w.brain_registers_0)
    return judge(s, p, m, w.brain_code_0, w.brain_registers_0)


@lru_cache(maxsize=None)
def _several(count: int, tactical: bool = False) -> Kernel:
    """Return the text that asks one of several programs; a stage below 0 is the first, one above all the last."""
    said = [FACTS_OF.format(number=k) if tactical else "" for k in range(count)]
    tests = [BRANCH.format(test="<=" if k == 0 else "==", number=k, facts=said[k]) for k in range(count - 1)]
    text = TEXT.format(branches="\n".join(tests), last=count - 1, facts=said[-1])
    return kernel_from_text("programs", "assess", text if tactical else text.replace("counted, facts, ", "counted, "))


@lru_cache(maxsize=4096)
def assembled(program: Tree, game: Game) -> "tuple[array[int], array[float]]":
    """Return code and registers of a program. Raises BadParameter if they are too long."""
    made = assemble(program, inputs(game))
    if max(len(made.code), len(made.registers)) > LONGEST:
        raise BadParameter(f"a program of {len(program)} nodes is too large to play; set max_size lower")
    return array("q", made.code), array("d", made.registers)


@dataclass(frozen=True)
class Programs(Brain):
    """One program, or several and a chooser; with `native` fast mode runs them as native code.

    Native code is worth its milliseconds of compiling for a champion that plays for long; the opinions are the same.
    """

    kind: ClassVar[str] = "programs"
    trees: tuple[Tree, ...]
    chooser: str = ""
    native: int = 0

    def __post_init__(self) -> None:
        count = len(self.trees)
        if not 1 <= count <= MOST:
            raise BadParameter(f"a brain has 1 to {MOST} programs, got {count}")
        if any(tree.language != self.language for tree in self.trees):
            raise BadParameter("all programs of a brain must be of one language")
        if (count > 1) != bool(self.chooser):
            raise BadParameter(f"a brain of {count} programs has {'a' if count > 1 else 'no'} chooser")
        if self.chooser == ADVANTAGE and count != 3:
            raise BadParameter(f"{ADVANTAGE} chooses among 3 programs (ahead, even, behind), got {count}")

    def __str__(self) -> str:
        more = [f"chooser={self.chooser}"] * bool(self.chooser) + ["native"] * bool(self.native)
        return repr("; ".join([*(write(tree) for tree in self.trees), *more]))

    @property
    def language(self) -> Language:
        """What the programs are written in."""
        return self.trees[0].language

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game answers what the programs read, and knows the chooser."""
        try:
            for tree in self.trees:
                assembled(tree, game)
        except BadParameter as error:
            raise CannotPlay(f"{game.name}: {error}") from None
        asked = functools.reduce(int.__or__, map(asked_facts, self.trees)) if reads_facts(self.language) else 0
        lacking = [fact for k, fact in enumerate(tactics.FACTS) if asked >> k & 1 and fact not in tactics.offered(game)]
        if lacking:
            raise CannotPlay(f"{game.name} does not offer {lacking[0]!r}, which the program reads")
        if self.chooser == ADVANTAGE and "evaluate" not in game.offers:
            raise CannotPlay(f"{game.name} defines no evaluate(s, p), which says who has the advantage")
        if self.chooser not in ("", ADVANTAGE, *game.variants("stage_")):
            raise CannotPlay(f"{game.name} defines no stage_{self.chooser}(s, p), which chooses among the programs")

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the interpreter speak."""
        judging: dict[str, Any] = {"judge": interpreter(self.language, answers(game), bool(self.native))}
        tactical = reads_facts(self.language)
        if tactical:
            judging |= {
                name: own for name, own in (("is_noisy", "noisy"), ("how_far", "distance")) if own in game.offers
            }
            judging |= {"give_turn": tactics.giver(game)} if tactics.giver(game) is not None else {}
        if not self.chooser:
            return {"assess": by_tactical_program if tactical else by_program, **judging}
        chosen = by_advantage if self.chooser == ADVANTAGE else f"stage_{self.chooser}"
        return {"assess": _several(len(self.trees), tactical).entry, "stage": chosen, **judging}

    def members(self, game: Game) -> Members:
        """Return code and registers of each program, and a list of moves."""
        made: dict[str, Any] = {"brain_bufs": "Moves"}
        for k in range(len(self.trees)):
            made |= {f"brain_code_{k}": [int], f"brain_registers_{k}": [float]}
        return made | ({"brain_states": "States", "brain_tactics": {"asks": int}} if reads_facts(self.language) else {})

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return room for the longest program, so that another one can take its place."""
        if not reads_facts(self.language):
            return {name: LONGEST for name in self.members(game) if name != "brain_bufs"}
        pages = {
            name: LONGEST + MANY for name in self.members(game) if name.startswith(("brain_code", "brain_registers"))
        }
        return {**pages, "brain_states": 1}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the programs."""
        if reads_facts(self.language):
            w.brain_tactics.asks = functools.reduce(int.__or__, map(asked_facts, self.trees))
        for k, tree in enumerate(self.trees):
            code, registers = assembled(tree, run.game)
            held = getattr(w, f"brain_code_{k}")
            held[: len(code)] = code if run.compiled else code.tolist()
            getattr(w, f"brain_registers_{k}")[: len(registers)] = registers if run.compiled else registers.tolist()
            if self.native and run.mode == "fast":
                from ludwin.program.native import compile_program

                held[ADDRESS] = compile_program(tree, inputs(run.game)).address


def program_player(program: Tree, depth: int = 3, native: int = 0) -> AlphaBeta:
    """Return the player that evolution knows: alpha-beta of so many plies, which asks the program.

    The moves of the root are shuffled, and the first best one is played (the players of *Evolved to Win*).
    """
    return AlphaBeta(depth=depth, ties="shuffle").with_brain(Programs((program,), native=native))
