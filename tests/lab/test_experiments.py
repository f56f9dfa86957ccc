"""Experiments: the same table from the same seed, stopped and resumed or not."""

import json
from dataclasses import replace

import pytest

from ludwin.cli import main
from ludwin.errors import BadParameter, LudwinError
from ludwin.lab.experiment import LabTable, begin, finish, judged, measured
from ludwin.lab.register import STUDY, TABLES
from ludwin.lab.sources.matches import score
from ludwin.lab.verdicts import SCORE, Finding
from ludwin.library import agent, load
from ludwin.stats import Estimate


def small(run):
    for depth in (1, 2):
        label = f"depth {depth}"
        found = score(run, label, load("tic-tac-toe"), agent(f"alphabeta:depth={depth},ties=random"), agent("random"))
        run.add(judged(label, "score", SCORE, Finding(found, run.games, 0.9, 0.05)))


SMALL = LabTable("small", "a test", {"quick": (20, 1), "standard": (40, 1), "paper": (80, 1)}, small)


def fill(folder=None, resume=None, **more):
    run = begin(
        SMALL,
        **{
            "preset": "quick",
            "games": None,
            "runs": None,
            "seed": 1,
            "workers": 1,
            "out": folder,
            "resume": resume,
            **more,
        },
    )
    SMALL.fill(run)
    return finish(run)


def test_the_same_seed_writes_the_same_bytes(tmp_path):
    fill(tmp_path / "a")
    fill(tmp_path / "b")
    for name in ("settings.json", "table.json", "table.md", "depth-1.jsonl"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_stopped_run_goes_on_to_the_same_table(tmp_path):
    whole = fill(tmp_path / "whole")
    fill(tmp_path / "cut")
    (tmp_path / "cut" / "table.json").unlink()
    (tmp_path / "cut" / "depth-2.jsonl").unlink()
    record = tmp_path / "cut" / "depth-1.jsonl"
    record.write_bytes(record.read_bytes()[:-100])  # torn in the middle of a line
    assert fill(resume=tmp_path / "cut") == whole
    assert (tmp_path / "cut" / "table.json").read_bytes() == (tmp_path / "whole" / "table.json").read_bytes()


def test_another_runs_folder_is_refused(tmp_path):
    fill(tmp_path / "a")
    with pytest.raises(LudwinError, match="another experiment or other settings"):
        fill(tmp_path / "a", seed=2)
    with pytest.raises(LudwinError, match="no experiment to resume"):
        fill(resume=tmp_path)


def test_folders_that_cannot_be_used_are_refused_in_one_line(tmp_path):
    (tmp_path / "file").write_text("mine", encoding="utf8")
    for folder, words in (
        (tmp_path, "holds other files"),
        (tmp_path / "file", "cannot write to"),
        (tmp_path / "file" / "below", "cannot write to"),
    ):
        with pytest.raises(BadParameter, match=words):
            fill(folder)
    fill(tmp_path / "a")
    with pytest.raises(BadParameter, match="goes on in its own folder"):
        fill(tmp_path / "b", resume=tmp_path / "a")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "file"]


def test_sizes_that_make_no_sense_are_refused():
    with pytest.raises(
        BadParameter, match="small: games must be even and at least 2, so that each side begins as often, got 3"
    ):
        fill(games=3)
    with pytest.raises(BadParameter, match="small has one run only"):
        fill(runs=2)
    alone = replace(SMALL, sides=1, least=3)
    assert begin(alone, preset="quick", games=3, runs=None, seed=0, workers=1, out=None, resume=None).games == 3
    with pytest.raises(BadParameter, match="small: games must be at least 3, got 2"):
        begin(alone, preset="quick", games=2, runs=None, seed=0, workers=1, out=None, resume=None)


def test_table_3_5_has_its_nine_rows_in_both_flavours(capsys):
    assert main(["reproduce", "lose-checkers-3.5", "--games", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["experiment"] == "lose-checkers-3.5" and len(data["rows"]) == 18
    assert {"label", "metric", "published", "ours", "low", "high", "verdict"} <= set(data["rows"][0])


def test_headers_say_what_is_counted(capsys, monkeypatch):
    nothing = LabTable(
        "nothing", "a test", {"quick": (20, 1), "standard": (40, 1), "paper": (80, 1)}, lambda run: None, "decisions"
    )
    monkeypatch.setitem(TABLES.of(""), "nothing", nothing)
    monkeypatch.setitem(TABLES.of(""), "small", SMALL)
    assert main(["reproduce", "nothing"]) == 0
    assert capsys.readouterr().out.startswith("nothing (quick, 20 decisions a row, seed 0)")
    assert main(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    assert (
        "a test (decisions a row: quick 20, standard 40, paper 80)" in listed
        and "a test (games a row: quick 20," in listed
    )
    assert {e.name for e in (*TABLES.values(), *STUDY.values()) if e.unit == "decisions"} >= {
        "fop-5.4",
        "fop-5.8",
        "formulas-5.11",
        "ea-mcts-options",
    }
    assert {e.name for e in STUDY.values() if e.unit == "positions"} == {"alphabeta-savings", "twist-killers"}


def test_games_of_each_sample_are_not_called_games_of_a_row(capsys, monkeypatch, tmp_path):
    def fill(run):
        run.add(measured("one", "points", Estimate(1.0, 0.0, 2.0), 7))

    sizes = {"quick": (20, 1), "standard": (40, 1), "paper": (80, 1)}
    monkeypatch.setitem(TABLES.of(""), "deep", LabTable("deep", "a test", sizes, fill, sides=1, each="position"))
    assert main(["reproduce", "deep", "--out", str(tmp_path / "run")]) == 0
    assert capsys.readouterr().out.startswith("deep (quick, 20 games a position, seed 0)")
    assert "| 95 % interval | positions |" in (tmp_path / "run" / "table.md").read_text()
    assert main(["study", "--list"]) == 0
    assert "4.21 (games a position: quick 20, standard 200, paper 1000)" in capsys.readouterr().out


def test_experiments_are_listed_and_misspelt_names_helped(capsys):
    assert main(["reproduce", "--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in TABLES)
    assert main(["study", "twist-kilers"]) == 2
    assert "did you mean 'twist-killers'" in capsys.readouterr().err
    assert main(["reproduce", "lose-checkers-3.5", "--games", "3"]) == 2
