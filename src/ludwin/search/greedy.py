"""Greedy: one move ahead, then trust the evaluation."""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.game import Game, State
from ludwin.search.afterstate import AfterState
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.brain import Brain, Thinker, mind
from ludwin.search.choice import Choice, setting
from ludwin.search.maxn import MaxN
from ludwin.search.seat import Seat


@dataclass(frozen=True)
class Greedy(Thinker):
    """Takes the move whose position the evaluation likes best; equal moves are drawn by the seed."""

    name: ClassVar[str] = "greedy"
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    brain: Brain | None = mind()

    def _searcher(self, game: Game) -> AlphaBeta | AfterState | MaxN:
        if game.players > 2:
            return MaxN(depth=1, eval=self.eval, brain=self.brain)
        return (
            AfterState(eval=self.eval, brain=self.brain)
            if game.has_chance
            else AlphaBeta(depth=1, eval=self.eval, ties="random", brain=self.brain)
        )

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if the game hides something or has no constant sum."""
        self._searcher(game).suits(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return self._searcher(game).seat(game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move that looks best after one ply."""
        return self._searcher(game).choose(game, state, seed=seed, mode=mode)
