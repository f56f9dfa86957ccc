"""The server as it runs: sockets, TLS, limits on connections, and an end that leaves nothing behind."""

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ludwin.errors import BadParameter
from ludwin.web.app import guarded
from ludwin.web.hall import Setup

MOST_CONNECTIONS = 600
HEADER_SECONDS = 10.0
INTERRUPTED = 130
_open: set[Any] = set()


class PatientProtocol(H11Protocol):
    """HTTP with an end to patience: whoever sends no whole request in time, or is one too many, is sent away."""

    def connection_made(self, transport: Any) -> None:
        """Count a connection, and give it some seconds."""
        super().connection_made(transport)
        if len(_open) >= MOST_CONNECTIONS:
            transport.abort()
            return
        _open.add(self)
        self.asked = False
        self.patience = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _give_up(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget a connection."""
        _open.discard(self)
        if hasattr(self, "patience"):
            self.patience.cancel()
        super().connection_lost(exc)


def listen(host: str, port: int) -> tuple[list[socket.socket], int]:
    """Return sockets of a host, on the port or the next free one, and that port; loopback is both of its kinds."""
    families = [(socket.AF_INET6 if ":" in host else socket.AF_INET, host)]
    if host == "127.0.0.1":
        families.append((socket.AF_INET6, "::1"))
    for number in range(port, port + 100) if port else [0]:
        made: list[socket.socket] = []
        try:
            for family, name in families:
                try:
                    one = socket.socket(family, socket.SOCK_STREAM)
                    if family == socket.AF_INET6:
                        one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                except OSError:
                    continue  # a machine without IPv6
                one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                try:
                    one.bind((name, made[0].getsockname()[1] if made else number))
                except OSError:
                    one.close()
                    if family == socket.AF_INET6 and made:
                        continue
                    raise
                made.append(one)
            return made, int(made[0].getsockname()[1])
        except OSError as error:
            for one in made:
                one.close()
            if error.errno not in (98, 48, 10048):
                raise BadParameter(f"cannot listen on {host}:{port}: {error.strerror or error}") from None
    raise BadParameter(f"the ports {port} to {port + 99} of {host} are all taken; give another --port")


def serve(
    setup: Setup,
    sockets: list[socket.socket],
    tls: tuple[str, str] | None,
    ready: Callable[[], None],
) -> int:
    """Serve until Ctrl-C, and return the exit code."""
    more_descriptors()
    config = uvicorn.Config(
        guarded(setup),
        http=PatientProtocol,
        ws="websockets-sansio",
        lifespan="on",
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        ws_max_size=65536,
        h11_max_incomplete_event_size=32768,
        backlog=256,
        ssl_certfile=tls[0] if tls else None,
        ssl_keyfile=tls[1] if tls else None,
    )
    server = uvicorn.Server(config)
    asked = False

    def leave(*_: Any) -> None:
        nonlocal asked
        asked = True
        server.should_exit = True

    async def life() -> None:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            with contextlib.suppress(NotImplementedError, ValueError):
                loop.add_signal_handler(number, leave)
        server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
        with no_handlers(server):
            task = asyncio.ensure_future(server.serve(sockets))
            while not server.started and not task.done():
                await asyncio.sleep(0.01)
            if not task.done():
                ready()
            await task

    asyncio.run(life())
    return INTERRUPTED if asked else 1


@contextlib.contextmanager
def no_handlers(server: uvicorn.Server) -> Any:
    """Keep uvicorn from taking the signals, which are ours."""

    @contextlib.contextmanager
    def nothing() -> Any:
        yield

    server.capture_signals = nothing  # type: ignore[method-assign]
    yield


def more_descriptors() -> None:
    """Allow as many open connections as the machine lets us have."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 8192) if hard > 0 else 8192, hard))


def announce(url: str, setup: Setup, as_json: bool) -> None:
    """Print the one line that a person or a program needs."""
    token, port = setup.keys.token, setup.keys.port
    line = json.dumps({"url": url, "token": token, "port": port, "pid": os.getpid()}) if as_json else url
    print(line, flush=True)
    sys.stdout.flush()
