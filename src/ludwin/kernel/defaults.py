"""What a game means when it does not say: the defaults of optional functions, as kernel text.

Why it is here.  A five-function game should already play.  Without `evaluate` every unfinished
position is worth nothing in particular, without `key` all cells count, without `chance` all of
nature's moves are equally likely, without `observe` nothing is hidden.
"""

from typing import Any

from ludwin.kernel.names import CELLS, cell
from ludwin.primitives import mix


def evaluate(s: Any, p: int) -> float:
    """Return no opinion."""
    return 0.0


def key(s: Any) -> int:
    """Return a hash of all cells."""
    h = 0
    for i in range(CELLS):
        h = mix(h, cell(s, i))
    return h


def chance(s: Any, m: int) -> int:
    """Return the same weight for every move of nature's."""
    return 1


def observe(s: Any, p: int, rng: Any) -> None:
    """Leave the state as it is: everybody sees everything."""
    return


def cost(s: Any, m: int) -> int:
    """Return the same price for every move."""
    return 1


def distance(s: Any) -> int:
    """Return the bound that is always true."""
    return 0


def pattern_project(s: Any, k: int) -> None:
    """Leave the position as it is: a pattern sees as much as its moves need."""
    return


def pattern_share(s: Any, m: int, k: int) -> float:
    """Return the whole price of a move: every pattern counts it, so patterns do not add up."""
    return 1.0 * cost(s, m)


def seed(s: Any, n: int) -> None:
    """Leave the world as it is: there is no chance in it."""
    return


def retire(s: Any, p: int) -> None:
    """Leave a player where it is who has lost its control."""
    return


DEFAULTS = {
    f.__name__: f
    for f in (evaluate, key, chance, observe, cost, distance, pattern_project, pattern_share, seed, retire)
}
