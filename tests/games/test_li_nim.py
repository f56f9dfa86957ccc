import pytest

from ludwin import load, reachable
from ludwin.errors import BadParameter, BadPosition, IllegalMove


def maxn(game):
    """Return the payoffs of best play for every reachable state (each player minds only its own)."""
    worth = {}
    for state in sorted(reachable(game), key=lambda state: sum(state.heaps)):
        after = [worth[state.play(move)] for move in state.moves()]
        worth[state] = max(after, key=lambda payoffs: payoffs[state.mover]) if after else state.payoffs()
    return worth


@pytest.mark.parametrize(("players", "heaps", "smallest"), [(2, 3, 2), (3, 3, 2), (3, 2, 5), (4, 3, 2), (3, 4, 1)])
def test_the_mover_comes_last_exactly_when_the_digits_add_up_to_nothing(players, heaps, smallest):
    game = load("li-nim", players=players, heaps=heaps, smallest=smallest)
    for state, payoffs in maxn(game).items():
        digits = [sum(heap >> bit & 1 for heap in state.heaps) % players for bit in range(4)]
        last = payoffs[state.mover] == 1 - players
        assert last == (not any(digits)), state.write()  # Li (1978)


def test_players_are_ranked_against_the_order_of_turns():
    game = load("li-nim", players=4, heaps=1, smallest=1)
    assert game.start().play("a1").payoffs() == (3, -3, -1, 1)


def test_payoffs_tell_the_ranks_of_three():
    game = load("li-nim")
    assert game.position("0,0,1:1").play("c1").payoffs() == (0, 2, -2)


def test_tells_what_is_wrong():
    game = load("li-nim")
    with pytest.raises(IllegalMove, match="heap a has 3 counters, cannot take 4"):
        game.start().parse("a4")
    with pytest.raises(BadPosition, match="heap 1 has at most 3 counters, got 4"):
        game.position("4,4,5:0")
    with pytest.raises(BadPosition, match="heaps:mover"):
        game.position("3,4,5:3")
    with pytest.raises(BadParameter, match="heaps must be 1 to 26, got 0"):
        load("li-nim", heaps=0)
