"""Pursuit on a torus: two hunters and a hare, who turns and runs where it likes.

Rules.  Everybody steers by a turn and a pace.  Whoever comes within REACH of the hare has caught it.  Fog makes what
one sees of the others a little wrong; it is drawn when the world ticks, so that looking changes nothing.
"""

import math

from ludwin.primitives import uniform

PLAYERS = 3
SIZE = 20.0
REACH = 1.0
MAX_TICKS = 300
PAYOFF_SUM = None
FIELDS = {"chance": 1, "x": (float, 3), "y": (float, 3), "heading": (float, 3), "fog": (float, 6), "time": int}
CONTROLS = {"turn": float, "pace": (0, 1, 0.25)}
SENSES = {"hare": int, "dx": (float, 2), "dy": (float, 2), "heading": float}


def setup(s):
    for p in range(PLAYERS):
        s.x[p] = SIZE * (p + 0.5) / PLAYERS
        s.y[p] = SIZE / 2


def seed(s, n):
    s.chance[0] = n
    for p in range(PLAYERS):
        s.heading[p] = 2.0 * math.pi * uniform(s.chance)
        s.y[p] = SIZE * uniform(s.chance)


def wrapped(d):
    return d - SIZE * math.floor(d / SIZE + 0.5)


def sense(s, p, view):
    view.hare = 1 if p == 2 else 0
    view.heading = s.heading[p]
    for k in range(2):
        q = (p + 1 + k) % 3
        view.dx[k] = wrapped(s.x[q] - s.x[p]) + s.fog[2 * p + k]
        view.dy[k] = wrapped(s.y[q] - s.y[p])


def tick(s):
    for p in range(PLAYERS):
        turn = min(max(s.turn[p], -0.5), 0.5)
        s.heading[p] = math.fmod(s.heading[p] + turn, 2.0 * math.pi)
        step = s.pace[p] * (0.6 if p == 2 else 0.5)
        s.x[p] = (s.x[p] + step * math.cos(s.heading[p])) % SIZE
        s.y[p] = (s.y[p] + step * math.sin(s.heading[p])) % SIZE
    for k in range(6):
        s.fog[k] = 0.2 * (uniform(s.chance) - 0.5)
    s.time += 1


def near(s, p):
    dx = wrapped(s.x[p] - s.x[2])
    dy = wrapped(s.y[p] - s.y[2])
    return dx * dx + dy * dy < REACH * REACH


def over(s):
    return near(s, 0) or near(s, 1)


def payoff(s, p):
    if p == 2:
        return 0.0 if over(s) else 1.0
    return 1.0 - s.time / MAX_TICKS if near(s, p) else 0.0


def control_chase(view):
    # The hare is the last player: seen from hunter 0 it is the second of the others, from hunter 1 the first.
    bearing = math.atan2(view.dy[0], view.dx[0]) - view.heading
    away = 2.0 if view.hare == 1 else 0.0
    return math.sin(bearing + away), 1.0
