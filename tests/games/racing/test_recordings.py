"""The physics of racing against recordings of the original: free runs with nothing but the drivers' answers."""

import csv
import gzip
import os
from pathlib import Path

import pytest

from ludwin.errors import LudwinError
from ludwin.games.racing.car import grip
from ludwin.games.racing.commands.recordings import errors, read_recording
from ludwin.games.racing.recover import stuck
from ludwin.games.racing.tracks import names

HERE = Path(__file__).parent
SMALL = sorted((HERE / "recordings").glob("*.csv.gz"))
LARGE = Path(os.environ.get("LUDWIN_RACING_RECORDINGS", ""))
TRACKS = Path(os.environ.get("LUDWIN_RACING_TRACKS", ""))
GIVEN = bool(os.environ.get("LUDWIN_RACING_RECORDINGS") and os.environ.get("LUDWIN_RACING_TRACKS"))
# A grid on an arc begins one unit in the last place beside the recorded one; all other recordings agree exactly.
ON_AN_ARC = {"monaco-Mafanja-det": 1e-11}


@pytest.mark.parametrize("mode", ["plain", "fast"])
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.name.removesuffix(".csv.gz"))
def test_a_recorded_race_runs_again_without_any_error(path, mode):
    recording = read_recording(path)
    found = errors(recording, recording.track, mode)
    assert {column: error for column, error in found.items() if error != 0.0} == {}
    assert len(found) > 30 and recording.rows > 50


@pytest.mark.slow
@pytest.mark.skipif(not GIVEN, reason="LUDWIN_RACING_RECORDINGS and LUDWIN_RACING_TRACKS name no folders (SOURCE.md)")
@pytest.mark.parametrize("mode", ["plain", "fast"])
def test_all_recordings_run_again(mode):
    rows, worst = 0, {}
    for path in sorted(LARGE.rglob("*-*.csv.gz")):
        recording = read_recording(path)
        rows += recording.rows
        own = recording.track in names()
        track = recording.track if own else str(TRACKS / f"{recording.track}.trk")
        largest = max(errors(recording, track, mode).values())
        if largest > ON_AN_ARC.get(recording.name, 0.0):
            worst[recording.name] = largest
    assert worst == {}
    assert rows == 41311


def test_a_wrong_physics_is_noticed():
    recording = read_recording(HERE / "recordings" / "tpad-surf0-det.csv.gz")
    other = type(recording)("tpad-none-det", "tpad", None, 1, recording.steps)  # its name no longer says surface 0
    found = errors(other, "tpad", "plain")
    assert found["x"] > 1.0


def test_friction_is_that_of_the_recorded_curves():
    with open(HERE / "friction.csv") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 20
    for row in rows:
        assert grip(float(row["slip"]), 2.0) == pytest.approx(float(row["mu_surface1"]), abs=1e-16)


def test_the_recovery_helper_agrees_with_all_recorded_cases():
    with gzip.open(HERE / "stuck.csv.gz", "rt") as file:
        rows = [{key: float(value or 0.0) for key, value in row.items()} for row in csv.DictReader(file)]
    assert len(rows) == 4940
    for row in rows:
        taken, wheel, speed = stuck(int(row["backward"]), row["v"], row["vn"], row["to_lft"], row["to_rgt"])
        assert taken == row["taken"]
        if taken:
            assert (wheel, speed) == (row["alpha"], row["vc"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("oval.csv", "step,car\n0,0\n", "is named TRACK-WHAT-det"),
        ("oval-a-det.csv", "step,car\n0,0\n", "has no column 'alpha_prev'"),
        ("oval-a-det.csv", "", "this is no recording of a race"),
        ("oval-a-det.csv", "step,car\n0,zero\n", "line 2: this is no row of numbers"),
        ("oval-a-s3.csv.gz", "\x1f\x8bnonsense", "cannot be read"),
    ],
)
def test_what_is_no_recording_is_refused_in_one_line(name, text, message, tmp_path):
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(LudwinError, match=message) as refusal:
        read_recording(path)
    assert "\n" not in str(refusal.value)
