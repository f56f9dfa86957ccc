"""Figure 8.2 and table 8.2 of *Evolved to Win*: how robots evolve, and a league of four-line robots.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 8.
"""

from ludwin.games.tanks.tables.figure import FIGURE_8_2
from ludwin.games.tanks.tables.league import TABLE_8_2

TABLES = (FIGURE_8_2, TABLE_8_2)
