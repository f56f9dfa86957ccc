"""Programs that act: the same value, the same deeds in the same order, the same steps, in every way to run them."""

import pytest
from act_runs import (
    MODES,
    NIM_RULES,
    STEPS,
    diary,
    grown,
    limits,
    maze_actor,
    maze_done,
    maze_told,
    nim_actor,
    nim_done,
    nim_told,
)
from act_worlds import LONG, MAZE, MAZE_EFFECTS, MAZE_RULES, NIM, NIM_EFFECTS, B, F, Maze, NimWorld
from program_worlds import bits, boards

from ludwin import load
from ludwin.errors import BadParameter
from ludwin.kernel.memory import write as write_cells
from ludwin.kernel.names import Bundle, copy, moves, play
from ludwin.kernel.specialise import specialise
from ludwin.kernel.text import Kernel
from ludwin.program.act import MOST_NESTED, OUT_OF_STEPS, TOO_DEEP, WHOLE, Action, Deeds, Ended, run
from ludwin.program.act_code import assemble_acts
from ludwin.program.act_kernel import RECORDS, branch, make, run_program, take_back
from ludwin.program.actor import Actor, Effects, bound
from ludwin.program.draw import kind
from ludwin.program.export import python
from ludwin.program.language import Language, Primitive
from ludwin.program.simplify import simplify, sizes
from ludwin.program.text import read, write
from ludwin.program.tree import join
from ludwin.program.values import reader
from ludwin.search.minimax import Minimax

# The evaluator and the compiled interpreter.


def test_a_walk_in_the_maze_is_the_same_in_every_mode():
    cuts = {WHOLE: 0, OUT_OF_STEPS: 0, TOO_DEEP: 0, 5: 0}
    long = 0
    for i, tree in enumerate(grown(MAZE, 1200, 1, depths=(1, 6))):
        case = i, *limits(i), (2, 1, i % 4)
        expected = maze_told(tree, *case)
        cuts[expected[2]] += 1
        long += len(expected[3]) > 10
        for mode in MODES:
            assert maze_done(mode, tree, *case) == expected, (mode, case, write(tree))
    assert cuts[WHOLE] > 300 and cuts[OUT_OF_STEPS] > 200 and cuts[TOO_DEEP] > 50 and cuts[5] > 20 and long > 30


def test_moves_made_and_taken_back_are_the_same_in_every_mode():
    cuts = {WHOLE: 0, OUT_OF_STEPS: 0, TOO_DEEP: 0}
    long = 0
    for i, tree in enumerate(grown(NIM, 1200, 2, depths=(1, 6))):
        case = 3 + i % 7, *limits(i)
        expected = nim_told(tree, *case)
        cuts[expected[2]] += 1
        long += len(expected[3]) > 10
        for mode in MODES:
            assert nim_done(mode, tree, *case) == expected, (mode, case, write(tree))
    assert cuts[WHOLE] > 300 and cuts[OUT_OF_STEPS] > 200 and cuts[TOO_DEEP] > 50 and long > 30


def test_what_is_taken_back_leaves_the_world_as_it_was():
    made = 0
    for i, tree in enumerate(tree for tree in grown(NIM, 300, 3, depths=(1, 5)) if "Take" not in write(tree)):
        for mode in MODES:
            outcome = nim_done(mode, tree, 7, *limits(i))
            made += len(outcome[3])
            assert outcome[4:] == ((7, 0), 1)  # heap, turn; nothing open
    assert made > 1000
    for i, tree in enumerate(grown(MAZE, 150, 4, depths=(1, 5))):
        inside = join(MAZE, "Try", tree)
        for mode in MODES:
            assert maze_done(mode, inside, i, STEPS[i % 10], 12)[4] == (2, 1, 0, 0)


