"""Who plays backgammon: reference players by name, our own and other people's."""

from ludwin.games.backgammon.opponents import kept
from ludwin.games.backgammon.opponents.bearoff import Bearoff
from ludwin.games.backgammon.opponents.gnubg import Gnubg
from ludwin.games.backgammon.opponents.network import COMES_WITH_LUDWIN, LearntByDifferences, NetworkBrain, read_network
from ludwin.games.backgammon.opponents.oneply import HitAndRun, Pubeval
from ludwin.games.backgammon.opponents.sage import Sage

BRAINS = {"td": lambda: NetworkBrain(read_network(COMES_WITH_LUDWIN))}  # what eval=NAME may name in searches

AGENTS = {
    "pubeval": Pubeval,
    "hit-and-run": HitAndRun,
    "bearoff": Bearoff,
    "td": LearntByDifferences,
    "gnubg": Gnubg,
    "bgsage": Sage,
}

KEPT = {kept.KIND: kept}  # what champions' files may hold beside the brains that every game has
