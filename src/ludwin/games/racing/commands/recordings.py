"""Recordings: a race that was written down step by step, and how far ours is from it.

Why it is here.  The physics of this world is not like that of the original, it is that of the original, and a reader
should be able to see it.  A recording has one row per car and step: what was seen, what the driver answered, where the
car was then.  `errors` starts our world as its first rows say, gives it the recorded answers and nothing else, and
returns the largest difference of every column over the whole race.

A file is CSV, gzipped or not, named TRACK-WHAT-det or TRACK-WHAT-sN (random traction with seed N).
"""

import csv
import gzip
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ludwin.errors import LudwinError
from ludwin.game import Game, State
from ludwin.games.racing.survey import track_named
from ludwin.games.racing.tracks import Geometry
from ludwin.library import load

# Columns of a recording, and the fields of our state that must be equal.
COLUMNS = {
    "x": "x", "y": "y", "vx": "vx", "vy": "vy", "pvx": "before_vx", "pvy": "before_vy", "pax": "before_ax",
    "pay": "before_ay", "speed": "v", "heading": "heading", "alpha_prev": "limited_wheel", "fuel": "fuel",
    "damage": "damage", "seg": "segment", "to_lft": "to_left", "to_rgt": "to_right", "to_end": "to_end",
    "vn": "across", "cen_a": "left_pull", "tan_a": "pull", "s_alpha": "alpha", "s_vc": "wheel_speed",
    "power_req": "power_asked", "power": "power", "distance": "distance", "backward": "back", "lap_flag": "crossed",
    "laps_done": "laps", "lap_time": "lap_time", "done": "done", "dead_ahead": "dead_ahead", "position": "position",
    "fuel_mileage": "mileage"}  # fmt: skip
AFTER = {
    "new_x": "x", "new_y": "y", "new_vx": "vx", "new_vy": "vy", "new_fuel": "fuel", "out": "out",
    "alpha": "alpha", "vc": "wheel_speed", "new_power_req": "power_asked", "a_cen": "left_pull", "a_tan": "pull",
    "ax": "before_ax", "ay": "before_ay"}  # fmt: skip
SETTINGS = {"surf0": {"surface": 0}, "surf2pm4e5": {"surface": 2, "power": 4e5}}  # what a name says of the world
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class Recording:
    """One recorded race: rows of numbers by column, all cars of a step together."""

    name: str
    track: str
    seed: int | None  # None: without random traction
    cars: int
    steps: tuple[tuple[Mapping[str, float], ...], ...]

    @property
    def rows(self) -> int:
        """How many rows the file has."""
        return len(self.steps) * self.cars


def read_recording(path: Path) -> Recording:
    """Read a recording. Raises LudwinError, in one line, for a file that is none."""
    name = path.name.removesuffix(".gz").removesuffix(".csv")
    track, _, rest = name.partition("-")
    what = rest.rpartition("-")[2]
    if not rest or not (what == "det" or (what[:1] == "s" and what[1:].isdecimal())):
        raise LudwinError(f"{path.name}: a recording is named TRACK-WHAT-det or TRACK-WHAT-sSEED")
    try:
        blob = path.read_bytes()
        text = (gzip.decompress(blob) if blob[:2] == b"\x1f\x8b" else blob).decode("ascii")
    except (OSError, EOFError, UnicodeDecodeError, gzip.BadGzipFile) as error:
        raise LudwinError(f"{path.name} cannot be read: {error}") from None
    rows: list[dict[str, float]] = []
    for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
        try:
            rows.append({key: float(value) for key, value in row.items() if value})
        except (ValueError, TypeError):
            raise LudwinError(f"{path.name}, line {number}: this is no row of numbers") from None
        if number > MOST_ROWS:
            raise LudwinError(f"{path.name} has more than {MOST_ROWS:,} rows")
    cars = len({row.get("car") for row in rows})
    told = {f"{name}_{what}" for name in ROAD for what in ("rad", "len")} | {"lastlap_speed"}
    missing = {"step", "car", "t", "out_vc", "out_alpha", "out_fuel", *COLUMNS, *told} - set(rows[0] if rows else ())
    if missing:
        raise LudwinError(f"{path.name} has no column {min(missing)!r}: this is no recording of a race")
    if len(rows) % cars or any(row["car"] != k % cars for k, row in enumerate(rows)):
        raise LudwinError(f"{path.name}: every step must have a row for each of {cars} cars, in their order")
    steps = tuple(tuple(rows[at : at + cars]) for at in range(0, len(rows), cars))
    return Recording(name, track, None if what == "det" else int(what[1:]), cars, steps)


def world_of(recording: Recording, track: str) -> Game:
    """Return the world in which a recording was made, on the track of this name or path."""
    given: dict[str, Any] = dict(SETTINGS.get(recording.name.split("-")[1], {}))
    return load("racing", track=track, cars=recording.cars, random=recording.seed is not None, **given)


def beginning(recording: Recording, world: Game) -> State:
    """Return the start: seed, the tanks that the drivers asked for, and the damage that the file begins with."""
    from ludwin.rules.layout import flatten

    state = world.start()
    if recording.seed is not None:
        state = state.seed(recording.seed)
    s = state.thaw()
    for p, row in enumerate(recording.steps[0]):
        s.fuel[p] = row["out_fuel"] if 1.0 <= row["out_fuel"] <= 150.0 else 150.0
        s.damage[p] = int(row["damage"])
    return State(world, flatten(world.fields, s))


