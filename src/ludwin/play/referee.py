"""The referee: one game as it is played, by whoever sits at the table.

Why it is here.  Rules say what a move does; the referee says what is left: nature's moves are drawn by
weight, a position that occurs for the third time with the same mover is a draw (two players, no chance,
by the game's `key`), because rules leave repetition out of the state, and a game that outlasts
MAX_PLIES is a draw too.  Every random number belongs to (seed, seat, ply), so a game depends on
nothing else.  `contest.py` plays the same games in one compiled call.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ludwin.errors import IllegalMove
from ludwin.game import Game, State
from ludwin.primitives import CHANCE, stream, uniform
from ludwin.search.choice import Agent, Choice, Player

REPETITIONS = 3  # so often may a position occur before the game is a draw


class Allowance(NamedTuple):
    """The seconds that a move may take, and of a clock what is left on it and what every move adds."""

    seconds: float = math.inf
    clock: tuple[float, float] | None = None


UNLIMITED = Allowance()


@dataclass(frozen=True)
class Played:
    """One finished game: its moves, its payoffs by seat, and why it ended."""

    moves: tuple[int, ...]
    payoffs: tuple[float, ...]
    end: str  # "rules", "repetition" or "length"


def draw_nature(state: State, rng: list[int]) -> int:
    """Return one of nature's moves, drawn by weight (as `sample` in `search/playout.py` does)."""
    weights = state.weights()
    rest = uniform(rng) * sum(weights.values())
    for move, weight in weights.items():
        rest -= weight
        if rest < 0:
            return move
    return move


class Referee:
    """One game as it is played: its record, nature's draws, and when it is over.

    The record can be cut back; nature, whose stream goes back with it, then draws the same again.
    """

    def __init__(self, game: Game, seed: int, start: State | None = None, *, repetitions: int = REPETITIONS):
        self.game = game
        self.seed = seed
        self.repetitions = repetitions  # so often may a position occur before the game is a draw; 0: for ever
        self.played: list[int] = []
        self.states: list[State] = []  # before each move, and the state now
        self._players: dict[int, tuple[Agent, str, Player]] = {}  # by seat: who sits there, and what it remembers
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
        return "repetition" if key is not None and self._keys.count(key) >= self.repetitions else None

    @property
    def payoffs(self) -> tuple[float, ...]:
        """The payoffs by seat of a game that is over: a draw unless the rules ended it."""
        if self.state.over:
            return tuple(float(v) for v in self.state.payoffs())
        return ((self.game.payoff_sum or 0) / self.game.players,) * self.game.players

    def draw(self) -> int:
        """Return the move that nature makes now."""
        return draw_nature(self.state, [self._nature[-1]])

    def sit(self, player: int, agent: Agent, mode: str = "fast", time: Allowance = UNLIMITED) -> Player:
        """Return what chooses for an agent in this seat; one that listens is told the game so far and its time."""
        if self._players.get(player, (None, None))[:2] != (agent, mode):
            self._players[player] = agent, mode, agent.sit(self.game, mode)
        found = self._players[player][2]
        hear = getattr(found, "hear", None)
        if hear is not None:
            hear(player, self.states, time.seconds, time.clock)
        return found

    def ask(self, agent: Agent, mode: str = "fast", time: Allowance = UNLIMITED) -> Choice:
        """Return the agent's choice for the mover. Raises IllegalMove if it is none."""
        state = self.state
        choose = self.sit(state.mover, agent, mode, time)
        choice = choose(state, stream(self.seed, state.mover, len(self.played)), self.played)
        if choice.move not in state.moves():
            raise IllegalMove(f"{agent} played {choice.move}, which is not legal")
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
        repeats = (
            self.repetitions
            and not self.game.has_chance
            and self.game.players == 2
            and not state.over
            and state.mover != CHANCE
        )
        self.states.append(state)
        self._keys.append(state.key() if repeats else None)


def play_game(
    game: Game, seats: Sequence[Agent], seed: int, *, mode: str = "fast", start: State | None = None
) -> Played:
    """Play one game, one agent per seat; every random number comes from `seed`."""
    referee = Referee(game, seed, start)
    while not (end := referee.end):
        player = referee.state.mover
        referee.play(referee.draw() if player == CHANCE else referee.ask(seats[player], mode).move)
    return Played(tuple(referee.played), referee.payoffs, end)
