"""A seat: an agent as a kernel that a referee can call, in Python or inside compiled code.

Why it is here.  Whole games run in one compiled call only if the referee can call the players
there.  So an agent says which kernel plays for it: an entry whose first arguments are the stack of
states (the position in the first), the move lists and the random stream, and which returns a move.
`choose` of the same agent calls the same entry, so both ways play the same moves.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import shl


@dataclass(frozen=True)
class Seat:
    """The kernel of a player, how many plies of workspace it needs, and what makes the rest of it."""

    kernel: Kernel
    plies: int
    workspace: Callable[[Specialised], list[Any]]  # the arguments behind (states, bufs, rng)


class Sitting:
    """A seat with its workspace, ready to choose."""

    def __init__(self, seat: Seat, game: Game, mode: str):
        self.run = specialise(game, seat.kernel, mode)
        self.states, self.bufs, self.rng = self.run.states(seat.plies), self.run.moves(seat.plies), self.run.ints(1)
        self.arguments = seat.workspace(self.run)

    def choose(self, state: State, seed: int) -> int:
        """Return the move of this position for this seed."""
        self.run.put(self.states, 0, state)
        self.rng[0] = shl(seed, 0)  # any integer, wrapped to 64 bits
        return int(self.run(self.states, self.bufs, self.rng, *self.arguments))


@contextmanager
def alarm(seconds: float, cells: Any, index: int) -> Iterator[None]:
    """Set cells[index] to 1 after so many seconds, unless it is over before (0: never).

    Compiled code runs without Python's lock, so this timer can stop it from outside.
    """
    if seconds <= 0:
        yield
        return

    def ring() -> None:
        cells[index] = 1

    timer = threading.Timer(seconds, ring)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        cells[index] = 0
