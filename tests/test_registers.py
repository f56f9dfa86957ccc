"""Registers: every name a user can type has one home, and is found however it is typed."""

import pytest

from ludwin import library
from ludwin.discover import problems
from ludwin.errors import UnknownExperiment, UnknownProblem
from ludwin.evolve.register import find
from ludwin.library import EXPERIMENTS, PROBLEMS, STUDIES, TABLES
from ludwin.registers import Register

NUMBERS = Register("number", {"pi": "math:pi", "pi-squared": "math:pi", "tau": "math:tau"}, way_out=" (three)")


def test_every_registered_name_leads_to_something_of_that_name():
    for register in (EXPERIMENTS, TABLES, STUDIES, PROBLEMS):
        for name in register:
            assert register[name].name == name
    assert set(PROBLEMS) == set(problems.PROBLEMS)


def test_looking_for_one_thing_imports_nothing_else(python):
    script = (
        "import sys\nfrom ludwin.library import EXPERIMENTS, TABLES\n"
        "assert 'fop-5.4' in TABLES and len(TABLES) > 10 and 'onemax' in EXPERIMENTS\n"
        "print([m for m in sys.modules if m.startswith(('ludwin.lab', 'ludwin.evolve', 'ludwin.discover'))])"
    )
    assert python(script) == "[]"


@pytest.mark.parametrize(
    ("text", "name"), [("pi", "pi"), ("PI_squared", "pi-squared"), ("ta", "tau"), (" tau ", "tau")]
)
def test_names_are_understood_as_they_are_typed(text, name):
    assert NUMBERS.name_of(text) == name and NUMBERS.find(text) == NUMBERS[name]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p", "'p' may mean pi or pi-squared"),
        ("tua", "no number called 'tua'; did you mean 'tau'? (three)"),
        ("", "no number called '' (three)"),
        ("x" * 300, "no number called '" + "x" * 58 + "… (three)"),
        ("pi\n", None),
    ],
)
def test_what_nobody_registered_is_told_in_one_line(text, message):
    if message is None:
        assert NUMBERS.find(text)
        return
    with pytest.raises(UnknownExperiment) as caught:
        NUMBERS.find(text)
    assert str(caught.value) == message


def test_each_kind_of_name_has_its_own_error_and_way_out():
    with pytest.raises(UnknownExperiment, match=r"did you mean 'fop-5.4'\? \(`ludwin reproduce --list` names all\)"):
        TABLES.find("fpo-5.4")
    with pytest.raises(UnknownProblem, match=r"did you mean 'scout'\? \(there are beta-cut"):
        problems.find("scuot")
    with pytest.raises(UnknownExperiment, match=r"did you mean 'connect-four'\? `ludwin evolve` lists all"):
        find("conect-four")
    assert library.EXPERIMENTS.find("one").name == "onemax"
