"""Tuning: ranges as typed, a fit that finds a known top, stages that close in, a confirmation on fresh games."""

import json
import math

import numpy as np
import pytest

import ludwin
from ludwin.arena.records import read_header
from ludwin.cli import main
from ludwin.errors import LudwinError
from ludwin.lab.tune import Span, TuningPlan, _Tuning, spans, tune

SMALL = TuningPlan(seed=3, candidates=4, stages=2, games=2, confirm=4)


def test_a_wide_positive_range_is_searched_by_factors_and_a_narrow_one_by_steps():
    wide, narrow = Span("c", 0.001, 10), Span("c", 0.5, 2)
    assert [wide.at(x) for x in (0, 0.25, 0.5, 1)] == ["0.001", "0.01", "0.1", "10"]
    assert [narrow.at(x) for x in (0, 0.5, 1)] == ["0.5", "1.25", "2"]
    assert all(math.isclose(wide.place(wide.at(x)), x, abs_tol=1e-3) for x in (0, 0.3, 0.77, 1))
    assert Span("playouts", 10, 1000, whole=True).at(0.51) == "105"


@pytest.mark.parametrize(
    "over, words",
    [
        ("c", "wants ranges"),
        ("c=", "wants ranges"),
        ("c=1", "wants ranges"),
        ("c=2..1", "from a smaller to a greater"),
        ("c=1..inf", "at most"),
        ("c=1..1", "from a smaller to a greater"),
        ("c=a..b", "must be a number"),
        ("c=nan..1", "nan"),
        ("playouts=1.5..3", "must be a whole number"),
        ("playouts=-5..3", "at least 0"),
        ("cc=1..2", "has no parameter 'cc'"),
        ("c=1..2,c=1..3", "given twice"),
        ("c=1|1", "twice"),
        ("", "wants ranges"),
    ],
)
def test_a_range_that_is_none_is_refused_in_one_line(over, words):
    with pytest.raises(LudwinError, match=words) as caught:
        spans(over, ludwin.agent("uct"))
    assert "\n" not in str(caught.value)


def test_choices_are_for_what_is_no_number():
    with pytest.raises(LudwinError, match="no number"):
        spans("recommend=a..b", ludwin.agent("mcts"))
    (one,) = spans("recommend=robust|max", ludwin.agent("mcts"))
    assert [one.at(x) for x in (0.2, 0.8)] == ["robust", "max"] and str(one) == "recommend=robust|max"


@pytest.mark.parametrize(
    "plan", [{"games": 3}, {"games": 0}, {"stages": 0}, {"confirm": 5}, {"sprt": "1"}, {"seed": 0.5}]
)
def test_a_plan_that_cannot_be_played_is_refused(plan):
    with pytest.raises(LudwinError):
        TuningPlan(**plan)


@pytest.mark.parametrize("top", [0.15, 0.5, 0.8])
def test_the_fit_finds_the_top_of_strengths_that_are_a_quadratic(top):
    """Games whose results are as likely as a Bradley-Terry model says, drawn from a fixed stream."""
    agent = ludwin.agent("uct")
    work = _Tuning(ludwin.load("nim"), agent, spans("c=0.001..10", agent), TuningPlan(seed=1))
    rng = np.random.default_rng(7)
    for _ in range(3000):
        a, b = rng.random(2)
        p = 1 / (1 + math.exp(-(8 * ((b - top) ** 2 - (a - top) ** 2))))
        work.seen.append((np.array([a]), np.array([b]), float(rng.random() < p), 1))
    work.fit()
    trials = work.trials()
    assert abs(trials[np.argmax(work.strength(trials))][0] - top) < 0.06


def test_a_side_that_wins_everything_leaves_the_fit_finite():
    agent = ludwin.agent("uct")
    work = _Tuning(ludwin.load("nim"), agent, spans("c=0.001..10", agent), TuningPlan(seed=1))
    work.seen = [(np.array([x]), np.array([0.0]), 4.0, 4) for x in (0.3, 0.6, 0.9)]
    work.fit()
    assert (
        np.all(np.isfinite(work.weights)) and work.strength(np.array([[0.9]]))[0] > work.strength(np.array([[0.0]]))[0]
    )


def test_tuning_is_the_same_again_with_two_workers_and_after_a_resume_and_confirms_on_seeds_of_its_own(tmp_path):
    def made(**more):
        return tune("nim", "uct:playouts=10", "c=0.01..10", plan=SMALL, mode="plain", **more)

    first = made(out=tmp_path / "a")
    (tmp_path / "a" / "confirmation.jsonl").unlink()
    lines = (tmp_path / "a" / "stage-2.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "a" / "stage-2.jsonl").write_bytes(b"".join(lines[:5]))
    assert made(out=tmp_path / "a").to_dict() == first.to_dict() == made(workers=2).to_dict()
    seeds = {read_header(path)["seed"] for path in (tmp_path / "a").glob("*.jsonl")}
    assert seeds == {3000, 3001, 3002}
    with pytest.raises(LudwinError, match="another experiment or other settings"):
        tune("nim", "uct:playouts=11", "c=0.01..10", plan=SMALL, mode="plain", out=tmp_path / "a")


def test_the_command_says_what_the_function_returns_and_refuses_games_of_one(capsys):
    size = "--candidates 4 --stages 2 --games 2 --confirm 4"
    line = f"tune nim uct:playouts=10 --over c=0.01..10 {size} --seed 3 --mode plain"
    assert main(line.split()) == 0
    found = tune("nim", "uct:playouts=10", "c=0.01..10", plan=SMALL, mode="plain")
    assert capsys.readouterr().out.strip() == repr(found)
    assert main([*line.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(found.to_dict()))
    assert main(["tune", "fop", "uct", "--over", "c=0.1..1"]) == 2
    assert "fop has 1 player" in capsys.readouterr().err


def test_the_given_agent_is_not_confirmed_against_itself():
    found = tune(
        "nim", "uct:playouts=10,worlds=4", "worlds=4|8", plan=TuningPlan(candidates=3, stages=1, games=2), mode="plain"
    )
    assert (found.confirmation is None) == (found.agent == found.given)
