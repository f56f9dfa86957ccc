"""The tables of Carcassonne: chapters 5 and 6 of the thesis behind EA-MCTS.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024).
"""

from ludwin.games.carcassonne.tables.base import CARCASSONNE_6_2, CARCASSONNE_6_3
from ludwin.games.carcassonne.tables.landscape import LANDSCAPE, MEEPLES
from ludwin.games.carcassonne.tables.league import CARCASSONNE_6_4, CARCASSONNE_6_8
from ludwin.games.carcassonne.tables.solo import CARCASSONNE_5_10

STUDIES = (LANDSCAPE, MEEPLES)
TABLES = (CARCASSONNE_5_10, CARCASSONNE_6_2, CARCASSONNE_6_3, CARCASSONNE_6_4, CARCASSONNE_6_8)
