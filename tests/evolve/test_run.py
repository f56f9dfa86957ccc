"""Runs as values: the same bytes after any interruption, honest finals, and folders read with suspicion."""

import json
import os
import re
import shutil
import signal
import sqlite3
from dataclasses import replace
from pathlib import Path
from threading import Event
from xml.etree import ElementTree

import pytest

import ludwin
from ludwin.cli import main
from ludwin.errors import BadParameter, UnknownExperiment
from ludwin.evolve.agent import load_player
from ludwin.evolve.carrying import Stopped, carry_out
from ludwin.evolve.compare import compare, entries
from ludwin.evolve.curves import Line, chart, stack, ticks
from ludwin.evolve.experiment import COMMON, Measure, Setting, plan, plan_settings, schema, settle
from ludwin.evolve.parts import Parts
from ludwin.evolve.plan import Plan
from ludwin.evolve.problem import Problem
from ludwin.evolve.register import find, names
from ludwin.evolve.report import page, value_text
from ludwin.evolve.run import create, reopen
from ludwin.evolve.sanity import ONEMAX, REGRESSION
from ludwin.evolve.series import carry_out_series, create_series, spread_of
from ludwin.evolve.show import ablate, describe, open_champion
from ludwin.evolve.store import BASELINE, EVOLUTION, OLD_MEASURES, BadRun, Log, Store, read_champion
from ludwin.evolve.vectors import Bits, Reals
from ludwin.progress import Silent

