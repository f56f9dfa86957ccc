"""A race in the terminal: the road in characters, cars as letters, and a board below.

Why it is here.  Whoever works over a line without pictures wants to see who is where.  A frame is text; on a screen
one is drawn over the other at the speed of the clock, and where output goes to a file there is one for every ten
seconds of the race.
"""

import sys
import time
from collections.abc import Callable, Iterator

from ludwin.games.racing.commands.telemetry import RaceLog
from ludwin.games.racing.survey import middle_line

WIDE, HIGH = 78, 22  # cells of the map
FRAMES = 8  # a second
QUIET = 10.0  # seconds of the race between frames that nobody watches
CARS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@#"


def frame_text(log: RaceLog, step: int, wide: int = WIDE, high: int = HIGH) -> str:
    """Return the race at one step: a map, and for each car its speed, lap and damage."""
    points = [(x, y) for x, y, _ in middle_line(log.track)]
    left, right = min(x for x, _ in points), max(x for x, _ in points)
    low, top = min(y for _, y in points), max(y for _, y in points)
    scale = max((right - left) / (wide - 1), (top - low) / (2 * (high - 1)), 1e-9)  # a cell is twice as high as wide

    def cell(x: float, y: float) -> tuple[int, int]:
        column, row = round((x - left) / scale), round((top - y) / (2 * scale))
        return min(max(row, 0), high - 1), min(max(column, 0), wide - 1)

    rows = [[" "] * wide for _ in range(high)]
    for x, y in points:
        row, column = cell(x, y)
        rows[row][column] = "."
    board = []
    for p in range(len(log.cars) - 1, -1, -1):
        car = {name: log.cars[p][name][step] for name in ("x", "y", "v", "laps", "damage")}
        row, column = cell(car["x"], car["y"])
        rows[row][column] = CARS[p]
        lap = max(int(car["laps"]), 0) + 1
        facts = f"{car['v']:5.0f} ft/s  lap {lap}  damage {car['damage']:.0f}"
        board.insert(0, f"{CARS[p]}  {log.drivers[p][:34]:34} {facts}")
    used = ["".join(row).rstrip() for row in rows]
    while used and not used[-1]:
        used.pop()
    return "\n".join([f"{log.track.name}  {log.clock[step]:.1f} s", *used, *board])


def steps_at(log: RaceLog, every: float) -> Iterator[int]:
    """Yield the steps that are nearest to every so many seconds, and the last one."""
    at = 0.0
    for step, clock in enumerate(log.clock):
        if clock >= at:
            yield step
            at += every
    if len(log.clock) > 1:
        yield len(log.clock) - 1


def show_live(log: RaceLog, speed: float, sleep: Callable[[float], None] = time.sleep) -> None:
    """Draw the race on the screen, `speed` times as fast as it was; in a file, a frame for every ten seconds."""
    out = sys.stdout
    if not out.isatty():
        for step in steps_at(log, QUIET):
            print(frame_text(log, step), end="\n\n")
        return
    out.write("\x1b[2J")
    for step in steps_at(log, speed / FRAMES):
        out.write("\x1b[H" + frame_text(log, step).replace("\n", "\x1b[K\n") + "\x1b[K\n\x1b[J")
        out.flush()
        sleep(1 / FRAMES)
