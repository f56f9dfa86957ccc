import json
import random

import pytest

from ludwin import agent, load, match
from ludwin.cli import main
from ludwin.errors import BadParameter
from ludwin.formats import BadFile
from ludwin.games.backgammon.opponents.network import COMES_WITH_LUDWIN, read_network
from ludwin.games.backgammon.opponents.td import Learner

from .results import GAME

RATES = (0.03, 0.01)


def test_going_on_from_a_file_makes_the_same_network_as_never_having_stopped(tmp_path):
    whole = Learner.begin(3, seed=1)
    for now in whole.train(2000, RATES):
        if now.games == 1000:
            now.save(tmp_path / "half.json")
    resumed = Learner.read(tmp_path / "half.json")
    assert resumed.games == 1000
    for _ in resumed.train(2000, RATES):
        pass
    assert (resumed.network, resumed.stream) == (whole.network, whole.stream)


def test_a_few_thousand_games_teach_more_than_chance():
    learner = Learner.begin(4, seed=2)
    before = learner.network
    for _ in learner.train(2000, RATES):
        pass
    assert learner.network != before
    from ludwin.games.backgammon.opponents.network import NetworkBrain
    from ludwin.search.afterstate import AfterState

    player = AfterState(brain=NetworkBrain(learner.network))
    assert match(GAME, player, "random", games=100, seed=1).score > 0.9  # a player of chance has 0.5


def test_the_network_that_comes_along_beats_pubeval():
    # 64.1 % of 10,000 games (docs/results/backgammon.md): 400 games fall below one half once in ten million times.
    assert read_network(COMES_WITH_LUDWIN).hidden == 80
    assert match(GAME, "td", "pubeval", games=400, seed=4).score > 0.5


def test_the_network_plays_alike_in_python_and_compiled():
    state = GAME.start().play("6-4")
    choices = [agent("td", GAME).choose(GAME, state, mode=mode) for mode in ("plain", "fast")]
    assert len({(choice.move, choice.value) for choice in choices}) == 1


def test_files_that_are_no_networks_are_refused(tmp_path):
    path = tmp_path / "net.json"
    path.write_text("{}")
    with pytest.raises(BadFile, match="network for backgammon"):
        read_network(path)
    data = json.loads(COMES_WITH_LUDWIN.read_text())
    other = tmp_path / "short.json"
    other.write_text(json.dumps({**data, "skip": [1.0]}))
    with pytest.raises(BadParameter, match="272 weights 'skip'"):
        read_network(other)


@pytest.mark.parametrize(
    "words",
    [
        ["td"],
        ["td", "--out", "x.json", "--rate", "2"],
        ["td", "--out", "x.json", "--hidden", "900"],
        ["td", "--out", "x.json", "--test", "3"],
    ],
)
def test_misuse_of_td_is_one_line_and_exit_code_2(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def some_positions(game, count, seed):
    """Return positions of games that Pubeval plays, with something to choose."""
    rng, player, found, state = random.Random(seed), agent("pubeval", game), [], game.start()
    while len(found) < count:
        state = game.start() if state.over else state
        if state.mover >= 0 and len(state.moves()) > 1 and rng.random() < 0.2:
            found.append(state)
        move = player.choose(game, state).move if state.mover >= 0 else rng.choice(state.moves())
        state = state.play(move)
    return found


@pytest.mark.parametrize(("text", "most"), [("backgammon:payoff=wins", 1), ("backgammon", 3)])
def test_two_plies_by_star1_and_star2_are_plain_expectimax(text, most):
    game = load(text)
    bounds = f"depth=2,eval=td,low={-most},high={most}"
    for state in some_positions(game, 8, seed=most):
        plain = agent(f"expectimax:{bounds}").choose(game, state, seed=1)
        others = [agent(one).choose(game, state, seed=1) for one in (f"star1:{bounds}", f"star2:{bounds}")]
        others.append(agent("td:plies=2", game).choose(game, state, seed=1))
        assert {(one.move, one.value) for one in others} == {(plain.move, plain.value)}
        assert others[0].kinds["leaves"] <= plain.kinds["leaves"]


def contact(state):
    return GAME.function("stage_contact")(state.thaw(), 0)


def test_the_network_asked_anywhere_says_after_a_play_what_it_says_at_one_ply():
    compared = 0
    for state in some_positions(GAME, 12, seed=9):
        near, far = (agent(one, GAME).choose(GAME, state, seed=1) for one in ("td", "greedy:eval=td"))
        for move in state.moves():
            after = state.play(move)
            if not after.over and contact(after) == contact(state):
                assert near.values[move] == far.values[move]
                compared += 1
    assert compared > 50
