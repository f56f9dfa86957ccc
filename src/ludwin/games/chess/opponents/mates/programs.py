"""Mate programs at work: compiled once per language, any number of programs, boards counted.

The book's outer module makes every legal first move and hands the board behind it to the program; the move with the
highest score is the answer, and a score of 1000 is a claim that ends the search.  A program of ours gets the problem's
own board and answers with the first move of its proof; if it has none, it runs again and leaves out last moves alone,
and then nothing, so that what filters save must be more than what they miss costs.  Whatever is claimed counts only if
the referee, a solver by hand, proves it (`pool.py`).
"""

from dataclasses import dataclass
from functools import lru_cache

from ludwin.errors import BadParameter
from ludwin.game import State
from ludwin.games.chess.opponents.mates.asks import READS, ask
from ludwin.games.chess.opponents.mates.deeds import (
    ACTIONS,
    DEPTH,
    WON,
    act,
    admits_by_program,
    finishes_by_program,
    hint_by_program,
    worth_by_program,
)
from ludwin.games.chess.opponents.mates.language import ROOT
from ludwin.games.chess.opponents.mates.prove import RECORDS, WHOLE, forget, push
from ludwin.games.chess.opponents.mates.solver import BOARDS, ROWS, SIZES, at_home, chess, demand_depth
from ludwin.kernel.memory import write
from ludwin.kernel.names import Bundle, moves
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.program.act_code import assemble_acts
from ludwin.program.act_kernel import run_block, take_back
from ludwin.program.actor import LONGEST, Effects, bound
from ludwin.program.language import Language
from ludwin.program.tree import Tree

STEPS = 1 << 60  # boards are what limits a program
EFFECTS = Effects(ACTIONS, act, READS, ask)
NUMBERS = {name: k for k, name in enumerate(READS)}


def run_on_board(w: Bundle):
    """Run the program on the problem's own board; `w.mate.answer` is the first move of its proof."""
    forget(w)
    value = run_block(w, w.acts_code[0])
    while value < WON and w.acts.cut == 0 and w.mate.whole < WHOLE:
        w.mate.whole += 1
        w.mate.generation += 1  # failures of before hold for what the filters let pass
        value = run_block(w, w.acts_code[0])
    return value


def run_on_moves(w: Bundle):
    """Run the program on the board after each first move; the best one is `w.mate.answer`, 1000 ends it."""
    forget(w)
    n = moves(w.positions[0], w.choices[0])
    best = 0.0
    for i in range(n):
        push(w, w.choices[0][i])
        value = run_block(w, w.acts_code[0])
        w.acts.open = 1
        take_back(w)
        if i == 0 or value > best:
            best = value
            w.mate.answer = w.choices[0][i]
        if best >= WON or w.acts.cut != 0:
            break
    return best


@dataclass(frozen=True)
class ProgramAnswer:
    """What a program says: a move (or none), its score, what it looked at, whether it was cut."""

    move: int | None
    score: float
    boards: int
    cut: bool

    @property
    def claims(self) -> bool:
        """Whether it says that this is a proof."""
        return self.score >= WON


class ProgramRunner:
    """Runs programs of a language on problems."""

    def __init__(self, language: Language, mode: str = "fast"):
        game = chess()
        self.language = language
        self.at_root = language.root == ROOT
        handed = {
            "admits": admits_by_program,
            "worth": worth_by_program,
            "hint": hint_by_program,
            "finishes": finishes_by_program,
        }
        entry = run_on_board if self.at_root else run_on_moves
        kernel = Kernel("mate programs", entry, bind={**bound(language, EFFECTS, game), **handed}, records=RECORDS)
        self.run = specialise(game, kernel, mode)
        rows = {"positions": DEPTH + 1, "choices": DEPTH + 2, "values": DEPTH + 2, "lasts": DEPTH + 2}
        self.w = self.run.bundle(acts_code=LONGEST, acts_registers=LONGEST, **{**SIZES, **rows})
        self.w.acts.depth, self.w.acts.limit, self.w.mate.mask = DEPTH, STEPS, ROWS - 1

    def load(self, tree: Tree) -> "ProgramRunner":
        """Take a program."""
        if tree.language != self.language:
            raise BadParameter(f"the program's language is {tree.language.name}, not {self.language.name}")
        code = assemble_acts([tree], NUMBERS, ACTIONS)
        if max(len(code.code), len(code.registers)) > LONGEST:
            raise BadParameter(f"a program of {len(tree)} nodes is too large to run")
        write(self.w.acts_code, code.code)
        write(self.w.acts_registers, code.registers)
        return self

    def solve(self, state: State, n: int, boards: int = BOARDS) -> ProgramAnswer:
        """Return what the program that was loaded says of a mate in n."""
        demand_depth(n)
        self.run.put(self.w.positions, 0, at_home(state))
        self.w.mate.n, self.w.mate.limit = n, boards
        score = float(self.run(self.w))
        wrong = self.at_root and score < WON
        move = None if wrong else int(self.w.mate.answer)
        return ProgramAnswer(move, score, int(self.w.mate.boards), bool(self.w.acts.cut))


@lru_cache(maxsize=8)
def runner(language: Language, mode: str = "fast") -> ProgramRunner:
    """Return a runner that is kept."""
    return ProgramRunner(language, mode)
