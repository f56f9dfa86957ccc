"""Tracks: the text that describes one, and the geometry that follows from it.

Why it is here.  A track is a closed chain of straights and arcs of constant width.  Its file is the text form that
racing simulators of the nineties shared: only the numbers at the beginning of a line count, the rest is comment.
This module reads such a file from any path, or one of our own by name, and refuses what is no track in one line.

The form, line by line (blank lines do not count): number of segments; size of the picture; width in feet; start of the
right wall, x, y and direction; four places of panels; the part of segment 0 before the finish line, and the number of
start rows; pit side, pit entry and lane, end and exit, pit speed; then one line per segment, `radius length`.  Radius 0
is a straight with its length in feet; otherwise the right wall is an arc of that radius, positive to the left, and the
length is its angle, in radians, or in degrees if the first arc of the file says 5 or more.

PI is the simulator's own, 3.14159265: with another one the distances differ in the fifth place after the comma, and
no recording could be compared bit by bit.
"""

import math
from dataclasses import dataclass
from pathlib import Path

PI = 3.14159265
HERE = Path(__file__).parent / "data"
MOST_SEGMENTS = 1000
LARGEST = 1e6  # feet: a track that is larger than a county is a slip of the pen
MARK = b"\xef\xbb\xbf".decode("latin-1")  # what some editors put before a text in UTF-8
HEADER = ("the number of segments", "the size", "the width", "the start of the right wall", "the first panel",
          "the second panel", "the third panel", "the fourth panel", "the finish line and start rows", "the pit side",
          "the pit entry", "the pit exit", "the pit speed")  # fmt: skip


@dataclass(frozen=True)
class Track:
    """A track as its file says it: numbers only."""

    name: str
    width: float
    start: tuple[float, float, float]
    finish: float  # feet of segment 0 before the line
    rows: int  # cars that start side by side
    radii: tuple[float, ...]  # of the right wall; left turns positive, 0 = straight
    lengths: tuple[float, ...]  # feet, or radians

    def closing_error(self) -> float:
        """Return how many feet lie between the end of the last segment and the beginning of the first."""
        g = Geometry(self)
        return math.hypot(g.x[-1] - self.start[0], g.y[-1] - self.start[1])


class Geometry:
    """What the walls of a track are: corner points, directions and centres, all of the right wall.

    Lists have one entry per segment, `x`, `y` and `angle` one more for the end of the last.
    """

    def __init__(self, track: Track):
        x, y, angle = track.start
        self.x, self.y, self.angle = [x], [y], [angle]
        self.cx: list[float] = []
        self.cy: list[float] = []
        self.left_cx: list[float] = []  # the same centres as the left wall's own chain of points finds them: they
        self.left_cy: list[float] = []  # differ in the last places, and a grid on an arc stands by these
        left = x - track.width * math.sin(angle), y + track.width * math.cos(angle)
        self.length = 0.0  # feet of one lap along the centre line
        self.behind: list[float] = []  # centre-line distance from the finish line to the end of a segment
        for radius, length in zip(track.radii, track.lengths, strict=True):
            if radius == 0:
                for centres in (self.cx, self.cy, self.left_cx, self.left_cy):
                    centres.append(0.0)
                x, y = x + length * math.cos(angle), y + length * math.sin(angle)
                left = left[0] + length * math.cos(angle), left[1] + length * math.sin(angle)
                feet = length
            else:
                end = angle + length if radius > 0 else angle - length
                inner = radius - track.width
                cx, cy = _centre(x, y, angle, radius)
                left_cx, left_cy = _centre(*left, angle, inner)
                self.cx.append(cx)
                self.cy.append(cy)
                self.left_cx.append(left_cx)
                self.left_cy.append(left_cy)
                feet = length * abs(radius - track.width / 2)
                angle = end
                if radius > 0 and angle > 2 * PI:
                    angle -= 2 * PI
                elif radius < 0 and angle < -2 * PI:
                    angle += 2 * PI
                x, y = cx + radius * math.sin(angle), cy - radius * math.cos(angle)
                left = left_cx + inner * math.sin(angle), left_cy - inner * math.cos(angle)
            self.x.append(x)
            self.y.append(y)
            self.angle.append(angle)
            self.length += feet
            self.behind.append(self.behind[-1] + feet if self.behind else feet - track.finish)


def _centre(x: float, y: float, angle: float, radius: float) -> tuple[float, float]:
    """Return the centre of an arc that begins at a point in a direction."""
    return x - radius * math.sin(angle), y + radius * math.cos(angle)


def names() -> tuple[str, ...]:
    """Return the names of the tracks that come with the package."""
    return tuple(sorted(path.stem for path in HERE.glob("*.trk")))


