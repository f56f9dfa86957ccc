"""Whole games in compiled code are the games that the referee plays in Python."""

import pytest

from ludwin import agent, load, match
from ludwin.arena.contest import CompiledTable, ContestTable, table
from ludwin.errors import BadParameter, CannotPlay
from ludwin.primitives import stream

TABLES = [
    ("tic-tac-toe", ("random", "alphabeta:depth=2")),
    ("draughts", ("alphabeta:depth=2,ties=random,table=8", "guide:depth=2,floor=0")),
    ("draughts", ("alphabeta:nodes=300,table=8,killers=ply,history=1", "uct:nodes=300")),
    ("pig", ("greedy", "flat:playouts=10")),
    ("kuhn-poker", ("uct:playouts=20", "random")),
    ("li-nim", ("maxn:depth=2", "random", "uct:playouts=10")),
]


@pytest.mark.parametrize("name, texts", TABLES, ids=[" ".join((name, *texts)) for name, texts in TABLES])
def test_compiled_tables_play_the_games_of_the_referee(name, texts):
    game = load(name)
    agents = [agent(text) for text in texts]
    fast, slow = table(game, agents), ContestTable(game, agents, "fast")
    assert isinstance(fast, CompiledTable)
    for number in range(8):
        rotation = number % len(agents)
        assert fast.play(stream(3, number), rotation) == slow.play(stream(3, number), rotation)


def test_compiled_tables_start_anywhere():
    game = load("tic-tac-toe")
    agents = [agent("random"), agent("alphabeta:depth=2")]
    start = game.start().play("b2")
    assert table(game, agents).play(5, 1, start) == ContestTable(game, agents, "fast").play(5, 1, start)


def test_agents_with_a_clock_are_refereed_in_python():
    game = load("tic-tac-toe")
    assert type(table(game, [agent("random"), agent("uct:seconds=0.01")])) is ContestTable


def test_a_match_is_the_sum_of_its_games():
    game = load("tic-tac-toe")
    first, second = agent("alphabeta:depth=2"), agent("random")
    result = match(game, first, second, games=20, seed=4)
    seats = ContestTable(game, (first, second), "plain")
    scores = []
    for number in range(20):
        payoffs = seats.play(stream(4, number // 2), number % 2).payoffs
        scores.append(payoffs[number % 2])
    assert (result.wins, result.draws, result.losses) == (scores.count(1), scores.count(0), scores.count(-1))


def test_odd_matches_and_wrong_seats_are_refused():
    with pytest.raises(BadParameter, match="even"):
        match(load("nim"), agent("random"), agent("random"), games=3)
    with pytest.raises(CannotPlay, match="two players"):
        match(load("li-nim"), agent("random"), agent("random"), games=2)
