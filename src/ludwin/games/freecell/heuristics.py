"""What a patience looks like: the nine heuristics of *Evolved to Win*, Table 11.1, and two of ours.

They are compiled with the rules.  Values are as the table defines them; `query` divides them by their maxima, so that
each lies between 0 and 1 (the difference from the top may be a little below).  Six of the nine are less the nearer the
end is, three (cards well placed, room, the highest card at home) are more; who adds them up turns those three round,
or does not, as the book is silent about it.

References.  M. Sipper, *Evolved to Win* (2011), chapter 11; docs/games/freecell.md says what is done where the book
leaves a detail open.
"""

from ludwin.games.freecell.cards import (
    COLUMNS,
    card_at,
    empty_columns,
    fits,
    free_cells,
    home_of,
    length_of,
    run_of,
    top_of,
)
from ludwin.primitives import popcount, shr


def buried(s):
    """HSDH: cards that lie upon the next card of each suit, twice as many where there is neither cell nor column free.

    A next card that is in a cell, or whose suit is complete, has nothing upon it.
    """
    total = 0
    for c in range(COLUMNS):
        n = length_of(s, c)
        word = s.low[c]
        for i in range(n):
            if i == 10:
                word = s.high[c]
            if shr(s.wanted, word & 63) & 1 == 1:
                total += n - 1 - i
            word = shr(word, 6)
    return total if free_cells(s) + empty_columns(s) > 0 else 2 * total


def well_placed(s):
    """NumberWellPlaced: cards in columns that lie all in order."""
    total = 0
    for c in range(COLUMNS):
        if run_of(s, c) == length_of(s, c):
            total += run_of(s, c)
    return total


def room(s):
    """FreeCells: free cells and empty columns."""
    return free_cells(s) + empty_columns(s)


def difference_from_top(s):
    """DifferenceFromTop: the mean rank of the exposed cards of columns, less the mean rank at home."""
    total = 0
    for c in range(COLUMNS):
        total += shr(top_of(s, c), 2)
    n = popcount(s.open)
    exposed = total / n if n > 0 else 0.0
    return exposed - (home_of(s, 0) + home_of(s, 1) + home_of(s, 2) + home_of(s, 3)) / 4


def sum_of_bottoms(s):
    """SumOfBottomCards: how much the ranks of the deepest cards lack to four kings and four queens."""
    total = 100
    for c in range(COLUMNS):
        total -= shr(s.low[c] & 63, 2)
    return total


def inversions(s):
    """Count the cards that lie, somewhere in their column, above a card of a lower rank: those must go first."""
    total = 0
    for c in range(COLUMNS):
        least = 14
        word = s.low[c]
        for i in range(length_of(s, c)):
            if i == 10:
                word = s.high[c]
            rank = shr(word & 63, 2)
            if rank > least:
                total += 1
            least = min(least, rank)
            word = shr(word, 6)
    return total


def broken(s):
    """Count the cards that lie upon a card on which they could not be put."""
    total = 0
    for c in range(COLUMNS):
        for i in range(1, length_of(s, c) - run_of(s, c) + 1):
            if not fits(card_at(s, c, i), card_at(s, c, i - 1)):
                total += 1
    return total


def phase(g, rest):
    """Return how much of the way is behind: g / (g + rest), all of it if both are 0."""
    return 1.0 if g + rest <= 0 else g / (g + rest)
