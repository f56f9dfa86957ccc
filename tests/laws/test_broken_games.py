"""A corpus of broken games: each ends in one line with file and line and the way out; none hangs, none ends in a
traceback.

Beside `test_planted_bugs.py`, which has the everyday slips: here are the wrong games that used to
pass, and the messages that used to mislead. A text `# here` marks the line that must be named.
"""

import re
import time

import pytest

from ludwin import check, load
from ludwin.cli import main
from ludwin.errors import RuleError
from ludwin.rules import watch

pytestmark = pytest.mark.thorough

PLAY = "    s.heap -= m\n"
START = "    s.turn = 0\n"


@pytest.fixture
def hasty(monkeypatch):
    """Let the watchdog lose its patience soon."""
    monkeypatch.setattr(watch, "PATIENCE", 0.3)
    monkeypatch.setattr(watch, "LOADING", 0.3)


def says(path, words, workshop, mark="# here", helper=None):
    with pytest.raises(RuleError) as caught:
        check(load(path), playouts=20, searches=False)
    message = str(caught.value)
    assert re.search(words, message), message
    assert "\n" not in message and len(message) < 450, message
    place = str(workshop.folder / f"{helper}.py") if helper else path
    assert message.startswith(f"{place}:{workshop.line(place, mark)}: "), message


# A line at the top of the file, a line inside `setup`, and the words of the message.
NAMES = {
    "a method of a list": ("LOG = []", "LOG.append(1)", "LOG is a table of the file and LOG.append cannot be compiled"),
    "a method of a tuple": ("LOG = (1, 2)", "s.heap = LOG.index(2)", "rules may read its cells"),
    "a method of an array": (
        "import numpy as np\nLOG = np.arange(3)",
        "s.heap = LOG.sum()",
        "LOG is a table of the file",
    ),
    "a member of a class": (
        "class Colour:\n    RED = 1",
        "s.heap = Colour.RED",
        "Colour is a class .*: write RED = 1 at the top",
    ),
    "a member of an enumeration": (
        "import enum\nColour = enum.IntEnum('Colour', 'RED BLUE')",
        "s.heap = Colour.BLUE",
        "write BLUE = 2 at the top",
    ),
    "a method of a class": (
        "class Colour:\n    def red(self): pass",
        "s.heap = Colour.red",
        "Colour is a class and .* write its numbers",
    ),
    "an object made of a class": (
        "class Colour:\n    pass",
        "c = Colour()",
        "'Colour' is a class and cannot be called",
    ),
    "a member of an object": (
        "import types\nBOX = types.SimpleNamespace(a=1)",
        "s.heap = BOX.a",
        "BOX is a SimpleNamespace and BOX.a cannot",
    ),
    "a member of a dict": ("BOX = {1: 2}", "s.heap = BOX.get(1)", "BOX is a dict and BOX.get cannot"),
    "a class as a number": (
        "class Colour:\n    pass",
        "s.heap = Colour",
        "Colour is a class: compiled rules use numbers",
    ),
    "a lambda that is called": (
        "twice = lambda x: 2 * x",
        "s.heap = twice(4)",
        "'twice' is a function and cannot be called: .* a def at the top",
    ),
    "a partial function": (
        "import functools\nf = functools.partial(max, 3)",
        "s.heap = f(4)",
        "'f' is a function and cannot be called",
    ),
    "an attribute of a function": ("", "moves.count = 3", "moves.count is a constant of the file"),
    "an attribute of a function that is read": ("", "s.heap = mover.count", "mover is a function of the file"),
    "a fraction": (
        "from fractions import Fraction\nHALF = Fraction(1, 2)",
        "s.heap = HALF",
        "HALF is a Fraction: compiled rules use numbers",
    ),
    "a decimal": ("from decimal import Decimal\nHALF = Decimal(1)", "s.heap = HALF", "HALF is a Decimal"),
    "a range as a table": ("R = range(9)", "s.heap = R[3]", "R is a range"),
    "a set": ("R = frozenset((1, 2))", "s.heap = R", "R is a frozenset"),
    "bytes": ("R = b'abc'", "s.heap = R[1]", "R is a bytes"),
    "an empty table": ("R = ()", "s.heap = R[0]", "the table R is empty"),
    "an array of objects": (
        "import numpy as np\nR = np.array([1, None])",
        "s.heap = R[0]",
        "the table R is an array of object",
    ),
    "an array of complex numbers": (
        "import numpy as np\nR = np.array([1j])",
        "s.heap = R[0]",
        "the table R is an array of complex128",
    ),
    "an empty array": ("import numpy as np\nR = np.zeros(0)", "s.heap = R[0]", "the table R is empty"),
    "an array beyond 64 bits": (
        "import numpy as np\nR = np.array([2**64 - 1], dtype=np.uint64)",
        "s.heap = R[0]",
        "18446744073709551615 does not fit 64 bits",
    ),
    "a list that holds itself": ("R = [1]\nR[0] = R", "s.heap = R[0]", "the table R has rows of different lengths"),
    "a table of texts": ("R = ('a', 'b')", "s.heap = R[0]", "the table R mixes str"),
    "a number of 5000 digits": (
        "BIG = 10**5000",
        "s.heap = BIG",
        "the constant a number of about 5000 digits does not fit 64 bits",
    ),
    "a power that takes an hour": ("", "s.heap = (9**20) ** 4999", "does not fit 64 bits"),
    "a tower of powers": ("", "s.heap = 9**9**9**9", "does not fit 64 bits|overflows"),
    "a shift by a million": ("", "s.heap = 1 << 1000000", "a shift must be by 0 … 63 bits"),
    "a division of constants": ("", "s.heap = 1 % 0", "1 % 0: integer modulo by zero"),
}


