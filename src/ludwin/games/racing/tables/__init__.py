"""The tables of chapter 9 of *Evolved to Win*: drivers of the original as recorded, ours as measured.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 9.
"""

from ludwin.games.racing.tables.figures import FIGURE_9_2, FIGURE_9_3
from ludwin.games.racing.tables.laps import TABLE_9_2, TABLE_9_5, TEXT_9
from ludwin.games.racing.tables.season import TABLE_9_3, TABLE_9_4

TABLES = (TABLE_9_2, TABLE_9_3, TABLE_9_4, TABLE_9_5, TEXT_9, FIGURE_9_2, FIGURE_9_3)
