"""What the version before the house was rebuilt has written still opens, replays, resumes and plays.

The files of fixtures/house were written by ludwin 0.1.0 when draughts was one file, `games/draughts.py`, with other
fingerprints. A game of ours is known by its name.
"""

import io
import json
import shutil
from pathlib import Path

import pytest

from ludwin import agent, load
from ludwin.arena.replay import examine, open_event
from ludwin.cli import main
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.register import find
from ludwin.evolve.run import reopen
from ludwin.evolve.show import open_champion

HOUSE = Path(__file__).parent / "fixtures" / "house"
RECORDS = ("draughts.jsonl", "draughts.pdn", "lose-checkers.jsonl")


@pytest.fixture
def house(tmp_path, monkeypatch):
    """Return a copy of the files, in which a test may write."""
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")
    copy = tmp_path / "house"
    shutil.copytree(HOUSE, copy)
    monkeypatch.chdir(copy)
    return copy


@pytest.mark.parametrize("name", RECORDS)
def test_old_records_replay_to_their_payoffs(name):
    event = open_event(HOUSE / name, load)
    games = list(event.games)
    assert len(games) == 6 and event.game.is_ours
    for line, record in games:
        examine(event, line, record)


def test_the_fixtures_are_of_other_texts_than_ours():
    header = json.loads((HOUSE / "draughts.jsonl").read_text().splitlines()[0])
    assert header["rules"] != load("draughts").fingerprint[:16], "then these tests show nothing"


def test_pdn_and_records_hold_the_same_games():
    records, pdn = (open_event(HOUSE / f"draughts{end}", load) for end in (".jsonl", ".pdn"))
    for (_, ours), (_, theirs) in zip(records.games, pdn.games, strict=True):
        assert (*ours.opening, *ours.moves) == theirs.moves and ours.payoffs == theirs.payoffs


@pytest.mark.parametrize("name", ["draughts.jsonl", "lose-checkers.jsonl"])
@pytest.mark.parametrize("kept", [0, 3])
def test_an_old_event_is_resumed_to_the_same_bytes(name, kept, house, capsys):
    path = house / name
    whole = path.read_bytes()
    path.write_bytes(b"".join(whole.splitlines(keepends=True)[: 1 + kept]))
    assert main(["match", "--resume", name]) == 0
    assert path.read_bytes() == whole


def test_an_old_event_whose_games_are_not_of_our_rules_is_not_resumed(house, capsys):
    path = house / "draughts.jsonl"
    lines = path.read_text().splitlines()
    record = json.loads(lines[1])
    lines[1] = json.dumps({**record, "moves": [*record["moves"][:4], 1, *record["moves"][5:]]})
    path.write_text("\n".join(lines[:3]) + "\n")
    assert main(["match", "--resume", path.name]) == 2
    assert "is not legal" in capsys.readouterr().err


def test_old_pdn_is_written_again_to_the_same_bytes(house, capsys):
    whole = (house / "draughts.pdn").read_bytes()
    (house / "draughts.pdn").unlink()
    lines = (house / "draughts.jsonl").read_bytes().splitlines(keepends=True)
    (house / "draughts.jsonl").write_bytes(b"".join(lines[:4]))
    assert main(["match", "--resume", "draughts.pdn"]) == 0
    assert (house / "draughts.pdn").read_bytes() == whole


@pytest.mark.parametrize("game", ["lose-checkers", "draughts"])
def test_an_old_run_goes_on_to_the_champion_that_it_would_have_had(game, house):
    run = reopen(house / f"{game}-run", find)
    carry_out(run)
    made, known = (  # the old file is of version 1, and read as one of version 2
        dict(open_champion(path, find).data) for path in (run.folder / "champion.json", HOUSE / f"{game}.champion.json")
    )
    made["identity"] = known["identity"] = None  # the fingerprint of the text, where the experiment is the game itself
    assert known.pop("settings").items() <= made.pop("settings").items()  # there are more to choose from today
    made.pop("record"), known.pop("record")  # there are more opponents today, and so other seeds
    for one in (made, known):
        one["player"]["brain"].pop("language")  # draughts has more queries today
    assert made == known


@pytest.mark.parametrize("game", ["lose-checkers", "draughts", "reversi"])
def test_old_champions_open_and_play(game):
    champion = open_champion(HOUSE / f"{game}.champion.json", find)
    assert champion.data["experiment"] == game
    played = agent(f"evolved:{HOUSE / f'{game}.champion.json'}").choose(load(game), load(game).start())
    assert played.move in load(game).start().moves()


def test_an_old_saved_game_goes_on(house, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("moves\n14x21\nquit\n"))
    assert main(["play", "draughts", "--load", "draughts.game.json"]) == 0
    said = capsys.readouterr()
    assert "14x21" in said.out and "Left after" in said.out


def test_an_old_derivation_is_proved_again(house, capsys):
    assert main(["derivation", "beta-cut.derivation", "--replay"]) == 0
