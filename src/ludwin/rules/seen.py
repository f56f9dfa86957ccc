"""Which rules have been linted already, so that nobody waits for the same verdict twice.

Why it is here.  Lint takes half the time in which a game is loaded, and says of the same rules what it said before.
So a file that has passed is remembered by a key of all that lint looks at: the texts and how they import each other,
the parameters, every constant of the executed files with its kind, the fields, the text of lint itself, and the
Python that reads them.  Rules with a constant that has no plain text are linted every time.
"""

import marshal
import sys
import types
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from ludwin import __version__
from ludwin.rules.source import Source, digest

LINT = tuple(Path(__file__).parent / f"{name}.py" for name in ("lint", "reach", "contract", "layout", "source", "seen"))
PRIMITIVES = Path(__file__).parents[1] / "primitives.py"  # lint knows its words
EVERY_MODULE_HAS = {*vars(types.ModuleType("m")), "__builtins__", "__file__", "__annotations__"}


class Memory(Protocol):
    """Where keys are kept between processes."""

    def __contains__(self, key: str, /) -> bool:
        """Tell whether rules with this key have passed lint."""

    def add(self, key: str, /) -> None:
        """Note that they have."""


def lint_key(source: Source, modules: Mapping[Path, types.ModuleType], fingerprint: str) -> str:
    """Return the key of a loaded game; raises ValueError or OSError for rules that cannot be remembered.

    The fingerprint stands for texts, parameters, fields and the values of constants; here comes what it leaves out.
    """
    family = list(source.family())
    number = {owner.path: k for k, owner in enumerate(family)}
    links = [[(name, number[helper.path]) for name, helper in owner.helpers.items()] for owner in family]
    kinds = [_kinds(vars(modules[owner.path])) for owner in family]
    return digest(_lint(), fingerprint, links, kinds)


@lru_cache(maxsize=None)
def _lint() -> str:
    """Return a hash of what lint is: its text, and the Python that it runs in."""
    return digest(__version__, sys.version, *(path.read_bytes() for path in (*LINT, PRIMITIVES)))


def _kinds(space: Mapping[str, Any]) -> list[tuple[str, str, bytes]]:
    """Return every name of a file with its kind; numbers, texts and tables to the last bit, for two kinds may print alike."""
    found = []
    for name, value in sorted(space.items()):
        kind = type(value)
        exact = isinstance(value, int | float | str | tuple | list) and name not in EVERY_MODULE_HAS
        found.append((name, f"{kind.__module__}.{kind.__qualname__}", marshal.dumps(value, 2) if exact else b""))
    return found
