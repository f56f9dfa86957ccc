"""Runs that measure something else than scores: seconds, of which less is better."""

import json
import sqlite3
from dataclasses import replace

import pytest

from ludwin.cli import main
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.compare import compare
from ludwin.evolve.experiment import settle
from ludwin.evolve.run import create, reopen
from ludwin.evolve.sanity import ONEMAX
from ludwin.evolve.series import carry_out_series, create_series
from ludwin.evolve.store import EVOLUTION, BadRun, Note, Store, read_champion
from ludwin.measure import Measure

SMALL = {"length": 12, "population": 8, "generations": 4, "yardstick_every": 2}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")


def seconds(settings, genome, opponent, games, seed, workers):
    """A lap gets shorter with every 1 of the genome; five laps, a little noise."""
    times = [100.0 - 2.0 * sum(genome) + 0.1 * ((seed + k) % 5) for k in range(5)]
    return Measure.of_samples("lap time", times, opponent=opponent, unit="s", direction="less")


LAPS = replace(ONEMAX, measure=seconds)


def begin(folder, experiment=LAPS, seed=1, **given):
    return create(folder, experiment, "quick", settle(experiment, "quick", {**SMALL, **given}), seed)


@pytest.fixture(scope="module")
def laps(tmp_path_factory):
    folder = tmp_path_factory.mktemp("laps") / "run"
    carry_out(begin(folder))
    return folder


def version(folder):
    with sqlite3.connect(folder / "run.sqlite") as link:
        return link.execute("PRAGMA user_version").fetchone()[0]


def test_the_champion_is_the_quickest(laps):
    with Store(laps) as store:
        finalists, champion = (store.measures(EVOLUTION, purpose) for purpose in ("finalist", "champion"))
    quickest = min(note.measure.value for note in finalists)
    chosen = [n for n in finalists if (n.generation, n.number) == (champion[0].generation, champion[0].number)]
    assert chosen[0].measure.value == quickest < max(note.measure.value for note in finalists)
    assert (champion[0].measure.metric, champion[0].measure.unit) == ("lap time", "s")


def test_its_file_has_the_keys_of_every_measure(laps):
    score = read_champion(laps)["score"]
    assert (score["metric"], score["direction"], score["n"]) == ("lap time", "less", 5)
    assert score["low"] <= score["value"] <= score["high"]
    assert "lap time" in (laps / "report.html").read_text()


def test_only_runs_that_need_it_have_tables_of_version_3(laps, tmp_path):
    carry_out(begin(tmp_path / "scores", ONEMAX))
    assert (version(laps), version(tmp_path / "scores")) == (3, 2)


def test_a_run_of_version_2_becomes_one_of_version_3_and_keeps_what_it_had(tmp_path):
    carry_out(begin(tmp_path / "run", ONEMAX))
    with Store(tmp_path / "run") as store:
        before = store.measures(EVOLUTION, "yardstick")
        lap = Measure.of_samples("lap time", [3.0, 4.0], opponent="oval", unit="s", direction="less")
        store.add_measure(EVOLUTION, "laps", Note(0, 0, lap))
        store.add_measure(EVOLUTION, "laps", Note(1, 0, Measure.single("lap time", 3.5, unit="s", direction="less")))
    with Store(tmp_path / "run") as store:
        store.verify()
        assert store.version == 3
        assert store.measures(EVOLUTION, "yardstick") == before
        first, second = (note.measure for note in store.measures(EVOLUTION, "laps"))
    assert first == lap
    assert not second.has_interval and second.direction == "less"


@pytest.mark.parametrize(
    "command",
    [
        "UPDATE measures SET score = 1.0 WHERE purpose = 'champion'",
        "UPDATE metrics SET direction = 'more'",
        "UPDATE metrics SET unit = 'h' WHERE purpose = 'champion'",
        "DELETE FROM metrics WHERE purpose = 'champion'",
    ],
)
def test_edited_metrics_are_noticed(command, tmp_path):
    carry_out(begin(tmp_path / "run"))
    with sqlite3.connect(tmp_path / "run" / "run.sqlite") as link:
        link.execute(command)
    with Store(tmp_path / "run") as store, pytest.raises(BadRun, match="edited after it was stored"):
        store.measures(EVOLUTION, "champion")


def test_a_run_goes_on_to_the_same_end(laps, tmp_path):
    folder = tmp_path / "run"
    carry_out(begin(folder))
    (folder / "report.html").unlink()
    (folder / "champion.json").unlink()
    carry_out(reopen(folder, lambda name: LAPS))
    assert (folder / "champion.json").read_bytes() == (laps / "champion.json").read_bytes()


def test_series_know_which_way_is_better(tmp_path):
    folders = {}
    for name, length in (("short", 6), ("long", 14)):
        folders[name] = tmp_path / name
        settings = settle(LAPS, "quick", {**SMALL, "length": length})
        carry_out_series(create_series(folders[name], LAPS, "quick", settings, 1, 2))
    summary = json.loads((folders["long"] / "summary.json").read_text())
    assert summary["best"]["folder"] == min(summary["runs"], key=lambda row: row["value"])["folder"]
    found = compare(folders["long"], folders["short"])
    assert (found["metric"], found["direction"]) == ("lap time", "less")
    assert found["difference"] < 0 and found["superiority"] == 1.0  # the longer genome saves more seconds


def test_single_runs_are_compared_by_their_intervals(laps, tmp_path, capsys):
    carry_out(begin(tmp_path / "short", length=4))
    found = compare(laps, tmp_path / "short")
    assert (found["better"], found["p"]) == ("first", None)
    assert main(["runs", "--compare", str(laps), str(tmp_path / "short")]) == 0
    out = capsys.readouterr().out
    assert "champions' lap time in s (less is better) on" in out and "the first is better" in out


def test_seconds_are_not_compared_with_scores(laps, tmp_path):
    carry_out(begin(tmp_path / "scores", ONEMAX))
    with pytest.raises(BadRun, match=r"cannot be compared with score"):
        compare(laps, tmp_path / "scores")
