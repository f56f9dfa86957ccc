"""The arena and its robots against recorded battles of the original, turn by turn."""

import csv
import math
import os
import re
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import pytest

from ludwin.arena.simulate import Stage
from ludwin.errors import LudwinError
from ludwin.games.tanks.commands.recordings import fight_orders, fight_robots, read_recording
from ludwin.games.tanks.opponents import AGENTS
from ludwin.games.tanks.opponents.robots import Robot
from ludwin.library import load

HERE = Path(__file__).parent
SMALL = sorted((HERE / "recordings").glob("*.csv.gz"))
LARGE = os.environ.get("LUDWIN_TANKS_RECORDINGS", "")
needs_all = pytest.mark.skipif(not LARGE, reason="LUDWIN_TANKS_RECORDINGS names no folder (SOURCE.md)")
SCRIPTS = {"AdvRand2": "adv_rand", "RamA": "ram", "RamB": "ram"}
EVENTS = {
    1: ("Scanned", 5),
    2: ("HitByBullet", 3),
    3: ("HitWall", 1),
    4: ("HitRobot", 3),
    5: ("BulletHit", 4),
    6: ("BulletHitBullet", 4),
    7: ("BulletMissed", 3),
    8: ("RobotDeath", 0),
    9: ("Win", 0),
    10: ("Death", 0),
}
# Of these pairs a comparison with exactly 0 falls on the other side of a last bit of sine or cosine (docs/results).
OTHER_SCORES = {"Tracker-SpinBot", "Fire-TrackFire", "TrackFire-HaikuA"}


def of(name):
    return name.name.removesuffix(".csv.gz")


def snake(name, sign):
    return re.sub(r"(?<!^)([A-Z])", rf"{sign}\1", name).lower()


def agent(name, seeds=()):
    home, _, short = name.rpartition(".")
    if home == "sample":
        return AGENTS[snake(short, "-")]()
    file = HERE / "robots" / f"{SCRIPTS.get(short) or snake(short, '_')}.py"
    return Robot.of(str(file), {"seed": str(seeds[short])} if short in seeds else {})


class Log:
    """What a script's handlers were told and what it ordered, as a recording has it."""

    def __init__(self, text):
        self.text, self.lines = text, []

    def pilot(self, player, seed):
        robot = self.text.plain(player, seed, self.hear)
        self.robot = robot
        return robot

    def hear(self, what, name, value=0):
        here = int(self.robot.view.round), int(self.robot.view.time)
        if what == "event":
            kind, count = EVENTS[name]
            self.lines.append(("E", *here, kind, *value[:count]))
        elif what == "end":
            self.lines.append(("X", *here, f"end{EVENTS[name][0]}"))


def recorded_log(recording, player):
    lines = []
    for kind, round_, time, _, name, *rest in recording.log[player]:
        if kind == "E":
            lines.append(("E", int(round_), int(time), name, *map(float, rest[1:])))
        elif kind == "X":
            lines.append(("X", int(round_), int(time), name))
    return lines


def same(a, b):
    return len(a) == len(b) and a[:4] == b[:4] and all(abs(x - y) < 1e-9 for x, y in zip(a[4:], b[4:], strict=True))


@lru_cache(maxsize=None)
def with_robots(path):
    recording = read_recording(path)
    logs = [Log(agent(name, recording.scripts).text()) for name in recording.robots]
    found, _ = fight_robots(recording, [log.pilot for log in logs])
    return recording, found, logs


@lru_cache(maxsize=None)
def row(battle, round_, turn, robot):
    recording = read_recording(next(path for path in SMALL if of(path) == battle))
    return next(one for one in recording.tanks[round_, turn] if one[0] == str(robot))


@pytest.mark.parametrize("path", SMALL, ids=of)
def test_a_recorded_battle_comes_out_again_from_its_orders(path):
    found = fight_orders(read_recording(path))
    assert found.wrong == []
    assert found.worst < 1e-9 and found.rows > 300 and found.results == 2


