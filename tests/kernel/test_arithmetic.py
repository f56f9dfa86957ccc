"""Python's arithmetic and the machine's agree to the last bit, expression by expression."""

import math
import random
import struct

import pytest

from ludwin import load
from ludwin.errors import RuleError
from ludwin.kernel.names import Floats, States, query
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel

# a and b are whole numbers, x and y floats; none is written so that CPython would raise.
SAME = """
a // b if b != 0 else 0
a % b if b != 0 else 0
a / b if b != 0 and abs(a) < 2**53 and abs(b) < 2**53 else 0
a >> (b & 63)
(a & 65535) << (b & 31)
a + b
a - b
a * (b & 3)
a & b | a ^ b
~a
-a
+a
not a
abs(a)
a ** 3 if abs(a) < 1000 else 0
(a & 7) ** (b & 7)
min(a, b, 3) + max(a, b)
(a > b) - (a < b)
(a > b) * 3 + (a > b)
(a > b) << 2
-(a > b) + +(a < b)
bool(a) + bool(b)
(a > b) & (a > 0) | (b > 7)
(a and b) * 2
(a or b) * 2
(a and x) * 2
(x or a) * 2
a < b < 5
a == b != 3
a if a > b else x
a == x
a < x
float(a)
int(x) if abs(x) < 1e15 else 0
x // y if y != 0 else 0
x % y if y != 0 else 0
x / y if y != 0 else 0
x * y + a
x - y - b
-x
abs(x)
max(x, y)
min(x, y)
max(x, a)
min(b, y)
math.floor(x) if abs(x) < 1e15 else 0
math.ceil(x) if abs(x) < 1e15 else 0
math.trunc(x) if abs(x) < 1e15 else 0
math.sqrt(abs(x))
math.exp(min(max(x, -700.0), 700.0))
math.expm1(min(max(x, -700.0), 700.0))
math.log(abs(x) + 1e-300)
math.log1p(abs(x))
math.log2(abs(x) + 1e-300)
math.log10(abs(x) + 1e-300)
math.sin(x)
math.cos(x)
math.tan(x)
math.asin(min(max(x, -1.0), 1.0))
math.acos(min(max(x, -1.0), 1.0))
math.atan(x)
math.atan2(x, y)
math.sinh(min(max(x, -700.0), 700.0))
math.cosh(min(max(x, -700.0), 700.0))
math.tanh(x)
math.erf(x)
math.erfc(x)
math.fabs(x)
math.copysign(x, y)
math.degrees(x) if abs(x) < 1e300 else 0
math.radians(x)
math.isfinite(x)
math.isnan(x)
math.isinf(x)
math.gcd(a, b)
math.pi + math.e + math.tau
power(abs(x), 2.0) if abs(x) < 1e100 else 0
power(min(abs(x), 100.0), min(abs(y), 9.5))
power(abs(x), 0.5)
lsb(a) + popcount(b)
shr(a, 5) ^ shl(b, 60)
add(a, b) ^ mul(a, b)
clear_lsb(a) ^ mix(a, b)
""".strip().splitlines()

# Known: CPython and numba differ here, as with float **, but nothing refuses these.
DIFFERENT = """
~(a > b)
math.pow(abs(x), 2.0) if abs(x) < 1e100 else 0
math.hypot(x, y)
math.gamma(min(max(abs(x), 0.5), 100.0))
math.lgamma(abs(x) + 0.5)
""".strip().splitlines()

INTEGERS = (
    0,
    1,
    -1,
    2,
    -2,
    3,
    7,
    -7,
    10,
    -10,
    63,
    64,
    255,
    2**31,
    -(2**31),
    2**53,
    -(2**53),
    2**53 + 1,
    2**61,
    -(2**61),
)
REALS = (
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -2.5,
    3.7,
    -3.7,
    1e-300,
    1e300,
    -1e300,
    1e16,
    5e-324,
    math.pi,
    0.1,
    123456.789,
    -4.974187602077502,
)


def game_text(expressions):
    functions = "\n\n".join(
        f"def f{i}(a, b, x, y):\n    return {expression}\n" for i, expression in enumerate(expressions)
    )
    chosen = "\n".join(
        f"    if k == {i}:\n        return 1.0 * f{i}(s.a, s.b, s.x, s.y)" for i in range(len(expressions))
    )
    queries = ", ".join(f'"{i}": "float"' for i in range(len(expressions)))
    return f"""
import math

from ludwin.primitives import add, clear_lsb, lsb, mix, mul, popcount, power, shl, shr

FIELDS = {{"a": int, "b": int, "x": float, "y": float}}
MAX_MOVES = 1
PLAYERS = 1
QUERIES = {{{queries}}}


def setup(s):
    s.a = 0


def mover(s):
    return 0


def moves(s, out):
    return 0


def play(s, m):
    s.a = m


def payoff(s, p):
    return 0


{functions}

def query(s, p, k, a):
{chosen}
    return 0.0
"""


# Kernel text.
def ask(states: States, answers: Floats, number: int):
    for k in range(number):
        answers[k] = query(states[0], 0, k, 0)
    return 0


def answers(game, mode, states):
    """Return for each state what each query says, as 64 bits."""
    run = specialise(game, Kernel("ask", ask), mode)
    for state in states:
        stack, found = run.states(1), run.floats(len(game.queries))
        run.put(stack, 0, state)
        run(stack, found, len(game.queries))
        yield [struct.pack("<d", value) if value == value else b"nan" for value in found]


def sample(game, number):
    rng = random.Random(0)
    for _ in range(number):
        a, b = (rng.choice(INTEGERS) if rng.random() < 0.6 else rng.randint(-1000, 1000) for _ in range(2))
        x, y = (rng.choice(REALS) if rng.random() < 0.5 else rng.uniform(-10, 10) for _ in range(2))
        yield game.state(a=a, b=b, x=x, y=y)


def disagreements(game, expressions, number):
    states = list(sample(game, number))
    found = {}
    for state, plain, fast in zip(states, answers(game, "plain", states), answers(game, "fast", states), strict=True):
        for expression, one, two in zip(expressions, plain, fast, strict=True):
            if one != two:
                found.setdefault(expression, (state.cells, one, two))
    return found


def test_plain_and_fast_agree_on_every_expression(workshop):
    game = load(workshop.write(game_text(SAME), name="expressions.py"))
    assert disagreements(game, SAME, 600) == {}


def test_guarded_arithmetic_is_pythons(workshop):
    game = load(workshop.write(game_text(SAME), name="expressions.py"))
    states = list(sample(game, 30))
    assert list(answers(game, "guarded", states)) == list(answers(game, "plain", states))


@pytest.mark.parametrize("expression", DIFFERENT)
def test_expressions_that_differ_are_refused(expression, workshop):
    with pytest.raises(RuleError, match="differ"):
        load(workshop.write(game_text([expression]), name="different.py"))


def test_lint_and_compiler_know_the_same_functions_of_math():
    from ludwin.kernel.compiler.words import WORDS
    from ludwin.rules.contract import MATH

    assert {f"math.{name}" for name in MATH} == {word for word in WORDS if word.startswith("math.")}
