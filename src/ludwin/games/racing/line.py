"""The line: where on the road to drive, and how fast, so that the tyres are asked for as little as possible.

Why it is here.  Whoever sees a road can tell where its fast line runs: that is geometry, not driving.  The line of
least bending between the walls is a quadratic problem in its distances from the centre line, solved anew about its
own last answer a few times, since bending is not quite linear; the speeds follow from grip and brakes, backwards.

Two lines.  `seen_line` is what somebody can tell who sees this segment and the next three and nothing else, as the
drivers of the original do: at the beginning of every segment it is drawn anew from where the last one has led to.
`whole_line` is that of a planner, who knows the whole track.

References.  F. Braghin et al., "Race driver model", Computers & Structures 86 (2008), 1503-1516, for least bending.
J. Nocedal, S. Wright, *Numerical Optimization* (2006), chapter 16, for the interior-point method.
"""

import math
from functools import lru_cache
from typing import Any, NamedTuple

from ludwin.games.racing.tracks import Geometry, Track

SPACING = 10.0  # feet between points; 20 costs half a second on a lap of sepang by its hairpins
MOST_POINTS = 6000
SEEN = 3  # segments behind this one that a driver is told of
MARGIN = 4.0  # feet that the line keeps from the walls
GRIP, BRAKES = 32.3, 33.0  # ft/s^2 of 33.8 that speeds count on, sideways and backwards
AIR = 0.0065 / 79.0  # of the drag on a car with half a tank, per (ft/s)^2
FASTEST = 300.0
OVERLAP = 3000.0  # feet that the planner's line goes on beyond both ends of a lap, so that they meet


class RacingLine(NamedTuple):
    """A line around a lap: numbers for points that lie `step` feet apart along the centre line, from the finish on."""

    step: float
    place: tuple[float, ...]  # feet from the right wall
    slope: tuple[float, ...]  # of the line against the road, to the left
    bend: tuple[float, ...]  # 1/ft, to the left
    speed: tuple[float, ...]  # ft/s at most


def centre_line(track: Track) -> tuple[list[tuple[float, float, float]], list[int]]:
    """Return points of the centre line with their direction, evenly spaced from the finish on, and their segments.

    A track that does not quite close is bent until it does.
    """
    g = Geometry(track)
    count = max(8, min(MOST_POINTS, round(g.length / SPACING)))
    half = track.width / 2
    gap_x, gap_y = g.x[-1] - g.x[0], g.y[-1] - g.y[0]
    points: list[tuple[float, float, float]] = []
    segments: list[int] = []
    k = 0
    for n in range(count):
        feet = g.length * n / count
        while k < len(g.behind) - 1 and feet >= g.behind[k]:
            k += 1
        here = 0 if feet >= g.behind[-1] else k  # before the line, again in segment 0
        begin = (g.behind[here - 1] if here else -track.finish) if feet < g.behind[-1] else g.behind[-1]
        along, radius = feet - begin, track.radii[here]
        if radius == 0:
            a = g.angle[here]
            x = g.x[here] + along * math.cos(a) - half * math.sin(a)
            y = g.y[here] + along * math.sin(a) + half * math.cos(a)
        else:
            a = g.angle[here] + math.copysign(along / abs(radius - half), radius)
            x = g.cx[here] + (radius - half) * math.sin(a)
            y = g.cy[here] - (radius - half) * math.cos(a)
        part = ((feet + track.finish) % g.length) / g.length
        points.append((x - gap_x * part, y - gap_y * part, a))
        segments.append(here)
    return points, segments


