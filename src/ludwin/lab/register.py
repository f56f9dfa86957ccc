"""Which experiments there are: published tables to reproduce, and studies."""

from ludwin.errors import UnknownExperiment, did_you_mean
from ludwin.lab.carcassonne_base import CARCASSONNE_6_2, CARCASSONNE_6_3
from ludwin.lab.carcassonne_league import CARCASSONNE_6_4, CARCASSONNE_6_8
from ludwin.lab.carcassonne_solo import CARCASSONNE_5_10
from ludwin.lab.evolved_tables import REPRODUCTIONS
from ludwin.lab.experiment import LabTable
from ludwin.lab.fop_formulas import FORMULAS
from ludwin.lab.fop_options import OPTIONS
from ludwin.lab.fop_tables import FOP
from ludwin.lab.lose_checkers import LOSE_CHECKERS_3_5
from ludwin.lab.mcts_options import MCTS_OPTIONS
from ludwin.lab.savings import SAVINGS
from ludwin.lab.twist import STUDIES

CARCASSONNE = (CARCASSONNE_5_10, CARCASSONNE_6_2, CARCASSONNE_6_3, CARCASSONNE_6_4, CARCASSONNE_6_8)
TABLES = {
    experiment.name: experiment for experiment in (LOSE_CHECKERS_3_5, *REPRODUCTIONS, *CARCASSONNE, *FOP, FORMULAS)
}
STUDY = {experiment.name: experiment for experiment in (*STUDIES, SAVINGS, OPTIONS, MCTS_OPTIONS)}


def find(name: str, known: dict[str, LabTable]) -> LabTable:
    """Return the experiment of this name. Raises UnknownExperiment."""
    if name not in known:
        raise UnknownExperiment(
            f"no experiment called {name!r}{did_you_mean(name, known)} (--list names all {len(known)})"
        )
    return known[name]
