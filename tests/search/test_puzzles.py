"""Searching alone: what solvers claim is true, in all modes, and budgets hold."""

import heapq
import random
from pathlib import Path

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter, CannotPlay
from ludwin.library import HOMES
from ludwin.search.brain import Lookup, Weights
from ludwin.search.puzzles.solver import Solver

# A walk over points whose edges have prices, made by chance: what A* must find is known from a Dijkstra of the test's.
ROADS = '''"""Roads: walk from point 0 to the last point; each road has its price."""
from ludwin.primitives import mix

PLAYERS = 1
POINTS = 12
SEED = 1
TRUE = 1
FIELDS = {"at": int, "gone": int}
MAX_MOVES = 4
MAX_PLIES = 400


def road(point, m):
    """Return where a road leads: one ahead or anywhere, so that there are circles, dead ends and detours."""
    return mix(mix(SEED, point), m) % POINTS


def price(point, m):
    return mix(mix(SEED + 7, point), m) % 5


def setup(s):
    s.at = 0
    s.gone = 0


def mover(s):
    return 0


def moves(s, out):
    if solved(s) or s.gone >= MAX_PLIES:
        return 0
    n = mix(SEED + 3, s.at) % 5
    for i in range(min(n, 4)):
        out[i] = i
    return min(n, 4)


def play(s, m):
    s.at = road(s.at, m)
    s.gone += 1


def solved(s):
    return s.at == POINTS - 1


def cost(s, m):
    return price(s.at, m)


def distance(s):
    return 0


def distance_number(s):
    return POINTS - 1 - s.at


def order_far(s, m):
    return road(s.at, m)


def payoff(s, p):
    return 1 if solved(s) else 0


def key(s):
    return s.at if s.gone < MAX_PLIES else -1 - s.at
'''
EXACT = ("astar", "astar:weight=0", "id:increment=0", "ida", "ida:order=estimate", "id:increment=0,order=far")
OTHERS = (
    "bfs",
    "astar:weight=3",
    "best-first:eval=number",
    "beam:eval=number",
    "ehc:eval=number",
    "id",
    "id:increment=5",
)
OTHERS += ("staged:eval=number", "staged:depth=1,ties=keep,eval=number", "nested:nodes=3000", "nrpa:nodes=3000")
SOLVERS = (*EXACT, *OTHERS)


@pytest.fixture(scope="module")
def roads(tmp_path_factory):
    path = tmp_path_factory.mktemp("roads") / "roads.py"
    path.write_text(ROADS, encoding="utf8")
    return lambda seed, points=12: load(f"{path}:seed={seed},points={points}")


def dijkstra(game):
    """Return the least cost of a plan from the start, None if there is none."""
    best, heap, count = {}, [(0.0, 0, game.start())], 0
    while heap:
        far, _, state = heapq.heappop(heap)
        if state.at in best:
            continue
        best[state.at] = far
        if game.function("solved")(state.thaw()):
            return far
        for move in state.moves():
            count += 1
            heapq.heappush(heap, (far + game.function("cost")(state.thaw(), move), count, state.play(move)))
    return None


@pytest.mark.parametrize("text", SOLVERS)
def test_a_claimed_optimum_is_the_optimum_and_a_claimed_impossibility_is_one(roads, text):
    told = set()
    for seed in range(20):
        game = roads(seed)
        least = dijkstra(game)
        found = agent(text).solve(game, game.start(), mode="plain")
        told.add(found.status)
        if found.solved:
            assert found.cost >= least
            assert not found.optimal or found.cost == least
            assert text not in EXACT or found.optimal
        elif found.status == "unsolvable":
            assert least is None
        else:
            assert text not in (*EXACT, "bfs") and found.why in ("incomplete", "nodes")
    assert {"solved", "unsolvable"} <= told or text.startswith(("nested", "nrpa"))


MODED = ("astar", "ida:order=estimate", "beam:eval=number", "nrpa:nodes=5000", "nested:nodes=5000", "ehc:eval=number")


