"""Random play: from any state to the end of the game, one uniformly drawn move after another.

Why it is here.  Playouts are the experiments of Monte Carlo search and of `check`; nature's moves
are drawn by their weights.  Kernel text: see `ludwin.kernel.names` for the free names.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludwin.game import Game, State
from ludwin.kernel.names import MAX_PLIES, Ints, Moves, States, chance, copy, mover, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import CHANCE, draw, uniform
from ludwin.search.choice import Agent, Choice, must_move


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


RANDOM = Kernel("random", random_move)
PLAYOUTS = Kernel("playouts", playouts)


@dataclass(frozen=True)
class Random(Agent):
    """Plays any legal move, each with the same probability."""

    name: ClassVar[str] = "random"

    def choose(self, game: Game, state: State, *, seed: int = 0, mode: str = "fast") -> Choice:
        """Return a uniformly drawn legal move."""
        must_move(game, state)
        kernel = specialise(game, RANDOM, mode)
        states, rng = kernel.states(1), kernel.ints(1)
        kernel.put(states, 0, state)
        rng[0] = seed
        return Choice(move=int(kernel(states, kernel.moves(1), rng)), value=0.0, nodes=1)
