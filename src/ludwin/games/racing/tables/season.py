"""Tables 9.3 and 9.4: a season of sixteen tracks.

The idea.  The book does not name its sixteen tracks, so its points cannot be met; ours are sixteen of the original's
library (`field.py`), on which nine of the book's fourteen drivers were recorded.  In 9.3 everybody drives alone, so a
driver of ours can be entered against the recorded times, one at a time, as a tenth.  In 9.4 all race together, where
a recording cannot answer: the recorded season stands beside, and ours race among themselves.
"""

from statistics import fmean

from ludwin.arena.simulate import Stage
from ludwin.games.racing.tables.field import (
    DATA,
    RECORDED,
    RECORDS,
    SEASON,
    clock,
    our_drivers,
    people,
    places,
    points_of,
    recorded_laps,
    track_file,
)
from ludwin.lab.experiment import LabTable, TableRun, measured, row_of
from ludwin.lab.published import figure, rows
from ludwin.library import load
from ludwin.measure import Measure
from ludwin.primitives import stream
from ludwin.stats import Estimate

LAPS = 3
SECOND = 2.0  # the book's place of GP-Single-2
SIZES = {"quick": (2, 1), "standard": (10, 1), "paper": (10, 1)}


def alone(extra: dict[str, dict[str, float]]) -> dict[str, dict[str, int]]:
    """Return everybody's points by track; `extra` are times of drivers that were not recorded, by name and track."""
    found: dict[str, dict[str, int]] = {}
    for track in SEASON:
        times = {name: recorded_laps()[track][name][0] for name in people()}
        times |= {name: known[track] for name, known in extra.items()}
        for name, place in places(times).items():
            found.setdefault(name, {})[track] = points_of(place)
    return found


def fill_9_3(run: TableRun) -> None:
    """Single laps: the recorded season, then each of ours as a tenth driver."""
    for track in SEASON:
        track_file(track)
    published = {row["driver"]: figure(row["total"]) for row in rows(DATA / "racing_9_3.csv")}
    for name, points in sorted(alone({}).items(), key=lambda item: -sum(item[1].values())):
        total = float(sum(points.values()))
        note = f"other tracks than the book's, nine drivers; the book: {published[name]:g} among fourteen"
        run.add(measured(f"{name}, {RECORDED}", "points", Estimate(total, total, total), 16, note))
    for label, driver in our_drivers().items():
        run.news(f"{label}: {run.games} laps on each of {len(SEASON)} tracks")
        times: dict[str, float] = {}
        missed = []
        for track in SEASON:
            found, finished = clock(driver, track, run.games, run.seed)
            times[track] = found.value if finished == run.games else float("nan")
            if finished < run.games:
                missed.append(f"{track} {finished} of {run.games}")
        standing = alone({label: times})
        totals = {name: sum(points.values()) for name, points in standing.items()}
        total = float(totals.get(label, 0))
        place = 1 + sum(other > total for name, other in totals.items() if name != label)
        note = f"not always finished: {', '.join(missed)}" if missed else "always finished"
        run.add(measured(f"{label}, entered", "points", Estimate(total, total, total), 16 * run.games, note))
        seat = Measure("", float(place), float(place), float(place), 16, metric="place of ten", direction="less")
        run.add(row_of(f"{label}, entered", seat, SECOND, 0.0, "the book: GP-Single-2 second of fourteen"))


def fill_9_4(run: TableRun) -> None:
    """Three laps together: the recorded season, then ours among themselves."""
    for track in SEASON:
        track_file(track)
    published = {row["driver"]: figure(row["total"]) for row in rows(DATA / "racing_9_4.csv")}
    recorded: dict[str, float] = {}
    for row in rows(RECORDS / "season.csv"):
        recorded[row["driver"]] = recorded.get(row["driver"], 0.0) + float(row["points"])
    for name, total in sorted(recorded.items(), key=lambda item: -item[1]):
        note = f"other tracks than the book's, nine drivers; the book: {published[name]:g} among fourteen"
        run.add(measured(f"{name}, {RECORDED}", "points", Estimate(total, total, total), 160, note))
    drivers = our_drivers()
    points: dict[str, list[float]] = {label: [0.0] * run.games for label in drivers}
    ended: dict[str, int] = dict.fromkeys(drivers, 0)
    for track in SEASON:
        run.news(f"{len(drivers)} drivers of ours, {LAPS} laps of {track}, {run.games} races")
        world = load(
            "racing", track=track_file(track), cars=len(drivers), laps=LAPS, shuffle=True, sight=True, seconds=3000.0
        )
        stage = Stage(world, list(drivers.values()))
        for k in range(run.games):
            race = stage.play(stream(run.seed, k))
            for p, label in enumerate(drivers):
                points[label][k] += race.payoffs[p]
                ended[label] += bool(race.final.done[p])
    for label in sorted(points, key=lambda label: -fmean(points[label])):
        found = Measure.of_samples("points", points[label])
        note = f"among ours; finished {ended[label]} of {16 * run.games} races"
        run.add(row_of(label, found, None, None, note))


TABLE_9_3 = LabTable(
    "racing-9.3",
    "Evolved to Win, table 9.3: single laps on sixteen tracks, ours entered against recorded times",
    SIZES,
    fill_9_3,
    unit="races",
    sides=1,
)
TABLE_9_4 = LabTable(
    "racing-9.4",
    "Evolved to Win, table 9.4: sixteen races of three laps, all cars together",
    SIZES,
    fill_9_4,
    unit="races",
    sides=1,
)
