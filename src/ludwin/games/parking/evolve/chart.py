"""Charts: every state that a board can reach, what each word says of it, and searches that read both.  Kernel text and
its shell.

Why it is here.  Who tunes the weights of a sum of words asks the same words about the same states thousands of times,
and words take most of a search's time.  A chart asks each word once a state; a search with other weights is then a walk
through tables.  It enters the same nodes in the same order as `id` and `ida` with the same sum (a test compares them),
so a tuned sum is worth in a search what it was worth on charts.

Words must be functions of the state and of the start.  What the way says is not, so its weights stand apart: whether a
move brings its vehicle where one on the way has brought it before (`again`), and what pairs of vehicles and places are
new on the way (`fresh` for each of them, `stale` for none, as `novelty.py` of the searches has it).  Probes may come
before each round, shaken by noise (`probes.py`): that is a function of a state's key, so charts keep keys, too.

Costs are slides: each counts 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from ludwin.errors import BadParameter
from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, copy, key, moves, play, query, solved
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.search.puzzles.pool import RECORDS, RUN, add, begin, find, plant
from ludwin.search.puzzles.probes import RUN as PROBING
from ludwin.search.puzzles.probes import Probing, begin_dive, is_over, shaken

NEVER = 2.0**400  # a bound beyond all bounds
UNSEEN = 1 << 40  # the price of a state that was not reached in this round
DEEPEST = 500  # slides of a walk: as long as a game may be
ROOM = 200_000  # states of a chart
MOST_CARS = 32
PLACES = 8  # of a line
EDGES = 12  # moves a state, on average, that there is room for
ALONE = Probing()  # no probes


# ---- A chart is drawn ------------------------------------------------------------------------------------------------


def survey(w: Bundle):
    """Fill the chart of the board in row 0; return 0, or 1 if there is no room."""
    run = w.run
    begin(w)
    plant(w, key(w.states[0]))
    edges = 0
    at = 0
    while at < run.count:
        s = w.states[at]
        for k in range(run.words):
            w.words[at * run.words + k] = 1.0 * query(s, 0, w.asked[k], 0)
        w.begins[at] = edges
        w.keys[at] = w.nodes[at].key
        for v in range(run.cars):
            w.stands[at * run.cars + v] = int(query(s, 0, run.stands, v))
        w.solved[at] = 1 if solved(s) else 0
        n = moves(s, w.bufs[0])
        if edges + n > run.edges:
            return 1
        for i in range(n):
            child = w.states[run.count]
            copy(child, s)
            play(child, w.bufs[0][i])
            k = key(child)
            slot = find(w, k)
            w.targets[edges] = w.slots[slot] - 1 if w.slots[slot] > 0 else add(w, k, slot, -1, 0)
            w.brings[edges] = PLACES * (w.bufs[0][i] // 64) + w.bufs[0][i] % 8
            edges += 1
            if run.count >= run.room:
                return 1
        at += 1
    w.begins[at] = edges
    return 0


ROWS = {
    **{"words": [float], "asked": [int], "begins": [int], "solved": [int]},
    **{"targets": [int], "brings": [int], "stands": [int], "keys": [int]},
}
SURVEYED = {"words": int, "edges": int, "cars": int, "stands": int}
SURVEY = Kernel("charts", survey, records={**RECORDS, **ROWS, "run": {**RUN, **SURVEYED}})


# ---- A chart is searched ---------------------------------------------------------------------------------------------


def pair_of(w, brings: int, u: int, place: int):
    """Return the number of a pair: where a move brings a vehicle, and where another one stands."""
    return (brings * w.run.cars + u) * PLACES + place


def novelty(w, at: int, brings: int):
    """Return what is added for pairs that are new on the way, if a move from a state brings its vehicle there."""
    run = w.run
    fresh = 0
    for u in range(run.cars):
        if u != brings // PLACES and w.pairs[pair_of(w, brings, u, w.stands[at * run.cars + u])] == 0:
            fresh += 1
    return run.fresh * fresh + (run.stale if fresh == 0 else 0.0)


def count_pairs(w, at: int, brings: int, by: int):
    """Count the pairs that a move from a state brings, from both sides."""
    run = w.run
    for u in range(run.cars):
        if u != brings // PLACES:
            place = w.stands[at * run.cars + u]
            w.pairs[pair_of(w, brings, u, place)] += by
            w.pairs[pair_of(w, u * PLACES + place, brings // PLACES, brings % PLACES)] += by
    return 0


def set_out(w):
    """Begin a way: nobody was brought anywhere, and the pairs of the start have stood together."""
    run = w.run
    for i in range(run.places):
        w.brought[i] = 0
    for i in range(run.pairs):
        w.pairs[i] = 0
    for v in range(run.cars):
        count_pairs(w, 0, v * PLACES + w.stands[v], 1)
    return 0


def turn_back(w, depth: int):
    """Forget what the move of a level has brought."""
    level = w.levels[depth]
    w.brought[level.brings] -= 1
    return count_pairs(w, level.at, level.brings, -1)


def list_children(w, depth: int, at: int, price: int):
    """Begin a level: list the moves of a state in the order in which they will be tried, as the search alone does."""
    run = w.run
    base = depth * run.width
    n = 0
    for edge in range(w.begins[at], w.begins[at + 1]):
        child = w.targets[edge]
        value = 0.0
        if price + 1.0 <= run.bound:
            if w.reached[child] <= price + 1:
                continue
            value = -NEVER if w.solved[child] == 1 else w.worth[child]
            if w.solved[child] == 0:
                value += run.again if w.brought[w.brings[edge]] > 0 else 0.0
                value = value + novelty(w, at, w.brings[edge]) + shaken(w, w.keys[child])
        place = base + n
        while place > base and w.values[place - 1] > value:
            w.values[place] = w.values[place - 1]
            w.listed[place] = w.listed[place - 1]
            place -= 1
        w.values[place] = value
        w.listed[place] = edge
        n += 1
    level = w.levels[depth]
    level.n = n
    level.next = 0
    level.at = at
    return 0


def is_entered(w, price: int, edge: int, value: float):
    """Tell whether the state behind a move is within the bound and new at this price; note what was beyond."""
    run = w.run
    child = w.targets[edge]
    total = 1.0 * price
    if total <= run.bound and run.cuts == 1 and w.solved[child] == 0:
        total += value
    if total > run.bound:
        run.beyond = min(run.beyond, total)
        return False
    if w.reached[child] <= price:
        return False
    w.reached[child] = price
    run.nodes += 1
    return True


def dive(w):
    """Search to the bound; return 1 if that has found the exit, 0 if all was searched, else -1."""
    run = w.run
    run.beyond = NEVER
    for i in range(run.count):
        w.reached[i] = UNSEEN
    set_out(w)
    w.reached[0] = 0
    list_children(w, 0, 0, 0)
    depth = 0
    while depth >= 0:
        level = w.levels[depth]
        if level.next >= level.n:
            depth -= 1
            if depth >= 0:
                turn_back(w, depth)
            continue
        place = depth * run.width + level.next
        level.next += 1
        edge = w.listed[place]
        if not is_entered(w, depth + 1, edge, w.values[place]):
            continue
        if w.solved[w.targets[edge]] == 1:
            return 1
        if run.nodes >= run.most or depth + 1 >= run.deepest or is_over(w):
            return -1
        level.brings = w.brings[edge]
        w.brought[level.brings] += 1
        count_pairs(w, level.at, level.brings, 1)
        depth += 1
        list_children(w, depth, w.targets[edge], depth)
    return 0


def search_round(w):
    """Search one round, probes first; tell whether that has found the exit."""
    for number in range(1, w.run.probes + 2):
        begin_dive(w, number)
        found = dive(w)
        if found >= 0 or w.run.nodes >= w.run.most:
            return found == 1
    return False


def descend(w: Bundle):
    """Return 1 if iterative deepening finds the exit within its nodes, else 0; `run.nodes` says how many it took."""
    run = w.run
    run.nodes = 1
    run.bound = w.worth[0] if run.cuts == 1 else run.increment
    while run.nodes < run.most:
        if search_round(w):
            return 1
        if run.beyond >= NEVER:
            return 0
        run.bound += run.increment * max(1.0, 1.0 * int((run.beyond - run.bound) / run.increment))
        if run.bound < run.beyond:
            run.bound += run.increment
    return 0


WALK = {
    "count": int,
    "places": int,
    "width": int,  # of a level: the most moves of a state
    "deepest": int,
    "most": int,  # nodes
    "nodes": int,
    "cuts": int,
    "cars": int,
    "pairs": int,
    "again": float,
    "fresh": float,
    "stale": float,
    "increment": float,
    "bound": float,
    "beyond": float,
    **PROBING,
}
LEVEL = {"n": int, "next": int, "at": int, "brings": int}
TABLES = {"begins": [int], "solved": [int], "targets": [int], "brings": [int], "worth": [float], "reached": [int]}
SPACE = {
    "stands": [int],
    "keys": [int],
    "pairs": [int],
    "brought": [int],
    "values": [float],
    "listed": [int],
    "levels": [LEVEL],
}
DESCEND = Kernel("searches on charts", descend, records={**TABLES, **SPACE, "run": WALK})


# ---- The shell -------------------------------------------------------------------------------------------------------


class WordSum(NamedTuple):
    """Weights of the words of a chart, and of what the way says; how far noise moves the sum in probes."""

    weights: Sequence[float]
    again: float = 0.0
    fresh: float = 0.0
    stale: float = 0.0
    noise: float = 0.0


class Walked(NamedTuple):
    """What a search on a chart has found."""

    solved: bool
    nodes: int


@lru_cache(maxsize=2)
def _surveyor(game: Game, words: int, room: int) -> tuple[Any, Any]:
    run = specialise(game, SURVEY, "fast")
    sizes = {"states": room + 1, "nodes": room + 1, "slots": 1 << (2 * room).bit_length(), "bufs": 1, "plan": 1}
    rows = {"words": words * room, "asked": words, "begins": room + 1, "solved": room, "stands": MOST_CARS * room}
    return run, run.bundle(**sizes, **rows, keys=room, targets=EDGES * room, brings=EDGES * room)


@dataclass(frozen=True, eq=False)
class Chart:
    """All states that a board can reach, in the order of breadth first, with what words say of each."""

    words: Any  # states x words
    run: Any
    w: Any

    @classmethod
    def of(cls, state: State, queries: Sequence[str], room: int = ROOM) -> "Chart":
        """Return the chart of a position. Raises BadParameter if too many states can be reached."""
        import numpy as np

        game = state.game
        survey_run, drawn = _surveyor(game, len(queries), room)
        survey_run.put(drawn.states, 0, state)
        drawn.run.room, drawn.run.slots, drawn.run.words = room, len(drawn.slots), len(queries)
        drawn.run.edges, drawn.run.stands = len(drawn.targets), list(game.queries).index("stands")
        drawn.run.cars = cars = int(state.thaw().vehicles)
        for k, name in enumerate(queries):
            drawn.asked[k] = list(game.queries).index(name)
        if int(survey_run(drawn)):
            raise BadParameter(f"a chart has room for {room:,} states, more can be reached from {state.write():.80}")
        count = int(drawn.run.count)
        words = np.array(drawn.words[: count * len(queries)]).reshape(count, len(queries))
        edges = drawn.begins[count]
        width = max(drawn.begins[k + 1] - drawn.begins[k] for k in range(count))
        walk = specialise(game, DESCEND, "fast")
        sizes = {"begins": count + 1, "solved": count, "targets": edges, "brings": edges, "stands": count * cars}
        sizes["keys"] = count
        space = {"levels": DEEPEST + 1, "values": (DEEPEST + 1) * width, "listed": (DEEPEST + 1) * width}
        places, pairs = PLACES * cars, (PLACES * cars) ** 2
        w = walk.bundle(**sizes, **space, worth=count, reached=count, brought=places, pairs=pairs)
        for name, size in sizes.items():
            getattr(w, name)[:] = getattr(drawn, name)[:size]
        w.run.count, w.run.places, w.run.width, w.run.deepest = count, places, width, DEEPEST
        w.run.cars, w.run.pairs = cars, pairs
        return cls(words.astype(np.float32), walk, w)

    def worth(self, weights: Sequence[float]) -> Any:
        """Return what a sum of the words says of each state, added up in the order of the words."""
        import numpy as np

        total = np.zeros(len(self.words))
        for k, weight in enumerate(weights):
            total += weight * self.words[:, k].astype(np.float64)
        return total

    def search(
        self, sum: WordSum, increment: float, nodes: int, cuts: bool = False, probing: Probing = ALONE
    ) -> Walked:
        """Return what iterative deepening finds that orders moves by a sum, and with `cuts` is cut short by it.

        How far noise moves a sum in probes is said by the sum, not by `probing`.
        """
        import numpy as np

        np.asarray(self.w.worth)[:] = self.worth(sum.weights)
        run = self.w.run
        run.again, run.fresh, run.stale = float(sum.again), float(sum.fresh), float(sum.stale)
        run.increment, run.most, run.cuts = float(increment), nodes, int(cuts)
        run.probes, run.probe_nodes, run.noise = probing.probes, probing.probe_nodes, float(sum.noise)
        found = int(self.run(self.w))
        return Walked(found == 1, int(run.nodes))
