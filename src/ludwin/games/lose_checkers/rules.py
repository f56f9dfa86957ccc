"""Lose checkers, or giveaway: draughts where whoever runs out of pieces or of moves wins.

Rules.  Those of `draughts`, forced captures included, but whoever cannot move on its turn, because
it has no piece left or none that can move, has won.

Why it is here.  The same moves as draughts with the opposite aim, so what is known about one does
not help in the other: Benbassat and Sipper evolved evaluations for it because nobody had a good
one, the negated material of draughts included.  It is also how a variant is written: take
everything from the parent and change one rule.

References.  A. Benbassat and M. Sipper, "Evolving lose-checkers players using genetic programming",
IEEE Conference on Computational Intelligence and Games (2010), 30-37.
"""

from ludwin.games.draughts.rules import (  # noqa: F401
    FIELDS,
    MAX_MOVES,
    MAX_PLIES,
    PLY_LIMIT,
    QUERIES,
    QUIET_LIMIT,
    SIZE,
    drawn,
    key,
    mover,
    moves,
    noisy,
    play,
    query,
    setup,
)


def payoff(s, p):
    if drawn(s):
        return 0
    return 1 if s.turn == p else -1
