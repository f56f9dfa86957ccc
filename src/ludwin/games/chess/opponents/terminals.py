"""What evolved endgame players see of a board: the 33 terminals of *Evolved to Win*, and a few more.

Why it is here.  The book describes its terminals (tables 4.2 and 4.3) in a line each; here is what each computes.
`p` is the player who has just moved, the enemy is to move.  Pieces are men other than kings; attacks are pseudo-legal
(pins are ignored); distances are those of kings; the edge of a square is how far it lies from the nearest border, 0 to
3.

How.  Most terminals are questions about who attacks what, so all of these are answered together (`survey`), once a
board and only if one of them is asked for.  Three need moves, and are answered one by one: mate, a threat of mate in
one, and captures that cannot be taken back.  Whatever was answered stays in `w.seen` until the next board: the book's
memoised terminals.  Six terminals of ours, of a language of its own, look further: `tactics.py`.

Kernel text: `w` is the bundle of a player (`opponents/advised.py`).
"""

from ludwin.games.chess.attacks import (
    BETWEEN,
    KING,
    KING_ATTACKS,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    ROOK,
    in_check,
    is_attacked,
    king_of,
    man_at,
    piece_attacks,
    pinned,
)
from ludwin.games.chess.generate import TAKEN, TO, can_move
from ludwin.games.chess.language import ANYTHING, AT_RANDOM, COUNT
from ludwin.games.chess.opponents.tactics import LOST, THREAT, may_check, tactics, threats
from ludwin.kernel.names import copy, moves, play
from ludwin.primitives import clear_lsb, draw, lsb, popcount, shl, uniform

MATE, MATE_IN_ONE, SAFE, STALEMATE = 23, 24, 26, 42  # those that need moves
# Where the values of a disabled terminal lie; of those that are no truths.
_RANGES = {2: (0, 3), 3: (0, 3), 4: (0, 3), 5: (0, 3), 6: (0, 14), 7: (0, 14), 13: (0, 8), 14: (0, 8), 15: (0, 6),
           16: (1, 7), 21: (-14, 14), 35: (0, 8), 43: (0, 3), LOST: (0, 9),
           LOST + 2: (0, 9), THREAT: (0, 9)}  # fmt: skip
LEAST = tuple(_RANGES.get(k, (0, 1))[0] for k in range(COUNT))
WIDTH = tuple(_RANGES.get(k, (0, 1))[1] - LEAST[k] + 1 for k in range(COUNT))

VALUES = (1, 3, 3, 5, 9, 0)  # pawn … king
EDGE = tuple(min(k & 7, 7 - (k & 7), k >> 3, 7 - (k >> 3)) for k in range(64))


def _bits(squares):
    made = sum(1 << k for k in squares)
    return made - (1 << 64) if made >> 63 else made


# INNER[e]: the squares that lie more than e from the border; RINGS[d][k]: those within d king's steps of square k.
INNER = tuple(_bits(k for k in range(64) if EDGE[k] > e) for e in range(4))
_NEAR = [[max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3))) for b in range(64)] for a in range(64)]
DISTANCE = tuple(tuple(row) for row in _NEAR)

VIEW = {"attacks": int, "worth": int, "fork": int, "mutual": int, "steps": int, "king": int}
BOARD = {
    "surveyed": int,
    "forced": int,
    "threatened": int,
    "material": int,
    "mine_before": int,
    "theirs_before": int,
    "player": int,
}
SEEN = {"board": BOARD, "views": [VIEW], "seen": [float], "known": [int]}
SIZES = {"views": 2, "seen": COUNT, "known": COUNT}


def attacks_of(s, square, p, occupied):
    """Return what the man of player p on a square attacks."""
    piece = man_at(s, shl(1, square))
    if piece == PAWN:
        return PAWN_ATTACKS[p][square]
    return piece_attacks(piece, square, occupied)


def material(s, p):
    """Return the material of player p less the enemy's."""
    total = 0
    for piece in range(KING):
        total += VALUES[piece] * (popcount(s.men[piece] & s.sides[p]) - popcount(s.men[piece] & s.sides[1 - p]))
    return total


def king_steps(s, p, attacked, king):
    """Return where player p's king can step, as bits; `attacked` is what the enemy attacks."""
    steps = KING_ATTACKS[king] & ~s.sides[p] & ~attacked
    if attacked & shl(1, king) == 0:
        return steps
    safe = 0
    without = (s.sides[0] | s.sides[1]) ^ shl(1, king)  # it does not hide behind itself
    while steps != 0:
        if not is_attacked(s, lsb(steps), 1 - p, without):
            safe |= shl(1, lsb(steps))
        steps = clear_lsb(steps)
    return safe


