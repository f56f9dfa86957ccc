"""Workers: processes that play games and that the arbiter can kill.

Why it is here.  A compiled loop cannot be interrupted, and a user's agent may do anything: hang, call
`os._exit`, break the machine's rules.  So games are played in processes.  Each has a pipe, over
which games come and records go, and a board of shared memory that says whose turn it is.  A worker
that outlasts the patience is killed; one that dies is replaced, and the game it died in is played
once more, move by move: only if the second worker dies too, the player to move forfeits.  (The
first may have been killed by somebody else, and then the record must not show it.)

Trivial games come in chunks that take some 20 ms, slow ones one by one.
"""

import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

from ludwin.arena.desk import ALLOWED, BY_CLOCK, COUNT, GAME, MOVER, MOVES, SINCE, Desk, late, patience_with
from ludwin.arena.records import Record
from ludwin.arena.schedule import Job
from ludwin.arena.terms import Terms
from ludwin.arena.world_desk import desk_of, room
from ludwin.errors import LudwinError
from ludwin.game import Game
from ludwin.search.choice import Agent

CHUNK_SECONDS = 0.02
MOST_CHUNK = 512
IDLE_DEATHS = 20
GRACE = 0.25  # seconds beyond its time that a worker has to say so itself
FORK = "fork" in multiprocessing.get_all_start_methods()


class Finished(NamedTuple):
    """What the parent needs of a finished game; `line` is its record."""

    job: Job
    payoffs: tuple[float, ...]
    end: str
    by: int | None
    line: str
    mark: int | None = None  # the same for games of the same moves
    lost: tuple[int, ...] = ()  # players who have lost their control of a world that ticks


def finished(job: Job, record: Record) -> Finished:
    """Return a played game as it travels to the parent."""
    lost = tuple(loss.player for loss in record.course.lost) if record.course else ()
    return Finished(job, record.payoffs, record.end, record.by, record.line(), record.mark, lost)


class Setup(NamedTuple):
    """What a worker needs to begin; under fork it is simply there, elsewhere it is pickled."""

    game: Any
    agents: tuple[Agent, ...]
    terms: Terms
    mode: str


def _portable(game: Game) -> Any:
    """Return the game in a form that can be sent to a new process."""
    return game if FORK else (game.source, game.values, game.name)


class Worker:
    """One process, its pipe, its board, and the games it has been given."""

    def __init__(self, setup: Setup, size: int, close: Sequence[int]):
        context: Any = multiprocessing.get_context("fork" if FORK else "spawn")
        self.board = context.RawArray("q", size)
        self.pipe, theirs = context.Pipe()
        handles = [*close, self.pipe.fileno()] if FORK else []
        self.process = context.Process(
            target=serve, args=(theirs, self.board, setup, handles, os.getpid()), daemon=True
        )
        with warnings.catch_warnings():
            # The child of a process with threads (of a BLAS, of a user's) runs only the desk, which waits for none of
            # them.
            warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
            self.process.start()
        theirs.close()
        self.jobs: deque[Job] = deque()
        self.chunk = 1
        self.given, self.since = 0, 0.0

    def give(self, jobs: list[Job]) -> None:
        """Hand out games."""
        self.jobs.extend(jobs)
        self.given, self.since = len(jobs), time.monotonic()
        self.board[GAME] = -1
        with suppress(OSError):  # it has died; its sentinel will tell
            self.pipe.send(jobs)

    def collect(self) -> list[Finished]:
        """Return what has arrived. Raises LudwinError if the worker could not go on."""
        found: list[Finished] = []
        try:
            while self.pipe.poll():
                message = self.pipe.recv()
                if isinstance(message, str):
                    raise LudwinError(message)
                found += message
        except (EOFError, OSError):
            pass
        for _ in found:
            self.jobs.popleft()
        if found and not self.jobs:
            seconds = max(time.monotonic() - self.since, 1e-4)
            self.chunk = max(1, min(MOST_CHUNK, 2 * self.given, int(self.given * CHUNK_SECONDS / seconds)))
        return found

    def overdue(self) -> float:
        """Return for how many seconds the mover has outlasted its time; below 0 is time left."""
        if not self.jobs or not self.board[MOVER] or not self.board[ALLOWED]:
            return -1.0
        return float(time.monotonic_ns() - self.board[SINCE] - self.board[ALLOWED]) / 1e9 - GRACE

    def end(self) -> None:
        """Kill the process with all that it has started, and wait until it is gone."""
        if self.pipe.closed:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError, PermissionError):  # no such thing here, or no group yet
            self.process.kill()
        self.process.join()

    def close(self) -> None:
        """Give back what a dead process leaves; closing twice is fine."""
        if not self.pipe.closed:
            self.pipe.close()
            self.process.close()


