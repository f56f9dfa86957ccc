"""Games of backgammon for evolution: many players against one opponent on the same dice, or against each other.

Why it is here.  A game takes a tenth of a millisecond in one compiled call.  Players of one kind share their code, for
programs and weights are data, so a table is compiled once and every player is put at it.  A game is a function of
players and seed: the number of threads changes nothing.  Wins are what the tables of the book are graded by, points
(1, 2 for a gammon, 3 for a backgammon) what its fitness counts, so both are counted here.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ludwin.arena.contest import CompiledTable, ContestTable, table
from ludwin.library import load
from ludwin.measure import Measure
from ludwin.search.choice import Agent
from ludwin.stats import mean_of
from ludwin.workers import Threads

CHUNK = 25  # pairs of games that a thread plays before it asks for more


class PairedGames(NamedTuple):
    """The payoffs of a player's games, two for each seed: as first player and as second."""

    payoffs: tuple[float, ...]

    @property
    def games(self) -> int:
        """How many were played."""
        return len(self.payoffs)

    @property
    def score(self) -> float:
        """The share of games won; a draw is half of one."""
        return sum(1.0 if x > 0 else 0.5 if x == 0 else 0.0 for x in self.payoffs) / max(len(self.payoffs), 1)

    @property
    def share(self) -> float:
        """The share of all points: own / (own + the opponent's), the book's fitness.

        >>> PairedGames((2.0, -1.0)).share, PairedGames((0.0, 0.0)).share
        (0.6666666666666666, 0.5)
        """
        total = sum(map(abs, self.payoffs))
        return sum(x for x in self.payoffs if x > 0) / total if total else 0.5

    @property
    def points(self) -> float:
        """The points a game."""
        return sum(self.payoffs) / max(len(self.payoffs), 1)

    @property
    def pairs(self) -> tuple[int, ...]:
        """Five counts of pairs of games on the same dice, from lost to won."""
        found = [0] * 5
        for one, other in zip(self.payoffs[::2], self.payoffs[1::2], strict=True):
            found[sum((x > 0) - (x < 0) for x in (one, other)) + 2] += 1
        return tuple(found)

    def measure(self, opponent: str) -> Measure:
        """Return the win rate as a measure."""
        return Measure.of(opponent, self.pairs)

    def measure_points(self, opponent: str) -> Measure:
        """Return the points a game as a measure; a sample is a pair of games on the same dice."""
        sums = [(a + b) / 2 for a, b in zip(self.payoffs[::2], self.payoffs[1::2], strict=True)]
        found = mean_of(sums)
        return Measure(opponent, found.value, found.low, found.high, len(sums), metric="points", unit="a game")


class Matches:
    """Plays games between agents; those that are made of the same code take each other's place at the table."""

    def __init__(self, workers: int = 1, mode: str = "fast"):
        self.game = load("backgammon")
        self.workers = max(1, workers)
        self.mode = mode
        self.local = threading.local()

    def against(self, players: Sequence[Agent], opponent: Agent, seeds: Sequence[int]) -> list[PairedGames]:
        """Return the games of each player, two for each seed; all players meet the same dice."""
        if not players:
            return []
        self._table(players[0], opponent)  # compiled once, before threads ask for it
        parts = [seeds[k : k + CHUNK] for k in range(0, len(seeds), CHUNK)]
        jobs = [(player, part) for player in players for part in parts]
        found = self._spread(lambda job: self._both_seats(job[0], opponent, job[1]), jobs)
        per = len(parts)
        return [
            PairedGames(tuple(x for part in found[i * per : (i + 1) * per] for x in part)) for i in range(len(players))
        ]

    def pairs(self, games: Sequence[tuple[Agent, Agent]], seeds: Sequence[int]) -> list[float]:
        """Return the payoff of the first player of each game."""
        if not games:
            return []
        self._table(*games[0])
        jobs = [range(k, min(k + 2 * CHUNK, len(games))) for k in range(0, len(games), 2 * CHUNK)]
        found = self._spread(lambda job: [self._game(*games[k], seeds[k]) for k in job], jobs)
        return [x for part in found for x in part]

    def _spread(self, work: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        if self.workers == 1:
            return [work(job) for job in jobs]
        return list(Threads(lambda _, job: work(job), self.workers).map(jobs))

    def _both_seats(self, player: Agent, opponent: Agent, seeds: Sequence[int]) -> list[float]:
        board = self._table(player, opponent)
        return [board.play(seed, seat).payoffs[seat] for seed in seeds for seat in (0, 1)]

    def _game(self, first: Agent, second: Agent, seed: int) -> float:
        """Play one game; who sits there already stays, and begins or not by the rotation."""
        here = getattr(self.local, "sat", ())
        if len(here) == 2 and here[0] is second and here[1] is first:
            return self._table(second, first).play(seed, 1).payoffs[0]
        return self._table(first, second).play(seed, 0).payoffs[0]

    def _table(self, player: Agent, opponent: Agent) -> ContestTable:
        """Return a table of this thread with the two at it."""
        board: ContestTable | None = getattr(self.local, "board", None)
        sat = getattr(self.local, "sat", ())
        if board is not None and len(sat) == 2 and sat[0] is player and sat[1] is opponent:
            return board
        seats = [one.seat(self.game) for one in (player, opponent)] if self.mode == "fast" else []
        if (
            isinstance(board, CompiledTable)
            and all(seat is not None and board.takes(k, seat) for k, seat in enumerate(seats))
            and seats
        ):
            for k, seat in enumerate(seats):
                if sat[k] is not (player, opponent)[k]:
                    assert seat is not None
                    board.reseat(k, seat)
        else:
            board = table(self.game, [player, opponent], self.mode)
        self.local.board, self.local.sat = board, (player, opponent)
        return board
