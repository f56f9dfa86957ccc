"""Evolution inside a search: the language of formulas, mutation, budgets, selection, semantics, every option."""

import itertools
import math
import random
import re
from collections import Counter
from functools import lru_cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludwin import agent, load
from ludwin.arena.contest import ContestTable, compiled_table
from ludwin.errors import BadParameter
from ludwin.games.fop.tables import options as fop_options
from ludwin.kernel.specialise import specialise
from ludwin.program.stream import Stream
from ludwin.program.vary import mutate_subtree
from ludwin.search.montecarlo import tree as nodes
from ludwin.search.montecarlo.evolving import evolution as ea
from ludwin.search.montecarlo.evolving.agents import EAMCTS, SIEAMCTS
from ludwin.search.montecarlo.evolving.vary import FILTERS
from ludwin.search.montecarlo.formula import (
    CONSTANTS,
    NUMBER,
    POWER,
    REGRETS,
    SEEDS,
    TERMINALS,
    UCB1,
    Formula,
    from_tree,
    protected_division,
    protected_log,
    to_tree,
)
from ludwin.search.montecarlo.mcts import MCTS
from ludwin.search.montecarlo.view import middle

AT = {"Q": 0.5, "n": 10, "N": 100, "C": math.sqrt(2)}
LENGTH = 512


class Herd:
    """The workspace of an evolution, and the functions of its kernel text in plain Python: `herd.mutate(…)`."""

    def __init__(self, *formulas, seed=1, **options):
        made = SIEAMCTS(deepest=8)
        seat = made.seat(load("fop"))
        run = specialise(load("fop"), seat.kernel, "plain")
        self.text = run.entry.__globals__
        self.w = run.bundle(**{**seat.sizes, "watched": 8})
        seat.prepare(run, self.w)
        self.w.rng[0] = seed
        for name, value in options.items():
            setattr(self.w.options, name, value)
        for slot, formula in enumerate(formulas):
            self.put(slot, formula)

    def put(self, slot, formula):
        self.w.formulas[slot].size = formula.size
        formula.write(self.w.cells, LENGTH * slot)

    def get(self, slot):
        return Formula.read(self.w.cells, LENGTH * slot, self.w.formulas[slot].size)

    def __getattr__(self, name):
        return lambda *arguments: self.text[name](self.w, *arguments)

    def mutation(self):
        assert not self.mutate(0, 1, 2)
        return self.get(1)


def test_protected_operators():
    assert protected_division(3, 0.0005) == 1 and protected_division(1, 0.5) == 2
    assert protected_log(-math.e) == 1 and protected_log(0) == 0
    assert Formula.parse("sqrt(-4)")() == 2
    assert Formula.parse("1e200*1e200")() == -math.inf and Formula.parse("1e200*1e200 - 1e200*1e200")() == -math.inf


def test_the_seed_formulas_have_their_published_sizes_and_values():
    assert (SEEDS["13"].size, SEEDS["13"].depth, SEEDS["11"].size) == (13, 6, 11)
    assert SEEDS["13"](**AT) == pytest.approx(3.2145, abs=5e-5)
    assert SEEDS["11"](**AT) == pytest.approx(1.8572, abs=5e-5)  # UCB1 with factor 2
    assert UCB1(**AT) == pytest.approx(1.4597, abs=5e-5)  # with factor 1
    assert all(SEEDS["13"].uses(letter) for letter in "QnN") and not SEEDS["13"].uses("V")


