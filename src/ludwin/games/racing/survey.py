"""Surveying: tracks that close exactly, made by hand or drawn at random, and their texts.

Why it is here.  A closed chain of straights and arcs is over-determined: whoever writes segments down by feel ends some
feet beside the start.  Here two straights are left open, and their lengths follow from the rest: two equations with
two unknowns.  Our own tracks in `data/` were made so, and so is `racing:track=random-7`, track number 7 of a generator
for drivers who must show that they have not learnt one road by heart.
"""

import math
from collections.abc import Sequence

from ludwin.games.racing.tracks import PI, Geometry, Track, find_track
from ludwin.primitives import draw, stream, uniform

Piece = tuple[float, float | None]  # radius of the right wall, and length or degrees; None: to be found
SPACING = 20.0  # feet between the points at which a road is looked at for crossings


def close(pieces: Sequence[Piece]) -> list[tuple[float, float]] | None:
    """Return the pieces with the lengths of the two open straights, so that the chain ends where it began.

    None if they would have to be negative, or if the arcs do not add up to a full turn.

    >>> close([(0, None), (200, 90), (0, 300), (200, 90), (0, None), (200, 90), (0, 300), (200, 90)]) is None
    True
    >>> closed = close([(0, None), (200, 90), (0, None), (200, 90), (0, 500), (200, 90), (0, 300), (200, 90)])
    >>> [round(length, 4) for _, length in closed[:3]]  # not quite whole: the original's pi has nine digits
    [500.0, 90.0, 300.0]
    """
    angle = x = y = 0.0
    open_ones: list[tuple[int, float, float]] = []
    for place, (radius, length) in enumerate(pieces):
        if radius == 0:
            if length is None:
                open_ones.append((place, math.cos(angle), math.sin(angle)))
            else:
                x += length * math.cos(angle)
                y += length * math.sin(angle)
        else:
            assert length is not None
            end = angle + math.copysign(length / (180 / PI), radius)
            x += radius * (math.sin(end) - math.sin(angle))
            y -= radius * (math.cos(end) - math.cos(angle))
            angle = end
    if abs(abs(angle) - 2 * PI) > 1e-9 or len(open_ones) != 2:
        return None
    (first, a, b), (second, c, d) = open_ones
    determinant = a * d - b * c
    if abs(determinant) < 0.05:
        return None
    found = {first: round((-x * d + y * c) / determinant, 9), second: round((-y * a + x * b) / determinant, 9)}
    if min(found.values()) <= 0:
        return None
    return [(radius, found[k] if length is None else float(length)) for k, (radius, length) in enumerate(pieces)]


def middle_line(track: Track) -> list[tuple[float, float, float]]:
    """Return points of the centre line, about SPACING feet apart: x, y, and feet from the beginning."""
    g = Geometry(track)
    points = []
    gone = 0.0
    for k, (radius, length) in enumerate(zip(track.radii, track.lengths, strict=True)):
        half = track.width / 2
        feet = length if radius == 0 else length * abs(radius - half)
        count = max(1, math.ceil(feet / SPACING))
        for n in range(count):
            part = n / count
            if radius == 0:
                a = g.angle[k]
                x = g.x[k] + part * length * math.cos(a) - half * math.sin(a)
                y = g.y[k] + part * length * math.sin(a) + half * math.cos(a)
            else:
                a = g.angle[k] + math.copysign(part * length, radius)
                x = g.cx[k] + (radius - half) * math.sin(a)
                y = g.cy[k] - (radius - half) * math.cos(a)
            points.append((x, y, gone + part * feet))
        gone += feet
    return points


def crosses_itself(track: Track, gap: float = 20.0) -> bool:
    """Tell whether two parts of the road lie on one another, or closer than `gap` feet."""
    points = middle_line(track)
    length = Geometry(track).length
    near = track.width + gap
    apart = near * math.pi  # a hairpin may be as close to itself as its own width
    for i, (x, y, a) in enumerate(points):
        for u, v, b in points[i + 1 :]:
            along = min(b - a, length - (b - a))
            if along > apart and abs(u - x) < near and abs(v - y) < near and math.hypot(u - x, v - y) < near:
                return True
    return False


