"""Battles for evolution: many robots, one after the other, against the same adversary on the same seeds.

Why it is here.  A generation is thousands of battles of a few milliseconds.  All robots are data for one machine, so a
duel is compiled once and every robot is put into it.  A battle is a function of robots and seed: the number of threads
changes nothing.
"""

import math
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ludwin.arena.simulate import Stage
from ludwin.game import Game
from ludwin.games.tanks.opponents.haiku import Haiku
from ludwin.games.tanks.opponents.robots import LINES
from ludwin.library import agent, load
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, drive_of
from ludwin.workers import Threads

GUARD = 1.0  # epsilon of the modified fractional score: points, where a round brings some hundred
EVEN = 0.5  # of who has not scored against somebody who has not, either


class Fought(NamedTuple):
    """The scores of a battle: the player's and the adversary's."""

    mine: float
    theirs: float

    @property
    def share(self) -> float:
        """The fractional score F = S_P / (S_P + S_A); even if nobody has scored."""
        total = self.mine + self.theirs
        return self.mine / total if total > 0.0 else EVEN

    @property
    def fitness(self) -> float:
        """The book's F~, which also tells those apart who score nothing: who concedes less is better.

        Where nobody has scored it would be 1, so that an idle pair would look perfect: there it is even.

        >>> Fought(0.0, 0.0).fitness, Fought(0.0, 9.0).fitness, Fought(9.0, 10.0).fitness
        (0.5, 0.1, 0.5)
        """
        total = self.mine + self.theirs
        return (GUARD + self.mine) / (GUARD + total) if total > 0.0 else EVEN


@lru_cache(maxsize=32)
def field_of(rounds: int) -> Game:
    """Return the duel of so many rounds."""
    return load("tanks", rounds=rounds)


@lru_cache(maxsize=256)
def robot(text: str) -> Agent:
    """Return a robot by its name or file. Raises CannotPlay for who drives nowhere."""
    found = agent(text)
    found.suits(field_of(1))
    drive_of(found, field_of(1))
    return found


class Battles:
    """Duels of so many rounds."""

    def __init__(self, rounds: int, workers: int = 1):
        self.game = field_of(rounds)
        self.workers = max(1, workers)
        self.local = threading.local()
        self.drives: dict[Agent, Drive] = {}

    def fight(self, player: Agent, adversary: Agent, seeds: Sequence[int]) -> list[Fought]:
        """Return the scores of a player's battles, one for each seed."""
        drives = [self.drive(one) for one in (player, adversary)]
        if not all(drive.repeats and drive.lines == LINES for drive in drives):
            stage = Stage(self.game, [player, adversary])
            return [Fought(*stage.payoffs(seed)) for seed in seeds]
        stage = getattr(self.local, "stage", None) or Stage(self.game, [player, adversary])
        self.local.stage = stage  # such robots are data for one machine
        stage.drives[:] = drives
        return [Fought(*stage.payoffs(seed)) for seed in seeds]

    def drive(self, one: Agent) -> Drive:
        """Return how a robot fights; a robot's file is read once."""
        if isinstance(one, Haiku):
            return one.drive(self.game)
        if one not in self.drives:
            self.drives[one] = one.drive(self.game)
        return self.drives[one]

    def fight_all(self, players: Sequence[Haiku], adversary: Agent, seeds: Sequence[int]) -> list[list[Fought]]:
        """Return the battles of many players, who all have the same seeds."""
        if self.workers == 1 or len(players) < 2:
            return [self.fight(player, adversary, seeds) for player in players]
        self.fight(players[0], adversary, seeds[:1])  # compiled once, before threads ask for it
        return list(Threads(lambda _, one: self.fight(one, adversary, seeds), self.workers).map(list(players)))


def mean(values: Sequence[float]) -> float:
    """Return the mean."""
    return math.fsum(values) / len(values)
