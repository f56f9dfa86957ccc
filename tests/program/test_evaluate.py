"""All ways to run a program give the bits of the readable evaluator."""

import math
import random
from functools import lru_cache

import pytest
from program_worlds import ARITHMETIC, CHECKERS, REVERSI, bits, boards, guesses, programs

from ludwin import load
from ludwin.errors import BadParameter, CannotPlay
from ludwin.program.assemble import assemble
from ludwin.program.generate import generate
from ludwin.program.interpret import text
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.values import inputs, reader, values
from ludwin.search.programs import program_player

WORLDS = [("lose-checkers", CHECKERS), ("reversi", REVERSI)]


@pytest.mark.parametrize(("name", "language"), WORLDS, ids=[name for name, _ in WORLDS])
def test_the_interpreter_has_the_bits_of_the_readable_evaluator(name, language):
    game = load(name)
    states = boards(name, 12)
    readers = [reader(state) for state in states]
    jumps = False
    for number, tree in enumerate(programs(language, 300, 1)):
        expected = bits(tree.evaluate(read) for read in readers)
        jumps = jumps or any(tree.primitive(at).is_lazy for at in tree.live)
        for mode in ("fast", "checked", "plain") if number < 100 else ("fast",):
            assert bits(values(tree, game, states, mode)) == expected, (mode, write(tree))
    assert jumps


@lru_cache(maxsize=None)
def interpreter(language):
    """Return the interpreter's loop in plain Python, from its kernel text."""
    space = {}
    exec(text(language, queries=False), space)
    return space["run_program"]


def run_plain(tree, read):
    """Run a program's register code."""
    numbers = {name: k for k, name in enumerate(sorted({p.reads for p in tree.language.primitives if p.reads}))}
    assembled = assemble(tree, numbers)
    code, registers = list(assembled.code), list(assembled.registers)
    for name, place, register in assembled.reads:
        registers[register] = read(name, place)
    return interpreter(tree.language)(code, registers)


def test_every_operation_of_rules_in_register_code():
    for i, tree in enumerate(programs(ARITHMETIC, 400, 2, depths=(1, 6))):
        for k in range(3):
            read = guesses(10 * i + k)
            assert bits([run_plain(tree, read)]) == bits([tree.evaluate(read)]), write(tree)


def test_a_language_of_hundreds_of_functions_has_the_bits_of_the_readable_evaluator():
    deep = "a" + " * b + 1" * 20
    many = (Primitive(f"F{k}", "Float", ("Float", "Float", "Float"), f"{deep} + {k} * c") for k in range(300))
    lazy = Primitive("If", "Float", ("Float", "Float", "Float"), "b if a else c")
    reads = (Primitive("Men", "Float", reads="men"), Primitive("Kings", "Float", reads="kings"))
    wide = Language("wide", ("Float",), (*many, lazy, *reads))
    game, states = load("lose-checkers"), boards("lose-checkers", 4)
    names = [f"F{k}" for k in range(0, 300, 19)] + ["F299"]
    trees = [read(wide, f"If(Men, {name}(Men, Kings, F{k}(Kings, Men, Men)), Kings)") for k, name in enumerate(names)]
    for tree in trees:
        expected = bits(tree.evaluate(reader(state)) for state in states)
        for mode in ("fast", "plain"):
            assert bits(values(tree, game, states, mode)) == expected, (mode, write(tree))


NUMBERS = '''"""A game of no interest whose queries answer with the numbers of the position."""

FIELDS = {"turn": int, FIELDS_OF_FLOATS}
MAX_MOVES = 1
MAX_PLIES = 2
QUERIES = {"x": "float", "y": "float", "z": ("bool", 3), "flag": ("bool", 2)}


def setup(s):
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    out[0] = 0
    return 1


def play(s, m):
    s.turn = 1 - s.turn


def payoff(s, p):
    return 0


def query(s, p, k, a):
    i = a + (k if k < 3 else 5)
ANSWERS
    return s.c6
'''


@pytest.fixture(scope="module")
def number_game(tmp_path_factory):
    """Return a game whose queries are arbitrary numbers, and positions of it."""
    path = tmp_path_factory.mktemp("numbers") / "numbers.py"
    fields = ", ".join(f'"c{i}": float' for i in range(7))
    answers = "\n".join(f"    if i == {i}:\n        return s.c{i}" for i in range(6))
    text = NUMBERS.replace("FIELDS_OF_FLOATS", fields).replace("ANSWERS", answers)
    path.write_text(text, encoding="utf8")
    game = load(str(path))
    rng = random.Random(5)
    states = []
    for _ in range(40):
        numbers = [
            rng.choice([0.0, -0.0, 1.0, -1.5, 1e-300, 1e300, rng.uniform(-9, 9), rng.gauss(0, 1)]) for _ in range(5)
        ]
        states.append(
            game.state(
                **{
                    f"c{i}": number
                    for i, number in enumerate([*numbers, float(rng.randrange(2)), float(rng.randrange(3))])
                }
            )
        )
    return game, states


def test_compiled_arithmetic_has_the_same_bits(number_game):
    game, states = number_game
    readers = [reader(state) for state in states]
    for tree in programs(ARITHMETIC, 200, 3, depths=(1, 6)):
        assert bits(values(tree, game, states)) == bits(tree.evaluate(read) for read in readers), write(tree)