TEXTS = st.recursive(
    st.sampled_from([*TERMINALS, "C", "2", "0.25", "(-1.5)"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+-*/"), inner).map(lambda parts: f"({parts[0]} {parts[1]} {parts[2]})"),
        st.tuples(st.sampled_from(["log", "sqrt"]), inner).map(lambda parts: f"{parts[0]}({parts[1]})"),
    ),
    max_leaves=20,
)


@given(text=TEXTS)
@settings(deadline=None, max_examples=200)
def test_a_formula_prints_what_parses_to_it(text):
    formula = Formula.parse(text)
    assert Formula.parse(str(formula)) == formula and len(str(formula)) <= len(text) + 20
    assert agent(f"mcts:formula={text}").formula == str(formula)


@given(text=TEXTS, values=st.lists(st.floats(-10, 10), min_size=8, max_size=8))
@settings(deadline=None, max_examples=200)
def test_formulas_are_programs_of_the_common_language_and_mean_the_same(text, values):
    formula = Formula.parse(text).at(1.5)
    tree = to_tree(formula)
    assert from_tree(tree) == formula and tree.depth == formula.depth and len(tree) == formula.size
    at = dict(zip(TERMINALS, values, strict=False))
    value = tree.evaluate(lambda name, place: at[name])
    ours = formula(**at)
    assert value == ours or (not math.isfinite(value) and ours == -math.inf)


def test_programs_that_other_operators_make_are_formulas():
    tree = to_tree(SEEDS["13"].at(1.0))
    for k in range(50):
        child = from_tree(mutate_subtree(tree, Stream(k)))
        assert Formula.parse(str(child)) == child


def test_10000_mutations_of_the_seed():
    seed = SEEDS["13"].at(math.sqrt(2))
    herd = Herd(seed)
    inner, depths = 0, Counter()
    for _ in range(10_000):
        child = herd.mutation()
        assert child != seed and child.depth <= 8
        assert all(number in (*CONSTANTS, math.sqrt(2)) for number in child.constants)
        inner += seed.codes[herd.choose_point(0, seed.size)] > NUMBER
        end = herd.new_subtree(3 * LENGTH, 1 + random.Random(_).randrange(3), 5.0)
        fresh = Formula.read(herd.w.cells, 3 * LENGTH, end - 3 * LENGTH)
        depths[fresh.depth] += 1
        assert leaf_depths(fresh) == {fresh.depth}
    assert inner / 10_000 == pytest.approx(0.9, abs=0.01)
    assert set(depths) == {1, 2, 3}


def leaf_depths(formula):
    """Return the depths at which the leaves of a formula lie."""
    tree = to_tree(formula)
    return {level for node, level in zip(tree.nodes, tree.levels, strict=True) if node <= NUMBER}


def test_new_subtrees_are_of_depth_1_2_and_3_equally_often():
    herd = Herd(Formula.parse("Q"))  # the only leaf is replaced, so the child is the new subtree
    depths = Counter(herd.mutation().depth for _ in range(3000))
    assert set(depths) == {1, 2, 3} and all(abs(count - 1000) < 130 for count in depths.values())


def test_every_terminal_and_function_occurs_and_richer_ones_only_if_wished():
    for rich, letters in ((0, "QnN"), (1, "QnNVBDA")):
        herd = Herd(Formula.parse("Q"), rich=rich)
        found = [herd.mutation() for _ in range(500)]
        assert {letter for letter in TERMINALS for formula in found if formula.uses(letter)} == set(letters)
        assert {code for formula in found for code in formula.codes if code > NUMBER} == set(range(NUMBER + 1, 14))
        assert {number for formula in found for number in formula.constants} == set(CONSTANTS)


def test_the_constant_alone_can_be_mutated():
    herd = Herd(UCB1.at(1.0))
    factors = []
    for _ in range(2000):
        herd.mutate_constant(0, 1)
        child = herd.get(1)
        assert child.codes == UCB1.codes
        factors.append(math.log(child.constants[0]))
    assert sum(factors) / 2000 == pytest.approx(0, abs=0.04) and sum(x * x for x in factors) / 2000 == pytest.approx(
        0.25, abs=0.03
    )


@pytest.mark.parametrize(
    ("text", "two_trees", "grid"),
    [
        ("Q + C*sqrt(log(N)/n)", True, True),
        ("Q + 2*C*sqrt(2*log(N)/n)", True, True),
        ("Q", False, False),
        ("N", False, False),
        ("Q - n", True, True),
        ("n - Q", False, False),
    ],
)
def test_the_filter_wants_reward_and_exploration(text, two_trees, grid):
    formula = Formula.parse(text).at(1.0)
    herd = Herd(formula)
    assert herd.passes_two_trees(0, formula.size) == two_trees
    assert herd.passes_grid(0, formula.size) == grid


def sane(formula):
    """Tell by the book whether a formula passes the grid."""
    for total, k, q in itertools.product((10, 100, 1000), range(4), (0.1, 0.5, 0.9)):
        n = (2, 5, total // 4 + 1, total // 2)[k]
        at = {"V": 0.25, "D": 1, "A": 2}
        if (
            not formula(Q=q + 0.05, n=n, N=total, B=q + 0.05, **at)
            > formula(Q=q, n=n, N=total, B=q, **at)
            > formula(Q=q, n=2 * n + 1, N=total, B=q, **at)
        ):
            return False
    return True


def test_offspring_of_the_filter_pass_it():
    herd = Herd(SEEDS["13"].at(1.0), filter=FILTERS.index("grid"))
    assert all(sane(herd.mutation()) for _ in range(200))
    herd = Herd(SEEDS["13"].at(1.0), filter=FILTERS.index("none"))
    assert 0 < sum(sane(herd.mutation()) for _ in range(200)) < 200


def distance(a, b):
    return ea.sorted_distance([*a, *b], len(a))


def test_the_distance_of_two_behaviours():
    assert distance([1, 0, 1, 1], [0, 0, 1, 1]) == 0.25
    rng = random.Random(1)
    for _ in range(1000):
        a, b = ([float(rng.random() < p) for _ in range(30)] for p in (rng.random(), rng.random()))
        assert distance(a, b) == pytest.approx(abs(sum(a) - sum(b)) / 30)  # binary: the difference of the means
        assert distance(a, rng.sample(a, 30)) == 0
    a, b = [rng.random() for _ in range(30)], [rng.random() for _ in range(30)]
    assert distance(a, b) == pytest.approx(sum(abs(x - y) for x, y in zip(sorted(a), sorted(b), strict=True)) / 30)


def test_the_distance_of_branches():
    def apart(a, b):
        return ea.branch_distance([*a, *b], len(a))

    assert (
        apart([1, 1, 2, 3], [3, 2, 1, 1]) == 0
        and apart([1, 1, 1, 1], [2, 2, 2, 2]) == 1
        and apart([1, 1, 2, 3], [1, 2, 2, 4]) == 0.5
    )


@lru_cache
def five():
    """Return a herd of a parent and four offspring."""
    return Herd(offspring=4, low=0.1, high=0.5)


def select(fitness, distances, seed=1, by="select_by_semantics"):
    """Return the winner of a generation (0 is the parent) and how it was decided."""
    herd = five()
    herd.w.rng[0] = seed
    for k, (value, far) in enumerate(zip(fitness, distances, strict=True)):
        herd.w.formulas[k].fitness, herd.w.formulas[k].distance = value, far
    epoch = herd.w.epochs[0]
    assert getattr(herd, by)(epoch) == epoch.winner
    return epoch.winner, epoch.how


def test_semantic_selection_of_hand_made_cases():
    assert select([0.5, 0.9, 0.5, 0.5, 0.5], [0, 0.3, 0.3, 0.3, 0.3]) == (1, ea.CLEAR)
    assert select([0.5, 0.9, 0.9, 0.5, 0.5], [0, 0.05, 0.3, 0.3, 0.3]) == (2, ea.BY_SEMANTICS)
    assert select([0.5, 0.9, 0.9, 0.9, 0.5], [0, 0.4, 0.2, 0.3, 0.3]) == (2, ea.BY_SEMANTICS)
    assert select([0.5, 0.9, 0.9, 0.5, 0.5], [0, 0.1, 0.5, 0.3, 0.3])[1] == ea.BY_CHANCE  # the window is open
    counts = Counter(select([0.9, 0.9, 0.9, 0.5, 0.9], [0, 0.6, 0.05, 0.3, 0.7], seed)[0] for seed in range(10_000))
    assert set(counts) == {0, 1, 2, 4}
    assert sum((count - 2500) ** 2 / 2500 for count in counts.values()) < 16.27  # chi-squared, 3 degrees, p > 0.001


def test_the_parent_survives_ties():
    far = [0.0] * 5
    assert select([0.8, 0.8, 0.5, 0.8, 0.1], far, by="select_best") == (0, ea.KEPT)
    assert select([0.8, 0.8, 0.5, 0.9, 0.9], far, by="select_best") == (3, ea.CLEAR)


def test_evolution_begins_when_the_root_is_full_and_takes_its_2430_playouts():
    game = load("fop")
    session = EAMCTS().session(game)
    for seed in range(3):
        session.choose(game.start(), seed)
        evolution, tree = session.evolution(), session.tree()
        assert (evolution.began, evolution.playouts, tree.visits[0]) == (2, 2430, 5000)
        assert len(evolution.individuals) == 81 and len(evolution.generations) == 20
        parent = evolution.individuals[0]
        assert parent.formula == SEEDS["13"].at(math.sqrt(2))
        for k, generation in enumerate(evolution.generations):
            children = evolution.individuals[1 + 4 * k : 5 + 4 * k]
            before, parent = parent, (parent, *children)[generation.winner]
            assert parent.fitness == max(before.fitness, *(child.fitness for child in children)) >= before.fitness
        assert evolution.formula == parent.formula  # the best ever
        assert all(
            i.reward == round(30 * i.reward) / 30 for i in evolution.individuals
        )  # no rounding: equal rewards are ties
        assert all(i.playouts == 30 and i.formula.depth <= 8 for i in evolution.individuals)
        assert evolution.generations[0].started == 32


WIDE = '''"""Thirty doors, each worth its number; one step more, and the game is over."""
FIELDS = {"door": int, "through": int}
PLAYERS = len((0,))
MAX_MOVES = 30
MAX_PLIES = 2
PAYOFF_SUM = None

def setup(s):
    s.door = -1

def mover(s):
    return 0

def moves(s, out):
    if s.through == 1:
        return 0
    n = 30 if s.door < 0 else 3
    for k in range(n):
        out[k] = k
    return n

def play(s, m):
    if s.door < 0:
        s.door = m
    else:
        s.through = 1
        s.door = 100 * m + s.door

def payoff(s, p):
    return (s.door % 100) / 30.0 + 0.01 * (s.door // 100)
'''


def test_a_root_of_thirty_moves_is_filled_first_and_small_budgets_are_respected(workshop):
    game = load(workshop.write(WIDE, "wide.py"))
    made = EAMCTS(playouts=200, generations=2, samples=10)
    evolution = made.evolution(game, game.start(), mode="plain")
    assert (evolution.began, evolution.ended) == (30, 30 + 10 + 2 * 4 * 10)
    for playouts, measured in (
        (20, 0),
        (30, 0),
        (33, 1),
        (47, 5),
    ):  # before, exactly full, inside the seed, inside generation 1
        session = EAMCTS(playouts=playouts, continued=1, samples=10).session(game, "plain")
        choice = session.choose(game.start(), 3)
        assert choice.kinds["playouts"] == playouts and choice.visits[choice.move] == max(choice.visits.values())
        assert len(session.evolution().individuals) == measured
        if measured == 0:
            assert session.evolution().formula == SEEDS["13"].at(math.sqrt(2))


@pytest.fixture
def advice(monkeypatch):
    """Return what is said to the person while agents are made."""
    lines = []
    monkeypatch.setattr("ludwin.search.choice.advise", lines.append)
    return lines


def test_an_evolution_that_takes_all_playouts_is_told_with_the_ways_out(advice):
    EAMCTS(playouts=1000)
    (line,) = advice
    assert re.search(
        r"takes 2430 playouts, and playouts=1000 leaves none .* playouts=4860, or generations=3, or continued=1", line
    )
    ways = (
        {"playouts": 4860},
        {"generations": 3},
        {"continued": 1},
        {"playouts": 0, "nodes": 100},
        {"playouts": 2431},
        {"playouts": 30, "generations": 0},
    )
    assert all(EAMCTS(**{"playouts": 1000, **way}) for way in ways) and len(advice) == 1
    for playouts, options in ((2430, {}), (3000, {"measure": "pooled"}), (90, {"generations": 2**40})):
        EAMCTS(playouts=playouts, **options)
        assert "leaves none" in advice.pop()
    for kind in (EAMCTS, SIEAMCTS):
        for measure in ("once", "latest"):  # the way out that the line names leaves at least half
            kind(playouts=1100, measure=measure)
            generations = int(advice.pop().partition("generations=")[2].partition(",")[0])
            made = kind(playouts=1100, measure=measure, generations=generations)
            assert made.spent(generations) <= 550 < made.spent(generations + 1)


def test_the_command_line_says_it_once(capsys):
    from ludwin.cli import main

    assert main(["choose", "nim", "ea-mcts:playouts=20", "--mode", "plain"]) == 0
    assert capsys.readouterr().err.count("leaves none for the formula it finds") == 1


def test_the_reasons_say_how_many_playouts_went_into_evolution():
    game = load("tic-tac-toe")
    for budget, took in (
        ({"playouts": 200}, 130),
        ({"playouts": 200, "continued": 1}, 191),
        ({"playouts": 0, "nodes": 40}, 0),
    ):
        choice = EAMCTS(**budget, generations=3, samples=10).choose(game, game.start(), mode="plain")
        assert choice.kinds["evolution"] == took <= choice.kinds["playouts"]
    assert "evolution" not in MCTS(playouts=20).choose(game, game.start(), mode="plain").kinds


@pytest.mark.parametrize("text", ["novelty=1", "explores=branches", "sigma=1", "secure=2"])
def test_settings_of_evolution_that_would_be_ignored_are_refused(text):
    with pytest.raises(BadParameter, match=f"{text} has no effect without"):
        agent(f"ea-mcts:{text}")


SMOOTH = '''"""Forty forks, and every way ends with a reward of its own: no two means are equal."""
from ludwin.primitives import mix
FIELDS = {"depth": int, "way": int}
PLAYERS = len((0,))
MAX_MOVES = 2
MAX_PLIES = 40
PAYOFF_SUM = None

def setup(s):
    s.depth = 0

def mover(s):
    return 0

def moves(s, out):
    out[0] = 0
    out[1] = 1
    return 2 if s.depth < 40 else 0

def play(s, m):
    s.depth += 1
    s.way = mix(s.way, m)

def payoff(s, p):
    return s.way / 9223372036854775808.0
'''


def test_without_ties_semantics_changes_nothing(workshop):
    game = load(workshop.write(SMOOTH, "smooth.py"))
    plain, semantic = (kind(playouts=300, generations=3, samples=7) for kind in (EAMCTS, SIEAMCTS))
    for seed in range(4):
        ours, other = plain.session(game, "plain"), semantic.session(game, "plain")
        ours.choose(game.start(), seed)
        other.choose(game.start(), seed)
        assert not any(generation.tied for generation in other.evolution().generations)
        assert ours.tree() == other.tree() and ours.evolution().formula == other.evolution().formula


OPTIONS = [
    {"filter": "two-tree"},
    {"filter": "grid"},
    {"fitness": "explore", "novelty": 0.3},
    {"fitness": "explore", "novelty": 0.3, "explores": "branches"},
    {"fitness": "pareto", "novelty": 0.3},
    {"measure": "latest"},
    {"measure": "pooled"},
    {"allocate": "interleaved"},
    {"allocate": "bandit"},
    {"continued": 1},
    {"install": "last"},
    {"evolve": "constant"},
    {"rich": 1},
    {"guard": 0.2},
    {"seed_form": "11", "deepest": 7},
    {"terminal": "frozen", "solver": 1},
    {"differ": 16},
    {"differ": 4, "evolve": "constant"},
    {"regret": "ucb"},
    {"regret": "power", "differ": 3, "rich": 1, "filter": "grid"},
    {"seed_form": "power", "guard": 0.5, "guard_form": "seed"},
]
SEMANTIC_OPTIONS = [{}, {"window": "relative"}, {"behaviour": "branches"}]


def text_of(options):
    return ",".join(f"{key}={value}" for key, value in options.items()) or "siea"


@pytest.mark.parametrize("options", OPTIONS, ids=text_of)
def test_options_do_what_they_say(options):
    game = load("fop:f=2,t=0.01")
    made = EAMCTS(playouts=400, generations=3, samples=10, **options)
    assert agent(str(made)) == made
    session = made.session(game, "plain")
    session.choose(game.start(), 5)
    evolution, tree = session.evolution(), session.tree()
    seen = evolution.individuals
    assert tree.visits[0] <= 400 and seen[0].generation == 0
    if "filter" in options:
        assert all(
            (i.formula.uses("Q") or i.formula.uses("B")) and i.formula.uses("n") for i in seen
        )  # B grows with Q on the grid
    if options.get("fitness"):
        assert all(i.fitness == pytest.approx(i.reward + 0.3 * i.novelty) for i in seen)
    if "explores" in options:  # 10 playouts: 1 - sum of squared shares, even hundredths
        assert (
            all(0 <= i.novelty <= 0.9 + 1e-9 and round(100 * i.novelty, 9) % 2 == 0 for i in seen)
            and len({i.novelty for i in seen}) > 2
        )
    if options.get("fitness") == "pareto":
        best = max(i.fitness for i in seen if not any(dominates(j, i) for j in seen))
        assert any(i.formula == evolution.formula and i.fitness == best for i in seen)
    if "measure" in options:
        assert evolution.playouts == 10 + 3 * 40 + 2 * 10
    if options.get("allocate") == "bandit":
        for g in (1, 2, 3):
            shares = [i.playouts for i in seen if i.generation == g]
            assert sum(shares) == 40 and min(shares) >= 3
        assert len({i.playouts for i in seen}) > 2
    if "continued" in options:
        assert evolution.ended == 400 and len(evolution.generations) == math.ceil((400 - 12) / 40)
    if options.get("evolve") == "constant":
        assert {i.formula.codes for i in seen} == {UCB1.codes} and len({i.formula.constants for i in seen}) == len(seen)
    if "differ" in options:
        assert evolution.redone > 0 and evolution.json()["redone"] == evolution.redone
    if "regret" in options:
        term = REGRETS[options["regret"]].at(made.c)
        assert all(
            (i.formula.codes[1 - term.size :], i.formula.numbers[1 - term.size :]) == (term.codes[1:], term.numbers[1:])
            for i in seen
        )
        assert seen[0].formula == term and len({i.formula for i in seen}) > 10
    if "rich" in options:
        assert any(i.formula.uses(letter) for i in seen for letter in "VBDA")


def dominates(a, b):
    return a.reward >= b.reward and a.novelty >= b.novelty and (a.reward, a.novelty) != (b.reward, b.novelty)


def test_the_guard_mixes_in_ucb1():
    game = load("fop:f=2,t=0.001")

    def rate(made):
        return sum(made.tree(game, game.start(), seed=seed, mode="plain").expansion_rate for seed in range(12)) / 12

    free, half, whole = (
        rate(EAMCTS(playouts=500, generations=2, samples=10, guard=guard, c=2.0)) for guard in (0.0, 0.5, 1.0)
    )
    assert free + 0.1 < half < whole and whole == pytest.approx(rate(MCTS(playouts=500, c=2.0)), abs=0.05)


def test_the_guard_may_be_the_seed():
    herd = Herd(UCB1.at(1.0), UCB1.at(1.0), UCB1.at(1.0), POWER)
    options, run = herd.w.options, herd.w.run
    options.seed_slot, options.guard_form, options.guard = 3, ea.GUARD_BY_SEED, 0.5
    used = Counter()
    for _ in range(2000):
        herd.install(1)
        used[run.begin // LENGTH, run.finish - run.begin] += 1
    assert set(used) == {(1, UCB1.size), (3, POWER.size)} and abs(used[3, POWER.size] - 1000) < 100


def test_a_relative_window_sees_what_an_absolute_one_cannot():
    herd = Herd(offspring=1, stride=4)
    for i, reward in enumerate([0.010, 0.012, 0.014, 0.016, 0.011, 0.013, 0.016, 0.018]):
        herd.w.trials[i].reward = reward
    herd.w.formulas[0].measured = herd.w.formulas[1].measured = 4
    for window in ea.WINDOWS:
        herd.w.options.window = ea.WINDOWS.index(window)
        herd.measure_distances()
        far = herd.w.formulas[1].distance
        assert (far > 0.1) == (window == "relative")
    assert far == pytest.approx(0.0015 / math.sqrt(0.000005))


class Grove(Herd):
    """A herd beside a hand-made tree: the visits and means of the children of each node, the root first."""

    def __init__(self, *formulas, families, seed=1):
        super().__init__(*formulas, seed=seed)
        self.families = families
        self.w.run.size = 1
        for number, children in families.items():
            node = self.w.tree[number]
            node.kind, node.width = nodes.DECISION, len(children)
            node.visits = 1 + sum(n for n, _ in children)
            for k, (n, mean) in enumerate(children):
                child = self.w.tree[self.add_node(number, k, k, 0, 1.0)]
                child.visits, child.mean = n, mean

    def watched(self, most):
        return self.w.watched[: self.watch(most)]

    def offspring(self, most):
        self.w.options.offspring, self.w.options.differ = 4, most
        self.breed()
        return [self.get(slot) for slot in range(1, 5)]

    def picks(self, formula, node):
        """Return by the book which children of a node a formula picks."""
        children = self.families[node]
        values = [formula(Q=mean, n=n, N=1 + sum(n for n, _ in children)) for n, mean in children]
        return {k for k, value in enumerate(values) if value == max(values)}


FAMILIES = {
    0: [(40, 0.9), (20, 0.5)],
    1: [(20, 0.8), (10, 0.8), (9, 0.1)],
    2: [(10, 0.5), (9, 0.4)],
}  # numbers of nodes: 1 and 2 are children of the root


def test_the_most_visited_nodes_with_a_choice_are_watched():
    grove = Grove(families=FAMILIES)
    assert grove.watched(8) == [0, 1, 2] and grove.watched(2) == [0, 1]
    grove.w.tree[2].visits = 50
    assert grove.watched(8) == [0, 2, 1] and grove.watched(2) == [0, 2]
    grove.w.tree[2].width = 3  # a move is untried: nothing is picked there yet
    assert grove.watched(8) == [0, 1]
    grove.w.tree[1].kind = nodes.NATURE
    assert grove.watched(8) == [0]


def test_behaviour_is_which_children_are_picked_and_ties_are_sets():
    def differ_at(one, other, most=8):
        grove = Grove(Formula.parse(one), Formula.parse(other), families=FAMILIES)
        watched = grove.watched(most)
        found = bool(grove.behaves_otherwise(len(watched), 0, 1))
        assert found == any(grove.picks(grove.get(0), node) != grove.picks(grove.get(1), node) for node in watched)
        return found

    assert not differ_at("Q", "Q + Q") and not differ_at("Q", "Q*N - 2")
    assert differ_at("Q", "-1*Q") and differ_at("Q", "2")  # a constant picks all of them
    assert differ_at("Q", "Q + n/1000") and not differ_at(
        "Q", "Q + n/1000", most=1
    )  # equals at node 1: the set of two becomes one of them


def test_offspring_that_pick_the_same_children_are_made_again():
    same = redone = 0
    for seed in range(30):
        for most in (0, 2):
            grove = Grove(UCB1.at(1.0), families=FAMILIES, seed=seed)
            offspring = grove.offspring(most)
            alike = sum(
                all(grove.picks(one, node) == grove.picks(UCB1.at(1.0), node) for node in (0, 1)) for one in offspring
            )
            if most:
                assert alike == 0
                redone += grove.w.evolution.redone
            else:
                same += alike
                assert grove.w.evolution.redone == 0
    assert same > 20 and redone > 20


def test_where_nothing_can_differ_an_offspring_is_accepted_in_the_end():
    grove = Grove(UCB1.at(1.0), families={0: [(5, 0.5), (5, 0.5)]})
    offspring = grove.offspring(4)
    assert grove.w.evolution.redone == 4 * (ea.TRIES_TO_DIFFER - 1) and all(one != UCB1.at(1.0) for one in offspring)


@pytest.mark.parametrize("regret", REGRETS)
@pytest.mark.parametrize("text", ["fop:f=2,t=0.01", "tic-tac-toe"])
def test_a_kept_regret_term_without_evolution_is_the_formula_itself(text, regret):
    game = load(text)  # at the opponent's nodes too: the same tree as by UCB1, whose term keeps its sign there
    ours = EAMCTS(playouts=300, generations=0, regret=regret, c=0.7).session(game, "plain")
    ours.choose(game.start(), 4)
    formula = ours.evolution().formula
    assert ours.tree() == MCTS(playouts=300, formula=str(formula)).tree(game, game.start(), seed=4, mode="plain")
    if regret == "ucb":
        assert ours.tree() == MCTS(playouts=300, c=0.7).tree(game, game.start(), seed=4, mode="plain")


def test_opponents_read_the_evolved_formula_with_their_own_rewards():
    game, found = load("tic-tac-toe"), set()
    for seed in range(3):
        session = EAMCTS(playouts=600, generations=3, samples=10, filter="grid", regret="ucb").session(game, "plain")
        session.choose(game.start(), seed)
        tree, formula = session.tree(), session.evolution().formula
        assert Formula.parse(agent(f"mcts:formula={formula}").formula) == formula  # whole, and read back as it is
        found.add(formula)
        w, pick_child = session.w, session.sitting.run.entry.__globals__["pick_child"]
        w.rng[0] = seed
        for node in tree.children(0):  # there the opponent chooses
            children = tree.children(node)
            assert all(tree.owners[child] == 1 for child in children) and tree.owners[node] == 0
            assert (
                abs(tree.totals[node] + sum(tree.totals[child] for child in children)) <= 1
            )  # zero sum, but for the first visit
            if len(children) == 8:
                values = {
                    child: formula(Q=tree.means[child], n=tree.visits[child], N=tree.visits[node]) for child in children
                }
                assert values[pick_child(w, w.tree[node])] == max(values.values())
    assert found - {UCB1.at(math.sqrt(2))}


def test_a_formula_is_carried_on_with_its_tree():
    game = load("fop:t=0.001")
    for carry in (0, 1):
        session = EAMCTS(playouts=400, generations=3, samples=10, reuse=1, carry=carry, filter="grid").session(
            game, "plain"
        )
        seed = SEEDS["13"].at(math.sqrt(2))
        other = False
        state = game.start()
        for k in range(3):
            before = session.evolution().formula
            choice = session.choose(state, k)
            first = session.evolution().individuals[0].formula
            assert first == (before if carry else seed)
            other = other or first != seed
            state = state.play(choice.move)
        assert other == bool(carry)
        session.choose(game.start(), 9)  # another game: its tree is not there, so evolution begins anew
        assert session.evolution().individuals[0].formula == seed


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        (EAMCTS, {}),
        *((SIEAMCTS, options) for options in SEMANTIC_OPTIONS),
        (EAMCTS, {"filter": "grid", "rich": 1, "measure": "pooled"}),
        (SIEAMCTS, {"differ": 16}),
        (EAMCTS, {"regret": "ucb", "rich": 1, "differ": 3}),
        (EAMCTS, {"seed_form": "power", "guard": 0.5, "guard_form": "seed", "filter": "grid"}),
    ],
)
def test_plain_and_fast_evolve_the_same(kind, options):
    game = load("fop")
    made = kind(playouts=500, generations=4, samples=10, **options)
    plain, fast = made.session(game, "plain"), made.session(game, "fast")
    assert plain.choose(game.start(), 2) == fast.choose(game.start(), 2)
    assert plain.evolution() == fast.evolution() and plain.tree() == fast.tree()
    assert fast.choose(game.start(), 2) == plain.choose(game.start(), 2)  # nothing is left from the move before


def test_plain_and_fast_carry_the_same_formula_on():
    game = load("fop")
    made = EAMCTS(playouts=300, generations=3, samples=10, reuse=1, carry=1)
    plain, fast = made.session(game, "plain"), made.session(game, "fast")
    state = game.start()
    for seed in range(3):
        choice = plain.choose(state, seed)
        assert (
            choice == fast.choose(state, seed) and plain.evolution() == fast.evolution() and plain.tree() == fast.tree()
        )
        state = state.play(choice.move)


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=text_of)
def test_all_options_are_the_same_in_all_modes(options):
    game = load("fop:f=2,t=0.01")
    made = EAMCTS(playouts=400, generations=3, samples=10, **options)
    plain = made.session(game, "plain")
    plain.choose(game.start(), 5)
    for mode in ("checked", "fast"):
        other = made.session(game, mode)
        other.choose(game.start(), 5)
        assert other.evolution() == plain.evolution() and other.tree() == plain.tree()


