"""Recordings of the original: from its XML to the rows that battles here are compared with.

Why it is here.  `-recordXML` writes every robot and bullet of every turn.  Rows are those of `recordings.py`, without
orders and events, which it does not record; so a battle is fought again from its seed alone.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ludwin.errors import LudwinError
from ludwin.games.tanks.commands.recordings import RecordedBattle
from ludwin.games.tanks.commands.robocode import OriginalResult

STATES = {"ACTIVE": "A", "HIT_WALL": "W", "HIT_ROBOT": "R", "DEAD": "D"}
BULLETS = {"FIRED": "M", "MOVING": "M", "HIT_VICTIM": "V", "HIT_BULLET": "B", "HIT_WALL": "W", "EXPLODED": "X"}
SCORES = ("SurvivalScore", "BulletDamageScore", "BulletKillBonus", "RammingDamageScore", "RammingKillBonus")


def read_xml(path: Path, robots: Sequence[str], seed: int, results: Sequence[OriginalResult]) -> RecordedBattle:
    """Return the battle that the original has recorded. Raises LudwinError for what is no such file."""
    made = RecordedBattle("-".join(one.rpartition(".")[2].lower() for one in robots), tuple(robots), 0, seed, {}, "")
    reader = _Reader(made)
    try:
        for _, element in ElementTree.iterparse(path, events=("end",)):
            if element.tag == "recordInfo":
                made.rounds = int(element.attrib["roundsCount"])
                # It counts turn 0, too; what is called the length of a round here is the number of its last turn.
                made.turns = [int(one.attrib["value"]) - 1 for one in element.iter("turns") if "value" in one.attrib]
            elif element.tag == "turn":
                reader.turn(element)
                element.clear()
    except (ElementTree.ParseError, KeyError, ValueError, OSError) as error:
        raise LudwinError(f"{path} is no recording of the original: {error}") from None
    order = sorted(range(len(results)), key=lambda p: -results[p].total)
    for p, row in enumerate(results):
        made.results.append([robots[p], str(order.index(p) + 1), *map(str, row[1:])])
    return made


class _Reader:
    """Takes in turn after turn."""

    def __init__(self, made: RecordedBattle):
        self.made = made
        self.round = -1

    def turn(self, element: Any) -> None:
        here = int(element.attrib["round"]), int(element.attrib["turn"])
        if here[0] != self.round:
            self.round = here[0]
            self.dead: set[str] = set()
            self.ended: set[str] = set()
            self.scores: dict[str, list[str]] = {}
            self.places: dict[str, tuple[float, float]] = {}
        before = self.places
        self.places = {one.get("id"): (float(one.get("x")), float(one.get("y"))) for one in element.iter("robot")}
        self.driven = {
            p: (x - before.get(p, (x, y))[0], y - before.get(p, (x, y))[1]) for p, (x, y) in self.places.items()
        }
        for one in element.iter("robot"):
            self.robot(here, one)
        for one in element.iter("bullet"):
            self.bullet(here, one)

    def robot(self, here: tuple[int, int], one: Any) -> None:
        a = one.attrib
        if a["id"] not in self.dead:
            state = STATES[a["state"]]
            numbers = (a["x"], a["y"], a["bodyHeading"], a["gunHeading"], a["radarHeading"], a["velocity"])
            self.made.tanks[here].append([a["id"], state, *numbers, a["energy"], a["gunHeat"]])
            if state == "D":
                self.dead.add(a["id"])
        score = one.find("score")
        parts = [float(score.attrib.get(f"current{word}", 0.0)) for word in SCORES]
        last = float(score.attrib.get("currentScore", 0.0)) - sum(parts)
        row = [repr(x) for x in (parts[0], last if abs(last) > 1e-6 else 0.0, *parts[1:])]
        if row != self.scores.get(a["id"], ["0.0"] * 6) and sum(parts) > 0.0:
            self.scores[a["id"]] = row
            self.made.scores[here].append([a["id"], *row])

    def bullet(self, here: tuple[int, int], one: Any) -> None:
        a = one.attrib
        state = BULLETS[a["state"]]
        owner, _, number = a["id"].partition("-")
        x, y = a["x"], a["y"]
        if state == "V" and a.get("victim") in self.driven:  # drawn on its victim, which has driven on since the hit
            by = self.driven[a["victim"]]
            x, y = repr(float(x) - by[0]), repr(float(y) - by[1])
        if state == "M" or a["id"] not in self.ended:
            self.made.bullets[here].append([owner, number, state, x, y, "", a["power"], a.get("victim", "")])
        if state != "M":
            self.ended.add(a["id"])


def recording_text(made: RecordedBattle) -> str:
    """Return a battle as recordings are kept: rows in order of time."""
    return "\n".join(_lines(made)) + "\n"


def _lines(made: RecordedBattle) -> Iterator[str]:
    yield (
        f"# battle={made.name} robots={' '.join(made.robots)} rounds={made.rounds} RANDOMSEED={made.seed} script=- "
        "initial=- field=800x600"
    )
    for round_, turns in enumerate(made.turns):
        for turn in range(turns + 1):
            for kind, table in (("R", made.tanks), ("B", made.bullets), ("S", made.scores)):
                for row in table.get((round_, turn), ()):
                    yield ",".join((kind, str(round_), str(turn), *row))
        yield f"T,{round_},{turns}"
    for row in made.results:
        yield ",".join(("F", *row))
