"""The twin: a program run by CPython with every operation examined, so that it is known what compiled code must do.

Why it is here. Plain Python's integers have no end and its negative indices wrap round, so plain mode alone does
not say whether compiled code has to agree. The twin's text (`tests/fuzz/tree.py`) is the program's own, line for
line, with words that look at each result. A run ends in one of these ways (`Verdict.how`):

- `fine`: nothing special; all modes must end with the same state.
- `raises`: CPython raised; all modes must report a fault at that line.
- `leaves`: a whole number left 64 bits; checked must report a fault at that line.
- `index`: an index is outside (or negative, which CPython would allow); checked must report a fault at that line.
- `inexact`: a whole number that no float equals went to a place that compiled code keeps as a float; as `leaves`.
- `long`: too many steps or too deep a recursion; nobody runs this.

With `wrap=True` the twin does what fast mode must: integers wrap, conversions round.

A variable that is a whole number here and a float there is one or two variables to a compiler, depending on who
reads it, which the twin does not know. With `loose=True` such a variable keeps the whole number. Where that makes
no difference, and it rarely does, everybody must agree; where it does, compiled code may end as either
(`tests/fuzz/programs.py`).

`coerced` says that a whole number was kept as a float somewhere. Plain mode keeps the whole number there, so it may
differ from all others afterwards (`-v` is 0 there and -0.0 here); such differences are counted apart and are no
fault of the compiler.
"""

from __future__ import annotations

import itertools
import math
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

LOWEST, HIGHEST = -(2**63), 2**63 - 1
STEPS = 3000  # of loops and calls in one run
RAISES = (ZeroDivisionError, ValueError, OverflowError, AssertionError, UnboundLocalError)


class Leaves(Exception):
    """A whole number left 64 bits."""


class LeavesForGood(Leaves):
    """It did by a conversion for which no wrapping is promised."""


class Inexact(Exception):
    """A whole number is not a float."""


class Outside(IndexError):
    """A negative index."""


class TooLong(Exception):
    """The program takes too many steps."""


@dataclass(frozen=True)
class Verdict:
    """How a run ended; `line` is (file, line) of what ended it, `cells` the state after a fine one."""

    how: str
    line: tuple[str, int] | None = None
    cells: tuple[int | float, ...] = ()
    answer: float = 0.0
    coerced: bool = False
    reason: str = ""


def alike(one: Verdict, two: Verdict) -> bool:
    """Tell whether two verdicts ask the same of compiled code."""
    if (one.how, one.line) != (two.how, two.line) or not same(one.answer, two.answer):
        return False
    return all(map(same, one.cells, two.cells))


class Watch:
    """What one run has met, and the words of the twin's text."""

    def __init__(self) -> None:
        self.wrap = False
        self.loose = False
        self.coerced = False
        self.left = 0

    def start(self, wrap: bool, loose: bool) -> None:
        """Begin a run."""
        self.loose = loose
        self.wrap, self.coerced, self.left = wrap, False, STEPS

    def words(self) -> dict[str, Callable[..., Any]]:
        """Return the words by name."""
        names = ("fit", "must_fit", "real", "maybe", "joined", "shifted", "raised", "tick", "ticks")
        return {name: getattr(self, name) for name in names}

    def fit(self, value: Any) -> Any:
        """Pass on a result that fits 64 bits."""
        if type(value) is int and not LOWEST <= value <= HIGHEST:
            if not self.wrap:
                raise Leaves(str(value)[:40])
            return (value - LOWEST) % 2**64 + LOWEST
        return value

    def must_fit(self, value: Any) -> Any:
        """Pass on what was made of a float."""
        if not LOWEST <= value <= HIGHEST:
            raise LeavesForGood(str(value)[:40])
        return value

    def real(self, value: Any) -> float:
        """Keep a number as a float."""
        if type(value) is float:
            return value
        self.coerced = True
        kept = float(value)
        if kept != value and not self.wrap:
            raise Inexact(str(value))
        return kept

    def maybe(self, value: Any) -> Any:
        """Keep a number as a float, unless the run is loose."""
        return value if self.loose else self.real(value)

    def joined(self, value: Any, *others: Any) -> Any:
        """Keep a number as a float if one of the others is one."""
        return self.real(value) if any(type(other) is float for other in others) else value

    def shifted(self, value: int, count: int) -> int:
        """Return value << count."""
        if count > 4096 and value:
            return int(self.fit(2**64)) if not self.wrap else 0
        return int(self.fit(value << count)) if value or count < 0 else 0

    def raised(self, base: int, exponent: int) -> int:
        """Return base ** exponent for a whole number that is not negative."""
        assert exponent >= 0, "no such power is drawn"
        if exponent > 64 and abs(base) > 1:
            return int(self.fit(2**64)) if not self.wrap else int(self.fit(pow(base, exponent, 2**64)))
        return int(self.fit(base**exponent))

    def tick(self) -> bool:
        """Count a step."""
        self.left -= 1
        if self.left < 0:
            raise TooLong
        return True

    def ticks(self, spread: range) -> Iterator[int]:
        """Count the steps of a loop."""
        for value in spread:
            self.tick()
            yield value


