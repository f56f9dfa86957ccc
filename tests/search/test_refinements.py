"""Every combination of refinements returns the value of plain minimax over the same tree.

The oracle is `minimax.py`, which shares only the leaves and the quiescence rule with the searches tried
here. Positions come from random games, combinations from a seeded draw over all settings.
"""

from random import Random

import pytest

from ludwin import load
from ludwin.search.alphabeta import AlphaBeta
from ludwin.search.minimax import Minimax

GAMES = {
    "tic-tac-toe": (5, ("game",)),
    "nim": (6, ("game",)),
    "connect-four": (4, ("game",)),
    "draughts": (4, ("game", "twist")),
    "lose-checkers": (4, ("game",)),
    "reversi": (3, ("game",)),
}


def random_positions(game, number, seed):
    """Return so many positions with a player to move, from random games."""
    rng = Random(seed)
    found = []
    while len(found) < number:
        state = game.start()
        for _ in range(rng.randrange(60)):
            if state.over:
                break
            state = state._play(rng.choice(state.moves()))
        if not state.over and getattr(state, "quiet", 0) < 70:  # the key leaves out the draw counter
            found.append(state)
    return found


def random_combination(game, depth, evaluation, rng):
    """Return a minimax and an alpha-beta with the same horizon and a random choice of refinements."""
    quiet = rng.choice(["none", "twist", "usual"]) if "noisy" in game.offers else "none"
    horizon = {"depth": rng.randint(1, depth), "eval": evaluation, "quiescence": quiet, "extra": rng.randint(0, 3)}
    orders = [
        "rules",
        "noisy",
        "value",
        *(game.variants("order_") if evaluation == "twist" else ()),
    ]  # each binding compiles anew
    refined = AlphaBeta(
        **horizon,
        order=rng.choice(orders),
        killers=rng.choice(["none", "shared", "ply"]),
        killer_size=rng.choice([1, 2, 10]),
        history=rng.randint(0, 1),
        table=rng.choice([0, 4, 12]),
        pvs=rng.randint(0, 1),
        driver=rng.choice(["full", "aspiration", "mtdf"]),
        window=rng.choice([0.0, 0.01, 0.5]),
        deepen=rng.randint(0, 1),
        ties=rng.choice(["first", "random"]),
    )
    return Minimax(**horizon), refined


def compare(name, number, seed):
    game = load(name)
    depth, evaluations = GAMES[name]
    rng = Random(seed)
    for state in random_positions(game, number, seed):
        oracle, refined = random_combination(game, depth, rng.choice(evaluations), rng)
        expected, got = oracle.choose(game, state), refined.choose(game, state, seed=rng.randrange(2**32))
        assert got.value == expected.value, f"{refined} at {state.write()}: {got} instead of {expected}"
        children = {m: state._play(m) for m in state.moves()}
        assert got.move in children


@pytest.mark.parametrize("name", GAMES)
def test_refinements_keep_the_minimax_value(name):
    compare(name, 60, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_refinements_keep_the_minimax_value_on_a_thousand_positions(name):
    compare(name, 1000, seed=2)


@pytest.mark.parametrize("name", ["draughts", "connect-four", "reversi"])
def test_plain_alphabeta_equals_minimax_and_never_looks_at_more(name):
    game = load(name)
    for state in random_positions(game, 40, seed=3):
        expected = Minimax(depth=4).choose(game, state)
        got = AlphaBeta(depth=4).choose(game, state)
        assert (got.move, got.value, got.decided) == (expected.move, expected.value, expected.decided)
        assert got.nodes <= expected.nodes
        assert got.kinds["inner"] + got.kinds["terminal"] + got.kinds["static"] == got.nodes


def test_the_principal_variation_leads_to_the_value():
    game = load("draughts")
    for state in random_positions(game, 40, seed=4):
        for agent in (AlphaBeta(depth=5), AlphaBeta(depth=5, pvs=1, history=1)):
            choice = agent.choose(game, state)
            player, end = state.mover, state
            for move in choice.line:
                end = end.play(move)
            worth = end.payoff(player) if choice.decided else end.evaluate(player)
            assert worth == pytest.approx(choice.value)
            assert choice.line[0] == choice.move


def test_a_node_budget_is_kept_and_the_last_whole_iteration_counts():
    game = load("draughts")
    state = game.start().play("11-15").play("23-19")
    for nodes in (50, 1000, 20_000):
        choice = AlphaBeta(depth=64, nodes=nodes, table=14).choose(game, state)
        assert choice.nodes <= nodes
        again = AlphaBeta(depth=choice.depth, deepen=1, table=14).choose(game, state)
        assert (again.move, again.value) == (choice.move, choice.value)


@pytest.mark.parametrize(
    "name, settings", [("reversi", {"null": 1}), ("reversi", {"lmr": 1}), ("draughts", {"lmr": 1})]
)
def test_unsound_cuts_look_at_less_and_play_legal_moves(name, settings):
    game = load(name)
    plain = refined = 0
    for state in random_positions(game, 25, seed=5):
        depth = 5 if name == "reversi" else 7
        exact, quick = AlphaBeta(depth=depth, history=1), AlphaBeta(depth=depth, history=1, **settings)
        a, b = exact.choose(game, state), quick.choose(game, state)
        plain, refined = plain + a.nodes, refined + b.nodes
        assert b.move in state.moves()
    assert refined < 0.9 * plain
