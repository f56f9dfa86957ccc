"""Logarithm, exponential, sine and cosine as one text, the same bits on every machine.

Why it is here.  The C library's exp, sin, cos and pow differ in the last bit between its versions, and between
processors with and without fused multiply-add, so a game that calls them may go another way on another machine.  These
functions are sums and products of doubles alone, in a fixed order, which IEEE 754 rounds in one way; CPython executes
this text, and the compiler compiles it.  They carry about 100 bits (two doubles to a number) and round once at the end,
so they are correctly rounded but for arguments that nobody will meet by chance (less than one in 10**12).

What it costs: 0.3 to 0.4 microseconds a call, 50 to 130 times the C library's (docs/results/cluster.md).  So
`math.exp` stays what it was,
and a game says which one it wants by where it imports the name from.

How.  exp: multiples of ln 2 are taken off, the rest is divided by 256, a Taylor series, squared eight times.  log: a
series of atanh to 50 bits, then one step of Newton's by exp.  sin and cos: multiples of pi/2 are taken off, with 212
bits of pi, then a Taylor series; beyond 2**30 that is too little, and the C library answers.

References.  T. J. Dekker, "A floating-point technique for extending the available precision", Numer. Math. 18 (1971);
J.-M. Muller, Elementary Functions, 3rd ed. (2016).
"""

import math

SPLITTER = 134217729.0  # 2**27 + 1: cuts a double into halves of 26 bits
HUGE = 1e308
LN2 = (
    0.6931471805592082,
    7.371002565167799e-13,
    1.94704509238075e-31,
)  # the first has 40 bits, so that multiples are exact
PER_LN2 = 1.4426950408889634
HALF_PI = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33, 5.562271104316826e-50)
PER_HALF_PI = 0.6366197723675814
FARTHEST = 1073741824.0  # 2**30
EXP = (
    (2.7557319223985893e-06, -1.858393274046472e-22),
    (2.48015873015873e-05, 2.1511947866775882e-23),
    (0.0001984126984126984, 1.7209558293420705e-22),
    (0.001388888888888889, -5.300543954373577e-20),
    (0.008333333333333333, 1.1564823173178714e-19),
    (0.041666666666666664, 2.3129646346357427e-18),
    (0.16666666666666666, 9.25185853854297e-18),
    (0.5, 0.0),
    (1.0, 0.0),
)
SIN = (
    (1.1309962886447716e-31, 1.0498015412959506e-47),
    (-9.183689863795546e-29, -1.4303150396787322e-45),
    (6.446950284384474e-26, -1.9330404233703465e-42),
    (-3.868170170630684e-23, 8.843177655482344e-40),
    (1.9572941063391263e-20, -1.3643503830087908e-36),
    (-8.22063524662433e-18, -2.2141894119604265e-34),
    (2.8114572543455206e-15, 1.6508842730861433e-31),
    (-7.647163731819816e-13, -7.03872877733453e-30),
    (1.6059043836821613e-10, 1.2585294588752098e-26),
    (-2.505210838544172e-08, 1.448814070935912e-24),
    (2.7557319223985893e-06, -1.858393274046472e-22),
    (-0.0001984126984126984, -1.7209558293420705e-22),
    (0.008333333333333333, 1.1564823173178714e-19),
    (-0.16666666666666666, -9.25185853854297e-18),
)
COS = (
    (3.279889237069838e-30, 1.5117542744029879e-46),
    (-2.4795962632247976e-27, 1.2953730964765229e-43),
    (1.6117375710961184e-24, -3.6846573564509766e-41),
    (-8.896791392450574e-22, 7.911402614872376e-38),
    (4.110317623312165e-19, 1.4412973378659527e-36),
    (-1.5619206968586225e-16, -1.1910679660273754e-32),
    (4.779477332387385e-14, 4.399205485834081e-31),
    (-1.1470745597729725e-11, -2.0655512752830745e-28),
    (2.08767569878681e-09, -1.20734505911326e-25),
    (-2.755731922398589e-07, -2.3767714622250297e-23),
    (2.48015873015873e-05, 2.1511947866775882e-23),
    (-0.001388888888888889, 5.300543954373577e-20),
    (0.041666666666666664, 2.3129646346357427e-18),
    (-0.5, 0.0),
)


