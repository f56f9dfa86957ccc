"""The coordinator's side: errands go out as tasks, answers come back, and whoever dies costs one task.

Why it is here.  Dask re-runs the tasks of a worker that dies, but forgets everything with its scheduler.  So what is
wanted and what has come back live here, with whoever asked; Dask holds nothing of value.  A task that was lost with the
scheduler or the network is sent again, as often as need be; a mistake that a task reports is told and ends the work,
since it would be made anywhere.  A part that has killed worker after worker is done here, in a process of its own.

Who is admitted: machines of the coordinator's class (`arithmetic.py`).  Each task says which class it wants, so that a
machine that slips in does nothing; and the coordinator asks every new worker who it is, and sends away who does not
fit.
"""

import asyncio
import contextlib
import itertools
import operator
import os
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from ludwin.cluster import node
from ludwin.cluster.arithmetic import about, class_of, differences
from ludwin.errors import LudwinError
from ludwin.formats import decode
from ludwin.spread import JSON, AtHome, Chunks, Errand, mark_of, text_of

IN_HAND = 2  # tasks a core that are on their way at a time
LONGEST_PAUSE = 30.0
LOOK_SECONDS = 0.5  # between two looks at who is there
PATIENCE_SECONDS = 20.0  # without a worker, until it is said
FALLBACK = ("KilledWorker",)
NODE_WORK = node.work

_numbers = itertools.count()


class ClusterFailed(LudwinError):
    """A task made a mistake that it would make anywhere: what the worker said."""


@dataclass
class _Sent:
    """A chunk of parts that is on its way."""

    numbers: list[int]
    parts: list[JSON]
    tries: int = 0
    has_common: bool = False
    future: Any = None


@dataclass
class Counts:
    """What has happened so far."""

    tasks: int = 0
    lost: int = 0
    here: int = 0  # tasks that were done by the coordinator
    twice: int = 0  # answers to what had been answered
    refused: dict[str, str] = field(default_factory=dict)  # why, by address


