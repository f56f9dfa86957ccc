"""Retrograde analysis: how a chess ending ends, for every position of it, computed backwards from the mates.

The idea.  All positions with given men are numbered.  First every position is looked at once: is it legal, is it mate,
how many moves stay inside the ending, and what is known of those that leave it by a capture or a promotion, from the
tables of the endings with fewer men.  Then, ply by ply: whoever can move to a position that is lost in n plies wins in
n + 1; whoever can only move to positions that are won is lost, one ply after the longest of them.  Moves are taken
back rather than tried: pieces go back as they come, and pawns step down.  What is left when nothing changes is drawn.
That is exact: distance to mate, both sides playing their best; the rule of fifty moves and castling are left out.

Symmetry.  Without pawns White's king stands in the corner of a1 and d4, with pawns on the files a to d; the rest is
mirrored there.  These mirrors leave no square where it is, so every move and its mirror image are counted once.

A cell of `w.cells` is one position: bits 0 to 7 its code, 0 unknown (in the end: drawn), 1 + plies to mate, or 255
illegal; odd plies are won for the mover, even ones lost.  Bits 8 to 15 count the moves inside the ending that are not
yet known to lose; bits 16 to 23 hold the longest loss by a move that leaves it, bit 24 tells that such a move saves, or
that it is stalemate (bit 25).

En passant.  A pawn that passes an enemy's pawn by two steps may be taken.  Such moves are not taken back like the
others: they are looked at anew in every step (`step_passing`), for the answer may be the capture.

References.  T. Ströhlein, "Untersuchungen über kombinatorische Spiele", dissertation (1970); K. Thompson, "Retrograde
analysis of certain endgames", ICCA Journal 9 (1986).
"""

from ludwin.games.chess.attacks import KING_ATTACKS, PAWN, PAWN_ATTACKS, QUEEN, piece_attacks
from ludwin.kernel.names import Bundle
from ludwin.kernel.text import Kernel
from ludwin.primitives import clear_lsb, lsb, shl, shr

SLOTS = 4
ILLEGAL = 255
UNKNOWN = 0
MATED = 1  # the code of mate: 0 plies
SAVED = 1 << 24
STUCK = 1 << 25  # stalemate
NOBODY = 4  # no slot: nothing captured, or nobody promoted

RUN = {
    "men": int,  # how many there are, kings included: slots 0 (White's king), 1 (Black's), 2 and 3
    "pawns": int,  # 1 if there are any
    "half": int,  # positions of one mover
    "highest": int,  # the highest code so far
    "mover": int,  # of the position in hand, as the next three
    "occupied": int,
    "count": int,
    "about": int,  # what leaving moves say: bits as in a cell, from 16 on, and in bits 0 to 7 the quickest win
}
SLOT = {"side": int, "piece": int, "square": int}
# Where leaving moves lead: `place` is where the table begins among the bytes of `w.below`, -1 if that is a draw by the
# men alone; its men in the order of their slots are these slots of ours; `flip` exchanges the colours.
EXIT = {"place": int, "men": int, "pawns": int, "flip": int, "slot2": int, "slot3": int, "half": int}
RECORDS = {"run": RUN, "slots": [SLOT], "exits": [EXIT], "cells": [int], "below": [int]}


def exit_number(taken, becomes, piece):
    """Return the number of the exit by a capture of slot `taken` and a promotion of slot `becomes` to a piece."""
    return (taken * (SLOTS + 1) + becomes) * QUEEN + piece - 1


def mirror(square, pawns):
    """Return what to exchange by `^` in every square so that this one, of White's king, comes to its place."""
    turn = 7 if square & 4 != 0 else 0
    if pawns == 0 and square & 32 != 0:
        turn |= 56
    return turn


def king_place(square, pawns):
    """Return the number of a square to which White's king is mirrored."""
    return (square & 3) | (square >> 3) << 2


def index_of(pawns, half, mover, white, black, third, fourth):
    """Return the number of a position; endings of three men have 0 for the fourth, and a quarter of the numbers."""
    turn = mirror(white, pawns)
    place = king_place(white ^ turn, pawns)
    rest = ((place << 6 | (black ^ turn)) << 6 | (third ^ turn)) << 6 | (fourth ^ turn)
    return mover * half + rest


def own_index(w, mover):
    """Return the number of the position that the slots show."""
    run = w.run
    white = w.slots[0].square
    turn = mirror(white, run.pawns)
    number = king_place(white ^ turn, run.pawns) << 6 | (w.slots[1].square ^ turn)
    for k in range(2, run.men):
        number = number << 6 | (w.slots[k].square ^ turn)
    return mover * run.half + number


