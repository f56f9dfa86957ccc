"""The physics of racing against recordings of the original: free runs with nothing but the drivers' answers."""

import csv
import gzip
import os
from pathlib import Path

import pytest

from ludwin.errors import LudwinError
from ludwin.games.racing.car import grip
from ludwin.games.racing.commands.recordings import errors, one_step_errors, read_recording
from ludwin.games.racing.recover import stuck
from ludwin.games.racing.tracks import names

pytestmark = pytest.mark.thorough

HERE = Path(__file__).parent
SMALL = sorted((HERE / "recordings").glob("*.csv.gz"))
LARGE = Path(os.environ.get("LUDWIN_RACING_RECORDINGS", ""))
TRACKS = Path(os.environ.get("LUDWIN_RACING_TRACKS", ""))
GIVEN = bool(os.environ.get("LUDWIN_RACING_RECORDINGS") and os.environ.get("LUDWIN_RACING_TRACKS"))


@pytest.mark.parametrize("mode", ["plain", "fast"])
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.name.removesuffix(".csv.gz"))
def test_a_recorded_race_runs_again_without_any_error(path, mode):
    recording = read_recording(path)
    found = errors(recording, recording.track, mode)
    assert {column: error for column, error in found.items() if error != 0.0} == {}
    assert len(found) > 50 and recording.rows > 50
    assert {"dead_ahead", "position", "fuel_mileage"} <= set(found)


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
        found = errors(recording, track, mode)
        if max(found.values()) != 0.0:
            worst[recording.name] = found
    assert worst == {}
    assert rows == 41311


@pytest.mark.parametrize(
    "path", [path for path in SMALL if "-det" in path.name], ids=lambda path: path.name.removesuffix(".csv.gz")
)
def test_a_single_step_from_any_recorded_state_leads_to_the_next(path):
    """Check 2 of the recordings' README: below 1e-10, every tenth row."""
    recording = read_recording(path)
    assert max(one_step_errors(recording, recording.track, every=10).values()) < 1e-10


@pytest.mark.slow
@pytest.mark.skipif(not GIVEN, reason="LUDWIN_RACING_RECORDINGS and LUDWIN_RACING_TRACKS name no folders (SOURCE.md)")
def test_a_single_step_of_every_recording():
    worst = {}
    for path in sorted(LARGE.rglob("*-det.csv.gz")):
        recording = read_recording(path)
        track = recording.track if recording.track in names() else str(TRACKS / f"{recording.track}.trk")
        worst[recording.name] = max(one_step_errors(recording, track).values())
    assert {name: error for name, error in worst.items() if error >= 1e-10} == {}
    assert len(worst) > 30


STARTS = {
    "oval2": (880.0, 90.0),
    "sepang": (1794.9643663669356, 1128.5858430240573),
    "clkwis": (1160.0, 1005.0),
    "v01": (1030.0, 175.0),
}
LAPS = {
    "oval2": (28.253316, 30.052153, 39.206860),
    "v01": (31.415901, 33.266570, 37.606352),
    "clkwis": (31.867898, 39.315927, 46.549731),
    "sepang": (146.478545, 164.325730, 170.626142),
}


@pytest.mark.slow
@pytest.mark.skipif(not GIVEN, reason="LUDWIN_RACING_RECORDINGS and LUDWIN_RACING_TRACKS name no folders (SOURCE.md)")
@pytest.mark.parametrize("track", STARTS)
def test_starts_and_laps_are_the_recorded_ones(track):
    """Checks 3, 9 and 10: where cars stand, and lap times of our own free run with the recorded answers."""
    import ludwin

    start = ludwin.load("racing", track=str(TRACKS / f"{track}.trk")).start()
    assert (start.x[0], start.y[0]) == pytest.approx(STARTS[track], abs=1e-9)
    for driver, lap in zip(("K1999", "Bulle", "Eagle"), LAPS[track], strict=True):
        recording = read_recording(next(LARGE.rglob(f"{track}-{driver}-det.csv.gz")))
        assert errors(recording, str(TRACKS / f"{track}.trk"))["lap_time"] == 0.0
        assert max(row["lap_time"] for (row,) in recording.steps) == pytest.approx(lap, abs=1e-6)


@pytest.mark.slow
@pytest.mark.skipif(not GIVEN, reason="LUDWIN_RACING_RECORDINGS and LUDWIN_RACING_TRACKS name no folders (SOURCE.md)")
def test_a_lap_with_random_traction_and_the_clock_at_the_line_are_the_recorded_ones():
    """Checks 9 and 10: lap and damage of Magic on sepang with seed 1, the race clock of K1999 on oval2."""
    from ludwin.games.racing.commands.recordings import FIELDS, follow, world_of

    def last(name, track):
        recording = read_recording(next(LARGE.rglob(f"{name}.csv.gz")))
        log = follow(recording, world_of(recording, str(TRACKS / f"{track}.trk")))
        return dict(zip(FIELDS, log[-len(FIELDS) :], strict=True)), recording

    magic, _ = last("sepang-Magic-s1", "sepang")
    assert (magic["lap_time"], magic["damage"]) == (173.692905418091, 2778)
    _, recording = last("oval2-K1999-det", "oval2")
    assert next(row["t"] for (row,) in recording.steps if row["done"]) == pytest.approx(28.6578, abs=1e-9)


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
        ("oval-a-det.csv", "step,car\n0,0\n", "has no column 'aft2_len'"),
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
