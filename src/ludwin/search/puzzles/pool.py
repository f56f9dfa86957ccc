"""The pool: all states that a search has met, each once, with the way that led there.  Kernel text.

The idea.  Row number i of `w.states` and of `w.nodes` is the i-th state that the search has met; a node knows its
parent and the move from there, so a plan is read backward from the goal.  A table of open addresses finds a state again
by its key.  It begins small and doubles, so that a short search touches little memory, and the pool is large enough for
the memory that was granted and no larger: when it is full the search says so and ends.

Two states of one key are one state here.  Keys have 63 good bits, so among n states a mistake has a probability of
about n * n / 2**64: one in two million for a million states.
"""

from typing import Any

from ludwin.kernel.names import copy, key, moves, play, solved
from ludwin.primitives import mix

OPEN, SOLVED, EXHAUSTED = 0, 1, 2  # how a search has ended
NOTHING, NODES, MEMORY, STOPPED, LENGTH, DROPPED, PRICES = 0, 1, 2, 3, 4, 5, 6  # why it has given up
REASONS = ("", "nodes", "memory", "seconds", "length", "incomplete", "prices")
LONGEST = 65536  # moves of a plan
SMALL = 1024  # slots of a table at first

NODE: dict[str, Any] = {"key": int, "parent": int, "move": int}
RUN: dict[str, Any] = {
    "most": int,  # how many nodes may be entered
    "room": int,  # how many rows there are
    "stop": int,  # not 0: somebody outside wants it to end
    "count": int,  # rows in use
    "slots": int,  # of the table
    "mask": int,  # slots in use, less one
    "nodes": int,
    "generated": int,
    "expanded": int,
    "distinct": int,
    "depth": int,  # how far it is, for people
    "status": int,
    "why": int,
    "length": int,  # of the plan
    "early": int,  # moves after which a state may have none only because the game is too long
    "doubt": int,  # whether a state had no moves perhaps because the way to it was as long as a game may be
}
PLACES: dict[str, Any] = {"states": "States", "bufs": "Moves", "rng": "Ints", "slots": [int], "plan": [int]}
RECORDS: dict[str, Any] = {**PLACES, "nodes": [NODE], "run": RUN}


def begin(w):
    """Forget everything; the state in row 0 is the first node."""
    run = w.run
    run.count = 0
    run.nodes = 1
    run.generated = 0
    run.expanded = 0
    run.distinct = 1
    run.depth = 0
    run.status = OPEN
    run.why = NOTHING
    run.length = 0
    run.doubt = 0
    return 0


def begins_solved(w):
    """Forget everything; tell whether the start is solved, which ends the search with an empty plan."""
    begin(w)
    if solved(w.states[0]):
        w.run.status = SOLVED
    return w.run.status == SOLVED


def run_dry(w, dropped: int):
    """Say what it means that nothing is left to search, if nothing else has ended it: that there is no plan, unless
    something was dropped on the way. Return a legal move.
    """
    if w.run.why == NOTHING:
        if dropped != 0:
            w.run.why = DROPPED
        else:
            w.run.status = EXHAUSTED
    return fallback(w)


def plant(w, k: int):
    """Make row 0, of key k, the only one in the pool."""
    run = w.run
    run.mask = min(SMALL, run.slots) - 1
    for i in range(run.mask + 1):
        w.slots[i] = 0
    run.count = 0
    return add(w, k, find(w, k), -1, 0)


def find(w, k: int):
    """Return the slot of the state of key k, or the free one in which it would be."""
    mask = w.run.mask
    at = mix(1, k) & mask
    while w.slots[at] > 0 and w.nodes[w.slots[at] - 1].key != k:
        at = (at + 1) & mask
    return at


def add(w, k: int, at: int, parent: int, m: int):
    """Enter the state in row `count` as a node, into a free slot; return its number."""
    run = w.run
    number = run.count
    node = w.nodes[number]
    node.key = k
    node.parent = parent
    node.move = m
    w.slots[at] = number + 1
    run.count = number + 1
    if 3 * run.count > 2 * run.mask and 2 * (run.mask + 1) <= run.slots:
        grow(w)
    return number


def grow(w):
    """Double the table."""
    run = w.run
    run.mask = 2 * run.mask + 1
    for i in range(run.mask + 1):
        w.slots[i] = 0
    for number in range(run.count):
        w.slots[find(w, w.nodes[number].key)] = number + 1
    return 0


def spent(w):
    """Tell whether nothing more can be entered, and note why."""
    run = w.run
    if run.stop != 0:
        run.why = STOPPED
    elif run.nodes >= run.most:
        run.why = NODES
    elif run.count >= run.room:
        run.why = MEMORY
    return run.why != NOTHING


def is_stopped(w):
    """Tell whether somebody outside wants the search to end, and note it; ways to known states take time, too."""
    if w.run.stop != 0:
        w.run.why = STOPPED
    return w.run.stop != 0


def reach(w, parent: int, m: int):
    """Play move m of a node; return the number of the state behind it, with `count` as it was if it is known."""
    child = w.states[w.run.count]
    copy(child, w.states[parent])
    play(child, m)
    w.run.generated += 1
    k = key(child)
    at = find(w, k)
    if w.slots[at] > 0:
        return w.slots[at] - 1
    w.run.nodes += 1
    w.run.distinct += 1
    return add(w, k, at, parent, m)


def steps_to(w, node: int):
    """Return how many moves lead to a node."""
    n = 0
    while w.nodes[node].parent >= 0:
        node = w.nodes[node].parent
        n += 1
    return n


def tell(w, node: int):
    """Write the plan that leads to a node, and end the search with it; return its first move."""
    n = steps_to(w, node)
    if n > LONGEST:
        w.run.why = LENGTH
        return fallback(w)
    w.run.length = n
    w.run.status = SOLVED
    at = n
    while at > 0:
        at -= 1
        w.plan[at] = w.nodes[node].move
        node = w.nodes[node].parent
    return first(w)


def can_play(w, s, m: int):
    """Tell whether a move is legal in a state."""
    for k in range(moves(s, w.bufs[0])):
        if w.bufs[0][k] == m:
            return True
    return False


def is_legal(w, s):
    """Tell whether the plan can be played from row 0; `s` is a state to play it in."""
    copy(s, w.states[0])
    for i in range(w.run.length):
        if not can_play(w, s, w.plan[i]):
            return False
        play(s, w.plan[i])
    return solved(s)


def first(w):
    """Return the first move of the plan, or any if it is empty."""
    return w.plan[0] if w.run.length > 0 else fallback(w)


def fallback(w):
    """Return the first legal move: what an agent plays who has found nothing."""
    return w.bufs[0][0] if moves(w.states[0], w.bufs[0]) > 0 else 0
