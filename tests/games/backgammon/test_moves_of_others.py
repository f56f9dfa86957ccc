"""Plays are those of other programs, position by position."""

import numpy
import pytest

from .results import ROLLS, Results, as_boards, positions, with_roll


def differences(count, seed):
    """Compare with bgsage on so many positions and all rolls: (compared, differences, bgsage's early ends)."""
    bgsage = pytest.importorskip("bgsage", reason="bgsage is not installed: pip install bgsage")
    results, compared, different, early = Results(), 0, [], 0
    for men, turn in positions(count, seed):
        sides = numpy.array(men).reshape(2, 26)
        board = as_boards(sides[turn : turn + 1], sides[1 - turn : 2 - turn])[0].tolist()
        for high, low in ROLLS:
            ours = [tuple(row) for row in results.boards(with_roll(men, turn, high, low)).tolist()]
            theirs = {tuple(row) for row in bgsage.possible_moves(board, high, low)} or {tuple(board)}
            compared += 1
            if len(set(ours)) != len(ours) or set(ours) != theirs:
                # bgsage also lets the last man be borne off with one die where both can be played, as
                # 2/off beside 2/1*/off; the rule and GNU Backgammon do not. The winner is the same.
                if set(ours) < theirs and all(max(left) <= 0 for left in theirs - set(ours)):
                    early += 1
                else:
                    different.append((board, high, low))
    return compared, different, early


def test_plays_are_those_of_bgsage():
    compared, different, _ = differences(60, seed=3)
    assert compared == 60 * 21 and different == []


@pytest.mark.slow
def test_plays_are_those_of_bgsage_on_twenty_thousand_positions():
    compared, different, early = differences(20_000, seed=2)
    assert compared == 420_000 and different == [] and early < 50


def spiel_boards(state, player):
    """Return the boards that a roll leads to in OpenSpiel, whose doubles are two turns of two steps."""
    found, stack = set(), [state]
    while stack:
        at = stack.pop()
        if at.is_terminal() or at.is_chance_node() or at.current_player() != player:
            found.add(board_of(at, player))
        else:
            stack += [at.child(action) for action in at.legal_actions()]
    return found


def board_of(state, player):
    """Return a board of OpenSpiel as ours: men by location, of the player and of the other."""
    sides = []
    for p in (player, 1 - player):
        way = range(24) if p == 0 else range(23, -1, -1)  # X moves up its numbers, O down
        sides.append((state.board(p, 100), *(state.board(p, pos) for pos in way)))
    return tuple(sides)


@pytest.mark.parametrize(("games", "every"), [(2, 9), pytest.param(220, 1, marks=pytest.mark.slow)])
def test_plays_are_those_of_openspiel(games, every):
    pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")
    import random

    rng, results, compared, nodes = random.Random(4), Results(), 0, 0
    for _ in range(games):
        state = pyspiel.load_game("backgammon").new_initial_state()
        state.apply_action(rng.choice(state.legal_actions()))
        while not state.is_terminal():
            if state.is_chance_node():
                compared += compare_rolls(state, results) if nodes % every == 0 else 0
                nodes += 1
            state.apply_action(rng.choice(state.legal_actions()))
    assert compared > 21 * (90 * games if every == 1 else 10)


def compare_rolls(state, results):
    """Compare all 21 rolls at a chance node of OpenSpiel; return how many."""
    count = 0
    for roll, _ in state.chance_outcomes():
        thrown = state.child(roll)
        if thrown.is_terminal() or thrown.is_chance_node():
            continue
        player = thrown.current_player()
        mine, theirs = board_of(thrown, player)
        off = [15 - sum(side) for side in (mine, theirs)]
        ours = with_roll((*mine, off[0], *theirs, off[1]), 0, *dice_of(thrown))
        rows = results.men(ours)
        mine_after = {(tuple(row[:25]), tuple(row[26:51])) for row in rows.tolist()}
        assert mine_after == spiel_boards(thrown, player), (str(thrown), dice_of(thrown))
        count += 1
    return count


def dice_of(state):
    """Return the dice of an OpenSpiel position, the larger first."""
    line = next(line for line in str(state).splitlines() if line.startswith("Dice:"))
    return tuple(sorted((int(digit) for digit in line.split(":")[1].strip()), reverse=True))
