"""The language of evolved robots: Table 8.1 of *Evolved to Win*.

Why it is here.  A robot of the book is three real-valued programs in a fixed skeleton: how far to drive, how far to
turn the body, how far to turn the gun, all computed anew whenever an enemy is seen.  `Fire` is a primitive like any
other, but it acts: it shoots where it stands in the program, if its argument is positive, and is worth 1 or 0.  So the
order in which a program is computed matters, conditionals compute the chosen branch only, and `Random` is drawn anew
every time; all of these are actions to the machinery of programs.

The second language, `aim`, is the table and two readings more, which a robot of the original has and the table leaves
out: where the enemy is as the gun sees it, and the clock.  Its robots have four lines, too, but know more than the
book's, so what they do is told apart (docs/results/tanks.md says why they are here).  The third, `duel`, has three
more that could be written in `aim`, but in several nodes: a swing by the clock, how fast the enemy crosses the line of
sight, and where its flank is.

Angles are radians, distances pixels.  Nothing fails: what divides by zero is 0, arcs are clamped to -1 … 1, and a
result that is no finite number counts as 0 where it becomes an order.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

from ludwin.program.language import Language, Primitive
from ludwin.program.tree import Argument

F = "Float"
ROLES = ("ahead", "turn", "gun")  # of the book; the orders that the programs become
MORE_ROLES = ("fire", "radar")  # beside them, if there are more trees: power (none if not positive), turn of the radar
READS = {
    "Energy": "own energy",
    "Heading": "own heading, radians",
    "X": "own place from the left, pixels",
    "Y": "own place from below, pixels",
    "MaxX": "width of the field",
    "MaxY": "height of the field",
    "EnemyBearing": "the enemy's direction less one's own heading, radians",
    "EnemyDistance": "distance of the enemy, pixels",
    "EnemyVelocity": "speed of the enemy, pixels a turn, negative backwards",
    "EnemyHeading": "the enemy's heading less one's own, radians",
    "EnemyEnergy": "energy of the enemy",
}
AIM_READS = {
    "GunBearing": "the enemy's direction less the gun's, radians from -pi to pi",
    "Time": "turns since the round began, / 16: its sine swings as robots do that dodge",
}
DUEL_READS = {
    "Swing": "128 times the sine of Time, pixels: to and fro, as robots do that dodge",
    "EnemyAcross": "speed of the enemy across the line of sight, pixels a turn, positive clockwise",
    "Flank": "the direction at right angles to the enemy's less one's own heading, radians from -pi to pi",
}
TICK = 0.0625  # of Time, in a turn
SWUNG = 128.0  # pixels
FIRE, RANDOM, IF_GREATER, IF_POSITIVE = "fire", "random", "if greater", "if positive"
FUNCTIONS = (
    Primitive("Add", F, (F, F), "a + b"),
    Primitive("Sub", F, (F, F), "a - b"),
    Primitive("Mul", F, (F, F), "a * b"),
    Primitive("Div", F, (F, F), "a / b if b != 0 else 0", help="0 if the divisor is 0"),
    Primitive("Abs", F, (F,), "abs(a)"),
    Primitive("Neg", F, (F,), "-a"),
    Primitive("Sin", F, (F,), "sin(a)"),
    Primitive("Cos", F, (F,), "cos(a)"),
    Primitive("ArcSin", F, (F,), "asin(max(min(a, 1), -1))"),
    Primitive("ArcCos", F, (F,), "acos(max(min(a, 1), -1))"),
    Primitive("IfGreater", F, (F, F, F, F), acts=IF_GREATER, branches="cd", help="c if a > b, else d"),
    Primitive("IfPositive", F, (F, F, F), acts=IF_POSITIVE, branches="bc", help="b if a > 0, else c"),
    Primitive("Fire", F, (F,), acts=FIRE, help="shoots with this power and is 1, if it is positive; else 0"),
)


def _language(name: str, readings: Mapping[str, str]) -> Language:
    reads = tuple(Primitive(word, F, reads=word, help=text) for word, text in readings.items())
    constants = (
        Primitive("Constant", F, rule="v", draws=(-1.0, 1.0), help="a constant of its own"),
        Primitive("Random", F, acts=RANDOM, help="a number from -1 to 1, drawn anew every time"),
        Primitive("Zero", F, rule="0"),
    )
    return Language(name, (F,), (*FUNCTIONS, *reads, *constants))


@lru_cache(maxsize=1)
def table() -> Language:
    """Return the language of Table 8.1."""
    return _language("Table 8.1", READS)


@lru_cache(maxsize=1)
def aim() -> Language:
    """Return the table with what the gun sees and the clock."""
    return _language("Table 8.1, gun and clock", {**READS, **AIM_READS})


@lru_cache(maxsize=1)
def duel() -> Language:
    """Return the table with gun, clock, and what a duellist looks at."""
    return _language("Table 8.1, gun, clock and flank", {**READS, **AIM_READS, **DUEL_READS})


LANGUAGES: dict[str, Callable[[], Language]] = {"table": table, "aim": aim, "duel": duel}


def roles(trees: int) -> tuple[str, ...]:
    """Return what the programs of a robot with so many trees are for."""
    return (*ROLES, *MORE_ROLES)[:trees]


def deed(
    name: str, arguments: Sequence[Argument], shoot: Callable[[float], None], chance: Callable[[], float]
) -> float:
    """Do what an acting node says: the readable form, which the machine of robots must equal."""
    if name == RANDOM:
        return 2.0 * chance() - 1.0
    a = _value(arguments[0])
    if name == FIRE:
        if a > 0.0:
            shoot(a)
            return 1.0
        return 0.0
    if name == IF_POSITIVE:
        return _value(arguments[1] if a > 0.0 else arguments[2])
    return _value(arguments[2] if a > _value(arguments[1]) else arguments[3])


def _value(argument: Argument) -> float:
    return argument() if callable(argument) else argument


def finite(x: float) -> float:
    """Return a result as an order takes it: what is no finite number is 0."""
    return x if math.isfinite(x) else 0.0
