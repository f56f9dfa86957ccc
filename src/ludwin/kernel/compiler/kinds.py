"""The kinds of values that compiled code knows, and when two of them can be one.

Why it is here.  Rules and searches compute with truth values, whole numbers of 64 bits and floats, and point at
memory that was there before they ran: cells, rows of named fields, bundles of both.  That is the whole world of
compiled code.  Every kind has a text in LLVM's language; in checked code a pointer whose length is not known in
advance travels with its length.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

from ludwin.rules.layout import Field, Layout


class ValueKind:
    """What a value is."""

    @property
    def word(self) -> str:
        """What people call it."""
        return self.called

    called: ClassVar[str] = "value"

    def llvm(self, checked: bool) -> str:
        """Return the type in LLVM's language."""
        return "ptr"


@dataclass(frozen=True, eq=False)
class ScalarKind(ValueKind):
    """Truth values, whole numbers, floats: each can become the next."""

    name: str
    text: str
    rank: int

    @property
    def word(self) -> str:
        """What people call it."""
        return self.name

    def llvm(self, checked: bool) -> str:
        """Return the type in LLVM's language."""
        return self.text

    def __repr__(self) -> str:
        return self.word


BOOL = ScalarKind("truth value", "i1", 0)
INT = ScalarKind("whole number", "i64", 1)
FLOAT = ScalarKind("float", "double", 2)


class _Nothing(ValueKind):
    called = "None"

    def llvm(self, checked: bool) -> str:
        return "void"


NOTHING = _Nothing()  # what a function without a value returns


@dataclass(frozen=True)
class ArrayKind(ValueKind):
    """A pointer to whole numbers or floats; `shape[0]` is None where the length is not known in advance."""

    real: bool
    shape: tuple[int | None, ...]
    fixed: bool = False  # a table of a file, which nobody may change
    called: ClassVar[str] = "array"

    @property
    def item(self) -> ValueKind:
        """What one index yields: a number, or the cells of a row."""
        if len(self.shape) > 1:
            return ArrayKind(self.real, self.shape[1:], self.fixed)
        return FLOAT if self.real else INT

    @property
    def stride(self) -> int:
        """How many cells one step of the index is."""
        cells = 1
        for n in self.shape[1:]:
            cells *= n or 1
        return cells

    def llvm(self, checked: bool) -> str:
        """Return the type in LLVM's language."""
        return SIZED if checked and self.shape[0] is None else "ptr"


SIZED = "{ptr, i64}"


@dataclass(frozen=True, eq=False)
class RecordKind(ValueKind):
    """A pointer to one row of named fields: a state of the game, or a record of a search."""

    name: str
    layout: Layout
    called: ClassVar[str] = "state"

    @cached_property
    def fields(self) -> Mapping[str, Field]:
        """The fields by name."""
        return {field.name: field for field in self.layout}

    @cached_property
    def cells(self) -> int:
        """How many cells a row takes."""
        return self.layout.cells

    def kind(self, name: str) -> ValueKind:
        """Return the kind of one field."""
        found = self.fields[name]
        if found.size is not None:
            return ArrayKind(found.real, (found.size,))
        return FLOAT if found.real else INT

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True)
class StackKind(ValueKind):
    """A pointer to a stack of records."""

    record: RecordKind
    called: ClassVar[str] = "stack"

    def llvm(self, checked: bool) -> str:
        """Return the type in LLVM's language."""
        return SIZED if checked else "ptr"


@dataclass(frozen=True, eq=False)
class BundleKind(ValueKind):
    """A pointer to a table of workspaces, two words each: where it lies and how many rows it has."""

    members: Mapping[str, ValueKind] = field(default_factory=dict)
    called: ClassVar[str] = "bundle"


@dataclass(frozen=True)
class Several(ValueKind):
    """Several values together, as a tuple."""

    parts: tuple[ValueKind, ...]
    called: ClassVar[str] = "tuple"

    def llvm(self, checked: bool) -> str:
        """Return the type in LLVM's language."""
        return "{" + ", ".join(part.llvm(checked) for part in self.parts) + "}"


class NotOneKind(Exception):
    """Two kinds that cannot be one variable."""


def join(a: ValueKind | None, b: ValueKind | None) -> ValueKind | None:
    """Return the kind that can hold both; None is what is not known yet.

    >>> join(BOOL, INT), join(INT, FLOAT), join(None, INT)
    (whole number, float, whole number)
    """
    if a is None or a is b:
        return b
    if b is None:
        return a
    if isinstance(a, ScalarKind) and isinstance(b, ScalarKind):
        return a if a.rank > b.rank else b
    if isinstance(a, Several) and isinstance(b, Several) and len(a.parts) == len(b.parts):
        return Several(tuple(_both(x, y) for x, y in zip(a.parts, b.parts, strict=True)))
    if isinstance(a, ArrayKind) and isinstance(b, ArrayKind) and a.real == b.real and a.shape[1:] == b.shape[1:]:
        size = a.shape[0] if a.shape[0] == b.shape[0] else None
        return ArrayKind(a.real, (size, *a.shape[1:]), a.fixed or b.fixed)
    if a == b:
        return a
    raise NotOneKind(f"{article(a)} and {article(b)}")


def _both(a: ValueKind, b: ValueKind) -> ValueKind:
    joined = join(a, b)
    assert joined is not None
    return joined


def article(kind: ValueKind) -> str:
    """Return the kind as people say it.

    >>> article(INT), article(ArrayKind(True, (3,)))
    ('a whole number', 'an array of floats')
    """
    if isinstance(kind, ArrayKind):
        return "an array of floats" if kind.real else "an array of whole numbers"
    return "None" if kind is NOTHING else f"a {kind.word}"


def is_number(kind: ValueKind | None) -> bool:
    """Tell whether a kind is a truth value, a whole number or a float."""
    return isinstance(kind, ScalarKind)