@pytest.mark.parametrize("text", ["staged:eval=number", *(pytest.param(one, marks=pytest.mark.slow) for one in MODED)])
def test_every_mode_finds_the_same(roads, text):
    game = roads(5)
    found = {agent(text).solve(game, game.start(), seed=3, mode=mode) for mode in ("plain", "checked", "fast")}
    assert len(found) == 1


@pytest.mark.parametrize("text", ["bfs", "bidirectional", "astar", "ida", "id", "ida:patterns=part1"])
def test_tiles_are_solved_in_as_few_moves_as_a_search_of_the_test_needs(text):
    game = load("tiles:rows=2,columns=3")
    best = farthest(game)
    assert (len(best), max(best.values())) == (360, 21)  # half of 6!; the eccentricity of the 2x3 board
    solver = agent(text).solving(game, "plain")
    for tiles in random.Random(text).sample(sorted(best), 6):
        found = solver.solve(game.position(" ".join(map(str, tiles))))
        assert found.optimal and len(found.plan) == best[tiles]


def farthest(game):
    """Return how far each board of 2x3 tiles is from the goal, by plain breadth first on tuples."""
    goal = (1, 2, 3, 4, 5, 0)
    best, layer = {goal: 0}, [goal]
    while layer:
        found = []
        for tiles in layer:
            gap = tiles.index(0)
            for cell in ({0: (1, 3), 1: (0, 2, 4), 2: (1, 5), 3: (0, 4), 4: (1, 3, 5), 5: (2, 4)})[gap]:
                after = list(tiles)
                after[gap], after[cell] = after[cell], 0
                if tuple(after) not in best:
                    best[tuple(after)] = best[tiles] + 1
                    found.append(tuple(after))
        layer = found
    return best


@pytest.mark.slow
def test_the_3x3_board_has_181440_positions_and_the_farthest_is_31_moves_away():
    game = load("tiles")
    solver = agent("bfs").solving(game)
    unsolvable = solver.solve(game.position("2 1 3/4 5 6/7 8 0"))
    assert (unsolvable.status, unsolvable.distinct, unsolvable.depth) == ("unsolvable", 181_440, 31)
    for text in ("8 6 7/2 5 4/3 0 1", "6 4 7/8 5 0/3 2 1"):
        assert len(solver.solve(game.position(text)).plan) == 31


def test_counts_are_those_of_breadth_first_on_the_classic_cards():
    game = load("parking")
    solver = agent("bfs").solving(game)
    found = [solver.solve(game.position(f"#{card}")) for card in range(1, 41)]
    assert sum(one.distinct for one in found) == 124_835  # known: docs/games/parking.md
    assert max(one.distinct for one in found) == 14_697
    assert all(one.optimal and one.nodes == one.distinct <= one.generated for one in found)


def test_nobody_claims_an_impossibility_where_only_its_own_way_was_longer_than_a_game_may_be():
    game = load("tiles")  # of 500 moves
    bfs = agent("bfs").solving(game)
    others = [agent(text).solving(game) for text in ("best-first", "astar:weight=4", "ida", "staged", "bidirectional")]
    for number in (1, 2):
        text = game.position(f"#{number}").write()
        least = len(bfs.solve(game.position(text)).plan)
        for left in (least, least + 1, least + 6):
            state = game.position(f"{text}+{500 - left}")
            assert all(other.solve(state).status != "unsolvable" for other in others)
        late = game.position(f"{text}+{500 - least + 1}")
        assert bfs.solve(late).status == "unsolvable"
        assert not any(other.solve(late).solved for other in others)


