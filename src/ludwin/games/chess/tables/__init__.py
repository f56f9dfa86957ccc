"""Tables of *Evolved to Win* about chess.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 6.
"""

from ludwin.games.chess.tables.mate_nodes import TABLE_6_1, TABLE_6_5

TABLES = (TABLE_6_1, TABLE_6_5)
