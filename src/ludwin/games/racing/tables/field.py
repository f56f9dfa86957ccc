"""What the tables of racing share: the original's tracks, recorded drivers, and races of ours.

Why it is here.  The drivers of 1995 to 2004 cannot be bundled, but what they did was recorded: their lap times stand
in `data/recorded/`, apart from what the book prints.  The tracks are under the GPL and are read from a folder that the
user names.
"""

import math
import os
from functools import lru_cache
from pathlib import Path

from ludwin.errors import LudwinError
from ludwin.games.racing.evolve.races import Raced, Races
from ludwin.games.racing.opponents.drivers import Tuned, kept, kept_driver
from ludwin.games.racing.opponents.planner import Planner
from ludwin.lab.published import data_of, rows
from ludwin.library import agent
from ludwin.measure import Measure
from ludwin.primitives import stream
from ludwin.search.choice import Agent

TRACKS = "LUDWIN_RACING_TRACKS"  # names the folder of the original's track files
DATA = data_of(__file__)  # figures as printed
RECORDS = DATA / "recorded"  # figures that this project recorded with the original simulator
SEASON = (
    "albrtprk", "austria", "barcelon", "brazil", "clkwis", "estoril", "hungary", "imola", "magnycrs", "montreal",
    "monza-76", "nurnburg", "oval2", "sepang", "silverst", "v03")  # fmt: skip
POINTS = (20, 16, 14, 12, 10, 8, 6, 5, 4, 3, 2, 1)
UNFINISHED = 1000.0
RECORDED = "recorded"  # stands in the label of every row that the original simulator made


def track_file(name: str) -> str:
    """Return the path of one of the original's tracks. Raises LudwinError with the way out."""
    folder = os.environ.get(TRACKS, "")
    path = Path(folder) / f"{name}.trk"
    if not folder or not path.is_file():
        what = f"{folder} has no {name}.trk" if folder else "they are under the GPL and not bundled"
        raise LudwinError(f"this table needs the tracks of the RARS library: {what}; set {TRACKS} to their folder")
    return str(path)


@lru_cache(maxsize=64)
def circuit(name: str, laps: int = 1) -> Races:
    """Return races alone on a track: random traction, full tank, and the line that can be seen."""
    limits = f"laps={laps},seconds={1000 * laps},max_ticks={20000 * laps}"
    return Races(f'racing:track="{track_file(name)}",sight=true,{limits}')


def laps_of(driver: Agent, track: str, races: int, seed: int) -> list[Raced]:
    """Return a driver's races alone on a track; equal seeds are equal races for all drivers."""
    return circuit(track).race(driver, [stream(seed, k) for k in range(races)])


def clock(driver: Agent, track: str, races: int, seed: int) -> tuple[Measure, int]:
    """Return the race clock, and how many races were finished; those that were not count 1000 s."""
    ran = laps_of(driver, track, races, seed)
    times = [raced.seconds if raced.finished else UNFINISHED for raced in ran]
    found = Measure.of_samples("race clock", times, opponent=track, unit="s", direction="less")
    return found, sum(raced.finished for raced in ran)


def our_drivers() -> dict[str, Agent]:
    """Return our drivers by the names of their rows: evolved ones first, then what a person wrote or tuned."""
    found: dict[str, Agent] = {f"evolved, {name}": kept_driver(name) for name in kept() if name != "gp-single-2"}
    found |= {"planner (knows the track)": Planner(), "tuned": Tuned()}
    return found | {name: agent(f"own:driver={name}") for name in ("apex", "lane", "cautious")}


@lru_cache(maxsize=1)
def recorded_laps() -> dict[str, dict[str, tuple[float, float, int, int]]]:
    """Return what was recorded of drivers alone: by track and driver, clock, deviation, races and finished ones."""
    found: dict[str, dict[str, tuple[float, float, int, int]]] = {}
    for row in rows(RECORDS / "laps.csv"):
        clock, deviation = float(row["clock"] or math.nan), float(row["clock_sd"] or math.nan)
        found.setdefault(row["track"], {})[row["driver"]] = (clock, deviation, int(row["n"]), int(row["finished"]))
    return found


@lru_cache(maxsize=1)
def people() -> tuple[str, ...]:
    """Return the nine recorded drivers that are in the book's tables."""
    return tuple(dict.fromkeys(r["driver"] for r in rows(RECORDS / "laps.csv") if r["group"] == "book"))


def points_of(place: int) -> int:
    """Return the points of a place in a race of one lap, where the winner has led most laps.

    >>> [points_of(place) for place in (1, 2, 12, 13)]
    [21, 16, 1, 0]
    """
    won = POINTS[place - 1] if place <= len(POINTS) else 0
    return won + 1 if place == 1 else won


def places(times: dict[str, float]) -> dict[str, int]:
    """Return the place of everybody who has a time; nan is no time, and has no place.

    >>> places({"a": 61.0, "b": 60.0, "c": math.nan})
    {'b': 1, 'a': 2}
    """
    order = sorted((name for name in times if not math.isnan(times[name])), key=lambda name: times[name])
    return {name: place for place, name in enumerate(order, 1)}
