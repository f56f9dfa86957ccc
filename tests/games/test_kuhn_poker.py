from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from ludwin import CHANCE, load
from ludwin.errors import BadPosition

GAME = load("kuhn-poker")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def worth(state, strategies):
    """Return player 0's expected payoff; a strategy maps (own card, actions) to a chance to bet."""
    if state.over:
        return Fraction(state.payoff(0))
    legal = state.moves()
    if state.mover == CHANCE:
        return sum(worth(state.play(move), strategies) for move in legal) / Fraction(len(legal))
    bet = strategies[state.mover][state.cards[state.mover], state.write()[3:]]
    return sum(
        chance * worth(state.play(move), strategies)
        for move, chance in zip(legal, (1 - bet, bet), strict=True)
        if chance
    )


def first(alpha):
    """Return Kuhn's best strategies of player 0: bluff with J, slow down with K."""
    return {(1, ""): alpha, (2, ""): 0, (3, ""): 3 * alpha, (1, "pb"): 0, (2, "pb"): alpha + THIRD, (3, "pb"): 1}


SECOND = {(1, "p"): THIRD, (2, "p"): 0, (3, "p"): 1, (1, "b"): 0, (2, "b"): THIRD, (3, "b"): 1}


@pytest.mark.parametrize("alpha", [Fraction(0), Fraction(1, 6), THIRD])
def test_the_second_player_gains_an_eighteenth(alpha):
    assert worth(GAME.start(), (first(alpha), SECOND)) == Fraction(-1, 18)  # Kuhn (1950)


def test_nobody_gains_by_leaving_the_equilibrium():
    start, best = GAME.start(), first(Fraction(1, 6))
    for bets in product((0, 1), repeat=6):
        assert worth(start, (dict(zip(best, bets, strict=True)), SECOND)) <= Fraction(-1, 18)
        assert worth(start, (best, dict(zip(SECOND, bets, strict=True)))) >= Fraction(-1, 18)


def test_there_are_six_deals_and_five_ways_to_bet():
    states, ends, deals = [GAME.start()], Counter(), set()
    while states:
        state = states.pop()
        if state.over:
            ends[state.write()[3:]] += 1
            deals.add(state.write()[:2])
        states += [state.play(move) for move in state.moves()]
    assert deals == {"JQ", "JK", "QJ", "QK", "KJ", "KQ"}
    assert ends == dict.fromkeys(("pp", "pbp", "pbb", "bp", "bb"), 6)


@pytest.mark.parametrize(
    ("text", "payoffs"),
    [
        ("KJ:pp", (1, -1)),
        ("JK:pp", (-1, 1)),
        ("JK:bp", (1, -1)),
        ("KJ:pbp", (-1, 1)),
        ("QK:bb", (-2, 2)),
        ("QJ:pbb", (2, -2)),
    ],
)
def test_pays_chips(text, payoffs):
    assert GAME.position(text).payoffs() == payoffs


def test_actions_have_the_words_of_poker():
    state = GAME.start().play("K").play("J")
    assert [state.name(move) for move in state.moves()] == ["check", "bet"]
    assert [state.play("bet").name(move) for move in (0, 1)] == ["fold", "call"]
    assert state.play("check").play("bet").play("call").payoffs() == (2, -2)


def seen(text, player, draws=600):
    """Return how often each position comes up when what `player` cannot see is drawn anew."""
    found = Counter()
    rng = [11]
    for _ in range(draws):
        s = GAME.position(text).thaw()
        GAME.function("observe")(s, player, rng)
        found[GAME.function("write")(s)] += 1
    return found


def test_each_player_knows_its_own_card_and_the_betting_only():
    for text, player, possible in (
        ("QJ:pb", 0, {"QJ:pb", "QK:pb"}),
        ("QJ:p", 1, {"QJ:p", "KJ:p"}),
        ("KQ:", 0, {"KJ:", "KQ:"}),
        ("K-:", 1, {"J-:", "Q-:", "K-:"}),
        ("K-:", 0, {"K-:"}),
        ("--:", 0, {"--:"}),
    ):
        counts = seen(text, player)
        assert set(counts) == possible
        expected = 600 / len(possible)
        assert all(abs(count - expected) < 80 for count in counts.values())  # over 6 deviations


@pytest.mark.parametrize("text", ["KK:", "K-:p", "KJ:pbpb", "KJ:x", "-K:"])
def test_refuses_positions_that_cannot_be(text):
    with pytest.raises(BadPosition, match="two different cards"):
        GAME.position(text)


def test_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    stack = [(GAME.start(), pyspiel.load_game("kuhn_poker").new_initial_state())]
    while stack:
        ours, theirs = stack.pop()
        assert ours.over == theirs.is_terminal()
        if ours.over:
            assert list(ours.payoffs()) == theirs.returns()
            continue
        dealing = ours.mover == CHANCE
        assert ours.mover == theirs.current_player()
        actions = [action for action, _ in theirs.chance_outcomes()] if dealing else theirs.legal_actions()
        assert [move - dealing for move in ours.moves()] == actions
        stack += [(ours.play(move), theirs.child(action)) for move, action in zip(ours.moves(), actions, strict=True)]
