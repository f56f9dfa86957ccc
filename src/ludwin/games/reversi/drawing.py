"""Drawings of a reversi board."""

from ludwin.games.reversi.rules import SIZE, _disc
from ludwin.primitives import popcount
from ludwin.svg import SquareBoard


def show(s):
    lines = ["  " + " ".join("abcdefgh"[:SIZE])]
    for row in range(SIZE):
        cells = " ".join(_disc(s, row * SIZE + c) for c in range(SIZE)).replace("-", ".")
        lines.append(f"{row + 1} {cells}")
    counts = " : ".join(str(popcount(s.discs[p])) for p in range(2))
    return "\n".join([*lines, f"X {counts} O, {'XO'[s.turn]} to move"])


def picture(s):
    words = " : ".join(str(popcount(s.discs[p])) for p in range(2))
    board = SquareBoard(
        SIZE,
        SIZE,
        "reversi",
        left=range(1, SIZE + 1),
        below="abcdefgh"[:SIZE],
        remarks=[f"Black {words} White, {('Black', 'White')[s.turn]} to move"],
    )
    for row in range(SIZE):
        for column in range(SIZE):
            disc = _disc(s, row * SIZE + column)
            board.square(row, column, "felt", at=f"{'abcdefgh'[column]}{row + 1}", line="ink", thick=0.5)
            if disc in "XO":
                board.circle(*board.middle(row, column), 18, "black" if disc == "X" else "white", line="ink")
    return str(board)