# ---- Two doubles to a number ------------------------------------------------------------------------------------


def fast_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b exactly, as two numbers; a is not the smaller one."""
    s = a + b
    return s, b - (s - a)


def exact_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b exactly, as two numbers."""
    s = a + b
    t = s - a
    return s, (a - (s - t)) + (b - t)


def exact_product(a: float, b: float) -> tuple[float, float]:
    """Return a * b exactly, as two numbers (Dekker)."""
    p = a * b
    t = SPLITTER * a
    a1 = t - (t - a)
    a2 = a - a1
    t = SPLITTER * b
    b1 = t - (t - b)
    b2 = b - b1
    return p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2


def pair_product(a: float, al: float, b: float, bl: float) -> tuple[float, float]:
    """Return the product of two pairs."""
    p, e = exact_product(a, b)
    return fast_sum(p, e + (a * bl + al * b))


def pair_sum(a: float, al: float, b: float, bl: float) -> tuple[float, float]:
    """Return the sum of two pairs."""
    s, e = exact_sum(a, b)
    t, f = exact_sum(al, bl)
    s, e = fast_sum(s, e + t)
    return fast_sum(s, e + f)


def power_of_two(k: int) -> float:
    """Return 2**k; 0 below and infinity above what a float can be."""
    found = 1.0
    factor = 2.0
    left = k
    if k < 0:
        factor = 0.5
        left = -k
    while left > 0:
        if left & 1 == 1:
            found = found * factor
        factor = factor * factor
        left = left >> 1
    return found


def scaled(h: float, low: float, k: int) -> float:
    """Return (h + low) * 2**k, rounded once, also where floats have fewer bits; h is between 1/4 and 4."""
    if k > 1000:
        return (h + low) * power_of_two(1000) * power_of_two(k - 1000)
    if k >= -1018:
        return (h + low) * power_of_two(k)
    if k < -1080:
        return 0.0
    grid = power_of_two(-1022 - k)  # its last bit stands where the last bit of a small float will
    s, e = exact_sum(grid, h)
    return ((s + (e + low)) - grid) * power_of_two(k + 500) * power_of_two(-500)


# ---- Exponential ------------------------------------------------------------------------------------------------


def grown(r: float, rl: float) -> tuple[float, float]:
    """Return exp(r) - 1 of a pair below 0.35, with as many bits where r is small."""
    a = r * 0.00390625
    al = rl * 0.00390625
    s, e = EXP[0][0], EXP[0][1]
    for k in range(1, 9):
        s, e = pair_product(s, e, a, al)
        s, e = pair_sum(s, e, EXP[k][0], EXP[k][1])
    s, e = pair_product(s, e, a, al)
    for _ in range(8):  # (1 + s)**2 - 1 = 2 s + s*s
        t, f = pair_product(s, e, s, e)
        s, e = pair_sum(2.0 * s, 2.0 * e, t, f)
    return s, e


def exp_of_pair(x: float, xl: float) -> float:
    """Return exp of a pair, rounded once; infinity and 0 beyond what a float can be."""
    if x > 709.79:
        return HUGE * HUGE
    if x < -745.2:
        return 0.0
    k = math.floor(x * PER_LN2 + 0.5)
    n = float(k)
    r, e = exact_sum(x - n * LN2[0], xl)  # both exact
    p, q = exact_product(n, LN2[1])
    r, e = pair_sum(r, e, -p, -q - n * LN2[2])
    s, e = grown(r, e)
    s, e = pair_sum(1.0, 0.0, s, e)
    return scaled(s, e, k)


def portable_exp(x: float) -> float:
    """Return e to the x."""
    if x != x:
        return x
    return exp_of_pair(x, 0.0)


