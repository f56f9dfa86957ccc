"""Tables of evolved players: the published figures, what verdicts mean, and tiny reproductions that resume and share
runs.
"""

import json
import shutil
from dataclasses import astuple, replace
from statistics import fmean

import pytest

from ludwin.arena.stats import Estimate
from ludwin.evolve.experiment import Measure
from ludwin.evolve.register import find
from ludwin.evolve.run import reopen
from ludwin.evolve.store import EVOLUTION, BadRun, Store
from ludwin.games.draughts.tables.ten import TABLE_3_11
from ludwin.games.lose_checkers.tables.evolved import (
    EVOLVED,
    RUNS_3_7,
    TABLE_3_6,
    TABLE_3_7,
    TABLE_3_8,
    TABLE_3_9,
    TABLE_3_10,
)
from ludwin.games.reversi.tables import TABLE_3_12
from ludwin.lab import evolved
from ludwin.lab.evolved import _mean, fill, reproduction
from ludwin.lab.experiment import begin, finish
from ludwin.lab.register import TABLES as REGISTERED
from ludwin.lab.sources.champions import Column, EvolvedSize, EvolvedTable, PublishedRun, make_champions, plan_run
from ludwin.lab.verdicts import RANGE, Finding

TABLES = (*EVOLVED, TABLE_3_11, TABLE_3_12)
TINY = {preset: EvolvedSize(4, 2, 4, 2) for preset in ("quick", "standard", "paper")}
CHEAP = {"depth": 1, "max_depth": 4, "init_high": 3}


@pytest.fixture(autouse=True)
def hurry(monkeypatch):
    """Do not wait for the disk."""
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")


def tiny(table, **more):
    """Return a table of the same shape that is filled in a moment: small runs of players that do not search."""
    runs = {
        name: tuple(replace(one, fitness="2guide3", changes=CHEAP) for one in getattr(table, name))
        for name in ("runs", "made_by")
    }
    shallow = tuple(
        replace(column, opponent=column.opponent.replace("depth=8", "depth=2").replace("depth=6", "depth=2"))
        for column in table.columns
    )
    return replace(
        table, **{"columns": tuple({column.key: column for column in shallow}.values()), "sizes": TINY, **runs, **more}
    )


def run_of(table, folder=None, resume=None, **more):
    given = {"preset": "quick", "games": None, "runs": None, "seed": 1, "workers": 1, "out": folder, "resume": resume}
    return begin(reproduction(table), **{**given, **more})


def filled(table, folder=None, resume=None, **more):
    run = run_of(table, folder, resume, **more)
    told = []
    run.news = told.append
    fill(run, table)
    return finish(run), told


# ---- What was published ---------------------------------------------------------------------------------


def test_every_table_is_registered_with_its_presets():
    for table in TABLES:
        sizes = REGISTERED[table.name].sizes
        assert set(sizes) == {"quick", "standard", "paper"}
        largest = max(
            len([one for one in (table.made_by or table.runs) if one.group == group])
            for group in {one.group for one in table.runs}
        )
        assert sizes["paper"] == (1000, largest)  # all published runs, and the book's 1000 games


def test_published_means_are_those_of_the_source():
    def means(table):
        return [round(1000 * fmean(one.scores[k] for one in table.runs), 1) for k in range(len(table.runs[0].scores))]

    assert fmean(one.scores[0] for one in TABLE_3_7.runs) == pytest.approx(0.73645)
    assert means(TABLE_3_12) == [932.9, 755.7]
    assert (len(TABLE_3_6.runs), len(TABLE_3_7.runs), len(TABLE_3_8.runs), len(TABLE_3_9.runs)) == (6, 10, 6, 6)
    assert (len(TABLE_3_10.runs), len(TABLE_3_11.runs), len(TABLE_3_12.runs)) == (8, 6, 8)
    assert (
        max(one.scores[0] for one in TABLE_3_6.runs) == 0.721 and max(one.scores[0] for one in TABLE_3_9.runs) == 0.4945
    )


