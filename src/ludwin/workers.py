"""Work that is done several parts at a time: one seam for threads and processes, and for a cluster when it comes.

Why it is here.  Games of an event, fitness of genomes, decisions of a study, trees of one search, kernels to compile:
each is a list of parts that do not know each other.  Whoever has such a list hands it to a crew and takes what comes
back; how it is done is the crew's affair, and the result does not depend on it.

- `Threads` for compiled code, which runs without Python's lock; each worker may have a tool of its own (a workspace).
- `Processes` for everything that may hang, die or hold Python's lock, and so must be killed from outside.  A worker
  process has a pipe, over which parts come and results go, and cells of shared memory in which it says what it is at.
  What overstays its time is killed and replaced, what dies is replaced, and a `Processes` says what that means.

Parts come in chunks that take some 20 ms, slow ones one by one.  Ctrl-C belongs to whoever asked: workers do not hear
it, and end with their crew.
"""

import multiprocessing
import os
import queue
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

from ludwin.errors import LudwinError

Part = TypeVar("Part")
Result = TypeVar("Result")

CHUNK_SECONDS = 0.02
MOST_CHUNK = 512
IDLE_DEATHS = 20
AHEAD = 4  # parts per thread that may be under way or wait for an earlier one
GROUPS = 32  # programs that a worker may have running
PARTING = 1.5  # seconds in which a worker ends the programs that it has started
FORK = "fork" in multiprocessing.get_all_start_methods()


# Threads