@pytest.mark.parametrize("bug", NAMES)
def test_a_name_is_called_what_it_is(bug, workshop):
    top, line, words = NAMES[bug]
    text = workshop.text.replace("HEAP = 9\n", f"HEAP = 9\n{top}\n").replace(START, f"{START}    {line}  # here\n")
    says(workshop.write(text), words, workshop)


MATH = {
    "math.factorial(4)": "math.factorial cannot be compiled: use a table",
    "math.comb(4, 2)": "math.comb cannot be compiled: use a table",
    "math.perm(4, 2)": "math.perm cannot be compiled: use a table",
    "math.lcm(4, 6)": r"math.lcm cannot be compiled: use x // math.gcd\(x, y\) \* y",
    "math.prod(TAKE)": "math.prod cannot be compiled: use a loop",
    "math.fsum(TAKE)": "math.fsum cannot be compiled: use a loop",
    "math.modf(2.5)": "math.modf cannot be compiled: it gives two numbers",
    "math.frexp(2.5)": "math.frexp cannot be compiled: it gives two numbers",
    "math.isclose(1.0, 2.0)": "math.isclose cannot be compiled: use abs",
    "math.remainder(5.0, 3.0)": "math.remainder cannot be compiled: use math.fmod",
    "math.ldexp(1.0, 3)": "math.ldexp cannot be compiled: use x",
    "math.nextafter(1.0, 2.0)": "math.nextafter cannot be compiled; of math rules may use acos",
    "math.ulp(1.0)": "math.ulp cannot be compiled; of math rules may use acos",
    "math.pow(2.0, 3.0)": "math.pow rounds differently when compiled: use power",
    "math.hypot(3.0, 4.0)": "math.hypot rounds differently when compiled: use math.sqrt",
    "math.gamma(3.0)": "math.gamma rounds differently when compiled: use a table",
    "math.log(8, 2)": "math.log takes 1 argument, got 2",
    "math.atan2(1.0)": "math.atan2 takes 2 arguments, got 1",
    "math.sqrt": "the function math.sqrt is named but not called",
    "math.pi(3)": "math.pi is a number and cannot be called",
    "math.squareroot(3)": "math has no 'squareroot'",
    "mix(1)": "mix takes 2 arguments, got 1",
    "mix": "the function mix is named but not called",
}


@pytest.mark.parametrize("call", MATH)
def test_of_math_rules_may_use_what_means_the_same_in_all_modes(call, workshop):
    says(workshop.spoil(START, f"{START}    s.heap = int({call})  # here\n"), MATH[call], workshop)


