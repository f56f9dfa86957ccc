"""Ludwin: write a game as one plain Python file, and search it at the speed of C++.

>>> import ludwin
>>> nim = ludwin.load("nim")
>>> ludwin.agent("alphabeta:depth=21").choose(nim, nim.start())
Choice(move=1, value=1.0, nodes=..., decided=True)
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes a while to import

if TYPE_CHECKING:  # the one list of public names: type checkers read it, and so do we
    from typing import Any

    from ludwin.arena.analysis import analyse as analyse
    from ludwin.arena.match import match as match
    from ludwin.arena.reading import analyse_file as analyse_file
    from ludwin.arena.reading import rate as rate
    from ludwin.arena.reading import replay as replay
    from ludwin.arena.simulate import simulate as simulate
    from ludwin.arena.tournament import tournament as tournament
    from ludwin.discover.problems import discover as discover
    from ludwin.errors import LudwinError as LudwinError
    from ludwin.evolve.door import evolve as evolve
    from ludwin.game import Game as Game
    from ludwin.game import State as State
    from ludwin.lab.plainly import check as check
    from ludwin.lab.plainly import perft as perft
    from ludwin.lab.plainly import reachable as reachable
    from ludwin.lab.reproduce import reproduce as reproduce
    from ludwin.lab.tune import tune as tune
    from ludwin.library import agent as agent
    from ludwin.library import load as load
    from ludwin.primitives import CHANCE as CHANCE
    from ludwin.search.alphabeta import AlphaBeta as AlphaBeta
    from ludwin.search.choice import Agent as Agent
    from ludwin.search.choice import Choice as Choice
    from ludwin.search.montecarlo.evolving.agents import EAMCTS as EAMCTS
    from ludwin.search.montecarlo.evolving.agents import SIEAMCTS as SIEAMCTS
    from ludwin.search.montecarlo.mcts import MCTS as MCTS
    from ludwin.search.playout import Random as Random
    from ludwin.search.uct import UCT as UCT

__version__ = "0.1.0"


def _homes() -> dict[str, str]:
    """Return where each public name lives, below this package, as the list above says; read when it is first needed."""
    import re

    text = globals()["__loader__"].get_source(__name__)
    found = re.findall(r"^    from ludwin\.([\w.]+) import (\w+) as \2$", text, re.M)
    return {name: home for home, name in sorted(found, key=lambda pair: pair[1])}


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used, so that `import ludwin` costs nothing."""
    if name in ("_HOMES", "__all__"):
        globals()["_HOMES"] = _homes()
        globals()["__all__"] = list(globals()["_HOMES"])
        return globals()[name]
    homes = globals().get("_HOMES") or __getattr__("_HOMES")
    if name in homes:
        if homes[name].startswith(f"{name}."):  # a package of that name, which can be called
            return import_module(f"ludwin.{name}")
        value = getattr(import_module(f"ludwin.{homes[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ludwin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
