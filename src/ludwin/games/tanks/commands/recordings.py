"""Recorded battles of the original: read, and fought again.

Why it is here.  A battle is the same battle if every robot, bullet, score, event and result agrees, turn by turn.  A
recording holds the orders in force at every turn (its C rows) and all that came of them.  It can be fought again with
these orders (level 1: the arena alone), or with robots of ours in the place of the original's, from the seed alone
(level 2: arena, event queue and robots).  The format is that of tests/games/tanks/SOURCE.md.
"""

import gzip
import math
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludwin.arena.simulate import Simulated, Stage
from ludwin.errors import LudwinError
from ludwin.game import Game, State
from ludwin.games.tanks.motion import TURN_RATE
from ludwin.games.tanks.opponents.words import RADIAN
from ludwin.library import load
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive, Hold, Pilot

STATES = "AWRD"
BULLETS = " MVBWX"
ENDLESS = 1e200
ADVANCED = {"sample.SittingDuck", "sample.SpinBot", "sample.Crazy"}
PLAIN = {"tt.PlainBlock", "tt.AssistA", "tt.AssistB"}
TOLERANCE = 1e-9
Row = list[str]


@dataclass
class RecordedBattle:
    """A battle as it was recorded; rows are kept by round, turn and, for orders, robot."""

    name: str
    robots: tuple[str, ...]
    rounds: int
    seed: int
    scripts: dict[str, int]
    positions: str
    orders: dict[tuple[int, int, int], Row] = field(default_factory=dict)
    tanks: dict[tuple[int, int], list[Row]] = field(default_factory=lambda: defaultdict(list))
    bullets: dict[tuple[int, int], list[Row]] = field(default_factory=lambda: defaultdict(list))
    scores: dict[tuple[int, int], list[Row]] = field(default_factory=lambda: defaultdict(list))
    log: dict[int, list[Row]] = field(default_factory=lambda: defaultdict(list))  # events and orders of a script
    turns: list[int] = field(default_factory=list)
    results: list[Row] = field(default_factory=list)

    def world(self) -> Game:
        """Return tanks with the parameters of the battle."""
        given: dict[str, Any] = {"robots": len(self.robots), "rounds": self.rounds}
        return load("tanks", **given, **({"positions": self.positions} if self.positions else {}))

    def is_advanced(self, player: int) -> bool:
        """Tell whether a robot is an advanced one."""
        name = self.robots[player]
        return name in ADVANCED or (name.startswith("tt.") and name not in PLAIN)


def read_recording(path: Path) -> RecordedBattle:
    """Read a recorded battle. Raises LudwinError for what is none."""
    try:
        data = path.read_bytes()
        packed = data.startswith(b"\x1f\x8b")
        lines = (gzip.decompress(data) if packed else data).decode("ascii").splitlines()
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise LudwinError(f"{path} cannot be read: {error}") from None
    head = re.fullmatch(
        r"# battle=(\S+) robots=(.+) rounds=(\d+) RANDOMSEED=(-?\d+) script=(\S+) initial=(\S+) field=800x600.*",
        lines[0] if lines else "",
    )
    if head is None:
        raise LudwinError(f"{path} is no recorded battle")
    scripts = dict(re.findall(r"tt\.seed\.(\w+)=(\d+)", head[5]))
    places = re.findall(r"\(([\d.]+),([\d.]+),([\d.]+)\)", head[6])
    made = RecordedBattle(
        head[1],
        tuple(head[2].split()),
        int(head[3]),
        int(head[4]),
        {name: int(value) for name, value in scripts.items()},
        ";".join(" ".join(place) for place in places),
    )
    for line in lines[1:]:
        kind, *row = line.split(",")
        if kind == "T":
            made.turns.append(int(row[1]))
        elif kind == "F":
            made.results.append(row)
        elif kind == "C":
            made.orders[int(row[0]), int(row[1]), int(row[2])] = row[3:]
        elif kind in "RBS":
            table = {"R": made.tanks, "B": made.bullets, "S": made.scores}[kind]
            table[int(row[0]), int(row[1])].append(row[2:])
        elif kind in "EIX":
            made.log[int(row[2])].append([kind, *row])
    return made


def in_force(recording: RecordedBattle, player: int, round_: int, turn: int) -> list[float]:
    """Return the orders of a robot that were in force in a turn, as controls."""
    row = recording.orders.get((round_, turn, player))
    advanced = float(recording.is_advanced(player))
    if row is None:
        return [0.0, 0.0, 0.0, 0.0, 8.0, TURN_RATE, 0.0, 0.0, 0.0, -1.0, advanced]
    numbers = [min(max(float(cell), -ENDLESS), ENDLESS) for cell in row[:5]]
    flags = [int(digit) for digit in row[6].zfill(3)]
    shot = row[8].split(";")[0].split(":")
    power = float(shot[0]) if shot[0] else 0.0
    aim = float(shot[2]) if len(shot) > 2 and shot[1] == "1" else -1.0
    rate = float(row[5]) if row[5] else TURN_RATE
    return [*numbers, rate, float(flags[0] + 2 * flags[1] + 4 * flags[2]), float(row[7]), power, aim, advanced]


