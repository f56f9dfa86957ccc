"""Drivers that come with the world: the yardsticks of the specification and two better ones.

Why it is here.  An evolved driver must be compared with what a person writes in an afternoon.  Each is one function of
what the driver sees; `own:driver=apex` races it.  They read the road by its segments and know nothing of the track
as a whole.

All of them steer as a PD controller: towards a wanted distance from the right wall, against the drift, plus the lean
that a curve needs.  They differ in where they want to be and how fast they dare to go.
"""

import math

from ludwin.games.racing.recover import stuck

BRAKING = 30.0 + 0.0  # ft/s^2 that one can count on
GRIP = 32.2 * 0.97  # sideways, ft/s^2


def curve_speed(radius, width, spare):
    """The speed that the tyres hold in a curve whose inner wall has this radius, `spare` feet outside of it."""
    if radius == 0.0:
        return 1000.0
    return math.sqrt(GRIP * (abs(radius) + min(spare, width)))


def braking_speed(slow, way):
    """From which speed one can still brake to `slow` on this way."""
    return math.sqrt(slow * slow + 2.0 * BRAKING * max(way, 0.0))


def lean(radius, v, width):
    """The angle of the body that makes the tyres pull inwards as much as the curve needs."""
    if radius == 0.0:
        return 0.0
    need = v * v / (abs(radius) + width / 2.0) / GRIP
    angle = -math.log(1.0 - min(need, 0.95)) * 2.0 / max(v, 20.0)
    return angle if radius > 0.0 else -angle


def steer(view, wanted, gain):
    """The wheel: towards `wanted` feet from the right wall, against the drift, and with the curve."""
    aim = gain * (wanted - view.to_right) / view.width
    return aim - 1.2 * view.across / max(view.v, 20.0) + lean(view.radius[0], view.v, view.width)


def pedal(view, wanted):
    """The wheels' speed: full power below the wanted speed, brakes well above it."""
    if view.v > wanted + 2.0:
        return max(view.v - 8.0, wanted - 6.0) if view.v < wanted + 12.0 else wanted * 0.9
    return view.v + 30.0 if view.v < wanted - 3.0 else 0.5 * (view.v + wanted) + 1.0


def safe_speed(view, segments, spare):
    """The least of what this segment and the next ones allow, so that one can brake for each in time."""
    speed = curve_speed(view.radius[0], view.width, spare)
    way = view.to_end
    for n in range(1, segments):
        speed = min(speed, braking_speed(curve_speed(view.radius[n], view.width, spare), way - 5.0))
        way += view.length[n]
    return speed


def control_lane(view):
    """Lane: keep the middle, brake for the next curve."""
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    return steer(view, view.width / 2.0, 0.5), pedal(view, safe_speed(view, 2, 15.0))


def control_cautious(view):
    """Cautious: the middle at a speed that never slides; it finishes where others do not."""
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    return steer(view, view.width / 2.0, 0.4), pedal(view, 0.85 * safe_speed(view, 4, 10.0))


def control_lookahead(view):
    """Lookahead: the middle, at the least speed that the next three segments allow."""
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    return steer(view, view.width / 2.0, 0.5), pedal(view, safe_speed(view, 4, 15.0))


def control_apex(view):
    """Apex: the outer edge before a curve, the inner edge in it."""
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    wanted = view.width / 2.0
    if view.radius[0] > 0.0:
        wanted = view.width - 12.0
    elif view.radius[0] < 0.0:
        wanted = 12.0
    elif view.to_end < 400.0:
        wanted = 15.0 if view.radius[1] > 0.0 else view.width - 15.0
    return steer(view, wanted, 0.6), pedal(view, safe_speed(view, 4, 20.0))


def control_crash(view):
    """Time to crash: the speed follows the way that is free ahead, the wheel the shoulder's angle there."""
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    free = 400.0 * view.AH
    turn = view.AA * min(1.0, 90.0 / max(free, 1.0)) * 0.35 - 0.4 * view.across / max(view.v, 20.0)
    return turn, pedal(view, math.sqrt(55.0 * 55.0 + 2.0 * BRAKING * max(free - 90.0, 0.0)))
