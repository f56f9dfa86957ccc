"""The Monte Carlo family: bookkeeping, signs, chance, proofs, every rule and option, and what is seen of a tree."""

import json
import math
import xml.etree.ElementTree as ElementTree
from collections import Counter
from types import SimpleNamespace

import pytest

from ludwin import agent, load
from ludwin.arena.contest import table
from ludwin.arena.tournament import tournament
from ludwin.errors import BadParameter, CannotPlay
from ludwin.play.referee import Referee, play_game
from ludwin.search.montecarlo import rules as mcts_rules
from ludwin.search.montecarlo import walk as walking
from ludwin.search.montecarlo.mcts import CONSTANTS, MCTS, RULES
from ludwin.search.montecarlo.view import SearchTree, middle
from ludwin.search.seat import alarm

TIC = load("tic-tac-toe")

# Two moves, two answers: move 0 looks better on average, but one answer refutes it.
REFUTED = '''"""The greedy first move loses to a refutation."""
FIELDS = {"first": int, "second": int}
MAX_MOVES = 5
MAX_PLIES = 2

def setup(s):
    s.first = -1
    s.second = -1

def mover(s):
    return 1 if s.first >= 0 else 0

def moves(s, out):
    if s.second >= 0:
        return 0
    n = 2 if s.first < 0 else 5
    for k in range(n):
        out[k] = k
    return n

def play(s, m):
    if s.first < 0:
        s.first = m
    else:
        s.second = m

def payoff(s, p):
    won = 0.1 if s.first == 1 else (-1.0 if s.second == 3 else 1.0)
    return won if p == 0 else -won
'''

# After the only move nature draws 1 in one of ten cases; then somebody has to say goodbye, so that it is no lottery.
DRAWN = '''"""One of ten."""
from ludwin.primitives import CHANCE
FIELDS = {"step": int, "luck": int}
PLAYERS = len((0,))
MAX_MOVES = 2
MAX_PLIES = 3
PAYOFF_SUM = None

def setup(s):
    s.step = 0

def mover(s):
    return CHANCE if s.step == 1 else 0

def moves(s, out):
    if s.step == 3:
        return 0
    out[0] = 0
    out[1] = 1
    return 2 if s.step == 1 else 1

def chance(s, m):
    return 1 if m == 1 else 9

def play(s, m):
    if s.step == 1:
        s.luck = m
    s.step += 1

def payoff(s, p):
    return s.luck
'''


def position(*moves):
    """Return the position of tic-tac-toe after these squares."""
    state = TIC.start()
    for move in moves:
        state = state.play(move)
    return state


def favourite(policy, visits_and_proofs, means, caution, rng):
    """Return which of the root's moves a policy recommends."""
    n = len(means)
    figures = zip(visits_and_proofs[:n], visits_and_proofs[n:], means, strict=True)
    roots = [SimpleNamespace(visits=visits, proved=proved, mean=mean) for visits, proved, mean in figures]
    w = SimpleNamespace(roots=roots, options=SimpleNamespace(secure=caution), rng=rng)
    return walking.favourite(w, policy, n)


def line_up(tree):
    """Assert what holds in every tree without chance nodes: visits add up, depths and births follow the parents."""
    for node in range(len(tree)):
        below = tree.children(node)
        if below and node:
            assert tree.visits[node] == 1 + sum(tree.visits[child] for child in below)
        for child in below:
            assert tree.depths[child] == tree.depths[node] + 1 and (
                tree.born[child] > tree.born[node] or tree.born[child] == 0
            )


def test_after_1000_playouts_the_visits_add_up():
    tree = MCTS(playouts=1000).tree(TIC, TIC.start(), mode="plain")
    assert tree.visits[0] == 1000 == sum(tree.visits[child] for child in tree.children(0)) and tree.playouts == 1000
    assert len(tree.children(0)) == 9 and sorted(tree.born[child] for child in tree.children(0)) == list(range(1, 10))
    line_up(tree)
    assert all(abs(total) <= visits for total, visits in zip(tree.totals, tree.visits, strict=True))


def test_a_formula_that_says_ucb1_grows_the_same_tree_as_ucb1():
    plain = MCTS(playouts=300, c=0.7).tree(TIC, TIC.start(), seed=5, mode="plain")
    assert MCTS(playouts=300, c=0.7, formula="Q+C*sqrt(log(N)/n)").tree(TIC, TIC.start(), seed=5, mode="plain") == plain
    twice = MCTS(playouts=300, c=0.7, factor=2.0).tree(TIC, TIC.start(), seed=5, mode="plain")
    assert (
        MCTS(playouts=300, c=0.7, formula="Q+C*sqrt(2*log(N)/n)").tree(TIC, TIC.start(), seed=5, mode="plain")
        == twice
        != plain
    )


def test_picks_the_minimax_move_though_the_other_has_the_better_mean(workshop):
    game = load(workshop.write(REFUTED, "refuted.py"))
    start = game.start()
    picked = Counter(
        MCTS(playouts=1000, c=1.0).choose(game, start, seed=seed, mode="plain").move for seed in range(100)
    )
    assert picked[1] >= 99
    assert MCTS(playouts=20, c=1.0).choose(game, start, mode="plain").move in (0, 1)


