"""Logarithm, exponential, sine and cosine are correctly rounded; they and power are the same in every mode."""

import math
import random

import pytest
from mpmath import mp, mpf

from ludwin import primitives
from ludwin.cluster.probe import probed

MINE = {"power": 6, "exp": 7, "log": 8, "sin": 9, "cos": 10}  # numbers of the probe
U = random.Random(22).uniform
SIGNS = (1.0, -1.0)


def signed(x):
    return x if U(0, 1) < 0.5 else -x


RANGES = {
    "exp": [lambda: (U(-40, 40),), lambda: (U(-700, 709),), lambda: (signed(10 ** U(-18, -1)),)],
    "log": [lambda: (10 ** U(-3, 3),), lambda: (1 + signed(10 ** U(-15, -1)),), lambda: (10 ** U(-307, 308),)],
    "sin": [lambda: (U(-10, 10),), lambda: (signed(10 ** U(-12, 9)),), lambda: (round(U(1, 6e8)) * math.pi / 2,)],
    "cos": [lambda: (U(-10, 10),), lambda: (signed(10 ** U(-12, 9)),), lambda: (round(U(1, 6e8)) * math.pi / 2,)],
}
EXACTLY = {"exp": mp.exp, "log": mp.log, "sin": mp.sin, "cos": mp.cos}


@pytest.mark.parametrize("name", RANGES)
def test_the_result_is_the_float_nearest_to_the_true_value(name):
    mine = getattr(primitives, name)
    with mp.workprec(200):
        for draw in RANGES[name]:
            for _ in range(400):
                given = draw()
                assert mine(*given) == float(EXACTLY[name](*map(mpf, given))), (name, given)


@pytest.mark.parametrize("name", MINE)
def test_compiled_and_plain_are_the_same_bits(name):
    points = [(math.ldexp(U(1, 2), round(U(-9, 9))), U(-20, 20)) for _ in range(500)]
    given = {"power": lambda x, y: (x, y), "exp": lambda x, y: (y,), "log": lambda x, y: (x,)}
    take = given.get(name, lambda x, y: (y * x,))
    assert probed(MINE[name], points) == [getattr(primitives, name)(*take(x, y)) for x, y in points]


def test_small_results_are_rounded_once():
    for k in range(200):
        x = -708.4 - k * 0.18
        with mp.workprec(200):
            true = mp.exp(mpf(x)) * mpf(2) ** 1074  # in units of the last bit there
            assert primitives.exp(x) * 2.0**1000 * 2.0**74 == float(mp.nint(true)), x


ODD = (0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, math.inf, -math.inf, math.nan, 1e300, -1e300, 3.0, -3.0)


def outcome(function, *given):
    try:
        found = function(*given)
    except (ValueError, OverflowError) as error:
        return type(error).__name__
    return "nan" if math.isnan(found) else (found, math.copysign(1.0, found))


def test_zeros_infinities_and_mistakes_are_those_of_math():
    for x in ODD:
        for name in ("exp", "log", "sin", "cos"):
            if abs(x) != 1e300:  # which is left to the C library
                assert outcome(getattr(primitives, name), x) == outcome(getattr(math, name), x), (name, x)
        for y in ODD:
            assert outcome(primitives.power, x, y) == outcome(math.pow, x, y), (x, y)
