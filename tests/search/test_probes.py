"""Probes before a round, beside a second implementation that recurs."""

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter
from ludwin.primitives import mix
from ludwin.words import MODES

# A walk on a torus of 9 by 9 with one-way steps: wrong estimates lead astray, and deep rounds are long.
TORUS = '''
"""Torus: walk from (0, 0) to the goal; steps go right, up, or jump like a knight."""
PLAYERS = 1
GOAL = 47
FIELDS = {"at": int}
MAX_MOVES = 3
MAX_PLIES = 80

def setup(s):
    s.at = 0

def mover(s):
    return 0

def solved(s):
    return s.at == GOAL

def moves(s, out):
    if solved(s):
        return 0
    for m in range(3):
        out[m] = m
    return 3

def play(s, m):
    x = s.at % 9
    y = s.at // 9
    if m == 0:
        x += 1
    if m == 1:
        y += 1
    if m == 2:
        x += 2
        y += 7
    s.at = x % 9 + 9 * (y % 9)

def payoff(s, p):
    return 1 if solved(s) else 0

def key(s):
    return 7919 * s.at + 3

def distance_wrong(s):
    return s.at * 37 % 23
'''


def noise_of(key, probe, noise):
    """Return what noise adds: 53 bits of a hash as a number from -1 to 1."""
    return noise * ((mix(mix(5, probe), key) >> 10) / 2**52 - 1.0) if probe > 1 else 0.0


def second_search(game, increment, most, probes, length, noise):
    """Return whether iterative deepening with probes finds the goal, its nodes, and its rounds."""
    nodes, bound, start, rounds = 1, increment, game.start(), 0
    solved, key, wrong = (game.function(name) for name in ("solved", "key", "distance_wrong"))

    def dive(state, price, reached, probe, ends):
        nonlocal nodes, beyond
        listed = []
        for place, move in enumerate(state.moves()):
            child = state.play(move)
            if price + 1 <= bound:
                if reached.get(child, 10**9) <= price + 1:
                    continue
                value = wrong(child.thaw()) + noise_of(key(child.thaw()), probe, noise)
                listed.append((float("-inf") if solved(child.thaw()) else value, place, child))
            else:
                listed.append((0.0, place, child))
        for _, _, child in sorted(listed, key=lambda one: one[:2]):
            if price + 1 > bound:
                beyond = min(beyond, price + 1)
                continue
            if reached.get(child, 10**9) <= price + 1:
                continue
            reached[child] = price + 1
            nodes += 1
            if solved(child.thaw()):
                return "solved"
            if nodes >= most:
                return "spent"
            if probe and nodes >= ends:
                return "cut"
            found = dive(child, price + 1, reached, probe, ends)
            if found:
                return found
        return ""

    while True:
        rounds += 1
        for number in range(1, probes + 2):
            beyond = 10**9
            found = dive(start, 0, {start: 0}, number if number <= probes else 0, nodes + length)
            if found in ("solved", "spent"):
                return found == "solved", nodes, rounds
            if not found:
                break
        if beyond == 10**9:
            return False, nodes, rounds
        bound += increment


@pytest.fixture
def torus(tmp_path):
    path = tmp_path / "torus.py"
    path.write_text(TORUS)
    return load(str(path))


@pytest.mark.parametrize(
    ("increment", "probes", "length", "noise"),
    [(3, 1, 5, 0.0), (3, 4, 6, 9.5), (5, 3, 12, 30.0), (40, 6, 25, 4.0), (4, 2, 1000, 15.0), (60, 9, 1, 7.0)],
)
def test_nodes_are_those_of_a_second_implementation_in_every_mode(torus, increment, probes, length, noise):
    solved, nodes, _ = second_search(torus, increment, 3000, probes, length, noise)
    text = f"id:increment={increment},nodes=3000,order=estimate,eval=wrong,probes={probes},probe_nodes={length}"
    for mode in MODES:
        found = agent(f"{text},noise={noise}").solve(torus, torus.start(), mode=mode)
        assert (found.solved, found.nodes) == (solved, nodes)


def test_a_probe_is_a_walk_of_its_own(torus):
    text = "id:increment=60,order=estimate,eval=wrong"
    nodes = [
        agent(text + more).solve(torus, torus.start()).nodes
        for more in ("", ",probes=5,probe_nodes=15,noise=20", ",probes=5,probe_nodes=15,noise=40")
    ]
    assert len(set(nodes)) == 3


def test_a_probe_that_meets_everything_is_the_round(torus):
    text = "id:increment=8,order=estimate,eval=wrong"
    plain = agent(text).solve(torus, torus.start())
    probed = agent(f"{text},probes=3,probe_nodes=100000").solve(torus, torus.start())
    assert (probed.nodes, probed.plan, probed.distinct) == (plain.nodes, plain.plan, plain.distinct)


@pytest.mark.parametrize("increment", [0, 1])
def test_probes_leave_shortest_plans_shortest(torus, increment):
    best = len(agent("bfs").solve(torus, torus.start()).plan)
    for noise in (0, 3, 50):
        text = f"id:increment={increment},order=estimate,eval=wrong,probes=4,probe_nodes=20,noise={noise}"
        found = agent(text).solve(torus, torus.start())
        assert (len(found.plan), found.optimal) == (best, True)


def test_probes_prove_what_rounds_prove(tmp_path):
    path = tmp_path / "hopeless.py"
    path.write_text(TORUS.replace("return s.at == GOAL", "return s.at == 81"))
    game = load(str(path))
    plain, probed = (
        agent(f"id:increment=30,order=estimate,eval=wrong{more}").solve(game, game.start())
        for more in ("", ",probes=7,probe_nodes=10,noise=9")
    )
    assert plain.status == probed.status == "unsolvable" and probed.distinct == plain.distinct == 81
    assert probed.nodes > plain.nodes


def test_probes_end_with_the_budget(torus):
    found = agent("id:nodes=33,increment=60,order=estimate,eval=wrong,probes=9,probe_nodes=5,noise=2").solve(
        torus, torus.start()
    )
    assert found.nodes <= 33 and (found.solved or found.status == "gave up")


def test_named_players_walk_as_they_were_bred_unless_told(tmp_path):
    game = load("parking")
    bred, once, other = (
        agent(f"gp-parking-order{more}") for more in ("", ":probes=0", ":probes=3,probe_nodes=50,noise=2")
    )
    assert once.probing.probes == 0 and other.probing == (3, 50, 2.0)
    assert bred.probing == agent("gp-parking-order:increment=80").probing and bred.probing.probes == 20
    assert once.heeded.query == bred.heeded.query == "stands" and once.advisor != bred.advisor == other.advisor
    assert all(one.solve(game, game.position("#7")).solved for one in (bred, once, other))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id:probes=3", "id: probes=3 has no effect without order=estimate"),
        ("id:order=estimate,eval=ha,noise=2", "id: noise=2 has no effect without probes"),
        ("id:order=estimate,eval=ha,probe_nodes=7", "id: probe_nodes=7 has no effect without probes"),
        ("gp-parking-order:noise=2", "gp-parking-order: noise=2 has no effect without probes"),
        ("id:order=estimate,probes=-1", "probes"),
        ("ida:probes=3", "ida has no parameter 'probes'"),
    ],
)
def test_what_has_no_effect_is_refused(text, said):
    with pytest.raises(BadParameter, match=said):
        agent(text)
