"""What evolves in backgammon: two trees as in the book, alone and on islands."""

from ludwin.games.backgammon.evolve.two_trees import ISLANDS, TWO_TREES

EXPERIMENTS = (TWO_TREES, ISLANDS)
