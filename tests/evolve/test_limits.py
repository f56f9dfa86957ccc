"""Programs keep their limits from the first generation on."""

import pytest
from hypothesis import given
from hypothesis.strategies import integers, sampled_from

from ludwin.errors import BadParameter
from ludwin.evolve import Limits, Plan, Problem, Trees
from ludwin.evolve.toys import ARITHMETIC
from ludwin.program.board import BASIC, FUNCTIONS
from ludwin.program.language import Language
from ludwin.program.stream import Stream

WORDS = Language("words", ("Float", "Bool"), (*FUNCTIONS, *BASIC))


@given(
    language=sampled_from([ARITHMETIC, WORDS]),
    depth=integers(0, 7),
    size=integers(1, 40),
    start=sampled_from(["ramped", "full", "grow"]),
    seed=integers(0, 5),
)
def test_the_first_generation_is_no_larger_than_programs_may_be(language, depth, size, start, seed):
    limits = Limits(depth, size)
    kind = Trees((("one", language), ("other", language)), limits, start=start)
    for genome in (*kind.begin(12, Stream(seed)), kind.make(Stream(seed))):
        assert all(limits.allow(tree) for tree in genome)


def test_a_run_never_holds_a_program_beyond_its_limits():
    kind = Trees((("program", ARITHMETIC),), Limits(5, 12), mutations=(("subtree", 1.0), ("insert", 1.0)))
    plan = Plan(population=30, generations=8, breeding="gp", crossover=0.6, mutation=0.3)
    largest = [max(one.sizes) for one in Problem("large", kind, fitness=len, plan=plan).run(seed=1)]
    assert max(largest) <= 12 and largest[-1] >= 9


def test_programs_that_were_small_enough_are_those_of_before():
    kind = Trees((("program", ARITHMETIC),), Limits(6, 30))
    wide = Trees((("program", ARITHMETIC),), Limits(6, 500))
    small, large = kind.begin(40, Stream(3)), wide.begin(40, Stream(3))
    assert [a for a, b in zip(small, large, strict=True) if len(b[0]) <= 30] == [
        b for b in large if len(b[0]) <= 30
    ] and small != large


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Limits(-1, 3), "limits: depth must be at least 0, got -1"),
        (lambda: Limits(3, 2.5), "limits: size must be a whole number, got 2.5"),
        (lambda: Limits(3, 3, inner=2), "limits: inner must be at most 1, got 2"),
        (lambda: Trees((("program", ARITHMETIC),), 3), r"trees have Limits\(depth, size\), got 3"),
        (lambda: Trees((("program", ARITHMETIC),), low="x"), "trees: low must be a whole number, got 'x'"),
        (lambda: Trees(3), "trees have pairs of a role and a language, got 3"),
    ],
)
def test_limits_that_are_none_are_refused(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


def test_a_language_that_has_no_program_so_small_says_so():
    forced = Language(
        "forced", ("Float", "Bool"), tuple(p for p in WORDS.primitives if p.name in ("LowerEqual", "ERC")), root="Bool"
    )
    assert len(Trees((("program", forced),), Limits(1, 3)).make(Stream(1))[0]) == 3
    with pytest.raises(BadParameter, match="forced: there is hardly a program of at most 2 nodes and depth 1"):
        Trees((("program", forced),), Limits(1, 2)).make(Stream(1))
