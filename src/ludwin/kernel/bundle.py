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
from ludwin.rules.layout import Layout, layout
from ludwin.rules.plain import copier, state_class

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
    made = state_class(layout(dict(fields)))
    return type("RecordView", (made,), {"__slots__": (), "_copier": staticmethod(copier(layout(dict(fields))))})


class Stack(dict[int, Any]):
    """Many records in plain mode: a row is made when it is first asked for, because most never are."""

    def __init__(self, make: type, size: int):
        super().__init__()
        self.make = make
        self.size = size

    def __missing__(self, i: int) -> Any:
        if not 0 <= i < self.size:
            raise IndexError(f"there is no row {i} among {self.size}")
        row = self[i] = self.make()
        return row

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.size))

    def column(self, name: str, rows: int) -> list[Any]:
        """Return one field of the first rows."""
        return [getattr(self[i], name) for i in range(rows)]


MANY = 2**18  # cells that are not made before they are written in plain mode


class Sparse(dict[int, Any]):
    """Many cells of one number in plain mode, of which most will never be written."""

    def __init__(self, zero: int | float, size: int):
        super().__init__()
        self.zero, self.size = zero, size

    def __missing__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self[k] for k in range(*i.indices(self.size))]
        if not 0 <= i < self.size:
            raise IndexError(f"there is no cell {i} among {self.size}")
        return self.zero

    def __setitem__(self, i: Any, value: Any) -> None:
        if isinstance(i, slice):
            for k, one in zip(range(*i.indices(self.size)), value, strict=True):
                self[k] = one
        elif not 0 <= i < self.size:
            raise IndexError(f"there is no cell {i} among {self.size}")
        else:
            super().__setitem__(i, value)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(self.size))


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
            size = sizes.get(name, 1)
            is_number = item is int or item is float
            if is_number:
                value = [item()] * size if size < MANY else Sparse(item(), size)
            else:
                value = Stack(_record_class(tuple(item.items())), size)
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
        return Records(layout(kind), 1)[0]
    (item,) = kind
    if item is int or item is float:
        return memory.floats(size) if item is float else memory.ints(size)
    return Records(layout(item), size)


class RecordView:
    """One row of named fields, seen from Python: `record.visits`, `record.visits = 3`."""

    __slots__ = ("_begin", "_stack")

    def __init__(self, stack: "Records", begin: int):
        object.__setattr__(self, "_stack", stack)
        object.__setattr__(self, "_begin", begin)

    @property
    def buffer(self) -> "memoryview[Any]":
        """The cells of the row."""
        cells: memoryview[Any] = self._stack.buffer[self._begin : self._begin + self._stack.width]
        return cells

    def __len__(self) -> int:
        return 1

    def __getattr__(self, name: str) -> Any:
        cells, offset, size = self._stack.place(name)
        at = self._begin + offset
        return cells[at] if size is None else cells[at : at + size]

    def __setattr__(self, name: str, value: Any) -> None:
        cells, offset, _ = self._stack.place(name)
        cells[self._begin + offset] = value


class Records:
    """A stack of records, seen from Python; `column` reads one field of many rows at once."""

    def __init__(self, fields: Layout, size: int):
        self.size = size
        self.width = fields.cells
        self.buffer = memory.ints(size * self.width)
        reals = self.buffer.cast("B").cast("d") if size else memory.floats(0)
        self.places = {f.name: (reals if f.real else self.buffer, f.offset, f.size) for f in fields}

    def place(self, name: str) -> tuple["memoryview[Any]", int, int | None]:
        """Return in which cells a field lies, where in a row, and how many cells it has (None: one that is no
        array).
        """
        try:
            return self.places[name]
        except KeyError:
            raise AttributeError(f"the record has no field {name!r}") from None

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, i: int) -> RecordView:
        if not 0 <= i < self.size:
            raise IndexError(f"there is no row {i} among {self.size}")
        return RecordView(self, i * self.width)

    def __iter__(self) -> Iterator[RecordView]:
        return (self[i] for i in range(self.size))

    def cells(self, name: str, rows: int) -> "memoryview[Any]":
        """Return one field of the first rows as a view, which NumPy takes as it is."""
        cells, offset, _ = self.place(name)
        return cells[offset : rows * self.width : self.width]

    def column(self, name: str, rows: int) -> list[Any]:
        """Return one field of the first rows."""
        return self.cells(name, rows).tolist()
