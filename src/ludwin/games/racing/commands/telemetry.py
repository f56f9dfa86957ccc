"""Telemetry: what a race was, step by step, and pictures of it.

Why it is here.  A lap time says who was faster; the line on the road, coloured by speed, says why.  A log holds for
every step and car the place, the speed, the wheel and the pull; `track_svg` draws road and lines, `plot_svg` curves
against distance, two drivers over one another, and `animation` a page that plays the race by itself.
"""

import html
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ludwin.arena.simulate import Simulated, Stage
from ludwin.game import Game, State
from ludwin.games.racing.survey import middle_line, track_named
from ludwin.games.racing.tracks import Geometry, Track
from ludwin.search.choice import Agent

COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2", "#17becf")
FASTEST = 250.0  # ft/s: the end of the colour scale
KEPT = ("x", "y", "v", "alpha", "wheel_speed", "left_pull", "pull", "distance", "damage", "laps", "done")


@dataclass
class RaceLog:
    """The steps of a race: for every car a list of numbers by field, and the run itself."""

    drivers: tuple[str, ...]
    track: Track
    clock: list[float] = field(default_factory=list)
    cars: list[dict[str, list[float]]] = field(default_factory=list)
    heading: list[list[float]] = field(default_factory=list)
    run: Simulated | None = None

    def add(self, tick: int, state: State) -> None:
        """Note one state."""
        self.clock.append(float(state.clock))
        for p, car in enumerate(self.cars):
            for name in KEPT:
                car[name].append(float(getattr(state, name)[p]))
            self.heading[p].append(float(state.heading[p]) + float(state.alpha[p]))


def record(game: Game, drivers: Sequence[Agent], seed: int, patience: float = 5.0, mode: str = "fast") -> RaceLog:
    """Run a race once and keep every step; `mode="plain"` compiles nothing, which pays for a few seconds of a race."""
    track = track_named(str(game.values.get("track", "oval")))
    log = RaceLog(tuple(str(driver) for driver in drivers), track)
    log.cars = [{name: [] for name in KEPT} for _ in drivers]
    log.heading = [[] for _ in drivers]
    log.run = Stage(game, drivers, mode, patience=patience).play(seed, frame=log.add)
    return log


def together(logs: Sequence[RaceLog]) -> RaceLog:
    """Return races of one track as one, so that drivers who were alone can be seen beside one another.

    Whoever came to an end earlier stays where he was.
    """
    if len(logs) == 1:
        return logs[0]
    longest = max(logs, key=lambda log: len(log.clock))
    steps = len(longest.clock)

    def lasting(numbers: list[float]) -> list[float]:
        return numbers + numbers[-1:] * (steps - len(numbers))

    return RaceLog(
        tuple(driver for log in logs for driver in log.drivers),
        longest.track,
        longest.clock,
        [{name: lasting(numbers) for name, numbers in car.items()} for log in logs for car in log.cars],
        [lasting(numbers) for log in logs for numbers in log.heading],
    )


def colour(v: float) -> str:
    """Return blue for slow, green between, red for fast."""
    part = min(max(v / FASTEST, 0.0), 1.0)
    return f"hsl({round(240 * (1 - part))},90%,45%)"


def walls(track: Track) -> tuple[str, str, tuple[float, float, float, float]]:
    """Return the road as an SVG path along its middle, the finish line as another, and the box around both."""
    points = middle_line(track)
    path = "M" + "L".join(f"{x:.1f},{-y:.1f}" for x, y, _ in points) + "Z"
    g = Geometry(track)
    a = g.angle[0]
    x, y = g.x[0] + track.finish * math.cos(a), g.y[0] + track.finish * math.sin(a)
    line = f"M{x:.1f},{-y:.1f}L{x - track.width * math.sin(a):.1f},{-(y + track.width * math.cos(a)):.1f}"
    edge = track.width + 30
    xs, ys = [x for x, _, _ in points], [-y for _, y, _ in points]
    return path, line, (min(xs) - edge, min(ys) - edge, max(xs) - min(xs) + 2 * edge, max(ys) - min(ys) + 2 * edge)


def _road(track: Track, path: str, line: str) -> list[str]:
    return [
        f'<path d="{path}" fill="none" stroke="#777" stroke-width="{track.width + 6:g}"/>',
        f'<path d="{path}" fill="none" stroke="#e4e4e4" stroke-width="{track.width:g}"/>',
        f'<path d="{line}" stroke="#000" stroke-width="8"/>',
    ]


