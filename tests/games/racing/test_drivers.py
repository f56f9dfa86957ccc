"""Drivers: what they see, who is fast, what becomes of those that fail, and pictures of it all."""

import json
import math
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import ludwin
from ludwin.cli import main
from ludwin.errors import CannotPlay
from ludwin.evolve.engine import evolve
from ludwin.evolve.experiment import plan, settle
from ludwin.games.racing.commands.telemetry import animation, plot_svg, record, together, track_svg
from ludwin.games.racing.evolve import RACING, TUNED, VECTOR, Laps, tuned_driver, worth
from ludwin.games.racing.evolve.export import driver_file, formula
from ludwin.games.racing.evolve.races import Raced, Races
from ludwin.games.racing.language import READS, table
from ludwin.games.racing.opponents.drivers import Programmed, Tuned
from ludwin.games.racing.opponents.planner import USUAL, Planner
from ludwin.laws import check
from ludwin.program.generate import ramped
from ludwin.program.stream import Stream

OWN = ("lane", "cautious", "lookahead", "apex", "crash")


@pytest.fixture(scope="module")
def oval():
    return ludwin.load("racing")


def seconds(track, driver, **given):
    world = ludwin.load("racing", track=track, **given)
    run = ludwin.simulate(world, [ludwin.agent(driver, world) if isinstance(driver, str) else driver], seed=1)
    return run.final.finished_at[0] if run.final.done[0] else math.inf


def test_keeps_the_laws_of_worlds():
    check(ludwin.load("racing:track=triangle,cars=2,shuffle=true,seconds=20"), playouts=2, seed=0)


@pytest.mark.parametrize(
    "track",
    [
        "oval",
        "random-2",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("clockwise", "slalom", "peninsula")),
    ],
)
def test_the_cautious_driver_finishes_everywhere(track):
    assert seconds(track, "own:driver=cautious") < 400.0


@pytest.mark.slow
def test_whoever_knows_the_track_beats_the_hand_written_ones_and_tuning_helps():
    found = {
        driver: seconds("ridge", driver) for driver in ("own:driver=cautious", "own:driver=lane", "tuned", "planner")
    }
    assert found["planner"] < found["tuned"] < found["own:driver=lane"] < found["own:driver=cautious"]


def test_the_way_ahead_on_a_straight_is_geometry(oval):
    """Oracle: similar triangles on the straight of the oval, and the outer wall of its half circle."""
    state = oval.start()
    view = state.sense(0)
    assert view["AA"] != 0.0 and view["AH"] * 400 > view["to_end"]
    # straight on from `right` feet beside the right wall: into the half circle, whose right wall has radius 380
    radius = 380 - view["to_right"]
    assert view["AH"] * 400 == pytest.approx(view["to_end"] + math.sqrt(380**2 - radius**2), abs=1e-6)
    assert view["AA"] == pytest.approx(math.acos(radius / 380), abs=1e-6)


def test_off_the_road_nothing_lies_ahead(oval):
    state = oval.start()
    for _ in range(400):
        state = state.tick(wheel=(0.0,), speed=(80.0,))
        if state.to_right[0] < 0:
            break
    assert state.to_right[0] < 0
    assert (state.sense(0)["AH"], state.sense(0)["AA"]) == (0.0, 0.0)


def test_other_cars_are_seen_nearest_first():
    state = ludwin.load("racing", cars=5).start()
    view = state.sense(2)
    gaps = [abs(gap) for gap in view["near_ahead"]]
    assert view["near"] == 3 and gaps == sorted(gaps)
    assert ludwin.load("racing", cars=2).start().sense(0)["near"] == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def control(view):\n    return float('nan'), 50.0\n", "wheel is nan"),
        ("def control(view):\n    return 0.0, 1.0 / (view.width - view.width)\n", "ZeroDivisionError"),
        ("def control(view):\n    return 0.0\n", "control must answer 2 numbers"),
        pytest.param("def control(view):\n    raise SystemExit\n", "SystemExit", marks=pytest.mark.slow),
    ],
)
def test_a_driver_that_fails_stops_and_the_race_goes_on(text, reason, tmp_path):
    path = tmp_path / "bad.py"
    path.write_text(text)
    world = ludwin.load("racing", cars=2)
    run = ludwin.simulate(world, [ludwin.agent(str(path)), ludwin.agent("own:driver=lane")], seed=1)
    assert run.lost[0].player == 0 and reason in run.lost[0].reason
    assert run.final.out[0] == 1 and run.final.vx[0] == 0.0
    assert run.final.done == (0, 1) and run.end == "rules"


def test_points_go_to_places_and_to_the_laps_led():
    world = ludwin.load("racing", cars=3, laps=2)
    run = ludwin.simulate(world, [ludwin.agent(f"own:driver={name}") for name in ("lane", "cautious", "lane")], seed=2)
    assert sorted(run.payoffs) in ([14.0, 16.0, 21.0], [14.0, 17.0, 20.0], [14.0, 17.0, 21.0])
    assert run.payoffs[1] == 14.0


