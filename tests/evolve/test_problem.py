"""Problems of users: functions of every sort, misbehaving ones, several populations, stored runs that are killed."""

import math
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import ludwin.evolve
from ludwin.errors import BadParameter
from ludwin.evolve import Bits, Parts, Plan, Problem, Reals, Scored, own, single
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.engine import read_generation, write_generation
from ludwin.evolve.experiment import settle
from ludwin.evolve.operators import selection
from ludwin.evolve.populations import STATISTICS
from ludwin.evolve.register import find, is_game
from ludwin.evolve.run import create
from ludwin.evolve.store import EVOLUTION, Store
from ludwin.evolve.vectors import Integers
from ludwin.settings import Setting

SMALL = Plan(population=12, generations=6, mutation=0.5)
BITS = Bits(10)


def stream_of(function):
    return lambda genome, stream: function(genome) + stream.uniform() / 1000


@pytest.mark.parametrize(
    "given",
    [
        {"fitness": sum},
        {"fitness": lambda g: -sum(g), "direction": "less"},
        {"batch": lambda genomes: [sum(g) for g in genomes]},
        {"fitness": lambda g: Scored(float(sum(g)))},
        {"fitness": list, "cases": True},
        {"fitness": lambda g: [1 - bit for bit in g], "cases": True, "direction": "less"},
        {"fitness": stream_of(sum)},
        {"fitness": lambda g: (sum(g[:5]), sum(g[5:])), "direction": ("more", "more")},
    ],
)
def test_a_fitness_of_any_sort_makes_strings_of_ones(given):
    problem = Problem("ones", BITS, plan=Plan(population=30, generations=40, mutation=0.9, elite=2), **given)
    history = list(problem.run(seed=1))
    assert history[-1].mean > history[0].mean + 0.1
    if isinstance(problem.direction, str):
        assert sum(problem.decode(history[-1].best.genome)) >= 9