class Threads(Generic[Part, Result]):
    """A crew of threads: `do(tool, part)`, where each thread has made its own tool by `open`.

    `end(tool)` may shorten the part that a thread is at when nobody wants its result any more.
    """

    def __init__(
        self,
        do: Callable[[Any, Part], Result],
        workers: int,
        open: Callable[[], Any] = lambda: None,
        end: Callable[[Any], object] = lambda tool: None,
    ):
        self.do, self.open, self.end = do, open, end
        self.count = max(workers, 1)

    def map(self, parts: Iterable[Part], ahead: int = AHEAD) -> Iterator[Result]:
        """Yield the results in the order of the parts; what one of them raises is raised at its turn.

        No more than `ahead` parts a thread are begun before the first of them is taken.
        """
        waiting: dict[int, tuple[Any, BaseException | None]] = {}
        taken = 0

        def has_room(begun: int) -> bool:
            return begun - taken < ahead * self.count

        for number, result, error in self._outcomes(parts, has_room):
            waiting[number] = result, error
            while taken in waiting:
                found, trouble = waiting.pop(taken)
                taken += 1
                if trouble is not None:
                    raise trouble
                yield found

    def _outcomes(
        self, parts: Iterable[Part], has_room: Callable[[int], bool]
    ) -> Iterator[tuple[int, Any, BaseException | None]]:
        """Yield (number, result, error) as parts are done; however it ends, threads end with the part they are at."""
        todo: queue.SimpleQueue[tuple[int, Part] | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[tuple[int, Any, BaseException | None]] = queue.SimpleQueue()
        stop, tools = threading.Event(), list[Any]()

        def work() -> None:
            tool, is_open = None, False
            while (item := todo.get()) is not None and not stop.is_set():
                try:
                    if not is_open:
                        tool, is_open = self.open(), True
                        tools.append(tool)
                        if stop.is_set():  # too late for `end`
                            return
                    done.put((item[0], self.do(tool, item[1]), None))
                except BaseException as error:  # told to whoever asked
                    done.put((item[0], None, error))

        numbered, crew = enumerate(parts), list[threading.Thread]()
        begun = finished = 0
        try:
            while True:
                while has_room(begun) and (item := next(numbered, None)) is not None:
                    todo.put(item)
                    begun += 1
                    if len(crew) < min(self.count, begun):
                        crew.append(threading.Thread(target=work, name=f"ludwin-{len(crew)}", daemon=True))
                        crew[-1].start()
                if finished == begun:
                    return
                yield done.get()
                finished += 1
        finally:
            stop.set()
            for tool in tuple(tools):
                self.end(tool)
            for _ in crew:
                todo.put(None)
            for thread in crew:
                thread.join()


# Processes


class Task(Generic[Part, Result]):
    """What a worker process does. It is handed over by `fork`; where there is none, it is pickled."""

    def open(self, cells: Any) -> Any:
        """Return the tool with which the worker does its parts; `cells` are the shared ones."""

    def do(self, tool: Any, part: Part) -> Result:
        """Return what becomes of a part."""
        raise NotImplementedError

    def close(self, tool: Any) -> None:
        """Give back what the tool holds."""


class Worker(Generic[Part, Result]):
    """One process, its pipe, its cells, and the parts it has been given."""

    def __init__(self, task: Task[Part, Result], size: int, close: Sequence[int]):
        context: Any = multiprocessing.get_context("fork" if FORK else "spawn")
        self.cells = context.RawArray("q", size)
        self.groups = context.RawArray("q", GROUPS)
        self.pipe, theirs = context.Pipe()
        handles = [*close, self.pipe.fileno()] if FORK else []
        shared = (self.cells, self.groups)
        self.process = context.Process(target=serve, args=(theirs, shared, task, handles, os.getpid()), daemon=True)
        with warnings.catch_warnings():
            # The child of a process with threads (of a BLAS, of a user's) runs only its task, which waits for none of
            # them.
            warnings.filterwarnings("ignore", message=".*fork.*", category=DeprecationWarning)
            self.process.start()
        theirs.close()
        self.parts: deque[Part] = deque()
        self.chunk = 1
        self.given, self.since = 0, 0.0

    def give(self, parts: list[Part]) -> None:
        """Hand out parts; cell 0, in which a worker says what it is at, is -1 until it does."""
        self.parts.extend(parts)
        self.given, self.since = len(parts), time.monotonic()
        self.cells[0] = -1
        with suppress(OSError):  # it has died; its sentinel will tell
            self.pipe.send(parts)

    def collect(self) -> list[Result]:
        """Return what has arrived. Raises LudwinError if the worker could not go on."""
        found: list[Result] = []
        try:
            while self.pipe.poll():
                message = self.pipe.recv()
                if isinstance(message, str):
                    raise LudwinError(message)
                found += message
        except (EOFError, OSError):
            pass
        for _ in found:
            self.parts.popleft()
        if found and not self.parts:
            seconds = max(time.monotonic() - self.since, 1e-4)
            self.chunk = max(1, min(MOST_CHUNK, 2 * self.given, int(self.given * CHUNK_SECONDS / seconds)))
        return found

    def leave(self) -> bool:
        """Tell an idle worker that has started programs to end them; return whether there is something to wait for."""
        if self.pipe.closed or self.parts or not any(self.groups):
            return False
        self.pipe.close()
        return True

    def end(self) -> None:
        """Kill the process with all that it has started, and wait until it is gone."""
        if self.process is None:
            return
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (AttributeError, ProcessLookupError, PermissionError):  # no such thing here, or no group yet
            self.process.kill()
        self.process.join()
        self.end_groups()

    def end_groups(self) -> None:
        """Kill the programs that a dead worker has left behind."""
        for k, group in enumerate(self.groups):
            if group > 0:
                self.groups[k] = 0
                _kill_group(group)

    def close(self) -> None:
        """Give back what a dead process leaves; closing twice is fine."""
        if self.process is not None:
            self.pipe.close()
            self.process.close()
            self.process = None


class Processes(Generic[Part, Result]):
    """A crew of processes; results come as they are finished. Subclasses say what to do with the late and the dead."""

    def __init__(
        self, task: Task[Part, Result], workers: int, *, size: int = 1, handles: Callable[[], list[int]] = list
    ):
        self.task, self.count, self.size, self.handles = task, workers, size, handles
        self.workers: list[Worker[Part, Result]] = []
        self.again: deque[Part] = deque()
        self.deaths = 0  # in a row
        self.idle_deaths = 0  # of workers in a row who died before they had begun

    # What subclasses may say

    def overdue(self, worker: Worker[Part, Result]) -> float:
        """Return for how many seconds a worker has outlasted its time; below 0 is time left."""
        return -1.0

    def bury(self, worker: Worker[Part, Result], rest: list[Part], cause: str, overdue: bool) -> list[Result]:
        """Return what becomes of the parts of a dead worker; those in `again` are done again. Raises LudwinError."""
        self.deaths += 1
        if self.deaths > 2:
            raise LudwinError(f"workers die before they are done ({cause})")
        self.again.extend(rest)
        return []

    # What it does

    def run(self, parts: Iterator[Part], has_room: Callable[[], bool] = lambda: True) -> Iterator[list[Result]]:
        """Yield results, in the order of their arrival, until all parts are done."""
        more = True
        while True:
            more = self.fill(parts, has_room) if more or self.again else False
            if not any(worker.parts for worker in self.workers):
                if not more and not self.again:
                    return
                yield []  # what was done before an interruption makes room
                continue
            yield self._wait()

    def fill(self, parts: Iterator[Part], has_room: Callable[[], bool] = lambda: True) -> bool:
        """Give every idle worker something to do, and return whether there may be more."""
        more = True
        for k in range(self.count):
            if k < len(self.workers) and self.workers[k].parts:
                continue
            chunk = [self.again.popleft()] if self.again else []
            if not chunk and more and has_room():
                size = self.workers[k].chunk if k < len(self.workers) else 1
                chunk = [part for _, part in zip(range(size), parts, strict=False)]
                more = bool(chunk)
            if not chunk:
                break
            if k == len(self.workers):
                self.workers.append(self._hire())
            self.workers[k].give(chunk)
        return more

    def _hire(self) -> Worker[Part, Result]:
        others = [worker.pipe.fileno() for worker in self.workers if not worker.pipe.closed]
        return Worker(self.task, self.size, [*others, *self.handles()])

    def _wait(self) -> list[Result]:
        """Return what arrives next; whoever is overdue or dead is replaced."""
        busy = [worker for worker in self.workers if worker.parts]
        left = [-self.overdue(worker) for worker in busy]
        wait(
            [thing for worker in busy for thing in (worker.pipe, worker.process.sentinel)],
            timeout=max(0.01, min([0.5, *left])),
        )
        found: list[Result] = []
        for k, worker in enumerate(self.workers):
            if not worker.parts:
                continue
            found += worker.collect()
            killed = self.overdue(worker) > 0
            if killed:
                worker.end()
            if not worker.process.is_alive():
                found += worker.collect()
                worker.process.join()
                worker.end_groups()
                cause, rest = cause_of(worker.process.exitcode), list(worker.parts)
                # The cells stand still now: it may have moved on in the moment before we killed it.
                late = killed and self.overdue(worker) > 0
                worker.close()
                found += self.bury(worker, rest, cause, late) if rest else []
                self.workers[k] = self._hire()
        return found

    def close(self, *, orderly: bool = False) -> None:
        """End all workers at once; orderly, those who have started programs may end them first."""
        leaving = [worker for worker in self.workers if worker.leave()] if orderly else []
        until = time.monotonic() + PARTING
        for worker in leaving:
            worker.process.join(max(0.0, until - time.monotonic()))
        for worker in self.workers:
            worker.end()
            worker.close()
        self.workers = []


def is_worker() -> bool:
    """Tell whether this process is a worker: it hears no Ctrl-C, and may have no workers of its own."""
    return multiprocessing.current_process().daemon


def cause_of(code: int | None) -> str:
    """Return how a process has ended, in words.

    >>> cause_of(3), cause_of(-9)
    ('exit status 3', 'signal SIGKILL')
    """
    if code is not None and code < 0:
        try:
            return f"signal {signal.Signals(-code).name}"
        except ValueError:
            return f"signal {-code}"
    return f"exit status {code}"


def serve(pipe: Connection, shared: tuple[Any, Any], task: Task[Any, Any], handles: Sequence[int], parent: int) -> None:
    """Do the parts that come over the pipe until it closes: the life of a worker."""
    _settle(handles, parent, shared[1])
    tool: Any = None
    here = os.getpid()
    try:
        tool = task.open(shared[0])
        while True:
            done: list[Any] = []
            since = time.monotonic()
            for part in pipe.recv():
                done.append(task.do(tool, part))
                if os.getpid() != here:  # a copy that somebody's code has made of this process, and let come back
                    os._exit(1)
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
        with suppress(OSError):
            pipe.send(
                str(error) if isinstance(error, LudwinError) else f"a worker failed: {type(error).__name__}: {error}"
            )
    finally:
        task.close(tool)


def _settle(handles: Sequence[int], parent: int, groups: Any) -> None:
    """Leave Ctrl-C to the parent, die with it, keep its files closed, and write nothing to its stdout."""
    global _groups
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
    _groups = groups


# Programs that were started, each with a group of its own: whoever ends a worker must know of them.

_groups: Any = [0] * GROUPS  # in a worker: shared with its parent


def note_group(group: int) -> None:
    """Note a group of processes that is to end with this process."""
    for k in range(len(_groups)):
        if not _groups[k]:
            _groups[k] = group
            return


def forget_group(group: int) -> None:
    """Forget a group that has ended."""
    for k in range(len(_groups)):
        if _groups[k] == group:
            _groups[k] = 0


def end_groups() -> None:
    """Kill all groups that were noted, and the workers of all crews: the last thing before a process ends."""
    for group in list(_groups):
        if group > 0:
            _kill_group(group)
    for child in multiprocessing.active_children():
        try:
            os.killpg(child.pid, signal.SIGKILL)  # type: ignore[arg-type]  # workers lead a group of their own
        except (AttributeError, OSError, TypeError):
            child.kill()


def _kill_group(group: int) -> None:
    with suppress(AttributeError, OSError):
        os.killpg(group, signal.SIGKILL)
