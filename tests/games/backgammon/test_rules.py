import random

import pytest

from ludwin import load
from ludwin.errors import BadParameter, CannotPlay, RuleError
from ludwin.games.backgammon.rules import pips
from ludwin.primitives import CHANCE

from .results import GAME, ROLLS, with_roll

START = (0, 2, *[0] * 10, 5, *[0] * 4, 3, 0, 5, *[0] * 6)
EMPTY = (0,) * 26


def men(**places):
    """Return a side's men: `p6=3` three on its 6 point as people count, `bar=1`, the rest off."""
    side = [0] * 26
    for place, count in places.items():
        side[0 if place == "bar" else 25 - int(place[1:])] = count
    side[25] = 15 - sum(side)
    return tuple(side)


def board(mine, theirs, high, low, **fields):
    """Return the position in which player 0 has this roll."""
    return GAME.state(men=mine + theirs, turn=0, stage=2, high=high, low=low, cube=1, **fields)


def names(state):
    return sorted(map(state.name, state.moves()))


def test_the_opening_plays_are_as_many_as_published():
    # Source: bgsage and an independent generator; their sum is 447.
    counts = [len(with_roll(START + START, 0, high, low).moves()) for high, low in ROLLS]
    assert counts == [42, 15, 75, 16, 17, 73, 14, 18, 17, 52, 8, 8, 9, 9, 4, 10, 14, 14, 14, 7, 11]
    assert sum(counts) == 447


def test_the_start_has_167_pips_a_side_and_a_random_roll_of_unequal_dice():
    start = GAME.start()
    assert start.mover == CHANCE and len(start.moves()) == 30
    assert {start.chance(move) for move in start.moves()} == {1 / 30}
    assert [pips(start.thaw(), p) for p in (0, 1)] == [167, 167]
    assert start.play("2-5").turn == 1 and start.play("5-2").turn == 0
    assert (start.play("2-5").high, start.play("2-5").low) == (5, 2)


def test_later_rolls_are_21_with_doubles_half_as_likely():
    after = GAME.start().play("3-1").play("8/5 6/5")
    weights = {after.name(move): after.chance(move) for move in after.moves()}
    assert len(weights) == 21 and weights["6-6"] == 1 / 36 and weights["6-5"] == 2 / 36


def test_both_dice_must_be_played_if_some_way_allows_it():
    # 20/14 plays the 6, and then no 2; so the other man must run, with both.
    enemy = [0] * 26
    enemy[18] = enemy[8] = enemy[12] = 2
    enemy[25] = 9
    assert names(board(men(p20=1, p10=1), tuple(enemy), 6, 2)) == ["10/2"]


def test_the_larger_die_is_played_if_only_one_can_be():
    # One man on 13: 6 and 5 both lead somewhere, no way further: 13/7 blocked on 2 and 1's side.
    enemy = [0] * 26
    enemy[2] = 2  # my point 2: the man cannot go on from 7 by 5, nor from 8 by 6
    enemy[24], enemy[25] = 2, 11
    mine = [0] * 26
    mine[25 - 13], mine[25 - 24], mine[25] = 1, 0, 14
    state = board(tuple(mine), tuple(enemy), 6, 5)
    assert names(state) == ["13/7"]


def test_the_smaller_die_is_played_if_the_larger_cannot():
    enemy = [0] * 26
    enemy[7], enemy[2], enemy[25] = 2, 2, 11
    mine = [0] * 26
    mine[25 - 13], mine[25] = 1, 14
    assert names(board(tuple(mine), tuple(enemy), 6, 5)) == ["13/8"]


def test_men_on_the_bar_come_in_first():
    enemy = (0, 0, 0, 0, 0, 0, *[0] * 13, 2, 2, 2, 2, 2, 0, 5)  # its home closed but for one point
    state = board(men(bar=1, p6=5), enemy, 6, 1)
    assert all(name.startswith("bar/") for name in names(state))
    closed = (*[0] * 19, 2, 2, 2, 2, 2, 2, 3)
    shut = board(men(bar=2, p6=5), closed, 6, 1)
    assert names(shut) == ["pass"] and shut.play("pass").turn == 1


def test_a_hit_sends_a_blot_to_the_bar():
    enemy = (0, *[0] * 4, 1, *[0] * 18, 14, 0)  # its man on my point 5
    after = board(men(p8=2, p6=2), enemy, 3, 1).play("8/5* 6/5*")
    assert after.men[26] == 1 and after.men[26 + 5] == 0


def test_ways_of_one_man_are_two_plays_only_if_a_blot_lies_on_one():
    alone = men(p13=1, p6=3)
    assert names(board(alone, (*EMPTY[:25], 15), 2, 1)).count("13/10") == 1
    enemy = [0] * 26
    enemy[11], enemy[25] = 1, 14
    assert {"13/10", "13/11*/10"} <= set(names(board(alone, tuple(enemy), 2, 1)))


