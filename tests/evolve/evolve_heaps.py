"""A small game with queries for tests of evolution: heaps of counters, take some, the last counter wins or a long game
is drawn.
"""

# Take one to three counters; whoever takes the last one wins. With DRAW=1 a game that takes 9 plies is drawn.
TEXT = '''"""Heap with queries."""

HEAP = 13
DRAW = 0
FIELDS = {"heap": int, "turn": int, "plies": int}
MAX_MOVES = 3
MAX_PLIES = 40
QUERIES = {"heap": "float", "left over": ("bool", 4)}


def setup(s):
    s.heap = HEAP


def mover(s):
    return s.turn


def over(s):
    return s.heap == 0 or (DRAW == 1 and s.plies >= 9)


def moves(s, out):
    if over(s):
        return 0
    n = min(3, s.heap)
    for k in range(n):
        out[k] = k + 1
    return n


def play(s, m):
    s.heap -= m
    s.plies += 1
    s.turn = 1 - s.turn


def payoff(s, p):
    if s.heap > 0:
        return 0
    return -1 if s.turn == p else 1


def query(s, p, k, a):
    if k == 0:
        return 1.0 * s.heap
    return 1.0 if s.heap % 4 == a else 0.0
'''
WISE = "IFT(left_over[0], Minus(Zero, One), One)"  # whoever must move from a multiple of four loses
FOOLISH = "IFT(left_over[0], One, Zero)"
BLIND = "heap"
