"""Traces: random games written down so finely that two modes can be compared line by line.

Why it is here.  `check` must know that plain, checked and fast mean the same.  This kernel plays one
random game and records, ply by ply, a hash of what each function of the rules said.  Two traces
differ exactly where two modes differ, and the column tells which function it was.
"""

from collections.abc import Mapping, Set
from typing import Any

from ludwin.kernel.bundle import Records
from ludwin.kernel.names import (
    CELLS,
    PLAYERS,
    Bundle,
    Ints,
    Moves,
    States,
    bits,
    cell,
    chance,
    cost,
    distance,
    evaluate,
    key,
    mover,
    moves,
    noisy,
    observe,
    payoff,
    play,
    query,
    solved,
    tick,
)
from ludwin.kernel.text import Bound, Kernel, kernel_from_text
from ludwin.primitives import CHANCE, draw, mix
from ludwin.rules.contract import OPTIONAL
from ludwin.search.playout import pick

# What one position says, by name; `COLUMNS` are the same for people.
LOOK = {
    **{"state": int, "mover": int, "moves": int, "key": int, "evaluate": int, "chance": int},
    **{"noisy": int, "query": int, "puzzle": int, "others": int, "payoff": int},
}
WORDS = {"state": "the state", "puzzle": "solved, distance or cost", "others": "another function of the contract"}
COLUMNS = tuple(WORDS.get(name, name) for name in LOOK)
# The optional functions that have probes of their own, or that change a state instead of saying something.
PROBED = {"evaluate", "key", "noisy", "query", "chance", "observe", "solved", "distance", "cost", "null", "tick"}
PROBED |= {"goal_state", "pattern_number", "pattern_project", "pattern_share"}
RECORDS = {"states": "States", "bufs": "Moves", "rng": "Ints", "trail": [LOOK], "played": [int]}


def skip(s, out, n):
    """Stand in for the probe of a function that the game does not define."""
    return 0


def probe_noisy(s, out, n):
    """Hash what `noisy` says of every move."""
    h = 0
    for i in range(n):
        h = mix(h, 1 if noisy(s, out[i]) else 0)
    return h


def probe_chance(s, out, n):
    """Hash the weights of nature's moves."""
    h = 0
    if mover(s) == CHANCE:
        for i in range(n):
            h = mix(h, bits(1.0 * chance(s, out[i])))
    return h


def probe_query(s, out, n):
    """Hash every query from every side; an argument is drawn from the position itself."""
    h = 0
    for p in range(PLAYERS):
        for k in range(QUERY_COUNT):
            h = mix(h, bits(1.0 * query(s, p, k, 0)))
    return h


def probe_puzzle(s, out, n):
    """Hash the goal test, the bound and the prices of a puzzle."""
    h = mix(0, 1 if solved(s) else 0)
    h = mix(h, bits(1.0 * distance(s)))
    for i in range(n):
        h = mix(h, bits(1.0 * cost(s, out[i])))
    return h


QUERY_COUNT = 0  # bound to the game's own number
# Bound to the probes above, and to the one that `others` writes, where the game has the functions.
probe_if_noisy = probe_if_chance = probe_if_query = probe_if_puzzle = probe_if_others = skip


def look(s, out, n, said):
    """Record what the rules say of one position."""
    h = 0
    for i in range(CELLS):
        h = mix(h, cell(s, i))
    said.state = h
    said.mover = mover(s)
    h = n
    for i in range(n):
        h = mix(h, out[i])
    said.moves = h
    said.key = key(s)
    h = 0
    for p in range(PLAYERS):
        h = mix(h, bits(1.0 * evaluate(s, p)))
    said.evaluate = h
    said.chance = probe_if_chance(s, out, n)
    said.noisy = probe_if_noisy(s, out, n)
    said.query = probe_if_query(s, out, n)
    said.puzzle = probe_if_puzzle(s, out, n)
    said.others = probe_if_others(s, out, n)
    h = 0
    if n == 0:
        for p in range(PLAYERS):
            h = mix(h, bits(1.0 * payoff(s, p)))
    said.payoff = h
    return 0


def trace(w: Bundle, plies: int):
    """Play state 0 at random for at most `plies` plies, record each position, return how many."""
    s = w.states[0]
    out = w.bufs[0]
    for ply in range(plies):
        n = moves(s, out)
        look(s, out, n, w.trail[ply])
        if n == 0:
            return ply
        if mover(s) != CHANCE:
            observe(s, mover(s), w.rng)
        move = pick(s, out, n, w.rng)
        w.played[ply] = move
        play(s, move)
    return plies


def trail_of(w: Any, rows: int) -> list[int]:
    """Return what so many positions said, one after another."""
    if isinstance(w.trail, Records):
        return [int(v) for v in w.trail.buffer[: rows * len(LOOK)]]
    return [int(getattr(w.trail[ply], name)) for ply in range(rows) for name in LOOK]


def ticks(states: States, bufs: Moves, rng: Ints, actions: Ints, trail: Ints, steps: int):
    """Run a simulator with random actions for at most `steps` steps and hash every state."""
    s = states[0]
    for step in range(steps):
        n = moves(s, bufs[0])
        if n == 0:
            return step
        for p in range(PLAYERS):
            actions[p] = bufs[0][draw(rng, n)]
        done = tick(s, actions, rng)
        h = 1 if done else 0
        for i in range(CELLS):
            h = mix(h, cell(s, i))
        trail[step] = h
        if done:
            return step + 1
    return steps


TICKS = Kernel("tick", ticks, needs=("tick",))


def others(functions: Mapping[str, tuple[str, ...]]) -> Bound:
    """Return the probe of functions of which only the arguments' names are known: players and moves."""
    lines = ["from ludwin.kernel.names import PLAYERS, bits, mover", "from ludwin.primitives import CHANCE, mix"]
    lines += [f"other_{name} = None" for name in functions]
    lines += ["def probe_others(s, out, n):", "    h = 0", "    m = 0 if mover(s) == CHANCE else n"]
    for name, (_, *rest) in functions.items():
        loops = {"p": "for p in range(PLAYERS):", "m": "for i in range(m):"}
        lines += [f"{'    ' * (k + 1)}{loops[one]}" for k, one in enumerate(rest)]
        given = ", ".join(("s", *("out[i]" if one == "m" else one for one in rest)))
        lines.append(f"{'    ' * (len(rest) + 1)}h = mix(h, bits(1.0 * other_{name}({given})))")
    made = kernel_from_text("probe", "probe_others", "\n".join([*lines, "    return h", ""]))
    return {"probe_if_others": made.entry, **{f"other_{name}": name for name in functions}}


def trace_kernel(offers: Set[str], queries: int) -> Kernel:
    """Return the tracing kernel with a probe for each optional function that a game offers."""
    bind: Bound = {
        "probe_if_noisy": probe_noisy if "noisy" in offers else skip,
        "probe_if_chance": probe_chance if "chance" in offers else skip,
        "probe_if_query": probe_query if queries else skip,
        "probe_if_puzzle": probe_puzzle if {"solved", "distance"} <= offers else skip,
        "QUERY_COUNT": queries,
    }
    more = {name: arguments for name, arguments in OPTIONAL.items() if name in offers and name not in PROBED}
    return Kernel("trace", trace, bind={**bind, **others(more)} if more else bind, records=RECORDS)
