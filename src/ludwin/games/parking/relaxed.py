"""What a board says if it is made easier: relaxed plans, and ways back to the start.

Why it is here.  The words of the book see one obstacle at a time.  In the relaxed puzzle a cell that was free once
stays so; a plan of it is found at once, and how much must move in it tells more of the true distance than in how many
rounds it can be done (`layers`).  How far the start is tells the other half: who goes away from it is not led back.

A relaxed plan: forward, each cell is given the round in which its vehicle can leave it first; backward, from the last
round on, for each cell that is wanted one of the two ways of its vehicle is chosen, and the cells of this way are
wanted, too.  Vehicles that go the same way for two cells go once.

References.  J. Hoffmann, B. Nebel, "The FF planning system", Journal of Artificial Intelligence Research 14 (2001).
"""

from ludwin.games.parking.heuristics import NEVER, ahead, ahead_column, left_by, stretch
from ludwin.games.parking.park import (
    RED_ROW,
    SIZE,
    at,
    first_place_of,
    is_across,
    length_of,
    line_of,
    on_line,
    place_of,
)
from ludwin.primitives import clear_lsb, lsb, popcount

# Of a relaxed plan: slides, the cells that vehicles leave, those that must be left, and those that are crossed twice.
SLIDES, CELLS, WANTED, CROSSED = 0, 1, 2, 3
ROUNDS = 31  # five bits


def covered(s):
    """Return the cells that vehicles cover, as bits: 8 * row + column."""
    found = 0
    for v in range(s.vehicles):
        found = found | stretch(is_across(s, v), line_of(s, v), place_of(s, v), length_of(s, v))
    return found


def of_round(a, b, c, d, e, number):
    """Return the cells whose number, a bit of it in each of five sets, is this."""
    found = a if number & 1 != 0 else ~a
    found = found & (b if number & 2 != 0 else ~b)
    found = found & (c if number & 4 != 0 else ~c)
    found = found & (d if number & 8 != 0 else ~d)
    return found & (e if number & 16 != 0 else ~e)


