"""A server to ask, in this process, and one that runs by itself, as `ludwin web` starts it."""

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the page needs the extra `web`")

PORT = 8765
GAMES = Path(__file__).parent / "games"


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with games of a user's, an event, a run and a derivation."""
    made = tmp_path_factory.mktemp("shelf")
    for path in GAMES.glob("*.py"):
        shutil.copy(path, made)
    from ludwin import match

    match("tic-tac-toe", "uct:playouts=20", "random", games=6, seed=1, mode="plain", out=made / "event.jsonl")
    from ludwin.cli import main

    old = sorted(Path(__file__).parent.parent.glob("discover/fixtures/version2/*.json"))
    shutil.copy(old[0], made / "derivation.json")
    small = ["--set", "generations=4", "--set", "population=12"]
    assert main(["evolve", "onemax", "--preset", "quick", "--out", str(made / "runs" / "one"), *small]) == 0
    return made


class Served:
    """`ludwin web` as a process of its own."""

    def __init__(self, folder: Path, state: Path, *words: str):
        env = {**os.environ, "LUDWIN_STATE": str(state)}
        command = [sys.executable, "-m", "ludwin", "web", str(folder), "--no-open", "--json", "--port", "0", *words]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, start_new_session=True
        )
        atexit.register(self.leave)
        line = self.process.stdout.readline()
        assert line, self.process.stderr.read()
        self.about = json.loads(line)
        self.url, self.token, self.port = self.about["url"], self.about["token"], self.about["port"]

    def client(self, token: str | None = None, **more):
        """Somebody who asks, with the owner's token or another."""
        from ludwin.web.client import Client

        return Client(self.url.split("/?")[0], token or self.token, **more)

    def children(self) -> set[int]:
        """The processes that the server has started, and those that they have."""
        found, waiting = set(), [self.process.pid]
        while waiting:
            for child in children_of(waiting.pop()):
                found.add(child)
                waiting.append(child)
        return found

    def leave(self) -> None:
        """End it if a test that failed has not, with all that it has started."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()

    def end(self, number: int = signal.SIGINT) -> int:
        """End it, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(20)
        self.process.stdout.close()
        self.process.stderr.close()
        return code


def children_of(pid: int) -> list[int]:
    """The children of a process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def is_alive(pid: int) -> bool:
    """Whether a process is there, and no corpse."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(holds, seconds: float = 20.0) -> bool:
    """Wait until something holds, and tell whether it does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if holds():
            return True
        time.sleep(0.02)
    return bool(holds())


@pytest.fixture(scope="session")
def served(folder, tmp_path_factory):
    """A server for all tests that do not end it."""
    made = Served(folder, tmp_path_factory.mktemp("state"), "--write")
    yield made
    made.end()


@pytest.fixture
def client(served):
    """Somebody with the token."""
    return served.client()
