"""All workspaces of a kernel under one name: records with named fields, arrays, stacks.

Why it is here.  A search that says `w.tree[node].visits` reads like its idea; one that says `tree[7 * node + 4]` does
not.  A kernel declares its workspaces, `{"tree": [NODE], "run": RUN, "path": [int], "states": "States"}`: a list
means many, a bare table of fields means one, a text one of the kinds of `ludwin.kernel.names`.  In plain mode a bundle
is an object of lists and records; compiled code gets a pointer to a table of pointers.  Outside, both look the same:
`bundle.run.played`, `bundle.tree[3].visits`.
"""

import ctypes
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ludwin.kernel import memory
from ludwin.rules.layout import Field, Layout, layout
from ludwin.rules.plain import state_class

if TYPE_CHECKING:
    from ludwin.game import Game
    from ludwin.kernel.specialise import Specialised

Members = Mapping[str, Any]


class Workspace:
    """A bundle in plain mode."""


def plain_bundle(run: "Specialised", members: Members, sizes: Mapping[str, int]) -> Workspace:
    """Return the workspaces of a kernel for plain mode."""
    bundle = Workspace()
    classes: dict[int, type] = {}

    def make(fields: Any) -> Any:
        if id(fields) not in classes:
            classes[id(fields)] = state_class(layout(fields))
        return classes[id(fields)]()

    for name, kind in members.items():
        value: Any
        if isinstance(kind, str):
            maker = {"States": run.states, "Moves": run.moves, "Ints": run.ints, "Floats": run.floats}
            value = {**maker, "FloatRows": run.float_rows}[kind](sizes[name])
        elif isinstance(kind, list):
            (item,) = kind
            zero = {int: 0, float: 0.0}.get(item) if item in (int, float) else None
            value = [zero] * sizes[name] if zero is not None else [make(item) for _ in range(sizes[name])]
        else:
            value = make(kind)
        setattr(bundle, name, value)
    return bundle


class Bundle:
    """A bundle for compiled code; `buffer` is the table that it gets."""

    def __init__(self, game: "Game", members: Members, sizes: Mapping[str, int]):
        self.kept: dict[str, Any] = {}
        self.buffer = memory.ints(2 * len(members))
        for number, (name, kind) in enumerate(members.items()):
            self.kept[name] = _made(game, kind, sizes.get(name, 1))
            cells = getattr(self.kept[name], "buffer", self.kept[name])
            self.buffer[2 * number] = ctypes.addressof((ctypes.c_char * 0).from_buffer(cells))
            self.buffer[2 * number + 1] = len(self.kept[name])

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["kept"][name]
        except KeyError:
            raise AttributeError(f"the workspace has no {name!r}") from None


def _made(game: "Game", kind: Any, size: int) -> Any:
    if isinstance(kind, str):
        width = {"States": game.fields.cells, "Moves": game.max_moves, "FloatRows": game.max_moves}.get(kind)
        if width is not None:
            return memory.Rows(size, width, real=kind == "FloatRows")
        return memory.ints(size) if kind == "Ints" else memory.floats(size)
    if not isinstance(kind, list):
        return RecordView(layout(kind), memory.ints(layout(kind).cells))
    (item,) = kind
    if item is int or item is float:
        return memory.floats(size) if item is float else memory.ints(size)
    return Records(layout(item), size)


class RecordView:
    """One row of named fields, seen from Python: `record.visits`, `record.visits = 3`."""

    __slots__ = ("_fields", "_ints", "buffer")

    def __init__(self, fields: Layout, cells: "memoryview[Any]"):
        object.__setattr__(self, "buffer", cells)
        object.__setattr__(self, "_fields", {field.name: field for field in fields})

    def _view(self, field: Field) -> "memoryview[Any]":
        cells: memoryview[Any] = self.buffer[field.offset : field.offset + field.cells]
        return cells.cast("B").cast("d") if field.real else cells

    def _field(self, name: str) -> Field:
        try:
            found: Field = self._fields[name]
        except KeyError:
            raise AttributeError(f"the record has no field {name!r}") from None
        return found

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        view = self._view(field)
        return view[0] if field.size is None else view

    def __setattr__(self, name: str, value: Any) -> None:
        self._view(self._field(name))[0] = value


class Records:
    """A stack of records, seen from Python; `column` reads one field of many rows at once."""

    def __init__(self, fields: Layout, size: int):
        self.fields = fields
        self.size = size
        self.width = fields.cells
        self.buffer = memory.ints(size * self.width)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> RecordView:
        if not 0 <= i < self.size:
            raise IndexError(f"there is no row {i} among {self.size}")
        return RecordView(self.fields, self.buffer[i * self.width : (i + 1) * self.width])

    def __iter__(self) -> Iterator[RecordView]:
        return (self[i] for i in range(self.size))

    def column(self, name: str, rows: int) -> list[Any]:
        """Return one field of the first rows."""
        (field,) = [field for field in self.fields if field.name == name]
        cells = self.buffer.cast("B").cast("d") if field.real else self.buffer
        return cells[field.offset : rows * self.width : self.width].tolist()
