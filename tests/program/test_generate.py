"""Random programs fit their language, whatever it is, and come in all depths."""

from collections import Counter

import pytest
from program_worlds import ARITHMETIC, CHECKERS, B, F

from ludwin.errors import BadParameter
from ludwin.program.generate import generate, ramped
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream

# Square has terminals only, Test has no terminal, Route reaches one only over two functions, Query is either.
ODD = Language(
    "odd",
    (F, B, "Square", "Test", "Route"),
    (
        Primitive("At", B, ("Square",), "a"),
        Primitive("Corner", "Square", rule="1.0"),
        Primitive("Edge", "Square", rule="2.0"),
        Primitive("If", F, ("Test", F, F), "b if a else c"),
        Primitive("Greater", "Test", (F, "Query"), "a > b"),
        Primitive("Along", "Route", ("Test", "Square"), "a"),
        Primitive("Further", "Route", ("Route", "Square"), "a + b"),
        Primitive("Length", F, ("Route",), "a"),
        Primitive("Number", F, rule="v", draws=(0.0, 1.0)),
    ),
    sets={"Query": (F, B)},
)


def test_ten_thousand_programs_of_an_odd_grammar():
    depths = Counter()
    for i in range(10_000):
        stream = Stream(1, i)
        wanted = ("Float", "Bool", "Square", "Test", "Route", "Query")[i % 6]
        depth = ODD.least[wanted] + i % 5
        tree = generate(ODD, depth, stream, wanted=wanted, full=i % 2 == 0)
        assert tree.depth <= depth and tree.ends[0] == len(tree)
        assert ODD.fits(tree.returns(0), wanted)
        assert all(ODD.fits(tree.returns(at), tree.wanted[at]) for at in range(1, len(tree)))
        depths[tree.depth] += 1
    assert min(depths) == 0 and max(depths) >= 6


def test_an_uninhabited_type_and_a_depth_that_is_too_small_are_told():
    half = Language("half", (F, "Never"), (Primitive("One", F, rule="1.0"),))
    for make in (
        lambda: generate(half, 4, Stream(1), wanted="Never"),
        lambda: ramped(half, 2, Stream(1), wanted="Never"),
    ):
        with pytest.raises(BadParameter, match="no finite program has the type Never"):
            make()
    with pytest.raises(BadParameter, match="a program of type Route needs depth 2 at least, not 1"):
        generate(ODD, 1, Stream(1), wanted="Route")
    with pytest.raises(BadParameter, match="no type 'Flot'"):
        generate(ODD, 1, Stream(1), wanted="Flot")
    with pytest.raises(BadParameter, match="more than 100000 nodes"):
        generate(CHECKERS, 40, Stream(1), full=True)


def is_full(tree, depth):
    return all(tree.levels[at] == depth for at in range(len(tree)) if not tree.primitive(at).takes)


def test_ramped_half_and_half_covers_the_depths_and_is_half_full():
    trees = ramped(CHECKERS, 1000, Stream(2))
    depths = Counter(tree.depth for tree in trees)
    assert set(range(2, 7)) <= set(depths) and max(depths) == 6
    full = [tree for i, tree in enumerate(trees) if i % 2 == 0]
    assert Counter(tree.depth for tree in full) == dict.fromkeys(range(2, 7), 100)
    assert all(is_full(tree, tree.depth) for tree in full)
    grown = [tree for i, tree in enumerate(trees) if i % 2]
    assert sum(is_full(tree, 2 + k % 5) for k, tree in enumerate(grown)) < 100  # the other half is ragged
    assert all(tree.primitive(0).takes for tree in trees)  # no program begins as a lone terminal
    assert len(set(trees)) > 900


def test_ramped_starts_where_programs_can_begin():
    trees = ramped(ODD, 50, Stream(3), low=0, high=1, wanted="Route")
    assert {tree.depth for tree in trees} == {2}


def test_depth_tables_bound_what_lies_below_a_type():
    for i in range(300):
        tree = generate(CHECKERS, 8, Stream(4, i), full=True, limits={"Bool": 1})
        for at in range(len(tree)):
            if tree.wanted[at] == "Bool":
                assert tree.subtree(at).depth <= 1
    assert tree.depth == 8


def test_constants_and_places_are_drawn_evenly_from_their_ranges():
    trees = [generate(CHECKERS, 6, Stream(5, i), full=True) for i in range(400)]
    numbers = [
        tree.values[at]
        for tree in trees
        for at in range(len(tree))
        if tree.primitive(at).is_constant and tree.primitive(at).has_value
    ]
    assert len(numbers) > 500 and all(-5.0 <= number < 5.0 for number in numbers)
    tenths = Counter(int(number + 5.0) for number in numbers)
    assert chi2(list(tenths.values()), [len(numbers) / 10] * 10) > 1e-4
    places = Counter(
        tree.places[at] for tree in trees for at in range(len(tree)) if tree.primitive(at).name == "IsManPiece"
    )
    assert set(places) == set(range(32))
    assert chi2(list(places.values()), [sum(places.values()) / 32] * 32) > 1e-4
    chosen = {
        tree.values[at]
        for tree in (generate(ARITHMETIC, 6, Stream(6, i), full=True) for i in range(50))
        for at in range(len(tree))
        if tree.primitive(at).name == "Choice"
    }
    assert chosen == {1.0, 2.5, 7.0}


def chi2(seen, expected):
    from scipy.stats import chisquare

    assert len(seen) == len(expected)
    return chisquare(seen, expected).pvalue


def test_the_same_seed_makes_the_same_program():
    assert ramped(CHECKERS, 40, Stream(7)) == ramped(CHECKERS, 40, Stream(7))
    assert ramped(CHECKERS, 40, Stream(7)) != ramped(CHECKERS, 40, Stream(8))
    assert ramped(CHECKERS, 60, Stream(7))[:40] == ramped(CHECKERS, 40, Stream(7))
