"""What policies for the parking puzzle are made of: Table 10.1 of *Evolved to Win*.

Conditions see numbers between 0 and 1 (parts of a maximum) and truths about the last move; values are sums and products
of the three heuristics, as they are, and of the digits.  The types keep the two apart; both are made of one list of
primitives, so that one interpreter runs them.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

from ludwin.program.language import Language, Primitive

TRUTH, PART, VALUE = "Bool", "Part", "Value"
PARTS = {  # in conditions
    "BlockersLowerBound": "blockers part",
    "GoalDistance": "goal part",
    "Hybrid": "hybrid part",
    "g": "g part",
    "PhaseByDistance": "phase by distance",
    "PhaseByBlockers": "phase by blockers",
    "NumberOfSiblings": "siblings part",
    "DifficultyLevel": "difficulty",
}
TRUTHS = {"IsMoveToSecluded": "secluded", "IsReleasingMove": "releasing"}
VALUES = {"H1": "blockers", "H2": "goal distance", "H3": "hybrid"}  # in values
CONDITIONS = Language(
    "parking policies",
    (TRUTH, PART, VALUE),
    (
        Primitive("AND", TRUTH, (TRUTH, TRUTH), "a and b", help="both"),
        Primitive("OR", TRUTH, (TRUTH, TRUTH), "a or b", help="one of them"),
        Primitive("LowerEqual", TRUTH, (PART, PART), "a <= b", help="the first is not greater"),
        Primitive("GreaterEqual", TRUTH, (PART, PART), "a >= b", help="the first is not less"),
        Primitive("Plus", VALUE, (VALUE, VALUE), "a + b", help="the sum"),
        Primitive("Times", VALUE, (VALUE, VALUE), "a * b", help="the product"),
        Primitive("ERC", PART, rule="v", draws=(0.0, 1.0), help="a number drawn at creation"),
        Primitive("Digit", VALUE, rule="v", choices=tuple(map(float, range(10))), help="one of 0 to 9"),
        *(Primitive(word, PART, reads=query, help=query) for word, query in PARTS.items()),
        *(Primitive(word, TRUTH, reads=query, help=query) for word, query in TRUTHS.items()),
        *(Primitive(word, VALUE, reads=query, help=query) for word, query in VALUES.items()),
    ),
    TRUTH,
)
FORMULAS = replace(CONDITIONS, root=VALUE)
MORE_PARTS = {"CellsGonePart": "cells gone part", "MovesPart": "moves part", "LayersPart": "layers part"}
MORE_VALUES = {
    "CellsGone": "cells gone",
    "VehiclesGone": "vehicles gone",
    "Moves": "moves",
    "InTheWay": "in the way",
    "Layers": "layers",
}
RELAXED_PARTS = {"RelaxedSlidesPart": "relaxed slides part"}
RELAXED_VALUES = {
    "RelaxedSlides": "relaxed slides",
    "RelaxedCells": "relaxed cells",
    "RelaxedWanted": "relaxed wanted",
    "RelaxedCrossed": "relaxed crossed",
    "RelaxedSlidesBack": "relaxed slides back",
    "RoundsOfAll": "rounds of all",
    "SlidesBack": "slides back",
    "Crossings": "crossings",
    "FreeStretches": "free stretches",
    "Ahead": "ahead",
    "LooseCells": "loose cells",
    "LooseVehicles": "loose vehicles",
}
RECALLED_TRUTHS = {"IsComingAgain": "coming again"}
RECALLED_VALUES = {"ComesAgain": "comes again"}


def reading(parts: Mapping[str, str], values: Mapping[str, str]) -> tuple[Primitive, ...]:
    """Return words that read queries, as parts and as values."""
    return (
        *(Primitive(word, PART, reads=query, help=query) for word, query in parts.items()),
        *(Primitive(word, VALUE, reads=query, help=query) for word, query in values.items()),
    )


@lru_cache(maxsize=8)
def conditions(extra: bool = False, relaxed: bool = False, recalls: bool = False) -> Language:
    """Return the language of conditions: the book's, or one with words of ours; they know relaxed plans, too, and what
    was done on the way here, if that is asked for.
    """
    if not extra and not relaxed and not recalls:
        return CONDITIONS
    minus = Primitive("Minus", VALUE, (VALUE, VALUE), "a - b", help="the difference")
    more = (minus, *reading(MORE_PARTS, MORE_VALUES))
    name = "parking policies, with words of ours"
    if relaxed:
        more = (*more, *reading(RELAXED_PARTS, RELAXED_VALUES))
        name += " and of relaxed plans"
    if recalls:
        truths = (Primitive(word, TRUTH, reads=query, help=query) for word, query in RECALLED_TRUTHS.items())
        more = (*more, *truths, *reading({}, RECALLED_VALUES))
        name += " and of the way here"
    return replace(CONDITIONS, name=name, primitives=(*CONDITIONS.primitives, *more))


def formulas(extra: bool = False, relaxed: bool = False, recalls: bool = False) -> Language:
    """Return the language of values."""
    return replace(conditions(extra, relaxed, recalls), root=VALUE)
