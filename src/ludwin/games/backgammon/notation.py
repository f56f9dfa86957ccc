"""Backgammon in writing: plays such as `8/5 6/5`, `bar/22*` and `13/7(2)`, and positions as GNU Backgammon's IDs.

A player counts the points towards its home: 24 is the farthest, 1 the last, `bar` before them, `off` behind.  `*` is a
hit; steps of one man are written as one, with the points between where it hits; `(2)` means two men.  What people type
may leave out the stars, take another order, name points on the way, or call bar and off 25 and 0.  A play that is only
begun is answered with what may follow (`Unfinished`), so that a person can make it step by step.

A position is a GNU Backgammon ID, position and match, and a third part if something is beside it: the turns so far, `r`
while the dice roll although the cube could have been turned, `+2` for the points of a finished game.
"""

import re
from collections import Counter

from ludwin.errors import Unfinished
from ludwin.games.backgammon.ids import (
    before_roll,
    match_id,
    position_id,
    read_match_id,
    read_position_id,
    read_xgid,
    sane,
)
from ludwin.games.backgammon.mat import follow, given_up, hear, tell
from ludwin.games.backgammon.plays import WORDS, hits, legal_moves, place_name, steps, ways
from ludwin.games.backgammon.rules import (
    _BAR,
    _MOVE,
    _OFF,
    _OPENING,
    _OVER,
    _PLACES,
    _ROLL,
    MATCH,
    MEN,
    TURN_LIMIT,
    may_double,
    size,
)
from ludwin.rules.portable import Portable, WholeFile

PORTABLE = Portable(
    ".mat", "match files", ("backgammon",), ("Left", "Right"), 0, whole=WholeFile(tell, hear, follow, given_up)
)
_SAID = {"redouble": "double", "accept": "take", "pass": "drop", "refuse": "drop", "d": "double", "r": "roll"}
_NOTHING = ("pass", "no move", "cannot move", "none", "-")


def name(s, m):
    if s.stage in (_ROLL, _OPENING):
        return f"{m >> 3}-{m & 7}"
    if s.stage != _MOVE:
        return WORDS[m]
    struck, groups = hits(s, m), Counter(ways(s, m))
    texts = []
    for way, count in sorted(groups.items()):
        text = "/".join(place_name(at) + "*" * (at in struck and k > 0) for k, at in enumerate(way))
        texts.append(text + (f"({count})" if count > 1 else ""))
    return " ".join(texts) or "pass"


def parse(s, text):
    typed = " ".join(text.lower().replace(",", " ").replace(";", " ").split())
    if s.stage == _MOVE:
        # `31: 8/5 6/5` names the dice again, `13/7 (2)` has a blank too many.
        typed = re.sub(rf"^\(?(?:{s.high}-?{s.low}|{s.low}-?{s.high})\)?:\s*", "", typed)
        return _parse_play(s, re.sub(r"\s+(?=\([1-4]\)|x[1-4]\b)", "", typed))
    legal = {name(s, m): m for m in legal_moves(s)}
    roll = re.fullmatch(r"\(?([1-6])\s*[-/ ]?\s*([1-6])\)?:?", typed)
    wanted = f"{roll[1]}-{roll[2]}" if roll else _SAID.get(typed, typed)
    if roll and s.stage == _ROLL:
        wanted = "-".join(sorted(roll.groups(), reverse=True))
    if wanted not in legal:
        raise ValueError(
            f"here one says {' or '.join(legal) if len(legal) < 5 else 'two dice such as 3-1'}, got {text!r}"
        )
    return legal[wanted]


def _location(word):
    """Return the location of a point as people count. Raises ValueError."""
    if word in ("bar", "b"):
        return _BAR
    if word in ("off", "o", "of"):
        return _OFF
    if not word.isdecimal() or len(word) > 2 or int(word) > 25:
        raise ValueError(f"a point is 1 to 24, bar or off, got {word!r}")
    return 25 - int(word)


def _read_ways(typed):
    """Return the ways that a text names, (locations, places of the stars), one for each man. Raises ValueError."""
    found = []
    for word in typed.split():
        match = re.fullmatch(r"([a-wyz0-9]+\*?(?:[/>-][a-wyz0-9]+\*?)+)(?:\(([1-4])\)|x([1-4]))?", word)
        if not match:
            raise ValueError(f"a play is steps such as 8/5 6/5, bar/22* or 13/7(2), got {word!r}")
        parts = re.split("[/>-]", match[1])
        way = [_location(part.rstrip("*")) for part in parts]
        stars = {at for at, part in zip(way, parts, strict=True) if part.endswith("*")}
        if way != sorted(set(way)):
            raise ValueError(f"men move from higher points to lower ones, got {word!r}")
        found += [(way, stars)] * int(match[2] or match[3] or 1)
    return found


