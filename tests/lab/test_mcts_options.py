"""The study of mcts's options: what is compared, that it resumes to the same bytes, and that help tells its results."""

import json
from dataclasses import fields
from pathlib import Path

import pytest

from ludwin.errors import LudwinError
from ludwin.lab import mcts_options
from ludwin.lab.experiment import Row, begin, finish
from ludwin.lab.mcts_options import (
    OPTIONS,
    PLAYOUTS,
    MctsStudy,
    applies,
    experiment,
    made,
    measure,
    read_ratio,
    summary,
)
from ludwin.lab.register import STUDY
from ludwin.library import load
from ludwin.search.montecarlo.mcts import MCTS, RULES

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "mcts.md"
# budgets, the constant, and what does nothing at these games
NOT_STUDIED = {"playouts", "nodes", "seconds", "c", "reward", "scale", "terminal", "brain"}
# parameters of options
PARAMETERS = {"secure", "power", "eval", "low", "high", "epsilon", "gamma", "discount", "window"} | {
    "equivalence",
    "temperature",
}
TINY = MctsStudy(("rule=rave", "recommend=max"), {"tic-tac-toe": {"quick": 20}}, positions=2)


def fill(folder=None, resume=None, study=TINY):
    made = experiment(study)
    run = begin(made, preset="quick", games=4, runs=None, seed=1, workers=1, out=folder, resume=resume)
    made.fill(run)
    return finish(run)["rows"]


def test_every_option_of_mcts_is_studied_at_four_games():
    studied = {part.partition("=")[0] for option in OPTIONS for part in option.split(",")}
    typed = {item.name for item in fields(MCTS) if not item.metadata.get("hidden")}  # a brain cannot be typed
    assert studied == typed - NOT_STUDIED - PARAMETERS
    assert {option.partition("rule=")[2].partition(",")[0] for option in OPTIONS} - {""} == set(RULES) - {"ucb"}
    assert len(PLAYOUTS) == 4 and STUDY["mcts-options"].sizes["quick"]
    for text in PLAYOUTS:
        game = load(text)
        idle = [option for option in OPTIONS if not applies(option, game)]
        assert idle == ([] if game.has_chance else ["outcomes=stop"])


def test_an_option_meets_plain_at_equal_playouts_and_at_equal_time(monkeypatch):
    monkeypatch.setattr(mcts_options, "measure", lambda game, first, *more: 2.0 if first.rule == "rave" else 1.02)
    rows = fill()
    equal, timed = mcts_options.METRICS
    assert [row["metric"] for row in rows] == [equal, timed, equal, timed, *["mean score at equal time"] * 2]
    assert rows[1]["note"] == "a choice takes 2.00 times plain's time: 10 playouts against 20"
    assert rows[3]["note"].endswith("the same games") and rows[3]["ours"] == rows[2]["ours"]
    assert {row["games"] for row in rows} == {4}
    assert all("helps " in row["note"] and "hurts " in row["note"] for row in rows[4:])


def test_a_stopped_study_goes_on_to_the_same_bytes_with_the_times_that_it_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(mcts_options, "measure", lambda *more: 0.5)
    fill(tmp_path / "a")
    table = (tmp_path / "a" / "table.json").read_bytes()
    monkeypatch.setattr(mcts_options, "measure", lambda *more: pytest.fail("the times are on file"))
    (tmp_path / "a" / "table.json").unlink()
    next((tmp_path / "a").glob("*rave*equal-time.jsonl")).unlink()
    fill(resume=tmp_path / "a")
    assert (tmp_path / "a" / "table.json").read_bytes() == table


TIME = '{"format": "ludwin-time", "ratio": %s}'


WRONG = ("", "[]", "{}", TIME % '"1"', TIME % "0", TIME % "true", TIME % "NaN", "[" * 9999, "\xff")


@pytest.mark.parametrize("text", WRONG)
def test_a_file_that_holds_no_ratio_is_refused_in_one_line(tmp_path, text):
    path = tmp_path / "x-time.json"
    path.write_bytes(text.encode("latin1"))
    with pytest.raises(LudwinError, match="holds no ratio of times; remove it"):
        read_ratio(path)
    path.write_text(json.dumps({"format": "ludwin-time", "version": 1, "ratio": 1.5}), encoding="utf8")
    assert read_ratio(path) == 1.5


def test_four_simulations_take_longer_than_one():
    several, one = made("playouts=300,rollouts=8"), made("playouts=300")
    assert measure(load("connect-four"), several, one, 2, 1) > 1.5  # 4 and more on an idle machine


def test_the_summary_names_where_an_option_helps():
    def row(metric, low, high, verdict):
        return Row("x", metric, None, (low + high) / 2, low, high, verdict)

    equal, timed = mcts_options.METRICS
    at_nim = [row(equal, 0.6, 0.8, "beaten"), row(timed, 0.4, 0.6, "measured")]
    rows = [*(("nim", one) for one in at_nim), ("pig", row(timed, 0.2, 0.4, "below"))]
    found = summary("solver=1", rows, 10)
    assert found.note == "helps at nim (playouts); hurts at pig (time)"
    assert found.ours == pytest.approx(0.4) and found.games == 20
    assert found.high - found.low == pytest.approx(2**0.5 * 0.1)


def test_options_that_helped_nowhere_say_so_in_their_help():
    text = RESULTS.read_text(encoding="utf8")
    table = text.partition("## Options of mcts\n")[2].partition("\n## ")[0]
    shown = [line for line in table.splitlines() if line.startswith("| `")]
    lines = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in shown]
    told = {option.strip("` |").strip("`"): helps for option, *_, helps, _ in lines}
    assert set(told) == set(OPTIONS)
    helps = {item.name: item.metadata["help"] for item in fields(MCTS)}
    for option, places in told.items():
        name, _, value = option.partition(",")[0].partition("=")
        nowhere = places == "nowhere"
        if name in ("rule", "recommend", "expand"):  # their help names the values that gained nothing
            among = [places for other, places in told.items() if other.partition(",")[0] == f"{name}={value}"]
            gainless = helps[name].partition("no gain measured: ")[2].split(", ")
            assert (value in gainless) == all(places == "nowhere" for places in among), option
        else:
            among = [places for other, places in told.items() if other.startswith(f"{name}=")]
            assert ("no gain measured" in helps[name]) == all(places == "nowhere" for places in among), option
        assert nowhere or places
