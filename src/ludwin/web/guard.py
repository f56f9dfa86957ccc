"""The guard at the door: who may come in, with what, and what every answer says to the browser.

Why it is here.  Another web site in the same browser, another user of the machine and a name server that lies are kept
out in one place, before any route: the Host must be ours (DNS rebinding), the Origin must be ours (cross-site
requests), a token must be shown (a cookie that is not sent across sites, or a bearer token), bodies are JSON and
small, and nobody asks too often.  Answers carry a policy that allows no script but our own files.

Guests.  A token may be bound to one seat of one table: whoever has it sees and moves there, and nothing else.
"""

import asyncio
import hmac
import json
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

MOST_BODY = 256 * 1024
BODY_SECONDS = 10.0
RATE, BURST = 50.0, 300.0  # requests a second and client, and how many may come at once
WRONG_TOKENS, WRONG_SECONDS = 20, 60.0
MOST_CLIENTS = 4096
CSP = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    b"content-security-policy": CSP.encode(),
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
    b"cross-origin-opener-policy": b"same-origin",
    b"cross-origin-resource-policy": b"same-origin",
    b"x-frame-options": b"DENY",
    b"cache-control": b"no-store",
}
GUEST_ROUTES = re.compile(
    r"/api/v1/(about|ws|tables/(?P<table>[0-9a-f]{12})(/(moves|resign|preview|picture\.svg|moves/\d+/preview))?)"
)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[Any], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


@dataclass
class SeatGuest:
    """Somebody who may sit at one table only."""

    table: str
    seat: int


@dataclass
class Keys:
    """What opens the door: names of the host, the port, the token, and the tokens of guests."""

    port: int
    hosts: tuple[str, ...] = ("127.0.0.1", "localhost", "[::1]")
    token: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    secure: bool = False
    guests: dict[str, SeatGuest] = field(default_factory=dict)
    rate: float = RATE

    @property
    def cookie(self) -> str:
        """The name of the cookie; browsers do not tell ports apart, so the name does."""
        return f"ludwin-{self.port}"

    @property
    def names(self) -> set[str]:
        """What a Host header may say."""
        usual = 443 if self.secure else 80
        return {f"{host}:{self.port}" for host in self.hosts} | (set(self.hosts) if self.port == usual else set())

    @property
    def origins(self) -> set[str]:
        """What an Origin header may say."""
        return {f"{'https' if self.secure else 'http'}://{name}" for name in self.names}

    def invite(self, table: str, seat: int) -> str:
        """Return a token for one seat of one table."""
        token = secrets.token_urlsafe(24)
        self.guests[token] = SeatGuest(table, seat)
        return token

    def know(self, token: str) -> SeatGuest | bool:
        """Return whose token this is: True for the owner's, a guest, or False."""
        if hmac.compare_digest(token.encode("utf8", "replace"), self.token.encode()):
            return True
        found: SeatGuest | bool = False
        for key, guest in self.guests.items():
            if hmac.compare_digest(token.encode("utf8", "replace"), key.encode()):
                found = guest
        return found


