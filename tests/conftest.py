"""What all tests share: a game file to spoil, and a Python of its own to run things in."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Tests never fail by the clock: not by the time of an example, nor by that of making examples on a busy machine.
settings.register_profile("ludwin", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ludwin")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command line does: workers of the suite share the cores
sys.path.insert(0, str(Path(__file__).parent))  # the makers of spoilt files lie beside the tests

# Take one, two or three stones from a heap of nine; `log` remembers the last moves.
STONES = '''"""Stones."""

import math

from ludwin.primitives import mix

HEAP = 9
TAKE = (0, 1, 2, 3)
FIELDS = {"heap": int, "turn": int, "log": 4}
MAX_MOVES = 3
MAX_PLIES = 20


def setup(s):
    s.heap = HEAP
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    for k in range(1, 4):
        if k <= s.heap:
            out[n] = TAKE[k]
            n += 1
    return n


def play(s, m):
    s.heap -= m
    s.log[s.heap % 4] = m
    s.turn = 1 - s.turn


def payoff(s, p):
    return -1 if s.turn == p else 1


def key(s):
    return mix(s.heap, s.turn)
'''


class Workshop:
    """Writes game files, the correct one or a spoilt one, into a folder of the test's own."""

    text = STONES

    def __init__(self, folder: Path):
        self.folder = folder

    def write(self, text: str, name: str = "stones.py", **helpers: str) -> str:
        """Write a game and its helper files; return the game's path."""
        for helper, body in helpers.items():
            (self.folder / f"{helper}.py").write_text(body, encoding="utf8")
        path = self.folder / name
        path.write_text(text, encoding="utf8")
        return str(path)

    def spoil(self, old: str, new: str, more: str = "", **helpers: str) -> str:
        """Write the game of stones with one text replaced by another, and more text behind it."""
        assert STONES.count(old) == 1, f"{old!r} is not once in the game"
        return self.write(STONES.replace(old, new) + more, **helpers)

    def line(self, path: str, mark: str = "# here") -> int:
        """Return the number of the one line that bears a mark."""
        (found,) = [i for i, line in enumerate(Path(path).read_text(encoding="utf8").splitlines(), 1) if mark in line]
        return found


@pytest.fixture
def workshop(tmp_path):
    return Workshop(tmp_path)


# A shell starts what it puts into the background with SIGINT ignored, and children inherit that. Whoever is to be
# interrupted must hear the signal, so it is set as a terminal sets it, and then the process becomes the command.
HEARING = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"


@pytest.fixture
def start():
    """Start a process that hears Ctrl-C however the tests were started; what still runs when the test is over is
    ended.
    """
    started = []

    def begin(command: list[str], **options) -> subprocess.Popen:
        hearing = [sys.executable, "-c", HEARING, *command] if os.name == "posix" else command
        started.append(subprocess.Popen(hearing, **options))
        return started[-1]

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()


@pytest.fixture
def python(tmp_path, start):
    """Run a script in a new process, by default with an empty cache of its own."""

    def run(
        script: str,
        *arguments: str,
        cache: str | None = None,
        environ: dict[str, str | None] | None = None,
        wait: bool = True,
    ):
        values = {**os.environ, "LUDWIN_CACHE": cache or str(tmp_path / "cache"), **(environ or {})}
        known = {key: value for key, value in values.items() if value is not None}
        process = start(
            [sys.executable, "-W", "error", "-c", script, *arguments],
            env=known,
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        if not wait:
            return process
        out, err = process.communicate(timeout=100)
        assert process.returncode == 0, f"exit {process.returncode}\n{out}\n{err}"
        return out.strip()

    return run
