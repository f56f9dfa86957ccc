"""A simplified program is shorter and has the same value."""

import pytest
from program_worlds import ARITHMETIC, CHECKERS, B, F, guesses, programs

from ludwin.program.language import Language, Primitive
from ludwin.program.simplify import Use, simplify, sizes, smallest, usage
from ludwin.program.text import read, write

CASES = [
    ("Plus(Mobility, Zero)", "Mobility"),
    ("Plus(Zero, Mobility)", "Mobility"),
    ("Minus(Mobility, Zero)", "Mobility"),
    ("Minus(Mobility, Mobility)", "Zero"),
    ("Minus(Plus(One, Mobility), Plus(One, Mobility))", "Zero"),
    ("MultERC[1.0](Mobility)", "Mobility"),
    ("MultERC[0.0](Mobility)", "Zero"),
    ("MultERC[2.5](Plus(One, One))", "5.0"),
    ("Plus(One, One)", "2.0"),
    ("Minus(One, One)", "Zero"),
    ("NullJ(ManCount, Plus(One, Mobility))", "ManCount"),
    ("NullJ{2.0}(ManCount, One)", "ManCount{2.0}"),
    ("One{3.0}", "3.0"),
    ("IFT(True, Mobility, ManCount)", "Mobility"),
    ("IFT(LowerEqual(2.0, One), Mobility, ManCount)", "ManCount"),
    ("IFT(LowerEqual(Mobility, Mobility), Mobility, ManCount)", "Mobility"),
    ("IFT(IsManPiece[1], ManCount, ManCount)", "ManCount"),
    ("IFT(AND(IsManPiece[1], True), One, Zero)", "IFT(IsManPiece[1], One, Zero)"),
    ("IFT(AND(False, IsManPiece[1]), One, Zero)", "Zero"),
    ("IFT(OR(IsManPiece[1], True), One, Zero)", "One"),
    ("IFT(OR(False, IsManPiece[1]), One, Zero)", "IFT(IsManPiece[1], One, Zero)"),
    ("IFT(OR(IsManPiece[1], IsManPiece[1]), One, Zero)", "IFT(IsManPiece[1], One, Zero)"),
    ("IFT(NAND(IsManPiece[1], False), One, Zero)", "One"),
    ("IFT(NOR(IsManPiece[1], True), One, Zero)", "Zero"),
    ("IFT(NOTG(IsManPiece[1], LowerEqual(One, Mobility)), One, Zero)", "IFT(NOTG(IsManPiece[1], False), One, Zero)"),
    ("IFT(NOTG(NOTG(IsManPiece[1], True), True), One, Zero)", "IFT(IsManPiece[1], One, Zero)"),
    ("Plus{2.0}(Mobility{3.0}, Zero)", "Plus{2.0}(Mobility{3.0}, Zero)"),  # 2 * (3 * x) rounds, so it stays
    ("Plus(ManCount, KingCount)", "Plus(ManCount, KingCount)"),
]


@pytest.mark.parametrize(("before", "after"), CASES)
def test_laws(before, after):
    assert write(simplify(read(CHECKERS, before))) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("MultERC[2.0]{0.5}(MultERC[3.0](Mobility{4.0}))", "MultERC[12.0](Mobility)"),
        ("Plus{2.0}(Mobility{3.0}, Zero)", "Mobility{6.0}"),
        ("MultERC[0.5](MultERC[2.0](Mobility))", "Mobility"),
    ],
)
def test_products_are_multiplied_out_if_rounding_is_allowed(before, after):
    assert write(simplify(read(CHECKERS, before), rounding=True)) == after


def test_the_value_stays_equal():
    before = after = 0
    for i, tree in enumerate(programs(CHECKERS, 400, 1)):
        short = simplify(tree)
        assert not short.faults() and len(short) <= len(tree) and simplify(short) == short
        before, after = before + len(tree), after + len(short)
        for k in range(10):
            inputs = guesses(10 * i + k)
            assert short.evaluate(inputs) == tree.evaluate(inputs), (write(tree), write(short))
    assert after < 0.7 * before


def test_the_value_stays_equal_in_a_language_of_other_names_and_laws():
    shorter = 0
    for i, tree in enumerate(programs(ARITHMETIC, 400, 2, depths=(1, 5))):
        short = simplify(tree)
        assert not short.faults() and len(short) <= len(tree)
        shorter += len(short) < len(tree)
        for k in range(5):
            inputs = guesses(10 * i + k)
            seen = []
            value = watched(tree, inputs, seen)
            if all(abs(x) < 1e300 for x in seen):  # finite throughout, nan compares false
                assert short.evaluate(inputs) == value, (write(tree), write(short))
    assert shorter > 100


def watched(tree, inputs, seen):
    """Return the value, and note that of every node that runs."""
    visited = []
    value = tree.evaluate(inputs, visit=visited.append)
    seen += [tree.evaluate(inputs, at) for at in visited]
    return value


def test_rounding_moves_the_last_digits_only():
    close = total = 0
    for i, tree in enumerate(programs(CHECKERS, 200, 3)):
        short = simplify(tree, rounding=True)
        for k in range(5):
            inputs = guesses(10 * i + k)
            expected = tree.evaluate(inputs)
            total += 1
            close += abs(short.evaluate(inputs) - expected) <= 1e-9 * (1.0 + abs(expected))
    assert close >= 0.995 * total  # a comparison of nearly equal numbers may turn over


def test_nothing_is_taken_for_a_truth_that_is_a_number():
    language = Language(
        "mixed",
        (F, B),
        (
            Primitive("Both", B, (B, B), "a and b"),
            Primitive("Yes", B, rule="1.0"),
            Primitive("flag", B, reads="flag"),
            Primitive("Number", F, ("Query",), "a"),
            Primitive("AsTruth", F, (F,), "1 if a else 0"),
            Primitive("x", F, reads="x"),
        ),
        root="Query",
        sets={"Query": (F, B)},
    )
    for text in ("Number(Both(flag, Yes))", "Both(flag, Yes)", "AsTruth(x)", "Number(flag)"):
        tree = read(language, text)
        assert simplify(tree).evaluate(lambda name, place: 7.0) == tree.evaluate(lambda name, place: 7.0)


def test_smallest_programs():
    assert write(smallest(CHECKERS, "Bool")) == "False" and write(smallest(CHECKERS, "Float")) in ("One", "Zero")
    language = Language(
        "deep",
        (F, "Test"),
        (
            Primitive("Less", "Test", (F, F), "a < b"),
            Primitive("x", F, reads="x"),
            Primitive("If", F, ("Test", F, F), "b if a else c"),
        ),
    )
    assert write(smallest(language, "Test")) == "Less(x, x)"


def test_usage_and_sizes():
    tree = read(CHECKERS, "Plus(NullJ(One, Plus(One, Mobility)), Mobility{2.0})")
    assert usage(tree) == {"Mobility": Use(1, 1), "One": Use(1, 1), "Plus": Use(1, 1), "NullJ": Use(1, 0)}
    assert sizes(tree) == {
        "nodes": 7,
        "depth": 3,
        "live": 4,
        "introns": 3,
        "functions": 3,
        "terminals": 4,
        "factors": 1,
    }
