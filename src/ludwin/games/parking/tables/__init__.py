"""The tables of *Evolved to Win*, chapter 10."""

from ludwin.games.parking.tables.nodes import TABLES

__all__ = ["TABLES"]
