"""Parking in writing: a move is a vehicle's letter with how far it goes, right and down counted up: A+2, X-1."""

import re

from ludwin.games.parking.boards import HAS_CARDS, Vehicle, cards, fields_of, read_board, start_board
from ludwin.games.parking.park import (
    BYTES,
    HALVES,
    SIZE,
    aim_of,
    first_place_of,
    is_across,
    length_of,
    line_of,
    place_of,
    was_brought,
)
from ludwin.games.parking.rules import MAX_MOVES, MAX_PLIES, moves
from ludwin.primitives import shl, shr

_MORE = re.compile(r"(.*?)\s+([0-9]{1,4}):([0-9]{1,4}):([0-9]{1,4}):([0-9a-f:]{1,160})", re.S)


def letter_of(s, v):
    """Return the letter of a vehicle."""
    return chr(shr(s.letters[v // 8], 8 * (v % 8)) & 127)


def vehicles_of(s):
    """Return the vehicles of a position, by their numbers."""
    found = []
    for v in range(s.vehicles):
        across, line, place = is_across(s, v), line_of(s, v), place_of(s, v)
        row, column = (line, place) if across else (place, line)
        found.append(Vehicle(letter_of(s, v), row, column, across, length_of(s, v)))
    return found


def board_of(s):
    """Return the board, row by row."""
    cells = ["."] * (SIZE * SIZE)
    for vehicle in vehicles_of(s):
        for row, column in vehicle.cells:
            cells[SIZE * row + column] = vehicle.letter
    return "".join(cells)


def name(s, m):
    return f"{letter_of(s, m // 64)}{m % 8 - m // 8 % 8:+d}"


def parse(s, text):
    out = [0] * MAX_MOVES
    names = {name(s, m): m for m in out[: moves(s, out)]}
    word = text.strip().replace(" ", "")
    if word in names:
        return names[word]
    if re.fullmatch(r"[+-][0-9]", word[1:]):
        raise ValueError(f"{word[0]} cannot go {word[1:]} here")
    example = next(iter(names), "X+1")
    raise ValueError(f"a move is a letter and how far it goes, right or down +, left or up -, such as {example}")


def write(s):
    board = board_of(s)
    first = fields_of(read_board(board))
    started = list(s.begun) == first["begun"]
    if not s.played and not s.last and not s.rank and list(s.aims) == first["aims"] and started and not any(s.brought):
        return board
    brought = list(s.brought) if any(s.brought) else []
    words = [*s.aims, *(() if started and not brought else s.begun), *brought]
    return f"{board} {s.played}:{s.last}:{s.rank}:{':'.join(f'{word & (1 << 64) - 1:x}' for word in words)}"


def read(s, text):
    card = re.fullmatch(r"#([0-9]{1,2})", text.strip())
    more = _MORE.fullmatch(text.strip())
    board = text
    if card:
        known = len(cards())
        if not HAS_CARDS or not 1 <= int(card[1]) <= known:
            raise ValueError(f"#N is one of the {known} classic cards of the board of 6x6, whose exit is in row 3")
        board = start_board(int(card[1]))
    elif more:
        board = more[1]
    fields = fields_of(read_board(board))
    for field, value in fields.items():
        if isinstance(value, list):
            getattr(s, field)[:] = value
        else:
            setattr(s, field, value)
    s.played = s.last = s.rank = 0
    s.brought[:] = [0] * BYTES
    if more:
        s.played, s.last, s.rank = int(more[2]), int(more[3]), int(more[4])
        words = [shl(int(word, 16), 0) for word in more[5].split(":") if word]
        if len(words) not in (HALVES, 2 * HALVES, 2 * HALVES + BYTES):
            raise ValueError(
                f"the aims are {HALVES} numbers, and so are the first places, where they are not these; {BYTES} more "
                "say where vehicles have been brought"
            )
        s.aims[:] = words[:HALVES]
        s.begun[:] = words[HALVES : 2 * HALVES] or s.begun
        s.brought[:] = words[2 * HALVES :] or s.brought
        fits = s.played <= MAX_PLIES and s.rank <= 1000 and all(_fits(s, v) for v in range(8 * BYTES))
        moved = (s.last - 1) // 64
        if not fits or (s.last and not (moved < s.vehicles and place_of(s, moved) == (s.last - 1) % 8)):
            raise ValueError(
                f"behind the board stand moves (up to {MAX_PLIES}), last move, rank, aims, the first places and "
                "those to which vehicles have been brought"
            )


def _fits(s, v):
    """Tell whether the aim, the first place and those to which a vehicle has been brought are on the board; vehicles
    that are not there have been brought nowhere.
    """
    last = SIZE - length_of(s, v) if v < s.vehicles else -1
    if any(was_brought(s, v, place) for place in range(last + 1, 8)):
        return False
    return v >= s.vehicles or (0 <= aim_of(s, v) + 1 <= last + 1 and first_place_of(s, v) <= last)
