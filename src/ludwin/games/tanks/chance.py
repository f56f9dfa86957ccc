"""The generator of tanks: the original's, draw by draw.

Why it is here.  In the original one generator, seeded once for a battle, places the robots and says in which order
robots and bullets have their turn.  Whoever draws as often as it does plays the same battle.  So also shuffles whose
order does not matter are drawn, though not carried out.

The generator is linear congruential with 48 bits (D. Lehmer 1949; the constants are those of drand48): a step is
25214903917 s + 11 modulo 2**48, and the uppermost bits are used.
"""

from ludwin.primitives import add, mul

STEP = 25214903917 + 0
MASK = 281474976710655 + 0  # 48 bits
HALF = 2147483648 + 0  # 2**31


def start_generator(s, n):
    s.generator = (n ^ STEP) & MASK


def advance(s):
    s.generator = add(mul(s.generator, STEP), 11) & MASK
    return s.generator


def draw_unit(s):
    """A number in [0, 1), of 26 and 27 bits."""
    high = advance(s) >> 22
    return (high * 134217728 + (advance(s) >> 21)) * 1.1102230246251565e-16  # 2**-53


def draw_below(s, n):
    """A whole number below n; numbers that would make it uneven are drawn again."""
    u = advance(s) >> 17
    if n & (n - 1) == 0:
        return (n * u) >> 31
    while u - u % n + n - 1 >= HALF:
        u = advance(s) >> 17
    return u % n


def shuffle(s, order, n):
    """Put the first n cells of an array into random order, from the last one down."""
    for i in range(n, 1, -1):
        k = draw_below(s, i)
        other = order[i - 1]
        order[i - 1] = order[k]
        order[k] = other


def pass_shuffle(s, n):
    """Draw as a shuffle of n does."""
    g = s.generator
    for i in range(n, 1, -1):
        g = add(mul(g, STEP), 11) & MASK
        u = g >> 17
        if u > HALF - i and i & (i - 1) != 0:
            while u - u % i + i - 1 >= HALF:
                g = add(mul(g, STEP), 11) & MASK
                u = g >> 17
    s.generator = g
