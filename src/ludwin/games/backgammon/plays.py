"""Plays of backgammon taken apart: steps, hits and the way of each man, for those who write them and those who draw.

Locations count as the rules do, from the bar (0) to off; people count the other way (`place_name`).
"""

from ludwin.games.backgammon.rules import (
    _BAR,
    _DROP,
    _OFF,
    _PLACES,
    _REDOUBLE,
    _STEPS,
    _SWAPPED,
    _TAKE,
    _THROW,
    _WIDTH,
    MAX_MOVES,
    moves,
)

WORDS = {_THROW: "roll", _REDOUBLE: "double", _TAKE: "take", _DROP: "drop"}  # moves that touch no man


def legal_moves(s):
    """Return the legal moves."""
    out = [0] * MAX_MOVES
    return out[: moves(s, out)]


def steps(s, m):
    """Return the steps of a play as (from, to) locations, in an order in which they can be made."""
    found = []
    for i in range(m & 7):
        x = m >> _STEPS + _WIDTH * i & 31
        d = s.low if bool(m & _SWAPPED) == (i == 0) else s.high
        found.append((x, min(x + d, _OFF)))
    return sorted(found)


def hits(s, m):
    """Return the locations where a play hits."""
    foe = _PLACES * (1 - s.turn)
    return {end for _, end in steps(s, m) if end < _OFF and s.men[foe + 25 - end] == 1}


def place_name(location):
    """Return a location as the player counts who moves: bar, 24 to 1, off."""
    return "bar" if location == _BAR else "off" if location == _OFF else str(25 - location)


def ways(s, m):
    """Return the way of each man that a play moves: its locations from first to last, only hits between."""
    left, found, struck = steps(s, m), [], hits(s, m)
    while left:
        way = list(left.pop(0))
        follow = next((step for step in left if step[0] == way[-1]), None)
        while follow is not None:
            left.remove(follow)
            way.append(follow[1])
            follow = next((step for step in left if step[0] == way[-1]), None)
        found.append((way[0], *(at for at in way[1:-1] if at in struck), way[-1]))
    return found
