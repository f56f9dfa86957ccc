"""The routes of what lies in folders: events, runs, derivations, tables, languages, and files that may be edited."""

import asyncio

from fastapi import FastAPI, Query
from starlette.exceptions import HTTPException

from ludwin.web.hall import Hall, NotWritable, digest
from ludwin.web.naming import game_text
from ludwin.web.shapes import API, Answer, FileBody, LanguageBody, NewFileBody


def reading(app: FastAPI, hall: Hall) -> None:
    """Add what is read: events, runs, derivations, published tables, languages."""
    _read_events(app, hall)
    _read_runs(app, hall)
    _read_derivations(app, hall)
    _read_languages(app, hall)

    @app.get(f"{API}/files")
    async def files(kind: str | None = None, fresh: bool = False) -> Answer:
        """What of ours lies in the folders; `fresh` looks again at once."""
        if fresh:
            hall.forget_listing()
        found = await hall.list(*([kind] if kind else []))
        return {"files": [one.to_dict() for one in sorted(found, key=lambda one: -one.time)]}


def _read_events(app: FastAPI, hall: Hall) -> None:

    @app.get(f"{API}/events")
    async def events() -> Answer:
        """Files of games: records, PDN, PGN."""
        return {"events": [one.to_dict() for one in sorted(await hall.list("event"), key=lambda one: -one.time)]}

    @app.get(f"{API}/events/{{number}}")
    async def event(number: str) -> Answer:
        """Header, standing, ratings and sequential test of an event."""
        listed, seq = await hall.find(number, "event"), hall.hub.seq(f"event/{number}")
        return {"event": listed.to_dict(), **await hall.read("event", number, "event"), "seq": seq}

    @app.get(f"{API}/events/{{number}}/games")
    async def event_games(
        number: str,
        offset: int = Query(0, ge=0),
        limit: int = Query(100, ge=1, le=1000),
        agent: str | None = None,
        seat: int | None = None,
        end: str | None = None,
        plies: int | None = None,
    ) -> Answer:
        """Games of an event, filtered."""
        only = {"agent": agent, "seat": seat, "end": end, "plies": plies}
        found: Answer = await hall.read("event_games", number, "event", offset=offset, limit=limit, only=only)
        return found

    @app.get(f"{API}/events/{{number}}/games/{{game}}")
    async def event_game(number: str, game: int, ply: int | None = None) -> Answer:
        """A game of an event at a ply."""
        table = await hall.replay(number, game)
        view = await hall.tables.ask(table, "view", ply=ply)
        return {"table": table.id, **view, "facts": table.facts, "source": table.source}

    @app.get(f"{API}/events/{{number}}/games/{{game}}/film")
    async def film(number: str, game: int, frames: int = Query(120, ge=1, le=600)) -> Answer:
        """A run of a world that ticks, as pictures."""
        found: Answer = await hall.read("film", number, "event", number=game, frames=frames)
        return found


