"""Carcassonne in writing: moves and positions as texts.

A tile is its letter; a move is where it lies, how far it is turned, and where a man stands: 1,0r90+road-n.  A position
is the tiles in the order of play, `-` and a tile that has left the game, `!` and the tile in hand.
"""

import re

from ludwin.games.carcassonne.rules import (
    _CLOISTER,
    _DEAL,
    _DRAW,
    _FARM,
    _OVER,
    _PLACE,
    COPIES,
    FIXED,
    STACK,
    _cell,
    _where,
    fits,
    go_on,
    laid,
    look,
    play,
    setup,
    ways,
)
from ludwin.games.carcassonne.tiles import BEHIND, CODES, KINDS, LETTERS, SEGMENTS, TURNS, turned
from ludwin.primitives import add, mix

_MOVE = re.compile(r"(-?\d+),(-?\d+)r(0|90|180|270)(?:\+(?:(city|road)-([nesw])|farm-([nesw]{3})|(cloister)))?")


_WINDS = ("nnw", "nne", "ene", "ese", "sse", "ssw", "wsw", "wnw")  # half edges


def _feature(kind, turn, segment):
    """Return the text of where a man is put: a sort, and the first side or half edge that it has."""
    code, ports = KINDS[kind].segments()[segment]
    if not ports:
        return "+cloister"
    port = min(turned(port, turn) for port in ports)
    return f"+farm-{_WINDS[port - 4]}" if code >= _FARM else f"+{'city' if code < 64 else 'road'}-{'nesw'[port]}"


_FEATURES = [
    ["", *(_feature(kind, turn, j) for j in range(SEGMENTS[kind]))] for kind in range(len(KINDS)) for turn in range(4)
]


def _option(kind, turn, match):
    """Return the number of the segment that a move's text names, 0 for none; raises ValueError."""
    if not any(match.groups()[3:]):
        return 0
    code = (
        _CLOISTER
        if match[7]
        else BEHIND[4 * kind + turn]["nesw".index(match[5]) if match[4] else 4 + _WINDS.index(match[6])]
    )
    if code not in CODES[kind][: SEGMENTS[kind]] or (match[4] and (code < 64) != (match[4] == "city")):
        raise ValueError(f"{LETTERS[kind]} turned by {90 * turn} has nothing at {match[0].partition('+')[2]}")
    return CODES[kind].index(code) + 1


def _code(s, text):
    """Return the move that a text names, if the tile in hand can be laid so; raises ValueError."""
    match = _MOVE.fullmatch(text)
    if not match or (match[6] and match[6] not in _WINDS):
        raise ValueError(
            f"a move is x,y, r with 0, 90, 180 or 270, and + with a feature, such as 1,0r90+road-n or "
            f"1,0r90+farm-nne, got {text!r}"
        )
    x, y, kind = int(match[1]), int(match[2]), s.hand - 1
    turn = int(match[3]) // 90 % TURNS[kind]
    code = _cell(x, y) << 6 | turn << 4 | _option(kind, turn, match)
    slot = look(s, _cell(x, y)) - 1
    if not 0 <= slot < s.slots or _where(s.frontier[slot] >> 20) != (x, y):
        raise ValueError(f"{x},{y} is not an empty cell beside a tile")
    out = [0] * 40
    if code not in out[: ways(s, slot, out, 0)]:
        raise ValueError(f"{LETTERS[kind]} cannot be laid so: {text}")
    return code


def name(s, m):
    if s.stage != _PLACE:
        return LETTERS[m]
    x, y = _where(s.frontier[look(s, m >> 6) - 1] >> 20)
    turn = m >> 4 & 3
    return f"{x},{y}r{90 * turn}{_FEATURES[4 * (s.hand - 1) + turn][m & 15]}"


def parse(s, text):
    word = text.strip()
    if s.stage == _PLACE:
        return _code(s, word.lower().removeprefix(LETTERS[s.hand - 1].lower()))
    legal = {LETTERS[k]: k for k in range(len(KINDS)) if s.bag[k] > 0}
    if s.stage == _OVER or word.upper() not in legal:
        raise ValueError(
            f"a tile to draw is one of {' '.join(legal)}, got {text!r}" if s.stage != _OVER else "the game is over"
        )
    return legal[word.upper()]


def _discarded(s):
    """Return the letters of the tiles that have left the game, without those of a fixed order."""
    left = list(COPIES)
    for kind, *_ in laid(s):
        left[kind] -= 1
    if s.hand:
        left[s.hand - 1] -= 1
    return "".join(LETTERS[k] * (left[k] - s.bag[k]) for k in range(len(KINDS)))


def write(s):
    words = ["D"]
    if FIXED:
        words.append("#" + "".join(LETTERS[k] for k in s.order[: s.next if s.stage == _DEAL else STACK]))
    words += [
        f"{LETTERS[kind]}{x},{y}r{90 * turn}{_FEATURES[4 * kind + turn][option]}"
        for kind, turn, option, x, y in laid(s)[1:]
    ]
    if not FIXED:
        words += [f"-{letter}" for letter in _discarded(s)] + ([f"!{LETTERS[s.hand - 1]}"] if s.hand else [])
    return " ".join(words)


def read(s, text):
    words = text.split()
    order = words[1:2] if FIXED else []
    if words[:1] != ["D"] or (FIXED and not re.fullmatch(r"#[A-X]*", " ".join(order))):
        start = "D #VUE… E0,1r180" if FIXED else "D E0,1r180+city-s -C !V"
        what = "# and the order of the stack, " if FIXED else ""
        raise ValueError(
            f"a position is D, {what}the tiles laid, - and a tile that has left the game, ! and the tile in hand, "
            f"such as {start!r}"
        )
    setup(s)
    for letter in "".join(order)[1:]:
        play(s, _taken(s, letter))
    rest = words[1 + len(order) :]
    gone = set() if FIXED else {_discard(s, word[1:]) for word in rest if word[0] == "-"}
    for word in rest if FIXED else [word for word in rest if word[0] != "-"]:
        gone = {kind for kind in gone if fits(s, kind)}
        _replay(s, word)
    gone = {kind for kind in gone if fits(s, kind)}
    if gone:
        raise ValueError(f"{LETTERS[min(gone)]} has not left the game: it could always be laid")
    if s.stage in (_DRAW, _OVER):
        go_on(s)


def _taken(s, letter):
    """Return the kind of a letter, if nature can draw or deal such a tile; raises ValueError."""
    if letter not in LETTERS:
        raise ValueError(f"there is no tile {letter!r}")
    if s.stage not in (_DEAL, _DRAW) or s.bag[LETTERS.index(letter)] == 0:
        raise ValueError(f"there is no {letter} left in the stack")
    return LETTERS.index(letter)


def _discard(s, letter):
    """Take a tile out of the game, whenever that was; return its kind."""
    kind = _taken(s, letter)
    s.bag[kind] -= 1
    s.gone = add(s.gone, mix(0, kind))
    return kind


def _replay(s, word):
    """Do what one word of a position says: lay a tile, or draw it (!)."""
    letter = word[1:] if word[0] == "!" else word[0]
    if not FIXED:
        play(s, _taken(s, letter))
    if s.stage != _PLACE or letter != LETTERS[s.hand - 1] or (FIXED and word[0] == "!"):
        raise ValueError(
            f"{word} is not the tile that the order of the stack gives" if FIXED else f"{letter} cannot be laid here"
        )
    if word[0] != "!":
        play(s, _code(s, word[1:]))
