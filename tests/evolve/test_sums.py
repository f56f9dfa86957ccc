"""Weighted sums: what they add up, and how their constants are mixed, drawn around a mean, and shaken."""

import re
import statistics

import pytest
from evolve_heaps import TEXT

from ludwin.errors import BadParameter
from ludwin.evolve import generic
from ludwin.evolve.sums import TRUTH, WIDEN, WIDTH, blend, gathered, same_shape, shake, sum_size, weighted_sum
from ludwin.games.draughts.language import BOARD, LANGUAGE, SQUARES
from ludwin.library import load
from ludwin.program.board import language
from ludwin.program.generate import generate
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.values import reader
from ludwin.program.vary import Limits

SMALL = ("Mobility", "ManCount", "IsManPiece")


def constants(tree):
    return [tree.values[at] for at in range(len(tree)) if tree.primitive(at).has_value]


def small(seed):
    return weighted_sum(LANGUAGE, Stream(seed), SMALL)


# ---- What is added up -------------------------------------------------------------------------------


def test_numbers_are_weighed_and_truths_count_where_they_are_true():
    tree = small(1)
    text = write(tree)
    assert len(re.findall(r"MultERC\[[^]]+\]\((?:Mobility|ManCount)\)", text)) == 2
    assert re.findall(r"IFT\(IsManPiece\[(\d+)\], -?[\d.e-]+, Zero\)", text) == [str(k) for k in range(32)]
    assert len(constants(tree)) == 34 and read(LANGUAGE, text) == tree


def test_a_sum_of_all_terminals_reads_all_of_them():
    tree = weighted_sum(LANGUAGE, Stream(2))
    used = {(tree.primitive(at).name, tree.places[at]) for at in range(len(tree)) if tree.primitive(at).reads}
    assert used == {(name, 0) for name in (*BOARD, "Mobility")} | {(name, k) for name in SQUARES for k in range(32)}
    assert tree.depth <= 11  # in pairs: the logarithm of 138 parts, and the parts


def test_the_value_is_the_sum():
    state = load("lose-checkers").position("B:W21,K30:B1,2,K11")
    tree = small(3)
    weights, squares = {}, {}
    for at in range(len(tree)):
        if tree.primitive(at).name == "MultERC":
            weights[tree.primitive(at + 1).name] = tree.values[at]
        elif tree.primitive(at).name == "IsManPiece":
            squares[tree.places[at] + 1] = tree.values[at + 1]
    men = sum(squares[square] for square in (1, 2, 21))
    expected = weights["Mobility"] * len(state.moves()) + weights["ManCount"] * (2 - 1) + men
    assert tree.evaluate(reader(state)) == pytest.approx(expected, abs=1e-12)


def test_weights_are_normal_and_those_of_truths_smaller():
    numbers, truths = [], []
    for seed in range(200):
        tree = small(seed)
        for at in range(len(tree)):
            if tree.primitive(at).has_value:
                (numbers if tree.primitive(at).takes else truths).append(tree.values[at])
    assert abs(statistics.fmean(numbers)) < 0.2 and 0.9 < statistics.stdev(numbers) < 1.1
    assert abs(statistics.fmean(truths)) < 0.05 and 0.95 < statistics.stdev(truths) / TRUTH < 1.05


def test_languages_without_inputs_or_without_sums_are_told_apart():
    bare = Language("bare", ("Float",), (Primitive("One", "Float", rule="1.0"),))
    with pytest.raises(
        BadParameter,
        match=re.escape("language bare has no primitive of type Float with the rule 'a + b', which weighted sums need"),
    ):
        weighted_sum(bare, Stream(1))
    with pytest.raises(BadParameter, match="Mobilty"):
        weighted_sum(LANGUAGE, Stream(1), ("Mobilty",))
    assert write(weighted_sum(language(32, {}, {}, "no inputs", mobility=False), Stream(1))) == "Zero"


def test_a_users_game_has_sums_too(tmp_path):
    (tmp_path / "heaps.py").write_text(TEXT, encoding="utf8")
    tree = weighted_sum(generic.language(load(str(tmp_path / "heaps.py"))), Stream(1))
    assert re.sub(r"-?\d\.\d+(e-\d+)?", "w", write(tree)).count("IFT(left_over[") == 4 and "MultERC" in write(tree)


# ---- Mixing, drawing, shaking ---------------------------------------------------------------------------


def test_children_of_a_blend_lie_between_their_parents_or_a_little_beyond():
    mother, father = small(1), small(2)
    beyond = 0
    for seed in range(40):
        for child in blend(mother, father, Stream(seed)):
            assert same_shape(child, mother) and child.factors == mother.factors
            for a, b, c in zip(constants(mother), constants(father), constants(child), strict=True):
                low, high = min(a, b), max(a, b)
                assert low - WIDTH * (high - low) <= c <= high + WIDTH * (high - low)
                beyond += not low <= c <= high
    assert 0.3 < beyond / (40 * 2 * 34) < 0.6  # 0.8 of 1.8 parts lie outside


def test_what_both_parents_have_the_child_has():
    mother = small(1)
    assert blend(mother, mother, Stream(1)) == (mother, mother)


def test_shapes_differ_by_primitives_and_places_alone():
    assert same_shape(small(1), small(2))
    one, other = read(LANGUAGE, "IFT(IsManPiece[3], 1.0, Zero)"), read(LANGUAGE, "IFT(IsManPiece[4], 1.0, Zero)")
    assert not same_shape(one, other) and not same_shape(one, small(1))


def test_gathered_draws_have_the_mean_and_spread_of_the_parents():
    family = [small(seed) for seed in range(30)]
    stranger = generate(LANGUAGE, 4, Stream(1), full=True)
    draw = gathered([*family, stranger])  # whoever has another shape does not count
    drawn = [constants(draw(Stream(7, k), 1.0)) for k in range(600)]
    for column, made in zip(zip(*map(constants, family), strict=True), zip(*drawn, strict=True), strict=True):
        spread = WIDEN * statistics.stdev(column)
        assert abs(statistics.fmean(made) - statistics.fmean(column)) < 5 * spread / 600**0.5
        assert 0.85 < statistics.stdev(made) / spread < 1.15
    assert constants(draw(Stream(1), 0.0)) == pytest.approx(
        [statistics.fmean(column) for column in zip(*map(constants, family), strict=True)]
    )
    assert gathered([stranger])(Stream(1), 1.0) == stranger  # one parent has no spread


def test_shaking_moves_every_constant_by_about_the_step():
    tree = small(1)
    shaken = [shake(tree, Stream(k), Limits(step=0.1)) for k in range(60)]
    moved = [b - a for child in shaken for a, b in zip(constants(tree), constants(child), strict=True)]
    assert all(same_shape(tree, child) for child in shaken) and 0.0 not in moved
    assert abs(statistics.fmean(moved)) < 0.01 and 0.095 < statistics.stdev(moved) < 0.105
    assert shake(tree, Stream(1), Limits(step=0.0)) == tree


@pytest.mark.parametrize("names", [(), SMALL, ("Mobility",), ("IsManPiece",)])
def test_the_size_of_a_sum_is_known_without_making_it(names):
    assert sum_size(LANGUAGE, names) == len(weighted_sum(LANGUAGE, Stream(1), names))
