"""UCT finds what is to be found, spends what it may spend, and sees only what a player sees."""

from functools import lru_cache

import pytest

from ludwin import UCT, AlphaBeta, load
from ludwin.errors import CannotPlay, GameOver
from ludwin.library import AGENTS, OUTSIDE

SMALL = {"nim": 1, "tic-tac-toe": 1, "kuhn-poker": 2, "pig:goal=10": 1, "li-nim": 2}  # game: the highest payoff


def first_decision(game):
    """Return the first position in which a player moves."""
    state = game.start()
    while state.mover < 0:
        state = state.play(state.moves()[0])
    return state


@pytest.mark.parametrize("playouts", [1, 2, 7, 100])
@pytest.mark.parametrize("text", SMALL)
def test_every_playout_visits_one_move_of_the_root(text, playouts):
    game = load(text)
    state = first_decision(game)
    choice = UCT(playouts=playouts).choose(game, state, seed=3)
    assert sum(choice.visits.values()) == playouts
    assert set(choice.visits) == set(state.moves())
    assert choice.visits[choice.move] == max(choice.visits.values())
    assert abs(choice.value) <= SMALL[text] and not choice.decided


@pytest.mark.parametrize("text", SMALL)
def test_the_same_seed_makes_the_same_search(text):
    game = load(text)
    state = first_decision(game)
    searches = [UCT(playouts=60).choose(game, state, seed=seed) for seed in (0, 0, 1, -1, 2**40)]
    assert searches[0] == searches[1] and searches[0].visits == searches[1].visits
    assert len({(*s.visits.values(), s.value, s.nodes) for s in searches}) > 1, "another seed makes another search"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("position", ["XX./OO./...", "XO./XO./...", "X.O/.XO/..."])
def test_takes_a_win_in_one(position, seed):
    game = load("tic-tac-toe")
    state = game.position(position)
    choice = UCT(playouts=400).choose(game, state, seed=seed)
    assert state.play(choice.move).over and state.play(choice.move).payoff(state.mover) == 1
    assert choice.value > 0.8


@pytest.mark.parametrize("heap", [2, 3, 5, 6, 7, 9, 10])
def test_converges_to_the_winning_move_of_nim(heap):
    game = load("nim:heap=32")  # oracle: leave a multiple of four (Bouton 1901)
    choice = UCT(playouts=4000).choose(game, game.state(heap=heap, turn=1))
    assert choice.move == heap % 4
    assert choice.visits[choice.move] > 3000 and choice.value > 0.5


@pytest.mark.parametrize("heap", [4, 8])
def test_knows_that_it_loses_at_nim(heap):
    game = load("nim:heap=32")
    assert UCT(playouts=6000).choose(game, game.state(heap=heap, turn=0)).value < -0.5


def test_agrees_with_alphabeta_on_solved_positions():
    game = load("connect-four:columns=4,rows=3,connect=3")
    state = game.start()
    while not state.over:
        exact = AlphaBeta(depth=12).choose(game, state)
        chosen = UCT(playouts=3000).choose(game, state)
        after = state.play(chosen.move)
        value = after.payoff(state.mover) if after.over else -AlphaBeta(depth=12).choose(game, after).value
        assert value == exact.value, state
        state = state.play(exact.move)


def pig_values(goal):
    """Return the chances to win Pig for every (own score, other score, turn total), by value iteration.

    Oracle: Neller and Presser, "Optimal play of the dice game Pig" (2004), equation (1).
    """
    chance = {(i, j, k): 0.5 for i in range(goal) for j in range(goal) for k in range(goal - i)}

    def look(i, j, k):
        return 1.0 if i + k >= goal else chance[i, j, k]

    for _ in range(200):
        for i, j, k in chance:
            roll = ((1 - look(j, i, 0)) + sum(look(i, j, k + face) for face in range(2, 7))) / 6
            hold = 1 - look(j, i + k, 0)
            chance[i, j, k] = roll if k == 0 else max(roll, hold)
    return look


