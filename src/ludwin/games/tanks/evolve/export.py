"""Champions for other doors: a robot's file in Python, Java for the original, and a formula for people.

Why it is here.  The league that the book entered counts semicolons: a robot may have four, not counting those of
`package` and `import` lines, and no `for` loop, which would hide two.  The skeleton of Algorithm 8.1 has just these
four, so all of a program must be one expression.  What Java has no operator for (a division that minds zero, a shot
that is worth 1) is a lambda in its place, which evaluates its argument once and has no semicolon of its own.
"""

import math
import re
from collections.abc import Mapping, Sequence

from ludwin.errors import BadParameter
from ludwin.games.tanks.language import AIM_READS, DUEL_READS, READS
from ludwin.games.tanks.opponents.haiku import ROLES
from ludwin.program.export import demand_brackets
from ludwin.program.tree import Tree

ALL_READS = {**READS, **AIM_READS, **DUEL_READS}
ALLOWED = 4  # semicolons of a robot in the league
PYTHON = {
    "Add": "({} + {})", "Sub": "({} - {})", "Mul": "({} * {})", "Div": "divide({}, {})", "Abs": "abs({})",
    "Neg": "(-{})", "Sin": "sine({})", "Cos": "cosine({})", "ArcSin": "arcsine({})", "ArcCos": "arccosine({})",
    "IfGreater": "({2} if {0} > {1} else {3})", "IfPositive": "({1} if {0} > 0.0 else {2})",
    "Fire": "shoot(tank, {})", "Random": "(2.0 * tank.random() - 1.0)", "Zero": "0.0",
    "Energy": "tank.energy", "Heading": "tank.heading_radians", "X": "tank.x", "Y": "tank.y", "MaxX": "tank.width",
    "MaxY": "tank.height", "EnemyBearing": "seen.bearing_radians", "EnemyDistance": "seen.distance",
    "EnemyVelocity": "seen.velocity", "EnemyHeading": "(seen.heading_radians - tank.heading_radians)",
    "EnemyEnergy": "seen.energy", "Time": "(0.0625 * tank.time)",
    "GunBearing": "tank.relative_radians(tank.heading_radians - tank.gun_heading_radians + seen.bearing_radians)",
    "Swing": "(128.0 * sine(0.0625 * tank.time))",
    "EnemyAcross": "(seen.velocity * sine(seen.heading_radians - tank.heading_radians - seen.bearing_radians))",
    "Flank": "tank.relative_radians(seen.bearing_radians + math.pi / 2.0)",
    "inf": "math.inf", "nan": "(math.inf - math.inf)",
}  # fmt: skip
UNARY = "((DoubleUnaryOperator) x -> {rule}).applyAsDouble({{}})"
JAVA = {
    **PYTHON,
    "Div": "((DoubleBinaryOperator) (x, y) -> y != 0 ? x / y : 0).applyAsDouble({}, {})",
    "Abs": "Math.abs({})", "Sin": "Math.sin({})", "Cos": "Math.cos({})",
    "ArcSin": "Math.asin(Math.max(Math.min({}, 1), -1))", "ArcCos": "Math.acos(Math.max(Math.min({}, 1), -1))",
    "IfGreater": "({0} > {1} ? {2} : {3})", "IfPositive": "({0} > 0 ? {1} : {2})",
    "Fire": UNARY.format(rule="x > 0 ? setFireBullet(x) == null ? 1 : 1 : 0"),
    "Random": "(2 * Math.random() - 1)",
    "Energy": "getEnergy()", "Heading": "getHeadingRadians()", "X": "getX()", "Y": "getY()",
    "MaxX": "getBattleFieldWidth()", "MaxY": "getBattleFieldHeight()", "EnemyBearing": "e.getBearingRadians()",
    "EnemyDistance": "e.getDistance()", "EnemyVelocity": "e.getVelocity()",
    "EnemyHeading": "(e.getHeadingRadians() - getHeadingRadians())", "EnemyEnergy": "e.getEnergy()",
    "Time": "(0.0625 * getTime())",
    "GunBearing": "robocode.util.Utils.normalRelativeAngle("
    "getHeadingRadians() - getGunHeadingRadians() + e.getBearingRadians())",
    "Swing": "(128 * Math.sin(0.0625 * getTime()))",
    "EnemyAcross": "(e.getVelocity() * Math.sin(e.getHeadingRadians() - getHeadingRadians() - e.getBearingRadians()))",
    "Flank": "robocode.util.Utils.normalRelativeAngle(e.getBearingRadians() + Math.PI / 2)",
    "inf": "Double.POSITIVE_INFINITY", "nan": "Double.NaN"}  # fmt: skip
FINITE = UNARY.format(rule="Double.isInfinite(x) || x != x ? 0 : x")
FORMULA = {
    **PYTHON,
    "Div": "({} / {})", "Abs": "|{}|", "Neg": "-{}", "Sin": "sin({})", "Cos": "cos({})", "ArcSin": "arcsin({})",
    "ArcCos": "arccos({})", "IfGreater": "[{2} if {0} > {1} else {3}]", "IfPositive": "[{1} if {0} > 0 else {2}]",
    "Fire": "FIRE({})", "Random": "RANDOM", "Zero": "0", **{name: name for name in ALL_READS}}  # fmt: skip
