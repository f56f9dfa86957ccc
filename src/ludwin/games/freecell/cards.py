"""Cards in a state: columns, cells and homes packed into words, and what moves them.

A card is rank * 4 + suit: ranks 1 to 13, suits clubs 0, diamonds 1, hearts 2, spades 3; 0 is no card.  Columns hold
six bits a card, ten cards in `low` and those upon them in `high`; at most nineteen cards ever lie in one.  They are
kept in the order of their deepest cards, empty ones last, and cells are a set: so states that differ only in which
column or which cell is which are one state for searches.  Which column and which cell people see is in `where` and
`held`, for notation and drawings alone.
"""

from ludwin.primitives import add, mix, popcount, shl, shr

COLUMNS = 4 + 4  # of seven and of six cards
CELLS = COLUMNS // 2
TO_CELL = COLUMNS + 0  # where a move goes, beside the columns 0 to 7; it comes from these or from cell 8 to 11
TO_HOME = COLUMNS + 1
ALL_HOME = 13 * 0x01010101
_KEEP = tuple((1 << (6 * n)) - 1 for n in range(11))
_ON = tuple(  # of each card the two cards that it may be put on, as a set
    sum(1 << ((card // 4 + 1) * 4 + suit) for suit in (card % 4 ^ 1, card % 4 ^ 2)) if 4 <= card < 52 else 0
    for card in range(56)
)


def card_at(s, c, i):
    """Return card number i of a column, from the deepest on."""
    return shr(s.low[c], 6 * i) & 63 if i < 10 else shr(s.high[c], 6 * i - 60) & 63


def length_of(s, c):
    """Return how many cards lie in a column."""
    return shr(s.lengths, 8 * c) & 255


def run_of(s, c):
    """Return how many cards at the end of a column lie in order: each on one of the other colour, one rank higher."""
    return shr(s.runs, 8 * c) & 255


def top_of(s, c):
    """Return the exposed card of a column, 0 if it is empty."""
    n = length_of(s, c)
    return card_at(s, c, n - 1) if n > 0 else 0


def home_of(s, suit):
    """Return the rank of the card at home in a suit, 0 if there is none."""
    return shr(s.home, 8 * suit) & 255


def fits(card, on):
    """Tell whether a card may be put on another one in a column."""
    return shr(_ON[card], on) & 1 == 1


def targets(card):
    """Return the cards that a card may be put on, as a set."""
    return _ON[card]


def free_cells(s):
    """Return how many cells are free."""
    return CELLS - popcount(s.cells)


def empty_columns(s):
    """Return how many columns are empty."""
    n = 0
    while n < COLUMNS and s.low[COLUMNS - 1 - n] == 0:
        n += 1
    return n


def column_hash(s, c):
    """Return a hash of a column, 0 if it is empty."""
    return 0 if s.low[c] == 0 else mix(mix(11, s.low[c]), s.high[c])


def run_at(s, c, n):
    """Count the cards that lie in order at the end of the first n cards of a column."""
    if n == 0:
        return 0
    run = 1
    while run < n and fits(card_at(s, c, n - run), card_at(s, c, n - run - 1)):
        run += 1
    return run


def set_byte(word, k, value):
    """Return a word with another byte number k."""
    return word ^ shl((shr(word, 8 * k) & 255) ^ value, 8 * k)


def cut(s, c, n):
    """Take the last n cards off a column; whoever calls it has noted them, and sees to the hash."""
    left = length_of(s, c) - n
    run = run_of(s, c) - n
    s.open = s.open ^ shl(1, card_at(s, c, left + n - 1))
    if left <= 10:
        s.high[c] = 0
        s.low[c] = s.low[c] & _KEEP[left]
    else:
        s.high[c] = s.high[c] & _KEEP[left - 10]
    s.lengths = set_byte(s.lengths, c, left)
    s.runs = set_byte(s.runs, c, run if run > 0 else run_at(s, c, left))
    if left > 0:
        s.open = s.open ^ shl(1, card_at(s, c, left - 1))
    return left


def lay(s, c, card):
    """Put a card upon a column; whether it fits there has been asked before, and the hash is seen to later."""
    n = length_of(s, c)
    if n > 0:
        s.open = s.open ^ shl(1, card_at(s, c, n - 1))
    if n < 10:
        s.low[c] = s.low[c] | shl(card, 6 * n)
    else:
        s.high[c] = s.high[c] | shl(card, 6 * n - 60)
    s.open = s.open | shl(1, card)
    s.lengths = add(s.lengths, shl(1, 8 * c))
    s.runs = add(s.runs, shl(1, 8 * c))
    return n + 1


def to_cell(s, card, which):
    """Put a card into a free cell, number `which` of those that are free."""
    s.cells = s.cells | shl(1, card)
    k = 0
    while shr(s.held, 8 * k) & 255 != 0 or which > 0:
        which = which - 1 if shr(s.held, 8 * k) & 255 == 0 else which
        k += 1
    s.held = s.held | shl(card, 8 * k)
    return k


def from_cell(s, card):
    """Take a card out of its cell."""
    s.cells = s.cells ^ shl(1, card)
    k = 0
    while shr(s.held, 8 * k) & 255 != card:
        k += 1
    s.held = s.held ^ shl(card, 8 * k)
    return k


def bring_home(s, card):
    """Put a card upon those of its suit that are at home."""
    s.home = s.home + shl(1, 8 * (card & 3))
    s.wanted = s.wanted ^ (shl(1, card) | shl(1, card + 4))
    return card


def is_safe(s, card):
    """Tell whether a card that is next at home can never be missed in the columns.

    Only cards of the other colour, one rank lower, could lie on it.  It is not missed if these are at home, or can go
    there as soon as they are exposed without being missed in their turn (T. Horne's rule).
    """
    rank = shr(card, 2)
    suit = card & 3
    others = min(home_of(s, suit ^ 1), home_of(s, suit ^ 2))
    return rank <= 2 or others >= rank - 1 or (others >= rank - 2 and home_of(s, 3 - suit) >= rank - 3)


def automatic(s):
    """Bring all cards home that are exposed and never missed; return how many."""
    n = 0
    again = s.wanted & (s.open | s.cells) != 0
    while again:
        again = False
        exposed = s.wanted & (s.open | s.cells)
        for suit in range(4):
            card = 4 * home_of(s, suit) + 4 + suit
            if shr(exposed, card) & 1 == 1 and is_safe(s, card):
                if shr(s.cells, card) & 1 == 1:
                    from_cell(s, card)
                else:
                    c = 0
                    while top_of(s, c) != card:
                        c += 1
                    s.hash = add(s.hash, -column_hash(s, c))
                    cut(s, c, 1)
                    s.hash = add(s.hash, column_hash(s, c))
                bring_home(s, card)
                n += 1
                again = True
    return n


def deepest(s, c):
    """Return what columns are kept in order by: the deepest card, or, of empty ones, which column people see."""
    return s.low[c] & 63 if s.low[c] != 0 else 64 + (shr(s.where, 8 * c) & 255)


def in_order(s):
    """Bring the columns into their order."""
    for i in range(1, COLUMNS):
        c = i
        while c > 0 and deepest(s, c - 1) > deepest(s, c):
            exchange(s, c - 1)
            c -= 1
    return 0


def exchange(s, c):
    """Exchange a column with the next one."""
    a = s.low[c]
    s.low[c] = s.low[c + 1]
    s.low[c + 1] = a
    a = s.high[c]
    s.high[c] = s.high[c + 1]
    s.high[c + 1] = a
    s.lengths = swapped(s.lengths, c)
    s.runs = swapped(s.runs, c)
    s.where = swapped(s.where, c)
    return 0


def swapped(word, c):
    """Return a word in which bytes c and c + 1 are exchanged."""
    difference = (shr(word, 8 * c) ^ shr(word, 8 * c + 8)) & 255
    return word ^ shl(difference, 8 * c) ^ shl(difference, 8 * c + 8)
