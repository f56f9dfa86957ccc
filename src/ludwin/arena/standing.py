"""The standing of an event: what its games so far say, in a few numbers per pair of agents.

Why it is here.  An event may have millions of games; what crosstable, ratings and sequential tests
need of them is small and can be kept as games arrive, in the order of their numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from ludwin.arena.records import Record
from ludwin.arena.score import DRAW, LOSS, WIN, mean_score, points_of
from ludwin.measure import Measure
from ludwin.stats import Estimate, Repeats, Summary, is_repetitive, summary

Z = 1.959964  # 95 % of a normal distribution lie within so many standard deviations


@dataclass
class Worth:
    """What games paid the first of two agents beyond the second, half the difference, by pairs of the same dice."""

    games: int = 0
    total: float = 0.0
    pairs: int = 0
    squares: float = 0.0  # of the pairs' sums
    open: float | None = None
    varies: bool = False  # whether a victory was worth anything but 1

    def note(self, mine: float, other: float) -> None:
        """Enter a game."""
        gain = (mine - other) / 2
        self.games += 1
        self.total += gain
        self.varies = self.varies or abs(gain) not in (0, 1)
        if self.open is None:
            self.open = gain
        else:
            self.pairs += 1
            self.squares += (self.open + gain) ** 2
            self.open = None

    def estimate(self, share: float) -> Estimate:
        """Return the mean of a game with its 95 % interval, from whole pairs; `share` of the games are different."""
        if not self.games:
            return Estimate(math.nan, -math.inf, math.inf)
        mean, worth = self.total / self.games, self.pairs * share
        if worth < 2:
            return Estimate(mean, -math.inf, math.inf)
        spread = max(self.squares / self.pairs - (2 * mean) ** 2, 0.0) / (worth - 1)
        margin = Z * math.sqrt(spread) / 2
        return Estimate(mean, mean - margin, mean + margin)


@dataclass
class Tally:
    """Results between two agents, seen from the first, the one of the lower number."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    pairs: list[int] = field(default_factory=lambda: [0] * 5)  # pairs that scored 0, 1/2, 1, 3/2 and 2
    open: float | None = None  # the score of a pair's first game while the second is played
    repeats: Repeats = field(default_factory=Repeats)
    worth: Worth = field(default_factory=Worth)

    @property
    def games(self) -> int:
        """How many games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The first agent's mean score, in [0, 1]; 1/2 before the first game."""
        return mean_score(self.wins, self.draws, self.games)

    def note(self, mine: float, other: float, mark: int | None = None) -> None:
        """Enter a game; equal games have one mark."""
        self.repeats.note(mark)
        self.worth.note(mine, other)
        score = points_of(mine, other)
        self.wins += score == WIN
        self.draws += score == DRAW
        self.losses += score == LOSS
        if self.open is None:
            self.open = score
        else:
            self.pairs[round(2 * (self.open + score))] += 1
            self.open = None

    def summary(self) -> Summary:
        """Return score, Elo and normalised Elo with intervals, from whole pairs (from games if there is none).

        Intervals are those of as many games as the different ones are worth.
        """
        return summary(self.pairs if any(self.pairs) else (self.losses, self.draws, self.wins), self.repeats.share)

    def measure(self, opponent: str = "") -> Measure:
        """Return the score as a measure; its interval is that of `summary`."""
        found, repeats = self.summary().score, self.repeats
        counts = tuple(self.pairs) if any(self.pairs) else (self.losses, self.draws, self.wins)
        return Measure(
            opponent, self.score, found.low, found.high, self.games, counts, repeats.distinct, repeats.effective
        )

    @property
    def is_repetitive(self) -> bool:
        """Whether so many games were repeated that a person should know."""
        return is_repetitive(self.games, self.repeats.effective)


class Standing:
    """Results of all agents against each other."""

    def __init__(self, agents: Sequence[str]):
        self.agents = list(agents)
        self.games = 0
        self.tallies: dict[tuple[int, int], Tally] = {}
        self.played = [0] * len(agents)
        self.payoffs = [0.0] * len(agents)  # sums
        self.forfeits = [0] * len(agents)
        self.reasons: list[str | None] = [None] * len(agents)  # of each agent's first forfeit
        self.lost = [0] * len(agents)  # runs in which they lost their control of a world that ticks
        self.ends: dict[str, int] = {}
        self.repeats = Repeats()

    def note(self, record: Record) -> Tally | None:
        """Enter a game, in order; return the tally of its two agents, None if it has not two seats."""
        seats, payoffs, mark = record.seats, record.payoffs, record.mark
        self.games += 1
        self.repeats.note(mark)
        self.ends[record.end] = self.ends.get(record.end, 0) + 1
        for agent, payoff in zip(seats, payoffs, strict=True):
            self.played[agent] += 1
            self.payoffs[agent] += payoff
        for loss in record.course.lost if record.course else ():
            self.lost[seats[loss.player]] += 1
        if record.by is not None:
            forfeiter = seats[record.by]
            self.forfeits[forfeiter] += 1
            self.reasons[forfeiter] = self.reasons[forfeiter] or record.reason
        if len(seats) != 2:
            return None
        (a, mine), (b, other) = sorted(zip(seats, payoffs, strict=True))
        tally = self.tallies.get((a, b))
        if tally is None:
            tally = self.tallies[a, b] = Tally()
        tally.note(mine, other, mark)
        return tally

    def between(self, a: int, b: int) -> tuple[float, float]:
        """Return the points of a and b in their games against each other."""
        tally = self.tallies.get((min(a, b), max(a, b)), Tally())
        points = WIN * tally.wins + DRAW * tally.draws, WIN * tally.losses + DRAW * tally.draws
        return points if a < b else (points[1], points[0])

    def points(self, agent: int) -> float:
        """Return an agent's points in all its games of two."""
        return sum(self.between(*pair)[pair.index(agent)] for pair in self.tallies if agent in pair)

    def results(self, agent: int) -> tuple[int, int, int]:
        """Return an agent's wins, draws and losses in all its games of two."""
        wins = draws = losses = 0
        for (a, b), tally in self.tallies.items():
            if agent in (a, b):
                wins += tally.wins if agent == a else tally.losses
                losses += tally.losses if agent == a else tally.wins
                draws += tally.draws
        return wins, draws, losses
