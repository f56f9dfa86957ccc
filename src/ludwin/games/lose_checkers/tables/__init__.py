"""The tables of lose checkers: chapter 3 of *Evolved to Win*."""

from ludwin.games.lose_checkers.tables.evolved import REPRODUCTIONS
from ludwin.games.lose_checkers.tables.guides import LOSE_CHECKERS_3_5

TABLES = (LOSE_CHECKERS_3_5, *REPRODUCTIONS)
