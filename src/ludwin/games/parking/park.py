"""The car park in a state: which vehicle covers each cell, and where each vehicle stands.

Vehicles have numbers: the red car is 0, the others follow in the order of their letters.  What never changes
(direction, line, length) and what does (the place in the line) is packed into words; `cells` has a word for each row,
with 1 + the number of the vehicle in each byte, so that whoever stands in the way is known at once.
"""

from ludwin.primitives import shl, shr

SIZE = 6
EXIT_ROW = 0  # counted from 1 at the top; 0: half the size, the third row of six
EXIT_SIDE = "right"

if not 4 <= SIZE <= 8:
    raise ValueError(f"size goes from 4 to 8, got {SIZE}")
if not 0 <= EXIT_ROW <= SIZE:
    raise ValueError(f"exit_row goes from 1 to {SIZE}, or is 0 for half the size, got {EXIT_ROW}")
if EXIT_SIDE not in ("right", "left"):
    raise ValueError(f"exit_side is right or left, got {EXIT_SIDE!r}")

RED_ROW = (EXIT_ROW or SIZE // 2) - 1
OUT_LEFT = EXIT_SIDE == "left"
MOST_VEHICLES = SIZE * SIZE // 2
BYTES = (MOST_VEHICLES + 7) // 8  # words for a byte a vehicle
HALVES = (MOST_VEHICLES + 15) // 16  # words for half a byte a vehicle
ACROSS = 64  # of a kind: the vehicle stands in a row; the line is kind // 8 % 8, the length kind % 8


def at(s, row, column):
    """Return the number of the vehicle that covers a cell, -1 if it is free."""
    return (shr(s.cells[row], 8 * column) & 255) - 1


def kind_of(s, v):
    """Return direction, line and length of a vehicle in one number."""
    return shr(s.kinds[v // 8], 8 * (v % 8)) & 255


def is_across(s, v):
    """Tell whether a vehicle stands in a row."""
    return kind_of(s, v) >= ACROSS


def line_of(s, v):
    """Return the row or the column of a vehicle."""
    return kind_of(s, v) // 8 % 8


def length_of(s, v):
    """Return how many cells a vehicle covers."""
    return kind_of(s, v) % 8


def place_of(s, v):
    """Return where in its line a vehicle begins, from the left or from above."""
    return shr(s.places[v // 16], 4 * (v % 16)) & 15


def aim_of(s, v):
    """Return the place that a vehicle has in the deduced goal, or -1 if that does not matter."""
    return (shr(s.aims[v // 16], 4 * (v % 16)) & 15) - 1


def first_place_of(s, v):
    """Return where in its line a vehicle stood at the start of the problem."""
    return shr(s.begun[v // 16], 4 * (v % 16)) & 15


def was_brought(s, v, place):
    """Tell whether a vehicle was brought to a place of its line on the way here, by a move before the last one."""
    return shr(s.brought[v // 8], 8 * (v % 8) + place) & 1 != 0


def on_line(s, across, line, place):
    """Return the number of the vehicle that covers a place of a line, -1 if it is free."""
    return at(s, line, place) if across else at(s, place, line)


def room_before(s, v, most):
    """Return how many cells a vehicle can go to the left or up, `most` at most."""
    across = is_across(s, v)
    line = line_of(s, v)
    place = place_of(s, v)
    n = 0
    while n < most and place - n > 0 and on_line(s, across, line, place - n - 1) < 0:
        n += 1
    return n


def room_behind(s, v, most):
    """Return how many cells a vehicle can go to the right or down, `most` at most."""
    across = is_across(s, v)
    line = line_of(s, v)
    end = place_of(s, v) + length_of(s, v)
    n = 0
    while n < most and end + n < SIZE and on_line(s, across, line, end + n) < 0:
        n += 1
    return n


def shift(s, v, place):
    """Bring a vehicle to another place of its line."""
    line = line_of(s, v)
    length = length_of(s, v)
    old = place_of(s, v)
    s.places[v // 16] = s.places[v // 16] ^ shl(old ^ place, 4 * (v % 16))
    if is_across(s, v):
        for i in range(length):
            s.cells[line] = s.cells[line] ^ shl(v + 1, 8 * (old + i))
        for i in range(length):
            s.cells[line] = s.cells[line] ^ shl(v + 1, 8 * (place + i))
    else:
        for i in range(length):
            s.cells[old + i] = s.cells[old + i] ^ shl(v + 1, 8 * line)
        for i in range(length):
            s.cells[place + i] = s.cells[place + i] ^ shl(v + 1, 8 * line)
