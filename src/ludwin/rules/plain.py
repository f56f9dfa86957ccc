"""States for plain Python: an object with named fields, in a quick and in a guarded make.

Why it is here.  Plain mode runs the author's text in CPython on these objects.  The quick make is a
slotted class with lists.  The guarded make refuses at once what compiled code would do in silence
(a float stored as an integer, a number beyond 64 bits), and is what `check` plays on.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ludwin.errors import RuleError, brief
from ludwin.rules.layout import Layout
from ludwin.rules.source import is_numpys

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def state_class(fields: Layout) -> type:
    """Return a class whose instances hold the fields; all cells start at zero."""
    names = fields.names

    def __init__(self: Any) -> None:
        for field in fields:
            zero = 0.0 if field.real else 0
            setattr(self, field.name, zero if field.size is None else [zero] * field.size)

    def __repr__(self: Any) -> str:
        return " ".join(f"{name}={getattr(self, name)}" for name in names)

    return type("State", (), {"__slots__": names, "__init__": __init__, "__repr__": __repr__})


def copier(fields: Layout) -> Callable[[Any, Any], None]:
    """Return a function copy(to, source) that is written out field by field, for speed."""
    lines = [f"    to.{f.name}{'' if f.size is None else '[:]'} = source.{f.name}" for f in fields]
    space: dict[str, Any] = {}
    exec("def copy(to, source):\n" + "\n".join(lines), space)
    copy: Callable[[Any, Any], None] = space["copy"]
    return copy


def whole(value: Any, what: str) -> int:
    """Return the value if it is a 64-bit integer; raises RuleError otherwise."""
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, int):
        raise RuleError(f"{what} must be a whole number, got {describe(value)}")
    if not LOWEST <= value <= HIGHEST:
        raise RuleError(f"{what} does not fit 64 bits: {brief(value)} (primitives add, mul and shl wrap round)")
    return value


def number(value: Any, what: str) -> int | float:
    """Return the value if it is a float or a 64-bit integer; raises RuleError otherwise."""
    if not isinstance(value, int | float):
        raise RuleError(f"{what} must be a number, got {describe(value)}")
    return value if isinstance(value, float) else whole(value, what)


def describe(value: object) -> str:
    """Name a value and its kind in a few words."""
    return "None" if value is None else f"{type(value).__name__} {brief(value)}"


class Cells(list[Any]):
    """An array field that accepts only what fits its cells."""

    def __init__(self, values: Iterable[Any], what: str, real: bool = False):
        super().__init__(values)
        self.what = what
        self.real = real

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            examined = isinstance(value, Cells) and value.real == self.real
            super().__setitem__(index, value if examined else [self._fit(v) for v in value])
        else:
            super().__setitem__(index, self._fit(value))

    def _fit(self, value: Any) -> int | float:
        return float(number(value, self.what)) if self.real else whole(value, self.what)


class Outbox(Cells):
    """The list that `moves` fills; what is left in it from before must not be read, for it may be anything."""

    def __init__(self, size: int):
        super().__init__([0] * size, "a move")
        self.written: set[int] = set()

    def __setitem__(self, index: Any, value: Any) -> None:
        super().__setitem__(index, value)
        self.written.add(index)

    def __getitem__(self, index: Any) -> Any:
        if index not in self.written:
            raise RuleError(f"out[{index}] is read before it is written: what is left there may be anything")
        return super().__getitem__(index)

    def clear(self) -> None:
        """Forget what has been written, as before the next call of `moves`."""
        self.written.clear()

    def first(self, n: int) -> list[int] | None:
        """Return the first `n` moves; None if some of them have not been written."""
        if len(self.written) < n or not all(k in self.written for k in range(n)):
            return None
        return list.__getitem__(self, slice(0, n))


class ConstantTable(tuple[Any, ...]):
    """A table of the file as rules may use it: read, and never changed, whatever name it has got."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, tuple):
            return super().__getitem__(index)
        found: Any = self
        for part in index:  # NumPy's T[0, 1]; lint leaves it to NumPy's tables
            found = found[part]
        return found

    def __setitem__(self, index: Any, value: Any) -> None:
        raise RuleError("a table of the file is changed: everything that changes is a field of the state")


def frozen(value: Any) -> Any:
    """Return a table of the file (tuples, lists, NumPy arrays) with Python's numbers in rows that cannot be changed."""
    if is_numpys(value) and hasattr(value, "tolist"):
        value = value.tolist()
    return ConstantTable(map(frozen, value)) if isinstance(value, list | tuple) else value


def guarded_class(fields: Layout) -> type:
    """Return the guarded make of `state_class`: every store is examined."""
    reals = {field.name: field.real for field in fields}

    def __init__(self: Any) -> None:
        for field in fields:
            zero = 0.0 if field.real else 0
            value = zero if field.size is None else Cells([zero] * field.size, f"a cell of s.{field.name}", field.real)
            object.__setattr__(self, field.name, value)

    def __setattr__(self: Any, name: str, value: Any) -> None:
        if name not in reals:
            raise AttributeError(f"the state has no field {name!r}")
        if isinstance(getattr(self, name), Cells):
            raise RuleError(f"s.{name} is an array: set its cells, s.{name}[i] = …")
        object.__setattr__(self, name, float(number(value, f"s.{name}")) if reals[name] else whole(value, f"s.{name}"))

    return type("State", (), {"__slots__": fields.names, "__init__": __init__, "__setattr__": __setattr__})
