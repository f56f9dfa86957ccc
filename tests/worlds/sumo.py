"""Sumo: two carts on a beam push each other; who drops off loses.

Rules.  Each cart sets its push between -1 and 1.  A gust of wind, drawn anew at every tick from the seed, moves both.
Carts that meet exchange their speeds.  The beam reaches from -EDGE to EDGE; MAX_TICKS end a bout undecided.
"""

import math

from ludwin.primitives import uniform

EDGE = 10.0
DT = 0.1
WIND = 0.5
MAX_TICKS = 400
FIELDS = {"chance": 1, "x": (float, 2), "v": (float, 2), "still": 2, "clashes": int}
CONTROLS = {"push": (-1, 1)}
SENSES = {"behind": float, "gap": float, "speed": float, "closing": float}


def setup(s):
    s.x[0] = -4.0
    s.x[1] = 4.0


def seed(s, n):
    s.chance[0] = n
    for p in range(2):
        s.x[p] += uniform(s.chance) - 0.5


def side(p):
    return 1.0 if p == 0 else -1.0


def sense(s, p, view):
    view.behind = EDGE + side(p) * s.x[p]
    view.gap = abs(s.x[1] - s.x[0])
    view.speed = side(p) * s.v[p]
    view.closing = side(p) * (s.v[p] - s.v[1 - p])


def tick(s):
    gust = WIND * (uniform(s.chance) - 0.5)
    for p in range(2):
        power = 0.0 if s.still[p] > 0 else 4.0 * side(p) * s.push[p]
        s.v[p] += (power + gust - 0.3 * s.v[p]) * DT
        s.x[p] += s.v[p] * DT
    if s.x[1] - s.x[0] < 1.0 and s.v[0] > s.v[1]:
        left = s.v[0]
        s.v[0] = s.v[1]
        s.v[1] = left
        s.clashes += 1


def out(s, p):
    return abs(s.x[p]) > EDGE


def over(s):
    return out(s, 0) or out(s, 1)


def payoff(s, p):
    if out(s, 0) == out(s, 1):
        return 0
    return -1 if out(s, p) else 1


def retire(s, p):
    s.still[p] = 1


def control_charge(view):
    return 1.0


def control_careful(view):
    if view.behind < 4.0:
        return 1.0
    return math.tanh(0.4 * view.gap - view.closing)


def show(s):
    cells = ["."] * 41
    for p in range(2):
        at = round(20 + 2 * s.x[p])
        if 0 <= at < 41:
            cells[at] = "AB"[p]
    return "".join(cells)
