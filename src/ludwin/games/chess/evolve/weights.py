"""Endgame players that count every terminal: evolution finds how much each of them weighs.

The idea.  A sum of all terminals is a program of `sums.py` in which nothing has to be found but numbers, and for these
there is CMA-ES (`breeding=cma`): children are drawn around a mean, which moves to the weighted mean of the best half.
A mean of many players has lost most of the luck of each, and that is what games want, for a player's points in sixty
games say little.

*Beginning.*  Every weight has the sign that the book means, more is better for the player, and the usual size; the
others are drawn around that.  Two terminals have no weight, for they are the same on all boards that are judged: no
legal move leaves one's king in check, and a mate is known without a program.

*Programs.*  One sum for all three is the default; `apart` gives each of them weights of its own, three times as many.

This tunes numbers: which terms there are stays as it is.  With another breeding than cma terms come and go as in
`sums.py`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ludwin.evolve.trees import Genome
from ludwin.games.chess.evolve.sums import AGAINST, EndgameSums, Terms, against, sum_of, terms_of, usual
from ludwin.program.stream import Stream
from ludwin.program.tree import Tree, leaf

ALWAYS = ("NotMyKingInCheck", "IsMate")  # the same on all boards that a program judges
APART = 0.5  # how far the first players stand from the first mean, in usual weights


@dataclass(frozen=True)
class EndgameWeights(EndgameSums):
    """Sums of all terminals; `apart` has one for each program, else all three are the same."""

    apart: bool = False

    @cached_property
    def terminals(self) -> tuple[Tree, ...]:
        """The terms: terminals that differ from board to board."""
        return tuple(leaf(self.speech, name) for name in self.readable())

    def readable(self) -> list[str]:
        """Return the names of the terms."""
        return [name for name in super().readable() if name not in ALWAYS]

    @property
    def sums(self) -> int:
        """How many different sums a player has."""
        return len(self.roles) if self.apart else 1

    def first(self) -> list[float]:
        """Return the weights that the book means."""
        one = [usual(term) * (-1.0 if against(term) > AGAINST else 1.0) for term in self.terminals]
        return one * self.sums

    def spans(self, share: float) -> list[float]:
        """Return a share of each usual weight."""
        return [share * usual(term) for term in self.terminals] * self.sums

    def vector(self, g: Genome) -> list[float]:
        """Return the weights of a player."""
        found: list[float] = []
        for tree in g[: self.sums]:
            weights: Terms = terms_of(tree)
            found += [weights.get(term, 0.0) for term in self.terminals]
        return found

    def of_vector(self, values: Sequence[float], like: Genome | None = None) -> Genome:
        """Return the player with these weights."""
        n = len(self.terminals)
        trees = [
            sum_of(dict(zip(self.terminals, map(float, values[k * n : (k + 1) * n]), strict=True)), self.speech)
            for k in range(self.sums)
        ]
        return tuple(trees) if self.apart else (trees[0],) * len(self.roles)

    def begin(self, n: int, stream: Stream) -> list[Genome]:
        """Return the player whom the book means, and others around it."""
        return [self.of_vector(self.first()), *(self.make(stream.split(k)) for k in range(1, n))][:n]

    def make(self, stream: Stream) -> Genome:
        """Return one random player."""
        drawn = [x + width * stream.normal() for x, width in zip(self.first(), self.spans(APART), strict=True)]
        return self.of_vector(drawn)
