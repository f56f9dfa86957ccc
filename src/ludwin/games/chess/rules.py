"""Chess: the laws of the game on bit boards.

Rules.  FIDE's Laws of Chess (2023): White (player 0) begins; castling, en passant and promotion as usual.  Whoever is
checkmated loses; stalemate is a draw, and so is a position in which the material allows no mate at all (kings alone,
one bishop or knight more, or bishops of one colour of squares only), and the hundredth ply without capture or move of
a pawn, unless it mates.  Both end the game at once, without a claim.  A position that occurs for the third time is a
draw, too; that is the referee's business, as in every game here.  Positions that are dead for other reasons (walls of
pawns) are played on until one of these ends comes.

`chess:start=FEN` begins elsewhere.  `chess:pieces=KQRKQR` begins with these men, White's first, on squares drawn by
`deal` so that none is attacked, White to move; matches draw another deal for each pair of games.

Why it is here.  The game that programs were measured by for fifty years: published perft numbers, exact endgames, and
engines of every strength to play with.  Chapters 4 to 6 of *Evolved to Win* evolve players for its endgames and
searches for its mates.

State.  `men` are six boards by piece, `sides` two by player.  `passing` is the square behind a pawn that has just made
two steps, if a legal capture there exists, else 0 (a1 is never such a square): so equal positions in the sense of the
law of repetition have equal keys.

References.  FIDE Handbook, E.01 (2023); perft after the collection of the Chess Programming Wiki; R. Hyatt, "Rotated
bitmaps", ICCA Journal 22 (1999).
"""

from ludwin.games.chess.attacks import (
    BETWEEN,
    BISHOP,
    KING,
    KNIGHT,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    ROOK,
    attackers,
    in_check,
    king_of,
    pinned,
)
from ludwin.games.chess.evaluation import evaluate, evaluate_material  # noqa: F401 (part of the contract)
from ludwin.games.chess.exchange import keeps_material
from ludwin.games.chess.generate import (
    BECOMES,
    CASTLING,
    IN_PASSING,
    KIND,
    PIECE,
    TAKEN,
    TO,
    TWO_STEPS,
    can_move,
    castlings,
    is_dead,
    king_moves,
    may_pass,
    pawn_moves,
    piece_moves,
)
from ludwin.games.chess.starts import first_cells
from ludwin.primitives import clear_lsb, lsb, mul, shl, shr

START = ""  # a position in FEN; empty: the usual one
PIECES = ""  # the men of a drawn position, White's and then Black's, each beginning with K
DEAL = 0  # which of the drawn positions

FIELDS = {
    "men": 6,  # s.men[piece]: a bit for each, of both sides
    "sides": 2,  # s.sides[p]: a bit for each man of player p
    "turn": int,
    "castling": int,  # who may still castle: 1 White short, 2 White long, 4 Black short, 8 Black long
    "passing": int,  # where a pawn can be captured in passing, 0 if nowhere
    "quiet": int,  # plies since the last capture or move of a pawn
    "number": int,  # of the move, from 1, as in FEN
}
MAX_MOVES = 256  # of legal positions 218
QUIET_LIMIT = 2 * 50  # plies: fifty moves of each side
_PROGRESS = 16 * 6 + 30  # moves of pawns, and captures
MAX_PLIES = (_PROGRESS + 1) * QUIET_LIMIT

_FIRST = first_cells(START, PIECES, DEAL)

_KEPT = tuple(15 & ~{0: 2, 4: 3, 7: 1, 56: 8, 60: 12, 63: 4}.get(square, 0) for square in range(64))


def setup(s):
    for piece in range(6):
        s.men[piece] = _FIRST[piece]
    s.sides[0] = _FIRST[6]
    s.sides[1] = _FIRST[7]
    s.turn = _FIRST[8]
    s.castling = _FIRST[9]
    s.passing = _FIRST[10]
    s.quiet = _FIRST[11]
    s.number = _FIRST[12]


def mover(s):
    return s.turn


def moves(s, out):
    if s.quiet >= QUIET_LIMIT or is_dead(s):
        return 0
    me = s.turn
    king = king_of(s, me)
    checkers = attackers(s, king, 1 - me, s.sides[0] | s.sides[1])
    n = king_moves(s, out, king)
    if clear_lsb(checkers) != 0:  # two men give check: only the king helps
        return n
    helpful = ~s.sides[me] if checkers == 0 else BETWEEN[king][lsb(checkers)] | checkers
    pins = pinned(s, me, king)
    n = pawn_moves(s, out, n, helpful, pins, king)
    for piece in range(KNIGHT, KING):
        n = piece_moves(s, out, n, piece, helpful, pins, king)
    if checkers == 0 and s.castling != 0:
        n = castlings(s, out, n, me)
    return n


