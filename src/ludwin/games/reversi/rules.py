"""Reversi, or Othello: enclose the opponent's discs and turn them into your own.

Rules.  Black (player 0, X) moves first.  A disc is placed so that, in at least one of the eight
directions, an unbroken line of the opponent's discs lies between it and another disc of the same
colour; all discs so enclosed change colour.  Whoever cannot place a disc passes, which is a move of
its own and allowed only then.  When neither side can place a disc the game is over, and more
discs win.

Why it is here.  A game has 60 plies and few passes, so a search sees its end early, while counting
discs misleads until then: the classic test of learnt evaluations.  4x4 is solved in a moment.

Board.  Square a1 is bit 0, at the top left, and squares follow row by row; on 8x8 they fill all 64
bits, so shifts are those of the machine (`shl`, `shr`).

References.  World Othello Federation, "Official rules for the game Othello"; perft after A. Bik,
"Perft for reversi" (2009), www.aartbik.com/MISC/reversi.html.
"""

from ludwin.primitives import clear_lsb, lsb, popcount, shl, shr

SIZE = 8

if SIZE not in (4, 6, 8):
    raise ValueError(f"size must be 4, 6 or 8, got {SIZE}")

FIELDS = {"discs": 2, "turn": int}  # s.discs[p]: a bit for each disc of player p
PASS = SIZE * SIZE
MAX_MOVES = SIZE * SIZE - 4
MAX_PLIES = 2 * (SIZE * SIZE - 4)  # after a pass a disc is placed


def _pattern(squares):
    """Return the bits of these squares as a 64-bit integer with a sign."""
    bits = sum(1 << square for square in squares)
    return bits - (1 << 64) if bits >> 63 else bits


_EDGE = (0, SIZE - 1)
_WEST = SIZE // 2 - 1  # the column left of the middle, and the row above it
_NORTH = _WEST * SIZE
BOARD = _pattern(range(SIZE * SIZE))
INNER = _pattern(k for k in range(SIZE * SIZE) if k % SIZE not in _EDGE)  # without a and h
CORNERS = _pattern(r * SIZE + c for r in _EDGE for c in _EDGE)
WEST_COLUMN = _pattern(r * SIZE for r in range(SIZE))
EAST_COLUMN = _pattern(r * SIZE + SIZE - 1 for r in range(SIZE))
RIM = _pattern(r * SIZE + c for r in range(SIZE) for c in range(SIZE) if r in _EDGE or c in _EDGE)
BLACK = _pattern((_NORTH + _WEST + 1, _NORTH + SIZE + _WEST))
WHITE = _pattern((_NORTH + _WEST, _NORTH + SIZE + _WEST + 1))

# What programs may ask.
QUERIES = {
    "my discs": "float",
    "my corners": "float",
    "enemy discs": "float",
    "enemy corners": "float",
    "discs": "float",  # mine less the enemy's, as the next one
    "corners": "float",
    "is empty": ("bool", SIZE * SIZE),
    "is mine": ("bool", SIZE * SIZE),
    # Tactical ones, which the book's programs did not have.
    "my places": "float",  # squares where a disc could be placed
    "enemy places": "float",
    "my frontier": "float",  # discs beside an empty square
    "enemy frontier": "float",
    "my corner places": "float",  # corners that could be taken now
    "enemy corner places": "float",
    "my risks": "float",  # discs diagonally beside an empty corner
    "enemy risks": "float",
    "my edges": "float",  # discs on the rim
    "enemy edges": "float",
    "empty squares": "float",
    "odd": "bool",  # whether the number of empty squares is odd
}


def setup(s):
    s.discs[0] = BLACK
    s.discs[1] = WHITE
    s.turn = 0


def mover(s):
    return s.turn


def up(start, through, step):
    """Return the unbroken lines of `through` that leave `start` in steps of `step` bits."""
    line = shl(start, step) & through
    for _ in range(SIZE - 3):
        line |= shl(line, step) & through
    return line


def down(start, through, step):
    """Return the same in the opposite direction."""
    line = shr(start, step) & through
    for _ in range(SIZE - 3):
        line |= shr(line, step) & through
    return line


def placements(mine, theirs):
    """Return the squares where a disc of `mine` would enclose some of `theirs`."""
    inner = theirs & INNER  # a line along a row or diagonal has its enclosed discs inside
    ends = shl(up(mine, inner, 1), 1) | shr(down(mine, inner, 1), 1)
    ends |= shl(up(mine, theirs, SIZE), SIZE) | shr(down(mine, theirs, SIZE), SIZE)
    ends |= shl(up(mine, inner, SIZE - 1), SIZE - 1) | shr(down(mine, inner, SIZE - 1), SIZE - 1)
    ends |= shl(up(mine, inner, SIZE + 1), SIZE + 1) | shr(down(mine, inner, SIZE + 1), SIZE + 1)
    return ends & BOARD & ~(mine | theirs)


def moves(s, out):
    mine = s.discs[s.turn]
    theirs = s.discs[1 - s.turn]
    squares = placements(mine, theirs)
    n = 0
    while squares != 0:
        out[n] = lsb(squares)
        n += 1
        squares = clear_lsb(squares)
    if n == 0 and placements(theirs, mine) != 0:
        out[0] = PASS
        n = 1
    return n


def enclosed_up(disc, mine, through, step):
    """Return the discs that a new disc encloses in steps of `step` bits."""
    line = up(disc, through, step)
    return line if shl(line, step) & mine != 0 else 0


