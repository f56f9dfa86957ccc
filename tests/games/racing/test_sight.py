"""The line that can be seen, programs that read it, and champions in other languages."""

import json
import math
import shutil
import subprocess
from pathlib import Path

import pytest

import ludwin
from ludwin.cli import main
from ludwin.errors import BadParameter, CannotPlay
from ludwin.evolve.experiment import settle
from ludwin.games.racing.commands.live import frame_text, show_live, steps_at
from ludwin.games.racing.commands.telemetry import record
from ludwin.games.racing.evolve import RACING, Laps
from ludwin.games.racing.evolve.champion import ChampionDriver
from ludwin.games.racing.evolve.cpp import driver_cpp
from ludwin.games.racing.evolve.export import driver_file, formula
from ludwin.games.racing.language import LINE_READS, sight, table
from ludwin.games.racing.line import MARGIN, seen_line, whole_line
from ludwin.games.racing.opponents.drivers import Bred, Programmed, kept, kept_driver, read_driver
from ludwin.games.racing.survey import track_named
from ludwin.program.stream import Stream
from ludwin.program.text import read

SIGHTED = "racing:track=bullring,sight=true"
WHEEL = "Div(Slip(Add(LG, Add(Mul(Mul(8.2, LA), V), Mul{31.0}(One, LO)))), V)"


@pytest.fixture(scope="module")
def world():
    return ludwin.load(SIGHTED)


def hand_made(**given):
    return Programmed((read(sight(), WHEEL), read(sight(), "Add(V, Mul(0.7, Sub(AV, V)))")), **given)


@pytest.mark.parametrize("name", ["oval", "slalom", "random-3"])
@pytest.mark.parametrize("make", [seen_line, whole_line])
def test_the_line_stays_on_the_road_and_meets_itself(name, make):
    track = track_named(name)
    line = make(track)
    assert min(line.place) > MARGIN - 1e-6 and max(line.place) < track.width - MARGIN + 1e-6
    jumps = [abs(a - b) for a, b in zip(line.place, line.place[1:] + line.place[:1], strict=True)]
    assert max(jumps) < line.step  # nowhere steeper than 45 degrees, nor where lap and lap meet
    assert all(v * v * abs(k) < 32.4 for v, k in zip(line.speed, line.bend, strict=True))


def test_a_circle_of_radius_r_is_driven_at_the_root_of_grip_times_r():
    line = whole_line(track_named("oval"))  # its arcs are long: in their middle the line is an arc, too
    slowest = min(line.speed)
    k = line.speed.index(slowest)
    assert slowest == pytest.approx((32.3 / abs(line.bend[k])) ** 0.5)


def test_who_sees_three_segments_loses_little_to_who_knows_all():
    for name in ("peninsula", "harbour"):
        track = track_named(name)
        seen, whole = (sum(1 / v for v in line.speed) for line in (seen_line(track), whole_line(track)))
        assert seen < 1.02 * whole


def test_without_sight_nothing_of_the_line_is_told():
    plain, seeing = (ludwin.load(text).start().sense(0) for text in ("racing:track=bullring", SIGHTED))
    assert all(plain[name] == 0.0 for name in LINE_READS)
    assert seeing["LV"] > 0.3 and seeing["AV"] > 0.3


def test_programs_that_read_the_line_say_so_where_it_is_not_told():
    with pytest.raises(CannotPlay, match="set sight=true"):
        hand_made().suits(ludwin.load("racing:track=bullring"))


def test_programs_with_sight_drive_the_same_in_python_and_compiled(world):
    for driver in (hand_made(), hand_made(recover=True)):
        fast = ludwin.simulate(world, [driver], seed=5)
        assert fast.final.done == (1,)
        assert fast == ludwin.simulate(world, [driver], seed=5, mode="plain")


def test_a_driver_who_helps_itself_drives_as_in_a_world_that_helps():
    own = ludwin.simulate(ludwin.load(f"{SIGHTED},seconds=40"), [kept_driver("gp-single-2")], seed=3)
    driver = Programmed(kept_driver("gp-single-2").programs)
    theirs = ludwin.simulate(ludwin.load(f"{SIGHTED},seconds=40,recover=true"), [driver], seed=3)
    assert own.final.x == theirs.final.x and own.final.damage == theirs.final.damage


def test_drivers_that_come_with_the_package_race(world):
    assert {"gp-single-2", "sight", "general"} <= set(kept())
    for name in ("sight", "general"):
        assert ludwin.simulate(world, [Bred(name)], seed=1).final.done == (1,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "first line must be"),
        ("# ludwin-driver 1\nlanguage: book\nwheel: One\n", "it needs a language"),
        ("# ludwin-driver 1\nlanguage: latin\nwheel: One\nspeed: One\n", "it needs a language"),
    ],
)
def test_what_is_no_driver_is_refused(text, message):
    with pytest.raises(CannotPlay, match=message):
        read_driver(text, "mine")