def test_every_public_name_is_there():
    for name in ludwin.evolve.__all__:
        assert getattr(ludwin.evolve, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'Nothing'"):
        ludwin.evolve.Nothing  # noqa: B018


def test_workers_callbacks_and_statistics_change_nothing():
    seen = []
    problem = Problem(
        "ones", BITS, fitness=stream_of(sum), plan=SMALL, statistics={"ones": lambda g: sum(g.best.genome)}
    )
    alone = list(problem.run(seed=3, callbacks=[lambda generation: seen.append(generation.number)]))
    assert list(problem.run(seed=3, workers=2)) == alone and seen == list(range(7))
    assert [g.state[f"{STATISTICS}ones"] for g in alone] == [float(sum(g.best.genome)) for g in alone]
    assert list(problem.run(seed=3, start=alone[2])) == alone[3:]
    short = list(problem.run(seed=3, callbacks=[lambda generation: generation.number == 2]))
    assert [g.individuals for g in short] == [g.individuals for g in alone[:3]]


# ---- Misbehaviour -----------------------------------------------------------------------------------------------


def boom(genome):
    return 1 / (sum(genome) - sum(genome))


@pytest.mark.parametrize(
    "given, message",
    [
        ({"fitness": boom}, r"wrong: fitness raised ZeroDivisionError: .*\(line \d+\), for '[01]{10}'"),
        (
            {"fitness": lambda g: math.nan},
            r"fitness returned nan, a finite number was wanted, for '[01]+'; Problem\(failed",
        ),
        ({"fitness": lambda g: 10**400}, "fitness returned a number beyond 1e300"),
        ({"fitness": lambda g: sys.exit(3)}, r"fitness raised SystemExit: .*\(line \d+\)"),
        ({"fitness": lambda g: Scored("much")}, "fitness returned 'much', a number was wanted"),
        (
            {"fitness": lambda g: Scored(1.0, {"odd": "x"})},
            "fitness, in its detail odd, returned 'x', a number was wanted",
        ),
        ({"fitness": lambda g: math.inf}, "fitness returned inf"),
        ({"fitness": lambda g: None}, "fitness returned None, a number was wanted"),
        ({"fitness": lambda g: "much"}, "fitness returned 'much', a number was wanted"),
        ({"fitness": list}, "returned a list; say cases=True"),
        ({"fitness": lambda g: g[: sum(g)], "cases": True}, "the same cases: "),
        ({"fitness": sum, "cases": True}, "a list of numbers was wanted"),
        ({"fitness": lambda g: [1, 2, 3], "direction": ("more", "less")}, "returned 3 objectives, 2 directions"),
        ({"fitness": lambda g: [math.nan, 1], "direction": ("more", "less")}, "returned nan"),
        ({"batch": lambda genomes: [1.0]}, "asked about .* genomes and answered 1 times"),
        ({"batch": lambda genomes: 5}, "batch returned 5, a list was wanted"),
        ({"fitness": sum, "statistics": {"odd": lambda g: 1 / 0}}, "the statistic odd raised ZeroDivisionError"),
        ({"fitness": sum, "statistics": {"odd": lambda g: "x"}}, "the statistic odd returned 'x'"),
    ],
)
@pytest.mark.parametrize("workers", (1, 2))
def test_a_function_that_misbehaves_is_told_in_one_line(given, message, workers):
    problem = Problem("wrong", BITS, plan=SMALL, **given)
    with pytest.raises(Exception, match=message) as found:
        list(problem.run(seed=1, workers=workers))
    assert "\n" not in str(found.value) and "Traceback" not in str(found.value)


@pytest.mark.parametrize("more", ({}, {"cases": True}, {"direction": ("more", "less")}))
def test_genomes_whose_fitness_fails_may_have_a_score(more):
    def fitness(genome):
        if genome[0]:
            raise RuntimeError("no")
        return [sum(genome), len(genome)] if more else sum(genome)

    plan = Plan(population=20, generations=15, mutation=0.5, selection="lexicase" if "cases" in more else "tournament")
    last = Problem("some", BITS, fitness=fitness, failed=-50.0, plan=plan, **more).solve(seed=1)
    assert last.best.genome[0] == 0 and last.best.fitness > 5


@pytest.mark.parametrize("breeding", ("steady", "ga", "alps"))
@pytest.mark.parametrize("selection", ("tournament", "lexicase"))
def test_genomes_that_fail_alone_have_as_many_cases_as_those_before_them(breeding, selection):
    def fitness(genome):
        if not genome[0]:
            raise RuntimeError("no")
        return genome

    plan = Plan(10, 20, breeding, selection, crossover=0.5, mutation=0.5)
    history = list(Problem("some", BITS, fitness=fitness, cases=True, failed=-1.0, plan=plan).run(seed=1))
    assert history[-1].best.fitness >= 0.7
    lost = [one for generation in history[1:] for one in generation.individuals if one.score.failed]
    assert lost and {one.cases for one in lost} == {(-1.0,) * 10}


@pytest.mark.parametrize("selection", ("tournament", "lexicase"))
@pytest.mark.parametrize("replacement", ("generational", "plus"))
def test_a_first_generation_that_fails_as_a_whole_does_not_fix_the_number_of_cases(selection, replacement):
    def fitness(genome):
        if sum(genome) < 7:
            raise RuntimeError("no")
        return genome

    plan = Plan(4, 40, "ga", selection, mutation=0.9, replacement=replacement)
    history = list(Problem("some", BITS, fitness=fitness, cases=True, failed=-1.0, plan=plan).run(seed=0))
    assert all(one.score.failed for one in history[0].individuals)
    assert history[-1].best.fitness >= 0.7 and len(history[-1].best.cases) == 10


def test_a_comparison_of_numbers_of_numpy_ends_a_run_as_true_does():
    numpy = pytest.importorskip("numpy")
    problem = Problem("ones", BITS, fitness=sum, plan=SMALL)
    assert len(list(problem.run(seed=1, callbacks=[lambda g: numpy.int64(g.number) >= 2]))) == 3
    assert len(list(problem.run(seed=1, callbacks=[lambda g: numpy.int64(g.number)]))) == SMALL.generations + 1


@pytest.mark.parametrize(
    "fitness, direction",
    (
        (lambda g: Scored(-float(sum(g))), "less"),
        (lambda g: Scored.of(objectives=[sum(g), g[0]], directions=("less", "more")), ("less", "more")),
    ),
)
def test_a_scored_of_which_less_is_better_is_measured_in_that_direction(fitness, direction):
    problem = Problem("few", BITS, fitness=fitness, direction=direction, plan=SMALL)
    last = problem.solve(seed=1)
    found = problem.measure(last.best.genome)
    assert (found.value, found.direction) == (sum(last.best.genome), "less") and found.value == problem.score_of(last)


def test_genomes_whose_fitness_fails_are_measured_by_that_score_too():
    problem = Problem("some", BITS, fitness=lambda g: math.nan, failed=-50.0, plan=SMALL)
    assert problem.measure((0,) * 10).value == -50.0
    tested = Problem("some", BITS, fitness=sum, test=lambda g: math.nan, failed=-50.0, plan=SMALL)
    with pytest.raises(BadParameter, match=r"some: test returned nan, a finite number was wanted$"):
        tested.measure((0,) * 10)


def test_an_option_that_means_no_problem_is_told_in_one_line():
    for settled, message in ((lambda settings: 1 / 0, "settled raised ZeroDivision"), (dict, "settled returned {")):
        problem = Problem("wrong", BITS, fitness=sum, options=(Setting("a", 1, ""),), settled=settled)
        with pytest.raises(BadParameter, match=message):
            problem.under({"a": 1})


@pytest.mark.parametrize(
    "choose, message",
    [
        (lambda pool: 1 / 0, r"selection=odd raised ZeroDivisionError.*\(line \d+\)"),
        (lambda pool: lambda stream: 1 / 0, r"selection=odd raised ZeroDivisionError.*\(line \d+\)"),
        (lambda pool: lambda stream: 12, "selection=odd chose 12, a place from 0 to 11 was wanted"),
        (lambda pool: lambda stream: -1, "selection=odd chose -1"),
        (lambda pool: lambda stream: "first", "selection=odd chose 'first'"),
    ],
)
def test_a_selection_of_ones_own_that_misbehaves_is_told_in_one_line(choose, message):
    selection("odd", "one that is wrong")(choose)
    with pytest.raises(BadParameter, match=message):
        list(Problem("wrong", BITS, fitness=sum, plan=replace(SMALL, selection="odd")).run())


def test_a_seed_that_no_file_holds_leaves_no_folder(tmp_path):
    experiment = Problem("ones", BITS, fitness=sum, plan=SMALL).experiment()
    with pytest.raises(BadParameter, match="seed must be a whole number from"):
        create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {}), 10**50)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    "given, message",
    [
        ({"player": lambda g: 1 / 0}, "player raised ZeroDivisionError"),
        ({"player": lambda g: 3}, "player returned 3, a dict was wanted"),
        ({"player": lambda g: {"a": {1}}}, "what player returns must be of JSON values"),
        ({"program": lambda g: 1 / 0}, "program raised ZeroDivisionError"),
        ({"presets": {"quick": {"populatoin": 3}}}, "no setting 'populatoin'; did you mean 'population'"),
    ],
)
def test_what_only_a_stored_run_asks_is_told_in_one_line_too(tmp_path, given, message):
    experiment = Problem("wrong", BITS, fitness=sum, plan=SMALL, **given).experiment()
    with pytest.raises(BadParameter, match=message):
        carry_out(create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {}), 1))


