"""Chess in writing: moves in standard algebraic notation (Nf3, exd8=Q+, O-O), positions as FEN, games as PGN.

Why it is here.  People write SAN, protocols write coordinates (g1f3, e7e8q), databases hold PGN; `parse` understands
the first two, also sloppily written, and `name` writes SAN as the standard has it.

References.  S. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), section 8.2.3.
"""

import re
from pathlib import Path

from ludwin.games.chess.attacks import in_check, piece_attacks
from ludwin.games.chess.fen import as_state, letters, read_fen, square_name, usual, write_fen
from ludwin.games.chess.generate import BECOMES, CASTLING, KIND, PIECE, TAKEN, TO, can_move
from ludwin.games.chess.rules import MAX_MOVES, PIECES, QUIET_LIMIT, moves, play
from ludwin.games.chess.starts import deal_cells, first_cells
from ludwin.primitives import shl
from ludwin.rules.portable import Book, Portable, Protocol

_SAN = re.compile(r"([NBRQK]?)([a-h]?)([1-8]?)[x:-]?([a-h][1-8])(?:=?\(?([NBRQ])\)?)?")
_COORDINATES = re.compile(r"([a-h][1-8])-?([a-h][1-8])=?([nbrqNBRQ]?)")


def _tags(values):
    tags = {"Site": "?", "Date": "????.??.??"}
    if values:
        cells = first_cells(str(values.get("start", "")), str(values.get("pieces", "")), int(values.get("deal", 0)))
        tags |= {"SetUp": "1", "FEN": write_fen(as_state(cells))}
    return tags


def _deal(seed):
    """Return a position with the men of `pieces`, drawn for a seed."""
    return write_fen(as_state(deal_cells(PIECES, seed)))


def _next_number(text):
    return int(text.split()[5])


PORTABLE = Portable(".pgn", "PGN", ("chess",), ("White", "Black"), 0, _tags, begins=_next_number)
_LINES = Path(__file__).parent / "data" / "openings.txt"
OPENINGS = {"lines": Book(_LINES, "chess from the usual position")}
if PIECES:
    OPENINGS = {"deals": Book(_LINES, "chess with drawn pieces", _deal)}


def copied(s):
    """Return a position that can be played on without changing this one."""
    return as_state((*s.men, *s.sides, s.turn, s.castling, s.passing, s.quiet, s.number))


def legal(s):
    """Return the legal moves."""
    out = [0] * MAX_MOVES
    return out[: moves(s, out)]


def uci(m):
    """Return a move as protocols write it: two squares, and what a pawn becomes.

    >>> uci(12 | 28 << 6), uci(52 | 60 << 6 | 4 << 18)
    ('e2e4', 'e7e8q')
    """
    return square_name(m & 63) + square_name(m >> TO & 63) + ("", "n", "b", "r", "q")[m >> BECOMES & 7]


def name(s, m):
    after = copied(s)
    play(after, m)
    mark = "" if not in_check(after, after.turn) else "+" if can_move(after) else "#"
    return _without_mark(s, m) + mark


def _without_mark(s, m):
    """Return a move in SAN without its sign of check."""
    if m >> KIND == CASTLING:
        return "O-O" if (m >> TO & 63) > (m & 63) else "O-O-O"
    square, to, piece = m & 63, m >> TO & 63, m >> PIECE & 7
    taken, becomes = m >> TAKEN & 7, m >> BECOMES & 7
    end = ("x" if taken else "") + square_name(to)
    if piece == 0:
        return (square_name(square)[0] if taken else "") + end + (f"={letters()[becomes]}" if becomes else "")
    same = s.men[piece] & s.sides[s.turn] & ~shl(1, square)
    seen = piece_attacks(piece, to, s.sides[0] | s.sides[1]) & same  # legal only if no pin forbids it
    rivals = [
        other & 63
        for other in (legal(s) if seen else ())
        if (other >> TO & 0x1FF) == (m >> TO & 0x1FF) and other & 63 != square
    ]
    which = ""
    if rivals:
        if all(other % 8 != square % 8 for other in rivals):
            which = square_name(square)[0]
        elif all(other // 8 != square // 8 for other in rivals):
            which = square_name(square)[1]
        else:
            which = square_name(square)
    return letters()[piece] + which + end


def parse(s, text):
    wanted = re.sub(r"\s*e\.?p\.?$|[+#!?]+$", "", text.strip())
    found = [m for m in legal(s) if _means(m, wanted)]
    if len(found) == 1:
        return found[0]
    if len(found) > 1:
        names = " ".join(name(s, m) for m in found)
        raise ValueError(f"{text!r} could be several moves: {names}")
    if not (_SAN.fullmatch(wanted) or _COORDINATES.fullmatch(wanted) or _castles(wanted)):
        raise ValueError(f"a move looks like Nf3, exd5, O-O, e8=Q or g1f3, got {text!r}")
    names = " ".join(name(s, m) for m in legal(s))
    raise ValueError(f"{text!r} is no legal move; there are: {names or 'none'}")


def _castles(wanted):
    """Return the letter of the side to which a text castles: k, q, or nothing."""
    return {"o-o": "k", "o-o-o": "q"}.get(wanted.lower().replace("0", "o"), "")


def _means(m, wanted):
    """Tell whether a text can mean a move."""
    square, to, becomes = m & 63, m >> TO & 63, ("", "N", "B", "R", "Q")[m >> BECOMES & 7]
    side = _castles(wanted)
    if side:
        return m >> KIND == CASTLING and (side == "k") == (to > square)
    plain = _COORDINATES.fullmatch(wanted)
    if plain:
        return (plain[1], plain[2], plain[3].upper()) == (square_name(square), square_name(to), becomes)
    san = _SAN.fullmatch(wanted)
    if not san or m >> KIND == CASTLING:
        return False
    piece = "PNBRQK".index(san[1] or "P")
    at = square_name(square)
    same = san[2] in ("", at[0]) and san[3] in ("", at[1]) and san[4] == square_name(to)
    if piece == 0 and (m >> TAKEN & 7) and not san[2]:
        return False  # a capture by a pawn names its file
    return same and piece == m >> PIECE & 7 and (san[5] or "") == becomes


def write(s):
    return write_fen(s)


def read(s, text):
    cells = read_fen(usual() if text.strip() == "startpos" else text)
    for k in range(6):
        s.men[k] = cells[k]
    s.sides[0], s.sides[1] = cells[6], cells[7]
    s.turn, s.castling, s.passing, s.quiet, s.number = cells[8:]


def unclaimed(text):
    """Return a position in FEN with fewer than fifty quiet moves, so that the game goes on for whoever claims no draw.

    >>> unclaimed("4k3/8/8/8/8/8/8/R3K3 w - - 120 90")
    '4k3/8/8/8/8/8/8/R3K3 w - - 99 90'
    """
    words = text.split()
    if len(words) > 4 and re.fullmatch("[1-9][0-9]{2,4}", words[4]):
        words[4] = str(QUIET_LIMIT - 1)
        return " ".join(words)
    return text


PROTOCOL = Protocol(uci, 0.01, "tactician", unclaimed)
