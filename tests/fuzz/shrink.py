"""Smaller programs that still show a difference.

Why it is here.  A random program of thirty lines hides its point; the same difference in three lines is a bug report.
Greedy reduction: try every way to take something away, keep what still differs, begin again until nothing more goes.
After D. R. MacIver's and A. F. Donaldson's account of such reducers ("Test-case reduction via test-case generation", 2020).
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

from tests.fuzz.generate import Program, const
from tests.fuzz.tree import Node, join

SIMPLE = {"i": (0, 1), "f": (0.0, 1.0), "b": (True, False)}


def shrink(program: Program, test: Callable[[Program], Any], seconds: float) -> Program:
    """Return the smallest program found for which `test` is still true."""
    end = time.monotonic() + seconds
    found = True
    while found:
        found = False
        for step in (_fewer_statements, _fewer_heads, _simpler_expressions):
            k = 0
            while True:  # what has worked at a place is tried there again, so that one pass does most of the work
                smaller = next(itertools.islice(step(program), k, None), None)
                if smaller is None or time.monotonic() > end:
                    break
                if smaller.sound() and test(smaller):
                    program, found = smaller, True
                else:
                    k += 1
    return program


def _blocks(program: Program) -> Iterator[list[Node]]:
    """Yield every block of statements, outer ones first."""
    for function in reversed(program.functions):
        yield function.body
        for node in function.walk():
            yield from node.blocks


def _fewer_statements(program: Program) -> Iterator[Program]:
    """Yield programs without some statements, many first."""
    sizes = [len(block) for block in _blocks(program)]
    for size in (8, 4, 2, 1):
        for b, length in enumerate(sizes):
            for k in range(0, length - size + 1, size):
                copy = program.copy()
                block = list(_blocks(copy))[b]
                del block[k : k + size]
                yield copy


def _fewer_heads(program: Program) -> Iterator[Program]:
    """Yield programs with a body instead of its loop or branch."""
    for b, statements in enumerate(list(_blocks(program))):
        for k, statement in enumerate(statements):
            for inner in range(len(statement.blocks)):
                copy = program.copy()
                block = list(_blocks(copy))[b]
                block[k : k + 1] = block[k].blocks[inner]
                yield copy


def _simpler_expressions(program: Program) -> Iterator[Program]:
    """Yield programs with one expression made simpler, outer ones first."""
    for e, (holder, k) in enumerate(list(_expressions(program))):
        for other in _simpler(holder.parts[k]):
            copy = program.copy()
            twin_holder, twin_k = list(_expressions(copy))[e]
            twin_holder.parts[twin_k] = other.copy()
            yield copy


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
