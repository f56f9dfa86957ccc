"""What a chess position is worth, in ten-thousandths: 0.01 is a pawn.

Why it is here.  A search needs an opinion where it stops.  This one has the classical terms: material, where the men
stand, how many squares they see, who looks at the king, pawns that are alone, doubled or passed, rooks on open files;
each with a weight for the middlegame and one for the endgame, mixed by what is left on the board.  Whoever is ahead
without pawns is told to drive the lone king to the edge, or that the ending is drawn.  The weights are round numbers
of our own (docs/results/chess.md says what they are worth).

References.  C. Shannon, "Programming a computer for playing chess", Phil. Mag. 41 (1950); H. Berliner, "Construction of
a realistic evaluation function for large problem domains", Artificial Intelligence 14 (1980) (the gradual change).
"""

from ludwin.games.chess.attacks import (
    A_FILE,
    BISHOP,
    H_FILE,
    KING,
    KING_ATTACKS,
    KNIGHT,
    PAWN,
    QUEEN,
    ROOK,
    king_of,
    piece_attacks,
)
from ludwin.primitives import clear_lsb, lsb, popcount, shl, shr

# A weight is two numbers in one: for the middlegame, times 2**20, and for the endgame. Sums of them stay apart.
_MIDDLE = 1 << 20
_HALF = _MIDDLE // 2


def _both(middle, end):
    return middle * _MIDDLE + end


VALUES = (100, 320, 330, 500, 950, 0)
_WORTH = (_both(85, 110), _both(320, 300), _both(335, 315), _both(480, 530), _both(960, 970), 0)
_PHASE = (0, 1, 1, 2, 4, 0)  # of the men that are left; 24 in the beginning
_WHOLE = 24

_AHEAD_OF_PAWN = ((0, 0), (0, 0), (2, 4), (8, 10), (14, 24), (24, 44), (40, 70), (0, 0))
_PASSED = ((0, 0), (4, 10), (6, 16), (14, 32), (32, 58), (60, 96), (95, 150), (0, 0))
_KING_HOME = (18, 28, 12, -8, -4, -8, 30, 20)


def _place(piece, square):
    """Return the weight of a white man's square."""
    file, rank = square % 8, square // 8
    ring = int(max(abs(file - 3.5), abs(rank - 3.5)) - 0.5)  # 0 in the centre, 3 on the edge
    if piece == PAWN:
        middle, end = _AHEAD_OF_PAWN[rank]
        central = 18 if file in (3, 4) else 6 if file in (2, 5) else -4
        return _both(middle + (central if rank in (3, 4) else -14 if rank == 1 and file in (3, 4) else 0), end)
    if piece == KNIGHT:
        corner = 22 if ring == 3 and file in (0, 7) and rank in (0, 7) else 0
        return _both(18 - 15 * ring - corner + (3 * rank if rank < 6 else 0), 14 - 11 * ring - corner)
    if piece == BISHOP:
        return _both(12 - 7 * ring - (6 if rank == 0 else 0), 8 - 5 * ring)
    if piece == ROOK:
        return _both((18 if rank == 6 else 0) + (5 if file in (3, 4) else 0), 12 if rank == 6 else 0)
    if piece == QUEEN:
        return _both(4 - 3 * ring - (4 if rank == 0 else 0), 14 - 9 * ring)
    return _both(_KING_HOME[file] if rank == 0 else -14 - 18 * min(rank, 4), 28 - 20 * ring)


_PLACES = tuple(tuple(_WORTH[piece] + _place(piece, square) for square in range(64)) for piece in range(6))
_MOBILITY = (0, _both(4, 4), _both(5, 5), _both(2, 4), _both(1, 3), 0)  # for each square beyond the usual number
_USUAL = (0, 4, 6, 7, 13, 0)
_LOOKS_AT_KING = (0, 2, 2, 3, 5, 0)


def _bits(squares):
    bits = sum(1 << square for square in squares)
    return bits - (1 << 64) if bits >> 63 else bits


def _front(p, square, width):
    """Return the squares ahead of a pawn, on its file and so many files beside it."""
    file, rank = square % 8, square // 8
    ranks = range(rank + 1, 8) if p == 0 else range(rank)
    files = range(max(file - width, 0), min(file + width, 7) + 1)
    return _bits(8 * y + x for y in ranks for x in files)


