"""What programs may ask about a board: the terminals of GP-Gammon, exactly.

Locations are the asking player's own (0 bar, 1 to 24, 25 off); of the enemy the bar and what is off are the enemy's own
counts.  Three answers need a definition that the book leaves open.

Escape.  For the bar and each of the six points of a home, the rolls that lead a man from there beyond the barrier:
each of the 21 rolls once, doubles as four steps, points on the way must be open, points that are blocked themselves
count nothing.  An open home has 14 + 16 + 18 + 20 + 21 + 21 + 21 = 131, the book's constant.

Hits.  A blot is hit by a roll if some man of the enemy's can land on it with one die, with both, or with several
steps of a double, not over closed points; men on the bar come in first.  Of 36 rolls, an unequal pair counts twice.
That a roll must be played in full, which forbids a shot now and then, is left out.

References.  Y. Azaria and M. Sipper, "GP-Gammon" (2005), their terminals; M. Sipper, "Evolved to Win" (2011), ch. 7.
"""

_ROLLS = tuple((a, b) for a in range(1, 7) for b in range(1, a + 1))
_BEYOND = 7


def _gets_out(n, roll, blocked):
    """Tell whether a roll leads a man from location n beyond location 6, landing on no blocked one."""
    orders = (roll, roll[::-1]) if roll[0] != roll[1] else ((roll[0],) * 4,)
    for order in orders:
        at = n
        for die in order:
            at += die
            if at >= _BEYOND:
                return True
            if blocked >> at & 1:
                break
    return False


def _escapes(blocked):
    """Return how many rolls lead out of a home whose points `blocked` (bits 1 to 6) are closed."""
    return sum(_gets_out(n, roll, blocked) for n in range(7) if not blocked >> n & 1 for roll in _ROLLS)


ESCAPES = tuple(_escapes(blocked << 1) for blocked in range(64))  # by the closed points, the first is bit 0


def escape(s, p):
    """Return how many of 131 ways lead player p out of the enemy's home."""
    foe = 26 * (1 - p)
    blocked = 0
    for n in range(1, 7):
        if s.men[foe + 25 - n] > 1:
            blocked |= 1 << n - 1
    return ESCAPES[blocked]


def hit_rolls(s, p):
    """Return the rolls of 36 that hit, added up over all blots of player p."""
    me = 26 * p
    foe = 26 - me
    blots = 0
    for n in range(1, 25):
        if s.men[me + n] == 1:
            blots |= 1 << 25 - n
    if blots == 0:
        return 0
    shooters = 0
    free = 0
    for n in range(25):
        if s.men[foe + n] > 0:
            shooters |= 1 << n
    for n in range(1, 25):
        if s.men[me + 25 - n] < 2:
            free |= 1 << n
    total = 0
    for target in range(1, 25):
        if blots >> target & 1 == 1 and shooters & (1 << target) - 1 != 0:
            if s.men[foe] == 0:
                total += shots(shooters, free, target)
            else:
                total += shots_from_bar(shooters & ~1, free, target, s.men[foe])
    return total


def shots(shooters, free, target):
    """Return the rolls of 36 with which one of the shooters lands on the target; nobody is on the bar."""
    direct = 0
    for die in range(1, 7):
        if target >= die and shooters >> target - die & 1 == 1:
            direct |= 1 << die
    total = 0
    for a in range(1, 7):
        if direct >> a & 1 == 1 or repeats(shooters, free, target, a, 4):
            total += 1
        for b in range(1, a):
            if direct >> a & 1 == 1 or direct >> b & 1 == 1 or both(shooters, free, target, a, b):
                total += 2
    return total


def both(shooters, free, target, a, b):
    """Tell whether a shooter reaches the target with both dice, over an open point."""
    if target < a + b or shooters >> target - a - b & 1 == 0:
        return False
    return (free >> target - a | free >> target - b) & 1 == 1


def repeats(shooters, free, target, die, steps):
    """Tell whether up to so many steps of a die lead a shooter to the target over open points."""
    at = target
    for _ in range(steps):
        at -= die
        if at < 0:
            return False
        if shooters >> at & 1 == 1:
            return True
        if free >> at & 1 == 0:
            return False
    return False


def shots_from_bar(others, free, target, waiting):
    """Return the rolls of 36 that hit the target when `waiting` men must come in first; `others` are on the board."""
    total = 0
    for a in range(1, 7):
        if free >> a & 1 == 1:
            left = 4 - waiting
            if target == a or (left > 0 and repeats(others | 1 << a, free, target, a, left)):
                total += 1
        for b in range(1, a):
            if comes_in(others, free, target, a, b, waiting) or comes_in(others, free, target, b, a, waiting):
                total += 2
    return total


def comes_in(others, free, target, first, second, waiting):
    """Tell whether a man that comes in with the first die hits, or another with the second, if one alone was out."""
    if free >> first & 1 == 0:
        return False
    if target == first:
        return True
    return waiting == 1 and target >= second and (others | 1 << first) >> target - second & 1 == 1
