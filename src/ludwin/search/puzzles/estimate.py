"""How far a state seems to be from a goal: the word by which searches alone ask, and what may answer.  Kernel text.

Why it is here.  Without more, the game's `distance` answers, which promises never to say too much.  `eval=NAME` lets
the game's `distance_NAME` answer, which promises nothing, `patterns=` a table that was built from the rules, and a
brain whatever it thinks.  A brain says how much a state is worth to its mover, so its estimate is the negative of
that; one that is made for puzzles binds `estimate` itself.
"""

from ludwin.kernel.names import distance
from ludwin.search.values import UNCOUNTED, assess

FAR = 2.0**300  # what an estimate is at most


def estimate(w, s):
    """Return how far `s` seems to be from a goal; less is nearer."""
    return 1.0 * distance(s)


def by_brain(w, s):
    """Return what a brain thinks of the state, turned round."""
    return -assess(w, s, 0, UNCOUNTED)


def far(w, s):
    """Return the estimate as searches use it: a number, and not beyond all bounds (nan is far away)."""
    value = estimate(w, s)
    if not value < FAR:
        return FAR
    return max(value, -FAR)