@pytest.mark.parametrize(
    "make, message",
    [
        (
            lambda: own(lambda stream: 1 / 0, lambda one, stream: one),
            r"own: make raised ZeroDivisionError.*\(line \d+\)",
        ),
        (lambda: own(lambda: 3, lambda one, stream: one), "own: make raised TypeError"),
        (lambda: own(lambda stream: 3, lambda one: one), "own: mutate raised TypeError"),
        (lambda: own(lambda stream: 3, lambda one, stream: one, lambda a: a), "own: cross raised TypeError"),
        (lambda: own(lambda stream: 3, lambda one, stream: one, size=lambda one: "x"), "own: size returned 'x'"),
        (lambda: single(None), "the tree program needs a Language, got None"),
    ],
)
def test_genomes_of_ones_own_that_misbehave_are_told_in_one_line(make, message):
    with pytest.raises(BadParameter, match=message) as found:
        list(
            Problem(
                "wrong", make(), fitness=lambda one: 1.0, plan=Plan(population=8, generations=4, mutation=0.9)
            ).run()
        )
    assert "\n" not in str(found.value)


@pytest.mark.parametrize(
    "given, message",
    [
        ({}, "needs a fitness, a batch or a meet"),
        ({"fitness": sum, "plan": {"population": 3}}, "plan must be a Plan"),
        ({"fitness": sum, "metric": 3}, "metric must be a text of one line, of at most 200 characters, got 3"),
        ({"fitness": sum, "statistics": {3: len}}, "the name of a statistic must be a text of one line"),
        ({"fitness": sum, "options": (3,), "settled": dict}, "options are a tuple of Setting"),
        ({"fitness": sum, "options": (Setting("elite", 1, ""),), "settled": dict}, "a setting elite already"),
        ({"fitness": sum, "failed": math.nan}, "failed returned nan"),
        ({"fitness": sum, "failed": "low"}, "failed returned 'low'"),
        ({"fitness": sum, "identity": {"a": {1}}}, "a in identity must be a text of one line"),
        ({"fitness": sum, "presets": {"quick": 3}}, "preset quick must be a dict of settings"),
        ({"fitness": sum, "presets": {"quikc": {}}}, "a preset must be one of"),
        ({"meet": zip, "parasites": BITS, "meetings": "a"}, "meetings must be a whole number"),
        ({"fitness": sum, "partners": 0}, "partners must be at least 1"),
        ({"fitness": sum, "batch": list}, "one of them"),
        ({"fitness": 3}, "fitness must be a function"),
        ({"genome": [1, 2], "fitness": sum}, "list is no kind of genome, it has no begin; own"),
        ({"fitness": sum, "direction": "up"}, "direction must be one of more, less"),
        ({"fitness": sum, "direction": ()}, "one word for each objective"),
        ({"fitness": sum, "teams": True}, "teams need a genome of Parts"),
        ({"fitness": sum, "parasites": Bits(2)}, "parasites and meet belong together"),
        ({"meet": zip, "parasites": BITS, "direction": "less"}, "meet returns the points of both, more being better"),
        ({"meet": zip, "parasites": BITS, "cases": True}, "meet returns the points of both"),
        ({"meet": zip, "parasites": BITS, "teams": True, "genome": Parts((("a", BITS),))}, "teams are for a fitness"),
        (
            {"fitness": list, "cases": True, "direction": ("more",)},
            "results of cases, with one direction, or objectives",
        ),
        ({"name": "two\nlines", "fitness": sum}, "name of one line"),
    ],
)
def test_a_problem_that_is_none_is_refused(given, message):
    with pytest.raises(BadParameter, match=message):
        Problem(**{"name": "wrong", "genome": BITS, **given})


