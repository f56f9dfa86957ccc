"""Experiments with chess: searches for mates that evolve."""

from ludwin.games.chess.mates.evolving import MATES

EXPERIMENTS = (MATES,)
