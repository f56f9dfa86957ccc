"""Searching alone, in corners: ends of games, ways that all end, policies that are bent too far, small tables."""

import pytest

from ludwin import agent, load
from ludwin.errors import CannotPlay
from tests.search.test_puzzles import ROADS

STAIRS = """
PLAYERS = 1
FIELDS = {"step": int, "gone": int}
MAX_MOVES, MAX_PLIES, TOP, FLOOR = 2, 20, 9, -9


def setup(s):
    s.step = FLOOR

def mover(s):
    return 0

def moves(s, out):
    out[0], out[1] = 1, -1
    return 0 if s.gone >= MAX_PLIES else 1 if s.step == FLOOR else 2

def play(s, m):
    s.step += m
    s.gone += 1

def solved(s):
    return s.step == TOP

def goal_state(s):
    s.step, s.gone = TOP, 0

def payoff(s, p):
    return 1 if solved(s) else 0

def key(s):
    return s.step if s.gone < MAX_PLIES else 100 + s.step
"""


def test_a_plan_whose_end_is_the_last_move_of_a_game_is_found_from_both_ends(workshop):
    path = workshop.write('"""Stairs, up and down."""' + STAIRS, "stairs.py")
    for left, least in ((left, least) for left in range(1, 8) for least in range(1, 8)):
        for floor in (9 - least, 0):
            game = load(path, floor=floor)
            both = agent("bidirectional").solving(game, "plain")
            found = both.solve(game.position(f"step={9 - least} gone={20 - left}"))
            assert found.solved == (least <= left) and found.optimal == found.solved, (left, least, floor)
            assert len(found.plan) == (least if found.solved else 0)


LANES = """
PLAYERS = 1
FIELDS = {"at": int}
MAX_MOVES, MAX_PLIES = 2, 9
TO = ((1, 2), (3, -1), (-1, 5), (4, -1), (-1, -1), (-1, -1))


def setup(s):
    s.at = 0

def mover(s):
    return 0

def moves(s, out):
    n = 0
    for m in range(2):
        if TO[s.at][m] >= 0:
            out[n] = m
            n += 1
    return n

def play(s, m):
    s.at = TO[s.at][m]

def distance(s):
    return 1

def solved(s):
    return s.at == 6

def payoff(s, p):
    return 0
"""


def test_nested_search_plays_nothing_of_another_lane_where_all_ways_end(workshop):
    path = workshop.write('"""Lanes that all end."""' + LANES, "lanes.py")
    for level in (1, 2, 3, 4):
        found = agent(f"nested:level={level},nodes=500").solve(load(path), load(path).start(), mode="plain")
        assert (found.status, found.why, found.nodes) == ("gave up", "nodes", 500)


@pytest.mark.parametrize("mode", ["plain", "fast"])
def test_a_policy_may_be_bent_so_far_that_it_would_never_play_any_of_the_moves(workshop, mode):
    game = load(workshop.write(ROADS, "roads.py"), seed=10)
    for alpha in (1e3, 1e6, 1e12):
        found = agent(f"nrpa:nodes=1000,plies=20,alpha={alpha},code=move").solve(game, game.start(), mode=mode)
        assert found.solved or (found.nodes, found.why) == (1000, "nodes")


@pytest.mark.parametrize("text", ["bfs", "astar", "best-first", "beam", "ehc", "staged", "id", "ida", "bidirectional"])
def test_budgets_of_nodes_are_kept_to_the_node(text):
    game = load("tiles")
    for nodes in (*range(2, 12), 50):
        found = agent(f"{text}:nodes={nodes}").solve(game, game.position("8 6 7/2 5 4/3 0 1"), mode="plain")
        assert (found.status, found.why, found.nodes) == ("gave up", "nodes", nodes)


def test_a_small_table_of_staged_deepening_is_no_want_of_memory():
    game = load("freecell:deal=1")
    for table in (1, 100, 10_000):
        found = agent(f"staged:depth=6,table={table},nodes=60000").solve(game, game.start())
        assert found.solved or (found.nodes, found.why) == (60_000, "nodes")


