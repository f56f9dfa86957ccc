"""Positions as other backgammon programs write them: GNU Backgammon's IDs, and XGID.

A position ID is 80 bits: for each player, from its ace point to its twenty-fourth and the bar, a 1 for each man and a 0
after each point; the player who is not on roll comes first.  A match ID holds what is beside the board.  Both are
base 64 of bytes whose lowest bit comes first.  XGID writes the board with letters, capital ones for player 0.

References.  "GNU Backgammon manual" (2019), "Technical notes"; "eXtreme Gammon help" (2011), "XGID".
"""

import base64
import binascii
import re

from ludwin.games.backgammon.rules import (
    _ANSWER,
    _DOUBLE,
    _MOST_CUBE,
    _MOVE,
    _OFF,
    _OPENING,
    _OVER,
    _PLACES,
    _ROLL,
    MATCH,
    MEN,
    START,
    may_double,
)

# The fields of a match ID: how many bits each has.
_CARD = {
    "cube": 4, "owner": 2, "move": 1, "crawford": 1, "game": 3, "turn": 1, "doubled": 1, "resigned": 2,
    "first": 3, "second": 3, "length": 15, "score0": 15, "score1": 15,
}  # fmt: skip
_CENTRED = 3
_NO_GAME, _PLAYING, _FINISHED, _DROPPED = 0, 1, 2, 4


def men_of(s, p):
    """Return player p's men by its own points as people count: 1 (ace) to 24, and the bar at the end."""
    return [s.men[_PLACES * p + _OFF - k] for k in range(1, 26)]


def put_men(s, p, men):
    """Put player p's men on the points 1 to 24 and the bar; the rest is off. Raises ValueError."""
    if sum(men) > MEN:
        raise ValueError(f"a player has {MEN} men, player {p} would have {sum(men)}")
    for k, count in enumerate(men, 1):
        s.men[_PLACES * p + _OFF - k] = count
    s.men[_PLACES * p + _OFF] = MEN - sum(men)


def _text(number, length):
    """Return bits as base 64, the lowest byte first."""
    return base64.b64encode(number.to_bytes(length, "little")).decode().rstrip("=")


def _number(text, letters, what):
    """Return the bits of a text in base 64. Raises ValueError."""
    if len(text) != letters or not re.fullmatch(r"[A-Za-z0-9+/]*", text):
        raise ValueError(
            f"{what} has {letters} letters such as {'4HPwATDgc/ABMA' if letters == 14 else 'cAkAAAAAAAAA'}"
        )
    try:
        return int.from_bytes(base64.b64decode(text + "=" * (-letters % 4)), "little")
    except binascii.Error as error:
        raise ValueError(f"{text!r} is not base 64: {error}") from None


def position_id(s):
    """Return the position ID, 14 letters."""
    bits, at = 0, 0
    for p in (1 - s.turn, s.turn):
        for count in men_of(s, p):
            bits |= (1 << count) - 1 << at
            at += count + 1
    return _text(bits, 10)


def read_position_id(s, text):
    """Put the men of a position ID on the board; `s.turn` is on roll. Raises ValueError."""
    bits = _number(text, 14, "a position ID")
    sides = []
    for _ in range(2):
        side = []
        for _ in range(25):
            count = 0
            while bits & 1:
                count, bits = count + 1, bits >> 1
            bits >>= 1
            side.append(count)
        sides.append(side)
    if bits:
        raise ValueError(f"the position ID {text} has men beyond the board")
    for p, men in zip((1 - s.turn, s.turn), sides, strict=True):
        put_men(s, p, men)


def _card(s):
    """Return what a match ID says about a state, by name."""
    playing = {_OPENING: _NO_GAME, _OVER: _FINISHED}.get(s.stage, _PLAYING)
    if s.stage == _OVER and s.points and MATCH == 0 and s.men[_PLACES * s.turn + _OFF] < MEN:
        playing = _DROPPED
    return {
        "cube": s.cube.bit_length() - 1,
        "owner": _CENTRED if s.owner == 0 else s.owner - 1,
        "move": s.turn,
        "crawford": int(s.crawford == 1),
        "game": playing,
        "turn": 1 - s.turn if s.stage == _ANSWER else s.turn,
        "doubled": int(s.stage == _ANSWER),
        "resigned": 0,
        "first": s.high,
        "second": s.low,
        "length": MATCH,
        "score0": s.score[0],
        "score1": s.score[1],
    }


def match_id(s):
    """Return the match ID, 12 letters."""
    bits, at = 0, 0
    card = _card(s)
    for name, width in _CARD.items():
        bits |= card[name] << at
        at += width
    return _text(bits, 9)


def read_match_id(s, text):
    """Fill dice, cube, score and turn from a match ID, before the men. Raises ValueError."""
    bits = _number(text, 12, "a match ID")
    card = {}
    for name, width in _CARD.items():
        card[name] = bits & (1 << width) - 1
        bits >>= width
    if card["owner"] == 2:
        raise ValueError(f"the match ID {text} names no owner of the cube")
    if card["resigned"] or card["game"] == 3:
        raise ValueError(f"the match ID {text} is of a game in which somebody resigns, which is no move here")
    if card["game"] > _DROPPED:
        raise ValueError(f"the match ID {text} has no state of a game")
    s.turn = card["move"]
    s.owner = 0 if card["owner"] == _CENTRED else 1 + card["owner"]
    _settle(s, card["cube"], card["length"], (card["score0"], card["score1"]), card["crawford"])
    _dice(s, card["first"], card["second"])
    if card["game"] == _NO_GAME:
        s.stage = _OPENING
        if s.high:
            raise ValueError(f"the match ID {text} has dice and no game")
    elif card["game"] in (_FINISHED, _DROPPED):
        s.stage = _OVER
    elif card["doubled"]:
        s.stage = _ANSWER
        if s.high or card["turn"] == card["move"] or not may_double(s):
            raise ValueError(f"the match ID {text} has a double that nobody may offer")


