"""Tiles in writing: a move is the number of the tile that slides, a position its rows."""

import re

from ludwin.games.tiles.rules import (
    COLUMNS,
    MAX_MOVES,
    MAX_PLIES,
    ROWS,
    cell_of,
    inverse,
    moves,
    packed,
    shuffled,
    tile_at,
)

_WAYS = {"up": -COLUMNS, "down": COLUMNS, "left": -1, "right": 1}  # where the tile goes


def name(s, m):
    return str(tile_at(s, m))


def parse(s, text):
    out = [0] * MAX_MOVES
    legal = out[: moves(s, out)]
    word = text.strip().lower()
    if word in _WAYS:
        cell = cell_of(s, 0) - _WAYS[word]
        if cell in legal:
            return cell
    for m in legal:
        if word == str(tile_at(s, m)):
            return m
    names = " ".join(str(tile_at(s, m)) for m in legal)
    raise ValueError(f"a move is the number of a tile beside the gap ({names or 'none'}), or up, down, left, right")


def write(s):
    tiles = [str(tile_at(s, cell)) for cell in range(ROWS * COLUMNS)]
    rows = "/".join(" ".join(tiles[r * COLUMNS : (r + 1) * COLUMNS]) for r in range(ROWS))
    return rows + (f" +{s.played}" if s.played else "")


def read(s, text):
    cells = ROWS * COLUMNS
    drawn = re.fullmatch(r"#([0-9]{1,15})", text.strip())
    found = re.fullmatch(r"([0-9\s,/]+?)(?:\s*\+([0-9]{1,6}))?", text.strip())
    if not (found or drawn):
        raise ValueError(f"a position is {cells} numbers, row by row, 0 for the gap, or #N for a random one")
    if drawn:
        tiles = shuffled(int(drawn[1]))
    else:
        words = re.split(r"[\s,/]+", found[1].strip(" ,/"))
        if len(words) == 1 and len(words[0]) == cells and cells <= 10:
            words = list(words[0])  # 123456780
        tiles = tuple(int(word) for word in words if len(word) < 4)
    if sorted(tiles) != list(range(cells)):
        raise ValueError(f"a position has each number from 0 to {cells - 1} once, got {' '.join(map(str, tiles))}")
    s.board[:] = packed(tiles)
    s.where[:] = packed(inverse(tiles))
    s.played = int(found[2] or 0) if found else 0
    if s.played > MAX_PLIES:
        raise ValueError(f"a game has at most {MAX_PLIES} moves, got +{s.played}")
