"""Every operator, builtin, primitive and function of `math`, compiled, against CPython: values, faults, and their
lines.

How it works. Each case is an expression over whole numbers a, b, floats x, y and truth values p, q. It becomes one
loop of a rule file, over arrays of the state. CPython evaluates the same expression on the same values first, one
by one, and so sorts them: `fine` (the result fits), `raises`, `leaves` (a whole number beyond 64 bits), `inexact`
(a whole number that would have to be kept as a float and is none). All fine values run through the compiled loop at
once and must agree to the last bit; the others are run alone and must end in a fault on the line of the expression.
In fast mode integers that leave 64 bits must wrap.

Values are the full product of the boundary values below and ten thousand random ones. Where too many of them end in
a fault, the default run takes some, spread evenly; `-m slow` takes all.
"""

import itertools
import math
import random
import re
import struct
from array import array
from functools import lru_cache
from pathlib import Path

import pytest

from ludwin import load, primitives
from ludwin.errors import RuleError
from ludwin.kernel.names import States, query
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.rules.contract import MATH, MATH_CONSTANTS
from ludwin.rules.lint import WORDS

pytestmark = pytest.mark.thorough

LOWEST, HIGHEST = -(2**63), 2**63 - 1
CELLS = 8_000  # of each array of the state, which may have 2**16 cells; more values are run in turns
MOST = 12_500  # values of a case
RANDOM = 10_000
FEW = 40  # faults of one kind that the default run tries

# fmt: off
WHOLE = sorted(
    {0, 1, -1, 2, -2, 3, -3, 7, 10, -10, 62, -62, 63, -63, 64, -64, 65, 127, 255, 10**6, 2**31, -(2**31),
    2**31 - 1, 2**32}
    | {2**32 + 1, -(2**32), 2**52, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, -(2**53) - 1, 2**54 + 2, 2**60 + 1,
    2**62, -(2**62)}
    | {2**62 + 1, 3037000499, 3037000500, -3037000500, HIGHEST, HIGHEST - 1, HIGHEST - 1024, LOWEST, LOWEST + 1}
    | {0x5555555555555555}
)
REAL = [
    0.0, 1.0, 0.5, 2.0, 3.0, 1.5, 2.5, 0.1, 10.0, 63.0, 64.0, math.pi, math.e, 5e-324, 2.2250738585072014e-308,
    2.225073858507201e-308, 1e-300, 1e300, 1.7976931348623157e308, math.inf, 4503599627370495.5, 9007199254740991.0,
    9007199254740992.0, 9007199254740994.0, 9223372036854774784.0, 9223372036854775808.0, 9223372036854777856.0,
    1.8446744073709552e19, 709.782712893384, 709.7827128933841, 0.9999999999999999, 1.0000000000000002, 745.2,
    4.974187602077502, 1e16, 123456.789,
]
REAL = [*REAL, *(-x for x in REAL), math.nan]
TRUTH = (False, True)
BOUNDARY = {"a": WHOLE, "b": WHOLE, "x": REAL, "y": REAL, "p": TRUTH, "q": TRUTH}

PAIRS = ("ab", "ay", "xb", "xy", "pb", "aq", "pq", "py", "xq")
WHOLE_PAIRS = ("ab", "pb", "aq", "pq")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def pairs(template, kinds):
    """Return an expression for each pair of names: `{} + {}` gives a + b, a + y, …"""
    return [template.format(*pair) for pair in kinds]


