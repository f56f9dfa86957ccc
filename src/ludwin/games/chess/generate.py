"""The moves of chess: how each piece goes, and what leaves the king safe.

Why it is here.  Only legal moves are written, and none is tried on the board: whoever gives check says which squares
help, a pinned man stays on the line of its pin, and the king steps where nobody looks.  Captures in passing, which
empty two squares at once, are examined one by one.
"""

from ludwin.games.chess.attacks import (
    A_FILE,
    BETWEEN,
    BISHOP,
    DARK,
    H_FILE,
    KING,
    KING_ATTACKS,
    KNIGHT,
    LIGHT,
    LINE,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    ROOK,
    attackers,
    is_attacked,
    king_of,
    man_at,
    piece_attacks,
    pinned,
)
from ludwin.primitives import clear_lsb, lsb, popcount, shl, shr

# A move: 6 bits for the square where it begins, 6 for where it ends, 3 for the piece, 3 for what it captures (plus
# one; 0 is nothing), 3 for what a pawn becomes (0 is nothing), 2 for its kind.
TO, PIECE, TAKEN, BECOMES, KIND = (6, *range(12, 24, 3))
USUAL, TWO_STEPS, IN_PASSING, CASTLING = range(4)

_RANK_3 = 0xFF << 16
_RANK_6 = 0xFF << 40
_LAST_RANKS = 0xFF | -(1 << 56)
_SHORT_WAY = (1 << 5 | 1 << 6, 1 << 61 | 1 << 62)
_LONG_WAY = (1 << 1 | 1 << 2 | 1 << 3, 1 << 57 | 1 << 58 | 1 << 59)


def king_moves(s, out, king):
    """Write the king's steps; it does not hide behind itself."""
    me = s.turn
    without = (s.sides[0] | s.sides[1]) ^ shl(1, king)
    targets = KING_ATTACKS[king] & ~s.sides[me]
    n = 0
    while targets != 0:
        to = lsb(targets)
        if not is_attacked(s, to, 1 - me, without):
            out[n] = coded(s, KING, king, to)
            n += 1
        targets = clear_lsb(targets)
    return n


def coded(s, piece, square, to):
    """Return the code of a move of a piece that is no pawn."""
    bit = shl(1, to)
    taken = 0
    if s.sides[1 - s.turn] & bit != 0:
        taken = man_at(s, bit) + 1
    return square | to << TO | piece << PIECE | taken << TAKEN


def piece_moves(s, out, n, piece, helpful, pins, king):
    """Write the moves of all knights, bishops, rooks or queens to `helpful` squares; pinned ones stay on their line."""
    mine = s.sides[s.turn]
    theirs = s.sides[1 - s.turn]
    occupied = mine | theirs
    movers = s.men[piece] & mine
    while movers != 0:
        square = lsb(movers)
        targets = piece_attacks(piece, square, occupied) & helpful & ~mine
        if pins & shl(1, square) != 0:
            targets &= LINE[king][square]
        base = square | piece << PIECE
        captures = targets & theirs
        while captures != 0:
            to = lsb(captures)
            out[n] = base | to << TO | (man_at(s, shl(1, to)) + 1) << TAKEN
            n += 1
            captures = clear_lsb(captures)
        targets &= ~theirs
        while targets != 0:
            out[n] = base | lsb(targets) << TO
            n += 1
            targets = clear_lsb(targets)
        movers = clear_lsb(movers)
    return n


def forward(bits, p):
    """Move bits one rank ahead, as player p's pawns go."""
    return shl(bits, 8) if p == 0 else shr(bits, 8)


def pawn_moves(s, out, n, helpful, pins, king):
    """Write all moves of pawns: captures to both sides, in passing, one step, two steps."""
    me = s.turn
    pawns = s.men[PAWN] & s.sides[me]
    theirs = s.sides[1 - me] & helpful
    empty = ~(s.sides[0] | s.sides[1])
    up = 8 if me == 0 else -8
    west = forward(shr(pawns & ~A_FILE, 1), me)
    east = forward(shl(pawns & ~H_FILE, 1), me)
    n = pawn_ends(s, out, n, west & theirs, up - 1, pins, king)
    n = pawn_ends(s, out, n, east & theirs, up + 1, pins, king)
    if s.passing != 0:
        n = passings(s, out, n)
    one = forward(pawns, me) & empty
    n = pawn_ends(s, out, n, one & helpful, up, pins, king)
    two = forward(one & (_RANK_3 if me == 0 else _RANK_6), me) & empty & helpful
    while two != 0:
        to = lsb(two)
        square = to - 2 * up
        if pins & shl(1, square) == 0 or LINE[king][square] & shl(1, to) != 0:
            out[n] = square | to << TO | TWO_STEPS << KIND
            n += 1
        two = clear_lsb(two)
    return n


