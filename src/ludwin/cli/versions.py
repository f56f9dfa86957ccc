"""What `ludwin --version --json` says: the versions of everything that a result or a speed may depend on."""

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ludwin import __version__

NEEDED = ("llvmlite", "numpy", "rich", "scipy")
OPTIONAL = ("numba", "matplotlib", "open_spiel", "deap", "z3-solver", "cvc5", "bgsage")


def versions() -> str:
    """Return versions as one JSON object; what is not installed is null."""
    found: dict[str, str | None] = {}
    for name in (*NEEDED, *OPTIONAL):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    machine = {"system": platform.system(), "machine": platform.machine(), "cpus": os.cpu_count()}
    about: dict[str, Any] = {"ludwin": __version__, "python": platform.python_version(), "packages": found}
    about |= {"machine": machine, "llvm": _llvm()}
    return json.dumps({**about, "compiler": os.environ.get("LUDWIN_COMPILER", "own")})


def _llvm() -> str | None:
    """Return the version of LLVM that machine code is made with."""
    try:
        from llvmlite import binding
    except ImportError:
        return None
    return ".".join(map(str, binding.llvm_version_info))
