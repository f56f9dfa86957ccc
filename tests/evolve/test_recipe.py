"""Bags of terms: what they are as programs, labels, weights, and runs that can be stopped and repeated."""

import json
from dataclasses import replace

import numpy as np
import pytest

from ludwin import agent, load
from ludwin.cli import main
from ludwin.errors import BadParameter
from ludwin.evolve.boards import OPENED, meeting
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.door import result
from ludwin.evolve.experiment import settle
from ludwin.evolve.fitting import Fitter, is_like
from ludwin.evolve.labels import Labels, harvest
from ludwin.evolve.population import Generation, read_generation, write_generation
from ludwin.evolve.recipe import TELLING, Arena, Recipe, Stages, by_chance, by_late, by_recipe
from ludwin.evolve.register import find
from ludwin.evolve.remarks import remarks
from ludwin.evolve.run import create
from ludwin.evolve.store import BASELINE, EVOLUTION, LATE, Point, Store
from ludwin.evolve.terms import Bag, Growth, bag_of, change, random_bag
from ludwin.evolve.trees import single
from ludwin.games.draughts.language import LANGUAGE, TACTICAL
from ludwin.program.stream import Stream
from ludwin.program.tree import leaf
from ludwin.search.programs import program_player

GAME = load("lose-checkers")
SMALL = Stages(
    budget=1500, generations=5, shapes=3, places=6, births=6, race=(4, 4), label_games=6, tuned=2, children=4,
    child_games=4, tries=1, try_games=40,
)  # fmt: skip


def recipe(seed=3, workers=1, **more):
    arena = Arena(GAME, TACTICAL, agent("guide:depth=2"), 2, workers)
    return Recipe(arena, replace(SMALL, **more), Growth(most_nodes=60, families=0.1), seed)


@pytest.mark.parametrize("seed", range(40))
def test_a_bag_is_a_program_and_the_program_is_read_as_the_bag(seed):
    stream, growth = Stream(seed), Growth(most_nodes=120)
    bag, other = random_bag(TACTICAL, stream, growth), random_bag(TACTICAL, stream, growth)
    for step in range(6):
        tree = bag.tree()
        assert not tree.faults() and len(tree) == bag.size <= 120
        again = bag_of(tree)
        assert again.tree() == tree
        if bag.split is None or all(bag.terms):
            assert again.shape == bag.shape and again.flat == bag.flat
        bag, _ = change(bag, other, stream.split(step), growth)


def test_weights_of_a_known_model_are_found_again():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(6000, 2))
    chance = 1 / (1 + np.exp(-(1.5 * rows[:, 0] - 0.5 * rows[:, 1])))
    labels = np.where(rng.random(6000) < chance, 1.0, -1.0)
    found = Fitter(Labels((("my men", 0), ("enemy men", 0)), rows, labels, np.arange(6000), 0))
    bag = Bag(LANGUAGE, ((leaf(LANGUAGE, "FriendlyManCount"), leaf(LANGUAGE, "EnemyManCount")),), ((0.0, 0.0),))
    fitted = found.fit(bag)
    assert fitted.flat == pytest.approx((1.5, -0.5), abs=0.12)  # oracle: the model that made the labels
    assert found.worth(bag) > found.worth(Bag(LANGUAGE, (bag.terms[0][1:],), ((0.0,),))) > 0
    doubled = Bag(LANGUAGE, (bag.terms[0][:1],), ((2 * fitted.flat[0],),))
    more = found.fit_new(fitted, doubled)
    assert more.flat[0] == doubled.flat[0]  # what was there stays
    assert more.flat[1] == pytest.approx(2 * fitted.flat[1], rel=0.15)  # and what is new is on its scale
    assert is_like(found.values(fitted), found.values(fitted.weighed([7 * w for w in fitted.flat])))
    assert not is_like(found.values(fitted), found.values(fitted.weighed([1.0, 1.0])))


def test_a_bag_is_worth_nothing_where_all_games_end_alike_or_too_few_leaves_were_labelled():
    rows = np.random.default_rng(1).normal(size=(40, 1))
    bag = Bag(LANGUAGE, ((leaf(LANGUAGE, "FriendlyManCount"),),), ((0.0,),))
    alike = Labels((("my men", 0),), rows, np.zeros(40), np.arange(40), 0)
    few = Labels((("my men", 0),), rows, np.tile([1.0, -1.0], 20), np.zeros(40, dtype=np.int64), 0)
    assert Fitter(alike).worth(bag) == Fitter(few).worth(bag) == 0.0
    assert np.isfinite(Fitter(alike).fit(bag).flat).all()