def test_math_under_another_name_is_told_apart_from_other_modules(workshop):
    text = workshop.text.replace("import math\n", "import math as m\nfrom math import factorial\n")
    says(
        workshop.write(text.replace(START, f"{START}    s.heap = int(m.sqrt(9.0))  # here\n")),
        "write import math, and math.sqrt",
        workshop,
    )
    says(
        workshop.write(text.replace(START, f"{START}    s.heap = factorial(3)  # here\n")),
        "math.factorial cannot be compiled: use a table",
        workshop,
    )
    text = workshop.text.replace("import math\n", "")
    says(
        workshop.write(text.replace(START, f"{START}    s.heap = int(math.sqrt(9.0))  # here\n")),
        "'math' is not defined: write import math",
        workshop,
    )


SIZES = {
    "MAX_PLIES of a thousand million": (
        "MAX_PLIES = 20",
        "MAX_PLIES = 10**9",
        "MAX_PLIES must be at most 1,048,576, got 1000000000",
    ),
    "MAX_MOVES of ten thousand million": (
        "MAX_MOVES = 3",
        "MAX_MOVES = 10**10",
        "MAX_MOVES must be at most 65,536, got 10000000000",
    ),
    "MAX_MOVES of 5000 digits": (
        "MAX_MOVES = 3",
        "MAX_MOVES = 10**5000",
        "MAX_MOVES must be at most 65,536, got a number of about 5000 digits",
    ),
    "a field of 10**11 cells": (
        '"log": 4}',
        '"log": 10**11}',
        "a state has at most 65,536 cells, and these are 100000000002",
    ),
    "fields that are too much together": ('"log": 4}', '"log": 2**15, "more": (float, 2**15)}', "these are 65538"),
    "a million players": ("MAX_PLIES = 20", "PLAYERS = 10**6", "PLAYERS must be at most 256, got 1000000"),
    "a query of a million places": (
        "MAX_PLIES = 20",
        'QUERIES = {"x": ("bool", 10**6)}',
        "'x' may have at most 65,536 values, got 1000000",
    ),
    "a query of -1 places": ("MAX_PLIES = 20", 'QUERIES = {"x": ("bool", -1)}', 'must be "float", "bool"'),
    "an infinite payoff sum": (
        "MAX_PLIES = 20",
        "PAYOFF_SUM = math.inf",
        "PAYOFF_SUM must be a number or None, got inf",
    ),
    "a field of a long text": ('"log": 4}', '"log": "x" * 1000}', "'log' must be int, float, a number of cells"),
}


@pytest.mark.parametrize("bug", SIZES)
def test_sizes_have_limits(bug, workshop):
    old, new, words = SIZES[bug]
    more = "\n\ndef query(s, p, k, a):\n    return 0.0\n" if "QUERIES" in new else ""
    says(workshop.spoil(old, f"{new}  # here", more), words, workshop)


# What is left in memory, and what is kept outside the state.
STALE = {
    "moves that reads out first": (
        "    n = 0\n",
        "    n = out[0] * 0  # here\n",
        "",
        r"out\[0\] is read before it is written",
    ),
    "moves that counts in out": (
        "            out[n] = TAKE[k]\n",
        "            out[n] += TAKE[k]  # here\n",
        "",
        r"out\[0\] is read before it is written",
    ),
    "moves that looks for a move that is listed": (
        "        if k <= s.heap:",
        "        if k <= s.heap and out[n] != k:  # here",
        "",
        r"out\[0\] is read before",
    ),
    "moves that looks beyond its list": (
        "    return n\n",
        "    return n if n == 0 or out[n - 1] > 0 or out[n] > 0 else 0\n",
        "",
        None,
    ),
    "moves that reads what it has not written": (
        "    return n\n",
        "    x = out[2]  # here\n    return n\n",
        "",
        r"out\[2\] is read before it is written",
    ),
    "a helper of moves that reads first": (
        "    n = 0\n",
        "    n = first(out)\n",
        "\n\ndef first(out):\n    return out[1] * 0  # here\n",
        r"out\[1\] is read before",
    ),
    "moves that returns one too many": (
        "    return n\n",
        "    return min(n + 1, 3)\n",
        "",
        r"moves returns 3 and has not written out\[2\]",
    ),
    "moves that leaves a hole": (
        "            n += 1\n",
        "            n += 1 + (s.heap == 2)\n",
        "",
        r"moves returns 4|has not written out\[1\]",
    ),
    "a table under another name": (
        PLAY,
        f"{PLAY}    t = TAKE\n    t[1] = 2  # here\n",
        "",
        "a table of the file is changed",
    ),
    "a table that is an argument": (
        PLAY,
        f"{PLAY}    bump(TAKE)\n",
        "\n\ndef bump(t):\n    t[0] = 1  # here\n",
        "a table of the file is changed",
    ),
    "a row of a table": (
        PLAY,
        f"{PLAY}    ROWS[0][0] += 1  # here\n",
        "\n\nROWS = [[0]]\n",
        r"ROWS\[0\] is a constant of the file",
    ),
    "a constant of math": (PLAY, f"{PLAY}    math.pi = 3  # here\n", "", "math.pi is a constant of the file"),
    "an array under another name": (
        PLAY,
        f"{PLAY}    t = A\n    t[1] = 2  # here\n",
        "\n\nimport numpy\n\nA = numpy.arange(3)\n",
        "a table of the file is changed",
    ),
}


