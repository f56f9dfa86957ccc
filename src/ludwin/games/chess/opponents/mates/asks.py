"""What mate programs ask of a board: the terminals of Tables 6.3 and 6.4 of *Evolved to Win*, and ours. Kernel text.

Sides.  The *player* is who has to mate, the opponent who is mated, whoever is to move on the board.  The *last move*
is the one that led to the board.  "Close to the king" means at most two steps of a king away.

Look-ahead.  `IsMateInOneOrLess` and `CanMateNow` make moves; each board is counted.  "Can give check" is asked of
attacks alone: a piece that could go to a square from which it attacks the king where that stands.
"""

from ludwin.games.chess.attacks import (
    KING,
    KING_ATTACKS,
    PAWN,
    PAWN_ATTACKS,
    attackers,
    in_check,
    is_attacked,
    king_of,
    man_at,
    piece_attacks,
    pinned,
)
from ludwin.games.chess.evaluation import VALUES
from ludwin.games.chess.generate import PIECE, TAKEN, TO
from ludwin.games.chess.opponents.mates.prove import SQUARES, is_mated, may_check, push
from ludwin.kernel.names import moves
from ludwin.primitives import clear_lsb, lsb, popcount, shl
from ludwin.program.act_kernel import begin, take_back

READS = (
    "IsCheck", "OppKingProximityToEdges", "NumOppPiecesAttacked", "IsCheckFork", "NumNotMovesOppKing",
    "NumNotMovesOppBigger", "IsOppKingProtectingPiece", "EvaluateMaterial", "IsMaterialChange", "IsMateInOneOrLess",
    "IsOppKingStuck", "IsOppPiecePinned",
    "IsNextMoveForced", "IsNextMoveForcedWithKing", "IsPinCloseToKing", "NumMyPiecesCanCheck",
    "DidNumAttackingKingIncrease", "IsDiscoveredCheck", "IsDiscoveredProtectedCheck",
    "IsMate", "CanMateNow",
    "NumReplies", "NumAttackingKing", "MoveHistory", "MoveTakes", "MoveByKing", "MoveNearKing", "MovesLeft",
    "ThreatensMate", "MoveMayCheck", "IsLastMove",
)  # fmt: skip
FAR = 8


def truth(holds):
    """Return 1 or 0."""
    return 1.0 if holds else 0.0


def apart(a, b):
    """Return how many steps of a king lie between two squares."""
    return max(abs((a & 7) - (b & 7)), abs((a >> 3) - (b >> 3)))


def near(square):
    """Return the squares at most two steps of a king away, without the square itself, as bits."""
    ring = KING_ATTACKS[square]
    found = ring
    while ring != 0:
        found |= KING_ATTACKS[lsb(ring)]
        ring = clear_lsb(ring)
    return found & ~shl(1, square)


def edge(square):
    """Return how near a square is to the edge: 0 in the centre, 3 on it."""
    return max(abs(2 * (square & 7) - 7), abs(2 * (square >> 3) - 7)) // 2


def sees(s, square, occupied):
    """Return what the man on a square attacks."""
    bit = shl(1, square)
    piece = man_at(s, bit)
    if piece == PAWN:
        return PAWN_ATTACKS[0 if s.sides[0] & bit != 0 else 1][square]
    return piece_attacks(piece, square, occupied)


def opponent_king(w, s):
    """Return where the opponent's king stands."""
    return king_of(s, 1 - w.mate.me)


def shut_squares(w, s):
    """Return how many of the squares around the opponent's king it cannot go to."""
    king = opponent_king(w, s)
    them = 1 - w.mate.me
    around = KING_ATTACKS[king]
    without = (s.sides[0] | s.sides[1]) ^ shl(1, king)
    shut = 0
    while around != 0:
        to = lsb(around)
        if s.sides[them] & shl(1, to) != 0 or is_attacked(s, to, w.mate.me, without):
            shut += 1
        around = clear_lsb(around)
    return shut


def is_stuck(w, s):
    """Tell whether every square that the opponent's king can go to is nearer to the edge than its own."""
    king = opponent_king(w, s)
    around = KING_ATTACKS[king] & ~s.sides[1 - w.mate.me]
    without = (s.sides[0] | s.sides[1]) ^ shl(1, king)
    while around != 0:
        to = lsb(around)
        if not is_attacked(s, to, w.mate.me, without) and edge(to) <= edge(king):
            return False
        around = clear_lsb(around)
    return True


