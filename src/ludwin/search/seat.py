"""A seat: an agent as a kernel that a referee can call, in Python or inside compiled code.

Why it is here.  Whole games run in one compiled call only if the referee can call the players there.  So an agent says
which kernel plays for it.  `choose` of the same agent calls the same entry, so both ways play the same moves.

The convention.  The entry of a search takes one argument, `w: Bundle`, and returns a move.  Three members of the bundle
are known to everybody: the position is in `w.states[0]`, move lists are in `w.bufs`, the random stream is `w.rng`.  All
other workspaces, settings and counters are members, too, with names of the search's own choosing: `w.run.depth`,
`w.tree[node].visits`.  A seat says how many rows each of them has, and writes the settings into a new bundle once.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
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

    member: Any  # the record of the bundle (an old kernel: which argument)
    field: Any  # its field, not 0 if it happened (an old kernel: which cell)
    reason: str

    def clear(self, w: Any) -> None:
        """Forget what was noted."""
        if isinstance(self.member, int):
            w[self.member][self.field] = 0
        else:
            setattr(getattr(w, self.member), self.field, 0)

    def must_not_be(self, w: Any) -> None:
        """Raise CannotPlay if it happened since."""
        old = isinstance(self.member, int)
        if w[self.member][self.field] if old else getattr(getattr(w, self.member), self.field):
            raise CannotPlay(self.reason)


Prepare = Callable[[Specialised, Any], None]  # writes settings into a new bundle


def nothing(run: Specialised, w: Any) -> None:
    """Leave a new bundle as it is."""


@dataclass(frozen=True)
class Seat:
    """The kernel of a player, how many rows its workspaces have, and what writes its settings into a new bundle.

    `prepare(run, w)` gets the specialised kernel (for its game and mode) and the bundle. `plies` and `workspace` are
    the old way, for kernels without a bundle.
    """

    kernel: Kernel
    plies: int = 0
    workspace: Callable[[Specialised], list[Any]] | None = None
    doubt: Doubt | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    prepare: Prepare = nothing

    @property
    def is_bundled(self) -> bool:
        """Whether the kernel's whole workspace is one bundle."""
        return "states" in self.kernel.records


class Sitting:
    """A seat with its workspace `w`, ready to choose."""

    def __init__(self, seat: Seat, game: Game, mode: str):
        self.run = specialise(game, seat.kernel, mode)
        self.doubt = seat.doubt
        self.is_bundled = seat.is_bundled
        if self.is_bundled:
            self.w = self.run.bundle(**seat.sizes)
            seat.prepare(self.run, self.w)
            self.states, self.rng = self.w.states, self.w.rng
        else:
            assert seat.workspace is not None
            self.states, self.bufs, self.rng = self.run.states(seat.plies), self.run.moves(seat.plies), self.run.ints(1)
            self.arguments = seat.workspace(self.run)

    def choose(self, state: State, seed: int) -> int:
        """Return the move of this position for this seed. Raises CannotPlay if the search finds that it must not trust
        it.
        """
        self.run.put(self.states, 0, state)
        self.rng[0] = shl(seed, 0)  # any integer, wrapped to 64 bits
        noted = self.w if self.is_bundled else self.arguments
        if self.doubt:
            self.doubt.clear(noted)
        given = (self.w,) if self.is_bundled else (self.states, self.bufs, self.rng, *self.arguments)
        move = int(self.run(*given))
        if self.doubt:
            self.doubt.must_not_be(noted)
        return move


@contextmanager
def alarm(seconds: float, record: Any, flag: Any) -> Iterator[None]:
    """Set a flag of a record to 1 after so many seconds, unless it is over before (0: never).

    Compiled code runs without Python's lock, so this timer can stop it from outside. (Of an old kernel: a cell of an
    array.)
    """
    if seconds <= 0:
        yield
        return
    import threading

    def write(value: int) -> None:
        if isinstance(flag, int):
            record[flag] = value
        else:
            setattr(record, flag, value)

    timer = threading.Timer(seconds, write, (1,))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # it may be ringing just now
        write(0)