def test_a_nested_search_finds_the_theory_of_nim():
    # Bouton 1901: who is to move loses exactly when the heap is a multiple of take + 1.
    lost = "Not(CanMove(Stuck(Mobility), Yes, Less(Zero, Zero)), Yes)"
    for _ in range(5):
        lost = f"Not(CanMove({lost}, Yes, Less(Zero, Zero)), Yes)"
    wins = read(NIM, f"IfMove({lost}, 1.0, -1.0)")
    best = read(NIM, "Best(" * 8 + "Zero" + ")" * 8)
    for heap in range(1, 8):
        expected = -1.0 if heap % 4 == 0 else 1.0
        for mode in MODES:
            actor = nim_actor(mode, 12).load(wins, best)
            actor.steps = 10**6
            state = NIM_RULES.state(heap=heap, turn=0)
            assert actor.run(state) == run(wins, NimWorld(heap), steps=10**6) != Ended(0.0, 0)
            assert actor.run(state).value == expected
            assert actor.run(state, program=1).value == 1000.0 * expected


def test_all_moves_to_a_depth_are_the_nodes_of_minimax():
    # Twin: a program of nested Best makes the moves that minimax makes, one by one.
    known = 0.0  # an end is seen by the Best that finds no move there, so one level later than by minimax
    for depth in range(1, 8):
        program = read(NIM, "Best(" * depth + "Zero" + ")" * depth)
        searched = Minimax(depth=depth).choose(NIM_RULES, NIM_RULES.start())
        for mode in MODES:
            value, _, cut, deeds, *_ = nim_done(mode, program, 9, 10**6, 12)
            assert cut == WHOLE and len(deeds) + 1 == searched.nodes
            assert float.fromhex(value[0]) == known
        known = 1000.0 * searched.value if searched.decided else 0.0
    assert known == 1000.0


def best_of_all(w, k, node):
    """Return the greatest value of a over all moves; where there is none, a itself."""
    here = w.acts.open
    n = moves(w.positions[here], w.choices[here])
    found = 0.0
    for i in range(n):
        make(w, w.choices[here][i])
        value = branch(w, node, 0)
        take_back(w)
        found = value if i == 0 else max(found, value)
    return found if n > 0 else branch(w, node, 0)


def test_queries_are_asked_of_the_position_where_the_program_is():
    game = load("lose-checkers")
    language = Language(
        "looking",
        (F,),
        (
            Primitive("Best", F, (F,), acts="best", branches="a"),
            Primitive("Sub", F, (F, F), "a - b"),
            Primitive("Men", F, reads="my pieces"),
            Primitive("Theirs", F, reads="enemy pieces"),
            Primitive("Mobility", F, reads="mobility"),
        ),
    )
    effects = Effects({"best": Action(1, "a", opens=1)}, best_of_all)

    def opinion(state):
        read = reader(state)
        return read("my pieces", 0) - read("enemy pieces", 0) - read("mobility", 0)

    def best(state, depth):
        return max(best(state.play(m), depth - 1) for m in state.moves()) if depth else opinion(state)

    tree = read(language, "Sub(Best(Best(Sub(Sub(Men, Theirs), Mobility))), Mobility)")
    actors = [Actor(game, language, effects, mode=mode).load(tree) for mode in MODES]
    for state in boards("lose-checkers", 12, seed=3, plies=30):
        if all(state.play(m).moves() for m in state.moves()):
            expected = best(state, 2) - len(state.moves())
            assert [actor.run(state).value for actor in actors] == [expected] * 3


# Order.


def walk(text, steps=100, depth=12, start=(0, 0, 0)):
    """Return value, steps and diary of a program in the maze, the same in all ways to run it."""
    tree = read(MAZE, text)
    assert write(tree) == text
    told = maze_told(tree, 1, steps, depth, start)
    assert all(maze_done(mode, tree, 1, steps, depth, start) == told for mode in MODES)
    value = float("nan") if told[0] == ["nan"] else float.fromhex(told[0][0])
    return value, told[1], [what for what, _ in told[3]], told[4]