# ---- Several populations ----------------------------------------------------------------------------------------

HUNT = Problem(
    "hunt",
    Reals(2, low=-1.0, high=1.0),
    parasites=Integers(1, low=0, high=1),
    meet=lambda host, parasite: (1 - abs(host[parasite[0]]), abs(host[parasite[0]])),
    plan=Plan(population=12, generations=12, mutation=0.9, elite=1),
    parasite_plan=Plan(population=4, mutation=0.5),
    parasites_every=2,
)
TEAM = Problem(
    "team",
    Parts((("left", Bits(12)), ("right", own(lambda s: [0] * 6, lambda g, s: g.__setitem__(s.below(6), 1))))),
    fitness=lambda team: sum(team["left"]) + sum(team["right"]),
    teams=True,
    plan=Plan(population=10, generations=15, mutation=0.9, elite=1),
)


@pytest.mark.parametrize("replacement", ("plus", "crowding", "nsga2"))
def test_hosts_parasites_and_roles_refuse_replacements_that_keep_old_scores(replacement):
    plan = Plan(population=4, generations=2, replacement=replacement)
    for problem in (replace(HUNT, plan=plan), replace(HUNT, parasite_plan=plan), replace(TEAM, plan=plan)):
        with pytest.raises(BadParameter, match=f"replacement=generational, got {replacement}"):
            next(problem.run(seed=1))


