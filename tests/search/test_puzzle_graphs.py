"""Random graphs, each a position of one game: what searches claim of them, beside walks that the test makes itself.

The graph is part of the state, so that searches are compiled once.  Goals may be left again, prices may be 0, estimates
are true or wrong as told, and games may end before the goal can be reached.
"""

import random

import pytest

from ludwin import agent, load
from ludwin.game import State

POINTS, ROADS = 10, 3
GRAPH = '''
"""Graph: walk to a goal; roads, prices and estimates are part of the position."""
from ludwin.primitives import mix

PLAYERS, LIMIT, POINTS, ROADS = 1, 400, 10, 3
FIELDS = {
    "at": int,
    "gone": int,
    "road": POINTS * ROADS,
    "price": (float, POINTS * ROADS),
    "far": (float, POINTS),
    "wrong": POINTS,
    "goal": POINTS,
    "mark": int,
}
MAX_MOVES, MAX_PLIES = ROADS, LIMIT
QUERIES = {"stands": ("float", 2)}


def setup(s):
    s.mark = -1

def mover(s):
    return 0

def moves(s, out):
    n = 0
    for m in range(ROADS):
        if s.road[s.at * ROADS + m] > 0 and s.gone < LIMIT:
            out[n] = m
            n += 1
    return n

def play(s, m):
    s.at = s.road[s.at * ROADS + m] - 1
    s.gone += 1

def cost(s, m):
    return s.price[s.at * ROADS + m]

def solved(s):
    return s.goal[s.at] == 1

def distance(s):
    return s.far[s.at]

def distance_wrong(s):
    return s.wrong[s.at]

def query(s, p, k, a):
    return 1.0 * (s.at % 4 if a == 0 else s.at // 4)

def payoff(s, p):
    return 1 if solved(s) else 0

def key(s):
    # The graph is told by its mark; fields are folded in so that no part of it looks like the past.
    h = mix(s.mark, s.at if s.gone < LIMIT else -1 - s.at)
    for i in range(POINTS * ROADS):
        h = mix(mix(h, s.road[i]), int(s.price[i] * 1000))
    for i in range(POINTS):
        h = mix(mix(mix(h, int(min(s.far[i], 1e9) * 1e6)), s.wrong[i]), s.goal[i])
    return h
'''
CHEAPEST = ("astar", "astar:weight=0", "astar:weight=0.5", "id:increment=0", "ida", "ida:order=estimate")
CHEAPEST += (
    "id:increment=0,order=estimate,eval=wrong,novel=stands,stale=3,fresh=-2",
    "id:increment=0,order=estimate,eval=wrong,probes=3,probe_nodes=4,noise=5",
)
OTHERS = (
    "bfs",
    "astar:weight=3",
    "best-first:eval=wrong",
    "beam:width=3,eval=wrong",
    "ehc:eval=wrong",
    "id:increment=2",
)
OTHERS += ("ida:eval=wrong", "staged:depth=2,eval=wrong", "nested:level=2,plies=8,nodes=500", "nrpa:plies=20,nodes=500")


def graph(rng):
    """Return roads and prices, and which points are goals."""
    dense, near = rng.choice((0.4, 0.6, 0.9)), rng.random() < 0.5
    prices = rng.choice(
        ((0.0, 1.0), (0.0, 1.0, 2.0, 3.0), (0.25, 0.5, 1.5), (1.0,), (0.1, 0.2, 0.7), (1.0, 1.0, 300.0))
    )
    roads = []
    for point in range(POINTS):
        for _ in range(ROADS):
            to = rng.randrange(POINTS) if not near else min(POINTS - 1, max(0, point + rng.choice((-2, -1, 1, 1, 2))))
            roads.append((to, rng.choice(prices)) if rng.random() < dense else None)
    return roads, [int(point > 0 and rng.random() < (0.6 if point == POINTS - 1 else 0.1)) for point in range(POINTS)]


def least(roads, goals, begin, most):
    """Return the least cost of a walk of at most so many roads to a goal, and how many the shortest walk has."""
    best, fewest, reached = float("inf"), None, {begin: 0.0}
    for walked in range(most + 1):
        for point, price in reached.items():
            if goals[point]:
                best, fewest = min(best, price), walked if fewest is None else fewest
        after = {}
        for point, price in reached.items():
            for road in roads[point * ROADS : (point + 1) * ROADS]:
                if road and price + road[1] < after.get(road[0], float("inf")):
                    after[road[0]] = price + road[1]
        reached = after
    return best, fewest


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Return a function that gives the game of a limit with random positions, and what is true of them."""
    path = tmp_path_factory.mktemp("graphs") / "graph.py"
    path.write_text(GRAPH, encoding="utf8")

    def some(limit):
        game, found = load(str(path), limit=limit), []
        for seed in range(60):
            rng = random.Random(seed)
            roads, goals = graph(rng)
            gone = rng.choice((0, 0, 0, limit - 2, limit - 1, limit)) if limit < 400 else 0
            ahead = [least(roads, goals, point, 40)[0] for point in range(POINTS)]
            share = rng.choice((0.0, 0.5, 1.0, 1.0))
            far = [1e300 if price == float("inf") and share else min(price, 1e6) * share for price in ahead]
            wrong = [rng.randint(-3, 9) for _ in range(POINTS)]
            ways = [0 if road is None else road[0] + 1 for road in roads]
            prices = [0.0 if road is None else road[1] for road in roads]
            cells = (0, gone, *ways, *prices, *far, *wrong, *goals, seed)
            found.append((State(game, cells), *least(roads, goals, 0, min(limit - gone, 40))))
        return game, found

    return some


@pytest.mark.parametrize("limit", [400, 9, 5])
@pytest.mark.parametrize("text", [*CHEAPEST, *OTHERS])
def test_what_is_claimed_of_random_graphs_is_true(cases, text, limit):
    game, positions = cases(limit)
    solving = agent(text).solving(game)
    for number, (state, best, fewest) in enumerate(positions):
        found = solving.solve(state, seed=number)
        assert not found.solved or found.cost >= best - 1e-9, number
        assert not found.optimal or found.cost <= best + 1e-9, number
        assert found.status != "unsolvable" or fewest is None, number
        if text == "bfs":
            assert found.solved == (fewest is not None) and len(found.plan) == (fewest or 0), number
        if limit == 400 and text in CHEAPEST:  # where no game ends too early all is proved
            assert found.optimal if fewest is not None else found.status == "unsolvable", number