def test_table_3_8_shows_the_best_six_of_table_3_7():
    best = sorted(RUNS_3_7, key=lambda one: -one.scores[0])[:6]
    assert {one.name for one in best} == {one.name for one in TABLE_3_8.runs} == {one.name for one in TABLE_3_9.runs}
    assert {one.name: one.scores[0] for one in TABLE_3_8.runs} == {one.name: one.scores[0] for one in best}


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_runs_have_the_book_s_settings(table, tmp_path):
    run = run_of(table, tmp_path / "x", preset="paper")
    for seed, one in enumerate(table.made_by or table.runs, 1):
        settings = plan_run(run, table, one, *table.flavours[0], seed).settings
        assert (settings["breeding"], settings["selection"], settings["one_way"]) == ("ga", "duel", "fitter")
        assert (
            settings["crossover"],
            settings["mutation"],
            settings["local"],
            settings["subtree"],
            settings["linear"],
        ) == (0.8, 0.2, 0.5, 0.5, 0.0)
        assert (
            settings["fitness"] == one.fitness
            and settings["yardstick_every"] == 1
            and settings["yardstick_games"] == 1000
        )
        find(table.experiment).fitness(settings, 1)  # it can be read
    assert (settings["population"], settings["generations"]) == ((50, 70) if table is TABLE_3_10 else (100, 100))
    assert settings["mobility"] is (table is not TABLE_3_6)
    depths = {"lose-checkers-3.6": 1, "lose-checkers-3.10": 4, "checkers10-3.11": 2, "reversi-3.12": 4}
    assert settings["depth"] == depths.get(table.name, 3)


def test_columns_come_in_both_flavours_and_say_which_are_comparable():
    found = {column.title: (column.opponent, column.is_comparable) for column in TABLE_3_8.columns}
    assert len(found) == 8
    assert found["αβ4 floored"] == ("guide:depth=4,floor=0", True) and found["αβ4 correct"] == ("guide:depth=4", False)
    assert found["αβ3 correct"] == ("guide:depth=3", True)
    assert {column.opponent for column in TABLE_3_9.columns if "αβ5" in column.title} == {
        "guide:depth=5,floor=0, itself at depth 5",
        "guide:depth=5, itself at depth 5",
    }
    assert [column.changes for column in TABLE_3_11.columns] == [{"quiet_limit": 20}, {}, {"quiet_limit": 100}]


def test_another_opponent_than_the_published_one_differs():
    guide = Column("αβ4 correct", "guide:depth=4", 0, is_comparable=False)
    found = Finding(Estimate(0.7, 0.65, 0.75), 100, 0.7, scores=(0.6, 0.8))
    assert evolved._row("x", found, guide, "made here").verdict == "differs"
    assert evolved._row("x", replace(found, samples=99), guide, "made here").verdict == "measured"
    row = evolved._row("x", found, replace(guide, is_comparable=True), "made here")
    assert (row.verdict, row.tolerance, row.note) == (
        "reproduced",
        pytest.approx(0.1),
        "made here; published range 0.6000 to 0.8000, mean 0.7000",
    )


def test_verdicts_follow_the_stated_rule():
    published = [0.5, 0.75, 1.0]

    def verdict(low, high, games=100):
        return RANGE.judge(Finding(Estimate((low + high) / 2, low, high), games, scores=published))

    assert verdict(0.76, 0.80) == "beaten" and verdict(0.75, 0.80) == "reproduced"
    assert verdict(0.40, 0.50) == "reproduced" and verdict(0.40, 0.49) == "below"
    assert verdict(0.90, 1.00) == "beaten" and verdict(0.90, 1.00, games=99) == "measured"