def bounded(matrix: Any, pull: Any, wall: float, start: Any) -> Any:
    """Return x between -wall and wall with the least x'Mx/2 + pull'x: a primal-dual interior-point method.

    The matrix has its diagonal in row 2 and the two above it in rows 1 and 0.
    """
    import numpy as np
    from scipy.linalg import solveh_banded

    x = np.clip(start, -0.96 * wall, 0.96 * wall)
    scale = max(float(np.abs(pull).max()), 1e-12)
    goal = 0.2 * scale * wall
    low, high = goal / (x + wall), goal / (wall - x)  # multipliers of both walls
    whole = matrix.copy()
    for _ in range(40):
        under, over = x + wall, wall - x
        whole[2] = matrix[2] + low / under + high / over
        product = matrix[2] * x
        for row in (1, 0):
            away = 2 - row
            product[:-away] += matrix[row, away:] * x[away:]
            product[away:] += matrix[row, away:] * x[:-away]
        step = solveh_banded(whole, goal / under - goal / over - product - pull, check_finite=False)
        low_step = goal / under - low - low / under * step
        high_step = goal / over - high + high / over * step
        part = 1.0
        for room, change in ((under, step), (over, -step), (low, low_step), (high, high_step)):
            shrinks = change < 0
            if shrinks.any():
                part = min(part, 0.95 * float((-room[shrinks] / change[shrinks]).min()))
        x, low, high = x + part * step, low + part * low_step, high + part * high_step
        gap = float(low @ (x + wall) + high @ (wall - x)) / (2 * len(x))
        goal = gap * (0.1 if part > 0.5 else 0.5)
        if gap < 1e-8 * scale:
            break
    return x


def least_bending(points: Any, offsets: Any, wall: float, fixed: int, rounds: int) -> Any:
    """Return the offsets from the centre line with the least bending; the first `fixed` stay, the ends are free."""
    import numpy as np

    centre = points[:, :2]
    normal = np.column_stack([-np.sin(points[:, 2]), np.cos(points[:, 2])])
    for turn in range(rounds):
        # Step 1. Bending at each inner point, linear in three offsets: about the line as it is now.
        line = centre + offsets[:, None] * normal
        one, two = np.hypot(*(line[1:-1] - line[:-2]).T), np.hypot(*(line[2:] - line[1:-1]).T)
        way = line[2:] - line[:-2]
        ahead = np.hypot(*way.T)
        if not (one.all() and two.all() and ahead.all()):  # a road that jumps back onto itself: it stays where it is
            break
        way /= ahead[:, None]
        aside = np.column_stack([-way[:, 1], way[:, 0]])
        weight = np.sqrt((one + two) / 2) * 2 / (one + two)
        before, behind = weight / one, weight / two
        middle = -(before + behind)
        a, b, c = (
            share * (aside * side).sum(1)
            for share, side in ((before, normal[:-2]), (middle, normal[1:-1]), (behind, normal[2:]))
        )
        rest = before[:, None] * centre[:-2] + middle[:, None] * centre[1:-1] + behind[:, None] * centre[2:]
        rest = (aside * rest).sum(1)
        # Step 2. The square of it, as a matrix of five diagonals.
        matrix, pull = np.zeros((3, len(points))), np.zeros(len(points))
        for at, share in enumerate((a, b, c)):
            inside = slice(at, len(points) - 2 + at)
            matrix[2, inside] += share * share
            pull[inside] += share * rest
        matrix[1, 1:-1] += a * b
        matrix[1, 2:] += b * c
        matrix[0, 2:] += a * c
        matrix[2] += 1e-9 * matrix[2].max()
        # Step 3. What is fixed goes to the right side.
        if fixed:
            pull[fixed] += matrix[1, fixed] * offsets[fixed - 1] + matrix[0, fixed] * offsets[fixed - 2]
            pull[fixed + 1] += matrix[0, fixed + 1] * offsets[fixed - 1]
        free = matrix[:, fixed:].copy()
        free[1, 0] = free[0, 0] = free[0, 1] = 0.0
        scale = 1 / max(float(free[2].max()), 1e-30)
        try:
            found = bounded(free * scale, pull[fixed:] * scale, wall, offsets[fixed:])
        except np.linalg.LinAlgError:  # a road that is folded over itself: it stays where it is
            break
        if not np.isfinite(found).all():
            break
        share = 1.0 if turn == 0 else 0.7  # less than whole steps: they are linear, the road is not
        offsets = np.concatenate([offsets[:fixed], offsets[fixed:] + share * (found - offsets[fixed:])])
    return offsets


