"""Which experiments there are: published tables to reproduce, and studies."""

from ludwin.errors import UnknownExperiment, did_you_mean
from ludwin.lab.evolved_tables import REPRODUCTIONS
from ludwin.lab.experiment import Experiment
from ludwin.lab.lose_checkers import LOSE_CHECKERS_3_5
from ludwin.lab.savings import SAVINGS
from ludwin.lab.twist import STUDIES

TABLES = {experiment.name: experiment for experiment in (LOSE_CHECKERS_3_5, *REPRODUCTIONS)}
STUDY = {experiment.name: experiment for experiment in (*STUDIES, SAVINGS)}


def find(name: str, known: dict[str, Experiment]) -> Experiment:
    """Return the experiment of this name. Raises UnknownExperiment."""
    if name not in known:
        raise UnknownExperiment(f"no experiment called {name!r}{did_you_mean(name, known)} (--list names all {len(known)})")
    return known[name]
