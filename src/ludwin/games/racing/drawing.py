"""The picture of a race: the road, the finish line, and the cars where they are."""

import math

from ludwin.games.racing.circuit import TRACK
from ludwin.games.racing.survey import middle_line, track_named
from ludwin.games.racing.tracks import Geometry
from ludwin.svg import Sheet, player

_ROOM, _EDGE, _FOOT = 520.0, 24.0, 30.0  # pixels: of the road's longer side, around it, and below it for words


def picture(s):
    track = track_named(TRACK)
    points = [(x, -y) for x, y, _ in middle_line(track)]
    left, top = min(x for x, _ in points) - track.width, min(y for _, y in points) - track.width
    wide, high = (max(one[k] for one in points) + track.width - low for k, low in ((0, left), (1, top)))
    scale = _ROOM / max(wide, high)
    sheet = Sheet(wide * scale + 2 * _EDGE, high * scale + 2 * _EDGE + _FOOT, "racing")

    def at(x, y):
        return _EDGE + (x - left) * scale, _EDGE + (y - top) * scale

    road = "M" + "L".join("{:.1f} {:.1f}".format(*at(x, y)) for x, y in points) + "Z"
    sheet.path(road, line="quiet", thick=round((track.width + 14) * scale, 2))
    sheet.path(road, line="panel", thick=round(track.width * scale, 2))
    geometry = Geometry(track)
    turn, begin = geometry.angle[0], (geometry.x[0], geometry.y[0])
    x, y = (begin[k] + track.finish * part for k, part in ((0, math.cos(turn)), (1, math.sin(turn))))
    across = at(x - track.width * math.sin(turn), -(y + track.width * math.cos(turn)))
    sheet.stroke(*at(x, -y), *across, "ink", thick=2)
    for p in range(len(s.x)):
        _car(sheet, *at(s.x[p], -s.y[p]), s.heading[p] + s.alpha[p], p, bool(s.out[p]))
    words = f"{s.clock:.1f} s, " + ", ".join(
        f"car {p}: lap {s.laps[p] + 1}, {s.v[p] * 0.6818:.0f} mph" for p in range(min(len(s.x), 3))
    )
    sheet.text(_EDGE, sheet.high - 18, words + (", …" if len(s.x) > 3 else ""), "quiet", 13, anchor="start")
    return str(sheet)


def _car(sheet, x, y, heading, p, out):
    """Draw a car as an arrow that points where it goes."""
    with sheet.group(x, y, -math.degrees(heading), at=f"car{p}"):
        sheet.path("M9 0L-6 6L-3 0L-6 -6Z", "quiet" if out else player(p), line="ink", thick=0.8)