@pytest.mark.parametrize("bug", STALE)
def test_what_is_left_over_is_found(bug, workshop):
    old, new, more, words = STALE[bug]
    path = workshop.spoil(old, new, more)
    if words is None:  # `or` stops before the cell is read
        assert check(load(path), playouts=20, searches=False).positions
        return
    says(path, words, workshop, "# here" if "# here" in new + more else "def moves(")


HELPERS = {
    "a number of a helper file": (
        "COUNT = 0\n",
        "helper.COUNT += 1  # here",
        "helper.COUNT is a constant of the file",
        None,
    ),
    "a table of a helper file": (
        "COUNT = [0]\n",
        "helper.COUNT[0] += 1  # here",
        "helper.COUNT is a constant of the file",
        None,
    ),
    "a table that a helper changes": (
        "COUNT = [0]\n\n\ndef bump(k):\n    COUNT[0] += k  # here\n",
        "helper.bump(1)",
        "COUNT is a constant of the file",
        "helper",
    ),
    "a global that a helper changes": (
        "COUNT = 0\n\n\ndef bump(k):\n    global COUNT  # here\n    COUNT += k\n",
        "helper.bump(1)",
        "may not change a global",
        "helper",
    ),
    "a dict of a helper file": ("COUNT = {}\n", "s.heap += helper.COUNT  # here", "helper.COUNT is a dict", None),
    "a lambda of a helper file": (
        "bump = lambda k: k\n",
        "s.heap += helper.bump(0)  # here",
        "helper.bump cannot be called",
        None,
    ),
    "too few arguments for a helper": (
        "def bump(k, l):\n    return k\n",
        "s.heap += helper.bump(0)  # here",
        "helper.bump takes 2 arguments, got 1",
        None,
    ),
    "a helper that is not called": (
        "def bump(k):\n    return k\n",
        "s.heap = helper.bump  # here",
        "the function helper.bump is named but not called",
        None,
    ),
}


@pytest.mark.parametrize("bug", HELPERS)
def test_what_a_helper_file_keeps_is_found(bug, workshop):
    helper, line, words, place = HELPERS[bug]
    path = workshop.write("import helper\n" + workshop.text.replace(PLAY, f"{PLAY}    {line}\n"), helper=helper)
    says(path, words, workshop, helper=place)


def test_a_constant_is_found_that_a_drawing_changes(workshop):
    more = "\n\ndef show(s):\n    TALLY[0] += 1\n    return str(TALLY)\n"
    path = workshop.write(
        workshop.text.replace("HEAP = 9\n", "HEAP = 9\nTALLY = [0]  # here\n").replace(
            "k <= s.heap", "k <= s.heap + 0 * TALLY[0]"
        )
        + more
    )
    says(path, "TALLY is a constant that rules use, and it has changed during play", workshop)


def test_a_drawing_may_keep_what_no_rule_uses(workshop):
    more = "\n\nSEEN = []\n\n\ndef show(s):\n    SEEN.append(s.heap)\n    return str(SEEN)\n"
    assert check(load(workshop.write(workshop.text + more)), playouts=3, searches=False)