def test_drivers_are_the_same_in_python_and_compiled(oval):
    for driver in (Tuned(), Planner(), ludwin.agent("own:driver=apex")):
        fast = ludwin.simulate(oval, [driver], seed=5)
        assert fast == ludwin.simulate(oval, [driver], seed=5, mode="plain")


def test_an_exported_driver_drives_as_its_programs_do(tmp_path):
    world = ludwin.load("racing:recover=true,seconds=20")
    for genome in list(zip(*(ramped(table(), 3, Stream(k), low=2, high=5) for k in (1, 2)), strict=True)):
        path = tmp_path / "driver.py"
        path.write_text(driver_file(genome, False))
        ours = ludwin.simulate(world, [Programmed(genome)], seed=4)
        if not ours.lost:  # Python's own division fails where total arithmetic goes on
            theirs = ludwin.simulate(world, [ludwin.agent(str(path))], seed=4)
            assert theirs.lost or theirs.final == ours.final


def test_programs_are_formulas_for_people():
    genome = tuple(ramped(table(), 1, Stream(k), low=2, high=3)[0] for k in (1, 2))
    assert formula(genome).startswith("wheel = ") and "speed / 100 = " in formula(genome)


def test_the_table_has_the_books_primitives():
    assert set(READS) == {"CR", "NR", "TE", "NL", "V", "NV", "TL", "TR", "TW", "AH", "AA"}
    names = {primitive.name for primitive in table().primitives}
    assert {"Add", "Sub", "Mul", "Div", "Abs", "Neg", "Tan", "IFG", "IFP", "ERC", "Zero", "One"} < names


def test_who_finishes_is_fitter_than_who_does_not():
    done, slow = Raced(True, 60.0, 59.0, 900.0, 0, 1), Raced(True, 249.0, 248.0, 900.0, 0, 1)
    far, near = Raced(False, 250.0, 0.0, 800.0, 0, 1), Raced(False, 250.0, 0.0, 100.0, 0, 1)
    order = [worth(raced, 1000.0, "time") for raced in (done, slow, far, near)]
    assert order == sorted(order, reverse=True)
    assert worth(far, 1000.0, "distance") == 800.0


@pytest.mark.parametrize("experiment", [RACING, TUNED, VECTOR], ids=lambda experiment: experiment.name)
def test_evolution_makes_faster_drivers_and_repeats_itself(experiment):
    given = {"tracks": "bullring", "population": 16, "generations": 4, "offspring": 0, "seconds": 60, "elite": 1}
    given |= {} if experiment is RACING else {"elite": 0, "offspring": 32 if experiment is TUNED else 0}
    settings = settle(experiment, "quick", given)
    runs = [
        list(evolve(experiment.kind(settings), experiment.fitness(settings, workers), plan(settings), 3))
        for workers in (1, 2)
    ]
    assert runs[0] == runs[1]  # one and two workers
    assert runs[0][-1].best.fitness >= runs[0][0].best.fitness


def test_the_same_driver_has_the_same_fitness_without_chance():
    settings = settle(TUNED, "quick", {"tracks": "bullring", "random": "off"})
    laps = Laps(settings, 1, tuned_driver)
    genome = Tuned().numbers()
    assert laps.lasting
    assert laps.score([genome], 0, Stream(1))[0] == laps.score([genome], 5, Stream(9))[0]


def test_numbers_of_a_driver_are_examined(oval):
    with pytest.raises(CannotPlay, match="genes are 14 numbers"):
        Tuned("1 2 three").suits(oval)
    for wrong in ("1 2", "one", " ".join(["nan"] * 9), " ".join(["1e300"] * 9)):
        with pytest.raises(CannotPlay, match="gains are 9 numbers"):
            Planner(gains=wrong).suits(oval)


def test_the_planner_drives_by_the_gains_that_are_given_on_the_line_that_is_named(oval):
    usual = " ".join(map(str, USUAL))
    slow = " ".join(map(str, (*USUAL[:7], 0.7, 0.9)))  # turns in too little, and uses the tyres too little
    known, same, seen, worse = (
        ludwin.simulate(oval, [driver], seed=5).final.finished_at[0]
        for driver in (Planner(), Planner(gains=usual), Planner(line="seen"), Planner(gains=slow))
    )
    assert known == same < worse and seen != known


def test_races_report_what_happened():
    raced = Races("racing:track=bullring").race(Tuned(), [1, 2])
    assert [r.finished for r in raced] == [True, True]
    assert raced[0].lap < raced[0].seconds < raced[0].lap + 1.0


def test_pictures_are_svg_and_the_animation_needs_no_other_file():
    world = ludwin.load("racing:track=bullring,cars=2")
    log = record(world, [ludwin.agent("own:driver=lane"), ludwin.agent("own:driver=apex")], 1)
    for text in (track_svg(log), plot_svg(log)):
        assert ElementTree.fromstring(text).tag.endswith("svg")
    page = animation(log)
    assert page.startswith("<!doctype html>") and "src=" not in page and "href=" not in page