def test_stages_save_races_and_keep_the_order_of_those_who_finish():
    driver, lost = hand_made().programs, (read(sight(), "One"), read(sight(), "One"))
    scores = {}
    for staged in (False, True):
        given = {"tracks": "bullring;oval", "language": "sight", "fitness": "pace", "staged": staged, "seconds": 40}
        laps = Laps(settle(RACING, "quick", given), 1, Programmed)
        scores[staged] = [value for value, _ in laps.score([driver, lost], 0, Stream(1))]
    assert scores[True][0] == scores[False][0] > scores[False][1] >= scores[True][1]


def test_factors_and_slip_are_exported_to_python(world, tmp_path):
    path = tmp_path / "driver.py"
    path.write_text(driver_file(hand_made().programs, True))
    theirs = ludwin.simulate(world, [ludwin.agent(str(path))], seed=4)
    assert theirs.final == ludwin.simulate(world, [hand_made(recover=True)], seed=4).final


def test_a_formula_tells_what_it_reads():
    text = formula(hand_made().programs)
    assert text.startswith("wheel = ") and "LA: the line's direction" in text and "CR:" not in text
    assert formula((read(table(), "Neg{2.0}(V)"), read(table(), "Neg(AH)"))).startswith("wheel = -2 V\n")


ODD = "inf", "Div(V{-inf}, nan)", "Neg(-0.0)", "Neg{-0.0}(Tan(Mul(V, 1e+300)))", "Tan(Mul(V{5e-324}, -1e-310))"


@pytest.mark.parametrize("program", ODD)
@pytest.mark.parametrize("v", [0.5, -0.0, math.inf])
def test_numbers_without_end_or_meaning_are_exported_to_python(program, v):
    space = {}
    tree = read(table(), program)
    exec(driver_file((tree, tree), False), space)
    wheel, _ = space["control"](type("View", (), {"V": v}))
    ours = tree.evaluate(lambda name, place: v)
    assert repr(wheel) == repr(ours)


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_numbers_without_end_or_meaning_compile_as_cpp(tmp_path):
    (tmp_path / "car.h").write_text(STUB)
    for number, program in enumerate(ODD):
        tree = read(table(), program)
        (tmp_path / f"ours{number}.cpp").write_text(driver_cpp((tree, tree), f"Ours{number}", "bullring"))
    files = [str(tmp_path / f"ours{number}.cpp") for number in range(len(ODD))]
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-I", str(tmp_path), *files], check=True)


def test_a_driver_too_deep_for_python_is_refused_in_one_line():
    deep = read(table(), "Neg{2.0}(" * 101 + "V" + ")" * 101)
    with pytest.raises(BadParameter, match="the program has 202 brackets one in the other; Python reads at most 200"):
        driver_file((deep, deep), False)


STUB = """
struct situation { double v, vn, to_lft, to_rgt, to_end, nex_len, after_len, aftaft_len, cur_rad, nex_rad, after_rad,
    aftaft_rad, distance; int backward; };
struct con_vec { double vc, alpha, fuel_amount; int request_pit, repair_amount; };
inline void my_name_is(const char*) {}
"""
MAIN = """
#include <cstdio>
#include "car.h"
con_vec Ours(situation& s);
int main() {
    situation s;
    Ours(s = situation());
    while (std::scanf("%lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %lf %d", &s.v, &s.vn, &s.to_lft, &s.to_rgt,
        &s.to_end, &s.nex_len, &s.after_len, &s.aftaft_len, &s.cur_rad, &s.nex_rad, &s.after_rad, &s.aftaft_rad,
        &s.distance, &s.backward) == 14) {
        con_vec r = Ours(s);
        std::printf("%.17g %.17g\\n", r.alpha, r.vc);
    }
}
"""


def as_told(view):
    """What the original tells of a view: arcs in radians."""

    def angle(k, feet):
        return feet if view["radius"][k] == 0 else feet / (abs(view["radius"][k]) + view["width"] / 2)

    lengths = [angle(k, view["length"][k]) for k in (1, 2, 3)]
    numbers = [view["v"], view["across"], view["to_left"], view["to_right"], angle(0, view["to_end"]), *lengths]
    return [*numbers, *view["radius"], view["distance"], int(view["backward"])]


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("name", ["gp-single-2", "sight"])
def test_the_driver_in_cpp_answers_as_ours(name, world, tmp_path):
    """Twin: the exported text against a stub of the original's header that is ours, in views of a whole race."""
    driver = kept_driver(name)
    (tmp_path / "car.h").write_text(STUB)
    (tmp_path / "ours.cpp").write_text(driver_cpp(driver.programs, "Ours", "bullring"))
    (tmp_path / "main.cpp").write_text(MAIN)
    files = [str(tmp_path / file) for file in ("ours.cpp", "main.cpp")]
    program = str(tmp_path / "drive")
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-I", str(tmp_path), *files, "-o", program], check=True)
    views = []
    from ludwin.arena.simulate import Stage

    Stage(world, [driver], "plain").play(1, frame=lambda tick, state: views.append(state.sense(0)))
    views = views[1::20]
    text = "\n".join(" ".join(repr(number) for number in as_told(view)) for view in views)
    done = subprocess.run([program], input=text, capture_output=True, text=True, check=True)
    pilot = driver.drive(world).pilot(0, 0)
    for line, view in zip(done.stdout.splitlines(), views, strict=True):
        ours = pilot(type("View", (), view))
        assert [float(word) for word in line.split()] == pytest.approx(ours, rel=1e-5, abs=1e-6)