def test_a_chance_node_is_worth_its_outcomes_by_weight(workshop):
    game = load(workshop.write(DRAWN, "drawn.py"))
    for outcomes in ("below", "stop"):
        tree = MCTS(playouts=2000, outcomes=outcomes).tree(game, game.start(), seed=1, mode="plain")
        (chance,) = tree.children(0)
        assert tree.kinds[chance] == "chance" and tree.visits[chance] == 2000
        assert tree.means[chance] == pytest.approx(
            0.1, abs=1e-12
        )  # both outcomes seen: exact, though the sample is not
        assert 0.08 < tree.totals[chance] / 2000 < 0.12
        assert [tree.means[child] for child in sorted(tree.children(chance), key=lambda child: tree.moves[child])] == [
            0,
            1,
        ]


def test_an_iteration_that_meets_a_new_outcome_adds_a_move_below_it_or_stops(workshop):
    game = load(workshop.write(DRAWN, "drawn.py"))
    below = MCTS(playouts=2).tree(game, game.start(), mode="plain")
    assert Counter(below.kinds) == {"decision": 2, "chance": 1, "end": 1}  # root, nature, its outcome, the end below it
    stop = MCTS(playouts=1, outcomes="stop").tree(game, game.start(), mode="plain")
    assert Counter(stop.kinds) == {"decision": 2, "chance": 1}


def test_a_lottery_is_drawn_at_every_visit_or_once():
    game = load("fop:t=0.5,f=0.5")  # two plies deep: four lotteries
    for terminal, means in (("resample", lambda mean: 0.2 < mean < 0.8), ("frozen", lambda mean: mean in (0, 1))):
        tree = MCTS(playouts=2000, c=9.0, terminal=terminal).tree(game, game.start(), seed=2, mode="plain")
        ends = [node for node in range(len(tree)) if tree.kinds[node] == "lottery"]
        assert len(ends) == tree.terminals == 4 and all(means(tree.means[node]) for node in ends)


def test_recommendations_of_a_hand_made_root():
    visits, means = [10, 20, 15], [0.9, 0.5, 0.6]
    for policy, caution, best in (
        (walking.ROBUST, 1, 1),
        (walking.BEST, 1, 0),
        (walking.SECURE, 0.1, 0),
        (walking.SECURE, 1, 0),
        (walking.SECURE, 10, 1),
    ):
        assert favourite(policy, [*visits, 0, 0, 0], means, caution, [7]) == best
    root = SimpleNamespace(mean=0.9, visits=10)
    assert walking.preference(walking.SECURE, root, 2.0) == 0.9 - 2 / math.sqrt(10)


def test_a_recommendation_weighs_proofs():
    assert favourite(walking.ROBUST, [1, 50, 0, 1, 0, 0], [1.0, 0.9, 0.0], 1, [7]) == 0  # a proved win
    assert favourite(walking.ROBUST, [80, 5, 0, 1, 0, 0], [-1.0, -0.9, 0.0], 1, [7]) == 1  # not the proved loss
    assert favourite(walking.ROBUST, [80, 5, 0, 1, 0, 0], [0.0, -0.9, 0.0], 1, [7]) == 0  # a proved draw is better


def test_equal_children_are_recommended_equally_often_and_none_is_any():
    rng = [3]
    counts = Counter(favourite(walking.ROBUST, [5, 5, 2, 0, 0, 0], [0.0, 0.0, 1.0], 1, rng) for _ in range(4000))
    assert set(counts) == {0, 1} and abs(counts[0] - 2000) < 200
    assert {favourite(walking.ROBUST, [0, 0, 0, 0], [0.0, 0.0], 1, rng) for _ in range(50)} == {0, 1}


def test_robust_max_goes_on_until_one_move_is_both():
    state = position(4)
    for seed in range(10):
        choice = MCTS(playouts=60, recommend="robust-max").choose(TIC, state, seed=seed, mode="plain")
        assert 60 <= choice.kinds["playouts"] <= 120
        if choice.kinds["playouts"] < 120:
            assert choice.visits[choice.move] == max(choice.visits.values()) and choice.value == max(
                choice.values.values()
            )


OPTIONS = [
    *({"rule": rule} for rule in RULES),
    *({"recommend": policy} for policy in ("max", "robust-max", "secure")),
    {"solver": 1},
    {"widen": 1.5},
    {"widen": 1.5, "expand": "random"},
    {"rule": "rave", "bias": 0.5},
    {"expand": "amaf"},
    {"transpositions": 1},
    {"backup": "max", "c": 2.0},
    {"rollouts": 3},
    {"trees": 4},
    {"reward": "wins"},
    {"expand": "order"},
    {"scale": 2.0},
    {"reward": "wins", "scale": 5.0},
    {"formula": "Q + C*sqrt(log(N)/n) + 0.1*V + 0.1*B - D/100 + A/100"},
]


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: ",".join(f"{key}={value}" for key, value in options.items())
)
def test_every_option_finds_a_win_and_a_defence(options):
    made = MCTS(**{"playouts": 600, **options})
    assert agent(str(made)) == made
    win, defend = position(0, 3, 1, 4), position(0, 8, 1)  # X completes 0 1 2; O must stop that
    for seed in range(3):
        assert made.choose(TIC, win, seed=seed, mode="plain").move == 2
        assert made.choose(TIC, defend, seed=seed, mode="plain").move == 2