def show_position(w, number):
    """Put the men of a position into the slots; return whether all stand on squares of their own."""
    run = w.run
    run.mover = 1 if number >= run.half else 0
    rest = number - run.half * run.mover
    for i in range(2, run.men):
        k = run.men + 1 - i
        w.slots[k].square = rest & 63
        rest >>= 6
    w.slots[1].square = rest & 63
    rest >>= 6
    w.slots[0].square = (rest & 3) | (rest >> 2) << 3
    run.occupied = 0
    for k in range(run.men):
        bit = shl(1, w.slots[k].square)
        if run.occupied & bit != 0:
            return False
        run.occupied |= bit
    return True


def sees(w, k, occupied):
    """Return what the man of a slot attacks."""
    slot = w.slots[k]
    if slot.piece == PAWN:
        return PAWN_ATTACKS[slot.side][slot.square]
    return piece_attacks(slot.piece, slot.square, occupied)


def is_checked(w, side):
    """Tell whether the king of a side is attacked; its slot has the number of the side."""
    king = shl(1, w.slots[side].square)
    for k in range(w.run.men):
        if w.slots[k].side != side and sees(w, k, w.run.occupied) & king != 0:
            return True
    return False


def is_legal(w):
    """Tell whether the position in the slots can occur: pawns on their ranks, and nobody can take the king."""
    for k in range(2, w.run.men):
        rank = w.slots[k].square >> 3
        if w.slots[k].piece == PAWN and (rank == 0 or rank == 7):
            return False
    return not is_checked(w, 1 - w.run.mover)


def mark_illegal(w):
    """Go through all positions for the first time."""
    for number in range(2 * w.run.half):
        ok = show_position(w, number)
        w.cells[number] = UNKNOWN if ok and is_legal(w) else ILLEGAL
    return 0


def slot_at(w, square):
    """Return the slot of the man on a square, NOBODY if it is empty."""
    for k in range(w.run.men):
        if w.slots[k].square == square:
            return k
    return NOBODY


def below(w, place):
    """Return one byte of the tables of other endings."""
    return shr(w.below[place >> 3], (place & 7) << 3) & 255


def exit_code(w, number, mover):
    """Return the code of the position in the slots in the table behind an exit, with the other side to move."""
    out = w.exits[number]
    white = w.slots[0].square
    black = w.slots[1].square
    if out.place < 0:
        return ILLEGAL if KING_ATTACKS[white] & shl(1, black) != 0 else UNKNOWN
    third = w.slots[out.slot2].square
    fourth = w.slots[out.slot3].square if out.men == SLOTS else 0
    turn = 56 if out.flip != 0 else 0
    if turn != 0:
        mover = 1 - mover
        swapped = white
        white = black
        black = swapped
    if out.men < SLOTS:
        last = third ^ turn
        side = mirror(white ^ turn, out.pawns)
        rest = king_place(white ^ turn ^ side, out.pawns) << 6 | (black ^ turn ^ side)
        return below(w, out.place + mover * out.half + (rest << 6 | (last ^ side)))
    return below(
        w, out.place + index_of(out.pawns, out.half, mover, white ^ turn, black ^ turn, third ^ turn, fourth ^ turn)
    )


def note_exit(w, code):
    """Remember what a leaving move says, given the code for the other side, who is to move then."""
    run = w.run
    if code == ILLEGAL:
        return 0
    run.count += 1 << 8  # a legal move
    if code == UNKNOWN:
        run.about |= SAVED
    elif code & 1 == 1:  # an even number of plies: the other side is lost
        quickest = run.about & 255
        if quickest == 0 or code + 1 < quickest:
            run.about = run.about - quickest + code + 1
    else:
        longest = (run.about >> 16) & 255
        if code + 1 > longest:
            run.about += (code + 1 - longest) << 16
    return 0


def leave(w, k, to, taken):
    """Note the captures of a man to a square, with promotions if it is a pawn's."""
    slot = w.slots[k]
    square = slot.square
    slot.square = to
    rank = to >> 3
    if slot.piece == PAWN and (rank == 0 or rank == 7):
        for piece in range(1, QUEEN + 1):
            note_exit(w, exit_code(w, exit_number(taken, k, piece), 1 - w.run.mover))
    else:
        note_exit(w, exit_code(w, exit_number(taken, NOBODY, 1), 1 - w.run.mover))
    slot.square = square
    return 0


