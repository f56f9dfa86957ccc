"""Selection formulas: what a Monte Carlo tree search thinks of a child, as a small program.

Why it is here.  UCB1 is one formula among many, and evolution looks for others.  A formula is a row
of operators in postfix order, so that compiled code reads it like any other array; for people
it is the text that they would write on paper: `Q + C*sqrt(log(N)/n)`.

The language.  `Q` is the child's mean reward seen by the player who chooses, `n` its visits, `N` the visits
of its parent, `C` the agent's constant `c`; more terminals are `V` (the variance of the child's rewards),
`B` (the best mean among the child's children, as that player sees it), `D` (the child's depth) and `A`
(the legal moves of the parent).  Operators never fail: a/b is 1 where |b| < 0.001, sqrt(a) is the root
of |a|, log(a) the natural logarithm of |a| and 0 for a = 0.  What is not a finite number in the end
counts as minus infinity.

References.  F. Valdez Ameneyro, PhD thesis, Maynooth University (2024), chapter 5.
"""

import ast
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from ludwin.errors import BadParameter
from ludwin.program.language import Language, Primitive
from ludwin.program.tree import Tree

CODES = ("Q", "n", "N", "V", "B", "D", "A", "C", "log", "sqrt", "+", "-", "*", "/")  # of operators, in their order
Q = CODES.index("Q")
CHILD_VISITS = CODES.index("n")
PARENT_VISITS = CODES.index("N")
VARIANCE = CODES.index("V")
BEST_CHILD = CODES.index("B")
DEPTH = CODES.index("D")
BRANCHES = CODES.index("A")
NUMBER = CODES.index("C")  # a constant; what stands before it are terminals, what comes after it takes operands
LOG = CODES.index("log")
SQRT = CODES.index("sqrt")
PLUS = CODES.index("+")
MINUS = CODES.index("-")
TIMES = CODES.index("*")
DIVIDED = CODES.index("/")
TERMINALS = {letter: code for code, letter in enumerate(CODES[:NUMBER])}
FUNCTIONS = {"log": LOG, "ln": LOG, "sqrt": SQRT}
OPERATORS = {ast.Add: PLUS, ast.Sub: MINUS, ast.Mult: TIMES, ast.Div: DIVIDED}
CELL = {"code": int, "number": float}  # of a formula; the number is that of a constant
LONGEST = 500  # operators and terminals of a formula that is given as text
DEEPEST = 60
WORST = -math.inf


def protected_log(a):
    """Return ln |a|, 0 for a = 0."""
    return 0.0 if a == 0.0 else math.log(abs(a))


def protected_division(a, b):
    """Return a / b, 1 where b is nearly 0."""
    return 1.0 if abs(b) < 0.001 else a / b


def formula_value(w, begin: int, end: int):
    """Return the value of the formula in cells `begin` to `end`, minus infinity where it is not finite."""
    stack = w.stack
    top = 0
    for i in range(begin, end):
        code = w.cells[i].code
        if code < NUMBER:
            stack[top] = w.known[code]
            top += 1
        elif code == NUMBER:
            stack[top] = w.cells[i].number
            top += 1
        elif code == LOG:
            stack[top - 1] = protected_log(stack[top - 1])
        elif code == SQRT:
            stack[top - 1] = math.sqrt(abs(stack[top - 1]))
        else:
            top -= 1
            a = stack[top - 1]
            b = stack[top]
            if code == PLUS:
                stack[top - 1] = a + b
            elif code == MINUS:
                stack[top - 1] = a - b
            elif code == TIMES:
                stack[top - 1] = a * b
            else:
                stack[top - 1] = protected_division(a, b)
    value = stack[0]
    return value if value - value == 0.0 else WORST


