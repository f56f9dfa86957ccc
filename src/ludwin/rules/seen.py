"""Which rules have been linted already, so that nobody waits for the same verdict twice.

Why it is here.  Lint takes half the time in which a game is loaded, and says of the same rules what it said before.
So a file that has passed is remembered by a key of all that lint looks at: the texts and how they import each other,
the parameters, every constant of the executed files with its kind, the fields, the text of lint itself, and the
Python that reads them.
"""

import marshal
import sys
import types
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from ludwin import __version__
from ludwin.rules.layout import Layout
from ludwin.rules.source import Scalar, Source, digest

LINT = tuple(
    Path(__file__).parent / f"{name}.py"
    for name in ("lint", "reach", "contract", "layout", "source", "seen", "syntax", "world")
)
PRIMITIVES = Path(__file__).parents[1] / "primitives.py"  # lint knows its words
EVERY_MODULE_HAS = {*vars(types.ModuleType("m")), "__builtins__", "__file__", "__annotations__"}


class Memory(Protocol):
    """Where keys are kept between processes."""

    def __contains__(self, key: str, /) -> bool:
        """Tell whether rules with this key have passed lint."""

    def add(self, key: str, /) -> None:
        """Note that they have."""


def lint_key(
    source: Source,
    values: Mapping[str, Scalar],
    fields: Layout,
    modules: Mapping[Path, types.ModuleType],
    senses: Layout | None = None,
) -> str:
    """Return the key of rules that have been executed; raises what a constant raises that cannot be looked at."""
    family = list(source.family())
    number = {owner.path: k for k, owner in enumerate(family)}
    links = [[(name, number[helper.path]) for name, helper in owner.helpers.items()] for owner in family]
    constants = [
        [(name, _seen(name, value)) for name, value in sorted(vars(modules[owner.path]).items())] for owner in family
    ]
    return digest(_lint(), [owner.text for owner in family], links, dict(values), (fields, senses), constants)


@lru_cache(maxsize=None)
def _lint() -> str:
    """Return a hash of what lint is: its text, and the Python that it runs in."""
    return digest(__version__, sys.version, *(path.read_bytes() for path in (*LINT, PRIMITIVES)))


def _seen(name: str, value: Any) -> bytes | str | list[Any]:
    """Return of a constant what lint can see of it: its kind; of numbers, texts and tables every bit, for two kinds may
    print alike.
    """
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if not isinstance(value, int | float | str | tuple | list) or name in EVERY_MODULE_HAS:
        return kind
    try:
        return marshal.dumps(
            value, 2
        )  # takes Python's own kinds and no others; before version 3 equal values are equal bytes
    except ValueError:
        if isinstance(value, tuple | list):
            return [kind, *(_seen("", item) for item in value)]
        return f"{kind} {int(value)}" if isinstance(value, int) else kind
