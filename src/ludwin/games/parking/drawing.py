"""Drawings of the car park: letters in colours for terminals, and pictures."""

from ludwin.games.parking.park import OUT_LEFT, RED_ROW, SIZE, is_across, length_of, line_of, place_of
from ludwin.primitives import shr
from ludwin.svg import Sheet

_CELL, _WALL = 44, 12
_RED = "#d8342b"
_PAINT = (
    *("#4f81bd", "#9bbb59", "#8064a2", "#f2c14e", "#4bacc6", "#f79646", "#6b8e23", "#b07aa1"),
    *("#76b7b2", "#edc948", "#7f7f7f", "#9c755f", "#2ca089", "#5f7fbf", "#c49a6c", "#86a35b"),
)
_SHADES = (39, 76, 135, 220, 45, 208, 100, 176, 73, 184, 246, 137, 36, 69)  # backgrounds among a terminal's 256 colours
_RED_SHADE = 196


def _vehicles(s):
    """Yield letter, number, row, column, direction and length of each vehicle."""
    for v in range(s.vehicles):
        across, line, place = is_across(s, v), line_of(s, v), place_of(s, v)
        letter = chr(shr(s.letters[v // 8], 8 * (v % 8)) & 127)
        yield letter, v, line if across else place, place if across else line, across, length_of(s, v)


def show(s):
    rows = [["."] * SIZE for _ in range(SIZE)]
    for letter, _, row, column, across, length in _vehicles(s):
        for k in range(length):
            rows[row + (0 if across else k)][column + (k if across else 0)] = letter
    lines = [" ".join(row) for row in rows]
    return "\n".join(
        (f"<{line}" if OUT_LEFT else f" {line}>") if r == RED_ROW else f" {line}" for r, line in enumerate(lines)
    )


def show_colours(s):
    codes = {letter: _SHADES[number % len(_SHADES)] for letter, number, *_ in _vehicles(s)} | {"X": _RED_SHADE}
    painted = []
    for line in show(s).splitlines():
        cells = [line[k : k + 2] if k < 2 * SIZE - 1 else line[k] for k in range(1, 2 * SIZE, 2)]
        shades = [f"\x1b[30;48;5;{codes[cell[0]]}m{cell}\x1b[0m" if cell[0] in codes else cell for cell in cells]
        painted.append(line[0] + "".join(shades) + line[2 * SIZE :])
    return "\n".join(painted)


def picture(s):
    side = SIZE * _CELL + 2 * _WALL
    sheet = Sheet(side, side, "parking")
    sheet.rect(2, 2, side - 4, side - 4, "quiet", round=8)
    for row in range(SIZE):
        for column in range(SIZE):
            x, y = _corner(row, column)
            sheet.rect(x, y, _CELL, _CELL, "panel", line="line", at=_cell(row, column))
    _, y = _corner(RED_ROW, 0)
    sheet.rect(0 if OUT_LEFT else side - _WALL, y, _WALL, _CELL, "panel")
    tip, base = (2, _WALL - 2) if OUT_LEFT else (side - 2, side - _WALL + 2)
    sheet.path(f"M{base} {y + 15}L{tip} {y + 22}L{base} {y + 29}Z", "quiet")
    for letter, number, row, column, across, length in _vehicles(s):
        _vehicle(sheet, letter, _RED if letter == "X" else _PAINT[number % len(_PAINT)], (row, column, across, length))
    return str(sheet)


def _corner(row, column):
    """Return the upper left corner of a cell."""
    return _WALL + column * _CELL, _WALL + row * _CELL


def _cell(row, column):
    """Return the name of a cell: columns have letters from the left, rows numbers from above."""
    return f"{'abcdefgh'[column]}{row + 1}"


def _vehicle(sheet, letter, paint, stand):
    """Draw a vehicle upon the ground that it covers: that ground is the place with its letter."""
    row, column, across, length = stand
    x, y = _corner(row, column)
    wide, high = (length * _CELL, _CELL) if across else (_CELL, length * _CELL)
    sheet.rect(x, y, wide, high, "panel", line="line", at=letter)
    with sheet.group(**{"pointer-events": "none"}):
        sheet.rect(x + 4, y + 4, wide - 8, high - 8, paint, round=9)
        sheet.text(x + wide / 2, y + high / 2, letter, _ink(paint), 17, bold=True)


def _ink(paint):
    """Return the colour of letters that can be read on a paint."""
    red, green, blue = (int(paint[k : k + 2], 16) for k in (1, 3, 5))
    return "#ffffff" if 0.3 * red + 0.59 * green + 0.11 * blue < 125 else "#1b1d20"


def places(s, m):
    """Return the vehicle that a move slides, and the free cell at which its front arrives."""
    v, old, new = m // 64, m // 8 % 8, m % 8
    letter = chr(shr(s.letters[v // 8], 8 * (v % 8)) & 127)
    front = new if new < old else new + length_of(s, v) - 1
    line = line_of(s, v)
    return [letter, _cell(line, front) if is_across(s, v) else _cell(front, line)]