def play(s, m):
    me = s.turn
    square = m & 63
    to = (m >> TO) & 63
    piece = (m >> PIECE) & 7
    taken = (m >> TAKEN) & 7
    becomes = (m >> BECOMES) & 7
    kind = m >> KIND
    both = shl(1, square) | shl(1, to)
    s.sides[me] ^= both
    s.men[piece] ^= both
    s.passing = 0
    s.quiet += 1
    if taken != 0:
        at = to
        if kind == IN_PASSING:
            at = to - 8 if me == 0 else to + 8
        s.sides[1 - me] ^= shl(1, at)
        s.men[taken - 1] ^= shl(1, at)
        s.quiet = 0
    if becomes != 0:
        s.men[PAWN] ^= shl(1, to)
        s.men[becomes] ^= shl(1, to)
    if piece == PAWN:
        s.quiet = 0
    elif kind == CASTLING:
        rook = shl(1, to + 1) | shl(1, to - 1) if to > square else shl(1, to - 2) | shl(1, to + 1)
        s.sides[me] ^= rook
        s.men[ROOK] ^= rook
    s.castling &= _KEPT[square] & _KEPT[to]
    s.turn = 1 - me
    s.number += me
    if kind == TWO_STEPS:
        allow_passing(s, (square + to) // 2)


def allow_passing(s, to):
    """Remember the square behind a pawn that made two steps, if the mover has a legal capture there."""
    me = s.turn
    pawns = PAWN_ATTACKS[1 - me][to] & s.men[PAWN] & s.sides[me]
    while pawns != 0:
        if may_pass(s, lsb(pawns), to):
            s.passing = to
        pawns = clear_lsb(pawns)


def payoff(s, p):
    if not in_check(s, s.turn):
        return 0
    if s.quiet >= QUIET_LIMIT and can_move(s):
        return 0
    if is_dead(s):
        return 0
    return -1 if s.turn == p else 1


def key(s):
    # Three boards tell the pieces apart, a fourth the sides. Of the counter only its end matters.
    odd = s.men[PAWN] | s.men[BISHOP] | s.men[QUEEN]
    middle = s.men[KNIGHT] | s.men[BISHOP] | s.men[KING]
    high = s.men[ROOK] | s.men[QUEEN] | s.men[KING]
    rest = s.turn | s.castling << 1 | s.passing << 5 | (1 << 11 if s.quiet >= QUIET_LIMIT else 0)
    h = mul(s.sides[0] ^ 0x2D358DCCAA6C78A5, 0x5851F42D4C957F2D)
    h = mul((h ^ shr(h, 32)) ^ odd, 0x14057B7EF767814F)
    h = mul((h ^ shr(h, 32)) ^ middle, 0x5851F42D4C957F2D)
    h = mul((h ^ shr(h, 32)) ^ high, 0x14057B7EF767814F)
    h = mul((h ^ shr(h, 32)) ^ rest, 0x5851F42D4C957F2D)
    return h ^ shr(h, 29)


def noisy(s, m):
    """Captures that lose nothing at once, and new queens."""
    becomes = (m >> BECOMES) & 7
    if becomes != 0:
        return becomes == QUEEN
    return m & (7 << TAKEN) != 0 and keeps_material(s, m)


def null(s):
    """Give the turn away; not in check, and not in endings of pawns, where having to move is what loses."""
    me = s.turn
    if s.sides[me] & ~(s.men[PAWN] | s.men[KING]) == 0 or in_check(s, me):
        return False
    s.turn = 1 - me
    s.passing = 0
    s.quiet += 1
    return True


def order_mvv(s, m):
    """The most valuable victim first, taken by the least valuable piece; promotions among them."""
    taken = (m >> TAKEN) & 7
    becomes = (m >> BECOMES) & 7
    if taken | becomes == 0:
        return 0
    return 8 * (taken + becomes) + 8 - ((m >> PIECE) & 7)


def order_exchange(s, m):
    """As order_mvv, but captures that lose material come behind quiet moves."""
    score = order_mvv(s, m)
    if score == 0:
        return 100
    return 100 + score if noisy(s, m) else score


def pressed(s):
    return in_check(s, s.turn)
