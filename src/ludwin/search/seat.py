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
from dataclasses import dataclass, field, fields
from typing import Any

from ludwin.errors import CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.specialise import Specialised, specialise
from ludwin.kernel.text import Kernel
from ludwin.primitives import shl
from ludwin.search.choice import Agent
from ludwin.search.watching import Look, watch


@dataclass(frozen=True)
class Doubt:
    """Where a kernel notes that the game is not what its settings say, and what that means.

    A search that relies on bounds of the payoffs finds out only as it meets payoffs beyond them.
    """

    member: str  # the record of the bundle
    field: str  # its field, not 0 if it happened
    reason: str

    def clear(self, w: Any) -> None:
        """Forget what was noted."""
        setattr(getattr(w, self.member), self.field, 0)

    def must_not_be(self, w: Any) -> None:
        """Raise CannotPlay if it happened since."""
        if getattr(getattr(w, self.member), self.field):
            raise CannotPlay(self.reason)


Prepare = Callable[[Specialised, Any], None]  # writes settings into a new bundle


def nothing(run: Specialised, w: Any) -> None:
    """Leave a new bundle as it is."""


def settings_of(agent: Agent) -> dict[str, int | float]:
    """Return an agent's settings as numbers: of one of several texts its place among them; other texts are left out.

    >>> from ludwin import agent
    >>> settings = settings_of(agent("mcts:recommend=max,c=2"))
    >>> settings["recommend"], settings["c"], "formula" in settings
    (1, 2.0, False)
    """
    found: dict[str, int | float] = {}
    for item in fields(agent):
        value, kind, choices = getattr(agent, item.name), item.metadata.get("kind"), item.metadata.get("choices")
        if choices:
            found[item.name] = choices.index(value)
        elif kind is int or kind is float:
            found[item.name] = kind(value)
    return found


def write_to(member: str, options: Mapping[str, int | float]) -> Prepare:
    """Return what writes options into a record of a new bundle, by name."""

    def prepare(run: Specialised, w: Any) -> None:
        record = getattr(w, member)
        for name, value in options.items():
            setattr(record, name, value)

    return prepare


@dataclass(frozen=True)
class Seat:
    """The kernel of a player, how many rows its workspaces have, and what writes its settings into a new bundle.

    `prepare(run, w)` gets the specialised kernel (for its game and mode) and the bundle.
    """

    kernel: Kernel
    sizes: Mapping[str, int] = field(default_factory=dict)
    prepare: Prepare = nothing
    doubt: Doubt | None = None


class Sitting:
    """A seat with its workspace `w`, ready to choose."""

    def __init__(self, seat: Seat, game: Game, mode: str):
        self.run = specialise(game, seat.kernel, mode)
        self.doubt = seat.doubt
        self.w = self.run.bundle(**seat.sizes)
        seat.prepare(self.run, self.w)

    def choose(self, state: State, seed: int) -> int:
        """Return the move of this position for this seed. Raises CannotPlay if the search finds that it must not trust
        it.
        """
        self.run.put(self.w.states, 0, state)
        self.w.rng[0] = shl(seed, 0)  # any integer, wrapped to 64 bits
        if self.doubt:
            self.doubt.clear(self.w)
        move = int(self.run(self.w))
        if self.doubt:
            self.doubt.must_not_be(self.w)
        return move


@contextmanager
def alarm(seconds: float, record: Any, flag: str, look: Look | None = None) -> Iterator[None]:
    """Set a flag of a record to 1 after so many seconds, unless it is over before (0: never).

    Compiled code runs without Python's lock, so this timer can stop it from outside. Whoever watches this thread
    (`ludwin.search.watching`) can stop it by the same flag, and see by `look` what it has found so far.
    """
    watched = watch.get()
    if seconds <= 0 and watched is None:
        yield
        return
    if watched is not None:
        watched.hold(record, flag, look)
    timer = None
    if seconds > 0:
        import threading

        timer = threading.Timer(seconds, setattr, (record, flag, 1))
        timer.daemon = True
        timer.start()
    try:
        yield
    finally:
        if timer is not None:
            timer.cancel()
            timer.join()  # it may be ringing just now
        if watched is not None:
            watched.release()
        setattr(record, flag, 0)