def test_plays_pig_as_value_iteration_does_where_it_matters():
    goal, game = 10, load("pig:goal=10")
    look = pig_values(goal)
    tried = 0
    for i in (0, 2, 4, 6):
        for j in (0, 4, 8):
            for k in range(2, goal - i):
                roll = ((1 - look(j, i, 0)) + sum(look(i, j, k + face) for face in range(2, 7))) / 6
                hold = 1 - look(j, i + k, 0)
                if abs(roll - hold) > 0.1:  # where the better move is clearly better
                    tried += 1
                    state = game.position(f"{i},{j}:0+{k}")
                    choice = UCT(playouts=3000).choose(game, state, seed=tried)
                    assert state.name(choice.move) == ("roll" if roll > hold else "hold"), (i, j, k, roll, hold)
                    assert (
                        abs((choice.value + 1) / 2 - max(roll, hold)) < 0.15
                    )  # 3000 playouts, most of them on the better move
    assert tried > 10


@lru_cache(maxsize=None)
def ranks(state):
    """Return what best play of everybody pays each player (max^n; no two moves pay the same in this game)."""
    if state.over:
        return state.payoffs()
    return max((ranks(state.play(move)) for move in state.moves()), key=lambda pays: pays[state.mover])


def test_three_players_each_look_after_themselves():
    game = load("li-nim:heaps=2,smallest=2")
    good = total = 0
    for a in range(3):
        for b in range(4):
            for turn in range(3):
                state = game.state(heaps=(a, b), turn=turn)
                if state.over or len(state.moves()) < 2:
                    continue
                choice = UCT(playouts=2000).choose(game, state)
                total += 1
                good += ranks(state.play(choice.move))[turn] == ranks(state)[turn]
    assert good == total > 20


# Hidden information. A player who does not see the other's card cannot choose by it.
HISTORIES = ["", "p", "b", "pb"]


def peeks(agent, game):
    """Yield the positions of Kuhn poker in which the choice depends on the card that is hidden."""
    for history in HISTORIES:
        for mine in "JQK":
            hands = [mine + other if history in ("", "pb") else other + mine for other in "JQK" if other != mine]
            for seed in range(6):
                choices = [agent.choose(game, game.position(f"{hand}:{history}"), seed=seed) for hand in hands]
                said = [(c.move, c.value, c.visits, c.nodes) for c in choices]
                if said[0] != said[1]:
                    yield hands, history, seed, said


@pytest.mark.parametrize("playouts", [1, 40, 333])
def test_never_uses_the_card_that_it_cannot_see(playouts):
    assert list(peeks(UCT(playouts=playouts), load("kuhn-poker"))) == []


@pytest.mark.parametrize("name", sorted(name for name, home in AGENTS.homes.items() if not home.startswith(OUTSIDE)))
def test_no_agent_that_plays_kuhn_poker_peeks(name):
    game, agent = load("kuhn-poker"), AGENTS[name]()
    try:
        agent.suits(game)
        chosen = list(peeks(agent, game))
    except CannotPlay:
        return
    assert chosen == []


def test_calls_with_a_king_and_folds_a_jack():
    game = load("kuhn-poker")  # dominated otherwise: a king always wins the showdown, a jack never
    for seed in range(3):
        for hand, action in (
            ("KJ:pb", "call"),
            ("KQ:pb", "call"),
            ("QK:b", "call"),
            ("JQ:pb", "fold"),
            ("KJ:b", "fold"),
        ):
            state = game.position(hand)
            assert state.name(UCT(playouts=2000).choose(game, state, seed=seed).move) == action


def test_says_when_there_is_nothing_to_choose():
    pig, nim = load("pig:goal=10"), load("nim")
    with pytest.raises(GameOver, match="nature moves here"):
        UCT(playouts=5).choose(pig, pig.position("0,0:0+0*"))
    with pytest.raises(GameOver, match="the game is over"):
        UCT(playouts=5).choose(nim, nim.position("0:0"))
