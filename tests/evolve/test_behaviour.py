"""Players that are alike are recognised before a game is played, and nothing else changes."""

import pytest

from ludwin.evolve.behaviour import Behaviour, some_positions
from ludwin.evolve.bouts import Bouts
from ludwin.evolve.generic import language
from ludwin.evolve.meetings import by_play
from ludwin.library import agent, load
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.search.programs import program_player


@pytest.fixture(scope="module")
def game():
    return load("tic-tac-toe")


def test_positions_are_the_same_for_everybody_and_different_from_each_other(game):
    first = some_positions(game, 30)
    assert first == some_positions(game, 30) and len(set(first)) == 30
    assert all(state.moves() for state in first)
    assert len(some_positions(load("nim"), 500)) < 100  # there are no more


def test_one_plays_for_all_that_are_alike_and_their_points_are_those_of_their_own_games(game):
    spoken = language(game)
    texts = [
        "Mobility",
        "NullJ(Mobility, One)",
        "Plus(Mobility, Zero)",
        "Minus(Zero, Mobility)",
        "Plus(Zero, Mobility)",
    ]
    genomes = [(read(spoken, text),) for text in texts]
    played = []

    class Counting(Bouts):
        def all_against(self, genomes, opponent, seeds):
            played.append(len(genomes))
            return super().all_against(genomes, opponent, seeds)

    def scores(behaviour):
        bouts = Counting(game, lambda genome: program_player(genome[0], 1))
        return by_play(bouts, "10rand", lambda term: agent("random"), rounds=1, cutoff=0.25, behaviour=behaviour).score(
            genomes, 0, Stream(1)
        )

    apart, together = scores(None), scores(Behaviour(game, 40, lambda genome: genome[0]))
    assert played == [5, 2]
    assert [points for points, _ in apart] == [points for points, _ in together]
    assert [detail["games"] for _, detail in together] == [10, 0, 0, 10, 0]


def test_programs_that_are_no_numbers_are_alike_too(game):
    behaviour = Behaviour(game, 10, lambda genome: genome[0])
    spoken = language(game)
    wild = "MultERC[1e308](MultERC[1e308](One))"
    first, second = (read(spoken, f"Minus({wild}, {wild})"),), (read(spoken, f"Minus(NullJ({wild}, One), {wild})"),)
    assert behaviour(first) == behaviour(second) != behaviour((read(spoken, "One"),))


def test_a_run_of_an_earlier_version_goes_on_and_compares_nobody(tmp_path, monkeypatch):
    import json

    from ludwin.evolve.door import evolve
    from ludwin.evolve.register import find
    from ludwin.evolve.run import reopen
    from ludwin.trust import nobody

    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")
    few = {"population": 4, "generations": 1, "fitness": "4rand", "against": "random", "finalists": 1, "last": 0}
    few |= {"finalist_games": 4, "champion_games": 4, "record_games": 4, "yardstick_games": 4, "rounds": 1}
    evolve("tic-tac-toe", seed=1, out=tmp_path / "run", settings=few)
    path = tmp_path / "run" / "settings.json"
    data = json.loads(path.read_text())
    assert data["settings"]["alike"] == 64
    for key in ("alike", "flavour", "learn", "learn_games"):
        del data["settings"][key]
    path.write_text(json.dumps(data))
    (tmp_path / "run" / "report.html").unlink()
    found = reopen(tmp_path / "run", find, nobody).settings
    assert (found["alike"], found["flavour"], found["learn"]) == (0, "plain", "none")
