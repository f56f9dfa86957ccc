"""The command line keeps its promises: words, JSON keys, exit codes, one line for a mistake."""

import json
import os
import subprocess
import sys
import time

import pytest

from ludwin import __version__, load
from ludwin.cli import main
from ludwin.laws import _mark

NIM = """FIELDS = {"heap": int, "turn": int}
MAX_MOVES = 3
def setup(s): s.heap = 21
def mover(s): return s.turn
def moves(s, out):
    for k in range(min(3, s.heap)):
        out[k] = k + 1
    return min(3, s.heap)
def play(s, m):
    s.heap -= m
    s.turn = 1 - s.turn
def payoff(s, p): return -1 if s.turn == p else 1
"""


def run_json(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_version(capsys):
    with pytest.raises(SystemExit) as exit:
        main(["--version"])
    assert exit.value.code == 0 and __version__ in capsys.readouterr().out


def test_help_is_quick_and_imports_nothing_heavy():
    code = (
        "import sys; sys.argv = ['ludwin', '--help']\nfrom ludwin.cli import main\ntry: main()\nexcept "
        "SystemExit: pass\nprint([m for m in sys.modules if m.split('.')[0] in ('numpy', 'numba', 'rich', "
        "'scipy')])"
    )
    began = time.process_time()
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip().endswith("[]") and "perft" in run.stdout
    del began


def test_games_and_agents_list_everything(capsys):
    games = {g["game"]: g for g in run_json(capsys, "games")["games"]}
    assert games["draughts"]["parameters"] == {"size": 8, "quiet_limit": 80, "ply_limit": 0}
    assert games["li-nim"]["players"] == 3 and "hidden" in games["kuhn-poker"]["kind"]
    agents = {a["agent"]: a for a in run_json(capsys, "agents")["agents"]}
    assert {"alphabeta", "uct", "random", "guide", "expectimax"} <= set(agents)
    assert run_json(capsys, "agents", "uct")["agents"][0]["parameters"][0]["name"] == "playouts"


def test_perft_and_divide(capsys):
    data = run_json(capsys, "perft", "draughts", "4", "--mode", "plain")
    assert (data["game"], data["depth"], data["leaves"]) == ("draughts", 4, 1469) and data["seconds"] > 0
    divided = run_json(capsys, "perft", "draughts", "3", "--divide", "--mode", "plain")
    assert sum(m["leaves"] for m in divided["moves"]) == divided["leaves"] == 302
    assert run_json(capsys, "perft", "nim", "0")["leaves"] == 1


def test_a_position_is_drawn_to_a_file(capsys, tmp_path):
    path = tmp_path / "table.svg"
    assert main(["moves", "carcassonne", "--from", "D !E", "--svg", str(path)]) == 0
    assert path.read_text("utf8").startswith("<svg") and "lays E" in path.read_text("utf8")
    wrong = (
        ("carcassonne", tmp_path, "is a folder"),
        ("carcassonne", tmp_path / "no" / "t.svg", "no folder"),
    )
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(path)
    assert main(["moves", "carcassonne", "--svg", str(tmp_path / "link")]) == 0
    assert (tmp_path / "link").is_symlink() and "lays E" not in path.read_text(
        "utf8"
    )  # what the link leads to is written
    for game, where, words in (*wrong, ("carcassonne", tmp_path / "pipe", "not an ordinary file")):
        assert main(["moves", game, "--svg", str(where)]) == 2
        assert words in capsys.readouterr().err


def test_moves_of_a_position(capsys):
    data = run_json(capsys, "moves", "nim", "--from", "heap=2 turn=1")
    assert [m["code"] for m in data["moves"]] == [1, 2] and data["mover"] == 1 and not data["over"]
    over = run_json(capsys, "moves", "nim", "--from", "heap=0 turn=1")
    assert over["over"] and over["payoffs"] == [1, -1]


def test_choose_gives_its_reasons(capsys):
    data = run_json(capsys, "choose", "nim", "alphabeta:depth=21")
    assert (data["code"], data["value"], data["decided"]) == (1, 1.0, True) and data["nodes"] > 0
    assert set(data) == {"move", "code", "value", "decided", "nodes"}


def test_match_is_reproducible(capsys):
    words = ("match", "tic-tac-toe", "alphabeta:depth=2", "random", "--games", "6", "--seed", "3")
    first, again = run_json(capsys, *words), run_json(capsys, *words)
    assert first == again and first["games"] == 6 == first["wins"] + first["draws"] + first["losses"]
    assert first["score"] == (first["wins"] + first["draws"] / 2) / 6


def test_a_fifteen_line_file_plays_at_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nim.py").write_text(NIM)
    for mark in (_mark(load("./nim.py")), _mark(load("./nim.py")).with_name(load("./nim.py").source.texts_hash)):
        mark.unlink(missing_ok=True)  # an earlier run of this test has seen the file
    assert main(["match", "./nim.py", "uct:playouts=1000", "random", "--games", "20", "--json"]) == 0
    out = capsys.readouterr()
    assert json.loads(out.out)["wins"] >= 15
    assert out.err.startswith(
        "ludwin: ./nim.py is new: it is Python code, so it runs with your rights; checking it …\n"
    )
    assert main(["moves", "./nim.py"]) == 0
    assert "it is Python code" not in capsys.readouterr().err  # only the first time


def test_check_says_file_and_line_and_fails_with_1(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(NIM.replace("return s.turn", "return s.trun"))
    assert main(["check", "./bad.py"]) == 1
    assert (
        capsys.readouterr().err.strip()
        == "ludwin: bad.py:4: the state has no field 'trun'; did you mean 'turn'? (FIELDS has heap, turn)"
    )
    assert main(["check", "./bad.py", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) | {"ok": False, "line": 4} == json.loads(json.dumps({**_last(tmp_path)}))
    assert main(["moves", "./bad.py"]) == 2


def _last(folder):
    return {
        "game": "./bad.py",
        "ok": False,
        "error": {
            "kind": "RuleError",
            "message": "the state has no field 'trun'; did you mean 'turn'? (FIELDS has heap, turn)",
        },
        "file": str(folder / "bad.py"),
        "line": 4,
    }


def test_new_writes_a_game_that_passes_its_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "my_game"]) == 0
    assert main(["check", "./my_game.py", "--playouts", "20"]) == 0
    assert "keeps the laws of games" in capsys.readouterr().out
    before = (tmp_path / "my_game.py").read_bytes()
    assert main(["new", "my_game"]) == 2 and "exists already" in capsys.readouterr().err
    assert (tmp_path / "my_game.py").read_bytes() == before
    assert main(["new", "my-game!"]) == 2


@pytest.mark.parametrize(
    "words, part",
    [
        (["moves", "chmop"], "no game called 'chmop'"),
        (["moves", "nim:heaps=3"], "did you mean 'heap'"),
        (["moves", "nim:heap=x"], "heap must be a whole number, got 'x'"),
        (["moves", "nim:heap"], "key=value"),
        (["moves", "./nothing.py"], "there is no file"),
        (["moves", "draughts", "--from", "nonsense"], "cannot read 'nonsense'"),
        (["choose", "nim", "alphabta"], "did you mean 'alphabeta'"),
        (["choose", "nim", "uct:playouts=-3"], "at least 0"),
        (["choose", "pig", "alphabeta"], "games of chance"),
        (["match", "nim", "uct", "random", "--games", "5"], "even"),
        (["match", "li-nim", "uct", "random"], "3"),
        (["bench", "nonsense"], "no benchmark called"),
    ],
)
def test_misuse_is_one_helpful_line_and_exit_2(words, part, capsys):
    assert main(words) == 2
    error = capsys.readouterr().err.strip()
    assert part in error and "Traceback" not in error and len(error.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["perft", "nim"],
        ["perft", "nim", "x"],
        ["perft", "nim", "-1"],
        ["nonsense"],
        ["perft", "nim", "3", "--mode", "slow"],
    ],
)
def test_a_line_that_cannot_be_read_exits_2(words, capsys):
    with pytest.raises(SystemExit) as exit:
        main(words)
    assert exit.value.code == 2 and len(capsys.readouterr().err.strip().splitlines()) == 1


