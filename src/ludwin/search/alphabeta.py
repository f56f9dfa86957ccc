"""Alpha-beta: minimax that leaves out what cannot matter.

The idea.  `alpha` is what the mover is already sure of, `beta` what the opponent will allow; once a
move reaches beta, the opponent avoids this position and its other moves need no look.  The answer
is right because a value outside the window would never travel to the root.

Values.  A finished game outweighs every opinion: payoffs (less half the sum, so that they lie
symmetrically about 0) are scaled by `DECIDED`, opinions are clipped far below.  All values are seen
from the side of the mover of their own node; the sign changes only where the mover does.

References.  D. Knuth and R. Moore, "An analysis of alpha-beta pruning", Artificial Intelligence 6
(1975), 293-326 (this is their F2 in fail-soft form).
"""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import HALF_SUM, Floats, Ints, Moves, States, copy, evaluate, mover, moves, payoff, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.search.choice import Agent, Choice, must_move, setting

DECIDED = 2.0**400  # a power of two: scaling by it loses nothing
OPINION = 2.0**300
INFINITE = 2.0**500


def opinion(s):
    """Return the evaluation from the mover's side, clipped so that no fact is outweighed (nan is the worst)."""
    value = 1.0 * evaluate(s, mover(s))
    if not value > -OPINION:
        return -OPINION
    return min(value, OPINION)


def fact(s):
    """Return the worth of a finished game to the mover, above or below every opinion."""
    return (payoff(s, mover(s)) - HALF_SUM) * DECIDED


def search(states, bufs, sure, nodes, ply: int, depth: int, alpha: float, beta: float):
    """Return the value of state number `ply`; exact inside (alpha, beta), a bound outside.

    `sure[ply]` tells afterwards whether the line behind the value ends the game.
    """
    # Step 1. Leaves: a fact if the game is over, an opinion if the depth is used up.
    s = states[ply]
    out = bufs[ply]
    nodes[0] += 1
    n = moves(s, out)
    if n == 0:
        sure[ply] = 1
        return fact(s)
    if depth == 0:
        sure[ply] = 0
        return opinion(s)
    # Step 2. Try the moves in the order of the rules; keep the first best.
    me = mover(s)
    child = states[ply + 1]
    best = -INFINITE
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        if mover(child) == me:
            value = search(states, bufs, sure, nodes, ply + 1, depth - 1, max(alpha, best), beta)
        else:
            value = -search(states, bufs, sure, nodes, ply + 1, depth - 1, -beta, -max(alpha, best))
        if value > best:
            best = value
            sure[ply] = sure[ply + 1]
            # Step 3. The opponent will not let us come here.
            if best >= beta:
                break
    return best


def best_move(states: States, bufs: Moves, sure: Ints, nodes: Ints, value: Floats, depth: int):
    """Return the first best move of state 0; its value goes to value[0], sureness to sure[0]."""
    s = states[0]
    n = moves(s, bufs[0])
    nodes[0] += 1
    me = mover(s)
    best = -INFINITE
    move = bufs[0][0]
    for i in range(n):
        copy(states[1], s)
        play(states[1], bufs[0][i])
        if mover(states[1]) == me:
            v = search(states, bufs, sure, nodes, 1, depth - 1, best, INFINITE)
        else:
            v = -search(states, bufs, sure, nodes, 1, depth - 1, -INFINITE, -best)
        if v > best:
            best = v
            move = bufs[0][i]
            sure[0] = sure[1]
    value[0] = best
    return move


KERNEL = Kernel("alphabeta", best_move)


@dataclass(frozen=True)
class AlphaBeta(Agent):
    """Looks `depth` plies ahead and plays the first move of the best value.

    Unfinished positions are judged by the game's `evaluate` (all alike if it has none).
    """

    name: ClassVar[str] = "alphabeta"
    depth: int = setting(6, "plies to look ahead", least=1)

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance."""
        if game.has_chance:
            raise CannotPlay(f"{self.name} does not play games of chance such as {game.name}; try uct")
        if game.players > 2 or (game.players == 2 and game.payoff_sum is None):
            raise CannotPlay(f"{self.name} plays games of two players with a constant payoff sum, {game.name} is none; try uct")

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the first move of the best value; the seed plays no part."""
        self.suits(game)
        must_move(game, state)
        kernel = specialise(game, KERNEL, mode)
        plies = self.depth + 1
        states, sure, nodes, value = kernel.states(plies), kernel.ints(plies), kernel.ints(1), kernel.floats(1)
        kernel.put(states, 0, state)
        move = kernel(states, kernel.moves(plies), sure, nodes, value, self.depth)
        decided = bool(sure[0])
        worth = float(value[0]) / DECIDED + (game.payoff_sum or 0) / 2 if decided else float(value[0])
        return Choice(move=int(move), value=worth, nodes=int(nodes[0]), decided=decided)