@pytest.mark.parametrize("path", SMALL, ids=of)
def test_a_recorded_battle_comes_out_again_from_its_seed_alone(path):
    _, found, _ = with_robots(path)
    assert found.wrong == []
    assert found.worst < 1e-9 and found.rows > 300 and found.results == 2


@pytest.mark.parametrize("path", SMALL, ids=of)
def test_scripts_hear_what_the_recorded_ones_heard_and_their_handlers_end_when_theirs_did(path):
    recording, _, logs = with_robots(path)
    for player, log in enumerate(logs):
        wanted = recorded_log(recording, player)
        ends = {line[3] for line in wanted if line[0] == "X"}
        found = [line for line in log.lines if line[0] == "E" or line[3] in ends]
        if recording.robots[player].startswith("tt."):
            differ = [pair for pair in zip(wanted, found, strict=False) if not same(*pair)]
            assert differ[:1] == [] and len(wanted) == len(found)
    assert sum(len(lines) for lines in recording.log.values()) > 50 or recording.name == "tracker-ramfire"


def test_robots_start_where_the_seed_puts_them():
    s = load("tanks").start().seed(310)
    assert list(s.x) == [583.6657694532112, 303.7495477235374]
    assert list(s.y) == [505.37621598542944, 293.35614819874286]
    assert list(s.body) == [5.696531304953246, 1.1517539584242673]


def test_guns_cool_with_the_errors_of_subtraction():
    recording = read_recording(HERE / "recordings" / "haikuB-sittingduck.csv.gz")
    heats = [float(recording.tanks[0, turn][0][-1]) for turn in range(6)]
    assert heats == [3, 2.9, 2.8, 2.6999999999999997, 2.5999999999999996, 2.4999999999999996]
    heat, turns = 3.0, 0
    while heat > 0.0:
        heat, turns = max(heat - 0.1, 0.0), turns + 1
    assert turns == 30  # the first order that counts is given at time 30


@pytest.mark.parametrize(("power", "turns"), [(1, 13), (3, 16)])
def test_a_gun_fires_first_in_turn_31_and_again_when_it_has_cooled(tmp_path, power, turns):
    loop = f"    while True:\n        tank.set_fire({power})\n        yield tank.execute()\n"
    text = "ADVANCED = True\ndef main(tank):\n" + loop
    (tmp_path / "gunner.py").write_text(text)
    fired = []

    def look(tick, s):
        if s.shots[0] > len(fired):
            fired.append(int(s.time))

    game = load("tanks")
    robots = [Robot.of(str(tmp_path / "gunner.py"), {}), AGENTS["sitting-duck"]()]
    Stage(game, robots).play(0, frame=look, start=game.start().seed(9))
    assert fired[0] == 31 and {b - a for a, b in pairwise(fired[:6])} == {turns}


def test_a_corner_is_one_wall_and_costs_once():
    assert row("corner1-duck", 0, 8, 0)[2:4] == ["18", "18.197136972695077"]
    assert row("corner1-duck", 0, 8, 0)[8] == "97"
    _, found, logs = with_robots(HERE / "recordings" / "corner1-duck.csv.gz")
    walls = [line for line in logs[0].lines if line[0] == "E" and line[1:3] == (0, 8)]
    assert [line[3] for line in walls] == ["HitWall"] and walls[0][4] == pytest.approx(0.7766715171374767, abs=1e-12)
    assert found.wrong == []


def test_inactivity_takes_energy_from_turn_452_on():
    assert row("walla-duck", 0, 451, 1)[8] == "100"
    assert float(row("walla-duck", 0, 452, 1)[8]) == pytest.approx(99.9)
    for round_ in (0, 1):  # in each round anew
        energy = [float(row("corner1-duck", round_, turn, 1)[8]) for turn in (451, 452)]
        assert energy == [100.0, pytest.approx(99.9)]


