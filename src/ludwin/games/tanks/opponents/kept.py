"""The evolved robots that come with the package: `haiku-evolved` and `haiku-evolved-aim`."""

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

DATA = Path(__file__).parents[1] / "data"
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


@lru_cache(maxsize=8)
def kept(name: str = "haiku-evolved") -> Haiku:
    """Return a robot of the package."""
    file = DATA / f"{name.removeprefix('haiku-')}.txt"
    return read_robot(file.read_text(encoding="utf8"), file.name)


@dataclass(frozen=True)
class HaikuEvolved(Agent):
    """The evolved robot of the package: three programs of Table 8.1 in the book's skeleton of four lines."""

    name: ClassVar[str] = "haiku-evolved"
    is_inert: ClassVar[bool] = True  # a record that names it runs our code only

    def haiku(self) -> Haiku:
        """Return its programs."""
        return kept(self.name)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is tanks."""
        self.haiku().suits(game)

    def drive(self, game: Game) -> Drive:
        """Return how it fights."""
        return self.haiku().drive(game)


@dataclass(frozen=True)
class HaikuEvolvedAim(HaikuEvolved):
    """An evolved robot that knows more than the book's: where the enemy is as its gun sees it, and the clock."""

    name: ClassVar[str] = "haiku-evolved-aim"
