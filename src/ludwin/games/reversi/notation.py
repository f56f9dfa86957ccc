"""Reversi in writing: moves such as f5, and positions as 64 squares and whose turn it is."""

import re

from ludwin.games.reversi.rules import BLACK, MAX_MOVES, PASS, SIZE, WHITE, _disc, _pattern, moves


def name(s, m):
    return "pass" if m == PASS else "abcdefgh"[m % SIZE] + str(m // SIZE + 1)


def parse(s, text):
    out = [0] * MAX_MOVES
    legal = {name(s, m): m for m in out[: moves(s, out)]}
    word = text.strip().lower()
    word = "pass" if word in ("--", "pa", "ps") else word
    if word not in legal:
        raise ValueError(f"a move is one of {' '.join(legal) or '(none)'}, got {text!r}")
    return legal[word]


def write(s):
    return "".join(_disc(s, k) for k in range(SIZE * SIZE)) + " " + "XO"[s.turn]


def read(s, text):
    squares = re.sub(r"[\s/]", "", text).upper().replace(".", "-")
    count = SIZE * SIZE
    if not re.fullmatch(f"[XO-]{{{count}}}[XO]", squares):
        raise ValueError(f"a position is {count} squares, X, O or -, row by row, and whose turn it is, X or O")
    for p in range(2):
        s.discs[p] = _pattern(k for k in range(count) if squares[k] == "XO"[p])
    s.turn = "XO".index(squares[-1])
    if (BLACK | WHITE) & ~(s.discs[0] | s.discs[1]):
        raise ValueError("the four squares in the middle are never empty")
