"""Small games whose positions remember more than their boards; each has a correct key to be spoilt.

In every text the line `def key(s):` is followed by one return; `KEY` stands for what it returns.
"""

BOXES = '''"""Dots and boxes on 2x2 boxes: who closes a box scores and moves again."""
from ludwin.primitives import mix
FIELDS = {"lines": int, "score": 2, "turn": int}
MAX_MOVES = 12
MAX_PLIES = 12
SIDES = ((0, 2, 6, 7), (1, 3, 7, 8), (2, 4, 9, 10), (3, 5, 10, 11))

def setup(s):
    s.turn = 0

def mover(s):
    return s.turn

def moves(s, out):
    n = 0
    for k in range(12):
        if not s.lines >> k & 1:
            out[n] = k
            n += 1
    return n

def closed(s):
    n = 0
    for b in range(4):
        full = 1
        for i in range(4):
            if not s.lines >> SIDES[b][i] & 1:
                full = 0
        n += full
    return n

def play(s, m):
    before = closed(s)
    s.lines |= 1 << m
    gain = closed(s) - before
    s.score[s.turn] += gain
    if gain == 0:
        s.turn = 1 - s.turn

def payoff(s, p):
    return s.score[p] - s.score[1 - p]

def key(s):
    return KEY
'''

KALAH = '''"""A small kalah: three pits a side, sow, the last stone in your own store moves again; most stones win."""
from ludwin.primitives import mix
FIELDS = {"pits": 8, "turn": int}
MAX_MOVES = 3
MAX_PLIES = 200

def setup(s):
    for i in range(3):
        s.pits[i] = 2
        s.pits[4 + i] = 2

def mover(s):
    return s.turn

def moves(s, out):
    n = 0
    for i in range(3):
        if s.pits[4 * s.turn + i] > 0:
            out[n] = i
            n += 1
    return n

def play(s, m):
    at = 4 * s.turn + m
    hand = s.pits[at]
    s.pits[at] = 0
    while hand > 0:
        at = (at + 1) % 8
        if at != 4 * (1 - s.turn) + 3:
            s.pits[at] += 1
            hand -= 1
    if at != 4 * s.turn + 3:
        s.turn = 1 - s.turn

def payoff(s, p):
    mine = s.pits[4 * p + 3] + s.pits[4 * p] + s.pits[4 * p + 1] + s.pits[4 * p + 2]
    return 2 * mine - 12

def key(s):
    return KEY
'''

CASTLE = '''"""A king at 0 and a rook at 5 on a line of eight; black shuffles a piece of its own; castling wins.

White may castle (move 90) while neither piece has moved, and has a pawn to shuffle; 24 plies are a draw.
"""
from ludwin.primitives import mix
FIELDS = {"king": int, "rook": int, "pawn": int, "black": int, "rights": int, "turn": int, "plies": int, "won": int}
MAX_MOVES = 12
MAX_PLIES = 24

def setup(s):
    s.king = 0
    s.rook = 5
    s.black = 3
    s.rights = 1

def mover(s):
    return s.turn

def moves(s, out):
    n = 0
    if s.won or s.plies >= 24:
        return 0
    if s.turn == 1:
        for step in range(-1, 2, 2):
            if 0 <= s.black + step < 8:
                out[n] = 40 + s.black + step
                n += 1
        return n
    for step in range(-1, 2, 2):
        if 0 <= s.king + step < 3:
            out[n] = s.king + step
            n += 1
        if 3 <= s.rook + step < 8:
            out[n] = 20 + s.rook + step
            n += 1
    out[n] = 60 + 1 - s.pawn
    n += 1
    if s.rights and s.plies > 6:
        out[n] = 90
        n += 1
    return n

def play(s, m):
    if m == 90:
        s.won = 1
    elif m >= 60:
        s.pawn = m - 60
    elif m >= 40:
        s.black = m - 40
    elif m >= 20:
        s.rook = m - 20
        s.rights = 0
    else:
        s.king = m
        s.rights = 0
    s.turn = 1 - s.turn
    s.plies += 1

def payoff(s, p):
    if not s.won:
        return 0
    return 1 if p == 0 else -1

def key(s):
    return KEY
'''

