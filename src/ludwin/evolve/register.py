"""Which experiments there are, by name; each is imported when it is wanted.

Why it is here.  A new experiment is a value in a module of its own and one line here.  Experiments
that play are built from games and agents by name, which this package may not import: that is why the
register holds texts.  What is not registered is taken for a game to evolve players for, by the
language that its queries declare.
"""

from importlib import import_module
from typing import Any

from ludwin.errors import UnknownExperiment, did_you_mean
from ludwin.evolve.experiment import Experiment
from ludwin.games import homes
from ludwin.library import games, is_path

EXPERIMENTS = {
    "onemax": "ludwin.evolve.sanity:ONEMAX",
    "symbolic-regression": "ludwin.evolve.sanity:REGRESSION",
    "lose-checkers": "ludwin.evolve.lose_checkers:LOSE_CHECKERS",
    "checkers10": "ludwin.evolve.lose_checkers:CHECKERS10",
    "reversi": "ludwin.evolve.lose_checkers:REVERSI",
}
GENERIC = "ludwin.evolve.generic:experiment"


def find(text: str) -> Experiment:
    """Return the experiment that a text names: registered, or a game with queries. Raises UnknownExperiment.

    >>> find("onemax").name
    'onemax'
    """
    found = _registered(text)
    if len(found) == 1:
        experiment: Experiment = _fetch(EXPERIMENTS[found[0]])
        return experiment
    if len(found) > 1:
        raise UnknownExperiment(f"{text!r:.60} may mean {' or '.join(found)}")
    if not is_game(text):
        near = did_you_mean(text.lower(), (*EXPERIMENTS, *games())) or ";"
        raise UnknownExperiment(
            f"no experiment called {text!r:.60}{near} `ludwin evolve` lists all; a game with queries is one, too"
        )
    made: Experiment = _fetch(GENERIC)(text)
    return made


def is_game(text: str) -> bool:
    """Tell whether a text names a game that is no experiment of its own: a file, or one of ours."""
    name = text.partition(":")[0].lower().replace("_", "-")
    return text.lower() not in EXPERIMENTS and (
        is_path(text.partition(":")[0]) or "/" in text or "\\" in text or name in homes() or name in games()
    )


def _registered(text: str) -> list[str]:
    """Return the registered names that a text may mean: the one, or those that begin with it."""
    wanted = text.lower().replace("_", "-")
    if wanted in EXPERIMENTS:
        return [wanted]
    return [name for name in EXPERIMENTS if name.startswith(wanted)] if wanted and not is_game(text) else []


def _fetch(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