def find_track(name: str) -> Track:
    """Return a track of ours by its name, or any by the path of its file. Raises ValueError with the reason."""
    try:
        path = HERE / f"{name}.trk" if name in names() else Path(name).expanduser()
        is_there = path.is_file()
    except (OSError, RuntimeError):  # a name that no file can have, a home that nobody has
        is_there = False
    if not is_there:
        if "/" in name or "." in name:
            raise ValueError(f"there is no track file {name!r}")
        raise ValueError(
            f"there is no track {name!r}; ours are {', '.join(names())} and random-N, or give the path of a file"
        )
    if path.stat().st_size > 1_000_000:
        raise ValueError(f"{path.name} is larger than a megabyte: this is no track file")
    try:
        text = path.read_text(encoding="latin-1")
    except OSError as error:
        raise ValueError(f"{path.name} cannot be read: {error.strerror}") from None
    return read_track(text.removeprefix(MARK), path.stem)


def read_track(text: str, name: str = "track") -> Track:
    """Read the text of a track file. Raises ValueError, one line with the line's number, for what is none.

    >>> lines = ["2", "9 9", "50", "0 0 0", "0", "0", "0", "0", ".5 2", "0", "0", "0", "0", "0 300", "100 90"]
    >>> read_track("\\n".join(lines)).finish
    150.0
    """
    lines = [
        (number, found) for number, line in enumerate(text.splitlines(), 1) if (found := _numbers(line)) is not None
    ]
    if len(lines) < len(HEADER):
        raise ValueError(f"{name} is no track file: it ends before {HEADER[len(lines)]}")
    wanted = (1, 0, 1, 2, 0, 0, 0, 0, 2, 0, 0, 0, 0)
    for (number, found), count, what in zip(lines, wanted, HEADER, strict=False):
        if len(found) < count:
            raise ValueError(f"{name}, line {number}: {what} should stand here as {count} number{'s' * (count > 1)}")
    header = [found for _, found in lines[: len(HEADER)]]
    count, width = header[0][0], header[2][0]
    if count != int(count) or not 2 <= count <= MOST_SEGMENTS:
        raise ValueError(f"{name}, line {lines[0][0]}: a track has 2 to {MOST_SEGMENTS} segments, not {count:g}")
    if not 1 <= width <= 10_000:
        raise ValueError(f"{name}, line {lines[2][0]}: the width must be 1 to 10000 feet, got {width:g}")
    place, (part, rows) = header[3], header[8][:2]
    if not 0 <= part <= 1 or rows != int(rows) or not 1 <= rows <= 100:
        raise ValueError(f"{name}, line {lines[8][0]}: a finish line at 0 to 1 of segment 0 and 1 to 100 start rows")
    radii, lengths = _segments(lines[len(HEADER) :], int(count), width, name)
    start = (place[0], place[1], place[2] if len(place) > 2 else 0.0)
    if max(map(abs, start)) > LARGEST:
        raise ValueError(f"{name}, line {lines[3][0]}: the start lies beyond {LARGEST:g} feet")
    if radii[0] == 0:
        line = part * lengths[0]
    else:
        line = part * lengths[0] * abs(radii[0] - width / 2)
    return Track(name, width, start, line, int(rows), radii, lengths)


def _segments(
    lines: list[tuple[int, list[float]]], count: int, width: float, name: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Read the segments' lines; angles become radians."""
    if len(lines) < count:
        raise ValueError(f"{name} ends after {len(lines)} of {count} segments")
    radii: list[float] = []
    lengths: list[float] = []
    degrees: bool | None = None
    for k, (number, found) in enumerate(lines[:count]):
        if len(found) < 2:
            raise ValueError(f"{name}, line {number}: segment {k} should stand here as radius and length")
        radius, length = found[0], found[1]
        if not 0 < length <= LARGEST or abs(radius) > LARGEST:
            raise ValueError(f"{name}, line {number}: segment {k} has a length that is not positive, or is too large")
        if radius != 0:
            if degrees is None:
                degrees = length >= 5
            length = length / (180 / PI) if degrees else length
            if length > 2 * math.pi:
                raise ValueError(f"{name}, line {number}: segment {k} turns by more than a full circle")
            if radius > 0 and radius <= width:
                raise ValueError(
                    f"{name}, line {number}: a left turn of radius {radius:g} is too tight for a road {width:g} ft wide"
                )
        radii.append(radius)
        lengths.append(length)
    return tuple(radii), tuple(lengths)


def _numbers(line: str) -> list[float] | None:
    """Return the numbers at the beginning of a line; None for a blank one, [] for one of words."""
    words = line.split()
    if not words:
        return None
    found: list[float] = []
    for word in words:
        try:
            number = float(word)
        except ValueError:
            break
        if not math.isfinite(number) or "_" in word:
            break
        found.append(number)
    return found
