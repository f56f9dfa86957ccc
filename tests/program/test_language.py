"""A language is examined when it is declared, and its rules mean the same everywhere."""

import math
from dataclasses import replace

import pytest
from program_worlds import ARITHMETIC, CHECKERS, B, F, boards

from ludwin import load as load_game
from ludwin.errors import BadParameter
from ludwin.program.language import Language, Primitive
from ludwin.program.text import read
from ludwin.program.toml import from_toml, load, to_toml
from ludwin.program.values import reader, values

ONE = Primitive("One", F, rule="1.0")


def toy(*primitives, types=(F, B), **more):
    return Language("toy", types, (ONE, *primitives), **more)


@pytest.mark.parametrize(
    ("primitive", "words"),
    [
        (Primitive("Bad", F, (F,), "a + "), "is not an expression"),
        (Primitive("Bad", F, (F,), "a + b"), "uses 'b', which is none of a"),
        (Primitive("Bad", F, (F,), "a + abs"), "uses 'abs'"),
        (Primitive("Bad", F, (F,), "__import__('os')"), "calls something else"),
        (Primitive("Bad", F, (F,), "a.real"), "may hold arithmetic"),
        (Primitive("Bad", F, (F,), "[a][0]"), "may hold arithmetic"),
        (Primitive("Bad", F, (F,), "a ** 2"), "may hold arithmetic"),
        (Primitive("Bad", F, (F,), "(lambda: a)()"), "may hold arithmetic|calls something else"),
        (Primitive("Bad", F, (F,), "log(a, 2)"), "log takes one argument"),
        (Primitive("Bad", F, (F,), "min(a)"), "min takes two arguments or more"),
        (Primitive("Bad", F, (F,), "a + 'x'"), "constants must be numbers"),
        (Primitive("Bad", F, (F,), "a + 1e999"), "constants must be numbers"),
        (Primitive("Bad", F, (F,), "v"), "uses 'v'"),
        (Primitive("Bad", F, (F,), "(" * 500 + "a" + ")" * 500), "is not an expression"),
        (Primitive("Bad", F, (F,)), "needs a rule, or something that it reads, or something that it acts"),
        (Primitive("Bad", F, (F,), reads="x"), "has no arguments"),
        (Primitive("Bad", F, rule="v", draws=(2.0, 1.0)), "the smaller one first"),
        (Primitive("Bad", F, rule="v", draws=(0.0, math.inf)), "two finite numbers"),
        (Primitive("Bad", F, rule="v", choices=(math.nan,)), "finite numbers"),
        (Primitive("Bad", F, rule="1.0", places=3), "only what reads"),
        (Primitive("2Bad", F, rule="1.0"), "a name is made of letters"),
        (Primitive("nan", F, rule="1.0"), "none of inf, nan"),
        (Primitive("", F, rule="1.0"), "a name is made of letters"),
        (Primitive("a\nb\x1b[31m", F, rule="1.0"), r"primitive 'a\\nb\\x1b\[31m': a name is made of letters"),
        (Primitive("Bad", F, rule="1.0", help="a\nb"), "help must be a text of one line"),
        (Primitive("Bad", F, rule="v", draws=(-1e308, 1e308)), "two finite numbers below 1e.300"),
        (Primitive("One", F, rule="1.0"), "two primitives are called One"),
        (Primitive("Bad", "Flaot", rule="1.0"), "no type 'Flaot'; did you mean 'Float'"),
        (Primitive("Bad", F, (F,) * 9, "a"), "at most 8 arguments"),
        (Primitive("Sum", F, (F,), "a" + " + a" * 101), "is deeper than 100 levels"),
        (Primitive("Minus", F, (F,), "-" * 600 + "a"), "is deeper than 100 levels"),
    ],
)
def test_a_mistake_is_told_in_one_line(primitive, words):
    with pytest.raises(BadParameter, match=words) as caught:
        toy(primitive)
    assert "\n" not in str(caught.value)


def test_a_rule_of_a_hundred_levels_runs_in_every_mode():
    language = toy(Primitive("X", F, reads="men"), Primitive("Sum", F, (F,), "a" + " + a" * 99))
    tree, states = read(language, "Sum(X)"), boards("lose-checkers", 2)
    expected = [tree.evaluate(reader(state)) for state in states]
    for mode in ("fast", "plain"):
        assert list(values(tree, load_game("lose-checkers"), states, mode)) == expected


