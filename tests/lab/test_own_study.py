"""Studies of a user's own, and rows: a product of games, agents and seeds; resumed; data never decide what runs."""

import csv
import io
import json
import re

import pytest

import ludwin
from ludwin.cli import main
from ludwin.errors import LudwinError
from ludwin.lab.own_study import read_study
from ludwin.lab.rows import as_csv, rows_of

STUDY = """
name = "how much exploration"
games = ["nim:heap=5", "tic-tac-toe"]
agents = ["uct:playouts=3,c={c}", "random"]
opponents = ["random"]
play = 2
seeds = [1, 2]
[parameters]
c = [0.5, 2]
"""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """A study that was run into a folder."""
    folder = tmp_path_factory.mktemp("study")
    (folder / "mine.toml").write_text(STUDY)
    return folder, ludwin.reproduce(str(folder / "mine.toml"), out=folder / "out")


def test_a_study_is_the_product_of_what_it_names(done):
    labels = [row.label for row in done[1]]
    assert len(labels) == len(set(labels)) == 2 * (2 + 1) * 2
    assert labels[0] == "nim:heap=5: uct:playouts=3,c=0.5 – random, seed 1"
    assert all(row.low <= row.ours <= row.high and row.games == 2 for row in done[1])


def test_a_study_goes_on_in_its_folder_and_a_changed_one_does_not(done, capsys):
    folder, found = done
    assert main(["study", str(folder / "mine.toml"), "--resume", str(folder / "out"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == found.to_dict()
    (folder / "other.toml").write_text(STUDY.replace("[0.5, 2]", "[0.5, 3]"))
    with pytest.raises(LudwinError, match="other settings"):
        ludwin.reproduce(str(folder / "other.toml"), out=folder / "out")


def test_rows_of_a_table_and_of_records_read_back_from_csv(done, capsys):
    folder, found = done
    table = list(csv.DictReader(io.StringIO(as_csv(rows_of(folder / "out")))))
    assert [row["label"] for row in table] == [row.label for row in found]
    (record, *_) = sorted((folder / "out").glob("*.jsonl"))
    games = list(csv.DictReader(io.StringIO(as_csv(rows_of(record)))))
    assert [(row["agent0"], row["plies"]) for row in games] and {row["end"] for row in games} == {"rules"}
    assert main(["export", str(record), "--csv", "--out", str(folder / "games.csv")]) == 0
    assert list(csv.DictReader(io.StringIO((folder / "games.csv").read_bytes().decode()))) == games
    assert main(["export", str(folder / "mine.toml"), "--csv"]) == 2
    assert "neither a file of games" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("play = 2", "play = 3", "even"),
        ("play = 2", "play = 'x'", "play"),
        ("play = 2", "plays = 2", "did you mean 'play'"),
        ("c = [0.5, 2]", "c = []", "must be a list"),
        ("c = [0.5, 2]", "c = [0.5]\nd = [1]", "no agent has {d}"),
        ("c={c}", "c={cc}", "no parameter 'cc'"),
        ("c={c}", "cc={c}", "uct has no parameter 'cc'"),
        ('"nim:heap=5"', '"nmi"', "no game called 'nmi'"),
        ('"nim:heap=5"', '"fop"', "has 1 player"),
        ('"nim:heap=5"', '"./own.py"', "own.py"),
        ('"nim:heap=5", "tic-tac-toe"', "", "games must be a list"),
        ('opponents = ["random"]', 'opponents = ["process:./bot"]', "runs code"),
        ('opponents = ["random"]', 'opponents = ["./bot.py"]', "runs code"),
        ("play = 2", "play = [", "Invalid"),
    ],
)
def test_a_study_that_cannot_be_run_is_refused_in_one_line(old, new, words, tmp_path):
    (tmp_path / "own.py").write_text("raise SystemExit('it has run')")
    (tmp_path / "bot.py").write_text("raise SystemExit('it has run')")
    assert old in STUDY
    (tmp_path / "bad.toml").write_text(STUDY.replace(old, new, 1))
    with pytest.raises(LudwinError, match=words) as caught:
        read_study(tmp_path / "bad.toml")
    assert "\n" not in str(caught.value)


def test_errors_are_objects_under_json(capsys):
    assert main(["games", "chmop", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "UnknownGame"
    with pytest.raises(SystemExit):
        main(["match", "--jsn", "--json"])
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "BadLine"


def test_versions_of_everything_that_matters_are_told(capsys):
    with pytest.raises(SystemExit):
        main(["--version", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["ludwin"] == ludwin.__version__ and told["packages"]["numpy"] and told["packages"]["llvmlite"]


def test_a_game_is_explained_by_name(capsys):
    assert main(["games", "nim:heap=5"]) == 0
    said = capsys.readouterr().out
    assert "ludwin play nim:heap=5" in said and "levels: easy is" in said
    assert main(["games", "nim", "--json"]) == 0
    assert {"game", "players", "levels", "text"} <= set(json.loads(capsys.readouterr().out))


def test_results_show_themselves_in_a_notebook(done):
    from xml.etree import ElementTree

    match = ludwin.match("nim:heap=5", "random", "random", games=2, mode="plain")
    for thing in (match, match.outcome, done[1]):
        ElementTree.fromstring(thing._repr_html_())
    for thing in (ludwin.load("nim"), ludwin.load("nim").start()):
        assert thing._repr_svg_().startswith("<svg")


# Studies in Python, figures, reports

CODE = """
import os

print("a study may print")
name = "heaps"
games = ("./heap.py", "./heap.py:heap=5")
agents = ["./first.py", "uct:playouts=4,c={c}"]
opponents = ["random"]
play = 2
seeds = range(2)
parameters = {"c": [2.0**k for k in (-1, 1)]}
"""
FIRST = "def choose(state):\n    return state.moves()[0]\n"


@pytest.fixture
def own(tmp_path, workshop):
    """A study in Python beside a game and an agent of its own."""
    workshop.write(workshop.text, "heap.py")
    (tmp_path / "first.py").write_text(FIRST)
    (tmp_path / "study.py").write_text(CODE)
    return tmp_path


def test_a_study_in_python_runs_what_it_names_from_anywhere(own, capsys, monkeypatch):
    monkeypatch.chdir("/")
    assert main(["study", str(own / "study.py"), "--out", str(own / "out"), "--json"]) == 0
    said = capsys.readouterr()
    labels = [row["label"] for row in json.loads(said.out)["rows"]]
    assert len(labels) == 2 * (1 + 2) * 2 and "study.py, which is Python code and has your rights" in said.err
    assert main(["reproduce", str(own / "study.py"), "--resume", str(own / "out"), "--json"]) == 0
    assert [row["label"] for row in json.loads(capsys.readouterr().out)["rows"]] == labels
    (own / "study.py").write_text(CODE.replace("range(2)", "range(3)"))
    with pytest.raises(LudwinError, match="other settings"):
        ludwin.reproduce(str(own / "study.py"), out=own / "out")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (("opponents", "rivals"), "FIELDS"),  # no study, so it is read as a game with tables
        (('["random"]', "[]"), "opponents must be a list of texts"),
        (('["random"]', "[3]"), "opponents"),
        (("play = 2", "play = 3"), "play must be even"),
        (('"./first.py", ', '"./absent.py", '), "absent.py"),
        (("parameters =", "parameter ="), "no parameter 'c'"),
        (("import os", "1 / 0"), "division by zero"),
    ],
)
def test_a_study_in_python_that_is_wrong_is_one_line(own, capsys, change, why):
    (own / "study.py").write_text(CODE.replace(*change))
    assert main(["study", str(own / "study.py")]) == 2
    err = capsys.readouterr().err.splitlines()[-1]
    assert re.search(why, err), err


def test_a_table_has_a_figure_and_a_report_that_show_every_row(done):
    from xml.etree import ElementTree

    folder, found = done
    picture = (folder / "out" / "figure.svg").read_text()
    titles = [one.text for one in ElementTree.fromstring(picture).iter() if one.tag.endswith("title")]
    assert all(title.startswith(row.label) for title, row in zip(titles[-len(found) :], found, strict=True))
    page = (folder / "out" / "report.html").read_text()
    assert all(row.label in page for row in found) and "<svg" in page
    assert "http" not in page.replace("http://www.w3", "")  # nothing is loaded from elsewhere


def test_a_figure_shows_what_was_published():
    from ludwin.lab.experiment import Row, TableRun
    from ludwin.lab.figure import figure

    run = TableRun("t", "quick", 2, 1, 0, 1, None)
    run.add(Row("a", "seconds", 3.0, 2.0, 1.0, float("inf"), "below", games=3))
    run.add(Row("b", "score", None, 0.5, 0.5, 0.5, "measured"))
    text = figure(run)
    assert "published" in text and text.count("<path") == 2 and "nan" not in text
