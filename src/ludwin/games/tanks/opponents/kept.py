"""The evolved robot that comes with the package: `haiku-evolved`."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.tanks.language import LANGUAGES, ROLES
from ludwin.games.tanks.opponents.haiku import Haiku
from ludwin.program.text import read
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive

FILE = Path(__file__).parents[1] / "data" / "evolved.txt"
FIRST = "# ludwin-robot 1"  # the first line of a robot's text
LANGUAGE = "language"  # the word of a line that names another language than the book's


def read_robot(text: str, name: str) -> Haiku:
    """Return the robot of a text: a program for each role, a line each. Raises CannotPlay in one line."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != FIRST:
        raise CannotPlay(f"{name} is no robot: its first line must be {FIRST!r}")
    found = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith("#"))
    language = found.pop(LANGUAGE, "table").strip()
    if language not in LANGUAGES:
        raise CannotPlay(f"{name} is no robot: there is no language {language!r:.40} ({', '.join(LANGUAGES)})")
    if tuple(found) != ROLES:
        raise CannotPlay(f"{name} is no robot: it needs programs for {', '.join(ROLES)}, in this order")
    return Haiku(tuple(read(LANGUAGES[language](), found[role]) for role in ROLES))


@lru_cache(maxsize=1)
def kept() -> Haiku:
    """Return the robot of the package."""
    return read_robot(FILE.read_text(encoding="utf8"), FILE.name)


@dataclass(frozen=True)
class HaikuEvolved(Agent):
    """The evolved robot of the package, from `ludwin evolve tanks-duel`: it knows gun and clock, and has four lines."""

    name: ClassVar[str] = "haiku-evolved"
    is_inert: ClassVar[bool] = True  # a record that names it runs our code only

    def haiku(self) -> Haiku:
        """Return its programs."""
        return kept()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is tanks."""
        self.haiku().suits(game)

    def drive(self, game: Game) -> Drive:
        """Return how it fights."""
        return self.haiku().drive(game)
