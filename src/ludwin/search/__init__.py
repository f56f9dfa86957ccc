"""Agents: one file, one idea. This register says under which name each is called."""

from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.choice import Agent
from ludwin.search.minimax import Minimax
from ludwin.search.playout import Random
from ludwin.search.uct import UCT

AGENTS: dict[str, type[Agent]] = {kind.name: kind for kind in (AlphaBeta, Minimax, Random, UCT)}
