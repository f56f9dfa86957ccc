"""Angles and distances as the original computes them, to the last bit.

Why it is here.  0 is north, and angles grow clockwise.  Sample robots compare angles with exactly 0, so an arctangent
whose last bit is another leads to another battle.  The original takes arctangent and hypotenuse from fdlibm ("freely
distributable libm", Sun Microsystems 1993): these follow its reductions and use its coefficients.  Sine and cosine
are the machine's.  Boxes of robots are kept there in single precision.
"""

import math

from ludwin.primitives import bits, unbits

PI = math.pi + 0.0
TWO_PI = 2 * math.pi
QUARTER = math.pi / 2
NEAR = 1e-5 + 0.0  # radians within which a heading that has come to rest snaps to a multiple of 90 degrees
HIGH_ATAN = (4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01, QUARTER)
LOW_ATAN = (
    2.26987774529616870924e-17,
    3.06161699786838301793e-17,
    1.39033110312309984516e-17,
    6.12323399573676603587e-17,
)
ODD = (3.33333333333329318027e-01, 1.42857142725034663711e-01, 9.09088713343650656196e-02,
       6.66107313738753120669e-02, 4.97687799461593236017e-02, 1.62858201153657823623e-02)  # fmt: skip
EVEN = (-1.99999999998764832476e-01, -1.11111104054623557880e-01, -7.69187620504482999495e-02,
        -5.83357013379057348645e-02, -3.65315727442169155270e-02)  # fmt: skip
LOW_PI = 1.2246467991473531772e-16 + 0.0
HIGH_WORD = -4294967296 + 0  # the upper 32 bits


def absolute(a):
    """An angle in [0, 2 pi)."""
    if 0.0 <= a < TWO_PI:
        return a
    r = math.fmod(a, TWO_PI)
    return r if r >= 0.0 else r + TWO_PI


def relative(a):
    """An angle in [-pi, pi)."""
    r = a if -TWO_PI < a < TWO_PI else math.fmod(a, TWO_PI)
    if r >= 0.0:
        return r if r < PI else r - TWO_PI
    return r if r >= -PI else r + TWO_PI


def snapped(a):
    """An angle in [0, 2 pi), put right if it is very near to a multiple of 90 degrees."""
    r = absolute(a)
    if abs(r) < NEAR:
        return 0.0
    if abs(r - QUARTER) < NEAR:
        return QUARTER
    if abs(r - PI) < NEAR:
        return PI
    if abs(r - 3.0 * PI / 2.0) < NEAR:
        return 3.0 * PI / 2.0
    return 0.0 if abs(r - TWO_PI) < NEAR else r


def single(x):
    """A number as single precision keeps it: 24 bits, rounded to even."""
    b = bits(x)
    return unbits((b + 268435455 + ((b >> 29) & 1)) & -536870912)


def arctangent(x):
    """The arctangent of a number that is not negative."""
    if x >= 7.378697629483821e19:  # 2**66
        return HIGH_ATAN[3] + LOW_ATAN[3]
    part = -1
    if x < 0.4375:
        if x < 1.862645149230957e-09:  # 2**-29
            return x
    elif x < 0.6875:
        part = 0
        x = (2.0 * x - 1.0) / (2.0 + x)
    elif x < 1.1875:
        part = 1
        x = (x - 1.0) / (x + 1.0)
    elif x < 2.4375:
        part = 2
        x = (x - 1.5) / (1.0 + 1.5 * x)
    else:
        part = 3
        x = -1.0 / x
    z = x * x
    w = z * z
    odd = z * (ODD[0] + w * (ODD[1] + w * (ODD[2] + w * (ODD[3] + w * (ODD[4] + w * ODD[5])))))
    even = w * (EVEN[0] + w * (EVEN[1] + w * (EVEN[2] + w * (EVEN[3] + w * EVEN[4]))))
    if part < 0:
        return x - x * (odd + even)
    return HIGH_ATAN[part] - ((x * (odd + even) - LOW_ATAN[part]) - x)


def direction(dx, dy):
    """The angle, clockwise from north, of the way to a point that lies so far east and north: atan2(dx, dy)."""
    if dx == 0.0:
        return 0.0 if dy >= 0.0 else PI
    if dy == 0.0:
        return QUARTER if dx > 0.0 else -QUARTER
    steps = (bits(abs(dx)) >> 52) - (bits(abs(dy)) >> 52)
    if steps > 60:
        z = QUARTER + 0.5 * LOW_PI
    elif dy < 0.0 and steps < -60:
        z = 0.0
    else:
        z = arctangent(abs(dx / dy))
    if dy > 0.0:
        return z if dx > 0.0 else -z
    return PI - (z - LOW_PI) if dx > 0.0 else (z - LOW_PI) - PI


def high(x):
    """A number without its lower 32 bits."""
    return unbits(bits(x) & HIGH_WORD)


def distance(dx, dy):
    """The hypotenuse."""
    a = max(abs(dx), abs(dy))
    b = min(abs(dx), abs(dy))
    if (bits(a) >> 52) - (bits(b) >> 52) > 60:
        return a + b
    w = a - b
    if w > b:
        t = high(a)
        return math.sqrt(t * t - (b * -b - (a - t) * (a + t)))
    a = a + a
    y = high(b)
    t = high(a)
    return math.sqrt(t * y - (w * -w - (t * (b - y) + (a - t) * b)))
