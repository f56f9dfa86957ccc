"""Open Sage (`bgsage`, MPL-2.0) as an opponent: a strong open program with its networks in the package.

It is installed with `pip install ludwin[backgammon]`.  It is asked which position it would leave behind, and the play
that leads there is ours.

References.  The package `bgsage` (Open Sage).
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from typing import Any, ClassVar

from ludwin.errors import CannotPlay, IllegalMove
from ludwin.game import Game, State
from ludwin.games.backgammon.opponents.oneply import demand_backgammon
from ludwin.games.backgammon.rules import _OFF, _PLACES
from ludwin.search.choice import Agent, Choice, must_move, setting


@lru_cache(maxsize=4)
def analyzer(plies: int) -> Any:
    """Return the engine that looks so many plies ahead."""
    import bgsage

    return bgsage.BgBotAnalyzer(eval_level=f"{plies}ply", cubeful=False, parallel_threads=1)


def board_of(men: tuple[int, ...], player: int) -> list[int]:
    """Return a board as bgsage writes it: the player's men positive, on 24 to 1; its bar at 25, the enemy's at 0."""
    mine, theirs = men[_PLACES * player :][:_PLACES], men[_PLACES * (1 - player) :][:_PLACES]
    return [theirs[0], *(mine[_OFF - k] - theirs[k] for k in range(1, 25)), mine[0]]


@dataclass(frozen=True)
class Sage(Agent):
    """Open Sage (bgsage), if its package is installed; it decides plays, not the cube."""

    name: ClassVar[str] = "bgsage"
    plies: int = setting(1, "plies that it looks ahead: 1 is its networks alone", least=1, most=3)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless it is backgammon without a cube, and the package is there."""
        demand_backgammon(self.name, game)
        parameters = {**game.source.parameters, **game.values}
        if parameters["variant"] == "hypergammon" or parameters["cube"]:
            raise CannotPlay("bgsage plays here with fifteen men and without a cube; leave out variant= and cube=")
        if find_spec("bgsage") is None:
            raise CannotPlay("bgsage is not installed here: pip install bgsage")

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the play to the position that it likes best, with its equity."""
        self.suits(game)
        must_move(game, state)
        p, legal = state.mover, state.moves()
        if len(legal) == 1:
            return Choice(legal[0], 0.0, 1)
        length = int({**game.source.parameters, **game.values}["match"])
        if not length and game.values.get("payoff") == "wins":
            away = {"away1": 1, "away2": 1}
        else:
            away = {"away1": length - state.score[p], "away2": length - state.score[1 - p]} if length else {}
        found = analyzer(self.plies).checker_play(
            board_of(state.men, p), state.high, state.low, jacoby=False, beaver=False, **away
        )
        plays = {tuple(board_of(state.play(move).men, p)): move for move in legal}
        for analysed in found.moves:
            if tuple(analysed.board) in plays:
                return Choice(plays[tuple(analysed.board)], float(analysed.equity), len(found.moves))
        raise IllegalMove(f"bgsage has no legal play for {state.write()}")
