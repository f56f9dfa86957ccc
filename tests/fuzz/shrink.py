"""Smaller programs that still show a difference.

Why it is here. A random program of thirty lines hides its point; the same difference in three lines is a bug
report. Greedy reduction: try every way to take something away, keep what still differs, begin again until nothing
more goes. After D. R. MacIver's and A. F. Donaldson's account of such reducers ("Test-case reduction via test-case
generation", 2020).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests.fuzz.generate import Program, const
from tests.fuzz.tree import Node, join

SIMPLE = {"i": (0, 1), "f": (0.0, 1.0), "b": (True, False)}


Edit = Callable[[], Program]  # makes a program with one thing less


def shrink(program: Program, test: Callable[[Program], Any], seconds: float) -> Program:
    """Return the smallest program found for which `test` is still true."""
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for step in (_fewer_statements, _fewer_heads, _simpler_expressions):
            k = 0
            while time.monotonic() < end:  # what has worked at a place is tried there again: one pass does most
                edit = next(itertools.islice(step(program), k, None), None)
                if edit is None:
                    break
                smaller = edit()
                if smaller.sound() and test(smaller):
                    program, found = Program(smaller.name, smaller.reached()), True
                else:
                    k += 1
    return program


def _blocks(program: Program) -> Iterator[list[Node]]:
    """Yield every block of statements, outer ones first."""
    for function in reversed(program.functions):
        yield function.body
        for node in function.walk():
            yield from node.blocks


def _fewer_statements(program: Program) -> Iterator[Edit]:
    """Yield ways to leave out some statements, many first."""

    def without(b: int, k: int, size: int) -> Program:
        copy = program.copy()
        del list(_blocks(copy))[b][k : k + size]
        return copy

    sizes = [len(block) for block in _blocks(program)]
    for size in (8, 4, 2, 1):
        for b, length in enumerate(sizes):
            for k in range(0, length - size + 1, size):
                yield partial(without, b, k, size)


def _fewer_heads(program: Program) -> Iterator[Edit]:
    """Yield ways to put a body in the place of its loop or branch."""

    def opened(b: int, k: int, inner: int) -> Program:
        copy = program.copy()
        block = list(_blocks(copy))[b]
        block[k : k + 1] = block[k].blocks[inner]
        return copy

    for b, statements in enumerate(_blocks(program)):
        for k, statement in enumerate(statements):
            for inner in range(len(statement.blocks)):
                yield partial(opened, b, k, inner)


def _simpler_expressions(program: Program) -> Iterator[Edit]:
    """Yield ways to make one expression simpler, outer ones first."""

    def with_other(e: int, other: Node) -> Program:
        copy = program.copy()
        holder, k = list(_expressions(copy))[e]
        holder.parts[k] = other.copy()
        return copy

    for e, (holder, k) in enumerate(_expressions(program)):
        for other in _simpler(holder.parts[k]):
            yield partial(with_other, e, other)


def _expressions(program: Program) -> Iterator[tuple[Node, int]]:
    """Yield (node, number of its part) for every expression that is not a target or a state."""
    for function in reversed(program.functions):
        for node in function.walk():
            first = {"assign": -1, "unpack": -1, "note": -1, "aug": 1}.get(node.op, 0)
            for k in range(len(node.parts))[first:]:
                if node.parts[k].kind != "s":
                    yield node, k


def _simpler(node: Node) -> Iterator[Node]:
    """Yield expressions of the same kind that are smaller."""
    if node.op in ("const", "var") and not node.text.startswith(("T", "F", "M", "B", "H")):
        if node.kind in SIMPLE and node.op == "var":
            yield from (const(value) for value in SIMPLE[node.kind])
        return
    for value in SIMPLE.get(node.kind, ()) if isinstance(node.kind, str) else ():
        yield const(value)
    for part in node.parts:
        for inner in part.walk():
            if inner.kind == node.kind:
                yield inner
    if node.op in ("bool", "best") and len(node.parts) > 2:
        for k in range(len(node.parts)):
            parts = node.parts[:k] + node.parts[k + 1 :]
            if join(*(p.kind for p in parts)) == node.kind:
                yield Node(node.op, node.kind, node.text, parts)
    if node.op == "cmp" and len(node.parts) > 2:
        words = node.text.split()
        yield Node("cmp", "b", " ".join(words[:-1]), node.parts[:-1])
        yield Node("cmp", "b", " ".join(words[1:]), node.parts[1:])
