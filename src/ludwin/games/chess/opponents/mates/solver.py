"""Mates that are proved: solvers by name, what they answer, all keys of a position, and its whole mating tree."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.games.chess.opponents.mates import baselines, dfpn
from ludwin.kernel.specialise import specialise
from ludwin.library import load

ROWS = 1 << 18  # of the table of a solver
DEEPEST = 10  # moves of the player's that a solver is made for
BOARDS = 4_000_000  # that a solver may look at, unless somebody says otherwise
SIZES = {"positions": 2 * DEEPEST + 3, "choices": 2 * DEEPEST + 4, "values": 2 * DEEPEST + 4}
SIZES |= {"lasts": 2 * DEEPEST + 4, "history": 2 * 4096, "keys": 256, "entries": ROWS, "peeks": 1}
NUMBERS = {"proofs": 2 * DEEPEST + 4, "disproofs": 2 * DEEPEST + 4, "levels": 2 * DEEPEST + 4}
# Every solver by hand: its order, whether it begins with checks alone, whether it deepens step by step.
SOLVERS = {
    "deepening": (baselines.CHECKS_FIRST, 0, 1),
    "straight": (baselines.CHECKS_FIRST, 0, 0),
    "fewest": (baselines.FEWEST_REPLIES, 0, 1),
    "fewest-straight": (baselines.FEWEST_REPLIES, 0, 0),
    "checks-pass": (baselines.CHECKS_FIRST, 1, 1),
    "checks-straight": (baselines.CHECKS_FIRST, 1, 0),
    "df-pn": (baselines.PLAIN, 0, 1),
}
# No baselines: they know, before they make their last move, which ones can give check. The first is told beside them.
FORESIGHT, QUICKEST = "foresight", "foresight-deepening"
_LOOKING = {FORESIGHT: (baselines.FEWEST_REPLIES, 0, 0), QUICKEST: (baselines.FEWEST_REPLIES, 0, 1)}


@dataclass(frozen=True)
class Mate:
    """What a solver found: the move, within how many moves it mates, and what that cost; no move: none was proved.

    `cut` says that its boards were used up, so that nothing is known.
    """

    move: int | None
    moves: int
    boards: int
    cut: bool

    @property
    def solved(self) -> bool:
        """Whether a mate was proved."""
        return self.move is not None


@lru_cache(maxsize=1)
def chess() -> Game:
    """Return the usual game; to load it anew for every position would take longer than most searches."""
    return load("chess")


def furnish(w: Any) -> None:
    """Write into a new bundle what stays as it is."""
    w.acts.depth = 2 * DEEPEST + 2
    w.mate.mask = ROWS - 1


def demand_depth(n: int) -> None:
    """Raise BadParameter unless mates in n can be searched for."""
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= DEEPEST:
        raise BadParameter(f"a mate in n moves is looked for with n from 1 to {DEEPEST}, got {n!r}")


class MateSolver:
    """A solver by hand, ready for positions."""

    def __init__(self, name: str = "checks-pass", mode: str = "fast"):
        if name not in SOLVERS and name not in _LOOKING:
            raise BadParameter(f"there is no solver of mates {name!r} (there is {', '.join(SOLVERS)})")
        self.name = name
        kernel = dfpn.NUMBERS if name == "df-pn" else baselines.SEARCH
        self.run = specialise(chess(), kernel, mode)
        more = NUMBERS if name == "df-pn" else {}
        self.w = self.run.bundle(acts_code=1, acts_registers=1, **SIZES, **more)
        furnish(self.w)
        self.w.mate.order, self.w.mate.passes, self.w.mate.deepen = {**SOLVERS, **_LOOKING}[name]
        self.w.mate.looks = int(name in _LOOKING)

    def solve(self, state: State, n: int, boards: int = BOARDS) -> Mate:
        """Return a move that mates within n moves, proved, if there is one."""
        demand_depth(n)
        self.run.put(self.w.positions, 0, at_home(state))
        self.w.mate.n, self.w.mate.limit = n, boards
        proved = bool(self.run(self.w))
        found = int(self.w.mate.found) if proved else None
        return Mate(found, int(self.w.mate.answer), int(self.w.mate.boards), bool(self.w.acts.cut))


def at_home(state: State) -> State:
    """Return a position as one of the usual game, so that one compiled search serves all first positions."""
    game = chess()
    return state if state.game == game else game.position(state.write())


class KeyFinder:
    """Finds all moves that mate within n moves; no last move is made that cannot give check."""

    def __init__(self, mode: str = "fast"):
        self.run = specialise(chess(), baselines.KEYS, mode)
        self.w = self.run.bundle(acts_code=1, acts_registers=1, **SIZES)
        furnish(self.w)
        self.w.mate.order, self.w.mate.passes, self.w.mate.deepen = baselines.CHECKS_FIRST, 0, 0
        self.w.mate.looks = 1

    def keys(self, state: State, n: int, boards: int = 100 * BOARDS) -> tuple[int, ...] | None:
        """Return all of them; None if the boards did not suffice."""
        demand_depth(n)
        self.run.put(self.w.positions, 0, at_home(state))
        self.w.mate.n, self.w.mate.limit = n, boards
        count = int(self.run(self.w))
        return None if self.w.acts.cut else tuple(int(self.w.keys[i]) for i in range(count))


@lru_cache(maxsize=16)
def solver(name: str = "checks-pass", mode: str = "fast") -> MateSolver:
    """Return a solver that is kept."""
    return MateSolver(name, mode)


@lru_cache(maxsize=4)
def finder(mode: str = "fast") -> KeyFinder:
    """Return a finder of keys that is kept."""
    return KeyFinder(mode)
