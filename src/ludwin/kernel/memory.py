"""Room for compiled code to work in: cells of 64 bits, as memory views.

Why it is here.  A search needs a stack of states, move lists and tables, and nothing of NumPy: importing that costs
more than many a search.  Small workspaces are bytearrays, large ones anonymous maps, whose pages are zero and cost
nothing before they are touched.  The maps are private: after a fork each process has its own.  NumPy arrays fit
wherever these do, and `numpy.asarray(ints(9))` shares the cells.
"""

import mmap
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import index as whole
from typing import Any

LARGE = 65536  # bytes from which a workspace is a map of its own
HUGE = 4 << 20  # bytes from which huge pages are asked for, as NumPy does: a table of 64 MB fills in half the time


def ints(n: int) -> "memoryview[int]":
    """Return `n` integer cells, all 0."""
    return _cells(n, "q")


def floats(n: int) -> "memoryview[float]":
    """Return `n` float cells, all 0.0."""
    return _cells(n, "d")


def _cells(n: int, kind: str) -> "memoryview[Any]":
    n = whole(n)
    if n < 0:
        raise ValueError(f"a workspace cannot have {n} cells")
    # A view without items cannot be cast, so there is always one cell, and perhaps none of it in sight.
    size = 8 * max(n, 1)
    if size <= LARGE:
        return memoryview(bytearray(size)).cast(kind)[:n]  # type: ignore[call-overload,no-any-return]
    try:
        return memoryview(_map(size)).cast(kind)  # type: ignore[call-overload,no-any-return]
    except (OSError, OverflowError, ValueError):
        raise MemoryError(f"there is no memory for a workspace of {n} cells ({size / 1e9:.1f} GB)") from None


def _map(size: int) -> mmap.mmap:
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows: there are no forks to be private from
        return mmap.mmap(-1, size)
    memory = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    if size >= HUGE and hasattr(mmap, "MADV_HUGEPAGE"):
        with suppress(OSError):  # a kernel without them
            memory.madvise(mmap.MADV_HUGEPAGE)
    return memory


def write(cells: Any, values: Sequence[Any]) -> None:
    """Write values into the first cells of a workspace: a view in compiled modes, a list in plain mode."""
    cells[: len(values)] = array(cells.format, values) if isinstance(cells, memoryview) else values


class Rows:
    """A stack of `n` rows of `width` cells: integers, or floats if `real`. `rows[i]` is a view of one row.

    >>> rows = Rows(3, 2)
    >>> rows[1] = [5, 6]
    >>> rows[-1][0] = 7
    >>> rows.tolist()
    [[0, 0], [5, 6], [7, 0]]
    """

    __slots__ = ("_n", "buffer", "real", "width")

    def __init__(self, n: int, width: int, real: bool = False, spare: int = 0):
        """Make the rows, all 0, with some room behind the last for code that writes too far."""
        self._n, self.width, self.real = whole(n), whole(width), real
        if self._n < 0 or self.width < 0:
            raise ValueError(f"a workspace cannot have {n} rows of {width} cells")
        cells = self._n * self.width
        self.buffer: memoryview[Any] = _cells(cells + spare, "d" if real else "q")[:cells]

    def __len__(self) -> int:
        return self._n

    def __getitem__(self, i: int) -> "memoryview[Any]":
        k = whole(i)
        if k < 0:
            k += self._n
        if not 0 <= k < self._n:
            raise IndexError(f"there is no row {i} among {self._n}")
        return self.buffer[k * self.width : (k + 1) * self.width]

    def __setitem__(self, i: int, values: Iterable[Any]) -> None:
        row = self[i]
        cells = array("d" if self.real else "q", list(values))  # refuses what does not fit before anything is written
        if len(cells) != self.width:
            raise ValueError(f"a row has {self.width} cells, got {len(cells)}")
        row[:] = memoryview(cells)

    def __iter__(self) -> "Iterator[memoryview[Any]]":
        return (self[i] for i in range(self._n))

    def __repr__(self) -> str:
        return f"Rows({self._n}, {self.width}, real={self.real})"

    def tolist(self) -> list[list[Any]]:
        """Return all rows as lists."""
        return [row.tolist() for row in self]
