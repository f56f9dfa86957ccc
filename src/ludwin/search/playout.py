"""Random play: from any state to the end of the game, one uniformly drawn move after another.

Why it is here.  Playouts are the experiments of Monte Carlo search and of `check`; nature's moves
are drawn by their weights.  Kernel text: see `ludwin.kernel.names` for the free names.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import (
    MAX_PLIES,
    Floats,
    Ints,
    Moves,
    States,
    chance,
    copy,
    mover,
    moves,
    observe,
    payoff,
    play,
)
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


def random_move(states: States, bufs: Moves, rng: Ints):
    """Return a random move of the first state."""
    n = moves(states[0], bufs[0])
    return pick(states[0], bufs[0], n, rng)


def playouts(states: States, bufs: Moves, rng: Ints, number: int):
    """Play `number` games from state 0 and return how many plies they took together."""
    plies = 0
    for _ in range(number):
        copy(states[1], states[0])
        plies += playout(states[1], bufs[0], rng)
    return plies


def flat(states: States, bufs: Moves, rng: Ints, visits: Ints, totals: Floats, stats: Ints, number: int):
    """Share `number` playouts equally among the moves of state 0; return the move of the best mean."""
    n = moves(states[0], bufs[0])
    me = mover(states[0])
    for i in range(n):
        visits[i] = 0
        totals[i] = 0.0
    stats[0] = 0
    for k in range(number):
        i = k % n
        copy(states[1], states[0])
        observe(states[1], me, rng)
        play(states[1], bufs[0][i])
        stats[0] += 1 + playout(states[1], bufs[1], rng)
        visits[i] += 1
        totals[i] += payoff(states[1], me)
    best = 0
    for i in range(1, min(n, number)):
        if totals[i] * visits[best] > totals[best] * visits[i]:
            best = i
    return bufs[0][best]


RANDOM = Kernel("random", random_move)
PLAYOUTS = Kernel("playouts", playouts)
FLAT = Kernel("flat", flat)


@dataclass(frozen=True)
class Random(Agent):
    """Plays any legal move, each with the same probability."""

    name: ClassVar[str] = "random"

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays."""
        return Seat(RANDOM, 1, lambda run: [])

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

    def seat(self, game: Game) -> Seat:
        """Return the kernel that plays, with its workspace."""
        return Seat(
            FLAT, 2, lambda run: [run.ints(game.max_moves), run.floats(game.max_moves), run.ints(1), self.playouts]
        )

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return the move of the best mean payoff, the first among equals."""
        must_move(game, state)
        sitting = Sitting(self.seat(game), game, mode)
        move = sitting.choose(state, seed)
        visits, totals, stats, _ = sitting.arguments
        legal = state.moves()
        count = {m: int(visits[i]) for i, m in enumerate(legal)}
        values = {m: float(totals[i]) / max(int(visits[i]), 1) for i, m in enumerate(legal)}
        return Choice(
            move,
            values[move],
            int(stats[0]),
            kinds={"playouts": self.playouts},
            line=(move,),
            visits=count,
            values=values,
        )