def test_a_mean_is_never_more_certain_than_its_games():
    same = [Measure("x", 0.6, 0.5, 0.7, 100)] * 2
    assert astuple(_mean(same)) == pytest.approx((0.6, 0.6 - 0.1 / 2**0.5, 0.6 + 0.1 / 2**0.5))
    apart = [Measure("x", value, value - 0.01, value + 0.01, 100) for value in (0.4, 0.5, 0.6)]
    assert astuple(_mean(apart)) == pytest.approx(
        (0.5, 0.5 - 4.3027 * 0.1 / 3**0.5, 0.5 + 4.3027 * 0.1 / 3**0.5), abs=1e-4
    )
    assert astuple(_mean([Measure("x", 0.1, 0.0, 1.0, 4), Measure("x", 0.9, 0.0, 1.0, 4)])) == pytest.approx(
        (0.5, 0.0, 1.0)
    )
    assert astuple(_mean(same[:1])) == (0.6, 0.5, 0.7)


# ---- Tiny reproductions ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    """Return a tiny table 3.7 and the folder of it."""
    folder = tmp_path_factory.mktemp("tables") / "a"
    return filled(tiny(TABLE_3_7), folder)[0], folder


def test_a_table_has_a_row_for_every_cell_and_a_mean(first):
    data, folder = first
    rows = {row["label"]: row for row in data["rows"]}
    assert list(rows) == [
        "r00044A, αβ3 floored",
        "r00046A, αβ3 floored",
        "mean, αβ3 floored",
        "r00044A, αβ3 correct",
        "r00046A, αβ3 correct",
        "mean, αβ3 correct",
        "mean of maxima, αβ3 correct",
    ]
    ours = [rows[f"{name}, αβ3 correct"]["ours"] for name in ("r00044A", "r00046A")]
    mean = rows["mean, αβ3 correct"]
    assert (
        mean["ours"] == pytest.approx(fmean(ours))
        and mean["published"] == pytest.approx(0.73645)
        and mean["games"] == 8
    )
    assert "2 of 10 runs, population 4, 2 generations; published range 0.6965 to 0.7865" in mean["note"]
    assert rows["r00044A, αβ3 correct"]["published"] == 0.744 and rows["r00044A, αβ3 correct"][
        "tolerance"
    ] == pytest.approx(0.045)
    for row in data["rows"][:-1]:
        assert row["verdict"] == "measured" and row["low"] <= row["ours"] <= row["high"]  # four or eight games
        assert f"{row['games']} are too few for a verdict, which needs 100 games" in row["note"]
    assert json.loads((folder / "table.json").read_text(encoding="utf8"))["rows"] == data["rows"]


def test_the_champion_is_the_best_of_the_benchmarks(first):
    data, folder = first
    with Store(folder / "r00044A") as store:
        notes = store.measures(EVOLUTION, "yardstick")
    best = max(notes, key=lambda note: (note.measure.score, note.generation))
    assert len(notes) == 3 and {note.measure.opponent for note in notes} == {"guide:depth=3"}
    (row,) = [row for row in data["rows"] if row["label"] == "r00044A, αβ3 correct"]
    assert f"maximum over generations {best.measure.score:.4f} in generation {best.generation}" in row["note"]
    assert "run r00044A, seed 1, 2guide3" in row["note"]
    run = reopen(folder / "r00044A", find)  # an ordinary run
    assert run.is_finished and run.seed == 1


def test_the_same_seed_gives_the_same_table_with_two_workers_and_without_a_folder(first):
    data, _ = first
    assert filled(tiny(TABLE_3_7), workers=2)[0] == data
    assert filled(tiny(TABLE_3_7), seed=2)[0] != data


def test_a_stopped_table_goes_on_to_the_same_end(first, tmp_path):
    data, folder = first
    cut = tmp_path / "cut"
    shutil.copytree(folder, cut)
    (cut / "table.json").unlink()
    (cut / "r00046A" / "report.html").unlink()
    shutil.rmtree(cut / "fresh")
    again, told = filled(tiny(TABLE_3_7), resume=cut)
    assert again == data and any("fresh games" in line for line in told)
    assert (cut / "table.json").read_bytes() == (folder / "table.json").read_bytes()
    again, told = filled(tiny(TABLE_3_7), resume=cut)
    assert again == data and not any("fresh games" in line for line in told)  # they are stored


