"""`ludwin.match` and `ludwin match` are one: the same games, the same figures, the same words."""

import json

import pytest

from ludwin import Agent, Choice, agent, load, match, tournament
from ludwin.arena.score import mean_score, points, points_of
from ludwin.cli import main
from ludwin.errors import BadParameter, CannotPlay


@pytest.mark.parametrize(
    ("words", "conditions"),
    [
        (["nim", "uct:playouts=20", "random"], {}),
        (["nim", "random", "random", "--games", "6", "--seed", "3"], {"games": 6, "seed": 3}),
        (["pig", "random", "greedy", "--games", "4", "--mode", "plain"], {"games": 4, "mode": "plain"}),
        (
            ["tic-tac-toe", "alphabeta:depth=3", "random", "--games", "400", "--sprt", "0,50", "--openings", "1"],
            {"games": 400, "sprt": "0,50", "openings": 1},
        ),
        (["nim", "random", "greedy", "--games", "10", "--workers", "2"], {"games": 10, "workers": 2}),
    ],
    ids=["defaults", "seed", "chance", "sprt", "workers"],
)
def test_python_returns_what_the_command_prints(capsys, words, conditions):
    result = match(*words[:3], **conditions)
    assert main(["match", *words, "--json"]) == 0
    assert result.to_dict() == json.loads(capsys.readouterr().out)
    assert main(["match", *words]) == 0
    assert repr(result) == capsys.readouterr().out.rstrip("\n")


def test_python_returns_what_a_tournament_prints(capsys):
    outcome = tournament("nim", ["random", "greedy", "alphabeta:depth=2"], games=4, format="gauntlet", seed=2)
    words = ["random", "greedy", "alphabeta:depth=2", "--games", "4", "--format", "gauntlet", "--seed", "2"]
    assert main(["tournament", "nim", *words, "--json"]) == 0
    assert outcome.to_dict() == json.loads(capsys.readouterr().out)


def test_texts_and_objects_are_the_same():
    first = match("nim:heap=9", "uct:playouts=9", "random", games=10)
    second = match(load("nim", heap=9), agent("uct:playouts=9"), agent("random"), games=10)
    assert first.to_dict() == second.to_dict()
    assert first.games == 10 == first.wins + first.draws + first.losses
    assert first.score == mean_score(first.wins, first.draws, 10) and first.low <= first.score <= first.high


def test_points_are_said_once():
    assert [points_of(a, b) for a, b in ((2, 1), (1, 1), (1, 2))] == [1, 0.5, 0]
    assert (
        points((3, 4), 0) == 0 and points((3, 4), 1) == 1 and mean_score(0, 0, 0) == 0.5 and mean_score(1, 1, 2) == 0.75
    )


def test_an_agent_that_fails_forfeits_and_the_result_says_why(capsys):
    class Fails(Agent):
        name = "fails"

        def choose(self, game, state, *, seed=0, mode="fast"):
            if state.heap < 15:
                raise RuntimeError("I am lost")
            return Choice(state.moves()[0], 0.0, 1)

    result = match("nim", Fails(), "random", games=4)
    assert result.forfeits == (4, 0) and result.reasons == ("exception: RuntimeError: I am lost", None)
    assert "fails forfeited 4 games; the first: exception: RuntimeError: I am lost" in repr(result)
    assert result.to_dict()["reasons"] == ["exception: RuntimeError: I am lost", None]
    assert "reasons" not in match("nim", "random", "random", games=2).to_dict()


def test_what_does_not_fit_is_refused():
    with pytest.raises(BadParameter, match="even"):
        match("nim", "random", "random", games=3)
    with pytest.raises(CannotPlay, match="two players"):
        match("li-nim", "random", "random", games=2)
    with pytest.raises(TypeError, match="an event has no 'gmaes'; did you mean 'games'"):
        match("nim", "random", "random", gmaes=3)
