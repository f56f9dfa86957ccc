"""Plain, guarded, checked and fast mean the same: every answer of every search, bit for bit."""

from functools import lru_cache

import pytest

from ludwin import UCT, AlphaBeta, Random, load, perft
from ludwin.errors import CannotPlay
from ludwin.kernel.specialise import specialise
from ludwin.primitives import stream
from ludwin.search.trace import TICKS, trace_kernel, trail_of

MODES = ("plain", "guarded", "checked", "fast")
STONES_5 = 1 + 5 + 15 + 30 + 45  # oracle: five moves of 1 to 3 take 5, 6, 7, 8 or 9 stones (trinomial coefficients)


def trace(game, mode, seed):
    """Play one random game and return a hash of everything the rules said, ply by ply."""
    run = specialise(game, trace_kernel(game.offers, len(game.queries)), mode)
    plies = game.max_plies + 1
    w = run.bundle(trail=plies, played=plies)
    run.put(w.states, 0, game.start())
    w.rng[0] = stream(seed)
    length = int(run(w, plies))
    last = run.get(w.states, 0)
    said = trail_of(w, min(length + 1, plies))
    return length, said, [int(m) for m in w.played[:length]], last.cells, int(w.rng[0])


def ticks(game, mode, seed):
    """Run a simulator with random actions and return the hashes of its states."""
    run = specialise(game, TICKS, mode)
    states, rng, trail = run.states(1), run.ints(1), run.ints(game.max_plies)
    run.put(states, 0, game.start())
    rng[0] = stream(seed)
    steps = int(run(states, run.moves(1), rng, run.ints(game.players), trail, game.max_plies))
    return [int(v) for v in trail[:steps]], run.get(states, 0).cells


def some_states(game):
    """Return the start and two positions a few plies on, where a player moves."""
    found, state = [], game.start()
    while not state.over and len(found) < 3:
        if state.mover >= 0:
            found.append(state)
        state = state.play(state.moves()[len(found) * 7 % len(state.moves())])
    return found


def answers(game, mode, depth, playouts, searches):
    """Return all that a mode says about a game."""
    said = {"traces": [trace(game, mode, seed) for seed in range(3)]}
    if "tick" in game.offers:
        said["ticks"] = [ticks(game, mode, seed) for seed in range(3)]
    said["perft"] = [perft(game, d, mode=mode) for d in range(depth + 1)]
    for agent in (Random(), UCT(playouts=playouts), AlphaBeta(depth=depth)) if searches else ():
        try:
            agent.suits(game)
        except CannotPlay:
            continue
        choices = [
            agent.choose(game, state, seed=seed, mode=mode) for state in some_states(game) for seed in (0, 2**40)
        ]
        said[agent.name] = [(c.move, c.value, c.nodes, c.decided, c.visits) for c in choices]
    return said


def assert_all_modes_agree(game, depth=3, playouts=60, searches=("plain", "guarded", "fast")):
    """Compare traces, ticks and perft in all modes, agents in those named; return what plain says."""
    plain = answers(game, "plain", depth, playouts, "plain" in searches)
    for mode in MODES[1:]:
        for search, said in answers(game, mode, depth, playouts, mode in searches).items():
            assert said == plain[search], f"{search} is not the same in plain and {mode}"
    return plain


@pytest.mark.parametrize(
    "text", ["connect-four:columns=5,rows=4,connect=3", "draughts:size=4", "kuhn-poker", "pig:goal=10"]
)
def test_modes_agree_on(text):
    assert_all_modes_agree(load(text), searches=MODES if "connect" in text else ("plain", "guarded", "fast"))