def test_every_rule_has_a_constant_of_its_own_and_the_text_is_canonical():
    assert agent("mcts:rule=puct").c == 3 and agent("mcts").c == 1
    assert agent("mcts:rule=puct,c=3") == agent("mcts:rule=puct") != agent("mcts:rule=puct,c=1")
    for rule in RULES:
        made = agent(f"mcts:rule={rule}")
        assert made.c == CONSTANTS.get(rule, 0) and agent(str(made)) == made and "c=" not in str(made)
    assert str(agent("mcts:rule=puct,c=1")) == "mcts:c=1,rule=puct" and str(agent("mcts:c=1")) == "mcts"
    with pytest.raises(BadParameter, match="c must be at least 0"):
        agent("mcts:c=-1")
    with pytest.raises(BadParameter, match="c must be a number"):
        agent("mcts:c=none")


IDLE = [
    "epsilon=0.2",
    "gamma=0.2",
    "discount=0.9",
    "window=9",
    "equivalence=9",
    "bias=1",
    "rule=rave,bias=1,equivalence=9",
    "prior=evaluation",
    "temperature=1",
    "rule=puct,temperature=1",
    "power=0.4",
    "secure=2",
    "low=-2",
    "high=2",
    "eval=discs",
    "expand=random,widen=2,eval=discs",
    "rule=thompson,factor=2",
    "rule=egreedy,c=1",
    "rule=exp3,c=1",
    "formula=Q+sqrt(N/n),c=2",
    "formula=Q+C/n,factor=2",
]


@pytest.mark.parametrize("text", IDLE)
def test_settings_that_would_be_ignored_are_refused(text):
    with pytest.raises(
        BadParameter, match=r"^mcts: \w+=\S+ has no effect without .*; give that too, or leave \w+ out$"
    ):
        agent(f"mcts:{text}")


@pytest.mark.parametrize(
    "text", ["rule=rave,widen=2", "rule=puct,widen=2", "rule=puct,expand=random", "rule=rave,expand=amaf"]
)
def test_rules_that_rank_all_moves_have_no_untried_ones(text):
    with pytest.raises(BadParameter, match="ranks all moves from the first visit on; leave out widen and expand"):
        agent(f"mcts:{text}")


# One move of twenty wins, whenever it is made; each player makes three moves, and none twice.
ONE_IS_GOOD = '''"""Whoever makes move GOOD wins."""
MOVES = 20
GOOD = 13
FIELDS = {"made": MOVES, "ply": int, "winner": int}
MAX_MOVES = MOVES
MAX_PLIES = 6

def setup(s):
    s.winner = -1

def mover(s):
    return s.ply % 2

def moves(s, out):
    n = 0
    for m in range(MOVES):
        if s.made[m] == 0:
            out[n] = m
            n += 1
    return n if s.ply < 6 else 0

def play(s, m):
    s.made[m] = 1
    if m == GOOD:
        s.winner = s.ply % 2
    s.ply += 1

def payoff(s, p):
    return 0 if s.winner < 0 else 1 if s.winner == p else -1
'''


@pytest.mark.parametrize("options", [{}, {"bias": 0.1}])
def test_rave_returns_to_what_was_good_later_before_it_has_tried_every_move(workshop, options):
    game = load(workshop.write(ONE_IS_GOOD, "one_is_good.py"))
    rave, plain = Counter(), Counter()
    for seed in range(20):
        for counts, made in ((rave, MCTS(playouts=20, rule="rave", **options)), (plain, MCTS(playouts=20))):
            visits = made.choose(game, game.start(), seed=seed, mode="plain").visits
            counts[13] += visits[13]
            counts["tried"] += sum(n > 0 for n in visits.values())
    assert plain[13] == 20 and plain["tried"] == 400  # every move once
    assert rave[13] > 3 * plain[13] and rave["tried"] < 0.8 * plain["tried"]


def test_what_rave_learns_is_the_mean_over_playouts_in_which_the_player_made_the_move(workshop):
    game = load(workshop.write(ONE_IS_GOOD, "one_is_good.py"))
    session = MCTS(playouts=60, rule="rave").session(game, "plain")
    session.choose(game.start(), 1)
    for number in range(session.w.run.size):
        node = session.w.tree[number]
        assert node.all_visits >= node.visits or number == 0  # own visits are among them
        if node.move == 13 and node.level == 1:  # whoever makes it wins: the mover's side
            assert node.all_visits > 0 and node.all_total == node.all_visits


