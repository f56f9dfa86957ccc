"""Tuning in noise, and bags that are widened and cut down."""

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from ludwin import agent, load
from ludwin.errors import BadParameter
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.experiment import settle
from ludwin.evolve.fitting import Fitter
from ludwin.evolve.labels import harvest
from ludwin.evolve.mirrored import LOSS, Mirrored, turn_of, widths
from ludwin.evolve.population import read_generation, write_generation
from ludwin.evolve.recipe import Arena, Recipe, Stages, by_recipe
from ludwin.evolve.register import find
from ludwin.evolve.room import cut_down, joined, telling, widened, within
from ludwin.evolve.run import create
from ludwin.evolve.store import EVOLUTION, Store
from ludwin.evolve.terms import Bag, Growth, without_term
from ludwin.evolve.trees import single
from ludwin.games.draughts.language import LANGUAGE
from ludwin.program.stream import Stream
from ludwin.program.tree import leaf
from ludwin.search.programs import program_player

GAME = load("lose-checkers")
CORE = Bag(LANGUAGE, ((leaf(LANGUAGE, "Mobility"), leaf(LANGUAGE, "FriendlyManCount")),), ((1.0, -4.0),))


@pytest.fixture(scope="module")
def fitter():
    return Fitter(harvest(GAME, LANGUAGE, program_player(CORE.tree(), 1), agent("guide:depth=2"), 40, Stream(4)))


# ---- Mirrored pairs ---------------------------------------------------------------------------------------------


def loss_after(games, n=60, steps=100, seed=0):
    """How far below the best two strategies end on a bowl where a child loses LOSS and a game is a coin.

    The other one is the diagonal CMA-ES of its authors' package.
    """
    cma = pytest.importorskip("cma", reason="needs the test extra: pip install cma")
    best, noise, each = np.full(n, 1.0), np.random.default_rng(seed), 20
    children = games // steps // each

    def score(x):
        return 0.75 - LOSS / n * float(np.sum((x - best) ** 2)) + noise.normal() * np.sqrt(0.19 / each)

    ours, middle = Mirrored(np.zeros(n), np.ones(n)), np.zeros(n)
    options = {"popsize": children, "CMA_diagonal": True, "seed": seed + 1, "verbose": -9}
    theirs, aside = cma.CMAEvolutionStrategy([0.0] * n, 1.0, options), np.zeros(n)
    for step in range(steps):
        some = ours.ask(Stream(seed, 1, step), children)
        ours = ours.tell(some, [score(x) for x in some], each)
        middle = ours.follow(middle)
        some = theirs.ask()
        theirs.tell(some, [-score(x) for x in some])
        aside = 0.93 * aside + 0.07 * theirs.mean
    return [LOSS / n * float(np.sum((x - best) ** 2)) for x in (middle, aside)]


def test_in_the_noise_of_games_short_steps_find_the_best_and_those_of_cma_es_do_not():
    ours, theirs = np.mean([loss_after(80_000, seed=seed) for seed in range(2)], axis=0)
    assert ours < 0.6 * LOSS and theirs > LOSS  # both began LOSS below the best


def test_doubt_goes_and_never_quite():
    one = Mirrored(np.zeros(3), np.ones(3))
    doubts = []
    for step in range(200):
        one = one.tell(one.ask(Stream(step), 10), [0.5] * 10, 40)
        doubts.append(one.doubt)
    assert all(later <= sooner for sooner, later in pairwise(doubts))
    assert 0 < doubts[-1] < 0.1 and np.array_equal(one.mean, np.zeros(3))  # equal scores say nothing


def test_children_come_in_mirrored_pairs_and_a_strategy_is_the_same_after_a_file():
    one = Mirrored(np.array([1.0, 2.0]), np.array([0.1, 10.0]), 0.7, 5)
    children = one.ask(Stream(1), 7)
    assert len(children) == 6 and np.allclose((children[0] + children[1]) / 2, one.mean)
    again = Mirrored.from_numbers(json.loads(json.dumps(one.as_numbers())), 2)
    assert np.array_equal(again.ask(Stream(1), 7), children) and again.doubt == 0.7 and again.steps == 5
    assert Mirrored.from_numbers(one.as_numbers(), 1) is Mirrored.from_numbers(one.as_numbers(), 3) is None
    assert Mirrored.from_numbers({}, 2) is None
    for some, scores in ((children, [0.5]), ([], [])):
        with pytest.raises(BadParameter, match="one score for every child"):
            one.tell(some, scores, 20)
    with pytest.raises(BadParameter, match="as many widths as numbers"):
        Mirrored(np.zeros(2), np.ones(3))


