"""Programs on rows: the same bits as the readable evaluator, whatever the language, the rows and the way."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import floats, integers, lists

from ludwin.errors import BadParameter
from ludwin.program.board import BASIC, FUNCTIONS
from ludwin.program.generate import ramped
from ludwin.program.language import Language, Primitive
from ludwin.program.rows import Columns, on_rows, plainly
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.program.vary import Limits, mutate_local

EVERYTHING = Language(
    "everything",
    ("Float", "Bool"),
    (
        *FUNCTIONS,
        *BASIC,
        Primitive("Div", "Float", ("Float", "Float"), "a / b"),
        Primitive("Log", "Float", ("Float",), "log(abs(a))"),
        Primitive("Root", "Float", ("Float",), "sqrt(a)"),
        Primitive("Wave", "Float", ("Float",), "sin(a) + cos(a) * exp(min(a, 2))"),
        Primitive("Most", "Float", ("Float", "Float", "Float"), "max(a, b, -c)"),
        Primitive("Unused", "Float", ("Float", "Float"), "b"),
        Primitive("Odd", "Float", ("Bool", "Float"), "a + (b if a and not b < 1 else v)", draws=(-1.0, 1.0)),
        Primitive("X", "Float", reads="x"),
        Primitive("Board", "Float", reads="board", places=3),
        Primitive("On", "Bool", reads="on"),
    ),
)


def rows_of(numbers):
    x = np.array(numbers)
    with np.errstate(all="ignore"):
        return Columns({"x": x, "board": [x * 2, x - 1, x * x], "on": (x > 0).astype(float)})


@settings(max_examples=12, deadline=None)
@given(seed=integers(0, 10**6), numbers=lists(floats(-1e6, 1e6) | floats(), min_size=1, max_size=20))
def test_values_are_those_of_the_readable_evaluator(seed, numbers):
    trees = ramped(EVERYTHING, 12, Stream(seed), low=1, high=5)
    trees += [mutate_local(tree, Stream(seed, k), Limits()) for k, tree in enumerate(trees)]
    rows = rows_of(numbers)
    for tree, found in zip(trees, rows.values(trees), strict=True):
        wanted = plainly(tree, rows)
        assert np.array_equal(found, wanted, equal_nan=True), tree


def test_native_code_interpreter_and_readable_evaluator_agree_on_blocks_of_any_length():
    trees = ramped(EVERYTHING, 6, Stream(3), low=2, high=4)
    for length in (1, 7, 8, 9, 255, 256, 257, 700):
        rows = rows_of(np.linspace(-3, 3, length))
        found, native = rows.values(trees), rows.values(trees, native=True)
        assert found.shape == native.shape == (6, length)
        for k, tree in enumerate(trees):
            assert np.array_equal(found[k], native[k], equal_nan=True)
            assert np.array_equal(found[k], plainly(tree, rows), equal_nan=True)


def test_programs_of_several_languages_are_told_apart():
    other = Language("other", ("Float",), (Primitive("Y", "Float", reads="x"), Primitive("N", "Float", rule="7.0")))
    trees = [read(EVERYTHING, "X"), read(other, "N"), read(EVERYTHING, "Unused(X, Board[2])"), read(other, "Y")]
    assert on_rows(trees, rows_of([2.0, 3.0])).tolist() == [[2, 3], [7, 7], [4, 9], [2, 3]]


def test_a_long_run_does_not_pile_up_memory_of_the_stack():
    rows = Columns({"x": np.zeros(200_000), "on": np.zeros(200_000), "board": np.zeros((3, 200_000))})
    trees = ramped(EVERYTHING, 3, Stream(1), low=5, high=6)
    for _ in range(3):
        rows.values(trees)


@pytest.mark.parametrize(
    "act, message",
    [
        (lambda: Columns({}), "rows need a column"),
        (lambda: Columns({"x": []}), "one row at least"),
        (lambda: Columns({"x": [1, 2], "y": [1]}), "same number of rows, got 2 and 1"),
        (lambda: Columns({"x": ["one"]}), "column 'x' must hold numbers"),
        (lambda: Columns({"x": [[[1.0]]]}), "must be a list of numbers"),
        (lambda: on_rows([read(EVERYTHING, "X")], {"xx": [1.0]}), "reads 'x', which is no column; did you mean 'xx'"),
        (lambda: on_rows([read(EVERYTHING, "Board[2]")], {"board": [[1.0]]}), "reads place 2 of 'board', which has 1"),
    ],
)
def test_rows_that_do_not_fit_are_refused_in_one_line(act, message):
    with pytest.raises(BadParameter, match=message) as found:
        act()
    assert "\n" not in str(found.value)


def test_answers_lie_in_the_same_memory_only_where_that_was_wished():
    first, second = read(EVERYTHING, "X"), read(EVERYTHING, "Plus(X, X)")
    plain, again = rows_of([1.0, 2.0]), Columns({"x": [1.0, 2.0], "board": [[0.0, 0.0]] * 3, "on": [0, 0]}, reuse=True)
    kept = plain.values([first])
    assert plain.values([second]).tolist() == [[2, 4]] and kept.tolist() == [[1, 2]]
    kept = again.values([first])
    assert again.values([second, second]).tolist() == [[2, 4]] * 2 and again.values([first]).tolist() == [[1, 2]]


def test_programs_that_share_everything_and_nothing_are_computed_in_groups_of_any_size(monkeypatch):
    """Groups of few different nodes, down to one program each, give the same values."""
    from ludwin.program import rows

    trees = ramped(EVERYTHING, 40, Stream(11), low=1, high=6)
    trees += [mutate_local(tree, Stream(12, k), Limits()) for k, tree in enumerate(trees)] + trees[:5]
    table = rows_of(np.linspace(-2, 2, 300))
    wanted = table.values(trees).copy()
    for shared in (1, 17, 100, 5000):
        monkeypatch.setattr(rows, "SHARED", shared)
        assert np.array_equal(table.values(trees), wanted, equal_nan=True)


def test_no_programs_have_no_values():
    assert rows_of([1.0, 2.0]).values([]).shape == (0, 2)


def test_constants_that_differ_in_their_sign_of_zero_only_are_told_apart():
    trees = [read(EVERYTHING, f"Div(One, {text})") for text in ("0.0", "-0.0")]
    assert rows_of([1.0]).values(trees).tolist() == [[np.inf], [-np.inf]]


@pytest.mark.slow
def test_languages_of_many_primitives_have_room():
    many = Language("many", ("Float",), tuple(Primitive(f"N{k}", "Float", rule=f"{k}.0") for k in range(300)))
    assert on_rows([read(many, "N3"), read(many, "N299")], {"x": [0.0]}).tolist() == [[3.0], [299.0]]