def test_export_writes_cpp_and_refuses_what_there_is_not(tmp_path, capsys):
    run = tmp_path / "run"
    words = ["tracks=bullring", "population=4", "generations=0", "seconds=5", "finalists=1", "last=0"]
    more = ["yardstick_games=2", "finalist_games=2", "champion_games=2", "record_games=2"]
    assert main(["evolve", "racing", "--out", str(run), "--set", *words, *more]) == 0
    out = tmp_path / "ours.cpp"
    assert main(["export", str(run), "--cpp", "Ours", "--out", str(out)]) == 0
    assert "con_vec Ours(situation& s)" in out.read_text()
    champion = json.loads((run / "champion.json").read_text())
    for later in ("growth", "first_depth", "factor_step"):  # as a run of an earlier version has it
        del champion["settings"][later]
    (tmp_path / "old.json").write_text(json.dumps(champion))
    assert ChampionDriver(str(tmp_path / "old.json")).driver() == ChampionDriver(str(run)).driver()
    capsys.readouterr()
    for wrong, message in (
        (["--java", "Ours"], "cannot be exported as java: it has python, cpp"),
        (["--cpp", "1 2"], "a name is letters, digits and _"),
    ):
        assert main(["export", str(run), *wrong]) == 2
        assert message in capsys.readouterr().err


def test_a_race_is_drawn_in_characters(capsys):
    world = ludwin.load("racing:track=bullring,cars=2,seconds=2")
    log = record(world, [ludwin.agent("own:driver=lane")] * 2, 1, mode="plain")
    first = frame_text(log, 0)
    assert "A" in first and "B" in first and first.startswith("bullring  0.0 s")
    assert max(len(line) for line in first.splitlines()) <= 78
    assert list(steps_at(log, 10.0)) == [0, len(log.clock) - 1]
    show_live(log, 4.0)
    assert capsys.readouterr().out.count("bullring  ") == 2
    assert main(["race", "bullring", "lane", "--live", "--json"]) == 2


@pytest.mark.slow
def test_the_command_draws_a_race_in_characters(capsys):
    assert main(["race", "bullring", "lane", "--live", "4"]) == 0
    assert capsys.readouterr().out.count("bullring  ") >= 3


@pytest.mark.slow
def test_ten_thousand_laps_do_not_grow():
    import resource

    from ludwin.games.racing.evolve.races import Races

    races, driver = Races(SIGHTED), kept_driver("sight")
    races.race(driver, range(500))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(raced.finished for raced in races.race(driver, range(10000))) == 10000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 30_000  # kB


@pytest.mark.slow
def test_a_killed_run_goes_on_to_the_same_champion(tmp_path):
    import os
    import signal
    import sys
    import time

    words = ["tracks=bullring", "population=30", "generations=12", "seconds=30", "language=sight", "factors=true"]
    more = ["yardstick_games=2", "finalist_games=2", "champion_games=2", "record_games=2", "finalists=2"]
    command = [sys.executable, "-m", "ludwin", "evolve", "racing", "--seed", "3"]
    for name in ("whole", "killed"):
        given = [*command, "--out", str(tmp_path / name), "--set", *words, *more]
        if name == "whole":
            subprocess.run([*given, "--workers", "2"], check=True, capture_output=True)
            continue
        process = subprocess.Popen(given, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        while not (tmp_path / name / "run.sqlite").exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(1.0)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        subprocess.run([*command[:4], "--resume", str(tmp_path / name)], check=True, capture_output=True)
    texts = [(tmp_path / name / "champion.json").read_text() for name in ("whole", "killed")]
    assert texts[0] == texts[1]


def test_driver_files_name_their_origin():
    folder = Path(ludwin.__file__).parent / "games" / "racing" / "data" / "drivers"
    for path in folder.glob("*.txt"):
        assert "docs/results/racing.md" in path.read_text() or "Evolved to Win" in path.read_text()
