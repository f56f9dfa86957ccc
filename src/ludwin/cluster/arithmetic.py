"""What a machine computes: a fingerprint of its arithmetic, and the versions that results depend on.

Why it is here.  "The same bytes on every machine" is a promise about the last bit of every float.  The C library's
exp, sin and pow round differently on processors with and without fused multiply-add, and between its versions, so two
machines may play different games from the same seed.  A machine is known by hashes of what it really computes: the
functions of mathematics through compiled code and through CPython, searches in connect-four, and evolved programs.
Machines whose hashes are equal are of one class, and only those work together.
"""

import hashlib
import math
import os
import platform
import struct
import sys
from functools import lru_cache
from typing import Any

import ludwin
from ludwin.cluster.probe import probed
from ludwin.library import agent, load
from ludwin.primitives import draw, stream, uniform

POINTS = 4096
FUNCTIONS = ("log", "exp", "sin", "cos", "pow", "sqrt")


def points(number: int) -> list[tuple[float, float]]:
    """Return the fixed points at which a function is asked: pairs, of which most functions take the first."""
    rng = [stream(22, number)]
    return [(math.ldexp(1 + uniform(rng), draw(rng, 20) - 10), uniform(rng) * 40 - 20) for _ in range(POINTS)]


def by_python(name: str, x: float, y: float) -> float:
    """Return what CPython says of a function at a point; the domain of each is kept."""
    if name == "exp":
        return math.exp(y)
    if name in ("sin", "cos"):
        return float(getattr(math, name)(y * x))
    return math.pow(x, y) if name == "pow" else float(getattr(math, name)(x))


def _hash(values: list[float]) -> str:
    return hashlib.blake2b(struct.pack(f"<{len(values)}d", *values), digest_size=8).hexdigest()


def _searches() -> str:
    """Return a hash of what searches think of some positions of connect-four."""
    game, found = load("connect-four"), []
    for text in ("alphabeta:nodes=200", "uct:playouts=500", "mcts:playouts=500"):
        state = game.start()
        for ply in range(3):
            choice = agent(text).choose(game, state, seed=ply)
            found += [choice.move, choice.nodes, float(choice.value or 0.0).hex()]
            state = state.play(choice.move)
    return hashlib.blake2b(repr(found).encode(), digest_size=8).hexdigest()


def _programs() -> str:
    """Return a hash of the fitness of random programs for connect-four, in which every function of programs occurs."""
    from ludwin.evolve.experiment import settle
    from ludwin.evolve.register import find
    from ludwin.program.stream import Stream

    experiment = find("connect-four")
    settings = settle(experiment, "quick", {"fitness": "2rand", "rounds": 1, "population": 24})
    genomes = experiment.kind(settings).begin(24, Stream(22))
    scores = experiment.fitness(settings, 1).score(genomes, 0, Stream(23))
    return hashlib.blake2b(repr(scores).encode(), digest_size=8).hexdigest()


@lru_cache(maxsize=1)
def arithmetic() -> dict[str, str]:
    """Return what this machine computes, as hashes by name; once a process."""
    found = {}
    for number, name in enumerate(FUNCTIONS):
        here = points(number)
        found[name] = _hash([by_python(name, x, y) for x, y in here])
        found[f"compiled {name}"] = _hash(probed(number, here))
    found["searches"] = _searches()
    found["programs"] = _programs()
    return found


def fingerprint() -> str:
    """Return the class of machines that this one belongs to."""
    return hashlib.blake2b(repr(sorted(arithmetic().items())).encode(), digest_size=8).hexdigest()


def versions() -> dict[str, str]:
    """Return the versions that must be the same everywhere."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"ludwin": ludwin.__version__, "python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in ("numpy", "llvmlite", "numba", "distributed"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    if os.environ.get("LUDWIN_COMPILER") != "numba":
        del found["numba"]
    return found


@lru_cache(maxsize=1)
def about() -> dict[str, Any]:
    """Return who this machine is, for logs and for people."""
    import socket

    return {
        "host": socket.gethostname(),
        "cores": os.cpu_count() or 1,
        "processor": _processor(),
        "system": f"{platform.system()} {platform.machine()}",
        "library": " ".join(platform.libc_ver()),
        "fma": "fma" in _flags(),
        "versions": versions(),
        "arithmetic": fingerprint(),
        "hashes": arithmetic(),
    }


def _cpu() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf8", errors="replace") as file:
            return file.read(8192)
    except OSError:
        return ""


def _line(word: str) -> str:
    for line in _cpu().splitlines():
        if line.startswith(word):
            return line.partition(":")[2].strip()
    return ""


def _processor() -> str:
    return _line("model name") or platform.processor() or "unknown"


def _flags() -> list[str]:
    return _line("flags").split()


def class_of(machine: dict[str, Any], accept: bool = False) -> str:
    """Return a hash of all that must be equal for two machines to work together; arithmetic unless it is accepted."""
    told = [sorted(machine["versions"].items()), "" if accept else machine["arithmetic"]]
    return hashlib.blake2b(repr(told).encode(), digest_size=8).hexdigest()


def differences(ours: dict[str, Any], theirs: dict[str, Any], accept: bool = False) -> str:
    """Return why a machine does not fit, in one line with the way out; nothing if it fits."""
    wanted, found = ours["versions"], theirs["versions"]
    wrong = [name for name in wanted if found.get(name) != wanted[name]]
    host = theirs.get("host", "?")
    if wrong:
        told = ", ".join(f"{name} {found.get(name, 'none')} instead of {wanted[name]}" for name in wrong)
        if "python" in wrong:
            return f"{host}: {told}; give it the same Python: python{wanted['python']} -m venv …"
        mend = " ".join(f"'{name}=={wanted[name]}'" for name in wrong)
        return f"{host}: {told}; on it: python -m pip install {mend}"
    if ours["arithmetic"] == theirs["arithmetic"] or accept:
        return ""
    names = [name for name in ours["hashes"] if ours["hashes"][name] != theirs["hashes"].get(name)]
    short = ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    machine = f"{theirs.get('library', '')}, {'FMA' if theirs.get('fma') else 'no FMA'}"
    return f"{host}: {short} differ ({machine}): its games would be others; --accept-arithmetic lets it play"