def attacking_king(w, s):
    """Return how many of the player's men attack a square around the opponent's king."""
    area = KING_ATTACKS[opponent_king(w, s)]
    men = s.sides[w.mate.me] & ~s.men[KING]
    occupied = s.sides[0] | s.sides[1]
    count = 0
    while men != 0:
        if sees(s, lsb(men), occupied) & area != 0:
            count += 1
        men = clear_lsb(men)
    return count


def can_check(w, s):
    """Return which of the player's men can go to a square from which they attack the opponent's king, as bits."""
    king = opponent_king(w, s)
    me = w.mate.me
    occupied = s.sides[0] | s.sides[1]
    men = s.sides[me] & ~s.men[KING]
    found = 0
    while men != 0:
        square = lsb(men)
        bit = shl(1, square)
        piece = man_at(s, bit)
        if piece == PAWN:
            up = shl(1, square + 8 if me == 0 else square - 8) & ~occupied
            goes = (PAWN_ATTACKS[me][square] & s.sides[1 - me]) | up
            lands = PAWN_ATTACKS[1 - me][king]
        else:
            goes = piece_attacks(piece, square, occupied) & ~s.sides[me]
            lands = piece_attacks(piece, king, occupied & ~bit)
        if goes & lands != 0:
            found |= bit
        men = clear_lsb(men)
    return found


def checkers_of(w, s):
    """Return the player's men that give check, as bits."""
    return attackers(s, opponent_king(w, s), w.mate.me, s.sides[0] | s.sides[1])


def is_discovered(w, s):
    """Tell whether another man than the one that moved last gives check."""
    to = w.lasts[w.acts.open] >> TO & 63
    return w.acts.open > 0 and s.turn != w.mate.me and checkers_of(w, s) & ~shl(1, to) != 0


def discovered_protected(w, s):
    """Tell whether that man is protected, too."""
    if not is_discovered(w, s):
        return False
    men = checkers_of(w, s) & ~shl(1, w.lasts[w.acts.open] >> TO & 63)
    return attackers(s, lsb(men), w.mate.me, s.sides[0] | s.sides[1]) != 0


def is_fork(w, s):
    """Tell whether a man that gives check attacks another man of the opponent's that is no pawn."""
    men = checkers_of(w, s)
    occupied = s.sides[0] | s.sides[1]
    theirs = s.sides[1 - w.mate.me] & ~(s.men[KING] | s.men[PAWN])
    while men != 0:
        if sees(s, lsb(men), occupied) & theirs != 0:
            return True
        men = clear_lsb(men)
    return False


def attacked_near(w, s):
    """Return how many of the opponent's men close to its king are attacked."""
    men = near(opponent_king(w, s)) & s.sides[1 - w.mate.me]
    occupied = s.sides[0] | s.sides[1]
    count = 0
    while men != 0:
        if is_attacked(s, lsb(men), w.mate.me, occupied):
            count += 1
        men = clear_lsb(men)
    return count


def material(w, s):
    """Return the player's material less the opponent's, in pawns."""
    total = 0
    for piece in range(5):
        mine = popcount(s.men[piece] & s.sides[w.mate.me])
        total += VALUES[piece] * (2 * mine - popcount(s.men[piece]))
    return total / 100.0


def replies(w, s):
    """Return how many moves the mover has."""
    return moves(s, w.choices[w.acts.depth + 1])


def only_king(w, s):
    """Tell whether the mover has moves, and all are its king's."""
    n = replies(w, s)
    out = w.choices[w.acts.depth + 1]
    for i in range(n):
        if out[i] >> PIECE & 7 != KING:
            return False
    return n > 0


def mates_now(w):
    """Tell whether the player, to move, mates at once; the boards are counted."""
    here = w.acts.open
    s = w.positions[here]
    if s.turn != w.mate.me or here >= w.acts.depth:
        return False
    n = moves(s, w.choices[w.acts.depth + 1])
    out = w.peeks[0]
    for i in range(n):
        out[i] = w.choices[w.acts.depth + 1][i]
    for i in range(n):
        push(w, out[i])
        mates = is_mated(w.positions[w.acts.open])
        take_back(w)
        if mates:
            return True
        if w.acts.cut != 0:
            return False
    return False