def pawn_ends(s, out, n, ends, step, pins, king):
    """Write a move to each of `ends`, whose pawns stood `step` squares before; on the last rank four of them."""
    theirs = s.sides[1 - s.turn]
    while ends != 0:
        to = lsb(ends)
        square = to - step
        bit = shl(1, to)
        if pins & shl(1, square) == 0 or LINE[king][square] & bit != 0:
            code = square | to << TO
            if bit & theirs != 0:
                code |= (man_at(s, bit) + 1) << TAKEN
            if bit & _LAST_RANKS != 0:
                for piece in range(QUEEN, PAWN, -1):
                    out[n] = code | piece << BECOMES
                    n += 1
            else:
                out[n] = code
                n += 1
        ends = clear_lsb(ends)
    return n


def passings(s, out, n):
    """Write the captures in passing that leave the king safe."""
    me = s.turn
    pawns = PAWN_ATTACKS[1 - me][s.passing] & s.men[PAWN] & s.sides[me]
    while pawns != 0:
        square = lsb(pawns)
        if may_pass(s, square, s.passing):
            out[n] = square | s.passing << TO | (PAWN + 1) << TAKEN | IN_PASSING << KIND
            n += 1
        pawns = clear_lsb(pawns)
    return n


def may_pass(s, square, to):
    """Tell whether the mover's king is safe after a capture in passing, which empties two squares of a rank."""
    me = s.turn
    taken = shl(1, to - 8 if me == 0 else to + 8)
    occupied = (s.sides[0] | s.sides[1]) ^ (shl(1, square) | taken | shl(1, to))
    return attackers(s, king_of(s, me), 1 - me, occupied) & ~taken == 0


def castlings(s, out, n, me):
    """Write the castlings of a player who is not in check: the way is free, and the king's is not attacked."""
    occupied = s.sides[0] | s.sides[1]
    king = 4 + 56 * me
    short = s.castling & (1 << 2 * me) != 0 and occupied & _SHORT_WAY[me] == 0
    if short and not is_attacked(s, king + 1, 1 - me, occupied) and not is_attacked(s, king + 2, 1 - me, occupied):
        out[n] = king | (king + 2) << TO | KING << PIECE | CASTLING << KIND
        n += 1
    long = s.castling & (2 << 2 * me) != 0 and occupied & _LONG_WAY[me] == 0
    if long and not is_attacked(s, king - 1, 1 - me, occupied) and not is_attacked(s, king - 2, 1 - me, occupied):
        out[n] = king | (king - 2) << TO | KING << PIECE | CASTLING << KIND
        n += 1
    return n


def can_move(s):
    """Tell whether the mover has a legal move, counters and material aside."""
    me = s.turn
    mine = s.sides[me]
    occupied = mine | s.sides[1 - me]
    king = king_of(s, me)
    steps = KING_ATTACKS[king] & ~mine
    while steps != 0:
        if not is_attacked(s, lsb(steps), 1 - me, occupied ^ shl(1, king)):
            return True
        steps = clear_lsb(steps)
    checkers = attackers(s, king, 1 - me, occupied)
    if clear_lsb(checkers) != 0:
        return False
    helpful = ~mine if checkers == 0 else BETWEEN[king][lsb(checkers)] | checkers
    if s.passing != 0:
        return True
    pins = pinned(s, me, king)
    movers = mine & ~s.men[KING]
    while movers != 0:
        square = lsb(movers)
        targets = targets_of(s, square, occupied) & helpful
        if pins & shl(1, square) != 0:
            targets &= LINE[king][square]
        if targets != 0:
            return True
        movers = clear_lsb(movers)
    return False


def targets_of(s, square, occupied):
    """Return where the mover's man on a square may go if no king hinders it; captures in passing and castling aside."""
    me = s.turn
    bit = shl(1, square)
    piece = man_at(s, bit)
    if piece != PAWN:
        return piece_attacks(piece, square, occupied) & ~s.sides[me]
    one = forward(bit, me) & ~occupied
    two = forward(one & (_RANK_3 if me == 0 else _RANK_6), me) & ~occupied
    return one | two | (PAWN_ATTACKS[me][square] & s.sides[1 - me])


def is_dead(s):
    """Tell whether no play with this material mates: it is a draw."""
    if s.men[PAWN] | s.men[ROOK] | s.men[QUEEN] != 0:
        return False
    if s.men[KNIGHT] == 0:
        return s.men[BISHOP] & LIGHT == 0 or s.men[BISHOP] & DARK == 0
    return popcount(s.sides[0] | s.sides[1]) <= 3
