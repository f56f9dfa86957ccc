"""Races for evolution: many drivers, one after the other, in one compiled world.

Why it is here.  A generation is hundreds of laps of a millisecond.  Drivers of one kind share their code, for
programs and numbers are data, so a world is compiled once and every driver is put into it.  A race is a function of
driver and seed: the number of threads changes nothing.
"""

import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ludwin.arena.simulate import Stage
from ludwin.game import Game
from ludwin.games.racing.opponents.drivers import Programmed, Tuned
from ludwin.games.racing.opponents.planner import Planner
from ludwin.library import load
from ludwin.search.choice import Agent
from ludwin.workers import Threads


class Raced(NamedTuple):
    """How a race ended for its one car."""

    finished: bool
    seconds: float  # race clock at the line; where it did not finish, when it ended
    lap: float  # best lap between crossings of the line, 0 if none
    feet: float  # along the centre line, since the line was crossed first
    damage: int
    ticks: int


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
        languages = (tree.language.name for tree in getattr(driver, "programs", ()))
        kind = (type(driver), getattr(driver, "recover", False), getattr(driver, "line", ""), *languages)
        if isinstance(driver, Programmed | Tuned | Planner):
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
