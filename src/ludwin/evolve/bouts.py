"""Games of evolved players: against agents and against each other, many at a time.

Why it is here.  A generation is thousands of games of a fifth of a millisecond.  What makes a player of a genome is a
factory, genome -> agent, so any search and any brain can be evolved, in games of chance, of hidden information and of
any number of players.  Players of one kind differ in data only (a program, weights): one compiled table serves them
all, and each takes its place by writing its data there.  Threads share the work, since compiled games run without
Python's lock.  Every game is a function of its seed, so the number of threads changes nothing.
"""

import threading
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ludwin.arena.contest import CompiledTable, ContestTable, Played, table
from ludwin.arena.score import points as points
from ludwin.errors import BadParameter
from ludwin.game import Game
from ludwin.search.choice import Agent
from ludwin.search.seat import Seat
from ludwin.workers import Threads

CHUNK = 16  # games that a thread plays before it asks for more
KNOWN = 4096  # players that are kept ready

Factory = Callable[[Any], Agent]  # the player that a genome makes


class Bout(NamedTuple):
    """A game of a genome's: its points, and a mark that games of the same moves from the same seat share."""

    points: float
    mark: int


class Bouts:
    """Plays games of the players that a factory makes of genomes."""

    def __init__(self, game: Game, player: Factory, workers: int = 1, mode: str = "fast"):
        if game.players < 2:
            raise BadParameter(f"games of evolved players need opponents, {game.name} has one player")
        self.game = game
        self.seats = game.players  # every seed is played once from each
        self.mode = mode
        self.workers = max(workers, 1)
        self.away: Any = None  # other machines that play (`errands.Away`)
        self.local = threading.local()
        self.player = lru_cache(maxsize=KNOWN)(player)
        self.seat = lru_cache(maxsize=KNOWN)(self._seat)

    def against(self, genome: Any, opponent: Agent, seeds: Sequence[int]) -> list[Bout]:
        """Return the games of a genome, once from each seat a seed, in one thread."""
        return self.all_against([genome], opponent, seeds)[0]

    def all_against(self, genomes: Sequence[Any], opponent: Agent, seeds: Sequence[int]) -> list[list[Bout]]:
        """Return the games of each genome, once from each seat a seed; all meet the same seeds.

        With more than two players the opponent takes all other seats.
        """
        if not genomes:
            return []
        if self.away is not None:
            parts = [seeds[k : k + CHUNK] for k in range(0, len(seeds), CHUNK)]
            played: list[list[Bout]] = self.away.against(genomes, opponent, parts)
            return played
        self._table(genomes[0], opponent)  # compiled once, before threads ask for it
        chunks = [(genome, seeds[k : k + CHUNK]) for genome in genomes for k in range(0, len(seeds), CHUNK)]
        found = self._spread(lambda job: self._match(job[0], opponent, job[1]), chunks)
        per = -(-len(seeds) // CHUNK)
        return [[bout for part in found[i * per : (i + 1) * per] for bout in part] for i in range(len(genomes))]

    def pairs(self, games: Sequence[tuple[Any, Any]], seeds: Sequence[int]) -> list[tuple[Bout, Bout]]:
        """Return games between genomes as both players see them; the first of a pair moves first."""
        if not games:
            return []
        if self.away is not None:
            both: list[tuple[Bout, Bout]] = self.away.pairs(games, seeds, CHUNK)
            return both
        self._table(games[0][0], None)
        jobs = [range(k, min(k + CHUNK, len(games))) for k in range(0, len(games), CHUNK)]
        found = self._spread(lambda job: [self._game(games[k][0], games[k][1], seeds[k]) for k in job], jobs)
        return [bouts for part in found for bouts in part]

    def _spread(self, work: Callable[[Any], Any], jobs: Sequence[Any]) -> list[Any]:
        if self.workers == 1:
            return [work(job) for job in jobs]
        return list(Threads(lambda _, job: work(job), self.workers).map(jobs))

    def _match(self, genome: Any, opponent: Agent, seeds: Sequence[int]) -> list[Bout]:
        board = self._table(genome, opponent)
        seats = range(self.game.players)
        return [bout(board.play(seed, -seat % len(seats)), seat) for seed in seeds for seat in seats]

    def _game(self, first: Any, second: Any, seed: int) -> tuple[Bout, Bout]:
        played = self._table(first, None, second).play(seed, 0)
        return bout(played, 0), bout(played, 1)

    def _seat(self, genome: Any) -> Seat | None:
        agent = self.player(genome)
        return None if agent.timed or agent.remembers else agent.seat(self.game)

    def _table(self, genome: Any, opponent: Agent | None, second: Any = None) -> ContestTable:
        """Return a table of this thread with a genome's player at it, and another's if there is no opponent."""
        rival = genome if second is None else second

        def fresh() -> ContestTable:
            others = [opponent or self.player(rival)] * (self.game.players - 1)
            for one in (self.player(genome), *others[:1]):
                one.suits(self.game)
            return table(self.game, [self.player(genome), *others], self.mode)

        seat, other = self.seat(genome), None if opponent else self.seat(rival)
        if self.mode != "fast" or seat is None:
            return fresh()
        tables: dict[str, ContestTable] = self.local.__dict__.setdefault("tables", {})
        board = tables.get(str(opponent))
        if not isinstance(board, CompiledTable) or not board.takes(0, seat) or (other and not board.takes(1, other)):
            board = tables[str(opponent)] = fresh()
        if not isinstance(board, CompiledTable):
            return fresh()
        board.reseat(0, seat)
        for number in range(1, self.game.players) if other else ():
            assert other is not None
            board.reseat(number, other)
        return board


def bout(played: Played, seat: int) -> Bout:
    """Return a game as the player in this seat sees it. (The hash of numbers is the same in every process.)"""
    return Bout(points(played.payoffs, seat), hash((seat, played.moves)))
