"""A shape compiled into the search plays the games of the interpreter; columns hold what programs say one by one."""

import pytest

from ludwin import agent, load
from ludwin.evolve.bouts import Bouts
from ludwin.games.draughts.language import TACTICAL
from ludwin.program.generate import generate
from ludwin.program.rows import Columns
from ludwin.program.shape import constants, shape_of, with_constants
from ludwin.program.stream import Stream
from ludwin.program.values import reader, values
from ludwin.search.programs import program_player
from ludwin.search.shaped import shaped_player

GAME = load("lose-checkers")


def some_program(seed, depth=6):
    tree = generate(TACTICAL, depth, Stream(seed), full=True)
    return tree.change(1, factor=0.5) if "Bool" not in tree.language.atoms(tree.returns(1)) else tree


def positions(count, seed=1):
    found, stream = [], Stream(seed)
    while len(found) < count:
        state = GAME.start()
        for _ in range(stream.below(50)):
            moves = state.moves()
            if not moves:
                break
            state = state.play(stream.pick(moves))
        if state.moves():
            found.append(state)
    return found


def test_a_shape_plays_the_games_of_the_interpreter_move_by_move():
    guide, seeds = agent("guide:depth=2"), list(range(5))
    for seed in range(2):
        tree = some_program(seed)
        played = [Bouts(GAME, lambda t, make=make: make(t, 2)).against(tree, guide, seeds) for make in
                  (program_player, shaped_player)]  # fmt: skip
        assert played[0] == played[1]


def test_another_program_of_the_shape_takes_its_place_by_its_constants_alone():
    tree = some_program(1)
    other = with_constants(tree, tuple(-1.5 * x for x in constants(tree)))
    assert shape_of(other) == shape_of(tree) and other != tree and len(constants(tree)) > 1
    bouts, plain = Bouts(GAME, lambda t: shaped_player(t, 2)), Bouts(GAME, lambda t: program_player(t, 2))
    guide = agent("guide:depth=2")
    assert bouts.against(tree, guide, [1]) == plain.against(tree, guide, [1])
    assert bouts.against(other, guide, [1, 2]) == plain.against(other, guide, [1, 2])


@pytest.mark.parametrize("seed", range(12))
def test_columns_hold_what_the_program_says_of_each_position(seed):
    tree, states = generate(TACTICAL, 7, Stream(seed, 9), full=bool(seed % 2)), positions(25, seed)
    places = {one.reads: max(one.places, 1) for one in TACTICAL.primitives if one.reads}
    columns = {name: [[reader(state)(name, k) for state in states] for k in range(n)] for name, n in places.items()}
    assert Columns(columns).values([tree])[0].tolist() == values(tree, GAME, states)