# A game that uses every word of the contract's language and means nothing.
HELPER = """
WIDTH = 5
WEIGHTS = (0.5, 0.25, -0.125, 1.0, 0.1)
CUBE = (((1, 2), (3, 4)), ((5, 6), (7, 8)), ((9, 10), (11, 12)))


def fold(n: int, depth: int):
    if depth == 0 or n < 2:
        return n
    return fold(n // 2, depth - 1) + fold(n - 2, depth - 1)


def split(n, by):
    return n // by, n % by


def row(k):
    return CUBE[k % 3]
"""
ZOO = '''
import math

import helper
from helper import WEIGHTS, WIDTH, fold, split
from ludwin.primitives import mix, popcount, power, shl, shr

GOAL = 40
FLYING = True
RATE = 0.75
OFFSETS = (-3, 1, 4, -1, 5)
GRID = ((1, 0, 2), (0, 3, 0))
QUERIES = {"total": "float", "is odd": ("bool", 5), "energy": "float"}
FIELDS = {"cells": WIDTH, "one": 1, "total": int, "turn": int, "ply": int,
    "energy": float, "speed": (float, 3), "bits": int}
MAX_MOVES = WIDTH + 2
MAX_PLIES = 30


def setup(s):
    """Docstrings are allowed."""
    for i in range(WIDTH):
        s.cells[i] = i * i - OFFSETS[i]
    s.energy = 1  # a whole number in a float field
    s.speed[2] = RATE
    s.one[0] = 7
    s.bits = -1


def mover(s):
    return s.turn


def legal(s, k):
    if not FLYING:
        return k != 2
    return k == 0 or (s.cells[k % WIDTH] + s.ply) % 3 != 1 and not k == 99


def moves(s, out):
    if s.ply >= 24 or s.total > GOAL:
        return 0
    n = 0
    for k in range(len(out)):
        if legal(s, k):
            out[n] = -k if k % 2 == 1 else k  # negative moves are moves
            n += 1
            continue
        if k > 100:
            break
    return n


def play(s, m):
    print("move", m, f"of {s.ply}")
    k = abs(m)
    whole, rest = split(k + s.ply, 3)
    s.cells[k % WIDTH] += helper.row(k)[whole % 2][rest % 2]
    s.cells[rest] -= GRID[k % 2][rest]
    s.total = s.total + fold(k + 2, 3) % 4
    s.energy *= WEIGHTS[k % 5] + power(1.0 + k, 0.3)
    s.speed[k % 3] += math.sin(s.energy) / (1 + s.ply)
    s.energy, s.speed[0] = s.speed[0] - s.energy / 7, s.energy % 3.7
    s.one[0] = (s.one[0] * 31 + k) % 1009
    s.bits = shl(s.bits, 3) ^ shr(s.bits, 61) ^ k
    i = 0
    while True:
        i += 1
        if i > k or s.cells[i % WIDTH] > 1000:
            break
        s.bits = s.bits ^ (1 << i)
    s.ply += 1
    s.turn = 1 - s.turn if popcount(s.bits) % 3 else s.turn


def payoff(s, p):
    sign = (s.total % 3 > 1) - (s.total % 3 < 1)
    return sign if p == 0 else -sign


def evaluate(s, p):
    best = 0.0
    for i in range(3):
        best = max(best, s.speed[i], -s.speed[i])
    worth = best + s.energy * 0.001 + s.total
    return worth if p == 0 else -worth


def noisy(s, m):
    return m < 0 or s.energy > 0.5


def key(s):
    h = mix(s.bits, s.ply * 2 + s.turn)
    for i in range(WIDTH):
        h = mix(h, s.cells[i])
    return h


def query(s, p, k, a):
    if k == 0:
        return s.total * 1.0
    if k == 1:
        return 1.0 if s.cells[a] % 2 == 1 else 0.0
    return s.energy
'''


def test_modes_agree_on_every_word_of_the_language(workshop, capsys):
    game = load(workshop.write(ZOO, name="zoo.py", helper=HELPER))
    said = assert_all_modes_agree(game)
    assert max(length for length, *_ in said["traces"]) > 10, "the games must be long enough to tell something"
    assert "move" in capsys.readouterr().out  # print() speaks in plain Python, and is left out when compiled


def test_modes_agree_when_parameters_travel_through_a_helper(workshop):
    path = workshop.write(ZOO, name="zoo.py", helper=HELPER.replace("i * i", "i"))
    assert load(path).fields.cells != load(path, width=4).fields.cells
    game = load(path + ":width=4,flying=false,rate=0.25")
    assert game.max_moves == 6 and game.start().speed == (0.0, 0.0, 0.25)
    assert (
        trace(game, "plain", 0) == trace(game, "guarded", 0) == trace(game, "fast", 0) != trace(load(path), "plain", 0)
    )


