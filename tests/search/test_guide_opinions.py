"""Guides with opinions, `guide:eval=NAME/NAME`: a coin for each move decides which evaluation counts."""

import pytest

from ludwin.errors import CannotPlay
from ludwin.library import agent, load

GAME = load("draughts:size=6")


def best(state, name):
    """Return the moves that look best to an evaluation one ply ahead, and their value."""
    opinion, me = GAME.function(f"evaluate_{name}"), state.mover
    values = {move: opinion(state.play(move).thaw(), me) for move in state.moves()}
    return {move for move, value in values.items() if value == max(values.values())}, max(values.values())


def chosen(state, text, seeds=range(40), mode="plain"):
    return [agent(text).choose(GAME, state, seed=seed, mode=mode) for seed in seeds]


# Black may take the king at 7 or the man at 8; its own king makes the two opinions differ in value.
STATE = GAME.position("B:WK7,8,17:B5,6,K1")


def test_one_ply_ahead_the_guide_takes_what_its_opinion_likes_best():
    for name in ("men", "kings"):
        moves, value = best(STATE, name)
        found = chosen(STATE, f"guide:depth=1,eval={name}/{name}")
        assert {STATE.name(choice.move) for choice in found} == {STATE.name(move) for move in moves} == {"5x10"}
        assert all(choice.value == pytest.approx(value) and not choice.decided for choice in found)


def test_a_fair_coin_is_tossed_for_each_move():
    men, kings = best(STATE, "men")[1], best(STATE, "kings")[1]
    assert (men, kings) == (pytest.approx(3.4 - 2), 2)
    values = [choice.value for choice in chosen(STATE, "guide:depth=1,eval=men/kings", range(200))]
    assert all(value in (pytest.approx(men), pytest.approx(kings)) for value in values)
    heads = sum(value == pytest.approx(men) for value in values)
    assert 70 <= heads <= 130  # 4 standard deviations are 28


def test_one_opinion_needs_no_coin():
    assert [choice.move for choice in chosen(STATE, "guide:depth=2,eval=men")] == [
        choice.move for choice in chosen(STATE, "guide:depth=2,eval=men")
    ]
    assert {round(choice.value, 9) for choice in chosen(STATE, "guide:depth=1,eval=men")} == {
        round(best(STATE, "men")[1], 9)
    }


def test_deeper_guides_find_the_value_of_minimax():
    opinion = GAME.function("evaluate_men")

    def value(state, depth, me):
        if state.over:
            return 1000.0 * state.payoff(me)
        if depth == 0:
            return opinion(state.thaw(), me)
        return (max if state.mover == me else min)(value(state.play(move), depth - 1, me) for move in state.moves())

    state = GAME.start()
    for depth in (2, 3):
        expected = max(value(state.play(move), depth - 1, 0) for move in state.moves())
        assert [choice.value for choice in chosen(state, f"guide:depth={depth},eval=men/men", range(3))] == [
            pytest.approx(expected)
        ] * 3


def test_modes_choose_the_same_moves():
    texts = ("guide:depth=3,eval=men/kings", "guide:depth=3,floor=0,eval=men/kings")
    for text in texts:
        plain = [choice.move for choice in chosen(STATE, text, range(12))]
        assert plain == [choice.move for choice in chosen(STATE, text, range(12), mode="fast")]


def test_opinions_that_a_game_has_not_are_refused():
    with pytest.raises(CannotPlay, match=r"draughts:size=6 has no evaluate_discs|draughts has no evaluate_discs"):
        agent("guide:depth=1,eval=discs/men").suits(GAME)
    with pytest.raises(CannotPlay, match="lose-checkers has no evaluate_men"):
        agent("guide:eval=men/kings").suits(load("lose-checkers"))


def test_a_guide_with_opinions_prints_and_parses():
    text = "guide:depth=5,eval=discs/corners"
    assert str(agent(text)) == text and agent(text).eval == "discs/corners"
