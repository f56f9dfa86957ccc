"""Pictures: the right kind of file, the same bytes every time, and one clear line when something is missing."""

import math
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib
import pytest

from ludwin.arena.plot import plot_elo, plot_scores, plot_strength
from ludwin.arena.rating import Meeting, crosstable, rate
from ludwin.arena.stats import Estimate, elo
from ludwin.errors import BadParameter, LudwinError

MEETINGS = [
    Meeting("alphabeta:depth=5", "uct:playouts=100", 12, 3, 5),
    Meeting("uct:playouts=100", "random", 20, 0, 0),
    Meeting("alphabeta:depth=5", "$5 & <x>", 7, 7, 6),
]
STRENGTH = {
    "uct": {100: Estimate(-20, -60, 20), 400: Estimate(70, 20, 120), 200: Estimate(30, -10, 70)},
    "flat": {100: elo((0, 0, 10)), 200: elo((10, 0, 0))},
}
DRAWINGS = {
    "elo": lambda path: plot_elo(rate(MEETINGS).elo(), path),
    "scores": lambda path: plot_scores(crosstable(MEETINGS), path),
    "strength": lambda path: plot_strength(STRENGTH, path),
}


@pytest.mark.parametrize("kind", ["png", "svg"])
@pytest.mark.parametrize("name", DRAWINGS)
def test_the_same_numbers_give_the_same_bytes_whatever_the_users_settings(name, kind, tmp_path):
    one = DRAWINGS[name](tmp_path / f"one.{kind}")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red", "savefig.dpi": 20}):
        other = DRAWINGS[name](str(tmp_path / f"other.{kind}"))
        assert matplotlib.rcParams["font.size"] == 30
    assert one.read_bytes() == other.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"one.{kind}", f"other.{kind}"]


def test_another_process_draws_the_same(tmp_path):
    code = (
        "import sys; from ludwin.arena.plot import plot_elo; from ludwin.arena.stats import Estimate; "
        "plot_elo({'a': Estimate(1, 0, 2)}, sys.argv[1])"
    )
    files = [tmp_path / "one.svg", tmp_path / "other.svg"]
    plot_elo({"a": Estimate(1, 0, 2)}, files[0])
    subprocess.run([sys.executable, "-W", "error", "-c", code, files[1]], check=True)
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.parametrize("name", DRAWINGS)
def test_the_file_name_says_what_is_written(name, tmp_path):
    assert DRAWINGS[name](tmp_path / "picture.PNG").read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert ElementTree.parse(DRAWINGS[name](tmp_path / "picture.svg")).getroot().tag.endswith("svg")


def test_every_player_is_named_and_every_cell_written(tmp_path):
    ratings = plot_elo(rate(MEETINGS).elo(), tmp_path / "elo.svg", title="A title").read_text()
    for text in ("alphabeta:depth=5", "random", "A title"):
        assert f"<!-- {text} -->" in ratings
    scores = plot_scores(
        crosstable(MEETINGS), tmp_path / "scores.svg", names=["random", "uct:playouts=100"]
    ).read_text()
    assert "<!-- 100 -->" in scores
    assert "alphabeta" not in scores


def test_infinite_and_unknown_strengths_are_drawn(tmp_path):
    ratings = {
        "sweep": elo((0, 0, 9)),
        "lost": elo((9, 0, 0)),
        "unknown": Estimate(0.0, -math.inf, math.inf),
        "sure": Estimate(5.0, 5.0, 5.0),
    }
    text = plot_elo(ratings, tmp_path / "elo.svg").read_text()
    assert "<!-- +∞ -->" in text
    assert "<!-- −∞ -->" in text
    plot_elo({"sweep": elo((0, 0, 9))}, tmp_path / "alone.png")
    plot_strength({"sweep": {1: elo((0, 0, 9))}}, tmp_path / "strength.png", budget="seconds")
    plot_strength({"many": {2.0**k: Estimate(k, k - 1, k + 1) for k in range(40)}}, tmp_path / "many.png")


def test_a_picture_replaces_the_old_one_only_when_it_is_whole(monkeypatch, tmp_path):
    def half(figure, path, **_):
        path.write_text("half")
        raise OSError("disk full")

    path = tmp_path / "elo.png"
    path.write_text("old")
    monkeypatch.setattr("matplotlib.figure.Figure.savefig", half)
    with pytest.raises(OSError, match="disk full"):
        plot_elo({"a": Estimate(1, 0, 2)}, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["elo.png"]


def test_matplotlib_is_imported_only_to_draw_and_missed_in_one_line(monkeypatch, tmp_path):
    code = "import sys, ludwin.arena.plot; assert 'matplotlib' not in sys.modules and 'scipy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(LudwinError, match=r"plots need matplotlib: pip install 'ludwin\[plot\]'"):
        plot_elo({"a": Estimate(1, 0, 2)}, tmp_path / "a.png")


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        (lambda: plot_elo({"a": Estimate(1, 0, 2)}, "a.jpg"), ".png or .svg file, got 'a.jpg'"),
        (lambda: plot_elo({"a": Estimate(1, 0, 2)}, "nowhere/a.png"), "no folder 'nowhere'"),
        (lambda: plot_elo({}, "a.png"), "no players"),
        (lambda: plot_scores({}, "a.png"), "no scores"),
        (lambda: plot_strength({"a": {}}, "a.png"), "needs a budget"),
        (lambda: plot_strength({"a": {0: Estimate(1, 0, 2)}}, "a.png"), "above 0"),
    ],
)
def test_mistakes_are_told(mistake, words):
    with pytest.raises(BadParameter, match=words):
        mistake()
