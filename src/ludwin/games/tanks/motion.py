"""How a robot turns and drives: rates, speeds, walls and rams.

Why it is here.  This is the part of a turn that every robot has for itself.  Orders are what remains to be done: they
are fields of the state, counted down as they are carried out (`ahead` in pixels; `turn`, `turn_gun` and `turn_radar`
in radians, clockwise).  Order of operations and roundings are those of the original.
"""

import math

from ludwin.games.tanks.angles import PI, QUARTER, absolute, direction, relative, single, snapped
from ludwin.games.tanks.book import (
    ACTIVE,
    AT_ROBOT,
    AT_WALL,
    DEAD,
    HIT_ROBOT,
    HIT_WALL,
    change_energy,
    kill,
    note,
    score_ram,
    score_ram_kill,
    set_energy,
)

TURN_RATE = math.radians(10)
GUN_RATE = math.radians(20)
RADAR_RATE = math.radians(45)
TOP = 8.0 + 0.0  # pixels a turn
GUN_FOR_BODY, RADAR_FOR_GUN, RADAR_FOR_BODY = 1 + 0, 2 + 0, 4 + 0  # bits of `adjust`


def goal(d, top):
    """The fastest speed from which a robot can still stop within d pixels, at most `top`."""
    if d > 1e6:
        return top
    turns = max(1.0, 1.0 * math.ceil((math.sqrt(4.0 * d + 1.0) - 1.0) / 2.0))
    way = (turns / 2.0) * (turns - 1.0) * 2.0
    return min((turns - 1.0) * 2.0 + (d - way) / turns, top)


def towards(v, d, top):
    """The next speed of a robot that has d >= 0 pixels to go."""
    wanted = goal(d, top)
    if v >= 0.0:
        return max(v - 2.0, min(wanted, v + 1.0))
    # Through zero within one turn: what is left of it after braking is used to speed up.
    brake = -v / 2.0
    return max(v - 1.0, min(wanted, v + (min(1.0, brake) * 2.0 + max(0.0, 1.0 - brake))))


def next_speed(v, d, top):
    return -towards(-v, -d, top) if d < 0.0 else towards(v, d, top)


def stopping(v, top):
    """How far a robot rolls that wants to stop."""
    way = 0.0
    v = abs(v)
    while v > 0.0:
        v = towards(v, 0.0, top)
        way += v
    return way


def set_box(s, p):
    s.box_x[p] = single(s.x[p] - 18.0)
    s.box_y[p] = single(s.y[p] - 18.0)


def touch(s, p, q):
    """Whether the boxes of two robots overlap."""
    x = s.box_x[p]
    y = s.box_y[p]
    return s.box_x[q] + 36.0 > x and s.box_y[q] + 36.0 > y and s.box_x[q] < x + 36.0 and s.box_y[q] < y + 36.0


def step_of(left, rate):
    """How much of a turn is done now: all that is left, or what the rate allows."""
    if left > 0.0:
        return left if left < rate else rate
    if left < 0.0:
        return left if left > -rate else -rate
    return 0.0


def turn_body(s, p):
    if s.turn[p] == 0.0:
        return
    rate = min(s.max_turn[p], (0.4 + 0.6 * (1.0 - abs(s.v[p]) / TOP)) * TURN_RATE)
    step = step_of(s.turn[p], rate)
    adjust = int(s.adjust[p])
    s.body[p] += step
    s.gun[p] += step
    s.radar[p] += step
    if adjust & GUN_FOR_BODY:
        s.turn_gun[p] -= step
    if adjust & RADAR_FOR_BODY:
        s.turn_radar[p] -= step
    s.turn[p] = 0.0 if abs(s.turn[p]) < rate else s.turn[p] - step
    s.body[p] = snapped(s.body[p]) if s.turn[p] == 0.0 else absolute(s.body[p])


def turn_gun_and_radar(s, p):
    step = step_of(s.turn_gun[p], GUN_RATE)
    if step != 0.0:
        s.gun[p] += step
        s.radar[p] += step
        if int(s.adjust[p]) & RADAR_FOR_GUN:
            s.turn_radar[p] -= step
        s.turn_gun[p] = 0.0 if abs(s.turn_gun[p]) < GUN_RATE else s.turn_gun[p] - step
    s.gun[p] = absolute(s.gun[p])
    step = step_of(s.turn_radar[p], RADAR_RATE)
    if step != 0.0:
        s.radar[p] += step
        s.turn_radar[p] = 0.0 if abs(s.turn_radar[p]) < RADAR_RATE else s.turn_radar[p] - step
    s.radar[p] = absolute(s.radar[p])