def track_svg(log: RaceLog, step: int = 2) -> str:
    """Return the road with the line of every car, its colour the speed: blue slow, red fast."""
    path, line, (x, y, width, height) = walls(log.track)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.0f} {y:.0f} {width:.0f} {height:.0f}" width="1000">',
        f"<title>{html.escape(log.track.name)}: {html.escape(', '.join(log.drivers))}</title>",
        *_road(log.track, path, line),
    ]
    thick = max(width, height) / 300
    for car in log.cars:
        end = _finish(car)
        places = list(zip(car["x"][:end], car["y"][:end], car["v"][:end], strict=True))[::step]
        for (x0, y0, v), (x1, y1, _) in pairwise(places):
            parts.append(
                f'<path d="M{x0:.1f},{-y0:.1f}L{x1:.1f},{-y1:.1f}" stroke="{colour(v)}" stroke-width="{thick:.1f}"/>'
            )
    return "\n".join([*parts, *_scale(x, y, width, height, log.drivers), "</svg>", ""])


def _finish(car: dict[str, list[float]]) -> int:
    """Return how many steps a car had until it had finished, the one that saw it included."""
    return next((k + 1 for k, done in enumerate(car["done"]) if done), len(car["done"]))


def _scale(x: float, y: float, width: float, height: float, drivers: Sequence[str]) -> list[str]:
    """Return what the colours mean, in the lower left corner, and who drives."""
    size = max(width, height) / 60
    left, top = x + size, y + height - 2.2 * size
    boxes = [
        f'<rect x="{left + k * size:.1f}" y="{top:.1f}" width="{size:.1f}" height="{size / 2:.1f}" '
        f'fill="{colour(FASTEST * k / 10)}"/>'
        for k in range(11)
    ]
    words = f'font-family="sans-serif" font-size="{0.8 * size:.1f}"'
    names = html.escape(", ".join(drivers)[:100])
    return [
        *boxes,
        f'<text x="{left:.1f}" y="{top + 1.4 * size:.1f}" {words}>0</text>',
        f'<text x="{left + 11 * size:.1f}" y="{top + 1.4 * size:.1f}" {words} text-anchor="end">'
        f"{FASTEST:g} ft/s</text>",
        f'<text x="{left:.1f}" y="{top - 0.4 * size:.1f}" {words}>{names}</text>',
    ]


def _curve(log: RaceLog, car: int, name: str, top: float, height: float, low: float, high: float) -> str:
    """Return one curve against distance, from the line to the finish; where a lap begins the pen is lifted."""
    length = Geometry(log.track).length
    found: list[str] = []
    before = math.inf
    numbers = log.cars[car]
    rows = list(zip(numbers["distance"], numbers[name], numbers["laps"], strict=True))[: _finish(numbers)]
    for at, value, _ in (row for row in rows if row[2] >= 0):
        x = 60 + 900 * at / length
        y = top + height * (1 - (min(max(value, low), high) - low) / (high - low))
        found.append(f"{'M' if at < before - 100 or not found else 'L'}{x:.1f},{y:.1f}")
        before = at
    return "".join(found)