SHIPPED = Path(ludwin.__file__).parent / "games"
SMALL = {"length": 20, "population": 10, "generations": 8, "yardstick_every": 3}
CURVE = {"population": 60, "generations": 6, "yardstick_every": 2, "finalist_games": 100, "champion_games": 200}
FILES = ("champion.json", "settings.json", "report.html", "curves.svg")


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Do not wait for the disk: nobody pulls the plug here. (Processes that are killed below do wait.)"""
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")


def begin(folder, experiment=ONEMAX, seed=1, **given):
    settings = settle(experiment, "quick", {**(CURVE if experiment is REGRESSION else SMALL), **given})
    return create(folder, experiment, "quick", settings, seed)


def make_old(folder):
    """Make the database of a run one of version 1, which had no seals and did not count distinct games."""
    link = sqlite3.connect(folder / "run.sqlite")
    link.executescript(
        f"ALTER TABLE measures RENAME TO newer; {OLD_MEASURES}; DROP TABLE seals; INSERT INTO measures SELECT "
        f"branch, purpose, generation, number, opponent,"
        " score, low, high, games, counts FROM newer; DROP TABLE newer; PRAGMA user_version = 1"
    )
    link.close()


def spoil_database(folder, *commands):
    """Change a finished run behind its back, as if it had been killed before its report."""
    link = sqlite3.connect(folder / "run.sqlite")
    for command in commands:
        link.execute(command)
    link.commit()
    link.close()
    (folder / "report.html").unlink(missing_ok=True)


def result(folder):
    """Return everything a run found, byte for byte: its files and a dump of its database."""
    link = sqlite3.connect(folder / "run.sqlite")
    dump = "\n".join(link.iterdump())
    link.close()
    return {name: (folder / name).read_bytes() for name in FILES} | {"dump": dump}


class StopAfter(Silent):
    """Listens, and asks for a stop after so many pieces of news."""

    def __init__(self, stop, number):
        self.stop, self.left = stop, number

    def count(self):
        self.left -= 1
        if self.left <= 0:
            self.stop.set()

    def done(self, number, about="", *, step=""):
        self.count()

    def total(self, number, what="", *, unit="", done=0):
        if number is None:
            self.count()


# ---- Settings


def test_every_setting_explains_itself_and_is_declared_once():
    for name in names():
        experiment = find(name)
        known = schema(experiment)
        assert len(known) == len(experiment.settings) + len(plan_settings()) + len(COMMON)
        assert all(one.help and one.read(one.default) == one.default for one in known.values())
        assert set(experiment.defaults) | {key for preset in experiment.presets.values() for key in preset} <= set(
            known
        )


def test_settings_come_from_defaults_then_preset_then_the_line():
    assert settle(ONEMAX, "quick", {})["population"] == 60
    assert settle(ONEMAX, "standard", {})["population"] == 100
    assert settle(ONEMAX, "standard", {"population": "7"})["population"] == 7
    assert settle(ONEMAX, "standard", {})["elite"] == Plan().elite
    assert plan(settle(REGRESSION, "quick", {})).tournament == 7


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"poplation": "5"}, "onemax has no setting 'poplation'; did you mean 'population'?"),
        ({"population": "many"}, "population must be a whole number, got 'many'"),
        ({"population": "2.5"}, "population must be a whole number, got '2.5'"),
        ({"population": "0"}, "population must be at least 1, got 0"),
        ({"length": "1000000"}, "length must be at most 100000, got 1000000"),
        ({"breeding": "gaa"}, "breeding must be one of ga, gp"),
        ({"baseline": "maybe"}, "baseline must be true or false, got 'maybe'"),
        ({"crossover": "nan"}, "crossover must be a finite number"),
        ({"crossover": "1.5"}, "crossover must be at most 1, got 1.5"),
        ({"elite": "5000"}, "elite must be at most the population"),
    ],
)
def test_wrong_settings_are_refused_in_one_line(given, reason):
    with pytest.raises(BadParameter, match=re.escape(reason)):
        settle(ONEMAX, "quick", given)


def test_a_setting_reads_texts_and_json_values_alike():
    number = Setting("x", 1.5, "a number")
    assert number.read("2") == number.read(2) == 2.0 and isinstance(number.read(2), float)
    assert [Setting("b", False, "a switch").read(value) for value in ("on", "0", True, "No")] == [
        True,
        False,
        True,
        False,
    ]
    for wrong in (True, None, [1]):
        with pytest.raises(BadParameter):
            number.read(wrong)


def test_unknown_experiments_are_told_with_the_nearest_name():
    with pytest.raises(UnknownExperiment, match="no experiment called 'onemx'; did you mean 'onemax'"):
        find("onemx")
    assert find("symb") is REGRESSION


# ---- The same run, however it was carried out


def test_a_stopped_run_ends_in_the_same_bytes(tmp_path):
    carry_out(begin(tmp_path / "whole", baseline=True))
    whole = result(tmp_path / "whole")
    for number in (1, 4, 9, 12, 20, 30):  # generations, finals, random search
        folder = tmp_path / str(number)
        run, stop = begin(folder, baseline=True), Event()
        with pytest.raises(Stopped):
            carry_out(run, progress=StopAfter(stop, number), stop=stop)
        assert not run.is_finished
        carry_out(reopen(folder, find), workers=2)
        assert result(folder) == whole, number


class Nearness:
    """Prefers vectors near 0 and away from those that it remembers: the best of all generations so far."""

    relative = True

    def score_knowing(self, genomes, memory, generation, stream):
        return [
            (
                len(memory) / 3 - sum(x * x for x in genome) + 0.01 * sum(genome != old for old in memory),
                {"old": len(memory)},
            )
            for genome in genomes
        ]

    def admit(self, memory, generation, stream):
        return (*memory[-4:], generation.best.genome)


NEARNESS = replace(ONEMAX, kind=lambda settings: Reals(3), fitness=lambda settings, workers: Nearness())
STRATEGY = {**SMALL, "breeding": "mu,lambda", "steps": "fifth", "offspring": 20}


@pytest.mark.parametrize(
    ("experiment", "given"), [(REGRESSION, {}), (NEARNESS, STRATEGY)], ids=["trees", "memory and step size"]
)
def test_whatever_a_generation_holds_survives_a_resume(tmp_path, experiment, given):
    carry_out(begin(tmp_path / "whole", experiment, **given))
    run, stop = begin(tmp_path / "parts", experiment, **given), Event()
    with pytest.raises(Stopped):
        carry_out(run, progress=StopAfter(stop, 3), stop=stop)
    with Store(run.folder) as store:
        before = store.last_generation(EVOLUTION, experiment.kind(run.settings))
    carry_out(reopen(run.folder, lambda text: experiment))
    assert result(run.folder) == result(tmp_path / "whole")
    if experiment is NEARNESS:
        assert len(before.memory) == 3 and before.state["step"] != 1


def test_workers_do_not_change_a_run(tmp_path):
    carry_out(begin(tmp_path / "one"), workers=1)
    carry_out(begin(tmp_path / "two"), workers=2)
    assert result(tmp_path / "one") == result(tmp_path / "two")
    assert (tmp_path / "one" / "log.jsonl").read_text() != (tmp_path / "two" / "log.jsonl").read_text()


def test_seeds_differ_and_repeat(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2), ("huge", 2**70), ("minus", -3)):
        carry_out(begin(tmp_path / name, seed=seed))
    assert result(tmp_path / "a") == result(tmp_path / "b")
    assert len({result(tmp_path / name)["dump"] for name in ("a", "c", "huge", "minus")}) == 4


def test_result_files_tell_no_dates_paths_or_workers(tmp_path):
    carry_out(begin(tmp_path / "somewhere"), workers=3)
    for name in FILES:
        text = (tmp_path / "somewhere" / name).read_text()
        assert "somewhere" not in text and "workers" not in text and not re.search(r"20\d\d-\d\d-\d\d", text), name
    events = [json.loads(line) for line in (tmp_path / "somewhere" / "log.jsonl").read_text().splitlines()]
    assert events[0]["workers"] == 3 and events[-1]["event"] == "finished"
    assert sum(event["event"] == "generation" for event in events) == 9 and all("date" in event for event in events)


# Runs the command line and kills itself at the worst moments. Pages of a transaction go to the file before
# it is committed, so that a kill leaves a database that must be repaired.
SUICIDE = """
import os, signal, sys
from contextlib import contextmanager
from ludwin.cli import main
from ludwin.evolve import store

where, number, *words = sys.argv[1:]
left = int(number)


def moment(name):
    global left
    if name == where:
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