@pytest.mark.parametrize(
    ("types", "sets", "words"),
    [
        ((F, F), {}, "no two the same, got 'Float'"),
        ((F, "Bool"), {F: ("Bool",)}, "no two the same, got 'Float'"),
        ((F, " "), {}, "types and sets have names"),
        ((F, "\x1b[31m"), {}, r"a type must be a text of one line, got '\\x1b\[31m'"),
        ((F, *(f"T{k}" for k in range(5000))), {}, "has 5001 types and sets of types, 200 at most"),
    ],
)
def test_types_are_names_and_no_set_takes_the_name_of_one(types, sets, words):
    with pytest.raises(BadParameter, match=words):
        Language("toy", types, (Primitive("One", F, rule="1.0"),), sets=sets)
    with pytest.raises(BadParameter, match="the name of a language must be a text of one line"):
        Language("a\nb", (F,), (Primitive("One", F, rule="1.0"),))


def test_an_uninhabited_type_is_named():
    with pytest.raises(BadParameter, match="no finite program has the type Loop"):
        toy(Primitive("Again", "Loop", ("Loop",), "a"), Primitive("Out", F, ("Loop",), "a"), types=(F, "Loop"))
    with pytest.raises(BadParameter, match="no finite program has the type Bool"):
        toy(root=B)
    with pytest.raises(BadParameter, match="no type 'Bolo'"):
        toy(root="Bolo")
    with pytest.raises(BadParameter, match="a set of types has 'Nothing'"):
        toy(sets={"Query": (F, "Nothing")})


def test_a_set_type_takes_either():
    language = toy(Primitive("Yes", B, rule="1.0"), Primitive("Ask", F, ("Query",), "a"), sets={"Query": (F, B)})
    assert (
        language.fits(F, "Query")
        and language.fits(B, "Query")
        and language.fits("Query", B)
        and not language.fits(F, B)
    )
    assert {language.primitives[k].name for k in language.fitting["Query"]} == {"One", "Yes", "Ask"}
    for text in ("Ask(One)", "Ask(Yes)", "Ask(Ask(Yes))"):
        assert read(language, text).evaluate(None) == 1.0


def test_least_depths():
    language = toy(
        Primitive("Test", B, (F,), "a > 0"),  # Bool has no terminal
        Primitive("Pick", "Deep", (B, B), "a"),  # nor has Deep
        Primitive("Out", F, ("Deep",), "a"),
        types=(F, B, "Deep"),
    )
    assert language.least == {F: 0, B: 1, "Deep": 2}
    assert language.least_of[language.find("Out")] == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Div(Third, 0.0)", math.inf),
        ("Div(Neg(Third), 0.0)", -math.inf),
        ("Div(Third, -0.0)", -math.inf),
        ("Div(0.0, 0.0)", math.nan),
        ("Protected(5.0, 0.0)", 1.0),
        ("Log(0.0)", -math.inf),
        ("Log(-1.0)", math.nan),
        ("Root(-4.0)", math.nan),
        ("Root(4.0)", 2.0),
        ("Sin(inf)", math.nan),
        ("Cos(inf)", math.nan),
        ("Exp(1000.0)", math.inf),
        ("Exp(0.0)", 1.0),
        ("Least(3.0, 1.0, 2.0)", 1.0),
        ("Tests(1.0, 2.0)", 0.0),  # 1 + 0 - 1
        ("Tests(2.0, 2.0)", 2.0),
        ("Late(1.0, 2.0, Both(7.0, Between(1.0, 1.0, 2.0)))", 1.0),
        ("Late(1.0, 2.0, Both(0.0, Between(1.0, 1.0, 2.0)))", 2.0),
        ("Late(1.0, 2.0, Between(1.0, 2.0, 2.0))", 2.0),
        ("Choice[2.5](Between(1.0, 2.0, 2.0))", -2.5),
        ("Abs(-3.0)", 3.0),
    ],
)
def test_arithmetic_never_fails(text, value):
    got = read(ARITHMETIC, text).evaluate(None)
    assert got == value or (math.isnan(got) and math.isnan(value))


