"""The road: where a car is on it, and what lies before it.

Why it is here.  A car is a point in the plane; drivers, laps, shoulders and rankings need it in the road's own
coordinates: distances to both walls, what is left of the segment, the velocity across the road.  Segments are only
left forwards.  All of it follows the recordings to the last bit, so the order of operations matters.
"""

import math

from ludwin.games.racing.circuit import (
    ANGLE,
    BEHIND,
    COSINE,
    CX,
    CY,
    FINISH,
    GRID_CX,
    GRID_CY,
    LEFT,
    LENGTH,
    LENGTHS,
    RIGHT,
    ROWS,
    SEGMENTS,
    SINE,
    WIDTH,
    X,
    Y,
)
from ludwin.games.racing.tracks import PI


def after(segment, steps):
    """The segment so many places on; after the last comes the first."""
    return (segment + steps) % SEGMENTS


def centre_radius(segment):
    """Radius of the centre line, without its sign; 0 for a straight."""
    return abs(RIGHT[segment] - WIDTH / 2.0) if RIGHT[segment] != 0.0 else 0.0


def wrapped(angle):
    """An angle in (-PI/2, 3 PI/2]: what is left of an arc, or a little past its end."""
    while angle <= -0.5 * PI:
        angle += 2.0 * PI
    while angle > 1.5 * PI:
        angle -= 2.0 * PI
    return angle


def locate(s, p):
    """Write the place of car p in its segment's own coordinates: walls, rest of the segment, velocity across."""
    k = s.segment[p]
    if RIGHT[k] == 0.0:
        dx = s.x[p] - X[k]
        dy = s.y[p] - Y[k]
        across = dy * COSINE[k] - dx * SINE[k]
        s.to_right[p] = across
        s.to_left[p] = WIDTH - across
        s.to_end[p] = LENGTHS[k] - (dx * COSINE[k] + dy * SINE[k])
        s.across[p] = s.vy[p] * COSINE[k] - s.vx[p] * SINE[k]
        s.forward[p] = s.vx[p] * COSINE[k] + s.vy[p] * SINE[k]
    else:
        dx = s.x[p] - CX[k]
        dy = s.y[p] - CY[k]
        radius = max(math.sqrt(dx * dx + dy * dy), 1e-9)
        theta = math.atan2(dy, dx)
        if RIGHT[k] > 0.0:
            s.to_left[p] = radius - LEFT[k]
            s.to_right[p] = WIDTH - s.to_left[p]
            s.to_end[p] = wrapped(ANGLE[k + 1] - theta - 0.5 * PI)
            s.across[p] = (-s.vx[p] * dx - s.vy[p] * dy) / radius
            s.forward[p] = (s.vy[p] * dx - s.vx[p] * dy) / radius
        else:
            s.to_right[p] = radius + RIGHT[k]
            s.to_left[p] = WIDTH - s.to_right[p]
            s.to_end[p] = wrapped(theta - ANGLE[k + 1] - 0.5 * PI)
            s.across[p] = (s.vx[p] * dx + s.vy[p] * dy) / radius
            s.forward[p] = (s.vx[p] * dy - s.vy[p] * dx) / radius


def measure(s, p):
    """Write how far along the centre line car p is from the finish line."""
    k = s.segment[p]
    left = s.to_end[p] if RIGHT[k] == 0.0 else s.to_end[p] * centre_radius(k)
    s.distance[p] = BEHIND[k] - left
    if s.distance[p] < 0.0:
        s.distance[p] += LENGTH


def watch_the_line(s, p):
    """Count a lap at the first look beyond the finish line; the crossing itself is found by going back."""
    if s.segment[p] != 0 or RIGHT[0] != 0.0:
        s.armed[p] = 1
        return
    beyond = LENGTHS[0] - s.to_end[p] - FINISH
    if beyond < 0.0 or s.armed[p] == 0:
        return
    s.armed[p] = 0
    s.crossed[p] = 1
    moment = s.clock
    if s.forward[p] > 0.0:
        moment -= beyond / s.forward[p]
    if s.laps[p] >= 0:
        s.lap_time[p] = moment - s.crossing[p]
    s.crossing[p] = moment
    s.laps[p] += 1


def look(s, p):
    """Observe car p: place, segment, line, direction."""
    s.v[p] = math.sqrt(s.vx[p] * s.vx[p] + s.vy[p] * s.vy[p])
    s.crossed[p] = 0
    locate(s, p)
    watch_the_line(s, p)
    rounds = 0
    while s.to_end[p] <= 0.0 and rounds < SEGMENTS:
        s.segment[p] = after(s.segment[p], 1)
        locate(s, p)
        watch_the_line(s, p)
        rounds += 1
    measure(s, p)
    s.back[p] = 1 if s.forward[p] < 0.0 else 0


def place(s, p, slot):
    """Put car p on the grid: slot 0 is the pole, every row stands 30 feet behind the one before."""
    behind = 10.0 + 30.0 * (slot + slot // ROWS)
    share = WIDTH * (slot % ROWS + 1.0) / (ROWS + 1.0)
    right = share if RIGHT[1] < 0.0 else WIDTH - share
    k = 0
    at = LENGTH - behind - BEHIND[SEGMENTS - 1]
    while at < 0.0:
        k = after(k, SEGMENTS - 1)
        at = LENGTH - behind - (BEHIND[k - 1] if k > 0 else -FINISH)
    if RIGHT[k] == 0.0:
        direction = ANGLE[k]
        s.x[p] = X[k] + at * COSINE[k] - right * SINE[k]
        s.y[p] = Y[k] + at * SINE[k] + right * COSINE[k]
    else:
        turn = (BEHIND[k] - (LENGTH - behind)) / centre_radius(k)
        direction = ANGLE[k + 1] - turn if RIGHT[k] > 0.0 else ANGLE[k + 1] + turn
        s.x[p] = GRID_CX[k] + (RIGHT[k] - right) * math.sin(direction)
        s.y[p] = GRID_CY[k] - (RIGHT[k] - right) * math.cos(direction)
    s.segment[p] = k
    s.vx[p] = 20.0 * math.cos(direction)
    s.vy[p] = 20.0 * math.sin(direction)
    s.heading[p] = direction
