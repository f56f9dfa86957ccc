"""Drawings of a draughts board, with the numbers of its squares at the sides."""

from ludwin.games.draughts.rules import SHORT, SIZE, _bit
from ludwin.svg import SquareBoard

FACES = 1  # White sits below the board


def _piece(s, bit):
    p = 0 if s.pieces[0] >> bit & 1 else 1 if s.pieces[1] >> bit & 1 else None
    return "." if p is None else ("BW" if s.kings >> bit & 1 else "bw")[p]


def show(s):
    lines = []
    for row in range(SIZE):
        first = row * SHORT + 1
        cells = " " + "   ".join(_piece(s, _bit(first + k)) for k in range(SHORT)) + " "
        cells = f"  {cells}" if row % 2 == 0 else f"{cells}  "
        lines.append(f"{first:3} |{cells}| {first + SHORT - 1}")
    return "\n".join([*lines, f"{('Black', 'White')[s.turn]} to move"])


def picture(s):
    board = SquareBoard(SIZE, SIZE, "draughts", remarks=[f"{('Black', 'White')[s.turn]} to move"])
    for row in range(SIZE):
        for column in range(SIZE):
            if (row + column) % 2 == 0:
                board.square(row, column, "square")
                continue
            number = row * SHORT + column // 2 + 1
            x, y = board.middle(row, column)
            board.square(row, column, "square-dark", at=str(number))
            board.text(x - 21, y - 19, str(number), "quiet", 7, anchor="start")
            piece = _piece(s, _bit(number))
            if piece != ".":
                board.man(x, y, "black" if piece in "bB" else "white", crown=piece in "BW")
    return str(board)
