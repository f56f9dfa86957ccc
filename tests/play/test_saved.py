"""Saved games of earlier versions open, and go on as they would have."""

import json
import shutil
from pathlib import Path

import pytest

from ludwin import load
from ludwin.play.saved import read_game, write_game
from ludwin.play.seats import seat_texts
from ludwin.play.session import open_session

FIXTURES = Path(__file__).parent / "fixtures"  # written by `ludwin play` before it was taken apart
FILES = sorted(FIXTURES.glob("*.json"))


def game_of(path):
    text = json.loads(path.read_text())["game"]
    return load(f"{FIXTURES}/{text}" if text.startswith("stones.py") else text)


def test_there_is_one_of_each_kind():
    assert {path.stem for path in FILES} == {
        "draughts",
        "kuhn-poker",
        "li-nim",
        "nim",
        "pig",
        "stones",
        "tic-tac-toe",
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_of_the_version_before_opens_and_is_written_back_to_the_byte(path, tmp_path):
    referee, taken = read_game(path, game_of(path))
    data = json.loads(path.read_text())
    assert (referee.played, seat_texts(taken), referee.seed) == (data["codes"], data["seats"], data["seed"])
    write_game(tmp_path / "again.json", referee, taken)
    if path.stem == "stones":  # of a user's rules it says now which text they had
        again = json.loads((tmp_path / "again.json").read_text())
        assert again.pop("rules") and again.pop("texts") == referee.game.source.texts_hash and again == data
    else:
        assert (tmp_path / "again.json").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_loaded_game_goes_on_as_the_whole_would_have(path):
    game, data = game_of(path), json.loads(path.read_text())
    whole = open_session(game, read_game(path, game)[1], start=game.position(data["start"]), seed=data["seed"])
    loaded = open_session(game, load=path)
    for session in (whole, loaded):
        session.mode = "plain"
    people = iter(data["codes"][ply] for ply in loaded.turns())
    list(whole.until_person())
    for code in people:
        whole.move(code)
        list(whole.until_person())
    list(loaded.until_person())
    for _ in range(3):
        assert whole.referee.played == loaded.referee.played
        for session in (whole, loaded):
            if session.awaits is not None:
                session.move(session.state.moves()[-1])
                list(session.until_person())


def test_saving_and_loading_within_a_session_change_nothing_but_the_file(tmp_path):
    session = open_session(load("pig:goal=40"), seed=4, mode="plain")
    list(session.until_person())
    session.move(0)
    list(session.until_person())
    session.save(tmp_path / "game.json")
    record = session.record()
    session.undo()
    session.load(tmp_path / "game.json")
    assert session.record() == record and session.file == tmp_path / "game.json"
    assert session.kept == tuple(session.referee.played)


def test_a_file_beside_other_rules_is_of_the_rules_that_the_person_names(tmp_path):
    for name in ("stones.json", "stones.py"):
        shutil.copy(FIXTURES / name, tmp_path)
    session = open_session(load(f"{tmp_path}/stones.py:heap=12"), load=tmp_path / "stones.json")
    assert session.ply == 2
