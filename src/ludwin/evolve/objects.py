"""Genomes of a user's own class.

Why it is here.  A tour, a knapsack, a drawing: whoever has a class for it should evolve it as it is.  Evolution wants
values that never change, and users write lists that do.  So a genome of `Objects` is the JSON text of an object; every
function of the user's gets an object of its own, read anew, and may change it as it likes.  The same text is what a
stored run keeps, so there is no second way to write a genome down.

>>> def make(stream):
...     return stream.shuffled(range(5))
>>> def mutate(tour, stream):
...     tour.append(tour.pop(stream.below(5)))  # in place: nobody else has this list
...     return tour
>>> tours = Objects(make, mutate)
>>> from ludwin.program.stream import Stream
>>> child = tours.mutate(tours.make(Stream(1)), Stream(2))
>>> sorted(tours.decode(child))
[0, 1, 2, 3, 4]
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, NamedTuple

from ludwin import formats
from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import as_number, called
from ludwin.formats import Mismatch
from ludwin.program.stream import Stream


class Frozen(NamedTuple):
    """An object as its JSON text: it can be compared, hashed and stored, and never changes."""

    text: str


@dataclass(frozen=True)
class Objects:
    """Genomes of the user's own.

    `make(stream)` returns a random object, `mutate(object, stream)` a changed one, `cross(a, b, stream)` a child, or
    two; without it children are copies of the first parent.  `write(object)` returns a JSON value and `read(value)` an
    object: they may be left out for JSON values (numbers, texts, lists, dicts) and for dataclasses of these.
    """

    make_one: Callable[[Stream], Any]
    mutate_one: Callable[[Any, Stream], Any]
    cross_two: Callable[[Any, Any, Stream], Any] | None = None
    write_one: Callable[[Any], Any] | None = None
    read_one: Callable[[Any], Any] | None = None
    text_of: Callable[[Any], str] | None = None
    size_of: Callable[[Any], int] | None = None
    name: str = "own"

    @classmethod
    def of_class(cls, kind: type, name: str = "") -> "Objects":
        """Return the kind of a class with `random(stream)` (a class method), `mutated(stream)` and, where there is
        crossover, `crossed(other, stream)`; and `to_json()` with `from_json(data)`, unless it is a dataclass.

        Raises BadParameter for what is missing.
        """
        if not isinstance(kind, type):
            raise BadParameter(f"a class is wanted whose objects evolve, got {brief(kind)}")
        for wanted in ("random", "mutated"):
            if not callable(getattr(kind, wanted, None)):
                raise BadParameter(f"{kind.__name__} needs a method {wanted}(stream) to be evolved")
        has_json = callable(getattr(kind, "to_json", None)) and callable(getattr(kind, "from_json", None))
        if not has_json and not is_dataclass(kind):
            raise BadParameter(
                f"{kind.__name__} needs to_json() and a class method from_json(data), or to be a dataclass: a run is "
                "stored, and genomes are copied by their text"
            )
        members: Any = kind
        crossed = getattr(kind, "crossed", None)
        return cls(
            members.random,
            lambda one, stream: one.mutated(stream),
            (lambda a, b, stream: a.crossed(b, stream)) if crossed else None,
            (lambda one: one.to_json()) if has_json else _fields_of,
            members.from_json if has_json else (lambda data: _of_fields(members, data)),
            str if "__str__" in vars(kind) else None,
            len if hasattr(kind, "__len__") else None,
            name or kind.__name__.lower(),
        )

    def begin(self, n: int, stream: Stream) -> list[Frozen]:
        """Return n random objects."""
        found = [self.make(stream.split(k)) for k in range(n)]
        for one in found[:1]:
            if self.read_one and self._frozen(self.decode(one), "read") != one:
                raise BadParameter(
                    f"{self.name}: read does not give back what write wrote as {brief(one.text)}, so genomes would "
                    "change whenever they are looked at"
                )
        return found

    def make(self, stream: Stream) -> Frozen:
        """Return a random object."""
        return self._frozen(called(f"{self.name}: make", self.make_one, stream), "make")

    def cross(self, a: Frozen, b: Frozen, stream: Stream) -> tuple[Frozen, Frozen]:
        """Return the children that the user's crossover makes; where it makes one, two of them."""
        if self.cross_two is None:
            return a, b
        what = f"{self.name}: cross"
        made = called(what, self.cross_two, self.decode(a), self.decode(b), stream)
        if isinstance(made, tuple) and len(made) == 2:
            return self._frozen(made[0], "cross"), self._frozen(made[1], "cross")
        other = called(what, self.cross_two, self.decode(b), self.decode(a), stream)
        return self._frozen(made, "cross"), self._frozen(other, "cross")

    def donate(self, donor: Frozen, receiver: Frozen, stream: Stream) -> Frozen:
        """Return the receiver's child of the crossover."""
        return self.cross(receiver, donor, stream)[0]

    def mutate(self, g: Frozen, stream: Stream) -> Frozen:
        """Return a changed object; what the function returns, or, if that is nothing, the object that it changed."""
        one = self.decode(g)
        made = called(f"{self.name}: mutate", self.mutate_one, one, stream)
        return self._frozen(one if made is None else made, "mutate")

    def write(self, g: Frozen) -> Any:
        """Return the object as JSON."""
        return formats.decode(g.text)

    def read(self, data: Any) -> Frozen:
        """Return what `write` wrote; raises BadParameter if the user's class refuses it."""
        try:
            frozen = Frozen(_canonical(data))
        except (TypeError, ValueError):
            raise BadParameter(f"{self.name}: {brief(data)} is no stored genome") from None
        self.decode(frozen)
        return frozen

    def text(self, g: Frozen) -> str:
        """Return the object for people."""
        return str(called(f"{self.name}: text", self.text_of, self.decode(g))) if self.text_of else g.text

    def size(self, g: Frozen) -> int:
        """Return its size; of what has none, the length of the list that it is, else 1."""
        if self.size_of:
            return int(as_number(called(f"{self.name}: size", self.size_of, self.decode(g)), f"{self.name}: size"))
        data = formats.decode(g.text)
        return max(1, len(data)) if isinstance(data, list | dict) else 1

    def decode(self, g: Frozen) -> Any:
        """Return an object of its own for whoever asks."""
        try:
            data = formats.decode(g.text)
        except Mismatch as error:
            raise BadParameter(f"{self.name}: a genome is no JSON: {error}") from None
        try:
            return self.read_one(data) if self.read_one else data
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # one that ends Python would end the run in silence
            raise BadParameter(
                f"{self.name}: read raised {type(error).__name__}: {brief(str(error))} for {brief(g.text)}"
            ) from None

    def _frozen(self, one: Any, by: str) -> Frozen:
        if one is None:
            raise BadParameter(f"{self.name}: {by} returned nothing, an object was wanted")
        try:
            data = self.write_one(one) if self.write_one else _fields_of(one) if is_dataclass(one) else one
            text = _canonical(data)
            again = formats.decode(text)
        except (TypeError, ValueError, AttributeError) as error:
            raise BadParameter(
                f"{self.name}: what {by} returned cannot be written as JSON ({brief(str(error))}); give write and read"
            ) from None
        if not self.read_one and again != _plain_json(data):
            raise BadParameter(
                f"{self.name}: {brief(data)} does not come back from JSON as it was; give write and read"
            )
        return Frozen(text)


