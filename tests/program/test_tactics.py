"""Tactical facts: what searches compute is what the readable twin says; odd games are not offered them."""

import random

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.generic import language
from ludwin.kernel.tactics import DISTANCE, FACTS, MY_MOBILITY, THEIR_NOISY, offered, plain_facts, possible
from ludwin.library import agent, load
from ludwin.primitives import CHANCE
from ludwin.program.text import read
from ludwin.program.values import reader, values
from ludwin.search.brain import changed
from ludwin.search.programs import Programs

SUM = "Plus(MultERC[100.0](MyMobility), TheirMobility)"


def states_of(game, count, seed=3):
    chance, found = random.Random(seed), []
    while len(found) < count:
        state = game.start()
        for _ in range(chance.randrange(14)):
            state = state.play(chance.choice(state.moves())) if state.moves() else state
        if state.moves() and state.mover != CHANCE:
            found.append(state)
    return found


def test_which_games_offer_what():
    assert offered(load("connect-four"))[:2] == FACTS[:2]
    assert set(possible(load("chess"))) == set(FACTS[:4])
    assert offered(load("tiles")) == (DISTANCE,)
    assert offered(load("li-nim")) == ()


@pytest.mark.parametrize("name", ["reversi", "draughts"])
def test_values_are_those_of_the_readable_evaluator(name):
    game = load(name)
    spoken = language(game, "tactical")
    text = "Plus(MultERC[7.0](MyNoisyMoves), TheirNoisyMoves)" if THEIR_NOISY in offered(game) else SUM
    states = states_of(game, 6)
    for tree in (read(spoken, SUM), read(spoken, text)):
        wanted = [tree.evaluate(reader(state)) for state in states]
        assert values(tree, game, states, mode="plain") == wanted
        assert values(tree, game, states) == values(tree, game, states, native=True) == wanted


def test_a_search_asks_what_the_twin_says():
    """Alpha-beta of depth 1 judges every child as its mover's position, and turns the number round."""
    game = load("connect-four")
    tree = read(language(game, "tactical"), "Minus(MyMobility, MultERC[3.0](TheirMobility))")
    player = changed(agent("alphabeta:depth=1"), brain=Programs((tree,)))
    for state in states_of(game, 4):
        found = player.choose(game, state, mode="fast")
        assert found == player.choose(game, state, mode="plain") == player.choose(game, state, mode="checked")
        if not found.decided:
            worths = []
            for move in state.moves():
                child = state.play(move)
                facts = plain_facts(child, child.mover)
                worths.append(3.0 * facts[FACTS[1]] - facts[MY_MOBILITY])
            assert found.value == max(worths)


def test_facts_swap_sides_with_the_player_who_asks():
    state = states_of(load("reversi"), 1)[0]
    mine, theirs = plain_facts(state, state.mover), plain_facts(state, 1 - state.mover)
    assert (mine[FACTS[0]], mine[FACTS[1]]) == (theirs[FACTS[1]], theirs[FACTS[0]])
    assert mine[FACTS[0]] == len(state.moves())


def test_a_puzzle_s_program_reads_its_distance():
    game = load("tiles")
    tree = read(language(game, "tactical"), "MultERC[-1.0](Distance)")
    solver = agent("best-first:nodes=2000").with_brain(Programs((tree,)))
    own = agent("best-first:nodes=2000")
    for seed in range(3):
        state = load("tiles", seed=seed + 1).start()
        assert solver.solve(state.game, state).plan == own.solve(state.game, state).plan


TAKE = '''"""Take one or two; whoever takes the last wins."""
FIELDS = {"heap": int, "turn": int, "last": 2}
MAX_MOVES = 2

def setup(s):
    s.heap = 9

def mover(s):
    return s.turn

def moves(s, out):
    n = min(2, s.heap)
    for k in range(n):
        out[k] = k + 1
    return n

def play(s, m):
    s.last[s.turn] = m
    s.heap -= m
    s.turn = 1 - s.turn

def payoff(s, p):
    return -1 if s.turn == p else 1
'''


def test_a_user_s_game_is_offered_facts_only_where_its_rules_survive_them(tmp_path):
    (tmp_path / "take.py").write_text(TAKE)
    assert offered(load(tmp_path / "take.py")) == FACTS[:2]
    trap = "    if s.heap < 9 and s.last[1 - s.turn] == 0:\n        out[7] = 1\n"  # nobody has moved, says the other
    broken = TAKE.replace("    n = min(2, s.heap)\n", "    n = min(2, s.heap)\n" + trap)
    (tmp_path / "broken.py").write_text(broken)
    assert offered(load(tmp_path / "broken.py")) == ()
    with pytest.raises(BadParameter, match="offers no tactical facts: define null"):
        language(load(tmp_path / "broken.py"), "tactical")
    other = TAKE.replace("    return s.turn\n", "    return 0 if s.turn == 0 else 1\n")
    (tmp_path / "other.py").write_text(other)
    assert offered(load(tmp_path / "other.py")) == ()
