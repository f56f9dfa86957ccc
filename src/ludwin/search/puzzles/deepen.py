"""Iterative deepening: depth first to a bound, and again to a greater one, with a table in each round.

The idea.  Depth first needs little memory and finds long plans; a bound on the cost keeps it from getting lost, and
raising the bound finds cheap plans first.  `id` cuts where the cost so far exceeds the bound, IDA* where the cost so
far and the estimate do.  Each round has a table, state -> least cost at which it was reached in this round; a state
that comes again and has cost no less is not entered again.  Without the table puzzles whose moves can be taken back
are hopeless: of the forty classic cards of the parking puzzle none is solved within 1.5 million nodes.

The bound is raised by `increment`, or, with 0, to the least cost that exceeded it.  Rounds end with the first plan, so
it is a cheapest one only if no round skips a cost.  `order=estimate` tries moves in the order in which the states
behind them seem near to a goal (in *Evolved to Win*, chapter 10, that is all that a heuristic does), `order=NAME` in
that of the game's `order_NAME`; with `novel` the order heeds what is new on the way, too (`novelty.py`), with `probes`
short walks come before each round (`probes.py`).

References.  R. E. Korf, "Depth-first iterative-deepening: an optimal admissible tree search", Artificial Intelligence
27 (1985); A. Reinefeld and T. A. Marsland, "Enhanced iterative-deepening search", IEEE PAMI 16 (1994).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ludwin.errors import BadParameter, CannotPlay
from ludwin.game import Game, State
from ludwin.kernel.names import Bundle, copy, cost, key, moves, play, solved
from ludwin.kernel.text import Kernel
from ludwin.search.brain import Brain, mind
from ludwin.search.choice import setting
from ludwin.search.puzzles.estimate import FAR, far
from ludwin.search.puzzles.novelty import Heeded, go_back, go_on, heeding, novelty, places_of, room_of, set_out
from ludwin.search.puzzles.pool import (
    DROPPED,
    EXHAUSTED,
    LENGTH,
    MEMORY,
    NODES,
    NOTHING,
    OPEN,
    PLACES,
    PRICES,
    RUN,
    SMALL,
    SOLVED,
    STOPPED,
    begin,
    fallback,
    find,
    first,
    grow,
)
from ludwin.search.puzzles.probes import RUN as PROBING
from ludwin.search.puzzles.probes import Probing, begin_dive, is_over, shaken
from ludwin.search.puzzles.solver import (
    ANY,
    CHEAPEST,
    FEWEST_MOVES,
    LEAST_MEMORY,
    UNLIMITED,
    Guided,
    read_memory,
    shares,
)
from ludwin.search.seat import Seat
from ludwin.search.values import wake

NEVER = 2.0**400  # a cost beyond all bounds
MANY = 2.0**50  # steps of a bound that are no longer counted
BY_RULES, BY_ESTIMATE, BY_GAME = 0, 1, 2  # in which order moves are tried
LEVEL = {"n": int, "next": int, "move": int, "cost": float, "value": float}
RECORDS = {
    **PLACES,
    **{"nodes": [{"key": int, "cost": float}], "levels": [LEVEL], "values": "FloatRows"},
    "run": {
        **RUN,
        **{"deepest": int, "order": int, "cuts": int, "increment": float, "weight": float},
        **{"bound": float, "beyond": float, "capped": int, "rounds": int},
        **PROBING,
        **{"first": float, "jump": float, "largest": int, "grew": float, "hopeless": int, "sound": int},
    },
}


def prefer(s, m):
    """Stand-in for the game's `order_NAME`, which is bound to this name."""
    return 0


def empty(w):
    """Empty the table."""
    run = w.run
    run.mask = min(SMALL, run.slots) - 1
    run.count = 0
    for i in range(run.mask + 1):
        w.slots[i] = 0
    return 0


def was_here(w, k: int, price: float):
    """Tell whether a state was reached at no greater cost in this round, and note it if not."""
    run = w.run
    at = find(w, k)
    if w.slots[at] > 0:
        node = w.nodes[w.slots[at] - 1]
        if node.cost <= price:
            return True
        node.cost = price
        return False
    if run.count >= run.room:
        run.why = MEMORY
        return True
    node = w.nodes[run.count]
    node.key = k
    node.cost = price
    run.count += 1
    w.slots[at] = run.count
    if 3 * run.count > 2 * run.mask and 2 * (run.mask + 1) <= run.slots:
        grow(w)
    return False


