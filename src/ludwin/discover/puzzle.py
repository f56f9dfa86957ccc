"""IDA* from derived branch and bound: ask for a solution below a bound, and raise the bound.

Why it is here.  The derived predicate `cost_hi(P,B)` answers min(B, cost), expanding only what its bound
allows.  Calling it with the least bound that the start admits, and with greater ones until the answer is
below the bound, is iterative deepening A*: depth-first, without memory, and optimal because the answer
of every round is.

References.  R. Korf, "Depth-first iterative-deepening: an optimal admissible tree search", AI 27 (1985).
"""

from collections.abc import Callable, Mapping
from typing import Any

from ludwin.discover.derivation import Derivation
from ludwin.discover.emit import load_python


def ida_star(
    derivation: Derivation,
    world: Mapping[str, Callable[..., Any]],
    start: Any,
    *,
    step: float = 1,
    most: float = 1_000_000,
) -> float:
    """Return the cost of the cheapest solution, or infinity if none is below `most`; costs are multiples of `step`."""
    search = load_python(derivation.result, "cost_hi", world)
    bound = world["bound"](start) + step
    while bound <= most:
        found = float(search(start, bound))
        if found < bound:
            return found
        bound += step
    return float("inf")
