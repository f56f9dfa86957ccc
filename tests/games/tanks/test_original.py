"""Battles in the original, if it is installed, beside ours; and what is read of its files."""

import json

import pytest

from ludwin.cli import main
from ludwin.errors import BadParameter, LudwinError
from ludwin.games.tanks.commands.fights import Fighter, compared
from ludwin.games.tanks.commands.record_xml import read_xml, recording_text
from ludwin.games.tanks.commands.recordings import read_recording
from ludwin.games.tanks.commands.robocode import Original, OriginalResult, installed, java_robot
from ludwin.games.tanks.evolve import kind
from ludwin.games.tanks.evolve.export import robot_java
from ludwin.games.tanks.language import duel, table
from ludwin.games.tanks.opponents.haiku import Haiku
from ludwin.program.stream import Stream
from ludwin.program.text import read

needs_original = pytest.mark.skipif(bool(installed()), reason=installed() or "it is there")
XML = """<?xml version="1.0" encoding="UTF-8"?>
<record><recordInfo robotCount="2" roundsCount="1" ver="1"><rules battlefieldWidth="800"/>
<rounds><turns value="3"/></rounds></recordInfo><turns>
<turn round="0" turn="1"><robots>{one}{two}</robots><bullets>
<bullet id="0-2" state="MOVING" power="3.0" x="1.0" y="2.0"/>
</bullets></turn>
<turn round="0" turn="2"><robots>{one}{dead}</robots><bullets>
<bullet id="0-2" state="HIT_VICTIM" power="3.0" x="5.0" y="9.0" victim="1"/></bullets></turn>
</turns></record>"""
ROBOT = (
    '<robot id="{0}" state="{1}" energy="{2}" x="{3}" y="50.0" bodyHeading="0.5" gunHeading="0.5" radarHeading="0.5" '
    'gunHeat="0.0" velocity="0.0"><score currentScore="{4}" currentSurvivalScore="{4}"/></robot>'
)
RESULTS = [OriginalResult("a", 60, 50, 10, 0, 0, 0, 0, 1, 0, 0), OriginalResult("b", 0, 0, 0, 0, 0, 0, 0, 0, 1, 0)]


def xml():
    one, two = ROBOT.format(0, "ACTIVE", 97.0, 10.0, 0.0), ROBOT.format(1, "HIT_WALL", 16.0, 100.0, 0.0)
    dead = ROBOT.format(1, "DEAD", 0.0, 104.0, 0.0)
    return XML.format(one=one, two=two, dead=dead)


def test_a_recording_of_the_original_becomes_rows_and_is_read_again(tmp_path):
    (tmp_path / "x.xml").write_text(xml())
    made = read_xml(tmp_path / "x.xml", ["sample.A", "sample.B"], 7, RESULTS)
    assert made.turns == [2] and made.rounds == 1
    assert [row[1] for row in made.tanks[0, 1]] == ["A", "W"] and made.tanks[0, 2][1][1] == "D"
    assert made.bullets[0, 2] == [["0", "2", "V", "1.0", "9.0", "", "3.0", "1"]]  # its victim has driven four pixels
    (tmp_path / "x.csv").write_text(recording_text(made))
    again = read_recording(tmp_path / "x.csv")
    assert (again.tanks, again.bullets, again.results, again.seed) == (made.tanks, made.bullets, made.results, 7)


@pytest.mark.parametrize(
    "text", ["", "<record>", "<record><turns><turn/></turns></record>", xml().replace("DEAD", "GONE")]
)
def test_what_is_no_recording_is_refused_in_one_line(tmp_path, text):
    (tmp_path / "x.xml").write_text(text)
    with pytest.raises(LudwinError, match="is no recording") as error:
        read_xml(tmp_path / "x.xml", ["a", "b"], 7, RESULTS)
    assert "\n" not in str(error.value)