def _read_runs(app: FastAPI, hall: Hall) -> None:

    @app.get(f"{API}/runs")
    async def runs() -> Answer:
        """Runs of evolution as `ludwin runs --json`."""
        listed = await hall.list("run")
        found = await hall.ask("runs", paths=[str(one.path) for one in listed], patience=60.0)
        return {"runs": [{"id": one.id, "name": one.name, **row} for one, row in zip(listed, found, strict=True)]}

    @app.get(f"{API}/runs/compare")
    async def compare(a: str, b: str) -> Answer:
        """Whether the champions of two runs differ."""
        first, second = await hall.find(a, "run"), await hall.find(b, "run")
        found: Answer = await hall.ask("compare", first=str(first.path), second=str(second.path), patience=60.0)
        return found

    @app.get(f"{API}/runs/{{number}}")
    async def run(number: str) -> Answer:
        """A run as it stands."""
        seq = hall.hub.seq(f"run/{number}")
        found: Answer = await hall.read("run", number, "run")
        listed = await hall.find(number, "run")
        return {"id": number, "writable": listed.shelf.write or listed.shelf.own, **found, "seq": seq}

    @app.get(f"{API}/runs/{{number}}/points")
    async def points(number: str, branch: str = "evolution", since: int = -1) -> Answer:
        """The generations of a run in numbers."""
        found = await hall.read("run", number, "run", since=since)
        return {"branch": branch, "points": found["branches"].get(branch, {}).get("points", [])}

    @app.get(f"{API}/runs/{{number}}/measures")
    async def measures(number: str, branch: str = "evolution") -> Answer:
        """What was measured in a run."""
        found = await hall.read("run", number, "run")
        return {"branch": branch, "measures": found["branches"].get(branch, {}).get("measures", {})}

    @app.get(f"{API}/runs/{{number}}/generations/{{generation}}")
    async def generation(number: str, generation: int, branch: str = "evolution") -> Answer:
        """The individuals of a generation."""
        facts = {"branch": branch[:100], "generation": generation}
        found: Answer = await hall.read("individuals", number, "run", **facts)
        return found

    @app.get(f"{API}/runs/{{number}}/individuals/{{branch}}/{{generation}}/{{individual}}")
    async def individual(number: str, branch: str, generation: int, individual: int) -> Answer:
        """One individual."""
        facts = {"branch": branch[:100], "generation": generation}
        found = await hall.read("individuals", number, "run", **facts)
        rows = [row for row in found["individuals"] if row["number"] == individual]
        if not rows:
            raise HTTPException(404, "there is no such individual")
        return {"branch": branch, "generation": generation, **rows[0]}

    @app.get(f"{API}/runs/{{number}}/champion")
    async def champion(number: str) -> Answer:
        """The champion of a run: facts, text, picture."""
        found: Answer = await hall.read("champion", number, "run")
        return found


def _read_derivations(app: FastAPI, hall: Hall) -> None:

    @app.get(f"{API}/derivations")
    async def derivations() -> Answer:
        """Derivations in the folders."""
        return {"derivations": [one.to_dict() for one in await hall.list("derivation")]}

    @app.get(f"{API}/derivations/{{number}}")
    async def derivation(number: str) -> Answer:
        """A derivation, step by step."""
        found: Answer = await hall.read("derivation", number, "derivation")
        return found

    @app.get(f"{API}/published/{{number}}")
    async def table(number: str) -> Answer:
        """A published table with our figures and verdicts."""
        found: Answer = await hall.read("table", number, "table")
        return found


def _read_languages(app: FastAPI, hall: Hall) -> None:

    @app.get(f"{API}/languages")
    async def language(game: str) -> Answer:
        """A language for a registered game, to begin with."""
        text, number = game_text(game)
        if number is not None:
            raise HTTPException(422, "a language to begin with is made for registered games")
        found: Answer = await hall.ask("language", game=text, patience=60.0)
        return found

    @app.get(f"{API}/languages/{{number}}")
    async def language_file(number: str) -> Answer:
        """A language file."""
        found = await hall.read("read_language", number, "language")
        return {**found, "hash": digest(found["toml"])}

    @app.post(f"{API}/languages/check")
    async def check(body: LanguageBody) -> Answer:
        """What a language is good for, and what it breaks."""
        text = None
        if body.game:
            text, number = game_text(body.game)
            if number is not None:
                text = None
        runs = [str(one.path) for one in await hall.list("run")][:50]
        found: Answer = await hall.ask(
            "check_language", toml=body.toml, game=text, runs=runs, desk="language", patience=20.0
        )
        return found


def writing(app: FastAPI, hall: Hall) -> None:
    """Add what is written, with `--write` only: game and language files."""

    def writable() -> None:
        if not hall.setup.write:
            raise NotWritable("files are edited only if the server was started with --write")

    @app.get(f"{API}/files/{{number}}/text")
    async def text(number: str) -> Answer:
        """The text of a game or language file, to be edited."""
        listed = await hall.find(number, "game", "language")
        if listed.path.is_dir():
            raise HTTPException(422, "a game in a folder is edited with an editor")
        found = await asyncio.to_thread(listed.path.read_text, "utf8")
        return {"name": listed.name, "text": found, "hash": digest(found), "write": listed.shelf.write}

    @app.put(f"{API}/files/{{number}}")
    async def save(number: str, body: FileBody) -> Answer:
        """Write a file anew, and check it."""
        writable()
        return await hall.save(number, body.text, body.hash)

    @app.post(f"{API}/files", status_code=201)
    async def create(body: NewFileBody) -> Answer:
        """Write a new game or language file."""
        writable()
        return (await hall.create(body.folder, body.name, body.text)).to_dict()
