"""A set of keys: which states a search has met, where it need not know them again.  Kernel text.

As in the pool, the table of slots begins small and doubles; `w.marks` lists the keys in the order of their coming.
"""

from ludwin.primitives import mix
from ludwin.search.puzzles.pool import SMALL


def forget(w):
    """Empty the set."""
    run = w.run
    run.mask = min(SMALL, run.slots) - 1
    run.marked = 0
    for i in range(run.mask + 1):
        w.slots[i] = 0
    return 0


def place_of(w, k: int):
    """Return the slot in which a key is, or would be."""
    mask = w.run.mask
    at = mix(1, k) & mask
    while w.slots[at] > 0 and w.marks[w.slots[at] - 1] != k:
        at = (at + 1) & mask
    return at


def is_new(w, k: int):
    """Put a key into the set; tell whether it was not there. Whoever calls it sees to it that there is room."""
    run = w.run
    at = place_of(w, k)
    if w.slots[at] > 0:
        return False
    w.marks[run.marked] = k
    run.marked += 1
    w.slots[at] = run.marked
    if 3 * run.marked > 2 * run.mask and 2 * (run.mask + 1) <= run.slots:
        run.mask = 2 * run.mask + 1
        for i in range(run.mask + 1):
            w.slots[i] = 0
        for number in range(run.marked):
            w.slots[place_of(w, w.marks[number])] = number + 1
    return True