def test_bearing_off_needs_all_men_home_and_the_exact_number_or_the_rearmost_man():
    far = (*EMPTY[:25], 15)
    assert "6/off" not in names(board(men(p6=1, p7=2), far, 6, 1))
    assert "4/off 1/off" in names(board(men(p4=1, p1=2), far, 6, 1))
    assert names(board(men(p5=2, p3=2), far, 4, 4)) == ["5/1(2) 3/off(2)"]  # not before nobody is behind
    assert names(board(men(p7=1, p6=1), far, 6, 1)) == ["7/1 6/5", "7/off"]  # home with the 1, then off with the 6


def test_victories_are_worth_one_two_or_three_points():
    last = men(p1=1)
    for theirs, points in (
        (men(p6=14), 1),
        (men(p6=15), 2),
        (men(bar=1, p6=14), 3),
        (men(p24=1, p6=14), 3),
        (men(p18=1, p6=14), 2),
    ):
        after = board(last, theirs, 6, 5).play("1/off")
        assert after.over and after.payoffs() == (points, -points), theirs


def test_payoff_wins_pays_one_for_a_gammon_too():
    game = load("backgammon", payoff="wins")
    state = game.state(men=men(p1=1) + men(p6=15), turn=0, stage=2, high=6, low=5, cube=1)
    assert state.play("1/off").payoffs() == (1, -1)


def test_doubling_passes_the_cube_and_a_drop_ends_the_game():
    game = load("backgammon", cube=1)
    state = game.start().play("3-1").play("8/5 6/5")
    assert names(state) == ["double", "roll"] and state.mover == 1
    doubled = state.play("double")
    assert doubled.mover == 0 and names(doubled) == ["drop", "take"]
    assert doubled.play("drop").payoffs() == (-1, 1)
    taken = doubled.play("take")
    assert (taken.cube, taken.owner, taken.mover) == (2, 1, CHANCE)
    after = taken.play("6-5").play(taken.play("6-5").moves()[0])
    assert names(after) == ["double", "roll"] and after.mover == 0  # the taker has the cube
    later = after.play("roll").play("2-1")
    assert later.play(later.moves()[0]).mover == CHANCE  # the other may not double again


def test_the_cube_ends_at_64():
    game = load("backgammon", cube=1)
    state = game.state(men=START + START, turn=0, stage=1, cube=64, owner=1).play("2-1")
    after = state.play(state.moves()[0])
    assert after.mover == CHANCE


def test_the_crawford_game_has_no_doubles_and_the_next_one_has():
    game = load("backgammon", cube=1, match=3)
    state = game.state(men=men(p1=1) + men(p6=14), turn=0, stage=2, high=6, low=5, cube=1, score=(1, 0))
    crawford = state.play("1/off")
    assert (tuple(crawford.score), crawford.crawford) == ((2, 0), 1) and crawford.mover == CHANCE
    rolled = crawford.play("3-1").play("8/5 6/5")
    assert rolled.mover == CHANCE  # nobody is asked about the cube
    lost = game.state(men=men(p6=14) + men(p1=1), turn=1, stage=2, high=6, low=5, cube=1, score=(2, 0), crawford=1)
    after = lost.play("1/off")
    assert (tuple(after.score), after.crawford) == ((2, 1), 2)
    assert names(after.play("3-1").play("8/5 6/5")) == ["double", "roll"]


def test_a_match_is_won_by_its_points_and_pays_one():
    game = load("backgammon", match=3, cube=1)
    state = game.state(men=men(p1=1) + men(p6=15), turn=0, stage=2, high=6, low=5, cube=2, score=(1, 2), crawford=2)
    assert state.play("1/off").payoffs() == (1, -1)


def test_a_game_without_end_is_a_draw():
    game = load("backgammon", turn_limit=10)
    rng, state = random.Random(1), game.start()
    while not state.over:
        state = state.play(rng.choice(state.moves()))
    assert state.turns == 10 and state.payoffs() == (0, 0)


def test_hypergammon_has_three_men_a_side():
    start = load("backgammon", variant="hypergammon").start()
    assert sum(start.men) == 6 and start.men[1] == start.men[2] == start.men[3] == 1


@pytest.mark.parametrize(
    "given", [{"variant": "chess"}, {"payoff": "euro"}, {"match": 26}, {"cube": 2}, {"turn_limit": 1}]
)
def test_parameters_that_make_no_sense_are_refused(given):
    with pytest.raises((BadParameter, RuleError, CannotPlay), match="must be"):
        load("backgammon", **given).start()