class Pool:
    """Workers who play the games of an event; records come as they are finished."""

    def __init__(self, desk: Desk, workers: int, handles: Callable[[], list[int]] = list):
        self.desk = desk  # of the parent, who writes down what workers cannot
        self.setup = Setup(_portable(desk.game), desk.agents, desk.terms, desk.mode)
        self.size, self.handles = room(desk.game), handles
        self.count = workers
        self.workers: list[Worker] = []
        self.idle_deaths = 0  # of workers in a row who died before they had begun a game

    def _hire(self) -> Worker:
        others = [worker.pipe.fileno() for worker in self.workers if not worker.pipe.closed]
        return Worker(self.setup, self.size, [*others, *self.handles()])

    def run(self, jobs: Iterator[Job], has_room: Callable[[], bool]) -> Iterator[list[Finished]]:
        """Yield finished games, in the order of their arrival, until all are played."""
        again: deque[Job] = deque()
        more = True
        while True:
            for k in range(self.count):
                if k < len(self.workers) and self.workers[k].jobs:
                    continue
                chunk = [again.popleft()] if again else []
                if not chunk and more and has_room():
                    size = self.workers[k].chunk if k < len(self.workers) else 1
                    chunk = [job for _, job in zip(range(size), jobs, strict=False)]
                    more = bool(chunk)
                if not chunk:
                    break
                if k == len(self.workers):
                    self.workers.append(self._hire())
                self.workers[k].give(chunk)
            if not any(worker.jobs for worker in self.workers):
                if not more and not again:
                    return
                yield []  # games that were recorded before an interruption make room
                continue
            yield self._wait(again)

    def _wait(self, again: deque[Job]) -> list[Finished]:
        """Return what arrives next; whoever is overdue or dead is replaced."""
        busy = [worker for worker in self.workers if worker.jobs]
        left = [-worker.overdue() for worker in busy]
        wait(
            [thing for worker in busy for thing in (worker.pipe, worker.process.sentinel)],
            timeout=max(0.01, min([0.5, *left])),
        )
        found: list[Finished] = []
        for k, worker in enumerate(self.workers):
            if not worker.jobs:
                continue
            found += worker.collect()
            killed = worker.overdue() > 0
            if killed:
                worker.end()
            if not worker.process.is_alive():
                found += worker.collect()
                # The board stands still now: it may have moved on in the moment before we killed it.
                found += self._bury(worker, again, overdue=killed and worker.overdue() > 0)
                self.workers[k] = self._hire()
        return found

    def _bury(self, worker: Worker, again: deque[Job], *, overdue: bool) -> list[Finished]:
        """Return the game that a worker died in if it is forfeited; what else it had is played again."""
        worker.process.join()
        board, code = worker.board, worker.process.exitcode
        rest = list(worker.jobs)
        worker.close()
        if not rest:
            return []
        current = next((job for job in rest if job.number == board[GAME]), None)
        again.extend(job for job in rest if job is not current)
        self.idle_deaths = 0 if current else self.idle_deaths + 1
        if self.idle_deaths > IDLE_DEATHS:
            raise LudwinError(f"workers die before they play ({_cause(code)})")
        if current is None:
            return []
        player, moves = board[MOVER] - 1, board[MOVES : MOVES + board[COUNT]]
        if overdue and player >= 0:
            agent = self.desk.agents[current.seats[player]]
            if self.desk.goes_on:
                again.appendleft(self.desk.without(current, player, board[COUNT], "no answer: it hung"))
                return []
            return [
                finished(
                    current,
                    self.desk.forfeit(
                        current, moves, player, late(bool(board[BY_CLOCK]), patience_with(agent, self.desk.terms))
                    ),
                )
            ]
        if not current.tries:
            again.appendleft(current._replace(tries=1))
            return []
        if player < 0:
            raise LudwinError(f"two workers died in game {current.number} while no agent was to move ({_cause(code)})")
        if self.desk.goes_on:
            again.appendleft(self.desk.without(current, player, board[COUNT], f"died: {_cause(code)}"))
            return []
        return [finished(current, self.desk.forfeit(current, moves, player, f"died: {_cause(code)}"))]

    def close(self) -> None:
        """End all workers at once."""
        for worker in self.workers:
            worker.end()
            worker.close()
        self.workers = []


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit status {code}"


def serve(pipe: Connection, board: Any, setup: Setup, handles: Sequence[int], parent: int) -> None:
    """Play the games that come over the pipe until it closes: the life of a worker."""
    _settle(handles, parent)
    try:
        game = setup.game if isinstance(setup.game, Game) else Game(*setup.game)
        desk = desk_of(game, setup.agents, setup.terms, setup.mode, board)
        while True:
            done: list[Finished] = []
            since = time.monotonic()
            for job in pipe.recv():
                done.append(finished(job, desk.play(job)))
                if time.monotonic() - since > CHUNK_SECONDS:
                    pipe.send(done)
                    done, since = [], time.monotonic()
                    if os.getppid() != parent:
                        return
            if done:
                pipe.send(done)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        pipe.send(str(error) if isinstance(error, LudwinError) else f"a worker failed: {type(error).__name__}: {error}")


def _settle(handles: Sequence[int], parent: int) -> None:
    """Leave Ctrl-C to the parent, die with it, keep its files closed, and write nothing to its stdout."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
        if os.getppid() != parent:  # it died before we asked
            os._exit(1)
    for handle in handles:
        os.close(handle)
    sys.stdin = open(os.devnull)  # noqa: SIM115
    sys.stdout = sys.stderr
    os.dup2(2, 1)