def enclosed_down(disc, mine, through, step):
    """Return the same in the opposite direction."""
    line = down(disc, through, step)
    return line if shr(line, step) & mine != 0 else 0


def enclosed(disc, mine, theirs):
    """Return the discs that change colour when `disc` joins `mine`."""
    inner = theirs & INNER
    return (
        enclosed_up(disc, mine, inner, 1)
        | enclosed_up(disc, mine, inner, SIZE - 1)
        | enclosed_up(disc, mine, theirs, SIZE)
        | enclosed_up(disc, mine, inner, SIZE + 1)
        | enclosed_down(disc, mine, inner, 1)
        | enclosed_down(disc, mine, inner, SIZE - 1)
        | enclosed_down(disc, mine, theirs, SIZE)
        | enclosed_down(disc, mine, inner, SIZE + 1)
    )


def play(s, m):
    if m != PASS:
        disc = shl(1, m)
        turned = enclosed(disc, s.discs[s.turn], s.discs[1 - s.turn])
        s.discs[s.turn] |= disc | turned
        s.discs[1 - s.turn] &= ~turned
    s.turn = 1 - s.turn


def payoff(s, p):
    lead = popcount(s.discs[p]) - popcount(s.discs[1 - p])
    return 1 if lead > 0 else -1 if lead < 0 else 0


def evaluate(s, p):
    # Free moves and corners, which are never turned again; discs hardly count before the end.
    mine = s.discs[p]
    theirs = s.discs[1 - p]
    freedom = popcount(placements(mine, theirs)) - popcount(placements(theirs, mine))
    corners = popcount(mine & CORNERS) - popcount(theirs & CORNERS)
    return (freedom + 10 * corners) / 128.0


def evaluate_discs(s, p):
    """Discs alone: the one opinion of the book's guides."""
    return 1.0 * (popcount(s.discs[p]) - popcount(s.discs[1 - p]))


def evaluate_corners(s, p):
    """Discs, and 5 more for each corner: the other one."""
    corners = popcount(s.discs[p] & CORNERS) - popcount(s.discs[1 - p] & CORNERS)
    return popcount(s.discs[p]) - popcount(s.discs[1 - p]) + 5.0 * corners


def evaluate_positional(s, p):
    """What stands where, as beginners are taught: corners are good, squares beside an empty one bad."""
    return standing(s.discs[p], s.discs[1 - p]) - standing(s.discs[1 - p], s.discs[p])


def standing(mine, theirs):
    """Return the worth of discs by their squares."""
    empty = ~(mine | theirs)
    free = CORNERS & empty
    beside = around(free)
    value = 25.0 * popcount(mine & CORNERS) + 2.0 * popcount(mine & RIM)
    return value - 8.0 * popcount(mine & beside & ~RIM) - 4.0 * popcount(mine & beside & RIM)


def around(squares):
    """Return all squares beside some of these, in any of the eight directions."""
    west = squares & ~EAST_COLUMN  # those that have a neighbour in the next column, and in the one before
    east = squares & ~WEST_COLUMN
    found = shl(squares, SIZE) | shr(squares, SIZE) | shl(west, 1) | shr(east, 1)
    found |= shl(west, SIZE + 1) | shr(east, SIZE + 1) | shl(east, SIZE - 1) | shr(west, SIZE - 1)
    return found & BOARD


def tactics(mine, theirs, k):
    """Answer tactical query number k, counted from the first of them."""
    empty = BOARD & ~(mine | theirs)
    if k == 0:
        return 1.0 * popcount(placements(mine, theirs))
    if k == 1:
        return 1.0 * popcount(placements(theirs, mine))
    if k == 2:
        return 1.0 * popcount(mine & around(empty))
    if k == 3:
        return 1.0 * popcount(theirs & around(empty))
    if k == 4:
        return 1.0 * popcount(placements(mine, theirs) & CORNERS)
    if k == 5:
        return 1.0 * popcount(placements(theirs, mine) & CORNERS)
    if k == 6:
        return 1.0 * popcount(mine & around(empty & CORNERS) & ~RIM)
    if k == 7:
        return 1.0 * popcount(theirs & around(empty & CORNERS) & ~RIM)
    if k == 8:
        return 1.0 * popcount(mine & RIM)
    if k == 9:
        return 1.0 * popcount(theirs & RIM)
    if k == 10:
        return 1.0 * popcount(empty)
    return 1.0 * (popcount(empty) & 1)


def query(s, p, k, a):
    mine = s.discs[p]
    theirs = s.discs[1 - p]
    if k >= 8:
        return tactics(mine, theirs, k - 8)
    if k == 0:
        return 1.0 * popcount(mine)
    if k == 1:
        return 1.0 * popcount(mine & CORNERS)
    if k == 2:
        return 1.0 * popcount(theirs)
    if k == 3:
        return 1.0 * popcount(theirs & CORNERS)
    if k == 4:
        return 1.0 * (popcount(mine) - popcount(theirs))
    if k == 5:
        return 1.0 * (popcount(mine & CORNERS) - popcount(theirs & CORNERS))
    square = shl(1, a)
    if k == 6:
        return 0.0 if (mine | theirs) & square else 1.0
    return 1.0 if mine & square else 0.0


def _disc(s, square):
    return "X" if s.discs[0] >> square & 1 else "O" if s.discs[1] >> square & 1 else "-"


def null(s):
    """Give the turn away, for null-move searches; with few empty squares left tempo is everything."""
    if popcount(s.discs[0] | s.discs[1]) > SIZE * SIZE - 12:
        return False
    s.turn = 1 - s.turn
    return True
