"""What evolution needs to know of genomes, and nothing more.

Why it is here.  Trees, bit strings, weights and policies breed by the same loop.  A kind says how its
genomes begin, cross, mutate and are written down; engine, selection and coevolution know only this
interface, and a kind knows nothing of fitness or populations.

Genomes are values: immutable, hashable, equal when they mean the same text.  Each operator is a pure
function of its parents and a stream, so a run is a pure function of its seed.
"""

from collections.abc import Hashable
from typing import Any, Protocol, TypeVar

from ludwin.program.stream import Stream

G = TypeVar("G", bound=Hashable)


class Representation(Protocol[G]):
    """One sort of genome and its operators."""

    @property
    def name(self) -> str:
        """The word for it, in files and messages."""
        ...

    def begin(self, n: int, stream: Stream) -> list[G]:
        """Return an initial population of n genomes (ramped, seeded from text, …)."""
        ...

    def make(self, stream: Stream) -> G:
        """Return one random genome."""
        ...

    def cross(self, a: G, b: G, stream: Stream) -> tuple[G, G]:
        """Return the two children of a two-way crossover."""
        ...

    def donate(self, donor: G, receiver: G, stream: Stream) -> G:
        """Return the receiver with a part of the donor's; the donor stays as it is."""
        ...

    def mutate(self, g: G, stream: Stream) -> G:
        """Return a changed copy."""
        ...

    def write(self, g: G) -> Any:
        """Return the genome as a JSON value that people can read."""
        ...

    def read(self, data: Any) -> G:
        """Return the genome that `write` wrote; raises BadParameter with one clear line."""
        ...

    def text(self, g: G) -> str:
        """Return the genome for people."""
        ...

    def size(self, g: G) -> int:
        """Return how large it is, in its own unit (nodes, genes)."""
        ...
