"""Positions of chess in Forsyth-Edwards Notation, read with reasons and written.

Why it is here.  Rules begin with a text, and so do all protocols, tables and problems: one reader serves them, and
says what is wrong with a position that no game can reach, as far as that can be seen on the board.

References.  S. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 16.1.
"""

import re
from types import SimpleNamespace

from ludwin.games.chess.attacks import BETWEEN, PAWN_ATTACKS, attackers, in_check, king_of
from ludwin.games.chess.generate import may_pass
from ludwin.primitives import clear_lsb, lsb, popcount, shl

_LETTERS = "PNBRQK"
_USUAL = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
_NAMES = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
_HOMES = {"K": (4, 7), "Q": (4, 0), "k": (60, 63), "q": (60, 56)}  # where king and rook must stand
_MOST = 10_000  # moves: no game is longer than 5,950


def square_name(square):
    """Return a square as people write it.

    >>> square_name(0), square_name(63)
    ('a1', 'h8')
    """
    return "abcdefgh"[square % 8] + str(square // 8 + 1)


def letters():
    """Return the letters of the pieces, in the order of their boards."""
    return _LETTERS


def usual():
    """Return the position in which games begin."""
    return _USUAL


def as_state(cells):
    """Return cells, in the order of the fields, as something that rules can be asked about."""
    names = ("turn", "castling", "passing", "quiet", "number")
    rest = dict(zip(names, cells[8:], strict=True))
    return SimpleNamespace(men=list(cells[:6]), sides=list(cells[6:8]), **rest)


def counts_fault(side, counts):
    """Return what is wrong with the numbers of a side's men, by letter; empty if they can occur in a game."""
    if counts["K"] != 1:
        return f"{side} has {counts['K']} kings, not one"
    if counts["P"] > 8:
        return f"{side} has {counts['P']} pawns, more than eight"
    extra = sum(max(counts[letter] - n, 0) for letter, n in (("N", 2), ("B", 2), ("R", 2), ("Q", 1)))
    if extra > 8 - counts["P"]:
        return f"{side} has {extra} promoted pieces and {counts['P']} pawns: more than eight pawns in the beginning"
    return ""


def read_fen(text):
    """Return the cells of a position, in the order of the fields. Raises ValueError with a reason.

    Castling and en passant may be left out from the right, as may the counters; an en passant square on which nothing
    can be captured is forgotten.
    """
    words = text.split()
    if not 2 <= len(words) <= 6:
        raise ValueError(f"a position in FEN has board, mover, castling, en passant and two counters; got {text!r}")
    board, mover, castling, passing, quiet, number = words + ["w", "-", "-", "0", "1"][len(words) - 1 :]
    cells = [0] * 13
    _place(cells, board)
    if mover not in ("w", "b"):
        raise ValueError(f"the mover is w or b, got {mover!r}")
    cells[8] = "wb".index(mover)
    for name, value, least in (("the counter of quiet plies", quiet, 0), ("the number of the move", number, 0)):
        if not re.fullmatch("[0-9]{1,5}", value) or not least <= int(value) <= _MOST:
            raise ValueError(f"{name} is a whole number from {least} to {_MOST}, got {value!r}")
    if int(quiet) > 100:
        raise ValueError(f"the game was over after 100 quiet plies, the counter says {quiet}")
    cells[11], cells[12] = int(quiet), max(int(number), 1)
    _must_be_possible(cells)
    cells[9] = _castling(cells, castling)
    cells[10] = _passing(cells, passing)
    return tuple(cells)


def _place(cells, board):
    """Put the men on their squares."""
    ranks = board.split("/")
    if len(ranks) != 8:
        raise ValueError(f"a board has eight ranks, separated by /; got {len(ranks)} in {board!r}")
    for row, rank in enumerate(ranks):
        file, before = 0, ""
        for sign in rank:
            if sign in "12345678":
                if before.isdigit():
                    raise ValueError(f"rank {8 - row} has two numbers in a row: {rank!r}")
                file += int(sign)
            elif sign.upper() in _LETTERS and sign.isascii():
                if file < 8:
                    bit = shl(1, 8 * (7 - row) + file)
                    cells[_LETTERS.index(sign.upper())] |= bit
                    cells[6 if sign.isupper() else 7] |= bit
                file += 1
            else:
                raise ValueError(f"a man is one of {_LETTERS} or {_LETTERS.lower()}, got {sign!r}")
            before = sign
        if file != 8:
            raise ValueError(f"rank {8 - row} has {file} squares, not eight: {rank!r}")


def _must_be_possible(cells):
    """Raise ValueError if no game can lead to these men on these squares, or the enemy's king can be taken."""
    for side, p in (("White", 0), ("Black", 1)):
        counts = {letter: popcount(cells[k] & cells[6 + p]) for k, letter in enumerate(_LETTERS)}
        fault = counts_fault(side, counts)
        if fault:
            raise ValueError(fault)
    if cells[0] & (0xFF | -(1 << 56)):
        raise ValueError("there is a pawn on the first or last rank")
    s = as_state(cells)
    if in_check(s, 1 - s.turn):
        raise ValueError(f"{('White', 'Black')[s.turn]} is to move and could take the king")
    king = king_of(s, s.turn)
    checkers = attackers(s, king, 1 - s.turn, s.sides[0] | s.sides[1])
    if popcount(checkers) > 2:
        raise ValueError(f"{popcount(checkers)} men give check; two are the most")
    first, second = lsb(checkers), lsb(clear_lsb(checkers))
    if second < 64 and popcount(checkers & (s.men[0] | s.men[1])) == 2:
        raise ValueError("two pawns or knights give check at once, which no move brings about")
    if second < 64 and (BETWEEN[first][second] & shl(1, king) or BETWEEN[king][first] & shl(1, second)):
        raise ValueError("two men give check along one line, which no move brings about")


def _castling(cells, text):
    """Return the rights to castle. Raises ValueError if king or rook are not at home."""
    if text == "-":
        return 0
    if len(set(text)) != len(text) or set(text) - set("KQkq"):
        raise ValueError(f"castling is - or some of KQkq, got {text!r}")
    rights = 0
    for letter in text:
        king, rook = _HOMES[letter]
        side = cells[6 if letter.isupper() else 7]
        if not (cells[5] & side & shl(1, king) and cells[3] & side & shl(1, rook)):
            raise ValueError(
                f"castling {letter} needs king and rook at home, on {square_name(king)} and {square_name(rook)}"
            )
        rights |= 1 << "KQkq".index(letter)
    return rights


def _passing(cells, text):
    """Return the square of a capture in passing, 0 if none is legal. Raises ValueError if no pawn can have passed."""
    if text == "-":
        return 0
    s = as_state(cells)
    if not re.fullmatch("[a-h][36]", text):
        raise ValueError(f"en passant is - or a square of the third or sixth rank, got {text!r}")
    square = "abcdefgh".index(text[0]) + 8 * (int(text[1]) - 1)
    up = 8 if s.turn == 0 else -8
    if (text[1] == "6") != (s.turn == 0):
        raise ValueError(f"{('White', 'Black')[s.turn]} is to move: no pawn has just passed {text}")
    empty = ~(s.sides[0] | s.sides[1])
    if not s.men[0] & s.sides[1 - s.turn] & shl(1, square - up):
        raise ValueError(f"there is no pawn that has just passed {text}")
    if not (empty & shl(1, square) and empty & shl(1, square + up)):
        raise ValueError(f"a pawn that has just passed {text} came through a man")
    if s.quiet:
        raise ValueError(f"a pawn has just passed {text}, yet the counter of quiet plies is {s.quiet}")
    step = shl(1, square - up) | shl(1, square + up)
    before = as_state((s.men[0] ^ step, *cells[1:]))
    before.sides[1 - s.turn] ^= step
    given = attackers(s, king_of(s, s.turn), 1 - s.turn, s.sides[0] | s.sides[1]) & ~shl(1, square - up)
    if given and in_check(before, s.turn):  # a check that is neither the pawn's nor one that it has uncovered
        raise ValueError(f"before a pawn passed {text}, {('White', 'Black')[s.turn]}'s king could have been taken")
    pawns = PAWN_ATTACKS[1 - s.turn][square] & s.men[0] & s.sides[s.turn]
    found = 0
    while pawns:
        if may_pass(s, lsb(pawns), square):
            found = square
        pawns = clear_lsb(pawns)
    return found


def write_fen(s):
    """Return a position in FEN; en passant only where a capture is legal."""
    rows = []
    for rank in range(7, -1, -1):
        row, empty = "", 0
        for square in range(8 * rank, 8 * rank + 8):
            letter = letter_at(s, square)
            if letter:
                row, empty = row + (str(empty) if empty else "") + letter, 0
            else:
                empty += 1
        rows.append(row + (str(empty) if empty else ""))
    castling = "".join(letter for k, letter in enumerate("KQkq") if s.castling >> k & 1) or "-"
    passing = square_name(s.passing) if s.passing else "-"
    return f"{'/'.join(rows)} {'wb'[s.turn]} {castling} {passing} {s.quiet} {s.number}"


def letter_at(s, square):
    """Return the letter of the man on a square, capital for White's; empty if there is none."""
    bit = shl(1, square)
    for k, letter in enumerate(_LETTERS):
        if s.men[k] & bit:
            return letter if s.sides[0] & bit else letter.lower()
    return ""
