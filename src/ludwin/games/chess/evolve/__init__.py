"""Experiments with chess: searches for mates that evolve."""

from ludwin.games.chess.evolve.mates import MATES

EXPERIMENTS = (MATES,)
