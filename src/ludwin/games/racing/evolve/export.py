"""Champions for other doors: a driver's file in Python, a formula for people, and C++ for the original simulator.

Why it is here.  An evolved driver that only its own run can start is a claim; as a file it is a driver like any other.
"""

import math
from collections.abc import Sequence

from ludwin.games.racing.language import LINE_READS, READS
from ludwin.program.export import demand_brackets
from ludwin.program.tree import Tree

PYTHON = {
    "Add": "({} + {})", "Sub": "({} - {})", "Mul": "({} * {})", "Div": "divide({}, {})", "Abs": "abs({})",
    "Neg": "(-{})", "Tan": "tangent({})", "IFG": "({2} if {0} > {1} else {3})", "IFP": "({1} if {0} > 0.0 else {2})",
    "Zero": "0.0", "One": "1.0", "Slip": "slip({})", "inf": "math.inf", "nan": "math.nan"}  # fmt: skip
CPP = {
    **PYTHON, "Abs": "std::fabs({})", "IFG": "({0} > {1} ? {2} : {3})", "IFP": "({0} > 0.0 ? {1} : {2})",
    "inf": "HUGE_VAL", "nan": 'std::nan("")'}  # fmt: skip
FORMULA = {
    "Add": "({} + {})", "Sub": "({} - {})", "Mul": "{} * {}", "Div": "({} / {})", "Abs": "|{}|", "Neg": "-{}",
    "Tan": "tan {}", "IFG": "[{2} if {0} > {1} else {3}]", "IFP": "[{1} if {0} > 0 else {2}]", "Zero": "0",
    "One": "1", "Slip": "slip({})"}  # fmt: skip
HEAD = '''"""A driver that was evolved: two programs over Table 9.1 of "Evolved to Win"."""

import math

{imports}
def divide(a, b):
    return a / b if b != 0.0 else 0.0


def tangent(a):
    return divide(math.sin(a), math.cos(a)) if a - a == 0.0 else math.nan


def slip(a):
    return (0.02 if a < 0.0 else -0.02) * math.log(1.0 - min(abs(a), 0.995))


def control(view):
{helper}    wheel = {wheel}
    speed = {speed}
    return wheel, 100.0 * speed
'''
HELPER = """    taken, turn, pace = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return turn, pace
"""


def written(tree: Tree, forms: dict[str, str], prefix: str = "", at: int = 0) -> str:
    """Return a program as an expression, in the forms of another language."""
    name = tree.primitive(at).name
    if name in READS or name in LINE_READS:
        text = prefix + name
    elif name == "ERC":
        text = _number(float(tree.values[at]), forms)
    else:
        text = forms[name].format(*(written(tree, forms, prefix, child) for child in tree.children(at)))
    factor = float(tree.factors[at])
    return text if factor == 1.0 else f"({text} * {_number(factor, forms)})"


def _number(value: float, forms: dict[str, str]) -> str:
    """Return a number as text: in brackets with its sign, by name where it has no end or no meaning."""
    if math.isnan(value):
        return forms["nan"]
    text = forms["inf"] if math.isinf(value) else repr(abs(value))
    return f"(-{text})" if math.copysign(1.0, value) < 0 else text


def driver_file(programs: Sequence[Tree], recover: bool) -> str:
    """Return the text of a driver's file for two programs."""
    wheel, speed = (written(tree, PYTHON, "view.") for tree in programs)
    imports = "from ludwin.games.racing.recover import stuck\n\n" if recover else ""
    return demand_brackets(HEAD.format(imports=imports, helper=HELPER if recover else "", wheel=wheel, speed=speed))


def formula(programs: Sequence[Tree]) -> str:
    """Return two programs as formulas that a person can read, and what stands in them.

    Numbers are rounded to four digits: the formula is to be read, the program to be run.
    """
    from ludwin.program.simplify import simplify

    simple = [simplify(tree, rounding=True) for tree in programs]
    names = ("wheel", "speed / 100")
    lines = [f"{name} = {_readable(tree)}" for name, tree in zip(names, simple, strict=True)]
    known = READS | LINE_READS
    used = {tree.primitive(at).name for tree in simple for at in range(len(tree))}
    return "\n".join([*lines, "", *(f"{name}: {known[name]}" for name in known if name in used)])


def _readable(tree: Tree) -> str:
    """Return a program as a formula, without the outermost brackets."""
    text = _rounded(tree, 0)
    closes = text.startswith("(") and text.endswith(")")
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and place < len(text) - 1:
            closes = False
    return text[1:-1] if closes else text


def _rounded(tree: Tree, at: int, sign: float = 1.0) -> str:
    name = tree.primitive(at).name
    factor = sign * float(tree.factors[at])
    if name == "Neg":
        return _rounded(tree, next(tree.children(at)), -factor)
    if name in READS or name in LINE_READS:
        text = name
    elif name == "ERC":
        text = f"{tree.values[at]:.4g}"
    else:
        text = FORMULA[name].format(*(_rounded(tree, child) for child in tree.children(at)))
    return text if factor == 1.0 else f"(-{text})" if factor == -1.0 else f"({factor:.4g} {text})"
