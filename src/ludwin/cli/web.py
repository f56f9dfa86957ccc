"""The command `web`: play, analyse, watch and explain in a browser."""

import argparse
from typing import TYPE_CHECKING

from ludwin.cli import options as take

if TYPE_CHECKING:
    from pathlib import Path

CLOSES = True
EXAMPLES = (
    ("ludwin web", "the page, with what lies in this folder"),
    ("ludwin web games runs --write", "two folders; games and languages may be edited on the page"),
    ("ludwin web --no-open --json", "for a program: address, token, port and pid as one object"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take folders, and where to listen."""
    parser.add_argument(
        "folders", metavar="FOLDER", nargs="*", help="what may be read: games, runs, records (default: this folder)"
    )
    parser.add_argument("--port", type=take.count, default=8765, metavar="N", help="listen there, or on the next free")
    parser.add_argument(
        "--open", action=argparse.BooleanOptionalAction, default=None, help="open a browser (default: in a terminal)"
    )
    parser.add_argument("--write", action="store_true", help="let the page edit games and languages of the folders")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="listen there (default: 127.0.0.1)")
    parser.add_argument(
        "--allow-host", action="append", metavar="NAME", help="a name under which others reach this machine"
    )
    parser.add_argument("--tls-cert", metavar="FILE", help="certificate, for another --host")
    parser.add_argument("--tls-key", metavar="FILE", help="its key")
    parser.add_argument("--insecure", action="store_true", help="another --host without TLS: anybody can listen in")
    parser.add_argument("--jobs", type=take.positive, default=2, metavar="N", help="commands at a time (default: 2)")
    parser.add_argument("--memory", default="2G", metavar="SIZE", help="what a process may take (default: 2G)")
    parser.add_argument("--token-file", metavar="FILE", help="read the token there, or write a new one (mode 600)")


def run(options: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from pathlib import Path

    from ludwin.cli.common import say
    from ludwin.errors import BadParameter
    from ludwin.paths import typed

    try:
        from ludwin.web.serve import announce, listen, serve
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("ludwin"):
            raise
        raise BadParameter("the page needs FastAPI, uvicorn and websockets: pip install 'ludwin[web]'") from None
    import os

    from ludwin.search.puzzles.solver import read_memory
    from ludwin.web.guard import Keys
    from ludwin.web.hall import Setup
    from ludwin.web.tables import state_folder

    if not hasattr(os, "fork"):
        raise BadParameter("`ludwin web` makes a process of every table by fork, which this system does not have")
    folders = []
    for name in options.folders or ["."]:
        path = typed(name)
        if not path.is_dir():
            raise BadParameter(f"there is no folder {name!r}")
        folders.append(Path(os.path.realpath(path)))
    tls = _tls(options)
    _demand_safe(options, tls)
    memory = read_memory(options.memory, "--memory")
    sockets, port = listen(options.host, options.port)
    if options.port and port != options.port:
        say(f"port {options.port} is taken; listening on {port}")
    hosts = ["127.0.0.1", "localhost", "[::1]", *(options.allow_host or [])]
    keys = Keys(port, hosts=tuple(host.lower() for host in hosts), secure=tls is not None)
    if options.token_file:
        keys.token = _token(typed(options.token_file), keys.token)
    setup = Setup(folders, keys, options.write, options.jobs, memory, state_folder())
    name = (options.allow_host or ["127.0.0.1"])[0] if options.host != "127.0.0.1" else "127.0.0.1"
    url = f"{'https' if tls else 'http'}://{name}:{port}/?token={keys.token}"

    def ready() -> None:
        announce(url, setup, options.json)
        import sys

        if options.open or (options.open is None and sys.stdout.isatty() and not options.json):
            import webbrowser

            webbrowser.open(url)

    return serve(setup, sockets, tls, ready)


def _tls(options: argparse.Namespace) -> tuple[str, str] | None:
    from ludwin.errors import BadParameter
    from ludwin.paths import is_file, typed

    if bool(options.tls_cert) != bool(options.tls_key):
        raise BadParameter("--tls-cert and --tls-key belong together")
    for name in (options.tls_cert, options.tls_key):
        if name and not is_file(typed(name)):
            raise BadParameter(f"there is no file {name!r}")
    if not options.tls_cert:
        return None
    import ssl

    try:
        ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(options.tls_cert, options.tls_key)
    except ssl.SSLError:
        both = f"{options.tls_cert} and {options.tls_key}"
        raise BadParameter(f"{both} are no certificate and its key (PEM); openssl req -x509 makes such") from None
    return options.tls_cert, options.tls_key


def _demand_safe(options: argparse.Namespace, tls: tuple[str, str] | None) -> None:
    """Raise BadParameter for a host that others can reach without TLS, or without a name."""
    from ludwin.errors import BadParameter

    if options.host in ("127.0.0.1", "::1", "localhost"):
        return
    if tls is None and not options.insecure:
        raise BadParameter(
            f"--host {options.host}: others could read the token on the way; give --tls-cert and --tls-key, or "
            f"--insecure (or stay with 127.0.0.1 and use ssh -L)"
        )
    if not options.allow_host:
        raise BadParameter(f"--host {options.host}: say under which name others come: --allow-host NAME")


def _token(path: "Path", fresh: str) -> str:
    """Return the token of a file that only its owner can read; without such a file write the fresh one there."""
    import os
    import stat

    from ludwin.errors import BadParameter

    try:
        if path.exists():
            if stat.S_IMODE(path.stat().st_mode) & 0o077:
                raise BadParameter(f"{path} can be read by others; chmod 600 {path}")
            token = path.read_text("ascii").strip()
            if len(token) < 24 or not token.replace("-", "").replace("_", "").isalnum():
                raise BadParameter(f"{path} holds no token: at least 24 letters, digits, - or _")
            return token
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(fresh + "\n")
        return fresh
    except (OSError, UnicodeDecodeError) as error:
        raise BadParameter(f"cannot use the token file {path}: {getattr(error, 'strerror', None) or error}") from None
