"""Max^n: everybody for themselves.

The idea.  With more than two players a value is a vector, one payoff for each; whoever moves takes
the child whose own entry is greatest, the first among equals.  Where nature moves, the vectors are
averaged by weight.  No cuts: deep pruning is unsound for max^n.

References.  C. Luckhardt and K. Irani, "An algorithmic solution of n-person games", AAAI 1986.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import PLAYERS, Bundle, chance, copy, mover, moves, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE
from ludwin.search.brain import Brain, Thinker, furnished, mind, named_evaluation
from ludwin.search.choice import Choice, demand_open, must_move, setting
from ludwin.search.expectimax import CHANCE_PLIES, settled, weight_sum
from ludwin.search.seat import Seat, Sitting
from ludwin.search.values import assess, wake

RECORDS = {
    **{"states": "States", "bufs": "Moves", "rng": "Ints"},
    **{"worths": [float], "run": {"depth": int, "nodes": int}},  # a payoff for each player, ply by ply; counts
}


def vector(w, ply: int, depth: int):
    """Put the payoff vector of state number `ply` into its part of `worths`; return the number of the best move."""
    s = w.states[ply]
    out = w.bufs[ply]
    worths = w.worths
    here = ply * PLAYERS
    below = here + PLAYERS
    w.run.nodes += 1
    n = moves(s, out)
    if n == 0 or depth == 0:
        for p in range(PLAYERS):
            worths[here + p] = 1.0 * payoff(s, p) if n == 0 else assess(w, s, p, n)
        return 0
    child = w.states[ply + 1]
    player = mover(s)
    if player == CHANCE:
        n = settled(s, child, out, n)
    best = -math.inf
    move = 0
    total = weight_sum(s, out, n) if player == CHANCE else 1.0
    for p in range(PLAYERS):
        worths[here + p] = 0.0
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        if player == CHANCE:
            vector(w, ply + 1, depth)
            share = chance(s, out[i]) / total
            for p in range(PLAYERS):
                worths[here + p] += share * worths[below + p]
        else:
            vector(w, ply + 1, depth - 1)
            if worths[below + player] > best:
                best = worths[below + player]
                move = i
                for p in range(PLAYERS):
                    worths[here + p] = worths[below + p]
    return move


def maxn(w: Bundle):
    """Return the first best move of state 0 for its mover; its vector is the first of `w.worths`."""
    w.run.nodes = 0
    wake(w)
    return w.bufs[0][vector(w, 0, w.run.depth)]


@dataclass(frozen=True)
class MaxN(Thinker):
    """Looks `depth` decisions ahead in a game of any number of players, each for itself."""

    name: ClassVar[str] = "maxn"
    depth: int = setting(4, "decisions to look ahead; nature's moves are free", least=1)
    eval: str = setting("game", "which evaluation: game, or NAME for the game's evaluate_NAME")
    brain: Brain | None = mind()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if the game hides something."""
        demand_open(self, game)
        self.demand_opinions(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        bind = named_evaluation(self.eval)
        plies = (self.depth + 1) * (1 + (CHANCE_PLIES if game.has_chance else 0)) + 1

        def prepare(_: Specialised, w: Any) -> None:
            w.run.depth = self.depth

        sizes = {"states": plies, "bufs": plies, "worths": (plies + 1) * game.players}
        seat = Seat(Kernel("maxn", maxn, bind=bind, records=RECORDS), sizes=sizes, prepare=prepare)
        return furnished(seat, self.brain, game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move that is best for the mover."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        w = sitting.w
        return Choice(move, float(w.worths[state.mover]), w.run.nodes, depth=self.depth, line=(move,))
