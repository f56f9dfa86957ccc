"""Individuals of three trees, as the book breeds them."""

from dataclasses import dataclass

from ludwin.evolve.trees import Genome, Trees
from ludwin.program.stream import Stream


@dataclass(frozen=True)
class EndgameTrees(Trees):
    """Three programs, of which the last one is kept smaller: to hold a draw needs less reasoning."""

    last_depth: int = 5

    def _kept(self, child: Genome, parent: Genome) -> Genome:
        return (*child[:-1], parent[-1]) if child[-1].depth > self.last_depth else child

    def cross(self, a: Genome, b: Genome, stream: Stream) -> tuple[Genome, Genome]:
        """Swap subtrees between two programs of one role."""
        first, second = super().cross(a, b, stream)
        return self._kept(first, a), self._kept(second, b)

    def mutate(self, g: Genome, stream: Stream) -> Genome:
        """Change one program."""
        return self._kept(super().mutate(g, stream), g)