DRAWN = """FIELDS = {"n": int}
MAX_MOVES = 2
MAX_PLIES = 20

def setup(s):
    s.n = COUNT

def mover(s):
    return s.n % 2

def moves(s, out):
    n = min(2, s.n)
    for k in range(n):
        out[k] = k + 1
    return n

def play(s, m):
    s.n -= m

def payoff(s, p):
    return 0
"""
BRIEF = ["--set", "breeding=terms", "budget=500", "generations=3", "shape_generations=1", "tries=0", "label_games=20",
         "race=6 6", "finalists=1", "last=1", "finalist_games=6", "champion_games=6", "yardstick_games=6",
         "record_games=6"]  # fmt: skip


def test_terms_evolve_in_a_game_that_is_always_a_draw(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "drawn.py").write_text(DRAWN.replace("COUNT", "7"))
    assert main(["evolve", "./drawn.py", "--seed", "1", "--out", "run", *BRIEF]) == 0
    assert "score 0.500" in capsys.readouterr().out


def test_terms_need_a_game_in_which_something_is_left_to_label_and_leave_no_folder_else(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short.py").write_text(DRAWN.replace("COUNT", "1"))
    assert main(["evolve", "./short.py", "--seed", "1", "--out", "run", *BRIEF]) == 2
    assert "there are no leaves to label; choose another breeding than terms" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_labels_repeat_and_hold_what_is_true_of_every_position():
    player, guide = program_player(leaf(TACTICAL, "Mobility"), 1), agent("guide:depth=2")
    first, second = (harvest(GAME, TACTICAL, player, guide, 6, Stream(4)) for _ in range(2))
    assert np.array_equal(first.rows, second.rows) and np.array_equal(first.labels, second.labels)
    assert set(np.unique(first.labels)) <= {-1.0, 0.0, 1.0} and len(first) > 20
    assert np.array_equal(first.column("men", 0), first.column("my men", 0) - first.column("enemy men", 0))
    assert (first.column("mobility", 0) >= 1).all()
    assert first.games == len(first) + 6


@pytest.mark.parametrize("more", [{}, {"widths": TELLING}])
def test_a_run_by_the_recipe_repeats_goes_on_after_a_stop_and_does_not_depend_on_workers(more):
    kind = single(TACTICAL)
    whole = [write_generation(kind, one) for one in by_recipe(recipe(**more))]
    assert [write_generation(kind, one) for one in by_recipe(recipe(workers=2, **more))] == whole
    for at in (0, 2, 4):
        stored = read_generation(kind, json.loads(json.dumps(whole[at])))
        assert [write_generation(kind, one) for one in by_recipe(recipe(**more), stored)] == whole[at + 1 :]
    lineages = [{one["detail"]["lineage"] for one in generation["individuals"]} for generation in whole]
    assert all(len(found) > 1 for found in lineages[: len(lineages) // 2 + 1])  # until half of the run
    assert whole[-1]["state"]["games"] >= whole[0]["state"]["games"] > 0


def test_late_tuning_plays_at_its_depth_counts_its_games_and_goes_on_after_a_stop():
    def late(workers=1):
        found = recipe(workers=workers, late_games=320, most=40)
        return replace(found, arena=replace(found.arena, late=(agent("guide:depth=3"), 3)))

    kind, end = single(TACTICAL), list(by_recipe(recipe()))[-1]
    start = Generation(0, end.individuals[:1], end.evaluations, end.memory, dict(end.state))
    whole = [write_generation(kind, one) for one in by_late(late(), start)]
    assert [write_generation(kind, one) for one in by_late(late(2), start)] == whole
    for at in (1, 6):
        stored = read_generation(kind, json.loads(json.dumps(whole[at])))
        assert [write_generation(kind, one) for one in by_late(late(), stored)] == whole[at + 1 :]
    assert len(whole) == 10 and whole[-1]["state"]["games"] == end.state["games"] + 320  # labels are not counted twice
    assert bag_of(read_generation(kind, whole[-1]).individuals[0].genome[0]).size <= 40
    other = late()
    other.arena = replace(other.arena, late=(agent("guide:depth=1"), 1))
    assert [write_generation(kind, one) for one in by_late(other, start)] != whole


def test_a_stored_run_has_a_second_champion_for_the_late_depth(tmp_path):
    experiment = find("lose-checkers")
    given = {"budget": 600, "generations": 3, "shape_generations": 2, "label_games": 8, "population": 4, "offspring": 4,
             "fitness": "4guide1", "race": "4", "depth": 1, "children": 4, "yardstick_games": 4, "finalist_games": 4,
             "champion_games": 8, "record_games": 2, "finalists": 1, "last": 1, "late_depth": 2,
             "late_games": 200}  # fmt: skip
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", given), 1)
    carry_out(run)
    first, second = (json.loads((run.folder / name).read_text()) for name in ("champion.json", "late.json"))
    assert "depth=1" in str(first["player"]) and "depth=2" in str(second["player"])
    assert [agent(f"evolved:{run.folder / name}").player().depth for name in ("champion.json", "late.json")] == [1, 2]
    assert "Tuned for depth 2" in (run.folder / "report.html").read_text()
    with Store(run.folder) as store:
        store.verify()
        games = [state["games"] for state in store.states(LATE)]
        assert len(games) == 11 and games == sorted(games)
    told = result(run)["late"]["measures"]
    assert [one["opponent"] for one in told] == list(experiment.opponents(run.settings))
    whole = (run.folder / "late.json").read_bytes()
    (run.folder / "late.json").unlink()
    assert not run.is_finished
    carry_out(run)
    assert run.is_finished and (run.folder / "late.json").read_bytes() == whole


def test_a_series_tells_the_means_of_its_champions_for_the_late_depth(tmp_path, capsys):
    line = """budget=600 generations=3 shape_generations=2 label_games=8 population=4 offspring=4 fitness=4guide1 race=4
        depth=1 children=4 yardstick_games=4 finalist_games=4 champion_games=8 record_games=2 finalists=1 last=1
        against=guide:depth=1 late_depth=2 late_games=100"""
    folder = tmp_path / "series"
    assert main(["evolve", "lose-checkers", "--seeds", "2", "--out", str(folder), "--set", *line.split()]) == 0
    printed = capsys.readouterr().out
    means = []
    for seed in (0, 1):
        data = json.loads((folder / f"seed-{seed}" / "late.json").read_text())
        means.append([one["score"] for one in (data["score"], *data["record"])])
    summary = json.loads((folder / "summary.json").read_text())["late"]
    assert summary["depth"] == 2
    found = [one["value"] for one in summary["means"]]
    assert found == pytest.approx([(a + b) / 2 for a, b in zip(*means, strict=True)])
    line = f"tuned for depth 2: mean over seeds {found[0]:.4f} ["
    assert line in printed and line in (folder / "report.html").read_text()
    assert printed.count("tuned for depth 2") == len(found) == 3


def test_random_search_stands_beside_a_run_by_games_which_are_what_both_may_cost(tmp_path):
    experiment = find("lose-checkers")
    given = {"budget": 600, "generations": 3, "shape_generations": 2, "label_games": 8, "population": 4, "offspring": 4,
             "fitness": "4guide1", "race": "4", "depth": 1, "children": 4, "yardstick_games": 4, "finalist_games": 4,
             "champion_games": 8, "record_games": 2, "finalists": 1, "last": 1, "baseline": True}  # fmt: skip
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", given), 1)
    carry_out(run)
    with Store(run.folder) as store:
        games = [store.games(branch)[-1] for branch in (EVOLUTION, BASELINE)]
        evaluations = [store.points(branch)[-1].evaluations for branch in (EVOLUTION, BASELINE)]
    assert min(games) > 550 and evaluations[0] != evaluations[1]
    page = (run.folder / "report.html").read_text()
    beside = page[page.index("Beside random search") :]
    assert "as many games" in beside and all(f'<td class="number">{count:,}</td>' in beside for count in games)
    found = result(run)
    assert [found["games"], found["baseline"]["games"]] == games


def test_random_search_spends_the_same_games_and_no_labels():
    generations = list(by_chance(recipe()))
    assert generations[-1].state["games"] >= SMALL.budget > generations[-2].state["games"]
    assert all(one.origin == "random" for one in generations[-1].individuals)


def test_a_stored_run_has_shapes_in_its_report_and_a_reading_of_its_champion(tmp_path):
    experiment = find("lose-checkers")
    given = {"budget": 600, "generations": 3, "shape_generations": 2, "label_games": 8, "population": 4, "offspring": 4,
             "fitness": "4guide2", "race": "4", "depth": 2, "children": 4, "yardstick_games": 4, "finalist_games": 4,
             "champion_games": 20, "record_games": 2, "finalists": 1, "last": 1}  # fmt: skip
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", given), 1)
    carry_out(run)
    page = (tmp_path / "run" / "report.html").read_text()
    assert page.index("<svg") < page.index("record</h2>") < page.index("As a sum") < page.index("Settings")
    for words in ("shapes", "lineages", "not bit-exact", "Its words"):
        assert words in page
    assert ">2</td>" not in page[page.index("record</h2>") : page.index("The champion</h2>")]  # no row of two games


@pytest.mark.parametrize(
    "change,words",
    [
        ({"fitness": "50co"}, "one guide in fitness"),
        ({"race": "forty"}, "race must be numbers"),
        ({"generations": 3, "shape_generations": 3}, "must be above shape_generations"),
        ({"trees": 10}, "one tree"),
        ({"max_size": 1, "wide": 0}, "the least has 2 nodes"),
        ({"widths": "wide"}, "widths must be one of spread, telling"),
        ({"language": "tactics"}, "must be one of"),
        ({"breeding": "ga", "late_depth": 5}, "late_depth tunes bags of terms: it needs breeding=terms, got ga"),
        ({"islands": 4}, "breeding=terms makes no use of islands"),
        ({"stop_at": 0.9}, "breeding=terms makes no use of stop_at"),
        ({"seed_programs": "Mobility"}, "breeding=terms makes no use of seed_programs"),
    ],
)
def test_settings_that_no_recipe_can_be_made_of_are_refused(tmp_path, change, words):
    experiment = find("lose-checkers")
    with pytest.raises(BadParameter, match=words):
        create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", change), 1)
    assert not (tmp_path / "run").exists()


def test_other_experiments_refuse_the_breeding(tmp_path):
    experiment = find("onemax")
    with pytest.raises(BadParameter, match="board games"):
        create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {"breeding": "terms"}), 1)


def test_a_meeting_names_opponent_opening_and_depth():
    assert meeting(f"guide:depth=3{OPENED}6, itself at depth 5") == ("guide:depth=3", 6, 5)
    assert meeting("random") == ("random", 0, 0)
    for bad in (f"random{OPENED}", f"random{OPENED}-1", "random, itself at depth x"):
        with pytest.raises(BadParameter, match="whole number"):
            meeting(bad)


def _point(number, best, mean, distinct, individuals=20):
    return Point(number, 100, 0, best, mean, 5, 5.0, 9, distinct, individuals)


def test_what_went_wrong_in_silence_is_said():
    full = [_point(0, 30.0, 20.0, 20), *(_point(k, 40.0, 39.0, 18) for k in range(1, 6))]
    assert "40 of 40 since generation 1" in remarks(full, 3, 40.0)[0]
    clones = [_point(0, 30.0, 20.0, 20), *(_point(k, 31.0, 31.0, 1) for k in range(1, 6))]
    assert "collapsed" in remarks(clones, 3, 40.0)[0]
    assert "generation 0" in remarks(full[:3], 0, None)[0]
    nearly = [_point(0, 30.0, 20.0, 20), *(_point(k, 38.0 + k % 2, 30.0, 18) for k in range(1, 6))]
    assert "95% of all 40 points or more since generation 1" in remarks(nearly, 3, 40.0)[0]
    lonely = [_point(0, 30.0, 20.0, 20), *(_point(k, 31.0, 31.0, 1, 1) for k in range(1, 6))]
    assert "one individual is left since generation 1" in remarks(lonely, 3, 40.0)[0]
    in_the_end = remarks(lonely, 3, 40.0, narrows=True)  # of bags of terms one is tuned in the end
    assert not any("one individual" in words for words in in_the_end)
    good = [_point(k, 20.0 + k, 15.0, 19) for k in range(6)]
    assert remarks(good, 5, 40.0) == []
