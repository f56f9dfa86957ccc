"""Random play: from any state to the end of the game, one uniformly drawn move after another.

Why it is here.  Playouts are the experiments of Monte Carlo search and of `check`; nature's moves
are drawn by their weights.  Kernel text: see `ludwin.kernel.names` for the free names.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import MAX_PLIES, Bundle, chance, copy, mover, moves, observe, payoff, play
from ludwin.kernel.specialise import Specialised
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, uniform
from ludwin.search.choice import Agent, Choice, must_move, setting
from ludwin.search.seat import Seat, Sitting


def sample(s, out, n, rng):
    """Return the number of one of nature's `n` moves in `out`, drawn by weight."""
    total = 0.0
    for i in range(n):
        total += chance(s, out[i])
    rest = uniform(rng) * total
    for i in range(n):
        rest -= chance(s, out[i])
        if rest < 0.0:
            return i
    return n - 1


def pick(s, out, n, rng):
    """Return one of the `n` moves in `out`: nature's by weight, a player's uniformly."""
    if mover(s) == CHANCE:
        return out[sample(s, out, n, rng)]
    return out[draw(rng, n)]


def playout(s, out, rng):
    """Play `s` to the end, or for MAX_PLIES plies, and return the number of plies."""
    plies = 0
    n = moves(s, out)
    while n > 0 and plies < MAX_PLIES:
        play(s, pick(s, out, n, rng))
        plies += 1
        n = moves(s, out)
    return plies


def random_move(w: Bundle):
    """Return a random move of the first state."""
    n = moves(w.states[0], w.bufs[0])
    return pick(w.states[0], w.bufs[0], n, w.rng)


def playouts(w: Bundle, number: int):
    """Play `number` games from state 0 and return how many plies they took together."""
    plies = 0
    for _ in range(number):
        copy(w.states[1], w.states[0])
        plies += playout(w.states[1], w.bufs[0], w.rng)
    return plies


def flat(w: Bundle):
    """Share the playouts equally among the moves of state 0; return the move of the best mean."""
    run = w.run
    s = w.states[1]
    out = w.bufs[0]
    n = moves(w.states[0], out)
    me = mover(w.states[0])
    for i in range(n):
        w.roots[i].visits = 0
        w.roots[i].gained = 0.0
    run.looked = 0
    for k in range(run.playouts):
        root = w.roots[k % n]
        copy(s, w.states[0])
        observe(s, me, w.rng)
        play(s, out[k % n])
        run.looked += 1 + playout(s, w.bufs[1], w.rng)
        root.visits += 1
        root.gained += payoff(s, me)
    best = 0
    for i in range(1, min(n, run.playouts)):
        if w.roots[i].gained * w.roots[best].visits > w.roots[best].gained * w.roots[i].visits:
            best = i
    return out[best]


PLACES = {"states": "States", "bufs": "Moves", "rng": "Ints"}
RANDOM = Kernel("random", random_move, records=PLACES)
PLAYOUTS = Kernel("playouts", playouts, records=PLACES)
FLAT = Kernel(
    "flat",
    flat,
    records={**PLACES, "run": {"playouts": int, "looked": int}, "roots": [{"visits": int, "gained": float}]},
)


@dataclass(frozen=True)
class Random(Agent):
    """Plays any legal move, each with the same probability."""

    name: ClassVar[str] = "random"

    @property
    def values_in(self) -> str:
        """Values are expected payoffs."""
        return "payoff"

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays."""
        return Seat(RANDOM)

    def drive(self, game: Game) -> Any:
        """Return how it sets the controls of a world that ticks: at random."""
        from ludwin.search.drive import random_drive

        return random_drive(game)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a uniformly drawn legal move."""
        must_move(game, state)
        return Choice(move=Sitting(self.seat(game), game, mode).choose(state, seed), value=0.0, nodes=1)


@dataclass(frozen=True)
class Flat(Agent):
    """Plays out every move equally often at random and takes the one of the best mean payoff."""

    name: ClassVar[str] = "flat"
    playouts: int = setting(1000, "random games per move, shared by all moves", least=1)

    @property
    def values_in(self) -> str:
        """Values are expected payoffs."""
        return "payoff"

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""

        def prepare(_: Specialised, w: Any) -> None:
            w.run.playouts = self.playouts

        return Seat(FLAT, sizes={"states": 2, "bufs": 2, "roots": game.max_moves}, prepare=prepare)

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move of the best mean payoff, the first among equals."""
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        roots = [(m, sitting.w.roots[i]) for i, m in enumerate(state.moves())]
        visits = {m: root.visits for m, root in roots}
        values = {m: root.gained / max(root.visits, 1) for m, root in roots}
        kinds = {"playouts": self.playouts}
        looked = sitting.w.run.looked
        return Choice(move, values[move], looked, kinds=kinds, line=(move,), visits=visits, values=values)
