"""Perfect-information Monte Carlo: guess what is hidden, look ahead in every guess, and take the best move on average.

The idea.  A player that knows what it has seen can imagine worlds that fit it (`observe` of the game).  In each world
it looks `depth` decisions ahead as if nothing were hidden, and asks its evaluation or brain at the end; the move with
the highest mean over the worlds is played.  With depth 1, which is the default, only its own move is followed: a brain
judges the position behind it, in worlds that the player may be in, and never the true one.

What it cannot do.  From the second decision on it plays in each world as if it knew which one it is (strategy fusion),
so it never values to know more, and a mean of values never mixes its moves, so it does not bluff.  With more than two
players, or payoffs of no constant sum, the others are taken to play against it (paranoid).

References.  M. Ginsberg, "GIB: steps toward an expert-level bridge-playing program", IJCAI 1999; I. Frank and D. Basin,
"Search in games with incomplete information", Artificial Intelligence 100 (1998), 87-123; J. Long et al.,
"Understanding the success of perfect information Monte Carlo sampling in game tree search", AAAI 2010.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.kernel.names import Bundle, copy, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import mix
from ludwin.search.brain import Brain, furnished, mind, named_evaluation
from ludwin.search.choice import setting
from ludwin.search.expectimax import CHANCE_PLIES, RECORDS, RUN, Expectimax, begin, expected, tie
from ludwin.search.seat import Doubt, Seat
from ludwin.search.uct import imagine, same_world

GUESSING: dict[str, type] = {**RUN, "worlds": int, "truth": int}
GUESSED = {**RECORDS, "run": GUESSING}
guess = same_world  # bound to imagine where the game hides something


def pimc(w: Bundle):
    """Return a best move of state 0 on the mean of guessed worlds, drawn among equals; the means go to `w.values`."""
    run = w.run
    seed = w.rng[0]
    n = begin(w)
    for i in range(n):
        w.values[i] = 0.0
        w.bufs[run.truth][i] = w.bufs[0][i]
    copy(w.states[run.truth], w.states[0])
    for world in range(run.worlds):
        w.rng[0] = mix(mix(0, seed), world)
        copy(w.states[0], w.states[run.truth])
        guess(w)
        for i in range(n):
            copy(w.states[1], w.states[0])
            play(w.states[1], w.bufs[run.truth][i])
            w.values[i] += expected(w, 1, run.depth - 1) / run.worlds
    copy(w.states[0], w.states[run.truth])
    w.rng[0] = mix(mix(0, seed), run.worlds)
    return w.bufs[run.truth][tie(w.values, n, w.rng)]


@dataclass(frozen=True)
class PIMC(Expectimax):
    """Looks `depth` decisions ahead in guessed worlds, and takes the move of the best mean."""

    name: ClassVar[str] = "pimc"
    depth: int = setting(1, "decisions to look ahead in each world; nature's moves are free", least=1)
    worlds: int = setting(16, "guesses at what is hidden, where the game hides something", least=1)
    brain: Brain | None = mind()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay if nobody moves in the game, or the brain does not know it."""
        if game.is_world:
            raise CannotPlay(f"{self.name} chooses moves, and {game.name} ticks; try a driver")
        self.demand_opinions(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        hidden: dict[str, Any] = {"guess": imagine} if game.has_secrets else {}
        plies = (self.depth + 1) * (1 + (CHANCE_PLIES if game.has_chance else 0)) + 1
        kernel = Kernel("pimc", pimc, bind={**named_evaluation(self.eval), **hidden}, records=GUESSED)

        def prepare(_: Specialised, w: Any) -> None:
            w.run.depth, w.run.low, w.run.high = self.depth, self.low, self.high
            w.run.worlds, w.run.truth = self.worlds if game.has_secrets else 1, plies

        reason = f"{self.name}: {game.name} has payoffs outside [{self.low:g}, {self.high:g}]; give low= and high="
        sizes = {"states": plies + 1, "bufs": plies + 1, "values": game.max_moves}
        seat = Seat(kernel, sizes=sizes, prepare=prepare, doubt=Doubt("run", "outside", reason))
        return furnished(seat, self.brain, game)