def test_print_is_silent_in_compiled_code(workshop, capfd):
    game = load(workshop.write(ZOO, name="zoo.py", helper=HELPER))
    perft(game, 3, mode="fast")
    perft(game, 3, mode="checked")
    assert capfd.readouterr().out == ""


SLIDE = """
ROWS, COLUMNS = 2, 3
FIELDS = {"tile": ROWS * COLUMNS, "gap": int, "ply": int}
MAX_MOVES = 4
MAX_PLIES = 25
PLAYERS = 1
STEPS = ((-1, 0), (0, -1), (0, 1), (1, 0))


def setup(s):
    for k in range(ROWS * COLUMNS):
        s.tile[k] = (k + 2) % (ROWS * COLUMNS)
        if s.tile[k] == 0:
            s.gap = k


def mover(s):
    return 0


def target(s, d):
    row, column = s.gap // COLUMNS + STEPS[d][0], s.gap % COLUMNS + STEPS[d][1]
    if row < 0 or row >= ROWS or column < 0 or column >= COLUMNS:
        return -1
    return row * COLUMNS + column


def solved(s):
    for k in range(ROWS * COLUMNS):
        if s.tile[k] != k:
            return False
    return True


def distance(s):
    far = 0
    for k in range(ROWS * COLUMNS):
        if s.tile[k] > 0:
            far += abs(k // COLUMNS - s.tile[k] // COLUMNS) + abs(k % COLUMNS - s.tile[k] % COLUMNS)
    return far


def cost(s, m):
    return 1.5 if m == 0 else 1


def moves(s, out):
    n = 0
    if solved(s) or s.ply >= 20:
        return n
    for d in range(4):
        if target(s, d) >= 0:
            out[n] = d
            n += 1
    return n


def play(s, m):
    to = target(s, m)
    s.tile[s.gap] = s.tile[to]
    s.tile[to] = 0
    s.gap = to
    s.ply += 1


def payoff(s, p):
    return 1.0 - 0.01 * s.ply if solved(s) else 0.0


def evaluate(s, p):
    return -0.01 * distance(s)
"""

PADDLE = """
from ludwin.primitives import draw, uniform

FIELDS = {"ball": (float, 2), "speed": (float, 2), "paddle": (float, 2), "score": 2, "clock": int, "turn": int}
MAX_MOVES = 3
MAX_PLIES = 200
DT = 0.0625


def setup(s):
    s.ball[0], s.ball[1] = 0.5, 0.5
    s.speed[0] = 0.9
    s.speed[1] = 0.37
    s.paddle[0] = 0.5
    s.paddle[1] = 0.5


def mover(s):
    return s.turn


def moves(s, out):
    for k in range(3):
        out[k] = k
    return 0 if s.clock >= 150 else 3


def play(s, m):
    s.paddle[s.turn] += (m - 1) * 0.125
    s.clock += 1
    s.turn = 1 - s.turn


def tick(s, a, rng):
    for p in range(2):
        s.paddle[p] = min(1.0, max(0.0, s.paddle[p] + (a[p] - 1) * DT))
        s.ball[p] += s.speed[p] * DT
    if s.ball[1] < 0.0 or s.ball[1] > 1.0:
        s.speed[1] = -s.speed[1] * (0.9 + 0.2 * uniform(rng))
    side = 0 if s.ball[0] < 0.0 else 1
    if s.ball[0] < 0.0 or s.ball[0] > 1.0:
        if abs(s.paddle[side] - s.ball[1]) < 0.2:
            s.speed[0] = -s.speed[0]
        else:
            s.score[1 - side] += 1
            s.ball[0] = 0.5
            s.ball[1] = 0.25 * (1 + draw(rng, 3))
    s.clock += 1
    return s.score[0] + s.score[1] > 4


def payoff(s, p):
    return s.score[p] - s.score[1 - p]
"""