usual, rename = store.Store._transaction, os.replace


@contextmanager
def transaction(self):
    self.link.execute("PRAGMA cache_size = 1")
    with usual(self):
        yield
        moment("before commit")
    moment("after commit")


def replace(beside, path):
    moment("before rename")
    rename(beside, path)
    moment("after rename")


store.Store._transaction, os.replace = transaction, replace
sys.exit(main(words))
"""
DEATHS = (
    ("before rename", 1),  # settings.json
    ("after rename", 1),
    ("before commit", 1),
    ("after commit", 1),  # generation 0, before its yardstick
    ("before commit", 4),
    ("after commit", 5),
    ("before commit", 7),
    ("before rename", 1),  # champion.json
    ("before commit", 3),  # now in the random search
    ("before rename", 2),  # curves.svg
    ("before rename", 3),  # report.html
)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_kill_9_loses_at_most_the_generation_in_flight(tmp_path, python):
    words = ["evolve", "onemax", "--seed", "3", "--baseline", "--set", "length=40", "population=40", "generations=12"]
    python(SUICIDE, "never", "1", *words, "--out", "whole")
    folder, seen = tmp_path / "killed", 0
    for where, number in DEATHS:
        begun = (folder / "settings.json").exists()
        process = python(
            SUICIDE,
            where,
            str(number),
            *(["evolve", "--resume", "killed"] if begun else [*words, "--out", "killed"]),
            wait=False,
        )
        assert process.wait(100) == -signal.SIGKILL, (where, number, process.communicate())
        process.communicate()
        if (folder / "run.sqlite").exists():
            with Store(folder, write=True) as store:
                numbers = [point.number for point in store.points(EVOLUTION)]
            assert numbers == list(range(len(numbers))) and len(numbers) >= seen
            seen = len(numbers)
    python(SUICIDE, "never", "1", "evolve", "--resume", "killed", "--workers", "2")
    assert result(folder) == result(tmp_path / "whole")


def test_what_a_kill_while_writing_leaves_behind_is_cleared(tmp_path):
    run = begin(tmp_path / "run")
    (run.folder / ".ludwin-abc").write_text("half a fi")
    carry_out(run)
    assert {path.name for path in run.folder.iterdir()} == {*FILES, "run.sqlite", "log.jsonl"}
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / ".ludwin-abc").write_text("{")
    assert begin(tmp_path / "bare").folder.is_dir()


# ---- What is measured


def test_the_yardstick_is_measured_every_few_generations_and_steers_nothing(tmp_path):
    seen = []

    def flattering(settings, genome, opponent, games, seed, workers):
        seen.append(games)
        return Measure.exact(opponent, 0.0)

    carry_out(begin(tmp_path / "plain"))
    carry_out(begin(tmp_path / "other", replace(ONEMAX, measure=flattering)))
    with Store(tmp_path / "plain") as plain, Store(tmp_path / "other") as other:
        assert plain.points(EVOLUTION) == other.points(EVOLUTION)
        assert [note.generation for note in plain.measures(EVOLUTION, "yardstick")] == [0, 3, 6, 8]
    assert seen[:4] == [200, 200, 200, 200]


def test_the_champion_is_chosen_by_fresh_games_and_measured_by_others(tmp_path):
    """Scores are noise here: the finalists' best is high by selection, the champion's own measure is not."""
    asked = []

    def noisy(settings, genome, opponent, games, seed, workers):
        asked.append((games, seed))
        wins = hash((genome, seed)) % (games + 1)
        return Measure.of(opponent, (games - wins, 0, wins))

    run = begin(
        tmp_path / "run", replace(ONEMAX, measure=noisy), yardstick_games=10, finalist_games=30, champion_games=50
    )
    carry_out(run)
    with Store(run.folder) as store:
        yardstick, finalists, champion = (
            store.measures(EVOLUTION, purpose) for purpose in ("yardstick", "finalist", "champion")
        )
    best = max(finalists, key=lambda note: note.measure.score)
    assert (best.generation, best.number) == (champion[0].generation, champion[0].number)
    assert [note.measure.games for note in (*yardstick, *finalists, *champion)] == [10] * 4 + [30] * len(finalists) + [
        50
    ]
    seeds = {games: {seed for other, seed in asked if other == games} for games in (10, 30, 50)}
    assert [len(seeds[games]) for games in (10, 30, 50)] == [4, 1, 1]  # finalists meet the same games
    assert len(set.union(*seeds.values())) == 6
    assert read_champion(run.folder)["score"]["score"] == champion[0].measure.score


def test_other_opponents_make_the_record(tmp_path):
    rich = replace(ONEMAX, opponents=lambda settings: ("all ones", "half of them", "a third"))
    run = begin(tmp_path / "run", rich)
    carry_out(run)
    data = read_champion(run.folder)
    assert [row["opponent"] for row in data["record"]] == ["half of them", "a third"]
    assert "half of them" in (run.folder / "report.html").read_text()


def test_the_baseline_is_random_search_at_equal_evaluations(tmp_path):
    run = begin(tmp_path / "run", length=60, population=40, generations=30, baseline=True)
    carry_out(run)
    with Store(run.folder) as store:
        own, random = store.points(EVOLUTION), store.points(BASELINE)
        scores = [store.measures(branch, "champion")[0].measure.score for branch in (EVOLUTION, BASELINE)]
        last = store.last_generation(BASELINE, ONEMAX.kind(run.settings))
    assert 0 <= random[-1].evaluations - own[-1].evaluations < 40
    assert {one.origin for one in last.individuals} == {"random"}
    assert scores[0] > scores[1] + 0.1  # random search finds about 2/3 ones in 60, evolution nearly all
    assert "Beside random search" in (run.folder / "report.html").read_text()


@pytest.mark.parametrize(
    "given",
    (
        {"genome": Parts((("a", Bits(9)), ("b", Bits(9)))), "teams": True},
        {"genome": Bits(9), "plan": Plan(6, 8, "mu+lambda", offspring=6)},
        {"genome": Bits(9), "plan": Plan(6, 8, "gp", crossover=0.5, mutation=0.5)},
    ),
)
def test_random_search_scores_as_many_whatever_a_generation_costs(tmp_path, given):
    def fitness(genome, stream):
        return sum(map(sum, genome.values())) if isinstance(genome, dict) else sum(genome)

    experiment = Problem("p", **{"fitness": fitness, "plan": Plan(6, 8, mutation=0.9), **given}).experiment()
    few = {"finalists": 1, "last": 1, "finalist_games": 2, "champion_games": 2, "yardstick_games": 2, "baseline": True}
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", few), 1)
    carry_out(run)
    with Store(run.folder) as store:
        own, random = store.points(EVOLUTION), store.points(BASELINE)
    assert 0 <= random[-1].evaluations - own[-1].evaluations < 12


def test_random_search_ends_where_there_is_nobody_new(tmp_path):
    plan = Plan(4, 30, replacement="plus", mutation=0.9)
    experiment = Problem("p", Bits(2), fitness=sum, plan=plan).experiment()
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {"baseline": True}), 1)
    carry_out(run)
    with Store(run.folder) as store:
        assert 30 <= store.points(BASELINE)[-1].number < 60


def test_a_run_stops_when_it_is_good_enough(tmp_path):
    run = begin(tmp_path / "run", length=6, population=20, generations=50, stop_at=6)
    carry_out(run)
    with Store(run.folder) as store:
        points = store.points(EVOLUTION)
    assert points[-1].best_fitness == 6 and points[-1].number < 50
    assert read_champion(run.folder)["text"] == "111111"


# ---- Folders


def test_foreign_folders_are_left_alone(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "diary.txt").write_text("dear diary")
    with pytest.raises(BadRun, match="is not empty, and no run of ours"):
        begin(tmp_path / "notes")
    assert [path.name for path in (tmp_path / "notes").iterdir()] == ["diary.txt"]
    (tmp_path / "file").write_text("")
    with pytest.raises(BadRun, match="is no folder"):
        begin(tmp_path / "file")
    begin(tmp_path / "run")
    with pytest.raises(BadRun, match="holds a run already; --resume"):
        begin(tmp_path / "run")


def edit(path, **changes):
    data = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in {**data, **changes}.items() if value != "away"}))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "other"}, "is no run: it does not begin with the format 'ludwin-run'"),
        ({"version": 2}, "was written by a newer Ludwin (version 2 of ludwin-run, this one reads up to 1)"),
        ({"version": "1"}, "'version' must be a whole number of at least 1, got '1'"),
        ({"seed": "one"}, "got 'one'"),
        ({"settings": {}}, "has no setting 'length'"),
        ({"ludwin": "9.9"}, "was begun by ludwin 9.9"),
        ({"identity": {"rules": "abc"}}, "the rules of onemax has changed since the run began"),
    ],
)
def test_settings_that_are_not_ours_are_refused(tmp_path, changes, reason):
    run = begin(tmp_path / "run")
    edit(run.folder / "settings.json", **changes)
    with pytest.raises(BadRun, match=re.escape(reason)):
        carry_out(reopen(run.folder, find))


@pytest.mark.parametrize("key", ["population", "colour"])
def test_a_changed_schema_is_refused_for_going_on_but_not_for_looking(tmp_path, key):
    run = begin(tmp_path / "run")
    carry_out(run)
    stored_settings = json.loads((run.folder / "settings.json").read_text())["settings"]
    changed = {**stored_settings, key: "away"} if key == "population" else {**stored_settings, key: 1}
    for name in ("settings.json", "champion.json"):
        edit(run.folder / name, settings={k: v for k, v in changed.items() if v != "away"})
    assert reopen(run.folder, find).is_finished
    assert describe(open_champion(run.folder, find))["size"] == 20
    (run.folder / "report.html").unlink()
    with pytest.raises(BadRun, match=f"setting '{key}': it was written by another version"):
        reopen(run.folder, find)


def test_a_database_of_somebody_else_or_of_the_future_is_refused(tmp_path):
    run = begin(tmp_path / "run")
    carry_out(run)
    path = run.folder / "run.sqlite"
    link = sqlite3.connect(path)
    link.execute("PRAGMA user_version = 7")
    link.close()
    with pytest.raises(BadRun, match="written by a newer Ludwin"):
        Store(run.folder)
    assert "newer" in entries([tmp_path])[0].trouble
    path.unlink()
    link = sqlite3.connect(path)
    link.execute("CREATE TABLE cakes (name TEXT)")
    link.close()
    with pytest.raises(BadRun, match="no database of ours"):
        Store(run.folder)
    path.write_bytes(b"not a database at all, but long enough to be examined" * 10)
    with pytest.raises(BadRun, match="not a database"):
        Store(run.folder)


def test_genomes_in_a_database_are_examined(tmp_path):
    stop = Event()
    run = begin(tmp_path / "run")
    with pytest.raises(Stopped):
        carry_out(run, progress=StopAfter(stop, 2), stop=stop)
    link = sqlite3.connect(run.folder / "run.sqlite")
    link.execute("""UPDATE individuals SET genome = '"012"' WHERE number = 0""")
    link.commit()
    link.close()
    with pytest.raises(BadRun, match="generation 0 of evolution was edited or removed after it was stored"):
        carry_out(reopen(run.folder, find))
    make_old(run.folder)  # where there are no seals, the genome itself is examined
    with pytest.raises(BadRun, match="wanted a text of 20 times 0 or 1"):
        carry_out(reopen(run.folder, find))


def test_two_processes_do_not_work_on_one_run(tmp_path, monkeypatch):
    pytest.importorskip("fcntl")
    monkeypatch.setattr("ludwin.files.LOCK_SECONDS", 0.1)
    run = begin(tmp_path / "run")
    log = Log(run.folder)
    with pytest.raises(BadRun, match="another process is working on"):
        carry_out(run)
    log.close()
    carry_out(run)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"format": "ludwin-run"}, "is no champion: it does not begin with the format 'ludwin-champion'"),
        ({"version": 99}, "newer Ludwin"),
        ({"genome": "away"}, "'genome' is missing"),
        ({"genome": "2" * 20}, "wanted a text of 20 times 0 or 1"),
        ({"size": None}, "'size' must be a whole number"),
        ({"score": {"opponent": "x"}}, "'score'.score is missing"),
        ({"record": [3]}, "'record'[0] must be an object, got 3"),
        ({"settings": {"length": "long"}}, "length must be a whole number"),
    ],
)
def test_champions_are_read_with_suspicion(tmp_path, changes, reason):
    run = begin(tmp_path / "run")
    carry_out(run)
    edit(run.folder / "champion.json", **changes)
    with pytest.raises(BadRun, match=re.escape(reason)):
        open_champion(run.folder, find)


# ---- Series, comparison, parts


def test_a_series_is_one_ordinary_run_per_seed_and_a_summary(tmp_path):
    settings = settle(REGRESSION, "quick", {**CURVE, "baseline": True})
    series = create_series(tmp_path / "series", REGRESSION, "quick", settings, 4, 3)
    stop = Event()
    with pytest.raises(Stopped):
        carry_out_series(series, progress=StopAfter(stop, 20), stop=stop)
    carry_out_series(series)
    summary = json.loads((series.folder / "summary.json").read_text())
    scores = [row["score"] for row in summary["runs"]]
    assert [row["seed"] for row in summary["runs"]] == [4, 5, 6]
    assert (
        summary["mean"]["value"] == pytest.approx(sum(scores) / 3) and summary["mean"]["low"] < summary["mean"]["value"]
    )
    assert (
        summary["best"]["folder"] == f"seed-{4 + scores.index(max(scores))}"
        and 0 < summary["baseline"]["test"]["p"] <= 1
    )
    assert open_champion(series.folder, find).path.parent.name == summary["best"]["folder"]
    assert "p = " in (series.folder / "report.html").read_text()
    alone = create(tmp_path / "alone", REGRESSION, "quick", settings, 5)
    carry_out(alone)
    assert result(alone.folder) == result(series.folder / "seed-5")


def test_means_have_students_interval():
    found = spread_of([1.0, 2.0, 3.0, 4.0, 5.0])  # oracle: t(0.975, 4) = 2.776445
    assert found["value"] == 3 and found["high"] - 3 == pytest.approx(2.776445 * (2.5 / 5) ** 0.5, abs=1e-5)
    assert spread_of([0.5])["high"] == float("inf")


def fake_run(folder, wins, games=100, experiment=ONEMAX):
    """Carry out a small run whose measures are as given, so that comparisons have known answers."""

    def measure(settings, genome, opponent, games_, seed, workers):
        return Measure.of(opponent, (games - wins, 0, wins))

    carry_out(begin(folder, replace(experiment, measure=measure)))


def test_two_runs_are_compared_game_by_game(tmp_path):
    fake_run(tmp_path / "a", 60)
    fake_run(tmp_path / "b", 40)
    found = compare(tmp_path / "a", tmp_path / "b")
    assert found["test"] == "Welch's t, two-sided" and found["difference"] == pytest.approx(0.2)
    assert found["p"] == pytest.approx(
        0.00457, abs=2e-4
    )  # t = 0.2 / sqrt(2 * 0.24 / 99) = 2.872, 198 degrees of freedom
    assert compare(tmp_path / "a", tmp_path / "a")["p"] == 1


def test_a_run_that_is_gone_from_a_finished_series_is_made_again_by_the_same_version_only(tmp_path, monkeypatch):
    settings = settle(ONEMAX, "quick", {"population": "8", "generations": "3"})
    series = create_series(tmp_path / "series", ONEMAX, "quick", settings, 4, 2)
    carry_out_series(series)
    was, summary = result(series.folder / "seed-5"), (series.folder / "summary.json").read_bytes()
    assert series.is_finished

    shutil.rmtree(series.folder / "seed-5")
    assert not series.is_finished
    monkeypatch.setattr(ludwin, "__version__", "99.0")
    with pytest.raises(BadRun, match=r"seed-5 of the finished series .* is missing .* this is 99\.0"):
        carry_out_series(series)
    monkeypatch.undo()
    carry_out_series(series)
    assert series.is_finished and result(series.folder / "seed-5") == was
    assert (series.folder / "summary.json").read_bytes() == summary


def test_two_series_are_compared_seed_by_seed(tmp_path):
    for seed in range(4):
        fake_run(tmp_path / "good" / f"seed-{seed}", 70 + seed)
        fake_run(tmp_path / "bad" / f"seed-{seed}", 30 + seed)
    found = compare(tmp_path / "good", tmp_path / "bad")
    assert found["test"].startswith("Mann-Whitney") and found["superiority"] == 1
    assert found["p"] == pytest.approx(2 / 70)  # oracle: of the 70 orders of 4 and 4, two are as extreme
    with pytest.raises(BadRun, match="compare two runs or two series"):
        compare(tmp_path / "good", tmp_path / "bad" / "seed-0")


def test_what_cannot_be_compared_is_said(tmp_path):
    fake_run(tmp_path / "a", 60)
    other = replace(ONEMAX, opponents=lambda settings: ("somebody else",))
    fake_run(tmp_path / "b", 40, experiment=other)
    begin(tmp_path / "c")
    for second, reason in (
        ("b", "different opponents: all ones and somebody else"),
        ("c", "has no champion yet"),
        ("d", "holds no run"),
    ):
        with pytest.raises(BadRun, match=reason):
            compare(tmp_path / "a", tmp_path / second)
    with pytest.raises(BadRun, match="different opponents: somebody else and all ones"):  # in the order of the folders
        compare(tmp_path / "b", tmp_path / "a")
    carry_out(begin(tmp_path / "e"))
    assert compare(tmp_path / "e", tmp_path / "e")["test"] is None  # exact scores


def test_the_list_shows_every_run_below_a_folder(tmp_path):
    carry_out(begin(tmp_path / "x" / "done"))
    begin(tmp_path / "x" / "begun", seed=7)
    (tmp_path / "x" / "future").mkdir()
    shutil.copy(tmp_path / "x" / "done" / "settings.json", tmp_path / "x" / "future")
    edit(tmp_path / "x" / "future" / "settings.json", version=5)
    (tmp_path / "x" / "web").mkdir()
    (tmp_path / "x" / "web" / "settings.json").write_text('{"theme": "dark"}')
    found = {one.folder.name: one for one in entries([tmp_path])}
    assert set(found) == {"done", "begun", "future"}
    assert found["done"].is_finished and found["done"].score and found["done"].generation == 8
    assert (found["begun"].generation, found["begun"].seed, found["begun"].is_finished) == (-1, 7, False)
    assert "newer Ludwin" in found["future"].trouble


@pytest.mark.parametrize(
    ("spoil", "trouble"),
    [
        ("UPDATE measures SET score = 'high'", "'score' must be a number from 0 to 1, got 'high'"),
        ("UPDATE measures SET games = -3", "'games' must be a whole number from 0"),
        ("UPDATE measures SET counts = '[\"x\"]'", "'counts' must be a list of"),
        ("UPDATE measures SET counts = '['", "'[' is not JSON"),
        ("UPDATE generations SET best_fitness = 'high'", "a value of generations must be a number, got 'high'"),
        ("UPDATE generations SET evaluations = x'00'", "a value of generations must be a whole number"),
        ("DROP TABLE measures", "its tables are not those of version"),
        ("CREATE VIEW more AS SELECT 1", "its tables are not those of version"),
        (
            "CREATE TRIGGER t AFTER INSERT ON measures BEGIN DELETE FROM generations; END",
            "its tables are not those of version",
        ),
    ],
)
@pytest.mark.parametrize("version", [1, 2])
def test_a_spoiled_database_is_one_line_and_hides_no_other_run(tmp_path, spoil, trouble, version):
    for name in ("good", "spoiled"):
        carry_out(begin(tmp_path / name))
    if version == 1:
        make_old(tmp_path / "spoiled")
    elif "tables" not in trouble:
        trouble = "was edited"
    spoil_database(tmp_path / "spoiled", spoil)
    found = {one.folder.name: one for one in entries([tmp_path])}
    assert found["good"].score and trouble in found["spoiled"].trouble
    with pytest.raises(BadRun, match=re.escape(trouble)):
        compare(tmp_path / "good", tmp_path / "spoiled")
    with pytest.raises(BadRun, match=re.escape(trouble)):
        carry_out(reopen(tmp_path / "spoiled", find))


def test_a_spoiled_genome_is_named_with_its_file(tmp_path):
    carry_out(begin(tmp_path / "run"))
    link = sqlite3.connect(tmp_path / "run" / "run.sqlite")
    link.execute("UPDATE individuals SET genome = '{'")
    link.commit()
    link.close()
    (tmp_path / "run" / "report.html").unlink()
    with pytest.raises(BadRun, match="generation 0 of evolution was edited"):
        carry_out(reopen(tmp_path / "run", find))
    make_old(tmp_path / "run")
    with pytest.raises(BadRun, match=r"run\.sqlite: '{' is not JSON"):
        carry_out(reopen(tmp_path / "run", find))


# ---- Seals

GONE = "was edited or removed after it was stored; begin a new run with --out"


@pytest.mark.parametrize(
    ("commands", "trouble"),
    [
        (
            ["DELETE FROM generations WHERE number = 3", "DELETE FROM individuals WHERE generation = 3"],
            f"generation 3 of evolution {GONE}",
        ),
        (["DELETE FROM generations WHERE number = 0"], f"generation 0 of evolution {GONE}"),
        (
            ["DELETE FROM generations WHERE number = 8", "DELETE FROM individuals WHERE generation = 8"],
            f"generation 8 of evolution {GONE}",
        ),
        (["DELETE FROM individuals WHERE generation = 8"], f"generation 8 of evolution {GONE}"),
        (["DELETE FROM individuals WHERE generation = 2 AND number = 1"], f"generation 2 of evolution {GONE}"),
        (["UPDATE generations SET best_fitness = 19.5 WHERE number = 4"], f"generation 4 of evolution {GONE}"),
        (["UPDATE generations SET number = 99 WHERE number = 8"], f"of evolution {GONE}"),
        (
            ["UPDATE individuals SET genome = '\"11111111111111111111\"' WHERE generation = 5 AND number = 0"],
            f"generation 5 of evolution {GONE}",
        ),
        (["UPDATE individuals SET fitness = fitness + 1 WHERE generation = 8"], f"generation 8 of evolution {GONE}"),
        (["INSERT INTO memory VALUES ('evolution', 0, '1')"], "what the last generation remembers was edited"),
        (
            ["UPDATE measures SET score = 0.99, low = 0.99, high = 0.99"],
            "a measurement (yardstick of generation 0) was edited after it was stored",
        ),
        (["DELETE FROM measures WHERE purpose = 'champion'"], "a measurement was added or removed after the run was"),
        (
            [
                "INSERT INTO measures SELECT 'late', purpose, generation, number, opponent, score, low, high, games, "
                "counts, distinct_games, effective, seal FROM measures LIMIT 1"
            ],
            "a measurement was added or removed after the run was finished",
        ),
        (["DELETE FROM seals WHERE number = 3"], f"generation 3 of evolution {GONE}"),
        (["UPDATE seals SET seal = 'x' WHERE branch = 'settings'"], "settings.json was edited after the run began"),
    ],
)
def test_a_run_that_somebody_edited_does_not_go_on(tmp_path, commands, trouble):
    carry_out(begin(tmp_path / "run"))
    spoil_database(tmp_path / "run", *commands)
    with pytest.raises(BadRun, match=re.escape(trouble)) as caught:
        carry_out(reopen(tmp_path / "run", find))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("change", [{"generation": 1}, {"score": {"score": 0.1, "low": 0.0, "high": 0.2}}])
def test_a_champion_whose_score_is_not_the_one_that_was_measured_is_no_result(tmp_path, change, capsys):
    run = begin(tmp_path / "run")
    carry_out(run)
    champion = json.loads((run.folder / "champion.json").read_text())
    changed = {key: {**champion[key], **value} if isinstance(value, dict) else value for key, value in change.items()}
    edit(run.folder / "champion.json", **changed)
    assert main(["evolve", "--resume", str(run.folder)]) == 2
    assert "champion.json: its score or generation is not what" in capsys.readouterr().err


@pytest.mark.parametrize("change", ["mutation", "population", "yardstick_games"])
def test_edited_settings_are_noticed_by_going_on_and_by_looking(tmp_path, change, capsys):
    run = begin(tmp_path / "run", mutation=0.5)
    carry_out(run)
    settings = json.loads((run.folder / "settings.json").read_text())["settings"]
    edit(run.folder / "settings.json", settings={**settings, change: 1 if change == "mutation" else 10})
    assert "settings.json was edited after the run began" in entries([tmp_path])[0].trouble
    assert main(["evolve", "--resume", str(run.folder)]) == 2
    (run.folder / "report.html").unlink()
    assert main(["evolve", "--resume", str(run.folder)]) == 2
    err = capsys.readouterr().err
    assert (
        err.count(
            "settings.json was edited after the run began, so the run cannot be believed; begin a new one with --out"
        )
        == 2
    )


def test_a_finished_run_without_any_generation_is_refused(tmp_path, capsys):
    run = begin(tmp_path / "run")
    carry_out(run)
    link = sqlite3.connect(run.folder / "run.sqlite")
    for table in ("generations", "individuals", "measures", "memory"):
        link.execute(f"DELETE FROM {table}")
    link.execute("DELETE FROM seals WHERE branch <> 'settings'")
    link.commit()
    link.close()
    assert main(["evolve", "--resume", str(run.folder)]) == 2
    assert "has a report, but no generation is stored" in capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs links and pipes")
@pytest.mark.parametrize(
    "make", [lambda path: path.symlink_to(path.parent.parent / "precious"), os.mkfifo], ids=["link", "pipe"]
)
@pytest.mark.parametrize("name", ["log.jsonl", "champion.json", "curves.svg"])
def test_a_run_does_not_write_through_links_or_pipes(tmp_path, make, name):
    (tmp_path / "precious").write_text("mine")
    run = begin(tmp_path / "run")
    make(run.folder / name)
    with pytest.raises(BadRun, match=f"{name} is a link or no ordinary file; a run goes on only in files of its own"):
        carry_out(run)
    assert (tmp_path / "precious").read_text() == "mine"


def test_runs_without_seals_are_opened_go_on_and_say_so(tmp_path, capsys):
    stop = Event()
    with pytest.raises(Stopped):
        carry_out(begin(tmp_path / "run"), progress=StopAfter(stop, 2), stop=stop)
    make_old(tmp_path / "run")
    assert main(["evolve", "--resume", str(tmp_path / "run")]) == 0
    assert "was begun before runs were sealed, so edits of its files would not be noticed" in capsys.readouterr().err
    carry_out(begin(tmp_path / "whole"))
    assert (tmp_path / "run" / "champion.json").read_bytes() == (tmp_path / "whole" / "champion.json").read_bytes()
    assert main(["runs", str(tmp_path)]) == 0


def test_ablation_measures_the_rest_in_the_same_games(tmp_path):
    run = begin(tmp_path / "run", REGRESSION, population=200, generations=30)
    carry_out(run)
    champion = open_champion(run.folder, find)
    rows = ablate(champion, 100)
    assert rows[0]["part"] == "(whole)" and rows[0]["change"] == 0 and len(rows) == 3
    assert all(row["change"] == row["score"] - rows[0]["score"] for row in rows)
    assert rows[0]["score"] > max(row["score"] for row in rows[1:])
    assert ablate(champion, 100) == rows


# ---- Pictures


def test_charts_are_whole_svg_documents():
    lines = [
        Line("best & <worst>", [(0, 1.0), (1, 2.0), (2, float("nan"))], [(0.5, 1.5), (1.0, float("inf")), (0, 0)]),
        Line("none", []),
    ]
    picture = chart('a "title" that is much too long for the width of one small chart', lines)
    root = ElementTree.fromstring(stack([picture, chart("empty", [])]))
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "best & <worst>" in texts and "nothing measured" in texts
    numbers = [
        float(value)
        for node in root.iter()
        for key, value in node.attrib.items()
        if key in ("x1", "x2", "y1", "y2", "cx", "cy")
    ]
    assert numbers and all(0 <= number <= 500 for number in numbers)


@pytest.mark.parametrize(("low", "high"), [(0, 1), (-3, 7), (0.001, 0.0013), (5, 123456), (2, 2)])
def test_ticks_divide_an_axis(low, high):
    marks = ticks(low, high)
    assert 1 <= len(marks) <= 8 and all(low - 1e-9 <= mark <= high + 1e-9 for mark in marks)


def test_a_report_holds_no_control_characters():
    whole = page("a\x1b[31m", "b\x07", ["c\x9b\nd"])
    assert "<h1>a?[31m</h1>\n<p>b?</p>\nc?\nd" in whole and "\x1b" not in whole


def test_a_report_needs_nothing_beside_it(tmp_path):
    run = begin(tmp_path / "run", replace(ONEMAX, picture=lambda settings, genome: "<svg id='tree'></svg>"))
    carry_out(run)
    page = (run.folder / "report.html").read_text()
    assert "<svg id='tree'>" in page and page.count("<svg") == 6
    links = set(re.findall(r"(?:src|href|url)\W+(\w+://[^\"')]+|\w+\.\w+)", page))
    assert not links, links
    assert all(f"<td>{key}</td><td>{value_text(value)}</td>" in page for key, value in run.settings.items())


@pytest.mark.parametrize("path", sorted(SHIPPED.glob("*/data/champions/*.json")), ids=lambda path: path.stem)
def test_every_champion_that_ships_can_be_loaded(path):
    assert load_player(path).agent.name  # a setting that came later once made one of them a stranger to its genome