def bends(points: Any, offsets: Any) -> tuple[Any, Any]:
    """Return the bending of a line at all its points but the first and the last, and the way from each to the next."""
    import numpy as np

    line = points[:, :2] + offsets[:, None] * np.column_stack([-np.sin(points[:, 2]), np.cos(points[:, 2])])
    one, two = line[1:-1] - line[:-2], line[2:] - line[1:-1]
    cross = one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
    chord = np.hypot(*(line[2:] - line[:-2]).T)
    return 2 * cross / np.maximum(np.hypot(*one.T) * np.hypot(*two.T) * chord, 1e-9), np.hypot(*two.T)


def speeds(bend: list[float], ways: list[float], grip: float, brakes: float) -> list[float]:
    """Return the speeds that a line allows: what each point holds, and from where one can still brake for the next."""
    found = [min(FASTEST, math.sqrt(grip / max(abs(k), 1e-6))) for k in bend]
    for i in range(len(found) - 2, -1, -1):
        v = found[i + 1]
        used = min(v * v * abs(bend[i]) / grip, 1.0)
        pull = brakes * math.sqrt(max(1.0 - used * used, 0.0)) + AIR * v * v
        found[i] = min(found[i], math.sqrt(v * v + 2.0 * pull * ways[i]))
    return found


def _wall(track: Track, margin: float) -> float:
    return max(track.width / 2 - min(margin, track.width / 4), 1.0)


@lru_cache(maxsize=64)
def whole_line(track: Track, margin: float = MARGIN, grip: float = GRIP, brakes: float = BRAKES) -> RacingLine:
    """Return the line of somebody who knows the whole track."""
    import numpy as np

    points = np.array(centre_line(track)[0])
    count = len(points)
    step = Geometry(track).length / count
    more = min(count, math.ceil(OVERLAP / step))
    around = np.arange(-more - 1, count + more + 1) % count
    offsets = least_bending(points[around], np.zeros(len(around)), _wall(track, margin), 0, 6)
    bend, ways = bends(points[around], offsets)
    fast = speeds(bend.tolist(), ways.tolist(), grip, brakes)
    lap = slice(more, more + count)
    slope = (offsets[2:] - offsets[:-2]) / (2 * step)
    place = offsets[1:-1][lap] + track.width / 2
    return RacingLine(
        step, tuple(place.tolist()), tuple(slope[lap].tolist()), tuple(bend[lap].tolist()), tuple(fast[lap])
    )


@lru_cache(maxsize=64)
def seen_line(track: Track) -> RacingLine:
    """Return the line of somebody who sees SEEN segments ahead, after a lap to find into it."""
    import numpy as np

    found, segments = centre_line(track)
    points, count = np.array(found), len(found)
    step = Geometry(track).length / count
    wall = _wall(track, MARGIN)
    offsets = np.zeros(2 * count + 1)
    bend, fast = [0.0] * (2 * count), [FASTEST] * (2 * count)
    at = 2
    while at < 2 * count:
        # Step 1. How far this segment goes, and how far one sees.
        leave = at
        while leave < 2 * count and segments[leave % count] == segments[at % count]:
            leave += 1
        end, changes = at + 1, 0
        while end - at < count:
            changes += segments[end % count] != segments[(end - 1) % count]
            if changes > SEEN:
                break
            end += 1
        # Step 2. The line from here to there; what lies behind the next corner will be seen from there.
        around = np.arange(at - 2, max(end, at + 4)) % count
        start = np.full(len(around), offsets[at - 1])
        start[0] = offsets[at - 2]
        seen = least_bending(points[around], start, wall, 2, 3)
        keep = min(leave - at, len(around) - 3)
        offsets[at : at + keep] = seen[2 : 2 + keep]
        turns, ways = bends(points[around], seen)
        bend[at - 1 : at + keep] = turns[: keep + 1].tolist()
        fast[at - 1 : at + keep] = speeds(turns.tolist(), ways.tolist(), GRIP, BRAKES)[: keep + 1]
        at += keep
    lap = offsets[count : 2 * count]
    slope = (np.roll(lap, -1) - np.roll(lap, 1)) / (2 * step)
    last = slice(count, 2 * count)
    return RacingLine(
        step, tuple((lap + track.width / 2).tolist()), tuple(slope.tolist()), tuple(bend[last]), tuple(fast[last])
    )
