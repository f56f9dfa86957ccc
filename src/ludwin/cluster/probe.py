"""A kernel that asks compiled code for functions of mathematics, point by point.

Why it is here.  What a compiled game computes is what matters, and the compiler may call another function, or fold it,
than CPython does.
"""

import math
from collections.abc import Sequence

from ludwin.kernel.names import Bundle
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.library import load
from ludwin.primitives import cos, exp, log, power, sin


def ask(w: Bundle, which: int, x: float, y: float):  # type: ignore[no-untyped-def]  # kernel text
    """Return function number `which` at a point."""
    if which == 0:
        return math.log(x)
    if which == 1:
        return math.exp(y)
    if which == 2:
        return math.sin(y * x)
    if which == 3:
        return math.cos(y * x)
    if which == 4:
        return math.exp2(y)
    if which == 5:
        return math.sqrt(x)
    if which == 6:
        return power(x, y)
    if which == 7:
        return exp(y)
    if which == 8:
        return log(x)
    if which == 9:
        return sin(y * x)
    return cos(y * x)


PROBE = Kernel("probe", ask, records={"states": "States"})


def probed(which: int, points: Sequence[tuple[float, float]]) -> list[float]:
    """Return function number `which` at these points, by compiled code."""
    kernel = specialise(load("nim"), PROBE, "fast")
    w = kernel.bundle(states=1)
    return [float(kernel(w, which, x, y)) for x, y in points]
