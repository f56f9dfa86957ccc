"""Tables 7.4 and 7.5 and figures 7.2 to 7.4 of *Evolved to Win*: players that evolved to beat Pubeval.

References.  M. Sipper, *Evolved to Win*, Lulu 2011, chapter 7.
"""

from ludwin.games.backgammon.tables.evolved import TABLE_7_4, TABLE_7_5
from ludwin.games.backgammon.tables.figures import FIGURE_7_2, FIGURE_7_3, FIGURE_7_4
from ludwin.games.backgammon.tables.learners import BACKGAMMON_LEARNERS

TABLES = (FIGURE_7_2, FIGURE_7_3, FIGURE_7_4, TABLE_7_4, TABLE_7_5)
STUDIES = (BACKGAMMON_LEARNERS,)
