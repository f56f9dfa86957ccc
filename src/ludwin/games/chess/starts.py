"""Where games of chess begin: the usual position, one in FEN, or one drawn at random.

Why it is here.  The experiments with endgames begin with given men on random squares on which no man attacks another
one of the other side.  A deal is drawn by its number alone, so that a game is known by its text.
"""

from ludwin.games.chess.attacks import in_check, is_attacked
from ludwin.games.chess.fen import as_state, counts_fault, letters, read_fen, usual
from ludwin.games.chess.generate import can_move, is_dead
from ludwin.primitives import draw, shl, stream

_ATTEMPTS = 100_000
_DEALS = 0x6465616C


def first_cells(start, pieces, deal):
    """Return the cells of the first position, in the order of the fields. Raises ValueError."""
    if start and pieces:
        raise ValueError("give start or pieces, not both")
    if deal and not pieces:
        raise ValueError(f"deal={deal} has no effect without pieces; give them, such as pieces=KQRKQR")
    if deal < 0:
        raise ValueError(f"deal must be at least 0, got {deal}")
    return deal_cells(pieces, stream(_DEALS, deal)) if pieces else read_fen(start or usual())


def split_pieces(pieces):
    """Return White's and Black's men of a text such as KQRKQR (or KQRvKQR), as letters. Raises ValueError."""
    text = pieces.upper().replace("V", "")
    second = text.find("K", 1)
    if text[:1] != "K" or second < 0 or text.count("K") != 2 or set(text) - set(letters()):
        raise ValueError(
            f"pieces are White's and then Black's men, each beginning with K, such as KQRKQR; got {pieces!r}"
        )
    sides = text[:second], text[second:]
    for side, side_men in zip(("White", "Black"), sides, strict=True):
        fault = counts_fault(side, {letter: side_men.count(letter) for letter in "PNBRQK"})
        if fault:
            raise ValueError(fault)
    return sides


def deal_cells(pieces, seed):
    """Return the cells of a position with these men, drawn from all in which no man is attacked and White can move.

    All such positions are equally likely: squares are drawn until they are right. Raises ValueError if none is found.
    """
    white, black = split_pieces(pieces)
    men = white + black.lower()
    if len(men) < 4 and not set(men.upper()) - set("KBN"):
        raise ValueError(f"{pieces} is a draw from the start: no play with so few men mates")
    rng = [seed]
    for _ in range(_ATTEMPTS):
        squares = [draw(rng, 64) for _ in men]
        if len(set(squares)) < len(squares):
            continue
        cells = [0] * 13
        for letter, square in zip(men, squares, strict=True):
            cells[letters().index(letter.upper())] |= shl(1, square)
            cells[6 if letter.isupper() else 7] |= shl(1, square)
        if cells[0] & (0xFF | -(1 << 56)):
            continue
        cells[12] = 1
        if is_calm(cells, squares, men):
            return tuple(cells)
    raise ValueError(f"no position without an attack was found with {pieces}")


def is_calm(cells, squares, men):
    """Tell whether nobody attacks anybody, and the game is not over at once."""
    s = as_state(cells)
    occupied = s.sides[0] | s.sides[1]
    for letter, square in zip(men, squares, strict=True):
        if is_attacked(s, square, 1 if letter.isupper() else 0, occupied):
            return False
    return not in_check(s, 1) and can_move(s) and not is_dead(s)