def look_at(s, p, view):
    """Note what player p's men attack, what the attackers are worth, whether one forks, whether two protect each
    other.
    """
    occupied = s.sides[0] | s.sides[1]
    theirs = s.sides[1 - p]
    pieces = s.sides[p] & ~s.men[KING]
    view.attacks = 0
    view.worth = 0
    view.fork = 0
    view.mutual = 0
    left = s.sides[p]
    while left != 0:
        square = lsb(left)
        bit = shl(1, square)
        piece = man_at(s, bit)
        reach = PAWN_ATTACKS[p][square] if piece == PAWN else piece_attacks(piece, square, occupied)
        view.attacks |= reach
        if reach & theirs != 0:
            view.worth += VALUES[piece]
            if popcount(reach & theirs) > 1:
                view.fork = 1
        if piece != KING:
            friends = reach & pieces
            while friends != 0:
                if attacks_of(s, lsb(friends), p, occupied) & bit != 0:
                    view.mutual = 1
                friends = clear_lsb(friends)
        left = clear_lsb(left)
    view.king = king_of(s, p)
    return 0


def views(w, s, p):
    """Note both sides' attacks and where their kings can step: row 0 is player p."""
    me = w.views[0]
    other = w.views[1]
    look_at(s, p, me)
    look_at(s, 1 - p, other)
    me.steps = king_steps(s, p, other.attacks, me.king)
    other.steps = king_steps(s, 1 - p, me.attacks, other.king)
    return 0


def nearest_rook(s, p, king):
    """Return how far player p's nearest rook is from a square, 8 if there is none."""
    rooks = s.men[ROOK] & s.sides[p]
    best = 8
    while rooks != 0:
        best = min(best, DISTANCE[king][lsb(rooks)])
        rooks = clear_lsb(rooks)
    return best


def is_behind(shields, king):
    """Tell whether two squares or more are empty between a pinned man and its king."""
    while shields != 0:
        if popcount(BETWEEN[lsb(shields)][king]) > 1:
            return 1.0
        shields = clear_lsb(shields)
    return 0.0


def truth(condition):
    """Return a truth as programs have it."""
    return 1.0 if condition else 0.0


def survey(w, s, p):
    """Answer all that can be told from attacks."""
    views(w, s, p)
    survey_pieces(w, s, p)
    survey_kings(w, s, p)
    w.board.surveyed = 1
    return 0


def survey_pieces(w, s, p):
    """Answer what is about pieces: terminals 5 to 13, 18, 19, 22, 23, 26, and those of the earlier languages."""
    seen = w.seen
    mine = s.sides[p] & ~s.men[KING]
    theirs = s.sides[1 - p] & ~s.men[KING]
    ours = w.views[0].attacks
    enemy = w.views[1].attacks
    seen[4] = 1.0 * popcount(mine & ~enemy)
    seen[5] = 1.0 * popcount(theirs & ours)
    seen[6] = 1.0 * w.views[0].worth
    seen[7] = 1.0 * w.views[1].worth
    seen[8] = truth(mine & s.men[QUEEN] & enemy == 0)
    seen[9] = truth(mine & enemy == 0)
    seen[10] = truth(theirs & s.men[QUEEN] & ours != 0)
    seen[11] = 1.0 * w.views[0].fork
    seen[12] = 1.0 - w.views[1].fork
    seen[17] = 1.0 * w.views[0].mutual
    seen[18] = 1.0 - w.views[1].mutual
    balance = material(s, p)
    seen[21] = 1.0 * balance
    seen[22] = truth(balance > w.board.material)
    seen[25] = truth(theirs & ours & ~enemy != 0)
    seen[33] = truth(mine & enemy != 0)
    seen[34] = truth(theirs & ours != 0)
    seen[36] = truth(mine & ours != 0)
    seen[37] = truth(theirs & enemy != 0)
    seen[38] = 1.0 - seen[8]
    seen[41] = truth(mine & enemy & ~ours != 0)
    seen[43] = 1.0 * popcount(theirs & ~ours)
    return 0