def test_drivers_who_raced_alone_are_drawn_over_one_another(tmp_path, capsys):
    world = ludwin.load("racing:track=bullring")
    logs = [record(world, [ludwin.agent(f"own:driver={name}")], 1) for name in ("lane", "cautious")]
    both = together(logs)
    assert both.drivers == (*logs[0].drivers, *logs[1].drivers)
    assert {len(car["x"]) for car in both.cars} == {max(len(log.clock) for log in logs)} == {len(both.clock)}
    colours = {element.get("stroke") for element in ElementTree.fromstring(plot_svg(both)).iter() if element.get("d")}
    assert len(colours) == 2
    assert len(json.loads(animation(both).split("const race = ")[1].split(";\n")[0])["cars"]) == 2


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not tell who waits")
def test_a_driver_who_sleeps_stops_and_the_race_goes_on(tmp_path):
    path = tmp_path / "sleeper.py"
    path.write_text("import time\n\n\ndef control(view):\n    time.sleep(3600)\n    return 0.0, 50.0\n")
    world = ludwin.load("racing:track=bullring,cars=2")
    run = ludwin.simulate(world, [ludwin.agent(str(path)), ludwin.agent("own:driver=lane")], seed=1, patience=0.1)
    assert [(loss.player, loss.tick) for loss in run.lost] == [(0, 0)] and "0.6 s of waiting" in run.lost[0].reason
    assert run.final.done == (0, 1)


def test_the_command_races_and_draws(tmp_path, capsys):
    svg, page = tmp_path / "line.svg", tmp_path / "race.html"
    words = ["race", "bullring", "lane", "tuned", "--laps", "2", "--svg", str(svg), "--html", str(page), "--json"]
    assert main(words) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["finished"] for row in data["drivers"]] == [1, 1]
    assert svg.stat().st_size > 1000 and page.stat().st_size > 1000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["race", "ovla"], "there is no track 'ovla'"),
        (["race", "oval", "nobody"], "no agent called 'nobody'"),
        (["race", "oval", "tuned:genes=7"], "genes are 14 numbers"),
        (["race", "oval", "champion:path=/nowhere"], "/nowhere"),
        (["race", "oval", "tuned", "--set", "laps"], "--set takes KEY=VALUE"),
        (["race", "oval", "alphabeta:depth=2"], "alphabeta"),
        (["race", "oval", "tuned", "--set", "cars=3"], "--set takes other parameters than cars: give as many DRIVERs"),
        (["race", "oval", "tuned", "--set", "Track=bend"], "than track: give TRACK instead"),
        (["race", "oval", "tuned", "--set", "fuel=9", "--set", "fuel=8"], "--set gives fuel twice"),
        (
            ["race", "oval", f"tuned:genes={' '.join(['0'] * 14)}"],
            "in curves, ft/s^2: the gene must be 20 to 36, got 0",
        ),
        (["race", "oval", "--seed", str(2**63 - 1), "--races", "2"], "must fit into 64 bits"),
        (["race", "oval", "--svg", "/nowhere/x.svg"], "there is no folder '/nowhere'"),
        (["race", "oval", "--svg", ""], "'' is a folder: give the name of a file"),
        (["race", "oval", "--svg", "x.svg", "--html", "./x.svg"], "two pictures cannot be one file"),
    ],
)
def test_mistakes_are_told_in_one_line(words, message, capsys):
    assert main(words) == 2
    err = capsys.readouterr().err.strip()
    assert message in err and err.count("\n") == 0


def test_a_match_of_the_reference_drivers_replays_and_goes_on(tmp_path, capsys):
    file, part = tmp_path / "races.jsonl", tmp_path / "part.jsonl"
    agents = ["tuned", "planner", "bred:driver=book"]
    world = "racing:cars=2,max_ticks=60,track=bullring"
    assert main(["tournament", world, *agents, "--games", "2", "--workers", "1", "--out", str(file)]) == 0
    assert main(["replay", str(file)]) == 0
    assert f"6 games of {world}: all replay to their payoffs" in capsys.readouterr().out
    part.write_text("".join(file.read_text().splitlines(keepends=True)[:3]))
    assert main(["tournament", "--workers", "1", "--resume", str(part)]) == 0
    assert part.read_bytes() == file.read_bytes()
    part.write_text(file.read_text().replace('"planner"', '"gnubg"'))
    capsys.readouterr()
    assert main(["tournament", "--resume", str(part)]) == 2
    assert "names the agent 'gnubg', which runs code; name it on the command line" in capsys.readouterr().err


def test_our_track_files_say_that_they_are_ours():
    folder = Path(ludwin.__file__).parent / "games" / "racing" / "data"
    for path in folder.glob("*.trk"):
        assert path.stem in ("tpad", "troad", "troad2") or "of the Ludwin project" in path.read_text()
