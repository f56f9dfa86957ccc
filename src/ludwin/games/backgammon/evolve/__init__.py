"""What evolves in backgammon: two trees as in the book, and gated sums that learn; alone and on islands."""

from ludwin.games.backgammon.evolve.learning import GATED, GATED_ISLANDS
from ludwin.games.backgammon.evolve.two_trees import ISLANDS, TWO_TREES

EXPERIMENTS = (TWO_TREES, ISLANDS, GATED, GATED_ISLANDS)