def test_a_robot_in_java_has_a_package_and_a_public_class():
    assert java_robot("package a.b;\npublic class C {}", "C.java").name == "a.b.C"
    with pytest.raises(BadParameter, match="no public class"):
        java_robot("package a;", "C.java")
    with pytest.raises(BadParameter, match="needs a package"):
        java_robot("public class C {}", "C.java")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (["walls"], "two robots at least"),
        (["walls", "sample.Target"], "with --robocode only"),
        (["walls", "wals"], "no agent called"),
        (["walls", "fire", "--recording", "x"], "goes with --robocode"),
        (["walls", "fire", "--set", "speed=2"], "--set takes width"),
        (["walls", "fire", "--set", "width"], "KEY=VALUE"),
        (["walls", "no.json"], "no.json"),
        (["walls", ""], "one of those given is empty"),
        (["walls", "fire", "--live", "--json"], "choose one"),
        (["walls", "fire", "--html", "no/such/folder.html"], "there is no folder"),
        (["walls", "fire", "--svg", "battle.png"], "ends with .svg"),
        (["walls", "fire", "--robocode", "--recording", "no/such/folder.csv"], "there is no folder"),
    ],
)
def test_a_battle_that_cannot_be_is_refused_in_one_line(capsys, line, words):
    assert main(["tanks", "battle", *line]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


CHAMPION = {
    "format": "ludwin-champion", "version": 2, "experiment": "tanks-duel", "text": "x", "size": 3, "generation": 0,
    "fitness": 0.5, "origin": "random", "preset": "quick", "seed": 1, "ludwin": "0", "record": [], "identity": {},
    "score": {"opponent": "the judges", "metric": "share of points", "value": 0.5, "low": 0.4, "high": 0.6, "n": 2,
              "unit": "", "direction": "more"},
    "genome": {"ahead": "Swing", "turn": "Flank", "gun": "GunBearing"}, "settings": {"language": "duel"}}  # fmt: skip


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"settings": {"language": "klingon"}}, "language must be one of table, aim, duel"),
        ({"settings": {"language": "table"}}, "has no 'Swing'"),
        ({"settings": {"trees": 9}}, "trees must be at most 5"),
        ({"settings": {"max_depth": "x"}}, "max_depth must be a whole number"),
        ({"settings": []}, "must be an object"),
        ({"genome": {"ahead": "Swing"}}, "a program for each of ahead, turn, gun"),
        ({"genome": {"ahead": "X" * 9999, "turn": "Zero", "gun": "Zero"}}, "has no 'XXX"),
        ({"genome": {"ahead": "(" * 5000, "turn": "Zero", "gun": "Zero"}}, "program"),
        ({"experiment": "reversi"}, "not of tanks"),
    ],
)
def test_a_forged_champion_is_refused_in_one_line(tmp_path, capsys, changed, words):
    (tmp_path / "champion.json").write_text(json.dumps({**CHAMPION, **changed}))
    code = main(["tanks", "battle", "fire", str(tmp_path), "--rounds", "1"])
    said = capsys.readouterr().err
    assert code == (2 if words else 0), said
    assert words in said and said.count("\n") == (1 if words else 0) and len(said) < 400


def test_a_battle_is_fought_here_and_told_as_json(capsys):
    assert main(["tanks", "battle", "walls", "sample.Fire", "--rounds", "2", "--seed", "5", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    walls, fire = data["here"]
    parts = ("survival", "last_survivor", "bullet_damage", "bullet_bonus", "ram_damage", "ram_bonus")
    assert abs(walls["total"] - sum(walls[part] for part in parts)) <= 3
    assert walls["firsts"] + fire["firsts"] == 2 and walls["survival"] == 5 * walls["last_survivor"]


def test_without_the_original_a_line_tells_the_way_out(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("LUDWIN_ROBOCODE", str(tmp_path))
    assert main(["tanks", "battle", "walls", "fire", "--robocode", "--rounds", "1"]) in (1, 2)
    assert "apt install robocode" in capsys.readouterr().err


@needs_original
@pytest.mark.parametrize("language", ["table", "duel"])
def test_an_exported_robot_fights_the_same_battle_there_and_here(language):
    drawn = table().find("Random")  # chance has another generator there
    genomes = kind({"trees": 3, "max_depth": 10}).begin(60, Stream(11, 1))
    still = [g for g in genomes if any(t.acting for t in g) and not any(drawn in t.nodes for t in g)]
    gun = "Add(Add(GunBearing, Mul(EnemyAcross, 0.06)), Mul(0.1, Fire(2)))"
    swing = ("Mul(Swing, 1.5)", "Mul(Flank, 0.9)", gun)
    fighter = Fighter("ours", Haiku(still[3] if language == "table" else tuple(read(duel(), text) for text in swing)))
    other = Fighter.of("ram-fire")
    with Original() as original:
        xml_file = original.folder / "battle.xml"
        robots = [fighter.java(), other.java()]
        rows = original.battle(robots, 2, 77, record=xml_file)
        recording = read_xml(xml_file, [one.name for one in robots], 77, rows)
    found = compared(recording, [fighter, other])
    assert found.wrong == [] and found.rows > 200 and found.results == 2


@needs_original
@pytest.mark.slow
@pytest.mark.parametrize("seed", [4001, 4002, 4003])
@pytest.mark.parametrize(
    "names", ["walls tracker", "corners ram-fire", "crazy spin-bot", "fire track-fire walls my-first-robot"]
)
def test_fresh_battles_are_the_same_there_and_here(names, seed):
    fighters = [Fighter.of(name) for name in names.split()]
    with Original() as original:
        xml_file = original.folder / "battle.xml"
        robots = [one.java() for one in fighters]
        rows = original.battle(robots, 3, seed, record=xml_file)
        recording = read_xml(xml_file, [one.name for one in robots], seed, rows)
    found = compared(recording, fighters)
    assert found.wrong == [] and found.worst < 1e-9


@needs_original
@pytest.mark.slow
def test_java_that_does_not_compile_is_told_in_one_line():
    with Original() as original, pytest.raises(LudwinError, match="does not compile") as error:
        original.compile(java_robot("package a;\npublic class C { int x = ; }", "C.java"))
    assert "\n" not in str(error.value)


@needs_original
@pytest.mark.slow
def test_every_form_of_a_program_compiles_to_java():
    with Original() as original:
        for number, genome in enumerate(kind({"trees": 5, "max_depth": 10}).begin(12, Stream(2, 1))):
            original.compile(java_robot(robot_java(genome, f"R{number}"), "x"))
