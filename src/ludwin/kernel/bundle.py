"""All workspaces of a kernel under one name: records with named fields, arrays, stacks.

Why it is here.  A search that says `w.tree[node].visits` reads like its idea; one that says `tree[7 * node + 4]` does
not.  A kernel declares its workspaces, `{"tree": [NODE], "run": RUN, "path": [int], "states": "States"}`: a list
means many, a bare table of fields means one, a text one of the kinds of `ludwin.kernel.names`, and another kernel the
bundle of that kernel (a referee holds its players' so).  In plain mode a bundle is an object of lists and records;
compiled code gets a pointer to a table of pointers.  Outside, both look the same: `bundle.run.played`,
`bundle.tree[3].visits`.
"""

import ctypes
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ludwin.kernel import memory
from ludwin.kernel.text import Kernel
from ludwin.rules.layout import Field, Layout, layout
from ludwin.rules.plain import state_class

if TYPE_CHECKING:
    from ludwin.kernel.specialise import Specialised

Members = Mapping[str, Any]


KINDS = ("States", "Moves", "Ints", "Floats", "FloatRows")  # the workspaces that have a word of their own


def described(members: Members) -> str:
    """Return what the declarations say, the same in every process: for fingerprints."""
    return repr(
        [(name, described(kind.records) if isinstance(kind, Kernel) else kind) for name, kind in members.items()]
    )


def _examined(members: Members, sizes: Mapping[str, Any]) -> None:
    """Raise TypeError for sizes of workspaces that nobody declared."""
    unknown = [name for name in sizes if name not in members]
    if unknown:
        raise TypeError(f"the kernel declares no {unknown[0]!r} (it declares {', '.join(members)})")


def _workspace(run: "Specialised", kind: str, size: int) -> Any:
    makers = (run.states, run.moves, run.ints, run.floats, run.float_rows)
    return makers[KINDS.index(kind)](size)


class Workspace:
    """A bundle in plain mode."""


@lru_cache(maxsize=None)
def _record_class(fields: tuple[tuple[str, Any], ...]) -> type:
    return state_class(layout(dict(fields)))


def plain_bundle(run: "Specialised", members: Members, sizes: Mapping[str, Any]) -> Workspace:
    """Return the workspaces of a kernel for plain mode."""
    _examined(members, sizes)
    bundle = Workspace()
    for name, kind in members.items():
        value: Any
        if isinstance(kind, str):
            value = _workspace(run, kind, sizes.get(name, 1))
        elif isinstance(kind, Kernel):
            value = plain_bundle(run, kind.records, sizes.get(name, {}))
        elif isinstance(kind, list):
            (item,) = kind
            make = item if item in (int, float) else _record_class(tuple(item.items()))  # int() is 0, float() is 0.0
            value = [make() for _ in range(sizes.get(name, 1))]
        else:
            value = _record_class(tuple(kind.items()))()
        setattr(bundle, name, value)
    return bundle


class Bundle:
    """A bundle for compiled code; `buffer` is the table that it gets."""

    def __init__(self, run: "Specialised", members: Members, sizes: Mapping[str, Any]):
        _examined(members, sizes)
        self._members: dict[str, Any] = {}
        self.buffer = memory.ints(2 * len(members))
        for number, (name, kind) in enumerate(members.items()):
            self._members[name] = _made(run, kind, sizes.get(name, {} if isinstance(kind, Kernel) else 1))
            cells = getattr(self._members[name], "buffer", self._members[name])
            self.buffer[2 * number] = ctypes.addressof((ctypes.c_char * 0).from_buffer(cells))
            self.buffer[2 * number + 1] = len(self._members[name])

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["_members"][name]
        except KeyError:
            raise AttributeError(f"the workspace has no {name!r}") from None


def _made(run: "Specialised", kind: Any, size: Any) -> Any:
    if isinstance(kind, str):
        return _workspace(run, kind, size)
    if isinstance(kind, Kernel):
        return Bundle(run, kind.records, size)
    if not isinstance(kind, list):
        return Record(layout(kind), memory.ints(layout(kind).cells))
    (item,) = kind
    if item is int or item is float:
        return memory.floats(size) if item is float else memory.ints(size)
    return Records(layout(item), size)


class Record:
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

    def __getitem__(self, i: int) -> Record:
        if not 0 <= i < self.size:
            raise IndexError(f"there is no row {i} among {self.size}")
        return Record(self.fields, self.buffer[i * self.width : (i + 1) * self.width])

    def __iter__(self) -> Iterator[Record]:
        return (self[i] for i in range(self.size))

    def column(self, name: str, rows: int) -> list[Any]:
        """Return one field of the first rows."""
        (field,) = [field for field in self.fields if field.name == name]
        cells = self.buffer.cast("B").cast("d") if field.real else self.buffer
        return cells[field.offset : rows * self.width : self.width].tolist()