class Cluster:
    """Machines that do errands (`ludwin.spread.Spread`), reached by a scheduler of Dask's."""

    def __init__(
        self,
        reach: Callable[[], Any],
        *,
        say: Callable[[str], None] = lambda line: None,
        accept: bool = False,
        closing: Callable[[], None] = lambda: None,
    ):
        self.reach, self.say, self.accept, self.closing = reach, say, accept, closing
        self.packs: dict[str, JSON] = {}
        self.counts = Counts()
        self.machine = about()
        self.wanted = class_of(self.machine, accept)
        self.lock = threading.RLock()
        self.number = 0  # of the connection
        self.topic = f"ludwin-{uuid4().hex}"
        self.heard: set[str] = set()  # keys of tasks whose answers were called out, until they are finished
        self.letters: dict[str, queue.SimpleQueue[Any]] = {}  # where jobs wait for their answers
        self.client: Any = self._reached()
        self.workers: dict[str, dict[str, Any]] = {}  # admitted ones, by address
        self.seen: set[str] = set()
        self.rate: deque[float] = deque(maxlen=2000)  # when answers came
        self.is_closed = False
        self.watching = threading.Thread(target=self._watch, name="ludwin-cluster", daemon=True)
        self.watching.start()

    # What callers ask

    @property
    def cores(self) -> int:
        """How many workers are admitted now; at least 1."""
        return max(1, len(self.workers))

    def pack(self, name: str) -> JSON:
        """Return the texts of a user's file that the command line has named."""
        return self.packs.get(name)

    def words(self) -> str:
        """Return how the cluster does, in one line."""
        told = self.status()
        lost = f", {told['lost']} lost" if told["lost"] else ""
        hosts = f"{told['hosts']} host{'s' * (told['hosts'] != 1)}"
        return f"{hosts}, {told['cores']} cores, {told['busy']} busy, {told['rate']:.3g} tasks/s{lost}"

    def status(self) -> dict[str, Any]:
        """Return hosts, cores, busy ones, tasks a second and losses."""
        now, rate = time.monotonic(), [moment for moment in list(self.rate) if moment > time.monotonic() - 10]
        workers = list(self.workers.values())
        span = max(now - rate[0], 1.0) if rate else 1.0
        return {
            "hosts": len({one["host"] for one in workers}),
            "cores": len(workers),
            "busy": sum(one["busy"] for one in workers),
            "rate": len(rate) / span,
            "tasks": self.counts.tasks,
            "lost": self.counts.lost,
            "here": self.counts.here,
            "refused": list(self.counts.refused.values()),
        }

    def run(
        self, errand: Errand, common: JSON, parts: Iterator[JSON], has_room: Callable[[], bool] = lambda: True
    ) -> Iterator[list[tuple[int, JSON]]]:
        """Yield (number of the part, result) in the order of arrival, until all parts are done."""
        job = _Job(self, errand, text_of(common))
        numbered = enumerate(parts)
        more = True
        try:
            while True:
                while more and len(job.sent) + len(job.again) < IN_HAND * self.cores and has_room():
                    left = operator.length_hint(parts, 0)
                    size = job.chunks.size(self.cores, left + 1 if left else None)
                    chunk = list(itertools.islice(numbered, size))
                    more = bool(chunk)
                    if chunk:
                        job.again.append(_Sent([k for k, _ in chunk], [part for _, part in chunk]))
                job.send()
                if not job.sent:
                    if not more:
                        return
                    yield []  # what has arrived makes room
                    continue
                found = job.next_answer(0.5)
                while not job.answers.empty():
                    found += job.next_answer(0.0)
                if found:
                    yield found
        finally:
            job.drop()

    def close(self) -> None:
        """Leave the cluster; closing twice is fine."""
        with self.lock:
            if self.is_closed:
                return
            self.is_closed = True
        _quietly(self.client)
        self.closing()

    # Connections

    def _reached(self) -> Any:
        """Return a new client, which hears the answers that workers call out."""
        client = self.reach()
        client.subscribe_topic(self.topic, self._hear)
        return client

    def _hear(self, event: Any) -> None:
        key, text = event[1]
        mailbox = self.letters.get(key.rpartition("/")[0])
        if mailbox is not None:
            self.heard.add(key)
            mailbox.put((key, text, None))

    def connection(self) -> tuple[int, Any]:
        """Return the client and its number; one that has lost its scheduler is replaced first, however long it takes.

        Raises ClusterFailed once the cluster is closed.
        """
        with self.lock:
            pause, told = 1.0, time.monotonic()
            while self.client is None or self.client.status not in ("running",):
                if self.is_closed:
                    raise ClusterFailed("the cluster is closed")
                _quietly(self.client)
                self.client, self.workers, self.seen = None, {}, set()
                try:
                    self.client = self._reached()
                    self.number += 1
                    break
                except (OSError, TimeoutError, ValueError):
                    if time.monotonic() - told > PATIENCE_SECONDS:
                        told = time.monotonic()
                        self.say("the scheduler does not answer; trying again (Ctrl-C stops, and --resume goes on)")
                    time.sleep(pause)
                    pause = min(2 * pause, LONGEST_PAUSE)
            return self.number, self.client

    # Who is there

    def _watch(self) -> None:
        """Look who is there, again and again: admit, refuse, count."""
        waiting, told = time.monotonic(), False
        while not self.is_closed:
            with contextlib.suppress(Exception):
                self._look()
            if self.workers:
                waiting, told = time.monotonic(), False
            elif not told and time.monotonic() - waiting > PATIENCE_SECONDS and not self.is_closed:
                told = True
                self.say("no worker has come yet; on other machines: ludwin worker ADDRESS --keys DIR")
            time.sleep(LOOK_SECONDS)

    def _look(self) -> None:
        client = self.client
        if client is None or client.status != "running":
            return
        told = client.sync(_identity, client, callback_timeout=10)
        if client is not self.client:
            return
        there = told["workers"]
        self.seen &= set(there)
        new = [address for address in there if address not in self.seen]
        if new:
            self.seen |= set(new)
            found = client.run(node.describe, workers=new, on_error="return")
            for address in new:
                if isinstance(found.get(address), dict):
                    self._meet(client, address, found[address])
                else:
                    self.seen.discard(address)  # it has gone, or will be asked again
        for address in list(self.workers):
            if address not in there:
                del self.workers[address]
            else:
                self.workers[address]["busy"] = int(there[address]["metrics"].get("executing", 0) > 0)

    def _meet(self, client: Any, address: str, machine: dict[str, Any]) -> None:
        """Admit a worker, or send it away."""
        reason = differences(self.machine, machine, self.accept)
        if not reason:
            self.workers[address] = {**machine, "busy": 0}
            return
        if reason not in self.counts.refused.values():
            self.say(f"refused {reason}")
        self.counts.refused[address] = reason
        with contextlib.suppress(Exception):
            client.run(node.dismiss, reason, workers=[address], on_error="ignore")
        time.sleep(0.5)
        with contextlib.suppress(Exception):  # a plain `dask worker`, whose nanny would begin it anew
            client.retire_workers([address], close_workers=True)


