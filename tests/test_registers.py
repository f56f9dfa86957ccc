"""Registers: every name a user can type has one home, and is found however it is typed."""

import pytest

from ludwin.discover import problems
from ludwin.errors import UnknownAgent, UnknownExperiment, UnknownProblem
from ludwin.evolve.register import find, names
from ludwin.lab.register import STUDY, TABLES
from ludwin.lab.register import find as find_table
from ludwin.library import PROBLEMS, agent
from ludwin.registers import Register

NUMBERS = Register("number", {"pi": "math:pi", "pi-squared": "math:pi", "tau": "math:tau"}, way_out=" (three)")


def test_every_registered_name_leads_to_something_of_that_name():
    for register in (PROBLEMS, TABLES, STUDY):
        for name in register:
            assert register[name].name == name
    assert set(PROBLEMS) == set(problems.PROBLEMS)
    assert all(find(name).name == name for name in names())


def test_looking_for_one_thing_imports_nothing_else(python):
    script = (
        "import sys\nfrom ludwin.library import AGENTS, PROBLEMS\n"
        "assert 'scout' in PROBLEMS and len(PROBLEMS) > 10 and 'evolved' in AGENTS\n"
        "print([m for m in sys.modules if m.startswith(('ludwin.lab', 'ludwin.evolve', 'ludwin.discover'))])"
    )
    assert python(script) == "[]"


@pytest.mark.parametrize(
    ("text", "name"), [("pi", "pi"), ("PI_squared", "pi-squared"), ("ta", "tau"), (" tau ", "tau"), ("pi\n", "pi")]
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
    ],
)
def test_what_nobody_registered_is_told_in_one_line(text, message):
    with pytest.raises(UnknownExperiment) as caught:
        NUMBERS.find(text)
    assert str(caught.value) == message


def test_each_kind_of_name_has_its_own_error_and_way_out():
    with pytest.raises(UnknownExperiment, match=r"did you mean 'fop-5.4'\? \(--list names all \d+\)"):
        find_table("fpo-5.4", TABLES, STUDY)
    with pytest.raises(UnknownProblem, match=r"did you mean 'scout'\? \(there are beta-cut"):
        problems.find("scuot")
    with pytest.raises(UnknownExperiment, match=r"did you mean 'connect-four'\? `ludwin evolve` lists all"):
        find("conect-four")
    with pytest.raises(UnknownAgent, match=r"did you mean 'greedy'\? `ludwin agents` lists all \d+"):
        agent("gredy")


def test_a_name_may_be_cut_short_everywhere():
    assert find("one").name == "onemax" and problems.find("sco").name == "scout"
    assert find_table("Carcassonne_5", TABLES).name == "carcassonne-5.10" and agent("exp").name == "expectimax"
    with pytest.raises(UnknownExperiment, match=r"'fop-5' may mean fop-5.4 or fop-5.5"):
        find_table("fop-5", TABLES)
