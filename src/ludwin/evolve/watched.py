"""Kinds of genomes that users write, examined at every step: what they raise or return becomes one line.

Why it is here.  A class with the methods of `kind.Representation` is a kind, whoever wrote it; `own(make, mutate, …)`
is the easy way, and this one is for those who need all of it.  What is wrong with such a class should be told by its
name and by the method, before genomes that cannot be compared, stored or read again are in a run.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from ludwin.errors import BadParameter, brief
from ludwin.evolve.asking import as_number, called, demand_json, is_ours
from ludwin.evolve.kind import Representation
from ludwin.evolve.parts import Parts
from ludwin.evolve.policy import Policies
from ludwin.program.stream import Stream


def watched(kind: Representation[Any]) -> Representation[Any]:
    """Return a kind of ours as it is, and one of a user's own with an eye on it; parts are looked at one by one."""
    if isinstance(kind, Parts | Policies):
        return replace(kind, parts=tuple((role, watched(part)) for role, part in kind.parts))
    return kind if is_ours(kind) or isinstance(kind, Watched) else Watched(kind)


@dataclass(frozen=True)
class Watched:
    """A user's kind; what it offers beside the methods of every kind (`decode`, `shape`, …) is passed on."""

    main: Any

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "main":
            raise AttributeError(name)
        return getattr(self.main, name)

    @property
    def name(self) -> str:
        """Its own name, or its class's."""
        return str(getattr(self.main, "name", type(self.main).__name__))

    def begin(self, n: int, stream: Stream) -> list[Any]:
        """Return the first genomes; the first of them must come back from what `write` makes of it."""
        found = self._asked("begin", n, stream)
        if not isinstance(found, list | tuple):
            raise BadParameter(f"{self.name}: begin returned {brief(found)}, a list of genomes was wanted")
        for one in found:
            self._genome(one, "begin")
        for one in found[:1]:
            if self.read(self.write(one)) != one:
                raise BadParameter(
                    f"{self.name}: read does not give back what write wrote of {brief(self.text(one))}, so a run of "
                    "them could not be stored"
                )
        return list(found)

    def make(self, stream: Stream) -> Any:
        """Return a random genome."""
        return self._genome(self._asked("make", stream), "make")

    def cross(self, a: Any, b: Any, stream: Stream) -> tuple[Any, Any]:
        """Return two children."""
        found = self._asked("cross", a, b, stream)
        if not isinstance(found, list | tuple) or len(found) != 2:
            raise BadParameter(f"{self.name}: cross returned {brief(found)}, two children were wanted")
        return self._genome(found[0], "cross"), self._genome(found[1], "cross")

    def donate(self, donor: Any, receiver: Any, stream: Stream) -> Any:
        """Return the receiver's child; where the kind has no `donate`, that of its crossover."""
        if not callable(getattr(self.main, "donate", None)):
            return self.cross(receiver, donor, stream)[0]
        return self._genome(self._asked("donate", donor, receiver, stream), "donate")

    def mutate(self, g: Any, stream: Stream) -> Any:
        """Return a changed genome."""
        return self._genome(self._asked("mutate", g, stream), "mutate")

    def write(self, g: Any) -> Any:
        """Return a genome as JSON."""
        found = self._asked("write", g)
        demand_json(f"{self.name}: what write returns", found)
        return found

    def read(self, data: Any) -> Any:
        """Return the genome that `write` wrote."""
        return self._genome(self._asked("read", data), "read")

    def text(self, g: Any) -> str:
        """Return a genome for people."""
        return str(self._asked("text", g))

    def size(self, g: Any) -> int:
        """Return how large a genome is."""
        return int(as_number(self._asked("size", g), f"{self.name}: size"))

    def _asked(self, method: str, *given: Any) -> Any:
        function: Callable[..., Any] = getattr(self.main, method)
        return called(f"{self.name}: {method}", function, *given)

    def _genome(self, one: Any, by: str) -> Any:
        try:
            hash(one)
        except TypeError:
            raise BadParameter(
                f"{self.name}: {by} returned {brief(one)}, which has no hash: genomes are values that never change, "
                "such as tuples; own(make, mutate, …) takes any object"
            ) from None
        return one
