"""Curves as SVG text: the plots of a run, without anything installed.

Why it is here.  A report must open anywhere and be the same bytes for the same run.  A chart is a few
lines over generations, some with an interval at each point; that is little enough to write down.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 460, 240
LEFT, RIGHT, TOP, BOTTOM = 52, 12, 30, 44
COLOURS = ("#1f6fb4", "#d1652a", "#3b8f4c", "#7b5aa6")
LONGEST = 52  # letters of a title
GRID, INK = "#dddddd", "#333333"


@dataclass(frozen=True)
class Line:
    """A named line: x and y of its points, and (low, high) of each if it is an estimate."""

    name: str
    points: Sequence[tuple[float, float]]
    spans: Sequence[tuple[float, float]] = ()
    is_dashed: bool = False


def ticks(low: float, high: float, most: int = 6, finest: float = 0.0) -> list[float]:
    """Return round numbers that divide an axis, at least `finest` apart.

    >>> ticks(0, 1)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> ticks(0, 37)
    [0.0, 10.0, 20.0, 30.0]
    >>> ticks(0, 2, finest=1)
    [0.0, 1.0, 2.0]
    """
    raw = max((high - low) / most, finest)
    if not math.isfinite(raw) or raw <= 0:
        return [low]
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 5, 10) if raw <= unit * factor * (1 + 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def chart(title: str, lines: Sequence[Line], x_label: str = "generation") -> str:
    """Return the SVG of one chart; points that are not finite are left out."""
    shown = [_finite(line) for line in lines]
    shown = [line for line in shown if line.points]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="sans-serif" font-size="11">'
    )
    parts = [head, f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>']
    parts.append(
        f'<text x="{LEFT}" y="16" font-size="13" font-weight="bold" fill="{INK}">{escape(_short(title))}</text>'
    )
    if shown:
        frame = _Frame(shown)
        parts += frame.axes(x_label)
        for number, line in enumerate(shown):
            parts += frame.draw(line, COLOURS[number % len(COLOURS)])
        parts += _legend(shown)
    else:
        parts.append(f'<text x="{LEFT}" y="{HEIGHT / 2:g}" fill="{INK}">nothing measured</text>')
    return "\n".join([*parts, "</svg>"])


def stack(charts: Sequence[str], columns: int = 2) -> str:
    """Return one SVG that holds several charts in a grid."""
    rows = -(-len(charts) // columns)
    width, height = columns * WIDTH, rows * HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    ]
    for k, one in enumerate(charts):
        parts.append(f'<g transform="translate({k % columns * WIDTH} {k // columns * HEIGHT})">\n{one}\n</g>')
    return "\n".join([*parts, "</svg>"])


def _short(title: str) -> str:
    return title if len(title) <= LONGEST else title[: LONGEST - 1].rstrip() + "…"


def _finite(line: Line) -> Line:
    kept = [k for k, (x, y) in enumerate(line.points) if math.isfinite(x) and math.isfinite(y)]
    return Line(
        line.name, [line.points[k] for k in kept], [line.spans[k] for k in kept] if line.spans else (), line.is_dashed
    )


class _Frame:
    """The axes of a chart, and where a point lies on them."""

    def __init__(self, lines: Sequence[Line]):
        xs = [x for line in lines for x, _ in line.points]
        ys = [y for line in lines for _, y in line.points] + [
            end for line in lines for span in line.spans for end in span if math.isfinite(end)
        ]
        self.x0, self.x1 = min(xs), max(max(xs), min(xs) + 1)
        low, high = min(ys), max(ys)
        slack = (high - low) * 0.05 or abs(high) * 0.05 or 0.5
        self.y0, self.y1 = low - slack, high + slack

    def x(self, value: float) -> float:
        return LEFT + (value - self.x0) / (self.x1 - self.x0) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        clipped = min(max(value, self.y0), self.y1)
        return HEIGHT - BOTTOM - (clipped - self.y0) / (self.y1 - self.y0) * (HEIGHT - TOP - BOTTOM)

    def axes(self, x_label: str) -> list[str]:
        parts = []
        for value in ticks(self.y0, self.y1):
            y = self.y(value)
            parts.append(f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="{GRID}"/>')
            parts.append(f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="{INK}">{value:g}</text>')
        for value in ticks(self.x0, self.x1, finest=1):  # generations and evaluations are whole
            x = self.x(value)
            parts.append(
                f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 15}" text-anchor="middle" fill="{INK}">{value:g}</text>'
            )
        base = HEIGHT - BOTTOM
        parts.append(f'<line x1="{LEFT}" y1="{base}" x2="{WIDTH - RIGHT}" y2="{base}" stroke="{INK}"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 6}" text-anchor="end" fill="{INK}" '
            f'font-style="italic">{escape(x_label)}</text>'
        )
        return parts

    def draw(self, line: Line, colour: str) -> list[str]:
        parts = []
        for (x, _), (low, high) in zip(line.points, line.spans, strict=False):
            parts.append(
                f'<line x1="{self.x(x):.1f}" y1="{self.y(low):.1f}" x2="{self.x(x):.1f}" y2="{self.y(high):.1f}" '
                f'stroke="{colour}" opacity="0.5"/>'
            )
        path = " ".join(f"{self.x(x):.1f},{self.y(y):.1f}" for x, y in line.points)
        dash = ' stroke-dasharray="5 4"' if line.is_dashed else ""
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"{dash}/>')
        if line.spans or len(line.points) == 1:
            parts += [
                f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="2.5" fill="{colour}"/>' for x, y in line.points
            ]
        return parts


def _legend(lines: Sequence[Line]) -> list[str]:
    parts, x = [], float(LEFT)
    for number, line in enumerate(lines):
        colour, dash = COLOURS[number % len(COLOURS)], ' stroke-dasharray="5 4"' if line.is_dashed else ""
        parts.append(
            f'<line x1="{x:.0f}" y1="{HEIGHT - 10}" x2="{x + 18:.0f}" y2="{HEIGHT - 10}" stroke="{colour}" '
            f'stroke-width="2"{dash}/>'
        )
        parts.append(f'<text x="{x + 23:.0f}" y="{HEIGHT - 6}" fill="{INK}">{escape(line.name)}</text>')
        x += 23 + 6.2 * len(line.name) + 16
    return parts
