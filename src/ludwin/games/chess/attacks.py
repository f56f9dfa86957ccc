"""Where chess pieces attack: one number of 64 bits per piece, from tables.

Why it is here.  Everything in chess is a question about attacks: moves, check, pins, mobility, forks.  Square
8 * rank + file is a bit, a1 the lowest, h8 the sign.  Kings, knights and pawns have a table.  What a slider sees on a
line depends on the six inner squares of that line: one multiplication gathers them, and a table of 512 numbers
answers for ranks and diagonals, another one for files ("kindergarten" bit boards).  All tables together take 80 kB.

References.  G. Isenberg, U. Corbach, "Kindergarten bitboards" (Computer Chess Club, 2006).
"""

from ludwin.primitives import clear_lsb, lsb, mul, popcount, shl, shr

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)


def _signed(bits):
    return bits - (1 << 64) if bits >> 63 else bits


def _steps(square, deltas):
    """Return the squares that lie one of these (file, rank) steps away, as bits."""
    bits = 0
    for file, rank in deltas:
        x, y = square % 8 + file, square // 8 + rank
        if 0 <= x < 8 and 0 <= y < 8:
            bits |= 1 << (8 * y + x)
    return _signed(bits)


def _ray(square, file, rank):
    """Return the squares of a ray from a square, nearest first."""
    x, y = square % 8 + file, square // 8 + rank
    found = []
    while 0 <= x < 8 and 0 <= y < 8:
        found.append(8 * y + x)
        x, y = x + file, y + rank
    return found


def _both(square, file, rank):
    """Return a line through a square, without it."""
    return _signed(sum(1 << to for to in _ray(square, file, rank) + _ray(square, -file, -rank)))


def _seen(place, inner):
    """Return what a slider at one place of a row of eight sees; `inner` are the six squares between its ends."""
    occupied, bits = inner << 1, 0
    for step in (1, -1):
        at = place + step
        while 0 <= at < 8:
            bits |= 1 << at
            if occupied >> at & 1:
                break
            at += step
    return bits


_AROUND = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]
_JUMPS = [(x, y) for x in (-2, -1, 1, 2) for y in (-2, -1, 1, 2) if abs(x) != abs(y)]
KING_ATTACKS = tuple(_steps(square, _AROUND) for square in range(64))
KNIGHT_ATTACKS = tuple(_steps(square, _JUMPS) for square in range(64))
PAWN_ATTACKS = tuple(tuple(_steps(square, [(-1, up), (1, up)]) for square in range(64)) for up in (1, -1))
RANK_LINES = tuple(_both(square, 1, 0) for square in range(64))
DIAGONALS = tuple(_both(square, 1, 1) for square in range(64))
ANTIDIAGONALS = tuple(_both(square, 1, -1) for square in range(64))

# Attacks along a row of eight, written to all ranks: the mask of the line picks its own squares.
_ROWS = [[_seen(place, inner) for inner in range(64)] for place in range(8)]
FILLED = tuple(tuple(_signed(seen * 0x0101010101010101) for seen in row) for row in _ROWS)
# The same for the a-file; the multiplication gathers its squares in falling order.
_FALLING = [int(f"{inner:06b}"[::-1], 2) for inner in range(64)]
_UPRIGHT = [sum((seen >> k & 1) << 8 * k for k in range(8)) for seen in range(256)]
UPRIGHT = tuple(tuple(_signed(_UPRIGHT[row[_FALLING[inner]]]) for inner in range(64)) for row in _ROWS)

A_FILE = _signed(0x0101010101010101)
H_FILE = _signed(0x8080808080808080)
_B_FILE = 0x0202020202020202
_C2_H7 = 0x0080402010080400
LIGHT = _signed(0x55AA55AA55AA55AA)
DARK = ~LIGHT

# The squares strictly between two squares of a line, and that whole line; 0 where there is none.
_between = [[0] * 64 for _ in range(64)]
_line = [[0] * 64 for _ in range(64)]
for _a in range(64):
    for _x, _y in _AROUND:
        _bits, _whole = 0, _both(_a, _x, _y) | _signed(1 << _a)
        for _b in _ray(_a, _x, _y):
            _between[_a][_b], _line[_a][_b] = _signed(_bits), _whole
            _bits |= 1 << _b
