"""Random trees of decisions and chance: my move, nature's, the opponent's, nature's, …

A test game: every tree is a `seed` field, leaves are hashes of the path, so thousands of different trees
share one compiled kernel.
"""

from ludwin.primitives import CHANCE, mix

WIDTH = 3
DEPTH = 6

FIELDS = {"seed": int, "path": int, "ply": int}
MAX_MOVES = WIDTH
MAX_PLIES = DEPTH


def setup(s):
    s.seed = 1


def mover(s):
    if s.ply % 2 == 1:
        return CHANCE
    return s.ply // 2 % 2


def moves(s, out):
    if s.ply == DEPTH:
        return 0
    for i in range(WIDTH):
        out[i] = i
    return WIDTH


def play(s, m):
    s.path = mix(s.path, m)
    s.ply += 1


def chance(s, m):
    return 1 + mix(s.path + s.seed, m + 100) % 5


def payoff(s, p):
    value = mix(s.seed, s.path) % 2001 / 1000 - 1
    return value if p == 0 else -value
