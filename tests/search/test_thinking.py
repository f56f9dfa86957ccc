"""`agent.think`: a search that is watched and stopped; what it answers is what `choose` answers."""

import os
import time

import pytest

from ludwin import agent, load
from ludwin.errors import CannotPlay, GameOver
from ludwin.search.thinking import NothingFound, ThinkingApart, ThinkingHandle, stages
from ludwin.workers import FORK

COUNTED = [
    ("tic-tac-toe", "alphabeta:depth=6"),
    ("tic-tac-toe", "alphabeta:depth=6,deepen=1,table=10"),
    ("tic-tac-toe", "minimax:depth=3"),
    ("tic-tac-toe", "guide:depth=2"),
    ("tic-tac-toe", "random"),
    ("tic-tac-toe", "flat:playouts=50"),
    ("tic-tac-toe", "uct:playouts=200"),
    ("tic-tac-toe", "mcts:playouts=200"),
    ("tic-tac-toe", "mcts:playouts=200,trees=2"),
    ("tic-tac-toe", "ea-mcts:playouts=60"),
    ("tic-tac-toe", "siea-mcts:playouts=60"),
    ("tic-tac-toe", "pns:nodes=300"),
    ("pig:goal=20", "expectimax:depth=2"),
    ("pig:goal=20", "uct:playouts=100"),
    ("kuhn-poker", "uct:playouts=100"),
    ("tic-tac-toe", "maxn:depth=3"),
    ("parking", "bfs:nodes=2000"),
    ("parking", "astar:nodes=2000"),
    ("parking", "beam:width=10,nodes=2000"),
]


def position(name: str):
    """A position of the game at which somebody is to move."""
    game = load(name)
    state = game.start()
    while state.mover < 0:
        state = state.play(state.moves()[0])
    return game, state


@pytest.mark.parametrize(("name", "text"), COUNTED)
def test_what_nobody_stops_is_what_choose_answers(name, text):
    game, state = position(name)
    one = agent(text, game)
    mode = "plain" if name == "parking" else "fast"
    assert one.think(game, state, 5, mode=mode).result() == one.choose(game, state, seed=5, mode=mode)


ENDLESS = [
    ("connect-four", "alphabeta:depth=40,deepen=1,table=16", ThinkingHandle),
    ("connect-four", "alphabeta:depth=30", ThinkingApart),
    ("connect-four", "uct:playouts=100000000", ThinkingHandle),
    ("connect-four", "mcts:playouts=100000000", ThinkingHandle),
    ("connect-four", "minimax:depth=30", ThinkingApart),
    ("connect-four", "mcts:playouts=100000000,trees=4", ThinkingApart),
]


@pytest.mark.skipif(not FORK, reason="a search in a process of its own needs fork")
@pytest.mark.parametrize(("name", "text", "kind"), ENDLESS)
def test_an_endless_search_is_seen_and_stopped(name, text, kind):
    game, state = position(name)
    thinking = agent(text, game).think(game, state, 1)
    assert type(thinking) is kind
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    seen = None
    until = time.monotonic() + 60
    while (seen is None or not seen.nodes) and time.monotonic() < until:
        time.sleep(0.01)
        seen = thinking.peek()
    assert seen is not None
    assert seen.move in state.moves()
    thinking.stop(patience=30)
    assert thinking.done
    assert thinking.result().move in state.moves()
    after = len(os.listdir("/proc/self/fd")) if before else 0
    assert after <= before + 1  # threads and children leave no descriptor behind


def test_a_search_that_was_stopped_may_be_asked_again_and_answers_as_if_it_had_not_been():
    game, state = position("connect-four")
    one = agent("alphabeta:depth=6,deepen=1,table=12")
    handle = one.think(game, state, 1)
    handle.stop(30)
    assert one.think(game, state, 1).result() == one.choose(game, state, seed=1)


def test_peek_grows_with_the_search():
    game, state = position("connect-four")
    thinking = agent("uct:playouts=100000000").think(game, state)
    seen = set()
    until = time.monotonic() + 60
    while len(seen) < 3 and time.monotonic() < until:
        time.sleep(0.01)
        if (found := thinking.peek()) is not None:
            seen.add(found.kinds["playouts"])
    thinking.stop(30)
    assert len(seen) == 3
    assert sum(thinking.result().visits.values()) >= max(seen)


def test_what_a_search_raises_is_raised_by_result_or_at_once():
    game, state = position("pig")
    with pytest.raises(CannotPlay, match="does not play games of chance"):
        agent("alphabeta:depth=2,deepen=1").think(game, state)
    nim = load("nim:heap=1")
    with pytest.raises(GameOver):
        agent("uct").think(nim, nim.start().play(nim.start().moves()[0]))


@pytest.mark.skipif(not FORK, reason="a search in a process of its own needs fork")
def test_a_search_that_is_killed_before_its_first_stage_has_found_nothing():
    game, state = position("connect-four")
    thinking = agent("minimax:depth=30").think(game, state)
    thinking.watch.stop()
    thinking.stop(30)
    try:
        thinking.result()
    except NothingFound as error:
        assert "was stopped before it had found a move" in str(error)


def test_stages_end_with_the_agent_itself():
    one = agent("alphabeta:depth=3")
    assert [str(stage) for stage in stages(one)] == ["alphabeta:depth=1", "alphabeta:depth=2", "alphabeta:depth=3"]
    assert list(stages(agent("uct:seconds=1"))) == [agent("uct:seconds=1")]