def test_hosts_and_parasites_refuse_islands():
    with pytest.raises(BadParameter, match="two populations have no islands, got islands=2"):
        next(replace(HUNT, parasite_plan=Plan(population=4, islands=2)).run(seed=1))


@pytest.mark.parametrize("problem, name", ((HUNT, "parasites"), (TEAM, "left")))
def test_populations_beside_each_other_go_on_after_any_generation(problem, name):
    history = list(problem.run(seed=2))
    kind = problem.ecology().kind
    for generation in (history[0], history[4], history[5]):
        again = read_generation(kind, write_generation(kind, generation))
        assert again == generation
        assert list(problem.run(seed=2, start=again)) == history[generation.number + 1 :]
    assert history[-1].mean > history[0].mean
    assert history[-1].beside(name).individuals


def test_hosts_learn_and_parasites_change_every_second_generation():
    history = list(HUNT.run(seed=4))
    texts = [tuple(one.genome for one in g.beside("parasites").individuals) for g in history]
    assert all(texts[k] == texts[k + 1] for k in range(0, 12, 2))
    assert max(abs(x) for x in history[-1].best.genome) < 0.2


def test_a_team_is_better_than_its_first_members_and_roles_are_bred_apart():
    last = TEAM.solve(seed=1)
    assert last.best.fitness >= 15
    assert {name for name, _ in last.others} == {"left", "right"}
    assert len(last.beside("left").individuals) == 10


# ---- Stored runs ------------------------------------------------------------------------------------------------

FILE = """
from ludwin.evolve import Bits, Integers, Parts, Plan, Problem, Reals
from ludwin.evolve.operators import selection


@selection("first-half", "one of the better half")
def first_half(pool):
    best = pool.leaders(max(1, pool.size // 2))
    return lambda stream: best[stream.below(len(best))]


ISLANDS = Problem(
    "ones", Bits(30), fitness=lambda g, stream: sum(g) + stream.uniform(),
    plan=Plan(population=40, generations=12, islands=4, migrate_every=3, selection="first-half", mutation=0.5),
    test=lambda g: [float(bit) for bit in g], metric="ones",
)
HUNT = Problem(
    "hunt", Reals(3, low=-1.0, high=1.0), parasites=Integers(1, low=0, high=2),
    meet=lambda host, parasite: (1 - abs(host[parasite[0]]), abs(host[parasite[0]])),
    plan=Plan(population=20, generations=12, mutation=0.9), parasite_plan=Plan(population=5, mutation=0.5),
    parasites_every=2, statistics={"worst": lambda g: min(one.fitness for one in g.individuals)},
)
PROBLEM = %s
"""
RESULTS = ("settings.json", "run.sqlite", "champion.json", "report.html", "curves.svg")


def command(folder, *words):
    return [sys.executable, "-m", "ludwin", "evolve", "./problem.py", *words]


