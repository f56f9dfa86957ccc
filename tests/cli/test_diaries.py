"""Three first hours, as scripts: a student who writes a game, a doctoral student who experiments, a hobbyist who plays.

Each keeps what was made, goes elsewhere, and finds it again.  The notebook of each is a session of Python.
"""

import io
import json
import re

import pytest

from ludwin.cli import main

pytestmark = pytest.mark.thorough


@pytest.fixture
def shell(tmp_path, monkeypatch, capsys):
    """A person at a command line: `shell("match", …)` returns what stdout says, `shell.at(folder)` goes elsewhere."""

    class Shell:
        home = tmp_path

        def at(self, folder):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
            monkeypatch.chdir(tmp_path / folder)

        def __call__(self, *words, code=0, typed=None):
            if typed is not None:
                monkeypatch.setattr("sys.stdin", io.StringIO(typed))
            assert main(list(words)) == code, capsys.readouterr().err
            found = capsys.readouterr()
            self.said = found.err
            return found.out

        def json(self, *words, **more):
            return json.loads(self(*words, "--json", **more))

    one = Shell()
    one.at("work")
    return one


def test_a_student_writes_a_game_and_finds_it_again(shell):
    shell("new", "stones")
    assert shell.json("check", "./stones.py", "--playouts", "5")["ok"]
    text = (shell.home / "work" / "stones.py").read_text()
    (shell.home / "work" / "stones.py").write_text(text.replace("HEAP, TAKE = 21, 3", "HEAP, TAKE = 9, 3"))
    shell("moves", "./stones.py", "--svg", "start.svg")  # a picture with no code
    assert (shell.home / "work" / "start.svg").read_text().startswith("<svg")
    said = shell(
        "play", "./stones.py", "random", "--mode", "plain", "--name", "Ada", "--save", "g.json", typed="take1\nquit\n"
    )
    assert re.search(r"\(seed \d+\)", said)
    shell("match", "./stones.py", "uct:playouts=20", "random", "--games", "4", "--out", "games.jsonl")
    shell("evolve", "./stones.py", "--set", "generations=1", "population=4", "--out", "runs/mine")
    # The next day, from elsewhere.
    shell.at("elsewhere/far")
    rules = ["--trust", "../../work/stones.py"]
    assert "all replay" in shell("replay", "../../work/games.jsonl", *rules)
    assert "running ../../work/stones.py" in shell.said  # said before it runs
    assert shell.json("analyse", "../../work/games.jsonl", "alphabeta:depth=9", *rules)["moves"]
    assert shell.json("rate", "../../work/games.jsonl")["games"] == 4  # needs no rules
    assert shell.json("show", "../../work/runs/mine")["experiment"] == "stones.py"  # nor does this
    assert "Ada" in shell("replay", "../../work/g.json", "--game", "0", *rules)
    shell("match", "../../work/stones.py", "evolved:../../work/runs/mine", "random", "--games", "2")
    shell("replay", "../../work/games.jsonl", code=2)
    assert "if you trust ../../work/stones.py, add --trust" in shell.said  # found, and not run unasked
    # What has changed is not the same game.
    (shell.home / "work" / "stones.py").write_text(text)
    shell("replay", "../../work/games.jsonl", *rules, code=2)
    assert "other rules" in shell.said


def test_a_doctoral_student_runs_experiments_and_gets_numbers_out(shell):
    study = 'games = ["nim:heap=7"]\nagents = ["uct:playouts={n}"]\nopponents = ["random"]\nplay = 4\n'
    (shell.home / "work" / "study.toml").write_text(f"{study}[parameters]\nn = [5, 20]\n")
    rows = shell.json("study", "./study.toml", "--out", "study")["rows"]
    assert len(rows) == 2 and all(row["low"] <= row["ours"] <= row["high"] for row in rows)
    assert (shell.home / "work" / "study" / "figure.svg").exists()
    event = shell.json(
        "tournament", "nim:heap=7", "uct:playouts=20", "greedy", "random", "--games", "4", "--out", "t.jsonl"
    )
    shell.at("paper")
    assert shell.json("rate", "../work/t.jsonl")["ratings"] == event["ratings"]
    assert shell("export", "../work/t.jsonl", "--csv").count("\n") == 1 + event["games"]
    assert shell("export", "../work/study", "--csv").count("\n") == 3
    assert shell.json("study", "../work/study.toml", "--resume", "../work/study")["rows"] == rows
    small = ["--candidates", "3", "--stages", "1", "--games", "2", "--confirm", "4", "--out", "tuned"]
    tuned = shell.json("tune", "nim:heap=7", "uct:playouts=5", "--over", "c=0.1..4", *small)
    assert tuned["tuned"].startswith("uct:playouts=5") and tuned["confirmation"]["games"] == 4
    # In a notebook.
    import ludwin

    rated = ludwin.rate("../work/t.jsonl")
    assert {row["agent"] for row in rated.rows()} == set(event["agents"]) and "<table>" in rated._repr_html_()
    assert ludwin.match("nim:heap=7", "uct:playouts=20", "random", games=4).to_dict()["games"] == 4


def test_a_hobbyist_plays_keeps_and_looks_back(shell):
    assert "ludwin play connect-four" in shell("play")
    first = shell("play", "kuhn-poker", "random", "random", "--mode", "plain", "--seed", "2")
    assert first == shell("play", "kuhn-poker", "random", "random", "--mode", "plain", "--seed", "2")
    said = shell(
        "play", "tic-tac-toe", "easy", "--name", "Bo", "--save", "game.json", typed="b2\nhint\nundo\nb2\nquit\n"
    )
    assert "Kept in game.json" in said
    shell("play", "draughts", "random", "easy", "--seed", "3", "--mode", "plain", "--save", "game.pdn")
    shell.at("evening")
    assert "Bo" in shell("replay", "../work/game.json", "--game", "0")
    shell("replay", "../work/game.pdn", "--html", "game.html")
    assert "<svg" in (shell.home / "evening" / "game.html").read_text()
    whole = shell.json("analyse", "../work/game.pdn", "alphabeta:depth=2", "--svg", "curve.svg")
    assert {"move", "code"} == set(whole["moves"][0]["best"]) and (shell.home / "evening" / "curve.svg").exists()
    assert len(shell.json("rate", "../work/game.pdn")["ratings"]) == 2
    on = shell("play", "--load", "../work/game.json", typed="moves\nquit\n")
    assert "tic-tac-toe" in on
    lines = shell.json("analyse", "tic-tac-toe", "alphabeta:depth=9", "--moves", "b2", "--lines", "3")["lines"]
    assert [line["value"] for line in lines] == sorted((line["value"] for line in lines), reverse=True)
    shell("tree", "tic-tac-toe", "uct:playouts=50", "--svg", "tree.svg")
    # In a notebook.
    import ludwin

    state = ludwin.load("tic-tac-toe").start().play("b2")
    assert state._repr_svg_().startswith("<svg") and ludwin.analyse("tic-tac-toe", "uct:playouts=20")._repr_html_()