def test_budgets_end_a_search_and_it_says_which():
    game = load("tiles")
    hard = game.position("8 6 7/2 5 4/3 0 1")
    for text, why in {"nodes=500": "nodes", "memory=1M": "memory"}.items():
        for name in ("bfs", "astar:weight=0,"):
            found = agent(name + ("" if name[-1] == "," else ":") + text).solve(game, hard)
            assert (found.status, found.why, found.plan) == ("gave up", why, ())
    assert agent("bfs:nodes=500").solve(game, hard).nodes == 500
    timed = agent("id:seconds=0.05").solve(load("tiles:rows=5,columns=5"), load("tiles:rows=5,columns=5").start())
    assert (timed.status, timed.why) == ("gave up", "seconds")


@pytest.mark.parametrize("text", ["nested:level=1", "nested:level=2", "nested:level=3", "nrpa", "nrpa:level=3"])
def test_budgets_of_moves_are_kept_by_searches_that_play_at_random(text):
    game = load("tiles:rows=2,columns=3")
    lost = game.position("2 1 3/4 5 0")
    for nodes in (1, 2, 7, 199, 2000):
        name = f"{text}{',' if ':' in text else ':'}nodes={nodes}"
        found = agent(name).solve(game, lost, mode="plain")
        assert (found.status, found.why) == ("gave up", "nodes") and found.nodes == nodes, name


SHORT = '''"""Roads: the cheap way to point 1 is too long for the way behind it."""
PLAYERS, LIMIT, CHEAP, LAST, AHEAD = 1, 3, 1, 1, 0
FIELDS = {"at": int, "walked": int}
MAX_MOVES, MAX_PLIES = 2, LIMIT
TO = ((1, 2), (5, -1), (1, -1), (-1, -1), (-1, -1), (4, -1))


def setup(s):
    s.at = 0

def mover(s):
    return 0

def moves(s, out):
    n = 0
    while s.walked < LIMIT and n < 2 and TO[s.at][n] >= 0:
        out[n] = 1 - n if s.at == 0 else n
        n += 1
    return n

def play(s, m):
    s.at = TO[s.at][m]
    s.walked += 1

def cost(s, m):
    return 5 if s.at == 0 and m == 0 else LAST if s.at == 5 else CHEAP

def distance(s):
    return AHEAD if s.at == 2 else 0

def solved(s):
    return s.at == 4

def payoff(s, p):
    return 1 if s.at == 4 else 0

def key(s):
    return s.at + (100 if s.walked >= LIMIT else 0)
'''


@pytest.mark.parametrize("mode", ["plain", "fast"])
@pytest.mark.parametrize("text", ["astar", "astar:weight=0", "id:increment=0", "ida", "staged", "best-first"])
def test_nothing_is_proved_by_ways_that_only_the_length_of_the_game_has_ended(workshop, text, mode):
    path = workshop.write(SHORT, "short.py")
    found = agent(text).solve(load(path), load(path).start(), mode=mode)
    assert found.status == "gave up" or (found.solved and found.cost == 7 and not found.optimal)
    longer = agent(text).solve(load(path, limit=4), load(path, limit=4).start(), mode=mode)
    assert longer.solved and not (longer.optimal and longer.cost > 4)


@pytest.mark.parametrize("text", ["astar", "astar:weight=0", "id:increment=0", "ida", "staged", "staged:ties=keep"])
def test_nothing_is_proved_of_a_position_late_in_its_game_by_ways_that_only_its_end_has_cut(workshop, text):
    game = load(workshop.write(SHORT, "short.py"), limit=300)
    late, in_time = game.position("at=0 walked=297"), game.position("at=1 walked=0")
    found = agent(text).solve(game, late, mode="plain")
    assert found.status == "gave up" or (found.solved and found.cost == 7 and not found.optimal)
    assert agent(text).solve(game, game.position("at=3 walked=0"), mode="plain").status == "unsolvable"
    assert agent(text).solve(game, in_time, mode="plain").optimal or text.startswith("staged")


@pytest.mark.parametrize("text", ["astar", "astar:weight=0.9"])
def test_no_plan_is_told_that_became_too_long_when_a_state_on_it_was_reached_more_cheaply(workshop, text):
    path = workshop.write(SHORT, "short.py")
    for limit in (3, 4):
        game = load(path, limit=limit, last=9, ahead=11)  # the estimate is true, and finds the cheap way late
        found = agent(text).solve(game, game.start(), mode="plain")
        assert found.solved == (limit == 4) and found.status != "unsolvable" and (limit == 4 or not found.optimal)
        assert found.cost == (12 if limit == 4 else 0)


