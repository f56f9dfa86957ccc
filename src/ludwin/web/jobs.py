"""Jobs: analyses at tables, and the ordinary commands carried out in a folder.

Why it is here.  What takes long is a job with a state, lines that can be read later, and an end that can be wished
for.  Analyses live in the processes of their tables; matches, evolution and tables of the laboratory are the commands
that a person would type, each in a session and a folder of its own, so that closing the page harms nothing and what
was stopped can be resumed by the same commands.
"""

import asyncio
import os
import secrets
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter
from ludwin.web.children import Answered, ProcessDied, family_of, memory_of, seconds_of
from ludwin.web.hub import Hub
from ludwin.web.tables import Tables, TooMany, WebTable

AT_TABLES = ("analyse", "hint", "tree", "levels", "game")
BATCH = ("check", "match", "tournament", "evolve", "reproduce", "study", "discover", "show")
ENDED = ("done", "failed", "cancelled", "killed")
KEPT_LINES, KEPT_JOBS = 1000, 200
MOST_QUEUED = 32
INTERRUPT_SECONDS = 5.0


class WebJob:
    """One piece of work."""

    def __init__(self, kind: str, about: str):
        self.id, self.kind, self.about = secrets.token_hex(6), kind, about
        self.state, self.reason = "queued", ""
        self.lines: deque[dict[str, Any]] = deque(maxlen=KEPT_LINES)
        self.count = 0
        self.made = time.time()
        self.table: WebTable | None = None
        self.facts: dict[str, Any] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.folder: Path | None = None
        self.last: dict[str, Any] | None = None
        self.unwanted = False  # somebody has stopped it
        self.ended = asyncio.Event()
        self.news = asyncio.Event()

    @property
    def pid(self) -> int:
        """The process that does it, 0 if none does now."""
        if self.process is not None:
            return self.process.pid
        return self.table.child.pid if self.table is not None and self.table.child is not None else 0

    def to_dict(self) -> dict[str, Any]:
        """Return a row of the list of jobs."""
        running = self.state not in ENDED and self.state != "queued"
        return {
            "job": self.id,
            "kind": self.kind,
            "about": self.about,
            "state": self.state,
            "reason": self.reason,
            "made": self.made,
            "table": self.table.id if self.table is not None else None,
            "cpu": round(seconds_of(self.pid), 1) if running else None,
            "memory": memory_of(self.pid) if running else None,
            "last": self.last,
            **self.facts,
        }


