"""Parking: slide cars and trucks out of the way until the red car can leave the car park.

Rules.  Vehicles of two or more cells stand on a square board, each in a row or in a column, and slide along it, never
across it and never through another.  Solved is the board on which the red car, which stands in the row of the exit,
has its front on the exit cell.  A move slides one vehicle any number of cells; with `cost=steps` each cell is a move.

Why it is here.  A small board with long solutions: the hardest 6x6 position takes 93 steps.  Chapter 10 of *Evolved to
Win* evolves solvers for it, and then boards that are hard for them.  On boards of any size the puzzle is
PSPACE-complete.

References.  G. W. Flake and E. B. Baum, "Rush Hour is PSPACE-complete", Theoretical Computer Science 270 (2002);
A. Hauptman, A. Elyasaf, M. Sipper, A. Karmon, "GP-Rush", GECCO 2009; S. Collette, J.-F. Raskin, F. Servais, "On the
symbolic computation of the hardest configurations of the Rush Hour game", Computers and Games 2006.
"""

from ludwin.games.parking.boards import HAS_CARDS, fields_of, read_board, start_board
from ludwin.games.parking.heuristics import (
    ahead,
    ahead_column,
    aimed,
    blockers,
    comes_again,
    count_before,
    count_moves,
    gone,
    hand_made,
    in_the_way,
    layers,
    part,
    phase,
    releasing,
    secluded,
)
from ludwin.games.parking.park import (  # noqa: F401 (parameters: size, exit_row, exit_side)
    BYTES,
    EXIT_ROW,
    EXIT_SIDE,
    HALVES,
    MOST_VEHICLES,
    OUT_LEFT,
    RED_ROW,
    SIZE,
    at,
    is_across,
    length_of,
    place_of,
    room_before,
    room_behind,
    shift,
)
from ludwin.games.parking.relaxed import free_stretches, loose_cells, relaxed_plan, rounds_of_all, way_back
from ludwin.primitives import mix, shl

PLAYERS = 1
COST = "slides"
CARD = 1  # which of the forty classic cards is the start; other boards than theirs have one start

if COST not in ("slides", "steps"):
    raise ValueError(f"cost is slides or steps, got {COST!r}")
if not 1 <= CARD <= 40:
    raise ValueError(f"card goes from 1 to 40, got {CARD}")
if CARD != 1 and not HAS_CARDS:
    raise ValueError(f"card={CARD} is a board of 6x6 with its exit in row 3; leave it out with other boards")

FIELDS = {
    "cells": SIZE,  # of each row a word, with 1 + the number of the vehicle in each byte
    "places": HALVES,  # of each vehicle half a byte: where in its line it begins
    "kinds": BYTES,  # of each vehicle a byte: direction, line, length
    "letters": BYTES,
    "aims": HALVES,  # of each vehicle half a byte: 1 + its place on the deduced goal, 0 if that does not matter
    "begun": HALVES,  # of each vehicle half a byte: where it stood at the start of the problem
    "brought": BYTES,  # of each vehicle a byte: the places, as bits, to which moves before the last one have brought it
    "vehicles": int,
    "mark": int,  # a hash of what never changes
    "played": int,  # moves so far
    "last": int,  # the last move, vehicle * 64 + old place * 8 + new place + 1, or 0
    "rank": int,  # how hard the problem is among its kind, in thousandths: said from outside
}
MAX_MOVES = 4 * SIZE * SIZE  # a free cell is where at most four vehicles can go
MAX_PLIES = 500

QUERIES = {
    "blockers": "float",
    "goal distance": "float",
    "hybrid": "float",
    "blockers part": "float",
    "goal part": "float",
    "hybrid part": "float",
    "g part": "float",
    "siblings part": "float",
    "phase by distance": "float",
    "phase by blockers": "float",
    "difficulty": "float",
    "secluded": "bool",
    "releasing": "bool",
    "cells gone": "float",
    "vehicles gone": "float",
    "moves": "float",
    "in the way": "float",
    "cells gone part": "float",
    "moves part": "float",
    "layers": "float",
    "layers part": "float",
    "relaxed slides": "float",
    "relaxed cells": "float",
    "relaxed wanted": "float",
    "relaxed crossed": "float",
    "relaxed slides back": "float",
    "rounds of all": "float",
    "slides back": "float",
    "crossings": "float",
    "free stretches": "float",
    "ahead": "float",
    "loose cells": "float",
    "loose vehicles": "float",
    "relaxed slides part": "float",
    "comes again": "float",
    "coming again": "bool",
    "stands": ("float", MOST_VEHICLES),  # the place of a vehicle in its line, -1 if there is no such vehicle
}

_REACH = 1 if COST == "steps" else SIZE  # how far one move goes
_START = fields_of(read_board(start_board(CARD)))
_CELLS, _PLACES, _KINDS = tuple(_START["cells"]), tuple(_START["places"]), tuple(_START["kinds"])
_LETTERS, _AIMS, _VEHICLES, _MARK = tuple(_START["letters"]), tuple(_START["aims"]), _START["vehicles"], _START["mark"]


def setup(s):
    for i in range(SIZE):
        s.cells[i] = _CELLS[i]
    for i in range(BYTES):
        s.kinds[i] = _KINDS[i]
        s.brought[i] = 0
        s.letters[i] = _LETTERS[i]
    for i in range(HALVES):
        s.places[i] = _PLACES[i]
        s.aims[i] = _AIMS[i]
        s.begun[i] = _PLACES[i]
    s.vehicles = _VEHICLES
    s.mark = _MARK
    s.played = 0
    s.last = 0
    s.rank = 0