def test_inputs_are_read_again_after_a_deed_and_arguments_go_from_left_to_right():
    assert walk("Sub(Y, Then(Ahead, Y))")[0] == -1.0
    assert walk("Sub(Then(Ahead, Y), Y)")[0] == 0.0
    assert walk("Add(Then(Ahead, Y), Then(Ahead, Y))") == (3.0, 4, [0, 0], (0, 2, 0, 2))
    assert walk("Add(Mul(Y, Y), Then(Ahead, Mul(Y, Y)))")[0] == 1.0
    assert walk("Add(If(Less(X, Y), Ahead, Then(Ahead, X)), Y)")[0] == 1.0  # known before both ways, not after
    assert walk("Least(Add(Y, 1.0), Then(Ahead, Add(Y, 1.0)), Add(Y, 1.0))")[0] == 1.0


def test_only_the_way_that_is_taken_acts():
    assert walk("If(Wall, Ahead, Turn[1])")[2:] == ([1], (0, 0, 1, 0))
    assert walk("Late(Ahead, Turn[1], Moved)", start=(0, 0, 0))[2:] == ([0, 0], (0, 2, 0, 2))
    assert walk("Keep(Ahead, Turn[0])")[2] == [1]  # the first argument is an intron
    assert walk("Strict(Yes, Turn[1], Ahead)")[2] == [1, 0]  # a rule that is not lazy has both done
    assert walk("Choose(Y, Ahead, Say[0.5](2.0))")[2] == [2]
    assert walk("If(Both(Moved, Moved), Ahead, Zero)")[2] == [0, 0, 0]


def test_deeds_in_conditions_and_deeds_in_deeds():
    assert walk("While(Moved, Turn[1])")[1:3] == (7, [0, 1, 0])  # ahead, to the right, and there is the pillar
    assert walk("Try(Try(Try(Y)))", start=(0, 0, 0))[0] == 3.0
    assert walk("Then(Try(Then(Ahead, Y)), Y)", start=(0, 0, 0))[0] == 0.0
    assert walk("Peek(Peek(X, Y), AddUp(5.0, Add(Total, AddUp(2.0, Total))))")[0] == -12.0
    assert walk("Then(AddUp(5.0, Total), Total)")[0] == 0.0


def test_numbers_that_are_none_go_to_the_deeds_as_they_are():
    value, _, said, _ = walk("Then(Say[1.0](Odd[2]), Then(Say[1.0](Odd[1]), Say[-1.0](Odd[0])))")
    assert value == 0.0 and said == [2, 2, 2]
    assert walk("Choose(Odd[2], Ahead, Turn[0])")[2] == [1]
    tree = read(NIM, "Then(Take(Div(Zero, Zero)), Then(Take(Div(1.0, Zero)), Take(2.0)))")
    assert nim_told(tree, 5, 99, 3)[4] == (3, 1)
    assert all(nim_done(mode, tree, 5, 99, 3) == nim_told(tree, 5, 99, 3) for mode in MODES)


def test_equal_deeds_are_all_done():
    assert walk("Add(Ahead, Ahead)")[2] == [0, 0]
    assert walk("Sub(Die, Die)")[0] != 0.0


# Limits.


def test_no_step_no_deed():
    assert walk("Add(1.0, Ahead)", steps=0)[:3] == (1.0, 0, [])
    assert walk("Add(1.0, Y)", steps=0)[:3] == (1.0, 0, [])
    for mode in MODES:
        assert maze_done(mode, read(MAZE, "Ahead"), 1, 0, 3)[2] == OUT_OF_STEPS
        assert maze_done(mode, read(MAZE, "Y"), 1, 0, 3)[2] == WHOLE


def test_a_program_that_never_ends_is_cut_and_takes_back():
    assert walk("Try(While(Yes, Turn[1]))", steps=1000)[1] == 1000
    assert walk("Try(Then(Ahead, While(Yes, Peek(Turn[0], Turn[1]))))", steps=777)[3] == (0, 0, 0, 0)
    assert walk("While(Yes, While(Yes, While(Yes, Zero)))", steps=5)[:2] == (0.0, 5)