# No case has a whole number in its middle that may leave 64 bits while its result does not: CPython would not tell.
ARITHMETIC = [
    *(e for op in ("+", "-", "*", "/", "//", "%") for e in pairs(f"{{}} {op} {{}}", PAIRS)),
    *(e for op in ("**", "<<", ">>", "&", "|", "^") for e in pairs(f"{{}} {op} {{}}", WHOLE_PAIRS)),
    *(f"{op}{name}" for op in ("-", "+", "not ") for name in "axp"),
    "~a", "a // 7", "a % 7", "a // -7", "a % -7", "a // -1", "a % -1", "7 // b", "7 % b", "-7 // b",
    "-9223372036854775808 // b", "9223372036854775807 % b", "a / 3", "3 / b", "0 / b", "a / 9007199254740993", "a * 3",
    "3 - a", "a << 3", "a >> 3", "1 << b", "-1 << b", "-1 >> b", "a ** 2", "a ** 0", "2 ** b", "(-2) ** b", "0 ** b",
    "1 ** b", "x / 3", "3 / y", "x // 0.5", "x % 0.5", "x % -3", "x * 2", "x // math.inf", "x % math.inf",
    "x % -math.inf", "x - x", "x / x", "0.0 * x", "x + 0.0", "-(-x)", "a - a", "a ^ a",
]
COMPARED = [
    *(e for op in COMPARISONS for e in pairs(f"{{}} {op} {{}}", PAIRS)),
    "a < b < y", "x <= a < y", "p < a <= x", "a == b == x", "x != y != a", "a < 9007199254740993.0", "not a < x",
    "a <= 9.223372036854775e18", "x < 9223372036854775807", "x == 9223372036854775807", "x >= -9223372036854775808",
    "x == x", "a == a + 0.0", "a > x > b",
]
SEVERAL = ("a, b, 3", "x, a, y", "a, x, b, y", "p, q, a", "x, y, 0.0, -0.0", "x, y, 0", "0, x", "a, 1")
CHOSEN = [
    *(e for op in ("and", "or") for e in pairs(f"{{}} {op} {{}}", PAIRS)),
    "a and b and x", "x or a or p", "not (a and b)", "not x or y", "a and (b or x)",
    *pairs("{0} if {0} else {1}", PAIRS),
    *(f"{one} if {test} else {two}" for one, two in PAIRS for test in ("p", "a < b")),
    *(e for best in ("min", "max") for e in pairs(f"{best}({{}}, {{}})", PAIRS)),
    *(f"{best}({names})" for best in ("min", "max") for names in SEVERAL),
    *(f"{function}({name})" for function in ("abs", "bool", "float", "int") for name in "axp"),
    "int(x * 1000.0)", "int(float(a))", "abs(-x)", "int(a / 2)", "int(bool(x))", "bool(p + q)", "float(p) + q",
]
EXPONENTS = (
    "x, 2.0", "x, 0.5", "x, -1.0", "x, 2", "2.0, y", "10, y", "x, 1.0 / 3.0",
    "x, 3.0", "x, 1.0", "x, 0.0", "a, 2", "1.0, y",
)
PRIMITIVES = [
    *(f"{name}({pair})" for name in ("shl", "shr", "add", "mul", "mix") for pair in ("a, b", "p, b", "a, q", "a, 3")),
    *(f"{name}({one})" for name in ("popcount", "lsb", "clear_lsb") for one in "ap"),
    "bits(x)",
    "unbits(bits(y))",
    *(f"power({', '.join(pair)})" for pair in PAIRS),
    *(f"power({rest})" for rest in EXPONENTS),
    "draw(s.rng, b)", "draw(s.rng, 6)", "draw(s.rng, b) ^ s.rng[0]", "uniform(s.rng)",
    "uniform(s.rng) + draw(s.rng, 3)",
    "a == CHANCE",
]
ONE = (
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf", "erfc", "exp",
    "exp2", "expm1", "fabs", "floor", "isfinite", "isinf", "isnan", "log", "log10", "log1p", "log2", "radians", "sin",
    "sinh", "sqrt", "tan", "tanh", "trunc", "ulp",
)
TWO = ("atan2", "copysign", "fmod", "remainder", "nextafter")
OF_WHOLE = ("gcd", "lcm", "comb", "perm", "factorial", "isqrt")
# tried one by one below
ELSE = ("frexp", "modf", "ldexp", "fsum", "prod", "dist", "isclose", "hypot", "pow", "gamma", "lgamma")
CONSTANTS = ("pi", "e", "tau", "inf", "nan")
MATHEMATICS = [
    *(f"math.{name}({one})" for name in ONE for one in "xap"),
    *(f"math.{name}({', '.join(pair)})" for name in TWO for pair in ("xy", "ay", "xb", "ab")),
    "math.gcd(a, b)", "math.gcd(p, b)", "math.gcd(a, b, 12)", "math.lcm(a, b)", "math.factorial((a & 31) - 2)",
    "math.isqrt(a)",
    "math.log(x, y)", "math.log(x, 2)", "math.log(a)", "math.comb(a & 63, b & 31)", "math.perm(a & 15, b & 7)",
    "math.ldexp(x, b)", "math.isclose(x, y)", "math.floor(x / 2)", "math.ceil(x * 0.5)", "math.trunc(-x)",
    "math.floor(a / 2)", "math.sqrt(x * x)", "math.exp(-x)",
    *(f"math.{name} * x" for name in CONSTANTS),
]
# Augmented assignments: the target gets the first name, then `op=` the second.
AUGMENTED = [
    *((op, one, two) for op in ("+", "-", "*", "//", "%") for one, two in ("ab", "aq", "xy", "xb", "xq")),
    *(("/", one, two) for one, two in ("xy", "xb", "xq")),
    *((op, one, two) for op in ("**", "<<", ">>", "&", "|", "^") for one, two in ("ab", "aq")),
    *((op, "p", "q") for op in ("&", "|", "^")),
]
# fmt: on

