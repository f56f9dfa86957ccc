"""The tables of draughts: checkers on 10x10, the questions of the Twist report, and what refinements save."""

from ludwin.games.draughts.tables.savings import SAVINGS
from ludwin.games.draughts.tables.ten import CHECKERS10_3_11
from ludwin.games.draughts.tables.twist import TWIST_STUDIES

TABLES = (CHECKERS10_3_11,)
STUDIES = (*TWIST_STUDIES, SAVINGS)
