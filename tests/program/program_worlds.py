"""Languages, positions and inputs that the tests of programs share."""

import random

from ludwin import load
from ludwin.games.draughts.language import LANGUAGE
from ludwin.games.reversi.language import DISCS
from ludwin.program import vary
from ludwin.program.board import language
from ludwin.program.generate import generate
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream

CHECKERS = LANGUAGE
REVERSI = language(64, DISCS, {"IsEmptySquare": "is empty", "IsFriendlyPiece": "is mine"}, "reversi")
F, B = "Float", "Bool"

# Every operation that a rule may hold: division and roots of anything, three arguments, an intron, laziness in any
# order.
ARITHMETIC = Language(
    "arithmetic",
    (F, B),
    (
        Primitive("Add", F, (F, F), "a + b"),
        Primitive("Sub", F, (F, F), "a - b"),
        Primitive("Mul", F, (F, F), "a * b"),
        Primitive("Div", F, (F, F), "a / b"),
        Primitive("Neg", F, (F,), "-a"),
        Primitive("Abs", F, (F,), "abs(a)"),
        Primitive("Least", F, (F, F, F), "min(a, b, c)"),
        Primitive("Most", F, (F, F), "max(a, b)"),
        Primitive("Log", F, (F,), "log(a)"),
        Primitive("Root", F, (F,), "sqrt(a)"),
        Primitive("Sin", F, (F,), "sin(a)"),
        Primitive("Cos", F, (F,), "cos(a)"),
        Primitive("Exp", F, (F,), "exp(a)"),
        Primitive("Protected", F, (F, F), "a / b if b else 1"),
        Primitive("Between", B, (F, F, F), "a <= b < c"),
        Primitive("Both", B, (F, B), "a and b"),
        Primitive("Tests", F, (F, F), "(a < b) + (a == b) * 2 - (a != b)"),
        Primitive("Late", F, (F, F, B), "a if c else b"),
        Primitive("Times", F, (F, F), "a * v", draws=(-2.0, 2.0)),
        Primitive("Choice", F, (B,), "v if a else -v", choices=(1.0, 2.5, 7.0)),
        Primitive("Same", B, (B,), "a"),
        Primitive("Number", F, rule="v", draws=(-3.0, 3.0)),
        Primitive("Third", F, rule="1 / 3"),
        Primitive("x", F, reads="x"),
        Primitive("y", F, reads="y"),
        Primitive("z", F, reads="z", places=3),
        Primitive("flag", B, reads="flag", places=2),
    ),
)


def boards(name, number, seed=0, plies=60):
    """Return unfinished positions of random games."""
    game = load(name)
    rng = random.Random(seed)
    found = []
    while len(found) < number:
        state = game.start()
        for _ in range(rng.randrange(plies)):
            after = state.play(rng.choice(state.moves()))
            if not after.moves():
                break
            state = after
        found.append(state)
    return found


def guesses(seed):
    """Return a reader of made-up inputs: 0 or 1 for what is asked as a truth, small and odd numbers otherwise."""
    known = {}
    rng = random.Random(seed)

    def read(name, place):
        truth = name.startswith("is ") or name == "flag"
        return known.setdefault(
            (name, place),
            float(rng.randrange(2))
            if truth
            else rng.choice([0.0, 1.0, -2.0, float(rng.randrange(13)), rng.uniform(-9, 9)]),
        )

    return read


def programs(language, number, seed, depths=(2, 7), factors=True, grow=0.75):
    """Return random programs, every second one with changed factors."""
    found = []
    for i in range(number):
        stream = Stream(seed, i)
        tree = generate(language, depths[0] + i % (depths[1] - depths[0] + 1), stream, grow=grow)
        for _ in range(4 if factors and i % 2 else 0):
            tree = vary.mutate_local(tree, stream)
        found.append(tree)
    return found


def bits(values):
    """Return floats so that equal means equal to the last bit, and nan equals nan."""
    return ["nan" if value != value else float(value).hex() for value in values]
