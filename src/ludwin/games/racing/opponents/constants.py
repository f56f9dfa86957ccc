"""A driver of numbers: a person's idea of a racing line with its constants left open.

Why it is here.  Whoever has a sensible driver with a dozen constants would not evolve programs but tune the constants:
this is the yardstick that an evolved program must be compared with.  The idea is the school's: outside, inside,
outside; brake so that the next curve can be driven at the speed that its widest line allows.

The text is compiled like a kernel; `genes` are numbers, so that all drivers of this kind share their code.
"""

import math

from ludwin.games.racing.recover import stuck

# What the numbers mean: name, least, most, and the usual one. The usual ones were tuned on nine tracks of ours: `ludwin
# evolve racing-tuned --preset standard --seed 1 --set generations=50 tracks=…` (docs/results/racing.md).
GENES = (
    ("margin inside, ft", 0.0, 30.0, 11.93),
    ("margin outside, ft", 0.0, 30.0, 27.5),
    ("pull of the tyres in curves, ft/s^2", 20.0, 36.0, 30.86),
    ("use of the width for a wider line", 0.0, 1.5, 0.631),
    ("brakes, ft/s^2", 15.0, 45.0, 36.18),
    ("brake so much earlier, ft", -60.0, 80.0, 47.7),
    ("wheel per offset", 0.05, 2.0, 0.0937),
    ("wheel against drift", 0.2, 4.0, 0.3815),
    ("lean in curves", 0.2, 2.0, 1.91),
    ("move outside before a curve, ft", 50.0, 1500.0, 1179.0),
    ("shape of the line in a curve", 0.3, 3.0, 2.287),
    ("lean before a curve, ft", 0.0, 80.0, 73.6),
    ("surplus of the wheels when accelerating, ft/s", 2.0, 60.0, 15.8),
    ("share of braking by the wheels", 0.5, 1.0, 0.945),
)


def wide_speed(radius, length, width, g):
    """The speed that a curve allows on its widest line."""
    if radius == 0.0:
        return 1000.0
    angle = min(length / (abs(radius) + 0.5 * width), 3.1)
    wider = g[3] * max(width - g[0] - g[1], 1.0) / max(1.0 - math.cos(0.5 * angle), 0.02)
    return math.sqrt(g[2] * (abs(radius) + g[0] + min(wider, 3000.0)))


def line_of(view, g):
    """How far from the right wall to be: outside, inside, outside."""
    width = view.width
    bend = view.radius[0]
    if bend != 0.0:
        part = abs(1.0 - 2.0 * view.to_end / max(view.length[0], 1.0))
        share = math.exp(g[10] * math.log(max(part, 0.0001)))
        if view.to_end < 0.5 * view.length[0] and view.radius[1] * bend > 0.0:
            share = 0.0  # the curve goes on: stay inside
        away = g[0] + share * max(width - g[0] - g[1], 0.0)
        return width - away if bend > 0.0 else away
    if view.radius[1] == 0.0:
        return view.to_right
    outside = g[1] if view.radius[1] > 0.0 else width - g[1]
    share = min(max(1.0 - view.to_end / g[9], 0.0), 1.0)
    return view.to_right + share * (outside - view.to_right) if view.to_end > g[9] else outside


def tuned(view, g):
    """Wheel and speed of the driver with the numbers g."""
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    v = view.v
    limit = wide_speed(view.radius[0], view.length[0], view.width, g)
    way = view.to_end - g[5]
    for n in range(1, 4):
        slow = wide_speed(view.radius[n], view.length[n], view.width, g)
        limit = min(limit, math.sqrt(slow * slow + 2.0 * g[4] * max(way, 0.0)))
        way += view.length[n]
    bend = view.radius[0]
    if bend == 0.0 and view.to_end < g[11]:
        bend = view.radius[1]
    lean = 0.0
    if bend != 0.0:
        need = min(v * v / (abs(bend) + 0.5 * view.width) / 32.2, 0.95)
        lean = -2.0 * g[8] * math.log(1.0 - need) / max(v, 20.0)
        lean = lean if bend > 0.0 else -lean
    wheel = g[6] * (line_of(view, g) - view.to_right) / view.width - g[7] * view.across / max(v, 20.0) + lean
    if v > limit:
        return wheel, max(g[13] * v, v - 10.0 - 4.0 * (v - limit))
    return wheel, min(v + g[12], limit + 4.0)
