"""The tables of chess: chapters 4, 5 and 6 of *Evolved to Win*.

References.  M. Sipper, *Evolved to Win*, Lulu 2011.
"""

from ludwin.games.chess.tables.endings_analysis import FIGURE_5_3, TABLE_5_1, TABLE_5_2, TABLE_5_3
from ludwin.games.chess.tables.endings_four import CHESS_FOUR
from ludwin.games.chess.tables.endings_language import CHESS_LANGUAGE
from ludwin.games.chess.tables.endings_played import FIGURE_4_1A, FIGURE_4_1B, FIGURE_4_2
from ludwin.games.chess.tables.mate_nodes import TABLE_6_1, TABLE_6_5

ENDINGS = (FIGURE_4_1A, FIGURE_4_1B, FIGURE_4_2, TABLE_5_1, TABLE_5_2, TABLE_5_3, FIGURE_5_3)
MATES = (TABLE_6_1, TABLE_6_5)
TABLES = (*ENDINGS, *MATES)
STUDIES = (CHESS_LANGUAGE, CHESS_FOUR)