_LANES = tuple(tuple(_front(p, square, 1) for square in range(64)) for p in range(2))
_AHEAD = tuple(tuple(_front(p, square, 0) for square in range(64)) for p in range(2))
_BESIDE = tuple(_bits(8 * y + x for y in range(8) for x in (f - 1, f + 1) if 0 <= x < 8) for f in range(8))
_FILES = tuple(_bits(range(f, 64, 8)) for f in range(8))
_PASSED_PAWN = tuple(_both(*pair) for pair in _PASSED)
_DOUBLED, _ALONE = _both(-8, -16), _both(-12, -12)
_PAIR, _OPEN, _HALF_OPEN = _both(28, 48), _both(26, 8), _both(12, 4)
_TEMPO = 12
_EDGE = tuple(int(max(abs(square % 8 - 3.5), abs(square // 8 - 3.5)) - 0.5) for square in range(64))
_SHIELD = 9


def evaluate(s, p):
    total = side(s, 0) - side(s, 1)
    end = ((total + _HALF) & (_MIDDLE - 1)) - _HALF
    middle = (total - end) >> 20
    phase = min(left(s), _WHOLE)
    score = (middle * phase + end * (_WHOLE - phase)) // _WHOLE
    score = tempered(s, score, 0) if score > 0 else -tempered(s, -score, 1)
    score += _TEMPO if s.turn == 0 else -_TEMPO
    return (score if p == 0 else -score) / 10000.0


def left(s):
    """Return how much of a middlegame is left, 24 in the beginning."""
    found = popcount(s.men[KNIGHT] | s.men[BISHOP]) + 2 * popcount(s.men[ROOK])
    return found + 4 * popcount(s.men[QUEEN])


def side(s, p):
    """Return the weights of one side's men: both numbers in one."""
    mine = s.sides[p]
    occupied = mine | s.sides[1 - p]
    flip = 56 * p
    king = king_of(s, p)
    total = _PLACES[KING][king ^ flip] + pawns(s, p)
    guarded = pawn_attacks(s.men[PAWN] & s.sides[1 - p], 1 - p)
    zone = KING_ATTACKS[king_of(s, 1 - p)]
    looks = 0
    lookers = 0
    for piece in range(KNIGHT, KING):
        men = s.men[piece] & mine
        while men != 0:
            square = lsb(men)
            seen = piece_attacks(piece, square, occupied)
            total += _PLACES[piece][square ^ flip]
            total += (popcount(seen & ~mine & ~guarded) - _USUAL[piece]) * _MOBILITY[piece]
            if seen & zone != 0:
                lookers += 1
                looks += _LOOKS_AT_KING[piece] + popcount(seen & zone)
            if piece == ROOK:
                total += rook_file(s, p, square)
            men = clear_lsb(men)
    if lookers > 1:
        total += min(looks * looks, 450) * _MIDDLE
    if clear_lsb(s.men[BISHOP] & mine) != 0:
        total += _PAIR
    return total + popcount(KING_ATTACKS[king] & s.men[PAWN] & mine) * _SHIELD * _MIDDLE


def rook_file(s, p, square):
    """Return the weight of a rook's file."""
    file = _FILES[square & 7] & s.men[PAWN]
    if file == 0:
        return _OPEN
    return _HALF_OPEN if file & s.sides[p] == 0 else 0


def pawn_attacks(bits, p):
    """Return the squares that pawns of player p attack."""
    spread = shr(bits & ~A_FILE, 1) | shl(bits & ~H_FILE, 1)
    return shl(spread, 8) if p == 0 else shr(spread, 8)


def pawns(s, p):
    """Return the weights of one side's pawns."""
    mine = s.men[PAWN] & s.sides[p]
    theirs = s.men[PAWN] & s.sides[1 - p]
    occupied = s.sides[0] | s.sides[1]
    total = 0
    men = mine
    while men != 0:
        square = lsb(men)
        total += _PLACES[PAWN][square ^ (56 * p)]
        if _BESIDE[square & 7] & mine == 0:
            total += _ALONE
        if _AHEAD[p][square] & mine != 0:
            total += _DOUBLED
        elif _LANES[p][square] & theirs == 0:
            rank = square >> 3 if p == 0 else 7 - (square >> 3)
            total += _PASSED_PAWN[rank]
            ahead = square + 8 if p == 0 else square - 8
            if occupied & shl(1, ahead) != 0:
                total -= 4 * rank
            total += 2 * rank * (apart(king_of(s, 1 - p), ahead) - apart(king_of(s, p), ahead))
        men = clear_lsb(men)
    return total


def apart(a, b):
    """Return how many steps a king needs from one square to another."""
    return max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3)))


def tempered(s, score, p):
    """Return the lead of player p as it is worth: without pawns a small one is nothing, a large one wants a mate."""
    mine = s.sides[p]
    if s.men[PAWN] & mine != 0:
        return score
    theirs = s.sides[1 - p]
    heavy = (s.men[ROOK] | s.men[QUEEN]) & mine
    minor = popcount((s.men[KNIGHT] | s.men[BISHOP]) & mine)
    if heavy == 0 and (minor < 2 or (s.men[BISHOP] & mine == 0 and minor == 2)):
        return score // 16
    lead = material(s, p) - material(s, 1 - p)
    if lead < 400:
        return score // 4 if lead > 0 else score
    if theirs & ~s.men[KING] & ~s.men[PAWN] == 0:
        lone = king_of(s, 1 - p)
        score += 300 + 20 * _EDGE[lone] + 10 * (7 - apart(lone, king_of(s, p)))
        if heavy == 0 and minor == 2 and s.men[KNIGHT] & mine != 0:
            score += 15 * (7 - corner(lone, s.men[BISHOP] & mine & 0x55AA55AA55AA55AA != 0))
    return score


def material(s, p):
    """Return one side's men in hundredths of a pawn."""
    total = 0
    for piece in range(5):
        total += VALUES[piece] * popcount(s.men[piece] & s.sides[p])
    return total


def corner(square, light):
    """Return how far a king is from the nearer corner of a colour, in which bishop and knight mate."""
    file = square & 7
    rank = square >> 3
    if light:  # a8 and h1
        return min(max(file, 7 - rank), max(7 - file, rank))
    return min(max(file, rank), max(7 - file, 7 - rank))


def evaluate_material(s, p):
    """Nothing but material: a pawn is 0.01."""
    return (material(s, p) - material(s, 1 - p)) / 10000.0