GROUPS = {
    "arithmetic": ARITHMETIC,
    "comparisons": COMPARED,
    "choices": CHOSEN,
    "primitives": PRIMITIVES,
    "mathematics": MATHEMATICS,
}


class Case:
    """One expression or one augmented assignment: its text, its names, its meaning in CPython."""

    def __init__(self, source, where="value"):
        self.source, self.where = source, where
        if isinstance(source, tuple):
            op, one, two = source
            self.names = one + two
            self.text = f"{one} {op}= {two} ({where})"
            self.expression = f"{one} {op} {two}"
        else:
            self.names = "".join(dict.fromkeys(re.findall(r"\b([abxypq])\b", source.replace("s.rng", "a"))))
            self.text = self.expression = source
        space = {"math": math, **{name: getattr(primitives, name) for name in primitives.__all__}}
        code = self.expression.replace("s.rng", "rng")
        inside = f"(lambda rng: {code})([a])" if "rng" in code else code
        self.meaning = eval(f"lambda {', '.join(self.names)}: {inside}", space)
        self.grows = re.fullmatch(r"(-?\w+|\(-2\)) (\*\*|<<) (\w+)", self.expression)
        self.floats = None  # whether results are kept as floats: known when values have been tried

    def evaluate(self, values):
        """Return (how it ends, result) in CPython."""
        if self.grows:
            end = self._growing(dict(zip(self.names, values, strict=True)))
            if end:
                return end
        try:
            result = self.meaning(*values)
        except (ArithmeticError, ValueError):
            return "raises", None
        if not isinstance(result, float) and not LOWEST <= result <= HIGHEST:
            return "leaves", result
        return "fine", result

    def _growing(self, known):
        """Return the end of a power or shift whose result would be astronomical, or that has a negative exponent."""
        left, op, right = self.grows.groups()
        base, count = (eval(side, {}, known) for side in (left, right))
        if op == "**" and count < 0:
            return "raises", None  # CPython makes a float, which a whole number cannot become: a fault in every mode
        if (count > 64 and abs(base) > 1) or (op == "<<" and count > 64 and base):
            wrapped = 0 if op == "<<" else pow(base, count, 2**64)
            return "leaves", wrapped
        return None


def wrapped(value):
    return (value - LOWEST) % 2**64 + LOWEST


@lru_cache(maxsize=None)
def values_of(names):
    """Return the values to try for these names: the product of the boundaries, and random ones."""
    rng = random.Random(names)

    def whole():
        size = rng.choice((4, 8, 16, 32, 52, 54, 62, 63, 64))
        return wrapped(rng.getrandbits(size) * rng.choice((1, -1)))

    def real():
        choice = rng.random()
        if choice < 0.3:
            return rng.uniform(-10, 10)
        if choice < 0.5:
            return float(whole())
        if choice < 0.6:
            return rng.choice(REAL)
        if choice < 0.7:
            return rng.uniform(-800, 800)
        return struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]

    draw = {
        "a": whole,
        "b": whole,
        "x": real,
        "y": real,
        "p": lambda: rng.random() < 0.5,
        "q": lambda: rng.random() < 0.5,
    }
    product = list(itertools.product(*(BOUNDARY[name] for name in names)))
    if len(product) > MOST - RANDOM:
        product = rng.sample(product, MOST - RANDOM)
    if set(names) <= {"p", "q"}:
        return product
    return product + [tuple(draw[name]() for name in names) for _ in range(RANDOM)]


