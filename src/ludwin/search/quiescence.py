"""Quiescence: where a search may stop and trust the evaluation.

The idea.  An evaluation says nonsense in the middle of an exchange.  Twist's form searches a fixed
number of extra plies when a position at the horizon is noisy; the usual form goes on with noisy
moves only until none is left, and lets the mover stand pat if it also has a quiet move.  A position
is noisy if any of its moves is (`noisy` of the game).  Kernel text, shared by minimax and alpha-beta,
so that both search the same tree.

References.  R. Greenblatt, D. Eastlake, S. Crocker, "The Greenblatt chess program", 1967.
T. Tesan, "Twist", 2017, section 3.1.1.
"""

from ludwin.kernel.names import noisy

NONE, TWIST, USUAL = 0, 1, 2
FORMS = {"none": NONE, "twist": TWIST, "usual": USUAL}
TAIL = 32  # plies that the usual form may add; beyond, the evaluation is taken as it is


def noisy_moves(s, out, n):
    """Count the noisy ones among the `n` moves in `out`."""
    count = 0
    for i in range(n):
        if noisy(s, out[i]):
            count += 1
    return count


def no_noise(s, out, n):
    """Stand in for `noisy_moves` where a game defines no `noisy`: every position is quiet."""
    return 0


def is_noisy(s, m):
    """Tell whether move m is noisy."""
    return noisy(s, m)


def never_noisy(s, m):
    """Stand in for `is_noisy` where a game defines no `noisy`."""
    return False


def plies_behind(form: str, extra: int) -> int:
    """Return how many plies a search may go beyond its depth."""
    return {"none": 0, "twist": extra, "usual": TAIL}[form]
