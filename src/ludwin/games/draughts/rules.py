"""Draughts, or checkers: English rules, on 8x8 or another even board.

Rules.  Black (player 0) begins on squares 1 to 12 and moves down the board, White up.  A man steps
one square diagonally forward, a king one square in any direction.  An enemy piece is captured by
jumping over it to the free square behind; men jump forward only.  Whoever can capture must, with a
free choice among the captures, and goes on jumping with the same piece as long as it can.  The
square where the piece began is free meanwhile; captured pieces leave the board after the move, and
none is jumped twice.  A man that reaches the last row becomes a king and its move ends.  Whoever
cannot move has lost.  `QUIET_LIMIT` plies without a capture or a move of a man, or `PLY_LIMIT`
plies in all, make a draw, whoever could move then; 0 turns a limit off.  Repetition is left to
the limits.

Why it is here.  The game of Samuel's learner and of Chinook, since solved (a draw), with published
perft numbers that test a move generator to the last digit.  `draughts:size=10` has the same rules
with three rows of men, as in Benbassat and Sipper's experiments: it is not international draughts.

Board.  The dark squares are bits, row by row from square 1, with one bit left empty after each two
rows.  Then a step along a diagonal is a shift by `SHORT` or `LONG` bits from every square, and one
that leaves the board lands on an empty bit or outside.

References.  World Checkers/Draughts Federation, "Rules of Draughts (Checkers)"; J. Schaeffer and
others, "Checkers is solved", Science 317 (2007), 1518-1522; A. Benbassat and M. Sipper, "Evolving
board-game players with genetic programming", GECCO 2011 workshops, 739-742; perft after A. Bik,
"Perft for checkers" (2009), www.aartbik.com/MISC/checkers.html.
"""

from ludwin.primitives import clear_lsb, lsb, mix, popcount

SIZE = 8
QUIET_LIMIT = 80
PLY_LIMIT = 0

if SIZE not in (4, 6, 8, 10):
    raise ValueError(f"size must be 4, 6, 8 or 10, got {SIZE}")
if QUIET_LIMIT < 0 or PLY_LIMIT < 0:
    raise ValueError(f"a limit must be at least 0, got {QUIET_LIMIT} (quiet) and {PLY_LIMIT} (plies)")
if QUIET_LIMIT == PLY_LIMIT == 0:
    raise ValueError("without quiet_limit and ply_limit a game might never end: give one of them")

FIELDS = {
    "pieces": 2,  # s.pieces[p]: a bit for each man and king of player p
    "kings": int,  # a bit for each king of either side
    "turn": int,
    "quiet": int,  # plies since the last capture or move of a man, if there is a QUIET_LIMIT
    "ply": int,  # plies since the start, if there is a PLY_LIMIT
}

SHORT = SIZE // 2  # down and left, up and right
LONG = SHORT + 1  # down and right, up and left


def _bit(square):
    """Return the bit of a square, counted from 1 as in books."""
    return square - 1 + (square - 1) // SIZE


def _rows(first, last):
    """Return the squares of the rows from `first` up to, but without, `last`."""
    return sum(1 << _bit(square + 1) for square in range(first * SHORT, last * SHORT))