def test_every_limit_cuts_the_same_program_at_another_place():
    text = "Add(Try(Peek(Add(Ahead, Try(Say[1.0](Y))), Ahead)), AddUp(2.0, Then(Say[1.0](Total), Ahead)))"
    whole = walk(text)
    assert whole[1] == 15
    for steps in range(16):
        assert walk(text, steps=steps)[1] == steps
    deepest = [walk(text, depth=depth)[1] for depth in range(6)]
    assert deepest == [0, 2, 2, 15, 15, 15]  # try, and in it peek, which needs two; the inner try finds room for one


def test_a_domain_may_cut_a_program_itself():
    assert walk("Add(Stop(Yes), Ahead)")[:3] == (2.0, 1, [])
    assert walk("Try(While(Yes, Then(Ahead, Stop(Wall))))")[3] == (0, 0, 0, 0)
    for mode in MODES:
        assert maze_done(mode, read(MAZE, "Stop(Yes)"), 1, 9, 9)[2] == 5
        assert maze_done(mode, read(MAZE, "Stop(Yes)"), 1, 0, 9)[2] == OUT_OF_STEPS


def test_a_deed_that_opens_nothing_needs_no_depth():
    assert walk("Then(Ahead, Turn[1])", depth=0)[2] == [0, 1]
    assert walk("Try(Ahead)", depth=1)[2] == [3, 0, 30]
    assert walk("Try(Ahead)", depth=0)[:3] == (0.0, 0, [])


def test_deep_programs():
    chain = "Try(" * MOST_NESTED + "Y" + ")" * MOST_NESTED
    told = maze_told(read(MAZE, chain), 1, 1000, 60)
    assert told[1:3] == (2 * MOST_NESTED, WHOLE)
    for mode in MODES:
        actor = Actor(MAZE_RULES, MAZE, MAZE_EFFECTS, mode=mode, depth=60, diary=LONG, heard=LONG, before=61, luck=1)
        outcome = actor.load(read(MAZE, chain)).run(MAZE_RULES.state(x=2, y=1, heading=0, walked=0))
        assert (bits([outcome.value]), outcome.steps) == told[:2]
    deeper = read(MAZE, f"Try({chain})")
    for refused in (lambda: maze_told(deeper, 1, 9, 9), lambda: maze_actor("plain", 3).load(deeper)):
        with pytest.raises(BadParameter, match="branches within branches 61 deep; 60 are possible"):
            refused()
    wide = read(MAZE, "Then(" * 150 + "Ahead" + ", Turn[1])" * 150)  # deep, but not in branches
    assert maze_done("fast", wide, 1, 1000, 1) == maze_told(wide, 1, 1000, 1)


@pytest.mark.parametrize("limit", [-1, 1.5, True, None, 2**63])
def test_a_limit_is_a_whole_number_from_0(limit):
    with pytest.raises(BadParameter, match="steps must be a whole number from 0 to 4611686018427387904, got"):
        run(read(MAZE, "Y"), Maze(MAZE_RULES.start(), 1), steps=limit)
    with pytest.raises(BadParameter, match="depth must be a whole number from 0 to 4096, got"):
        Actor(NIM_RULES, NIM, NIM_EFFECTS, depth=limit, diary=1, heard=1)


# Simplification, introns, export.


@pytest.mark.parametrize("language", [MAZE, NIM], ids=lambda language: language.name)
def test_a_simplified_program_does_the_same(language):
    shorter = 0
    told = maze_told if language is MAZE else lambda tree, i, steps, depth: nim_told(tree, 3 + i % 7, steps, depth)
    for i, tree in enumerate(grown(language, 500, 5, depths=(1, 5))):
        short = simplify(tree)
        assert not short.faults() and len(short) <= len(tree) and simplify(short) == short
        shorter += len(short) < len(tree)
        case = i, *limits(i)
        if 0 in tree.acting:
            assert told(short, *case) == told(tree, *case), (write(tree), write(short))
        else:
            assert told(short, *case)[1:4] == (0, WHOLE, [])
    assert shorter > 150


