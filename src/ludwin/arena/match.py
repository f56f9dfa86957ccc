"""A match: two agents, an even number of games, sides swapped.

Why it is here.  A single game says little, and the first move is worth something in most games.
So games come in pairs: the same stream of chance, seats exchanged.  A match is an event of two agents
(`tournament.py`), and `ludwin match` is this function, so both give the same figures.
"""

from pathlib import Path
from typing import Any

from ludwin import library
from ludwin.arena.results import MatchResult
from ludwin.arena.tournament import tournament
from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.search.choice import Agent


def match(game: Game | str | Path, first: Agent | str, second: Agent | str, **conditions: Any) -> MatchResult:
    """Play games between two agents, half of them with seats exchanged, and return what they say.

    Game and agents may be texts: `match("nim", "uct", "random", games=100, seed=1)`. The conditions are those of
    `tournament`, with its defaults (20 games, seed 0, one worker). An agent that misbehaves forfeits its game, and
    `reasons` says why. Raises BadParameter if `games` is odd, CannotPlay if an agent cannot play the game.

    >>> match("nim", "alphabeta:depth=21", "random", games=4, mode="plain")
    nim: alphabeta:depth=21 against random, 4 games, seed 0
      4 wins, 0 draws, 0 losses: score 1.000 [0.158, 1.000]
      Elo +∞ [..., +∞], normalised Elo +∞ [..., +∞], superiority ... %
    """
    rules = game if isinstance(game, Game) else library.load(game)
    if rules.players != 2:
        raise CannotPlay(f"a match is between two players; {rules.name} has {rules.players}")
    return MatchResult(tournament(rules, (first, second), **conditions))
