"""The routes: what can be asked over HTTP and WebSocket, and with which status it is answered.

Why it is here.  One page lists all of the API; `GET /api/v1/openapi.json` says the same for programs.  Answers have the
words and shapes of `--json` on the command line, and errors are one line, as there.
"""

import asyncio
import importlib.metadata
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Query, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware

from ludwin.errors import LudwinError
from ludwin.formats import decode
from ludwin.web.children import Answered, ProcessDied
from ludwin.web.folders import NotListed
from ludwin.web.guard import DoorGuard, SeatGuest
from ludwin.web.hall import FileMoved, Hall, NotTrusted, NotWritable, Setup
from ludwin.web.hub import Onlooker
from ludwin.web.jobs import ENDED
from ludwin.web.shapes import (
    API,
    Answer,
    InviteBody,
    JobBody,
    LoadBody,
    MoveBody,
    ResignBody,
    SeatsBody,
    TableBody,
    TrustBody,
    UndoBody,
)
from ludwin.web.shelf_routes import reading, writing
from ludwin.web.tables import MOST_TABLES, NoTable, TooMany

STATIC = Path(__file__).parent / "static"
MOST_SOCKETS = 100
PAGES = (
    *("/", "/new", "/t/{a}", "/t/{a}/tree/{b}", "/t/{a}/levels", "/e", "/e/{a}", "/e/{a}/{b}", "/r", "/r/compare"),
    *("/r/{a}", "/r/{a}/g/{b}/{c}", "/d", "/d/{a}", "/l", "/l/{a}", "/j", "/g/{a}", "/p", "/p/{a}"),
)
STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NoTable, 404),
    (NotListed, 404),
    (NotTrusted, 403),
    (NotWritable, 403),
    (FileMoved, 409),
    (TooMany, 429),
    (ProcessDied, 503),
    (LudwinError, 422),
)
OF_PROCESSES = {"TableMoved": 409, "Untrusted": 403}


def error_answer(status: int, kind: str, message: str, **more: Any) -> JSONResponse:
    """Return an error as the API tells it."""
    headers = {"retry-after": "5"} if status in (429, 503) else {}
    told = {"type": kind, "message": message, "file": None, "line": None, **more}
    if headers:
        told["retry_after"] = 5
    return JSONResponse({"error": told}, status, headers=headers)


def make_app(setup: Setup) -> FastAPI:
    """Return the application, without its guard."""
    hall = Hall(setup)

    @asynccontextmanager
    async def life(_: FastAPI) -> AsyncIterator[None]:
        await hall.open()
        yield
        await hall.close()

    app = FastAPI(
        title="Ludwin", version="1", openapi_url=f"{API}/openapi.json", docs_url=None, redoc_url=None, lifespan=life
    )
    app.state.hall = hall
    app.add_middleware(GZipMiddleware, minimum_size=1000)
    _errors(app)
    _pages(app)
    _about(app, hall)
    _tables(app, hall)
    _moves(app, hall)
    _doors(app, hall)
    _jobs(app, hall)
    reading(app, hall)
    writing(app, hall)
    _socket(app, hall)
    return app


def guarded(setup: Setup) -> DoorGuard:
    """Return the application behind its guard."""
    return DoorGuard(make_app(setup), setup.keys)


def _errors(app: FastAPI) -> None:
    @app.exception_handler(LudwinError)
    async def known(_: Request, error: LudwinError) -> JSONResponse:
        if isinstance(error, Answered):
            told = dict(error.error)
            ours = told.pop("known", False)
            status = OF_PROCESSES.get(str(told.get("type")), 422 if ours else 500)
            return error_answer(status, **{"kind": str(told.pop("type")), "message": str(told.pop("message")), **told})
        status = next(number for kind, number in STATUS if isinstance(error, kind))
        kind = "Died" if isinstance(error, ProcessDied) else type(error).__name__
        return error_answer(status, kind, str(error).splitlines()[0] if str(error) else kind)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query"))
        return error_answer(400, "BadRequest", f"{where or 'the body'}: {first['msg']}"[:300])

    @app.exception_handler(HTTPException)
    async def other(_: Request, error: HTTPException) -> JSONResponse:
        return error_answer(error.status_code, "Http", str(error.detail))

    @app.exception_handler(Exception)
    async def mistake(_: Request, error: Exception) -> JSONResponse:
        import traceback

        traceback.print_exception(error, file=sys.stderr)
        return error_answer(500, type(error).__name__, "a mistake of ours; the server's terminal says more")

    @app.exception_handler(OSError)
    async def system(_: Request, error: OSError) -> JSONResponse:
        return error_answer(422, type(error).__name__, error.strerror or "the file cannot be read")


