"""One ply by the positions behind it: every move is judged by where it leads, before nature moves.

The idea.  In a game of dice a player that has rolled looks at the positions that its moves leave behind (after-states)
and takes the one it likes best; TD-Gammon, Pubeval and evolved players play so.  A finished game outweighs every
opinion, whatever the opinion's scale, as in the alpha-beta family.

References.  R. Sutton and A. Barto, "Reinforcement learning" (2018), section 6.8, for the word.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import HALF_SUM, Bundle, copy, mover, moves, payoff, play
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, Thinker, furnished, mind, named_evaluation
from ludwin.search.choice import Choice, demand_constant_sum, demand_open, must_move, setting
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


def after_one_ply(game: Game, state: State, move: int, found: Any, leaves: int | None = None) -> Choice:
    """Return the choice of a move when `found` holds what is thought of each position behind a move, in order."""
    thought = {m: float(found[i]) for i, m in enumerate(state.moves())}
    over = {m: abs(value) > OPINION for m, value in thought.items()}
    values = {m: worth(value, over[m], game.payoff_sum) for m, value in thought.items()}
    decided = over[move] or (thought[move] == 0.0 and state.play(move).over)
    kinds = {"inner": 1, "leaves": len(thought) if leaves is None else leaves}
    return Choice(move, values[move], 1 + len(thought), decided, kinds, depth=1, line=(move,), values=values)


@dataclass(frozen=True)
class AfterState(Thinker):
    """Takes the move whose position the evaluation likes best; equal moves are drawn by the seed."""

    name: ClassVar[str] = "greedy"
    asks_by_name: ClassVar[bool] = True
    eval: str = setting("game", "which evaluation: game, NAME for the game's evaluate_NAME, or a brain of the game's")
    brain: Brain | None = mind()

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game has one player, or two with a constant sum, and hides nothing."""
        demand_constant_sum(self, game)
        demand_open(self, game)
        self.demand_opinions(game)

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        me = self.settled(game)
        bind = named_evaluation(me.eval)
        kernel = Kernel("afterstate", afterstate, bind=bind, records=RECORDS)
        return furnished(Seat(kernel, sizes={"states": 2, "bufs": 2, "values": game.max_moves}), me.brain, game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move that looks best after one ply."""
        self.suits(game)
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        return after_one_ply(game, state, move, sitting.w.values, sitting.w.run.leaves)
