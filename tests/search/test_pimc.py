"""Perfect-information Monte Carlo: what it must do where the answer is known."""

import pytest

from ludwin.library import agent, load


@pytest.mark.parametrize("mode", ["plain", "checked", "fast"])
def test_it_is_expectimax_where_nothing_is_hidden(mode):
    game = load("pig")
    for depth in (1, 2):
        mine = agent(f"pimc:depth={depth}").choose(game, game.start(), seed=3, mode=mode)
        theirs = agent(f"expectimax:depth={depth}").choose(game, game.start(), seed=3, mode=mode)
        assert mine.values == pytest.approx(theirs.values)


def test_all_modes_choose_alike_and_the_position_stays():
    game = load("kuhn-poker")
    state = game.start()
    while state.mover < 0:
        state = state.play(state.moves()[0])
    player = agent("pimc:depth=3,low=-2,high=2,worlds=5")
    found = [player.choose(game, state, seed=4, mode=mode) for mode in ("plain", "checked", "fast")]
    assert found[0] == found[1] == found[2]


def test_it_refuses_payoffs_beyond_its_bounds():
    from ludwin.errors import CannotPlay

    game = load("kuhn-poker")
    state = game.start()
    while state.mover < 0:
        state = state.play(state.moves()[0])
    with pytest.raises(CannotPlay, match="has payoffs outside"):
        agent("pimc:depth=3").choose(game, state)