def test_a_term_that_never_changes_hardly_moves():
    scale = widths(np.array([0.5, 2.0, 0.0]), 4.0, 0.35)
    assert scale[0] == pytest.approx(4 * scale[1]) and scale[2] < 1e-8


def test_directions_that_cost_much_are_evened_out_and_all_together_cost_as_much():
    rng = np.random.default_rng(3)
    same = rng.normal(size=(2000, 1))
    told = np.hstack([same + 0.1 * rng.normal(size=(2000, 3)), 0.2 * rng.normal(size=(2000, 2))])
    moment, scale = told.T @ told / 2000, np.array([1.0, 2.0, 0.5, 1.0, 1.0])
    turn = turn_of(moment, scale)
    cost = moment * np.outer(scale, scale)
    before, after = np.linalg.eigvalsh(cost), np.linalg.eigvalsh(turn.T @ cost @ turn)
    assert np.trace(turn.T @ cost @ turn) == pytest.approx(np.trace(cost))
    assert after[-1] / after.sum() < 0.85 < 0.95 < before[-1] / before.sum()
    assert turn_of(np.zeros((2, 2)), np.ones(2)) is None


def test_a_turned_strategy_finds_weights_whose_terms_say_the_same():
    moment = np.array([[1.0, 0.95], [0.95, 1.0]])
    state = Mirrored(np.zeros(2), np.full(2, 0.2), turn=turn_of(moment, np.full(2, 0.2)))
    for step in range(400):
        children = state.ask(Stream(2, step), 10)
        away = [child - np.array([0.4, -0.3]) for child in children]
        state = state.tell(children, [1 - float(one @ moment @ one) for one in away], 10)
    assert np.abs(state.mean - np.array([0.4, -0.3])).max() < 0.1


# ---- Widening and cutting down ------------------------------------------------------------------------------------


@pytest.mark.parametrize("most", [60, 200, 440, 1000])
def test_a_widened_bag_has_room_and_plays_as_before_until_it_is_weighed(fitter, most):
    made = widened(CORE, fitter, most)
    assert CORE.size < made.size <= most and not made.tree().faults()
    assert np.allclose(fitter.values(made), fitter.values(CORE))


def families(bag):
    """The words of a bag that stand at all 32 squares."""
    count = Counter(term.primitive(0).name for phase in bag.terms for term in phase)
    return {name for name, places in count.items() if places == 32}


def test_squares_come_in_whoever_the_core_is_and_tell_whose_a_piece_is(fitter):
    """Regression: two families by lot, and none beside two phases, made runs of 0.75 among runs of 0.86."""
    split = leaf(LANGUAGE, "Mobility")
    many = tuple(leaf(LANGUAGE, "IsKingPiece", place=place) for place in range(8))
    cores = [CORE, Bag(LANGUAGE, (*CORE.terms, many), (*CORE.weights, (1.0,) * 8), split, 5.0)]
    for core in cores:
        wide = widened(core, fitter, 760)
        assert "IsFriendlyPiece" in families(wide) and len(families(wide)) == 3 and wide.split is None


def test_of_families_that_say_the_same_one_is_left_out(fitter):
    """Where a square is empty, a man or a king, two of the three say it all (oracle: they add up to 1)."""
    words = [family[0].primitive(0).name for family in telling(LANGUAGE, fitter)]
    assert len(words) == 3 and "IsFriendlyPiece" in words
    assert all(len(family) == 32 for family in telling(LANGUAGE, fitter))


def test_phases_are_joined_with_the_mean_of_their_weights():
    mobility, men, kings = (leaf(LANGUAGE, name) for name in ("Mobility", "FriendlyManCount", "FriendlyKingCount"))
    two = Bag(LANGUAGE, ((mobility, men), (mobility, kings)), ((1.0, 4.0), (3.0, 6.0)), men, 5.0)
    one = joined(two)
    assert dict(zip(one.terms[0], one.weights[0], strict=True)) == {mobility: 2.0, men: 2.0, kings: 3.0}
    assert one.split is None and joined(CORE) is CORE