def test_the_schedules_of_rave_weigh_as_gelly_and_silver_say():
    w = SimpleNamespace(options=SimpleNamespace(equivalence=100.0, bias=0.2))

    def child(n, m):
        return SimpleNamespace(visits=n, all_visits=m)

    for visits, weight in ((100, 0.5), (0, 1)):
        assert mcts_rules.trust_by_visits(w, child(7, 9), SimpleNamespace(visits=visits)) == weight
    node = SimpleNamespace(visits=50)
    assert mcts_rules.trust_by_error(w, child(0, 9), node) == 1
    assert mcts_rules.trust_by_error(w, child(10, 30), node) == pytest.approx(
        30 / (10 + 30 + 4 * 10 * 30 * 0.1**2)
    )  # b = 0.1 for wins of 0 or 1


def test_untried_moves_are_tried_in_the_order_that_is_asked_for():
    game = load("reversi:size=6")
    state = game.start().play(game.start().moves()[0])  # the other side moves: values are the mover's
    for made in (MCTS(playouts=3, expand="evaluation"), MCTS(playouts=60, widen=1.0, power=0.2)):
        tree = made.tree(game, state, mode="plain")
        likes = {move: game.function("evaluate")(state.play(move).thaw(), state.mover) for move in state.moves()}
        tried = [likes[tree.moves[child]] for child in tree.children(0)]
        assert tried == sorted(likes.values(), reverse=True)[: len(tried)] and len(tried) < 4
    draughts = load("draughts")
    tree = MCTS(playouts=1, expand="twist").tree(draughts, draughts.start(), mode="plain")
    order = {move: draughts.function("order_twist")(draughts.start().thaw(), move) for move in draughts.start().moves()}
    assert order[tree.moves[1]] == max(order.values())


def test_a_move_that_ends_the_game_is_worth_its_payoff_to_an_order():
    game = load("connect-four")
    state = game.start()
    for move in (0, 6, 0, 6, 0, 6):  # three on top of each other: the fourth wins
        state = state.play(move)
    for options in ({"expand": "evaluation"}, {"rule": "puct", "prior": "evaluation"}):
        assert MCTS(playouts=1, **options).choose(game, state, mode="plain").move == 0


def test_widening_without_an_evaluation_goes_by_all_playouts(workshop):
    game = load(workshop.write(ONE_IS_GOOD, "one_is_good.py"))
    by_all, at_random = MCTS(playouts=200, widen=1.0), MCTS(playouts=200, widen=1.0, expand="random")
    assert by_all.order(game) == "amaf" and MCTS(widen=1.0, rule="exp3").order(game) == "random" == MCTS().order(game)
    found = [
        sum(made.choose(game, game.start(), seed=seed, mode="plain").move == 13 for seed in range(20))
        for made in (by_all, at_random)
    ]
    assert found[0] >= 18 and found[0] > found[1]
    with pytest.raises(CannotPlay, match="has no expand called 'twist'"):
        MCTS(expand="twist").choose(game, game.start(), mode="plain")
    with pytest.raises(CannotPlay, match="has no eval called 'kings'"):
        MCTS(cut=2, eval="kings").choose(game, game.start(), mode="plain")


def test_scale_divides_wins_as_it_divides_payoffs():
    for seed in range(3):
        whole, part = (
            MCTS(playouts=200, reward="wins", **options).choose(TIC, TIC.start(), seed=seed, mode="plain")
            for options in ({"c": 2.0}, {"c": 0.25, "scale": 8.0})
        )
        assert whole.visits == part.visits and whole.values == pytest.approx(
            part.values
        )  # a constant means what rewards make of it
        other = MCTS(playouts=200, reward="wins", c=2.0, scale=8.0).choose(TIC, TIC.start(), seed=seed, mode="plain")
        assert max(other.visits.values()) < max(whole.visits.values()) and all(
            abs(value) <= 1 for value in other.values.values()
        )
    proof = MCTS(playouts=2000, reward="wins", scale=8.0, solver=1).choose(TIC, position(0, 3, 1, 4), mode="plain")
    assert proof.decided and proof.value == 1


def test_budgets_stop_the_search():
    for seed in range(3):
        choice = MCTS(playouts=0, nodes=500).choose(TIC, TIC.start(), seed=seed, mode="plain")
        assert 500 <= choice.nodes < 520
    timed = MCTS(playouts=0, seconds=0.05)
    assert timed.timed and timed.choose(TIC, TIC.start(), mode="plain").move in TIC.start().moves()
    assert MCTS(playouts=1).choose(TIC, TIC.start(), mode="plain").kinds["playouts"] == 1


def minimax(state, known):
    """Return the value of a position of tic-tac-toe to its mover."""
    if state not in known:
        if state.over:
            known[state] = state.payoffs()[state.mover]
        else:
            known[state] = max(-minimax(state.play(move), known) for move in state.moves())
    return known[state]


