"""A match: two agents, an even number of games, sides swapped.

Why it is here.  A single game says little, and the first move is worth something in most games.
So games come in pairs: the same stream of chance, seats exchanged.  Every random number
belongs to (seed, pair, seat, ply), so a result depends on nothing else.

Games are refereed by `referee.py`, or in one compiled call each by `contest.py`: the same games.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ludwin.arena.contest import table
from ludwin.arena.simulate import Stage
from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game
from ludwin.primitives import stream
from ludwin.search.choice import Agent


@dataclass(frozen=True)
class Result:
    """A match from the first agent's side."""

    games: int
    wins: int
    draws: int
    losses: int

    @property
    def score(self) -> float:
        """(wins + draws / 2) / games."""
        return (self.wins + self.draws / 2) / self.games


def match(
    game: Game,
    first: Agent,
    second: Agent,
    games: int = 100,
    seed: int = 0,
    *,
    mode: str = "fast",
    progress: Callable[[Result], None] = lambda result: None,
) -> Result:
    """Play `games` games between two agents, half of them with seats exchanged.

    Both games of a pair share their chance. Raises BadParameter if `games` is odd, CannotPlay if an
    agent cannot play the game.
    """
    if games < 2 or games % 2:
        raise BadParameter(f"games must be even and at least 2, so that each side begins as often, got {games}")
    if game.players != 2:
        raise CannotPlay(f"a match is between two players; {game.name} has {game.players}")
    for agent in (first, second):
        agent.suits(game)
    wins = draws = losses = 0
    result = Result(0, 0, 0, 0)
    seats = Stage(game, (first, second), mode) if game.is_world else table(game, (first, second), mode)
    for number in range(games):
        pair, swapped = divmod(number, 2)
        payoffs = seats.play(stream(seed, pair), rotation=swapped).payoffs
        mine, other = (payoffs[1], payoffs[0]) if swapped else (payoffs[0], payoffs[1])
        wins += mine > other
        draws += mine == other
        losses += mine < other
        result = Result(number + 1, wins, draws, losses)
        progress(result)
    return result