def mover(s):
    return 0


def solved(s):
    return ahead(s) == 0


def moves(s, out):
    # The red car first, then the others by their letters; left or up before right or down, near before far.
    if s.played >= MAX_PLIES or solved(s):
        return 0
    return slides(s, out)


def slides(s, out):
    """List all moves, from solved boards, too."""
    n = 0
    for v in range(s.vehicles):
        place = place_of(s, v)
        base = v * 64 + place * 8 + place
        for i in range(room_before(s, v, _REACH)):
            out[n] = base - i - 1
            n += 1
        for i in range(room_behind(s, v, _REACH)):
            out[n] = base + i + 1
            n += 1
    return n


def play(s, m):
    if s.last > 0:
        v = (s.last - 1) // 64
        s.brought[v // 8] = s.brought[v // 8] | shl(1, 8 * (v % 8) + (s.last - 1) % 8)
    slide(s, m)
    s.played += 1
    s.last = m + 1


def slide(s, m):
    """Move a vehicle and count nothing."""
    shift(s, m // 64, m % 8)


def payoff(s, p):
    return 1 if solved(s) else 0


def key(s):
    h = s.mark if s.played < MAX_PLIES else ~s.mark
    for i in range(HALVES):
        h = mix(h, s.places[i])
    return h


def distance(s):
    # A true lower bound: each vehicle between the red car and the exit moves at least once, and the red car, too.
    # Counted in steps, the red car goes to the exit, and each of the others as far as it takes to clear the row.
    if _REACH > 1:
        return in_the_way(s)
    total = ahead(s)
    for i in range(ahead(s)):
        v = at(s, RED_ROW, ahead_column(s, i))
        if v >= 0 and not is_across(s, v):
            total += steps_off(place_of(s, v), length_of(s, v))
    return total


def steps_off(row, length):
    """Return how many steps a vehicle in a column needs at least to leave the red car's row."""
    up = row + length - RED_ROW if length <= RED_ROW else SIZE
    down = RED_ROW + 1 - row if RED_ROW + length < SIZE else SIZE
    return min(up, down)


def distance_h1(s):
    return blockers(s)


def distance_h2(s):
    return 0 if solved(s) else aimed(s, False)


def distance_h3(s):
    return 0 if solved(s) else aimed(s, True)


def distance_hi(s):
    return 0.0 if solved(s) else (blockers(s) + aimed(s, False) + aimed(s, True)) / 3


def distance_hc(s):
    return 0.0 if solved(s) else hand_made(s, _REACH)


def distance_hl(s):
    return layers(s)


def distance_ha(s):
    # Away from the start, and room to move: no distance, but an order.
    return 4 * layers(s) + 2 * in_the_way(s) - 2 * gone(s, True) - count_moves(s, _REACH)


def distance_hb(s):
    # The same for searches that cut: what stands in the way weighs more.
    return 0 if solved(s) else 5 * layers(s) + 4 * blockers(s) - 2 * gone(s, True)


def query(s, p, k, a):
    if k < 6:
        value = blockers(s) if k % 3 == 0 else aimed(s, k % 3 == 2)
        if k < 3:
            return 1.0 * value
        return part(value, k - 3)
    if k == 6:
        return part(s.played, 3)
    if k == 7:
        return part(count_before(s, _REACH), 4)
    if k == 8:
        return phase(s.played, aimed(s, False))
    if k == 9:
        return phase(s.played, blockers(s))
    if k == 10:
        return s.rank / 1000
    if k == 11:
        return 1.0 if secluded(s) else 0.0
    if k == 12:
        return 1.0 if releasing(s) else 0.0
    if k == 36:
        return 1.0 * place_of(s, a) if a < s.vehicles else -1.0
    return beyond_the_book(s, k - 13)


def beyond_the_book(s, k):
    """Answer the queries that Table 10.1 does not have."""
    if k < 2:
        return 1.0 * gone(s, k == 0)
    if k == 2:
        return 1.0 * count_moves(s, _REACH)
    if k == 3:
        return 1.0 * in_the_way(s)
    if k == 4:
        return part(gone(s, True), 5)
    if k == 5:
        return part(count_moves(s, _REACH), 4)
    if k < 8:
        return 1.0 * layers(s) if k == 6 else part(layers(s), 6)
    return of_a_relaxed_puzzle(s, k - 8)


def of_a_relaxed_puzzle(s, k):
    """Answer the queries of `relaxed.py`; 0 to 3 ask a plan for slides, and cells left, wanted and crossed."""
    if k < 4:
        return 1.0 * relaxed_plan(s, False, k)
    if k == 4:
        return 1.0 * relaxed_plan(s, True, 0)
    if k == 5:
        return 1.0 * rounds_of_all(s)
    if k < 8:
        return 1.0 * way_back(s, k == 7)
    if k == 8:
        return 1.0 * free_stretches(s)
    if k == 9:
        return 1.0 * ahead(s)
    if k < 12:
        return 1.0 * (loose_cells(s) if k == 10 else count_moves(s, 0))
    if k == 12:
        return part(relaxed_plan(s, False, 0), 4)
    return 1.0 if comes_again(s) else 0.0