def test_the_solver_proves_what_minimax_says():
    known = {}
    proved = 0
    for moves in ((0, 8, 1), (0, 3, 1, 4), (4, 0, 8, 1), (0, 4, 8), (1, 0, 4, 7), (0, 1, 4, 8), (4, 1, 0, 8, 6)):
        state = position(*moves)
        choice = MCTS(playouts=5000, solver=1).choose(TIC, state, mode="plain")
        assert minimax(state, known) == -minimax(state.play(choice.move), known)
        if choice.decided:
            proved += 1
            assert choice.value == minimax(state, known) and choice.kinds["playouts"] <= 5000
    assert proved >= 5


def test_the_solver_stops_when_the_root_is_proved():
    choice = MCTS(playouts=100_000, solver=1).choose(TIC, position(0, 3, 1, 4), mode="plain")
    assert choice.decided and choice.value == 1 and choice.kinds["playouts"] < 2000


def test_progressive_widening_bounds_the_children():
    tree = MCTS(playouts=500, widen=1.0, power=0.4).tree(TIC, TIC.start(), mode="plain")
    line_up(tree)
    for node in range(len(tree)):
        assert len(tree.children(node)) <= max(1, math.ceil(tree.visits[node] ** 0.4))
    assert max(len(tree.children(node)) for node in range(len(tree))) > 3


def test_positions_that_are_reached_on_two_ways_share_their_mean():
    session = MCTS(playouts=3000, transpositions=1).session(TIC, "plain")
    session.choose(TIC.start(), 0)
    tree, table = session.tree(), session.w.table
    states, groups = {0: TIC.start()}, {}
    for node in range(1, len(tree)):
        states[node] = states[tree.parents[node]].play(tree.moves[node])
        groups.setdefault((states[node], tree.owners[node]), []).append(node)
    shared = 0
    for nodes in groups.values():
        records = {session.w.tree[node].record for node in nodes} - {0}
        assert len(records) <= 1
        if records:
            (record,) = records
            assert table[record].visits == sum(tree.visits[node] for node in nodes)
            assert table[record].total == pytest.approx(sum(tree.totals[node] for node in nodes))
            shared += len(nodes) > 1
    assert shared > 100


def test_priors_by_evaluation_lead_the_first_visits():
    game = load("reversi:size=4")
    state = game.start()
    likes = {move: game.function("evaluate")(state.play(move).thaw(), 0) for move in state.moves()}
    tree = MCTS(playouts=1, rule="puct", prior="evaluation", temperature=0.01, c=1.0).tree(game, state, mode="plain")
    assert likes[tree.moves[1]] == max(likes.values())
    with pytest.raises(CannotPlay, match="need evaluate"):
        MCTS(rule="puct", prior="evaluation").choose(TIC, TIC.start(), mode="plain")


def test_a_cut_asks_the_evaluation():
    game = load("reversi:size=4")
    deep, cut = (MCTS(playouts=100, cut=depth).choose(game, game.start(), mode="plain") for depth in (-1, 0))
    assert cut.nodes < deep.nodes / 2 and all(-1 <= value <= 1 for value in cut.values.values())


GRADED = '''"""Two players, three moves each, four plies; what the last cell is worth is any number."""
from ludwin.primitives import mix

GREATEST = 1.0
PLAYERS = 2
PAYOFF_SUM = 0 if PLAYERS == 2 else None
FIELDS = {"cell": int, "ply": int}
MAX_MOVES = 3
MAX_PLIES = 4

def setup(s):
    s.cell = 1

def mover(s):
    return s.ply % PLAYERS

def moves(s, out):
    for k in range(3):
        out[k] = k
    return 3 if s.ply < 4 else 0

def play(s, m):
    s.cell = 3 * s.cell + m
    s.ply += 1

def payoff(s, p):
    worth = GREATEST * ((mix(s.cell, 5) & 1023) / 511.5 - 1.0)
    return worth if p == 0 else -worth
'''


def best_of(state):
    """The oracle: minimax over the public interface, as player 0 sees it."""
    if state.over:
        return state.payoff(0)
    values = [best_of(state.play(move)) for move in state.moves()]
    return max(values) if state.mover == 0 else min(values)


def test_proofs_of_graded_payoffs_are_minimax_values(tmp_path):
    path = tmp_path / "graded.py"
    path.write_text(GRADED, encoding="utf8")
    game = load(str(path))
    for seed in range(5):
        early, late = (
            MCTS(playouts=playouts, solver=1).choose(game, game.start(), seed=seed, mode="plain")
            for playouts in (60, 2000)
        )
        assert not early.decided  # 60 playouts cannot have seen all 81 ends
        assert late.decided and late.value == pytest.approx(best_of(game.start()))


def test_a_payoff_above_the_greatest_is_no_proof(tmp_path):
    path = tmp_path / "graded.py"
    path.write_text(GRADED, encoding="utf8")
    game = load(str(path), greatest=3.0)
    with pytest.raises(CannotPlay, match=r"takes 1 for the greatest payoff, and .* has a greater one; give high="):
        MCTS(playouts=500, solver=1).choose(game, game.start(), mode="plain")
    assert MCTS(playouts=2000, solver=1, low=-3.0, high=3.0).choose(
        game, game.start(), mode="plain"
    ).value == pytest.approx(best_of(game.start()))