@lru_cache(maxsize=None)
def sorted_values(case):
    """Return {how: [(values, result)]}, and settle whether results are kept as floats."""
    ends = [(values, *case.evaluate(values)) for values in values_of(case.names)]
    case.floats = any(how == "fine" and isinstance(result, float) for _, how, result in ends)
    found = {"fine": [], "raises": [], "leaves": [], "inexact": []}
    for values, how, result in ends:
        if how == "fine" and case.floats and not isinstance(result, float):
            how = "fine" if float(result) == result else "inexact"
            result = float(result)
        found[how].append((values, result))
    return found


@lru_cache(maxsize=None)
def cases(group):
    if group == "augmented":
        return [
            Case(source, where)
            for source in AUGMENTED
            for where in (("variable", "cell", "field") if source[1] in "ax" else ("variable",))
        ]
    return [Case(source) for source in GROUPS[group]]


HEAD = f"""import math

from ludwin.primitives import CHANCE, add, bits, clear_lsb, draw, lsb, mix, mul, popcount, power, shl, shr
from ludwin.primitives import unbits, uniform

FIELDS = {{
    "n": int, "i": int, "f": float, "rng": 1,
    "a": {CELLS}, "b": {CELLS}, "p": {CELLS}, "q": {CELLS}, "x": (float, {CELLS}), "y": (float, {CELLS}),
    "whole": {CELLS}, "real": (float, {CELLS}),
}}
MAX_MOVES = 1
PLAYERS = 1


def setup(s):
    s.n = 0


def mover(s):
    return 0


def moves(s, out):
    return 0


def play(s, m):
    s.n = m


def payoff(s, p):
    return 0

"""

READ = {
    "a": "a = s.a[i]",
    "b": "b = s.b[i]",
    "x": "x = s.x[i]",
    "y": "y = s.y[i]",
    "p": "p = s.p[i] > 0",
    "q": "q = s.q[i] > 0",
}


def loop(case, number):
    """Return the function of a case; the line with the expression ends in `# here`."""
    sorted_values(case)
    out = "s.real[i]" if case.floats else "s.whole[i]"
    lines = [f"def op{number}(s):", "    for i in range(s.n):"]
    lines += [f"        {READ[name]}" for name in case.names]
    if isinstance(case.source, tuple):
        op, one, two = case.source
        target = {"variable": "v", "cell": out, "field": "s.f" if case.floats else "s.i"}[case.where]
        lines += [f"        {target} = {one}", f"        {target} {op}= {two}  # here"]
        lines += [f"        {out} = {target}"] if target != out else []
    else:
        lines += [f"        s.rng[0] = {case.names[0]}"] if "s.rng" in case.source else []
        lines += [f"        {out} = {case.source}  # here"]
    return lines


# Kernel text.
def ask(states: States, k: int):
    return query(states[0], 0, k, 0)


