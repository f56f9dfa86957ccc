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
from ludwin.kernel.names import mover
from ludwin.kernel.specialise import Specialised
from ludwin.primitives import draw, uniform
from ludwin.search.choice import Agent, Choice, demand_two_players, must_move, setting
from ludwin.search.plain import SHUFFLED, plain_seat
from ludwin.search.seat import Seat, Sitting
from ludwin.search.values import INFINITE, OPINION, worth

MEMBERS = {"guide": {"floor": float, "coins": int, "coin": int}}


def first_opinion(s, p):
    """Stand-in for an evaluation of the game, which is bound to this name; so is the next one."""
    return 0.0


def second_opinion(s, p):
    return 0.0


def guess(w, s, n):
    """Return a random number from (-1, 1), drawn as the guide sees it."""
    value = 2.0 * uniform(w.rng) - 1.0
    return value if mover(s) == w.run.me else -value


def count(w, s, n):
    """Return the one opinion or the other, both as the guide sees them."""
    me = w.run.me
    value = 1.0 * first_opinion(s, me) if w.guide.coin == 0 else 1.0 * second_opinion(s, me)
    return value if mover(s) == me else -value


def toss(w):
    """Choose between two opinions for this move."""
    w.guide.coin = draw(w.rng, w.guide.coins) if w.guide.coins > 1 else 0
    return 0


def floor(w, me, ply):
    """Return where the guide's own nodes start, the root excepted."""
    return w.guide.floor if ply > 0 and me == w.run.me else -INFINITE


def is_cut(alpha, best, beta):
    """Tell whether a floor cuts: here, or further up, where it closed the window."""
    return best >= beta or alpha >= beta


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
        bind: dict[str, Any] = {**SHUFFLED, "opinion": guess}
        if opinions:
            bind |= {"opinion": count, "wake": toss}
            bind |= {"first_opinion": f"evaluate_{opinions[0]}", "second_opinion": f"evaluate_{opinions[-1]}"}
        if self.floor > -math.inf:
            bind |= {"least": floor, "is_enough": is_cut}

        def prepare(_: Specialised, w: Any) -> None:
            w.guide.floor, w.guide.coins = max(self.floor, -INFINITE), len(opinions)

        return plain_seat(self.depth, bind, MEMBERS, prepare)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the best move among random guesses; the seed draws the guesses."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        run = sitting.w.run
        decided = abs(run.value) > OPINION  # a drawn line is worth no more than a guess
        nodes = run.inner + run.terminal + run.static
        value = worth(run.value, decided, game.payoff_sum)
        return Choice(move, value, nodes, decided, depth=self.depth, line=(move,))
