"""Agents: one file, one idea. This register says under which name each is called, and where it lives.

Why it is here.  Whoever names one agent should not wait for the others, so nothing is imported before it is used:
`HOMES` is a table of words, and `AGENTS` turns a word into a class when it is asked for.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludwin.search.choice import Agent

# Every agent of the package. The last two begin with a file and belong to laboratories of their own.
HOMES = {
    "alphabeta": "ludwin.search.alphabeta:AlphaBeta",
    "ea-mcts": "ludwin.search.montecarlo.evolving.agents:EAMCTS",
    "expectimax": "ludwin.search.expectimax:Expectimax",
    "flat": "ludwin.search.playout:Flat",
    "greedy": "ludwin.search.greedy:Greedy",
    "guide": "ludwin.search.guide:Guide",
    "mcts": "ludwin.search.montecarlo.mcts:MCTS",
    "maxn": "ludwin.search.maxn:MaxN",
    "minimax": "ludwin.search.minimax:Minimax",
    "pns": "ludwin.search.proof:ProofNumber",
    "random": "ludwin.search.playout:Random",
    "siea-mcts": "ludwin.search.montecarlo.evolving.agents:SIEAMCTS",
    "star1": "ludwin.search.expectimax:Star1",
    "star2": "ludwin.search.expectimax:Star2",
    "uct": "ludwin.search.uct:UCT",
    "derived": "ludwin.discover.agent:Derived",
    "evolved": "ludwin.evolve.agent:Evolved",
}


def agent_kind(name: str) -> "type[Agent]":
    """Return the class of an agent, imported only now; raises KeyError for a name that is not in the register.

    >>> agent_kind("uct").__name__
    'UCT'
    """
    module, _, attribute = HOMES[name].partition(":")
    kind: type[Agent] = getattr(import_module(module), attribute)
    return kind


class _Agents(Mapping[str, "type[Agent]"]):
    """The agents that need no file, name -> class; a class is imported when it is looked up."""

    def __getitem__(self, name: str) -> "type[Agent]":
        if name not in self:
            raise KeyError(name)
        return agent_kind(name)

    def __contains__(self, name: object) -> bool:  # without this, asking would import
        return isinstance(name, str) and HOMES.get(name, "").startswith("ludwin.search.")

    def __iter__(self) -> Iterator[str]:
        return (name for name in HOMES if name in self)

    def __len__(self) -> int:
        return sum(1 for _ in self)


AGENTS: Mapping[str, "type[Agent]"] = _Agents()
