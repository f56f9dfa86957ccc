"""Tables 9.2 and 9.5 and the chapter's text: single laps, alone on the track.

The idea.  A row of a human driver is recorded from the original simulator and compared with the book: it says
whether the physics is the book's.  A row of ours is measured, and compared with the book's best evolved driver, or
with the machine-made driver that the book set out to beat.

Verdicts, fixed before any run.  A recorded mean is *reproduced* within three standard errors or 0.25 s, by which the
recorded drivers whose version is known differ from the book.  Ours is *beaten* (the book's is), *below*, or
*reproduced* by our 95 % interval.  The reconstruction of GP-Single-2 can only be *reproduced* or *differ*.
"""

import math
from dataclasses import replace

from ludwin.games.racing.evolve.champion import ChampionDriver
from ludwin.games.racing.opponents.drivers import kept_driver
from ludwin.games.racing.tables.bred import extent, made
from ludwin.games.racing.tables.field import (
    DATA,
    RECORDED,
    RECORDS,
    UNFINISHED,
    circuit,
    clock,
    our_drivers,
    people,
    recorded_laps,
    track_file,
)
from ludwin.lab.bred import folder_of
from ludwin.lab.experiment import LabTable, Row, TableRun, judged, measured, row_of
from ludwin.lab.published import figure, number, rows
from ludwin.lab.verdicts import NEAR, Finding
from ludwin.measure import Measure
from ludwin.stats import Estimate

LEAST = 0.25  # seconds that two versions of one driver may differ
METRIC = "race clock (s)"
BEST = "GP-Single-2"
SIZES = {"quick": (10, 1), "standard": (100, 1), "paper": (100, 1)}  # races, runs
OTHER = {"WappuCar": "another version of the driver", "Bulle": "another version of the driver"}


def recorded_row(label: str, theirs: tuple[float, float], ours: tuple[float, float, int], note: str = "") -> Row:
    """Return the row of a recorded driver beside the book's; both are mean and deviation."""
    mean, deviation, races = ours
    error = deviation / math.sqrt(races)
    tolerance = max(LEAST, 3 * math.hypot(error, theirs[1] / 10))
    found = Estimate(mean, mean - 1.96 * error, mean + 1.96 * error)
    return judged(f"{label}, {RECORDED}", METRIC, NEAR, Finding(found, races, theirs[0], tolerance), note=note)


def our_row(label: str, found: Measure, finished: int, published: float | None, note: str = "") -> Row:
    """Return the row of a driver of ours: its verdict minds that less time is better."""
    missing = f"{found.n - finished} of {found.n} races not finished, counted {UNFINISHED:g} s" * (finished < found.n)
    return row_of(label, found, published, None, "; ".join(filter(None, (note, missing))))


def reconstructed(run: TableRun, track: str, published: float) -> None:
    """Enter the book's driver as far as it is known."""
    found, finished = clock(kept_driver("gp-single-2"), track, run.games, run.seed)
    ours = Estimate(found.value, found.low, found.high)
    note = "as reconstructed: the speed's program is lost, and what AH meant off the road is not known"
    row = judged(f"{BEST} on {track}", METRIC, NEAR, Finding(ours, found.n, published, LEAST), note=note)
    run.add(replace(row, note="; ".join(filter(None, (row.note, f"{finished} of {found.n} finished")))))


def fill_9_2(run: TableRun) -> None:
    """Sepang: the book's order, then ours."""
    track_file("sepang")
    recorded = {row["driver"]: row for row in rows(RECORDS / "sepang.csv")}
    best = 0.0
    for row in rows(DATA / "racing_9_2.csv"):
        name, theirs = row["driver"], (float(row["clock"]), float(row["clock_sd"]))
        if name == BEST:
            best = theirs[0]
            reconstructed(run, "sepang", best)
        elif name in recorded:
            own = recorded[name]
            ours = (float(own["clock"]), float(own["clock_sd"]), int(own["n"]))
            run.add(recorded_row(name, theirs, ours, OTHER.get(name, "")))
    for label, driver in our_drivers().items():
        run.news(f"{label}: {run.games} races on sepang")
        found, finished = clock(driver, "sepang", run.games, run.seed)
        run.add(our_row(label, found, finished, best))


def fill_9_5(run: TableRun) -> None:
    """Four tracks: what machines were reported to do, the book's drivers, the fastest recorded one, and ours."""
    for row in rows(DATA / "racing_9_5.csv"):
        track = {"oval": "oval2"}.get(row["track"], row["track"])
        if track == "complex":
            continue  # its file is lost
        track_file(track)
        best = figure(row["single_2"])
        reconstructed(run, track, best)
        book = {name: recorded_laps()[track][name] for name in (*people(), "K1999")}
        for title, names in (("best of the book's people", people()), ("K1999, a planner", ("K1999",))):
            name = min(
                (name for name in names if book[name][3] == book[name][2]),
                key=lambda name: book[name][0],
                default="",
            )
            if name:
                mean, deviation, races, _ = book[name]
                error = 1.96 * deviation / math.sqrt(races)
                estimate = Estimate(mean, mean - error, mean + error)
                words = title if name in title else f"{name}, {title}"
                run.add(measured(f"{words} on {track}, {RECORDED}", METRIC, estimate, races))
        for label, driver in our_drivers().items():
            found, finished = clock(driver, track, run.games, run.seed)
            note = f"{row['author']} reported {row['reported']}"
            run.add(our_row(f"{label} on {track}", found, finished, best, note))


LONG = 30  # laps
SOME = 0.2  # of the races, which the interval of a share may miss
TEXT_SIZES = {"quick": (10, 1), "standard": (100, 3), "paper": (100, 10)}


def fill_text(run: TableRun) -> None:
    """Breed on v01 alone as the book did, and race elsewhere: good at home, lost abroad."""
    given = {"tracks": track_file("v01")}
    with folder_of(run) as folder:
        seeds = range(run.seed, run.seed + run.runs)
        drivers = [
            ChampionDriver(str(made(run, folder / f"seed-{seed}", seed, given).folder)).driver() for seed in seeds
        ]
    homes = [clock(driver, "v01", run.games, run.seed)[0].value for driver in drivers]
    best = drivers[homes.index(min(homes))]
    note = f"the best at home of {extent(run)}"
    for row in rows(DATA / "racing_9_text.csv"):
        label, published = f"bred on v01, on {row['track']}", number(row["clock"])
        found, finished = clock(best, row["track"], run.games, run.seed)
        run.add(our_row(label, found, finished, published, note))
        rate = Measure.of_rate("races finished", finished, run.games)
        run.add(row_of(label, rate, figure(row["finished"]), SOME, note))
    laps = [raced.finished for raced in circuit("v01", laps=LONG).race(best, [run.seed])]
    rate = Measure.of_rate(f"races of {LONG} laps finished", sum(laps), len(laps))
    run.add(row_of("bred on v01, on v01", rate, 0.0, 0.0, "the book: races of 30 to 50 laps are never finished"))


TABLE_9_2 = LabTable(
    "racing-9.2", "Evolved to Win, table 9.2: one lap of sepang", SIZES, fill_9_2, unit="races", sides=1
)
TABLE_9_5 = LabTable(
    "racing-9.5", "Evolved to Win, table 9.5: against machine-made drivers", SIZES, fill_9_5, unit="races", sides=1
)
TEXT_9 = LabTable(
    "racing-9-text",
    "Evolved to Win, chapter 9: a driver bred on v01 is good at home and lost elsewhere",
    TEXT_SIZES,
    fill_text,
    unit="races",
    sides=1,
)