MEN_ROWS = min(3, SHORT - 1)
MEN = MEN_ROWS * SHORT  # of each side in the beginning
BLACK = _rows(0, MEN_ROWS)
WHITE = _rows(SIZE - MEN_ROWS, SIZE)
BOARD = _rows(0, SIZE)
ROWS = tuple(_rows(row, row + 1) for row in range(SIZE))
CENTRE = _rows(SIZE // 2 - 2, SIZE // 2 + 2)
TOP = _rows(0, 1)
BOTTOM = _rows(SIZE - 1, SIZE)

_KING = 1.4  # kings in men, as the queries of pieces count them
SQUARES = SIZE * SHORT
BITS = tuple(_bit(square + 1) for square in range(SQUARES))

# What programs may ask. Squares are counted from the asking player's own corner, so one program serves both sides.
QUERIES = {
    "my men": "float",
    "my kings": "float",
    "my pieces": "float",
    "enemy men": "float",
    "enemy kings": "float",
    "enemy pieces": "float",
    "men": "float",  # mine less the enemy's, as the next two
    "kings": "float",
    "pieces": "float",
    "is empty": ("bool", SQUARES),
    "is mine": ("bool", SQUARES),
    "is king": ("bool", SQUARES),
    "is man": ("bool", SQUARES),
    # Tactical ones: what a search that stops in the middle of an exchange cannot know by counting. "Enemy" is what the
    # other side could do if it were to move.
    "my jumpers": "float",  # pieces that can capture
    "enemy jumpers": "float",
    "my victims": "float",  # pieces of mine that the enemy could jump over
    "enemy victims": "float",
    "my steps": "float",  # moves without a capture, also where a capture is forced
    "enemy steps": "float",
    "my movable": "float",  # pieces that can step or jump
    "enemy movable": "float",
    "my blocked": "float",  # pieces that can neither step nor jump
    "enemy blocked": "float",
    "my engaged": "float",  # pieces of mine that can capture or could be captured
    "can capture": "bool",
    "enemy can capture": "bool",
    "both can capture": "bool",
    "last piece": "bool",  # the mover has one piece
    "enemy last piece": "bool",
}

# More pieces to jump over mean more captures, and kings jump most freely; so the captures of kings
# that stand anywhere, with a piece on every square between, are a bound for all positions:
# 68 on 8x8, 944 on 10x10 (counted in the test).
MAX_MOVES = 72 if SIZE <= 8 else 944

# No position has more steps of men ahead than the start; there are fewer captures than pieces, and
# each of these plies ends fewer than QUIET_LIMIT quiet ones.
_PROGRESS = 2 * sum(SHORT * (SIZE - 1 - row) for row in range(MEN_ROWS)) + 2 * MEN
_QUIET_PLIES = (_PROGRESS + 1) * QUIET_LIMIT
MAX_PLIES = min(filter(None, (_QUIET_PLIES, PLY_LIMIT)))

# A move: 6 bits for the square where it begins, 6 for where it ends, 5 for the number of jumps, and
# 2 for the direction of each jump: bit 0 is the LONG diagonal, bit 1 is up.
_END = 6
_COUNT = 12
_PATH = 17


def setup(s):
    s.pieces[0] = BLACK
    s.pieces[1] = WHITE
    s.kings = 0
    s.turn = 0
    s.quiet = 0
    s.ply = 0


def mover(s):
    return s.turn


def drawn(s):
    """Tell whether a limit has ended the game."""
    if QUIET_LIMIT > 0 and s.quiet >= QUIET_LIMIT:
        return True
    return PLY_LIMIT > 0 and s.ply >= PLY_LIMIT


def moves(s, out):
    if drawn(s):
        return 0
    mine = s.pieces[s.turn]
    theirs = s.pieces[1 - s.turn]
    empty = BOARD & ~(mine | theirs)
    down = mine if s.turn == 0 else mine & s.kings
    up = mine & s.kings if s.turn == 0 else mine
    first = jumpers(mine, theirs, s.kings, s.turn)
    if first != 0:
        return captures(out, first, theirs, empty, down, up)
    n = steps(out, 0, (down << SHORT) & empty, SHORT)
    n = steps(out, n, (down << LONG) & empty, LONG)
    n = steps(out, n, (up >> SHORT) & empty, -SHORT)
    return steps(out, n, (up >> LONG) & empty, -LONG)


def jumpers(mine, theirs, kings, p):
    """Return the pieces of player p's that can capture; `kings` are those of either side."""
    empty = BOARD & ~(mine | theirs)
    below = (((empty >> SHORT) & theirs) >> SHORT) | (((empty >> LONG) & theirs) >> LONG)
    above = (((empty << SHORT) & theirs) << SHORT) | (((empty << LONG) & theirs) << LONG)
    down = mine if p == 0 else mine & kings
    up = mine & kings if p == 0 else mine
    return (down & below) | (up & above)


def steppers(mine, theirs, kings, p):
    """Return the pieces of player p's that can step."""
    empty = BOARD & ~(mine | theirs)
    down = mine if p == 0 else mine & kings
    up = mine & kings if p == 0 else mine
    return (down & ((empty >> SHORT) | (empty >> LONG))) | (up & ((empty << SHORT) | (empty << LONG)))


def step_count(mine, theirs, kings, p):
    """Return the number of steps that player p could make, were there no captures."""
    empty = BOARD & ~(mine | theirs)
    down = mine if p == 0 else mine & kings
    up = mine & kings if p == 0 else mine
    ahead = popcount((down << SHORT) & empty) + popcount((down << LONG) & empty)
    return ahead + popcount((up >> SHORT) & empty) + popcount((up >> LONG) & empty)


def victims(mine, theirs, kings, p):
    """Return the pieces of `theirs` that player p could jump over with a first jump."""
    empty = BOARD & ~(mine | theirs)
    down = mine if p == 0 else mine & kings
    up = mine & kings if p == 0 else mine
    hit = ((down << SHORT) & (empty >> SHORT)) | ((down << LONG) & (empty >> LONG))
    return theirs & (hit | ((up >> SHORT) & (empty << SHORT)) | ((up >> LONG) & (empty << LONG)))


def steps(out, n, ends, shift):
    """Write a move to each of `ends` from the square `shift` bits before it."""
    while ends != 0:
        end = lsb(ends)
        out[n] = (end - shift) | (end << _END)
        n += 1
        ends = clear_lsb(ends)
    return n


def captures(out, first, theirs, empty, down, up):
    """Write every capture of the pieces `first`, which can jump; `down` and `up` are who may go there."""
    n = 0
    while first != 0:
        start = lsb(first)
        at = 1 << start
        free = empty | at
        n = jumps(out, n, start, 0, at, theirs, free if down & at != 0 else 0, free if up & at != 0 else 0)
        first = clear_lsb(first)
    return n


def jumps(out, n: int, code: int, count: int, at: int, theirs: int, below: int, above: int):
    """Write all ways to finish the capture `code` of `count` jumps, now at the bit `at`.

    `below` and `above` are the squares where the piece may land going down and going up.
    """
    before = n
    step = 1 << _COUNT
    turn = _PATH + 2 * count
    over = (at << SHORT) & theirs
    if (over << SHORT) & below != 0:
        to = over << SHORT
        n = jumps(out, n, code + step, count + 1, to, theirs ^ over, below, above)
    over = (at << LONG) & theirs
    if (over << LONG) & below != 0:
        to = over << LONG
        n = jumps(out, n, code + step + (1 << turn), count + 1, to, theirs ^ over, below, above)
    over = (at >> SHORT) & theirs
    if (over >> SHORT) & above != 0:
        to = over >> SHORT
        n = jumps(out, n, code + step + (2 << turn), count + 1, to, theirs ^ over, below, above)
    over = (at >> LONG) & theirs
    if (over >> LONG) & above != 0:
        to = over >> LONG
        n = jumps(out, n, code + step + (3 << turn), count + 1, to, theirs ^ over, below, above)
    if n == before:
        out[n] = code | (lsb(at) << _END)
        n += 1
    return n


def captured(m):
    """Return the bits of the pieces that a move jumps over."""
    at = m & 63
    path = m >> _PATH
    taken = 0
    for _ in range((m >> _COUNT) & 31):
        shift = (SHORT + (path & 1)) * (1 - (path & 2))
        taken |= 1 << (at + shift)
        at += 2 * shift
        path >>= 2
    return taken


def play(s, m):
    start = 1 << (m & 63)
    end = 1 << ((m >> _END) & 63)
    king = s.kings & start
    capture = noisy(s, m)
    s.pieces[s.turn] ^= start ^ end
    if king != 0:
        s.kings ^= start ^ end
    s.kings |= end & (BOTTOM if s.turn == 0 else TOP)
    if capture:
        taken = captured(m)
        s.pieces[1 - s.turn] ^= taken
        s.kings &= ~taken
    if QUIET_LIMIT > 0:
        s.quiet = s.quiet + 1 if king != 0 and not capture else 0
    if PLY_LIMIT > 0:
        s.ply += 1
    s.turn = 1 - s.turn


def payoff(s, p):
    if drawn(s):
        return 0
    return -1 if s.turn == p else 1


def worth(s, p):
    """Return the material of player p, 100 for a man and 150 for a king, and the guards at home."""
    mine = s.pieces[p]
    home = TOP if p == 0 else BOTTOM
    return 100 * popcount(mine) + 50 * popcount(mine & s.kings) + 8 * popcount(mine & home & ~s.kings)


def evaluate(s, p):
    return (worth(s, p) - worth(s, 1 - p)) / 4096.0


def evaluate_twist(s, p):
    """Twist's naive material: a man 1, a king 2, over 24."""
    mine = popcount(s.pieces[p]) + popcount(s.pieces[p] & s.kings)
    theirs = popcount(s.pieces[1 - p]) + popcount(s.pieces[1 - p] & s.kings)
    return (mine - theirs) / 24.0


def standing(s, p):
    """Return the worth of player p's pieces and of where they stand, in hundredths of a man.

    Kings belong into the centre, men should guard the home row and not hurry: with these weights
    depth 5 scores 0.61 against `evaluate` (1000 fresh games, docs/results/search.md); rewarding advance lost.
    """
    mine = s.pieces[p]
    men = mine & ~s.kings
    kings = mine & s.kings
    value = 100 * popcount(mine) + 40 * popcount(kings) + 8 * popcount(kings & CENTRE) - 2 * popcount(men & CENTRE)
    value += 12 * popcount(men & (TOP if p == 0 else BOTTOM))
    for row in range(SIZE):
        ahead = row if p == 0 else SIZE - 1 - row
        value -= 2 * ahead * popcount(men & ROWS[row])
    return value


def evaluate_strong(s, p):
    """The difference over the sum: whoever is ahead likes exchanges."""
    mine = standing(s, p)
    theirs = standing(s, 1 - p)
    return (mine - theirs) / (mine + theirs + 1.0)


def evaluate_men(s, p):
    """Pieces, a king 1.4: the one opinion of the book's guides on 10x10."""
    return material(s, p, 1.4)


def evaluate_kings(s, p):
    """Pieces, a king 2: the other one."""
    return material(s, p, 2.0)


def material(s, p, king):
    mine = popcount(s.pieces[p]) + (king - 1.0) * popcount(s.pieces[p] & s.kings)
    theirs = popcount(s.pieces[1 - p]) + (king - 1.0) * popcount(s.pieces[1 - p] & s.kings)
    return mine - theirs


def tactics(mine, theirs, kings, p, k):
    """Answer tactical query number k, counted from the first of them."""
    if k == 0:
        return 1.0 * popcount(jumpers(mine, theirs, kings, p))
    if k == 1:
        return 1.0 * popcount(jumpers(theirs, mine, kings, 1 - p))
    if k == 2:
        return 1.0 * popcount(victims(theirs, mine, kings, 1 - p))
    if k == 3:
        return 1.0 * popcount(victims(mine, theirs, kings, p))
    if k == 4:
        return 1.0 * step_count(mine, theirs, kings, p)
    if k == 5:
        return 1.0 * step_count(theirs, mine, kings, 1 - p)
    if k == 6:
        return 1.0 * popcount(jumpers(mine, theirs, kings, p) | steppers(mine, theirs, kings, p))
    if k == 7:
        return 1.0 * popcount(jumpers(theirs, mine, kings, 1 - p) | steppers(theirs, mine, kings, 1 - p))
    if k == 8:
        return 1.0 * popcount(mine & ~(jumpers(mine, theirs, kings, p) | steppers(mine, theirs, kings, p)))
    if k == 9:
        return 1.0 * popcount(theirs & ~(jumpers(theirs, mine, kings, 1 - p) | steppers(theirs, mine, kings, 1 - p)))
    if k == 10:
        return 1.0 * popcount(mine & (victims(theirs, mine, kings, 1 - p) | jumpers(mine, theirs, kings, p)))
    if k == 11:
        return 1.0 if jumpers(mine, theirs, kings, p) != 0 else 0.0
    if k == 12:
        return 1.0 if jumpers(theirs, mine, kings, 1 - p) != 0 else 0.0
    if k == 13:
        both = jumpers(mine, theirs, kings, p) != 0 and jumpers(theirs, mine, kings, 1 - p) != 0
        return 1.0 if both else 0.0
    if k == 14:
        return 1.0 if popcount(mine) == 1 else 0.0
    return 1.0 if popcount(theirs) == 1 else 0.0


def query(s, p, k, a):
    mine = s.pieces[p]
    theirs = s.pieces[1 - p]
    if k >= 13:
        return tactics(mine, theirs, s.kings, p, k - 13)
    if k >= 9:
        square = 1 << (BITS[a] if p == 0 else BITS[SQUARES - 1 - a])
        if k == 9:
            return 0.0 if (mine | theirs) & square else 1.0
        if k == 10:
            return 1.0 if mine & square else 0.0
        if k == 11:
            return 1.0 if s.kings & square else 0.0
        return 1.0 if (mine | theirs) & square & ~s.kings else 0.0
    my_men = popcount(mine & ~s.kings)
    my_kings = popcount(mine & s.kings)
    enemy_men = popcount(theirs & ~s.kings)
    enemy_kings = popcount(theirs & s.kings)
    if k == 0:
        return 1.0 * my_men
    if k == 1:
        return 1.0 * my_kings
    if k == 2:
        return my_men + _KING * my_kings
    if k == 3:
        return 1.0 * enemy_men
    if k == 4:
        return 1.0 * enemy_kings
    if k == 5:
        return enemy_men + _KING * enemy_kings
    if k == 6:
        return 1.0 * (my_men - enemy_men)
    if k == 7:
        return 1.0 * (my_kings - enemy_kings)
    return my_men - enemy_men + _KING * (my_kings - enemy_kings)


def order_twist(s, m):
    """Twist's order: captures by the number of pieces, then moves that reach far across the board."""
    jumped = (m >> _COUNT) & 31
    if jumped > 0:
        return 64 + jumped
    row = ((m >> _END) & 63) // (SIZE + 1) * 2 + (((m >> _END) & 63) % (SIZE + 1)) // SHORT
    return row if s.turn == 0 else SIZE - 1 - row


def key(s):
    # Of the counters only their end matters: a drawn position has no moves.
    return mix(mix(s.pieces[0], s.pieces[1]), 4 * s.kings + s.turn + (2 if drawn(s) else 0))


def noisy(s, m):
    return m >= 1 << _COUNT
