"""The hall: what the server holds between requests, and what it does for them.

Why it is here.  Routes say who may ask what; here it is done: tables, jobs, folders and whoever reads them, all in one
thread of asyncio, none of it with rules.
"""

import asyncio
import hashlib
import secrets
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, LudwinError
from ludwin.files import write_whole
from ludwin.web.children import Answered, ForkedChild, Nursery, ProcessDied
from ludwin.web.folders import Listed, Shelves
from ludwin.web.guard import Keys
from ludwin.web.hub import Hub
from ludwin.web.jobs import AT_TABLES, BATCH, Jobs, WebJob
from ludwin.web.naming import agent_text, game_text
from ludwin.web.shapes import JobBody, TableBody
from ludwin.web.tables import Tables, WebTable

LISTED_SECONDS = 2.0  # how long a listing is believed
NEVER = float("-inf")
POLL_SECONDS = 1.0


class NotTrusted(LudwinError, PermissionError):
    """A game file that nobody has agreed to run: show its text and ask."""


class NotWritable(LudwinError, PermissionError):
    """Something would be written, and the server was started without --write."""


class FileMoved(LudwinError, RuntimeError):
    """A file has changed since it was read."""


@dataclass
class Setup:
    """How the server was started."""

    folders: list[Path]
    keys: Keys
    write: bool = False
    jobs: int = 2
    memory: int = 2 * 2**30
    state: Path | None = None
    limits: dict[str, Any] = field(default_factory=dict)


