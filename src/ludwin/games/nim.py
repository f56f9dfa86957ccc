"""Nim with one heap: take a few counters, and be the one who takes the last.

Rules.  A move takes 1 to `TAKE` counters from a heap that begins with `HEAP`.  Whoever takes the
last counter wins.

Why it is here.  The smallest game with a theory: the mover loses exactly when the heap is a
multiple of `TAKE` + 1.  It is the first game to read, and the first oracle of every search.

References.  C. L. Bouton, "Nim, a game with a complete mathematical theory", Annals of
Mathematics 3 (1901), 35-39.
"""

import re

HEAP = 21  # parameters: `nim:heap=5,take=2` overrides them
TAKE = 3

if HEAP < 0:
    raise ValueError(f"heap must be at least 0, got {HEAP}")
if TAKE < 1:
    raise ValueError(f"take must be at least 1, got {TAKE}")

FIELDS = {"heap": int, "turn": int}
MAX_MOVES = TAKE
MAX_PLIES = max(HEAP, 1)


def setup(s):
    s.heap = HEAP
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = min(TAKE, s.heap)
    for k in range(n):
        out[k] = k + 1
    return n


def play(s, m):
    s.heap -= m
    s.turn = 1 - s.turn


def payoff(s, p):
    # Nothing is left: the previous player took the last counter, so the mover has lost.
    return -1 if s.turn == p else 1


def show(s):
    return f"{'|' * s.heap or 'empty'}  ({s.heap}), player {s.turn} to move"


def picture(s):
    from ludwin.svg import Sheet, player

    shown, row = min(s.heap, 400), 20
    sheet = Sheet(max(16 + 20 * min(max(shown, 12), row), 250), 66 + 44 * max(-(-shown // row), 1), "nim")
    for k in range(shown):
        left = shown - k  # a click on a counter takes it and all behind it
        takes = {"move": str(left), "title": f"take {left}"} if left <= TAKE else {}
        sheet.rect(13 + 20 * (k % row), 14 + 44 * (k // row), 12, 34, player(s.turn) if takes else "wood", **takes)
    words = f"{s.heap} counters, player {s.turn} to move" if s.heap else f"none is left: player {1 - s.turn} has won"
    sheet.text(13, 40 + 44 * max(-(-shown // row), 1), words, size=13, anchor="start")
    return str(sheet)


def name(s, m):
    return str(m)


def parse(s, text):
    most = min(TAKE, s.heap)
    if re.fullmatch(r"[0-9]+", text.strip()) and 1 <= int(text) <= most:
        return int(text)
    raise ValueError(f"a move is a number of counters from 1 to {most}, got {text!r}")


def write(s):
    return f"{s.heap}:{s.turn}"


def read(s, text):
    match = re.fullmatch(r"([0-9]+):([01])", text.strip())
    if not match:
        raise ValueError(f"a position is counters:mover, such as '{HEAP}:0'")
    s.heap, s.turn = int(match[1]), int(match[2])
    if s.heap > HEAP:
        raise ValueError(f"the heap has at most {HEAP} counters, got {s.heap}")
