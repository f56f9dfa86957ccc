"""Programs that nobody would write mean the same in plain, checked and fast; and the machine that looks for
differences can find one."""

import sys
from pathlib import Path

import pytest

sys.path.insert(
    0, str(Path(__file__).parents[2])
)  # `tests.fuzz` is a package of the repository, not of the installation

from tests.fuzz.generate import Features, inputs, invent
from tests.fuzz.programs import BATCH, Report, compare, keep, merge, probe, replay
from tests.fuzz.shrink import shrink
from tests.fuzz.twin import Watch

pytestmark = pytest.mark.thorough

SEED = 2014


def cases(seed, first, count, states=6):
    features = probe()
    return [(invent(seed, number, features), inputs(seed, number, states)) for number in range(first, first + count)]


def compared(seed, first, count):
    total = Report()
    for start in range(first, first + count, BATCH):
        merge(total, compare(cases(seed, start, min(BATCH, first + count - start)), start // BATCH))
    return total


def told(report):
    return [(d.program.name, d.mode, d.expected, d.got) for d in report.differences]


def test_three_hundred_random_programs_mean_the_same_in_all_modes():
    report = compared(SEED, 0, 300)
    assert told(report) == []
    # The test means something only if most programs are compiled, most runs end well, and every kind of end occurs.
    counts = report.counts
    assert counts["programs"] >= 270 and counts["fine"] >= counts["runs"] // 2
    assert all(counts[how] >= 5 for how in ("raises", "leaves", "index", "inexact", "wrapped")), counts


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_many_random_programs_mean_the_same_in_all_modes(seed):
    assert told(compared(seed, 0, 2500)) == []


def test_the_same_number_gives_the_same_program_and_states():
    one, two = (invent(SEED, 7, Features()) for _ in range(2))
    assert [f.lines(False) for f in one.functions] == [f.lines(False) for f in two.functions]
    assert repr(inputs(SEED, 7, 8)) == repr(inputs(SEED, 7, 8))  # as texts, for nan is not nan
    assert [f.lines(False) for f in invent(SEED, 8, Features()).functions] != [f.lines(False) for f in one.functions]


def test_both_texts_of_a_program_have_the_same_lines():
    for number in range(200):
        for function in invent(SEED, number, Features()).functions:
            assert len(function.lines(False)) == len(function.lines(True))


# Each is a wrong meaning such as a compiler could have; the twin's text takes it on, and the modes then differ.
WRONG = {
    "a sum is a difference": lambda text: text.replace(" + ", " - "),
    "a comparison is sharp": lambda text: text.replace(" <= ", " < "),
    "and is or": lambda text: text.replace(" and ", " or "),
    "a shift goes the other way": lambda text: text.replace("shr(", "shl("),
    "a remainder is a quotient": lambda text: text.replace(" % ", " // "),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_a_wrong_meaning_is_found(wrong):
    report = compare(cases(SEED, 0, 60), 0, modes=("fast",), sabotage=WRONG[wrong])
    assert "fast" in {d.mode for d in report.differences}


def test_a_primitive_that_is_wrong_in_plain_python_is_found(monkeypatch):
    from ludwin import primitives

    monkeypatch.setattr(
        primitives, "mix", lambda h, x: (h ^ x) & 0xFFFF
    )  # rule files take it from here; compiled code does not
    report = compare(cases(SEED, 0, 12), 0, modes=("fast",))
    assert "fast" in {d.mode for d in report.differences}


def test_an_overflow_that_nobody_notices_is_found(monkeypatch):
    monkeypatch.setattr(Watch, "fit", lambda self, value: value)
    report = compare(cases(SEED, 0, 12), 0, modes=("checked",))
    assert "checked" in {d.mode for d in report.differences}


def test_a_difference_is_shrunk_to_its_point():
    drawn = (invent(SEED, k, Features()) for k in range(2000))
    program = next(
        p for p in drawn if len(p.main.lines(False)) > 12 and any(n.text == "popcount" for n in p.main.walk())
    )

    def says_popcount(candidate):
        return any(n.text == "popcount" for n in candidate.main.walk())

    small = shrink(program, says_popcount, 30.0)
    assert small.sound() and says_popcount(small)
    assert len(small.main.lines(False)) <= 5 < len(program.main.lines(False))


def test_a_reproducer_is_written_and_can_be_replayed(tmp_path, capsys):
    twin_is_wrong = WRONG["a sum is a difference"]
    report = compare(cases(SEED, 0, 4), 0, modes=("fast",), sabotage=twin_is_wrong)
    difference = next(d for d in report.differences if d.mode == "fast")
    keep(difference, 0, tmp_path / "found")
    assert replay(tmp_path / "found") == 1
    assert "fast: " in capsys.readouterr().out
