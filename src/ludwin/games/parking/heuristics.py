"""How far a board seems to be from its end: the heuristics of *Evolved to Win*, Table 10.1, and its advisors.

They are compiled with the rules.  H1 counts what must move before the red car can leave, H2 how far vehicles are from
their places on a goal board that is deduced once for each problem, H3 adds what stands between.  None of them is a true
lower bound; `distance` of the rules is.

References.  M. Sipper, *Evolved to Win* (2011), chapter 10; where the book leaves a detail open, docs/games/parking.md
says what is done here.
"""

from ludwin.games.parking.park import (
    OUT_LEFT,
    RED_ROW,
    SIZE,
    aim_of,
    at,
    first_place_of,
    is_across,
    length_of,
    line_of,
    on_line,
    place_of,
    room_before,
    room_behind,
    was_brought,
)
from ludwin.primitives import shl

DEEP = 6  # so far is followed what stands in the way of what stands in the way
SEEN = 1 << 32  # a cost and a set of 32 vehicles in one number: cost * SEEN + set
NEVER = 60  # layers, where the red car cannot leave even so


def clear(s, v, place, seen, depth):
    """Return what it takes to bring a vehicle off a place of its line, with all vehicles that were counted; see SEEN.

    Both directions are tried and the cheaper one is taken; what stands there must move first, and is counted once.
    """
    if seen & (1 << v) != 0:
        return seen
    seen = seen | (1 << v)
    if depth > DEEP:
        return SEEN + seen
    across = is_across(s, v)
    line = line_of(s, v)
    length = length_of(s, v)
    here = place_of(s, v)
    best = 0
    for way in range(2):
        first = place - length if way == 0 else here + length  # the cells that it sweeps
        last = here if way == 0 else place + 1 + length
        if first < 0 or last > SIZE:
            continue
        cost = 1
        known = seen
        for swept in range(first, last):
            other = on_line(s, across, line, swept)
            if other < 0:
                continue
            if is_across(s, other) == across:
                if known & (1 << other) == 0:  # it must be pushed along
                    cost += 1
                    known = known | (1 << other)
            else:
                found = clear(s, other, line, known, depth + 1)
                cost += found // SEEN
                known = found % SEEN
        if best == 0 or cost < best // SEEN:
            best = cost * SEEN + known
    return best if best > 0 else SEEN + seen


def ahead(s):
    """Return how many cells lie between the red car and the exit."""
    return place_of(s, 0) if OUT_LEFT else SIZE - place_of(s, 0) - length_of(s, 0)


def ahead_column(s, i):
    """Return the column of the i-th of these cells, from the red car on."""
    return place_of(s, 0) - 1 - i if OUT_LEFT else place_of(s, 0) + length_of(s, 0) + i


def blockers(s):
    """H1, BlockersLowerBound: moves that it takes at least, nearly, to clear the red car's way and to leave."""
    n = ahead(s)
    total = 1 if n > 0 else 0
    seen = 1
    for i in range(n):
        other = at(s, RED_ROW, ahead_column(s, i))
        if other >= 0:
            place = ahead_column(s, i) if is_across(s, other) else RED_ROW
            found = clear(s, other, place, seen, 0)
            total += found // SEEN
            seen = found % SEEN
    return total


def in_the_way(s):
    """Return how many vehicles stand between the red car and the exit, and one for the red car unless it is there."""
    n = ahead(s)
    total = 1 if n > 0 else 0
    last = -1
    for i in range(n):
        other = at(s, RED_ROW, ahead_column(s, i))
        if other >= 0 and other != last:
            total += 1
            last = other
    return total


def between(s, v, aim):
    """Return how many other vehicles stand where a vehicle goes that moves to a place of its line."""
    here = place_of(s, v)
    first = aim if aim < here else here + length_of(s, v)
    count = 0
    last = -1
    for i in range(abs(aim - here)):
        other = on_line(s, is_across(s, v), line_of(s, v), first + i)
        if other >= 0 and other != last:
            count += 1
            last = other
    return count


def aimed(s, counts_between):
    """H2, GoalDistance: how far the red car and those that must make way are from their places on the deduced goal;
    H3, Hybrid, adds for each what stands between.
    """
    total = 0
    for v in range(s.vehicles):
        aim = aim_of(s, v)
        if aim >= 0:
            total += abs(aim - place_of(s, v))
            if counts_between:
                total += between(s, v, aim)
    return total


def gone(s, counts_cells):
    """Return how far vehicles are from where they stood at the start: cells in all, or how many are elsewhere.

    Who goes away from the start comes to states by short ways first, so that iterative deepening, which enters a state
    anew whenever it is reached by a shorter way, does so less often.
    """
    total = 0
    for v in range(s.vehicles):
        far = abs(place_of(s, v) - first_place_of(s, v))
        total += far if counts_cells else min(far, 1)
    return total


def stretch(across, line, first, length):
    """Return cells of a line as bits of one number, 8 * row + column."""
    if across:
        return shl((1 << length) - 1, 8 * line + first)
    found = 0
    for i in range(length):
        found = found | shl(1, 8 * (first + i) + line)
    return found


def left_by(s, v, free):
    """Return which of its own cells a vehicle can leave if these cells are free."""
    across = is_across(s, v)
    line = line_of(s, v)
    length = length_of(s, v)
    first = place_of(s, v)
    before = 0
    while before < length and first > before and free & stretch(across, line, first - before - 1, 1) != 0:
        before += 1
    end = first + length
    behind = 0
    while behind < length and end + behind < SIZE and free & stretch(across, line, end + behind, 1) != 0:
        behind += 1
    return stretch(across, line, end - before, before) | stretch(across, line, first, behind)