def test_one_rule_has_one_def(workshop):
    more = "\n\ndef payoff(s, p):  # here\n    return 0\n"
    says(workshop.write(workshop.text + more), "payoff is defined twice, in lines 38 and 46", workshop)
    more = "\n\nimport functools\n\npayoff = functools.partial(payoff)\n"
    says(
        workshop.write(workshop.text + more),
        "payoff is something else when the file has been read",
        workshop,
        mark="def payoff(",
    )


def test_an_imported_rule_is_the_one_that_its_file_defines(workshop):
    helper = "def less(a, b):\n    return a - b\n\n\ndef more(a, b):\n    return a + b\n"
    text = "from sums import less, more  # here\n" + workshop.text.replace("s.heap -= m", "s.heap = less(s.heap, m)")
    assert check(load(workshop.write(text, sums=helper)), playouts=3, searches=False)
    says(
        workshop.write(text + "\n\nless = more\n", sums=helper),
        "less is something else when the file has been read",
        workshop,
    )


@pytest.mark.parametrize("terms", [160, 400, 700])
def test_what_is_nested_too_deeply_is_named_with_its_line(workshop, terms):
    long = " + ".join(["0 * m"] * terms)
    says(
        workshop.spoil("s.heap -= m", f"s.heap -= m + {long}  # here"),
        "something in play is nested more than 150 deep: make several lines of it, or a loop",
        workshop,
    )


def test_a_sum_of_a_hundred_terms_is_compiled(workshop):
    long = " + ".join(["0 * m"] * 100)
    assert check(load(workshop.spoil("s.heap -= m", f"s.heap -= m + {long}")), playouts=3)


def test_only_numpys_tables_take_several_indices_at_once(workshop):
    table = "HEAP = 9\nROWS = ((0, 1), (2, 3))\n"
    text = workshop.text.replace("HEAP = 9\n", table).replace("s.heap -= m", "s.heap -= m + 0 * ROWS[0, 1]  # here")
    says(workshop.write(text), r"write ROWS\[0\]\[1\]: only NumPy's tables take several indices at once", workshop)
    numpy = text.replace("((0, 1), (2, 3))", "numpy.array([[0, 1], [2, 3]])")
    assert check(load(workshop.write("import numpy\n" + numpy, name="tables.py")), playouts=3)


def test_numpys_tables_hold_pythons_numbers(workshop):
    table = "import numpy\n\nHEAP = 9\nSMALL = numpy.array([[100, 3], [7, 0]], dtype=numpy.int8)\n"
    for change in ("SMALL[0, 0] * SMALL[0][0] - 9999", "SMALL[0, 0] * 100 - 9999", "max(SMALL[1, 0], 0) - 6"):
        text = workshop.text.replace("HEAP = 9\n", table).replace("s.heap -= m", f"s.heap -= m * ({change})")
        assert check(load(workshop.write(text)), playouts=3), change
    text = workshop.text.replace("HEAP = 9\n", table).replace("s.heap -= m", "s.heap -= m // SMALL[1, 1]  # here")
    says(workshop.write(text), "division by zero|integer division or modulo by zero", workshop)
    more = "\n\ndef show(s):\n    return f'{SMALL.sum()} {SMALL * 2}'\n"  # people may do with them what NumPy can
    assert "110 [[-56" in load(workshop.write(workshop.text.replace("HEAP = 9\n", table) + more)).start().show()


