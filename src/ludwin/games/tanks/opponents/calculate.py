"""The numbers of a robot's code: functions of one or two, and what makes a robot fail.

Why it is here.  A compiled robot must fail where Python would, and with the same reason.
"""

import math

from ludwin.games.tanks.angles import absolute, relative

RADIAN = math.pi / 180
DEGREE = 180 / math.pi
MATHS = ("sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "floor", "ceil", "exp", "log", "trunc", "radians",
         "degrees", "relative", "relative_degrees", "absolute", "absolute_degrees")  # fmt: skip
MATHS2 = ("atan2", "copysign", "fmod")

# Why a robot fails.
FAULTS = ("", "ZeroDivisionError", "no end of it: a robot may take 20000 steps in a turn",
          "ValueError: math domain error", "IndexError: a table is read beyond its end", "it orders nan")  # fmt: skip
BY_ZERO, TOO_LONG, DOMAIN, BEYOND, ORDERS_NAN = range(1, 6)


def maths(m, n, x):
    """A function of one number."""
    if n <= 2:
        if not math.isfinite(x):
            m.fault = DOMAIN
            return 0.0
        if n == 0:
            return math.sin(x)
        return math.cos(x) if n == 1 else math.tan(x)
    if n <= 4:
        if not -1.0 <= x <= 1.0:
            m.fault = DOMAIN
            return 0.0
        return math.asin(x) if n == 3 else math.acos(x)
    if n == 5:
        return math.atan(x)
    if n == 6:
        if not x >= 0.0:
            m.fault = DOMAIN
            return 0.0
        return math.sqrt(x)
    if n <= 8 or n == 11:
        if not abs(x) < 4e18:
            m.fault = DOMAIN
            return 0.0
        if n == 7:
            return 1.0 * math.floor(x)
        return 1.0 * math.ceil(x) if n == 8 else 1.0 * math.trunc(x)
    if n == 9:
        if not x < 709.0:
            m.fault = DOMAIN
            return 0.0
        return math.exp(x)
    if n == 10:
        if not x > 0.0:
            m.fault = DOMAIN
            return 0.0
        return math.log(x)
    return angle(m, n, x)


def angle(m, n, x):
    if n == 12:
        return x * RADIAN
    if n == 13:
        return x * DEGREE
    if not math.isfinite(x):
        m.fault = DOMAIN
        return 0.0
    if n == 14:
        return relative(x)
    if n == 16:
        return absolute(x)
    r = math.fmod(x, 360.0)
    if n == 15:
        if r >= 0.0:
            return r if r < 180.0 else r - 360.0
        return r if r >= -180.0 else r + 360.0
    return r if r >= 0.0 else r + 360.0


def maths2(m, n, x, y):
    """A function of two numbers."""
    if n == 1:
        return math.copysign(x, y)
    if n == 0:
        return math.atan2(x, y)
    if not math.isfinite(x) or y == 0.0:
        m.fault = DOMAIN
        return 0.0
    return math.fmod(x, y)
