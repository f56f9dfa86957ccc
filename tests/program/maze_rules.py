"""A walk in a walled yard with a pillar: turn left or right, or go ahead unless a wall is there.

Why it is here.  The toy world of programs that act (`act_worlds.py`): small enough to write twice.
"""

SIZE = 4
FIELDS = {"x": int, "y": int, "heading": int, "walked": int}
PLAYERS = 1
MAX_MOVES = 3
PAYOFF_SUM = None
LEFT, RIGHT, AHEAD = 0, 1, 2
DX = (0, 1, 0, -1)
DY = (1, 0, -1, 0)


def setup(s):
    s.x = 0
    s.y = 0
    s.heading = 0
    s.walked = 0


def mover(s):
    return 0


def wall(s):
    x = s.x + DX[s.heading]
    y = s.y + DY[s.heading]
    return x < 0 or x >= SIZE or y < 0 or y >= SIZE or (x == 1 and y == 1)


def moves(s, out):
    out[0] = LEFT
    out[1] = RIGHT
    out[2] = AHEAD
    return 2 if wall(s) else 3


def play(s, m):
    if m == AHEAD:
        s.x += DX[s.heading]
        s.y += DY[s.heading]
        s.walked += 1
    else:
        s.heading = (s.heading + (1 if m == RIGHT else 3)) % 4


def payoff(s, p):
    return s.walked
