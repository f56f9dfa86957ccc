"""The server's side of its processes: they are born, asked, and killed.

Why it is here.  Whatever may hang or crash is asked with a time limit, and whoever does not answer is killed with its
whole group; the next question starts it anew.  All of this is asyncio in one thread.
"""

import asyncio
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ludwin.errors import LudwinError
from ludwin.formats import decode
from ludwin.web.nursery import children_of
from ludwin.web.talk import MOST_LINE, encode
from ludwin.workers import cause_of

PATIENCE = float(os.environ.get("LUDWIN_WEB_PATIENCE", 20.0))  # seconds for an answer that needs no search
MOST_FAMILY = 64  # processes that a table may be
Heard = Callable[[dict[str, Any]], None]


class ProcessDied(LudwinError, RuntimeError):
    """A process of ours has ended in the middle of a question: how."""


class WasDead(ProcessDied):
    """A process of ours had ended before it could be asked: nothing of the question was done."""


class Answered(LudwinError, RuntimeError):
    """A process has answered with an error, which is passed on as it is."""

    def __init__(self, error: dict[str, Any]):
        super().__init__(str(error.get("message")))
        self.error = error


class ForkedChild:
    """A process forked from the nursery, and the line to it."""

    def __init__(self, pid: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, heard: Heard):
        self.pid, self.reader, self.writer, self.heard = pid, reader, writer, heard
        self.waiting: dict[int, asyncio.Future[Any]] = {}
        self.number = 0
        self.cause: str | None = None
        self.gone = asyncio.Event()
        self.listening = asyncio.ensure_future(self._listen())

    @property
    def alive(self) -> bool:
        """Whether it can still be asked."""
        return self.cause is None and not self.gone.is_set()

    async def ask(self, do: str, *, patience: float = PATIENCE, **facts: Any) -> Any:
        """Return the answer. Raises Answered, or ProcessDied if it does not come in time: then it is killed."""
        if not self.alive:
            raise ProcessDied(self.cause or "it has ended")
        self.number += 1
        number = self.number
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.waiting[number] = answer
        try:
            self.writer.write(encode({"id": number, "do": do, **facts}))
            async with asyncio.timeout(patience):
                await self.writer.drain()
                return await answer
        except TimeoutError:
            self.kill(f"no answer within {patience:g} s")
            raise ProcessDied(self.cause or "") from None
        except (ConnectionError, OSError):
            self.kill("it has closed its line")
            raise WasDead(self.cause or "") from None
        finally:
            self.waiting.pop(number, None)

    async def _listen(self) -> None:
        try:
            while raw := await self.reader.readline():
                message = decode(raw)
                future = self.waiting.get(message.get("id", -1)) if isinstance(message, dict) else None
                if future is None:
                    if isinstance(message, dict) and "event" in message:
                        self.heard(message)
                elif not future.done():
                    if "error" in message:
                        future.set_exception(Answered(message["error"]))
                    else:
                        future.set_result(message.get("ok"))
        except (ConnectionError, OSError, ValueError):
            self.kill("it has sent what cannot be read")
        await asyncio.sleep(0.1)  # the nursery tells how it has ended
        self.end(self.cause or "it has ended")

    def end(self, cause: str) -> None:
        """It is gone: whoever waits is told."""
        if self.cause is None:
            self.cause = cause
        if not self.gone.is_set():
            self.gone.set()
            with suppress(OSError):
                os.killpg(self.pid, signal.SIGKILL)  # what it has started
            self.writer.close()
            for future in self.waiting.values():
                if not future.done():
                    future.set_exception(ProcessDied(self.cause))
            self.heard({"event": "ended", "cause": self.cause})

    def kill(self, cause: str) -> None:
        """Kill it with all that it has started."""
        if self.cause is None:
            self.cause = cause
        with suppress(OSError):
            os.killpg(self.pid, signal.SIGKILL)

    async def killed(self, cause: str) -> None:
        """Kill it and wait until it is gone."""
        self.kill(cause)
        with suppress(TimeoutError):
            async with asyncio.timeout(3.0):
                await self.gone.wait()


class Nursery:
    """The warm process, started anew if it dies."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.control: socket.socket | None = None
        self.lock = asyncio.Lock()
        self.born: asyncio.Queue[int] = asyncio.Queue()
        self.children: dict[int, ForkedChild] = {}
        self.ready = asyncio.Event()

    def start(self) -> None:
        """Start it; call it in the main thread, whose end is its own end."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "ludwin.web.nursery", str(theirs.fileno())]
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        ours.setblocking(False)
        self.control = ours
        self.ready.clear()
        asyncio.get_running_loop().add_reader(ours.fileno(), self._hear, ours)

    def _hear(self, control: socket.socket) -> None:
        while True:
            try:
                raw = control.recv(65536)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:
                raw = b""
            if not raw:
                asyncio.get_running_loop().remove_reader(control.fileno())
                control.close()
                if self.control is control:
                    self.control = None
                return
            message = decode(raw)
            if "ready" in message:
                self.ready.set()
            elif "born" in message:
                self.born.put_nowait(int(message["born"]))
            elif (child := self.children.pop(int(message.get("dead", -1)), None)) is not None:
                child.end(child.cause or cause_of(message.get("code")))

    async def child(self, kind: str, heard: Heard) -> ForkedChild:
        """Return a new process of a kind. Raises ProcessDied if there can be none."""
        async with self.lock:
            if self.control is None:
                self.start()
            try:
                async with asyncio.timeout(60.0):
                    await self.ready.wait()
                    ours, theirs = socket.socketpair()
                    assert self.control is not None
                    socket.send_fds(self.control, [encode({"kind": kind})], [theirs.fileno()])
                    theirs.close()
                    pid = await self.born.get()
            except (TimeoutError, OSError) as error:
                raise ProcessDied(f"no process could be started ({type(error).__name__})") from None
            ours.setblocking(False)
            reader, writer = await asyncio.open_connection(sock=ours, limit=MOST_LINE)
            child = ForkedChild(pid, reader, writer, heard)
            self.children[pid] = child
            return child

    async def close(self) -> None:
        """End the nursery and everybody that was born there."""
        for child in list(self.children.values()):
            child.kill("the server ends")
        if self.control is not None:
            asyncio.get_running_loop().remove_reader(self.control.fileno())
            self.control.close()
            self.control = None
        if self.process is not None:
            process, self.process = self.process, None
            try:
                await asyncio.to_thread(process.wait, 1.0)
            except subprocess.TimeoutExpired:
                process.kill()
                await asyncio.to_thread(process.wait)
        for child in list(self.children.values()):
            child.listening.cancel()
            child.writer.close()
        self.children.clear()


def memory_of(pid: int) -> int:
    """Return how many bytes of memory a process holds for itself; 0 where that is not known."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            _, resident, shared, *_ = map(int, file.read().split())
        return (resident - shared) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError):
        return 0


def family_of(pid: int) -> set[int]:
    """Return a process and all that it has started, and those have."""
    found, waiting = {pid}, [pid]
    while waiting and len(found) <= MOST_FAMILY:
        more = children_of(waiting.pop()) - found
        found |= more
        waiting += more
    return found


def seconds_of(pid: int) -> float:
    """Return how many seconds of processor time a process has used; 0 where that is not known."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0
