"""Chess boards for people: letters in a terminal, and a picture whose squares are places that can be clicked.

The men are drawn by lines of our own, in a square of 45 units each.
"""

from ludwin.games.chess.attacks import in_check, king_of
from ludwin.games.chess.fen import letter_at, square_name
from ludwin.games.chess.generate import TO
from ludwin.svg import SquareBoard

FACES = 0  # White sits below the board

_BASE = "M11 39h23v-3.5q0-2-3-2.5h-17q-3 .5-3 2.5z"
_SHAPES = {
    "P": (
        "M22.5 9a5 5 0 0 1 3.7 8.5q2.8 2 2.8 4.5h-3.5q.5 6 5 11h-16q4.5-5 5-11h-3.5q0-2.5 2.8-4.5a5 5 0 0 1 3.7-8.5z"
    ),
    "N": ("M14 33q0-8 8-12.5q-2.5 1-5 .8l-3.5 3.7q-3.5-.5-4-3.7l6.5-9q1-3 4-4l.5-3.3l3.5 2.8q11 2 11 17.5v7.7z"),
    "B": (
        "M22.5 5a2.6 2.6 0 0 1 1.6 4.6q6.4 5.4 6.4 11.4q0 4-3.5 6.5l1.5 5.5h-12l1.5-5.5q-3.5-2.5-3.5-6.5"
        "q0-6 6.4-11.4a2.6 2.6 0 0 1 1.6-4.6z"
    ),
    "R": "M12 9h4.5v3.5h4v-3.5h4v3.5h4v-3.5h4.5v8l-4 3.5v9l3 3.5h-19l3-3.5v-9l-4-3.5z",
    "Q": (
        "M13 33l-4.5-18l7 7.5l1.5-13l5.5 11.5l5.5-11.5l1.5 13l7-7.5l-4.5 18z"
        "M8.5 10.5a2 2 0 1 0 .1 0zM17 5.5a2 2 0 1 0 .1 0zM28 5.5a2 2 0 1 0 .1 0zM36.5 10.5a2 2 0 1 0 .1 0z"
    ),
    "K": (
        "M21 4h3v3h3v3h-3v4q2-2.5 6-2.5q6.5 .5 6.5 7q0 6-7.5 14.5h-13q-7.5-8.5-7.5-14.5q0-6.5 6.5-7"
        "q4 0 6 2.5v-4h-3v-3h3z"
    ),
}


def show(s):
    lines = []
    for rank in range(7, -1, -1):
        cells = (letter_at(s, 8 * rank + file) or "." for file in range(8))
        lines.append(f"{rank + 1} | {' '.join(cells)} |")
    return "\n".join([*lines, "    a b c d e f g h", _whose(s)])


def _whose(s):
    return f"{('White', 'Black')[s.turn]} to move{', in check' if in_check(s, s.turn) else ''}"


def picture(s):
    board = SquareBoard(8, 8, "chess", left=range(8, 0, -1), below="abcdefgh", remarks=[_whose(s)])
    checked = king_of(s, s.turn) if in_check(s, s.turn) else -1
    for square in range(64):
        file, rank = square % 8, square // 8
        fill = "bad" if square == checked else "square-dark" if (file + rank) % 2 == 0 else "square"
        board.square(7 - rank, file, fill, at=square_name(square))
        letter = letter_at(s, square)
        if letter:
            _man(board, letter, *board.middle(7 - rank, file))
    return str(board)


def _man(board, letter, x, y):
    """Draw a man around (x, y), White's light with a dark rim, Black's the other way round."""
    fill, rim = ("white", "black") if letter.isupper() else ("black", "white")
    more = {"transform": f"translate({x - 22.5:g} {y - 22.5:g})", "stroke-linejoin": "round", "pointer-events": "none"}
    board.path(_SHAPES[letter.upper()] + _BASE, fill, line=rim, thick=1.3, **more)


def places(s, m):
    """Return the squares that a move touches, in the order in which a hand does."""
    return [square_name(m & 63), square_name(m >> TO & 63)]
