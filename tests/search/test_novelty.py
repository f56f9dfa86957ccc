"""Orders that heed what is new on the way, beside a second implementation with sets."""

import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter, CannotPlay
from ludwin.words import MODES

# Three counters from 0 to 40 on a ring of 6 counters' sums: a move changes one counter or two, so that one fact or two
# are new; answers are less than 0 (no fact), and beyond 15 (all alike).
COUNTERS = '''
"""Counters: bring three counters to their goal; a move turns one of them, or two at once."""
PLAYERS = 1
FIELDS = {"c": 3}
MAX_MOVES = 6
MAX_PLIES = 60
QUERIES = {"far": "float", "stands": ("float", 4)}

def setup(s):
    s.c[0] = 14

def mover(s):
    return 0

def solved(s):
    return s.c[0] == 17 and s.c[1] == 3 and s.c[2] == 5

def moves(s, out):
    n = 0
    for m in range(6):
        if not solved(s) and s.c[m % 3] < 18:
            out[n] = m
            n += 1
    return n

def play(s, m):
    s.c[m % 3] += 1
    if m >= 3:
        s.c[(m + 1) % 3] = max(0, s.c[(m + 1) % 3] - 1)

def payoff(s, p):
    return 1 if solved(s) else 0

def distance_wrong(s):
    return (s.c[0] * 7 + s.c[1] * 5 + s.c[2] * 3) % 11

def query(s, p, k, a):
    if k == 0:
        return 1.0 * distance_wrong(s)
    return s.c[a] - 1.5 if a < 3 else -2.0
'''


def facts_of(game, state):
    """Return what stands where, as a set."""
    names = list(game.queries)
    answers = [
        (a, game.function("query")(state.thaw(), 0, names.index("stands"), a)) for a in range(game.queries["stands"][1])
    ]
    return frozenset((a, min(15, int(answer))) for a, answer in answers if answer >= 0)


def pairs_of(facts):
    return {frozenset((one, other)) for one in facts for other in facts if one != other}


def second_search(game, estimate, increment, most, fresh, stale):
    """Return whether iterative deepening finds a goal, and its nodes."""
    nodes, bound, start = 1, increment, game.start()
    solved = game.function("solved")

    def dive(way, reached):
        nonlocal nodes, beyond
        state, price = way[-1], len(way)
        seen = set().union(*(pairs_of(facts_of(game, one)) for one in way))
        listed = []
        for place, move in enumerate(state.moves()):
            child, value = state.play(move), 0.0
            if price <= bound:
                if reached.get(child, 10**9) <= price:
                    continue
                new = len(pairs_of(facts_of(game, child)) - seen)
                value = estimate(child) + fresh * new + (0 if new else stale)
                value = float("-inf") if solved(child.thaw()) else value
            listed.append((value, place, child))
        for _, _, child in sorted(listed, key=lambda one: one[:2]):
            if price > bound:
                beyond = min(beyond, price)
                continue
            if reached.get(child, 10**9) <= price:
                continue
            reached[child] = price
            nodes += 1
            if solved(child.thaw()):
                return True
            if nodes >= most:
                return False
            if len(way) >= game.max_plies:
                continue
            found = dive([*way, child], reached)
            if found is not None:
                return found
        return None

    while True:
        beyond = 10**9
        found = dive([start], {start: 0})
        if found is not None:
            return found, nodes
        if beyond == 10**9:
            return False, nodes
        bound += increment


@pytest.fixture
def counters(tmp_path):
    path = tmp_path / "counters.py"
    path.write_text(COUNTERS)
    return load(str(path))


@pytest.mark.parametrize(("fresh", "stale"), [(-1.0, 0.0), (0.0, 4.0), (-0.5, 3.0), (2.0, -1.0)])
def test_nodes_are_those_of_a_second_implementation_in_every_mode(counters, fresh, stale):
    def wrong(state):
        return counters.function("distance_wrong")(state.thaw())

    expected = second_search(counters, wrong, 12, 900, fresh, stale)
    text = f"id:increment=12,nodes=900,order=estimate,eval=wrong,novel=stands,fresh={fresh},stale={stale}"
    for mode in MODES:
        found = agent(text).solve(counters, counters.start(), mode=mode)
        assert (found.solved, found.nodes) == expected


def test_pairs_matter_not_only_what_each_thing_did(counters):
    base = "id:increment=30,nodes=5000,order=estimate,eval=wrong"
    nodes = {
        agent(base + more).solve(counters, counters.start()).nodes
        for more in ("", ",novel=stands,fresh=-1", ",novel=stands,stale=9")
    }
    assert len(nodes) == 3


def test_novelty_without_weights_changes_nothing():
    game = load("parking")
    for card in (1, 12, 26):
        plain, heeding = (
            agent(f"id:increment=30,nodes=20000,order=estimate,eval=ha{more}").solve(game, game.position(f"#{card}"))
            for more in ("", ",novel=stands")
        )
        assert (plain.nodes, plain.plan) == (heeding.nodes, heeding.plan)


def test_a_position_on_its_way_begins_a_way_of_its_own():
    game = load("parking")
    solver = agent("id:increment=60,nodes=20000,order=estimate,eval=ha,novel=stands,stale=5").solving(game)
    later = game.position("#5")
    for _ in range(6):
        later = later.play(later.moves()[-1])
    first = solver.solve(later)
    solver.solve(game.position("#9"))
    assert solver.solve(later) == first  # nothing is left of another search


@pytest.mark.parametrize(
    ("game", "text", "said"),
    [
        ("parking", "id:novel=stands", "id: novel=stands has no effect without order=estimate"),
        ("parking", "id:order=estimate,eval=ha,stale=2", "id: stale=2 has no effect without novel"),
        ("parking", "id:order=estimate,eval=ha,fresh=2", "id: fresh=2 has no effect without novel"),
        (
            "parking",
            "id:order=estimate,eval=ha,novel=moves",
            r"none of parking's queries with places \(it has stands\)",
        ),
        ("tiles", "id:order=estimate,novel=x", r"none of tiles's queries with places \(it has none\)"),
        ("parking", "ida:novel=stands", "ida has no parameter 'novel'"),
    ],
)
def test_what_has_no_effect_is_refused(game, text, said):
    with pytest.raises((BadParameter, CannotPlay), match=said):
        agent(text).solve(load(game), load(game).start())


def test_too_many_places_are_refused(tmp_path):
    path = tmp_path / "many.py"
    path.write_text(COUNTERS.replace('("float", 4)', '("float", 65)'))
    with pytest.raises(CannotPlay, match="novel=stands: 65 places are too many, 64 are the most"):
        agent("id:order=estimate,eval=wrong,novel=stands").solve(load(str(path)), load(str(path)).start())


def test_pairs_count_as_memory():
    game = load("parking:size=8")
    text = "id:increment=60,order=estimate,eval=ha,novel=stands,stale=5,memory={}"
    assert agent(text.format("20M")).solve(game, game.start()).solved
    with pytest.raises(BadParameter, match=r"memory=1M is too little: .*novel=stands"):
        agent(text.format("1M")).solve(game, game.start())