def is_known(w, k: int, price: float):
    """Tell whether a state was reached at no greater cost in this round; `was_here` notes it, too."""
    at = find(w, k)
    return w.slots[at] > 0 and w.nodes[w.slots[at] - 1].cost <= price


def list_moves(w, depth: int, price: float):
    """Begin a level: list the moves of its state in the order in which they will be tried."""
    run = w.run
    s = w.states[depth]
    out = w.bufs[depth]
    level = w.levels[depth]
    level.n = moves(s, out)
    level.next = 0
    level.cost = price
    run.expanded += 1
    if level.n == 0 and depth >= run.early:
        run.capped = 1  # perhaps only the length of the game has ended it
        run.doubt = 1
    if run.order == BY_RULES:
        return 0
    values = w.values[depth]
    spare = w.states[run.deepest + 1]
    n = 0
    for i in range(level.n):
        m = out[i]
        value = 0.0
        if run.order == BY_GAME:
            value = -1.0 * prefer(s, m)
        elif price + cost(s, m) <= run.bound:
            # An estimate may take long: it is not asked for what is known, which goes, or beyond the bound.
            copy(spare, s)
            play(spare, m)
            k = key(spare)
            if is_known(w, k, price + cost(s, m)):
                run.generated += 1
                continue
            # An estimate may be negative.
            value = -NEVER if solved(spare) else far(w, spare) + novelty(w, depth, spare) + shaken(w, k)
        at = n
        while at > 0 and values[at - 1] > value:
            values[at] = values[at - 1]
            out[at] = out[at - 1]
            at -= 1
        values[at] = value
        out[at] = m
        n += 1
    level.n = n
    return 0


def exceeds(w, depth: int, value: float):
    """Tell whether a child is beyond the bound; note the least value that was, and the greatest step from a parent."""
    w.run.jump = max(w.run.jump, value - w.levels[depth].value)
    w.levels[depth + 1].value = value
    if value <= w.run.bound:
        return False
    w.run.beyond = min(w.run.beyond, value)
    return True


def over_budget(w):
    """Tell whether the search must end, and note why."""
    if w.run.stop != 0:
        w.run.why = STOPPED
    elif w.run.why == NOTHING and w.run.nodes >= w.run.most:
        w.run.why = NODES
    return w.run.why != NOTHING


def remember_plan(w, length: int):
    """Keep the moves of the levels as the plan."""
    w.run.length = length
    w.run.status = SOLVED
    for i in range(length):
        w.plan[i] = w.levels[i].move
    return 0


def enters(w, depth: int, i: int):
    """Play move number i of a level; tell whether the state behind it, now in the next row, is to be searched."""
    run = w.run
    level = w.levels[depth]
    s = w.states[depth]
    level.move = w.bufs[depth][i]
    step = 1.0 * cost(s, level.move)
    price = level.cost + step
    if not step >= 0.0 or price >= FAR:
        run.why = PRICES
        return False
    if exceeds(w, depth, price):
        return False
    child = w.states[depth + 1]
    copy(child, s)
    play(child, level.move)
    run.generated += 1
    if run.cuts == 1 and not solved(child):
        rest = w.values[depth][i] if run.order == BY_ESTIMATE else far(w, child)
        if rest >= FAR / 2:
            run.hopeless = 1
            return False
        if exceeds(w, depth, price + run.weight * rest):
            return False
    if was_here(w, key(child), price):
        return False
    run.nodes += 1
    w.levels[depth + 1].cost = price
    return True


def dive(w):
    """Search to the bound; a plan, what is spent, or the end of a probe ends it. Return 1 if all was searched, or 0."""
    run = w.run
    run.beyond = NEVER
    run.capped = 0
    empty(w)
    was_here(w, key(w.states[0]), 0.0)
    w.levels[0].value = run.first
    set_out(w)
    list_moves(w, 0, 0.0)
    depth = 0
    while depth >= 0:
        level = w.levels[depth]
        if level.next >= level.n:
            if depth > 0:
                go_back(w, depth)
            depth -= 1
            continue
        level.next += 1
        if not enters(w, depth, level.next - 1):
            if run.why != NOTHING:
                return 0
            continue
        if solved(w.states[depth + 1]):
            return remember_plan(w, depth + 1)
        if over_budget(w) or is_over(w):
            return 0
        if depth + 1 >= run.deepest:
            run.capped = 1
            run.doubt = 1
            continue
        depth += 1
        go_on(w, depth)
        list_moves(w, depth, w.levels[depth].cost)
    return 1