def _pages(app: FastAPI) -> None:
    """The page itself: one document for every address, and the files that it needs."""

    async def page() -> Response:
        return FileResponse(STATIC / "index.html", media_type="text/html")

    for path in PAGES:
        app.add_api_route(path, _page_for(page, path), methods=["GET"], include_in_schema=False)

    names = {path.name: path for path in STATIC.iterdir() if path.is_file()} if STATIC.is_dir() else {}
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".html": "text/html"}

    @app.get("/static/{name}", include_in_schema=False)
    async def static(name: str) -> Response:
        if name not in names:
            raise HTTPException(404, "there is no such file")
        headers = {"cache-control": "private, max-age=31536000, immutable"} if "-" in name else {}
        return FileResponse(names[name], media_type=kinds.get(names[name].suffix, "text/plain"), headers=headers)

    @app.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        return FileResponse(STATIC / "icon.svg", media_type="image/svg+xml")


def _page_for(page: Callable[[], Any], path: str) -> Callable[..., Any]:
    """Return a handler for an address with as many parts as its path has."""

    async def one(a: str = "", b: str = "", c: str = "") -> Response:
        return await page()  # type: ignore[no-any-return]

    return one


def guest_of(request: Request) -> SeatGuest | None:
    """Return the guest who asks, None if it is the owner."""
    found: SeatGuest | None = request.scope.get("state", {}).get("guest")
    return found


def seat_of(request: Request, seat: int | None) -> int | None:
    """Return on whose behalf somebody looks: a guest on that of their own seat."""
    guest = guest_of(request)
    return guest.seat if guest is not None else seat


def _about(app: FastAPI, hall: Hall) -> None:
    @app.get(f"{API}/about")
    async def about(request: Request) -> Answer:
        """What this server is: version, folders, limits."""
        try:
            version = importlib.metadata.version("ludwin")
        except importlib.metadata.PackageNotFoundError:
            version = "0"
        guest = guest_of(request)
        shelves = [] if guest else [one for one in hall.shelves.shelves if not one.own]
        return {
            "ludwin": version,
            "api": 1,
            "folders": [{"id": one.id, "name": one.path.name or "/", "write": one.write} for one in shelves],
            "limits": {
                "tables": MOST_TABLES,
                "jobs": hall.jobs.most,
                "analyses": hall.jobs.most_analyses,
                "memory": hall.setup.memory,
                "sockets": MOST_SOCKETS,
            },
            "write": hall.setup.write,
            "guest": {"table": guest.table, "seat": guest.seat} if guest else None,
        }

    @app.get(f"{API}/games")
    async def games() -> Answer:
        """Registered games as `ludwin games --json`, and the game files of the folders."""
        ours = await hall.always("games")
        files = []
        for one in await hall.list("game"):
            with suppress(Answered):
                found = await hall.source(one.id)
                files.append({"game": one.id, "source": one.id, "name": one.name, "trusted": found["trusted"]})
        return {"games": [*ours, *files]}

    @app.get(f"{API}/games/{{number}}/source")
    async def source(number: str) -> Answer:
        """The text of a game file, to be seen before it runs."""
        return await hall.source(number)

    @app.get(f"{API}/agents")
    async def agents() -> Answer:
        """Agents as `ludwin agents --json`."""
        return {"agents": await hall.always("agents")}

    @app.get(f"{API}/published")
    async def published() -> Answer:
        """Names of tables, studies, experiments and problems that a job may carry out."""
        return {"published": await hall.always("published")}

    @app.post(f"{API}/games/trust")
    async def trust(body: TrustBody) -> Answer:
        """A person has seen the text, and agrees that it runs."""
        await hall.trust(body.game, body.fingerprint)
        return {"trusted": True}


def shown(table: Any, answer: Any) -> Answer:
    """Return what a page is told of a table."""
    view = answer.get("view", answer)
    return {"table": table.id, **view, "facts": table.facts, "source": table.source}


