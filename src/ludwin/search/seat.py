"""A seat: an agent as a kernel that a referee can call, in Python or inside compiled code.

Why it is here.  Whole games run in one compiled call only if the referee can call the players
there.  So an agent says which kernel plays for it: an entry whose first arguments are the stack of
states (the position in the first), the move lists and the random stream, and which returns a move.
`choose` of the same agent calls the same entry, so both ways play the same moves.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import shl


@dataclass(frozen=True)
class Doubt:
    """Where a kernel notes that the game is not what its settings say, and what that means.

    A search that relies on bounds of the payoffs finds out only as it meets payoffs beyond them.
    """

    argument: int  # which array of the workspace
    cell: int  # not 0 if it happened
    reason: str

    def clear(self, arguments: Sequence[Any]) -> None:
        """Forget what was noted."""
        arguments[self.argument][self.cell] = 0

    def must_not_be(self, arguments: Sequence[Any]) -> None:
        """Raise CannotPlay if it happened since."""
        if arguments[self.argument][self.cell]:
            raise CannotPlay(self.reason)


@dataclass(frozen=True)
class Seat:
    """The kernel of a player, how many plies of workspace it needs, and what makes the rest of it."""

    kernel: Kernel
    plies: int
    workspace: Callable[[Specialised], list[Any]]  # the arguments behind (states, bufs, rng)
    doubt: Doubt | None = None


class Sitting:
    """A seat with its workspace, ready to choose."""

    def __init__(self, seat: Seat, game: Game, mode: str):
        self.run = specialise(game, seat.kernel, mode)
        self.states, self.bufs, self.rng = self.run.states(seat.plies), self.run.moves(seat.plies), self.run.ints(1)
        self.arguments = seat.workspace(self.run)
        self.doubt = seat.doubt

    def choose(self, state: State, seed: int) -> int:
        """Return the move of this position for this seed. Raises CannotPlay if the search finds that it must not trust
        it.
        """
        self.run.put(self.states, 0, state)
        self.rng[0] = shl(seed, 0)  # any integer, wrapped to 64 bits
        if self.doubt:
            self.doubt.clear(self.arguments)
        move = int(self.run(self.states, self.bufs, self.rng, *self.arguments))
        if self.doubt:
            self.doubt.must_not_be(self.arguments)
        return move


@contextmanager
def alarm(seconds: float, cells: Any, index: int) -> Iterator[None]:
    """Set cells[index] to 1 after so many seconds, unless it is over before (0: never).

    Compiled code runs without Python's lock, so this timer can stop it from outside.
    """
    if seconds <= 0:
        yield
        return
    import threading

    def ring() -> None:
        cells[index] = 1

    timer = threading.Timer(seconds, ring)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # it may be ringing just now
        cells[index] = 0