def test_a_wrong_bound_is_found_in_compiled_games_too(tmp_path):
    path = tmp_path / "graded.py"
    path.write_text(GRADED, encoding="utf8")
    game = load(str(path), greatest=3.0)
    for who in (MCTS(playouts=300, solver=1), agent("star1:depth=4")):
        for mode in ("plain", "fast"):
            with pytest.raises(CannotPlay, match="payoff"):
                table(game, [who, agent("random")], mode).play(3)
    alone = load(str(path), greatest=3.0, players=1)
    assert (
        MCTS(playouts=50, solver=1).choose(alone, alone.start(), mode="plain").visits
    )  # with one player nothing is cut short


@pytest.mark.parametrize("budget", [{"playouts": 0, "seconds": 0.2}, {"playouts": 0, "nodes": 4000}])
def test_several_trees_share_time_and_nodes(budget):
    made = MCTS(trees=4, **budget)
    choice = made.choose(TIC, TIC.start(), mode="plain" if "seconds" in budget else "fast")
    assert (
        choice.kinds["playouts"] == sum(choice.visits.values()) >= 4 * len(choice.visits)
    )  # each tree has tried every move
    assert choice.kinds["tree"] >= 4 * (1 + len(choice.visits))


def test_time_is_divided_by_the_trees_that_a_thread_grows(monkeypatch):
    shares = []
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    monkeypatch.setattr(
        "ludwin.search.montecarlo.session.alarm", lambda seconds, *more: shares.append(seconds) or alarm(seconds, *more)
    )
    MCTS(trees=5, playouts=0, seconds=0.3).choose(TIC, TIC.start())
    assert shares == [pytest.approx(0.1)] * 5  # two threads: one of them grows three trees


def test_several_trees_have_no_common_picture():
    made = MCTS(playouts=40, trees=4)
    with pytest.raises(BadParameter, match="4 trees have no common picture"):
        made.tree(TIC, TIC.start(), mode="plain")
    with pytest.raises(BadParameter, match="leave out trees="):
        made.session(TIC, "plain").metrics()


def test_nodes_of_function_optimisation_lie_in_their_interval():
    game = load("fop:f=5,k=3,t=0.01")
    tree = MCTS(playouts=200).tree(game, game.position("2:7"), mode="plain")
    assert tree.centre(0) == pytest.approx(7.5 / 9)
    assert all(7 / 9 < tree.centre(node) < 8 / 9 for node in range(len(tree)))


def test_several_trees_share_the_budget_and_add_up():
    made = MCTS(playouts=403, trees=4)
    choice = made.choose(TIC, TIC.start(), mode="plain")
    assert sum(choice.visits.values()) == 403 and choice.visits[choice.move] == max(choice.visits.values())
    assert made.choose(TIC, TIC.start()).visits == choice.visits  # in threads, compiled
    assert made.choose(TIC, TIC.start()).move == choice.move


def test_a_proof_in_one_of_several_trees_counts():
    state = position(0, 8, 1)
    choice = MCTS(playouts=800, trees=4, solver=1).choose(TIC, state, mode="plain")
    assert choice.decided and choice.value == 1 == MCTS(playouts=800, trees=4, solver=1).choose(TIC, state).value


def test_a_session_goes_on_with_the_tree_that_it_has():
    session = MCTS(playouts=400, reuse=1).session(TIC, "plain")
    first = session.choose(TIC.start(), 0)
    before = session.tree()
    reply = before.moves[max(before.children(before.path()[1]), key=lambda node: before.visits[node])]
    state = TIC.start().play(first.move).play(reply)
    (node,) = [child for child in before.children(before.path()[1]) if before.moves[child] == reply]
    session.choose(state, 1)
    after = session.tree()
    assert after.visits[0] == before.visits[node] + 400 > 400
    line_up(after)
    kept = {move: before.visits[child] for child in before.children(node) for move in [before.moves[child]]}
    now = {after.moves[child]: after.visits[child] for child in after.children(0)}
    assert all(now[move] >= count for move, count in kept.items())
    session.choose(TIC.position(".../.../..."), 2)  # not below: a new tree
    assert session.tree().visits[0] == 400


def test_a_tree_is_kept_within_a_game_and_not_from_game_to_game():
    keeps, forgets = MCTS(playouts=100, reuse=1), MCTS(playouts=100)
    referee = Referee(TIC, 5)
    total = []
    while not referee.end:
        choice = referee.ask(keeps, "plain")
        total.append(sum(choice.visits.values()))
        referee.play(choice.move)
    assert total[0] == total[1] == 100 and all(visits > 100 for visits in total[2:4])  # each seat has a tree of its own
    referee.cut(2)  # taken back: what was thought about later positions is no help
    assert sum(referee.ask(keeps, "plain").visits.values()) == 100
    games = [play_game(TIC, [keeps, forgets], seed, mode="plain") for seed in (5, 6, 5)]
    assert games[0] == games[2]