WIDE = """
CELLS = 512
PLAYERS = 3
FIELDS = {"board": CELLS - 2, "turn": int, "ply": int}
MAX_MOVES = 300
MAX_PLIES = 20
PAYOFF_SUM = None


def setup(s):
    for k in range(CELLS - 2):
        s.board[k] = (k * k) % 97


def mover(s):
    return s.turn


def moves(s, out):
    n = 0
    if s.ply < 12:
        for k in range(0, 510):
            if n < 300 and s.board[k] % 13 != 5:
                out[n] = k * 1000003 - 255
                n += 1
    return n


def play(s, m):
    k = (m + 255) // 1000003
    s.board[k] += s.turn + 1
    s.board[(k * 7 + s.ply) % 510] ^= k
    s.turn = (s.turn + 1) % PLAYERS
    s.ply += 1


def payoff(s, p):
    total = 0
    for k in range(p, 510, PLAYERS):
        total += s.board[k]
    return total / 1000
"""

# Fill a board of 64 squares: bit 63 is the sign, and a full board is -1.
PATTERN = """
from ludwin.primitives import clear_lsb, lsb, mix, popcount, shl, shr

FIELDS = {"mine": 2, "turn": int}
MAX_MOVES = 64
MAX_PLIES = 64
FULL = -1
LEFT = -72340172838076674  # all but the first file, as a signed pattern


def setup(s):
    s.mine[0] = shl(1, 63)
    s.mine[1] = 1


def mover(s):
    return s.turn


def near(x):
    return shl(x & LEFT, 63) * 0 | shl(x, 8) | shr(x, 8) | shl(x, 1) & LEFT | shr(x & LEFT, 1)


def moves(s, out):
    free = near(s.mine[s.turn]) & ~(s.mine[0] | s.mine[1])
    n = 0
    while free != 0:
        out[n] = lsb(free)
        free = clear_lsb(free)
        n += 1
    return n


def play(s, m):
    s.mine[s.turn] |= shl(1, m)
    s.turn = 1 - s.turn


def payoff(s, p):
    lead = popcount(s.mine[p]) - popcount(s.mine[1 - p])
    return 1 if lead > 0 else -1 if lead < 0 else 0


def key(s):
    return mix(mix(s.mine[0], s.mine[1]), s.turn)
"""

BOTH = ("plain", "fast")
OTHERS = {"slide": (SLIDE, 4, BOTH), "paddle": (PADDLE, 3, ()), "wide": (WIDE, 1, BOTH), "pattern": (PATTERN, 3, ())}


@pytest.mark.parametrize("name", OTHERS)
def test_modes_agree_on_a_game_of_another_kind(name, workshop):
    text, depth, searches = OTHERS[name]
    game = load(workshop.write(text, name=f"{name}.py"))
    said = assert_all_modes_agree(game, depth=depth, playouts=20, searches=searches)
    if name == "pattern":
        assert game.start().mine == (-(2**63), 1)
        assert any(cells[0] < 0 for *_, cells, _ in said["traces"])
    if name == "wide":
        assert game.fields.cells == 512 and len(game.start().moves()) == 300


# A player who moves twice in a row: `again` keeps the turn after an even number. Payoffs sum to 1.
TWICE = """
FIELDS = {"heap": int, "turn": int, "points": 2}
MAX_MOVES = 3
MAX_PLIES = 12
PAYOFF_SUM = 1
HEAP = 9
WORTH = (0, 3, 5, 4, 1, 6, 2, 7, 3, 5)


def setup(s):
    s.heap = HEAP


def mover(s):
    return s.turn


def moves(s, out):
    n = min(3, s.heap)
    for k in range(n):
        out[k] = k + 1
    return n


def play(s, m):
    s.points[s.turn] += WORTH[s.heap] * m
    s.heap -= m
    if (s.points[s.turn] + m) % 3 != 0:
        s.turn = 1 - s.turn


def payoff(s, p):
    if s.points[0] == s.points[1]:
        return 0.5
    return 1.0 if s.points[p] > s.points[1 - p] else 0.0
"""


