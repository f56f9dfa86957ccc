"""Strengths of terminals, in any language: programs that are one terminal, and programs that lack one."""

from pathlib import Path

import pytest

from ludwin.errors import BadParameter
from ludwin.evolve import Plan, regression
from ludwin.evolve.experiment import settle
from ludwin.evolve.register import find
from ludwin.evolve.run import Run
from ludwin.evolve.strengths import Strength, Study, alone, disabled, restricted, small, terminals, uses, widened
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


@pytest.mark.parametrize(
    "given, population",
    [
        ({}, 30),
        ({"islands": 7, "population": 98}, 28),
        ({"breeding": "alps", "layers": 4, "population": 40}, 28),
        ({"breeding": "alps", "layers": 20, "population": 80}, 40),
        ({"breeding": "alps", "layers": 3, "islands": 2, "population": 60, "migrants": 8}, 30),
        ({"islands": 20, "population": 80, "migrants": 2}, 60),
        ({"population": 12, "elite": 12}, 12),
    ],
)
def test_trials_are_as_small_as_their_breeding_lets_them_be(given, population):
    found = small(Plan(crossover=0.5, mutation=0.5, **given))
    assert (found.population, found.generations) == (population, 20)


def test_trials_are_told_as_their_measure_tells_them():
    x = [0.0, 1.0, 2.0, 3.0]
    numbers = Language("numbers", (F,), (WORDS.primitives[0], *WORDS.primitives[2:4]))
    made = regression("line", {"x": x, "y": [1.0, 0.0, 0.0, 1.0]}, [2 * v for v in x], numbers).experiment()
    settings = settle(made, "quick", {"population": 6, "generations": 1, "scaling": "none"})
    genome = made.kind(settings).read({"formula": "X"})
    data = Study(Run(Path(), made, "quick", settings, 1), genome, 4, runs=1).measured(("pairs", "counts"))
    assert all(row["score"] >= 0 for row in (*data["pairs"], *data["counts"]))


def test_kendall_agrees_with_its_definition_and_with_scipy():
    from scipy.stats import kendalltau

    first, second = [1, 2, 2, 4, 5, 7, 3], [2, 1, 3, 3, 5, 6, 9]
    assert tau(first, second) == pytest.approx(kendalltau(first, second).statistic)
    found = kendall(first, second)
    assert found.low <= found.value <= found.high and kendall(first, second) == found