@dataclass
class FoughtAgain:
    """What has been compared so far: how much, how far apart at most, and what differs."""

    recording: RecordedBattle
    rows: int = 0
    flying: int = 0
    scored: int = 0
    results: int = 0
    worst: float = 0.0
    exact: int = 0  # robots equal to the last bit
    wrong: list[str] = field(default_factory=list)

    def look(self, tick: int, s: State) -> None:
        """Compare a state with what was recorded at its turn."""
        here = (int(s.round), int(s.time))
        for row in self.recording.tanks.get(here, ()):
            self.tank(here, row, s)
        for row in self.recording.scores.get(here, ()):
            self.score(here, row, s)
        flying = {(s.owner[k], s.number[k]): k for k in range(s.bullets)}
        for row in self.recording.bullets.get(here, ()):
            self.bullet(here, row, s, flying)

    def tank(self, here: tuple[int, int], row: Row, s: State) -> None:
        p = int(row[0])
        gun = row[5] or row[4]
        wanted = [float(cell) for cell in (row[2], row[3], row[4], gun, row[6] or gun, *row[7:10])]
        found = [column[p] for column in (s.x, s.y, s.body, s.gun, s.radar, s.v, s.energy, s.heat)]
        self.rows += 1
        self.exact += wanted == found
        self.near(f"robot {p} at {here}", wanted, found)
        if row[1] != STATES[s.state[p]]:
            self.wrong.append(f"robot {p} at {here} is {STATES[s.state[p]]}, recorded {row[1]}")

    def score(self, here: tuple[int, int], row: Row, s: State) -> None:
        p = int(row[0])
        parts = (s.survival, s.last_survivor, s.bullet_damage, s.bullet_bonus, s.ram_damage, s.ram_bonus)
        self.scored += 1
        self.near(f"score of {p} at {here}", [float(cell) for cell in row[1:]], [part[p] for part in parts])

    def bullet(self, here: tuple[int, int], row: Row, s: State, flying: dict[tuple[int, int], int]) -> None:
        if row[2] == "X":
            return
        x, y = float(row[3]), float(row[4])
        self.flying += row[2] == "M"
        for k in range(s.bullets):
            same = s.owner[k] == int(row[0]) and BULLETS[s.bullet[k]] == row[2]
            if same and abs(s.bullet_x[k] - x) < TOLERANCE and abs(s.bullet_y[k] - y) < TOLERANCE:
                self.worst = max(self.worst, abs(s.bullet_x[k] - x), abs(s.bullet_y[k] - y))
                return
        self.wrong.append(f"no bullet {row[2]} of {row[0]} at {here} near ({x}, {y})")

    def near(self, what: str, wanted: Sequence[float], found: Sequence[float]) -> None:
        error = max(abs(a - b) for a, b in zip(wanted, found, strict=True))
        self.worst = max(self.worst, error)
        if not error <= TOLERANCE:
            self.wrong.append(f"{what}: {list(found)}, recorded {list(wanted)}")

    def end(self, s: State) -> None:
        """Compare the results of the battle."""
        for p, row in enumerate(self.recording.results):
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
            found = [_rounded(sum(parts)), *map(_rounded, parts), s.firsts[p], s.seconds[p], s.thirds[p]]
            self.results += 1
            if found != [int(cell) for cell in row[2:]]:
                self.wrong.append(f"result of {p}: {found}, recorded {row[2:]}")
        if int(s.time) != self.recording.turns[-1]:
            self.wrong.append(f"the last round has {s.time} turns, recorded {self.recording.turns[-1]}")


def _rounded(x: float) -> int:
    return math.floor(x + 0.5)


def fight_orders(recording: RecordedBattle, mode: str = "fast") -> FoughtAgain:
    """Fight a battle again with the recorded orders: level 1."""
    game = recording.world()
    found = FoughtAgain(recording)
    recorded = []
    for p in range(game.players):
        numbers: list[float] = []
        for round_, turns in enumerate(recording.turns):
            for turn in range(1, turns + 2):  # one tick more begins the next round
                numbers += in_force(recording, p, round_, turn)
        recorded.append(numbers)
    stage = Stage(game, [Hold()] * game.players, mode)
    start = game.start().seed(recording.seed)
    run = stage.play(0, recorded=recorded, frame=found.look, start=start)
    found.end(run.final)
    return found


class _Listened(Agent):
    """An agent in Python whose answers are written down."""

    name = "listened"

    def __init__(self, pilot: Callable[[int, int], Pilot], log: list[tuple[float, ...]]):
        self.pilot, self.log = pilot, log

    def suits(self, game: Game) -> None:
        """Say nothing against any world."""

    def drive(self, game: Game) -> Drive:
        """Return the pilot."""

        def listened(player: int, seed: int) -> Pilot:
            inner = self.pilot(player, seed)

            def answer(view: Any) -> Any:
                said = inner(view)
                self.log.append((int(view.round), int(view.time), *said))
                return said

            return answer

        return Drive((), listened)


def fight_robots(
    recording: RecordedBattle, pilots: Sequence[Callable[[int, int], Pilot]], mode: str = "fast"
) -> tuple[FoughtAgain, Simulated]:
    """Fight a battle again with robots, from its seed alone: level 2; also their orders are compared."""
    game = recording.world()
    found = FoughtAgain(recording)
    logs: list[list[tuple[float, ...]]] = [[] for _ in pilots]
    stage = Stage(game, [_Listened(pilot, log) for pilot, log in zip(pilots, logs, strict=True)], mode)
    run = stage.play(0, frame=found.look, start=game.start().seed(recording.seed))
    found.end(run.final)
    if run.lost:
        found.wrong.append(f"robot {run.lost[0].player} failed: {run.lost[0].reason}")
    dead = {(int(row[0]), here[0]): here[1] for here, rows in recording.tanks.items() for row in rows if row[1] == "D"}
    for p, log in enumerate(logs):
        for round_, time, *said in log:
            here = (int(round_), int(time) + 1)
            if here[1] > recording.turns[here[0]] or here[1] > dead.get((p, here[0]), here[1]):
                continue
            wanted = in_force(recording, p, *here)
            found.near(f"orders of {p} at {here}", wanted, said)
    return found, run


def degrees(x: float) -> float:
    """Return radians as a script's log has them."""
    return x / RADIAN
