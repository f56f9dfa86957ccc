"""Arithmetic that never fails: what a rule's division and functions mean outside their usual domains.

Why it is here.  Evolution divides by zero and takes roots of debts.  Python raises there, machines answer
with infinity or "not a number"; a program must mean the same in both.  So the machine's answers (IEEE 754)
are taken, and these functions give them in every mode.  Kernel text: they run in Python and compiled.
"""

import math

MOST_EXPONENT = 709.782712893384  # exp of more is infinite


def total_divide(a: float, b: float) -> float:
    """Return a / b; a / 0 is infinite with the sign of both, 0 / 0 is nan.

    >>> total_divide(1.0, 4.0), total_divide(-1.0, 0.0), total_divide(0.0, 0.0)
    (0.25, -inf, nan)
    """
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def total_log(x: float) -> float:
    """Return the natural logarithm; that of 0 is minus infinity, below it is nan."""
    if x > 0.0:
        return math.log(x)
    return -math.inf if x == 0.0 else math.nan


def total_sqrt(x: float) -> float:
    """Return the square root, nan below 0."""
    return math.sqrt(x) if x >= 0.0 else math.nan


def total_sin(x: float) -> float:
    """Return the sine, nan for infinity."""
    return math.sin(x) if x - x == 0.0 else math.nan


def total_cos(x: float) -> float:
    """Return the cosine, nan for infinity."""
    return math.cos(x) if x - x == 0.0 else math.nan


def total_exp(x: float) -> float:
    """Return e to the power x, infinity where it is too large."""
    return math.inf if x > MOST_EXPONENT else math.exp(x)


def total_asin(x: float) -> float:
    """Return the arcsine, nan outside of -1 to 1."""
    return math.asin(x) if -1.0 <= x <= 1.0 else math.nan


def total_acos(x: float) -> float:
    """Return the arccosine, nan outside of -1 to 1."""
    return math.acos(x) if -1.0 <= x <= 1.0 else math.nan
