"""The planner: a line over the whole track, the speeds that it allows, and a driver who follows both.

Why it is here.  Drivers that know the track beforehand are the strongest there are, and show how much is left to the
others.  The line is the one of least bending around the whole lap (`line.py`).  The driver asks for the pull that leads
back to the line and inverts the tyres' law to get it: wheel and wheel speed.  With `line=seen` it follows the line of
somebody who sees this segment and the next three, and is then the driver of real numbers that a person would tune
instead of breeding programs over that same line: `ludwin evolve racing-vector` tunes its gains by CMA-ES.

References.  F. Braghin et al., "Race driver model", Computers & Structures 86 (2008), 1503-1516.
"""

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, ClassVar

from ludwin.errors import CannotPlay
from ludwin.game import Game
from ludwin.games.racing.line import seen_line, whole_line
from ludwin.games.racing.recover import stuck
from ludwin.games.racing.survey import track_named
from ludwin.games.racing.tracks import Track
from ludwin.kernel.memory import write as put
from ludwin.search.choice import Agent
from ludwin.search.drive import Drive

# What the gains mean: name, least, most, and the usual one. The usual ones are set by hand, as far as this repository
# can tell: a script outside it found them by CMA-ES on sepang, v03, oval2, clkwis and v01. `ludwin evolve
# racing-vector` is that search as a command (docs/results/racing.md tells how near it comes).
GAINS = (
    ("seconds ahead for the line", -0.2, 0.5, -0.056),
    ("seconds ahead for its speed", -0.2, 0.8, 0.109),
    ("ft/s back per foot aside", 0.05, 3.0, 0.946),
    ("ft/s back at most, as a share of the speed", 0.02, 0.8, 0.44),
    ("pull per ft/s aside", 0.2, 10.0, 2.767),
    ("pull per ft/s too slow", 1.0, 30.0, 12.63),
    ("ft/s slower per foot aside", 0.0, 2.0, 0.429),
    ("share of the line's bending", 0.5, 1.5, 0.976),
    ("share of the tyres' pull", 0.8, 0.9999, 0.9944),
)
USUAL = tuple(usual for *_, usual in GAINS)
HEAD = 2 + len(GAINS)  # numbers of the table before the first point


def at_distance(table, feet, which):
    """One of the four numbers of the line, so many feet behind the finish."""
    count = int(table[0])
    at = feet / table[1]
    i = int(at) % count
    part = at - math.floor(at)
    a = table[HEAD + 4 * i + which]
    return a + part * (table[HEAD + 4 * ((i + 1) % count) + which] - a)


def planned(view, table):
    """Wheel and speed of the driver who follows the line in the table.

    The table has the number of points, the feet between them and the gains, then four numbers for each point: distance
    from the right wall, slope against the road, bending, and speed.
    """
    taken, wheel, speed = stuck(view.backward, view.v, view.across, view.to_left, view.to_right)
    if taken > 0:
        return wheel, speed
    v = max(view.v, 5.0)
    place = max(view.distance + table[2] * v, 0.0)
    aside = at_distance(table, place, 0) - view.to_right - table[2] * view.across
    back = min(max(table[4] * aside, -table[5] * v), table[5] * v)  # ft/s towards the line
    sideways = v * v * at_distance(table, place, 2) * table[9]
    sideways += table[6] * (v * at_distance(table, place, 1) + back - view.across)
    slower = table[8] * min(max(abs(aside) - 5.0, 0.0), 60.0)
    forwards = table[7] * (at_distance(table, view.distance + table[3] * v, 3) - v - slower)
    sideways = min(max(sideways, -33.5), 33.5)
    room = math.sqrt(max(33.6 * 33.6 - sideways * sideways, 1.0))
    forwards = min(max(forwards, -room), room)
    pull = max(math.sqrt(sideways * sideways + forwards * forwards), 0.01)
    slip = -2.0 * math.log(1.0 - min(pull / 33.81, table[10]))
    x = v + slip * forwards / pull
    y = slip * sideways / pull
    return math.atan2(y, max(x, 1.0)), math.sqrt(x * x + y * y)


@lru_cache(maxsize=64)
def plan(track: Track, kind: str, margin: float, grip: float, brakes: float) -> tuple[float, ...]:
    """Return the line of a track, four numbers for each point, and before them the feet between points."""
    line = seen_line(track) if kind == "seen" else whole_line(track, margin, grip, brakes)
    points = zip(line.place, line.slope, line.bend, line.speed, strict=True)
    return (line.step, *(number for point in points for number in point))


@dataclass(frozen=True)
class Planner(Agent):
    """Knows the track: plans a line and its speeds, and follows them. `planner:grip=32,margin=6`.

    `line=seen` is the line of three segments ahead, which has its own margin, grip and brakes (`line.py`).
    """

    name: ClassVar[str] = "planner"
    is_inert: ClassVar[bool] = True  # a record that names it runs our code only
    margin: float = field(default=4.0, metadata={"help": "feet that the line keeps from the walls", "least": 0.0})
    grip: float = field(default=32.0, metadata={"help": "pull in curves that it counts on, ft/s²", "least": 1.0})
    brakes: float = field(default=27.0, metadata={"help": "pull of the brakes that it counts on, ft/s²", "least": 1.0})

    gains: str = field(default="", metadata={"help": f"{len(GAINS)} numbers, with blanks between", "kind": str})
    line: str = field(default="whole", metadata={"help": "of the whole lap, or as seen", "choices": ("whole", "seen")})

    def numbers(self) -> tuple[float, ...]:
        """Return the gains. Raises CannotPlay for a text that is none."""
        if not self.gains:
            return USUAL
        try:
            found = tuple(float(word) for word in self.gains.split())
        except ValueError:
            found = ()
        bounds = [(low, high) for _, low, high, _ in GAINS]
        if len(found) != len(GAINS) or not all(a <= x <= b for x, (a, b) in zip(found, bounds, strict=True)):
            ranges = ", ".join(f"{low:g} to {high:g}" for low, high in bounds)
            raise CannotPlay(f"planner: gains are {len(GAINS)} numbers ({ranges}), got {self.gains[:60]!r}")
        return found

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the world is racing, and the gains are such."""
        self.numbers()
        if game.name != "racing":
            raise CannotPlay(f"planner drives in racing, and {game.name} is another world")

    def drive(self, game: Game) -> Drive:
        """Return how it drives: the plan lies in its workspace."""
        track = track_named(str(game.values.get("track", "oval")))
        step, *points = plan(track, self.line, self.margin, self.grip, self.brakes)
        table = (len(points) / 4, step, *self.numbers(), *points)

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