TOLL = (
    '"""A corridor whose last moves back have a price of their own."""'
    + """
PLAYERS, LAST, ONE, BACK = 1, 4, 1.0, 1.0
FIELDS = {"at": int}
MAX_MOVES, MAX_PLIES = 2, 500


def setup(s):
    s.at = 0

def mover(s):
    return 0

def moves(s, out):
    out[0], out[1] = 0, 1
    return 0 if solved(s) else 2

def play(s, m):
    s.at = max(0, s.at - 1) if m == 0 else s.at + 1

def cost(s, m):
    return BACK if m == 0 and s.at == LAST - 1 else ONE

def distance(s):
    return 0

def solved(s):
    return s.at == LAST

def payoff(s, p):
    return 1 if solved(s) else 0
"""
)
PRICING = ("astar", "astar:weight=0", "best-first", "id", "id:increment=0", "ida")


@pytest.mark.parametrize("mode", ["plain", "fast"])
@pytest.mark.parametrize("text", PRICING)
def test_prices_below_nothing_or_beyond_all_sums_end_a_search_that_adds_them_up(workshop, text, mode):
    path = workshop.write(TOLL, "toll.py")
    for told in ({"back": -5.0}, {"back": -1.0}, {"one": 1e300}):
        found = agent(text).solve(load(path, **told), load(path, **told).start(), mode=mode)
        assert (found.status, found.why, found.optimal) == ("gave up", "prices", False), told


@pytest.mark.parametrize("text", PRICING)
def test_huge_and_tiny_prices_are_added_up(workshop, text):
    path = workshop.write(TOLL, "toll.py")
    for price in (1e60, 1e-60):
        found = agent(text).solve(load(path, one=price), load(path, one=price).start(), mode="plain")
        assert found.solved and found.cost == pytest.approx(4 * price)


@pytest.mark.parametrize("mode", ["plain", "checked", "fast"])
def test_a_bound_may_be_raised_by_next_to_nothing(mode):
    game = load("tiles")
    found = agent("id:increment=1e-25").solve(game, game.position("1 2 3/4 0 6/7 5 8"), mode=mode)
    assert found.optimal and len(found.plan) == 2


