"""Tables and figures of chapter 7, filled small; lessons against Pubeval; the picture of locations."""

from statistics import fmean

import pytest

from ludwin.formats import BadFile, read_json
from ludwin.games.backgammon.evolve.gated import rounded
from ludwin.games.backgammon.evolve.learning import player
from ludwin.games.backgammon.evolve.lessons import PUBEVAL, SELF, taught
from ludwin.games.backgammon.evolve.matches import Matches
from ludwin.games.backgammon.opponents.oneply import Pubeval
from ludwin.games.backgammon.opponents.td import Learner
from ludwin.games.backgammon.tables import FIGURE_7_4, TABLE_7_4, TABLE_7_5
from ludwin.games.backgammon.tables.evolved import published
from ludwin.games.backgammon.tables.pictures import board_of_uses
from ludwin.lab.experiment import TABLE, begin, finish
from ludwin.library import agent, load


def _filled(table, folder, **more):
    run = begin(
        table,
        **{"preset": "quick", "games": 20, "runs": 1, "seed": 3, "workers": 1, "resume": None, **more},
        out=folder,
    )
    table.fill(run)
    finish(run)
    return run


def test_the_published_figures_have_the_books_means_and_extremes():
    one, islands = published("backgammon_7_4.csv", "GP-Gammon"), published("backgammon_7_5.csv", "I-GP-Gammon")
    assert (len(one), max(one), min(one), round(fmean(one), 3)) == (20, 0.568, 0.451, 0.52)
    assert (len(islands), max(islands), min(islands), round(fmean(islands), 3)) == (7, 0.624, 0.591, 0.615)


def test_figure_7_4_has_both_ways_the_difference_and_what_players_use(tmp_path):
    run = _filled(FIGURE_7_4, tmp_path / "a")
    labels = [row.label for row in run.rows]
    assert "knockout less external" in labels and "locations in use" in labels and "Player_Escape" in labels
    assert (tmp_path / "a" / "locations.svg").read_text(encoding="utf8").count("data-at=") == 26
    again = _filled(FIGURE_7_4, tmp_path / "a", resume=tmp_path / "a")  # nothing is played again
    assert again.rows == run.rows
    best = agent(f"evolved:{tmp_path / 'a' / 'knockout-seed-3.json'}")  # the best of a run, as a file that plays
    assert best.choose(load("backgammon"), load("backgammon").start().play("3-1"), mode="plain").depth == 1
    assert read_json(tmp_path / "a" / "table.json", TABLE)["rows"] == [row.as_json() for row in run.rows]


def test_a_table_of_another_size_is_not_resumed(tmp_path):
    with pytest.raises(Exception, match="holds no experiment to resume"):
        begin(TABLE_7_4, preset="quick", games=20, runs=1, seed=3, workers=1, out=None, resume=tmp_path)
    with pytest.raises(BadFile):
        read_json(tmp_path / "table.json", TABLE)


@pytest.mark.parametrize(
    "table",
    [pytest.param(TABLE_7_4, marks=pytest.mark.thorough), pytest.param(TABLE_7_5, marks=pytest.mark.slow)],
    ids=lambda table: table.name,
)
def test_tables_show_both_protocols_and_say_who_is_a_founder(tmp_path, table):
    run = _filled(table, tmp_path / "a")
    metrics = {row.metric for row in run.rows}
    assert metrics == {"win rate, fresh games", "win rate, as chosen", "points a game, fresh games"}
    for row in run.rows:
        if row.label.startswith("seed "):
            assert ("a founder" in row.note) == row.note.startswith("of generation 0;")
        if row.metric == "win rate, as chosen":
            assert row.verdict == "measured" and "flattering" in row.note


def test_lessons_are_the_same_in_plain_and_fast_mode():
    network = rounded(Learner.begin(1, 2).network)
    plain, fast = (taught(network, PUBEVAL, 1, (0.05, 0.02), 11, mode) for mode in ("plain", "fast"))
    assert plain == fast != network


def test_lessons_against_pubeval_teach():
    # 4,000 games lift a beginner of 10 terms from under 5 % to over 20 %; the interval of 400 games is 5 % wide.
    network = rounded(Learner.begin(10, 5).network)
    learnt = taught(network, PUBEVAL, 4000, (0.03, 0.01), 7)
    before, after = Matches(1).against([player(network), player(rounded(learnt))], Pubeval(), range(200))
    assert before.score < 0.05 and after.score > 0.2
    assert taught(network, SELF, 0, (0.1, 0.1), 1) == network


def test_the_picture_has_the_bar_the_points_and_off():
    text = board_of_uses([float(n) for n in range(26)])
    assert ">bar<" in text and ">off<" in text and ">24<" in text and "most: 25.00" in text
