"""The agent `endgame`: plays endings of three and four men without a mistake, from their tables."""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.games.chess.opponents.endgames import covers, graded, table
from ludwin.games.chess.opponents.material import all_endings
from ludwin.games.chess.rules import QUIET_LIMIT
from ludwin.library import agent, is_path
from ludwin.search.choice import Agent, Choice, must_move, setting


@dataclass(frozen=True)
class EndgamePlayer(Agent):
    """Wins as quickly and loses as slowly as an ending allows; other positions are left to another agent.

    The tables are built once per machine: `ludwin endgame all --build`.
    """

    name: ClassVar[str] = "endgame"
    is_inert: ClassVar[bool] = True  # the other agent is one of ours, too
    otherwise: str = setting("tactician:depth=6", "who plays positions that no table knows (quoted if it has commas)")

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is chess, and the other agent plays it."""
        if not game.is_ours or game.name != "chess":
            raise CannotPlay(f"{self.name} knows endings of chess, not of {game.name}")
        self.other(game).suits(game)

    def other(self, game: Game) -> Agent:
        """Return who plays where no table helps."""
        if is_path(self.otherwise.partition(":")[0]):  # a file would run before it could be refused
            raise CannotPlay(f"{self.name}: otherwise={self.otherwise} is no agent of ours; name one that is")
        found = agent(self.otherwise, game)
        if isinstance(found, EndgamePlayer):
            raise CannotPlay(f"{self.name}: otherwise={self.otherwise} knows no more; name another agent")
        if found.foreign or found.name == "human":
            raise CannotPlay(f"{self.name}: otherwise={self.otherwise} is no agent of ours; name one that is")
        return found

    def warm(self, game: Game, mode: str = "fast") -> None:
        """Build or read the tables, and compile the other agent."""
        for one in all_endings():
            table(one.name, game)
        self.other(game).warm(game, mode)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the quickest win, a move that holds the draw, or the slowest loss; the first of equals."""
        self.suits(game)
        must_move(game, state)
        if not covers(state):
            return self.other(game).choose(game, state, seed=seed, mode=mode)
        moves = graded(state)
        best = max(moves, key=lambda move: moves[move].rank)
        verdict = moves[best]
        values = {move: float(one.value) for move, one in moves.items()}
        sure = state.quiet + (verdict.dtm or 0) <= QUIET_LIMIT  # else the rule of fifty moves may come first
        return Choice(best, float(verdict.value), len(moves), sure, depth=verdict.dtm or 1, values=values)