def test_analyse_shows_lines_and_visits(capsys):
    data = run_json(capsys, "analyse", "tic-tac-toe", "alphabeta:depth=9", "--mode", "fast")
    assert data["value"] == 0 and data["decided"] and len(data["line"]) == 9
    data = run_json(capsys, "analyse", "tic-tac-toe", "uct:playouts=200")
    assert sum(m["visits"] for m in data["moves"]) == 200


def test_cache_is_shown_and_cleared(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("LUDWIN_CACHE", str(tmp_path / "cache"))
    data = run_json(capsys, "cache")
    assert data["entries"] == 0 and data["folder"].endswith("cache")
    ours = tmp_path / "cache" / "ludwin_fast_nim_perft_0123456789abcdef0123"
    ours.mkdir()
    (ours / "a").write_text("12345")
    (tmp_path / "cache" / "mine").mkdir()
    assert run_json(capsys, "cache", "--clear")["freed"] == 5
    assert (tmp_path / "cache" / "mine").exists() and not ours.exists()


def test_a_broken_pipe_is_no_error():
    run = subprocess.run(f"{sys.executable} -m ludwin games | head -1", shell=True, capture_output=True, text=True)
    assert "Traceback" not in run.stderr and "Errno" not in run.stderr


def test_another_broken_pipe_than_ours_is_an_error(monkeypatch, capfd):
    def asks_a_program_that_is_gone(options):
        raise BrokenPipeError(32, "Broken pipe")

    monkeypatch.setattr("ludwin.cli.games.run", asks_a_program_that_is_gone)
    assert main(["games"]) == 2
    assert capfd.readouterr().err == "ludwin: a program that was asked is gone: [Errno 32] Broken pipe\n"
