"""Traces: random games written down so finely that two modes can be compared line by line.

Why it is here.  `check` must know that plain, checked and fast mean the same.  This kernel plays one
random game and records, ply by ply, a hash of what each function of the rules said.  Two traces
differ exactly where two modes differ, and the column tells which function it was.
"""

from collections.abc import Set

from ludwin.kernel.names import (
    CELLS,
    PLAYERS,
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
from ludwin.kernel.text import Bound, Kernel
from ludwin.primitives import CHANCE, draw, mix
from ludwin.search.playout import pick

COLUMNS = (
    "the state",
    "mover",
    "moves",
    "key",
    "evaluate",
    "chance",
    "noisy",
    "query",
    "solved, distance or cost",
    "payoff",
)
_WIDTH = len(COLUMNS)


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
probe_if_noisy = probe_if_chance = probe_if_query = probe_if_puzzle = (
    skip  # bound to the probes above where the game has the functions
)


def look(s, out, n, trail, row):
    """Record what the rules say of one position."""
    h = 0
    for i in range(CELLS):
        h = mix(h, cell(s, i))
    trail[row] = h
    trail[row + 1] = mover(s)
    h = n
    for i in range(n):
        h = mix(h, out[i])
    trail[row + 2] = h
    trail[row + 3] = key(s)
    h = 0
    for p in range(PLAYERS):
        h = mix(h, bits(1.0 * evaluate(s, p)))
    trail[row + 4] = h
    trail[row + 5] = probe_if_chance(s, out, n)
    trail[row + 6] = probe_if_noisy(s, out, n)
    trail[row + 7] = probe_if_query(s, out, n)
    trail[row + 8] = probe_if_puzzle(s, out, n)
    h = 0
    if n == 0:
        for p in range(PLAYERS):
            h = mix(h, bits(1.0 * payoff(s, p)))
    trail[row + 9] = h
    return 0


def trace(states: States, bufs: Moves, rng: Ints, trail: Ints, played: Ints, plies: int):
    """Play state 0 at random for at most `plies` plies, record each position, return how many."""
    s = states[0]
    out = bufs[0]
    for ply in range(plies):
        n = moves(s, out)
        look(s, out, n, trail, ply * _WIDTH)
        if n == 0:
            return ply
        if mover(s) != CHANCE:
            observe(s, mover(s), rng)
        move = pick(s, out, n, rng)
        played[ply] = move
        play(s, move)
    return plies


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


def trace_kernel(offers: Set[str], queries: int) -> Kernel:
    """Return the tracing kernel with a probe for each optional function that a game offers."""
    bind: Bound = {
        "probe_if_noisy": probe_noisy if "noisy" in offers else skip,
        "probe_if_chance": probe_chance if "chance" in offers else skip,
        "probe_if_query": probe_query if queries else skip,
        "probe_if_puzzle": probe_puzzle if {"solved", "distance"} <= offers else skip,
        "QUERY_COUNT": queries,
    }
    return Kernel("trace", trace, bind=bind)
