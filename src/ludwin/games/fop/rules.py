"""Function optimisation: halve an interval again and again, and hope that the function is high there.

Rules.  The state is an interval of [0, 1], at first all of it.  A move keeps one of its `K` equal
parts.  When the interval is narrower than `T`, nature pays 1 with probability f(x), x the middle
of the interval, and else nothing.  `F` is the number of one of five known functions, or a formula of x.

Why it is here.  A tree without opponents and without surprises, whose best leaf is known exactly: what
a Monte Carlo search does right or wrong is seen with the naked eye.  Functions 4 and 5 mislead: the
mean of a half says nothing about its peak.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), eqs. 4.2-4.6; S. Bubeck,
R. Munos, G. Stoltz, C. Szepesvári, "X-armed bandits", JMLR 12 (2011), 1655-1695 (function 2).
"""

import ast
import math

from ludwin.primitives import CHANCE, power

F = "1"
T = 1e-5
K = 2

if not 0 < T < 1:
    raise ValueError(f"t must lie between 0 and 1, got {T}")
if not 2 <= K <= 100:
    raise ValueError(f"k must be 2 to 100, got {K}")

DEPTH = next(depth for depth in range(1, 10**6) if float(K) ** -depth < T)
LEAVES = K**DEPTH
if LEAVES > 2**50:
    raise ValueError(f"t is too small: {T}")

FIELDS = {
    "depth": int,
    "index": int,  # the interval is [index, index + 1] / K**depth
    "reward": int,  # -1 until nature has paid
}
PLAYERS = len((0,))  # one; not a parameter
MAX_MOVES = K
MAX_PLIES = DEPTH + 1
PAYOFF_SUM = None

# A formula is a table of nodes, a row each: operator, three operands (rows of their own), number.
_X, _NUMBER, _ADD, _SUBTRACT, _MULTIPLY, _DIVIDE, _POWER, _MINIMUM, _MAXIMUM, _LESS, _LESS_EQUAL, _IF = range(12)
_SIN, _COS, _ABS, _SQRT, _LOG, _EXP = range(12, 18)
_FUNCTIONS = {
    "sin": _SIN,
    "cos": _COS,
    "abs": _ABS,
    "sqrt": _SQRT,
    "log": _LOG,
    "exp": _EXP,
    "min": _MINIMUM,
    "max": _MAXIMUM,
}
_OPERATORS = {ast.Add: _ADD, ast.Sub: _SUBTRACT, ast.Mult: _MULTIPLY, ast.Div: _DIVIDE}
_COMPARISONS = {
    ast.Lt: (_LESS, False),
    ast.LtE: (_LESS_EQUAL, False),
    ast.Gt: (_LESS, True),
    ast.GtE: (_LESS_EQUAL, True),
}


def _row(rows, operator, *operands, number=0.0):
    """Add a node to the table and return its number."""
    rows.append((operator, *operands, *(0,) * (3 - len(operands)), float(number)))
    return len(rows) - 1


def _node(rows, tree):
    """Add the nodes of a formula's syntax tree to the table; return the number of the uppermost."""
    match tree:
        case ast.Name(id="x"):
            return _row(rows, _X)
        case ast.Name(id="pi"):
            return _row(rows, _NUMBER, number=math.pi)
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and abs(value) < 1e300:
            return _row(rows, _NUMBER, number=value)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _row(rows, _SUBTRACT, _row(rows, _NUMBER), _node(rows, operand))
        case ast.BinOp(left=base, op=ast.Pow(), right=ast.Constant(value=int() as exponent)) if 0 <= exponent <= 1000:
            return _row(rows, _POWER, _node(rows, base), exponent)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _OPERATORS:
            return _row(rows, _OPERATORS[type(operator)], _node(rows, left), _node(rows, right))
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in _COMPARISONS:
            kind, swapped = _COMPARISONS[type(operator)]
            operands = _node(rows, left), _node(rows, right)
            return _row(rows, kind, *(operands[::-1] if swapped else operands))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            return _row(rows, _IF, _node(rows, test), _node(rows, body), _node(rows, orelse))
        case ast.Call(func=ast.Name(id=word), args=args, keywords=[]) if (
            len(args) == (2 if word in ("min", "max") else 1) and word in _FUNCTIONS
        ):
            return _row(rows, _FUNCTIONS[word], *(_node(rows, operand) for operand in args))
    words = f"{ast.unparse(tree)!r}" if isinstance(tree, ast.expr) else "it"
    raise ValueError(
        f"f: {words} is not understood; a formula has x, numbers, pi, + - * / **, {', '.join(sorted(_FUNCTIONS))}, "
        f"and `a if x < b else c`"
    )


