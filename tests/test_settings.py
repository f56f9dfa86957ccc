"""One sentence for every mistake in a setting, whoever takes the setting."""

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludwin.arena.terms import EVENTS
from ludwin.errors import BadParameter
from ludwin.evolve.experiment import schema, settle
from ludwin.evolve.plan import Plan
from ludwin.evolve.register import find
from ludwin.kernel.specialise import MODES
from ludwin.library import agent
from ludwin.settings import MOST, Setting, declared, known_only, one_of, setting, within
from ludwin.words import PRESETS

DEPTH = Setting("depth", 3, "plies", least=1, most=9)
C = Setting("c", 1.0, "exploration", least=0)
FORM = Setting("form", "wide", "which", choices=("wide", "narrow"))
SWITCHED = Setting("fresh", False, "anew")


@pytest.mark.parametrize(
    ("one", "given", "value"),
    [
        (DEPTH, "5", 5),
        (DEPTH, 5.0, 5),
        (DEPTH, " 7 ", 7),
        (C, "1e3", 1000.0),
        (C, 2, 2.0),
        (FORM, "narrow", "narrow"),
        (SWITCHED, "ON", True),
        (SWITCHED, 0, False),
        (Setting("stop", math.inf, "when"), "inf", math.inf),
    ],
)
def test_texts_and_values_of_json_are_read_alike(one, given, value):
    read = one.read(given)
    assert read == value and type(read) is type(value)


@pytest.mark.parametrize(
    ("one", "given", "message"),
    [
        (DEPTH, "0", "a: depth must be at least 1, got 0"),
        (DEPTH, "10", "a: depth must be at most 9, got 10"),
        (DEPTH, "two", "a: depth must be a whole number, got 'two'"),
        (DEPTH, 2.5, "a: depth must be a whole number, got 2.5"),
        (DEPTH, True, "a: depth must be a whole number, got True"),
        (DEPTH, [3], "a: depth must be a whole number, got [3]"),
        (DEPTH, None, "a: depth must be a whole number, got None"),
        (DEPTH, math.inf, "a: depth must be a whole number, got inf"),
        (DEPTH, 10**400, "a: depth must be at most 9, got a number of about 400 digits"),
        (C, "nan", "a: c must be a finite number, got nan"),
        (C, "-inf", "a: c must be a finite number, got -inf"),
        (C, 10**400, "a: c must be a number, got a number of about 400 digits"),
        (C, "x" * 200, "a: c must be a number, got '" + "x" * 58 + "…"),
        (FORM, "wied", "a: form must be one of wide, narrow, got 'wied'; did you mean 'wide'?"),
        (FORM, "tall", "a: form must be one of wide, narrow, got 'tall'"),
        (SWITCHED, "perhaps", "a: fresh must be true or false, got 'perhaps'"),
        (SWITCHED, {}, "a: fresh must be true or false, got {}"),
    ],
)
def test_what_does_not_fit_is_told_in_one_line(one, given, message):
    with pytest.raises(BadParameter) as caught:
        one.read(given, "a")
    assert str(caught.value) == message


@given(st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.lists(st.integers())))
def test_a_value_is_read_or_refused_and_nothing_else_happens(value):
    for one in (DEPTH, C, FORM, SWITCHED):
        try:
            read = one.read(value)
        except BadParameter as error:
            assert "\n" not in str(error) and len(str(error)) < 200
        else:
            assert one.read(read) == read and type(read) is one.wanted


def test_the_same_mistake_has_the_same_words_everywhere():
    """An agent, a plan of breeding and an experiment are asked for less than the least."""
    experiment = find("onemax")
    sentences = []
    for ask, owner in (
        (lambda: agent("uct:playouts=-1"), "uct: playouts"),
        (lambda: Plan.parse({"elite": "-1"}), "elite"),
        (lambda: settle(experiment, "quick", {"elite": "-1"}), "elite"),
    ):
        with pytest.raises(BadParameter) as caught:
            ask()
        sentences.append(str(caught.value).removeprefix(f"{owner} must be at least "))
    assert {sentence.split(", got ")[1] for sentence in sentences} == {"-1"}


def test_the_same_choice_has_the_same_words_everywhere():
    for ask in (
        lambda: Plan.parse({"breeding": "stedy"}),
        lambda: settle(find("onemax"), "quick", {"breeding": "stedy"}),
    ):
        with pytest.raises(BadParameter, match=r"breeding must be one of ga, .*, got 'stedy'; did you mean 'steady'\?"):
            ask()
    with pytest.raises(BadParameter, match=r"alphabeta: killers must be one of .*, got 'plyy'; did you mean 'ply'\?"):
        agent("alphabeta:killers=plyy")


def test_settings_of_a_dataclass_are_those_that_it_declares():
    @dataclass(frozen=True)
    class Tuned:
        hidden: int = 3
        depth: int = setting(3, "plies", least=1)
        low: float = setting(0.0, "any number")
        lazy: int = setting(None, "depends", least=0, kind=int)

    found = declared(Tuned)
    assert list(found) == ["depth", "low", "lazy"]
    assert found["depth"].most == MOST and found["low"].most is None and found["lazy"].wanted is int
    assert found["depth"].kind == "a whole number from 1"


def test_every_setting_of_an_experiment_accepts_its_own_default():
    for name in ("onemax", "symbolic-regression", "lose-checkers", "reversi"):
        for key, one in schema(find(name)).items():
            assert one.read(one.default) == one.default, key


def test_helpers_say_what_was_perhaps_meant():
    with pytest.raises(BadParameter, match="workers must be at least 1, got 0"):
        within("workers", 0, least=1)
    with pytest.raises(BadParameter, match="share must be at most 1, got nan"):
        within("share", math.nan, most=1)
    with pytest.raises(BadParameter, match=r"preset must be one of quick, .*; did you mean 'paper'\?"):
        one_of("preset", "papr", PRESETS)
    with pytest.raises(BadParameter, match=r"x has no setting 'dept'; did you mean 'depth'\?"):
        known_only({"dept": 1}, {"depth": 2}, "x has no setting", "")


def test_choices_may_be_numbers():
    size = Setting("size", 6, "rows", choices=(6, 8))
    assert size.kind == "6 | 8" and size.read("8") == 8
    with pytest.raises(BadParameter, match="size must be one of 6, 8, got 7"):
        size.read("7")


def test_words_are_spelled_once():
    assert MODES == ("plain", "checked", "fast") and PRESETS[0] == "quick" and "swiss" in EVENTS
