"""How searches of the alpha-beta family weigh facts and opinions.

Why it is here.  A finished game outweighs every evaluation, whatever the evaluation's scale: payoffs,
less half their sum so that they lie symmetrically about 0, are multiplied by `DECIDED`; opinions
are clipped far below.  All values are seen from the mover's side.  Kernel text.
"""

from ludwin.kernel.names import HALF_SUM, evaluate, mover, payoff

DECIDED = 2.0**400  # a power of two: scaling by it loses nothing
OPINION = 2.0**300
INFINITE = 2.0**500
UNCOUNTED = -1  # for a number of moves that nobody has counted


def assess(w, s, p, n):
    """Return what the search thinks of an unfinished state with `n` moves, from player p's side (n < 0: not counted).

    This is the game's `evaluate`; a brain binds something else to the name (`ludwin.search.brain`).
    """
    return 1.0 * evaluate(s, p)


def wake(w):
    """Begin a choice: a brain may bind something here that it does once, before anything is searched."""
    return 0


def opinion(w, s, n):
    """Return the assessment from the mover's side, clipped so that no fact is outweighed (nan is the worst)."""
    value = assess(w, s, mover(s), n)
    if not value > -OPINION:
        return -OPINION
    return min(value, OPINION)


def fact(s):
    """Return the worth of a finished game to the mover, above or below every opinion."""
    return (payoff(s, mover(s)) - HALF_SUM) * DECIDED


def worth(value: float, decided: bool, payoff_sum: float | None) -> float:
    """Return what a search value means: a payoff if the line is decided, else the opinion."""
    return value / DECIDED + (payoff_sum or 0) / 2 if decided else value + 0.0
