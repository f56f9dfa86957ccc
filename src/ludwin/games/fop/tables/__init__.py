"""The tables of function optimisation: chapter 5 of the thesis behind EA-MCTS, and a study of what it leaves open.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024).
"""

from ludwin.games.fop.tables.agents import FOP
from ludwin.games.fop.tables.formulas import FORMULAS
from ludwin.games.fop.tables.functions import FUNCTIONS_4_3
from ludwin.games.fop.tables.options import OPTIONS

TABLES = (*FOP, FORMULAS)
STUDIES = (OPTIONS, FUNCTIONS_4_3)