def minimax(state):
    """Return the payoff to player 0 under best play, from the rules alone: no signs, no windows."""

    @lru_cache(maxsize=None)
    def worth(state):
        if state.over:
            return state.payoff(0)
        values = [worth(state.play(move)) for move in state.moves()]
        return max(values) if state.mover == 0 else min(values)

    return worth(state)


def test_alphabeta_knows_that_a_player_may_move_twice(workshop):
    game = load(workshop.write(TWICE, name="twice.py"))
    assert_all_modes_agree(game, depth=4, searches=BOTH)
    repeated = 0
    for heap in range(1, 10):
        for turn in (0, 1):
            state = game.state(heap=heap, turn=turn)
            choice = AlphaBeta(depth=12).choose(game, state)
            first = minimax(state)
            assert choice.decided
            assert choice.value == (first if turn == 0 else 1 - first), state
            after = minimax(state.play(choice.move))
            assert after == first, "the move keeps the value"
            repeated += any(state.play(m).mover == turn for m in state.moves())
    assert repeated > 5, "the rule must matter"


def test_modes_agree_on_an_index_with_an_effect(workshop):
    path = workshop.spoil(
        "from ludwin.primitives import mix",
        "from ludwin.primitives import draw, mix\n\nDECK = ((1, 2, 3), (4, 5, 6), (7, 8, 9))",
        "\n\ndef observe(s, p, rng):\n    s.log[3] = DECK[draw(rng, 3)][draw(rng, 3)]\n",
    )
    game = load(path)
    plain = trace(game, "plain", 0)
    assert trace(game, "fast", 0) == plain
    assert trace(game, "guarded", 0) == plain
    assert trace(game, "checked", 0) == plain


@pytest.mark.parametrize("mode", ["guarded", "checked", "fast"])
def test_modes_agree_on_tables_of_numpy(mode, workshop):
    text = workshop.text.replace(
        "TAKE = (0, 1, 2, 3)", "import numpy as np\n\nTAKE = np.arange(4)\nGRID = np.ones((3, 4))"
    )
    text = text.replace("s.heap -= m", "s.heap -= TAKE[m] * int(GRID[m - 1, 3])")
    game = load(workshop.write(text))
    assert perft(game, 5, mode=mode) == perft(game, 5, mode="plain") == STONES_5


TWO_OF_A_KIND = {
    "a table of a helper without functions": (
        "import math",
        "import helper\nimport math",
        "out[n] = TAKE[k]",
        "out[n] = helper.TAKE[k]",
        "TAKE = (0, 1, 2, 3)\n",
    ),
    "a part of a returned pair": ("import math", "import math", "out[n] = TAKE[k]", "out[n] = pair(k)[1]", ""),
    "a constant called like one of our tools": (
        "import math",
        "import math\n\n_size = 4",
        "s.log[s.heap % 4] = m",
        "s.log[s.heap % _size] = m",
        "",
    ),
    "a function called like one of our tools": (
        "import math",
        "import math",
        "s.log[s.heap % 4] = m",
        "s.log[_size(s)] = m",
        "",
    ),
    "the lowest integer": (
        "import math",
        "import math",
        "s.turn = 0",
        "s.turn = 0\n    s.log[0] = -9223372036854775808",
        "",
    ),
    "annotations that are never evaluated": (
        "import math",
        "from __future__ import annotations\n\nimport math",
        "def setup(s):",
        "def setup(s: Stones) -> None:",
        "",
    ),
}


@pytest.mark.parametrize("case", TWO_OF_A_KIND)
def test_modes_agree_on_legal_python(case, workshop):
    top, new_top, old, new, helper = TWO_OF_A_KIND[case]
    more = (
        "\n\ndef pair(k):\n    return 0, k\n"
        if "pair" in new
        else "\n\ndef _size(s):\n    return 3 - s.heap % 2\n"
        if "_size(s)" in new
        else ""
    )
    text = workshop.text.replace('"""Stones."""\n\n', "").replace(top, new_top).replace(old, new) + more
    game = load(workshop.write(text, helper=helper))
    assert [perft(game, 5, mode=mode) for mode in MODES] == [STONES_5] * 4
