"""A match: two agents, an even number of games, sides swapped.

Why it is here.  A single game says little, and the first move is worth something in most games.
So games come in pairs: the same stream of chance, seats exchanged.  Every random number
belongs to (seed, pair, seat, ply), so a result depends on nothing else.

The referee.  Nature's moves are drawn by weight.  A position that occurs for the third time with
the same mover is a draw (games without chance, by the game's `key`), because rules leave
repetition out of the state.  A game that outlasts MAX_PLIES is a draw too.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludwin.errors import BadParameter, CannotPlay, IllegalMove
from ludwin.game import Game, State
from ludwin.primitives import CHANCE, stream, uniform
from ludwin.search.choice import Agent

REPETITIONS = 3  # so often may a position occur before the game is a draw


@dataclass(frozen=True)
class Played:
    """One finished game: its moves, its payoffs by seat, and why it ended."""

    moves: tuple[int, ...]
    payoffs: tuple[float, ...]
    end: str  # "rules", "repetition" or "length"


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


def draw_nature(state: State, rng: list[int]) -> int:
    """Return one of nature's moves, drawn by weight."""
    legal = state.moves()
    rest = uniform(rng)
    for move in legal:
        rest -= state.chance(move)
        if rest < 0:
            return move
    return legal[-1]


def play_game(game: Game, seats: Sequence[Agent], seed: int, *, mode: str = "fast", start: State | None = None) -> Played:
    """Play one game, one agent per seat; every random number comes from `seed`."""
    state = start or game.start()
    seen: Counter[int] = Counter()
    played: list[int] = []
    nature = [stream(seed, -1)]
    share = (game.payoff_sum or 0) / game.players
    while not state.over:
        if len(played) >= game.max_plies:
            return Played(tuple(played), (share,) * game.players, "length")
        player = state.mover
        if player == CHANCE:
            move = draw_nature(state, nature)
        else:
            if not game.has_chance and game.players == 2:
                key = state.key()
                seen[key] += 1
                if seen[key] == REPETITIONS:
                    return Played(tuple(played), (share,) * game.players, "repetition")
            move = seats[player].choose(game, state, seed=stream(seed, player, len(played)), mode=mode).move
            if move not in state.moves():
                raise IllegalMove(f"{seats[player]} played {move}, which is not legal\n{state.show()}")
        played.append(move)
        state = state._play(move)
    return Played(tuple(played), tuple(float(v) for v in state.payoffs()), "rules")


def match(game: Game, first: Agent, second: Agent, games: int = 100, seed: int = 0, *, mode: str = "fast", progress: Callable[[Result], None] = lambda result: None) -> Result:  # fmt: skip
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
    for number in range(games):
        pair, swapped = divmod(number, 2)
        seats = (second, first) if swapped else (first, second)
        payoffs = play_game(game, seats, stream(seed, pair), mode=mode).payoffs
        mine, other = (payoffs[1], payoffs[0]) if swapped else (payoffs[0], payoffs[1])
        wins += mine > other
        draws += mine == other
        losses += mine < other
        result = Result(number + 1, wins, draws, losses)
        progress(result)
    return result
