"""Native code gives the interpreter's bits, and a search that uses it plays the same moves."""

import ctypes

import pytest
from program_worlds import CHECKERS, bits, boards, programs

from ludwin import load
from ludwin.kernel import cache
from ludwin.program.assemble import assemble
from ludwin.program.native import compile_program, compile_programs
from ludwin.program.text import read
from ludwin.program.values import inputs, values
from ludwin.search.programs import program_player


def test_native_code_has_the_bits_of_the_interpreter():
    game = load("lose-checkers")
    states = boards("lose-checkers", 100, seed=1)
    for tree in programs(CHECKERS, 60, 1, depths=(3, 7)):
        assert bits(values(tree, game, states, native=True)) == bits(values(tree, game, states))


def test_called_by_its_address():
    tree = read(CHECKERS, "IFT(LowerEqual(Mobility, 3.5), MultERC[2.0]{0.5}(ManCount), Minus(One, Mobility))")
    made = compile_program(tree, {"mobility": 0, "men": 1})
    places = {name: register for name, _, register in assemble(tree, {"mobility": 0, "men": 1}).reads}
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))(made.address)
    registers = (ctypes.c_double * 20)()
    for mobility, men, value in ((3.0, 7.0, 7.0), (3.5, -2.0, -2.0), (4.0, 7.0, -3.0)):
        registers[places["mobility"]], registers[places["men"]] = mobility, men
        assert function(registers) == value


def test_a_program_is_compiled_once():
    numbers = inputs(load("lose-checkers"))
    trees = programs(CHECKERS, 5, 2, depths=(4, 6))
    first = compile_programs([*trees, trees[0]], numbers)
    assert first[0] == first[5] and [compile_program(tree, numbers) for tree in trees] == first[:5]
    assert len({made.address for made in first}) == len(set(trees))
    assert "define double" in first[0].ir and not {"fast", "contract", "reassoc"} & set(first[0].ir.split())


def test_nothing_is_reordered_or_fused():
    # (0.1 + 0.2) + 0.3 and 0.1 + (0.2 + 0.3) differ in the last bit, and so does a fused multiply-add
    game = load("lose-checkers")
    state = [game.start()]
    for text in (
        "Plus(Plus(MultERC[0.1](FriendlyManCount), MultERC[0.2](FriendlyManCount)), MultERC[0.3](FriendlyManCount))",
        "Plus(MultERC[0.1](FriendlyManCount), Plus(MultERC[0.2](FriendlyManCount), MultERC[0.3](FriendlyManCount)))",
        "Minus(MultERC[0.1](MultERC[0.1](FriendlyManCount)), MultERC[0.01](FriendlyManCount))",
    ):
        assert bits(values(read(CHECKERS, text), game, state, native=True)) == bits(
            values(read(CHECKERS, text), game, state, "plain")
        )


@pytest.mark.parametrize("mode", ["fast", "checked", "plain"])
def test_a_native_champion_plays_the_same_moves(mode):
    game = load("lose-checkers")
    tree = programs(CHECKERS, 8, 3, depths=(6, 7))[7]
    for seed, state in enumerate(boards("lose-checkers", 4, seed=4)):
        depth = 2 if mode == "plain" else 4
        assert program_player(tree, depth, native=1).choose(game, state, seed=seed, mode=mode) == program_player(
            tree, depth
        ).choose(game, state, seed=seed)
    assert "native" in str(program_player(tree, 3, native=1)) and "native" not in str(program_player(tree, 3))


def test_a_native_champion_in_a_new_process_finds_its_search_on_disk(python):
    script = """
from ludwin import load
from ludwin.games.draughts.language import LANGUAGE
from ludwin.program.text import read
from ludwin.search.programs import program_player
game = load("lose-checkers")
tree = read(LANGUAGE, "IFT(LowerEqual(Mobility, 4.5), MultERC[-2.0](ManCount), Minus(KingCount, Mobility))")
choice = program_player(tree, 4, native=1).choose(game, game.start(), seed=3)
print(choice.move, choice.value, choice.nodes)
"""
    game = load("lose-checkers")
    tree = read(CHECKERS, "IFT(LowerEqual(Mobility, 4.5), MultERC[-2.0](ManCount), Minus(KingCount, Mobility))")
    choice = program_player(tree, 4, native=1).choose(game, game.start(), seed=3)
    assert python(script, cache=str(cache.folder())) == f"{choice.move} {choice.value} {choice.nodes}"
