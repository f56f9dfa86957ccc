"""Staged deepening: a few moves blind, then look which way to go on; forget nearly everything.

The idea (Heineman).  From the most promising open state search depth first for exactly `depth` moves, without any
opinion, skipping states that a table has seen; only the states at the end of these moves are judged, and become open.
A new open state takes the place of an old one of the same value (`ties=replace`): with a coarse estimate this keeps a
handful of states alive, each the newest of its kind.  When the table holds more than `table` states it is emptied, and
only the open states survive.  That suits puzzles in which most moves cannot be taken back and many ways lead to the
goal, such as FreeCell; plans are not short, and where open states were replaced nothing is proved by running out of
them.

A search that has gone astray stays astray, for it has forgotten what it turned away from.  With `patience` it begins
again after so many nodes, and whenever nothing is left of what it kept: with stages one move longer, two, three, then
as at first, and with twice the patience each time, unless stages of all four lengths have come to their end.  All nodes
count.

References.  G. Heineman, "Algorithm to solve FreeCell solitaire games" (2009); M. Sipper, *Evolved to Win* (2011),
Algorithm 11.1.  The book's k is `depth` and its S is `table`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ludwin.game import Game
from ludwin.kernel.names import Bundle, bits, copy, key, moves, play, solved
from ludwin.kernel.text import Kernel
from ludwin.primitives import mix
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.estimate import far
from ludwin.search.puzzles.heap import RANKED, pop, push
from ludwin.search.puzzles.marks import forget, is_new
from ludwin.search.puzzles.pool import (
    LENGTH,
    LONGEST,
    MEMORY,
    NODES,
    NOTHING,
    PLACES,
    RUN,
    SMALL,
    SOLVED,
    STOPPED,
    begins_solved,
    fallback,
    first,
    run_dry,
)
from ludwin.search.puzzles.solver import Guided, shares
from ludwin.search.seat import Seat
from ludwin.search.values import wake

DEEPEST = 16  # moves between two looks
LEAST_TABLE = 40_000_000  # bytes that seen states may take, for one stage may see many more than the table shall hold
LONGER = 3  # moves by which stages may grow when patience is lost; docs/results/puzzles.md tells why not 2
STEPS = {"parent": int, "steps": DEEPEST}  # how a state was reached: from which stage, by which moves
LEVEL = {"n": int, "next": int, "move": int}
RECORDS = {
    **PLACES,
    **{"opened": "States", "nodes": [{**RANKED, **STEPS}], "log": [STEPS], "levels": [LEVEL], "marks": [int]},
    **{"heap": [int], "free": [int], "kept": [int], "values": [{"bits": int, "row": int}]},
    "run": {
        **RUN,
        **{"waiting": int, "marked": int, "held": int, "stages": int, "stage": int, "freed": int, "fresh": int},
        **{"ply": int, "table": int, "open": int, "replace": int, "dropped": int},
        **{"value_mask": int, "value_room": int, "valued": int},
        **{"patience": int, "until": int, "least_ply": int, "first_patience": int, "dry": int},
    },
}


def give_up(w):
    """Tell whether the search must end, and note why."""
    run = w.run
    if run.stop != 0:
        run.why = STOPPED
    elif run.why == NOTHING and run.nodes >= run.most:
        run.why = NODES
    elif run.marked >= run.held or run.stages >= run.room:
        run.why = MEMORY
    return run.why != NOTHING


# ---- Open states ---------------------------------------------------------------------------------------------------


def clear_values(w):
    """Forget which open state has which value."""
    for i in range(w.run.value_mask + 1):
        w.values[i].row = -1
    w.run.valued = 0
    return 0


def value_place(w, value: float):
    """Return the place of a value in their table, or the free one in which it would be."""
    b = bits(value)
    at = mix(2, b) & w.run.value_mask
    while w.values[at].row >= 0 and w.values[at].bits != b:
        at = (at + 1) & w.run.value_mask
    return at


def put_value(w, row: int):
    """Note which open state has a value."""
    at = value_place(w, w.nodes[row].rank)
    if w.values[at].row < 0:
        w.run.valued += 1
    w.values[at].row = row
    w.values[at].bits = bits(w.nodes[row].rank)
    return 0


def note_values_anew(w):
    """Note the values of the states that are open now, in a table that is large enough for a while."""
    run = w.run
    while run.value_mask < 4 * run.waiting and 2 * run.value_mask + 1 < run.value_room:
        run.value_mask = 2 * run.value_mask + 1
    clear_values(w)
    for i in range(run.waiting):
        put_value(w, w.heap[i + 1])
    return 0


def trim(w):
    """Keep the more promising half of the open states, and free the rows of the others."""
    run = w.run
    run.dropped = 1
    half = run.open // 2
    for i in range(half):
        w.kept[i] = pop(w)
    while run.waiting > 0:
        row = w.heap[run.waiting]
        w.nodes[row].place = 0
        w.free[run.freed] = row
        run.freed += 1
        run.waiting -= 1
    for i in range(half):
        push(w, w.kept[i])
    return note_values_anew(w)


def new_row(w):
    """Return a row for an open state: one that was freed, or one that nobody has used."""
    run = w.run
    if run.freed > 0:
        run.freed -= 1
        return w.free[run.freed]
    run.fresh += 1
    return run.fresh - 1


def open_state(w, s):
    """Judge a state at the end of a stage and let it wait, in the place of an older one of the same value."""
    run = w.run
    value = far(w, s)
    row = w.values[value_place(w, value)].row if run.replace == 1 else -1
    if row >= 0 and w.nodes[row].place > 0 and w.nodes[row].rank == value:
        run.dropped = 1
    else:
        if run.waiting >= run.open:
            trim(w)
        row = new_row(w)
        w.nodes[row].rank = value
        w.nodes[row].far = 0.0
        w.nodes[row].place = 0
        push(w, row)
        if run.replace == 1:
            put_value(w, row)
            if 3 * run.valued > 2 * run.value_mask:
                note_values_anew(w)
    copy(w.opened[row], s)
    node = w.nodes[row]
    node.parent = run.stage
    for i in range(run.ply):
        node.steps[i] = w.levels[i].move
    return 0


# ---- Stages --------------------------------------------------------------------------------------------------------


def tell_stages(w, depth: int):
    """Write the plan: the moves of all stages that led here, then those of this one; return its first move."""
    run = w.run
    n = depth
    at = run.stage
    while w.log[at].parent >= 0:
        n += run.ply
        at = w.log[at].parent
    if n > LONGEST:
        run.why = LENGTH
        return fallback(w)
    run.length = n
    run.status = SOLVED
    for i in range(depth):
        w.plan[n - depth + i] = w.levels[i].move
    n -= depth
    at = run.stage
    while w.log[at].parent >= 0:
        n -= run.ply
        for i in range(run.ply):
            w.plan[n + i] = w.log[at].steps[i]
        at = w.log[at].parent
    return first(w)


def way_here(w):
    """Return how many moves lead to the state of this stage."""
    n = 0
    at = w.run.stage
    while w.log[at].parent >= 0:
        n += w.run.ply
        at = w.log[at].parent
    return n


def look_around(w):
    """Search depth first from state 1 for exactly `ply` moves; return how many moves led to a goal, 0 if none did."""
    run = w.run
    depth = 0
    ended = -1  # moves of this stage to the deepest state that has none
    w.levels[0].n = moves(w.states[1], w.bufs[1])
    w.levels[0].next = 0
    run.expanded += 1
    if w.levels[0].n == 0:
        ended = 0
    while depth >= 0:
        level = w.levels[depth]
        if level.next >= level.n:
            depth -= 1
            continue
        level.move = w.bufs[depth + 1][level.next]
        level.next += 1
        child = w.states[depth + 2]
        copy(child, w.states[depth + 1])
        play(child, level.move)
        run.generated += 1
        if not is_new(w, key(child)):
            continue
        run.nodes += 1
        run.distinct += 1
        if solved(child):
            return depth + 1
        if give_up(w):
            return 0
        if depth + 1 == run.ply:
            open_state(w, child)
            continue
        depth += 1
        w.levels[depth].n = moves(child, w.bufs[depth + 1])
        w.levels[depth].next = 0
        run.expanded += 1
        if w.levels[depth].n == 0:
            ended = max(ended, depth)
    if ended >= 0 and way_here(w) + ended >= run.early:
        run.dropped = 1  # perhaps only the length of the game has ended it, and a shorter way was not looked at
    return 0


def start_over(w):
    """Begin with one open state, the position itself."""
    run = w.run
    forget(w)
    run.waiting = 0
    run.stages = 0
    run.dropped = 0
    run.freed = 0
    run.fresh = 0
    run.value_mask = SMALL - 1
    clear_values(w)
    is_new(w, key(w.states[0]))
    run.stage = -1
    ply = run.ply
    run.ply = 0
    open_state(w, w.states[0])
    run.ply = ply
    return 0


def next_stage(w):
    """Take the best open state and look around from there; return how many moves led to a goal, 0 if none did."""
    run = w.run
    row = pop(w)
    w.free[run.freed] = row
    run.freed += 1
    copy(w.states[1], w.opened[row])
    run.stage = run.stages
    entry = w.log[run.stage]
    entry.parent = w.nodes[row].parent
    for i in range(run.ply):
        entry.steps[i] = w.nodes[row].steps[i]
    run.stages += 1
    depth = look_around(w)
    if depth == 0 and run.marked > run.table:
        forget(w)
    return depth


def loses_patience(w):
    """Tell whether it is better to begin again: too many nodes, or nothing left of what was kept.

    Where stages of every length have come to their end one after another, more patience would only repeat them.
    """
    run = w.run
    if run.patience == 0 or run.nodes >= run.most or run.stop != 0:
        return False
    if run.why == MEMORY or (run.waiting == 0 and run.dropped == 1):
        run.dry += 1
        return run.dry <= LONGER
    if run.nodes < run.until or run.waiting == 0:  # with nothing left and nothing dropped there is no plan
        return False
    run.dry = 0
    return True


def begin_again(w):
    """Begin again with longer stages, or as at first, and with twice the patience."""
    run = w.run
    run.why = NOTHING
    run.ply = run.ply + 1 if run.ply < run.least_ply + LONGER else run.least_ply
    run.patience = 2 * run.patience
    run.until = run.nodes + run.patience
    return start_over(w)


def staged(w: Bundle):
    """Return the first move of the plan that is found."""
    run = w.run
    wake(w)
    if begins_solved(w):
        return fallback(w)
    run.ply = run.least_ply
    run.patience = run.first_patience
    run.until = run.patience
    run.dry = 0
    start_over(w)
    while run.waiting > 0 and not give_up(w):
        depth = next_stage(w)
        if depth > 0:
            return tell_stages(w, depth)
        give_up(w)  # a stage may use up the memory without a new state
        if loses_patience(w):
            begin_again(w)
    return run_dry(w, run.dropped)


KERNEL = Kernel("staged deepening", staged, needs=("solved",), records=RECORDS)


@dataclass(frozen=True)
class Staged(Guided):
    """Searches a few moves blind, judges where they end, and goes on from the best; forgets nearly everything."""

    name: ClassVar[str] = "staged"
    depth: int = setting(3, "moves between two looks (the book's k)", least=1, most=DEEPEST - LONGER)
    table: int = setting(200_000, "states that the table may hold before it is emptied (the book's S)", least=1)
    open: int = setting(200_000, "open states that are kept when there are twice as many", least=1)
    ties: str = setting("replace", "a new open state of an equal value", choices=("replace", "keep"))
    patience: int = setting(0, "nodes after which it begins again, with longer stages (0: never)", least=0)
    brain: Brain | None = mind()

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel; open states and the table of seen ones are as large as the settings, if memory allows."""
        row = 8 * (game.fields.cells + len(RANKED) + 1 + DEEPEST + 3) + 16 * 8  # with its places in lists and values
        opened = max(4, min(2 * self.open, memory // 2 // row))
        held, slots = shares(min(memory // 4, max(LEAST_TABLE, 200 * self.table)), 8)
        stages = max(16, memory // 8 // (8 * (1 + DEEPEST)))
        levels = dict.fromkeys(("states", "bufs", "levels"), self.depth + LONGER + 3)
        values = max(SMALL, 1 << (6 * opened).bit_length())
        lists = {"heap": opened + 2, "free": opened + 1, "kept": opened + 1, "values": values}
        rows = {"opened": opened + 1, "nodes": opened + 1, "log": stages + 1, "marks": held + 1}
        return Seat(KERNEL, sizes={**levels, **lists, **rows, "slots": slots})

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {
            **{"least_ply": self.depth, "first_patience": self.patience, "table": self.table},
            **{"replace": int(self.ties == "replace")},
            **{"open": sizes["opened"] - 1, "held": sizes["marks"] - 1, "room": sizes["log"] - 1},
            "value_room": sizes["values"],
        }
