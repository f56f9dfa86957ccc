"""Genomes made of several parts, each of a kind of its own.

Why it is here.  A player may be two programs in two languages, or a program, a vector of weights and a policy; a design
may be a list of the user's own class and some numbers.  `Parts` puts kinds side by side: each part begins, crosses and
mutates by its own kind, and only parts of one role ever meet.  What becomes of the parts (a search with a brain, a
controller) is a factory's business, a function from the genome to an agent (`bouts.py`).

>>> from ludwin.evolve.vectors import Bits, Reals
>>> both = Parts((("switches", Bits(3)), ("weights", Reals(2))))
>>> both.write(((1, 0, 1), (0.5, 0.25)))
{'switches': '101', 'weights': [0.5, 0.25]}
"""

from dataclasses import dataclass, field
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.evolve.kind import Representation
from ludwin.program.stream import Stream
from ludwin.settings import Setting

Whole = tuple[Any, ...]


def _is_part(one: Any) -> bool:
    """Return whether something is a role and a kind."""
    return isinstance(one, tuple | list) and len(one) == 2 and isinstance(one[0], str) and hasattr(one[1], "make")


@dataclass(frozen=True)
class Parts:
    """Individuals of one part per role, as (role, kind) pairs.

    A crossover crosses one part, or, with probability `exchange`, hands over whole parts.  `rates` weighs how often
    each part is crossed or mutated; without it all alike.
    """

    parts: tuple[tuple[str, Representation[Any]], ...]
    exchange: float = 0.1
    rates: tuple[float, ...] = ()
    name: str = field(default="parts", init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.parts, tuple | list) or not all(_is_part(one) for one in self.parts):
            raise BadParameter(f"parts are pairs of a role and a kind of genome, got {brief(self.parts)}")
        roles = [role for role, _ in self.parts]
        if not roles or len(set(roles)) < len(roles):
            raise BadParameter(f"parts need different roles, at least one, got {', '.join(roles) or 'none'}")
        Setting("exchange", 0.5, "", least=0, most=1).examine(self.exchange, "parts")
        if not isinstance(self.rates, tuple | list) or not all(type(rate) in (int, float) for rate in self.rates):
            raise BadParameter(f"parts: rates are a tuple of numbers, got {brief(self.rates)}")
        if self.rates and (len(self.rates) != len(roles) or min(self.rates) < 0 or not sum(self.rates) > 0):
            raise BadParameter(f"parts: {len(roles)} parts need as many rates, from 0, not all 0, got {self.rates}")

    def begin(self, n: int, stream: Stream) -> list[Whole]:
        """Return n individuals; the parts of one role begin together, so that they are ramped."""
        columns = [kind.begin(n, stream.split(number)) for number, (_, kind) in enumerate(self.parts)]
        return [tuple(column[k] for column in columns) for k in range(n)]

    def make(self, stream: Stream) -> Whole:
        """Return one random individual."""
        return tuple(kind.make(stream.split(number)) for number, (_, kind) in enumerate(self.parts))

    def cross(self, a: Whole, b: Whole, stream: Stream) -> tuple[Whole, Whole]:
        """Cross one part of both, or exchange it as a whole."""
        at = self._pick(stream)
        if len(self.parts) > 1 and stream.chance(self.exchange):
            return _put_part(a, at, b[at]), _put_part(b, at, a[at])
        left, right = self.parts[at][1].cross(a[at], b[at], stream)
        return _put_part(a, at, left), _put_part(b, at, right)

    def donate(self, donor: Whole, receiver: Whole, stream: Stream) -> Whole:
        """Return the receiver with a piece of one of the donor's parts."""
        at = self._pick(stream)
        return _put_part(receiver, at, self.parts[at][1].donate(donor[at], receiver[at], stream))

    def mutate(self, g: Whole, stream: Stream) -> Whole:
        """Mutate one part."""
        at = self._pick(stream)
        return _put_part(g, at, self.parts[at][1].mutate(g[at], stream))

    def write(self, g: Whole) -> Any:
        """Return the parts by role."""
        return {role: kind.write(part) for (role, kind), part in zip(self.parts, g, strict=True)}

    def read(self, data: Any) -> Whole:
        """Return what `write` wrote."""
        wanted = [role for role, _ in self.parts]
        if not isinstance(data, dict) or list(data) != wanted:
            raise BadParameter(f"an individual here has the parts {', '.join(wanted)}, in this order")
        return tuple(kind.read(data[role]) for role, kind in self.parts)

    def text(self, g: Whole) -> str:
        """Return the parts for people."""
        return "\n".join(f"{role}: {kind.text(part)}" for (role, kind), part in zip(self.parts, g, strict=True))

    def size(self, g: Whole) -> int:
        """Return the sum of the parts' sizes."""
        return sum(kind.size(part) for (_, kind), part in zip(self.parts, g, strict=True))

    def decode(self, g: Whole) -> dict[str, Any]:
        """Return what a user's fitness sees: the parts by role, each as its kind shows it."""
        return {role: decoded(kind, part) for (role, kind), part in zip(self.parts, g, strict=True)}

    def shape(self, g: Whole) -> Whole:
        """Return what two individuals share that differ in numbers only; a part without a shape counts as it is."""
        shapes = [getattr(kind, "shape", None) for _, kind in self.parts]
        return tuple(shape(part) if shape else part for shape, part in zip(shapes, g, strict=True))

    def _pick(self, stream: Stream) -> int:
        return stream.weighted(self.rates) if self.rates else stream.below(len(self.parts))


def decoded(kind: Representation[Any], genome: Any) -> Any:
    """Return what a fitness of the user's sees of a genome: itself, unless its kind shows something else."""
    decode = getattr(kind, "decode", None)
    return genome if decode is None else decode(genome)


def _put_part(g: Whole, at: int, part: Any) -> Whole:
    return (*g[:at], part, *g[at + 1 :])
