"""Programs on arrays of rows: the values of many programs on many inputs in one call.

Why it is here.  Symbolic regression, controllers on recorded situations and evaluations on a set of positions all ask
the same: these programs, those rows.  The readable evaluator walks a tree for every row.  Here a loop of machine code,
made once per language from its rules, computes what the programs have in common once, a block of rows at a time, eight
rows side by side; columns are read where they lie (docs/results/evolution-library.md has its speed).  `native` goes
further and makes machine code of each program, which costs milliseconds a program and so is for many rows; from how
many on it gains has not been measured.

Exactness.  As in `native.py`: no operation is reordered or fused, so the values are those of the readable evaluator to
the last bit; log, exp, sin and cos are the C library's.  A conditional computes both branches and takes one, which is
the same where nothing acts; programs that act are refused.

>>> from ludwin.evolve.toys import ARITHMETIC
>>> from ludwin.program.text import read
>>> on_rows([read(ARITHMETIC, "Add(X, Mul(X, X))")], {"x": [1.0, 2.0, 3.0]})
array([[ 2.,  6., 12.]])

Importing this file imports numpy; llvmlite comes with the first values.
"""

import ctypes
import threading
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Any

import numpy as np

from ludwin.errors import BadParameter, brief, did_you_mean
from ludwin.program.language import Language
from ludwin.program.tree import Tree

LANES = 8  # rows side by side
BLOCK = 128  # rows that programs are run on at a time
SHARED = 1024  # different nodes of programs that are run together: with a block of rows they are a megabyte at most