KO = '''"""Capture on a ring: put a stone on an empty point; a lone enemy stone between two of yours is taken.

The point where a stone was just taken may not be filled at once. 16 plies; most stones win.
"""
from ludwin.primitives import mix
SIZE = 5
FIELDS = {"board": SIZE, "ko": int, "turn": int, "plies": int}
MAX_MOVES = SIZE + 1
MAX_PLIES = 16

def setup(s):
    s.ko = -1

def mover(s):
    return s.turn

def moves(s, out):
    n = 0
    if s.plies >= 16:
        return 0
    for k in range(SIZE):
        if s.board[k] == 0 and k != s.ko:
            out[n] = k
            n += 1
    out[n] = SIZE
    return n + 1

def play(s, m):
    s.ko = -1
    if m < SIZE:
        s.board[m] = s.turn + 1
        for step in range(-1, 2, 2):
            k = (m + step + SIZE) % SIZE
            far = (m + 2 * step + SIZE) % SIZE
            if s.board[k] == 2 - s.turn and s.board[far] == s.turn + 1:
                s.board[k] = 0
                s.ko = k
    s.turn = 1 - s.turn
    s.plies += 1

def payoff(s, p):
    mine = 0
    for k in range(SIZE):
        if s.board[k] == p + 1:
            mine += 1
        elif s.board[k] == 2 - p:
            mine -= 1
    return mine

def boarded(s):
    h = 0
    for k in range(SIZE):
        h = mix(h, s.board[k])
    return h

def key(s):
    return KEY
'''

WALK = '''"""Two walkers on a ring of nine; who steps on the other wins; LIMIT plies without that end the game."""
from ludwin.primitives import mix
LIMIT, LOSER = 12, 2
FIELDS = {"at": 2, "turn": int, "quiet": int, "last": int, "passed": int}
MAX_MOVES = 3
MAX_PLIES = 40

def setup(s):
    s.at[0] = 0
    s.at[1] = 5

def mover(s):
    return s.turn

def over(s):
    return s.at[0] == s.at[1] or s.quiet >= LIMIT or s.passed >= 2

def moves(s, out):
    if over(s):
        return 0
    out[0] = 1
    out[1] = 2
    out[2] = 0
    return 3

def play(s, m):
    s.at[s.turn] = (s.at[s.turn] + m) % 9
    s.passed = s.passed + 1 if m == 0 else 0
    s.quiet += 1
    s.last = m
    s.turn = 1 - s.turn

def payoff(s, p):
    if s.at[0] == s.at[1]:
        return -1 if s.turn == p else 1
    if s.passed >= 2:
        return 1 if s.turn == p else -1
    return 0 if LOSER == 2 else -1 if p == LOSER else 1

def key(s):
    return KEY
'''

BIDS = '''"""A race to nine points: roll or stop; the stake doubles when somebody asks; scores decide."""
from ludwin.primitives import CHANCE, mix
FIELDS = {"score": 2, "pot": int, "stake": int, "rolling": int, "turn": int}
MAX_MOVES = 3
MAX_PLIES = 400

def setup(s):
    s.stake = 1

def mover(s):
    return CHANCE if s.rolling else s.turn

def moves(s, out):
    if s.score[0] >= 9 or s.score[1] >= 9:
        return 0
    if s.rolling:
        for k in range(3):
            out[k] = k
        return 3
    out[0] = 5
    out[1] = 6
    n = 2
    if s.stake < 4:
        out[2] = 7
        n = 3
    return n

def chance(s, m):
    return 1 + (m == 0) * s.stake

def play(s, m):
    if s.rolling:
        s.rolling = 0
        if m == 0:
            s.pot = 0
            s.turn = 1 - s.turn
        else:
            s.pot += m * s.stake
    elif m == 5:
        s.rolling = 1
    elif m == 6:
        s.score[s.turn] += s.pot + 1
        s.pot = 0
        s.turn = 1 - s.turn
    else:
        s.stake *= 2

def payoff(s, p):
    return 1 if s.score[p] >= 9 else -1

def key(s):
    return KEY
'''