def test_a_bag_that_is_cut_down_tells_moves_apart_as_before(fitter):
    rng = np.random.default_rng(2)
    wide = widened(CORE, fitter, 440)
    wide = wide.weighed([float(x) for x in rng.normal(size=wide.count) * 0.3])

    def opinions(bag):
        return within(fitter.matrix(bag) @ np.array(bag.flat)[:, None], fitter)[:, 0]

    small = cut_down(wide, fitter, 200)
    assert small.size <= 200 and not small.tree().faults()
    dropped = wide
    while dropped.size > 200:  # the plain way: what moves the evaluation least goes
        least = int(np.argmin(fitter.spread(dropped) * np.abs(np.array(dropped.flat))))
        dropped = without_term(dropped, least)
    kept, plain = (np.corrcoef(opinions(wide), opinions(one))[0, 1] for one in (small, dropped))
    assert kept > 0.9 and kept > plain
    assert cut_down(CORE, fitter, 100).flat == CORE.flat


def test_what_others_can_say_is_cut_down_without_loss(fitter):
    """All pieces are mine and the enemy's: one of the three goes, and nothing changes."""
    names = ("PieceCount", "FriendlyPieceCount", "EnemyPieceCount", "Mobility")
    bag = Bag(LANGUAGE, (tuple(leaf(LANGUAGE, name) for name in names),), ((1.0, 2.0, 3.0, 0.5),))
    small = cut_down(bag, fitter, bag.size - 1)
    assert small.count == 3
    before, after = (within(fitter.matrix(one) @ np.array(one.flat)[:, None], fitter) for one in (bag, small))
    assert np.allclose(before, after, atol=1e-3)


STAGES = Stages(
    budget=2400, generations=7, shapes=2, places=4, births=4, race=(4,), label_games=6, tuned=2, wide=300, most=40,
    children=4, child_games=4, tries=0,
)  # fmt: skip


def test_a_run_widens_cuts_down_and_goes_on_after_a_stop_anywhere(monkeypatch):
    monkeypatch.setattr("ludwin.evolve.recipe.WAYS", 8)

    def recipe():
        return Recipe(Arena(GAME, LANGUAGE, agent("guide:depth=2"), 2), STAGES, Growth(most_nodes=40), 3)

    kind = single(LANGUAGE)
    whole = [write_generation(kind, one) for one in by_recipe(recipe())]
    sizes = [max(one.size for one in generation.individuals) for generation in by_recipe(recipe())]
    assert max(sizes[:3]) <= 40 < sizes[3] <= 300 and sizes[-1] <= 40
    for at in (2, 3, 5):
        stored = read_generation(kind, json.loads(json.dumps(whole[at])))
        assert [write_generation(kind, one) for one in by_recipe(recipe(), stored)] == whole[at + 1 :]


def test_no_champion_is_larger_than_it_may_be_and_its_ancestor_is_measured(tmp_path):
    experiment = find("lose-checkers-book")
    given = {"budget": 1500, "generations": 7, "shape_generations": 2, "label_games": 8, "population": 4,
             "offspring": 4, "fitness": "4guide2", "race": "4", "depth": 2, "children": 4, "max_size": 50, "wide": 250,
             "yardstick_games": 4, "yardstick_every": 1, "finalist_games": 4, "champion_games": 20, "record_games": 20,
             "deep_games": 2, "finalists": 8, "last": 1}  # fmt: skip
    run = create(tmp_path / "run", experiment, "standard", settle(experiment, "standard", given), 1)
    carry_out(run)
    champion = json.loads((tmp_path / "run" / "champion.json").read_text())
    assert champion["size"] <= 50
    with Store(tmp_path / "run") as store:
        larger = store.measures(EVOLUTION, "larger")
        assert len(larger) == 3 and {note.measure.n for note in larger} == {20, 2}
        assert max(point.best_size for point in store.points(EVOLUTION)) > 50
        before = store.measures(EVOLUTION, "ancestor")
        merits = {note.generation: note.measure.merit for note in before}
        assert 1 <= len(before) <= 2 and merits[larger[0].generation] == max(merits.values())
    assert "Before programs were cut down" in (tmp_path / "run" / "report.html").read_text()


def test_a_champion_larger_than_what_is_tuned_is_refused(tmp_path):
    experiment = find("lose-checkers")
    with pytest.raises(BadParameter, match="wide must be 0 or at least max_size"):
        create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {"wide": 50}), 1)