def _parse_play(s, typed):
    legal = legal_moves(s)
    if typed in _NOTHING:
        if legal == [0]:
            return 0
        raise ValueError(f"there is a play, such as {name(s, legal[0])}")
    if legal == [0]:
        raise ValueError("no man can move: say pass")
    if not typed:
        raise ValueError(f"say a play of {s.high}-{s.low}, such as {name(s, legal[0])}")
    typed_ways = _read_ways(typed)
    change = _change((way[0], way[-1]) for way, _ in typed_ways)
    stars = set().union(*(stars for _, stars in typed_ways))
    between = {at for way, _ in typed_ways for at in way[1:-1]}
    found = [m for m in legal if _change(steps(s, m)) == change and stars <= hits(s, m)]
    exact = [m for m in found if hits(s, m) == stars]
    through = [m for m in found if between and between <= {end for _, end in steps(s, m)}]
    for some in (exact, through, found):
        if len(some) == 1:
            return some[0]
    if found:
        raise ValueError(f"{typed!r} may mean {' or '.join(name(s, m) for m in found)}: name the points where it hits")
    begun = {m: _rest(s, m, typed_ways) for m in legal}
    follow = sorted({rest for rest in begun.values() if rest}, key=lambda rest: [len(rest.split()), rest])
    if follow:
        some = ", ".join(follow[:8]) + (", …" if len(follow) > 8 else "")
        raise Unfinished(f"{typed} is the beginning of a play; it goes on with {some}", typed, tuple(follow))
    names = [name(s, m) for m in legal]
    raise ValueError(
        f"{typed!r} is not a play of {s.high}-{s.low}; there are {', '.join(names[:8])}{', …' * (len(names) > 8)}"
    )


def _change(steps_made):
    """Return how many men leave and reach each location, without those that balance."""
    change = Counter()
    for begin, end in steps_made:
        change[begin] -= 1
        change[end] += 1
    return {at: count for at, count in change.items() if count}


def _rest(s, m, typed_ways):
    """Return what is left of a play after the steps that were typed, empty if it does not begin so."""
    left = steps(s, m)
    for way, _ in typed_ways:
        at = way[0]
        while at != way[-1]:
            step = next((one for one in left if one[0] == at and one[1] <= way[-1]), None)
            if step is None:
                return ""
            left.remove(step)
            at = step[1]
    struck = hits(s, m)
    return " ".join(f"{place_name(begin)}/{place_name(end)}{'*' * (end in struck)}" for begin, end in left)


# Positions.


def write(s):
    text = f"{position_id(s)}:{match_id(s)}"
    rolling = "r" if s.stage == _ROLL and may_double(s) else ""
    points = f"+{s.points}" if s.stage == _OVER else ""
    return f"{text}:{s.turns}{rolling}{points}" if s.turns or rolling or points else text


def read(s, text):
    text = text.strip()
    if "=" in text[:6] or re.match(r"[-A-Pa-p]{26}:", text):
        read_xgid(s, text)
        s.turns = s.points = 0
        before_roll(s)
        sane(s)
        return
    match = re.fullmatch(
        r"(?:Position ID:\s*)?([^:\s]+)(?::|\s+(?:Match ID\s*:\s*)?)([^:\s]+)(?::(\d{1,5})(r?)(?:\+(\d+))?)?", text
    )
    if not match:
        raise ValueError("a position is a GNU Backgammon ID such as 4HPwATDgc/ABMA:cAkAAAAAAAAA, or an XGID")
    read_match_id(s, match[2])
    read_position_id(s, match[1])
    s.turns, s.points = int(match[3] or 0), int(match[5] or 0)
    if s.turns > TURN_LIMIT or (s.turns == TURN_LIMIT and s.stage != _OVER):
        raise ValueError(f"after {TURN_LIMIT} turns a game is over, got {s.turns}")
    if not match[4]:
        before_roll(s)
    elif s.stage != _ROLL or not may_double(s):
        raise ValueError("r after the turns means that the player might have doubled, and here nobody may")
    if s.stage == _OVER:
        _finished(s, match[5] is not None)
    elif s.points:
        raise ValueError("points are won when the game is over")
    sane(s)


def _finished(s, told):
    """Fill the points of a finished game if they are not told, and examine them. Raises ValueError."""
    all_off = s.men[_PLACES * s.turn + _OFF] == MEN
    if MATCH:
        most = 1 if s.score[s.turn] == MATCH else 0
    else:
        most = s.cube * size(s) if all_off else s.cube
    if s.turns == TURN_LIMIT:
        most = 0
    if not told:
        s.points = most
    if s.points != most:
        raise ValueError(f"player {s.turn} would have won {most} points, not {s.points}")
