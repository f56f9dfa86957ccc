"""The clause language and the region solver."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludwin.discover.problems import FOLDER, read_program
from ludwin.discover.region import cover, deny, exact_join, project, region
from ludwin.discover.syntax import parse, parse_clause, write, write_clause
from ludwin.discover.term import BadProgram

NAMES = ("x", "y", "z")
VALUES = range(-3, 4)
literals = st.sampled_from([(n, s) for n in NAMES for s in (1, -1)] + [("", 0)])
facts = st.tuples(literals, st.booleans(), literals)


def value(lit, point):
    return lit[1] if lit[0] == "" else lit[1] * point[lit[0]]


def true(fact, point):
    x, y = value(fact[0], point), value(fact[2], point)
    return x > y if fact[1] else x >= y


POINTS = [
    dict(zip(NAMES, row, strict=True)) for row in itertools.product(VALUES, repeat=3)
]  # all signed order types of three numbers


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.pl")), ids=lambda p: p.stem)
def test_a_program_that_is_written_reads_back_as_itself(path):
    program = read_program(path.name)
    assert parse(write(program)) == program


@given(st.lists(facts, max_size=4), facts)
def test_the_solver_agrees_with_trying_all_signed_order_types(known, wanted):
    closed = region(known)
    inside = [p for p in POINTS if all(true(f, p) for f in known)]
    assert closed.empty == (not inside)
    assert closed.entails(wanted) == all(true(wanted, p) for p in inside)


@given(st.lists(facts, max_size=3), st.lists(facts, max_size=3))
def test_a_join_is_exactly_the_union(first, second):
    joined = exact_join(region(first), region(second))
    if joined is not None:
        for p in POINTS:
            union = all(true(f, p) for f in first) or all(true(f, p) for f in second)
            assert union == (joined.facts is not None and all(true(f, p) for f in joined.facts))


def test_the_hull_of_two_corners_is_no_join():
    x, y, z = ((n, 1) for n in NAMES)
    assert exact_join(region([(x, False, y)]), region([(y, False, z)])) is None


def test_regions_cover_and_project():
    x, y, z = ((n, 1) for n in NAMES)
    assert cover([region([(x, False, y)]), region([(y, True, x)])], region([]))
    assert not cover([region([(x, False, y)])], region([]))
    assert project(region([(x, False, y), (y, True, z)]), ["x", "z"]).entails((x, True, z))
    assert deny((x, False, y)) == (y, True, x)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (":- pred p(in, out).\np(X, Y) :- q(X, Y).", r"2:1: p: no predicate q is declared"),
        (":- pred p(in, out).\np(X, Y) :- X >= 1.", r"2:1: p: the head's variable Y never gets a value"),
        (":- pred p(in).\np(X) :- X ? 1.", r"2:11: cannot read '\?'"),
        (":- pred p(in).\np(X) :- X >= .", r"2:14: expected a term, got '\.'"),
        (":- pred p(in).\n:- pred p(in).", r"p is declared twice"),
        (":- pred p(in) is quick.", r"1:18: unknown promise 'quick'"),
        (":- pred p(in).\np(X, Y).", r"p takes 1 arguments, got 2"),
    ],
)
def test_a_mistake_is_told_with_line_and_column(text, message):
    with pytest.raises(BadProgram, match=message):
        parse(text)


def test_a_list_with_a_tail_keeps_its_text():
    assert (
        write_clause(parse_clause("p([A,B|Cs],-X) :- q(Cs,X), X >= -Y, Y is D-1."))
        == "p([A,B|Cs],-X) :- q(Cs,X), Y is D-1, X >= -Y."
    )
