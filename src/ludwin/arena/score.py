"""What a game is worth: a win 1, a draw a half, a loss 0.

Why it is here.  Scores, ratings, sequential tests and fitness count the same points, so they are said once.  A win is a
payoff above the opponent's.
"""

from collections.abc import Sequence

WIN, DRAW, LOSS = 1.0, 0.5, 0.0


def points_of(mine: float, other: float) -> float:
    """Return the points of a player whose payoff is `mine`.

    >>> points_of(3, 1), points_of(0.5, 0.5), points_of(-1, 1)
    (1.0, 0.5, 0.0)
    """
    return WIN if mine > other else LOSS if mine < other else DRAW


def points(payoffs: Sequence[float], seat: int) -> float:
    """Return the points of the player in this seat; with more than two players the mean against each of the others.

    >>> points((1.0, -1.0), 0), points((3.0, 1.0, 3.0, 5.0), 0)
    (1.0, 0.5)
    """
    others = [*payoffs[:seat], *payoffs[seat + 1 :]]
    return sum(points_of(payoffs[seat], other) for other in others) / len(others)


def mean_score(wins: int, draws: int, games: int) -> float:
    """Return (wins + draws / 2) / games; 1/2 before the first game."""
    return (WIN * wins + DRAW * draws) / games if games else DRAW
