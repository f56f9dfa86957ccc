"""Drivers that are data: two programs, and the numbers of a hand-written driver.

Why it is here.  Evolution drives with thousands of them; since programs and numbers lie in a workspace, all of a kind
share their compiled code.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.racing.language import LANGUAGES, SPEED_NAME, STEER_NAME, sight
from ludwin.games.racing.opponents.constants import GENES, tuned
from ludwin.games.racing.recover import stuck
from ludwin.kernel.memory import write as put
from ludwin.program.text import read
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Pilot, ProgramDriver

FOLDER = Path(__file__).parents[1] / "data" / "drivers"
FIRST = "# ludwin-driver 1"  # the first line of a driver's text
SPEED = 100.0  # what a program calls 1 is so many ft/s: the scale of V in Table 9.1


def kept() -> tuple[str, ...]:
    """Return the names of the evolved drivers that come with the package."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.txt")))


@lru_cache(maxsize=32)
def kept_driver(name: str) -> "Programmed":
    """Return an evolved driver of the package."""
    return read_driver((FOLDER / f"{name}.txt").read_text(encoding="utf8"), name)


def read_driver(text: str, name: str) -> "Programmed":
    """Return the driver of a text: its language and both programs, a line each. Raises CannotPlay in one line."""
    lines = text.splitlines()
    if not lines or lines[0].strip() != FIRST:
        raise CannotPlay(f"{name} is no driver: its first line must be {FIRST!r}")
    found = dict(line.split(": ", 1) for line in lines if ": " in line and not line.startswith("#"))
    if set(found) != {"language", STEER_NAME, SPEED_NAME} or found["language"] not in LANGUAGES:
        raise CannotPlay(f"{name} is no driver: it needs a language ({', '.join(LANGUAGES)}), wheel and speed")
    language = LANGUAGES[found["language"]]()
    return Programmed((read(language, found[STEER_NAME]), read(language, found[SPEED_NAME])), recover=True)


@dataclass(frozen=True)
class Programmed(ProgramDriver):
    """Drives by two programs: the wheel in radians, the speed in hundreds of feet a second.

    With `recover` the recovery helper takes over where the programs would be stuck.
    """

    name: ClassVar[str] = "programmed"
    recover: bool = False

    @property
    def sighted(self) -> bool:
        """Whether the programs read the line that can be seen."""
        return any(tree.language is sight() for tree in self.programs)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world shows what the programs read."""
        super().suits(game)
        if self.sighted and not game.values.get("sight"):
            raise CannotPlay(f"{self.name}: its programs read the line that can be seen: set sight=true")

    def drive(self, game: Game) -> Drive:
        """Return how it drives: as programs do, the speed in its scale."""
        base = super().drive(game)
        wheel, speed = base.lines
        target, _, value = speed.partition(" = ")
        programs = (wheel, f"{target} = {SPEED!r} * {value}")

        def pilot(player: int, seed: int) -> Pilot:
            answer = base.pilot(player, seed)

            def scaled(view: Any) -> tuple[float, float]:
                if self.recover:
                    taken, turn, pace = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
                    if taken > 0:
                        return turn, pace
                turn, fast = answer(view)
                return turn, SPEED * fast

            return scaled

        if not self.recover:
            return Drive(programs, pilot, base.members, base.bind, base.fill, repeats=True)
        lines = (
            "view = w.views[p]",
            "taken, turn, pace = stuck{k}(view.backward, view.v, view.across, view.to_left, view.to_right)",
            "if taken > 0:",
            "    w.answers[at] = turn",
            "    w.answers[at + 1] = pace",
            "else:",
            *(f"    {line}" for line in programs),
        )
        return Drive(lines, pilot, base.members, {**base.bind, "stuck{k}": stuck}, base.fill, repeats=True)


@dataclass(frozen=True)
class Bred(Agent):
    """Drives as a program that was evolved and is kept here: `bred:driver=sight`."""

    name: ClassVar[str] = "bred"
    is_inert: ClassVar[bool] = True  # a record that names it runs our code only
    driver: str = field(default="sight", metadata={"help": "whose programs", "choices": kept()})

    def programmed(self) -> Programmed:
        """Return the driver itself."""
        return kept_driver(self.driver)

    @property
    def sighted(self) -> bool:
        """Whether its programs read the line that can be seen."""
        return self.programmed().sighted

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world is racing, with sight where the programs need it."""
        if game.name != "racing":
            raise CannotPlay(f"bred drives in racing, and {game.name} is another world")
        self.programmed().suits(game)

    def drive(self, game: Game) -> Drive:
        """Return how it drives."""
        return self.programmed().drive(game)


@dataclass(frozen=True)
class Tuned(Agent):
    """Drives by the numbers of `tuned.py`: `tuned` as they stand there, `tuned:genes="8 12 29 …"` by others."""

    name: ClassVar[str] = "tuned"
    is_inert: ClassVar[bool] = True  # a record that names it runs our code only
    genes: str = field(default="", metadata={"help": f"{len(GENES)} numbers, with blanks between", "kind": str})

    def numbers(self) -> tuple[float, ...]:
        """Return the numbers. Raises CannotPlay for a text that is none."""
        if not self.genes:
            return tuple(usual for _, _, _, usual in GENES)
        try:
            found = tuple(float(word) for word in self.genes.split())
        except ValueError:
            found = ()
        if len(found) != len(GENES) or not all(abs(x) < 1e6 for x in found):
            raise CannotPlay(f"tuned: genes are {len(GENES)} numbers with blanks between, got {self.genes[:60]!r}")
        for x, (what, low, high, _) in zip(found, GENES, strict=True):
            if not low <= x <= high:
                raise CannotPlay(f"tuned: {what}: the gene must be {low:g} to {high:g}, got {x:g}")
        return found

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world is racing."""
        self.numbers()
        if game.name != "racing":
            raise CannotPlay(f"tuned drives in racing, and {game.name} is another world")

    def drive(self, game: Game) -> Drive:
        """Return how it drives: the numbers lie in its workspace."""
        numbers = self.numbers()
        return Drive(
            ("a0, a1 = tuned{k}(w.views[p], w.genes{k})", "w.answers[at] = 1.0 * a0", "w.answers[at + 1] = 1.0 * a1"),
            lambda player, seed: lambda view: tuned(view, numbers),
            {"genes{k}": ([float], len(GENES))},
            {"tuned{k}": tuned},
            lambda bundle, k, mode: put(getattr(bundle, f"genes{k}"), numbers),
            repeats=True,
        )
