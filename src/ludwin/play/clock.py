"""Clocks: the time that a player has for a whole game, and what of it a person has used.

Why it is here.  Agents at events and people at a board have the same kind of clock.  The referee of events measures
agents (`ludwin.arena`); a person's time runs while a session waits for their move.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from ludwin.errors import BadParameter


def number_from(text: str, what: str, least: float = 0.0) -> float:
    """Return the finite number that a text says. Raises BadParameter if it says none, or one below `least`."""
    try:
        value = float(text)
    except ValueError:
        raise BadParameter(f"{what} must be a number, got {text!r}") from None
    if not math.isfinite(value) or value < least:
        raise BadParameter(f"{what} must be at least {least:g}, got {text!r}")
    return value


@dataclass(frozen=True)
class Clock:
    """Seconds for a whole game, and what every move adds to them.

    >>> Clock.parse("10+0.1")
    Clock(seconds=10.0, increment=0.1)
    """

    seconds: float
    increment: float = 0.0

    @classmethod
    def parse(cls, text: str) -> "Clock":
        """Read SECONDS or SECONDS+INCREMENT."""
        seconds, plus, increment = text.partition("+")
        clock = cls(
            number_from(seconds, "the clock's seconds"),
            number_from(increment, "the clock's increment") if plus else 0.0,
        )
        if clock.seconds + clock.increment <= 0:
            raise BadParameter(f"a clock of no seconds cannot be met, got {text!r}")
        return clock

    def __str__(self) -> str:
        return f"{self.seconds:g}+{self.increment:g}" if self.increment else f"{self.seconds:g}"


class Stopwatch:
    """What people have left on their clocks; one of them runs at a time, or none.

    An increment is earned by a move and lost when it is taken back; time that was used stays used.
    """

    def __init__(self, clock: Clock, now: Callable[[], float] = time.monotonic):
        self.clock, self.now = clock, now
        self.used: dict[int, float] = {}
        self.moves: dict[int, int] = {}
        self.running: tuple[int, float] | None = None  # whose clock runs, and since when

    def start(self, player: int) -> None:
        """Let a player's clock run, unless it does."""
        if self.running is None or self.running[0] != player:
            self.stop()
            self.running = player, self.now()

    def stop(self) -> None:
        """Stop the clock that runs."""
        if self.running is not None:
            player, began = self.running
            self.used[player] = self.used.get(player, 0.0) + self.now() - began
            self.running = None

    def moved(self, player: int, number: int = 1) -> None:
        """Count moves of a player; taken back ones are negative."""
        self.moves[player] = self.moves.get(player, 0) + number

    def left(self, player: int) -> float:
        """Return the seconds that a player has left; below 0 the time is up."""
        thinking = self.now() - self.running[1] if self.running is not None and self.running[0] == player else 0.0
        earned = self.clock.increment * self.moves.get(player, 0)
        return self.clock.seconds + earned - self.used.get(player, 0.0) - thinking
