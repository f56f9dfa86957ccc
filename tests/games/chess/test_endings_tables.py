"""Tables of chapters 4 and 5: what was copied, what is exact, and small runs of the others."""

import pytest

from ludwin.errors import BadParameter
from ludwin.games.chess.language import NAMES
from ludwin.games.chess.tables import STUDIES, TABLES, endings_analysis, endings_runs
from ludwin.lab.experiment import begin, finish
from ludwin.lab.published import figure, rows

DATA = endings_analysis.DATA
KNOWN = {table.name: table for table in (*TABLES, *STUDIES)}


def filled(name, folder, **size):
    given = {"preset": "quick", "games": None, "runs": None, "seed": 1, "workers": 1, "resume": None, **size}
    run = begin(KNOWN[name], out=folder, **given)
    KNOWN[name].fill(run)
    return run, finish(run)


def test_published_columns_are_whole_and_agree_with_each_other():
    strengths = rows(DATA / "chess_5_2.csv")
    assert len(strengths) == 12 and {row["terminal"] for row in strengths} <= set(NAMES)
    for row in strengths:  # the printed strength is the mean of the printed three
        mean = sum(figure(row[word]) for word in ("single", "disabled", "left out")) / 3
        assert figure(row["strength"]) == pytest.approx(mean, abs=0.002)
    assert len(rows(DATA / "chess_5_3.csv")) == 21 and len(rows(DATA / "chess_5_1.csv")) == 27
    implied = [
        (figure(row["wins"]) + 0.75 * figure(row["advantages"]) + 0.5 * figure(row["draws"])) / 100
        for row in rows(DATA / "chess_f4_2.csv")
    ]
    assert implied == pytest.approx([0.49, 0.42])


def test_the_first_column_of_table_5_1_is_exact(tmp_path):
    run, _ = filled("chess-5.1", tmp_path)
    first = [row for row in run.rows if row.label.startswith("move 1:")]
    assert len(first) == 7 and {row.verdict for row in first} == {"reproduced"}
    assert sum(row.verdict == "reproduced" for row in run.rows if row.metric == "Gpec190's score") == 15
    with pytest.raises(BadParameter, match="leave --games away"):
        filled("chess-5.1", tmp_path / "other", games=40)


@pytest.fixture
def tiny(monkeypatch):
    monkeypatch.setitem(endings_runs.SIZES, "quick", (6, 1))
    monkeypatch.setitem(endings_analysis.SMALL, "quick", (4, 1))
    monkeypatch.setattr(endings_runs, "ENGINES", ())
    monkeypatch.setattr(endings_runs, "OWN", "random")


@pytest.mark.parametrize(
    ("name", "count"),
    [
        pytest.param("chess-f5.3", 8, marks=pytest.mark.thorough),
        pytest.param("chess-four", 42, marks=pytest.mark.slow),
        *(
            pytest.param(*both, marks=pytest.mark.slow)
            for both in (("chess-f4.1a", 12), ("chess-f4.1b", 3), ("chess-f4.2", 10), ("chess-language", 3))
        ),
    ],
)
def test_small_runs_of_a_table_fill_it_and_are_gone_on_with(name, count, tiny, tmp_path):
    size = {"games": 8, "runs": 2 if name == "chess-f4.1a" else 1}
    run, data = filled(name, tmp_path, **size)
    assert len(run.rows) == count and all("verdict" in row for row in data["rows"])
    again = begin(KNOWN[name], preset="quick", seed=1, workers=1, out=None, resume=tmp_path, **size)
    KNOWN[name].fill(again)
    assert [row.as_json() for row in again.rows] == data["rows"]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "count"), [("chess-5.2", 135), ("chess-5.3", 22)])
def test_small_runs_of_the_tables_of_terminals_fill_them(name, count, tiny, tmp_path):
    run, _ = filled(name, tmp_path, games=8, runs=1)
    assert len(run.rows) == count and {row.verdict for row in run.rows} == {"measured"}  # other opponents: no verdict
    assert run.rows[-1].metric == "Kendall's tau-b" and -1 <= run.rows[-1].low <= run.rows[-1].high <= 1