class Refused(Exception):
    """A request that goes no further: status, and why in one line."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None):
        super().__init__(message)
        self.status, self.kind, self.headers = status, kind, dict(headers or {})


class DoorGuard:
    """Stands before the application, for HTTP and for WebSocket."""

    def __init__(self, app: App, keys: Keys, now: Callable[[], float] = time.monotonic):
        self.app, self.keys, self.now = app, keys, now
        self.buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self.wrong: OrderedDict[str, list[float]] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer it at the door."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        try:
            await self._examine(scope, send)
        except Entered:
            return
        except Refused as refused:
            await self._refuse(scope, send, refused)
            return
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        await self._pass(scope, receive, send)

    async def _examine(self, scope: Scope, send: Send) -> None:
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0].lower() not in self.keys.names:
            raise Refused(421, "Misdirected", "this host is not ours; open the address that `ludwin web` has printed")
        client = str((scope.get("client") or ("?", 0))[0])
        self._not_too_often(client)
        origin = headers.get("origin", [])
        if any(one not in self.keys.origins for one in origin):
            raise Refused(403, "ForeignOrigin", "requests of other sites are not answered")
        path, is_socket = scope["path"], scope["type"] == "websocket"
        site = (headers.get("sec-fetch-site") or [""])[0]
        if path.startswith("/api/") and site in ("cross-site", "same-site"):
            raise Refused(403, "ForeignOrigin", "requests of other sites are not answered")
        query = scope.get("query_string", b"").decode("latin-1")
        if not is_socket and "token=" in query and scope["method"] == "GET" and not path.startswith("/api/"):
            await self._enter(client, path, query, send)
        bearer = [one[7:].strip() for one in headers.get("authorization", []) if one.lower().startswith("bearer ")]
        cookies = [part.strip().partition("=") for one in headers.get("cookie", []) for part in one.split(";")]
        shown = bearer or [value for name, _, value in cookies if name == self.keys.cookie]
        guest = self._known(client, shown)
        if is_socket and not origin and not bearer:
            raise Refused(403, "ForeignOrigin", "a WebSocket needs an Origin of ours, or a bearer token")
        scope.setdefault("state", {})["guest"] = guest if isinstance(guest, SeatGuest) else None
        if isinstance(guest, SeatGuest) and path.startswith("/api/"):
            allowed = GUEST_ROUTES.fullmatch(path)
            if not allowed or (allowed["table"] and allowed["table"] != guest.table):
                raise Refused(403, "Guest", "this token is for one seat of one table")
        if not is_socket and scope["method"] not in ("GET", "HEAD"):
            kind = (headers.get("content-type") or [""])[0].partition(";")[0].strip().lower()
            if scope["method"] in ("POST", "PUT") and kind != "application/json":
                raise Refused(415, "NotJson", "bodies are application/json")
            lengths = headers.get("content-length", ["0"])
            if len(lengths) != 1 or not lengths[0].isdecimal() or int(lengths[0]) > MOST_BODY:
                raise Refused(413, "TooLarge", f"a body may have {MOST_BODY // 1024} kB")

    def _known(self, client: str, shown: list[str]) -> SeatGuest | bool:
        """Return whose token was shown. Raises Refused if it is nobody's."""
        recent = [at for at in self.wrong.get(client, []) if self.now() - at < WRONG_SECONDS]
        if len(recent) >= WRONG_TOKENS:
            raise Refused(429, "TooMany", "too many wrong tokens; wait a minute", {"retry-after": "60"})
        if not shown:
            raise Refused(401, "NoToken", "open the address that `ludwin web` has printed: it holds the token")
        found = self.keys.know(shown[0])
        if found is False:
            self.wrong[client] = [*recent, self.now()]
            while len(self.wrong) > MOST_CLIENTS:
                self.wrong.popitem(last=False)
            raise Refused(401, "WrongToken", "this token is not ours; open the address that `ludwin web` has printed")
        return found

    async def _enter(self, client: str, path: str, query: str, send: Send) -> None:
        """Exchange the token of an address for a cookie, and go on without it. Raises Entered."""
        from urllib.parse import parse_qsl, urlencode

        pairs = parse_qsl(query, keep_blank_values=True)
        tokens = [value for name, value in pairs if name == "token"]
        if not tokens:
            return
        self._known(client, tokens[:1])
        rest = urlencode([(name, value) for name, value in pairs if name != "token"])
        where = "/" + path.lstrip("/\\") + (f"?{rest}" if rest else "")
        secure = "; Secure" if self.keys.secure else ""
        cookie = f"{self.keys.cookie}={tokens[0]}; HttpOnly; SameSite=Strict; Path=/{secure}"
        headers = [(b"location", where.encode("ascii", "ignore")), (b"set-cookie", cookie.encode("latin-1"))]
        headers += list(HEADERS.items())
        await send({"type": "http.response.start", "status": 303, "headers": [*headers, (b"content-length", b"0")]})
        await send({"type": "http.response.body", "body": b""})
        raise Entered

    def _not_too_often(self, client: str) -> None:
        left, at = self.buckets.pop(client, (BURST, self.now()))
        left = min(BURST, left + (self.now() - at) * self.keys.rate)
        if left < 1.0:
            self.buckets[client] = left, self.now()
            raise Refused(429, "TooMany", "too many requests; slow down", {"retry-after": "1"})
        self.buckets[client] = left - 1.0, self.now()
        while len(self.buckets) > MOST_CLIENTS:
            self.buckets.popitem(last=False)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, with a body that is small and comes in time, and dress the answer."""
        seen, until, began, whole = 0, time.monotonic() + BODY_SECONDS, False, False
        trouble: Refused | None = None  # frameworks make a 400 of whatever is raised while they read

        async def take() -> dict[str, Any]:
            nonlocal seen, trouble, whole
            if began or whole:  # what comes behind a whole body is that the client has left, whenever that is
                return await receive()
            try:
                async with asyncio.timeout(max(0.0, until - time.monotonic())):
                    message = await receive()
            except TimeoutError:
                trouble = Refused(408, "TooSlow", f"a body must come within {BODY_SECONDS:g} s")
                raise trouble from None
            seen += len(message.get("body", b""))
            if seen > MOST_BODY:
                trouble = Refused(413, "TooLarge", f"a body may have {MOST_BODY // 1024} kB")
                raise trouble
            whole = not message.get("more_body", False)
            return message

        async def give(message: Any) -> None:
            nonlocal began
            if trouble is not None and not began:
                raise trouble
            if message["type"] == "http.response.start":
                began = True
                has = {name.lower() for name, _ in message["headers"]}
                message = {**message, "headers": [*message["headers"], *_missing(has)]}
            await send(message)

        try:
            await self.app(scope, take, give)
        except Refused as refused:
            if began:
                raise
            await self._refuse(scope, send, refused)

    async def _refuse(self, scope: Scope, send: Send, refused: Refused) -> None:
        """Answer at the door: an object for programs, a sentence for people."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 4000 + refused.status % 1000, "reason": str(refused)})
            return
        error = {"type": refused.kind, "message": str(refused), "file": None, "line": None}
        body, kind = json.dumps({"error": error}).encode(), b"application/json"
        if not scope["path"].startswith("/api/"):
            body, kind = f"ludwin: {refused}\n".encode(), b"text/plain; charset=utf-8"
        headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        headers += [*HEADERS.items(), *((k.encode(), v.encode()) for k, v in refused.headers.items())]
        await send({"type": "http.response.start", "status": refused.status, "headers": headers})
        await send({"type": "http.response.body", "body": body})


class Entered(Exception):
    """The token of an address was exchanged for a cookie: nothing more to do."""


def _missing(has: set[bytes]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in HEADERS.items() if name not in has]
