"""A small client of the API, for notebooks and bots; it needs nothing but Python.

>>> client = Client("http://127.0.0.1:8765", "token")  # doctest: +SKIP
>>> table = client.post("/tables", {"game": "draughts", "seats": ["human", "hard"]})  # doctest: +SKIP
>>> table = client.play(table, table["moves"][0]["move"])  # doctest: +SKIP
"""

import http.client
import json
import ssl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

from ludwin.errors import BadParameter, LudwinError
from ludwin.formats import decode

ROOT = "/api/v1"


class ApiFailure(LudwinError, RuntimeError):
    """The server has refused something: status, type and the line that it says."""

    def __init__(self, status: int, error: dict[str, Any]):
        super().__init__(str(error.get("message")))
        self.status, self.type, self.error = status, str(error.get("type")), error


class Client:
    """Somebody who asks a server of ours; `authority` is the file of whoever has signed a certificate of its own."""

    def __init__(self, address: str, token: str, timeout: float = 120.0, authority: str | Path | None = None):
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise BadParameter(f"the address of a server is http://HOST:PORT, got {address!r}")
        self.parts, self.token, self.timeout = parts, token, timeout
        self.trusted = ssl.create_default_context(cafile=authority) if parts.scheme == "https" else None

    def _connection(self) -> http.client.HTTPConnection:
        host, port = self.parts.hostname or "", self.parts.port
        if self.trusted is not None:
            return http.client.HTTPSConnection(host, port, timeout=self.timeout, context=self.trusted)
        return http.client.HTTPConnection(host, port, timeout=self.timeout)

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> Any:
        """Send a request and return what comes back. Raises ApiFailure."""
        given = {key: value for key, value in query.items() if value is not None}
        target = ROOT + path + (f"?{urlencode(given)}" if given else "")
        headers = {"authorization": f"Bearer {self.token}"}
        data = None
        if body is not None:
            data, headers["content-type"] = json.dumps(body), "application/json"
        link = self._connection()
        try:
            link.request(method, target, data, headers)
            answer = link.getresponse()
            raw = answer.read()
        finally:
            link.close()
        if answer.status == 204:
            return None
        is_json = (answer.getheader("content-type") or "").startswith("application/json")
        found = decode(raw) if is_json else raw.decode("utf8", "replace")
        if answer.status >= 400:
            told = found.get("error") if isinstance(found, dict) else None
            raise ApiFailure(answer.status, told or {"type": "Http", "message": str(found)[:200]})
        return found

    def get(self, path: str, **query: Any) -> Any:
        """Return what there is."""
        return self.ask("GET", path, **query)

    def post(self, path: str, body: Any) -> Any:
        """Have something done."""
        return self.ask("POST", path, body)

    def put(self, path: str, body: Any) -> Any:
        """Write something anew."""
        return self.ask("PUT", path, body)

    def delete(self, path: str) -> None:
        """End something."""
        self.ask("DELETE", path)

    def play(self, table: dict[str, Any], move: str | int, seconds: float = 60.0) -> Any:
        """Make a move at a table, wait for the answers of agents, and return what is there then."""
        facts = {"code": move} if isinstance(move, int) else {"move": move}
        view = self.post(f"/tables/{table['table']}/moves", {"ply": table["ply"], **facts})
        return self.wait(view["table"], seconds)

    def wait(self, table: str, seconds: float = 60.0) -> Any:
        """Return a table as soon as nobody thinks there. Raises ApiFailure after so many seconds."""
        until = time.monotonic() + seconds
        while True:
            view = self.get(f"/tables/{table}")
            if not view["thinking"]:
                return view
            if time.monotonic() > until:
                raise ApiFailure(504, {"type": "TooSlow", "message": f"{view['thinking']['agent']} still thinks"})
            time.sleep(0.02)

    def lines(self, job: str, since: int = 0) -> Iterator[dict[str, Any]]:
        """Yield what a job says, until it ends."""
        link = self._connection()
        try:
            link.request(
                "GET", f"{ROOT}/jobs/{job}/lines?since={since}", headers={"authorization": f"Bearer {self.token}"}
            )
            answer = link.getresponse()
            while raw := answer.readline():
                yield decode(raw)
        finally:
            link.close()