def test_and_is_a_truth_of_numbers_too():
    language = toy(
        Primitive("Two", F, rule="2.0"),
        Primitive("And", F, (F, F), "a and b"),
        Primitive("Sum", F, (F, F), "(a or b) + 1"),
    )
    assert read(language, "And(Two, Two)").evaluate(None) == 1.0
    assert read(language, "Sum(Two, Two)").evaluate(None) == 2.0


def test_without_leaves_out_and_knows_its_names():
    smaller = CHECKERS.without("Mobility", name="blind")
    assert (
        "Mobility" not in smaller.number
        and len(smaller.primitives) == len(CHECKERS.primitives) - 1
        and smaller.name == "blind"
    )
    with pytest.raises(BadParameter, match="has no 'Mobilty'; did you mean 'Mobility'"):
        CHECKERS.without("Mobilty")


# Languages in files.

FILE = """
name = "toy"
types = ["Float", "Bool"]

[sets]
Query = ["Float", "Bool"]

[primitives.Plus]
returns = "Float"
takes = ["Float", "Query"]
rule = "a + b"

[primitives.Number]
returns = "Float"
rule = "v"
draws = [-5, 5]

[primitives.Empty]
returns = "Bool"
reads = "is empty"
places = 32
help = "a \\"quoted\\" word"
"""


def test_a_language_from_a_file(tmp_path):
    path = tmp_path / "toy.toml"
    path.write_text(FILE, encoding="utf8")
    language = load(path)
    assert language.root == F and language.number == {"Plus": 0, "Number": 1, "Empty": 2}
    assert language.primitives[1].draws == (-5.0, 5.0) and language.primitives[2].help == 'a "quoted" word'
    assert (
        read(language, "Plus(2.5, Empty[3])").evaluate(lambda name, place: float((name, place) == ("is empty", 3)))
        == 3.5
    )


@pytest.mark.parametrize(
    "language",
    [ARITHMETIC, CHECKERS, from_toml(FILE), replace(CHECKERS, name='odd "name"\\')],
    ids=lambda language: language.name[:5],
)
def test_toml_round_trip(language):
    assert from_toml(to_toml(language)) == language


@pytest.mark.parametrize(
    "text", ["a" + ".a" * 100_000 + " = 1", "x = {" + "b.c . " * 50_000 + "d = 1}", "[" + "'q'." * 9999]
)
def test_keys_of_many_parts_are_refused_at_once(text):
    with pytest.raises(BadParameter, match="a key has more than 100 parts"):
        from_toml(text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('name = "toy"', "name = 3", "the language: name must be a text, got 3"),
        ("types =", "tpyes =", "a language has no 'tpyes'; did you mean 'types'"),
        ('types = ["Float", "Bool"]', "", "needs types"),
        ('rule = "a + b"', 'rule = "a + c"', "uses 'c'"),
        ('rule = "a + b"', "rule = 7", "primitive Plus: rule must be a text, got 7"),
        ('rule = "a + b"', 'rlue = "a + b"', "primitive Plus has no 'rlue'; did you mean 'rule'"),
        ("draws = [-5, 5]", "draws = [-5]", "primitive Number: draws must be two numbers"),
        ("draws = [-5, 5]", 'draws = ["a", 5]', "draws must be two numbers"),
        ("draws = [-5, 5]", f"draws = [0, 1{'0' * 400}]", "draws must be two numbers"),
        ("places = 32", "places = 3.5", "places must be a whole number"),
        ("places = 32", "places = true", "places must be a whole number"),
        ('takes = ["Float", "Query"]', 'takes = ["Float", "Qeury"]', "no type 'Qeury'; did you mean 'Query'"),
        ('Query = ["Float", "Bool"]', "Query = 7", "sets must be a table of lists"),
        ('returns = "Bool"\nreads', "reads", "primitive Empty needs returns"),
        ("[sets]", "[sets", "not TOML"),
    ],
)
def test_a_mistake_in_a_file_is_one_line(tmp_path, old, new, words):
    assert FILE.count(old) == 1
    path = tmp_path / "toy.toml"
    path.write_text(FILE.replace(old, new), encoding="utf8")
    with pytest.raises(BadParameter, match=words) as caught:
        load(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadParameter, match=r"cannot read the language .*No such file"):
        load(tmp_path / "nothing.toml")
    (tmp_path / "bad.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadParameter, match="not text in UTF-8"):
        load(tmp_path / "bad.toml")
