"""Battles to look at: letters, pictures, pages, the terminal, and replays of records."""

import json
import re
import xml.etree.ElementTree as ElementTree

from ludwin.arena.simulate import Stage
from ludwin.cli import main
from ludwin.games.tanks.commands.film import show_live
from ludwin.games.tanks.evolve.battles import robot
from ludwin.library import load

GAME = load("tanks")


def states(seed=3):
    found = []
    Stage(GAME, [robot("walls"), robot("spin-bot")]).play(seed, frame=lambda tick, state: found.append(state))
    return found


STATES = states()


def test_letters_show_robots_where_they_are_and_bullets_that_fly():
    flying = next(s for s in STATES if any(s.bullet[k] == 1 for k in range(s.bullets)))
    lines = flying.show().splitlines()
    assert lines[0] == f"round 1 of 1, turn {flying.time}" and len(lines) == 25
    field = lines[2:22]
    for p, letter in enumerate("AB"):
        row, column = next((r, line.index(letter)) for r, line in enumerate(field) if letter in line)
        assert abs((column - 0.5) * 800 / 64 - flying.x[p]) <= 800 / 64
        assert abs(600 - (row + 0.5) * 30 - flying.y[p]) <= 30
    assert any(re.search(r"[o.]", line) for line in field)
    assert "x" in "".join(STATES[-1].show().splitlines()[2:22])  # one is dead


def test_a_picture_is_svg_with_every_robot_and_its_energy():
    for state in (STATES[0], STATES[60], STATES[-1]):
        root = ElementTree.fromstring(state.picture())
        words = "".join(root.itertext())
        assert root.tag.endswith("svg") and words.count("energy") == 2


def test_a_page_holds_every_turn_and_names_cannot_break_it():
    page = GAME.part("drawing").film(STATES, ["</script><b>", "B & C"])
    data = json.loads(re.search(r"const battle = (.*);\n", page)[1].replace("<\\/", "</"))
    assert len(data["turns"]) == len(STATES) and data["robots"][1] == "B B & C"
    assert page.count("</script>") == 1 and "<b>" not in page.replace("A <\\/script><b>", "") and "http" not in page
    assert data["turns"][60][2][0][:2] == [round(STATES[60].x[0], 1), round(STATES[60].y[0], 1)]


def test_in_a_file_the_live_battle_is_a_frame_every_hundred_turns(capsys):
    show_live(STATES, ["walls", "spin-bot"], 60)
    said = capsys.readouterr().out
    assert said.count("round 1 of 1") == len(range(0, len(STATES), 100)) + 1 and "A walls, B spin-bot" in said


def test_a_recorded_battle_is_replayed_as_a_page_and_as_pictures(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["match", "tanks", "walls", "spin-bot", "--games", "2", "--seed", "4", "--out", "b.jsonl"]) == 0
    assert main(["replay", "b.jsonl"]) == 0
    assert main(["replay", "b.jsonl", "--game", "1", "--html", "b.html", "--svg", "b.svg", "--every", "200"]) == 0
    pictures = sorted(tmp_path.glob("b-*.svg"))
    assert "const battle" in (tmp_path / "b.html").read_text() and len(pictures) > 2
    assert main(["replay", "b.jsonl", "--svg", "one.svg", "--ply", "30"]) == 0 and (tmp_path / "one.svg").exists()
    capsys.readouterr()
    assert main(["replay", "b.jsonl", "--svg", "two.svg", "--ply", "99999"]) == 2
    assert "ticks" in capsys.readouterr().err