def search_round(w):
    """Search one round: the probes, then all within the bound, unless a probe has met all of it."""
    run = w.run
    for number in range(1, run.probes + 2):
        begin_dive(w, number)
        is_done = dive(w) == 1
        run.distinct = max(run.distinct, run.count)
        if is_done or run.status != OPEN or run.why != NOTHING:
            return 0
    return 0


def has_seen_all(w):
    """Tell whether nothing new can come: no round up to this one, whose bound is higher by more than any step from
    a state to the next, has met more states.

    A state of the earlier round has its children within the later one, and so on: the states are closed.
    """
    run = w.run
    if run.count > run.largest:
        run.largest = run.count
        run.grew = run.bound
        return False
    return run.capped == 0 and run.bound >= run.grew + run.jump


def conclude(w):
    """Say what it means that there is nothing left to search."""
    run = w.run
    if run.capped == 1:
        run.why = LENGTH
    elif run.hopeless == 1 and run.sound == 0:
        run.why = DROPPED
    else:
        run.status = EXHAUSTED
    return 0


def raise_bound(w):
    """Raise the bound: to the least value that exceeded it, or by whole steps, but by none in which nothing is new."""
    run = w.run
    steps = (run.beyond - run.bound) / run.increment if run.increment > 0.0 else MANY
    if not steps < MANY:
        run.bound = run.beyond
        return 0
    run.bound += run.increment * max(1.0, 1.0 * int(steps))
    if run.bound < run.beyond:
        run.bound += run.increment
    return 0


def deepen(w: Bundle):
    """Return the first move of the plan of the first round that finds one."""
    run = w.run
    wake(w)
    begin(w)
    run.rounds = 0
    run.jump = 0.0
    run.largest = 0
    run.grew = 0.0
    run.hopeless = 0
    if solved(w.states[0]):
        run.status = SOLVED
        return fallback(w)
    rest = far(w, w.states[0]) if run.cuts == 1 else 0.0
    run.first = run.weight * rest
    run.bound = run.first if run.cuts == 1 else run.increment
    if rest >= FAR / 2:
        run.hopeless = 1
        conclude(w)
    while run.status == OPEN and run.why == NOTHING:
        run.rounds += 1
        run.depth = int(min(max(run.bound, 0.0), 1e15))
        search_round(w)
        if run.status == OPEN and run.why == NOTHING:
            if run.beyond >= NEVER or has_seen_all(w):
                conclude(w)
            else:
                raise_bound(w)
    return first(w) if run.status == SOLVED else fallback(w)


NOVEL = "a query with places, such as where things stand: the order heeds which pairs of its answers are new on the way"
PROBES = "short walks before each round, all but the first in an order shaken by noise"
ORDER = "in which order moves are tried: rules, estimate, or NAME for the game's order_NAME"


