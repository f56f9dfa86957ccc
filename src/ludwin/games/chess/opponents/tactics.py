"""What no terminal of the book sees: what either side wins by force, by captures and checks.

Why it is here.  Evolved players of one ply lose to engines by forks and skewers: a check is answered, and a piece is
gone.  The book's terminals look at mates in one and at captures that cannot be taken back, and stop there.  These
terminals are ours (`language.TACTICAL`); programs of the book's language have none of them.

Forced play.  The mover captures, gives check, or leaves it; who is in check tries all moves.  It ends five plies
(`PLIES`, or as many as a player's `forced` says) behind the board, where captures are counted by attacks alone.  A mate
outweighs all men.  Whatever lies in quiet moves, a fork without check above all, is not seen.

How.  Alpha-beta in whole men: who wins nothing by a check is refuted by the first good answer.  Games of a player who
reads all of them take eight times as long (docs/results/chess-endings.md, Speed).

Kernel text: `w` is the bundle of a player (`advised.py`).
"""

from ludwin.games.chess.attacks import (
    KING,
    LINE,
    PAWN,
    attackers,
    in_check,
    is_attacked,
    king_of,
    man_at,
    piece_attacks,
)
from ludwin.games.chess.exchange import least
from ludwin.games.chess.generate import BECOMES, KIND, PIECE, TAKEN, TO, can_move
from ludwin.games.chess.language import EARLIER, NAMES
from ludwin.kernel.names import copy, moves, play
from ludwin.primitives import clear_lsb, lsb, shl

PLIES = 5  # from a board on: a check, its answer, a check, its answer, a capture
MOST_PLIES = 9
BEYOND = 4  # plies more, where captures at the end give check
FIRST = 3  # states and buffers that other terminals use
ROOM = FIRST + MOST_PLIES + BEYOND  # states and buffers with those of forced play
THREAT_PLIES = 1  # of what would be won if the other player passed
BOUND = 1000
LOST = len(NAMES) + len(EARLIER)  # the number of the first of these terminals
THREAT = LOST + 4
MATED = 50  # what a mate is worth, in men
WORTH = (1, 3, 3, 5, 9, 0)


def capture(s):
    """Return the most that the mover wins by one capture and the enemy's taking back; pins are left aside."""
    me = s.turn
    occupied = s.sides[0] | s.sides[1]
    left = s.sides[1 - me] & ~s.men[KING]
    best = 0
    while left != 0:
        square = lsb(left)
        worth = WORTH[man_at(s, shl(1, square))]
        if worth > best:
            takers = attackers(s, square, me, occupied)
            if takers != 0:
                if not is_attacked(s, square, 1 - me, occupied):
                    best = worth
                elif takers & ~s.men[KING] != 0:
                    best = max(best, worth - WORTH[least(s, takers)])
        left = clear_lsb(left)
    return best


def gained(m):
    """Return what a move wins in men at once."""
    taken = (m >> TAKEN) & 7
    becomes = (m >> BECOMES) & 7
    return (WORTH[taken - 1] if taken != 0 else 0) + (WORTH[becomes] - WORTH[0] if becomes != 0 else 0)


def may_check(s, m, king):
    """Tell whether a move may give check to a king; only what cannot is turned away."""
    piece = (m >> PIECE) & 7
    square = m & 63
    if piece == PAWN or m >> KIND != 0 or LINE[king][square] != 0:
        return True
    to = (m >> TO) & 63
    occupied = (s.sides[0] | s.sides[1]) ^ shl(1, square)
    return piece_attacks(piece, to, occupied) & shl(1, king) != 0


def forced(w, s, depth: int, level: int, low: int, high: int):
    """Return what the mover of a position wins by force within so many plies, below 0 what it loses."""
    me = s.turn
    pressed = in_check(s, me)
    if depth == 0 and not pressed:
        return capture(s)
    if level == w.run.forced + BEYOND:
        return 0
    best = -MATED if pressed else 0
    if best >= high:
        return best
    n = moves(s, w.bufs[FIRST + level])
    if n == 0:
        return -MATED if pressed and not can_move(s) else 0
    child = w.states[FIRST + level]
    king = king_of(s, 1 - me)
    for stage in range(2):  # what changes the men comes first
        for i in range(n):
            m = w.bufs[FIRST + level][i]
            worth = gained(m)
            if (worth != 0) == (stage == 0) and (worth != 0 or pressed or may_check(s, m, king)):
                copy(child, s)
                play(child, m)
                if worth != 0 or pressed:
                    value = worth - forced(w, child, max(depth - 1, 0), level + 1, worth - high, worth - max(low, best))
                    best = max(best, value)
                elif in_check(child, 1 - me):
                    best = max(best, checked(w, child, depth, level, max(low, best), high))
                if best >= high:
                    return best
    return best


def checked(w, child, depth: int, level: int, low: int, high: int):
    """Return what a check without capture wins: as the last ply nothing, unless it mates."""
    if depth == 1:
        return 0 if can_move(child) else MATED
    return -forced(w, child, depth - 1, level + 1, -high, -low)


def tactics(w, s, p):
    """Answer what is won by force if the other player, whose turn it is, goes on: what player p loses, and, where that
    player is in check, what player p wins.
    """
    pressed = in_check(s, 1 - p)
    found = forced(w, s, w.run.forced + (1 if pressed else 0), 0, -BOUND, BOUND)
    mate = MATED // 2
    w.seen[LOST] = 1.0 * found if 0 < found < mate else 0.0
    w.seen[LOST + 1] = 1.0 if found >= mate else 0.0
    w.seen[LOST + 2] = -1.0 * found if -mate < found < 0 else 0.0
    w.seen[LOST + 3] = 1.0 if found <= -mate else 0.0
    return 0


def threats(w, s, p):
    """Answer what player p would win by force if the other player passed; nothing if that player is in check."""
    found = 0
    if not in_check(s, 1 - p):
        there = w.states[2]
        copy(there, s)
        there.turn = p
        there.passing = 0
        found = forced(w, there, THREAT_PLIES, 0, -BOUND, BOUND)
    mate = MATED // 2
    w.seen[THREAT] = 1.0 * found if 0 < found < mate else 0.0
    w.seen[THREAT + 1] = 1.0 if found >= mate else 0.0
    return 0