class Compiled:
    """A group of cases in one mode: what was refused, and a state to run the rest on."""

    def __init__(self, group, mode, folder):
        self.refused = {}
        self.cases = list(cases(group))
        while True:
            self.path, self.lines = self._write(group, folder)
            try:
                self.game = load(str(self.path))
                self.run = specialise(self.game, Kernel("ask", ask), mode)
                break
            except RuleError as error:
                culprit = self._culprit(error.line)
                assert culprit, f"a refusal must name its line: {error}"
                self.refused[culprit.text] = str(error)
                self.cases.remove(culprit)
        self.states = self.run.states(1)
        self.whole = memoryview(self.states[0]).cast("B").cast("q")
        self.real = memoryview(self.states[0]).cast("B").cast("d")
        self.offsets = {field.name: field.offset for field in self.game.fields}

    def _write(self, group, folder):
        text = HEAD.splitlines()
        lines = {}
        for number, case in enumerate(self.cases):
            body = loop(case, number)
            lines[case] = len(text) + 2 + next(k for k, line in enumerate(body) if line.endswith("# here"))
            text += ["", *body, ""]
        text += ["", "def query(s, p, k, a):"]
        for number in range(len(self.cases)):
            text += [f"    if k == {number}:", f"        op{number}(s)", "        return 0.0"]
        text += ["    return 0.0", ""]
        path = Path(folder) / f"{group}.py"
        path.write_text("\n".join(text), encoding="utf8")
        return path.resolve(), lines

    def _culprit(self, line):
        """Return the case that a refusal is about: the line is its own, or that of its call."""
        call = re.search(r"op(\d+)\(s\)", self.path.read_text(encoding="utf8").splitlines()[(line or 1) - 1])
        known = {line: case for case, line in self.lines.items()}
        return known.get(line) or (self.cases[int(call[1])] if call else None)

    def put(self, case, values):
        """Write the values of a case into the state."""
        self.whole[self.offsets["n"]] = len(values)
        for k, name in enumerate(case.names):
            place = self.offsets[name]
            column = [value[k] for value in values]
            if name in "xy":
                self.real[place : place + len(column)] = array("d", column)
            else:
                self.whole[place : place + len(column)] = array("q", map(int, column))

    def answers(self, case, values):
        """Run a case on values and return the results."""
        place, cells = (self.offsets["real"], self.real) if case.floats else (self.offsets["whole"], self.whole)
        found = []
        for start in range(0, len(values), CELLS):
            part = values[start : start + CELLS]
            self.put(case, part)
            self.run(self.states, self.cases.index(case))
            found += cells[place : place + len(part)].tolist()
        return found

    def fault(self, case, values):
        """Run a case on one value; return what is wrong with how it ends, None if it ends in a fault on its line."""
        self.put(case, [values])
        try:
            self.run(self.states, self.cases.index(case))
        except RuleError as error:
            good = error.path == str(self.path) and error.line == self.lines[case]
            return None if good else f"fault elsewhere: {error}"
        place, cells = (self.offsets["real"], self.real) if case.floats else (self.offsets["whole"], self.whole)
        return f"no fault but {cells[place]!r}"


@pytest.fixture(scope="module", params=["checked", "fast"])
def mode(request):
    return request.param


@pytest.fixture(scope="module")
def machine(mode, tmp_path_factory):
    known = {}

    def get(group):
        if group not in known:
            known[group] = Compiled(group, mode, tmp_path_factory.mktemp(f"{group}_{mode}"))
        return known[group]

    return get


def same(one, two):
    return struct.pack("<d", one) == struct.pack("<d", two) or (one != one and two != two)


ALL = (*GROUPS, "augmented")


@pytest.mark.parametrize("group", ALL)
def test_what_the_contract_promises_is_compiled_and_nothing_else(machine, group):
    assert set(machine(group).refused) == {case.text for case in cases(group) if not promised(case.text)}


def promised(text):
    """Tell whether the contract names every function of `math` here, with so many arguments."""
    words = re.findall(r"math\.(\w+)(\(?)", text)
    many = {name: text.count(",") + 1 for name, call in words if call}
    return all(MATH.get(name) == many[name] if call else name in MATH_CONSTANTS for name, call in words)


@pytest.mark.parametrize("group", ALL)
def test_results_are_cpythons_to_the_last_bit(machine, group):
    wrong = {}
    twin = machine(group)
    for case in twin.cases:
        fine = sorted_values(case)["fine"]
        try:
            found = twin.answers(case, [values for values, _ in fine])
        except RuleError as error:
            wrong[case.text] = f"fault on a fine value: {error}"
            continue
        differ = (
            [(values, result, got) for (values, result), got in zip(fine, found, strict=True) if not same(got, result)]
            if case.floats
            else [
                (values, int(result), got) for (values, result), got in zip(fine, found, strict=True) if got != result
            ]
        )
        if differ:
            wrong[case.text] = f"{len(differ)} of {len(fine)} values, such as (values, CPython's, compiled) {differ[0]}"
    assert wrong == {}


