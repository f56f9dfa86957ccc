"""The circuit as tables: what compiled rules read of a track.

Why it is here.  A track is a parameter of the game, and rules that are compiled read constants.  So the file that is
named is read once, here, and becomes tables: one cell for each segment.
"""

import math

from ludwin.games.racing.line import RacingLine, seen_line
from ludwin.games.racing.survey import track_named
from ludwin.games.racing.tracks import Geometry

TRACK = "oval"
SIGHT = False  # whether drivers are told the line that can be seen (`line.py`)
_TRACK = track_named(TRACK)
_GEOMETRY = Geometry(_TRACK)
SEGMENTS = len(_TRACK.radii)
WIDTH = _TRACK.width + 0.0
ROWS = _TRACK.rows + 0
FINISH = _TRACK.finish + 0.0
LENGTH = _GEOMETRY.length + 0.0
RIGHT = _TRACK.radii  # signed radius of the right wall
LEFT = tuple(radius - _TRACK.width if radius != 0 else 0.0 for radius in _TRACK.radii)
INNER = tuple(left if left > 0 else right for left, right in zip(LEFT, RIGHT, strict=True))  # what drivers are told
LENGTHS = _TRACK.lengths
X, Y = tuple(_GEOMETRY.x), tuple(_GEOMETRY.y)
CX, CY = tuple(_GEOMETRY.cx), tuple(_GEOMETRY.cy)
GRID_CX, GRID_CY = tuple(_GEOMETRY.left_cx), tuple(_GEOMETRY.left_cy)  # by the left wall: where a grid stands
ANGLE = tuple(_GEOMETRY.angle)
SINE, COSINE = tuple(math.sin(a) for a in ANGLE), tuple(math.cos(a) for a in ANGLE)
BEHIND = tuple(_GEOMETRY.behind)  # feet from the finish line to the end of each segment
_LINE = seen_line(_TRACK) if SIGHT else RacingLine(1.0, (0.0,), (0.0,), (0.0,), (0.0,))
LINE_POINTS = len(_LINE.place)
LINE_STEP = _LINE.step + 0.0  # feet
LINE_PLACE, LINE_SLOPE, LINE_BEND, LINE_SPEED = _LINE.place, _LINE.slope, _LINE.bend, _LINE.speed
