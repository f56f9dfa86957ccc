"""States for plain Python: an object with named fields, in a quick and in a guarded make.

Why it is here.  Plain mode runs the author's text in CPython on these objects.  The quick make is a
slotted class with lists.  The guarded make refuses at once what compiled code would do in silence
(a float stored as an integer, a number beyond 64 bits), and is what `check` plays on.
"""

from collections.abc import Callable, Iterable
from typing import Any

from ludwin.errors import RuleError
from ludwin.rules.layout import Layout

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
        raise RuleError(f"{what} does not fit 64 bits: {value} (primitives add, mul and shl wrap round)")
    return value


def number(value: Any, what: str) -> int | float:
    """Return the value if it is a float or a 64-bit integer; raises RuleError otherwise."""
    if not isinstance(value, int | float):
        raise RuleError(f"{what} must be a number, got {describe(value)}")
    return value if isinstance(value, float) else whole(value, what)


def describe(value: object) -> str:
    """Name a value and its kind in a few words."""
    return "None" if value is None else f"{type(value).__name__} {value!r}"


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