def run_in(folder, *words):
    return subprocess.run(command(folder, *words), cwd=folder, capture_output=True, text=True)


@pytest.fixture(params=("ISLANDS", "HUNT"))
def folder(request, tmp_path):
    (tmp_path / "problem.py").write_text(FILE % request.param, encoding="utf8")
    return tmp_path


@pytest.mark.slow
def test_a_problem_in_a_file_is_run_stored_shown_and_resumed(folder):
    done = run_in(folder, "--seed", "1", "--out", "one")
    assert done.returncode == 0, done.stderr
    assert "running ./problem.py, which is Python code" in done.stderr
    two = run_in(folder, "--seed", "1", "--out", "two", "--workers", "2")
    assert two.returncode == 0, two.stderr
    for name in RESULTS:
        assert (folder / "one" / name).read_bytes() == (folder / "two" / name).read_bytes(), name
    shown = run_in(folder, "--resume", "one")
    assert shown.returncode == 0 and "is finished" in shown.stderr
    text = (folder / "problem.py").read_text(encoding="utf8")
    (folder / "problem.py").write_text(text + "\n# other\n", encoding="utf8")
    assert "not the text that" in run_in(folder, "--resume", "one").stderr


@pytest.mark.slow
def test_a_run_that_is_killed_ten_times_ends_in_the_same_bytes(folder):
    import random

    assert run_in(folder, "--seed", "5", "--out", "whole").returncode == 0
    chance = random.Random(1)
    words = ("--seed", "5", "--out", "torn")
    for _ in range(10):
        process = subprocess.Popen(
            command(folder, *words), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(chance.uniform(0.3, 1.6))
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        if (folder / "torn" / "settings.json").exists():
            words = ("--resume", "torn")
    assert run_in(folder, *words, "--workers", "2").returncode == 0
    for name in RESULTS:
        assert (folder / "whole" / name).read_bytes() == (folder / "torn" / name).read_bytes(), name


def test_all_populations_of_a_run_are_in_one_store_and_sealed(tmp_path):
    experiment = HUNT.experiment()
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {}), 1)
    carry_out(run)
    with Store(tmp_path / "run", write=True) as store:
        store.verify()
        assert store.branches() == ["baseline", "evolution", "evolution: parasites"]
        kind = experiment.kind(run.settings)
        assert store.last_generation(EVOLUTION, kind).beside("parasites").number == 12
        store.link.execute("UPDATE individuals SET fitness = 9 WHERE branch = 'evolution: parasites' AND number = 1")
        with pytest.raises(Exception, match="evolution: parasites was edited"):
            store.verify()


def test_a_file_without_a_problem_is_taken_for_a_game(tmp_path):
    path = tmp_path / "game.py"
    path.write_text("X = 1\n", encoding="utf8")
    assert is_game(str(path))
    path.write_text("PROBLEM = 3\n", encoding="utf8")
    assert not is_game(str(path))
    with pytest.raises(Exception, match=r"PROBLEM must be .*, got int"):
        find(str(path))


def test_names_of_operators_are_examined_when_a_plan_is_made():
    with pytest.raises(BadParameter, match="selection must be one of duel"):
        Plan(selection="nobody")
    selection("test-late", "late")(lambda pool: lambda stream: 0)
    assert Plan(selection="test-late").selection == "test-late"
    assert Path(ludwin.evolve.__file__).is_file()


def test_an_object_says_more_is_better_and_a_problem_tells_it_as_its_direction_does():
    class Near:
        def score(self, genomes, generation, stream):
            return [(-abs(sum(one) - 3.0), {}) for one in genomes]

    problem = Problem("near", Reals(2, low=0.0, high=4.0), fitness=Near(), direction="less", plan=SMALL)
    last = problem.solve(seed=1)
    found = problem.measure(last.best.genome)
    assert (found.value, found.direction) == (problem.score_of(last), "less") and found.value >= 0
