"""Champions for other doors: a driver's file in Python, a formula for people, and C++ for the original simulator.

Why it is here.  An evolved driver that only its own run can start is a claim; as a file it is a driver like any other.
"""

from collections.abc import Sequence

from ludwin.games.racing.language import READS
from ludwin.program.tree import Tree

PYTHON = {
    "Add": "({} + {})", "Sub": "({} - {})", "Mul": "({} * {})", "Div": "divide({}, {})", "Abs": "abs({})",
    "Neg": "(-{})", "Tan": "tangent({})", "IFG": "({2} if {0} > {1} else {3})", "IFP": "({1} if {0} > 0.0 else {2})",
    "Zero": "0.0", "One": "1.0"}  # fmt: skip
CPP = {**PYTHON, "Abs": "std::fabs({})", "IFG": "({0} > {1} ? {2} : {3})", "IFP": "({0} > 0.0 ? {1} : {2})"}
FORMULA = {
    "Add": "({} + {})", "Sub": "({} - {})", "Mul": "{} * {}", "Div": "({} / {})", "Abs": "|{}|", "Neg": "-{}",
    "Tan": "tan {}", "IFG": "[{2} if {0} > {1} else {3}]", "IFP": "[{1} if {0} > 0 else {2}]", "Zero": "0",
    "One": "1"}  # fmt: skip
HEAD = '''"""A driver that was evolved: two programs over Table 9.1 of "Evolved to Win"."""

import math

{imports}
def divide(a, b):
    return a / b if b != 0.0 else 0.0


def tangent(a):
    return divide(math.sin(a), math.cos(a))


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
    if name in READS:
        return prefix + name
    if name == "ERC":
        value = repr(float(tree.values[at]))
        return f"({value})" if value.startswith("-") else value
    return forms[name].format(*(written(tree, forms, prefix, child) for child in tree.children(at)))


def driver_file(programs: Sequence[Tree], recover: bool) -> str:
    """Return the text of a driver's file for two programs."""
    wheel, speed = (written(tree, PYTHON, "view.") for tree in programs)
    imports = "from ludwin.games.racing.recover import stuck\n\n" if recover else ""
    return HEAD.format(imports=imports, helper=HELPER if recover else "", wheel=wheel, speed=speed)


def formula(programs: Sequence[Tree]) -> str:
    """Return two programs as formulas that a person can read."""
    from ludwin.program.simplify import simplify

    names = ("wheel", "speed / 100")
    return "\n".join(f"{name} = {written(simplify(tree), FORMULA)}" for name, tree in zip(names, programs, strict=True))
