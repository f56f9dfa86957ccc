"""Programs that define functions, and programs of a grammar: closed, typed, readable, the same in every mode."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.strategies import integers, lists

from ludwin.errors import BadParameter
from ludwin.evolve import Plan, defining, grammar, regression
from ludwin.evolve.adf import Defining, Definition
from ludwin.evolve.grammatical import whole_grammar
from ludwin.evolve.operators import GENOMES
from ludwin.evolve.toys import ARITHMETIC
from ludwin.program.board import BASIC, FUNCTIONS
from ludwin.program.language import Language, Primitive
from ludwin.program.rows import Columns, plainly
from ludwin.program.stream import Stream
from ludwin.program.text import read, write
from ludwin.program.vary import Limits

TYPED = Language(
    "typed",
    ("Float", "Bool"),
    (
        *FUNCTIONS,
        *(p for p in BASIC if not p.has_value),
        Primitive("Number", "Float", rule="v", draws=(-5.0, 5.0)),
        Primitive("X", "Float", reads="x"),
        Primitive("Board", "Float", reads="board", places=3),
        Primitive("On", "Bool", reads="on"),
    ),
)
ADFS = Defining(
    TYPED,
    (
        Definition("Half", "Float", ("Float",)),
        Definition("Test", "Bool", ("Float", "Bool"), calls=("Half",)),
        Definition("Choose", "Float", ("Bool", "Float"), calls=("Half", "Test"), uses=("IFT", "OR", "X", "Board")),
    ),
    Limits(depth=6, size=40),
    most=300,
)
X = np.linspace(-2, 2, 9)
ROWS = Columns({"x": X, "board": [X, X + 1, X * X], "on": (X > 0).astype(float)})


@settings(max_examples=15, deadline=None)
@given(seed=integers(0, 10**6))
def test_functions_stay_closed_typed_and_within_their_limits(seed):
    stream = Stream(seed)
    people = ADFS.begin(8, stream.split(0))
    for k in range(12):
        a, b = people[stream.below(len(people))], people[stream.below(len(people))]
        people += [*ADFS.cross(a, b, stream.split(k, 1)), ADFS.mutate(a, stream.split(k, 2))]
        people.append(ADFS.donate(a, b, stream.split(k, 3)))
    for one in people:
        assert ADFS.read(ADFS.write(one)) == one
        program = ADFS.decode(one)
        assert program.language == TYPED and not program.faults()
        assert ADFS.extent(one) == (len(program), program.depth)
        assert len(program) <= 300


def test_functions_are_the_same_on_rows_as_native_code_and_in_the_readable_evaluator():
    programs = [ADFS.decode(g) for g in ADFS.begin(12, Stream(5))]
    found, native = ROWS.values(programs), ROWS.values(programs, native=True)
    for k, program in enumerate(programs):
        wanted = plainly(program, ROWS)
        assert np.array_equal(found[k], wanted, equal_nan=True) and np.array_equal(native[k], wanted, equal_nan=True)


def test_an_argument_that_no_function_names_is_never_written_out():
    """Ten levels of a function that doubles are a thousand nodes; below a function that forgets them they are none."""
    kind = defining(TYPED, {"Forget": 1, "Double": 1}, most=50)
    deep = "X"
    for _ in range(100):
        deep = f"Double({deep})"
    g = kind.read({"program": f"Plus(Forget({deep}), X)", "Forget": "One", "Double": "Plus(ARG0, ARG0)"})
    assert write(kind.decode(g)) == "Plus(One, X)"
    with pytest.raises(BadParameter, match="with its functions written out"):
        kind.read({"program": deep, "Forget": "One", "Double": "Plus(ARG0, ARG0)"})


def test_a_factor_at_a_call_multiplies_what_takes_its_place():
    kind = defining(TYPED, {"F": 1})
    g = kind.read({"program": "F{2.0}(X{3.0})", "F": "Plus{0.5}(ARG0{4.0}, One)"})
    assert write(kind.decode(g)) == "Plus{1.0}(X{12.0}, One)".replace("{1.0}", "")


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: defining(TYPED, {}), "there is no function to define"),
        (lambda: defining(TYPED, {"X": 1}), "the name X is taken"),
        (lambda: defining(TYPED, {"F": 0}), "declared by its number of arguments"),
        (lambda: defining(TYPED, {"F": 1}, calls={"F": ["F"]}), "calls only those that are defined before it"),
        (lambda: defining(TYPED, {"F": (("Flot",), "Float")}), "no type 'Flot'"),
        (lambda: Defining(TYPED, (Definition("F", "Bool", ("Float",), uses=("Plus",)),)), "nothing that returns Bool"),
        (lambda: read(defining(TYPED, {"F": 1}).trees.roles[0][1], "F(X)").evaluate(lambda n, p: 1.0), "calls F"),
        (lambda: ROWS.values([read(defining(TYPED, {"F": 1}).trees.roles[0][1], "F(X)")]), "calls F"),
    ],
)
def test_functions_that_make_no_sense_are_refused_in_one_line(make, message):
    with pytest.raises(BadParameter, match=message) as found:
        make()
    assert "\n" not in str(found.value)


# ---- Grammars -------------------------------------------------------------------------------------------------

SIGNS = "<e> ::= IFT(<t>, <e>, <e>) | X | Board | Number | Board[1] | 2.5\n<t> ::= OR(<t>, On) | On"


@settings(max_examples=40, deadline=None)
@given(codons=lists(integers(0, 255), min_size=1, max_size=60), seed=integers(0, 1000))
def test_every_row_of_codons_is_a_program_of_the_language(codons, seed):
    for kind in (grammar(TYPED, SIGNS, wraps=1, most=60), grammar(TYPED, most=60)):
        g = tuple(codons)
        program = kind.decode(g)
        assert not program.faults() and len(program) < 400
        for child in (*kind.cross(g, kind.make(Stream(seed)), Stream(seed)), kind.mutate(g, Stream(seed))):
            assert kind.read(kind.write(child)) == child and not kind.decode(child).faults()


def test_codons_choose_leftmost_first_and_are_read_again_when_they_run_out():
    kind = grammar(TYPED, "<e> ::= Plus(<e>, <e>) | X | One", wraps=2)
    assert kind.text((0, 1, 2)) == "Plus(X, One)"
    assert kind.text((3, 4, 5)) == "Plus(X, One)"  # modulo three
    assert kind.text((0, 1)) == "Plus(X, Plus(X, Plus(X, X)))"  # thrice 0 1, then the shortest alternative
    assert kind.text((0,)) == "Plus(Plus(Plus(X, X), X), X)"


def test_derivations_of_the_first_generation_are_those_that_their_codons_give_back():
    kind = grammar(TYPED, SIGNS)
    for k in range(30):
        codons = kind.encoded(2 + k % 6, Stream(k), k % 2 == 0)
        program, read_codons = kind.derived(codons)
        assert read_codons == len(codons) and not program.faults()
    assert len({kind.text(g) for g in kind.begin(60, Stream(1))}) > 20


@pytest.mark.parametrize(
    "text, message",
    [
        ("   # nothing", "there is no rule"),
        ("X | One", "line 1 belongs to no name"),
        ("e ::= X", "must begin with a name in angles, got 'e'"),
        ("<e> ::= X\n<e> ::= One", "<e> is defined twice, in lines 1 and 2"),
        ("<e> ::= X |", "<e> has an empty alternative"),
        ("<e> ::=", "<e> has an empty alternative"),
        ("<e> ::= Y", "has no 'Y'"),
        ("<e> ::= Pluss(X, X)", "did you mean 'Plus'"),
        ("<e> ::= Plus(X)", "Plus takes 2 arguments|expected ','"),
        ("<e> ::= Plus(X, X, X)", r"expected '\)'"),
        ("<e> ::= Plus(X, )", "Plus takes 2 arguments"),
        ("<e> ::= X X", "expected | or the end"),
        ("<e> ::= X & X", "cannot read '& X'"),
        ("<e> ::= Board[3]", "has the places 0 to 2, got 3"),
        ("<e> ::= Board[1.5]", "has the places 0 to 2"),
        ("<e> ::= Number[X]", "expected a number in the brackets"),
        ("<e> ::= Plus(<e>, <e>)", "nothing ends <e>"),
        ("<e> ::= X | <f>", "there is no rule for <f>"),
        ("<e> ::= X\n<f> ::= One", "<f> is used by nothing"),
        ("<e> ::= On", "<e> may return Bool where Float is wanted, in a whole program"),
        ("<e> ::= Plus(<t>, X)\n<t> ::= On | One", "line 1: <t> may return Bool where Float is wanted, in Plus"),
        ("<e> ::= Plus(On, X)", "On returns Bool where Float is wanted, in Plus"),
        ("<e> ::= IFT(", "IFT takes 3 arguments|expected"),
        ("<e> ::= Board[", "expected"),
    ],
)
def test_a_bad_grammar_is_refused_in_one_line(text, message):
    with pytest.raises(BadParameter, match=message) as found:
        grammar(TYPED, text)
    assert "\n" not in str(found.value)


@pytest.mark.parametrize("data", [[], [1.5], [256], [-1], "1 2", [True], [0] * 5000, None])
def test_stored_codons_are_examined(data):
    with pytest.raises(BadParameter, match="a genome of a grammar"):
        grammar(TYPED).read(data)


def test_a_grammar_of_nothing_but_itself_behind_a_choice_ends():
    kind = grammar(TYPED, "<e> ::= <f> | X\n<f> ::= <e> | One", wraps=3)
    assert kind.text((0, 0)) in ("X", "One") and kind.text((1,)) == "X"


# ---- As settings of a run -------------------------------------------------------------------------------------


def test_a_program_of_a_grammar_is_no_deeper_than_text_and_evaluators_hold():
    kind = grammar(TYPED, "<s> ::= Minus(<s>, X) | Minus(X, Minus(X, <s>)) | X")
    for codons in ((0,) * 400, (1,) * 400, (0, 1) * 200, (1, 1, 0, 3) * 100):
        tree = kind.decode(kind.read(list(codons)))
        assert 148 <= tree.depth <= 150 and not tree.faults() and read(TYPED, kind.text(codons)) == tree
        assert abs(tree.evaluate(lambda name, place: 1.0)) <= tree.depth
    assert grammar(TYPED, "<s> ::= Minus(<s>, X) | X", most=50_000, longest=50_000).size((0,) * 50_000) == 301


def test_a_grammar_whose_shortest_program_is_too_deep_is_refused():
    rule = "Minus(X, " * 90 + "<t>" + ")" * 90
    with pytest.raises(BadParameter, match="the shortest program is 180 levels deep, 150 at most are allowed"):
        grammar(TYPED, f"<s> ::= {rule}\n<t> ::= {rule.replace('<t>', 'X')}")


def test_codons_reach_every_alternative_place_and_choice_however_many_there_are():
    many = Language(
        "many",
        ("Float",),
        (
            *(Primitive(f"T{k}", "Float", reads=f"t{k}") for k in range(300)),
            Primitive("Square", "Float", reads="square", places=361),
            Primitive("One", "Float", rule="v", choices=tuple(float(k) for k in range(700))),
        ),
    )
    kind = grammar(many)
    assert kind.codons == 1024 and len(kind.begin(50, Stream(1))) == 50
    assert {kind.text((k,)) for k in range(300)} == {f"T{k}" for k in range(300)}
    assert {kind.decode((300, k)).places[0] for k in range(361)} == set(range(361))
    assert {kind.decode((301, k)).values[0] for k in range(700)} == {float(k) for k in range(700)}
    with pytest.raises(BadParameter, match="codons from 0 to 1023"):
        kind.read([1024])
    assert grammar(TYPED).codons == 256


@pytest.mark.parametrize("way", list(GENOMES))
def test_every_genome_of_programs_finds_the_parabola_and_goes_on_where_it_stopped(way):
    x = np.linspace(-3, 3, 15)
    plan = Plan(population=60, generations=12, breeding="gp", tournament=4, crossover=0.7, mutation=0.3, elite=1)
    times = Primitive("Times", "Float", ("Float", "Float"), "a * b")
    language = Language("small", ("Float",), (times, Primitive("X", "Float", reads="x")))
    problem = regression("parabola", {"x": x}, 7 - 2 * x * x, language, plan=plan, scaling="linear")
    chosen = problem.under({"scaling": "linear", "error": "absolute", "genome": way, "selection": "tournament"})
    whole = list(chosen.run(seed=1))
    assert chosen.score_of(whole[-1]) < 1e-9
    assert list(chosen.run(seed=1, start=whole[4])) == whole[5:]


def test_whole_grammars_say_what_the_language_says():
    assert whole_grammar(TYPED).count("::=") == 2


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: grammar(ARITHMETIC, longest=1.5), "grammar: longest must be a whole number, got 1.5"),
        (lambda: grammar(ARITHMETIC, rate="x"), "grammar: rate must be a number, got 'x'"),
        (lambda: grammar(ARITHMETIC, low=9), "grammar: low must be at most 8, got 9"),
        (lambda: defining(ARITHMETIC, {"A": 1}, calls={"Z": ["A"]}), "calls names Z, which is none of the functions A"),
        (lambda: defining(ARITHMETIC, {"A": 1}, tallest=3), "take no tallest .*there are .*mutations"),
    ],
)
def test_what_genomes_of_programs_cannot_heed_is_refused(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: grammar(3), "a grammar is over a Language, got 3"),
        (lambda: defining(3, {"A": 1}), "functions are defined in a Language, got 3"),
        (lambda: defining(ARITHMETIC, 3), "functions, and calls, are dicts"),
        (lambda: defining(ARITHMETIC, {"A": 1}, most="x"), "functions: most must be a whole number, got 'x'"),
        (lambda: Language(3, ("Float",), ARITHMETIC.primitives), "the name of a language must be a text of one line"),
        (lambda: Language("l", ("Float",), (3,)), "a language is made of primitives, got 3"),
        (lambda: one_of(rule="v", draws=(1.0,)), r"primitive 'P': draws must be a tuple of two numbers, got \(1.0,\)"),
        (lambda: one_of(rule=3), "primitive 'P': rule must be a text, got 3"),
        (lambda: one_of(takes="Float", rule="a"), "primitive 'P': takes must be a tuple of types, got 'Float'"),
        (lambda: one_of(reads="x", places=1.5), "primitive 'P': places must be a whole number, got 1.5"),
    ],
)
def test_languages_and_genomes_of_the_wrong_things_are_refused_when_they_are_made(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


def one_of(**fields):
    return Language("l", ("Float",), (*ARITHMETIC.primitives, Primitive("P", "Float", **fields)))
