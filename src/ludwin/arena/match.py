"""A match: two agents, an even number of games, sides swapped.

Why it is here.  A single game says little, and the first move is worth something in most games.
So games come in pairs: the same stream of chance, seats exchanged.  Every random number
belongs to (seed, pair, seat, ply), so a result depends on nothing else.

The referee.  Nature's moves are drawn by weight.  A position that occurs for the third time with
the same mover is a draw (games without chance, by the game's `key`), because rules leave
repetition out of the state.  A game that outlasts MAX_PLIES is a draw too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ludwin.errors import BadParameter, CannotPlay, IllegalMove
from ludwin.game import Game, State
from ludwin.primitives import CHANCE, stream, uniform
from ludwin.search.choice import Agent, Choice

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


class Referee:
    """One game as it is played: its record, nature's draws, and when it is over.

    The record can be cut back; nature, whose stream goes back with it, then draws the same again.
    """

    def __init__(self, game: Game, seed: int, start: State | None = None):
        self.game = game
        self.seed = seed
        self.played: list[int] = []
        self.states: list[State] = []  # before each move, and the state now
        self._keys: list[int | None] = []  # of each state, where repetition counts
        self._nature = [stream(seed, -1)]  # where its stream stands at each state
        self._enter(start or game.start())

    @property
    def state(self) -> State:
        """The state now."""
        return self.states[-1]

    @property
    def end(self) -> str | None:
        """Why the game is over: "rules", "length" or "repetition"; None while it goes on."""
        if self.state.over:
            return "rules"
        if len(self.played) >= self.game.max_plies:
            return "length"
        key = self._keys[-1]
        return "repetition" if key is not None and self._keys.count(key) >= REPETITIONS else None

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The payoffs by seat of a game that is over: a draw unless the rules ended it."""
        if self.state.over:
            return tuple(float(v) for v in self.state.payoffs())
        return ((self.game.payoff_sum or 0) / self.game.players,) * self.game.players

    def draw(self) -> int:
        """Return the move that nature makes now."""
        return draw_nature(self.state, [self._nature[-1]])

    def ask(self, agent: Agent, mode: str = "fast") -> Choice:
        """Return the agent's choice for the mover. Raises IllegalMove if it is none."""
        state = self.state
        choice = agent.choose(self.game, state, seed=stream(self.seed, state.mover, len(self.played)), mode=mode)
        if choice.move not in state.moves():
            raise IllegalMove(f"{agent} played {choice.move}, which is not legal\n{state.show()}")
        return choice

    def play(self, move: int) -> None:
        """Enter a legal move, nature's or a player's, into the record."""
        rng = [self._nature[-1]]
        if self.state.mover == CHANCE:
            uniform(rng)  # what the draw of this move has used
        self.played.append(move)
        self._nature.append(rng[0])
        self._enter(self.state._play(move))

    def cut(self, plies: int) -> None:
        """Take back all but the first `plies` moves."""
        del self.played[plies:]
        del self.states[plies + 1 :], self._keys[plies + 1 :], self._nature[plies + 1 :]

    def _enter(self, state: State) -> None:
        repeats = not self.game.has_chance and self.game.players == 2 and not state.over and state.mover != CHANCE
        self.states.append(state)
        self._keys.append(state.key() if repeats else None)


def play_game(game: Game, seats: Sequence[Agent], seed: int, *, mode: str = "fast", start: State | None = None) -> Played:
    """Play one game, one agent per seat; every random number comes from `seed`."""
    referee = Referee(game, seed, start)
    while not (end := referee.end):
        player = referee.state.mover
        referee.play(referee.draw() if player == CHANCE else referee.ask(seats[player], mode).move)
    return Played(tuple(referee.played), referee.payoffs, end)


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