def _tables(app: FastAPI, hall: Hall) -> None:
    @app.post(f"{API}/tables", status_code=201)
    async def make(body: TableBody) -> Answer:
        """Open a table."""
        table, answer = await hall.open_table(body)
        return shown(table, answer)

    @app.post(f"{API}/tables/load", status_code=201)
    async def load(body: LoadBody) -> Answer:
        """Open a kept game of a folder."""
        table, answer = await hall.load(body.file)
        return shown(table, answer)

    @app.get(f"{API}/tables")
    async def every() -> Answer:
        """All tables, those of an earlier server included."""
        live = [one for one in hall.tables.tables.values() if one.shown]
        return {"tables": [one.to_dict() for one in sorted((*live, *hall.tables.older()), key=lambda t: -t.made)]}

    @app.get(f"{API}/tables/{{number}}")
    async def view(request: Request, number: str, ply: int | None = None, seat: int | None = None) -> Answer:
        """The table as an onlooker sees it, now or at an earlier ply."""
        table, seq = await hall.table(number), hall.hub.seq(f"table/{number}")
        found = shown(table, await hall.tables.ask(table, "view", ply=ply, seat=seat_of(request, seat)))
        return {**found, "seq": seq}


def _moves(app: FastAPI, hall: Hall) -> None:
    @app.post(f"{API}/tables/{{number}}/moves")
    async def move(request: Request, number: str, body: MoveBody) -> Answer:
        """Make a move."""
        table = await hall.table(number)
        facts = {"ply": body.ply, "code": body.code, "move": body.move, "seat": seat_of(request, body.seat)}
        return shown(table, await hall.tables.ask(table, "move", **facts))

    @app.post(f"{API}/tables/{{number}}/nature")
    async def nature(number: str, body: MoveBody) -> Answer:
        """Enter what nature has done, where dice are real."""
        table = await hall.table(number)
        return shown(table, await hall.tables.ask(table, "move", ply=body.ply, code=body.code, move=body.move))

    @app.post(f"{API}/tables/{{number}}/undo")
    async def undo(number: str, body: UndoBody) -> Answer:
        """Take moves back."""
        table = await hall.table(number)
        return shown(table, await hall.tables.ask(table, "undo", to=body.to))

    @app.post(f"{API}/tables/{{number}}/seats")
    async def seats(number: str, body: SeatsBody) -> Answer:
        """Let others sit down."""
        from ludwin.web.naming import agent_text

        table = await hall.table(number)
        texts = [agent_text(one, hall.shelves) for one in body.seats]
        answer = await hall.tables.ask(table, "seats", seats=texts)
        table.opening = {**table.opening, "seats": texts}
        return shown(table, answer)

    @app.post(f"{API}/tables/{{number}}/resign")
    async def resign(request: Request, number: str, body: ResignBody) -> Answer:
        """Give up."""
        table = await hall.table(number)
        player = seat_of(request, body.player)
        return shown(table, await hall.tables.ask(table, "resign", player=player))


def _doors(app: FastAPI, hall: Hall) -> None:
    @app.post(f"{API}/tables/{{number}}/invite", status_code=201)
    async def invite(number: str, body: InviteBody) -> Answer:
        """Make a token for one seat of this table: for somebody at another browser."""
        table = await hall.table(number)
        token = hall.setup.keys.invite(table.id, body.seat)
        return {"token": token, "path": f"/t/{table.id}?token={token}&seat={body.seat}"}

    @app.delete(f"{API}/tables/{{number}}", status_code=204)
    async def close(number: str) -> Response:
        """Close a table for good."""
        with suppress(NoTable):
            await hall.tables.close(hall.tables.get(number))
        return Response(status_code=204)

    @app.get(f"{API}/tables/{{number}}/moves/{{code}}/preview")
    async def preview(
        request: Request, number: str, code: int, ply: int | None = None, seat: int | None = None
    ) -> Answer:
        """The board after a move."""
        table = await hall.table(number)
        found: Answer = await hall.tables.ask(table, "preview", code=code, ply=ply, seat=seat_of(request, seat))
        return found

    @app.get(f"{API}/tables/{{number}}/save")
    async def save(number: str) -> Response:
        """The game as a `ludwin-play` file."""
        table = await hall.table(number)
        kept = await hall.tables.ask(table, "kept")
        name = f'attachment; filename="{table.id}.json"'
        return JSONResponse(kept, headers={"content-disposition": name})

    @app.get(f"{API}/tables/{{number}}/picture.svg")
    async def picture(request: Request, number: str, ply: int | None = None, seat: int | None = None) -> Response:
        """The drawing of a ply."""
        table = await hall.table(number)
        svg = await hall.tables.ask(table, "picture", ply=ply, seat=seat_of(request, seat))
        return Response(svg, media_type="image/svg+xml", headers={"content-security-policy": "default-src 'none'"})


