"""What an exchange on one square brings: the captures one after another, each by the least valuable man.

Why it is here.  Most captures that a search could try lose material at once.  Playing the exchange out in numbers is
much cheaper than searching it; pins and checks are left aside, so it is an opinion and no fact.

References.  S. Russell, "Quiescence" (1960s practice of swap-off lists); D. Spracklen and K. Spracklen, "An exchange
evaluator for computer chess", Byte 3 (1978).
"""

from ludwin.games.chess.attacks import (
    BISHOP,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    PAWN,
    PAWN_ATTACKS,
    QUEEN,
    ROOK,
    bishop_attacks,
    rook_attacks,
)
from ludwin.games.chess.generate import IN_PASSING, KIND, PIECE, TAKEN, TO
from ludwin.primitives import lsb, shl

_VALUES = (100, 320, 330, 500, 950, 20000)


def keeps_material(s, m):
    """Tell whether the exchange that a capture begins loses nothing for the mover."""
    square = m & 63
    to = (m >> TO) & 63
    taken = (m >> TAKEN) & 7
    won = _VALUES[taken - 1] if taken > 0 else 0
    risk = _VALUES[(m >> PIECE) & 7] - won  # what the enemy wins by taking back
    if risk <= 0 or m >> KIND == IN_PASSING:
        return True
    occupied = (s.sides[0] | s.sides[1]) ^ shl(1, square)
    player = s.turn
    found = all_attackers(s, to, occupied)
    fine = True  # for the mover, if nobody goes on
    going = True
    while going:
        player = 1 - player
        found &= occupied
        mine = found & s.sides[player]
        piece = least(s, mine)
        if piece > KING or (piece == KING and found & s.sides[1 - player] != 0):
            going = False
        else:
            fine = not fine
            risk = _VALUES[piece] - risk
            if risk < (1 if fine else 0):
                going = False
            occupied ^= shl(1, lsb(mine & s.men[piece]))
            found |= uncovered(s, to, occupied, piece)
    return fine


def all_attackers(s, square, occupied):
    """Return the men of both sides that attack a square."""
    found = (PAWN_ATTACKS[0][square] & s.sides[1]) | (PAWN_ATTACKS[1][square] & s.sides[0])
    found &= s.men[PAWN]
    found |= (KNIGHT_ATTACKS[square] & s.men[KNIGHT]) | (KING_ATTACKS[square] & s.men[KING])
    found |= bishop_attacks(square, occupied) & (s.men[BISHOP] | s.men[QUEEN])
    return (found | (rook_attacks(square, occupied) & (s.men[ROOK] | s.men[QUEEN]))) & occupied


def least(s, men):
    """Return the least valuable piece among some men; 6 if there is none."""
    if men == 0:
        return KING + 1
    piece = PAWN
    while s.men[piece] & men == 0:
        piece += 1
    return piece


def uncovered(s, square, occupied, piece):
    """Return the sliders that look at a square now that a piece has gone."""
    found = 0
    if piece != KNIGHT and piece != ROOK:
        found = bishop_attacks(square, occupied) & (s.men[BISHOP] | s.men[QUEEN])
    if piece >= ROOK:
        found |= rook_attacks(square, occupied) & (s.men[ROOK] | s.men[QUEEN])
    return found & occupied
