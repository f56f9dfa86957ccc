"""The tables of chapter 9: figures as printed and as recorded, points, and what a table says without tracks."""

import os

import pytest

from ludwin.cli import main
from ludwin.games.racing.tables import TABLES
from ludwin.games.racing.tables.field import DATA, RECORDS, places, points_of, recorded_laps
from ludwin.games.racing.tables.season import alone
from ludwin.lab.published import figure, rows, source

GIVEN = bool(os.environ.get("LUDWIN_RACING_TRACKS"))


def test_there_are_the_promised_tables():
    wanted = ["racing-9.2", "racing-9.3", "racing-9.4", "racing-9.5", "racing-9-text", "racing-f9.2", "racing-f9.3"]
    assert [one.name for one in TABLES] == wanted


def test_points_of_the_printed_places_are_the_printed_totals():
    found = rows(DATA / "racing_9_3.csv")
    assert len(found) == 14
    for row in found:
        assert sum(points_of(int(row[f"R{k}"])) for k in range(1, 17)) == figure(row["total"])


def test_printed_points_add_up():
    for row in rows(DATA / "racing_9_4.csv"):
        assert sum(float(row[f"R{k}"]) for k in range(1, 17)) == pytest.approx(float(row["total"]), abs=0.051)


def test_the_recorded_season_has_the_recorded_totals():
    """Oracle: season_single.csv of the recordings."""
    totals = {name: sum(points.values()) for name, points in alone({}).items()}
    assert totals == {
        "Vector": 285, "Bulle": 241, "WappuCar": 186, "Eagle": 170, "Mafanja": 163, "Apex8": 163, "Djoefe": 117,
        "Magic": 113, "Burns": 98}  # fmt: skip


@pytest.mark.parametrize(("name", "count", "whole"), [("laps", 459, "n"), ("season", 144, "races"), ("sepang", 9, "n")])
def test_recordings_say_who_made_them_and_have_a_number_in_every_cell(name, count, whole):
    path = RECORDS / f"{name}.csv"
    assert source(path).startswith("Recorded by this project with the original simulator")
    found = rows(path)
    assert len(found) == len({(row["driver"], row.get("track")) for row in found}) == count
    for row in found:
        assert int(row[whole]) > 0 and 0 <= int(row.get("finished", row[whole])) <= int(row[whole])
        if "clock" in row:
            ended = int(row.get("finished", row["n"])) > 0
            assert (bool(row["clock"]), bool(row["clock_sd"])) == (ended, ended)
            assert not ended or (float(row["clock"]) > 0 and float(row["clock_sd"]) >= 0)
        else:
            assert 0 <= float(row["points"]) <= points_of(1)


def test_a_driver_who_does_not_finish_has_no_place():
    assert places({"a": float("nan"), "b": 3.0, "c": 2.0}) == {"c": 1, "b": 2}
    assert recorded_laps()["sepang"]["K1999"][0] == pytest.approx(146.79, abs=0.01)


@pytest.mark.parametrize("folder", ["", "/nowhere"])
def test_without_tracks_a_table_says_what_it_needs(folder, monkeypatch, capsys):
    monkeypatch.setenv("LUDWIN_RACING_TRACKS", folder)
    assert main(["reproduce", "racing-9.2"]) == 2
    err = capsys.readouterr().err
    assert "set LUDWIN_RACING_TRACKS to their folder" in err and err.count("\n") == 1


@pytest.mark.slow
@pytest.mark.skipif(not GIVEN, reason="LUDWIN_RACING_TRACKS names no folder (SOURCE.md)")
def test_the_evolved_driver_beats_the_books(capsys):
    assert main(["reproduce", "racing-9.2", "--games", "10", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    verdicts = {name: next(line for line in lines if line.startswith(name)) for name in ("evolved, sight", "Vector")}
    assert "beaten" in verdicts["evolved, sight"] and "reproduced" in verdicts["Vector"]
    assert "differs" in next(line for line in lines if line.startswith("GP-Single-2"))