class _Job:
    """One call of `run`: what is on its way, and what must go again."""

    def __init__(self, cluster: Cluster, errand: Errand, common: str):
        self.cluster, self.errand, self.common = cluster, errand, common
        self.mark = mark_of(common)
        self.chunks = Chunks()
        self.sent: dict[str, _Sent] = {}
        self.again: deque[_Sent] = deque()
        self.answers: queue.SimpleQueue[tuple[str, Any, BaseException | None]] = queue.SimpleQueue()
        self.key = f"ludwin-{os.getpid()}-{next(_numbers)}-{self.mark[:8]}"
        cluster.letters[self.key] = self.answers
        self.count = 0

    def send(self) -> None:
        """Send what is to go, together."""
        failures = 0
        while self.again:
            number, client = self.cluster.connection()
            going = {f"{self.key}/{self.count + k}-{number}": one for k, one in enumerate(self.again)}
            self.count += len(going)
            try:
                futures = client.map(
                    NODE_WORK,
                    [(self.cluster.topic, key) for key in going],
                    [(self.cluster.wanted, self.cluster.accept, self.errand.name, self.mark)] * len(going),
                    [self.common if one.has_common else None for one in going.values()],
                    [text_of(one.parts) for one in going.values()],
                    key=list(going),
                    pure=False,
                )
                self.sent |= going
                self.again.clear()
                loop = client.loop.asyncio_loop
                for (key, one), future in zip(going.items(), futures, strict=True):
                    one.future = future
                    asyncio.run_coroutine_threadsafe(_follow(one.future, key, self.answers, self.cluster.heard), loop)
            except Exception as error:  # the scheduler has gone in this very moment; what was sent will be missed
                failures += 1
                if failures > 100:
                    raise ClusterFailed(f"tasks cannot be sent: {type(error).__name__}: {error}") from None
                time.sleep(0.1)
                self._missed()

    def next_answer(self, seconds: float) -> list[tuple[int, JSON]]:
        """Return the results of the next answer; nothing if it was of another kind, or none came for a while.

        Raises ClusterFailed for a mistake that a task reports.
        """
        try:
            key, text, error = self.answers.get(timeout=seconds)
        except queue.Empty:
            self._missed()
            return []
        if text == "":  # its answer was called out, and is on its way or here
            return []
        one = self.sent.pop(key, None)
        if one is None:
            self.cluster.counts.twice += error is None
            return []
        one.future = None
        if error is not None:
            return self._lost(one, error)
        answer = decode(text)
        if "results" in answer:
            self.cluster.counts.tasks += 1
            self.cluster.rate.append(time.monotonic())
            self.chunks.note(len(one.parts), float(answer["seconds"]))
            return list(zip(one.numbers, answer["results"], strict=True))
        if "error" in answer:
            raise ClusterFailed(str(answer["error"]))
        if "need" in answer:
            one.has_common = True
        else:
            time.sleep(0.05)  # refused: it will be sent away
        self.again.appendleft(one)
        return []

    def _missed(self) -> None:
        """Take back what a connection that is gone will never answer."""
        client = self.cluster.client
        if client is not None and client.status == "running":
            return
        for key in list(self.sent):
            one = self.sent.pop(key)
            one.future = None
            self.cluster.counts.lost += 1
            self.again.append(one)

    def _lost(self, one: _Sent, error: BaseException) -> list[tuple[int, JSON]]:
        """Send a task again that was lost on its way; one that has killed its workers is done here."""
        self.cluster.counts.lost += 1
        name = type(error).__name__
        if name in FALLBACK:
            if len(one.parts) > 1:  # which of them it was shows when each goes alone
                self.again += [_Sent([k], [part]) for k, part in zip(one.numbers, one.parts, strict=True)]
                return []
            self.cluster.say("a part has killed worker after worker; it is done here, in a process of its own")
            self.cluster.counts.here += 1
            return self._here(one)
        if isinstance(error, asyncio.CancelledError | OSError | TimeoutError) or name in (
            *("CancelledError", "FutureCancelledError", "FuturesCancelledError", "CommClosedError", "TimeoutError"),
        ):
            one.tries += 1
            self.again.append(one)
            return []
        raise ClusterFailed(f"a task could not be done: {name}: {error}")

    def _here(self, one: _Sent) -> list[tuple[int, JSON]]:
        found = AtHome(1).run(self.errand, decode(self.common), iter(one.parts))
        return [(one.numbers[k], result) for batch in found for k, result in batch]

    def drop(self) -> None:
        """Forget what is still on its way: nobody wants it any more."""
        self.cluster.letters.pop(self.key, None)
        left = [one.future for one in self.sent.values() if one.future is not None]
        self.sent.clear()
        client = self.cluster.client
        if left and client is not None and client.status == "running":
            with contextlib.suppress(Exception):
                client.cancel(left, force=True)


async def _follow(future: Any, key: str, answers: "queue.SimpleQueue[Any]", heard: set[str]) -> None:
    """Wait for a task, and say what became of it, unless its answer was heard already."""
    try:
        await future._state.wait()
        if key in heard:
            heard.discard(key)
            return
        answers.put((key, await future._result(), None))
    except BaseException as error:
        answers.put((key, None, error))


async def _identity(client: Any) -> Any:
    return await client.scheduler.identity(n_workers=-1)


def _quietly(client: Any) -> None:
    """Close a client that may have lost its scheduler."""
    if client is not None:
        with contextlib.suppress(Exception):
            client.close(timeout=2)
