"""The experiment that a text names: a registered one, or a game to evolve players for.

Why it is here.  The experiments of a domain lie in its folder (`evolve.py`: EXPERIMENTS, a tuple), so nothing is
registered: the folders are listed.  Those that are no game's own have a line here; texts, because what they are built
of is not imported before one is wanted.  What is not found is taken for a game to evolve players for, by the
language that its queries or fields make.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from ludwin.errors import UnknownExperiment
from ludwin.evolve.experiment import Experiment
from ludwin.game import Game
from ludwin.games import domains, homes, open_part
from ludwin.library import games, is_path, load, split
from ludwin.paths import typed
from ludwin.registers import pick
from ludwin.rules.folder import part_file
from ludwin.trust import named

EXPERIMENTS = {
    "onemax": "ludwin.evolve.sanity:ONEMAX",
    "symbolic-regression": "ludwin.evolve.sanity:REGRESSION",
    "regression": "ludwin.evolve.formulas:REGRESSION",
}
GENERIC = "ludwin.evolve.generic:experiment"
PROBLEM_SOURCE = "ludwin.evolve.problem_file:problem_source"
PROBLEM_EXPERIMENT = "ludwin.evolve.problem_file:problem_experiment"
CHOICE = "experiment"  # `./mygame/:experiment=NAME`, where a user's folder has several


def names() -> list[str]:
    """Return the names of all experiments."""
    return [*EXPERIMENTS, *(one.name for domain in domains("evolve") for one in _of(domain))]


def find(text: str) -> Experiment:
    """Return the experiment that a text names: registered, a user's problem, of a user's folder, or a game.

    Raises UnknownExperiment.

    >>> find("onemax").name, find("checkers10").name
    ('onemax', 'checkers10')
    """
    wanted = text.lower().replace("_", "-")
    found = _exactly(wanted)
    if found is not None:
        return found
    problem = _problem(text)
    if problem is not None:
        return problem
    if not is_game(text):
        return _beginning(wanted, text)
    own = _of_folder(text)
    if own is not None:
        return own
    made: Experiment = _fetch(GENERIC)(text)
    return made


def is_game(text: str) -> bool:
    """Tell whether a text names a game that is no experiment of its own: on disk, or registered."""
    name = text.partition(":")[0].lower().replace("_", "-")
    if is_problem(text):
        return False
    if is_path(text.partition(":")[0]) or "/" in text or "\\" in text:
        return True
    return _exactly(text.lower()) is None and (name in homes() or name in games())


def is_problem(text: str) -> bool:
    """Tell whether a text names a user's file that defines a problem; nothing of it is run."""
    return is_path(text.partition(":")[0]) and _fetch(PROBLEM_SOURCE)(text) is not None


def _problem(text: str) -> Experiment | None:
    """Return the experiment of a user's file that defines a problem."""
    if not is_path(text.partition(":")[0]):
        return None
    source = _fetch(PROBLEM_SOURCE)(text)
    if source is None:
        return None
    if split(text)[1]:
        raise UnknownExperiment(f"{source.path.name} is a problem, which takes no parameters; give --set key=value")
    made: Experiment = _fetch(PROBLEM_EXPERIMENT)(source)
    return made


def _of(domain: str) -> tuple[Experiment, ...]:
    """Return the experiments of one of our folders."""
    return tuple(getattr(open_part(domain, "evolve"), "EXPERIMENTS", ()))


def _exactly(wanted: str) -> Experiment | None:
    """Return the experiment of this name; the folder whose game's name it begins with is opened first."""
    if wanted in EXPERIMENTS:
        experiment: Experiment = _fetch(EXPERIMENTS[wanted])
        return experiment
    if not wanted.replace("-", "").isalnum():
        return None
    for domain in sorted(domains("evolve"), key=lambda domain: not wanted.startswith(domain)):
        for one in _of(domain):
            if one.name == wanted:
                return one
    return None


def _beginning(wanted: str, text: str) -> Experiment:
    """Return the only experiment whose name begins so. Raises UnknownExperiment."""
    known = [*names(), *(name for name in games() if not name.startswith(wanted))]  # a game may have been meant
    way_out = "; `ludwin evolve` lists all; a game for two or more is one, too"
    return find(pick(text, known, "experiment", UnknownExperiment, way_out))


def _of_folder(text: str) -> Experiment | None:
    """Return the experiment of a user's folder, by the name that its runs store; None if it has none of its own."""
    name, given = split(text)
    if not is_path(name) or not part_file(typed(name), "evolve"):
        return None
    wanted = given.pop(CHOICE, None)
    game = load(name, **given)
    own = {one.name: one for one in _experiments(game)}
    if wanted is None and len(own) == 1:
        wanted = next(iter(own))
    if wanted not in own:
        several = f"name one of {', '.join(own)}: {game.name}:{CHOICE}=NAME" if own else "its evolve.py has none"
        raise UnknownExperiment(f"{game.name} has {len(own)} experiments; {several}")
    stored = named(game) + (f"{',' if game.values else ':'}{CHOICE}={wanted}" if len(own) > 1 else "")
    identity = {"game": game.fingerprint, "texts": game.source.texts_hash}
    return replace(own[wanted], name=stored, identity=lambda settings: {**own[wanted].identity(settings), **identity})


def _experiments(game: Game) -> Iterator[Experiment]:
    """Yield what a user's evolve.py offers. Raises UnknownExperiment for anything that is no experiment."""
    for one in getattr(game.part("evolve"), "EXPERIMENTS", ()):
        if not isinstance(one, Experiment):
            raise UnknownExperiment(f"{game.name}: EXPERIMENTS of evolve.py holds {type(one).__name__}, not Experiment")
        yield one


def _fetch(place: str) -> Any:
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)
