"""Tables as the server knows them: moves that are kept, and a process that can be made again from them.

Why it is here.  The server never runs rules.  Of each table it keeps what a saved game says, and asks the table's
process for everything else; if that has died, crashed or was idle, the next question starts it anew.
"""

import asyncio
import json
import os
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from ludwin.errors import LudwinError
from ludwin.files import write_whole
from ludwin.formats import read_json
from ludwin.play.saved import SAVED
from ludwin.web.children import MOST_FAMILY, PATIENCE, ForkedChild, Nursery, ProcessDied, WasDead, family_of, memory_of

MOST_TABLES = 16
IDLE_SECONDS = 600.0
OPEN_SECONDS = 4.5 * PATIENCE  # a game that is new is checked, and something may compile
NUMBER = re.compile(r"[0-9a-f]{12}")


class NoTable(LudwinError, KeyError):
    """An id that means no table."""

    def __str__(self) -> str:
        return str(self.args[0])


class TooMany(LudwinError, RuntimeError):
    """A limit is reached: which, and when to try again."""


class WebTable:
    """One table: what makes it again, and its process while it has one."""

    def __init__(self, number: str, opening: dict[str, Any], source: str | None = None):
        self.id, self.opening, self.source = number, opening, source
        self.kept: dict[str, Any] = {}
        self.unwritten: dict[str, Any] = {}  # what its file has not yet
        self.is_written = False  # somebody writes its file now
        self.facts: dict[str, Any] = {}
        self.child: ForkedChild | None = None
        self.lock = asyncio.Lock()
        self.used = time.monotonic()
        self.made = time.time()
        self.shown = True  # replays are tables that no list shows
        self.busy: set[str] = set()  # jobs that run here
        self.thinking: dict[str, Any] | None = None
        self.file: Path | None = None

    def again(self) -> dict[str, Any]:
        """Return what opens it at the position where it stands."""
        if not self.kept:
            return self.opening
        end = [self.kept["end"], self.kept["loser"]] if "end" in self.kept else None
        return {
            **self.opening,
            "position": self.kept["start"],
            "moves": self.kept["codes"],
            "seats": self.opening["seats"],
            "stopped": end,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return a row of the list of tables."""
        kept = self.kept
        return {
            "table": self.id,
            "game": self.facts.get("game") or kept.get("game"),
            "seats": kept.get("seats", []),
            "plies": len(kept.get("codes", [])),
            "alive": self.child is not None and self.child.alive,
            "made": self.made,
        }


Heard = Callable[[WebTable, dict[str, Any]], None]


class Tables:
    """All tables."""

    def __init__(self, nursery: Nursery, folder: Path | None, memory: int, heard: Heard):
        self.nursery, self.folder, self.memory, self.heard = nursery, folder, memory, heard
        self.tables: dict[str, WebTable] = {}
        self.writing: set[asyncio.Task[None]] = set()

    def get(self, number: str) -> WebTable:
        """Return a table, also one of an earlier server. Raises NoTable."""
        if number in self.tables:
            return self.tables[number]
        if NUMBER.fullmatch(number) and self.folder is not None:
            path = self.folder / f"{number}.json"
            if path.is_file() and not path.is_symlink():
                table = self._read(number, path)
                self.tables[number] = table
                return table
        raise NoTable(f"there is no table {number[:20]!r}; it may have been closed")

    def _read(self, number: str, path: Path) -> WebTable:
        """Return a table that a file keeps; who plays is in it, and runs only if it is ours."""
        data = read_json(path, SAVED)
        table = WebTable(number, {"game": data["game"], "seats": data["seats"], "seed": data["seed"]})
        table.kept, table.file, table.made = data, path, path.stat().st_mtime
        return table

    def older(self) -> list[WebTable]:
        """Return the tables that files keep and nobody has opened yet, the newest first."""
        if self.folder is None:
            return []
        found = []
        with suppress(OSError):
            paths = sorted(self.folder.glob("*.json"), key=lambda path: -path.stat().st_mtime)
            for path in paths[:50]:
                if NUMBER.fullmatch(path.stem) and path.stem not in self.tables:
                    with suppress(LudwinError, OSError):
                        found.append(self._read(path.stem, path))
        return found

    async def open(self, opening: dict[str, Any], source: str | None, *, shown: bool = True) -> tuple[WebTable, Any]:
        """Open a table and return it with its first view."""
        table = WebTable(secrets.token_hex(6), opening, source)
        table.shown = shown
        if self.folder is not None and shown:
            table.file = self.folder / f"{table.id}.json"
        answer = await self._start(table)
        self.tables[table.id] = table
        return table, answer

    async def _start(self, table: WebTable) -> Any:
        await self._make_room()
        table.child = await self.nursery.child("table", lambda message: self._hear(table, message))
        try:
            answer = await table.child.ask("open", patience=OPEN_SECONDS, **table.again())
            if not isinstance(answer, dict) or not {"kept", "facts", "view"} <= set(answer):
                raise ProcessDied("it has sent what cannot be read")
        except BaseException:
            table.child.kill("it could not sit down")
            table.child = None
            raise
        table.kept, table.facts = answer["kept"], answer["facts"]
        self.keep(table)
        return answer

    async def _make_room(self) -> None:
        """End the process that was idle longest if there are too many. Raises TooMany if all are busy."""
        alive = [one for one in self.tables.values() if one.child is not None and one.child.alive]
        if len(alive) < MOST_TABLES:
            return
        idle = sorted((one for one in alive if not one.busy and not one.thinking), key=lambda one: one.used)
        if not idle:
            raise TooMany(f"{MOST_TABLES} tables are busy; close one, or try again in a while")
        await self.rest(idle[0])

    async def rest(self, table: WebTable) -> None:
        """End the process of a table; its moves stay."""
        if table.child is not None:
            child, table.child = table.child, None
            await child.killed("it was idle")

    async def ask(self, table: WebTable, do: str, **facts: Any) -> Any:
        """Ask the process of a table, which is started if there is none. Raises Answered or ProcessDied."""
        table.used = time.monotonic()
        async with table.lock:
            if table.child is None or not table.child.alive:
                await self._start(table)
            child = table.child
        if child is None:
            raise ProcessDied("it has ended")
        try:
            answer = await child.ask(do, **facts)
        except WasDead:  # it had died before anybody noticed: its moves are here, so the next one is asked
            async with table.lock:
                if table.child is child or table.child is None:
                    await self._start(table)
                child = table.child
            if child is None:
                raise
            answer = await child.ask(do, **facts)
        if not isinstance(answer, dict | str):  # rules may write to our line
            child.kill("it has sent what cannot be read")
            raise ProcessDied("it has sent what cannot be read")
        if isinstance(answer, dict) and "kept" in answer:
            table.kept = answer["kept"]
            self.keep(table)
            if answer.get("lame"):
                await self.restart(table, "an agent could not be stopped")
        return answer

    async def restart(self, table: WebTable, cause: str) -> None:
        """Kill the process of a table and start it anew from its moves."""
        async with table.lock:
            if table.child is not None:
                child, table.child = table.child, None
                await child.killed(cause)
            await self._start(table)

    def _hear(self, table: WebTable, message: dict[str, Any]) -> None:
        if message["event"] == "changed":
            table.kept, table.thinking = message["kept"], None
            table.used = time.monotonic()
            self.keep(table)
        elif message["event"] == "thinking":
            table.thinking = {"seat": message["seat"], "agent": message["agent"]}
        elif message["event"] in ("ended", "trouble"):
            table.thinking = None
        self.heard(table, message)

    def keep(self, table: WebTable) -> None:
        """Write the table's file, in a thread: a disk may be slow. One write at a time, so the newest comes last."""
        if table.file is None or not table.kept:
            return
        table.unwritten = dict(table.kept)
        if not table.is_written:
            table.is_written = True
            task = asyncio.ensure_future(self._written(table, table.file))
            self.writing.add(task)
            task.add_done_callback(self.writing.discard)

    async def _written(self, table: WebTable, file: Path) -> None:
        """Write what there is until nothing newer has come in the meantime."""
        try:
            while table.unwritten:
                kept, table.unwritten = table.unwritten, {}
                with suppress(OSError):
                    await asyncio.to_thread(_write, file, kept)
        finally:
            table.is_written = False

    async def close(self, table: WebTable) -> None:
        """End a table for good."""
        await self.rest(table)
        self.tables.pop(table.id, None)
        if table.file is not None:
            await asyncio.gather(*self.writing, return_exceptions=True)
            table.file.unlink(missing_ok=True)

    async def watch(self) -> None:
        """Look after memory and idleness, for ever: of tables, of those that are being opened, and of desks."""
        while True:
            await asyncio.sleep(0.25)
            for child in list(self.nursery.children.values()):
                family = family_of(child.pid)
                if len(family) > MOST_FAMILY:
                    child.kill(f"it had more than {MOST_FAMILY} processes")
                elif sum(memory_of(pid) for pid in family) > self.memory:
                    child.kill(f"it took more than {self.memory / 2**30:.3g} GB of memory")
            for table in list(self.tables.values()):
                idle = time.monotonic() - table.used > IDLE_SECONDS and not table.busy and not table.thinking
                if idle and table.child is not None and table.child.alive:
                    await self.rest(table)


def _write(file: Path, kept: dict[str, Any]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    lines = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in kept.items())
    write_whole(file, "{\n" + ",\n".join(lines) + "\n}\n")


def state_folder() -> Path | None:
    """Return where a user's tables and jobs are kept; None if there is no such place."""
    wanted = os.environ.get("LUDWIN_STATE")
    try:
        base = Path(wanted) if wanted else Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        folder = base if wanted else base / "ludwin"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except (OSError, RuntimeError):
        return None
    return Path(os.path.realpath(folder))
