"""Work that may be done on other machines: errands, which are names and texts.

Why it is here.  `workers` shares out functions and values, which never leave this machine.  What is to run elsewhere
must be something that another machine can make anew: the name of an *errand*, a common text (game, agents, terms) from
which it makes its tool once, and parts that are JSON values, as the results are.  No closure travels, and nothing is
unpickled that a stranger could have written.  Whoever has such work asks `elsewhere(workers)` whether there are
machines for it; how they are found, kept and counted is the affair of `ludwin.cluster`.

Why results are the same.  A part is a pure function of the common text and of itself, so who does it, how many go
together in a chunk and in which order they come back changes nothing; callers put results in the order of the parts.
"""

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from importlib import import_module
from typing import Any, Protocol

from ludwin.errors import LudwinError
from ludwin.formats import decode
from ludwin.workers import Processes, Task

JSON = Any
TOOLS = 8  # tools that a worker keeps: jobs of one coordinator that go on at a time
FIRST_SECONDS = 0.2  # what a first chunk should take, before anybody knows how long a part takes
LEAST_SECONDS = 1.0  # what a chunk should take: beyond it a task's overhead of 4 ms is below half a percent
CORES_A_SECOND = 200  # from here on chunks grow, so that one scheduler can keep up (docs/how-to/scaling.md)
MOST_SECONDS = 30.0  # what a death may cost
GROWTH = 8  # how much larger a chunk may be than the one before


@dataclass(frozen=True)
class Errand:
    """A kind of work that another machine can do: `open` makes a tool of the common text, `do` does parts with it."""

    name: str  # where it is found there: "ludwin.arena.errands:GAMES"
    open: Callable[[JSON], Any]
    do: Callable[[Any, list[JSON]], list[JSON]]


class Spread(Protocol):
    """Machines that do errands. Results come as they are finished; `map` puts them in order."""

    @property
    def cores(self) -> int:
        """How many parts are done at a time, as far as is known now; at least 1."""
        ...

    def run(
        self, errand: Errand, common: JSON, parts: Iterator[JSON], has_room: Callable[[], bool] = lambda: True
    ) -> Iterator[list[tuple[int, JSON]]]:
        """Yield (number of the part, result) in the order of arrival, until all parts are done."""
        ...

    def pack(self, name: str) -> JSON:
        """Return the texts of a user's file that the command line has named; None if it has named no such file."""
        ...

    def status(self) -> dict[str, Any]:
        """Return hosts, cores, tasks and losses so far, for logs."""
        ...


def in_order(spread: Spread, errand: Errand, common: JSON, parts: Iterable[JSON]) -> Iterator[JSON]:
    """Yield the results in the order of the parts."""
    waiting: dict[int, JSON] = {}
    taken = 0
    for found in spread.run(errand, common, iter(parts)):
        waiting.update(found)
        while taken in waiting:
            yield waiting.pop(taken)
            taken += 1


class Crew(int):
    """A number of workers on this machine, and other machines beside them.

    It counts as that number everywhere; who has errands asks `elsewhere` for the machines.
    """

    spread: Spread

    def __new__(cls, here: int, spread: Spread) -> "Crew":
        """Make a number that knows machines."""
        made = super().__new__(cls, here)
        made.spread = spread
        return made


def elsewhere(workers: int) -> Spread | None:
    """Return the machines behind a number of workers, if there are any."""
    return workers.spread if isinstance(workers, Crew) else None


# ---- How much goes together ---------------------------------------------------------------------------------------


