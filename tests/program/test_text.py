"""A program is written and read back to the last bit, and a mistake is told with its place."""

import math

import pytest
from program_worlds import ARITHMETIC, CHECKERS, F, programs

from ludwin.errors import BadParameter
from ludwin.program.language import Language, Primitive
from ludwin.program.text import lines, read, write


@pytest.mark.parametrize("language", [CHECKERS, ARITHMETIC], ids=lambda language: language.name)
def test_a_thousand_programs_come_back_to_the_last_bit(language):
    for tree in programs(language, 1000, 1, depths=(0, 6)):
        for text in (write(tree), lines(tree)):
            again = read(language, text)
            assert again == tree
            assert [v.hex() for v in again.values + again.factors] == [v.hex() for v in tree.values + tree.factors]


def test_what_it_looks_like():
    text = "IFT(LowerEqual(Mobility, 3.5), One, MultERC[0.4]{1.05}(IFT(IsEmptySquare[7], ManCount{-2.0}, Zero)))"
    assert write(read(CHECKERS, text)) == text
    assert write(read(CHECKERS, " Plus ( One,\n\t-1e-3 ) ")) == "Plus(One, -0.001)"


def test_odd_numbers_survive():
    tree = read(CHECKERS, "Plus(inf, Plus(-inf, Plus(-0.0, 5e-324)))")
    assert (
        tree.values[1] == math.inf
        and tree.values[3] == -math.inf
        and math.copysign(1.0, tree.values[5]) == -1.0
        and tree.values[6] == 5e-324
    )
    assert read(CHECKERS, write(tree)) == tree


def test_two_constants_are_written_by_name():
    language = Language(
        "two",
        (F,),
        (Primitive("Small", F, rule="v", draws=(0.0, 1.0)), Primitive("Large", F, rule="v", draws=(0.0, 9.0))),
    )
    assert write(read(language, "Large[2.5]")) == "Large[2.5]"
    with pytest.raises(BadParameter, match="no bare numbers at character 1"):
        read(language, "2.5")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected .* at character 1, near the end"),
        ("Plus(One", "expected ',' at character 9, near the end"),
        ("Plus(One, Zero) One", "expected the end at character 17, near 'One'"),
        ("Plus(One, Zeor)", "has no 'Zeor'; did you mean 'Zero'.* at character 11"),
        ("Plus(One, True)", "True returns Bool where Float is wanted, at character 11"),
        ("Plus(One, ?)", "cannot read this at character 11"),
        ("MultERC(One)", r"expected '\[' at character 8"),
        ("MultERC[x](One)", "expected a number at character 9"),
        ("IFT(IsManPiece[32], One, One)", "IsManPiece has the places 0 to 31 at character 16"),
        ("IFT(IsManPiece[-1], One, One)", "places 0 to 31 at character 16"),
        ("IFT(IsManPiece[1.5], One, One)", "places 0 to 31 at character 16"),
        ("IFT(IsManPiece[inf], One, One)", "places 0 to 31 at character 16"),
        ("ERC", "ERC is written as its number, at character 1"),
        ("One(Zero)", r"expected the end at character 4"),
        ("Plus{x}(One, One)", "expected a number at character 6"),
        ("NullJ(" * 300 + "One" + ", One)" * 300, "deeper than 200 levels"),
    ],
)
def test_a_mistake_has_its_place(text, words):
    with pytest.raises(BadParameter, match=words) as caught:
        read(CHECKERS, text)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 400
