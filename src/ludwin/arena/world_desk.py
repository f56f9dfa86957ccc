"""The arbiter's desk for worlds that tick: one run of an event, whatever the drivers do.

Why it is here.  Nobody forfeits a run: a driver that fails loses its control, and the world goes on.  One that kills
its worker, or hangs where no watchdog can reach it, does so at a known tick; the run is made again without it.
"""

import time
from collections.abc import Sequence
from typing import Any

from ludwin.arena.desk import ALLOWED, COUNT, GAME, MOVER, MOVES, SINCE, TABLES, Desk, board_size
from ludwin.arena.records import Loss, Record
from ludwin.arena.schedule import Job
from ludwin.arena.simulate import PATIENCE, Stage
from ludwin.arena.terms import Terms
from ludwin.errors import BadParameter
from ludwin.game import Game
from ludwin.play.referee import REPETITIONS
from ludwin.search.choice import Agent

HANGS = 10  # times its patience on the wall clock, and some seconds, after which a worker is given up


class WorldDesk(Desk):
    """Makes the runs of an event, one after another."""

    goes_on = True

    def __init__(self, game: Game, agents: Sequence[Agent], terms: Terms, mode: str = "fast", board: Any = None):
        for name in ("openings", "clock", "adjudicate"):
            if getattr(terms, name):
                raise BadParameter(f"{name} is for games that are played in moves; {game.name} is a world that ticks")
        if terms.repetition != REPETITIONS:
            raise BadParameter(f"repetition is for games that are played in moves; {game.name} is a world that ticks")
        super().__init__(game, agents, terms, mode, [0] * room(game) if board is None else board)
        self.patience = PATIENCE if terms.patience is None else terms.patience
        self.stages: dict[tuple[int, ...], Stage] = {}

    def play(self, job: Job) -> Record:
        """Make one run."""
        self.board[MOVER] = 0
        self.board[COUNT] = 0
        self.board[GAME] = job.number
        lost = {player: Loss(player, tick, reason) for player, tick, reason in job.lost}
        done = self.stage(job.agents).play(
            job.seed(self.terms.seed, self.alone),
            job.rotation,
            lost=lost,
            board=self.asks,
            in_python=job.tries > 0,
        )
        self.board[MOVER] = 0
        return Record(job.number, job.pair, job.seats, (), done.payoffs, done.end, course=done.course)

    def asks(self, player: int, tick: int) -> None:
        """Put on the board who thinks at which tick; -1 is nobody."""
        self.board[COUNT] = tick
        self.board[ALLOWED] = int((HANGS * self.patience + HANGS) * 1e9)
        self.board[SINCE] = time.monotonic_ns()
        self.board[MOVER] = player + 1

    def without(self, job: Job, player: int, tick: int, reason: str) -> Job:
        """Return the run to be made again, in which a player loses its control at a tick."""
        return job._replace(lost=(*job.lost, (player, tick, reason)))

    def warm(self, agents: tuple[int, ...]) -> None:
        """Compile what the runs of these agents need; the code is kept elsewhere."""
        self.stage(agents)
        self.stages.clear()

    def stage(self, agents: tuple[int, ...]) -> Stage:
        """Return the world with these agents in its seats."""
        if agents not in self.stages:
            while len(self.stages) >= TABLES:
                del self.stages[next(iter(self.stages))]
            seated = [self.agents[k] for k in agents]
            self.stages[agents] = Stage(self.game, seated, self.mode, patience=self.patience)
        return self.stages[agents]


def room(game: Game) -> int:
    """Return how many cells the board of a worker needs."""
    return MOVES + 1 if game.is_world else board_size(game)


def desk_of(game: Game, agents: Sequence[Agent], terms: Terms, mode: str = "fast", board: Any = None) -> Desk:
    """Return the desk that suits a game."""
    return (WorldDesk if game.is_world else Desk)(game, agents, terms, mode, board)
