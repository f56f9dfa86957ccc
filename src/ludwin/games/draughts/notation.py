"""Draughts in writing: moves such as 11-15 and 22x15, positions as FEN, and games and openings in files.

Why it is here.  Portable Draughts Notation is what draughts programs and databases exchange.  Player 0 is Black, who
begins; results are White's first (1-0: White won), as PDN took them from chess.  How tag pairs and moves are read and
written is the same for all such notations (`ludwin.arena.portable`); what is draughts' own is said here.

References.  Portable Draughts Notation 3.0 (pdn.fmjd.org); pydraughts, which reads what we write.
"""

import re
from pathlib import Path

from ludwin.games.draughts.rules import (
    _COUNT,
    _END,
    _PATH,
    BOTTOM,
    MAX_MOVES,
    MEN,
    PLY_LIMIT,
    QUIET_LIMIT,
    SHORT,
    SIZE,
    TOP,
    _bit,
    moves,
    noisy,
)
from ludwin.primitives import popcount
from ludwin.rules.portable import Book, Portable


def _numbered(names, mover, from_position):
    """Put numbers before Black's moves. Behind a FEN with Black to move, pydraughts (and so we) count a move of White's
    as missing.
    """
    words = []
    if from_position and mover == 0 and names:
        words, names = ["1...", names[0]], names[1:]
    first = 2 if words else 1
    for k, name in enumerate(names):
        words += [f"{k // 2 + first}."] * (k % 2 == 0) + [name]
    return words


def _tags(values):
    size = values.get("size", 8)
    return {"GameType": f"21,B,{size},{size},N1,0"}


PORTABLE = Portable(".pdn", "PDN", ("draughts", "lose-checkers"), ("Black", "White"), 1, _tags, _numbered)
_BALLOTS = Path(__file__).parent / "data" / "three_move_ballots.txt"
OPENINGS = {"ballots": Book(_BALLOTS, "draughts on 8x8")} if SIZE == 8 else {}


def _path(m):
    """Return the squares that a move touches, from first to last."""
    at, path, squares = m & 63, m >> _PATH, [_square(m & 63)]
    for _ in range(m >> _COUNT & 31):
        at += 2 * (SHORT + (path & 1)) * (1 - (path & 2))
        path >>= 2
        squares.append(_square(at))
    return squares if len(squares) > 1 else [*squares, _square(m >> _END & 63)]


def _legal(s):
    out = [0] * MAX_MOVES
    return [(m, _path(m)) for m in out[: moves(s, out)]]


def name(s, m):
    path = _path(m)
    same = [other for _, other in _legal(s) if other[0] == path[0] and other[-1] == path[-1]]
    squares = path if len(same) > 1 else [path[0], path[-1]]
    return ("x" if noisy(s, m) else "-").join(map(str, squares))


def parse(s, text):
    if not re.fullmatch(r"\s*\d+(\s*[-x:\s]\s*\d+)+\s*", text.lower()):
        raise ValueError(f"a move is two or more squares such as '11-15' or '22x15', got {text!r}")
    squares = [int(number) for number in re.findall(r"\d+", text)]
    legal = _legal(s)
    exact = [m for m, path in legal if path == squares]
    ends = [m for m, path in legal if [path[0], path[-1]] == squares]
    if exact or len(ends) == 1:
        return (exact or ends)[0]
    names = " ".join(name(s, m) for m, _ in legal)
    if ends:
        raise ValueError(f"{text!r} could be several captures; name all squares: {names}")
    raise ValueError(f"{text!r} is no legal move; there are: {names or 'none'}")


def write(s):
    sides = []
    for p in (1, 0):
        bits = [bit for bit in range(64) if s.pieces[p] >> bit & 1]
        squares = [("K" if s.kings >> bit & 1 else "") + str(_square(bit)) for bit in bits]
        sides.append("BW"[p] + ",".join(squares))
    counters = [f":H{s.quiet}"] * (s.quiet > 0) + [f":F{s.ply}"] * (s.ply > 0)
    return f"{'BW'[s.turn]}:{':'.join(sides)}{''.join(counters)}"


def read(s, text):
    parts = text.strip().rstrip(".").upper().split(":")
    sides = {part[:1]: part[1:] for part in parts[1:3]}
    if parts[0] not in ("B", "W") or len(parts) < 3 or set(sides) != {"B", "W"}:
        raise ValueError("a position looks like 'B:W21,22,K30:B1,2,K9'")
    s.turn = "BW".index(parts[0])
    s.pieces[0] = s.pieces[1] = s.kings = 0
    for p in range(2):
        for item in filter(None, sides["BW"[p]].split(",")):
            _place(s, p, item.strip())
        if popcount(s.pieces[p]) > MEN:
            raise ValueError(f"a side has at most {MEN} pieces, {'BW'[p]} has {popcount(s.pieces[p])}")
    s.quiet = s.ply = 0
    for part in parts[3:]:
        match = re.fullmatch("([HF])([0-9]+)", part)
        limit = {"H": QUIET_LIMIT, "F": PLY_LIMIT}[match[1]] if match else 0
        if not match or int(match[2]) > limit:
            raise ValueError(
                f"after the pieces come :H with quiet plies, at most {QUIET_LIMIT}, and :F with plies, at most "
                f"{PLY_LIMIT}; got {part!r}"
            )
        if match[1] == "H":
            s.quiet = int(match[2])
        else:
            s.ply = int(match[2])


def _square(bit):
    return bit + 1 - bit // (SIZE + 1)


def _place(s, p, item):
    """Put the men or kings of one item, such as '9', 'K9' or '1-12', on the board."""
    match = re.fullmatch(r"(K?)([0-9]+)(?:-([0-9]+))?", item)
    if not match:
        raise ValueError(f"a piece is a square such as '9' or 'K9', got {item!r}")
    first, last = int(match[2]), int(match[3] or match[2])
    for square in range(first, last + 1):
        if not 1 <= square <= SIZE * SHORT:
            raise ValueError(f"squares are 1 to {SIZE * SHORT}, got {square}")
        bit = 1 << _bit(square)
        if (s.pieces[0] | s.pieces[1]) & bit:
            raise ValueError(f"there are two pieces on square {square}")
        if not match[1] and bit & (BOTTOM, TOP)[p]:
            raise ValueError(f"a man on square {square} would be a king (K{square})")
        s.pieces[p] |= bit
        s.kings |= bit if match[1] else 0
