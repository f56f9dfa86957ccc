"""Games that last: kept, gone on with, replayed, analysed, rated; levels, turned boards, rematches."""

import io
import json
import re

import pytest

from ludwin import agent, load
from ludwin.cli import main
from ludwin.cli.board_view import BoardView, turned_for
from ludwin.cli.prompt import Prompt, play
from ludwin.cli.screen import Screen
from ludwin.errors import BadParameter, UnknownAgent
from ludwin.library import levels
from ludwin.play.session import open_session


def run(capsys, *words, code=0):
    """Run a command and return what it printed."""
    assert main(list(words)) == code
    return capsys.readouterr()


def sit(game, agents, lines, **more):
    """Play at a prompt in plain mode; return the session and what was said."""
    session = open_session(load(game), [agent(a) if a else None for a in agents], mode="plain", **more)
    talk = io.StringIO()
    play(session, streams=(io.StringIO(lines), talk, io.StringIO()))
    return session, talk.getvalue()


def test_every_game_is_another_one(capsys):
    seeds = set()
    for _ in range(3):
        said = run(capsys, "play", "kuhn-poker", "random", "random", "--mode", "plain").out
        seeds.add(re.search(r"\(seed (\d+)\)", said)[1])
    assert len(seeds) > 1
    first = run(capsys, "play", "pig:goal=10", "random", "random", "--mode", "plain", "--seed", "7").out
    assert run(capsys, "play", "pig:goal=10", "random", "random", "--mode", "plain", "--seed", "7").out == first


def test_without_a_game_one_is_told_what_to_type(capsys):
    said = run(capsys, "play").out
    assert "ludwin play draughts" in said and "easy, medium, hard" in said
    assert "nim" in [row["game"] for row in json.loads(run(capsys, "play", "--json").out)["games"]]


@pytest.mark.parametrize("suffix", [".json", ".pdn"])
def test_a_finished_game_is_kept_replayed_analysed_and_rated(capsys, tmp_path, monkeypatch, suffix):
    file = str(tmp_path / f"game{suffix}")
    run(capsys, "play", "draughts", "random", "uct:playouts=5", "--seed", "4", "--mode", "plain", "--save", file)
    monkeypatch.chdir("/")  # from anywhere
    assert "1 game of draughts: it replays to its payoffs" in run(capsys, "replay", file).out
    told = json.loads(run(capsys, "analyse", file, "alphabeta:depth=2", "--mode", "plain", "--json").out)
    assert told["agents"] == ["random", "uct:playouts=5"] and len(told["values"]) == len(told["moves"]) + 1
    ratings = json.loads(run(capsys, "rate", file, "--json").out)["ratings"]
    assert {row["agent"] for row in ratings} == {"random", "uct:playouts=5"} and ratings[0]["games"] == 1


@pytest.mark.parametrize("suffix", [".json", ".pdn"])
def test_an_unfinished_game_is_kept_with_the_persons_name(capsys, tmp_path, monkeypatch, suffix):
    file = str(tmp_path / f"game{suffix}")
    monkeypatch.setattr("sys.stdin", io.StringIO("11-15\nquit\n"))
    run(capsys, "play", "draughts", "random", "--name", "Ada", "--mode", "plain", "--save", file)
    said = run(capsys, "replay", file, "--game", "0").out
    assert "player 0 is Ada" in said and "11-15" in said and "the game is unfinished" in said
    assert "1 game of draughts: it is unfinished, its moves are legal" in run(capsys, "replay", file).out
    assert json.loads(run(capsys, "replay", file, "--json").out)["unfinished"] == 1
    assert "1 unfinished game left out" in run(capsys, "rate", file).err
    monkeypatch.setattr("sys.stdin", io.StringIO("moves\nquit\n"))
    said = run(capsys, "play", "--load", file, "--mode", "plain").out
    assert "draughts" in said and ("2 moves so far" in said or suffix == ".pdn")


def test_who_resigned_has_lost_in_the_kept_game(capsys, tmp_path):
    session, _ = sit("nim", ["random"], "1\nresign\n", seed=3)
    session.save(tmp_path / "game.json")
    assert json.loads((tmp_path / "game.json").read_text())["end"] == "resignation"
    again = open_session(load("nim"), load=tmp_path / "game.json")
    assert again.end == "resignation" and again.loser == 0
    data = json.loads(run(capsys, "replay", str(tmp_path / "game.json"), "--game", "0", "--json").out)
    assert (data["end"], data["payoffs"], data["reason"]) == ("forfeit", [-1.0, 1.0], "resigned")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"end": "resignation"}, "'loser' must be a player"),
        ({"end": "time", "loser": 2}, "'loser' must be a player of 0 … 1"),
        ({"end": "checkmate", "loser": 0}, "end"),
        ({"names": []}, "names"),
    ],
)
def test_a_forged_ending_is_refused_in_one_line(capsys, tmp_path, change, reason):
    session, _ = sit("nim", ["random"], "1\nquit\n", seed=3)
    session.save(tmp_path / "game.json")
    data = json.loads((tmp_path / "game.json").read_text())
    (tmp_path / "game.json").write_text(json.dumps({**data, **change}))
    err = run(capsys, "replay", str(tmp_path / "game.json"), code=2).err
    assert reason in err and err.count("\n") == 1


def test_other_peoples_files_are_spared(capsys, tmp_path):
    file = tmp_path / "games.pdn"
    file.write_text('[Event "x"]\n[Result "1-0"]\n\n1. 11-15 1-0\n')
    _, said = sit("draughts", ["random"], f"save {file}\nquit\n", seed=3)
    assert "was not written here" in said and '[Event "x"]' in file.read_text()
    _, said = sit("nim", ["random"], f"save {tmp_path / 'n.pdn'}\nquit\n", seed=3)
    assert "PDN is for draughts" in said