def test_a_match_with_a_kept_tree_is_the_same_on_any_number_of_workers(tmp_path):
    pig = load("pig:goal=20")
    keeps, forgets = MCTS(playouts=60, reuse=1), MCTS(playouts=60)
    for workers in (1, 2):
        tournament(pig, [keeps, forgets], games=6, seed=2, workers=workers, out=tmp_path / f"{workers}.jsonl")
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    assert play_game(pig, [keeps, forgets], 4) == play_game(pig, [keeps, forgets], 4, mode="plain")


@pytest.mark.parametrize("options", [{"rule": "sw-ucb"}, {"trees": 2}])
def test_a_tree_that_cannot_be_kept_is_refused(options):
    with pytest.raises(BadParameter, match="a tree is not kept"):
        MCTS(reuse=1, **options)


@pytest.mark.parametrize("mode", [pytest.param("checked", marks=pytest.mark.slow), "fast"])
def test_plain_checked_and_fast_grow_the_same_tree(mode):
    for options in ({}, {"solver": 1, "widen": 2.0, "formula": "Q + C*sqrt(log(N)/n) + V/10"}):
        made = MCTS(playouts=300, **options)
        assert made.tree(TIC, TIC.start(), seed=4, mode=mode) == made.tree(TIC, TIC.start(), seed=4, mode="plain")


@pytest.mark.slow
@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: ",".join(f"{key}={value}" for key, value in options.items())
)
@pytest.mark.parametrize(
    ("text", "mode"), [("connect-four:columns=5,rows=4,connect=3", "fast"), ("pig:goal=20", "checked")]
)
def test_all_options_are_the_same_in_all_modes(text, mode, options):
    game = load(text)
    made = MCTS(**{"playouts": 300, **options})
    plain, other = (made.choose(game, game.start(), seed=3, mode=mode) for mode in ("plain", mode))
    assert other.visits == plain.visits and other.values == plain.values and other.move == plain.move


def test_plays_games_of_more_players_and_refuses_secrets():
    game = load("li-nim")
    assert MCTS(playouts=50).choose(game, game.start(), mode="plain").move in game.start().moves()
    for made, text in ((MCTS(), "kuhn-poker"), (MCTS(solver=1), "li-nim"), (MCTS(backup="max"), "li-nim")):
        with pytest.raises(CannotPlay):
            made.choose(load(text), load(text).start(), mode="plain")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mcts:formula=Q+", "cannot read"),
        ("mcts:formula=q", "'q' is not understood"),
        ("mcts:formula=Q**2", "is not understood"),
        ("mcts:formula=Q,rule=rave", "goes with rule=ucb"),
        ("mcts:rule=best", "rule must be one of ucb"),
        ("mcts:playouts=0", "give a budget"),
        ("mcts:epsilon=2", "at most 1"),
        ("mcts:low=1", "low must be below high"),
        ("mcts:playouts=3,trees=5", "5 trees need as many playouts"),
        ("mcts:cut=-2", "at least -1"),
    ],
)
def test_nonsense_is_refused_with_a_reason(text, words):
    with pytest.raises(BadParameter, match=words):
        agent(text)


def test_formulas_stand_in_the_canonical_text():
    assert str(agent("mcts:formula=Q+C*(sqrt(ln(N)/n)),playouts=50")) == "mcts:playouts=50,formula=Q + C*sqrt(log(N)/n)"