def _table(text):
    """Return the nodes of a formula in x."""
    if len(text) > 1000:
        raise ValueError("f: a formula has at most 1000 letters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError(f"f must be 1 to 5 or a formula of x such as 0.5+0.5*sin(9*x), got {text!r}") from None
    rows = []
    _node(rows, tree)
    return tuple(rows)


NUMBER = int(F) if F.strip() in ("1", "2", "3", "4", "5") else 0  # 0: a formula
_ROWS = _table(F) if NUMBER == 0 else ((_X, 0, 0, 0, 0.0),)
_OPERATOR = tuple(row[0] for row in _ROWS)
_FIRST = tuple(row[1] for row in _ROWS)
_SECOND = tuple(row[2] for row in _ROWS)
_THIRD = tuple(row[3] for row in _ROWS)
_CONSTANT = tuple(row[4] for row in _ROWS)


def finite(value):
    """Return the value, 0 where it is infinite or not defined."""
    return value if value - value == 0.0 else 0.0


def binary(operator, a, b):
    """Return what an operator makes of two numbers; a division by 0 gives 0."""
    if operator == _ADD:
        return a + b
    if operator == _SUBTRACT:
        return a - b
    if operator == _MULTIPLY:
        return a * b
    if operator == _MINIMUM:
        return min(a, b)
    if operator == _MAXIMUM:
        return max(a, b)
    if operator == _LESS:
        return 1.0 if a < b else 0.0
    if operator == _LESS_EQUAL:
        return 1.0 if a <= b else 0.0
    return 0.0 if b == 0.0 else a / b


def unary(operator, a):
    """Return what a function makes of a number; where it is not defined it is 0."""
    if operator == _SIN:
        return math.sin(a)
    if operator == _COS:
        return math.cos(a)
    if operator == _ABS:
        return abs(a)
    if operator == _SQRT:
        return math.sqrt(a) if a > 0.0 else 0.0
    if operator == _LOG:
        return math.log(a) if a > 0.0 else 0.0
    return math.exp(min(a, 700.0))


def formula(node: int, x: float):
    """Return the value at x of the formula that begins at a row of the table."""
    operator = _OPERATOR[node]
    if operator == _X:
        return x
    if operator == _NUMBER:
        return _CONSTANT[node]
    a = formula(_FIRST[node], x)
    if operator == _IF:
        return formula(_SECOND[node] if a != 0.0 else _THIRD[node], x)
    if operator == _POWER:
        product = 1.0
        for _ in range(_SECOND[node]):
            product *= a
        return finite(product)
    if operator >= _SIN:
        return finite(unary(operator, a))
    return finite(binary(operator, a, formula(_SECOND[node], x)))


def value(x):
    """Return f(x), between 0 and 1."""
    if NUMBER == 1:
        return math.sin(math.pi * x)
    if NUMBER == 2:
        return 0.5 * math.sin(13.0 * x) * math.sin(27.0 * x) + 0.5
    if NUMBER == 3:
        wave = 0.5 * abs(math.sin(1.0 / power(x, 5.0))) if x > 0.0 else 0.0
        return 0.5 + wave if x < 0.5 else 0.35 + wave
    if NUMBER == 4:
        return 0.5 * x + (1.0 - 0.7 * x) * power(math.sin(5.0 * math.pi * x), 4.0)
    if NUMBER == 5:
        return 0.5 * x + (1.0 - 0.7 * x) * power(math.sin(5.0 * math.pi * x), 80.0)
    return formula(len(_OPERATOR) - 1, x)


def hope(s):
    """Return the probability that nature pays for the narrow interval of this state."""
    return min(max(value((s.index + 0.5) / LEAVES), 0.0), 1.0)


for _step in range(2000 if NUMBER == 0 else 0):  # a wrong formula is refused before anything runs
    if not -1e-9 <= value((_step + 0.5) / 2000) <= 1.0 + 1e-9:
        raise ValueError(
            f"f must stay between 0 and 1, but f({(_step + 0.5) / 2000:g}) = {value((_step + 0.5) / 2000):g}"
        )


def setup(s):
    s.depth = 0
    s.index = 0
    s.reward = -1


def mover(s):
    return CHANCE if s.depth == DEPTH and s.reward < 0 else 0


def moves(s, out):
    if s.reward >= 0:
        return 0
    if s.depth < DEPTH:
        for part in range(K):
            out[part] = part
        return K
    n = 0
    probability = hope(s)
    if probability < 1.0:
        out[n] = 0
        n += 1
    if probability > 0.0:
        out[n] = 1
        n += 1
    return n


def chance(s, m):
    return hope(s) if m == 1 else 1.0 - hope(s)


def play(s, m):
    if s.depth < DEPTH:
        s.depth += 1
        s.index = s.index * K + m
    else:
        s.reward = m


def payoff(s, p):
    return 1 if s.reward == 1 else 0