def faults(machine, mode, group, kinds, most):
    wrong = {}
    twin = machine(group)
    for case in twin.cases:
        ends = sorted_values(case)
        for kind in kinds:
            chosen = ends[kind][:: max(1, len(ends[kind]) // most)] if most else ends[kind]
            bad = [
                (values, said) for values, said in ((values, twin.fault(case, values)) for values, _ in chosen) if said
            ]
            if bad:
                wrong[f"{case.text} {kind}"] = f"{len(bad)} of {len(chosen)} values, such as {bad[0]}"
    return wrong


@pytest.mark.parametrize("group", ALL)
def test_what_raises_in_cpython_is_a_fault_on_its_line(machine, mode, group):
    assert faults(machine, mode, group, ("raises",), FEW) == {}


@pytest.mark.parametrize("group", ALL)
def test_what_leaves_64_bits_is_a_fault_on_its_line_in_checked_mode(machine, mode, group):
    if mode == "fast":
        pytest.skip("fast integers wrap: the next test")
    assert faults(machine, mode, group, ("leaves", "inexact"), FEW) == {}


@pytest.mark.slow
@pytest.mark.parametrize("group", ALL)
def test_every_fault_is_on_its_line(machine, mode, group):
    assert (
        faults(machine, mode, group, ("raises", "leaves", "inexact") if mode == "checked" else ("raises",), None) == {}
    )


# Conversions of floats beyond 64 bits have no wrapped value; `comb` and the like say nothing about it either.
NO_WRAPPED_VALUE = re.compile(r"int\(|floor|ceil|trunc|factorial|comb|perm|lcm")


@pytest.mark.parametrize("group", ALL)
def test_fast_integers_wrap_and_whole_numbers_round_to_floats(machine, mode, group):
    if mode == "checked":
        pytest.skip("checked integers do not wrap: the test before")
    wrong = {}
    twin = machine(group)
    for case in twin.cases:
        if NO_WRAPPED_VALUE.search(case.text):
            continue
        ends = sorted_values(case)
        values = [(v, wrapped(r)) for v, r in ends["leaves"]] + ends["inexact"]
        try:
            found = twin.answers(case, [v for v, _ in values])
        except RuleError as error:
            wrong[case.text] = f"fault: {error}"
            continue
        differ = [(v, r, got) for (v, r), got in zip(values, found, strict=True) if got != r]
        if differ:
            wrong[case.text] = f"{len(differ)} of {len(values)} values, such as (values, wrapped, compiled) {differ[0]}"
    assert wrong == {}


def test_every_function_of_math_is_tried_or_refused():
    known = {*ONE, *TWO, *OF_WHOLE, *ELSE, *CONSTANTS}
    here = {name for name in dir(math) if not name.startswith("_")}
    assert here - known <= {"sumprod", "fma", "signbit", "isnormal", "issubnormal", "fmax", "fmin"}  # of later Pythons
    assert {*MATH, *MATH_CONSTANTS} <= {*ONE, *TWO, *OF_WHOLE, *CONSTANTS}  # what is promised is tried above


def test_every_word_of_rules_is_tried():
    portable = {"exp", "log", "sin", "cos"}  # tried against correctly rounded values: tests of elementary
    assert portable | {word for word in WORDS if any(re.search(rf"\b{word}\b", text) for text in PRIMITIVES)} == WORDS


ODD = (
    "math.frexp(x)[0]",
    "math.modf(x)[0]",
    "math.fsum((x, y))",
    "math.prod((a, b))",
    "math.hypot(x, y)",
    "math.pow(x, y)",
    "math.gamma(x)",
    "math.lgamma(x)",
)


@pytest.mark.parametrize(
    "expression", (*ODD, "math.dist((x,), (y,))", "x ** 2.0", "x ** y", "x ** 2", "a ** y", "2.0 ** b")
)
def test_what_is_not_compiled_is_refused_in_one_line_that_names_the_place(expression, tmp_path):
    text = (
        HEAD
        + "\ndef query(s, p, k, a):\n    b, x, y = s.b[0], s.x[0], s.y[0]\n"
        + f"    return 1.0 * ({expression}) + b + x + y\n"
    )
    path = tmp_path / "odd.py"
    path.write_text(text, encoding="utf8")
    with pytest.raises(RuleError) as caught:
        specialise(load(str(path)), Kernel("ask", ask), "fast")
    assert "\n" not in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path.resolve()), len(text.splitlines()))
