"""Drawings of a backgammon board: letters for a terminal, SVG with places for a page.

Both show the board as the player sees it who is to decide, so that the numbers are those of its plays: its home is
below on the right, it moves from 24 to 1.  Player 0 has X and dark men, player 1 O and light ones.
"""

from ludwin.games.backgammon.plays import WORDS, legal_moves, place_name, ways
from ludwin.games.backgammon.rules import (
    _ANSWER,
    _DOUBLE,
    _MOVE,
    _OFF,
    _OPENING,
    _OVER,
    _PLACES,
    CUBE,
    MATCH,
    pips,
)
from ludwin.svg import Sheet

_SIGNS = "XO"
_HIGH = 5  # men that a point shows in a terminal; more are a number


def _viewer(s):
    """Return whose numbers the drawing has."""
    return 1 - s.turn if s.stage == _ANSWER else s.turn


def _stack(s, p, point):
    """Return player and number of the men on a point as player p counts."""
    mine = s.men[_PLACES * p + _OFF - point]
    theirs = s.men[_PLACES * (1 - p) + point]
    return (p, mine) if mine else (1 - p, theirs)


def show(s):
    p = _viewer(s)
    top, bottom = range(13, 25), range(12, 0, -1)
    lines = [_numbers(top), *_rows(s, p, top), _middle(), *reversed(_rows(s, p, bottom)), _numbers(bottom)]
    off = [s.men[_PLACES * q + _OFF] for q in (0, 1)]
    for q, line in ((1 - p, 1), (p, len(lines) - 2)):
        lines[line] += f"   {_SIGNS[q]} {pips(s, q)} pips, {off[q]} off"
    return "\n".join([*lines, *_words(s)])


def _numbers(points):
    cells = [f"{point:>3}" for point in points]
    return " +" + "".join(cells[:6]) + "-----" + "".join(cells[6:]) + " +"


def _middle():
    return " |" + " " * 18 + " BAR " + " " * 18 + " |"


def _rows(s, p, points):
    """Return the rows of one half, the outermost first; the bar holds the men that must come in there."""
    waiting = 1 - p if 24 not in points else p
    rows = []
    for row in range(_HIGH):
        cells = [_cell(*_stack(s, p, point), row) for point in points]
        bar = _cell(waiting, s.men[_PLACES * waiting], _HIGH - 1 - row)
        rows.append(" |" + "".join(cells[:6]) + f" {bar} " + "".join(cells[6:]) + " |")
    return rows


def _cell(player, count, row):
    if row < min(count, _HIGH - 1) or (row == _HIGH - 1 and count == _HIGH):
        return f"  {_SIGNS[player]}"
    return f"{count:>3}" if row == _HIGH - 1 and count > _HIGH else "   "


def _words(s):
    """Return what is beside the board, in lines."""
    lines = []
    if MATCH:
        crawford = ", Crawford game" if s.crawford == 1 else ""
        lines.append(f"match to {MATCH}: X {s.score[0]}, O {s.score[1]}{crawford}")
    if CUBE or s.cube > 1:
        lines.append(f"cube {s.cube}, {'in the middle' if s.owner == 0 else _SIGNS[s.owner - 1] + ' has it'}")
    who = _SIGNS[s.turn]
    if s.stage == _OVER:
        lines.append("a draw" if s.points == 0 else f"{who} has won {s.points} point{'s' * (s.points > 1)}")
    elif s.stage == _OPENING:
        lines.append("both players roll a die for the first turn")
    elif s.stage == _MOVE:
        lines.append(f"{who} to play {s.high}-{s.low}")
    elif s.stage == _ANSWER:
        lines.append(f"{who} doubles to {2 * s.cube}: {_SIGNS[1 - s.turn]} takes or drops")
    else:
        lines.append(f"{who} to roll{' or to double' if s.stage == _DOUBLE else ''}")
    return lines


# SVG: a point is WIDE, a half of the board has six of them, the bar lies between, what is off to the right.

_WIDE, _LONG, _EDGE, _RADIUS = 44, 190, 24, 20
_BOARD = 13 * _WIDE
_TALL = 2 * _LONG + 60
_BAR_LEFT = _EDGE + 6 * _WIDE
_FILL = ("black", "white")
_POINTS = ("square", "square-dark")
_BUTTON = 74


def _left(point):
    """Return the left edge of a point: 13 to 24 above, 12 to 1 below, the bar after six."""
    column = point - 13 if point > 12 else 12 - point
    return _EDGE + (column + (column > 5)) * _WIDE


def _ends(point):
    """Return how high the base and the tip of a point are."""
    return (_EDGE, _EDGE + _LONG) if point > 12 else (_EDGE + _TALL, _EDGE + _TALL - _LONG)


