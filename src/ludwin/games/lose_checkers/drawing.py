"""Drawings of lose checkers: a draughts board."""

from ludwin.games.draughts.drawing import FACES, picture, show  # noqa: F401
