"""What every registered game promises, whatever its rules."""

import random

import pytest

from ludwin import CHANCE, check, load
from ludwin.errors import BadPosition, IllegalMove
from ludwin.games import homes

SMALLER = {  # where the whole game takes too long
    "carcassonne": "carcassonne:tiles=24,meeples=2,order=fixed",
    "chess": "chess:pieces=KRPKNP,deal=5",
    "freecell": "freecell:limit=60",
    "parking": "parking:size=5",
    "backgammon": "backgammon:variant=hypergammon",
    "tanks": "tanks:width=400,height=400,inactivity=50",
}
SHORT = (
    "backgammon:variant=hypergammon",
    "tanks:width=400,height=400,inactivity=50",
)  # their laws are tried, too
VARIANTS = (
    "nim:heap=9,take=2",
    "connect-four:columns=5,rows=4,connect=3",
    "draughts:size=4",
    "draughts:size=10,ply_limit=100",
    "lose-checkers:size=6,quiet_limit=20",
    "reversi:size=4",
    "pig:players=3,goal=20",
    "li-nim:players=5,heaps=2",
)
GAMES = (*(SMALLER.get(name, name) for name in homes()), *VARIANTS)  # a new game is tried here by lying in its place
PLAYED = tuple(text for text in GAMES if not load(text).is_world)  # in a world that ticks nobody moves


def walk(game, seed):
    """Yield the states of a random game, the last one included."""
    rng = random.Random(seed)
    state = game.start()
    while True:
        yield state
        legal = state.moves()
        if not legal:
            return
        state = state.play(rng.choice(legal))


@pytest.mark.parametrize("text", [text for text in GAMES if ":" not in text or text in SHORT])
def test_keeps_the_laws_of_games(text):
    game = load(text)
    check(game, playouts=2 if game.is_world else 20, seed=0, searches=False)


@pytest.mark.thorough
@pytest.mark.parametrize("text", [name for name in homes() if load(name).is_world])
def test_worlds_keep_their_laws_in_twenty_runs(text):
    check(load(text), playouts=20, seed=0, searches=False)


@pytest.mark.slow
@pytest.mark.parametrize("text", GAMES)
def test_keeps_the_laws_of_games_in_searches_too(text):
    check(load(text), playouts=100, seed=1)


@pytest.mark.parametrize("text", PLAYED)
def test_names_of_moves_and_texts_of_positions_read_back(text):
    game = load(text)
    for seed in range(3):
        for state in walk(game, seed):
            legal = state.moves()
            names = [state.name(move) for move in legal]
            assert len(set(names)) == len(names)
            assert [state.parse(f" {name} ") for name in names] == legal
            assert game.position(state.write()) == state
            assert state.mover == CHANCE or 0 <= state.mover < game.players
            assert state.show().strip()


@pytest.mark.parametrize("text", PLAYED)
def test_ends_within_its_bound_and_pays_a_constant_sum(text):
    game = load(text)
    for seed in range(3):
        states = list(walk(game, seed))
        assert len(states) - 1 <= game.max_plies
        assert game.payoff_sum is None or sum(states[-1].payoffs()) == game.payoff_sum


@pytest.mark.parametrize("text", PLAYED)
def test_refuses_nonsense_with_a_reason(text):
    game = load(text)
    for nonsense in ("", "zzz", "-1", "99-99", "i9", "B:W1"):
        with pytest.raises(IllegalMove, match=game.name):
            game.start().parse(nonsense)
        with pytest.raises(BadPosition, match="cannot read"):
            game.position(nonsense)