HEAD = '''"""A robot that was evolved: programs (LANGUAGE) in the skeleton of four lines of "Evolved to Win"."""

import math

ADVANCED = True


def divide(a, b):
    return a / b if b != 0.0 else 0.0


def sine(a):
    return math.sin(a) if a - a == 0.0 else a - a


def cosine(a):
    return math.cos(a) if a - a == 0.0 else a - a


def arcsine(a):
    return math.asin(max(min(a, 1.0), -1.0)) if a == a else a


def arccosine(a):
    return math.acos(max(min(a, 1.0), -1.0)) if a == a else a


def shoot(tank, power):
    if power > 0.0:
        tank.set_fire(power)
        return 1.0
    return 0.0


def finite(a):
    return a if a - a == 0.0 else 0.0


def main(tank):
    while True:
        yield tank.turn_gun_right(math.inf)


def on_scanned(tank, seen):
'''
ORDERS = {
    "ahead": "tank.set_ahead(finite({}))",
    "turn": "tank.set_turn_right_radians(finite({}))",
    "gun": "tank.set_turn_gun_right_radians(finite({}))",
    "fire": "shoot(tank, finite({}))",
    "radar": "tank.set_turn_radar_right_radians(finite({}))",
}
JAVA_ORDERS = {
    "ahead": "setAhead({})",
    "turn": "setTurnRightRadians({})",
    "gun": "setTurnGunRightRadians({})",
    "fire": JAVA["Fire"],
    "radar": "setTurnRadarRightRadians({})",
}
CLASS = """package ludwin;

import java.util.function.*;
import robocode.*;

// Evolved by Ludwin: COUNT semicolons, as the league of four lines counts them.
public class NAME extends AdvancedRobot {
    public void run() {
        while (true)
            turnGunRightRadians(Double.POSITIVE_INFINITY);
    }

    public void onScannedRobot(ScannedRobotEvent e) {
BODY
    }
}
"""
KEYWORDS = re.compile(
    """abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default|do|double|else|enum|extends|
    false|final|finally|float|for|goto|if|implements|import|instanceof|int|interface|long|native|new|null|package|
    private|protected|public|return|short|static|strictfp|super|switch|synchronized|this|throw|throws|transient|true|
    try|void|volatile|while|var|record|yield|sealed|permits|_""",
    re.VERBOSE,
)


def written(tree: Tree, forms: Mapping[str, str], at: int = 0) -> str:
    """Return a program as an expression, in the forms of another language."""
    primitive = tree.primitive(at)
    if primitive.name == "Constant":
        text = _number(float(tree.values[at]), forms)
    else:
        text = forms[primitive.name].format(*(written(tree, forms, child) for child in tree.children(at)))
    factor = float(tree.factors[at])
    return text if factor == 1.0 else f"({text} * {_number(factor, forms)})"


def _number(value: float, forms: Mapping[str, str]) -> str:
    """Return a number as text; what is infinite or none has a name in every language."""
    if value != value:
        return forms["nan"]
    if math.isinf(value):
        return forms["inf"] if value > 0 else f"(-{forms['inf']})"
    return f"({value!r})" if value < 0 or str(value)[0] == "-" else repr(value)


def robot_file(programs: Sequence[Tree]) -> str:
    """Return the text of a robot's file."""
    lines = ["    " + ORDERS[role].format(written(tree, PYTHON)) for role, tree in zip(ROLES, programs, strict=False)]
    return demand_brackets(HEAD.replace("LANGUAGE", programs[0].language.name) + "\n".join(lines) + "\n")


def robot_java(programs: Sequence[Tree], name: str) -> str:
    """Return a robot for the original. Raises BadParameter for a name that Java does not take."""
    if KEYWORDS.fullmatch(name):
        raise BadParameter(f"--java: {name} is a word of Java's; give the class another name")
    lines = []
    for role, tree in zip(ROLES, programs, strict=False):
        value = FINITE.format(written(tree, JAVA))
        lines.append(f"        {JAVA_ORDERS[role].format(value)};")
    frame = CLASS.replace("BODY", "\n".join(lines))
    if name in re.findall(r"\w+", re.sub(r"//.*", "", frame)):
        raise BadParameter(f"--java: {name} stands in the robot's own text; give the class another name")
    return frame.replace("COUNT", str(counted(frame))).replace("NAME", name)


def counted(java: str) -> int:
    """Return the semicolons of a robot as the league counts them: not in package and import lines, comments or texts.

    >>> counted('package a; import b.*; class C { int x = 1; } // ;')
    1
    """
    code = re.sub(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', "", java, flags=re.DOTALL)
    return re.sub(r"\b(package|import)\b[^;]*;", "", code).count(";")


def semicolons(programs: Sequence[Tree]) -> int:
    """Return how many semicolons the robot has in Java; up to four it may enter the league."""
    return counted(robot_java(programs, "Robot"))


def formula(programs: Sequence[Tree]) -> str:
    """Return the programs as formulas that a person can read, and what stands in them.

    Numbers are rounded to four digits: the formula is to be read, the program to be run.
    """
    from ludwin.program.simplify import simplify

    simple = [simplify(tree) for tree in programs]
    lines = [f"{role} = {_readable(tree, 0)}" for role, tree in zip(ROLES, simple, strict=False)]
    used = {tree.primitive(at).name for tree in simple for at in range(len(tree))}
    return "\n".join([*lines, "", *(f"{name}: {text}" for name, text in ALL_READS.items() if name in used)])


def _readable(tree: Tree, at: int) -> str:
    primitive, factor = tree.primitive(at), float(tree.factors[at])
    if primitive.name == "Constant":
        return f"{tree.values[at] * factor:.4g}"
    text = FORMULA[primitive.name].format(*(_readable(tree, child) for child in tree.children(at)))
    return text if factor == 1.0 else f"({factor:.4g} {text})"