# Toy, its honest key, and keys that leave something out: what the message must name.
SPOILT = {
    "boxes": (
        BOXES,
        "mix(mix(mix(s.lines, s.turn), s.score[0]), s.score[1])",
        {
            "the score": ("mix(s.lines, s.turn)", "s.score"),
            "whose turn it is": ("mix(mix(s.lines, s.score[0]), s.score[1])", "s.turn"),
        },
    ),
    "kalah": (
        KALAH,
        "mix(mix(mix(mix(mix(mix(mix(mix(s.turn, s.pits[0]), s.pits[1]), s.pits[2]), s.pits[3]), s.pits[4]), "
        "s.pits[5]), s.pits[6]), s.pits[7])",
        {
            "the stores": (
                "mix(mix(mix(mix(mix(mix(s.turn, s.pits[0]), s.pits[1]), s.pits[2]), s.pits[4]), "
                "s.pits[5]), s.pits[6])",
                "s.pits[3]",
            ),
            "the order of the pits": (
                "mix(mix(mix(s.turn, s.pits[0] + s.pits[1] + s.pits[2]), s.pits[3]), "
                "s.pits[4] + s.pits[5] + s.pits[6])",
                "s.pits",
            ),
        },
    ),
    "castle": (
        CASTLE,
        "mix(mix(mix(mix(s.king, s.rook), s.black), s.rights + 2 * s.turn + 4 * s.won + 8 * s.pawn), s.plies)",
        {
            "the right to castle": (
                "mix(mix(mix(s.king, s.rook), s.black), s.turn + 2 * s.pawn + 4 * s.won + 8 * s.plies)",
                "s.rights",
            ),
            "the right to castle, and the counter": (
                "mix(mix(mix(s.king, s.rook), s.black), s.turn + 2 * s.pawn + 4 * s.won + (8 if s.plies >= 24 else "
                "0) + (16 if s.plies > 6 else 0))",
                "s.rights",
            ),
        },
    ),
    "ko": (
        KO,
        "mix(mix(boarded(s), s.ko + 1), s.turn + 2 * s.plies)",
        {
            "the ko": ("mix(boarded(s), s.turn + 2 * s.plies)", "s.ko"),
            "the length of a game that is counted out": ("mix(mix(boarded(s), s.ko + 1), s.turn)", "s.plies"),
        },
    ),
    "walk": (
        WALK,
        # the counter serves a draw rule only
        "mix(mix(mix(s.at[0], s.at[1]), s.turn + 2 * s.passed), 1 if s.quiet >= LIMIT else 0)",
        {
            "that the counter has ended the game": ("mix(mix(s.at[0], s.at[1]), s.turn + 2 * s.passed)", "s.quiet"),
            "a pass": ("mix(mix(mix(s.at[0], s.at[1]), s.turn), 1 if over(s) else 0)", "s.passed"),
            "one of the walkers": ("mix(mix(s.at[0], s.turn + 2 * s.passed), 1 if over(s) else 0)", "s.at"),
            "who is where": ("mix(s.at[0] + s.at[1], s.turn + 2 * s.passed + (8 if over(s) else 0))", "s.at"),
        },
    ),
    "a counter that decides": (
        WALK.replace("LOSER = 12, 2", "LOSER = 12, 0"),
        "mix(mix(mix(s.at[0], s.at[1]), s.turn + 2 * s.passed), s.quiet)",
        {
            "a counter that loses": (
                "mix(mix(mix(s.at[0], s.at[1]), s.turn + 2 * s.passed), 1 if s.quiet >= LIMIT else 0)",
                "s.quiet",
            )
        },
    ),
    "bids": (
        BIDS,
        "mix(mix(mix(s.score[0], s.score[1]), s.pot), s.turn + 2 * s.rolling + 4 * s.stake)",
        {
            "the stake": ("mix(mix(mix(s.score[0], s.score[1]), s.pot), s.turn + 2 * s.rolling)", "s.stake"),
            "the pot": ("mix(mix(s.score[0], s.score[1]), s.turn + 2 * s.rolling + 4 * s.stake)", "s.pot"),
            "the other score": ("mix(mix(s.score[0], s.pot), s.turn + 2 * s.rolling + 4 * s.stake)", "s.score"),
            "that nature is to move": (
                "mix(mix(mix(s.score[0], s.score[1]), s.pot), s.turn + 4 * s.stake)",
                "s.rolling",
            ),
        },
    ),
}
