"""The languages of evolved drivers: Table 9.1 of *Evolved to Win*, and one with better eyes.

Why it is here.  Two programs drive a car, one the wheel and one the speed; both are real-valued and read eleven
indicators of the road.  Nothing else is in the table: no memory, no other cars.

The second language, `sight`, is the table and five more indicators: where the line runs that somebody can tell who sees
this segment and the next three (`line.py`), and one more function, the tyres' law read backwards.  It does not know the
track either; but the geometry that the book's drivers had to guess is done for it, so its times are told apart.
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
LINE_READS = {
    "LO": "the line's place less the car's, ft / 400: left positive",
    "LA": "the line's direction less the car's, radians",
    "LG": "share of the tyres' pull that the line's bending needs at this speed, left positive",
    "LV": "speed that the line allows here, ft/s / 100",
    "AV": "speed that the line allows 0.3 s ahead",
}
SLIP = Primitive(
    "Slip",
    F,
    (F,),
    "(0.02 if a < 0 else -0.02) * log(1 - min(abs(a), 0.995))",
    help="slip of the tyres, ft/s / 100, that pulls with this share of all they can",
)


@lru_cache(maxsize=1)
def table() -> Language:
    """Return the language of Table 9.1."""
    return _language("Table 9.1", FUNCTIONS, READS)


@lru_cache(maxsize=1)
def sight() -> Language:
    """Return the table with the line that can be seen."""
    return _language("sight", (*FUNCTIONS, SLIP), READS | LINE_READS)


def _language(name: str, functions: tuple[Primitive, ...], asked: dict[str, str]) -> Language:
    reads = tuple(Primitive(word, F, reads=word, help=text) for word, text in asked.items())
    constants = (
        Primitive("ERC", F, rule="v", draws=(-1.0, 1.0), help="a constant of its own"),
        Primitive("Zero", F, rule="0"),
        Primitive("One", F, rule="1"),
    )
    return Language(name, (F,), (*functions, *reads, *constants))


LANGUAGES = {"book": table, "sight": sight}
