"""The experiment that a text names: a registered one, or a game to evolve players for.

Why it is here.  Experiments are registered in the library.  What is not is taken for a game, whose players are
evolved by the language that its queries declare.
"""

from importlib import import_module

from ludwin.evolve.experiment import Experiment
from ludwin.games import GAMES
from ludwin.library import EXPERIMENTS as EXPERIMENTS
from ludwin.library import is_path

GENERIC = "ludwin.evolve.generic"


def find(text: str) -> Experiment:
    """Return the experiment that a text names: registered, or a game with queries. Raises UnknownExperiment.

    >>> find("onemax").name
    'onemax'
    """
    if is_game(text):
        made: Experiment = import_module(GENERIC).experiment(text)
        return made
    registered: Experiment = EXPERIMENTS[EXPERIMENTS.name_of(text, also=GAMES)]
    return registered


def is_game(text: str) -> bool:
    """Tell whether a text names a game that is no experiment of its own: a file, or one of ours."""
    name = text.partition(":")[0].lower().replace("_", "-")
    return text.lower() not in EXPERIMENTS and (
        is_path(text.partition(":")[0]) or "/" in text or "\\" in text or name in GAMES
    )
