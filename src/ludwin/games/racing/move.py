"""One step of one car: what the driver wants, what the engine and the tyres make of it, and where the car goes.

Why it is here.  The order of operations of a step is the heart of the recordings: everything is computed from the
state before the step, and place and velocity go on by the two-step Adams predictor with zeros for its memory.
"""

import math

from ludwin.games.racing.car import BURNT, CAR_MASS, DRAG, MOST_DAMAGE, POWER, SLIP, STEP, G, grip, limited
from ludwin.games.racing.circuit import WIDTH
from ludwin.primitives import add, mul, shr

TURN = 3.2 * STEP  # the wheel turns no faster, radians per step


def draw_traction(s):
    """The next number of the tracks' own generator, 0 ... 32767."""
    s.traction = add(mul(s.traction, 22695477), 1) & 0xFFFFFFFF
    return shr(s.traction, 16) & 0x7FFF


def draft(s, p, cars):
    """The part of the air's resistance that is left to car p behind others."""
    factor = 1.0
    for q in range(cars):
        if q != p and s.out[q] == 0:
            gap = s.distance[q] - s.distance[p]
            aside = abs(s.to_right[q] - s.to_right[p])
            if gap >= 20.0 and gap <= s.v[q] and aside <= 10.0:
                factor *= 1.0 - (1.0 - gap / s.v[q]) * (1.0 - aside / 10.0)
    return factor


def steer(s, p):
    """What the wheel does: the driver's angle, its rate limited, then the angle itself."""
    turn = s.wheel[p] - s.limited_wheel[p]
    angle = s.wheel[p]
    if turn > TURN:
        angle = s.limited_wheel[p] + TURN
    elif turn < -TURN:
        angle = s.limited_wheel[p] - TURN
    if angle > 1.0:
        angle = 1.0
    elif angle < -1.0:
        angle = -1.0
    s.limited_wheel[p] = angle
    return angle


def leave(s, p):
    """Car p is out of the race: it comes to rest beside the road, for good."""
    if s.v[p] > 0.0:
        s.x[p] += s.vx[p] * (16.0 / s.v[p])
        s.y[p] += s.vy[p] * (16.0 / s.v[p])
    s.vx[p] = 0.0
    s.vy[p] = 0.0
    s.out[p] = 1


def move(s, p, cars, random):
    """Move car p by one step."""
    off = s.to_left[p] < 0.0 or s.to_right[p] < 0.0
    v = s.v[p]
    # Step 1. The driver's wishes, or the engine's where the car is finished.
    if s.damage[p] > MOST_DAMAGE or s.fuel[p] <= 0.0:
        if off:
            leave(s, p)
            return
        drift = s.across[p] / v if v > 0.0 else 0.0
        if v > 36.0:
            alpha = 0.2 * (10.0 - s.to_right[p]) / WIDTH - drift
            wanted = v - 2.0
        else:
            alpha = 0.8 * (-30.0 - s.to_right[p]) / WIDTH - drift
            wanted = 35.0
    else:
        alpha = steer(s, p)
        wanted = s.speed[p]
        if wanted < 0.0 and v > 20.0:
            wanted = 0.0
        if s.done[p] == 1 and v > 80.0:
            wanted = 0.95 * v
    # Step 2. Slip, force and power; too much power is cut back once.
    mass = CAR_MASS + s.fuel[p] / G
    weight = mass * G
    sine = math.sin(alpha)
    cosine = math.cos(alpha)
    speed = wanted
    across = 0.0
    slip = 0.0
    left = 0.0
    ahead = 0.0
    power = 0.0
    for attempt in range(2):
        across = -speed * sine
        along = v - speed * cosine
        slip = math.sqrt(across * across + along * along)
        force = weight * grip(slip, SLIP)
        left = 0.0
        ahead = 0.0
        if slip >= 0.0001:
            left = -force * across / slip
            ahead = -force * along / slip
        power = abs(speed) * (ahead * cosine + left * sine)
        if attempt == 0:
            s.power_asked[p] = power / POWER
            if power <= POWER:
                break
            speed = limited(speed, v, cosine, sine, weight)
    s.alpha[p] = alpha
    s.wheel_speed[p] = speed
    s.power[p] = power / POWER
    # Step 3. Resistance of air and grass, random traction, accelerations.
    drag = DRAG * v * v * (MOST_DAMAGE + 2.0 * s.damage[p]) / MOST_DAMAGE * draft(s, p, cars)
    if off:
        drag += (0.6 + 0.008 * v) * mass * G
        if s.to_left[p] < -WIDTH or s.to_right[p] < -WIDTH:
            drag += 1.7 * mass * G
    if random and ahead != 0.0:
        factor = grip(slip, 1.5 + draw_traction(s) / 32767.0) * mass * G / (weight * grip(slip, SLIP))
        left *= factor
        ahead *= factor
    s.left_pull[p] = left / mass
    s.pull[p] = (ahead - drag) / mass
    ax = 0.0
    ay = 0.0
    if v >= 0.0001:
        ex = s.vx[p] / v
        ey = s.vy[p] / v
        ax = s.pull[p] * ex - s.left_pull[p] * ey
        ay = s.pull[p] * ey + s.left_pull[p] * ex
    # Step 4. Damage and fuel; then place and velocity go on together.
    if off:
        s.damage[p] += int((s.pull[p] * s.pull[p] + s.left_pull[p] * s.left_pull[p]) / 50.0)
    if power > 0.0:
        s.fuel[p] -= power * BURNT * STEP
    vx = s.vx[p]
    vy = s.vy[p]
    s.x[p] += (1.5 * vx - 0.5 * s.before_vx[p]) * STEP
    s.y[p] += (1.5 * vy - 0.5 * s.before_vy[p]) * STEP
    s.vx[p] += (1.5 * ax - 0.5 * s.before_ax[p]) * STEP
    s.vy[p] += (1.5 * ay - 0.5 * s.before_ay[p]) * STEP
    s.before_vx[p] = vx
    s.before_vy[p] = vy
    s.before_ax[p] = ax
    s.before_ay[p] = ay
    if v >= 0.0001:
        s.heading[p] = math.atan2(s.vy[p], s.vx[p])
