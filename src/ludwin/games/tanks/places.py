"""Where robots stand when a round begins, if that is not left to chance.

Why it is here.  `positions="40 40 225; 700 500 0"` puts the first robot at (40, 40) with a heading of 225 degrees, the
second at (700, 500) with 0, and all others where chance says.
"""

import math

POSITIONS = ""


def _numbers(text):
    try:
        found = tuple(float(word) for word in text.split())
    except ValueError:
        found = ()
    if len(found) != 3 or not all(math.isfinite(number) for number in found):
        raise ValueError(f"a position is three numbers, x y heading, and ; stands between two: got {text[:60]!r}")
    return found


_ROWS = [_numbers(row) for row in str(POSITIONS).split(";")] if str(POSITIONS).strip() else []
PLACES = len(_ROWS)
PLACE_X = tuple(row[0] for row in _ROWS) or (0.0,)
PLACE_Y = tuple(row[1] for row in _ROWS) or (0.0,)
PLACE_HEADING = tuple(math.radians(row[2] % 360.0) for row in _ROWS) or (0.0,)