HALLS = """
PLAYERS, LIMIT, ROOM = 1, 6, 0
FIELDS = {"at": int, "gone": int}
MAX_MOVES, MAX_PLIES = 2, LIMIT
PATTERNS = {"all": 8}


def setup(s):
    s.at = 0

def mover(s):
    return 0

def moves(s, out):
    out[0], out[1] = (s.at + 1) % 8, (s.at + 7) % 8
    return 2 if s.gone < LIMIT else 0

def play(s, m):
    s.at = m
    s.gone += 1

def cost(s, m):
    return 1 if s.at * m == 12 else 0  # only from 3 to 4, or back

def solved(s):
    return s.at == 4

def goal_state(s):
    s.at, s.gone = 4, -ROOM

def pattern_number(s, k):
    return s.at

def pattern_share(s, m, k):
    return cost(s, m)

def distance(s):
    return 0

def payoff(s, p):
    return 1 if solved(s) else 0

def key(s):
    return s.at if s.gone < LIMIT else 100 + s.at
"""


def test_no_table_is_built_of_ways_that_the_length_of_the_game_has_cut(workshop):
    path = workshop.write('"""Halls in a ring, with one that must be paid."""' + HALLS, "halls.py")
    short, long = load(path), load(path, room=20)
    with pytest.raises(CannotPlay, match="the pattern all has states behind its goal where the game has ended"):
        agent("ida:patterns=all").solve(short, short.start(), mode="plain")
    found = agent("ida:patterns=all").solve(long, long.start(), mode="plain")
    assert (found.solved, found.optimal, found.cost, len(found.plan)) == (True, True, 0, 4)


@pytest.mark.parametrize("mode", ["plain", "checked", "fast"])
def test_patience_ends_where_stages_of_every_length_have_come_to_their_end(mode):
    game = load("tiles:rows=2,columns=3")
    lost = game.position("2 1 3/4 5 0")
    for patience in (1, 40, 5000):
        found = agent(f"staged:depth=2,patience={patience},nodes=1000000").solve(game, lost, mode=mode)
        assert (found.status, found.why) == ("gave up", "incomplete") and found.nodes < 40_000
    kept = agent("staged:depth=2,patience=1,nodes=1000000,ties=keep").solve(game, lost, mode=mode)
    assert kept.status == "unsolvable"


def test_with_patience_want_of_memory_is_a_reason_to_begin_again_whichever_state_came_last():
    game = load("freecell:auto=true,empty=first")
    solver = agent("staged:depth=1,memory=1M,patience=500000,nodes=300000,ties=keep").solving(game)
    for deal in (7, 10, 12, 14):
        found = solver.solve(game.position(f"#{deal}"))
        assert found.solved or found.nodes > 10_000  # it gave up with the 919th stage, after less than 2,000


CROWD = """
PLAYERS, WIDTH = 1, 1500
FIELDS = {"at": int, "gone": int}
MAX_MOVES, MAX_PLIES = WIDTH, 400


def setup(s):
    s.at = WIDTH

def mover(s):
    return 0

def moves(s, out):
    for m in range(WIDTH):
        out[m] = m
    return WIDTH if s.gone < MAX_PLIES else 0

def play(s, m):
    s.at = m
    s.gone += 1

def solved(s):
    return s.at < 0

def distance(s):
    return 1

def payoff(s, p):
    return 0

def key(s):
    return s.at if s.gone < MAX_PLIES else -2 - s.at
"""


CROWDED = ("bfs", "astar", "best-first", "beam:width=2000", "ehc", "id", "ida")


@pytest.mark.parametrize("text", CROWDED)
def test_seconds_end_a_search_also_where_all_states_are_known(workshop, text):
    game = load(workshop.write('"""A crowd: from everybody to everybody."""' + CROWD, "crowd.py"))
    solver = agent(f"{text}{',' if ':' in text else ':'}seconds=0.2")
    found = solver.solve(game, game.start(), mode="plain")
    assert (found.status, found.why) == ("gave up", "seconds") and found.seconds < 1
