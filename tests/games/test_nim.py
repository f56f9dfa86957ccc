import pytest

from ludwin import load
from ludwin.errors import BadParameter, BadPosition, IllegalMove


def value(state):
    """Return what the game is worth to the mover, by looking at everything."""
    return state.payoff() if state.over else max(-value(state.play(move)) for move in state.moves())


@pytest.mark.parametrize("take", [1, 2, 3, 4])
def test_is_lost_exactly_for_multiples_of_take_plus_one(take):
    game = load("nim", heap=10, take=take)
    for heap in range(11):
        assert value(game.state(heap=heap)) == (-1 if heap % (take + 1) == 0 else 1)  # Bouton (1901)


def test_whoever_takes_the_last_counter_wins():
    assert load("nim", heap=3).start().play("3").payoffs() == (1, -1)


def test_the_last_counters_can_be_taken_but_no_more():
    assert load("nim").position("2:1").moves() == [1, 2]


def test_tells_what_is_wrong():
    with pytest.raises(BadParameter, match="take must be at least 1, got 0"):
        load("nim", take=0)
    with pytest.raises(BadPosition, match="at most 21 counters, got 22"):
        load("nim").position("22:0")
    with pytest.raises(IllegalMove, match="from 1 to 2, got '3'"):
        load("nim").position("2:0").parse("3")
