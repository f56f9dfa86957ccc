"""Strengths of terminals, in any language: programs that are one terminal, and programs that lack one."""

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve.experiment import settle
from ludwin.evolve.register import find
from ludwin.evolve.run import Run
from ludwin.evolve.strengths import Strength, Study, alone, disabled, restricted, terminals, uses, widened
from ludwin.evolve.trees import single
from ludwin.measure import Measure
from ludwin.program.language import Language, Primitive
from ludwin.program.stream import Stream
from ludwin.program.text import read
from ludwin.stats.ranks import kendall, tau

F, B = "Float", "Bool"
WORDS = Language(
    "small",
    (F, B),
    (
        Primitive("Add", F, (F, F), "a + b"),
        Primitive("If", F, (B, F, F), "b if a else c"),
        Primitive("X", F, reads="x"),
        Primitive("Y", F, reads="y"),
        Primitive("Lit", B, reads="lit"),
        Primitive("One", F, rule="1.0"),
    ),
)
ANSWERS = {"x": 3.0, "y": -2.0, "lit": 1.0}


def value(tree):
    return tree.evaluate(lambda name, place: ANSWERS[name])


def test_a_terminal_alone_is_a_program_whatever_its_type_and_so_is_its_opposite():
    assert terminals(WORDS) == ["X", "Y", "Lit"]
    assert [value(alone(WORDS, name)) for name in terminals(WORDS)] == [3.0, -2.0, 1.0]
    assert [value(alone(WORDS, name, opposite=True)) for name in terminals(WORDS)] == [-3.0, 2.0, -1.0]


def test_a_disabled_terminal_says_nought_and_the_rest_is_as_it_was():
    genome = (read(WORDS, "If(Lit, Add(X, X), Y)"),)
    assert value(genome[0]) == 6.0
    assert [value(disabled(genome, name)[0]) for name in ("X", "Y", "Lit")] == [0.0, 6.0, -2.0]
    assert [uses(genome, name) for name in ("X", "Lit", "Z")] == [2, 1, 0]


def test_measuring_adds_no_word_that_is_there_already():
    taken = Language("taken", (F,), (Primitive("Opposite", F, (F,), "-a"), Primitive("X", F, reads="x")))
    assert len(widened(taken).primitives) == len(taken.primitives) + 2
    assert value(alone(taken, "X", opposite=True)) == -3.0


def test_players_can_be_restricted_to_some_terminals():
    kind = restricted(single(WORDS), ["X", "Lit"])
    assert terminals(kind.roles[0][1]) == ["X", "Lit"]
    with pytest.raises(BadParameter, match="no finite program has the type Bool"):
        restricted(single(WORDS), ["X"])


def test_strength_is_the_mean_of_what_was_measured():
    # Oracle: Evolved to Win, table 5.2: strengths are the means of three columns, to 0.002.
    rows = ((0.26, 0.131, 0.10, 0.164), (0.32, 0.010, 0.04, 0.123), (0.04, 0.027, 0.10, 0.057))
    for first, second, third, printed in rows:
        one = Strength("T", 1, Measure.exact("", first), None, second, third)
        assert one.strength == pytest.approx(printed, abs=0.002)
    assert Strength("T", 0).strength is None


def test_a_champion_of_another_domain_is_measured_with_the_same_words(tmp_path):
    regression = find("symbolic-regression")
    settings = settle(regression, "quick", {"population": 20, "generations": 2})
    genome = regression.kind(settings).begin(4, Stream(2))[3]
    study = Study(Run(tmp_path, regression, "quick", settings, 1), genome, 20, runs=1)
    data = study.measured(("alone", "disabled", "counts"))
    assert {row["terminal"] for row in data["terminals"]} == set(study.names())
    assert data["counts"][-1]["terminals"] == len(study.names())
    assert data == study.measured(("alone", "disabled", "counts"))
    with pytest.raises(BadParameter, match="not 'alon'"):
        study.measured(("alon",))


def test_kendall_agrees_with_its_definition_and_with_scipy():
    from scipy.stats import kendalltau

    first, second = [1, 2, 2, 4, 5, 7, 3], [2, 1, 3, 3, 5, 6, 9]
    assert tau(first, second) == pytest.approx(kendalltau(first, second).statistic)
    found = kendall(first, second)
    assert found.low <= found.value <= found.high and kendall(first, second) == found
