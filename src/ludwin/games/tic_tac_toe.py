"""Tic-tac-toe: three in a row on nine squares.

Rules.  X and O mark an empty square in turn, X (player 0) first.  Three own marks in a row, column
or diagonal win; a full board without them is a draw.

Why it is here.  Everybody knows it, and everything about it is known: 255168 games, 5478
positions, a draw with best play.

References.  The counts are folklore: 9! sequences of marks, cut where a line is complete; the
tests count them once more.
"""

import re

FIELDS = {"marks": 2, "turn": int}  # s.marks[p]: bit 3 * row + column for each mark of player p
MAX_MOVES = 9
MAX_PLIES = 9

LINES = (0o007, 0o070, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)


def setup(s):
    s.marks[0] = 0
    s.marks[1] = 0
    s.turn = 0


def mover(s):
    return s.turn


def has_line(marks):
    found = False
    for k in range(8):
        found = found or marks & LINES[k] == LINES[k]
    return found


def moves(s, out):
    # Only the player who has just moved can have completed a line.
    if has_line(s.marks[1 - s.turn]):
        return 0
    n = 0
    for square in range(9):
        if ((s.marks[0] | s.marks[1]) >> square) & 1 == 0:
            out[n] = square
            n += 1
    return n


def play(s, m):
    s.marks[s.turn] |= 1 << m
    s.turn = 1 - s.turn


def payoff(s, p):
    if has_line(s.marks[p]):
        return 1
    return -1 if has_line(s.marks[1 - p]) else 0


def _mark(s, square):
    return "X" if s.marks[0] >> square & 1 else "O" if s.marks[1] >> square & 1 else "."


def show(s):
    rows = [f"{r + 1} " + " ".join(_mark(s, 3 * r + c) for c in range(3)) for r in range(3)]
    return "\n".join(["  a b c", *rows, f"{'XO'[s.turn]} to move"])


def squares(s):
    rows = [[3 * row + column for column in range(3)] for row in range(3)]
    return [[(name(s, square), _mark(s, square).strip(".")) for square in row] for row in rows]


def name(s, m):
    return "abc"[m % 3] + "123"[m // 3]


def parse(s, text):
    square = text.strip().lower()
    if not re.fullmatch("[abc][123]", square):
        raise ValueError(f"a move is a square such as 'b2', got {text!r}")
    m = 3 * "123".index(square[1]) + "abc".index(square[0])
    out = [0] * MAX_MOVES
    if m not in out[: moves(s, out)]:
        raise ValueError(f"nobody can mark {square} now")
    return m


def write(s):
    return "/".join("".join(_mark(s, 3 * r + c) for c in range(3)) for r in range(3))


def read(s, text):
    if not re.fullmatch(r"[XO.]{3}/[XO.]{3}/[XO.]{3}", text.strip().upper()):
        raise ValueError("a position is three rows such as 'X.O/.../...'")
    squares = text.strip().upper().replace("/", "")
    for p in range(2):
        s.marks[p] = sum(1 << k for k in range(9) if squares[k] == "XO"[p])
    ahead = squares.count("X") - squares.count("O")
    if ahead not in (0, 1):
        raise ValueError(f"X has as many marks as O or one more, not {ahead:+d}")
    s.turn = ahead
    if has_line(s.marks[s.turn]):
        raise ValueError(f"{'XO'[s.turn]} has a line but it is also its turn")