# Rules that never return.
LOOP = "while s.heap >= 0:  # here\n        pass"
HANGS = {
    "setup": (
        START,
        f"{START}    while s.turn == 0:  # here\n        pass\n",
        "",
        "setup does not return: 0.3 s, position 'heap=9 turn=0 log=0,0,0,0'",
    ),
    "mover": (
        "    return s.turn\n",
        f"    {LOOP}\n    return s.turn\n",
        "",
        "mover does not return: .* position 'heap=9",
    ),
    "moves": ("    n = 0\n", f"    n = 0\n    {LOOP}\n", "", "moves does not return: .* position 'heap=9"),
    "moves at one position": (
        "    n = 0\n",
        "    n = 0\n    while s.heap == 3:  # here\n        pass\n",
        "",
        "moves does not return: .* position 'heap=3",
    ),
    "play": (PLAY, f"{PLAY}    {LOOP}\n", "", "play does not return"),
    "payoff": ("    return -1 if", f"    {LOOP}\n    return -1 if", "", "payoff does not return: .* position 'heap=0"),
    "key": ("    return mix(", f"    {LOOP}\n    return mix(", "", "key does not return"),
    "evaluate": (START, START, f"\n\ndef evaluate(s, p):\n    {LOOP}\n    return 0\n", "evaluate does not return"),
    "a long range": (
        PLAY,
        f"{PLAY}    for k in range(10**15):\n        s.turn += 0  # here\n",
        "",
        "play does not return",
    ),
    "a function of its own": (
        PLAY,
        f"{PLAY}    f(s)\n",
        f"\n\ndef f(s):\n    {LOOP}\n",
        r"play does not return: 0.3 s \(it is in f\)",
    ),
    "name": (START, START, "\n\ndef name(s, m):\n    while True:  # here\n        pass\n", "name does not return"),
    "show": (START, START, "\n\ndef show(s):\n    while True:  # here\n        pass\n", "show does not return"),
    "parse": (
        START,
        START,
        "\n\ndef parse(s, text):\n    while True:  # here\n        pass\n",
        "parse does not return",
    ),
    "write": (START, START, "\n\ndef write(s):\n    while True:  # here\n        pass\n", "write does not return"),
    "read": (
        START,
        START,
        '\n\ndef write(s):\n    return "x"\n\n\ndef read(s, text):\n    while True:  # here\n        pass\n',
        "read does not return",
    ),
    "one that catches everything": (
        START,
        START,
        "\n\ndef show(s):\n    while True:\n        try:  # here\n            s.heap = 1\n        except "
        "Exception:\n            pass\n",
        "show does not return",
    ),
    "one that prints": (
        PLAY,
        f"{PLAY}    while s.heap >= 0:\n        print(s.heap)  # here\n",
        "",
        "play does not return",
    ),
    "the top of the file": (
        "HEAP = 9\n",
        "HEAP = 9\nwhile HEAP:  # here\n    pass\n",
        "",
        "the top of the file has computed for 0.3 s",
    ),
}


@pytest.mark.parametrize("bug", HANGS)
def test_a_rule_that_never_returns_is_stopped_on_its_line(bug, workshop, hasty):
    old, new, more, words = HANGS[bug]
    path = workshop.spoil(old, new, more)
    with pytest.raises(RuleError) as caught:
        check(load(path), playouts=20, searches=False)
    message = str(caught.value)
    assert re.search(words, message), message
    line = workshop.line(path)
    assert message.startswith((f"{path}:{line}: ", f"{path}:{line + 1}: ", f"{path}:{line - 1}: ")), (
        message
    )  # the loop, or its body


def test_a_helper_file_that_never_returns_is_named(workshop, hasty):
    path = workshop.write(
        "import helper\n" + workshop.text.replace(PLAY, f"{PLAY}    helper.f(s)\n"),
        helper="def f(s):\n    while s.heap > -1:  # here\n        s.heap += 0\n",
    )
    with pytest.raises(
        RuleError, match=r"helper\.py:[23]: play does not return: 0.3 s \(it is in f\), position 'heap="
    ):
        check(load(path), playouts=20, searches=False)


def test_a_slow_game_is_not_a_hanging_one(workshop, hasty):
    """Many calls, each shorter than the patience, take longer than it together."""
    path = workshop.spoil(PLAY, f"{PLAY}    for k in range(4000):\n        s.turn += 0\n")
    began = time.process_time()
    assert check(load(path), playouts=30, searches=False).playouts == 30
    assert time.process_time() - began > 2 * watch.PATIENCE


def with_nature(text):
    text = text.replace("    return s.turn\n", "    return CHANCE if s.turn == 1 else 0\n")
    return text.replace("import mix", "import CHANCE, mix")


def test_weights_whose_sum_is_infinite_are_found_and_refused_where_nature_draws(workshop):
    text = with_nature(workshop.text) + "\n\ndef chance(s, m):  # here\n    return 1e308\n"
    path = workshop.write(text)
    says(path, "the weights of 3 moves add up to inf: nature cannot draw", workshop)
    state = load(path).start().play(1)
    with pytest.raises(RuleError, match="nature cannot draw: its weights add up to inf"):
        state.weights()
    with pytest.raises(RuleError, match="nature cannot draw"):
        state.chance(1)