class Row(tuple):  # type: ignore[type-arg]
    """A row of a table: no negative indices; floats where compiled code has floats."""

    watch: Watch
    mixed = False

    def __getitem__(self, index: Any) -> Any:
        if index < 0:
            raise Outside(f"negative index {index}")
        value = super().__getitem__(index)
        return self.watch.real(value) if self.mixed and not isinstance(value, Row) else value


class Cells(list):  # type: ignore[type-arg]
    """An array field: no negative indices; it keeps what compiled cells keep."""

    def __init__(self, values: Any, watch: Watch, is_real: bool):
        super().__init__(values)
        self.watch = watch
        self.is_real = is_real

    def __getitem__(self, index: Any) -> Any:
        if index < 0:
            raise Outside(f"negative index {index}")
        return super().__getitem__(index)

    def __setitem__(self, index: Any, value: Any) -> None:
        if index < 0:
            raise Outside(f"negative index {index}")
        super().__setitem__(index, self.watch.real(value) if self.is_real else self.watch.fit(value))


class Twin:
    """The functions of one file of programs in their examined form."""

    def __init__(self, game: Any, texts: dict[str, str]):
        """Take a loaded game and, for each of its files, the twin's text of its programs."""
        self.game = game
        self.watch = Watch()
        self.row = type("Row", (Row,), {"watch": self.watch})
        self.mixed = type("MixedRow", (Row,), {"watch": self.watch, "mixed": True})
        self.files = set(texts)
        spaces: dict[str, dict[str, Any]] = {}
        for path, module in sorted(game.modules.items(), key=lambda item: item[0].stem != "helper"):
            space = {name: self._table(value) for name, value in vars(module).items()}
            space |= self.watch.words()
            if "helper" in space and isinstance(space["helper"], types.ModuleType):
                inner = next(s for p, s in spaces.items() if p.endswith("helper.py"))
                space["helper"] = types.SimpleNamespace(**inner)
                space |= {name: inner[name] for name in space.keys() & inner.keys() if callable(inner[name])}
            exec(compile(texts[str(path)], str(path), "exec"), space)
            spaces[str(path)] = space
        self.query = spaces[str(game.source.path)]["query"]

    def _table(self, value: Any) -> Any:
        if not isinstance(value, tuple):
            return value
        kind = self.mixed if {type(v) for v in _flat(value)} == {int, float} else self.row
        return _rows(value, kind)

    def run(self, number: int, cells: tuple[int | float, ...], wrap: bool = False, loose: bool = False) -> Verdict:
        """Run one program on one state."""
        watch = self.watch
        watch.start(wrap, loose)
        s = self.game.state_class()
        fields = self.game.fields
        for field in fields:
            part = cells[field.offset : field.offset + field.cells]
            setattr(s, field.name, part[0] if field.size is None else Cells(part, watch, field.real))
        try:
            answer = self.query(s, 0, number, 0)
        except (Leaves, Inexact, IndexError, *RAISES) as error:
            how = "leaves" if isinstance(error, Leaves) else "inexact" if isinstance(error, Inexact) else "raises"
            how = (
                "index"
                if isinstance(error, IndexError)
                else "unsaid"
                if isinstance(error, LeavesForGood) and wrap
                else how
            )
            return Verdict(how, self._line(error), coerced=watch.coerced, reason=f"{type(error).__name__}: {error}")
        except (TooLong, RecursionError):
            return Verdict("long")
        found: list[int | float] = []
        for field in fields:
            value = getattr(s, field.name)
            found.extend(map(float if field.real else int, (value,) if field.size is None else list.__iter__(value)))
        return Verdict("fine", None, tuple(found), float(answer), watch.coerced)

    def _line(self, error: BaseException) -> tuple[str, int] | None:
        place = None
        trace = error.__traceback__
        while trace:
            name = trace.tb_frame.f_code.co_filename
            if name in self.files:
                place = (name, trace.tb_lineno)
            trace = trace.tb_next
        return place


def _flat(table: Any) -> Iterator[Any]:
    return itertools.chain.from_iterable(_flat(v) for v in table) if isinstance(table, tuple) else iter((table,))


def _rows(table: Any, kind: type) -> Any:
    return kind(_rows(v, kind) for v in table) if isinstance(table, tuple) else table


def same(left: float, right: float) -> bool:
    """Tell whether two numbers are the same to the last bit; nan is nan."""
    if left != left or right != right:
        return left != left and right != right
    return left == right and math.copysign(1.0, left) == math.copysign(1.0, right)
