"""The workers of an event: games in processes that the arbiter can kill.

Why it is here.  A compiled loop cannot be interrupted, and a user's agent may do anything: hang, call
`os._exit`, break the machine's rules.  So games are played in processes (`ludwin.workers`), which say on a
board of shared memory whose turn it is.  A worker that outlasts the patience is killed; one that dies is
replaced, and the game it died in is played once more, move by move: only if the second worker dies too, the
player to move forfeits.  (The first may have been killed by somebody else, and then the record must not show it.)
"""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ludwin.arena.desk import ALLOWED, COUNT, GAME, MOVER, MOVES, SINCE, WHY, Desk, late, patience_with
from ludwin.arena.records import Record
from ludwin.arena.schedule import Job
from ludwin.arena.terms import Terms
from ludwin.arena.world_desk import desk_of, room
from ludwin.errors import LudwinError
from ludwin.game import Game
from ludwin.search.choice import Agent
from ludwin.workers import FORK, IDLE_DEATHS, Processes, Task, Worker

GRACE = 0.25  # seconds beyond its time that a worker has to say so itself


class Games(Task[Job, Record]):
    """What a worker needs to begin; under fork it is simply there, elsewhere it is pickled."""

    def __init__(self, game: Game, agents: tuple[Agent, ...], terms: Terms, mode: str):
        self.game: Any = game if FORK else (game.source, game.values, game.name)
        self.agents, self.terms, self.mode = agents, terms, mode

    def open(self, cells: Any) -> Desk:
        """Return the desk at which this worker plays."""
        game = self.game if isinstance(self.game, Game) else Game(*self.game)
        return desk_of(game, self.agents, self.terms, self.mode, cells)

    def do(self, tool: Desk, part: Job) -> Record:
        """Return the record of a game, with its line and its mark, which the parent need not compute."""
        record = tool.play(part)
        record.prepare()
        return record

    def close(self, tool: Desk | None) -> None:
        """Let the agents give back what they have."""
        for agent in self.agents:
            with suppress(Exception):
                agent.leave()


class Pool(Processes[Job, Record]):
    """Workers who play the games of an event; records come as they are finished."""

    def __init__(self, desk: Desk, workers: int, handles: Callable[[], list[int]] = list):
        self.desk = desk  # of the parent, who writes down what workers cannot
        task = Games(desk.game, desk.agents, desk.terms, desk.mode)
        super().__init__(task, workers, size=room(desk.game), handles=handles)

    @property
    def window(self) -> int:
        """How many games four chunks of every worker hold: so many may wait for an earlier one."""
        return 4 * sum(worker.chunk for worker in self.workers)

    def warm(self, agents: tuple[int, ...]) -> None:
        """Compile what the games of these agents need, before anybody plays them."""
        self.desk.warm(agents)

    def overdue(self, worker: Worker[Job, Record]) -> float:
        """Return for how many seconds the mover has outlasted its time; below 0 is time left."""
        board = worker.cells
        if not worker.parts or not board[MOVER] or not board[ALLOWED]:
            return -1.0
        return float(time.monotonic_ns() - board[SINCE] - board[ALLOWED]) / 1e9 - GRACE

    def bury(self, worker: Worker[Job, Record], rest: list[Job], cause: str, overdue: bool) -> list[Record]:
        """Return the game that a worker died in if it is forfeited; what else it had is played again."""
        board = worker.cells
        current = next((job for job in rest if job.number == board[GAME]), None)
        self.again.extend(job for job in rest if job is not current)
        self.idle_deaths = 0 if current else self.idle_deaths + 1
        if self.idle_deaths > IDLE_DEATHS:
            raise LudwinError(f"workers die before they play ({cause})")
        if current is None:
            return []
        player, moves = board[MOVER] - 1, board[MOVES : MOVES + board[COUNT]]
        if overdue and player >= 0:
            if self.desk.goes_on:
                self.again.appendleft(self.desk.without(current, player, board[COUNT], "no answer: it hung"))
                return []
            agent = self.desk.agents[current.seats[player]]
            why = late(board[WHY], patience_with(agent, self.desk.terms))
            return [self.desk.forfeit(current, moves, player, why)]
        if not current.tries:
            self.again.appendleft(current._replace(tries=1))
            return []
        if player < 0:
            raise LudwinError(f"two workers died in game {current.number} while no agent was to move ({cause})")
        if self.desk.goes_on:
            self.again.appendleft(self.desk.without(current, player, board[COUNT], f"died: {cause}"))
            return []
        return [self.desk.forfeit(current, moves, player, f"died: {cause}")]
