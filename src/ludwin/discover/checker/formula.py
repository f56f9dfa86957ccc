"""What the checker asks solvers: formulas about numbers that may be infinite.

Why it is here.  Every obligation becomes one formula: known things imply a wanted thing, for all extended reals.  A
value is a nested tuple, so that equal values are equal tuples and a value's name is the call that gives it:

    ("num", Fraction)  ("inf", 1 or -1)                     constants
    ("arg", i)  ("hd", list)  ("tl", list)                  an argument of the head, the parts of a list
    ("out", f, k, inputs)  ("call", p, k, inputs)           output k of a plain function, of a predicate with a contract
    ("cons", x, xs)  ("nil",)  ("word", name)               lists that are built, words
    ("~", x)  ("+", x, y)  ("*", Fraction, x)  ("max", x, y)  ("min", x, y)

A formula is ("and", parts), ("or", parts) or (sign, x, y) with a sign of `>=`, `>`, `=`, `!=`; ("sum", x, y) says that
x+y is a number: not an infinity plus its opposite.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

Value = tuple[Any, ...]
Formula = tuple[Any, ...]

TRUE: Formula = ("and", ())
FALSE: Formula = ("or", ())
LEAVES = ("arg", "hd", "tl", "out", "call", "word", "cons", "nil")


def number(value: Fraction | int) -> Value:
    """Return a finite constant."""
    return ("num", Fraction(value))


def minus(x: Value) -> Value:
    """Return minus a value."""
    match x[0]:
        case "num":
            return ("num", -x[1])
        case "inf":
            return ("inf", -x[1])
        case "~":
            return x[1]  # type: ignore[no-any-return]
    return ("~", x)


def both(parts: Iterable[Formula]) -> Formula:
    """Return the conjunction of some formulas, flat."""
    found: list[Formula] = []
    for part in parts:
        if part == FALSE:
            return FALSE
        found += part[1] if part[0] == "and" else [part]
    return found[0] if len(found) == 1 else ("and", tuple(dict.fromkeys(found)))


def either(parts: Iterable[Formula]) -> Formula:
    """Return the disjunction of some formulas, flat."""
    found: list[Formula] = []
    for part in parts:
        if part == TRUE:
            return TRUE
        found += part[1] if part[0] == "or" else [part]
    return found[0] if len(found) == 1 else ("or", tuple(dict.fromkeys(found)))


def compare(sign: str, x: Value, y: Value) -> Formula:
    """Return a comparison, with the greater side first."""
    return {"<=": (">=", y, x), "<": (">", y, x)}.get(sign, (sign, x, y))


_OPPOSITE = {">=": ">", ">": ">=", "=": "!=", "!=": "="}


def deny(formula: Formula) -> Formula:
    """Return the opposite of a formula."""
    match formula[0]:
        case "and":
            return either(map(deny, formula[1]))
        case "or":
            return both(map(deny, formula[1]))
        case "sum":
            return ("nosum", formula[1], formula[2])
        case "nosum":
            return ("sum", formula[1], formula[2])
        case ">=" | ">":
            return (_OPPOSITE[formula[0]], formula[2], formula[1])
    return (_OPPOSITE[formula[0]], formula[1], formula[2])


def implies(known: Formula, wanted: Formula) -> Formula:
    """Return: if known, then wanted."""
    return either([deny(known), wanted])


def atoms(formula: Formula) -> Iterator[Formula]:
    """Yield the comparisons of a formula."""
    if formula[0] in ("and", "or"):
        for part in formula[1]:
            yield from atoms(part)
    else:
        yield formula


def values(formula: Formula) -> Iterator[Value]:
    """Yield both sides of every comparison."""
    for atom in atoms(formula):
        yield atom[1]
        yield atom[2]


def parts(value: Value) -> Iterator[Value]:
    """Yield a calculated value and what it is calculated from, down to leaves and constants."""
    yield value
    if value[0] in ("~", "+", "max", "min"):
        for part in value[1:]:
            yield from parts(part)
    elif value[0] == "*":
        yield from parts(value[2])


def adds(formula: Formula) -> bool:
    """Tell whether a formula adds or multiplies."""
    return any(atom[0] in ("sum", "nosum") for atom in atoms(formula)) or any(
        part[0] in ("+", "*") for value in values(formula) for part in parts(value)
    )


def calls_in(value: Value) -> Iterator[Value]:
    """Yield the outputs of calls that a value speaks of, also inside the inputs of other calls."""
    match value[0]:
        case "out" | "call":
            yield value
            for given in value[3]:
                yield from calls_in(given)
        case "num" | "inf" | "arg" | "word" | "nil":
            return
        case "*":
            yield from calls_in(value[2])
        case _:
            for part in value[1:]:
                yield from calls_in(part)


def large(given: Iterable[Value], most: int) -> bool:
    """Tell whether some values have more than `most` parts, without counting further."""
    count, waiting = 0, list(given)
    while waiting:
        value = waiting.pop()
        count += 1
        if count > most:
            return True
        waiting += [part for part in value if isinstance(part, tuple) and part and isinstance(part[0], str)]
        waiting += [
            v for part in value if isinstance(part, tuple) and part and isinstance(part[0], tuple) for v in part
        ]
    return False


def sums_in(value: Value) -> Iterator[Formula]:
    """Yield, for every sum in a value, that it is a number."""
    for part in parts(value):
        if part[0] == "+":
            yield ("sum", part[1], part[2])


def with_sums(formula: Formula) -> Formula:
    """Return a comparison that says of its sums, too, that they are numbers."""
    return both([*(s for side in formula[1:] for s in sums_in(side)), formula])


def put(value: Value, given: tuple[Value, ...]) -> Value:
    """Replace the arguments of a clause by values; parts of lists that are built are taken at once."""
    match value[0]:
        case "arg":
            return given[value[1]]
        case "num" | "inf" | "word" | "nil":
            return value
        case "hd" | "tl":
            inner = put(value[1], given)
            if inner[0] == "cons":
                return inner[1 if value[0] == "hd" else 2]  # type: ignore[no-any-return]
            return (value[0], inner)
        case "out" | "call":
            return (value[0], value[1], value[2], tuple(put(v, given) for v in value[3]))
        case "~":
            return minus(put(value[1], given))
        case "*":
            return ("*", value[1], put(value[2], given))
    return (value[0], *(put(v, given) for v in value[1:]))


def put_all(formula: Formula, given: tuple[Value, ...]) -> Formula:
    """Replace the arguments of a clause in a formula."""
    if formula[0] in ("and", "or"):
        return (formula[0], tuple(put_all(part, given) for part in formula[1]))
    return (formula[0], put(formula[1], given), put(formula[2], given))


def spell(value: Value) -> str:
    """Return a value as text for people.

    >>> spell(("max", ("arg", 1), ("out", "value", 0, (("hd", ("arg", 0)),))))
    'max(#1,value(first(#0)))'
    """
    match value[0]:
        case "num":
            return str(value[1])
        case "inf":
            return "inf" if value[1] > 0 else "-inf"
        case "arg":
            return f"#{value[1]}"
        case "hd" | "tl":
            return f"{'first' if value[0] == 'hd' else 'rest'}({spell(value[1])})"
        case "out" | "call":
            return f"{value[1]}({','.join(map(spell, value[3]))}){'.' + str(value[2]) if value[2] else ''}"
        case "cons":
            return f"[{spell(value[1])}|{spell(value[2])}]"
        case "nil":
            return "[]"
        case "word":
            return str(value[1])
        case "~":
            return f"-{spell(value[1])}"
        case "+":
            return f"({spell(value[1])}+{spell(value[2])})"
        case "*":
            return f"{value[1]}*{spell(value[2])}"
    return f"{value[0]}({','.join(map(spell, value[1:]))})"


def spell_formula(formula: Formula) -> str:
    """Return a formula as text for people."""
    match formula[0]:
        case "and" | "or":
            word = " and " if formula[0] == "and" else " or "
            return (
                "(" + word.join(map(spell_formula, formula[1])) + ")"
                if formula[1]
                else ("true" if formula[0] == "and" else "false")
            )
        case "sum":
            return f"{spell(formula[1])}+{spell(formula[2])} is a number"
        case "nosum":
            return f"{spell(formula[1])}+{spell(formula[2])} is no number"
    return f"{spell(formula[1])} {formula[0]} {spell(formula[2])}"