def plot_svg(log: RaceLog) -> str:
    """Return speed, wheel and both pulls against distance, all drivers over one another."""
    plots = (
        ("v", "speed, ft/s", 0.0, 260.0),
        ("alpha", "wheel, rad", -0.3, 0.3),
        ("left_pull", "pull to the left, ft/s²", -40.0, 40.0),
        ("pull", "pull forwards, ft/s²", -50.0, 40.0),
    )
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 980 870" width="980" font-family="sans-serif">']
    for row, (name, label, low, high) in enumerate(plots):
        top = 30 + 205 * row
        parts.append(f'<rect x="60" y="{top}" width="900" height="180" fill="none" stroke="#999"/>')
        parts.append(f'<text x="64" y="{top - 5}" font-size="13">{label}</text>')
        for value, y in ((high, top + 10), (low, top + 180)):
            parts.append(f'<text x="55" y="{y}" font-size="11" text-anchor="end">{value:g}</text>')
        for car in range(len(log.cars)):
            path = _curve(log, car, name, top, 180.0, low, high)
            parts.append(f'<path d="{path}" fill="none" stroke="{COLOURS[car % len(COLOURS)]}" stroke-width="1.2"/>')
    length = Geometry(log.track).length
    for part in range(5):
        anchor = ("start", "middle", "middle", "middle", "end")[part]
        words = f"{length * part / 4:.0f}" + " ft from the line" * (part == 4)
        parts.append(f'<text x="{60 + 225 * part}" y="838" font-size="11" text-anchor="{anchor}">{words}</text>')
    for car, driver in enumerate(log.drivers):
        mark = f'fill="{COLOURS[car % len(COLOURS)]}"'
        parts.append(f'<text x="{70 + 230 * car}" y="862" font-size="13" {mark}>{html.escape(driver[:30])}</text>')
    return "\n".join([*parts, "</svg>", ""])


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{font-family:sans-serif;margin:1em;max-width:1100px}}svg{{width:100%;height:auto;background:#f8fbf5}}
input{{width:70%}}td{{padding:0 1em 0 0}}</style></head><body>
<h1>{title}</h1>
<svg viewBox="{box}">{road}<g id="cars"></g></svg>
<p><button id="go">pause</button> <input id="at" type="range" min="0" max="{last}" value="0">
<span id="clock"></span></p><table id="board"></table>
<script>
const race = {data};
const cars = document.getElementById("cars"), at = document.getElementById("at"), go = document.getElementById("go");
const board = document.getElementById("board"), clock = document.getElementById("clock");
const shapes = race.drivers.map((name, k) => {{
  const r = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [key, value] of Object.entries({{x: -10, y: -5, width: 20, height: 10, fill: race.colours[k]}}))
    r.setAttribute(key, value);
  cars.append(r);
  const row = board.insertRow(); row.style.color = race.colours[k];
  return {{r, cell: [name, "", "", ""].map(text => {{ const c = row.insertCell(); c.textContent = text; return c; }})}};
}});
const scale = Math.max(1, {wide} / 900);
let frame = 0, running = true, before = 0, owed = 0;
function draw() {{
  race.cars.forEach((car, k) => {{
    const [x, y, h, v, lap, harm] = car[frame];
    shapes[k].r.setAttribute("transform", `translate(${{x}},${{-y}}) rotate(${{-h}}) scale(${{scale}})`);
    shapes[k].cell[1].textContent = `${{v}} ft/s`;
    shapes[k].cell[2].textContent = `lap ${{Math.max(lap, 0) + 1}}`;
    shapes[k].cell[3].textContent = `damage ${{harm}}`;
  }});
  clock.textContent = (frame * race.step).toFixed(1) + " s"; at.value = frame;
}}
function tick(now) {{
  if (running && before) {{
    owed += (now - before) / 1000;
    while (owed > race.step) {{ owed -= race.step; frame = Math.min(frame + 1, {last}); }}
  }}
  before = now; draw(); requestAnimationFrame(tick);
}}
at.oninput = () => {{ frame = +at.value; owed = 0; }};
go.onclick = () => {{ running = !running; go.textContent = running ? "pause" : "go on"; }};
requestAnimationFrame(tick);
</script></body></html>
"""


def animation(log: RaceLog, every: int = 2) -> str:
    """Return a page that plays the race: one file, no others needed."""
    path, line, box = walls(log.track)
    cars = []
    for car, heading in zip(log.cars, log.heading, strict=True):
        rows = zip(car["x"], car["y"], heading, car["v"], car["laps"], car["damage"], strict=True)
        cars.append(
            [
                [round(x, 1), round(y, 1), round(math.degrees(h), 1), round(v), int(lap), int(harm)]
                for x, y, h, v, lap, harm in list(rows)[::every]
            ]
        )
    data = {
        "drivers": list(log.drivers),
        "colours": [COLOURS[k % len(COLOURS)] for k in range(len(cars))],
        "step": 0.0549 * every,
        "cars": cars,
    }
    return PAGE.format(
        title=html.escape(f"{log.track.name}: {', '.join(log.drivers)}"),
        box=" ".join(f"{number:.0f}" for number in box),
        road="".join(_road(log.track, path, line)),
        last=len(cars[0]) - 1,
        data=json.dumps(data).replace("</", "<\\/"),
        wide=round(max(box[2], box[3])),
    )
