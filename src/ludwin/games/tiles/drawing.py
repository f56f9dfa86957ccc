"""Drawings of the board of tiles."""

from ludwin.games.tiles.rules import COLUMNS, ROWS, tile_at
from ludwin.svg import SquareBoard


def show(s):
    width = len(str(ROWS * COLUMNS - 1))
    rows = []
    for r in range(ROWS):
        tiles = [tile_at(s, r * COLUMNS + c) for c in range(COLUMNS)]
        rows.append(" ".join(str(tile).rjust(width) if tile else ".".rjust(width) for tile in tiles))
    return "\n".join(rows)


def picture(s):
    board = SquareBoard(ROWS, COLUMNS, "tiles")
    board.flips = False  # numbers have an upper side
    for cell in range(ROWS * COLUMNS):
        row, column, tile = cell // COLUMNS, cell % COLUMNS, tile_at(s, cell)
        if tile == 0:
            board.square(row, column, "panel")
            continue
        board.square(row, column, "wood", at=str(tile))
        x, y = board.middle(row, column)
        with board.group(**{"pointer-events": "none"}):
            fill = "felt" if tile == cell + 1 else "square"
            board.rect(x - 21, y - 21, 42, 42, fill, line="ink", thick=0.6, round=5)
            board.text(x, y, str(tile), "ink", 20)
    return str(board)


def places(s, m):
    """Return the tile that a move slides."""
    return [str(tile_at(s, m))]
