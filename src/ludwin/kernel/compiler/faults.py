"""How compiled code says that something is wrong: refusals before it runs, faults while it runs.

Why it is here.  A text that cannot be compiled is `NotCompilable` in our words, with the author's line.  Compiled code
cannot raise; a function that can fail returns, beside its value, a number: 0, or the number of a fault.  The
image holds what each number stands for (what went wrong, in which file and line), so that a division by zero names its
line even in fast mode.  Nothing is shared between threads.
"""

import ast
from collections.abc import Sequence
from pathlib import Path

from ludwin.errors import RuleError

# What went wrong -> the exception that plain mode raises and its words; "{}" is the author's line.
WORDS = {
    "index": "an index is out of bounds in: {}",
    "overflow": "a result overflows 64 bits in: {} (primitives add, mul and shl wrap round)",
    "inexact": "a whole number beyond 2**53 becomes a float, which cannot hold it, in: {}",
    "zero": "ZeroDivisionError: division by zero in: {}",
    "shift": "ValueError: negative shift count in: {}",
    "step": "ValueError: range() arg 3 must not be zero in: {}",
    "domain": "ValueError: math domain error in: {}",
    "range": "OverflowError: math range error in: {}",
    "whole": "a float has no whole number of 64 bits in: {}",
    "power": "a negative power of a whole number is a float: use power(x, y) from ludwin.primitives, in: {}",
    "draw": "ValueError: draw(rng, n) needs n of at least 1 in: {}",
    "root": "ValueError: isqrt() argument must be nonnegative in: {}",
    "unbound": "UnboundLocalError: a variable is read before it has a value in: {}",
    "assert": "AssertionError: {}",
    "deep": "RecursionError: functions call each other too deeply in: {}",
    "moves": "moves returns a number that is not in 0 … MAX_MOVES",
}


class NotCompilable(Exception):
    """A text that cannot be compiled, with the reason and the place."""

    def __init__(self, reason: str, node: ast.AST | None = None):
        super().__init__(reason)
        self.reason = reason
        self.line: int | None = getattr(node, "lineno", None)
        self.path: Path | None = None

    def at(self, node: ast.AST, path: Path) -> "NotCompilable":
        """Note the place, unless a closer one is known."""
        if self.line is None:
            self.line = getattr(node, "lineno", None)
        if self.path is None:
            self.path = path
        return self


class Faults:
    """The numbers of a module's faults."""

    def __init__(self) -> None:
        self.places: list[tuple[str, int, int]] = []
        self.numbers: dict[tuple[str, int, int], int] = {}

    def number(self, what: str, file: int, line: int) -> int:
        """Return the number that stands for this fault at this place."""
        place = (what, file, line)
        if place not in self.numbers:
            self.places.append(place)
            self.numbers[place] = len(self.places)
        return self.numbers[place]


def explain(fault: Sequence[object], places: Sequence[Path]) -> RuleError:
    """Return a fault of compiled code as one line with file and line."""
    what, file, line = fault
    assert isinstance(what, str) and isinstance(file, int) and isinstance(line, int)
    place = places[file]
    try:
        text = place.read_text(encoding="utf8").splitlines()[line - 1].strip()
    except (OSError, IndexError, UnicodeDecodeError):
        text = "generated text"
    return RuleError(WORDS[what].format(text), place, line)  # texts without {} take none