def test_ctrl_c_loses_no_generation(first, tmp_path):
    data, _ = first
    table, folder = tiny(TABLE_3_7), tmp_path / "stopped"
    run = run_of(table, folder)

    def interrupt(line):
        if line.startswith("r00046A: 4 fresh games"):
            raise KeyboardInterrupt

    run.news = interrupt
    with pytest.raises(KeyboardInterrupt):
        fill(run, table)
    assert (folder / "r00046A" / "champion.json").exists() and not (folder / "table.json").exists()
    assert filled(table, resume=folder)[0] == data


def test_tables_share_their_runs_with_tables_beside(first):
    _, folder = first
    beside = folder.parent / "b"
    found, told = filled(tiny(TABLE_3_8), beside)
    assert f"r00044A: taken over from {folder}" in told and f"r00046A: taken over from {folder}" in told
    assert (beside / "r00044A" / "champion.json").read_bytes() == (folder / "r00044A" / "champion.json").read_bytes()
    labels = [row["label"] for row in found["rows"]]
    assert labels.count("r00044A, αβ4 floored") == 1 and len(
        [label for label in labels if label.startswith("mean, ")]
    ) == len(tiny(TABLE_3_8).columns)
    even = [row for row in found["rows"] if "αβ4 correct" in row["label"]]
    assert {row["verdict"] for row in even} == {"measured"} and all("probably floored" in row["note"] for row in even)
    assert all(
        row["published"] in (0.744, 0.9445, 0.816, 0.758) for row in found["rows"] if row["label"].startswith("r00044A")
    )
    _, told = filled(tiny(TABLE_3_8), folder.parent / "c", seed=2)  # other runs: nothing to share
    assert not any("taken over" in line for line in told)


def test_the_best_of_the_runs_are_shown(first):
    _, folder = first
    table = tiny(TABLE_3_8)
    run = run_of(table, folder.parent / "d")
    shown = make_champions(run, table, "", "", {})
    every = make_champions(run, replace(table, made_by=(), runs=table.made_by), "", "", {})
    assert len(every) == 2 and len(shown) == 1  # six of ten, so one of two
    assert shown[0].maximum.score == max(champion.maximum.score for champion in every)


def test_flavours_and_groups_are_kept_apart(tmp_path):
    runs = (
        PublishedRun("r1", "2guide3", (0.5,), CHEAP, "low"),
        PublishedRun("r2", "2guide3", (0.9,), CHEAP, "high"),
        PublishedRun("r3", "2guide3", (0.7,), CHEAP, "high"),
    )
    columns = (Column("αβ3", "guide:depth=3", 0), Column("αβ2", "guide:depth=2", None))
    table = EvolvedTable(
        "lose-checkers-3.6",
        "tiny",
        "lose-checkers",
        {},
        runs,
        columns,
        TINY,
        (("one tree", {"trees": 1}), ("ten trees", {"trees": 10})),
    )
    data, _ = filled(table, tmp_path / "x", runs=1)
    labels = [row["label"] for row in data["rows"]]
    assert labels[:5] == [
        "r1, one tree, low, αβ3",
        "mean, one tree, low, αβ3",
        "mean of maxima, one tree, low, αβ3",
        "r1, one tree, low, αβ2",
        "mean, one tree, low, αβ2",
    ]
    assert [label.partition(",")[0] for label in labels if label.startswith("r")] == ["r1", "r1", "r2", "r2"] * 2
    unpublished = [row for row in data["rows"] if "αβ2" in row["label"]]
    assert all(row["verdict"] == "measured" and row["published"] is None for row in unpublished)
    (high,) = [row for row in data["rows"] if row["label"] == "mean, ten trees, high, αβ3"]
    assert "1 of 2 runs" in high["note"] and "published range 0.7000 to 0.9000" in high["note"]
    assert (tmp_path / "x" / "r2-ten-trees" / "champion.json").exists()


def test_a_folder_with_another_run_is_refused(first, tmp_path):
    table, folder = tiny(TABLE_3_7), tmp_path / "x"
    run = run_of(table, folder)
    shutil.copytree(first[1] / "r00046A", folder / "r00044A")  # the wrong seed
    with pytest.raises(BadRun, match="holds another run than this table needs; give another --out"):
        fill(run, table)
