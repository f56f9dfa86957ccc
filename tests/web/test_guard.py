"""Who may come in: Host, Origin, token, bodies, rate. Asked over plain sockets, so that nothing is polite for us."""

import json
import socket
from contextlib import suppress

import pytest

from ludwin.web.guard import MOST_BODY, DoorGuard, Keys


def raw(port: int, text: str | bytes, *, read: int = 65536) -> tuple[int, str]:
    """Send bytes to the server, and return the status and the whole answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        link.sendall(text if isinstance(text, bytes) else text.encode())
        got = b""
        with suppress(ConnectionResetError):  # whoever is refused has not read all that we sent
            while len(got) < read and (more := link.recv(65536)):
                got += more
    words = got.split(b" ", 2)
    return (int(words[1]) if len(words) > 1 and words[1].isdigit() else 0), got.decode("latin-1")


def request(
    served, path="/api/v1/about", *, method="GET", host=None, token=True, body="", **headers
) -> tuple[int, str]:
    """Make a request by hand; what is None is left out."""
    head = {"Host": host if host is not None else f"127.0.0.1:{served.port}", "Connection": "close"}
    if token:
        head["Authorization"] = f"Bearer {served.token if token is True else token}"
    if body:
        head |= {"Content-Length": str(len(body)), "Content-Type": "application/json"}
    head |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in head.items() if value is not None)]
    return raw(served.port, "\r\n".join(lines) + "\r\n\r\n" + body)


def test_the_owner_comes_in_with_the_token(served):
    assert request(served)[0] == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{}", ""])
def test_a_foreign_host_is_turned_away(served, host):
    status, answer = request(served, host=host.format(served.port))
    assert status in (400, 421), answer
    assert "access-control" not in answer.lower()


@pytest.mark.parametrize("name", ["localhost", "[::1]"])
def test_other_names_of_this_machine_are_ours(served, name):
    assert request(served, host=f"{name}:{served.port}")[0] == 200


def test_two_hosts_are_none(served):
    text = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert raw(served.port, text)[0] in (400, 421)


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{}", "http://127.0.0.1:1"])
def test_a_foreign_origin_is_turned_away(served, origin):
    assert request(served, Origin=origin.format(served.port))[0] == 403


def test_a_request_that_a_browser_calls_cross_site_is_turned_away(served):
    assert request(served, Sec_Fetch_Site="cross-site")[0] == 403
    assert request(served, Sec_Fetch_Site="same-origin", Origin=f"http://127.0.0.1:{served.port}")[0] == 200


@pytest.mark.parametrize(
    "path", ["/", "/t/0123456789ab", "/api/v1/about", "/static/index.html", "/api/v1/openapi.json"]
)
def test_nothing_is_shown_without_a_token(served, path):
    assert request(served, path, token=None)[0] == 401


def test_a_wrong_token_and_the_cookie_of_another_port_are_none(served):
    assert request(served, token="x" * 32)[0] == 401
    assert request(served, token=None, Cookie=f"ludwin-1={served.token}")[0] == 401
    assert request(served, token=None, Cookie=f"ludwin-{served.port}={served.token}")[0] == 200


def test_the_token_of_the_address_becomes_a_cookie_that_no_other_site_sends(served):
    status, answer = request(served, f"/?token={served.token}", token=None)
    assert status == 303
    assert f"set-cookie: ludwin-{served.port}={served.token}; HttpOnly; SameSite=Strict; Path=/" in answer
    assert "location: /\r\n" in answer
    assert "referrer-policy: no-referrer" in answer


def test_the_address_never_leads_to_another_host(served):
    _, answer = request(served, f"//evil.example/?token={served.token}", token=None)
    assert "location: //" not in answer
    assert "location: \\" not in answer


def test_every_answer_carries_the_policy(served):
    for path in ("/", "/api/v1/about", "/nothing"):
        _, answer = request(served, path)
        assert "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'" in answer
        assert "x-content-type-options: nosniff" in answer
        assert "unsafe" not in answer.split("\r\n\r\n")[0]


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""]
)
def test_forms_of_other_pages_are_not_read(served, kind):
    answer = request(served, "/api/v1/tables", method="POST", body='{"game": "nim"}', Content_Type=kind)
    assert answer[0] == 415


def test_a_large_body_is_refused_by_what_it_says_and_by_what_it_is(served):
    said = {"Content_Length": str(MOST_BODY + 1), "Content_Type": "application/json"}
    assert request(served, "/api/v1/tables", method="POST", **said)[0] == 413
    chunk = f"{20000:x}\r\n" + "x" * 20000 + "\r\n"
    head = (
        f"POST /api/v1/tables HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nAuthorization: Bearer {served.token}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    assert raw(served.port, head + chunk * 20 + "0\r\n\r\n")[0] in (413, 0)
    assert request(served)[0] == 200


@pytest.mark.parametrize(
    "body",
    ["", "{", "[]", '"x"', '{"game": 3}', '{"game": "nim", "more": 1}', '{"game": NaN}', "\x00", '{"game"' * 999],
)
def test_forged_json_is_one_line_and_400(served, body):
    status, answer = request(served, "/api/v1/tables", method="POST", body=body or " ")
    assert status in (400, 413)
    error = json.loads(answer.split("\r\n\r\n", 1)[1])["error"]
    assert set(error) >= {"type", "message", "file", "line"}
    assert "\n" not in error["message"]


@pytest.mark.parametrize(
    "path",
    ["/static/../app.py", "/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/../../etc/passwd"],
)
def test_no_path_leads_out_of_the_page(served, path):
    status, answer = request(served, path)
    assert status in (400, 404)
    assert "import" not in answer.split("\r\n\r\n", 1)[1]
    assert "root:" not in answer


def test_a_socket_needs_an_origin_or_a_bearer(served):
    head = {"Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw=="}
    base = {**head, "Connection": "Upgrade"}
    cookie = {"token": None, "Cookie": f"ludwin-{served.port}={served.token}"}
    own = f"http://127.0.0.1:{served.port}"

    def upgrade(**more):
        token = more.pop("token", True)
        lines = {"Host": f"127.0.0.1:{served.port}", **base, **more}
        if token:
            lines["Authorization"] = f"Bearer {served.token}"
        text = "\r\n".join(["GET /api/v1/ws HTTP/1.1", *(f"{k}: {v}" for k, v in lines.items())]) + "\r\n\r\n"
        return raw(served.port, text, read=12)[0]

    assert upgrade() == 101
    assert upgrade(**cookie, Origin=own) == 101
    assert upgrade(**cookie) == 403
    assert upgrade(**cookie, Origin="http://evil.example") == 403
    assert upgrade(token=None, Origin=own) == 403


class Clock:
    """A clock that a test sets."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def ask(guard, headers):
    """Ask a guard by itself, and return the status."""
    import asyncio

    said = []

    async def nothing(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        said.append(message)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    guard.app = nothing
    scope = {"type": "http", "method": "GET", "path": "/api/v1/about", "query_string": b"", "client": ("1.2.3.4", 1)}
    asyncio.run(guard({**scope, "headers": headers}, receive, send))
    return said[0]["status"]


def test_twenty_wrong_tokens_a_minute_are_enough():
    clock = Clock()
    guard = DoorGuard(None, Keys(80, token="secret" * 5), clock)
    wrong = [(b"host", b"localhost"), (b"authorization", b"Bearer no")]
    right = [(b"host", b"localhost"), (b"authorization", b"Bearer " + b"secret" * 5)]
    assert [ask(guard, wrong) for _ in range(20)] == [401] * 20
    assert ask(guard, wrong) == 429
    assert ask(guard, right) == 429  # whoever guesses does not learn that a guess was right
    clock.now = 61
    assert ask(guard, right) == 200


def test_nobody_asks_too_often():
    clock = Clock()
    guard = DoorGuard(None, Keys(80, token="secret" * 5), clock)
    right = [(b"host", b"localhost"), (b"authorization", b"Bearer " + b"secret" * 5)]
    found = [ask(guard, right) for _ in range(310)]
    assert found[:300] == [200] * 300
    assert found[-1] == 429
    clock.now = 1.0
    assert ask(guard, right) == 200


def test_a_request_whose_body_is_whole_is_not_too_slow_however_late_its_answer_is(monkeypatch):
    import asyncio

    from ludwin.web import guard

    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)
    sent = []

    async def app(scope, receive, send):
        assert (await receive())["body"] == b"{}"
        with pytest.raises(TimeoutError):  # it waits for the client to leave, as frameworks do, and gives up itself
            await asyncio.wait_for(receive(), 0.3)
        await send({"type": "http.response.start", "status": 200, "headers": []})

    messages = [{"type": "http.request", "body": b"{}", "more_body": False}]

    async def receive():
        return messages.pop() if messages else await asyncio.sleep(60)

    async def send(message):
        sent.append(message["status"])

    passing = guard.DoorGuard.__new__(guard.DoorGuard)
    passing.app = app
    asyncio.run(passing._pass({"type": "http"}, receive, send))
    assert sent == [200]
