"""Languages and domains of actions: declared, written, drawn, and refused in one line where they do not fit."""

from xml.etree import ElementTree

import pytest
from act_runs import MODES, NIM_RULES, grown, nim_actor
from act_worlds import MAZE, MAZE_EFFECTS, MAZE_RULES, NIM, NIM_EFFECTS, F, Maze, NimWorld

from ludwin import load
from ludwin.errors import BadParameter, RuleError
from ludwin.program import vary
from ludwin.program.act import Action, Deeds, run
from ludwin.program.act_code import assemble_acts
from ludwin.program.act_kernel import branch, make, take_back
from ludwin.program.actor import Actor, Effects
from ludwin.program.assemble import assemble
from ludwin.program.draw import kind, svg
from ludwin.program.generate import generate
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.toml import from_toml, to_toml
from ludwin.program.tree import join, leaf
from ludwin.program.values import values

# Declarations, texts, files, pictures.


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"acts": "go", "rule": "a"}, "needs a rule, or something that it reads, or something that it acts: one of"),
        ({"acts": "go", "reads": "x"}, "one of them"),
        ({"rule": "a", "branches": "a"}, "only what acts can have branches"),
        ({"acts": "go", "branches": "b"}, "its branches are letters of its arguments in order"),
        ({"acts": "go", "branches": "aa"}, "its branches are letters of its arguments in order"),
        ({"acts": "go", "places": 3, "draws": (0.0, 1.0)}, "a constant or a place, not both"),
        ({"acts": "go", "places": -1}, "a positive number of them"),
    ],
)
def test_a_wrong_declaration_is_told_in_one_line(fields, told):
    with pytest.raises(BadParameter, match=told):
        Language("wrong", (F,), (Primitive("Wrong", F, (F,), **fields), Primitive("Zero", F, rule="0.0")))


@pytest.mark.parametrize("language", [MAZE, NIM], ids=lambda language: language.name)
def test_text_and_files_of_languages_keep_deeds(language):
    again = from_toml(to_toml(language))
    assert again == language
    for tree in grown(language, 200, 8):
        assert read(again, write(tree)) == tree


def test_a_file_names_deeds_and_nothing_of_it_is_done_but_what_the_domain_offers():
    text = """
types = ["Float"]
[primitives.Bad]
returns = "Float"
acts = "__init__"
"""
    tree = leaf(from_toml(text), "Bad")
    told = r"Bad acts '__init__', which is not done here \(there is ahead, turn, say, try, peek, .*, then, while\)"
    with pytest.raises(BadParameter, match=told):
        run(tree, Maze(MAZE_RULES.start(), 1))
    with pytest.raises(BadParameter, match=told):
        Actor(MAZE_RULES, tree.language, MAZE_EFFECTS, diary=1, heard=1, before=99, luck=1).load(tree)
    with pytest.raises(BadParameter, match="acts must be a text, got 3"):
        from_toml(text.replace('"__init__"', "3"))


@pytest.mark.parametrize(
    ("primitive", "told"),
    [
        (
            Primitive("P", F, (F,), acts="try"),
            "a and no branch, but 'try' takes the argument a with the branch",
        ),
        (Primitive("P", F, acts="try"), "P has no arguments, but 'try' takes the argument a with the branch a"),
        (
            Primitive("P", F, (F, F), acts="while", branches="b"),
            "but 'while' takes the arguments a, b with the br",
        ),
        (Primitive("P", F, acts="then"), "P has no arguments, but 'then' takes the argument a and no branch"),
        (Primitive("P", F, (F,), acts="then", branches="a"), "but 'then' takes the argument a and no branch"),
        (Primitive("P", F, (F,), acts="tri", branches="a"), "did you mean 'try'"),
    ],
)
def test_a_language_that_does_not_fit_the_domain_is_refused_before_it_runs(primitive, told):
    language = Language("misfit", (F,), (primitive, Primitive("Zero", F, rule="0.0")))
    tree = join(language, "P", *(leaf(language, "Zero") for _ in primitive.takes))
    with pytest.raises(BadParameter, match=told):
        run(tree, Maze(MAZE_RULES.start(), 1))
    with pytest.raises(BadParameter, match=told):
        assemble_acts([tree], {}, MAZE_EFFECTS.actions)


def test_variation_keeps_types_and_places():
    population = grown(MAZE, 60, 9)
    stream = Stream(10)
    for i in range(600):
        mother, father = stream.pick(population), stream.pick(population)
        for child in (
            *vary.crossover(mother, father, stream),
            vary.donate(mother, father, stream),
            vary.mutate_subtree(mother, stream),
            vary.mutate_point(mother, stream),
            vary.mutate_constant(mother, stream),
            vary.mutate_local(mother, stream),
        ):
            assert not child.faults()
            assert all(0 <= place < max(1, child.primitive(at).places) for at, place in enumerate(child.places))
        population[i % 60] = child


def test_a_picture_shows_deeds():
    tree = read(MAZE, "If(Wall, Turn[1], Try(Ahead))")
    assert [kind(tree, at) for at in range(5)] == ["function", "input", "action", "action", "action"]
    texts = [text.text for text in ElementTree.fromstring(svg(tree)).iter("{http://www.w3.org/2000/svg}text")]
    assert "Turn [1]" in texts and "acts" in texts


