"""Pools of mate problems, each split into training and test; and the referee who proves what is claimed.

Pools.  `own` is in this package (`data/mates.txt`, made by `compose.py`).  `composed` and `practical` are those of
Debian's pychess, where it is installed.  The split is by a hash of the position, so nobody chose it.  A position of
pychess counts only if its quickest mate takes the n moves that it says: proved by one of the solvers by hand.

The baseline of a pool and an n is that solver by hand which looks at the fewest boards in the mean.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ludwin.errors import BadParameter
from ludwin.game import State
from ludwin.games.chess.opponents.mates import pychess
from ludwin.games.chess.opponents.mates.solver import BOARDS, SOLVERS, chess, finder, solver

FILE = Path(__file__).parent.parent.parent / "data" / "mates.txt"
POOLS = ("own", "composed", "practical")
TRAINING, TEST = "training", "test"
MOST_BOARDS = 60 * BOARDS  # to prove that a position of pychess is a mate in n


@lru_cache(maxsize=1 << 14)
def _read(text: str) -> State:
    return chess().position(text)


@dataclass(frozen=True)
class MateProblem:
    """A position, and in how many moves its mover mates."""

    text: str
    n: int

    @property
    def state(self) -> State:
        """The position."""
        return _read(self.text)

    @property
    def rank(self) -> bytes:
        """What orders and splits a pool."""
        return hashlib.sha256(" ".join(self.text.split()[:4]).encode()).digest()

    @property
    def part(self) -> str:
        """Training or test."""
        return TEST if self.rank[0] % 2 else TRAINING


@lru_cache(maxsize=1)
def own_rows() -> tuple[tuple[MateProblem, str], ...]:
    """Return our own problems with their keys. Raises BadParameter for a file that is none of ours."""
    found = []
    for number, line in enumerate(FILE.read_text(encoding="utf8").splitlines(), 1):
        words = line.split()
        if line.startswith("#"):
            continue
        if len(words) != 7 or not words[0].isdecimal():
            raise BadParameter(f"{FILE.name}, line {number}: a problem is n, origin, key and four fields of a FEN")
        found.append((MateProblem(f"{' '.join(words[3:])} 0 1", int(words[0])), words[2]))
    return tuple(found)


@lru_cache(maxsize=64)
def candidates(pool: str, n: int, part: str) -> tuple[MateProblem, ...]:
    """Return what a part of a pool holds, in the order of the hash; of pychess not proved yet."""
    if pool not in POOLS:
        raise BadParameter(f"there is no pool {pool!r} (there is {', '.join(POOLS)})")
    if pool == "own":
        found = [problem for problem, _ in own_rows() if problem.n == n]
    else:
        found = [MateProblem(text, n) for text in pychess.problems(pool, n)]
    return tuple(sorted((one for one in found if one.part == part), key=lambda one: one.rank))


@lru_cache(maxsize=256)
def problems(pool: str, n: int, part: str, most: int) -> tuple[MateProblem, ...]:
    """Return the first problems of a part of a pool, each a mate in n and in no fewer moves."""
    found = []
    for one in candidates(pool, n, part):
        if len(found) >= most:
            break
        if pool == "own" or is_sound(one):
            found.append(one)
    return tuple(found)


def is_sound(problem: MateProblem) -> bool:
    """Tell whether the quickest mate takes n moves; a position that no solver settles does not count."""
    for name in ("fewest", "df-pn"):
        found = solver(name).solve(problem.state, problem.n, MOST_BOARDS)
        if not found.cut:
            return found.solved and found.moves == problem.n
    return False


@lru_cache(maxsize=1 << 16)
def boards_by_hand(name: str, problem: MateProblem, limit: int = BOARDS) -> int:
    """Return how many boards a solver by hand looks at; `limit` if that is not enough."""
    return solver(name).solve(problem.state, problem.n, limit).boards


def means(some: Sequence[MateProblem], limit: int = BOARDS) -> dict[str, float]:
    """Return the mean boards of every solver by hand."""
    return {name: sum(boards_by_hand(name, one, limit) for one in some) / len(some) for name in SOLVERS}


def baseline(some: Sequence[MateProblem], limit: int = BOARDS) -> str:
    """Return the solver by hand that looks at the fewest boards."""
    found = means(some, limit)
    return min(found, key=lambda name: found[name])


def shares(boards: Sequence[float], base: Sequence[float]) -> list[float]:
    """Return samples whose mean is the ratio of two totals and whose error is that of a ratio estimate."""
    share, weight = sum(boards) / sum(base), len(base) / sum(base)
    return [share + weight * (mine - share * theirs) for mine, theirs in zip(boards, base, strict=True)]


def is_key(problem: MateProblem, move: int | None) -> bool:
    """Tell whether a move mates within n moves: the referee's proof, whatever was claimed."""
    if move is None:
        return False
    there = problem.state.play(move)
    if there.over:
        return there.payoff(problem.state.mover) == 1
    if problem.n == 1:
        return False
    return all(_mates(there.play(reply), problem.n - 1) for reply in there.moves())


def _mates(state: State, n: int) -> bool:
    return not state.over and solver("fewest").solve(state, n, 100 * MOST_BOARDS).solved


def all_keys(problem: MateProblem) -> tuple[int, ...]:
    """Return every key."""
    return finder().keys(problem.state, problem.n) or ()
