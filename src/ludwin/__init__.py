"""Ludwin: write a game as one plain Python file, and search it at the speed of C++.

>>> import ludwin
>>> nim = ludwin.load("nim")
>>> ludwin.agent("alphabeta:depth=21").choose(nim, nim.start())
Choice(move=1, value=1.0, nodes=..., decided=True)
"""

from importlib import import_module

TYPE_CHECKING = False  # as in `typing`, which takes a while to import

if TYPE_CHECKING:
    from typing import Any

    from ludwin.arena.match import match as match
    from ludwin.arena.tournament import tournament as tournament
    from ludwin.errors import LudwinError as LudwinError
    from ludwin.game import Game as Game
    from ludwin.game import State as State
    from ludwin.game import reachable as reachable
    from ludwin.laws import check as check
    from ludwin.library import agent as agent
    from ludwin.library import load as load
    from ludwin.primitives import CHANCE as CHANCE
    from ludwin.search.alphabeta import AlphaBeta as AlphaBeta
    from ludwin.search.choice import Agent as Agent
    from ludwin.search.choice import Choice as Choice
    from ludwin.search.montecarlo.evolving.agents import EAMCTS as EAMCTS
    from ludwin.search.montecarlo.evolving.agents import SIEAMCTS as SIEAMCTS
    from ludwin.search.montecarlo.mcts import MCTS as MCTS
    from ludwin.search.perft import perft as perft
    from ludwin.search.playout import Random as Random
    from ludwin.search.uct import UCT as UCT

__version__ = "0.1.0"

_HOMES = {
    "Agent": "search.choice",
    "AlphaBeta": "search.alphabeta",
    "CHANCE": "primitives",
    "Choice": "search.choice",
    "EAMCTS": "search.montecarlo.evolving.agents",
    "Game": "game",
    "LudwinError": "errors",
    "MCTS": "search.montecarlo.mcts",
    "Random": "search.playout",
    "SIEAMCTS": "search.montecarlo.evolving.agents",
    "State": "game",
    "UCT": "search.uct",
    "agent": "library",
    "check": "laws",
    "load": "library",
    "match": "arena.match",
    "perft": "search.perft",
    "reachable": "game",
    "tournament": "arena.tournament",
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> "Any":
    """Import a public name when it is first used, so that `import ludwin` costs nothing."""
    if name in _HOMES:
        value = getattr(import_module(f"ludwin.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'ludwin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
