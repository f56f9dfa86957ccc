"""Players that are alike are recognised before a game is played, and nothing else changes."""

import pytest

from ludwin.evolve.behaviour import Behaviour, some_positions
from ludwin.evolve.bouts import Bouts
from ludwin.evolve.experiment import settle
from ludwin.evolve.generic import language
from ludwin.evolve.meetings import by_play
from ludwin.evolve.players import open_player, payoff_range
from ludwin.evolve.register import find
from ludwin.library import agent, load
from ludwin.primitives import CHANCE
from ludwin.program.generate import generate
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.program.values import values
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


@pytest.mark.parametrize("name", ("pig", "li-nim"))
def test_players_of_chance_and_of_more_than_two_are_alike_only_if_they_play_alike(name):
    """Their searches judge positions behind a move, where another one moves, or chance: there `turn_is_mine` tells."""
    game = load(name)
    spoken, (low, high) = language(game), payoff_range(game)
    behaviour = Behaviour(game, 64, lambda tree: tree, everyone=True)
    bouts = Bouts(game, lambda tree: open_player(tree, game, 1, low, high))
    mine = [read(spoken, text) for text in ("IFT(turn_is_mine, One, Zero)", "IFT(turn_is_mine, One, One)", "One")]
    assert behaviour(mine[0]) != behaviour(mine[1]) == behaviour(mine[2])
    seeds, first = [Stream(9, k).seed() for k in range(4)], dict[object, object]()
    trees = [*mine, *(generate(spoken, 1 + k % 3, Stream(k)) for k in range(60))]
    for tree in trees:
        found = bouts.against(tree, agent("random"), seeds)
        assert first.setdefault(behaviour(tree), found) == found
    assert len(first) < 0.8 * len(trees)


def test_an_experiment_on_dice_asks_about_after_states():
    experiment = find("pig")
    settings = settle(experiment, "quick", {})
    found = experiment.fitness(settings, 1).behaviour
    seats = {(state.mover == CHANCE, seat) for state, seat in found.seen}
    assert seats == {(False, 0), (False, 1), (True, 0), (True, 1)}


def test_tactical_facts_are_told_from_the_side_that_is_asked():
    game = load("reversi")
    spoken = language(game, "tactical")
    behaviour = Behaviour(game, 20, lambda tree: tree)
    trees = [read(spoken, "MyMobility"), read(spoken, "Mobility"), read(spoken, "TheirMobility")]
    assert behaviour(trees[0]) == behaviour(trees[1]) != behaviour(trees[2])
    states = [state for state, _ in behaviour.seen]
    for tree in trees:
        assert [float.fromhex(text) for text in behaviour(tree)] == values(tree, game, states)
