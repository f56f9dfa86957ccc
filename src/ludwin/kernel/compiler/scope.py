"""What a name means outside the functions: a number, a table, a function, a word of the language, a module.

Why it is here.  A kernel's text and each file of rules have names of their own.  `Scope` is one such space; the
compiler asks it once per name.  Numbers and tables are the values that the executed file has computed.
"""

import ast
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludwin.kernel.compiler.faults import NotCompilable
from ludwin.kernel.compiler.kinds import ArrayKind

EXACT = 2**53  # whole numbers up to this are floats without loss


@dataclass(frozen=True)
class Constant:
    """A number of a file."""

    value: bool | int | float


@dataclass(frozen=True, eq=False)
class LiteralTable:
    """A table of numbers of a file, laid into the compiled code itself."""

    kind: ArrayKind
    flat: tuple[int | float, ...]


@dataclass(frozen=True)
class Word:
    """A word that the compiler itself knows: a builtin, a primitive, a function of math."""

    name: str


@dataclass(frozen=True, eq=False)
class Routine:
    """A function with a text."""

    scope: "Scope"
    name: str
    tree: ast.FunctionDef
    inline: bool = False  # always copied into its callers
    contract: bool = False  # one that the game must or may define


@dataclass(frozen=True, eq=False)
class Module:
    """A module of which names are read: math, or a helper file."""

    scope: "Scope | None"  # None: math


Meaning = Constant | LiteralTable | Word | Routine | Module


@dataclass(eq=False)
class Scope:
    """The names of one text: its file's number for messages, and a function that looks names up."""

    number: int
    path: Path
    look: Callable[[str], "Meaning | None"]
    trusted: bool = False  # text of ours: annotations of arguments are casts
    known: dict[str, "Meaning | None"] = field(default_factory=dict)

    def find(self, name: str) -> "Meaning | None":
        """Return what a name means, None if nothing."""
        if name not in self.known:
            self.known[name] = self.look(name)
        return self.known[name]


def meaning(value: Any) -> "Constant | LiteralTable | None":
    """Return a value of an executed file as compiled code sees it, None if it is neither number nor table."""
    if isinstance(value, bool | int | float):
        return Constant(_exactly(value))
    if hasattr(value, "dtype") and hasattr(value, "tolist"):
        if value.dtype.kind not in "biuf":
            return None
        value = value.tolist()  # a scalar of NumPy's becomes a number of Python's
        if not isinstance(value, list):
            return Constant(value)
    if isinstance(value, list | tuple) and value:
        return table(value)
    return None


def _exactly(value: bool | int | float) -> bool | int | float:
    """Return a number as one of Python's own three kinds; members of an IntEnum are whole numbers."""
    if isinstance(value, bool):
        return value
    return int.__int__(value) if isinstance(value, int) else float.__float__(value)


def table(value: Any) -> LiteralTable | None:
    """Return a rectangular table of numbers, None if the value is none."""
    shape: list[int] = []
    row = value
    while isinstance(row, list | tuple):
        if not row:
            return None
        shape.append(len(row))
        row = row[0]
    flat: list[Any] = [value]
    for size in shape:
        if any(not isinstance(item, list | tuple) or len(item) != size for item in flat):
            return None
        flat = [part for item in flat for part in item]
    flat = [part.item() if hasattr(part, "item") else part for part in flat]
    if any(not isinstance(part, bool | int | float) for part in flat):
        return None
    real = any(isinstance(part, float) for part in flat)
    if any(not isinstance(part, float) and not -(2**63) <= part < 2**63 for part in flat):
        return None
    if real and any(not isinstance(part, float) and abs(part) > EXACT for part in flat):
        raise NotCompilable("a table that holds floats cannot hold whole numbers beyond 2**53 without loss")
    return LiteralTable(
        ArrayKind(real, tuple(shape), fixed=True),
        tuple(float(_exactly(part)) if real else int(_exactly(part)) for part in flat),
    )


def math_constant(name: str) -> float | None:
    """Return math.pi and the like."""
    value = getattr(math, name, None)
    return value if isinstance(value, float) else None


def of_names(numbers: Mapping[str, Any], name: str) -> "Constant | LiteralTable | None":
    """Return the meaning of a name of a mapping, None if it is not there."""
    return meaning(numbers[name]) if name in numbers else None
