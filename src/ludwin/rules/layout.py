"""The fields of a state, and where each lies in a row of 64-bit cells.

Why it is here.  Outside compiled code a state is a value; inside it is one row of memory.  Both
sides read this table: `FIELDS = {"turn": int, "length": 3, "x": float, "speed": (float, 8)}` makes
13 cells, in the order written.
"""

import operator
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from keyword import iskeyword

from ludwin.errors import brief
from ludwin.rules.contract import MOST_CELLS

Number = int | float


@dataclass(frozen=True)
class Field:
    """One named field: a scalar (`size` is None) or an array of `size` cells."""

    name: str
    real: bool  # float cells; else integers
    size: int | None
    offset: int

    @property
    def cells(self) -> int:
        """How many cells the field takes."""
        return 1 if self.size is None else self.size


@dataclass(frozen=True)
class Layout:
    """All fields of a state, in order."""

    fields: tuple[Field, ...]

    @property
    def cells(self) -> int:
        """How many cells a state takes."""
        return sum(field.cells for field in self.fields)

    @property
    def names(self) -> tuple[str, ...]:
        """The field names, in order."""
        return tuple(field.name for field in self.fields)

    def __iter__(self) -> Iterator[Field]:
        return iter(self.fields)

    def real_cells(self) -> tuple[int, ...]:
        """Return the numbers of the cells that hold floats."""
        return tuple(field.offset + i for field in self.fields if field.real for i in range(field.cells))


def layout(fields: object) -> Layout:
    """Read a FIELDS table; raises ValueError with the reason if it is not one.

    >>> [(f.name, f.offset, f.size) for f in layout({"turn": int, "length": 3, "x": (float, 2)})]
    [('turn', 0, None), ('length', 1, 3), ('x', 4, 2)]
    """
    if not isinstance(fields, Mapping) or not fields:
        raise ValueError('FIELDS must be a table such as {"turn": int, "board": 9}')
    found: list[Field] = []
    offset = 0
    for name, kind in fields.items():
        if not isinstance(name, str) or not name.isidentifier() or iskeyword(name) or name.startswith("_"):
            raise ValueError(f"FIELDS: {name!r} cannot be a field's name")
        real, size = _kind(name, kind)
        found.append(Field(name, real, size, offset))
        offset += found[-1].cells
    if offset > MOST_CELLS:
        raise ValueError(f"FIELDS: a state has at most {MOST_CELLS:,} cells, and these are {brief(offset)}")
    return Layout(tuple(found))


def _kind(name: str, kind: object) -> tuple[bool, int | None]:
    if kind is int or kind is float:
        return kind is float, None
    if isinstance(kind, tuple) and len(kind) == 2 and kind[0] in (int, float):
        real, size = kind[0] is float, kind[1]
    else:
        real, size = False, kind
    cells = None if isinstance(size, bool) else whole_number(size)
    if cells is None or cells < 1:
        raise ValueError(f"FIELDS: {name!r} must be int, float, a number of cells or (float, cells), got {brief(kind)}")
    return real, cells


def whole_number(value: object) -> int | None:
    """Return a whole number, also one of NumPy's, as Python's int; None for anything else."""
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return None


def cell_bits(value: Number, real: bool) -> int:
    """Return the 64-bit pattern of one cell as a signed integer."""
    if not real:
        return int(value)
    return int(struct.unpack("<q", struct.pack("<d", value))[0])


def flatten(fields: Layout, state: object) -> tuple[Number, ...]:
    """Return the cells of a plain state as one tuple: the state as a value."""
    cells: list[Number] = []
    for field in fields:
        value = getattr(state, field.name)
        values: Sequence[Number] = (value,) if field.size is None else value
        cells.extend(map(float if field.real else int, values))
    return tuple(cells)


def fill(fields: Layout, state: object, cells: Sequence[Number]) -> None:
    """Write the cells of a value into a plain state."""
    for field in fields:
        if field.size is None:
            setattr(state, field.name, cells[field.offset])
        else:
            getattr(state, field.name)[:] = cells[field.offset : field.offset + field.size]