BETWEEN = tuple(tuple(row) for row in _between)
LINE = tuple(tuple(row) for row in _line)


def bishop_attacks(square, occupied):
    """Return what a bishop attacks."""
    rising = DIAGONALS[square]
    falling = ANTIDIAGONALS[square]
    file = square & 7
    up = FILLED[file][shr(mul(occupied & rising, _B_FILE), 58)] & rising
    return up | (FILLED[file][shr(mul(occupied & falling, _B_FILE), 58)] & falling)


def rook_attacks(square, occupied):
    """Return what a rook attacks."""
    across = RANK_LINES[square]
    file = square & 7
    along = FILLED[file][shr(mul(occupied & across, _B_FILE), 58)] & across
    gathered = shr(mul(shr(occupied, file) & A_FILE, _C2_H7), 58)
    return along | shl(UPRIGHT[square >> 3][gathered], file)


def piece_attacks(piece, square, occupied):
    """Return what a piece that is no pawn attacks."""
    if piece == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if piece == BISHOP:
        return bishop_attacks(square, occupied)
    if piece == ROOK:
        return rook_attacks(square, occupied)
    if piece == QUEEN:
        return bishop_attacks(square, occupied) | rook_attacks(square, occupied)
    return KING_ATTACKS[square]


def attackers(s, square, p, occupied):
    """Return the men of player p that attack a square, sliders through what is not `occupied`."""
    found = PAWN_ATTACKS[1 - p][square] & s.men[PAWN]
    found |= KNIGHT_ATTACKS[square] & s.men[KNIGHT]
    found |= KING_ATTACKS[square] & s.men[KING]
    found |= bishop_attacks(square, occupied) & (s.men[BISHOP] | s.men[QUEEN])
    found |= rook_attacks(square, occupied) & (s.men[ROOK] | s.men[QUEEN])
    return found & s.sides[p]


def is_attacked(s, square, p, occupied):
    """Tell whether player p attacks a square; the cheap questions come first."""
    theirs = s.sides[p]
    near = (PAWN_ATTACKS[1 - p][square] & s.men[PAWN]) | (KNIGHT_ATTACKS[square] & s.men[KNIGHT])
    near |= KING_ATTACKS[square] & s.men[KING]
    if near & theirs != 0:
        return True
    if bishop_attacks(square, occupied) & (s.men[BISHOP] | s.men[QUEEN]) & theirs != 0:
        return True
    return rook_attacks(square, occupied) & (s.men[ROOK] | s.men[QUEEN]) & theirs != 0


def king_of(s, p):
    """Return the square of player p's king."""
    return lsb(s.men[KING] & s.sides[p])


def in_check(s, p):
    """Tell whether player p's king is attacked."""
    return is_attacked(s, king_of(s, p), 1 - p, s.sides[0] | s.sides[1])


def pinned(s, p, square):
    """Return the men of player p that stand alone between the enemy's sliders and a square, usually the king's."""
    mine = s.sides[p]
    theirs = s.sides[1 - p]
    snipers = bishop_attacks(square, theirs) & (s.men[BISHOP] | s.men[QUEEN])
    snipers = (snipers | (rook_attacks(square, theirs) & (s.men[ROOK] | s.men[QUEEN]))) & theirs
    found = 0
    while snipers != 0:
        shield = BETWEEN[square][lsb(snipers)] & mine
        if popcount(shield) == 1:
            found |= shield
        snipers = clear_lsb(snipers)
    return found


def man_at(s, bit):
    """Return which man stands on a square, given as its bit: PAWN … KING; the square is not empty."""
    if s.men[PAWN] & bit != 0:
        return PAWN
    if s.men[KNIGHT] & bit != 0:
        return KNIGHT
    if s.men[BISHOP] & bit != 0:
        return BISHOP
    if s.men[ROOK] & bit != 0:
        return ROOK
    return QUEEN if s.men[QUEEN] & bit != 0 else KING
