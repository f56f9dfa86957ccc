"""Verdict rules: what each says, how many samples it needs, and that few samples never reproduce anything."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludwin.arena.stats import Estimate, mean_of
from ludwin.lab.experiment import Row, judged, measured
from ludwin.lab.verdicts import (
    AGAINST,
    AT_MOST,
    GAIN,
    INTERVAL,
    LEAST_P,
    NEAR,
    ORDER,
    RANGE,
    RULES,
    SAME_ANSWER,
    SAME_MEAN,
    SCORE,
    Finding,
    noted,
)
from ludwin.words import VERDICTS

OURS = Estimate(0.60, 0.55, 0.65)
ENOUGH = 1000
NUMBERS = st.floats(-1000, 1000)


def evidence(**more):
    return Finding(**{"ours": OURS, "samples": ENOUGH, **more})


@pytest.mark.parametrize(
    ("rule", "given_", "verdict"),
    [
        (SCORE, {"published": 0.68, "tolerance": 0.05}, "reproduced"),
        (SCORE, {"published": 0.71, "tolerance": 0.05}, "differs"),
        (INTERVAL, {"published": 0.65}, "reproduced"),
        (INTERVAL, {"published": 0.66}, "differs"),
        (INTERVAL, {}, "measured"),
        (NEAR, {"published": 0.70, "tolerance": 0.10}, "reproduced"),  # at the tolerance itself
        (NEAR, {"published": 0.71, "tolerance": 0.10}, "differs"),
        (SAME_MEAN, {"published": 0.9, "p": LEAST_P * 1.01}, "reproduced"),
        (SAME_MEAN, {"published": 0.6, "p": LEAST_P * 0.99}, "differs"),
        (RANGE, {"scores": (0.4, 0.6)}, "beaten"),
        (RANGE, {"scores": (0.5, 0.65)}, "reproduced"),
        (RANGE, {"scores": (0.66, 0.9)}, "below"),
        (RANGE, {}, "measured"),
        (SAME_ANSWER, {"p": 0.04, "answer": True}, "reproduced"),
        (SAME_ANSWER, {"p": 0.04, "answer": False}, "differs"),
        (SAME_ANSWER, {"p": 0.5, "answer": True}, "differs"),
        (SAME_ANSWER, {"p": 0.5}, "measured"),
        (AT_MOST, {"published": 0.55}, "reproduced"),
        (AT_MOST, {"published": 0.54}, "differs"),
        (ORDER, {"answer": True}, "reproduced"),
        (ORDER, {"answer": False}, "differs"),
        (ORDER, {"answer": True, "ours": Estimate(0.1, -0.1, 0.3)}, "measured"),
        (AGAINST, {}, "beaten"),
        (AGAINST, {"ours": Estimate(0.4, 0.3, 0.49)}, "below"),
        (AGAINST, {"ours": Estimate(0.5, 0.4, 0.6)}, "measured"),
        (GAIN, {"ours": Estimate(0.1, 0.05, 0.15)}, "beaten"),
        (GAIN, {"ours": Estimate(-0.1, -0.15, -0.05)}, "below"),
        (GAIN, {"ours": Estimate(0.0, -0.1, 0.1)}, "measured"),
    ],
)
def test_rules_say_what_they_ask(rule, given_, verdict):
    assert rule.judge(evidence(**given_)) == verdict
    assert rule.judge(evidence(**given_, samples=rule.least)) == verdict


@given(
    st.sampled_from(sorted(RULES)),
    st.tuples(NUMBERS, NUMBERS, NUMBERS).map(sorted),
    st.none() | NUMBERS,
    st.floats(0, 1e6),
    st.floats(0, 1),
    st.none() | st.booleans(),
)
def test_below_its_samples_a_rule_claims_nothing(name, ends, published, tolerance, p, answer):
    rule, (low, value, high) = RULES[name], ends
    one = Finding(Estimate(value, low, high), rule.least - 1, published, tolerance, [value, high], p, answer)
    assert rule.judge(one) == "measured"
    full = replace(one, samples=rule.least)
    assert rule.judge(full) in VERDICTS and rule.lacks(full) == ""
    assert bool(rule.lacks(one)) == (rule.judge(full) != "measured")


def test_two_decisions_do_not_reproduce_a_mean_of_417():
    """Regression: 23.0 against 417.6 with two decisions, give or take 806, was called reproduced."""
    row = judged("terminals", "terminals", NEAR, Finding(mean_of([7, 39]), 2, 417.62, 806.0), note="SD 22.6")
    assert (row.ours, row.verdict, row.games) == (23.0, "measured", 2)
    assert row.note == "SD 22.6; 2 are too few for a verdict, which needs 10 samples"


def test_one_sample_has_an_interval_without_ends():
    row = measured("x", "score", mean_of([0.5]), 1)
    assert math.isinf(row.low) and row.as_json()["low"] is None and row.as_json()["high"] is None


def test_every_rule_needs_samples_and_has_a_name_of_its_own():
    assert all(rule.least >= 10 and rule.name == name and rule.asks.endswith("?") for name, rule in RULES.items())
    assert isinstance(judged("x", "y", SCORE, evidence(published=0.6)), Row)
    assert noted("", "a", "", "b") == "a; b"


def test_the_page_of_verdicts_tells_every_rule_as_it_is():
    page = (Path(__file__).parents[2] / "docs" / "reference" / "verdicts.md").read_text(encoding="utf8")
    for rule in RULES.values():
        assert f"| {rule.name} | {rule.least} {rule.unit} | {rule.asks} |" in page
    assert all(f"| `{word}` |" in page for word in VERDICTS)
