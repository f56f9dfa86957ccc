"""Boards as texts, and what is deduced from them once for each problem: not compiled.

Two forms are read: the board row by row (36 or 64 characters, `.` for a free cell, X for the red car, any other letter
or digit for a vehicle), and a list of vehicles, `column row h|v length` counted from 0 at the top left and separated
by semicolons, the red car first.
"""

import re
from pathlib import Path
from typing import NamedTuple

from ludwin.games.parking.park import ACROSS, BYTES, EXIT_SIDE, HALVES, OUT_LEFT, RED_ROW, SIZE
from ludwin.primitives import mix, shl

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWYZabcdefghijklmnopqrstuvwxyz0123456789"
EMPTY = "._"
_CARDS = Path(__file__).parent / "data" / "cards.txt"


class Vehicle(NamedTuple):
    """A vehicle where it stands: its letter, the row and column of its first cell, its direction and length."""

    letter: str
    row: int
    column: int
    across: bool
    length: int

    @property
    def cells(self):
        """The cells that it covers, as (row, column)."""
        steps = range(self.length)
        return [(self.row, self.column + k) if self.across else (self.row + k, self.column) for k in steps]

    @property
    def place(self):
        """Where in its line it begins."""
        return self.column if self.across else self.row

    def at(self, place):
        """Return the vehicle at another place of its line."""
        return self._replace(column=place) if self.across else self._replace(row=place)


def cards():
    """Return the forty classic cards."""
    lines = _CARDS.read_text(encoding="utf8").splitlines()
    return tuple(line.split()[1] for line in lines if not line.startswith("#"))


HAS_CARDS = SIZE == 6 and RED_ROW == 2  # whether the board is that of the cards, perhaps turned round


def start_board(card):
    """Return the start: a classic card on the usual board, turned round if the exit is on the left; else a small
    one."""
    if HAS_CARDS:
        board = cards()[card - 1]
        rows = [board[6 * r : 6 * r + 6] for r in range(6)]
        return "".join(row[::-1] for row in rows) if OUT_LEFT else board
    if SIZE == 8 and RED_ROW == 3 and not OUT_LEFT:  # found by hill climbing; 23 slides
        return ".I.OOKKK.IPPPA..SJ..GAQQSJXXG.N.SCCCEEN.BB..L.N.RRR.LMMMFFFDDHHH"
    rows = [["."] * SIZE for _ in range(SIZE)]
    for k in range(2):
        rows[RED_ROW][SIZE - 1 - k if OUT_LEFT else k] = "X"
    middle, top = SIZE - 1 - SIZE // 2 if OUT_LEFT else SIZE // 2, max(0, RED_ROW - 1)
    for k in range(2):
        rows[top + k][middle] = "A"
    return "".join(map("".join, rows))


def read_board(text):
    """Return the vehicles of a text in one of the two forms. Raises ValueError with what is wrong."""
    text = text.strip()
    found = _from_list(text) if re.match(r"[0-9]+\s+[0-9]+\s+[hHvV]\s", text) else _from_cells(re.sub(r"\s+", "", text))
    taken = {}
    for vehicle in found:
        for row, column in vehicle.cells:
            if not (0 <= row < SIZE and 0 <= column < SIZE):
                raise ValueError(f"vehicle {vehicle.letter} stands beside the board of {SIZE}x{SIZE}")
            if (row, column) in taken:
                other = taken[row, column]
                raise ValueError(f"vehicles {other} and {vehicle.letter} overlap at row {row + 1}, column {column + 1}")
            taken[row, column] = vehicle.letter
    red = [vehicle for vehicle in found if vehicle.letter == "X"]
    if len(red) != 1:
        raise ValueError(f"there is one red car, X, got {'none' if not red else len(red)}")
    if not red[0].across or red[0].row != RED_ROW or red[0].length > 3:
        raise ValueError(f"the red car X lies in row {RED_ROW + 1}, that of the exit on the {EXIT_SIDE}, and is no bus")
    return in_order(found)


def in_order(vehicles):
    """Return vehicles by their numbers: the red car, then the others by their letters."""
    return sorted(vehicles, key=lambda vehicle: LETTERS.find(vehicle.letter))


