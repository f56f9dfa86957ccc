"""Radar: who is seen when it sweeps.

Why it is here.  A sweep is a sector of a circle, from the last turn's direction of the radar to this turn's, about the
robot's new place.  A robot is seen if the ray at the old direction touches its box or the sector overlaps it; a sweep
of no angle is the ray alone.
"""

import math

from ludwin.games.tanks.angles import PI, direction, distance, relative
from ludwin.games.tanks.book import DEAD, SCANNED, note
from ludwin.games.tanks.bullets import crosses

REACH = 1200.0 + 0.0  # pixels


def turned(before, after):
    """By how much the radar has turned, the shorter way round."""
    angle = after - before
    if angle < -PI:
        return 2.0 * PI + angle
    return angle - 2.0 * PI if angle > PI else angle


def sees(x, y, before, angle, left, bottom):
    """Whether a sweep from (x, y), beginning at a direction, finds a box."""
    if crosses(x, y, x + REACH * math.sin(before), y + REACH * math.cos(before), left, bottom):
        return True
    if angle == 0.0:
        return False
    after = before + angle
    if crosses(x, y, x + REACH * math.sin(after), y + REACH * math.cos(after), left, bottom):
        return True
    # A box that neither edge of the sector touches is inside as a whole or not at all, but for the arc: its nearest
    # point tells.
    near_x = min(max(x, left), left + 36.0) - x
    near_y = min(max(y, bottom), bottom + 36.0) - y
    if near_x * near_x + near_y * near_y >= REACH * REACH:
        return False
    way = math.atan2(near_x, near_y) - before
    if angle > 0.0:
        return way - 2.0 * PI * math.floor(way / (2.0 * PI)) < angle
    return -way - 2.0 * PI * math.floor(-way / (2.0 * PI)) < -angle


def scan(s, p, q, room):
    """Tell robot p of robot q if it sees it."""
    if q == p or s.state[q] == DEAD:
        return
    before = s.before_radar[p]
    if sees(s.x[p], s.y[p], before, turned(before, s.radar[p]), s.box_x[q], s.box_y[q]):
        dx = s.x[q] - s.x[p]
        dy = s.y[q] - s.y[p]
        row = note(s, p, SCANNED, q, room)
        s.event_a[row] = relative(direction(dx, dy) - s.body[p])
        s.event_b[row] = distance(dx, dy)
        s.event_c[row] = s.body[q]
        s.event_d[row] = s.v[q]
        s.event_e[row] = s.energy[q]
