"""`ludwin worker`: processes that take errands of a scheduler, and a keeper that calls them back when they die.

Why it is here.  Dask's own workers end for good when they lose their scheduler, and a cluster loses something every
day.  A keeper has one single-threaded worker a process; one that dies, or whose scheduler has gone, is replaced after a
pause that grows from 1 to 60 seconds and is short again once it has worked.  Everything is imported, and the arithmetic
tried, before the processes are made by `fork`, so that 64 of them take the time and memory of one.

How it ends.  SIGTERM and Ctrl-C: tasks in hand are finished, for at most 30 s, and nothing new is taken (SLURM sends
it before the wall time).  A second one: at once.  A worker that the coordinator refuses says why, and the keeper ends
with 2.  Whoever kills the keeper with SIGKILL takes the workers with it: they have asked the system for that.
"""

import asyncio
import contextlib
import logging
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.cluster.keys import HOME, is_loopback, security
from ludwin.cluster.node import REFUSED
from ludwin.errors import BadParameter
from ludwin.files import SpareFolder
from ludwin.workers import cause_of

FINISH_SECONDS = 30.0
LONGEST_PAUSE = 60.0
STEADY_SECONDS = 20.0  # who has lived so long is called back at once
CONNECT_SECONDS = 30.0
WATCH_SECONDS = 0.5
GONE = 4  # exit status of a worker whose scheduler has gone


@dataclass(frozen=True)
class Post:
    """Where workers go, and how many of them."""

    address: str
    processes: int = 1
    keys: Path | None = None
    insecure: bool = False
    memory: int = 0  # bytes a process; 0: as it likes
    seconds: float = 0.0  # how long to stay; 0: for ever
    only_ours: bool = False
    comes_back: bool = True


# ---- One worker ---------------------------------------------------------------------------------------------------


def settle_dask() -> None:
    """Configure the engine once: few words, no dashboard, losses noticed within a minute."""
    import dask
    import distributed  # noqa: F401  # which sets the levels of its loggers itself

    dask.config.set(
        {
            "distributed.worker.daemon": False,
            "distributed.worker.memory.target": False,
            "distributed.worker.memory.spill": False,
            "distributed.worker.memory.pause": False,
            "distributed.worker.memory.terminate": False,
            "distributed.worker.profile.enabled": False,
            "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS:g}s",
            "distributed.comm.timeouts.tcp": "30s",
            "distributed.scheduler.worker-ttl": "60s",
            "distributed.scheduler.allowed-failures": 3,
            "distributed.scheduler.dashboard.status.task-stream-length": 0,
            "distributed.scheduler.active-memory-manager.start": False,
            "distributed.scheduler.work-stealing-interval": "1s",
            "distributed.admin.tick.interval": "1s",
            "distributed.admin.tick.limit": "60s",
            "distributed.admin.event-loop-monitor-interval": "10s",
            "distributed.admin.system-monitor.interval": "10s",
            "distributed.admin.low-level-log-length": 10,
        }
    )
    # The engine's own settings name the last two by themselves.
    for name in ("distributed", "tornado", "asyncio", "distributed.client", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


async def _serve(post: Post, name: str, spare: str) -> int:
    """Be a worker until the scheduler goes, or a signal comes; return the exit status."""
    from distributed import Status, Worker

    loop, leaving = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, leaving.set)
    worker: Any = Worker(
        post.address,
        host=HOME if post.keys is None and is_loopback(post.address) else None,  # whoever reaches it can run anything
        nthreads=1,
        name=name,
        local_directory=spare,
        security=security(post.address, post.keys, post.insecure),
        dashboard=False,
        dashboard_address=f"{HOME}:0",
        memory_limit=0,
        death_timeout=CONNECT_SECONDS,
    )
    asked = asyncio.ensure_future(leaving.wait())
    coming = asyncio.ensure_future(asyncio.wait_for(_started(worker), CONNECT_SECONDS + 5))
    await asyncio.wait([coming, asked], return_when=asyncio.FIRST_COMPLETED)
    if not coming.done():  # nobody has answered yet, so there is nothing in hand
        return 0
    if isinstance(coming.exception(), OSError | TimeoutError | ValueError):
        return GONE
    coming.result()
    gone = asyncio.ensure_future(worker.finished())
    await asyncio.wait([gone, asked], return_when=asyncio.FIRST_COMPLETED)
    if gone.done():
        return GONE
    worker.status = Status.paused  # what it has in hand is finished, and nothing else begun
    until = time.monotonic() + FINISH_SECONDS
    while worker.state.executing and time.monotonic() < until and not gone.done():
        await asyncio.sleep(0.05)
    await asyncio.sleep(0.2)  # for the answer to leave
    with contextlib.suppress(Exception):
        await asyncio.wait_for(worker.close(timeout=5, nanny=False), 6)
    return 0


async def _started(worker: Any) -> None:
    await worker