def stay(w, k, to):
    """Count a move inside the ending if it is legal."""
    slot = w.slots[k]
    square = slot.square
    slot.square = to
    if w.cells[own_index(w, 1 - w.run.mover)] & 255 != ILLEGAL:
        w.run.count += 1
    slot.square = square
    return 0


def step(w, k, to):
    """Look at a move to an empty square."""
    rank = to >> 3
    if w.slots[k].piece == PAWN and (rank == 0 or rank == 7):
        return leave(w, k, to, NOBODY)
    return stay(w, k, to)


def look_at_pawn(w, k):
    """Look at all moves of a pawn."""
    slot = w.slots[k]
    square = slot.square
    up = 8 if slot.side == 0 else -8
    if w.run.occupied & shl(1, square + up) == 0:
        step(w, k, square + up)
        home = 1 if slot.side == 0 else 6
        if square >> 3 == home and w.run.occupied & shl(1, square + 2 * up) == 0:
            step(w, k, square + 2 * up)
    targets = PAWN_ATTACKS[slot.side][square] & w.run.occupied
    while targets != 0:
        to = lsb(targets)
        taken = slot_at(w, to)
        if w.slots[taken].side != slot.side and taken > 1:
            leave(w, k, to, taken)
        targets = clear_lsb(targets)
    return 0


def look_at(w, k):
    """Look at all moves of the man of a slot."""
    slot = w.slots[k]
    if slot.piece == PAWN:
        return look_at_pawn(w, k)
    targets = piece_attacks(slot.piece, slot.square, w.run.occupied)
    while targets != 0:
        to = lsb(targets)
        taken = slot_at(w, to)
        if taken == NOBODY:
            stay(w, k, to)
        elif w.slots[taken].side != slot.side and taken > 1:
            leave(w, k, to, taken)
        targets = clear_lsb(targets)
    return 0


def first_look(w):
    """Go through all legal positions: count moves, ask other tables, find mates and stalemates."""
    run = w.run
    for number in range(2 * run.half):
        if w.cells[number] & 255 != ILLEGAL:
            show_position(w, number)
            run.count = 0
            run.about = 0
            for k in range(run.men):
                if w.slots[k].side == run.mover:
                    look_at(w, k)
            w.cells[number] = judged(w)
            raise_highest(w, w.cells[number] & 255)
    return 0


def judged(w):
    """Return the cell of the position in the slots, after its moves were looked at."""
    run = w.run
    inside = run.count & 255
    quickest = run.about & 255
    if run.count == 0:
        return MATED if is_checked(w, run.mover) else SAVED | STUCK
    if quickest > 0:
        return (run.about & ~255) | inside << 8 | quickest
    if inside == 0 and run.about & SAVED == 0:
        return (run.about & ~255) | ((run.about >> 16) & 255)
    return run.about | inside << 8


def raise_highest(w, code):
    """Remember the highest code that stands in any cell."""
    if code != ILLEGAL and code > w.run.highest:
        w.run.highest = code
    return 0


def learn(w, number, code):
    """Tell a position that one of its moves leads to a position of this code."""
    found = w.cells[number]
    here = found & 255
    if here == ILLEGAL:
        return 0
    if code & 1 == 1:  # the other side is lost
        if here == UNKNOWN or here > code + 1:
            w.cells[number] = found - here + code + 1
            raise_highest(w, code + 1)
        return 0
    found -= 1 << 8
    if here == UNKNOWN and (found >> 8) & 255 == 0 and found & SAVED == 0:
        loss = max(code + 1, (found >> 16) & 255)
        found += loss
        raise_highest(w, loss)
    w.cells[number] = found
    return 0


def learn_back(w, k, square, code):
    """Let the man of a slot come from a square, and tell that position."""
    slot = w.slots[k]
    here = slot.square
    slot.square = square
    learn(w, own_index(w, 1 - w.run.mover), code)
    slot.square = here
    return 0


def pawn_back(w, k, code):
    """Take back the steps of a pawn; two steps past an enemy's pawn have a way of their own."""
    slot = w.slots[k]
    up = 8 if slot.side == 0 else -8
    square = slot.square
    behind = square - up
    if behind >> 3 == (0 if slot.side == 0 else 7) or w.run.occupied & shl(1, behind) != 0:
        return 0
    learn_back(w, k, behind, code)
    two = square >> 3 == (3 if slot.side == 0 else 4) and w.run.occupied & shl(1, behind - up) == 0
    if two and passing_slot(w, k, behind) == NOBODY:
        learn_back(w, k, behind - up, code)
    return 0


