"""Games of evolved programs: against agents and against each other, many at a time.

Why it is here.  A generation is thousands of games of a fifth of a millisecond.  One compiled table serves
all programs of a language, for the program is data; threads share the work, since compiled games run
without Python's lock.  Every game is a function of its seed, so the number of threads changes nothing.
"""

import threading
from array import array
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from ludwin.arena.contest import CompiledTable, Played, Table, table
from ludwin.arena.score import points as points
from ludwin.errors import BadParameter
from ludwin.game import Game
from ludwin.program.assemble import assemble
from ludwin.program.tree import Tree
from ludwin.search.choice import Agent
from ludwin.search.judged import LONGEST, Judged, inputs
from ludwin.workers import Threads

CODE = 5  # where the program lies among the arguments of a seat of `Judged`
CHUNK = 16  # games that a thread plays before it asks for more

Compose = Callable[[Any], Tree]  # the one program that a genome plays by


class Bout(NamedTuple):
    """A game of a genome's: its points, and a mark that games of the same moves from the same seat share."""

    points: float
    mark: int


class Bouts:
    """Plays games of programs that look `depth` plies ahead."""

    def __init__(self, game: Game, compose: Compose, depth: int, workers: int = 1, mode: str = "fast"):
        self.game = game
        self.compose = compose
        self.depth = depth
        self.mode = mode
        self.workers = max(workers, 1)
        self.local = threading.local()
        self.inputs = inputs(game)
        self.assembled = lru_cache(maxsize=4096)(self._assemble)

    def against(self, genome: Any, opponent: Agent, seeds: Sequence[int]) -> list[Bout]:
        """Return the games of a genome, two a seed, once from each side, in one thread."""
        return self.all_against([genome], opponent, seeds)[0]

    def all_against(self, genomes: Sequence[Any], opponent: Agent, seeds: Sequence[int]) -> list[list[Bout]]:
        """Return the games of each genome, two a seed, once from each side; all meet the same seeds."""
        if not genomes:
            return []
        self._table(genomes[0], opponent)  # compiled once, before threads ask for it
        chunks = [(genome, seeds[k : k + CHUNK]) for genome in genomes for k in range(0, len(seeds), CHUNK)]
        found = self._spread(lambda job: self._match(job[0], opponent, job[1]), chunks)
        per = -(-len(seeds) // CHUNK)
        return [[bout for part in found[i * per : (i + 1) * per] for bout in part] for i in range(len(genomes))]

    def pairs(self, games: Sequence[tuple[Any, Any]], seeds: Sequence[int]) -> list[tuple[Bout, Bout]]:
        """Return games between genomes as both players see them; the first of a pair moves first."""
        if not games:
            return []
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
        return [bout(board.play(seed, rotation), rotation) for seed in seeds for rotation in (0, 1)]

    def _game(self, first: Any, second: Any, seed: int) -> tuple[Bout, Bout]:
        played = self._table(first, None, second).play(seed, 0)
        return bout(played, 0), bout(played, 1)

    def _table(self, genome: Any, opponent: Agent | None, second: Any = None) -> Table:
        """Return a table of this thread with the program of a genome at it, and of another if there is no opponent."""
        program = self.compose(genome)
        other: Agent = opponent or Judged(self.compose(second) if second is not None else program, self.depth)
        if self.mode != "fast":
            return table(self.game, [Judged(program, self.depth), other], self.mode)
        tables: dict[str, Table] = self.local.__dict__.setdefault("tables", {})
        key = str(opponent)
        board = tables.get(key)
        if board is None:
            board = tables[key] = table(self.game, [Judged(program, self.depth), other], self.mode)
        if isinstance(board, CompiledTable):
            self._seat(board, 0, program)
            if opponent is None:
                self._seat(board, len(board.arguments) // 2, program if second is None else self.compose(second))
            return board
        return table(self.game, [Judged(program, self.depth), other], self.mode)

    def _seat(self, board: CompiledTable, first: int, program: Tree) -> None:
        """Put a program into the arguments of a seat, which begin at `first`."""
        code, registers = self.assembled(program)
        board.arguments[first + CODE][: len(code)] = code
        board.arguments[first + CODE + 1][: len(registers)] = registers

    def _assemble(self, program: Tree) -> tuple[Any, Any]:
        made = assemble(program, self.inputs)
        if max(len(made.code), len(made.registers)) > LONGEST:
            raise BadParameter(f"a program of {len(program)} nodes is too large to play; set max_size lower")
        return array("q", made.code), array("d", made.registers)


def bout(played: Played, seat: int) -> Bout:
    """Return a game as the player in this seat sees it. (The hash of numbers is the same in every process.)"""
    return Bout(points(played.payoffs, seat), hash((seat, played.moves)))