def _life(post: Post, name: str, parent: int) -> None:
    """The life of one worker process; never returns."""
    from ludwin import shipping

    status = 1
    try:
        _die_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        os.setpgid(0, 0)
        shipping.only_ours = post.only_ours
        with SpareFolder("ludwin-worker-") as spare:
            status = asyncio.run(_serve(post, name, str(spare.path)))
    except BaseException as error:
        print(f"ludwin: worker {name}: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        sys.stderr.flush()
        from ludwin.workers import end_groups

        end_groups()
        os._exit(status)


def _die_with(parent: int) -> None:
    """Ask the system to end this process with its parent."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, int(signal.SIGKILL))  # PR_SET_PDEATHSIG
    if os.getppid() != parent:
        os._exit(1)


# ---- The keeper ---------------------------------------------------------------------------------------------------


@dataclass
class _Kept:
    """One of the keeper's workers: its process, since when, and when it may come back."""

    name: str
    pid: int = 0
    since: float = 0.0
    pause: float = 1.0
    again: float = 0.0


class Keeper:
    """Keeps so many workers alive."""

    def __init__(self, post: Post, say: Callable[[str], None]):
        self.post, self.say = post, say
        self.ended = 0  # signals that asked for the end
        self.refused = False
        host = os.uname().nodename if hasattr(os, "uname") else "host"
        self.kept = [_Kept(f"{host}-{os.getpid()}-{k}") for k in range(post.processes)]

    def run(self) -> int:
        """Keep workers until somebody ends it; return the exit status."""
        if not hasattr(os, "fork"):
            raise BadParameter("`ludwin worker` needs a system with fork; use `dask worker` here")
        self._prepare()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._asked)
        began, told = time.monotonic(), False
        while True:
            if self.post.seconds and time.monotonic() - began > self.post.seconds:
                self.ended = self.ended or 1
            self._reap()
            if self.refused or self.ended:
                return self._leave()
            for one in self.kept:
                if not one.pid and time.monotonic() >= one.again:
                    self._hire(one)
            if not told:
                told = True
                self.say(f"{len(self.kept)} processes work for {self.post.address}; Ctrl-C ends them")
            if not self.post.comes_back and not any(one.pid for one in self.kept):
                return 1
            self._weigh()
            time.sleep(WATCH_SECONDS)

    def _prepare(self) -> None:
        """Import and compute all that workers share, before there are any."""
        settle_dask()
        security(self.post.address, self.post.keys, self.post.insecure)
        import distributed  # noqa: F401

        from ludwin.cluster.arithmetic import about

        about()

    def _asked(self, number: int, frame: object) -> None:
        self.ended += 1

    def _hire(self, one: _Kept) -> None:
        parent = os.getpid()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if not pid:
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, signal.SIG_DFL)
            _life(self.post, one.name, parent)
        one.pid, one.since = pid, time.monotonic()

    def _reap(self) -> None:
        """Note who has died, and when they may come back."""
        for one in self.kept:
            if not one.pid:
                continue
            try:
                pid, status = os.waitpid(one.pid, os.WNOHANG)
            except ChildProcessError:
                pid, status = one.pid, 0
            if not pid:
                continue
            code = os.waitstatus_to_exitcode(status)
            lived = time.monotonic() - one.since
            one.pid = 0
            if code == REFUSED:
                self.refused = True
                return
            if code not in (0, GONE):
                self.say(f"{one.name} has died ({cause_of(code)})")
            one.pause = 1.0 if lived > STEADY_SECONDS else min(2 * one.pause, LONGEST_PAUSE)
            one.again = time.monotonic() + one.pause

    def _weigh(self) -> None:
        """Kill a worker that has grown too large, with all that it has started; its task is done elsewhere."""
        if not self.post.memory or sys.platform != "linux":
            return
        for one in self.kept:
            if one.pid and _resident(one.pid) > self.post.memory:
                self.say(f"{one.name} has more than {self.post.memory / 2**30:.1f} GB and is begun anew (--memory)")
                _kill(one.pid, signal.SIGKILL)

    def _leave(self) -> int:
        """End all workers: those with a task in hand have 30 s, unless they are asked again or were refused."""
        asked, until = self.ended, time.monotonic() + FINISH_SECONDS + 8
        for one in self.kept:
            if one.pid:
                _kill(one.pid, signal.SIGKILL if self.refused else signal.SIGTERM)
        while any(one.pid for one in self.kept):
            if self.ended > max(asked, 1) or time.monotonic() > until:
                for one in self.kept:
                    if one.pid:
                        _kill(one.pid, signal.SIGKILL)
            self._reap()
            time.sleep(0.05)
        return 2 if self.refused else 0


def _kill(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if number == signal.SIGKILL:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)
        os.kill(pid, number)


def _resident(pid: int) -> int:
    """Return the bytes of memory of a process and of its children."""
    total = 0
    try:
        with open(f"/proc/{pid}/statm") as file:
            total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                total += sum(_resident(int(child)) for child in file.read().split())
    except (OSError, ValueError, IndexError):
        pass
    return total


def memory_of(text: str) -> int:
    """Return bytes: `2G`, `500M`, `1024`. Raises BadParameter.

    >>> memory_of("2G"), memory_of("0.5m")
    (2147483648, 524288)
    """
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
    number, unit = (text[:-1], units[text[-1].upper()]) if text[-1:].upper() in units else (text, 1)
    try:
        found = float(number) * unit
    except ValueError:
        found = -1
    if not 0 < found < 2**60:
        raise BadParameter(f"memory is a number such as 2G or 500M, got {text!r}")
    return int(found)


def seconds_of(text: str) -> float:
    """Return seconds: `8h`, `30m`, `90`. Raises BadParameter.

    >>> seconds_of("8h"), seconds_of("1.5m")
    (28800.0, 90.0)
    """
    units = {"s": 1, "m": 60, "h": 3600, "d": 86400}
    number, unit = (text[:-1], units[text[-1].lower()]) if text[-1:].lower() in units else (text, 1)
    try:
        found = float(number) * unit
    except ValueError:
        found = -1
    if not 0 < found < 1e9:
        raise BadParameter(f"a time is a number such as 8h, 30m or 90, got {text!r}")
    return found
