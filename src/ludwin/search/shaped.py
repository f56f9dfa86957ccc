"""A program as a brain whose shape is compiled into the search: for numbers that are tuned over many games.

Why it is here.  See `program/shape.py`.  All programs of one shape are one kernel, so that at a compiled table each
takes its place by writing its constants; another shape is another kernel, which takes seconds to compile.
"""

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludwin.game import Game
from ludwin.kernel.bundle import Members
from ludwin.kernel.specialise import Specialised
from ludwin.program.shape import constants, judge_of
from ludwin.program.tree import Tree
from ludwin.program.values import inputs
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.programs import Programs, by_program


@dataclass(frozen=True)
class ShapedProgram(Programs):
    """One program, compiled as its shape; the opinions are those of `Programs`, bit for bit."""

    def bind(self, game: Game) -> dict[str, Any]:
        """Let the shape speak."""
        return {"assess": by_program, "judge": judge_of(self.trees[0], inputs(game))}

    def sizes(self, game: Game) -> Mapping[str, int]:
        """Return room for the constants."""
        return {"brain_code_0": 1, "brain_registers_0": max(len(constants(self.trees[0])), 1)}

    def members(self, game: Game) -> Members:
        """Return what a program's judge takes: no code, and constants for registers."""
        return {"brain_bufs": "Moves", "brain_code_0": [int], "brain_registers_0": [float]}

    def prepare(self, run: Specialised, w: Any) -> None:
        """Write the constants."""
        found = constants(self.trees[0])
        w.brain_registers_0[: len(found)] = array("d", found) if run.compiled else list(found)


def shaped_player(program: Tree, depth: int = 3) -> AlphaBeta:
    """Return the player of `program_player`, with the program's shape compiled into its search."""
    return AlphaBeta(depth=depth, ties="shuffle").with_brain(ShapedProgram((program,)))