class Columns:
    """Inputs by name, ready for programs: one number a row, or, for an input with places, a list of columns.

    Raises BadParameter for columns of different lengths and for what is no number; infinite and missing numbers are
    passed on as they are.  With `reuse` all answers lie in the same memory (of each thread), so that each is good until
    the next is asked: for loops, which then need no fresh pages.
    """

    def __init__(self, columns: Mapping[str, Any], *, reuse: bool = False):
        self._answers = threading.local() if reuse else None
        if not hasattr(columns, "items"):
            raise BadParameter(f"rows are a dict of columns by their names, got {brief(columns)}")
        if not len(columns):
            raise BadParameter("rows need a column at least")
        self.length = -1
        self.first: dict[str, int] = {}
        self.places: dict[str, int] = {}
        found: list[Any] = []
        for name, values in columns.items():
            try:
                data = np.asarray(values, dtype=float)
            except (TypeError, ValueError, OverflowError):
                raise BadParameter(f"column {brief(name)} must hold numbers that a float holds") from None
            if data.ndim not in (1, 2):
                raise BadParameter(f"column {brief(name)} must be a list of numbers, or a list of such for its places")
            self.first[name], self.places[name] = len(found), 0 if data.ndim == 1 else len(data)
            for column in np.atleast_2d(data):
                if self.length not in (-1, len(column)):
                    raise BadParameter(
                        f"all columns must have the same number of rows, got {self.length} and {len(column)}"
                    )
                self.length = len(column)
                found.append(column)
        if self.length < 1:
            raise BadParameter("rows need one row at least")
        self.padded = -(-self.length // LANES) * LANES
        self.table = np.zeros((len(found), self.padded))
        self.table[:, : self.length] = found

    def inputs(self, language: Language) -> tuple[int, ...]:
        """Return the first column of what each primitive of a language reads, -1 for what reads nothing or what is
        not here.
        """
        return tuple(
            self.first.get(primitive.reads, -1) if primitive.reads else -1 for primitive in language.primitives
        )

    def demand(self, tree: Tree) -> None:
        """Raise BadParameter if a program reads what is not here, or acts."""
        for at, number in enumerate(tree.nodes):
            primitive = tree.language.primitives[number]
            if primitive.acts:
                raise BadParameter(f"the program acts ({primitive.acts!r:.60}); on rows it can only compute and read")
            if primitive.calls:
                raise BadParameter(f"the program calls {primitive.calls}; its genome's decode writes such calls out")
            if primitive.reads and primitive.reads not in self.first:
                known = ", ".join(self.first)
                raise BadParameter(
                    f"the program reads {primitive.reads!r}, which is no column"
                    f"{did_you_mean(primitive.reads, self.first)} (there are {known})"
                )
            if primitive.reads and tree.places[at] >= max(1, self.places[primitive.reads]):
                raise BadParameter(
                    f"the program reads place {tree.places[at]} of {primitive.reads!r}, which has "
                    f"{max(1, self.places[primitive.reads])} columns"
                )

    def values(self, trees: Sequence[Tree], *, native: bool = False) -> Any:
        """Return the values of programs, an array with a line for each program. Raises BadParameter."""
        out = self._answer(len(trees))
        if not trees:
            return out[:, : self.length]
        for tree in trees:
            if not isinstance(tree, Tree):
                raise BadParameter(f"rows are what programs are evaluated on, got {brief(tree)}")
        groups: dict[int, Sequence[int]] = {}
        languages: dict[int, Language] = {id(trees[0].language): trees[0].language}
        if all(tree.language is trees[0].language for tree in trees):
            groups[id(trees[0].language)] = range(len(trees))
        else:
            apart: dict[int, list[int]] = {}
            for number, tree in enumerate(trees):
                apart.setdefault(id(tree.language), []).append(number)
                languages[id(tree.language)] = tree.language
            groups.update(apart)
        for key, numbers in groups.items():
            chosen = trees if len(numbers) == len(trees) else [trees[number] for number in numbers]
            self._examine(chosen, languages[key])
            if native:
                self._run_native(chosen, numbers, out)
            elif len(numbers) == len(trees):
                self._interpret(chosen, languages[key], out)
            else:
                part = np.empty((len(numbers), self.padded))
                self._interpret(chosen, languages[key], part)
                out[list(numbers)] = part
        return out[:, : self.length]

    def _answer(self, programs: int) -> Any:
        """Return memory for the values of so many programs."""
        if self._answers is None:
            return np.empty((programs, self.padded))
        found = getattr(self._answers, "memory", None)
        if found is None or len(found) < programs:
            found = self._answers.memory = np.empty((programs, self.padded))
        return found[:programs]

    def _examine(self, trees: Sequence[Tree], language: Language) -> None:
        """Look at every tree where something of the language is not offered here; else nothing can be wrong."""
        offered = all(
            not primitive.acts
            and not primitive.calls
            and (not primitive.reads or self.first.get(primitive.reads, -1) >= 0)
            and primitive.places <= max(1, self.places.get(primitive.reads, 1))
            for primitive in language.primitives
        )
        if not offered:
            for tree in trees:
                self.demand(tree)

    def _interpret(self, trees: Sequence[Tree], language: Language, out: Any) -> None:
        run, width = interpreter_of(language)
        lengths = array("q", [len(tree.nodes) for tree in trees])
        longest = max(lengths)
        small = len(language.primitives) <= 256
        nodes: Any = b"".join([bytes(tree.nodes) for tree in trees]) if small else array("i")
        places, values, factors = array("i"), array("d"), array("d")
        if not small:
            for tree in trees:
                nodes.extend(tree.nodes)
        if any(primitive.has_value for primitive in language.primitives):
            for tree in trees:
                values.extend(tree.values)
        ones = _ones(longest | 63)
        if any(tree.factors != ones[len(tree.factors)] for tree in trees):
            for tree in trees:
                factors.extend(tree.factors)
        if any(self.places.values()):
            for tree in trees:
                places.extend(tree.places)
        block, most = min(BLOCK, self.padded), max(SHARED, longest)
        slots = 1 << (2 * most - 1).bit_length()
        sizes = (longest + 1, slots, most, most * width, most, most, most, most, most, len(trees))
        begins = [0, *accumulate(sizes)]
        scratch, work = _memory("scratch", most * block, float), _memory("work", begins[-1], np.int64)
        first = array("q", self.inputs(language))
        has = (len(values) > 0, len(factors) > 0, len(places) > 0)
        stride = self.table.strides[0]
        shape = array("q", (len(trees), self.padded, block, stride, *has, most, slots - 1, *begins[:-1]))
        run(
            *(_address(data) for data in (shape, lengths, nodes, places, values, factors, first)),
            *(data.ctypes.data for data in (self.table, work, scratch, out)),
        )

    def _run_native(self, trees: Sequence[Tree], numbers: Sequence[int], out: Any) -> None:
        for tree, number in zip(trees, numbers, strict=True):
            run = program_of(tree, tuple(self.first.items()))
            run(self.padded, self.table.strides[0], self.table.ctypes.data, out[number].ctypes.data)


def on_rows(trees: Sequence[Tree], columns: Mapping[str, Any] | Columns, *, native: bool = False) -> Any:
    """Return the values of programs on rows, an array with a line for each program. Raises BadParameter.

    Whoever asks often makes the `Columns` once.
    """
    rows = columns if isinstance(columns, Columns) else Columns(columns)
    return rows.values(trees, native=native)


def plainly(tree: Tree, rows: Columns) -> Any:
    """Return the values of a program by the readable evaluator, row by row: what all others must equal."""
    rows.demand(tree)

    def value(row: int) -> float:
        return tree.evaluate(lambda name, place: float(rows.table[rows.first[name] + place, row]))

    return np.array([value(row) for row in range(rows.length)])


_own = threading.local()


@lru_cache(maxsize=16)
def _ones(longest: int) -> tuple[tuple[float, ...], ...]:
    """Return the factors of programs without any, by their length."""
    return tuple((1.0,) * length for length in range(longest + 1))


def _memory(name: str, length: int, kind: Any) -> Any:
    """Return memory of this thread's own to work in, the same again next time: fresh pages cost more than the work."""
    found = getattr(_own, name, None)
    if found is None or len(found) < length:
        found = np.empty(length, dtype=kind)
        setattr(_own, name, found)
    return found


def _address(data: "array[Any] | bytes") -> int:
    """Return where the numbers of an array, or some bytes, lie; they stay there as long as they live."""
    if isinstance(data, bytes):
        return ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0
    return data.buffer_info()[0]


@lru_cache(maxsize=64)
def interpreter_of(language: Language) -> tuple[Any, int]:
    """Return the loop of a language as a C function, and how many arguments its nodes have room for."""
    from ludwin.program.row_code import compile_interpreter, width_of

    return compile_interpreter(language), width_of(language)


@lru_cache(maxsize=256)
def program_of(tree: Tree, inputs: tuple[tuple[str, int], ...]) -> Any:
    """Return one program as a C function."""
    from ludwin.program.row_code import compile_for_rows

    return compile_for_rows(tree, dict(inputs))
