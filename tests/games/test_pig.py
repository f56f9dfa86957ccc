import random
from fractions import Fraction
from functools import cache

import pytest

from ludwin import CHANCE, load
from ludwin.errors import BadParameter, BadPosition

GAME = load("pig")


def turn_totals(hold_at):
    """Return the distribution of a turn's points for a player who holds at `hold_at` or more."""
    totals = {}
    states = {GAME.start(): Fraction(1)}
    while states:
        after = {}
        for state, chance in states.items():
            if state.mover == 1:
                totals[state.scores[0]] = totals.get(state.scores[0], 0) + chance
                continue
            moves = (
                state.moves() if state.mover == CHANCE else [state.parse("hold" if state.total >= hold_at else "roll")]
            )
            for move in moves:
                child = state.play(move)
                after[child] = after.get(child, 0) + chance / len(moves)
        states = after
    return totals


def test_points_of_a_turn_that_holds_at_20_are_the_known_ones():
    # Neller and Presser (2004), table 1: nothing in 62.45 % of the turns.
    known = {0: 0.6245, 20: 0.0997, 21: 0.0950, 22: 0.0742, 23: 0.0542, 24: 0.0352, 25: 0.0172}
    totals = turn_totals(20)
    assert {points: round(float(chance), 4) for points, chance in totals.items()} == known
    assert sum(totals.values()) == 1


def test_a_one_loses_the_turn_and_a_hold_keeps_it():
    state = GAME.position("10,20:0+7")
    assert state.play("hold").write() == "17,20:1+0"
    assert state.play("roll").play("1").write() == "10,20:1+0"
    assert state.play("roll").play("6").write() == "10,20:0+13"


def test_nobody_may_pass_the_die_on_untouched():
    assert [GAME.start().name(move) for move in GAME.start().moves()] == ["roll"]


def test_reaching_the_goal_wins_at_once():
    state = GAME.position("90,20:0+7").play("roll").play("3")
    assert state.over and state.payoffs() == (1, -1)
    assert not GAME.position("90,20:0+7").play("roll").play("2").over


def test_the_winner_gets_one_from_every_other_player():
    game = load("pig", players=4, goal=10)
    assert game.position("0,0,9,0:2+2").payoffs() == (-1, -1, 3, -1)


def test_the_round_limit_is_a_draw_and_bounds_the_game():
    game = load("pig", goal=10, round_limit=2)
    state = game.start()
    for _ in range(4):
        assert not state.over
        state = state.play("roll").play("1")
    assert state.over and state.payoffs() == (0, 0)


def test_key_leaves_the_round_out_until_the_last():
    keys = [GAME.position(f"0,0:0+0:R{n}").key() for n in (1, 249, 250)]
    assert keys[0] == keys[1] == GAME.start().key() != keys[2]


def test_first_player_wins_a_short_game_as_often_as_computed():
    """Twin: the equations of Neller and Presser, solved by iteration, against the file's rules."""
    goal = 6
    game = load("pig", goal=goal, round_limit=200)
    table = {(i, j, k): 0.5 for i in range(goal) for j in range(goal) for k in range(goal - i)}

    def chance_of(i, j, k):
        return 1.0 if i + k >= goal else table[i, j, k]

    for _ in range(200):
        for i, j, k in table:
            roll = (1 - chance_of(j, i, 0) + sum(chance_of(i, j, k + face) for face in range(2, 7))) / 6
            hold = 1 - chance_of(j, i + k, 0) if k else 0
            table[i, j, k] = max(roll, hold)

    @cache
    def win(state, depth):
        """Return the mover's chance, or the table's word for it after so many turns."""
        if state.over:
            return 1.0
        if depth == 0:
            return table[state.scores[state.turn], state.scores[1 - state.turn], state.total]
        values = []
        for move in state.moves():
            after = state.play(move)
            if after.mover == CHANCE:
                rolled = [after.play(face) for face in after.moves()]
                values.append(
                    sum(win(s, depth - 1) if s.turn == state.turn else 1 - win(s, depth - 1) for s in rolled) / 6
                )
            else:
                values.append(1 - win(after, depth - 1))
        return max(values)

    assert win(game.start(), 4) == pytest.approx(table[0, 0, 0], abs=1e-9)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0,0:2+0", "scores:turn"),
        ("0:0+0", "scores:turn"),
        ("100,0:0+0", "scores are 0 or 2 to 99"),
        ("0,0:0+1", "no turn has 1 point"),
        ("90,0:0+16", "had won before the last roll"),
        ("90,0:0+10*", "had won before the last roll"),
        ("0,0:0+0:R251", "ends after 250 rounds"),
    ],
)
def test_refuses_positions_that_cannot_be(text, reason):
    with pytest.raises(BadPosition, match=reason):
        GAME.position(text)


def test_refuses_a_game_alone():
    with pytest.raises(BadParameter, match="players must be at least 2, got 1"):
        load("pig", players=1)


def test_agrees_with_openspiel():
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")
    rng = random.Random(0)
    for _ in range(20):
        ours, theirs = GAME.start(), pyspiel.load_game("pig").new_initial_state()
        while not ours.over:
            move = rng.choice(ours.moves())
            theirs.apply_action(move - 1 if ours.mover == CHANCE else move)
            ours = ours.play(move)
            if not theirs.is_terminal():
                assert str(theirs).startswith(f"Scores: {ours.scores[0]} {ours.scores[1]}, Turn total: {ours.total}")
        if not theirs.is_terminal():
            theirs.apply_action(1)  # they want to hear that the winner holds
        assert list(ours.payoffs()) == theirs.returns()
