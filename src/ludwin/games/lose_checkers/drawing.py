"""Drawings of lose checkers: a draughts board."""

from ludwin.games.draughts.drawing import show  # noqa: F401