class Deepening(Guided):
    """What `id` and `ida` share."""

    order: str
    increment: float

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is a puzzle that has the order and the estimate."""
        super().suits(game)
        known = ("rules", "estimate", *game.variants("order_"))
        if self.order not in known:
            raise CannotPlay(f"{self.name}: {game.name} has no order called {self.order!r} (it has {', '.join(known)})")

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel; a quarter of the memory at most is for the levels, the rest for the table."""
        level = 8 * (game.fields.cells + 2 * game.max_moves + len(LEVEL))
        deepest = max(2, min(game.max_plies, 65_000, memory // 4 // level - 2))
        room, slots = shares(memory - level * (deepest + 2), 16)
        bind: Mapping[str, Any] = {} if self.order in ("rules", "estimate") else {"prefer": f"order_{self.order}"}
        kernel = Kernel("iterative deepening", deepen, needs=("solved",), bind=bind, records=RECORDS)
        rows = dict.fromkeys(("states", "bufs", "values", "levels"), deepest + 2)
        return Seat(kernel, sizes={**rows, "nodes": room + 1, "slots": slots})

    def early(self, state: State) -> int:
        """Return after how many moves dead ends leave doubts: never if the cheapest way to a state is the shortest."""
        return super().early(state) if "cost" in state.game.offers else UNLIMITED

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        orders = {"rules": BY_RULES, "estimate": BY_ESTIMATE}
        order = orders.get(self.order, BY_GAME)
        deepest = sizes["levels"] - 2
        return {"increment": float(self.increment), "order": order, "cuts": 0, "weight": 1.0, "deepest": deepest}


@dataclass(frozen=True)
class IterativeDeepening(Deepening):
    """Depth first to a bound on the cost so far, and again to a greater one; a table in each round."""

    name: ClassVar[str] = "id"
    demands: ClassVar[bool] = False
    increment: float = setting(1.0, "by how much the bound is raised (0: to the least cost that exceeded it)", least=0)
    order: str = setting("rules", ORDER)
    novel: str = setting("", NOVEL)
    fresh: float = setting(0.0, "with novel: what each new pair adds to the estimate")
    stale: float = setting(0.0, "with novel: what is added where a move brings no new pair")
    probes: int = setting(0, PROBES, least=0)
    probe_nodes: int = setting(100, "with probes: nodes of each", least=1)
    noise: float = setting(0.0, "with probes: how far noise moves an estimate at most", least=0)
    brain: Brain | None = mind()

    def __post_init__(self) -> None:
        super().__post_init__()
        asked = dict.fromkeys(("eval", "patterns", "novel", "probes"), (self.order == "estimate", "order=estimate"))
        heeds = dict.fromkeys(("fresh", "stale"), (bool(self.novel), "novel"))
        probes = dict.fromkeys(("probe_nodes", "noise"), (self.probes > 0, "probes"))
        self.refuse_idle({**asked, **heeds, **probes})

    def suits(self, game: Game) -> None:
        """Raise CannotPlay unless the game is a puzzle that has the order."""
        super().suits(game)
        if self.order == "estimate":
            self.demand_estimate(game)
        if self.heeded.query:
            places_of(game, self.heeded.query, self.name)

    @property
    def heeded(self) -> Heeded:
        """What the order heeds of the way."""
        return Heeded(self.novel, self.fresh, self.stale)

    @property
    def probing(self) -> Probing:
        """What is tried before a round."""
        return Probing(self.probes, self.probe_nodes, self.noise)

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        return {**super().options(sizes), **self.probing._asdict()}

    def aside(self, game: Game) -> int:
        """Return what is taken by tables of patterns, and by what is remembered of the way."""
        taken, name = super().aside(game), self.heeded.query
        paired = room_of(places_of(game, name, self.name)) if name else 0
        if paired and taken + paired + LEAST_MEMORY > read_memory(self.memory, self.name):
            raise BadParameter(
                f"{self.name}: memory={self.memory} is too little: the pairs of novel={name} take "
                f"{-(-paired // 10**6)}M"
            )
        return taken + paired

    def furniture(self, game: Game, memory: int) -> Seat:
        """Return the kernel, which remembers the way if the order heeds it."""
        seat = super().furniture(game, memory)
        return heeding(seat, game, self.heeded, seat.sizes["levels"]) if self.heeded.query else seat

    def claims(self, game: Game) -> str:
        """Return what a plan of this search is."""
        return CHEAPEST if self.increment == 0 else FEWEST_MOVES if self.increment <= 1 else ANY


@dataclass(frozen=True)
class IDAStar(Deepening):
    """Depth first, cut where the cost so far and the estimate exceed a bound, which is raised round by round."""

    name: ClassVar[str] = "ida"
    increment: float = setting(0.0, "by how much the bound is raised (0: to the least value that exceeded it)", least=0)
    weight: float = setting(1.0, "how much the estimate weighs beside the cost so far", least=0)
    order: str = setting("rules", ORDER)
    brain: Brain | None = mind()

    def claims(self, game: Game) -> str:
        """Return what a plan of this search is."""
        if self.weight > 1 or not self.lower_bound(game):
            return ANY
        return CHEAPEST if self.increment == 0 else FEWEST_MOVES if self.increment <= 1 else ANY

    def options(self, sizes: Mapping[str, int]) -> dict[str, int | float]:
        """Return what the kernel finds in `w.run`."""
        sound = int(self.brain is None and self.eval == "game")
        return {**super().options(sizes), "cuts": 1, "weight": float(self.weight), "sound": sound}