def test_nature_has_a_name(workshop):
    path = workshop.spoil("    return s.turn\n", "    return -1 if s.turn == 1 else 0\n")
    says(path, "mover returns -1, which means nature: write CHANCE", workshop, mark="def mover(")


CHANCES = {
    "an import that is not used": ("import mix", "import CHANCE, mix", False),
    "a use in a rule": ("    return s.turn\n", "    return CHANCE if s.heap < 0 else s.turn\n", True),
    "a use in a function for people": ("def key(s)", "def show(s):\n    return str(CHANCE)\n\n\ndef key(s)", False),
    "another name": ("    return s.turn\n", "    return NATURE if s.heap < 0 else s.turn\n", True),
    "another name that is not used": ("HEAP = 9\n", "HEAP = 9\n", False),
}


@pytest.mark.parametrize("case", CHANCES)
def test_a_game_of_chance_is_one_whose_rules_use_chance(case, workshop):
    old, new, chance = CHANCES[case]
    text = workshop.text.replace("import mix", "import CHANCE, mix").replace(
        "HEAP = 9\n", "HEAP = 9\nNATURE = CHANCE\n"
    )
    assert load(workshop.write(text.replace(old, new) if old != "import mix" else text)).has_chance is chance


TEXTS = {
    "show that returns nothing": ("def show(s):  # here\n    print(s.heap)\n", "show must return a text, got None"),
    "show that returns a list": (
        "def show(s):  # here\n    return [s.heap]\n",
        r"show must return a text, got list \[9\]",
    ),
    "name that returns a number": ("def name(s, m):  # here\n    return m\n", "name must return a text, got int 1"),
    "name that returns nothing": ("def name(s, m):  # here\n    pass\n", "name must return a text, got None"),
    "an empty name": (
        "def name(s, m):  # here\n    return 'x' * (m - 1)\n",
        "gives move 1 the text '', which nobody can type: it is empty",
    ),
    "a name of two lines": (
        "def name(s, m):  # here\n    return f'{m}\\n{m}'\n",
        "which nobody can type: it holds a character that is not printed",
    ),
    "a name that ends with a blank": (
        "def name(s, m):  # here\n    return f'{m} '\n",
        "it begins or ends with a blank",
    ),
    "a name in quotation marks": (
        "def name(s, m):  # here\n    return f'\"{m}\"'\n",
        "quotation marks are for names with blanks",
    ),
    "a name that changes the state": (
        "def name(s, m):  # here\n    s.heap = 0\n    return str(m)\n",
        "name must not change the state",
    ),
    "a write that returns a number": (
        "def write(s):  # here\n    return s.heap\n",
        "write must return a text, got int 9",
    ),
    "a picture that returns bytes": (
        "def picture(s):  # here\n    return b'<svg/>'\n",
        "picture must return a text, got bytes",
    ),
}


@pytest.mark.parametrize("bug", TEXTS)
def test_texts_are_texts(bug, workshop):
    more, words = TEXTS[bug]
    says(workshop.write(workshop.text + f"\n\n{more}"), words, workshop)


OTHERS = {
    "an opinion of nan": ("def evaluate_bold(s, p):  # here\n    return math.nan\n", "evaluate_bold returns nan"),
    "an opinion that changes the state": (
        "def evaluate_bold(s, p):  # here\n    s.log[3] += 1\n    return 0\n",
        "evaluate_bold must not change the state",
    ),
    "an order that is a float": (
        "def order_bold(s, m):  # here\n    return 0.5 * m\n",
        "order_bold must return a whole number, got float",
    ),
    "a null that keeps the turn": (
        "def null(s):  # here\n    return True\n",
        "null says that the turn is given away, and player . is still to move",
    ),
    "a null that is a float": (
        "def null(s):  # here\n    s.turn = 1 - s.turn\n    return 0.5\n",
        "null must return true or false, got float 0.5",
    ),
    "a noisy that changes the state": (
        "def noisy(s, m):  # here\n    s.log[3] += 1\n    return True\n",
        "noisy must not change the state",
    ),
    "a goal that is a float": (
        "def solved(s):  # here\n    return 0.5\n",
        "solved must return true or false, got float 0.5",
    ),
    "a power beyond all measure": (
        "def evaluate(s, p):\n    return (s.heap + 2) ** (10**9 + s.heap)  # here\n",
        r"\*\* \(10 \*\* 9 \+ s.heap\) overflows 64 bits",
    ),
}