# What judges positions cannot act.


def test_programs_that_act_are_refused_where_positions_are_judged():
    acting = read(NIM, "Add(Mobility, Take(1.0))")
    for refused in (
        lambda: assemble(acting, {"mobility": -1}),
        lambda: values(acting, NIM_RULES, [NIM_RULES.start()]),
        lambda: values(acting, NIM_RULES, [NIM_RULES.start()], native=True),
    ):
        with pytest.raises(BadParameter, match=r"the program acts \('take'\); what judges positions can only compute"):
            refused()
    with pytest.raises(BadParameter, match=r"the program acts \('take'\); run it in a world"):
        acting.evaluate(lambda name, place: 1.0)
    for text in ("Add(Mobility, 1.0)", "Keep(Take(1.0), Add(Mobility, 1.0))"):  # nothing acts here, so all is well
        for mode, native in (("plain", False), ("fast", False), ("fast", True)):
            assert values(read(NIM, text), NIM_RULES, [NIM_RULES.start()], mode, native) == [4.0]


# What a domain can do wrong.


def greedy_act(w, k, node):
    """Open more than was said, or take back more than was done."""
    if k == 0:
        make(w, 1)
        make(w, 1)
        return 0.0
    if k == 1:
        take_back(w)
        return 0.0
    return branch(w, node, 3)


def wrong(name, mode):
    actions = {"open": Action(opens=1), "take back": Action(), "run": Action(1, "a")}
    language = Language(
        "wrong",
        (F,),
        (
            Primitive("Open", F, acts="open"),
            Primitive("Back", F, acts="take back"),
            Primitive("Run", F, (F,), acts="run", branches="a"),
        ),
    )
    return Actor(NIM_RULES, language, Effects(actions, greedy_act), depth=1, mode=mode).load(read(language, name))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("Open", "an action opens more effects than it has declared"),
        ("Back", "an action takes back what it has not done"),
        ("Run(Open)", "the action has no such argument"),
    ],
)
def test_a_wrong_deed_is_told_in_every_mode(mode, name, told):
    with pytest.raises(RuleError, match=told):
        wrong(name, mode).run(NIM_RULES.start())


def test_a_wrong_actor_is_told():
    with pytest.raises(BadParameter, match="the workspace 'diary' needs a size, such as diary=64"):
        Actor(NIM_RULES, NIM, NIM_EFFECTS, heard=1)
    with pytest.raises(BadParameter, match=r"there is no workspace 'dairy'; did you mean 'diary'\? to give a size to"):
        Actor(NIM_RULES, NIM, NIM_EFFECTS, dairy=1, diary=1, heard=1)
    with pytest.raises(BadParameter, match="cannot have an action 'while'"):
        Effects({"while": Action()}, greedy_act)
    with pytest.raises(BadParameter, match=r"act must be a function at the top of a Python file, .*; got test_a_wrong"):
        Effects({}, lambda w, k, node: 0.0)
    with pytest.raises(BadParameter, match="undo must be a function at the top of a Python file"):
        Effects({}, greedy_act, undo=print)
    with pytest.raises(BadParameter, match=r"'fly' is not done here \(there is if move, for all"):
        Deeds(NimWorld(3)).act("fly", 0.0, [])
    with pytest.raises(BadParameter, match="an action's branches are letters of its arguments in order, not 'b'"):
        Action(1, "b")
    with pytest.raises(BadParameter, match="0 to 8 arguments and opens 0 effects or more, not 9 and 0"):
        Action(9)
    with pytest.raises(BadParameter, match="cannot have a workspace 'acts'"):
        Effects({}, greedy_act, records={"acts": {"x": int}})
    with pytest.raises(BadParameter, match="there is no program 1: 1 loaded"):
        nim_actor("plain", 3).load(read(NIM, "Zero")).run(NIM_RULES.start(), 1)
    with pytest.raises(BadParameter, match="a position of tic-tac-toe, where nim:heap=9 is acted on"):
        nim_actor("plain", 3).load(read(NIM, "Zero")).run(load("tic-tac-toe").start())
    with pytest.raises(BadParameter, match="the program's language is maze, not nim"):
        nim_actor("plain", 3).load(read(MAZE, "Zero"))
    with pytest.raises(BadParameter, match="the program reads 'wall', which is not offered here"):
        assemble_acts([read(MAZE, "If(Wall, Zero, Zero)")], {}, MAZE_EFFECTS.actions)
    with pytest.raises(BadParameter, match="are too large to run"):
        nim_actor("plain", 3).load(*[generate(NIM, 9, Stream(1), full=True)] * 9)


def test_numba_is_told_to_stand_aside(monkeypatch):
    monkeypatch.setenv("LUDWIN_COMPILER", "numba")
    with pytest.raises(BadParameter, match="programs that act need our own compiler"):
        Actor(NIM_RULES, NIM, NIM_EFFECTS, diary=1, heard=1)