def _canonical(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _plain_json(data: Any) -> Any:
    """Return a value with lists for tuples, which is what JSON makes of them."""
    if isinstance(data, list | tuple):
        return [_plain_json(one) for one in data]
    return {key: _plain_json(one) for key, one in data.items()} if isinstance(data, dict) else data


def _fields_of(one: Any) -> dict[str, Any]:
    return {item.name: getattr(one, item.name) for item in fields(one)}


def _of_fields(kind: Any, data: Any) -> Any:
    return kind(**data)


def own(
    make: Callable[[Stream], Any],
    mutate: Callable[[Any, Stream], Any],
    cross: Callable[[Any, Any, Stream], Any] | None = None,
    *,
    write: Callable[[Any], Any] | None = None,
    read: Callable[[Any], Any] | None = None,
    text: Callable[[Any], str] | None = None,
    size: Callable[[Any], int] | None = None,
    name: str = "own",
) -> Objects:
    """Return the kind of genomes that these functions make, change and write down. Raises BadParameter."""
    for what, function in {"make": make, "mutate": mutate}.items():
        if not callable(function):
            raise BadParameter(f"{name}: {what} must be a function, got {brief(function)}")
    for what, other in {"cross": cross, "write": write, "read": read, "text": text, "size": size}.items():
        if other is not None and not callable(other):
            raise BadParameter(f"{name}: {what} must be a function, got {brief(other)}")
    return Objects(make, mutate, cross, write, read, text, size, name)
