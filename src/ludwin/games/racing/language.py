"""The language of evolved drivers: Table 9.1 of *Evolved to Win*.

Why it is here.  Two programs drive a car, one the wheel and one the speed; both are real-valued and read eleven
indicators of the road.  Nothing else is in the table: no memory, no other cars.
"""

from functools import lru_cache

from ludwin.program.language import Language, Primitive

F = "Float"
STEER_NAME, SPEED_NAME = "wheel", "speed"  # the roles of the two programs
READS = {
    "CR": "radius of this segment, ft / 400: left positive, 0 straight",
    "NR": "radius of the next segment",
    "TE": "way to the end of this segment, ft / 400",
    "NL": "length of the next segment, ft / 400",
    "V": "speed, ft/s / 100",
    "NV": "speed towards the left shoulder, ft/s / 100",
    "TL": "distance to the left shoulder, ft / 400",
    "TR": "distance to the right shoulder, ft / 400",
    "TW": "width of the road, ft / 400",
    "AH": "way straight on until the road ends, ft / 400",
    "AA": "the shoulder's direction there less the car's, radians",
}
FUNCTIONS = (
    Primitive("Add", F, (F, F), "a + b"),
    Primitive("Sub", F, (F, F), "a - b"),
    Primitive("Mul", F, (F, F), "a * b"),
    Primitive("Div", F, (F, F), "a / b if b != 0 else 0", help="0 if the divisor is 0"),
    Primitive("Abs", F, (F,), "abs(a)"),
    Primitive("Neg", F, (F,), "-a"),
    Primitive("Tan", F, (F,), "sin(a) / cos(a)"),
    Primitive("IFG", F, (F, F, F, F), "c if a > b else d"),
    Primitive("IFP", F, (F, F, F), "b if a > 0 else c"),
)


@lru_cache(maxsize=1)
def table() -> Language:
    """Return the language of Table 9.1."""
    reads = tuple(Primitive(name, F, reads=name, help=text) for name, text in READS.items())
    constants = (
        Primitive("ERC", F, rule="v", draws=(-1.0, 1.0), help="a constant of its own"),
        Primitive("Zero", F, rule="0"),
        Primitive("One", F, rule="1"),
    )
    return Language("Table 9.1", (F,), (*FUNCTIONS, *reads, *constants))
