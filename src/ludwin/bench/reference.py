"""The C++ twin of two games and three searches: built once, called like ours.

Why it is here.  "At the speed of C++" needs C++ to compare with.  `reference.cpp` is compiled by
whatever compiler the machine has, into the cache, and loaded into this process, so that both sides
can take turns on the same clock.  Nothing else in ludwin needs a compiler.

Answers are the same as those of `perft`, `AlphaBeta` and `UCT` in every digit; a test holds that.
"""

import ctypes
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

from ludwin.errors import BadParameter, LudwinError, did_you_mean
from ludwin.kernel import cache
from ludwin.rules.source import digest
from ludwin.settings import within

GAMES = ("draughts", "connect-four")  # their numbers in reference.cpp
COMPILERS = ("g++", "c++", "clang++")
SOURCE = Path(__file__).with_name("reference.cpp")
# What is allowed must not change a result: no fused multiply-add, which rounds once where Python
# rounds twice. Without errno a square root is one instruction, as in LLVM.
FLAGS = ("-std=c++17", "-O3", "-march=native", "-ffp-contract=off", "-fno-math-errno", "-fPIC", "-shared")


def available() -> str | None:
    """Return why there is no C++ reference on this machine, or None if there is one."""
    found = _compiler(os.environ.get("CXX"), os.environ.get("PATH"))
    return found if isinstance(found, str) else None


def perft(game: str, depth: int) -> int:
    """Return the number of positions at exactly `depth` plies from the start."""
    return int(_library().reference_perft(_number(game), _least(1, depth, "depth")))


def alphabeta(game: str, depth: int) -> tuple[int, float, int]:
    """Return move, value and nodes of `AlphaBeta(depth)` at the start."""
    value, nodes = ctypes.c_double(), ctypes.c_longlong()
    move = _library().reference_alphabeta(
        _number(game), _least(1, depth, "depth"), ctypes.byref(value), ctypes.byref(nodes)
    )
    return int(move), value.value, nodes.value


def uct(game: str, playouts: int, c: float, stream: int) -> tuple[int, float, int]:
    """Return move, value and nodes of `UCT(playouts, c)` at the start.

    `stream` is the first state of the random stream; UCT with a seed uses `stream(seed, 0)`.
    """
    value, nodes = ctypes.c_double(), ctypes.c_longlong()
    move = _library().reference_uct(
        _number(game), _least(1, playouts, "playouts"), c, stream, ctypes.byref(value), ctypes.byref(nodes)
    )
    return int(move), value.value, nodes.value


def _number(game: str) -> int:
    if game not in GAMES:
        raise BadParameter(
            f"the C++ reference has no game called {game!r}{did_you_mean(game, GAMES)} (it has {', '.join(GAMES)})"
        )
    return GAMES.index(game)


def _least(least: int, value: int, name: str) -> int:
    within(name, value, least)
    return value


@lru_cache(maxsize=None)
def _compiler(wanted: str | None, path: str | None) -> tuple[tuple[str, ...], str] | str:
    """Return the compiler's command with what it says about itself and this machine, or why there is none."""
    names = [wanted] if wanted else list(COMPILERS)
    commands = [tuple(shlex.split(name)) for name in names]
    found = next((command for command in commands if command and shutil.which(command[0], path=path)), None)
    if found is None:
        return f"no C++ compiler called {' or '.join(names)}{'' if wanted else '; CXX may name another'}"
    # Its predefined macros tell its version and what `native` means here: machines may share a cache.
    probe = subprocess.run(
        [*found, "-march=native", "-dM", "-E", "-x", "c++", os.devnull], capture_output=True, text=True
    )
    if probe.returncode:
        return f"{shlex.join(found)} does not work: {_first_error(probe.stderr)}"
    return found, probe.stdout


def _first_error(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if "error" in line), lines[-1] if lines else "it says nothing")


def _library() -> ctypes.CDLL:
    found = _compiler(os.environ.get("CXX"), os.environ.get("PATH"))
    if isinstance(found, str):
        raise LudwinError(f"no C++ reference: {found}")
    return _load(*found, cache.folder())


@lru_cache(maxsize=None)
def _load(compiler: tuple[str, ...], description: str, folder: Path) -> ctypes.CDLL:
    entry = folder / f"ludwin_reference_{digest(SOURCE.read_bytes(), FLAGS, compiler, description)[:20]}"
    entry.mkdir(mode=0o700, exist_ok=True)
    built = entry / ("reference.dll" if sys.platform == "win32" else "reference.so")
    with cache.lock(entry):
        if not built.exists():
            _build(compiler, built)
    library = ctypes.CDLL(str(built))
    number, value, nodes = ctypes.c_longlong, ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_longlong)
    library.reference_perft.argtypes = [ctypes.c_int, ctypes.c_int]
    library.reference_alphabeta.argtypes = [ctypes.c_int, ctypes.c_int, value, nodes]
    library.reference_uct.argtypes = [ctypes.c_int, number, ctypes.c_double, number, value, nodes]
    for function in (library.reference_perft, library.reference_alphabeta, library.reference_uct):
        function.restype = number
    return library


def _build(compiler: tuple[str, ...], target: Path) -> None:
    """Compile beside the target and move the result there, so that it appears whole or not at all."""
    with tempfile.TemporaryDirectory(dir=target.parent) as room:
        fresh = Path(room) / target.name
        done = subprocess.run([*compiler, *FLAGS, str(SOURCE), "-o", str(fresh)], capture_output=True, text=True)
        if done.returncode:
            raise LudwinError(f"{shlex.join(compiler)} cannot compile {SOURCE.name}: {_first_error(done.stderr)}")
        fresh.replace(target)