def test_native_arithmetic_has_the_same_bits_or_the_last_places_of_functions(number_game):
    game, states = number_game
    exact = ARITHMETIC.without("Log", "Sin", "Cos", "Exp")
    for tree in programs(exact, 120, 4, depths=(1, 6)):
        assert bits(values(tree, game, states, native=True)) == bits(values(tree, game, states, mode="plain")), write(
            tree
        )
    for name in ("Log", "Sin", "Cos", "Exp"):
        tree = read(ARITHMETIC, f"{name}(x)")
        for got, expected in zip(
            values(tree, game, states, native=True), values(tree, game, states, mode="plain"), strict=True
        ):
            assert (
                got == expected
                or (math.isnan(got) and math.isnan(expected))
                or abs(got - expected) <= 2 * math.ulp(expected)
            )


def test_introns_never_run_and_never_matter():
    states = boards("lose-checkers", 1000, seed=6)
    readers = [reader(state) for state in states]
    with_introns = 0
    for number, tree in enumerate(programs(CHECKERS, 40, 7, depths=(4, 6))):
        introns = [at for at in range(len(tree)) if at not in tree.live]
        roots = [at for at in introns if not any(at in range(parent + 1, tree.ends[parent]) for parent in introns)]
        visited = set()
        some = readers[:: 1 if number < 4 else 50]
        before = [tree.evaluate(read, visit=visited.add) for read in some]
        assert not visited & set(introns)
        changed = tree
        for at in reversed(roots):
            changed = changed.graft(at, generate(CHECKERS, 4, Stream(8, at), wanted=tree.wanted[at]))
        with_introns += changed != tree
        assert bits(changed.evaluate(read) for read in some) == bits(before)
        assert assemble(changed, inputs(load("lose-checkers"))) == assemble(tree, inputs(load("lose-checkers")))
    assert with_introns > 15


def test_a_lazy_conditional_does_not_run_the_other_branch():
    tree = read(CHECKERS, "IFT(IsManPiece[0], Plus(One, One), Minus(One, Mobility))")
    for truth, skipped in ((1.0, {5, 6, 7}), (0.0, {2, 3, 4})):
        visited = []
        tree.evaluate(lambda name, place, truth=truth: truth, visit=visited.append)
        assert set(range(len(tree))) - set(visited) == skipped
    late = read(ARITHMETIC, "Late(Add(x, y), Sub(x, y), flag[0])")
    visited = []
    assert late.evaluate(lambda name, place: {"x": 5.0, "y": 3.0, "flag": 0.0}[name], visit=visited.append) == 2.0
    assert set(visited) == {0, 4, 5, 6, 7}


def test_the_sample_tree_of_the_book():
    # Fig. 3.1: 0 if FriendlyPieceCount < 2 EnemyKingCount, else EnemyKingCount + 3.4
    tree = read(
        CHECKERS,
        "IFT(LowerEqual(Plus(EnemyKingCount, EnemyKingCount), FriendlyPieceCount), Plus(EnemyKingCount, 3.4), Zero)",
    )
    for kings, pieces, value in ((0, 0, 3.4), (1, 2, 4.4), (1, 1.4, 0.0), (3, 5, 0.0), (3, 6, 6.4)):
        assert (
            tree.evaluate(
                lambda name, place, kings=kings, pieces=pieces: {"enemy kings": kings, "my pieces": pieces}[name]
            )
            == value
        )
    game = load("lose-checkers")
    assert values(tree, game, [game.start()]) == [3.4]


def test_an_input_is_read_once_and_a_constant_is_computed_before():
    numbers = inputs(load("lose-checkers"))
    tree = read(
        CHECKERS, "Plus(Minus(Mobility, ManCount), Plus(Mobility, IFT(AND(True, True), Plus(One, 2.5), KingCount)))"
    )
    assembled = assemble(tree, numbers)
    assert sorted((name, place) for name, place, _ in assembled.reads) == [("men", 0), ("mobility", 0)]
    assert 3.5 in assembled.registers
    twice = read(CHECKERS, "Plus(Minus(Mobility, ManCount), Minus(Mobility, ManCount))")
    once = read(CHECKERS, "Plus(Minus(Mobility, ManCount), Mobility)")
    assert len(assemble(twice, numbers).code) == len(assemble(once, numbers).code)  # computed once, named twice


def test_what_is_computed_in_one_branch_is_not_taken_for_known_in_the_other():
    part = "Minus(Mobility, ManCount)"
    tree = read(
        CHECKERS, f"Plus(IFT(IsManPiece[0], {part}, One), Plus(IFT(IsManPiece[1], Plus({part}, One), {part}), {part}))"
    )
    for truth in range(4):
        answer = {
            "is man": lambda place, truth=truth: float(truth >> place & 1),
            "mobility": lambda place: 7.0,
            "men": lambda place: 2.0,
        }
        assert run_plain(tree, lambda name, place, answer=answer: answer[name](place)) == tree.evaluate(
            lambda name, place, answer=answer: answer[name](place)
        )


def test_what_a_game_does_not_offer_is_told():
    tree = read(CHECKERS, "Plus(One, ManCount)")
    with pytest.raises(BadParameter, match="reads 'men', which is not offered here"):
        assemble(tree, inputs(load("reversi")))
    with pytest.raises(CannotPlay, match="reversi: the program reads 'men'"):
        program_player(tree).choose(load("reversi"), load("reversi").start())


def test_a_program_plays_the_same_in_every_mode():
    game = load("lose-checkers")
    for number, tree in enumerate(programs(CHECKERS, 4, 9, depths=(4, 6))):
        for state in boards("lose-checkers", 3, seed=number):
            choices = [
                program_player(tree, depth=2).choose(game, state, seed=number, mode=mode)
                for mode in ("fast", "checked", "plain")
            ]
            assert choices[0] == choices[1] == choices[2]