class Jobs:
    """All jobs, those that wait included."""

    def __init__(self, tables: Tables, hub: Hub, most: int, memory: int, written: Callable[[], None]):
        self.tables, self.hub, self.most, self.memory = tables, hub, max(most, 1), memory
        self.written = written  # called when a command has ended, before anybody is told
        self.jobs: dict[str, WebJob] = {}
        self.waiting: deque[tuple[WebJob, Any]] = deque()
        self.running: set[str] = set()
        self.most_analyses = max((os.cpu_count() or 2) - 1, 1)
        self.tasks: set[asyncio.Task[Any]] = set()

    def tell(self, job: WebJob, kind: str, **facts: Any) -> None:
        """Note a line of a job, and tell whoever watches it."""
        job.count += 1
        line = {"number": job.count, "kind": kind, **facts}
        job.lines.append(line)
        if kind == "line":
            job.last = {key: facts.get(key) for key in ("depth", "playouts", "value", "decided", "nodes", "move")}
        job.news.set()
        job.news = asyncio.Event()
        self.hub.tell(f"job/{job.id}", kind, **facts)

    def settle(self, job: WebJob, state: str, reason: str = "", **facts: Any) -> None:
        """Enter the state of a job."""
        if job.state in ENDED:
            return
        job.state, job.reason = state, reason
        if state in ENDED:
            if job.table is not None:
                job.table.busy.discard(job.id)
            else:
                self.written()
            self.running.discard(job.id)
            job.ended.set()
        self.tell(job, "state", state=state, reason=reason, **facts)
        self.hub.tell("jobs", "state", job=job.id, state=state)
        if state in ENDED:
            self._next()

    def _add(self, job: WebJob) -> None:
        if sum(one.state not in ENDED for one in self.jobs.values()) >= MOST_QUEUED:
            raise TooMany(f"{MOST_QUEUED} jobs wait or run; stop one, or try again in a while")
        for number in list(self.jobs)[: max(len(self.jobs) - KEPT_JOBS, 0)]:
            if self.jobs[number].state in ENDED:
                del self.jobs[number]
        self.jobs[job.id] = job

    def begin(self, work: Any) -> None:
        """Let a task run whose end nobody waits for."""
        task = asyncio.ensure_future(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    # At tables

    def analyse(self, table: WebTable, kind: str, facts: dict[str, Any]) -> WebJob:
        """Begin an analysis, or let it wait for a free core."""
        job = WebJob(kind, f"{table.facts.get('game', '')} {facts.get('agent') or ''}".strip())
        job.table = table
        self._add(job)
        self.waiting.append((job, facts))
        self.hub.tell("jobs", "state", job=job.id, state="queued")
        self._next()
        return job

    def _next(self) -> None:
        """Start what waits, as long as there is room."""
        while self.waiting:
            running = [self.jobs[one] for one in self.running if one in self.jobs]
            tables = {one.table.id for one in running if one.table is not None}
            batch = sum(one.table is None for one in running)
            found = None
            for place, (job, _) in enumerate(self.waiting):
                if self._has_room(job, tables, batch):
                    found = place
                    break
            if found is None:
                for place, (job, _) in enumerate(self.waiting):
                    job.facts["position"] = place + 1
                return
            job, facts = self.waiting[found]
            del self.waiting[found]
            job.facts.pop("position", None)
            self.running.add(job.id)
            if job.table is not None:
                job.table.busy.add(job.id)
                self.settle(job, "starting")
                self.begin(self._start(job, facts))
            else:
                self._start_batch(job, facts)

    def _has_room(self, job: WebJob, tables: set[str], batch: int) -> bool:
        """Tell whether a job may begin: tables that think leave a core to the page, advice is quick, commands few."""
        if job.table is None:
            return batch < self.most
        return len(tables | {job.table.id}) <= self.most_analyses or job.kind == "hint"

    async def _start(self, job: WebJob, facts: dict[str, Any]) -> None:
        assert job.table is not None
        try:
            answer = await self.tables.ask(job.table, "analyse", job=job.id, kind=job.kind, **facts)
            job.facts |= {"agent": answer["agent"], "ply": answer["ply"]}
            if job.unwanted and job.state in ENDED and job.table.child is not None:  # it was stopped before it began
                await job.table.child.ask("stop", job=job.id)
        except Answered as error:
            self.settle(job, "failed", str(error), error=error.error)
        except ProcessDied as error:
            self.settle(job, "cancelled" if job.unwanted else "killed", str(error))
        except Exception as error:
            self.settle(job, "failed", str(error))

    def heard(self, table: WebTable, message: dict[str, Any]) -> None:
        """Listen to the process of a table."""
        if message["event"] == "ended":
            for number in list(table.busy):
                if number in self.jobs:
                    state = "cancelled" if self.jobs[number].unwanted else "killed"
                    self.settle(self.jobs[number], state, str(message["cause"]))
            return
        if message["event"] == "compiling":
            for number in list(table.busy):
                if number in self.jobs and self.jobs[number].state in ("starting", "running"):
                    self.settle(self.jobs[number], "compiling", str(message["words"]))
            return
        job = self.jobs.get(str(message.get("job")))
        if message["event"] != "job" or job is None:
            return
        kind = str(message.pop("kind"))
        facts = {key: value for key, value in message.items() if key not in ("event", "job")}
        if kind == "state":
            state, reason = str(facts.pop("state")), str(facts.pop("reason", ""))
            self.settle(job, state, reason, **facts)
        else:
            if job.state == "compiling":
                self.settle(job, "running")
            self.tell(job, kind, **facts)

    # Commands

    def command(self, kind: str, about: str, words: list[str], folder: Path) -> WebJob:
        """Carry out a command in a folder, or let it wait."""
        job = WebJob(kind, about)
        job.folder = folder
        self._add(job)
        self.waiting.append((job, words))
        self.hub.tell("jobs", "state", job=job.id, state="queued")
        self._next()
        return job

    def _start_batch(self, job: WebJob, words: list[str]) -> None:
        assert job.folder is not None
        self.settle(job, "starting")
        try:
            job.folder.mkdir(parents=True, exist_ok=True)
            job.process = subprocess.Popen(
                [sys.executable, "-m", "ludwin.web.batch", *words],
                cwd=job.folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            self.settle(job, "failed", error.strerror or str(error))
            return
        self.settle(job, "running")
        self.begin(self._follow(job))

    async def _follow(self, job: WebJob) -> None:
        """Read what a command says until it ends."""
        process = job.process
        assert process is not None and process.stdout is not None
        reader = asyncio.StreamReader(limit=2**22)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), process.stdout
        )
        guard = asyncio.ensure_future(self._limit(job))
        said = ""
        try:
            while True:
                try:
                    raw = await reader.readline()
                except ValueError:
                    continue
                if not raw:
                    break
                text = raw.decode("utf8", "replace").rsplit("\r", 1)[-1].rstrip()
                if text:
                    said = text
                    self.tell(job, "text", text=text[:20000])
            code = await asyncio.to_thread(process.wait)
        finally:
            guard.cancel()
            transport.close()
        if job.state in ENDED:
            return
        if code == 0:
            self.settle(job, "done")
        elif code in (130, -signal.SIGINT) or job.unwanted:  # Python that is stopped while it starts ends with 1
            self.settle(job, "cancelled", "interrupted; it can be resumed")
        else:
            self.settle(job, "failed", said[:300] or f"exit status {code}")

    async def _limit(self, job: WebJob) -> None:
        """Kill a command that takes too much memory."""
        assert job.process is not None
        while True:
            await asyncio.sleep(1.0)
            if sum(memory_of(pid) for pid in family_of(job.process.pid)) > self.memory:
                self.settle(job, "killed", f"it took more than {self.memory / 2**30:.3g} GB of memory")
                _kill(job.process, signal.SIGKILL)

    # Ends

    def get(self, number: str) -> WebJob:
        """Return a job. Raises BadParameter."""
        if number not in self.jobs:
            raise BadParameter(f"there is no job {number[:20]!r}")
        return self.jobs[number]

    async def stop(self, job: WebJob) -> None:
        """End a job; when this returns its process is gone, or has nothing to do with it any more."""
        for place, (waiting, _) in enumerate(self.waiting):
            if waiting is job:
                del self.waiting[place]
                self.settle(job, "cancelled", "it had not begun")
                return
        if job.state in ENDED:
            return
        job.unwanted = True
        if job.process is not None:
            await self._stop_command(job)
            return
        table = job.table
        child = table.child if table is not None else None
        if table is None or child is None or not child.alive:
            self.settle(job, "cancelled")
            return
        try:
            answer = await child.ask("stop", patience=1.0, job=job.id)
            if answer["ended"]:
                self.settle(job, "cancelled")
                return
        except (Answered, ProcessDied):
            pass
        await child.killed("its analysis could not be stopped")
        self.settle(job, "cancelled", "killed; the table starts anew from its moves")

    async def _stop_command(self, job: WebJob) -> None:
        assert job.process is not None
        _kill(job.process, signal.SIGINT)
        try:
            async with asyncio.timeout(INTERRUPT_SECONDS):
                await job.ended.wait()
        except TimeoutError:
            _kill(job.process, signal.SIGKILL)
            self.settle(job, "killed", "it did not end by itself")

    async def close(self) -> None:
        """End all commands, within two seconds."""
        live = [job for job in self.jobs.values() if job.process is not None and job.state not in ENDED]
        self.waiting.clear()
        for job in live:
            if job.process is not None:
                _kill(job.process, signal.SIGINT)
        with suppress(TimeoutError):
            async with asyncio.timeout(1.2):
                await asyncio.gather(*(job.ended.wait() for job in live))
        for job in live:
            if job.process is not None and job.process.poll() is None:
                _kill(job.process, signal.SIGKILL)
        for task in list(self.tasks):
            task.cancel()


def _kill(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(OSError):
        os.killpg(process.pid, number)