# The peak of this process alone: ru_maxrss would hold what its parent had when it forked.
MEMORY = """
import re, sys
from ludwin.cli import main
main(["solve", "tiles:rows=4,columns=4", sys.argv[1], "--json"])
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""


@pytest.mark.slow
@pytest.mark.parametrize("text", ["bfs", "bidirectional", "astar", "id", "beam:width=200000"])
def test_a_search_with_100_megabytes_takes_less_than_150_and_says_that_it_gave_up(text, python):
    separator = "," if ":" in text else ":"
    told, kilobytes = python(MEMORY, f"{text}{separator}memory=100M").splitlines()
    assert '"gave_up": "memory"' in told
    assert int(kilobytes) * 1024 < 150_000_000


@pytest.mark.slow
def test_tables_of_patterns_count_as_memory_also_while_they_are_built(python):
    for _ in range(2):  # they are built, and then read
        told, kilobytes = python(MEMORY, "ida:patterns=five1+five2+five3,nodes=1000,memory=100M").splitlines()
        assert '"gave_up": "nodes"' in told
        assert int(kilobytes) * 1024 < 150_000_000


def test_tables_of_patterns_that_leave_no_memory_are_refused():
    game = load("tiles:rows=4,columns=4")
    with pytest.raises(BadParameter, match=r"the tables of six1\+six2 take 231M, and memory is 100M"):
        agent("ida:patterns=six1+six2,memory=100M").solve(game, game.start())


def test_brains_are_asked_and_their_opinions_are_turned_round(roads):
    game = roads(5)
    keys = tuple((game.state(at=point).key(), float(point)) for point in range(12))
    by_table = agent("best-first").with_brain(Lookup(keys)).solve(game, game.start(), mode="plain")
    by_name = agent("best-first:eval=number").solve(game, game.start(), mode="plain")
    assert by_table.plan == by_name.plan and by_table.nodes == by_name.nodes and not by_table.optimal
    with pytest.raises(CannotPlay, match="no query"):
        agent("astar").with_brain(Weights((("men", 0, 1.0),))).solve(game, game.start(), mode="plain")


def test_an_agent_follows_its_plan_to_the_end(roads):
    from ludwin.play.referee import play_game

    game = load("tiles:rows=2,columns=3")
    for text in ("astar", "best-first", "ehc"):
        plan = agent(text).solve(game, game.start(), mode="plain").plan
        assert play_game(game, [agent(text)], 0, mode="plain").moves == plan


def test_who_is_no_puzzle_is_told_so_and_who_lacks_an_estimate_too(workshop):
    with pytest.raises(CannotPlay, match="games of one player that define solved"):
        agent("bfs").solve(load("nim"), load("nim").start())
    blind = ROADS.replace("def distance(s):\n    return 0\n", "").replace("def distance_number", "def number")
    game = load(workshop.write(blind, "blind.py"))
    with pytest.raises(CannotPlay, match="best-first needs an estimate"):
        agent("best-first").solve(game, game.start(), mode="plain")
    assert agent("astar").solve(game, game.start(), mode="plain").status in ("solved", "unsolvable")
    with pytest.raises(CannotPlay, match=r"bidirectional needs goal_state\(s\)"):
        agent("bidirectional").solve(game, game.start(), mode="plain")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("bfs:memory=lots", "memory is a size such as 100M"),
        ("bfs:memory=10K", "memory is a size such as 100M or 2G, from 1M on, got '10K'"),
        ("astar:weight=-1", "weight must be at least 0"),
        ("staged:depth=15", "depth must be at most 13"),
        ("id:eval=h1", "eval=h1 has no effect without order=estimate"),
        ("ida:patterns=a,eval=b", "eval=b has no effect with patterns"),
        ("beam:width=0", "width must be at least 1"),
    ],
)
def test_settings_that_cannot_be_are_refused(text, message):
    with pytest.raises(BadParameter, match=message):
        agent(text)


def test_patterns_that_do_not_add_up_are_refused():
    game = load("tiles:rows=4,columns=4")
    with pytest.raises(CannotPlay, match="count more for a move than it costs"):
        agent("ida:patterns=five1+six1").suits(game)
    with pytest.raises(CannotPlay, match="has no pattern 'nine'"):
        agent("ida:patterns=nine").suits(game)


def test_pattern_databases_never_say_too_much_and_are_exact_for_their_part():
    game = load("tiles:rows=2,columns=3")
    best = farthest(game)
    from ludwin.search.puzzles.patterns import UNKNOWN, byte_at, database

    tables = [database(game, name, "plain") for name in game.patterns]
    for tiles, far in best.items():
        s = game.position(" ".join(map(str, tiles))).thaw()
        said = [byte_at(table, game.function("pattern_number")(s, k)) for k, table in enumerate(tables)]
        assert UNKNOWN not in said and sum(said) <= far


def test_all_solvers_of_the_library_are_tried_here():
    solvers = {name for name, home in HOMES.items() if ".puzzles." in home}
    tried = {text.partition(":")[0] for text in (*SOLVERS, "bidirectional")}
    assert solvers == tried
    assert all(issubclass(type(agent(name)), Solver) for name in solvers)


def test_data_of_puzzles_say_where_they_come_from():
    import ludwin.games.parking

    folder = Path(ludwin.games.parking.__file__).parent / "data"
    assert all(file.read_text(encoding="utf8").startswith("# ") for file in folder.glob("*.txt"))
