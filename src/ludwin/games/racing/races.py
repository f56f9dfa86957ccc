"""Races for evolution: many drivers, one after the other, in one compiled world.

Why it is here.  A generation is hundreds of laps of a millisecond.  Drivers of one kind share their code, for
programs and numbers are data, so a world is compiled once and every driver is put into it.  A race is a function of
driver and seed: the number of threads changes nothing.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple

from ludwin.arena.simulate import Stage
from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.racing.tuned import GENES, tuned
from ludwin.kernel.memory import write as put
from ludwin.library import load
from ludwin.program.tree import Tree
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Pilot, ProgramDriver
from ludwin.workers import Threads

SPEED = 100.0  # what a program calls 1 is so many ft/s: the scale of V in Table 9.1


class Raced(NamedTuple):
    """How a race ended for its one car."""

    finished: bool
    seconds: float  # race clock at the line; where it did not finish, when it ended
    lap: float  # best lap between crossings of the line, 0 if none
    feet: float  # along the centre line, since the line was crossed first
    damage: int
    ticks: int


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


@lru_cache(maxsize=64)
def world(text: str) -> Game:
    """Return a world, loaded once."""
    return load(text)


class Races:
    """One world, and drivers that race in it alone."""

    def __init__(self, text: str, workers: int = 1):
        self.game = world(text)
        self.workers = max(1, workers)
        self.local = threading.local()
        self.length = float(self.game.start().sense(0)["lap_length"])

    def race(self, driver: Agent, seeds: Sequence[int]) -> list[Raced]:
        """Return a driver's races, one for each seed."""
        stages: dict[Any, tuple[Stage, Any]] = getattr(self.local, "stages", None) or {}
        self.local.stages = stages
        kind = (type(driver), *(tree.language.name for tree in getattr(driver, "programs", ())))
        if isinstance(driver, Programmed | Tuned):
            if kind not in stages:
                stages[kind] = (Stage(self.game, [driver]), driver)
            stage = stages[kind][0]
            stage.drives[0] = driver.drive(self.game)
        else:
            stage = Stage(self.game, [driver])
        return [self._raced(stage, seed) for seed in seeds]

    def race_all(self, drivers: Sequence[Agent], seeds: Sequence[int]) -> list[list[Raced]]:
        """Return the races of many drivers, who all have the same seeds."""
        if self.workers == 1 or len(drivers) < 2:
            return [self.race(driver, seeds) for driver in drivers]
        self.race(drivers[0], seeds[:1])  # compiled once, before threads ask for it
        return list(Threads(lambda _, driver: self.race(driver, seeds), self.workers).map(list(drivers)))

    def _raced(self, stage: Stage, seed: int) -> Raced:
        run = stage.play(seed)
        s = run.final
        done = bool(s.done[0])
        seconds = float(s.finished_at[0]) if done else float(s.clock)
        feet = float(s.laps[0]) * self.length + float(s.distance[0])
        return Raced(done, seconds, float(s.best_lap[0]), feet, int(s.damage[0]), run.ticks)


def programmed(genome: tuple[Tree, ...]) -> Programmed:
    """Return the driver of a genome of two trees."""
    return Programmed(genome)