@dataclass(frozen=True)
class Formula:
    """A selection formula as a value: operators in postfix order, and the numbers behind constants.

    `C` is a constant without a number (nan) until an agent gives it one.

    >>> print(Formula.parse("Q + C * sqrt(log(N) / n)"))
    Q + C*sqrt(log(N)/n)
    >>> round(Formula.parse("Q + 2*C*sqrt(2*log(N)/n)")(Q=0.5, n=10, N=100, C=2**0.5), 4)
    3.2145
    """

    codes: tuple[int, ...]
    numbers: tuple[float, ...]

    @classmethod
    def parse(cls, text: str) -> "Formula":
        """Read a formula as people write it; raises BadParameter."""
        try:
            nodes = list(_postfix(ast.parse(text.strip(), mode="eval").body))
        except BadParameter:
            raise
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            raise BadParameter(f"formula: cannot read {text!r}; write it as in Q + C*sqrt(log(N)/n)") from None
        made = cls(tuple(code for code, _ in nodes), tuple(number for _, number in nodes))
        if made.size > LONGEST or made.depth > DEEPEST:
            raise BadParameter(
                f"formula: at most {LONGEST} nodes and depth {DEEPEST}, got {made.size} and {made.depth}"
            )
        return made

    @property
    def size(self) -> int:
        """How many operators, terminals and constants there are."""
        return len(self.codes)

    @property
    def depth(self) -> int:
        """How many edges the longest path has."""
        stack: list[int] = []
        for code in self.codes:
            if code <= NUMBER:
                stack.append(0)
            elif code in (LOG, SQRT):
                stack.append(stack.pop() + 1)
            else:
                stack.append(max(stack.pop(), stack.pop()) + 1)
        return stack[0]

    def cells(self) -> Iterator[tuple[int, float]]:
        """Yield the operators with their numbers."""
        return zip(self.codes, self.numbers, strict=True)

    def write(self, cells: Any, begin: int) -> None:
        """Write the formula into the cells of a search."""
        for i, (code, number) in enumerate(self.cells()):
            cells[begin + i].code = code
            cells[begin + i].number = number

    @classmethod
    def read(cls, cells: Any, begin: int, size: int) -> "Formula":
        """Read a formula from the cells of a search."""
        rows = [cells[i] for i in range(begin, begin + size)]
        return cls(tuple(int(row.code) for row in rows), tuple(float(row.number) for row in rows))

    def uses(self, letter: str) -> bool:
        """Tell whether a terminal (Q, n, N, …) occurs."""
        return TERMINALS[letter] in self.codes

    @property
    def constants(self) -> tuple[float, ...]:
        """The numbers that occur, from left to right."""
        return tuple(number for code, number in self.cells() if code == NUMBER)

    def at(self, c: float) -> "Formula":
        """Return the formula with a number for C."""
        return Formula(self.codes, tuple(c if math.isnan(number) else number for number in self.numbers))

    def __call__(self, *, C: float = 1.0, **terminals: float) -> float:  # noqa: N803
        """Return the formula's value; terminals that are not given are 0."""
        known = [0.0] * len(TERMINALS)
        for letter, value in terminals.items():
            known[TERMINALS[letter]] = float(value)
        bound = self.at(C)
        cells = [SimpleNamespace(code=code, number=number) for code, number in bound.cells()]
        stack = [0.0] * (self.size + 1)
        return float(formula_value(SimpleNamespace(cells=cells, known=known, stack=stack), 0, self.size))

    def __str__(self) -> str:
        stack: list[tuple[str, int]] = []  # text, and how strongly it holds together
        for code, number in self.cells():
            if code < NUMBER:
                stack.append((CODES[code], 3))
            elif code == NUMBER:
                stack.append(
                    ("C", 3) if math.isnan(number) else (repr(number).removesuffix(".0"), 3 if number >= 0 else 0)
                )
            elif code in (LOG, SQRT):
                stack.append((f"{'log' if code == LOG else 'sqrt'}({stack.pop()[0]})", 3))
            else:
                right, left = stack.pop(), stack.pop()
                stack.append(_joined(code, left, right))
        return stack[0][0]


def _joined(code: int, left: tuple[str, int], right: tuple[str, int]) -> tuple[str, int]:
    """Write an operator between two texts, with the brackets that keep its tree."""
    strength = 1 if code in (PLUS, MINUS) else 2
    a = left[0] if left[1] >= strength else f"({left[0]})"
    b = right[0] if right[1] > strength else f"({right[0]})"
    sign = f" {CODES[code]} " if strength == 1 else CODES[code]
    return f"{a}{sign}{b}", strength