TEXT = """
from ludwin.kernel.names import Bundle, PLAYERS, tick


def follow(w: Bundle, steps: int):
    s = w.states[0]
    for t in range(steps):
        note(w, s, 2 * t)
        for p in range(PLAYERS):
            s.wheel[p] = min(max(w.answers[2 * (t * PLAYERS + p)], -2.0), 2.0)
            s.speed[p] = min(max(w.answers[2 * (t * PLAYERS + p) + 1], -10000.0), 10000.0)
        tick(s)
        note(w, s, 2 * t + 1)
    return 0


def note(w, s, row):
    for p in range(PLAYERS):
        at = (row * PLAYERS + p) * {count}
        w.log[at] = s.clock
{lines}
"""
FIELDS = tuple(dict.fromkeys([*COLUMNS.values(), *AFTER.values()]))
RECORDS = {"states": "States", "answers": [float], "log": [float]}


@lru_cache(maxsize=1)
def _kernel() -> Any:
    from ludwin.kernel.text import Kernel, kernel_from_text

    lines = "\n".join(f"        w.log[at + {n}] = 1.0 * s.{field}[p]" for n, field in enumerate(FIELDS, 1))
    made = kernel_from_text("follow a recording", "follow", TEXT.format(count=len(FIELDS) + 1, lines=lines))
    return Kernel(made.name, made.entry, records=RECORDS)


def follow(recording: Recording, world: Game, mode: str = "fast") -> Sequence[float]:
    """Return all that happens when the recorded answers are given.

    For every step, before and after it, and for every car: the clock and FIELDS.
    """
    from ludwin.kernel.memory import write as put
    from ludwin.kernel.specialise import specialise

    run = specialise(world, _kernel(), mode)
    answers = [row[key] for step in recording.steps for row in step for key in ("out_alpha", "out_vc")]
    size = 2 * recording.rows * (len(FIELDS) + 1)
    w = run.bundle(states=1, answers=len(answers), log=size)
    put(w.answers, answers)
    run.put(w.states, 0, beginning(recording, world))
    run(w, len(recording.steps))
    log = w.log
    return log.tolist() if hasattr(log, "tolist") else list(log)


def compared(recording: Recording, log: Sequence[float]) -> Iterator[tuple[str, int, float]]:
    """Yield (column, step, difference) for every number that is compared."""
    width = len(FIELDS) + 1
    places = {field: n for n, field in enumerate(FIELDS, 1)}
    for t, step in enumerate(recording.steps):
        for p, row in enumerate(step):
            early = (2 * t * recording.cars + p) * width
            late = early + recording.cars * width
            if not log[early + places["out"]]:  # whoever is out is not looked at any more
                yield "t", t, abs(log[early] - row["t"])
            for column, field in COLUMNS.items():
                yield column, t, abs(log[early + places[field]] - row[column])
            for column, field in AFTER.items():
                if column in row:
                    yield column, t, abs(log[late + places[field]] - row[column])


ONE_STEP = ("new_x", "new_y", "new_vx", "new_vy", "new_fuel")  # what a step from a recorded state must lead to


def one_step_errors(recording: Recording, track: str, every: int = 1) -> dict[str, float]:
    """Return the largest differences after single steps, each from the state that its own row says.

    Of recordings without random traction, whose generator is not in the rows. A free run that goes wrong says when;
    this says where: by the first column that differs.
    """
    from ludwin.rules.layout import flatten

    world = world_of(recording, track)
    found = dict.fromkeys(ONE_STEP, 0.0)
    for rows in recording.steps[::every]:
        s = world.start().thaw()
        for p, row in enumerate(rows):
            for column, field in COLUMNS.items():
                cells = getattr(s, field)
                cells[p] = int(row[column]) if isinstance(cells[p], int) else row[column]
        after = State(world, flatten(world.fields, s)).tick(
            wheel=[min(max(row["out_alpha"], -2.0), 2.0) for row in rows],
            speed=[min(max(row["out_vc"], -10000.0), 10000.0) for row in rows],
        )
        for p, row in enumerate(rows):
            for column in ONE_STEP:
                if column in row:
                    found[column] = max(found[column], abs(getattr(after, AFTER[column])[p] - row[column]))
    return found


ROAD = ("cur", "nex", "aft", "aft2")  # columns NAME_rad and NAME_len: this segment and the next three


def road_errors(recording: Recording, track: str) -> dict[str, float]:
    """Return the largest differences of what a driver is told of the road, and of the speed of the last lap."""
    world = track_named(track)
    geometry, count = Geometry(world), len(world.radii)
    inner = [radius - world.width if radius > world.width else radius for radius in world.radii]
    found = {f"{name}_{what}": 0.0 for name in ROAD for what in ("rad", "len")} | {"lastlap_speed": 0.0}
    for row in (row for step in recording.steps for row in step):
        for ahead, name in enumerate(ROAD):
            k = (int(row["seg"]) + ahead) % count
            for column, told in ((f"{name}_rad", inner[k]), (f"{name}_len", world.lengths[k])):
                found[column] = max(found[column], abs(row[column] - told))
        last = geometry.length / row["lap_time"] if row["lap_time"] else 0.0
        found["lastlap_speed"] = max(found["lastlap_speed"], abs(row["lastlap_speed"] - last))
    return found


def errors(recording: Recording, track: str, mode: str = "fast") -> dict[str, float]:
    """Return the largest difference of each column between a recording and our race with its answers."""
    found = road_errors(recording, track)
    for column, _, difference in compared(recording, follow(recording, world_of(recording, track), mode)):
        if not difference <= found.get(column, -1.0):  # nan is worse than all
            found[column] = difference
    return found