class Chunks:
    """How many parts make a task: few at first, then as many as take a second, never more than 30 s.

    >>> chunks = Chunks()
    >>> chunks.size(cores=4)
    1
    >>> chunks.note(parts=1, seconds=0.01)
    >>> chunks.size(cores=4), chunks.size(cores=4)
    (8, 64)
    >>> chunks.note(parts=64, seconds=0.64)
    >>> chunks.size(cores=4), chunks.size(cores=1000), chunks.size(cores=4, left=40)
    (100, 500, 3)
    """

    def __init__(self) -> None:
        self.each = 0.0  # seconds that a part takes
        self.last = 0

    def note(self, parts: int, seconds: float) -> None:
        """So many parts took so long."""
        found = max(seconds, 1e-5) / parts
        self.each = found if not self.each else self.each + (found - self.each) * min(1.0, parts / (parts + 8))

    def size(self, cores: int, left: int | None = None) -> int:
        """Return how many parts the next task has, if so many cores work and so many parts are left."""
        if not self.each:
            return 1
        wanted = min(max(LEAST_SECONDS, cores / CORES_A_SECOND), MOST_SECONDS)
        size = max(1, min(round(wanted / self.each), GROWTH * max(self.last, 1)))
        if left is not None:
            size = max(1, min(size, -(-left // (4 * cores))))
        self.last = max(size, self.last)
        return size


# ---- What a worker does -------------------------------------------------------------------------------------------


def text_of(value: JSON) -> str:
    """Return a JSON value as the one text that stands for it."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def mark_of(text: str) -> str:
    """Return a hash by which a common text is known."""
    return blake2b(text.encode("utf8", "surrogatepass"), digest_size=16).hexdigest()


def find(name: str) -> Errand:
    """Return the errand of this name. Raises LudwinError if there is none: only what is declared as one is done."""
    module, _, attribute = name.partition(":")
    if not module.startswith("ludwin."):
        raise LudwinError(f"no errand of ours: {name!r}")
    found = getattr(import_module(module), attribute, None)
    if not isinstance(found, Errand) or found.name != name:
        raise LudwinError(f"no errand of ours: {name!r}")
    return found


@lru_cache(maxsize=TOOLS)
def tool_of(name: str, common: str) -> tuple[Errand, Any]:
    """Return an errand with its tool, made once from the common text."""
    errand = find(name)
    return errand, errand.open(decode(common))


def done(name: str, common: str, parts: list[JSON]) -> tuple[list[JSON], float]:
    """Return the results of parts, and the seconds that they took (without those in which the tool was made)."""
    errand, tool = tool_of(name, common)
    began = time.perf_counter()
    results = errand.do(tool, parts)
    assert len(results) == len(parts), f"{name} returned {len(results)} results of {len(parts)} parts"
    return results, time.perf_counter() - began


# ---- Errands on this machine --------------------------------------------------------------------------------------


class _Doing(Task[tuple[int, JSON], tuple[int, JSON]]):
    """What a process of this machine does: an errand, part by part."""

    def __init__(self, name: str, common: str):
        self.name, self.common = name, common

    def do(self, tool: Any, part: tuple[int, JSON]) -> tuple[int, JSON]:
        return part[0], done(self.name, self.common, [part[1]])[0][0]


class AtHome:
    """Errands in processes of this machine: what no other machine could do, and a witness in tests."""

    def __init__(self, count: int = 1, packs: Mapping[str, JSON] | None = None):
        self.count, self.packs = count, dict(packs or {})

    @property
    def cores(self) -> int:
        """How many processes there are."""
        return self.count

    def pack(self, name: str) -> JSON:
        """Return the texts of a user's file."""
        return self.packs.get(name)

    def status(self) -> dict[str, Any]:
        """Return how many processes there are."""
        return {"hosts": 1, "cores": self.count}

    def run(
        self, errand: Errand, common: JSON, parts: Iterator[JSON], has_room: Callable[[], bool] = lambda: True
    ) -> Iterator[list[tuple[int, JSON]]]:
        """Yield (number of the part, result) in the order of arrival."""
        crew: Processes[tuple[int, JSON], tuple[int, JSON]] = Processes(
            _Doing(errand.name, text_of(common)), self.count
        )
        try:
            yield from crew.run(enumerate(parts), has_room)
            crew.close(orderly=True)
        finally:
            crew.close()