def _postfix(tree: ast.expr) -> Iterator[tuple[int, float]]:
    """Yield (operator, number) of a syntax tree, operands first."""
    match tree:
        case ast.Name(id="C"):
            yield NUMBER, math.nan
        case ast.Name(id=letter) if letter in TERMINALS:
            yield TERMINALS[letter], 0.0
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool) and abs(value) < 1e300:
            yield NUMBER, float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)) if abs(value) < 1e300:
            yield NUMBER, -float(value)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            yield from _postfix(left)
            yield from _postfix(right)
            yield OPERATORS[type(operator)], 0.0
        case ast.Call(func=ast.Name(id=word), args=[operand], keywords=[]) if word in FUNCTIONS:
            yield from _postfix(operand)
            yield FUNCTIONS[word], 0.0
        case _:
            raise BadParameter(
                f"formula: {ast.unparse(tree)!r} is not understood; it has {' '.join(TERMINALS)} C, numbers, + - * "
                f"/, log and sqrt"
            )


CONSTANTS = (0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0)  # what a new constant may be
_TWO = ("Float", "Float")
LANGUAGE = Language(  # the same language for genetic programming outside a search: a primitive per code, in their order
    "selection",
    ("Float",),
    (
        *(Primitive(letter, "Float", reads=letter) for letter in TERMINALS),
        Primitive("Constant", "Float", rule="v", choices=CONSTANTS),
        Primitive("Log", "Float", ("Float",), "0.0 if a == 0.0 else log(abs(a))"),
        Primitive("Sqrt", "Float", ("Float",), "sqrt(abs(a))"),
        Primitive("Plus", "Float", _TWO, "a + b"),
        Primitive("Minus", "Float", _TWO, "a - b"),
        Primitive("Times", "Float", _TWO, "a * b"),
        Primitive("Divided", "Float", _TWO, "1.0 if abs(b) < 0.001 else a / b"),
    ),
)


def to_tree(formula: Formula) -> Tree:
    """Return a formula as a program of `LANGUAGE`."""
    stack: list[tuple[tuple[int, ...], tuple[float, ...]]] = []
    for code, number in formula.cells():
        takes = len(LANGUAGE.primitives[code].takes)
        below = stack[len(stack) - takes :] if takes else []
        del stack[len(stack) - takes :]
        stack.append(
            ((code, *(c for codes, _ in below for c in codes)), (number, *(n for _, numbers in below for n in numbers)))
        )
    nodes, values = stack[0]
    return Tree(LANGUAGE, nodes, values, (0,) * len(nodes), (1.0,) * len(nodes))


def from_tree(tree: Tree) -> Formula:
    """Return a program of `LANGUAGE` as a formula; factors of local mutation are not part of it."""
    codes: list[int] = []
    numbers: list[float] = []

    def visit(at: int) -> None:
        for child in tree.children(at):
            visit(child)
        codes.append(tree.nodes[at])
        numbers.append(tree.values[at] if tree.nodes[at] == NUMBER else 0.0)

    visit(0)
    return Formula(tuple(codes), tuple(numbers))


UCB1 = Formula.parse("Q + C*sqrt(log(N)/n)")
POWER = Formula.parse(
    "Q + sqrt(sqrt(N)/n)"
)  # a bonus that grows as a power of N needs no constant: D. Shah, Q. Xie, Z. Xu (2020)
SEEDS: Mapping[
    str, Formula
] = {  # UCB1 as evolution begins with it: the 13 nodes of the thesis's program, the 11 of its equation
    "13": Formula.parse("Q + 2*C*sqrt(2*log(N)/n)"),
    "11": Formula.parse("Q + C*sqrt(2*log(N)/n)"),
    "power": POWER,
}
REGRETS: Mapping[str, Formula] = {
    "ucb": UCB1,
    "power": POWER,
}  # Q + term: a term that stays while what begins as Q evolves