def drive(s, p):
    """One turn of driving. Who cannot stop in time rolls on, stops, and does not come back."""
    d = s.ahead[p]
    if d == 0.0 and s.v[p] == 0.0 and s.overdriving[p] == 0:
        return
    v = next_speed(s.v[p], d, s.max_velocity[p])
    s.v[p] = v
    if abs(v) < 1e-5 and s.overdriving[p] == 1:
        d = 0.0
        s.overdriving[p] = 0
    if d == 0.0 or v == 0.0 or (d > 0.0) == (v > 0.0):
        s.overdriving[p] = 1 if stopping(v, s.max_velocity[p]) > abs(d) else 0
    s.ahead[p] = d - v
    if v != 0.0:
        s.x[p] += v * math.sin(s.body[p])
        s.y[p] += v * math.cos(s.body[p])
        set_box(s, p)


def meet_wall(s, p, width, height, room):
    """Put a robot that left the field back along its heading, to the first wall of west, east, south and north."""
    x = s.x[p]
    y = s.y[p]
    if 18.0 <= x <= width - 18.0 and 18.0 <= y <= height - 18.0:
        return
    body = s.body[p]
    fix_x = 0.0
    fix_y = 0.0
    if x > width - 18.0:
        fix_x = width - 18.0 - x
        bearing = relative(QUARTER - body)
    elif x < 18.0:
        fix_x = 18.0 - x
        bearing = relative(3.0 * PI / 2.0 - body)
    elif y > height - 18.0:
        fix_y = height - 18.0 - y
        bearing = relative(-body)
    else:
        fix_y = 18.0 - y
        bearing = relative(PI - body)
    row = note(s, p, HIT_WALL, p, room)
    s.event_a[row] = bearing
    if math.fmod(body, QUARTER) != 0.0:
        slope = math.tan(body)
        if fix_x == 0.0:
            fix_x = fix_y * slope
        else:
            fix_y = fix_x / slope
    s.x[p] = min(max(x + fix_x, 18.0), width - 18.0)
    s.y[p] = min(max(y + fix_y, 18.0), height - 18.0)
    if s.advanced[p] > 0.0:
        set_energy(s, p, s.energy[p] - max(abs(s.v[p]) / 2.0 - 1.0, 0.0))
    set_box(s, p)
    s.ahead[p] = 0.0
    s.v[p] = 0.0
    s.state[p] = AT_WALL


def ram(s, p, q, robots, room):
    """Robot p, which has just moved, may have run into q. It is put back; its box stays where it would have been."""
    if q == p or s.state[q] == DEAD or not touch(s, p, q):
        return
    angle = direction(s.x[q] - s.x[p], s.y[q] - s.y[p])
    bearing = relative(angle - s.body[p])
    v = s.v[p]
    inside = -QUARTER < bearing < QUARTER
    outside = bearing < -QUARTER or bearing > QUARTER
    if not ((v > 0.0 and inside) or (v < 0.0 and outside)):
        return
    s.collided[p] = 1
    s.ahead[p] = 0.0
    s.v[p] = 0.0
    s.x[p] -= v * math.sin(s.body[p])
    s.y[p] -= v * math.cos(s.body[p])
    score_ram(s, p, q, robots)
    change_energy(s, p, -0.6)
    change_energy(s, q, -0.6)
    if s.energy[q] == 0.0 and s.state[q] != DEAD:
        kill(s, q, room)
        score_ram_kill(s, p, q, robots)
    row = note(s, p, HIT_ROBOT, q, room)
    s.event_a[row] = bearing
    s.event_b[row] = s.energy[q]
    s.event_c[row] = 1.0
    row = note(s, q, HIT_ROBOT, p, room)
    s.event_a[row] = relative(PI + angle - s.body[q])
    s.event_b[row] = s.energy[p]
    s.state[p] = AT_ROBOT


def zap(s, p, room):
    """Inactivity takes a tenth, and whoever has nothing left."""
    if s.energy[p] == 0.0:
        kill(s, p, room)
        return
    s.energy[p] -= 0.1
    if s.energy[p] < 0.1:
        s.energy[p] = 0.0
        s.ahead[p] = 0.0
        s.turn[p] = 0.0


def begin_move(s, p, cooling):
    """Cool the gun, turn and drive."""
    s.state[p] = ACTIVE
    s.heat[p] = max(s.heat[p] - cooling, 0.0)
    if s.collided[p] == 0:
        turn_body(s, p)
    turn_gun_and_radar(s, p)
    drive(s, p)