# Figure 5.3 of the thesis: 15 playouts, 12 nodes added, six ends; seven leaves, six at depth 3 and one at 2.
EXAMPLE = SearchTree(
    game=None,
    root=None,
    playouts=15,
    parents=(-1, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5),
    moves=(0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1),
    visits=(15, 10, 5, 4, 5, 3, 1, 2, 1, 3, 1, 1, 1),
    totals=(0.0,) * 13,
    means=(0.0,) * 13,
    kinds=("decision",) * 7 + ("end",) * 6,
    owners=(0,) * 13,
    born=(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    depths=(0, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3),
)


def test_metrics_of_the_published_example():
    assert EXAMPLE.expansion_rate == 0.8 and EXAMPLE.terminals == 6
    assert EXAMPLE.leaf_depth == pytest.approx(20 / 7) and EXAMPLE.leaf_spread == pytest.approx(math.sqrt(6) / 7)
    assert EXAMPLE.line() == (0, 1, 0) and EXAMPLE.path() == [0, 1, 4, 9]
    assert EXAMPLE.centre(9) == (2 + 0.5) / 8


@pytest.mark.parametrize(("options", "mode"), [({}, "plain"), ({"rule": "puct"}, "plain"), ({}, "fast")])
def test_metrics_are_those_of_the_tree(options, mode):
    session = MCTS(playouts=700, c=0.3, **options).session(load("fop"), mode)
    session.choose(load("fop").start(), 3)
    tree, metrics = session.tree(), session.metrics()
    assert metrics.line == tree.line() and (metrics.expansion_rate, metrics.terminals) == (
        tree.expansion_rate,
        tree.terminals,
    )
    assert (metrics.leaf_depth, metrics.leaf_spread) == (
        pytest.approx(tree.leaf_depth),
        pytest.approx(tree.leaf_spread),
    )


def test_the_histogram_counts_every_node_once_in_its_third():
    game = load("fop")
    tree = MCTS(playouts=900).tree(game, game.start(), mode="plain")
    stages = tree.histogram(tree.centre)
    assert [len(stage) for stage in stages] == [128] * 3
    assert [sum(stage) for stage in stages] == [1 + 300, 300, 300] and sum(map(sum, stages)) == len(tree)
    assert sum(stages[2][48:80]) > sum(stages[2][:16]) + sum(stages[2][-16:])  # late nodes lie near the maximum


def test_a_tree_as_json_and_as_a_picture():
    data = json.loads(json.dumps(EXAMPLE.json()))
    assert data["format"] == "ludwin-tree" and data["version"] == 2 and data["nodes"] == 13 and data["parents"][9] == 4
    picture = ElementTree.fromstring(MCTS(playouts=300).tree(TIC, TIC.start(), mode="plain").svg(nodes=50))
    shapes = Counter(element.tag.rpartition("}")[2] for element in picture.iter())
    nodes = shapes["circle"] + shapes["rect"] - 1 - 60  # without the paper, and the 60 steps of the legend
    assert nodes >= 50 and shapes["line"] - 1 == nodes - 1 and shapes["text"] - 3 == nodes - 1


# The function optimisation problem: what the thesis published and the specification measured again.


def rows(f, made, runs):
    """Return the mean of each metric over runs with seeds 0, 1, …, and the share of results of 0.99 and more."""
    game = load("fop", f=f)
    session, start, value = made.session(game), game.start(), game.module.value
    metrics = []
    for seed in range(runs):
        session.choose(start, seed)
        got = session.metrics()
        metrics.append((got.expansion_rate, got.terminals, got.leaf_depth, got.leaf_spread, value(middle(got.line))))
    return [sum(column) / runs for column in zip(*metrics, strict=True)], sum(row[-1] >= 0.99 for row in metrics) / runs


def test_function_1_is_solved_and_its_depth_tells_the_factor():
    (rate, ends, depth, _, _), solved = rows("1", MCTS(playouts=5000, c=1.0, terminal="frozen"), 100)
    assert solved >= 0.95 and rate == 1 and ends == 0
    assert depth == pytest.approx(13.15, abs=0.05)
    (_, _, depth, _, _), _ = rows("1", MCTS(playouts=5000, c=1.0, factor=2.0, terminal="frozen"), 100)
    assert depth == pytest.approx(12.85, abs=0.05)


def test_function_5_frozen_is_that_of_the_published_table():
    (rate, ends, *_), _ = rows("5", MCTS(playouts=5000, c=0.5, terminal="frozen"), 100)
    assert rate == pytest.approx(0.11, abs=0.02) and ends == pytest.approx(120, abs=30)
    (rate, _, _, _, result), _ = rows("5", MCTS(playouts=5000, c=3.0, terminal="frozen"), 100)
    assert rate == pytest.approx(0.90, abs=0.02) and result == pytest.approx(0.95, abs=0.015)


def test_function_5_drawn_anew_is_explored_more():
    (rate, ends, *_), _ = rows("5", MCTS(playouts=5000, c=0.5, terminal="resample"), 100)
    assert rate == pytest.approx(0.24, abs=0.03) and ends == pytest.approx(380, abs=60)


PUBLISHED = {  # thesis, tables 5.4 to 5.8: expansion rate, leaf depth, result; C = 0.5, 1, sqrt(2), 2, 3
    "1": [(1, 14.04, 0.999), (1, 13.14, 0.999), (1, 12.85, 0.999), (1, 12.58, 0.999), (1, 12.33, 0.999)],
    "2": [(0.49, 15.65, 0.936), (0.96, 15.61, 0.964), (1, 15.05, 0.971), (1, 14.25, 0.973), (1, 12.96, 0.972)],
    "3": [(0.53, 14.62, 0.970), (1, 13.46, 0.993), (1, 12.28, 0.986), (1, 11.82, 0.964), (1, 11.66, 0.903)],
    "4": [(0.36, 15.3, 0.912), (0.91, 15.73, 0.974), (1, 15.35, 0.979), (1, 14.58, 0.978), (1, 13.46, 0.977)],
    "5": [(0.11, 14.35, 0.822), (0.31, 15.01, 0.865), (0.45, 14.85, 0.875), (0.64, 14.66, 0.915), (0.9, 13.92, 0.957)],
}


@pytest.mark.slow
@pytest.mark.parametrize("f", sorted(PUBLISHED))
def test_all_vanilla_rows_are_those_of_the_published_tables(f):
    for c, (rate, depth, result) in zip((0.5, 1.0, math.sqrt(2), 2.0, 3.0), PUBLISHED[f], strict=True):
        ours, _ = rows(f, MCTS(playouts=5000, c=c, terminal="frozen"), 100)
        assert ours[0] == pytest.approx(rate, abs=0.05)
        assert ours[2] == pytest.approx(depth, abs=0.25)
        assert ours[4] == pytest.approx(result, abs=0.05 if result < 0.93 else 0.025)