LAWS = [
    ("Sub(Ahead, Ahead)", "Sub(Ahead, Ahead)"),
    ("Mul(Zero, Ahead)", "Mul(Zero, Ahead)"),
    ("Least(Y, Ahead, Y)", "Least(Y, Ahead, Y)"),
    ("Least(Y, Y, Ahead)", "Least(Y, Y, Ahead)"),
    ("Least(Y, Y, Y)", "Y"),
    ("If(Moved, X, X)", "If(Moved, X, X)"),
    ("If(Wall, X, X)", "X"),
    ("If(Yes, Ahead, Turn[1])", "Ahead"),
    ("If(Less(2.0, 1.0), Ahead, Turn[1])", "Turn[1]"),
    ("Late(Ahead, Turn[0], Yes)", "Ahead"),
    ("Strict(Yes, Turn[1], Ahead)", "Strict(Yes, Turn[1], Ahead)"),
    ("Keep(Ahead, Turn[1])", "Turn[1]"),
    ("Sub(Ahead, Zero)", "Ahead"),
    ("Mul(Ahead, 1.0)", "Ahead"),
    ("Try(Sub(Y, Zero))", "Try(Y)"),
    ("Then(Zero, Zero)", "Then(Zero, Zero)"),
    ("If(Both(Moved, Less(1.0, Zero)), X, X)", "If(Both(Moved, Less(1.0, Zero)), X, X)"),
    ("If(Not(Not(Moved, Yes), Yes), Ahead, Zero)", "If(Moved, Ahead, Zero)"),
    ("Say[0.5](Value(Both(Wall, Yes)))", "Say[0.5](Value(Both(Wall, Yes)))"),
    ("Turn[1]", "Turn[1]"),
]


@pytest.mark.parametrize(("before", "after"), LAWS)
def test_laws_respect_deeds(before, after):
    assert write(simplify(read(MAZE, before))) == after
    assert walk(before) == walk(after)


def test_a_truth_that_a_deed_hears_stays_1_or_0():
    # Both(flag, Yes) may become flag where truths are read, for any number but 0 is true; a deed hears the number.
    language = Language(
        "heard",
        (F, B),
        (
            Primitive("Both", B, (B, B), "a and b"),
            Primitive("Either", B, (B, B, B), "b if a else c"),
            Primitive("Number", F, (B,), "2 if a else 3"),
            Primitive("Scaled", B, (B,), "a * 2.5"),
            Primitive("Hear", F, (B,), acts="hear"),
            Primitive("Look", F, (B,), acts="look", branches="a"),
            Primitive("Yes", B, rule="1.0"),
            Primitive("flag", B, reads="flag"),
        ),
    )

    class Listener:
        actions = {"hear": Action(1), "look": Action(1, "a")}
        open = cut = 0

        def read(self, name, place):
            return 7.0

        def act(self, name, number, arguments):
            return arguments[0]() if name == "look" else arguments[0]

    for text in ("Hear(Both(flag, Yes))", "Look(Both(flag, Yes))", "Hear(Either(flag, Both(flag, Yes), flag))"):
        tree = read(language, text)
        assert run(simplify(tree), Listener()).value == run(tree, Listener()).value == 1.0
    for text in ("Hear(Either(Yes, Scaled(Yes), flag))", "Hear(Either(flag, Scaled(Yes), Scaled(flag)))"):
        tree = read(language, text)  # a conditional hands on what its branch says, be it no truth
        assert run(simplify(tree), Listener()).value == run(tree, Listener()).value == 2.5
    assert write(simplify(read(language, "Number(Both(flag, Yes))"))) == "Number(flag)"


def test_introns_never_act():
    for i, tree in enumerate(grown(MAZE, 200, 6)):
        visited = []
        run(tree, Maze(MAZE_RULES.start(), i), steps=200, visit=visited.append)
        assert set(visited) <= tree.live
    tree = read(MAZE, "Keep(Try(Ahead), Y)")
    assert 0 not in tree.acting and sizes(tree)["introns"] == 2
    assert [kind(tree, at) for at in range(4)] == ["function", "intron", "intron", "input"]


