"""The tables of *Evolved to Win*, chapter 11."""

from ludwin.games.freecell.tables.solved import TABLES

__all__ = ["TABLES"]
