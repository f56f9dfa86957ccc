"""Drivers that are data: two programs over Table 9.1, and the numbers of a hand-written driver.

Why it is here.  Evolution drives with thousands of them; since programs and numbers lie in a workspace, all of a kind
share their compiled code.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.racing.opponents.constants import GENES, tuned
from ludwin.kernel.memory import write as put
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Pilot, ProgramDriver

SPEED = 100.0  # what a program calls 1 is so many ft/s: the scale of V in Table 9.1


@dataclass(frozen=True)
class Programmed(ProgramDriver):
    """Drives by two programs over Table 9.1: the wheel in radians, the speed in hundreds of feet a second."""

    name: ClassVar[str] = "programmed"

    def drive(self, game: Game) -> Drive:
        """Return how it drives: as programs do, the speed in its scale."""
        base = super().drive(game)
        wheel, speed = base.lines
        target, _, value = speed.partition(" = ")

        def pilot(player: int, seed: int) -> Pilot:
            answer = base.pilot(player, seed)

            def scaled(view: Any) -> tuple[float, float]:
                turn, fast = answer(view)
                return turn, SPEED * fast

            return scaled

        lines = (wheel, f"{target} = {SPEED!r} * {value}")
        return Drive(lines, pilot, base.members, base.bind, base.fill, repeats=True)


@dataclass(frozen=True)
class Tuned(Agent):
    """Drives by the numbers of `tuned.py`: `tuned` as they stand there, `tuned:genes="8 12 29 …"` by others."""

    name: ClassVar[str] = "tuned"
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