def test_plays_two_player_games_and_games_of_chance():
    for text in ("tic-tac-toe", "pig:goal=15"):
        game = load(text)
        choice = SIEAMCTS(playouts=300, generations=2, samples=10).choose(game, game.start(), mode="plain")
        assert choice.move in game.start().moves() and choice.kinds["playouts"] == 300
    game = load("tic-tac-toe")
    win = game.start().play(0).play(3).play(1).play(4)
    moves = [
        EAMCTS(playouts=600, generations=3, samples=10, filter="grid").choose(game, win, seed=seed, mode="plain").move
        for seed in range(5)
    ]
    assert moves == [2] * 5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ea-mcts:deepest=3", "deepest must be 6 to 10, got 3"),
        ("ea-mcts:deepest=11", "deepest must be 6 to 10, got 11"),
        ("ea-mcts:guard=2", "guard must be at most 1, got 2"),
        ("siea-mcts:window=wide", "window must be one of absolute, relative"),
        ("siea-mcts:low=0.6", "low must be at most high"),
        ("ea-mcts:recommend=robust-max", "is mcts's"),
        ("ea-mcts:low=1", "has no parameter 'low'"),
        ("ea-mcts:differ=1001", "differ=1000"),
        ("ea-mcts:evolve=constant,seed_form=power", "leave seed_form=power out"),
        ("siea-mcts:regret=ucb,seed_form=11", "leave seed_form=11 out"),
        ("ea-mcts:evolve=constant,regret=ucb", "choose one"),
        ("ea-mcts:guard_form=seed", "needs a guard"),
        ("siea-mcts:carry=1", "carry=1 needs reuse=1"),
    ],
)
def test_nonsense_is_refused(text, message):
    with pytest.raises(BadParameter, match=message):
        agent(text)