def survey_kings(w, s, p):
    """Answer what is about kings: terminals 1 to 4, 14 to 17, 20, 21, 28 to 33."""
    seen = w.seen
    me = w.views[0]
    other = w.views[1]
    seen[0] = truth(other.attacks & shl(1, me.king) == 0)
    seen[1] = truth(me.attacks & shl(1, other.king) != 0)
    seen[2] = 1.0 * EDGE[me.king]
    seen[3] = 3.0 - EDGE[other.king]
    seen[13] = 1.0 * popcount(me.steps)
    seen[14] = 8.0 - popcount(other.steps)
    near = nearest_rook(s, p, me.king)
    seen[15] = 0.0 if near > 7 else 7.0 - near
    seen[16] = min(7.0, 1.0 * nearest_rook(s, 1 - p, other.king))
    seen[19] = truth(KING_ATTACKS[other.king] & s.sides[1 - p] & ~s.men[KING] != 0)
    seen[20] = truth(KING_ATTACKS[me.king] & s.sides[p] & ~s.men[KING] != 0)
    seen[27] = truth(other.steps & INNER[EDGE[other.king]] == 0)
    seen[28] = truth(me.steps & INNER[EDGE[me.king]] != 0)
    shields = pinned(s, 1 - p, other.king)
    seen[29] = is_behind(shields, other.king)
    seen[31] = truth(shields != 0)
    shields = pinned(s, p, me.king)
    seen[30] = 1.0 - is_behind(shields, me.king)
    seen[32] = truth(shields == 0)
    seen[35] = 1.0 * popcount(other.steps)
    seen[39] = truth(popcount(me.steps) >= w.board.mine_before)
    seen[40] = truth(popcount(other.steps) >= w.board.theirs_before)
    return 0


def mates_in_one(w, s, p):
    """Tell whether the mover has a move that mates player p."""
    king = king_of(s, p)
    n = moves(s, w.bufs[1])
    for i in range(n):
        m = w.bufs[1][i]
        if may_check(s, m, king):
            copy(w.states[2], s)
            play(w.states[2], m)
            if in_check(w.states[2], p) and not can_move(w.states[2]):
                return True
    return False


def loses_nothing(w, s, p):
    """Tell whether player p could retake on its square whatever the mover captures."""
    n = moves(s, w.bufs[1])
    for i in range(n):
        m = w.bufs[1][i]
        if (m >> TAKEN) & 7 != 0:
            copy(w.states[2], s)
            play(w.states[2], m)
            if not can_take_on(w, w.states[2], (m >> TO) & 63):
                return False
    return True


def can_take_on(w, s, square):
    """Tell whether the mover has a legal capture on a square."""
    if not is_attacked(s, square, s.turn, s.sides[0] | s.sides[1]):
        return False
    n = moves(s, w.bufs[2])
    for i in range(n):
        if (w.bufs[2][i] >> TO) & 63 == square and (w.bufs[2][i] >> TAKEN) & 7 != 0:
            return True
    return False


def find_out(w, s, p, k):
    """Answer one of the terminals that need moves."""
    if k == MATE_IN_ONE:
        return truth(mates_in_one(w, s, p))
    if k == SAFE:
        return truth(loses_nothing(w, s, p))
    stuck = not can_move(s)
    if k == MATE:
        return truth(stuck and in_check(s, 1 - p))
    return truth(stuck and not in_check(s, 1 - p))


def needs_moves(k):
    """Tell whether a terminal is answered one by one."""
    if k < MATE:  # most of them
        return False
    return (k - MATE) * (k - MATE_IN_ONE) * (k - SAFE) * (k - STALEMATE) == 0


def terminal(w, s, p, k):
    """Return terminal number k of a board, computed once."""
    if k >= AT_RANDOM:
        return 1.0 * (LEAST[k - AT_RANDOM] + draw(w.rng, WIDTH[k - AT_RANDOM]))
    if k == ANYTHING:
        return uniform(w.rng)
    if needs_moves(k):
        if w.known[k] == 0:
            w.known[k] = 1
            w.seen[k] = find_out(w, s, p, k)
        return w.seen[k]
    if k >= LOST:
        return ours(w, s, p, k)
    if w.board.surveyed == 0:
        survey(w, s, p)
    return w.seen[k]


def ours(w, s, p, k):
    """Return a terminal of ours, which the book has not."""
    if k < THREAT:
        if w.board.forced == 0:
            w.board.forced = 1
            tactics(w, s, p)
    elif w.board.threatened == 0:
        w.board.threatened = 1
        threats(w, s, p)
    return w.seen[k]


def forget(w):
    """Begin another board."""
    w.board.surveyed = 0
    w.board.forced = 0
    w.board.threatened = 0
    w.known[MATE] = 0
    w.known[MATE_IN_ONE] = 0
    w.known[SAFE] = 0
    w.known[STALEMATE] = 0
    return 0


def before(w, s):
    """Note what terminals compare a board with: the position before the move."""
    p = s.turn
    w.board.player = p
    w.board.material = material(s, p)
    views(w, s, p)
    w.board.mine_before = popcount(w.views[0].steps)
    w.board.theirs_before = popcount(w.views[1].steps)
    return 0