def _jobs(app: FastAPI, hall: Hall) -> None:
    @app.post(f"{API}/jobs", status_code=201)
    async def begin(body: JobBody) -> Answer:
        """Begin work: an analysis at a table, or a command in a folder."""
        job = await hall.begin(body)
        return job.to_dict()

    @app.get(f"{API}/jobs")
    async def every() -> Answer:
        """All jobs, the newest first."""
        return {"jobs": [job.to_dict() for job in reversed(hall.jobs.jobs.values())]}

    @app.get(f"{API}/jobs/{{number}}")
    async def one(number: str) -> Answer:
        """One job."""
        if number not in hall.jobs.jobs:
            raise HTTPException(404, "there is no such job")
        return hall.jobs.get(number).to_dict()

    @app.delete(f"{API}/jobs/{{number}}", status_code=204)
    async def stop(number: str) -> Response:
        """End a job; answered when it has ended."""
        if number in hall.jobs.jobs:
            await hall.jobs.stop(hall.jobs.get(number))
        return Response(status_code=204)

    @app.get(f"{API}/jobs/{{number}}/lines")
    async def lines(number: str, since: int = 0) -> Response:
        """What a job has said, a line for each object, until it ends."""
        import json

        if number not in hall.jobs.jobs:
            raise HTTPException(404, "there is no such job")
        job = hall.jobs.get(number)

        async def stream() -> AsyncIterator[str]:
            last = since
            while True:
                news = job.news
                for line in list(job.lines):
                    if line["number"] > last:
                        last = line["number"]
                        yield json.dumps(line, ensure_ascii=False) + "\n"
                if job.state in ENDED and last >= job.count:
                    return
                with suppress(TimeoutError):
                    async with asyncio.timeout(15.0):
                        await news.wait()

        return StreamingResponse(stream(), media_type="application/x-ndjson")

    @app.get(f"{API}/jobs/{{number}}/tree")
    async def tree(number: str, node: int = 0, limit: int = Query(60, ge=1, le=400)) -> Answer:
        """The most visited nodes of a tree."""
        if number not in hall.jobs.jobs or hall.jobs.get(number).table is None:
            raise HTTPException(404, "there is no such tree")
        table = hall.jobs.get(number).table
        assert table is not None
        found: Answer = await hall.tables.ask(table, "tree", job=number, node=node, limit=limit)
        return {**found, "table": table.id}


def _socket(app: FastAPI, hall: Hall) -> None:
    @app.websocket(f"{API}/ws")
    async def socket(link: WebSocket) -> None:
        """Watch topics: commands are HTTP."""
        guest: SeatGuest | None = link.scope.get("state", {}).get("guest")
        if hall.sockets >= MOST_SOCKETS:
            await link.close(4429, "too many connections")
            return
        await link.accept()
        hall.sockets += 1
        onlooker = Onlooker()

        async def send() -> None:
            while True:
                await link.send_text(await onlooker.next())

        sending = asyncio.ensure_future(send())
        watched: set[str] = set()
        try:
            while True:
                raw = await link.receive_text()
                try:
                    message = decode(raw) if len(raw) <= 4096 else None
                except ValueError:
                    message = None
                if not isinstance(message, dict) or not set(message) <= {"watch", "since", "unwatch"}:
                    await link.close(4400, "a message is {watch, since} or {unwatch}")
                    return
                topic, away, since = message.get("watch"), message.get("unwatch"), message.get("since")
                if isinstance(away, str):
                    hall.hub.unwatch(onlooker, away)
                    watched.discard(away)
                if isinstance(topic, str):
                    kind, _, number = topic.partition("/")
                    known = kind in ("table", "job", "run", "event") and len(number) == 12
                    if (not known and topic != "jobs") or len(watched) >= 64:
                        await link.close(4404, "there is no such topic")
                        return
                    if guest is not None and topic != f"table/{guest.table}":
                        await link.close(4403, "this token is for one table")
                        return
                    watched.add(topic)
                    number_since = since if isinstance(since, int) and not isinstance(since, bool) else None
                    hall.hub.watch(onlooker, topic, number_since)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            hall.sockets -= 1
            hall.hub.leave(onlooker)
            sending.cancel()
            with suppress(BaseException):
                await sending
