"""Asking users' functions: what they raise, print or return becomes one line that names the function and its place.

Why it is here.  A problem is made of functions of the user's: a fitness, a test, a class of genomes, statistics.  Each
may raise, end Python, or answer with something else than was wanted; none of that may end in a traceback of ours.
"""

import inspect
import json
import math
from collections.abc import Callable
from typing import Any

from ludwin.errors import BadParameter, LudwinError, brief

GREATEST = 1e300  # sums of numbers beyond it would not be finite


class Failed(BadParameter):
    """A user's function raised, or what it returned is no finite number."""


def takes(function: Callable[..., Any]) -> int:
    """Return how many arguments a function takes in order, as far as they must or may be given: 1, or 2 with chance."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 1
    ordered = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in ordered and one.default is inspect.Parameter.empty for one in parameters)


def called(what: str, function: Callable[..., Any], *given: Any) -> Any:
    """Return what a user's function answers. Raises Failed in one line, with the place in the user's file."""
    try:
        return function(*given)
    except (LudwinError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a fitness that ends Python would end the run in silence
        trace, line = error.__traceback__, ""
        code = getattr(inspect.unwrap(function), "__code__", None)
        while trace is not None:
            name = trace.tb_frame.f_code.co_filename
            if name == getattr(code, "co_filename", None):
                line = f" (line {trace.tb_lineno})"
            trace = trace.tb_next
        raise Failed(f"{what} raised {type(error).__name__}: {brief(str(error))}{line}") from None


def demand_kind(name: str, kind: Any) -> None:
    """Raise BadParameter for what has not the methods of a kind of genomes, and for a class of one."""
    for wanted in ("begin", "make", "cross", "mutate", "write", "read", "text", "size"):
        if isinstance(kind, type) or not callable(getattr(kind, wanted, None)):
            what = kind.__name__ if isinstance(kind, type) else type(kind).__name__
            lacks = "it is a class" if isinstance(kind, type) else f"it has no {wanted}"
            raise BadParameter(
                f"{name}: {what} is no kind of genome, {lacks}; own(make, mutate, …) makes one of functions"
            )


def is_ours(thing: Any) -> bool:
    """Return whether the class of a thing is one of this package's: what is not is a user's, and is watched."""
    return type(thing).__module__.partition(".")[0] == __name__.partition(".")[0]


def demand_callable_with(what: str, function: Callable[..., Any], *counts: int) -> None:
    """Raise BadParameter for a function that takes none of these numbers of arguments."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # a function that does not say what it takes
        return
    for count in counts:
        try:
            signature.bind(*range(count))
        except TypeError:
            continue
        return
    raise BadParameter(f"{what} must take {' or '.join(map(str, counts))} arguments, it is {brief(str(signature))}")


def is_true(answer: Any) -> bool:
    """Return whether an answer is True, NumPy's included: a comparison of its numbers is one.

    >>> import numpy
    >>> is_true(numpy.float64(2) > 1), is_true(1), is_true(None)
    (True, False, False)
    """
    return answer is True or (getattr(answer, "shape", None) == () and answer.item() is True)


def is_list(answer: Any) -> bool:
    """Return whether an answer is several numbers."""
    return isinstance(answer, list | tuple) or (hasattr(answer, "tolist") and getattr(answer, "shape", ()) != ())


def as_number(answer: Any, what: str) -> float:
    """Return an answer as a number, NumPy's included. Raises Failed for anything else, and for what is not finite.

    >>> as_number(10**400, "ones: fitness")
    Traceback (most recent call last):
    ludwin.evolve.asking.Failed: ones: fitness returned a number beyond 1e300, a finite number was wanted
    """
    if hasattr(answer, "item") and getattr(answer, "shape", None) == ():
        answer = answer.item()
    if not isinstance(answer, int | float):
        raise Failed(f"{what} returned {brief(answer)}, a number was wanted")
    try:
        value = float(answer)
    except OverflowError:
        value = GREATEST
    if not math.isfinite(value):
        raise Failed(f"{what} returned {value}, a finite number was wanted")
    if abs(value) >= GREATEST:
        raise Failed(f"{what} returned a number beyond {GREATEST:.0e}, a finite number was wanted".replace("e+", "e"))
    return value


def number_list(answer: Any, what: str) -> list[float]:
    """Return an answer as a list of numbers."""
    items = answer.tolist() if hasattr(answer, "tolist") else list(answer)
    return [as_number(item, what) for item in items]


def demand_line(what: str, value: Any, longest: int) -> None:
    """Raise BadParameter for what is no text of one line that a run's files hold.

    >>> demand_line("ones: unit", "km\\n", 50)
    Traceback (most recent call last):
    ludwin.errors.BadParameter: ones: unit must be a text of one line, of at most 50 characters, got 'km\\n'
    """
    if not isinstance(value, str) or not value.isprintable() or len(value) > longest:
        raise BadParameter(f"{what} must be a text of one line, of at most {longest} characters, got {brief(value)}")


def demand_json(what: str, value: Any) -> None:
    """Raise BadParameter for what no file can hold: sets, objects, nan."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise BadParameter(f"{what} must be of JSON values: {brief(str(error))}") from None