@pytest.mark.parametrize("language", [MAZE, NIM], ids=lambda language: language.name)
def test_an_exported_program_does_the_same_and_does_not_need_us(language):
    for i, tree in enumerate(grown(language, 250, 7, depths=(1, 6))):
        text = python(tree)
        space = {}
        exec(compile(text, "<exported>", "exec"), space)
        assert "import ludwin" not in text and "from ludwin" not in text
        steps, depth = limits(i)
        world = Maze(MAZE_RULES.start(), i) if language is MAZE else NimWorld(5)
        again = Maze(MAZE_RULES.start(), i) if language is MAZE else NimWorld(5)
        outcome = run(tree, world, steps=steps, depth=depth)
        deeds = Deeds(again, steps, depth)
        value = space["evaluate"](again.read, deeds.act) if 0 in tree.acting else space["evaluate"](again.read)
        assert bits([value]) == bits([outcome.value]) and (deeds.steps, deeds.cut) == (outcome.steps, outcome.cut), text
        assert diary(again.diary) == diary(world.diary)


def test_an_exported_program_reads_like_one():
    text = python(read(MAZE, "If(Wall, Turn[1], Try(Add(Ahead, Y)))"))
    assert text.endswith("""

def evaluate(read, act):
    def try_a():
        ahead_value = float(act('ahead', 0.0, []))
        y = float(read('y', 0))
        return ahead_value + y
    wall = float(read('wall', 0))
    if wall != 0.0:
        turn_value = float(act('turn', 1.0, []))
        value = turn_value
    else:
        try_value = float(act('try', 0.0, [try_a]))
        value = try_value
    return value
""")
    assert "#     'try': arguments [a()], functions to call with (); number is 0.0" in text
    nasty = "lambda\nimport os#'"
    odd = Language("odd", (F,), (Primitive("Return", F, reads="return"), Primitive("Do", F, (F,), acts=nasty)))
    space = {}
    exec(python(read(odd, "Do(Do(Return))")), space)
    assert "os" not in space
    assert space["evaluate"](lambda name, place: 2.0, lambda name, number, heard: heard[0] * 3.0) == 18.0


# Inside a search.


def first_moves(w: Bundle, limit: int):
    """Make every first move; the program judges what follows. Return the best move, and leave the values."""
    n = moves(w.root[0], w.firsts[0])
    found = 0
    for i in range(n):
        copy(w.positions[0], w.root[0])
        play(w.positions[0], w.firsts[0][i])
        w.acts.limit = limit
        w.worth[i] = run_program(w, 0)
        if w.worth[i] > w.worth[found]:
            found = i
    return w.firsts[0][found]


def test_a_search_runs_acting_programs_in_its_own_bundle():
    # The outer module of a search for mates: it makes the first moves, the program makes the others.
    tree = read(NIM, "IfMove(Not(CanMove(Stuck(Mobility), Yes, Less(Zero, Zero)), Yes), -1.0, 1.0)")
    own = {"root": "States", "firsts": "Moves", "worth": [float]}
    kernel = Kernel(
        "first moves",
        first_moves,
        bind=bound(NIM, NIM_EFFECTS, NIM_RULES),
        records={**RECORDS, **NIM_EFFECTS.records, **own},
    )
    code = assemble_acts([tree], NIM_EFFECTS.numbers(NIM_RULES), NIM_EFFECTS.actions)
    for mode in MODES:
        search = specialise(NIM_RULES, kernel, mode)
        sizes = {"acts_code": len(code.code), "acts_registers": len(code.registers), "positions": 5, "choices": 6}
        w = search.bundle(**sizes, root=1, firsts=1, worth=3, diary=99, heard=99)
        w.acts.depth = 4
        write_cells(w.acts_code, code.code)
        write_cells(w.acts_registers, code.registers)
        search.put(w.root, 0, NIM_RULES.state(heap=6, turn=0))
        assert search(w, 1000) == 2  # leaves four, the only good move
        assert list(w.worth) == [-1.0, 1.0, -1.0]
