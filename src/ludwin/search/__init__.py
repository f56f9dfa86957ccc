"""Agents: one file, one idea. This register says under which name each is called."""

from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.choice import Agent
from ludwin.search.ea_mcts import EAMCTS, SIEAMCTS
from ludwin.search.expectimax import Expectimax, Star1, Star2
from ludwin.search.greedy import Greedy
from ludwin.search.guide import Guide
from ludwin.search.maxn import MaxN
from ludwin.search.mcts import MCTS
from ludwin.search.minimax import Minimax
from ludwin.search.playout import Flat, Random
from ludwin.search.proof import ProofNumber
from ludwin.search.uct import UCT

AGENTS: dict[str, type[Agent]] = {
    kind.name: kind for kind in (AlphaBeta, EAMCTS, Expectimax, Flat, Greedy, Guide, MCTS, MaxN, Minimax, ProofNumber, Random, SIEAMCTS, Star1, Star2, UCT)
}