def sweep(s, v, cell, is_behind):
    """Return the cells that a vehicle goes to if it leaves one of its cells to the left or up, or to the other side; 0
    if it has no room there.
    """
    across = is_across(s, v)
    place = place_of(s, v)
    length = length_of(s, v)
    own = (cell % 8 if across else cell // 8) - place
    if is_behind:
        n = own + 1
        return stretch(across, line_of(s, v), place + length, n) if place + length + n <= SIZE else 0
    n = length - own
    return stretch(across, line_of(s, v), place - n, n) if place >= n else 0


def left_behind(s, v, cell, is_behind):
    """Return the cells that a vehicle leaves if it leaves one of them to the left or up, or to the other side."""
    across = is_across(s, v)
    place = place_of(s, v)
    own = (cell % 8 if across else cell // 8) - place
    if is_behind:
        return stretch(across, line_of(s, v), place, own + 1)
    return stretch(across, line_of(s, v), place + own, length_of(s, v) - own)


def goes_behind(s, v, cell, free, known):
    """Tell whether a vehicle leaves a cell to the right or down in the relaxed plan.

    Of two ways through cells that are free by then that is better which wants fewer cells that are not known.
    """
    before = sweep(s, v, cell, False)
    behind = sweep(s, v, cell, True)
    if before == 0 or before & ~free != 0:
        return True
    if behind == 0 or behind & ~free != 0:
        return False
    return popcount(before & ~known) > popcount(behind & ~known)


def red_way(s):
    """Return the cells between the red car and the exit."""
    found = 0
    for i in range(ahead(s)):
        found = found | stretch(True, RED_ROW, ahead_column(s, i), 1)
    return found


def way_of(s, v):
    """Return the cells that a vehicle sweeps on its way back to where it stood at the start."""
    here = place_of(s, v)
    there = first_place_of(s, v)
    first = there if there < here else here + length_of(s, v)
    return stretch(is_across(s, v), line_of(s, v), first, abs(here - there))


def ways_back(s):
    """Return the cells that all vehicles sweep on their ways back to the start."""
    found = 0
    for v in range(s.vehicles):
        found = found | way_of(s, v)
    return found


def left_on_the_way(s, is_behind):
    """Return the cells that vehicles leave on their ways back: of those that go to the left or up, or of the others."""
    found = 0
    for v in range(s.vehicles):
        here = place_of(s, v)
        there = first_place_of(s, v)
        if here != there and (there > here) == is_behind:
            n = min(abs(here - there), length_of(s, v))
            first = here if is_behind else here + length_of(s, v) - n
            found = found | stretch(is_across(s, v), line_of(s, v), first, n)
    return found


def relaxed_plan(s, goes_back, what):
    """Return how much a relaxed plan moves that brings the red car out, or all vehicles back to where they stood at the
    start: see SLIDES, CELLS, WANTED and CROSSED; NEVER if there is none.
    """
    begun = covered(s)
    want = (ways_back(s) if goes_back else red_way(s)) & begun
    before = left_on_the_way(s, False) if goes_back else 0  # cells that are left to the left or up,
    behind = left_on_the_way(s, True) if goes_back else 0  # and to the other side
    # Step 1. Forward: the rounds in which cells are left, written in binary, each digit a set of cells.
    taken = begun
    number = 0
    a = b = c = d = e = 0
    while want & taken != 0:
        leaving = leaving_now(s, taken)
        if leaving == 0 or number >= ROUNDS:
            return NEVER
        taken = taken & ~leaving
        number += 1
        a = a | (leaving if number & 1 != 0 else 0)
        b = b | (leaving if number & 2 != 0 else 0)
        c = c | (leaving if number & 4 != 0 else 0)
        d = d | (leaving if number & 8 != 0 else 0)
        e = e | (leaving if number & 16 != 0 else 0)
    # Step 2. Backward: what is wanted, and which way it goes.
    free = ~taken
    while number > 0:
        layer = of_round(a, b, c, d, e, number) & begun & ~taken
        free = free & ~layer
        todo = layer & want & ~before & ~behind
        while todo != 0:
            cell = lsb(todo)
            v = at(s, cell // 8, cell % 8)
            is_behind = goes_behind(s, v, cell, free, want | ~begun)
            want = want | (sweep(s, v, cell, is_behind) & begun)
            if is_behind:
                behind = behind | left_behind(s, v, cell, True)
            else:
                before = before | left_behind(s, v, cell, False)
            todo = clear_lsb(todo) & ~before & ~behind
        number -= 1
    # Step 3. Count.
    if what == SLIDES:
        return ways(s, before) + ways(s, behind)
    if what == CROSSED:
        return crossed(s, before, behind, 0 if goes_back else red_way(s))
    return popcount(before) + popcount(behind) if what == CELLS else popcount(want)


def leaving_now(s, taken):
    """Return the cells that vehicles can leave if no others than these are taken."""
    found = 0
    for v in range(s.vehicles):
        found = found | left_by(s, v, ~taken)
    return found & taken


def crossed(s, before, behind, way):
    """Return how many cells a relaxed plan goes through twice, or once and the red car, too."""
    once = way
    twice = 0
    for v in range(s.vehicles):
        across = is_across(s, v)
        line = line_of(s, v)
        place = place_of(s, v)
        length = length_of(s, v)
        own = stretch(across, line, place, length)
        n = popcount(before & own)
        swept = stretch(across, line, place - n, n) if n > 0 else 0
        n = popcount(behind & own)
        swept = swept | (stretch(across, line, place + length, n) if n > 0 else 0)
        twice = twice | (once & swept)
        once = once | swept
    return popcount(twice)


def ways(s, cells):
    """Return how many vehicles cover some of these cells."""
    count = 0
    for v in range(s.vehicles):
        if cells & stretch(is_across(s, v), line_of(s, v), place_of(s, v), length_of(s, v)) != 0:
            count += 1
    return count


def rounds_of_all(s):
    """Return the sum of the rounds in which cells are left first, over all cells that are covered and can be left."""
    taken = covered(s)
    total = 0
    number = 0
    while True:
        leaving = leaving_now(s, taken)
        if leaving == 0:
            return total
        taken = taken & ~leaving
        number += 1
        total += number * popcount(leaving)


def loose_cells(s):
    """Return how many cells vehicles can leave as the board is."""
    return popcount(leaving_now(s, covered(s)))


def way_back(s, counts_crossings):
    """Return how many slides lead back to the start at least: one for each vehicle that is elsewhere, two for each that
    is not and stands in the way of such a one; or how many cells of these ways vehicles cover that are elsewhere.
    """
    elsewhere = 0
    crossings = 0
    still = 0  # vehicles that stand in the way, as bits
    for v in range(s.vehicles):
        here = place_of(s, v)
        there = first_place_of(s, v)
        if here == there:
            continue
        elsewhere += 1
        for place in range(min(here, there), max(here, there) + length_of(s, v)):
            other = on_line(s, is_across(s, v), line_of(s, v), place)
            if other < 0 or other == v:
                continue
            if place_of(s, other) == first_place_of(s, other):
                still = still | (1 << other)
            else:
                crossings += 1
    return crossings if counts_crossings else elsewhere + 2 * popcount(still)


def free_stretches(s):
    """Return how many stretches of free cells there are in rows and columns, of one cell or more."""
    total = 0
    for across in range(2):
        for line in range(SIZE):
            run = 0
            for place in range(SIZE):
                run = run + 1 if on_line(s, across == 1, line, place) < 0 else 0
                total += run
    return total