def threatens(w):
    """Tell whether the player would mate at once if the opponent, not in check, could pass; boards are counted."""
    s = w.positions[w.acts.open]
    if s.turn == w.mate.me or in_check(s, s.turn) or w.acts.open + 1 >= w.acts.depth:
        return False
    begin(w)
    passed = w.positions[w.acts.open]
    passed.turn = w.mate.me
    passed.passing = 0
    found = mates_now(w)
    take_back(w)
    return found


def before_mine(w):
    """Return the place on the stack of the board before the player's last move; -1 if there was none."""
    here = w.acts.open
    back = here - 1 if w.positions[here].turn != w.mate.me else here - 2
    return back


def ask_board(w, k, s):
    """Answer the terminals of Table 6.3."""
    them = 1 - w.mate.me
    back = before_mine(w)
    if k == 0:
        return truth(in_check(s, them))
    if k == 1:
        return 1.0 * edge(opponent_king(w, s))
    if k == 2:
        return 1.0 * attacked_near(w, s)
    if k == 3:
        return truth(is_fork(w, s))
    if k == 4:
        return 1.0 * shut_squares(w, s)
    if k == 5:
        return truth(back >= 0 and shut_squares(w, s) > shut_squares(w, w.positions[max(back, 0)]))
    if k == 6:
        return truth(KING_ATTACKS[opponent_king(w, s)] & s.sides[them] != 0)
    if k == 7:
        return material(w, s)
    if k == 8:
        return truth(w.acts.open > 0 and w.lasts[w.acts.open] >> TAKEN & 7 != 0)
    if k == 9:
        return truth(mates_now(w) if s.turn == w.mate.me else is_mated(s))
    if k == 10:
        return truth(is_stuck(w, s))
    return truth(pinned(s, them, opponent_king(w, s)) != 0)


def ask_mate(w, k, s):
    """Answer the terminals of Table 6.4, and those of the worked programs."""
    them = 1 - w.mate.me
    back = before_mine(w)
    if k == 12:
        return truth(s.turn == them and replies(w, s) == 1)
    if k == 13:
        return truth(s.turn == them and only_king(w, s))
    if k == 14:
        king = opponent_king(w, s)
        return truth(pinned(s, them, king) & near(king) != 0)
    if k == 15:
        return 1.0 * popcount(can_check(w, s))
    if k == 16:
        return truth(back >= 0 and attacking_king(w, s) > attacking_king(w, w.positions[max(back, 0)]))
    if k == 17:
        return truth(is_discovered(w, s))
    if k == 18:
        return truth(discovered_protected(w, s))
    if k == 19:
        return truth(s.turn == them and is_mated(s))
    return truth(mates_now(w))


def ask_move(w, k, s):
    """Answer what is ours: of the board, and of the move that is weighed (before it is made) or was made last."""
    m = w.mate.pending
    if k == 21:
        return 1.0 * replies(w, s)
    if k == 22:
        return 1.0 * attacking_king(w, s)
    if k == 23:
        whose = s.turn if w.mate.weighed == 1 else 1 - s.turn  # before a move is made its maker is the mover
        return 1.0 * w.history[whose * SQUARES + (m & 63) * 64 + (m >> TO & 63)]
    if k == 24:
        return VALUES[(m >> TAKEN & 7) - 1] / 100.0 if m >> TAKEN & 7 != 0 else 0.0
    if k == 25:
        return truth(m >> PIECE & 7 == KING)
    if k == 26:
        return 1.0 * (FAR - apart(m >> TO & 63, opponent_king(w, s)))
    if k == 27:
        return 1.0 * (w.mate.n - (w.acts.open + 1) // 2)
    if k == 28:
        return truth(threatens(w))
    if k == 29:
        return truth(may_check(s, m) if w.mate.weighed == 1 else in_check(s, s.turn))
    return truth(s.turn == w.mate.me and w.mate.n - (w.acts.open + 1) // 2 == 1)


def ask(w, k, place):
    """Answer a terminal by its number."""
    s = w.positions[w.acts.open]
    if k < 12:
        return ask_board(w, k, s)
    if k < 21:
        return ask_mate(w, k, s)
    return ask_move(w, k, s)
