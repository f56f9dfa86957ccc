"""Lose checkers in writing: as draughts, from which it has the board and the moves."""

from ludwin.games.draughts.notation import OPENINGS, PORTABLE, name, parse, read, write  # noqa: F401