@pytest.mark.parametrize("bug", OTHERS)
def test_what_else_a_file_defines_is_tried(bug, workshop):
    more, words = OTHERS[bug]
    says(workshop.write(workshop.text + f"\n\n{more}"), words, workshop)


ALLOWED = {
    "NumPy's numbers": (
        "HEAP = 9\n",
        "import numpy as np\nHEAP = np.int64(9)\nBOUNDS = (np.int64(1), np.int32(4))\n",
        ("range(1, 4)", "range(BOUNDS[0], BOUNDS[1])"),
    ),
    "NumPy's sizes": (
        "MAX_MOVES = 3\n",
        "MAX_MOVES = np.int64(3)\n",
        (
            'FIELDS = {"heap": int, "turn": int, "log": 4',
            'import numpy as np\nFIELDS = {"heap": int, "turn": int, "log": np.int64(4)',
        ),
    ),
    "names with blanks": ("def key(s)", "def name(s, m):\n    return f'take {m}'\n\n\ndef key(s)", ("", "")),
    "moves that reads what it has written": (
        "    return n\n",
        "    return n if n == 0 or out[n - 1] > 0 else 0\n",
        ("", ""),
    ),
}


@pytest.mark.parametrize("case", ALLOWED)
def test_check_is_content_with(case, workshop):
    old, new, (old2, new2) = ALLOWED[case]
    text = workshop.text.replace(old, new)
    assert check(load(workshop.write(text.replace(old2, new2) if old2 else text)), playouts=5, searches=False).positions


# What check does not see, and why; the page docs/reference/check.md says so.
UNSEEN = {
    "a loop in a position that no game reaches": (PLAY, f"{PLAY}    while s.heap > 100:\n        pass\n", ""),
    "a stale read in such a position": ("    n = 0\n", "    n = 0 if s.heap < 100 else out[0]\n", ""),
    "a key that forgets what never differs": ("return mix(s.heap, s.turn)", "return 2 * s.heap + s.turn", ""),
}


@pytest.mark.parametrize("bug", UNSEEN)
def test_check_cannot_see(bug, workshop):
    old, new, more = UNSEEN[bug]
    assert check(load(workshop.spoil(old, new, more)), playouts=5, searches=False).positions


@pytest.mark.parametrize("command", [["check"], ["perft"], ["moves"]])
def test_the_command_line_says_it_in_one_line(command, workshop, hasty, capsys):
    for old, new, words in (
        ("    n = 0\n", "    n = out[0] * 0\n", "is read before it is written"),
        ("    n = 0\n", f"    n = 0\n    {LOOP}\n", "moves does not return"),
        ("MAX_MOVES = 3", "MAX_MOVES = 10**10", "MAX_MOVES must be at most 65,536"),
    ):
        path = workshop.spoil(old, new)
        code = main([*command, path, *(["2"] if command == ["perft"] else [])])
        out, err = capsys.readouterr()
        assert code == (1 if command == ["check"] else 2) and not out
        (fault,) = [line for line in err.splitlines() if "laws in plain" not in line and "is new:" not in line]
        assert words in fault and "Traceback" not in err


def test_a_first_look_at_three_thousand_moves_is_quick(workshop):
    text = '''"""Take a number once."""
FIELDS = {"turn": int, "plies": int}
MAX_MOVES = 3000

def setup(s):
    s.turn = 0

def mover(s):
    return s.turn

def moves(s, out):
    n = 0 if s.plies >= 8 else 3000
    for k in range(n):
        out[k] = k
    return n

def play(s, m):
    s.turn = 1 - s.turn
    s.plies += 1

def payoff(s, p):
    return 0

def name(s, m):
    return f"m{m}"

def parse(s, text):
    return int(text[1:])
'''
    game = load(workshop.write(text))
    clock = {}
    check(game, playouts=60, searches=False, progress=lambda line: clock.setdefault(line, time.process_time()))
    assert (
        clock["plain = checked"] - clock["laws in plain Python"] < 10
    )  # 40 s when names were counted one by one, 2 s now
