"""Workspaces are cells of 64 bits, zero at first, and each process's own."""

import pytest

from ludwin.kernel import memory
from ludwin.kernel.memory import Rows, floats, ints

SIZES = [0, 1, 2, 8191, 8192, 8193, 200_000, 1_000_000]  # both sides of 64 kB and of 4 MB


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(("make", "kind", "value"), [(ints, "q", -(2**63)), (floats, "d", 0.1)])
def test_cells_are_zero_and_hold_what_is_written(n, make, kind, value):
    cells = make(n)
    assert (cells.format, cells.itemsize, len(cells), cells.nbytes) == (kind, 8, n, 8 * n)
    assert cells.tolist() == [0] * n and not cells.readonly and cells.c_contiguous
    for i in {0, n // 2, n - 1} if n else ():
        cells[i] = value
        assert cells[i] == value
    with pytest.raises(IndexError):
        cells[n]


@pytest.mark.parametrize("n", [-1, -(10**30)])
def test_a_negative_number_of_cells_is_refused(n):
    with pytest.raises(ValueError, match="cannot have"):
        ints(n)
    with pytest.raises(ValueError, match="cannot have"):
        Rows(n, 3)
    with pytest.raises(ValueError, match="cannot have"):
        Rows(3, n)
    with pytest.raises(ValueError, match="cannot have"):
        Rows(n, n)


@pytest.mark.parametrize("n", [2**50, 2**60 - 1, 2**60, 2**63, 10**30])
def test_what_no_machine_has_is_a_memory_error(n):
    with pytest.raises(MemoryError, match="no memory for a workspace"):
        ints(n)
    with pytest.raises(MemoryError, match="no memory for a workspace"):
        Rows(n, 2, real=True)


def test_half_a_cell_is_refused():
    with pytest.raises(TypeError):
        ints(2.5)


@pytest.mark.parametrize(("n", "width"), [(0, 3), (3, 0), (0, 0), (1, 1), (4, 3), (3000, 7)])
@pytest.mark.parametrize("real", [False, True])
def test_rows_are_views_of_one_buffer(n, width, real):
    rows, twin = Rows(n, width, real), [[0] * width for _ in range(n)]
    assert rows.tolist() == twin and len(rows) == n and len(rows.buffer) == n * width
    for i in range(0, n, 2):
        values = [i * 100 + k for k in range(width)]
        rows[i] = values
        twin[i] = values
    if n and width:
        rows[-1][0] = twin[-1][0] = -7
        assert rows.buffer[(n - 1) * width] == -7
        assert rows[n - 1].format == ("d" if real else "q")
    assert rows.tolist() == twin == [list(row) for row in rows]
    assert rows.buffer.tolist() == [value for row in twin for value in row]
    for i in (n, -n - 1):
        with pytest.raises(IndexError, match=f"no row {i} among {n}"):
            rows[i]


@pytest.mark.parametrize(
    ("values", "kind", "words"),
    [
        ([1, 2], ValueError, "a row has 3 cells, got 2"),
        ([1, 2, 3, 4], ValueError, "a row has 3 cells, got 4"),
        (b"12345678" * 3, ValueError, "got 24"),  # bytes are numbers here, not memory
        ([1, 2, 2.5], TypeError, None),
        ([1, 2, 2**63], OverflowError, None),
    ],
)
def test_a_row_that_does_not_fit_changes_nothing(values, kind, words):
    rows = Rows(2, 3)
    rows[1] = [7, 8, 9]
    with pytest.raises(kind, match=words):
        rows[1] = values
    assert rows.tolist() == [[0, 0, 0], [7, 8, 9]]


def test_rows_take_what_numpy_gives_and_numpy_shares_their_cells():
    import numpy as np

    rows = Rows(2, 3)
    rows[0] = np.arange(3)
    rows[1] = rows[0]
    array = np.asarray(rows.buffer).reshape(2, 3)
    assert array.tolist() == [[0, 1, 2], [0, 1, 2]]
    array[1, 2] = 40
    assert rows[1][2] == 40


FORK = """
import os, sys
from ludwin.kernel.memory import ints
cells = ints(int(sys.argv[1]))
cells[0] = 5
child = os.fork()
if not child:
    cells[0] += 1
    os._exit(cells[0])
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), cells[0])
"""


@pytest.mark.parametrize("n", [8, 100_000, 1_000_000])
def test_a_forked_child_has_cells_of_its_own(n, python):
    pytest.importorskip("fcntl", reason="Windows has no forks")
    assert python(FORK, str(n)) == "6 5"


def test_untouched_pages_cost_nothing(python):
    resource = pytest.importorskip("resource", reason="not on Windows")
    assert resource
    script = """
import resource
from ludwin.kernel.memory import ints
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
cells = ints(1 << 26)
cells[5] = 1
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(after - before < 32_000)
"""
    assert python(script) == "True"  # of 512 MB


def test_memory_needs_no_numpy(python):
    script = "import sys, ludwin.kernel.memory\nprint({'numpy', 'numba', 'llvmlite'} & set(sys.modules))"
    assert python(script) == "set()"


def test_a_kernel_without_huge_pages_still_gives_cells(monkeypatch):
    if not hasattr(memory.mmap, "MADV_HUGEPAGE"):
        pytest.skip("this system has none")
    monkeypatch.setattr(memory.mmap, "MADV_HUGEPAGE", 9999)  # advice that every kernel refuses
    assert ints(1_000_000)[999_999] == 0