def _from_cells(text):
    if len(text) != SIZE * SIZE:
        raise ValueError(f"a board of {SIZE}x{SIZE} is {SIZE * SIZE} characters, got {len(text)}")
    found = []
    for letter in dict.fromkeys(text):
        if letter in EMPTY:
            continue
        if letter not in LETTERS + "X":
            raise ValueError(f"a cell is a letter or a digit, or . where it is free, got {letter!r}")
        cells = [(k // SIZE, k % SIZE) for k, one in enumerate(text) if one == letter]
        (row, column), length = cells[0], len(cells)
        across = length > 1 and cells[1][0] == row
        vehicle = Vehicle(letter, row, column, across, length)
        if length < 2 or vehicle.cells != cells:
            twice = "; there is one red car" if letter == "X" else ""
            raise ValueError(f"{letter} is not one straight vehicle of two or more cells{twice}")
        found.append(vehicle)
    return found


def _from_list(text):
    found = []
    for k, item in enumerate(re.split(r"[;\n]+", text.strip(" ;\n"))):
        match = re.fullmatch(r"\s*([0-9])\s+([0-9])\s+([hHvV])\s+([0-9])\s*", item)
        if not match or int(match[4]) < 2:
            raise ValueError(f"a vehicle is column, row, h or v, and a length from 2 on, got {item.strip()!r}")
        if k > len(LETTERS):
            raise ValueError(f"there are at most {len(LETTERS) + 1} vehicles, got more")
        letter = "X" if k == 0 else LETTERS[k - 1]
        found.append(Vehicle(letter, int(match[2]), int(match[1]), match[3] in "hH", int(match[4])))
    return found


def deduced(vehicles):
    """Return where vehicles stand in the deduced goal, by letter: the red car on the exit, what is in its way beside
    it, and what is then overlapped out of the way in its turn, each once; rules of moving are ignored.
    """
    red = next(vehicle for vehicle in vehicles if vehicle.letter == "X")
    goal = {"X": red.at(0 if OUT_LEFT else SIZE - red.length)}
    ahead = range(red.column) if OUT_LEFT else range(red.column + red.length, SIZE)
    way = {(RED_ROW, column) for column in [*ahead, *(c for _, c in red.cells)]}
    queue = [(v, way) for v in vehicles if v.letter != "X" and not v.across and way & set(v.cells)]
    while queue:
        vehicle, forbidden = queue.pop(0)
        if vehicle.letter in goal:
            continue
        fixed = {cell for other in goal.values() for cell in other.cells} | forbidden
        ranked = []
        for place in range(SIZE - vehicle.length + 1):
            moved = vehicle.at(place)
            if fixed & set(moved.cells):
                continue
            hit = [v for v in vehicles if v.letter not in (*goal, vehicle.letter) and set(v.cells) & set(moved.cells)]
            ranked.append((abs(place - vehicle.place), len(hit), place, moved, hit))
        if not ranked:
            continue  # nothing fits: it is left where it is
        _, _, _, moved, hit = min(ranked, key=lambda one: one[:3])
        goal[vehicle.letter] = moved
        queue += [(other, set(moved.cells)) for other in hit]
    return {letter: vehicle.place for letter, vehicle in goal.items()}


def fields_of(vehicles):
    """Return the fields of a state at the start of a problem; the vehicles are in order."""
    cells, places, aims = [0] * SIZE, [0] * HALVES, [0] * HALVES
    kinds, letters = [0] * BYTES, [0] * BYTES
    goal = deduced(vehicles)
    for v, vehicle in enumerate(vehicles):
        for row, column in vehicle.cells:
            cells[row] |= shl(v + 1, 8 * column)
        line = vehicle.row if vehicle.across else vehicle.column
        kinds[v // 8] |= shl(ACROSS * vehicle.across + 8 * line + vehicle.length, 8 * (v % 8))
        letters[v // 8] |= shl(ord(vehicle.letter), 8 * (v % 8))
        places[v // 16] |= shl(vehicle.place, 4 * (v % 16))
        aims[v // 16] |= shl(goal.get(vehicle.letter, -1) + 1, 4 * (v % 16))
    mark = len(vehicles)
    for kind in kinds:
        mark = mix(mark, kind)
    return {
        **{"cells": cells, "places": places, "kinds": kinds, "letters": letters, "aims": aims},
        **{"begun": list(places), "vehicles": len(vehicles), "mark": mark},
    }
