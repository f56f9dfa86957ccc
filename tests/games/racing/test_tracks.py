"""Tracks: their files, their geometry, and what is refused."""

import math

import pytest

import ludwin
from ludwin.errors import BadParameter
from ludwin.games.racing.line import whole_line
from ludwin.games.racing.survey import close, crosses_itself, random_track, track_named, write_track
from ludwin.games.racing.tracks import HERE, Geometry, find_track, names, read_track

PADS = ("tpad", "troad", "troad2")
OURS = [name for name in names() if name not in PADS]


def text(segments=("0 600", "400 180", "0 600", "400 180"), width="100", finish=".8 4", count=None):
    return "\n".join(
        [str(count or len(segments)), "9 9", width, "0 0 0", "0", "0", "0", "0", finish, "0", "0", "0", "0", *segments]
    )


def test_there_are_at_least_twelve_tracks_of_our_own():
    assert len(OURS) >= 12


@pytest.mark.parametrize("name", OURS)
def test_our_tracks_close_exactly_and_lie_nowhere_on_themselves(name):
    track = find_track(name)
    assert track.closing_error() < 1e-4
    assert not crosses_itself(track, 5.0)
    assert track.radii[0] == 0  # the finish line needs a straight


def test_one_is_long_and_turns_both_ways():
    track = find_track("peninsula")
    assert len(track.radii) >= 25 and 15000 < Geometry(track).length < 19000
    assert min(track.radii) < 0 < max(track.radii)


@pytest.mark.parametrize("number", range(6))
def test_the_generator_draws_closed_tracks(number):
    track = random_track(number)
    assert track.closing_error() < 1e-3
    assert not crosses_itself(track)
    assert random_track(number) == track == track_named(f"random-{number}")


@pytest.mark.parametrize("name", ["oval", "peninsula", "random-4"])
def test_a_written_track_reads_back(name):
    track = track_named(name)
    again = read_track(write_track(track, "a comment with 3 numbers 4 5"), track.name)
    assert again.radii == track.radii and again.rows == track.rows
    assert again.lengths == pytest.approx(track.lengths, abs=1e-9)


def test_words_behind_numbers_and_blank_lines_are_comments():
    assert read_track(text().replace("9 9", "\n9 9 size of 3 pictures\n")) == read_track(text())


def test_the_first_arc_decides_between_degrees_and_radians():
    degrees = read_track(text())
    radians = read_track(text(("0 600", "400 3.14159265", "0 600", "400 3.14159265")))
    assert degrees.lengths[1] == pytest.approx(radians.lengths[1], abs=1e-15)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "ends before the number of segments"),
        ("3\n4 4\n", "ends before the width"),
        (text(count=9), "ends after 4 of 9 segments"),
        (text(count=1), "2 to 1000 segments"),
        (text(width="-5"), "the width must be 1 to 10000"),
        (text(width="nan"), "the width should stand here"),
        (text(finish="2 4"), "finish line at 0 to 1"),
        (text(finish=".5"), "should stand here as 2 numbers"),
        (text(("0 600", "400", "0 600", "400 180")), "line 15: segment 1 should stand here as radius and length"),
        (text(("0 600", "50 180", "0 600", "400 180")), "too tight"),
        (text(("0 600", "400 480", "0 600", "400 180")), "more than a full circle"),
        (text(("0 -600", "400 180", "0 600", "400 180")), "not positive"),
        (text(("0 1e99", "400 180", "0 600", "400 180")), "too large"),
    ],
)
def test_what_is_no_track_is_refused_in_one_line(given, message, tmp_path):
    path = tmp_path / "mine.trk"
    path.write_text(given)
    with pytest.raises(ValueError, match=message):
        find_track(str(path))
    with pytest.raises(BadParameter, match=message) as refusal:
        ludwin.load("racing", track=str(path))
    assert "\n" not in str(refusal.value)


def test_unknown_tracks_are_told_the_known_ones():
    with pytest.raises(BadParameter, match="there is no track 'ovla'; ours are bend, "):
        ludwin.load("racing:track=ovla")
    with pytest.raises(BadParameter, match=r"there is no track file './none\.trk'"):
        ludwin.load("racing:track=./none.trk")


def test_the_track_is_a_parameter_of_all_parts_of_the_rules(tmp_path):
    path = tmp_path / "mine.trk"
    path.write_text(text(width="80"))
    world = ludwin.load("racing", track=str(path))
    view = world.start().sense(0)
    assert view["width"] == 80.0 and view["TW"] == 0.2
    assert view["lap_length"] == pytest.approx(1200 + 2 * math.pi * 360, abs=1e-3)
    assert ludwin.load("racing").start().sense(0)["width"] == 100.0


def test_another_text_under_the_same_name_is_another_world(tmp_path):
    path = tmp_path / "mine.trk"
    path.write_text(text())
    before = ludwin.load("racing", track=str(path)).fingerprint
    path.write_text(text(("0 700", "400 180", "0 700", "400 180")))
    assert ludwin.load("racing", track=str(path)).fingerprint != before


def test_pieces_that_cannot_meet_are_not_closed():
    assert close([(0, None), (200, 90), (0, None), (200, 90)]) is None


def test_a_grid_that_is_longer_than_the_track_is_refused():
    with pytest.raises(BadParameter, match="64 cars do not stand on a grid"):
        ludwin.load("racing", track="bullring", cars=64)


def test_a_mark_before_the_text_is_no_part_of_it(tmp_path):
    (tmp_path / "oval.trk").write_bytes(b"\xef\xbb\xbf" + (HERE / "oval.trk").read_bytes())
    assert find_track(str(tmp_path / "oval.trk")) == find_track("oval")


@pytest.mark.filterwarnings("error")
def test_a_road_that_jumps_back_onto_itself_has_a_line_all_the_same():
    track = read_track(text(("0 1000000", "0 1000000")))
    assert all(0 <= place <= track.width for place in whole_line(track, 4.0, 32.0, 27.0).place)
