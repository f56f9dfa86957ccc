"""Games of evolved players that begin at the start or after random plies.

Why it is here.  Whoever has only ever played from the start loses two to five points in a hundred where a game begins
elsewhere, so a fitness should know both.  Which position a game begins with depends on its seed alone: even pairs begin
at the start, odd ones after `plies` random plies, or all of them do.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from ludwin.evolve.bouts import Bout, Bouts, Factory, bout
from ludwin.game import Game, State
from ludwin.program.stream import Stream
from ludwin.search.choice import Agent

OPENING = 0x6F70  # sets these streams apart from those of games
TRIES = 20  # openings that end a game are drawn again


def opening(game: Game, plies: int, seed: int) -> State:
    """Return the position after so many random plies; where they end the game, others are drawn."""
    for number in range(TRIES):
        stream, state = Stream(seed, OPENING, number), game.start()
        for _ in range(plies):
            moves = state.moves()
            if not moves:
                break
            state = state.play(stream.pick(moves))
        if state.moves():
            return state
    return game.start()


class OpenedBouts(Bouts):
    """Plays games whose first position `begins` names by the seed (None: the start)."""

    def __init__(self, game: Game, player: Factory, workers: int, begins: Callable[[int], State | None]):
        super().__init__(game, player, workers)
        self.begins = begins

    def _match(self, genome: Any, opponent: Agent, seeds: Sequence[int]) -> list[Bout]:
        board = self._table(genome, opponent)
        seats = range(self.game.players)
        return [bout(board.play(seed, -seat % len(seats), self.begins(seed)), seat) for seed in seeds for seat in seats]


def beginnings(game: Game, plies: int, share: float) -> Callable[[int], State | None]:
    """Return what names first positions: this share of the seeds begins after random plies."""

    @lru_cache(maxsize=20_000)
    def begins(seed: int) -> State | None:
        if plies < 1 or not Stream(seed, OPENING).chance(share):
            return None
        return opening(game, plies, seed)

    return begins