def test_the_clock_may_stop_evolution_at_any_moment():
    game = load("fop")
    for mode in ("plain", "fast"):
        session = EAMCTS(playouts=0, seconds=0.03, generations=100_000, continued=1).session(game, mode)
        choice = session.choose(game.start(), 1)
        assert choice.move in (0, 1) and session.evolution().ended == choice.kinds["playouts"] > 2


@pytest.mark.slow
def test_whole_games_are_the_same_in_one_compiled_call_and_move_by_move():
    game = load("tic-tac-toe")
    agents = [MCTS(playouts=60), EAMCTS(playouts=120, generations=2, samples=5)]
    compiled, refereed = compiled_table(game, agents), ContestTable(game, agents, "fast")
    for seed in range(6):
        assert compiled.play(seed, seed % 2) == refereed.play(seed, seed % 2)


def test_the_log_is_one_json_object():
    game = load("fop:t=0.01")
    data = EAMCTS(playouts=300, generations=2, samples=10).evolution(game, game.start(), mode="plain").json()
    assert len(data["individuals"]) == 9 and len(data["generations"]) == 2
    assert Formula.parse(data["formula"]).size == data["size"]
    assert data["uses"] == [letter for letter in "QnN" if Formula.parse(data["formula"]).uses(letter)]


# Against the thesis's tables and the specification's own runs (section 8.3, 18.1).


