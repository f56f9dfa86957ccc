"""What a world that ticks declares beside its fields: what its players control, and what they see.

Why it is here.  In a world that ticks all players act at once.  `CONTROLS = {"push": (-1, 1), "aim": float}` names the
numbers that every seat sets before each step: a float with a range into which answers are clipped, `(low, high)` or
`(low, high, rest)`, or any finite float.  They become float arrays of the state with one cell per player,
`s.push[p]`, so that a state with its controls in force is one value.  `SENSES = {"gap": float, "near": (float, 3)}`
names what `sense(s, p, view)` writes for a player to see.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ludwin.errors import brief
from ludwin.rules.contract import MOST_CONTROLS
from ludwin.rules.layout import Layout, layout


@dataclass(frozen=True)
class Control:
    """One number that a seat sets: its range, and what it is while nobody is in control."""

    name: str
    low: float = -math.inf
    high: float = math.inf
    rest: float = 0.0

    def clip(self, value: float) -> float:
        """Return a finite answer as the world takes it."""
        return min(max(value, self.low), self.high)


def read_controls(declared: object) -> tuple[Control, ...]:
    """Read a CONTROLS table; raises ValueError with the reason if it is not one.

    >>> read_controls({"wheel": (-1, 1), "speed": (10, 300, 20)})[1]
    Control(name='speed', low=10.0, high=300.0, rest=20.0)
    >>> read_controls({"wheel": float})[0].rest
    0.0
    """
    if not isinstance(declared, Mapping) or not declared:
        raise ValueError('CONTROLS must be a table such as {"wheel": (-1, 1), "speed": float}')
    if len(declared) > MOST_CONTROLS:
        raise ValueError(f"CONTROLS: a player has at most {MOST_CONTROLS} controls, and these are {len(declared)}")
    return tuple(_control(name, kind) for name, kind in declared.items())


def _control(name: object, kind: object) -> Control:
    if kind is float:
        return Control(str(name))
    numbers = kind if isinstance(kind, tuple) and len(kind) in (2, 3) else ()
    if not numbers or not all(isinstance(v, int | float) and not isinstance(v, bool) for v in numbers):
        raise ValueError(f"CONTROLS: {name!r} must be float, (low, high) or (low, high, rest), got {brief(kind)}")
    try:
        low, high = float(numbers[0]), float(numbers[1])
        rest = float(numbers[2]) if len(numbers) == 3 else min(max(0.0, low), high)
    except OverflowError:
        raise ValueError(f"CONTROLS: {name!r} has a number that is too large for a float, got {brief(kind)}") from None
    if not -math.inf < low < high < math.inf or not low <= rest <= high:
        raise ValueError(f"CONTROLS: {name!r} must have low < high and rest between them, got {brief(kind)}")
    if high - low == math.inf:  # a random driver must find its way from end to end
        raise ValueError(f"CONTROLS: {name!r} has a range that is too wide for a float, got {brief(kind)}")
    return Control(str(name), low, high, rest)


def with_controls(fields: object, controls: tuple[Control, ...], players: int) -> Layout:
    """Return the layout of a world's state: its fields, and a float per player for each control."""
    declared: dict[Any, Any] = dict(fields) if isinstance(fields, Mapping) else {}
    layout(declared)  # FIELDS itself must be right, and is blamed before CONTROLS
    for control in controls:
        if control.name in declared:
            raise ValueError(f"FIELDS: {control.name!r} is a control, which is a field of its own: leave it out")
        declared[control.name] = (float, players)
    try:
        return layout(declared)
    except ValueError as error:
        raise ValueError(str(error).replace("FIELDS: ", "CONTROLS: ")) from None


def read_senses(declared: object) -> Layout:
    """Read a SENSES table, which has the form of FIELDS; raises ValueError with the reason."""
    try:
        return layout(declared)
    except ValueError as error:
        reason = str(error).replace('{"turn": int, "board": 9}', '{"gap": float, "near": (float, 3)}')
        raise ValueError(reason.replace("FIELDS", "SENSES")) from None
