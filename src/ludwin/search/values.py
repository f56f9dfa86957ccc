"""How searches of the alpha-beta family weigh facts and opinions.

Why it is here.  A finished game outweighs every evaluation, whatever the evaluation's scale: payoffs,
less half their sum so that they lie symmetrically about 0, are multiplied by `DECIDED`; opinions
are clipped far below.  All values are seen from the mover's side.  Kernel text.
"""

from ludwin.kernel.names import HALF_SUM, evaluate, mover, payoff

DECIDED = 2.0**400  # a power of two: scaling by it loses nothing
OPINION = 2.0**300
INFINITE = 2.0**500


def opinion(s):
    """Return the evaluation from the mover's side, clipped so that no fact is outweighed (nan is the worst)."""
    value = 1.0 * evaluate(s, mover(s))
    if not value > -OPINION:
        return -OPINION
    return min(value, OPINION)


def fact(s):
    """Return the worth of a finished game to the mover, above or below every opinion."""
    return (payoff(s, mover(s)) - HALF_SUM) * DECIDED


def worth(value: float, decided: bool, payoff_sum: float | None) -> float:
    """Return what a search value means: a payoff if the line is decided, else the opinion."""
    return value / DECIDED + (payoff_sum or 0) / 2 if decided else value + 0.0