def rows(f, made, runs=100):
    """Return means over runs: expansion rate, leaf depth, result, size, share of formulas with n, N, Q."""
    game = load("fop", f=f)
    session, start, value = made.session(game), game.start(), game.module.value
    found = []
    for seed in range(runs):
        session.choose(start, seed)
        tree, formula = session.metrics(), session.evolution().formula
        result = value(middle(tree.line))
        found.append(
            (tree.expansion_rate, tree.leaf_depth, result, formula.size, *(formula.uses(letter) for letter in "nNQ"))
        )
    return [sum(column) / runs for column in zip(*found, strict=True)]


def test_function_1_is_that_of_the_published_table():
    rate, depth, _, size, n, _, q = rows("1", EAMCTS())
    assert (
        rate == pytest.approx(0.55, abs=0.06)
        and depth == pytest.approx(13.4, abs=0.3)
        and size == pytest.approx(12.1, abs=1.2)
    )
    assert q >= 0.85 and 0.4 <= n <= 0.8


@pytest.mark.thorough
def test_semantics_returns_the_best_ever_not_the_last_parent():
    assert rows("1", SIEAMCTS())[0] == pytest.approx(0.52, abs=0.06)
    assert rows("1", SIEAMCTS(install="last"))[0] == pytest.approx(0.38, abs=0.06)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "rate", "depth", "result", "spread"),
    [
        ("2", 0.21, 11.35, 0.922, 0.05),
        ("3", 0.19, 10.47, 0.970, 0.07),
        ("4", 0.21, 11.09, 0.874, 0.06),
        ("5", 0.19, 10.85, 0.809, 0.1),
    ],
)
def test_the_other_functions_are_those_of_the_published_tables(f, rate, depth, result, spread):
    ours = rows(f, EAMCTS())
    assert ours[0] == pytest.approx(rate, abs=0.05) and ours[1] == pytest.approx(depth, abs=0.35)
    assert ours[2] == pytest.approx(result, abs=max(3 * math.sqrt(2) * spread / 10, 0.01) + 0.005)


@pytest.mark.slow
def test_function_4_is_that_of_the_specification():
    """At the edge: the result is 0.848 over 100 decisions and 0.847 over 400, outside the tolerance, 0.852 over these
    1,000.
    """
    rate, depth, result = rows("4", EAMCTS(), 1000)[:3]
    assert (
        rate == pytest.approx(0.21, abs=0.04)
        and depth == pytest.approx(11.05, abs=0.3)
        and result == pytest.approx(0.87, abs=0.02)
    )


@pytest.mark.slow
def test_the_grid_filter_is_that_of_the_specification():
    rate, _, result, _, n, _, q = rows("2", EAMCTS(filter="grid"))
    assert n == q == 1 and rate == pytest.approx(0.57, abs=0.08) and result == pytest.approx(0.939, abs=0.01)


@pytest.mark.slow
def test_an_evolving_agent_without_a_constant_reaches_the_best_fixed_one():
    made = agent(fop_options.COMBINED[fop_options.CHOSEN_EVOLVING])
    assert (
        sum(rows(f, made)[2] for f in "12345") / 5 >= 0.966
    )  # C = sqrt(2): 0.9658, the best of five constants on these seeds