def make_track(name: str, width: float, pieces: Sequence[Piece], finish: float, rows: int) -> Track | None:
    """Return a closed track with its start in the first straight; None if the pieces cannot be closed."""
    closed = close(pieces)
    if closed is None:
        return None
    radii = tuple(float(radius) for radius, _ in closed)
    lengths = tuple(length if radius == 0 else length / (180 / PI) for radius, length in closed)
    return Track(name, width, (0.0, 0.0, 0.0), finish * lengths[0], rows, radii, lengths)


def random_track(number: int) -> Track:
    """Return track number so-and-so of the generator: 8 to 26 segments, closed, and nowhere on top of itself."""
    for attempt in range(5000):
        track = _draft(f"random-{number}", [stream(number, attempt)])
        if track and 3000 <= Geometry(track).length <= 24000 and not crosses_itself(track):
            return track
    raise ValueError(f"no track was found for random-{number}: take another number")


def _draft(name: str, rng: list[int]) -> Track | None:
    """Return an attempt at a track, or None."""
    width = float(50 + 10 * draw(rng, 6))
    curves = 4 + draw(rng, 10)
    right = [k > 0 and uniform(rng) < 0.3 for k in range(curves)]
    degrees = [20 + 5 * draw(rng, 24) if bend else 25 + 5 * draw(rng, 34) for bend in right]
    lefts = sum(d for d, bend in zip(degrees, right, strict=True) if not bend)
    wanted = 360 + sum(d for d, bend in zip(degrees, right, strict=True) if bend)
    scale = wanted / lefts
    if not 0.4 <= scale <= 2.5:
        return None
    degrees = [d if bend else round(d * scale) for d, bend in zip(degrees, right, strict=True)]
    last = max(k for k in range(curves) if not right[k])
    total = sum(-d if bend else d for d, bend in zip(degrees, right, strict=True))
    degrees[last] += 360 - total
    if not all(10 <= d <= 210 for d in degrees):
        return None
    other = 1 + draw(rng, curves - 1)
    pieces: list[Piece] = []
    for k in range(curves):
        if k in (0, other):
            pieces.append((0.0, None))
        elif uniform(rng) < 0.6:
            pieces.append((0.0, float(50 + 50 * draw(rng, 25))))
        inner = 40.0 + 10.0 * draw(rng, 12) if uniform(rng) < 0.6 else 150.0 + 25.0 * draw(rng, 20)
        pieces.append((-inner if right[k] else inner + width, float(degrees[k])))
    closed = close(pieces)
    if closed is None or not 600 <= closed[0][1] <= 3500 or max(length for _, length in closed) > 3500:
        return None
    return make_track(name, width, pieces, 0.6, 2)


def track_named(name: str) -> Track:
    """Return one of our tracks, one of the generator's (`random-7`), or that of a file. Raises ValueError."""
    word, _, number = name.partition("-")
    if word == "random" and number.isdecimal() and len(number) <= 9:
        return random_track(int(number))
    return find_track(name)


def write_track(track: Track, comment: str) -> str:
    """Return the text of a track file, in degrees, with a comment below."""
    xs, ys = zip(*[(x, y) for x, y, _ in middle_line(track)], strict=True)
    lines = [
        f"{len(track.radii)} segments",
        f"{max(xs) - min(xs):.0f} {max(ys) - min(ys):.0f} size",
        f"{track.width:g} width",
        "{:.17g} {:.17g} {:.17g} start of the right wall: x, y, direction".format(*track.start),
        *["0 0"] * 4,
        f"{track.finish / track.lengths[0]:.9g} {track.rows} finish line, start rows",
        "0 no pit",
        *["0 0"] * 2,
        "0",
    ]
    for radius, length in zip(track.radii, track.lengths, strict=True):
        lines.append(f"{radius:g} {length if radius == 0 else length * (180 / PI):.15g}")
    return "\n".join([*lines, "", comment, ""])
