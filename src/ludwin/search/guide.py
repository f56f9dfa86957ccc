"""Guides: alpha-beta players whose opinions are random numbers.

The idea.  A guide sees wins and losses within its depth and guesses everywhere else, so its strength is
a matter of depth alone.  Evolution measured its players against guides (M. Sipper, *Evolved to Win*,
chapter 3).  Two flavours: the correct one, and one whose interior nodes of the guide's own side start
from a floor instead of minus infinity.  With floor=0 the published anomaly appears, that odd depths
beat higher even ones; it is probably a slip of the original program (the smallest positive number taken
for the smallest number), and we keep it to compare with the published tables.

In reversi and 10x10 checkers the book's guides count material instead of guessing, and for each move
toss a coin between two opinions that differ in what a special piece is worth: `eval=discs/corners`.
"""

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import HALF_SUM, Floats, Ints, Moves, States, copy, mover, moves, payoff, play
from ludwin.kernel.text import Kernel
from ludwin.primitives import draw, uniform
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, setting
from ludwin.search.seat import Seat, Sitting

WIN = 1000.0  # how much a won game outweighs the guesses, which lie in (-1, 1)


def first_opinion(s, p):
    """Stand-in for an evaluation of the game, which is bound to this name; so is the next one."""
    return 0.0


def second_opinion(s, p):
    return 0.0


def guess(s, me, rng, coin):
    """Return a random number from (-1, 1)."""
    return 2.0 * uniform(rng) - 1.0


def count(s, me, rng, coin):
    """Return the one opinion or the other; it takes the place of `guess`."""
    return 1.0 * first_opinion(s, me) if coin == 0 else 1.0 * second_opinion(s, me)


def value_of(
    states, bufs, rng, nodes, ply: int, depth: int, alpha: float, beta: float, me: int, floor: float, coin: int
):
    """Return the value of state number `ply` to player `me` (fail-hard)."""
    s = states[ply]
    out = bufs[ply]
    nodes[0] += 1
    n = moves(s, out)
    if n == 0:
        return (payoff(s, me) - HALF_SUM) * WIN
    if depth == 0:
        return guess(s, me, rng, coin)
    child = states[ply + 1]
    mine = mover(s) == me
    if mine:
        alpha = max(alpha, floor)
    for i in range(n):
        copy(child, s)
        play(child, out[i])
        value = value_of(states, bufs, rng, nodes, ply + 1, depth - 1, alpha, beta, me, floor, coin)
        if mine:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            break
    return alpha if mine else beta


def guide(states: States, bufs: Moves, rng: Ints, nodes: Ints, values: Floats, depth: int, floor: float, coins: int):
    """Return the best move of state 0, the moves having been shuffled."""
    s = states[0]
    out = bufs[0]
    n = moves(s, out)
    coin = draw(rng, coins) if coins > 1 else 0
    for i in range(n - 1, 0, -1):
        j = draw(rng, i + 1)
        swapped = out[i]
        out[i] = out[j]
        out[j] = swapped
    nodes[0] = 1
    best = -math.inf
    move = out[0]
    for i in range(n):
        copy(states[1], s)
        play(states[1], out[i])
        value = value_of(states, bufs, rng, nodes, 1, depth - 1, best, math.inf, mover(s), floor, coin)
        if value > best:
            best = value
            move = out[i]
    values[0] = best
    return move


GUIDE = Kernel("guide", guide)


@dataclass(frozen=True)
class Guide(Agent):
    """Sees wins and losses `depth` plies ahead and guesses otherwise: the yardstick of Evolved to Win.

    `floor=0` is the published players' flavour, which handicaps even depths; without it, the search
    is a correct alpha-beta over random leaves.
    """

    name: ClassVar[str] = "guide"
    depth: int = setting(3, "plies to look ahead", least=1)
    floor: float = setting(-math.inf, "where interior nodes of the guide's own side start; 0 for the book's flavour")

    eval: str = setting(
        "guess",
        "what it thinks of undecided positions: guess, or NAME/NAME for a coin between evaluate_NAME and evaluate_NAME",
    )

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has at most two players, a constant sum and no chance, and the
        evaluations.
        """
        demand_two_players(self, game)
        offered = game.variants("evaluate_")
        if len(self._opinions()) > 2:
            raise CannotPlay(f"{self.name}: eval takes one or two names, got {self.eval!r}")
        for name in self._opinions():
            if name not in offered:
                raise CannotPlay(
                    f"{self.name}: {game.name} has no evaluate_{name} (it has {', '.join(offered) or 'none'})"
                )

    def _opinions(self) -> list[str]:
        return [] if self.eval == "guess" else self.eval.split("/")

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        opinions = self._opinions()
        kernel = GUIDE
        if opinions:
            bind: dict[str, Any] = {
                "guess": count,
                "first_opinion": f"evaluate_{opinions[0]}",
                "second_opinion": f"evaluate_{opinions[-1]}",
            }
            kernel = Kernel("guide with opinions", guide, bind=bind)
        return Seat(
            kernel, self.depth + 1, lambda run: [run.ints(1), run.floats(1), self.depth, self.floor, len(opinions)]
        )

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the best move among random guesses; the seed draws the guesses."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        nodes, values = sitting.arguments[:2]
        value = float(values[0])
        decided = abs(value) > WIN / 2
        worth = value / WIN + (game.payoff_sum or 0) / 2 if decided else value
        return Choice(move, worth, int(nodes[0]), decided, depth=self.depth, line=(move,))
