"""Nim for three or more players, after Li: whoever takes the last counter comes first.

Rules.  A move takes one or more counters from one of `HEAPS` heaps, which begin with `SMALLEST`,
`SMALLEST` + 1, … counters.  Whoever takes the last counter comes first, the player before that
one second, and so on against the order of turns; the player who finds nothing left comes last.
The ranks pay PLAYERS - 1, PLAYERS - 3, …, 1 - PLAYERS.

Why it is here.  With more than two players most theory of games ends, but this game keeps its own.
The mover comes last under best play exactly when, written in binary, the heaps add up to a multiple
of PLAYERS in every digit by itself.  With two players that is Bouton's theorem on Nim.  So it is an
oracle for searches with many players.

References.  S.-Y. R. Li, "N-person Nim and N-person Moore's games", International Journal of Game
Theory 7 (1978), 31-36.
"""

import re

PLAYERS = 3
HEAPS = 3
SMALLEST = 3

if PLAYERS < 2:
    raise ValueError(f"players must be at least 2, got {PLAYERS}")
if HEAPS < 1 or HEAPS > 26:
    raise ValueError(f"heaps must be 1 to 26, got {HEAPS}")
if SMALLEST < 1:
    raise ValueError(f"smallest must be at least 1, got {SMALLEST}")

FIELDS = {"heaps": HEAPS, "turn": int}
MAX_MOVES = sum(SMALLEST + heap for heap in range(HEAPS))
MAX_PLIES = MAX_MOVES
PAYOFF_SUM = 0

STRIDE = SMALLEST + HEAPS  # a move is heap * STRIDE + counters taken


def setup(s):
    for heap in range(HEAPS):
        s.heaps[heap] = SMALLEST + heap
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    for heap in range(HEAPS):
        for taken in range(1, s.heaps[heap] + 1):
            out[n] = heap * STRIDE + taken
            n += 1
    return n


def play(s, m):
    s.heaps[m // STRIDE] -= m % STRIDE
    s.turn = (s.turn + 1) % PLAYERS


def payoff(s, p):
    # s.turn found nothing left; the one before it, who took the last counter, has distance 1.
    distance = (s.turn - p + PLAYERS) % PLAYERS
    return 1 - PLAYERS if distance == 0 else PLAYERS + 1 - 2 * distance


def show(s):
    lines = [f"{name(s, h * STRIDE)[0]} {'|' * s.heaps[h]}  ({s.heaps[h]})" for h in range(HEAPS)]
    return "\n".join([*lines, f"player {s.turn} to move"])


def picture(s):
    from ludwin.svg import Sheet, player

    sheet = Sheet(max(60 + 20 * max(s.heaps), 240), 46 + 44 * HEAPS, "li-nim")
    for heap in range(HEAPS):
        sheet.text(20, 30 + 44 * heap, chr(ord("a") + heap), "quiet", 15)
        for k in range(s.heaps[heap]):
            word = name(s, heap * STRIDE + s.heaps[heap] - k)  # a click on a counter takes it and all behind it
            sheet.rect(40 + 20 * k, 13 + 44 * heap, 12, 34, "wood", line="line", round=2, move=word, title=word)
    over = not any(s.heaps)
    words = f"player {(s.turn - 1) % PLAYERS} has come first" if over else f"player {s.turn} to move"
    sheet.circle(20, 26 + 44 * HEAPS, 6, player(s.turn))
    sheet.text(34, 26 + 44 * HEAPS, words, size=13, anchor="start")
    return str(sheet)


def name(s, m):
    return chr(ord("a") + m // STRIDE) + str(m % STRIDE)


def parse(s, text):
    match = re.fullmatch(r"([a-z])\s*([0-9]+)", text.strip().lower())
    heap = ord(match[1]) - ord("a") if match else HEAPS
    if not match or heap >= HEAPS:
        raise ValueError(f"a move is a heap and a number of counters, such as 'a2', got {text!r}")
    if not 1 <= int(match[2]) <= s.heaps[heap]:
        raise ValueError(f"heap {match[1]} has {s.heaps[heap]} counters, cannot take {match[2]}")
    return heap * STRIDE + int(match[2])


def write(s):
    return ",".join(map(str, s.heaps)) + f":{s.turn}"


def read(s, text):
    match = re.fullmatch(r"(\d+(?:,\d+)*):(\d+)", text.strip())
    heaps = [int(heap) for heap in match[1].split(",")] if match else []
    if not match or len(heaps) != HEAPS or int(match[2]) >= PLAYERS:
        start = ",".join(str(SMALLEST + heap) for heap in range(HEAPS))
        raise ValueError(f"a position is heaps:mover, such as '{start}:0'")
    for heap in range(HEAPS):
        if heaps[heap] > SMALLEST + heap:
            raise ValueError(f"heap {heap + 1} has at most {SMALLEST + heap} counters, got {heaps[heap]}")
        s.heaps[heap] = heaps[heap]
    s.turn = int(match[2])