def _settle(s, cube, length, score, crawford):
    """Fill cube and match. Raises ValueError."""
    s.cube = 1 << cube
    if s.cube > _MOST_CUBE:
        raise ValueError(f"the cube goes up to {_MOST_CUBE}, got {s.cube}")
    if length != MATCH:
        this = f"to {MATCH} points" if MATCH else "a single game"
        way = f"match={length}" if length else "match=0"
        raise ValueError(f"this is a position of a match to {length} points, and the game is {this}: give {way}")
    if MATCH and not (min(score) < MATCH and max(score) <= MATCH):
        raise ValueError(f"a score in a match to {MATCH} points is not {score[0]}-{score[1]}")
    s.score[0], s.score[1] = score if MATCH else (0, 0)
    late = MATCH > 1 and max(score) >= MATCH - 1
    if crawford and not (late and (min(score) < MATCH - 1 or max(score) == MATCH)):
        raise ValueError(f"at {score[0]}-{score[1]} of {MATCH} it is not the Crawford game")
    s.crawford = 1 if crawford else 2 if late else 0


def _dice(s, first, second):
    """Fill the dice and what they mean for the stage. Raises ValueError."""
    if not (first == second == 0 or (1 <= first <= 6 and 1 <= second <= 6)):
        raise ValueError(f"dice are 1 to 6, or 0 0 before the roll, got {first} {second}")
    s.high, s.low = max(first, second), min(first, second)
    s.stage = _MOVE if s.high else _ROLL


def before_roll(s):
    """Say what happens before the roll: a decision about the cube, if there is one."""
    if s.stage == _ROLL and may_double(s):
        s.stage = _DOUBLE


def sane(s):
    """Raise ValueError for boards that no game has: men of both sides on a point, or a winner who has not won."""
    for n in range(1, 25):
        if s.men[n] and s.men[_PLACES + _OFF - n]:
            raise ValueError(f"both players have men on point {25 - n}")
    done = [p for p in (0, 1) if s.men[_PLACES * p + _OFF] == MEN]
    if len(done) == 2 or (done and s.stage != _OVER):
        raise ValueError(f"player {done[0]} has borne off all men: the game is over")
    if s.stage == _OPENING and any(s.men[_PLACES * p + n] != START[n] for p in (0, 1) for n in range(_PLACES)):
        raise ValueError("before the opening roll the men stand as in the beginning")


# XGID.


def xgid(s):
    """Return the position as XGID; player 0 is the one at the bottom, with capital letters."""
    letters = []
    for n in range(26):  # the points as player 0 counts, the bars at the ends
        mine = s.men[_OFF - n] if n else 0
        theirs = s.men[_PLACES + n] if n < 25 else 0
        letters.append(chr(64 + mine) if mine else chr(96 + theirs) if theirs else "-")
    sign = (1, -1)
    owner = 0 if s.owner == 0 else sign[s.owner - 1]
    dice = "D" if s.stage == _ANSWER else f"{s.high}{s.low}"
    fields = ["".join(letters), s.cube.bit_length() - 1, owner, sign[s.turn], dice]
    fields += [s.score[0], s.score[1], int(s.crawford == 1), MATCH, _MOST_CUBE.bit_length() - 1]
    return "XGID=" + ":".join(map(str, fields))


def read_xgid(s, text):
    """Fill a state from XGID. Raises ValueError."""
    match = re.fullmatch(
        r"(?:XGID=)?([-A-Pa-p]{26}):(\d{1,2}):(-1|0|1):(-1|1):(D|B|R|[0-6]{2}):(\d{1,4}):(\d{1,4}):(\d):(\d{1,4}):\d+",
        text.strip(),
    )
    if not match:
        raise ValueError("an XGID looks like XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:6")
    board, cube, owner, turn, dice, *rest = match.groups()
    if dice in "BR":
        raise ValueError("beavers and raccoons are not played here")
    mine = [max(ord(letter) - 64, 0) if letter.isupper() else 0 for letter in board]
    theirs = [ord(letter) - 96 if letter.islower() else 0 for letter in board]
    if mine[0] or theirs[25]:
        raise ValueError("the first letter of an XGID is player 1's bar, the last player 0's")
    put_men(s, 0, mine[1:])
    put_men(s, 1, [*reversed(theirs[1:25]), theirs[0]])
    s.turn = 0 if turn == "1" else 1
    s.owner = {"0": 0, "1": 1, "-1": 2}[owner]
    score, rule, length = (int(rest[0]), int(rest[1])), int(rest[2]), int(rest[3])
    _settle(s, int(cube), length, score, rule if length else 0)
    if dice == "D":
        _dice(s, 0, 0)
        s.stage = _ANSWER
        if not may_double(s):
            raise ValueError("this XGID has a double that nobody may offer")
    else:
        _dice(s, int(dice[0]), int(dice[1]))
