"""The car: tyres that slip, an engine of limited power, air, fuel, and what leaving the road costs.

Why it is here.  The whole physics of one car for one step, as plain functions of numbers.  A driver sets the angle
between the car's body and its velocity, and the speed of the wheels' surface; the slip between wheel and road makes
the force.  Constants and order of operations are those of the recordings.

The limiter of power is R. P. Brent's zero finder (Algorithms for Minimization without Derivatives, 1973, chapter 4),
stopped early: its last point, not the root, is what the car gets.
"""

import math

SURFACE = 1
POWER = 100000.0  # ft lb/s
if SURFACE not in (0, 1, 2):
    raise ValueError(f"surface must be 0, 1 or 2, got {SURFACE}")
if not 1.0 <= POWER <= 1e9:
    raise ValueError(f"power must be 1 to 1e9 ft lb/s, got {POWER}")
STEP = 0.0549 + 0.0  # seconds
G = 32.2 + 0.0
CAR_MASS = 75.0 + 0.0  # slugs
DRAG = 0.0065 + 0.0
MOST_DAMAGE = 30000 + 0
MOST_FUEL = 150.0 + 0.0
BURNT = 0.45e-6 + 0.0  # pounds of fuel per foot-pound of work
SLIP = 2.0 + 0.0


def grip(slip, softness):
    """Coefficient of friction at a slip speed in ft/s; softness is 2, or drawn from [1.5, 2.5]."""
    if SURFACE == 0:
        return slip / (softness + slip)
    if SURFACE == 1:
        return 1.05 * (1.0 - math.exp(-slip / softness))
    found = 1.8 * (1.0 - math.exp(-slip / softness))
    return found - 0.2 if slip > 20.0 else found


def excess(speed, v, cosine, sine, weight):
    """Power at a wheel speed, less what the limiter aims at."""
    across = -speed * sine
    along = v - speed * cosine
    slip = math.sqrt(across * across + along * along)
    force = weight * grip(slip, SLIP)
    if slip < 0.0001:
        left = 0.0
        ahead = 0.0
    else:
        left = -force * across / slip
        ahead = -force * along / slip
    return abs(speed) * (ahead * cosine + left * sine) - 0.9975 * POWER


def limited(wanted, v, cosine, sine, weight):
    """The wheel speed between rolling and `wanted` that the engine can give: Brent's zero finder, stopped early.

    b is the best point so far, a the one before it, c lies on the other side of the zero.
    """
    a = v * cosine
    b = wanted
    fa = excess(a, v, cosine, sine, weight)
    fb = excess(b, v, cosine, sine, weight)
    c = a
    fc = fa
    step = b - a
    last = step  # the step before the last one: interpolation must be twice as good
    for _ in range(20):
        if abs(fc) < abs(fb):
            a = b
            b = c
            c = a
            fa = fb
            fb = fc
            fc = fa
        tolerance = 2e-8 * abs(b) + 0.003
        half = 0.5 * (c - b)
        if abs(half) <= tolerance or fb == 0.0:
            return b
        p = 0.0
        q = 0.0
        if abs(last) >= tolerance and abs(fa) > abs(fb):
            ratio = fb / fa
            if a == c:  # two points: a secant
                p = 2.0 * half * ratio
                q = 1.0 - ratio
            else:  # three points: inverse quadratic interpolation
                u = fa / fc
                w = fb / fc
                p = ratio * (2.0 * half * u * (u - w) - (b - a) * (w - 1.0))
                q = (u - 1.0) * (w - 1.0) * (ratio - 1.0)
            if p > 0.0:
                q = -q
            else:
                p = -p
        if q != 0.0 and 2.0 * p < 3.0 * half * q - abs(tolerance * q) and p < abs(0.5 * last * q):
            last = step
            step = p / q
        else:
            step = half
            last = half
        a = b
        fa = fb
        if abs(step) > tolerance:
            b += step
        else:
            b += tolerance if half > 0.0 else -tolerance
        fb = excess(b, v, cosine, sine, weight)
        if (fb > 0.0) == (fc > 0.0):
            c = a
            fc = fa
            step = b - a
            last = step
    return b