def test_a_page_and_pictures_of_a_game_are_written(capsys, tmp_path):
    games, page = str(tmp_path / "games.jsonl"), str(tmp_path / "game.html")
    main(
        ["match", "tic-tac-toe", "random", "greedy", "--games", "2", "--out", games, "--html", str(tmp_path / "m.html")]
    )
    capsys.readouterr()
    data = json.loads(run(capsys, "replay", games, "--html", page, "--svg", str(tmp_path / "b.svg"), "--json").out)
    plies = len(data["files"]) - 2  # a picture for the start, and the page
    assert (tmp_path / "game.html").read_text().count('class="step"') == plies + 1
    assert (tmp_path / "b-000.svg").exists() and "<style>" in (tmp_path / "b-000.svg").read_text()
    assert "All games" in (tmp_path / "m.html").read_text()
    assert "--ply goes with --svg" in run(capsys, "replay", games, "--ply", "3", code=2).err
    assert "ends with .svg" in run(capsys, "replay", games, "--svg", "b.png", code=2).err


# Levels


def test_levels_are_agents_and_records_say_which(capsys):
    assert list(levels(load("nim"))) == ["easy", "medium", "hard"]
    assert str(agent("medium", load("draughts"))) == levels(load("draughts"))["medium"]
    assert "plays" in run(capsys, "choose", "nim", "easy").out
    with pytest.raises(UnknownAgent, match="easy is a level of a game"):
        agent("easy")
    with pytest.raises(UnknownAgent, match="has no parameters"):
        agent("easy:playouts=3", load("nim"))


@pytest.mark.parametrize("said", ['{"easy": "random"}', '"hard"', '{"easy": "hard", "medium": "uct", "hard": "uct"}'])
def test_levels_of_a_users_game_are_examined(tmp_path, said):
    text = '"""Heap."""\nFIELDS = {"heap": int}\nMAX_MOVES = 1\n\n\ndef setup(s):\n    s.heap = 3\n\n\n'
    text += (
        "def mover(s):\n    return s.heap % 2\n\n\ndef moves(s, out):\n    out[0] = 1\n    return min(s.heap, 1)\n\n\n"
    )
    text += f"def play(s, m):\n    s.heap -= m\n\n\ndef payoff(s, p):\n    return 1 if p else -1\n\n\nLEVELS = {said}\n"
    (tmp_path / "heap.py").write_text(text)
    with pytest.raises(UnknownAgent, match="LEVELS"):
        agent("easy", load(str(tmp_path / "heap.py")))


# The board


@pytest.mark.parametrize("person", [0, 1])
def test_the_board_is_turned_towards_the_person(person):
    agents = [None, agent("random")] if person == 0 else [agent("random"), None]
    session = open_session(load("draughts"), agents, seed=1)
    view = BoardView(session.game, turned_for(session))
    drawn = view.turned(session.state.show()).splitlines()
    mine = "b" if person == 0 else "w"
    assert mine in drawn[7] and mine not in drawn[0] and drawn[8] == "Black to move"
    assert view.turned(session.state.show()).count("b") == session.state.show().count("b")
    numbers = [int(n) for n in re.findall(r"\d+", "\n".join(drawn))]
    assert sorted(numbers) == sorted(int(n) for n in re.findall(r"\d+", session.state.show()))


def test_colours_follow_the_pieces_when_the_board_is_turned():
    session = open_session(load("draughts"), [None, agent("random")], seed=1)
    plain, turned = BoardView(session.game, False), BoardView(session.game, True)
    for view in (plain, turned):
        text, styles = view.styled(session.state.show(), session)
        lines = text.splitlines()
        found = {lines[row][column] for (row, column), style in styles.items() if "blue" in style}
        assert found == {"b"} and len([s for s in styles.values() if "blue" in s]) == 12
        assert len([s for s in styles.values() if "green" in s]) == 4  # where Black may go


def test_of_hidden_games_nothing_is_coloured():
    session = open_session(load("kuhn-poker"), [agent("random")], seed=1)
    assert BoardView(session.game).lattice is None


def test_tab_offers_moves_and_commands():
    session = open_session(load("draughts"), [None, agent("random")], seed=1)
    prompt = Prompt(session, Screen(io.StringIO(), io.StringIO()))
    assert prompt.words("11-") == ["11-15", "11-16"] and prompt.words("un") == ["undo"]
    assert prompt.screen._complete("11-", 1) == "11-16" and prompt.screen._complete("11-", 2) is None


def test_in_a_rematch_everybody_moves_one_seat_further():
    session = open_session(load("li-nim"), [None, agent("random"), agent("greedy")], seed=5)
    again = session.rematch(6)
    assert [str(one) for one in again.taken] == ["random", "greedy", "None"] and again.referee.seed == 6
    assert again.ply == 0 and again.state == session.referee.states[0]


def test_moves_lead_to_a_position(capsys):
    data = json.loads(run(capsys, "moves", "nim:heap=9", "--moves", "2 3", "--json").out)
    assert data["position"] == "4:0"
    assert "--moves, number 2: nim:" in run(capsys, "moves", "nim:heap=4", "--moves", "3 2", code=2).err
    assert "never closed" in run(capsys, "moves", "nim", "--moves", '"3', code=2).err
    with pytest.raises(BadParameter, match="brings its own start"):
        from ludwin.cli import doors

        module, options = doors.read(["play", "nim", "--load", "x.json", "--moves", "1"])
        module.run(options)
