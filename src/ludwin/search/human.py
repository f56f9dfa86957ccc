"""A person at the board, as an agent's name: `human`.

Why it is here.  `ludwin play draughts human alphabeta:depth=6` names a person as it names an agent; so do saved games.
Where a person can sit, the door asks them; everywhere else this name is refused with the way out.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.search.choice import Agent, Choice


@dataclass(frozen=True)
class Human(Agent):
    """A person, who sits down where one can be asked: `ludwin play GAME human uct`."""

    name: ClassVar[str] = "human"

    def suits(self, game: Game) -> None:
        """Raise CannotPlay: nobody can be asked here."""
        raise CannotPlay(f"a person plays at a board: `ludwin play {game.text} human …`")

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Raise CannotPlay: nobody can be asked here."""
        self.suits(game)
        raise AssertionError("a person suits no game but at a board")
