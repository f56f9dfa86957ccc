"""One ply by the positions behind it: every move is judged by where it leads, before nature moves.

The idea.  In a game of dice a player that has rolled looks at the positions that its moves leave behind (after-states)
and takes the one it likes best; TD-Gammon, Pubeval and evolved players play so.  A finished game outweighs every
opinion, whatever the opinion's scale, as in the alpha-beta family.

References.  R. Sutton and A. Barto, "Reinforcement learning" (2018), section 6.8, for the word.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import HALF_SUM, Bundle, copy, mover, moves, payoff, play
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, Thinker, furnished, mind
from ludwin.search.choice import Choice, must_move, setting
from ludwin.search.expectimax import tie
from ludwin.search.seat import Seat, Sitting
from ludwin.search.values import DECIDED, OPINION, assess, wake, worth

RUN = {"leaves": int}
RECORDS = {"states": "States", "bufs": "Moves", "rng": "Ints", "run": RUN, "values": [float]}


def afterstate(w: Bundle):
    """Return a best move of state 0, drawn among equals; the values of all moves go to `w.values`."""
    wake(w)
    s = w.states[0]
    child = w.states[1]
    player = mover(s)
    n = moves(s, w.bufs[0])
    w.run.leaves = n
    for i in range(n):
        copy(child, s)
        play(child, w.bufs[0][i])
        follow = moves(child, w.bufs[1])
        if follow == 0:
            value = (payoff(child, player) - HALF_SUM) * DECIDED
        else:
            value = assess(w, child, player, follow)
            if not value > -OPINION:
                value = -OPINION
            value = min(value, OPINION)
        w.values[i] = value
    return w.bufs[0][tie(w.values, n, w.rng)]


@dataclass(frozen=True)
class AfterState(Thinker):
    """Takes the move whose position the evaluation likes best; equal moves are drawn by the seed."""

    name: ClassVar[str] = "greedy"
    asks_by_name: ClassVar[bool] = True
    eval: str = setting("game", "which evaluation: game, NAME for the game's evaluate_NAME, or a brain of the game's")
    brain: Brain | None = mind()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has one player, or two with a constant sum, and hides nothing."""
        if game.players > 2 or (game.players == 2 and game.payoff_sum is None):
            raise CannotPlay(
                f"{self.name} plays games of two players with a constant payoff sum, {game.name} is none; try maxn "
                f"or uct"
            )
        if game.has_secrets:
            raise CannotPlay(f"{self.name} sees everything, {game.name} hides something; try uct")
        self.demand_opinions(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        me = self.settled(game)
        bind = {"evaluate": f"evaluate_{me.eval}"} if me.eval != "game" else {}
        kernel = Kernel("afterstate", afterstate, bind=bind, records=RECORDS)
        return furnished(Seat(kernel, sizes={"states": 2, "bufs": 2, "values": game.max_moves}), me.brain, game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move that looks best after one ply."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        found = {m: float(sitting.w.values[i]) for i, m in enumerate(state.moves())}
        over = {m: abs(value) > OPINION for m, value in found.items()}
        values = {m: worth(value, over[m], game.payoff_sum) for m, value in found.items()}
        kinds = {"inner": 1, "leaves": sitting.w.run.leaves}
        decided = over[move] or (found[move] == 0.0 and state.play(move).over)
        return Choice(move, values[move], 1 + len(found), decided, kinds, depth=1, line=(move,), values=values)
