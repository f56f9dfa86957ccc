"""Programs that a reviewer broke the compiler with: each means the same in all modes now, or is refused in one line."""

import itertools

import pytest

from ludwin import load
from ludwin.errors import RuleError
from ludwin.kernel.names import Floats, States, query, setup
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel

GAME = """
import math
from enum import Enum
class P(int, Enum):
    MAN = 1
MAN = P.MAN
T = (5, 6, 7, 8)
FIELDS = {"a": int, "b": int, "x": float, "c": 4, "d": 3, "turn": int}
MAX_MOVES = 1
QUERIES = {str(k): "float" for k in range(8)}
def llvm(x):
    return x + 1
def table(x):
    return x * 2
def a(n):
    while True:
        return b(n)
def b(n):
    if n > 0:
        return a(n - 1)
    return 1
def setup(s):
    s.a = 3
def mover(s):
    return s.turn
def moves(s, out):
    return 0
def play(s, m):
    s.a = m
def payoff(s, p):
    return 0
def query(s, p, k, q):
    if k == 0:
        t = s.c if s.a > 0 else T
        return 1.0 * t[1]
    if k == 1:
        return 1.0 * (MAN + s.a + llvm(2) + table(3))
    if k == 2:
        return 1.0 * a(4)
    if k == 3:
        return 1.0 * min(1, 2.5, s.a, 3, 4, 0.5, 7, 8)
    if k == 4:
        n = 0
        for i in range(2):
            for j in range(2):
                for k2 in range(2):
                    for l in range(2):
                        n += i + j + k2 + l
        return 1.0 * n
    if k == 5:
        return 1.0 * (T if s.a > 0 else s.c)[2]
    return 0.0
"""


def ask(states: States, out: Floats):
    setup(states[0])
    for i in range(6):
        out[i] = query(states[0], 0, i, 0)
    return 0


ASK = Kernel("ask", ask)


def answers(path, mode):
    run = specialise(load(path), ASK, mode)
    states, out = run.states(1), run.floats(6)
    run(states, out)
    return list(out)


def test_odd_but_legal_programs_mean_the_same_in_all_modes(workshop):
    # A row of a table or of the state, a member of an Enum, functions called llvm and table, an endless loop that
    # returns, many numbers of two kinds, loops in loops.
    path = workshop.write(GAME, name="odd.py")
    assert answers(path, "plain") == [0.0, 13.0, 1.0, 0.5, 32.0, 7.0]
    assert answers(path, "checked") == answers(path, "fast") == answers(path, "plain")


REFUSED = {
    "t = s.c or s.d\n        return 1.0": "is no truth value",
    "t = (1, 2)\n        t[0] = 5\n        return 1.0": "a tuple cannot be changed",
    "for i in range():\n            s.a = 1\n        return 1.0": "range takes 1 to 3 numbers, got 0",
    "for i in range(0, 5, 1, 2):\n            s.a = 1\n        return 1.0": "range takes 1 to 3 numbers, got 4",
    "print(llvm(2))\n        return 1.0": "left out of compiled code",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_cannot_be_compiled_is_refused_in_one_line(line, workshop):
    path = workshop.write(GAME.replace("        return 1.0 * a(4)", "        " + line), name="odd.py")
    with pytest.raises(RuleError, match=REFUSED[line]):
        answers(path, "checked")


def test_a_long_chain_of_calls_is_followed_to_its_end(workshop):
    chain = (
        "".join(f"def f{k}(n):\n    return f{k + 1}(n + 1)\n\n\n" for k in range(150)) + "def f150(n):\n    return n\n"
    )
    path = workshop.write(GAME.replace("return 1.0 * a(4)", "return 1.0 * f0(4)") + "\n\n" + chain, name="chain.py")
    assert answers(path, "fast")[2] == answers(path, "plain")[2] == 154.0


def test_functions_that_call_each_other_twice_do_not_double_the_code(workshop):
    names = [f"evaluate_{chr(97 + k)}" for k in range(18)]
    text = "".join(
        f"def {one}(s, p):\n    return {two}(s, p) + {two}(s, p)\n\n\n" for one, two in itertools.pairwise(names)
    )
    text += f"def {names[-1]}(s, p):\n    return 1.0\n"
    path = workshop.write(
        GAME.replace("return 1.0 * a(4)", f"return {names[0]}(s, 0)") + "\n\n" + text, name="twice.py"
    )
    assert answers(path, "fast")[2] == 2.0**17
