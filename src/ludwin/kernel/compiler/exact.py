"""Arithmetic that the machine does not have, written in the language that the compiler compiles.

Why it is here.  CPython's `//` and `%` of floats, its division of large whole numbers and its integer power and root
are algorithms, not instructions.  Here they are, as kernel text: the compiler brings in those that a text needs.  They
are tested against CPython itself.  What can go wrong (a negative exponent, an overflow) is the caller's to say, on the
author's line.
"""

import math

from ludwin.primitives import add, mul, shl, shr


def c_fmod(x: float, y: float) -> float:
    """Stand for the C library's fmod."""
    return math.fmod(x, y)


def integer_power(base: int, exponent: int) -> int:
    """Return base ** exponent by squaring; the exponent is not negative."""
    result = 1
    factor = base
    left = exponent
    while left > 0:
        if left & 1:
            result = result * factor
        left = left >> 1
        if left > 0:
            factor = factor * factor
    return result


def float_remainder(x: float, y: float) -> float:
    """Return x % y: the remainder has the sign of y."""
    rest = c_fmod(x, y)
    if rest != 0.0:
        if (y < 0.0) != (rest < 0.0):
            rest = rest + y
    else:
        rest = math.copysign(0.0, y)
    return rest


def float_floor(x: float, y: float) -> float:
    """Return x // y, rounded as CPython rounds it: from the remainder, not from the quotient."""
    rest = c_fmod(x, y)
    quotient = (x - rest) / y
    if rest != 0.0 and (y < 0.0) != (rest < 0.0):
        quotient = quotient - 1.0
    if quotient == 0.0:
        return math.copysign(0.0, x / y)
    floor = c_floor(quotient)
    if quotient - floor > 0.5:
        floor = floor + 1.0
    return floor


def c_floor(x: float) -> float:
    """Stand for the machine's floor, which gives a float."""
    return float(math.floor(x))


def unsigned_less(a: int, b: int) -> bool:
    """Compare bit patterns as numbers without a sign."""
    return (a ^ -0x8000000000000000) < (b ^ -0x8000000000000000)


def divide_large(a: int, b: int) -> float:
    """Return a / b rounded once: 55 bits of the quotient by long division, and one more that says whether a rest is
    left.

    A float has 53 bits, so the two last of 55 decide the rounding as infinitely many would.
    """
    negative = (a < 0) != (b < 0)
    above = a if a >= 0 else mul(a, -1)  # as patterns without a sign: 2**63 is its own negative
    below = b if b >= 0 else mul(b, -1)
    if above == 0:
        return -0.0 if negative else 0.0
    # Step 1. The whole part; patterns of 2**63 need care, since they look negative.
    quotient = 0
    rest = 0
    for k in range(64):
        bit = shr(above, 63 - k) & 1
        carry = shr(rest, 63)
        rest = add(shl(rest, 1), bit)
        quotient = shl(quotient, 1)
        if carry == 1 or not unsigned_less(rest, below):
            rest = add(rest, mul(below, -1))
            quotient = quotient | 1
    # Step 2. More bits until there are 55; how often is the exponent.
    scale = 0
    while unsigned_less(quotient, 1 << 54):
        carry = shr(rest, 63)
        rest = shl(rest, 1)
        quotient = shl(quotient, 1)
        scale += 1
        if carry == 1 or not unsigned_less(rest, below):
            rest = add(rest, mul(below, -1))
            quotient = quotient | 1
    # Step 3. A quotient of 64 bits is made shorter; what is lost is remembered in the last bit.
    if quotient < 0:
        lost = quotient & 1
        quotient = shr(quotient, 1) | lost
        scale -= 1
    if rest != 0:
        quotient = quotient | 1
    result = float(quotient)
    while scale > 0:
        result = result * 0.5
        scale -= 1
    while scale < 0:
        result = result * 2.0
        scale += 1
    return -result if negative else result


def greatest_divisor(a: int, b: int) -> int:
    """Return the greatest common divisor, never negative (2**63, which does not fit, wraps or is a fault)."""
    x = a
    y = b
    while y != 0:
        rest = 0 if y == -1 else x % y
        x = y
        y = rest
    return -x if x < 0 else x


def integer_root(n: int) -> int:
    """Return the whole part of the square root: a float's guess, put right."""
    guess = int(math.sqrt(float(n)))
    while guess > 3037000499 or guess * guess > n:
        guess -= 1
    while guess < 3037000499 and (guess + 1) * (guess + 1) <= n:
        guess += 1
    return guess