def layers(s):
    """Return in how many rounds the red car could leave if in each of them every vehicle made all the ways it has, and
    a cell that was free once stayed so: a true lower bound of slides, which planners call h-max.

    NEVER: not even so.  After B. Bonet and H. Geffner, "Planning as heuristic search", Artificial Intelligence 129
    (2001).
    """
    way = 0
    for i in range(ahead(s)):
        way = way | stretch(True, RED_ROW, ahead_column(s, i), 1)
    if way == 0:
        return 0
    taken = 0
    for v in range(s.vehicles):
        taken = taken | stretch(is_across(s, v), line_of(s, v), place_of(s, v), length_of(s, v))
    count = 1
    while way & taken != 0:
        leaving = 0
        for v in range(s.vehicles):
            leaving = leaving | left_by(s, v, ~taken)
        if leaving & taken == 0:
            return NEVER
        taken = taken & ~leaving
        count += 1
    return count


# What the last move has done. `last` holds vehicle * 64 + old place * 8 + new place + 1, or 0 at the start.


def secluded(s):
    """IsMoveToSecluded: tell whether the last move has put its vehicle where no other can get."""
    if s.last == 0:
        return False
    v = (s.last - 1) // 64
    across = is_across(s, v)
    line = line_of(s, v)
    low = place_of(s, v)
    high = low + length_of(s, v)
    for other in range(s.vehicles):
        if other != v:
            same = is_across(s, other) == across
            where = line_of(s, other)
            if (same and where == line) or (not same and low <= where and where < high):
                return False
    return True


def comes_again(s):
    """IsComingAgain: tell whether the last move brings its vehicle where another move has brought it on the way here.

    Who walks in circles through a part of the puzzle does so; where a vehicle stood at the start does not count.
    """
    return s.last > 0 and was_brought(s, (s.last - 1) // 64, (s.last - 1) % 8)


def count_moves(s, most):
    """Return how many moves there are if a move goes up to `most` cells; most = 0 counts vehicles that can move."""
    total = 0
    for v in range(s.vehicles):
        n = room_before(s, v, max(most, 1)) + room_behind(s, v, max(most, 1))
        total += min(n, 1) if most == 0 else n
    return total


def free_before(s, across, line, place, most):
    """Return what `count_moves` counts of one place: free cells from there on to the left or up, as they were before
    the last move.
    """
    n = 0
    while n < most and place - n >= 0 and stood(s, across, line, place - n) < 0:
        n += 1
    return n


def free_behind(s, across, line, place, most):
    """The same to the right or down."""
    n = 0
    while n < most and place + n < SIZE and stood(s, across, line, place + n) < 0:
        n += 1
    return n


def stood(s, across, line, place):
    """Return the vehicle that covered a place of a line before the last move, -1 if it was free."""
    moved = (s.last - 1) // 64
    old = (s.last - 1) // 8 % 8
    reach = length_of(s, moved)
    same = is_across(s, moved) == across
    there = line_of(s, moved)
    if same and there == line and old <= place and place < old + reach:
        return moved
    if not same and there == place and old <= line and line < old + reach:
        return moved
    found = on_line(s, across, line, place)
    return -1 if found == moved else found


def count_before(s, most):
    """Return what `count_moves` said before the last move; at the start, what it says now."""
    if s.last == 0:
        return count_moves(s, most)
    total = 0
    moved = (s.last - 1) // 64
    for v in range(s.vehicles):
        place = (s.last - 1) // 8 % 8 if v == moved else place_of(s, v)
        across = is_across(s, v)
        line = line_of(s, v)
        n = free_before(s, across, line, place - 1, max(most, 1))
        n += free_behind(s, across, line, place + length_of(s, v), max(most, 1))
        total += min(n, 1) if most == 0 else n
    return total


def releasing(s):
    """IsReleasingMove: tell whether more vehicles can move than before the last move."""
    return s.last > 0 and count_moves(s, 0) > count_before(s, 0)


# What policies ask, and the parts of 1 in which conditions see it: divided by a maximum that was met in practice.

MAXIMA = (40, 60, 100, 200, 40, 40, 20)  # of H1, H2, H3, g, moves (before the last one, or now), cells gone, layers


def part(value, which):
    """Return a number as a part of its maximum."""
    return min(1.0, value / MAXIMA[which])


def phase(g, rest):
    """Return how much of the way is behind: g / (g + rest), all of it if both are 0."""
    return 1.0 if g + rest == 0 else g / (g + rest)


def hand_made(s, reach):
    """Hc: a policy made by hand of the same pieces; the first rule that holds says how far it is."""
    h1 = blockers(s)
    if phase(s.played, h1) >= 0.8:
        return 1.0 * h1
    if part(h1, 0) <= 0.5 and releasing(s):
        return 1.0 * (h1 + aimed(s, False))
    if secluded(s):
        return 1.0 * (aimed(s, True) + h1)
    if part(count_before(s, reach), 4) >= 0.5:
        return 1.0 * (2 * h1 + aimed(s, False))
    if part(s.played, 3) >= 0.5:
        return 1.0 * aimed(s, True)
    return 1.0 * (2 * h1 + aimed(s, True))