# ---- Logarithm --------------------------------------------------------------------------------------------------


def log_pair(x: float) -> tuple[float, float]:
    """Return the natural logarithm of a positive finite number as a pair."""
    # Step 1. x = m * 2**k with m near 1.
    m = x
    k = 0
    if m < 2.2250738585072014e-308:
        m = m * 18014398509481984.0
        k = -54
    for b in range(9, -1, -1):
        step = 1 << b
        if m >= power_of_two(step):
            m = m * power_of_two(-step)
            k = k + step
        elif m < power_of_two(1 - step):
            m = m * power_of_two(step)
            k = k - step
    if m > 1.4142135623730951:
        m = m * 0.5
        k = k + 1
    # Step 2. A first guess by atanh: 50 bits.
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    tail = 0.0
    for i in range(13, 0, -1):
        tail = z * (1.0 / (2.0 * i + 1.0) + tail)
    y = 2.0 * (s + s * tail)
    # Step 3. m exp(-y) = 1 + d, and log(1 + d) = d - d*d/2: the first guess has no part in the result.
    g, gl = grown(-y, 0.0)
    g, gl = pair_product(g, gl, m, 0.0)
    d, dl = pair_sum(g, gl, m - 1.0, 0.0)
    found, low = pair_sum(y, 0.0, d, dl - 0.5 * d * d)
    # Step 4. The powers of two.
    if k == 0:
        return found, low
    n = float(k)
    p, q = exact_product(n, LN2[1])
    p, q = pair_sum(p, q, n * LN2[2], 0.0)
    p, q = pair_sum(n * LN2[0], 0.0, p, q)
    return pair_sum(p, q, found, low)


def portable_log(x: float) -> float:
    """Return the natural logarithm; nan below 0, -infinity at 0."""
    if x != x or x > 1.7976931348623157e308:
        return x
    if x <= 0.0:
        return -(HUGE * HUGE) if x == 0.0 else HUGE * HUGE - HUGE * HUGE
    h, low = log_pair(x)
    return h + low


# ---- Sine and cosine --------------------------------------------------------------------------------------------


def turned(x: float, quarters: int) -> float:
    """Return the sine of x plus so many quarter turns; x is at most 2**30."""
    k = math.floor(x * PER_HALF_PI + 0.5)
    n = -float(k)
    r = x
    e = 0.0
    for i in range(4):
        p, q = exact_product(n, HALF_PI[i])
        r, e = pair_sum(r, e, p, 0.0)
        r, e = pair_sum(r, e, q, 0.0)
    z, zl = pair_product(r, e, r, e)
    turn = (k + quarters) & 3
    if turn & 1 == 0:
        s, t = SIN[0][0], SIN[0][1]
        for i in range(1, 14):
            s, t = pair_product(s, t, z, zl)
            s, t = pair_sum(s, t, SIN[i][0], SIN[i][1])
        s, t = pair_product(s, t, z, zl)
        s, t = pair_product(s, t, r, e)
        s, t = pair_sum(r, e, s, t)
    else:
        s, t = COS[0][0], COS[0][1]
        for i in range(1, 14):
            s, t = pair_product(s, t, z, zl)
            s, t = pair_sum(s, t, COS[i][0], COS[i][1])
        s, t = pair_product(s, t, z, zl)
        s, t = pair_sum(1.0, 0.0, s, t)
    return -(s + t) if turn & 2 == 2 else s + t


def portable_sin(x: float) -> float:
    """Return the sine; beyond 2**30 as the C library has it."""
    if x < 1e-8 and x > -1e-8:
        if x < 1e-150 and x > -1e-150:
            return x
        return x - x * x * x / 6.0
    if x > FARTHEST or x < -FARTHEST or x != x:
        return math.sin(x)
    return turned(x, 0)


def portable_cos(x: float) -> float:
    """Return the cosine; beyond 2**30 as the C library has it."""
    if x > FARTHEST or x < -FARTHEST or x != x:
        return math.cos(x)
    return turned(x, 1)