def passing_slot(w, k, passed):
    """Return the slot of an enemy's pawn that may legally take, in passing, the pawn that stands in slot k after two
    steps over the square `passed`; NOBODY if there is none.
    """
    slot = w.slots[k]
    for j in range(2, w.run.men):
        other = w.slots[j]
        pawns = other.side != slot.side and other.piece == PAWN and slot.piece == PAWN
        near = pawns and PAWN_ATTACKS[other.side][other.square] & shl(1, passed) != 0
        if near and passing_code(w, k, j, passed) != ILLEGAL:
            return j
    return NOBODY


def passing_code(w, k, j, passed):
    """Return the code of the position after the pawn of slot j has taken that of slot k in passing."""
    other = w.slots[j]
    square = other.square
    other.square = passed
    code = exit_code(w, exit_number(k, NOBODY, 1), w.slots[k].side)
    other.square = square
    return code


def go_back(w, number, code):
    """Take back all moves that lead to a position, and tell what they lead to."""
    show_position(w, number)
    run = w.run
    for k in range(run.men):
        slot = w.slots[k]
        if slot.side != run.mover:
            if slot.piece == PAWN:
                pawn_back(w, k, code)
            else:
                targets = piece_attacks(slot.piece, slot.square, run.occupied) & ~run.occupied
                while targets != 0:
                    learn_back(w, k, lsb(targets), code)
                    targets = clear_lsb(targets)
    return 0


def step_passing(w, code):
    """Tell positions in which two steps pass an enemy's pawn what that leads to, if it is settled by this code.

    After the two steps the other side may capture in passing or play on as if nothing had happened; the better of both
    is what the position is worth.
    """
    run = w.run
    for number in range(2 * run.half):
        k = 2 + number // run.half  # White's pawn is in slot 2, Black's in slot 3
        third = (number >> 6) & 63
        ranks = third & 56 == 8 and number & 56 == 24 if k == 2 else number & 56 == 48 and third & 56 == 32
        if ranks and w.cells[number] & 255 != ILLEGAL:
            show_position(w, number)
            pass_by(w, number, k, code)
    return 0


def pass_by(w, number, k, code):
    """Tell the position in the slots what two steps of the pawn in slot k lead to, if that is settled by this code."""
    run = w.run
    slot = w.slots[k]
    square = slot.square
    up = 8 if slot.side == 0 else -8
    if run.occupied & (shl(1, square + up) | shl(1, square + 2 * up)) == 0:
        slot.square = square + 2 * up
        j = passing_slot(w, k, square + up)
        legal = j != NOBODY and w.cells[own_index(w, 1 - run.mover)] & 255 != ILLEGAL
        if legal and after_passing(w, k, j, square + up) == code:
            learn(w, number, code)
        slot.square = square
    return 0


def after_passing(w, k, j, passed):
    """Return the code of a position in which the pawn of slot j may take that of slot k in passing."""
    found = w.cells[own_index(w, 1 - w.run.mover)]
    plain = found & 255
    capture = passing_code(w, k, j, passed)
    if capture == UNKNOWN:
        return UNKNOWN if plain == UNKNOWN or plain & 1 == 1 else plain
    turned = capture + 1  # seen by the side that captures
    if plain == MATED or found & STUCK != 0:  # to capture is the only move
        return turned
    if plain == UNKNOWN:
        return turned if turned & 1 == 0 else UNKNOWN
    if plain & 1 == 0 and turned & 1 == 0:  # both win
        return min(plain, turned)
    if plain & 1 == 0 or turned & 1 == 0:
        return plain if plain & 1 == 0 else turned
    return max(plain, turned)


def analyse(w: Bundle):
    """Fill `w.cells` for the men in `w.slots`; return the highest code."""
    mark_illegal(w)
    first_look(w)
    passing = has_passing(w)
    code = MATED
    while code <= w.run.highest:
        for number in range(2 * w.run.half):
            if w.cells[number] & 255 == code:
                go_back(w, number, code)
        if passing:
            step_passing(w, code)
        code += 1
    return w.run.highest


def has_passing(w):
    """Tell whether both sides have a pawn."""
    if w.run.men < SLOTS:
        return False
    one = w.slots[2]
    other = w.slots[3]
    return one.piece == PAWN and other.piece == PAWN and one.side != other.side


RETROGRADE = Kernel("retrograde analysis", analyse, records=RECORDS)
