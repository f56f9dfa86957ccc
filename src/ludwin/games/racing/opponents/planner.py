"""The planner: a line over the whole track, the speeds that it allows, and a driver who follows both.

Why it is here.  Drivers that know the track beforehand are the strongest there are, and show how much is left to the
others.  The line is the one of least bending that stays on the road, a bounded least-squares problem over offsets from
the centre line; the speeds follow from grip, power, drag and brakes, forwards and backwards once around.  The driver
asks for the pull that leads back to the line and inverts the tyres' law to get it: wheel and wheel speed.

References.  F. Braghin et al., "Race driver model", Computers & Structures 86 (2008), 1503-1516.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.racing.survey import track_named
from ludwin.games.racing.tracks import Geometry, Track
from ludwin.kernel.memory import write as put
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive

SPACING = 40.0  # feet between points of the line
MOST_POINTS = 20000


def planned(view, table):
    """Wheel and speed of the driver who follows the line in the table.

    The table has the number of points and the feet between them, then four numbers for each point: offset from the
    right wall, slope against the road, bending, and speed.
    """
    count = int(table[0])
    at = view.distance / table[1]
    i = int(at) % count
    part = at - math.floor(at)
    a = 2 + 4 * i
    b = 2 + 4 * ((i + 1) % count)
    offset = table[a] + part * (table[b] - table[a])
    slope = table[a + 1] + part * (table[b + 1] - table[a + 1])
    bend = table[a + 2] + part * (table[b + 2] - table[a + 2])
    v = max(view.v, 5.0)
    ahead = int((view.distance + 0.08 * v) / table[1]) % count
    wanted = table[2 + 4 * ahead + 3]
    back = min(max(1.1 * (offset - view.to_right), -0.22 * v), 0.22 * v)  # ft/s towards the line
    sideways = v * v * bend + 3.0 * (v * slope + back - view.across)
    off = abs(offset - view.to_right)
    forwards = min(max(9.0 * (wanted - v - 0.15 * min(max(off - 5.0, 0.0), 60.0)), -40.0), 40.0)
    pull = max(math.sqrt(sideways * sideways + forwards * forwards), 0.01)
    slip = -2.0 * math.log(1.0 - min(pull / 33.81, 0.985))
    x = v + slip * forwards / pull
    y = slip * sideways / pull
    return math.atan2(y, max(x, 1.0)), math.sqrt(x * x + y * y)


def reference(track: Track) -> list[tuple[float, float, float, float]]:
    """Return points of the centre line: x, y, direction, and feet from the finish line, evenly spaced."""
    g = Geometry(track)
    count = max(8, min(MOST_POINTS, round(g.length / SPACING)))
    half = track.width / 2
    points = []
    k = 0
    begin = -track.finish
    for n in range(count):
        at = (g.length * n / count + track.finish) % g.length - track.finish  # feet from the line, 0 … in segment 0
        if n == 0:
            at = 0.0
        while at > g.behind[k] and k < len(g.behind) - 1:
            begin = g.behind[k]
            k += 1
        radius = track.radii[k]
        if at < begin:  # before the line, again in segment 0
            k, begin, radius = 0, -track.finish, track.radii[0]
        along = at - begin
        if radius == 0:
            a = g.angle[k]
            x = g.x[k] + along * math.cos(a) - half * math.sin(a)
            y = g.y[k] + along * math.sin(a) + half * math.cos(a)
        else:
            a = g.angle[k] + math.copysign(along / abs(radius - half), radius)
            x = g.cx[k] + (radius - half) * math.sin(a)
            y = g.cy[k] - (radius - half) * math.cos(a)
        points.append((x, y, a, g.length * n / count))
    gap_x, gap_y = g.x[-1] - g.x[0], g.y[-1] - g.y[0]  # a track that does not quite close is bent until it does
    made = []
    for x, y, a, feet in points:
        part = ((feet + track.finish) % g.length) / g.length
        made.append((x - gap_x * part, y - gap_y * part, a, feet))
    return made


@lru_cache(maxsize=32)
def plan(track: Track, margin: float, grip: float, brakes: float) -> tuple[float, ...]:
    """Return the table of a track: the line of least bending, and the speeds that it allows."""
    import numpy as np
    from scipy.optimize import lsq_linear

    points = np.array(reference(track))
    count = len(points)
    step = Geometry(track).length / count
    normal = np.column_stack([-np.sin(points[:, 2]), np.cos(points[:, 2])])
    shape = np.roll(np.eye(count), -1, 1) - 2 * np.eye(count) + np.roll(np.eye(count), 1, 1)  # second differences
    wall = max(track.width / 2 - margin, 1.0)
    matrix = np.vstack([shape * normal[:, axis] for axis in (0, 1)])
    right = -np.concatenate([shape @ points[:, 0], shape @ points[:, 1]])
    offsets = lsq_linear(matrix, right, (-wall, wall), lsq_solver="exact", max_iter=60).x
    line = points[:, :2] + offsets[:, None] * normal
    after, before = np.roll(line, -1, 0), np.roll(line, 1, 0)
    one, two = line - before, after - line
    cross = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    lengths = np.hypot(*two.T)
    chord = np.hypot(*(after - before).T)
    bend = 2 * cross / np.maximum(np.hypot(*one.T) * lengths * chord, 1e-9)
    slope = (np.roll(offsets, -1) - np.roll(offsets, 1)) / (2 * step)
    speeds = _speeds(bend.tolist(), lengths.tolist(), grip, brakes)
    table = [float(count), step]
    for n in range(count):
        table += [float(offsets[n] + track.width / 2), float(slope[n]), float(bend[n]), speeds[n]]
    return tuple(table)


def _speeds(bend: list[float], lengths: list[float], grip: float, brakes: float) -> list[float]:
    """Return the speeds that a line allows: corners first, then braking backwards, then the engine forwards."""
    count = len(bend)
    speeds = [min(300.0, math.sqrt(grip / max(abs(k), 1e-6))) for k in bend]
    for n in range(2 * count - 1, -1, -1):
        i, j = n % count, (n + 1) % count
        v = speeds[j]
        used = min(v * v * abs(bend[i]) / grip, 1.0)
        pull = brakes * math.sqrt(max(1.0 - used * used, 0.0)) + 0.0065 * v * v / 79.0
        speeds[i] = min(speeds[i], math.sqrt(v * v + 2 * pull * lengths[i]))
    return speeds


@dataclass(frozen=True)
class Planner(Agent):
    """Knows the track: plans a line and its speeds, and follows them. `planner:grip=32,margin=6`."""

    name: ClassVar[str] = "planner"
    margin: float = field(default=5.0, metadata={"help": "feet that the line keeps from the walls", "least": 0.0})
    grip: float = field(default=30.5, metadata={"help": "pull in curves that it counts on, ft/s²", "least": 1.0})
    brakes: float = field(default=22.0, metadata={"help": "pull of the brakes that it counts on, ft/s²", "least": 1.0})

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world is racing."""
        if game.name != "racing":
            raise CannotPlay(f"planner drives in racing, and {game.name} is another world")

    def drive(self, game: Game) -> Drive:
        """Return how it drives: the plan lies in its workspace."""
        track = track_named(str(game.values.get("track", "oval")))
        table = plan(track, self.margin, self.grip, self.brakes)

        def load(bundle: Any, k: str, mode: str) -> None:
            put(getattr(bundle, f"plan{k}"), table)

        return Drive(
            ("a0, a1 = planned{k}(w.views[p], w.plan{k})", "w.answers[at] = 1.0 * a0", "w.answers[at + 1] = 1.0 * a1"),
            lambda player, seed: lambda view: planned(view, table),
            {"plan{k}": ([float], len(table))},
            {"planned{k}": planned},
            load,
            repeats=True,
        )