def picture(s):
    p = _viewer(s)
    wide, tall = _EDGE + _BOARD + 2 * _WIDE, _TALL + 2 * _EDGE + 40
    sheet = Sheet(wide, tall, "backgammon")
    sheet.rect(_EDGE - 6, _EDGE - 6, _BOARD + 12, _TALL + 12, "wood", round=6)
    sheet.rect(_EDGE, _EDGE, _BOARD, _TALL, "felt")
    for point in range(1, 25):
        sheet.rect(_left(point), min(_ends(point)), _WIDE, _LONG, "felt", at=point)
    sheet.rect(_BAR_LEFT, _EDGE, _WIDE, _TALL, "wood", at="bar")
    for q, top in ((1 - p, _EDGE), (p, _EDGE + _TALL - _LONG)):
        place = {"at": "off"} if q == p else {}
        sheet.rect(_EDGE + _BOARD + 14, top, _WIDE, _LONG, "panel", line="line", **place)
    with sheet.group(**{"pointer-events": "none"}):  # a click on a man is a click on its place
        for point in range(1, 25):
            _point(sheet, point, *_stack(s, p, point))
        middle, centre = _BAR_LEFT + _WIDE / 2, _EDGE + _TALL / 2
        _men(sheet, (p, s.men[_PLACES * p]), middle, centre - 34, -1)
        _men(sheet, (1 - p, s.men[_PLACES * (1 - p)]), middle, centre + 34, 1)
        _off(sheet, s, p)
        _dice_and_cube(sheet, s, p)
    for k, line in enumerate(_words(s)):
        sheet.text(_EDGE + 190 * k, tall - 18, line, "ink", 13, anchor="start")
    for k, word in enumerate(reversed(_whole(s))):
        x, y = _EDGE + _BOARD - (k + 1) * _BUTTON - k * 8, tall - 31
        sheet.rect(x, y, _BUTTON, 26, "panel", line="ink", round=6, move=word)
        sheet.text(x + _BUTTON / 2, y + 13, word, "ink", 13, **{"pointer-events": "none"})
    return str(sheet)


def _whole(s):
    """Return the names of the moves that touch no point: they are drawn as buttons."""
    if s.stage in (_DOUBLE, _ANSWER):
        return [WORDS[m] for m in legal_moves(s)]
    return ["pass"] if s.stage == _MOVE and legal_moves(s) == [0] else []


def places(s, m):
    """Return the places of each man that a play moves, one man after the other; a roll and a word have none."""
    return [place_name(at) for way in ways(s, m) for at in way] if s.stage == _MOVE else []


def _point(sheet, point, player, count):
    """Draw a point with its number and men."""
    left, (base, tip), way = _left(point), _ends(point), 1 if point > 12 else -1
    middle = left + _WIDE / 2
    sheet.path(f"M{left} {base}H{left + _WIDE}L{middle:g} {tip}Z", _POINTS[point % 2])
    sheet.text(middle, base - 15 * way, str(point), "quiet", 12)
    _men(sheet, (player, count), middle, base, way)


def _men(sheet, men, middle, base, way):
    """Draw a stack of men from its base inwards; more than five are a number on the last."""
    player, count = men
    for k in range(min(count, 5)):
        y = base + way * (_RADIUS + 1 + k * (2 * _RADIUS - 3))
        sheet.man(middle, y, _FILL[player], radius=_RADIUS)
        if count > 5 and k == 4:
            sheet.text(middle, y, str(count), _FILL[1 - player], 15, bold=True)


def _off(sheet, s, p):
    """Draw the men that are off in the trays of both players, the viewer's below, and the pips that are left."""
    left = _EDGE + _BOARD + 14
    for q, top in ((1 - p, _EDGE), (p, _EDGE + _TALL - _LONG)):
        for k in range(s.men[_PLACES * q + _OFF]):
            y = top + 4 + k * 12 if q != p else top + _LONG - 14 - k * 12
            sheet.rect(left + 4, y, _WIDE - 8, 10, _FILL[q], line="ink")
        sheet.text(left, top + _LONG + 12 if q != p else top - 12, f"{pips(s, q)} pips", "ink", 13, anchor="start")


def _dice_and_cube(sheet, s, p):
    centre = _EDGE + _TALL / 2
    side = 9.6 if s.turn == p else 2.6
    for k, number in enumerate((s.high, s.low) if s.stage == _MOVE else ()):
        sheet.die(_EDGE + (side + k) * _WIDE, centre, number, 34, _FILL[s.turn])
    if CUBE or s.cube > 1:
        where = centre if s.owner == 0 else centre + (150 if s.owner == 1 + p else -150)
        x = _BAR_LEFT + _WIDE / 2
        sheet.rect(x - 16, where - 16, 32, 32, "white", line="ink", round=5)
        shown = 64 if s.cube == 1 else s.cube  # the cube in the middle lies with its 64 up
        sheet.text(x, where, str(shown), "black", 14, bold=True)