class Hall:
    """Everything that lives as long as the server."""

    def __init__(self, setup: Setup):
        self.setup = setup
        self.hub = Hub()
        self.nursery = Nursery()
        kept = setup.state
        if setup.write and setup.folders:
            kept = setup.folders[0] / ".ludwin"
        self.kept = kept
        self.shelves = Shelves(setup.folders, setup.write, kept / "jobs" if kept is not None else None)
        self.tables = Tables(self.nursery, kept / "tables" if kept is not None else None, setup.memory, self._heard)
        self.jobs = Jobs(self.tables, self.hub, setup.jobs, setup.memory, self.forget_listing)
        self.desks: dict[str, ForkedChild] = {}
        self.locks: dict[str, asyncio.Lock] = {}
        self.trusted: set[str] = set()
        self.listed_at, self.is_stale = NEVER, False
        self.listing: list[Listed] = []
        self.known: dict[str, Any] = {}  # answers that do not change
        self.replays: dict[tuple[str, int], WebTable] = {}
        self.followed: dict[str, Any] = {}
        self.sockets = 0
        self.loops: list[asyncio.Task[None]] = []

    async def open(self) -> None:
        """Begin: the nursery warms up while the first page is asked for."""
        self.nursery.start()
        work = (self.tables.watch(), self._follow(), self._look_round())
        self.loops = [asyncio.ensure_future(one) for one in work]

    async def _look_round(self) -> None:
        """Ask what the first page will ask, before it does."""
        with suppress(LudwinError):
            await self.always("games")

    async def close(self) -> None:
        """End everything that was started."""
        for loop in self.loops:
            loop.cancel()
        await self.jobs.close()
        await self.nursery.close()
        if self.tables.writing:
            await asyncio.gather(*self.tables.writing, return_exceptions=True)

    # Reading

    async def ask(self, do: str, *, patience: float = 20.0, desk: str = "desk", **facts: Any) -> Any:
        """Ask a desk; one that has died is replaced."""
        lock = self.locks.setdefault(desk, asyncio.Lock())
        async with lock:
            child = self.desks.get(desk)
            if child is None or not child.alive:
                child = self.desks[desk] = await self.nursery.child("desk", lambda message: None)
        return await child.ask(do, patience=patience, **facts)

    async def always(self, do: str) -> Any:
        """Ask what has the same answer as long as the server lives."""
        if do not in self.known:
            self.known[do] = await self.ask(do, patience=60.0, desk="facts")
        return self.known[do]

    async def list(self, *kinds: str) -> list[Listed]:
        """Return what lies in the folders, of some kinds."""
        if time.monotonic() - self.listed_at > LISTED_SECONDS:
            found: list[Listed] = []
            began, self.is_stale = time.monotonic(), False
            for shelf in self.shelves.shelves:
                if shelf.path.is_dir():
                    found += self.shelves.learn(shelf, await self.ask("listing", folder=str(shelf.path)))
            self.listing, self.listed_at = found, NEVER if self.is_stale else began
        return [one for one in self.listing if not kinds or one.kind in kinds]

    def forget_listing(self) -> None:
        """Believe no listing any more: something was written, or has ended writing."""
        self.listed_at, self.is_stale = NEVER, True

    async def find(self, number: str, *kinds: str) -> Listed:
        """Return a listed file; what was not known may have come since."""
        if number not in self.shelves.files:
            self.forget_listing()
            await self.list()
        return self.shelves.open(number, *kinds)

    async def read(self, do: str, file: str, kind: str, /, **facts: Any) -> Any:
        """Ask the desk about a listed file."""
        listed = await self.find(file, kind)
        return await self.ask(do, path=str(listed.path), patience=60.0, **facts)

    # Games

    async def source(self, number: str) -> dict[str, Any]:
        """Return the text of a game file and whether it may run."""
        listed = await self.find(number, "game")
        found: dict[str, Any] = await self.ask("source", path=str(listed.path))
        trusted = found["known"] or found["hash"] in self.trusted
        return {"game": number, "name": listed.name, "write": listed.shelf.write, **found, "trusted": trusted}

    async def trust(self, number: str, fingerprint: str) -> None:
        """A person has seen the text with this hash, and agrees that it runs."""
        found = await self.source(number)
        if found["hash"] != fingerprint:
            raise FileMoved("the file has changed since it was shown; look at it again")
        self.trusted.add(fingerprint)

    async def settle_game(self, text: str) -> tuple[str, str | None, str | None]:
        """Return the text that a process may load, the id of its file, and the hash that was agreed to."""
        rest, number = game_text(text)
        if number is None:
            return rest, None, None
        found = await self.source(number)
        if not found["trusted"]:
            raise NotTrusted(f"{found['name']} is Python code and has your rights: look at its text and agree first")
        path = str((await self.find(number, "game")).path)
        if ":" in path:
            raise BadParameter(f"{found['name']} lies in a folder whose name has a colon")
        return path + rest, number, str(found["hash"])

    async def open_table(self, body: TableBody) -> tuple[WebTable, Any]:
        """Open a table."""
        game, source, texts = await self.settle_game(body.game)
        seats = [agent_text(one, self.shelves) for one in body.seats or []]
        more = {"clock": body.clock, "nature": body.nature, "texts": texts}
        seed = secrets.randbits(32) if body.seed is None else body.seed
        opening = {"game": game, "seats": seats, "seed": seed, "more": more}
        opening |= {"position": body.position, "moves": body.moves or []}
        return await self.tables.open(opening, source)

    async def load(self, number: str) -> tuple[WebTable, Any]:
        """Open a kept game of a folder as a table."""
        data = await self.read("play", number, "play")
        game, source = await self._game_of(data)
        seats = [agent_text(one, self.shelves) for one in data["seats"]]
        opening = {"game": game, "seats": seats, "seed": data["seed"], "more": {}}
        opening |= {"position": data["start"], "moves": data["codes"], "stopped": data["ended"]}
        return await self.tables.open(opening, source)

    async def _game_of(self, data: dict[str, Any]) -> tuple[str, str | None]:
        """Return the game that a data file means: registered, or the listed file with the recorded text."""
        name = str(data["game"])
        if not data.get("texts"):
            text, number = game_text(name)
            return text, number
        own, colon, rest = name.partition(":")
        for one in await self.list("game"):
            if Path(one.name).name == own.rstrip("/"):
                found = await self.source(one.id)
                if found["hash"] == data["texts"]:
                    text, number, _ = await self.settle_game(f"{one.id}{colon}{rest}")
                    return text, number
        raise NotTrusted(f"the file is of the rules of {own}, and no file of a folder has that text")

    async def table(self, number: str) -> WebTable:
        """Return a table; one of an earlier server finds its rules again first."""
        table = self.tables.get(number)
        if table.child is None and not table.facts:
            seats = []
            for text in table.kept["seats"]:
                name, _, rest = text.partition(":")
                if name == "evolved":  # known by the path of its run
                    path, comma, more = rest.partition(",")
                    runs = [one for one in await self.list("run") if str(one.path) == path]
                    text = f"evolved:{runs[0].id}{comma}{more}" if runs else text
                seats.append(agent_text(text, self.shelves))
            game, table.source = await self._game_of(table.kept)
            table.opening = {**table.opening, "game": game, "seats": seats}
        return table

    async def replay(self, number: str, game: int) -> WebTable:
        """Return a table that shows a recorded game; nobody moves there."""
        key = (number, game)
        if key in self.replays and self.replays[key].id in self.tables.tables:
            return self.replays[key]
        data = await self.read("event_game", number, "event", number=game)
        if data["ticks"] is not None:
            raise BadParameter(f"game {game} is a run of a world that ticks: it has a film, and no moves")
        text, file = await self._game_of(data)
        opening = {"game": text, "seats": [], "seed": 0, "more": {"still": True}}
        opening |= {"position": data["position"], "moves": data["codes"]}
        table, _ = await self.tables.open(opening, file, shown=False)
        table.facts["record"] = {key: data[key] for key in ("agents", "payoffs", "end", "reason", "opening")}
        self.replays[key] = table
        while len(self.replays) > 8:
            await self.tables.close(self.replays.pop(next(iter(self.replays))))
        return table

    # Jobs

    async def begin(self, body: JobBody) -> WebJob:
        """Begin a job."""
        if body.kind in AT_TABLES:
            if body.table is None:
                raise BadParameter(f"{body.kind} needs a table")
            table = await self.table(body.table)
            agent = agent_text(body.agent, self.shelves) if body.agent else None
            more = {key: getattr(body, key) for key in ("lines", "seconds", "mistake", "seed", "path")}
            return self.jobs.analyse(
                table, body.kind, {"agent": agent, "ply": body.ply, "seat": body.seat, "more": more}
            )
        if body.kind not in BATCH:
            raise BadParameter(f"there is no job {body.kind[:40]!r} (there are {', '.join((*AT_TABLES, *BATCH))})")
        return await self._command(body)

    async def _command(self, body: JobBody) -> WebJob:
        """Make a command line of a request: the words that a person would type, and no others."""
        folder = self._folder_for(body.kind)
        seed = ["--seed", str(body.seed)] if body.seed is not None else []
        games = ["--games", str(body.games)] if body.games is not None else []
        preset = ["--preset", body.preset] if body.preset is not None else []
        words, about = [body.kind], body.name or ""
        if body.kind in ("match", "tournament", "check"):
            if body.game is None:
                raise BadParameter(f"{body.kind} needs a game")
            game, _, _ = await self.settle_game(body.game)
            agents = [agent_text(one, self.shelves) for one in body.agents or []]
            about = f"{body.game} {' '.join(body.agents or [])}"
            if body.kind == "check":
                words += [game, *seed, "--json"]
            else:
                sprt = ["--sprt", body.sprt] if body.sprt else []
                words += [game, *agents, *games, *seed, *sprt, "--out", str(folder / "games.jsonl"), "--json"]
        elif body.kind == "evolve" and body.run is not None:
            listed = await self.find(body.run, "run")
            if not (listed.shelf.write or listed.shelf.own):
                raise NotWritable("a run goes on in its own folder, which may not be written; start with --write")
            words, about = ["evolve", "--resume", str(listed.path)], f"resume {listed.name}"
        elif body.kind == "show":
            listed = await self.find(body.run or "", "run")
            words, about = ["show", str(listed.path), *(games or ["--games", "100"]), *seed, "--json"], listed.name
        else:
            if body.name is None:
                raise BadParameter(f"{body.kind} needs a name")
            name, number = game_text(body.name)
            if number is not None:
                name = (await self.settle_game(body.name))[0]
            where = folder / "run" if body.kind != "discover" else folder / f"{secrets.token_hex(3)}.json"
            words += [
                name,
                *preset,
                *(games if body.kind != "evolve" else []),
                *(seed if body.kind != "discover" else []),
            ]
            for key, value in (body.set or {}).items():
                if not key.isidentifier() or "/" in str(value) or "\\" in str(value):
                    raise BadParameter(f"set: {key[:40]!r} is no setting, or names a file")
                words += ["--set", f"{key}={value}"]
            if body.language is not None and body.kind == "evolve":
                folder.mkdir(parents=True, exist_ok=True)
                await asyncio.to_thread(write_whole, folder / "language.toml", body.language)
                words += ["--language", str(folder / "language.toml")]
            words += ["--out", str(where)]
        return self.jobs.command(body.kind, about.strip(), words, folder)

    def _folder_for(self, kind: str) -> Path:
        """Return a fresh folder for the results of a job. Raises NotWritable if there is none."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        name = f"{kind}-{stamp}-{secrets.token_hex(2)}"
        if self.setup.write and self.setup.folders:
            return self.setup.folders[0] / "runs" / name
        if self.kept is None:
            raise NotWritable("there is no folder for results; start with --write")
        return self.kept / "jobs" / name

    # Writing

    async def save(self, number: str, text: str, was: str) -> dict[str, Any]:
        """Write a game or a language file anew, check it, and let its tables sit down again."""
        listed = await self.find(number, "game", "language")
        if not listed.shelf.write or not listed.name.endswith((".py", ".toml")):
            raise NotWritable("files are edited only if the server was started with --write")
        now = await asyncio.to_thread(listed.path.read_text, "utf8")
        if digest(now) != was:
            raise FileMoved("the file has changed since it was read; load it again")
        await asyncio.to_thread(write_whole, listed.path, text)
        self.forget_listing()
        answer: dict[str, Any] = {"hash": digest(text), "name": listed.name}
        if listed.kind == "language":
            return {**answer, "check": await self.ask("check_language", toml=text, desk="language")}
        with suppress(Answered, ProcessDied):  # whoever writes it here agrees that it runs; a text that cannot be read
            found = await self.ask("source", path=str(listed.path))  # has no hash, and `check` says why
            self.trusted.add(found["hash"])
        try:
            answer["check"] = await self.ask("check_game", path=str(listed.path), patience=60.0, desk="check")
        except ProcessDied as error:
            answer["check"] = {"ok": False, "error": f"the check died: {error}", "file": listed.name, "line": None}
        if answer["check"]["ok"]:
            for table in list(self.tables.tables.values()):
                if table.source == number:
                    await self._again(table)
        return answer

    async def _again(self, table: WebTable) -> None:
        """Let a table sit down with new rules, at its position if that still is one, else at the start."""
        more = dict(table.opening.get("more") or {})
        more.pop("texts", None)
        table.opening = {**table.opening, "more": more}
        try:
            await self.tables.restart(table, "its rules have changed")
        except (Answered, ProcessDied):
            table.kept = {}
            table.opening = {**table.opening, "position": None, "moves": [], "stopped": None}
            with suppress(Answered, ProcessDied):
                await self.tables.restart(table, "its rules have changed")
        self.hub.tell(f"table/{table.id}", "reload")

    async def create(self, folder: str, name: str, text: str) -> Listed:
        """Write a new file into a folder."""
        place = self.shelves.place_for(folder, name)
        if place.exists() or place.is_symlink():
            raise BadParameter(f"{name} is there already; choose another name")
        await asyncio.to_thread(write_whole, place, text)
        self.forget_listing()
        for one in await self.list():
            if one.path == place:
                return one
        raise BadParameter(f"{name} was written, and is neither a game nor a language")

    # Following folders

    async def _follow(self) -> None:
        """Look at runs and events that somebody watches, and tell what is new, for ever."""
        while True:
            await asyncio.sleep(POLL_SECONDS)
            for topic in self.hub.watched("run/") + self.hub.watched("event/"):
                try:
                    await self._look(topic)
                except (LudwinError, OSError):
                    continue  # busy or gone; next time
                except Exception:
                    continue

    async def _look(self, topic: str) -> None:
        kind, _, number = topic.partition("/")
        if kind == "run":
            listed = await self.find(number, "run")
            stat = (listed.path / "run.sqlite").stat()
            mark: Any = (stat.st_mtime_ns, stat.st_size)
            if self.followed.get(topic, (None, -1))[0] == mark:
                return
            since = self.followed.get(topic, (None, -1))[1]
            found = await self.ask("run", path=str(listed.path), since=since, desk="follow")
            last = since
            for branch, facts in found["branches"].items():
                for point in facts["points"]:
                    yard = [one for one in facts["measures"]["yardstick"] if one["generation"] == point["number"]]
                    if since >= 0 or topic in self.followed:
                        self.hub.tell(topic, "generation", branch=branch, point=point, yardstick=yard[-1:] or None)
                    last = max(last, point["number"]) if branch == "evolution" else last
            self.followed[topic] = (mark, last)
            self.hub.tell(topic, "state", finished=found["finished"], generation=found["generation"])
        else:
            listed = await self.find(number, "event")
            size = listed.path.stat().st_size
            if self.followed.get(topic) != size:
                self.followed[topic] = size
                found = await self.ask("event", path=str(listed.path), patience=60.0, desk="follow")
                self.hub.tell(topic, "standing", **found)

    def _heard(self, table: WebTable, message: dict[str, Any]) -> None:
        """Pass on what the process of a table tells."""
        topic = f"table/{table.id}"
        if message["event"] == "changed":
            self.hub.tell(topic, "view", view={**message["view"], "table": table.id})
        elif message["event"] == "nature":
            self.hub.tell(topic, "nature", ply=message["ply"], move=message["move"])
        elif message["event"] in ("thinking", "trouble", "ended", "compiling"):
            facts = {key: value for key, value in message.items() if key != "event"}
            self.hub.tell(topic, "state", state=message["event"], **facts)
        self.jobs.heard(table, message)


def digest(text: str) -> str:
    """Return the hash by which an editor knows the text that it has read."""
    return hashlib.sha256(text.encode()).hexdigest()
