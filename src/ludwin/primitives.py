"""The words that rules may use beyond plain Python: bits, wrapped arithmetic, chance.

Why it is here.  A game file is compiled to 64-bit machine integers, but Python's integers have no
end.  Where a rule wants the machine's meaning (a board of 64 squares as a bit pattern, a hash that
wraps round), it says so with one of these functions, and then means the same in every mode.  Here
is the plain Python meaning; `ludwin.kernel.native` holds the compiled twins, and a test compares
the two on random and extreme arguments.

Integers are two's complement: bit 63 is the sign, so a full board is -1 and `shl(1, 63)` is the
smallest integer.  `&`, `|`, `^` and `~` need no help: Python agrees with the machine there.

References.  G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014 (the generator behind `draw`, known as splitmix64).
"""

import math
import struct
from collections.abc import MutableSequence

from ludwin.elementary import portable_cos, portable_exp, portable_log, portable_sin

# what rules may use; `stream` is for programs outside the rules
__all__ = [
    "CHANCE",
    "add",
    "bits",
    "clear_lsb",
    "cos",
    "draw",
    "exp",
    "log",
    "lsb",
    "mix",
    "mul",
    "popcount",
    "power",
    "shl",
    "shr",
    "sin",
    "stream",
    "unbits",
    "uniform",
]

CHANCE = -1  # what `mover` returns when nature moves

_MASK = (1 << 64) - 1
_SIGN = 1 << 63
_GOLDEN = 0x9E3779B97F4A7C15  # 2**64 / golden ratio, the step of splitmix64


def _signed(x: int) -> int:
    x &= _MASK
    return x - (1 << 64) if x & _SIGN else x


def shl(x: int, n: int) -> int:
    """Shift `x` left by `n` modulo 64; bits that leave at the top are lost.

    >>> shl(1, 63) == -(2**63), shl(3, 63) == -(2**63), shl(1, 64)
    (True, True, 1)
    """
    return _signed(x << (n & 63))


def shr(x: int, n: int) -> int:
    """Shift the bit pattern `x` right by `n` modulo 64; zeros enter at the top, also for x < 0.

    >>> shr(-1, 60), shr(8, 2)
    (15, 2)
    """
    return _signed((x & _MASK) >> (n & 63))


def add(x: int, y: int) -> int:
    """Return x + y wrapped to 64 bits, where plain `+` refuses to overflow.

    >>> add(2**63 - 1, 1) == -(2**63)
    True
    """
    return _signed(x + y)


def mul(x: int, y: int) -> int:
    """Return x * y wrapped to 64 bits.

    >>> mul(2**62, 3) == -(2**62)
    True
    """
    return _signed(x * y)


def popcount(x: int) -> int:
    """Count the bits that are set.

    >>> popcount(0b1011), popcount(-1)
    (3, 64)
    """
    return (x & _MASK).bit_count()


def lsb(x: int) -> int:
    """Return the number of the lowest set bit, 64 if there is none.

    >>> lsb(12), lsb(-(2**63)), lsb(0)
    (2, 63, 64)
    """
    return (x & -x).bit_length() - 1 if x else 64


def clear_lsb(x: int) -> int:
    """Return `x` without its lowest set bit: the step of every loop over a bit pattern.

    >>> bin(clear_lsb(0b1100)), clear_lsb(-(2**63)), clear_lsb(0)
    ('0b1000', 0, 0)
    """
    return _signed(x & (x - 1))


def power(x: float, y: float) -> float:
    """Return x to the power y as a float; use it instead of `**` on floats.

    CPython and compiled code round `x ** 2.0` differently in the last bit; this one calls the same library function in
    all modes.

    >>> power(2, 0.5) == 2**0.5
    True
    """
    return math.pow(x, y)


def exp(x: float) -> float:
    """Return e to the x, correctly rounded on every machine; `math.exp` is faster and the C library's.

    >>> exp(1.0), exp(-1000)
    (2.718281828459045, 0.0)
    """
    found = portable_exp(float(x))
    if math.isinf(found) and math.isfinite(x):
        raise OverflowError("math range error")
    return found


def log(x: float) -> float:
    """Return the natural logarithm, correctly rounded on every machine.

    >>> log(10)
    2.302585092994046
    """
    a = float(x)
    if a <= 0.0:
        raise ValueError("math domain error")
    return portable_log(a)


def sin(x: float) -> float:
    """Return the sine, correctly rounded on every machine; beyond 2**30 it is the C library's.

    >>> sin(3)
    0.1411200080598672
    """
    return portable_sin(float(x))


def cos(x: float) -> float:
    """Return the cosine, correctly rounded on every machine; beyond 2**30 it is the C library's.

    >>> cos(3)
    -0.9899924966004454
    """
    return portable_cos(float(x))


def bits(x: float) -> int:
    """Return the 64 bits of a float: sign, 11 of exponent, 52 of fraction.

    >>> hex(bits(1.0)), bits(-0.0) == -(2**63)
    ('0x3ff0000000000000', True)
    """
    return int(struct.unpack("<q", struct.pack("<d", x))[0])


def unbits(n: int) -> float:
    """Return the float that 64 bits are.

    >>> unbits(bits(0.1))
    0.1
    """
    return float(struct.unpack("<d", struct.pack("<q", n))[0])


def _finalise(z: int) -> int:
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def mix(h: int, x: int) -> int:
    """Fold `x` into the hash `h`: start with any number, fold every cell, get 63 good bits.

    >>> mix(0, 1) != mix(1, 0), mix(mix(0, 5), -7) >= 0
    (True, True)
    """
    return _finalise((h * 0x2545F4914F6CDD1D + (x & _MASK) + _GOLDEN) & _MASK) >> 1


def draw(rng: MutableSequence[int], n: int) -> int:
    """Draw one of 0 … n-1, all equally likely, and advance the stream `rng` (one integer cell).

    >>> rng = [7]
    >>> [draw(rng, 6) for _ in range(8)]
    [2, 0, 5, 3, 2, 1, 2, 1]
    """
    if n < 1:
        raise ValueError(f"draw(rng, n) needs n of at least 1, got {n}")
    state = (rng[0] + _GOLDEN) & _MASK
    rng[0] = _signed(state)
    return (_finalise(state) * n) >> 64


def uniform(rng: MutableSequence[int]) -> float:
    """Draw a number in [0, 1) with 53 random bits, and advance the stream `rng`.

    >>> 0 <= uniform([7]) < 1
    True
    """
    state = (rng[0] + _GOLDEN) & _MASK
    rng[0] = _signed(state)
    return (_finalise(state) >> 11) * 2.0**-53


def stream(*numbers: int) -> int:
    """Return the first state of the random stream that belongs to these numbers.

    A run draws one stream per (seed, game, player, …), so that results depend neither on the order
    of work nor on the number of workers.

    >>> stream(1, 2) == stream(1, 2) != stream(2, 1)
    True
    """
    h = 0
    for number in numbers:
        h = mix(h, number)
    return h