def test_a_plain_robots_shot_is_assisted_and_an_advanced_ones_is_not():
    recording, found, _ = with_robots(HERE / "recordings" / "haikuA-walls.csv.gz")
    assert found.wrong == []
    shot = {player: [one[8] for (_, _, who), one in recording.orders.items() if who == player] for player in (0, 1)}
    names = [name.rpartition(".")[2] for name in recording.robots]
    assert any(":1:" in one for one in shot[names.index("Walls")])
    assert not any(":1:" in one for one in shot[names.index("HaikuA")])


def test_a_wrong_arena_is_noticed():
    recording = read_recording(HERE / "recordings" / "haikuB-sittingduck.csv.gz")
    recording.seed += 1
    assert fight_orders(recording).wrong != []


@pytest.mark.parametrize(
    ("data", "line"), [(b"R,0,0", "is no recorded battle"), (b"\x1f\x8bnothing", "cannot be read"), (b"\xff", "cannot")]
)
def test_a_file_that_is_no_recording_is_refused_in_one_line(tmp_path, data, line):
    (tmp_path / "x.csv.gz").write_bytes(data)
    with pytest.raises(LudwinError, match=line):
        read_recording(tmp_path / "x.csv.gz")


def score_of(s, p):
    parts = [
        float(part[p])
        for part in (
            s.total_survival,
            s.total_last_survivor,
            s.total_bullet_damage,
            s.total_bullet_bonus,
            s.total_ram_damage,
            s.total_ram_bonus,
        )
    ]
    return [math.floor(x + 0.5) for x in (sum(parts), *parts)] + [s.firsts[p], s.seconds[p]]


def test_a_hundred_rounds_of_52_of_55_pairs_of_robots_score_as_in_the_original():
    game = load("tanks", rounds=100)
    with open(HERE / "scores.csv") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    other = set()
    for pair in zip(rows[::2], rows[1::2], strict=True):
        homes = ["" if one["robot"] == "HaikuA" else "sample." for one in pair]
        robots = [agent(home + one["robot"]) for home, one in zip(homes, pair, strict=True)]
        s = Stage(game, robots, "fast").play(0, start=game.start().seed(1)).final
        if any(score_of(s, p) != [int(cell) for cell in list(one.values())[5:]] for p, one in enumerate(pair)):
            other.add(f"{pair[0]['robot']}-{pair[1]['robot']}")
    assert other <= OTHER_SCORES and len(rows) == 110


@pytest.mark.slow
@needs_all
def test_all_recorded_battles_come_out_again():
    rows, flying, scored, results, wrong = 0, 0, 0, 0, {}
    for path in sorted(Path(LARGE).rglob("*.csv.gz")):
        if of(path) == "sleeper-duck":  # depends on the clock
            continue
        orders = fight_orders(read_recording(path))
        _, robots, _ = with_robots(path)
        rows, flying = rows + orders.rows, flying + orders.flying
        scored, results = scored + orders.scored, results + orders.results
        if orders.wrong or robots.wrong:
            wrong[of(path)] = (orders.wrong[:1], robots.wrong[:1])
    assert wrong == {}
    assert (rows, flying, scored, results) == (225896, 119038, 2623, 143)


@pytest.mark.slow
@needs_all
@pytest.mark.parametrize("name", ["ram-ram", "haikuA-crazy", "ramfire-walls"])
def test_stale_boxes_walls_before_robots_and_flags_that_outlive_a_round(name):
    _, found, _ = with_robots(next(Path(LARGE).rglob(f"{name}.csv.gz")))
    assert found.wrong == []


@pytest.mark.slow
@needs_all
def test_rams_put_both_back_and_may_leave_one_alive_without_energy():
    recording, found, _ = with_robots(next(Path(LARGE).rglob("ram-ram.csv.gz")))
    energies = {turn: [one[8] for one in recording.tanks[0, turn]] for turn in (25, 298)}
    assert energies[25] == ["98.20000000000002"] * 2
    assert [(one[1], float(one[8])) for one in recording.tanks[0, 298]] == [("R", 0.0), ("D", 0.0)]
    assert found.wrong == []
