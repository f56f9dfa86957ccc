"""Problems, kinds and operators that misbehave: one line that names what was wrong, and no folder in the way."""

import math
import os
from dataclasses import replace
from pathlib import Path

import pytest

from ludwin.errors import BadParameter, LudwinError
from ludwin.evolve import (
    Bits,
    Constants,
    Generation,
    Individual,
    Integers,
    Language,
    Objects,
    OnValues,
    Parts,
    Plan,
    Policies,
    Primitive,
    Problem,
    Reals,
    Scored,
    SelfAdaptive,
    Stream,
    grammar,
    own,
    single,
)
from ludwin.evolve.asking import Failed
from ludwin.evolve.carrying import carry_out
from ludwin.evolve.engine import evolve
from ludwin.evolve.experiment import settle
from ludwin.evolve.operators import breeding, crossover, mutation, replacement
from ludwin.evolve.problem_file import problem_source
from ludwin.evolve.register import find
from ludwin.evolve.run import create, reopen
from ludwin.evolve.series import carry_out_series, create_series
from ludwin.evolve.store import EVOLUTION, Store
from ludwin.evolve.toys import ARITHMETIC
from ludwin.program.tree import join, leaf
from ludwin.program.vary import Limits

SMALL = Plan(population=8, generations=3)


class Kind:
    """A kind of a user's own, with everything that evolution asks for."""

    name = "pairs"

    def begin(self, n, stream):
        return [self.make(stream.split(k)) for k in range(n)]

    def make(self, stream):
        return (stream.below(9), stream.below(9))

    def cross(self, a, b, stream):
        return (a[0], b[1]), (b[0], a[1])

    def mutate(self, g, stream):
        return self.make(stream)

    def write(self, g):
        return list(g)

    def read(self, data):
        return tuple(data)

    def text(self, g):
        return str(g)

    def size(self, g):
        return 2


def told(problem, message):
    with pytest.raises(BadParameter, match=message) as found:
        problem.solve(seed=1)
    assert len(str(found.value).splitlines()) == 1


def test_a_kind_of_ones_own_evolves_and_one_way_crossover_needs_no_donate():
    plan = replace(SMALL, one_way="always", generations=10, mutation=0.8, elite=1)
    assert Problem("pairs", Kind(), fitness=sum, plan=plan).solve(seed=1).best.fitness > 12
    beside = Parts((("pair", Kind()), ("bits", Bits(3))))
    assert Problem("both", beside, fitness=lambda g: sum(g["pair"]), plan=plan).solve(seed=1).best.fitness > 12


@pytest.mark.parametrize(
    "method, answer, message",
    [
        ("make", [1, 2], r"pairs: begin returned \[1, 2\], which has no hash"),
        ("begin", None, "pairs: begin returned None, a list of genomes was wanted"),
        ("cross", (1,), r"pairs: cross returned \(1,\), two children were wanted"),
        ("size", "big", "pairs: size returned 'big', a number was wanted"),
        ("write", {1, 2}, "pairs: what write returns must be of JSON values"),
        ("read", (0,), r"pairs: read does not give back what write wrote of"),
        ("mutate", ValueError("odd"), r"pairs: mutate raised ValueError: 'odd' \(line \d+\)"),
    ],
)
def test_a_kind_of_ones_own_that_misbehaves_is_told_by_its_method(method, answer, message):
    def wrong(self, *given):
        if isinstance(answer, Exception):
            raise answer
        return answer

    kind = type("Wrong", (Kind,), {method: wrong})()
    told(Problem("wrong", kind, fitness=sum, plan=replace(SMALL, mutation=1.0)), message)


def test_an_object_that_does_not_come_back_as_it_was_is_refused():
    kind = own(lambda stream: 1, lambda x, stream: x, write=lambda x: x, read=lambda x: x + 1)
    told(
        Problem("other", kind, fitness=lambda g: g, plan=SMALL), "own: read does not give back what write wrote as '1'"
    )
    assert isinstance(kind, Objects)


@pytest.mark.parametrize(
    "score, message",
    [
        (lambda: Scored(1.0, cases=5), "cases of a score are a list of numbers, got 5"),
        (lambda: Scored(1.0, {"x": float("nan")}), "in its detail x, returned nan"),
        (lambda: Scored(1.0, {"cases": 1.0}), "a name, other than cases, objectives and failed, got 'cases'"),
        (lambda: Scored(1.0, {"failed": 2.0}), "a name, other than cases, objectives and failed, got 'failed'"),
        (lambda: Scored(1.0, None), "details of a score are a dict of numbers, got None"),
    ],
)
def test_a_score_with_something_else_than_numbers_in_it_is_refused(score, message):
    told(Problem("odd", Bits(4), fitness=lambda g: score(), plan=SMALL), message)


def test_alps_refuses_a_fitness_that_says_ages_itself():
    plan = Plan(population=8, generations=2, breeding="alps", layers=2)
    problem = Problem("old", Bits(4), fitness=lambda g: Scored(sum(g), {"age": 30.0}), plan=plan)
    told(problem, "breeding=alps keeps the age of individuals in their detail age; call that of the fitness otherwise")


def test_a_score_may_hold_numbers_of_numpy_and_one_that_is_not_finite_counts_as_failed():
    numpy = pytest.importorskip("numpy")
    kind = Problem("n", Bits(4), fitness=lambda g: Scored(numpy.int64(sum(g)), {"x": numpy.float32(1)}), plan=SMALL)
    best = kind.solve(seed=1).best
    assert type(best.fitness) is float and best.detail == {"x": 1.0}
    lost = Problem("l", Bits(4), fitness=lambda g: Scored(float("nan")), failed=-1.0, plan=SMALL).solve(seed=1)
    assert {one.fitness for one in lost.individuals} == {-1.0}
    with pytest.raises(Failed, match="returned nan"):
        Problem("l", Bits(4), fitness=lambda g: float("nan"), plan=SMALL).measure((0, 1, 0, 1))


def test_a_fitness_whose_cases_change_their_number_is_refused_whoever_reads_them():
    asked = []

    def cases(genome):
        asked.append(genome)
        return [1.0] * (2 if len(asked) <= 8 else 3)

    plan = replace(SMALL, replacement="plus", mutation=1.0)
    told(Problem("more", Bits(40), fitness=cases, cases=True, plan=plan), "the same cases: 2 of them, then 3")


@pytest.mark.parametrize(
    "answer, message",
    [
        (None, "Own.score returned None, a list was wanted"),
        ([1.0] * 8, "a number with a dict of details, or a Scored, got 1.0"),
        ([("x", {})] * 8, "the fitness returned 'x', a number was wanted, for [01]{30}"),
        (ZeroDivisionError("no"), r"Own.score raised ZeroDivisionError: 'no' \(line \d+\)"),
    ],
)
def test_an_object_that_scores_nonsense_is_told_in_one_line(answer, message):
    class Own:
        def score(self, genomes, generation, stream):
            if isinstance(answer, Exception):
                raise answer
            return answer

    told(Problem("own", Bits(30), fitness=Own(), plan=SMALL), message)


def test_one_objective_is_enough_for_nsga_2_and_may_be_a_number():
    plan = replace(SMALL, selection="crowded", replacement="nsga2", mutation=0.9)
    for fitness in (sum, lambda g: [sum(g)]):
        last = Problem("one", Bits(6), fitness=fitness, direction=("more",), plan=plan).solve(seed=1)
        assert last.best.objectives == (last.best.fitness,)
        assert [one.fitness for one in last.beside("archive").individuals] == [last.best.fitness]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"breeding": "alps", "layers": 3}, "alps: 3 layers need a population that is a multiple of 3"),
        ({"breeding": "alps", "layers": 4, "islands": 2}, "4 layers need a population of each island"),
        ({"breeding": "map-elites", "islands": 2}, "map-elites keeps as many as there are niches"),
    ],
)
def test_plans_that_cannot_be_bred_are_refused_when_they_are_made(given, message):
    with pytest.raises(BadParameter, match=message):
        replace(SMALL, **given)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"breeding": "shapes"}, "breeding=shapes needs genomes that have a shape and a mean; bits are none"),
        ({"breeding": "mu,lambda", "recombination": "all"}, "recombination=all needs genomes that have a mean"),
        ({"selection": "lexicase"}, "selection=lexicase needs a fitness that gives the results of single cases"),
        ({"selection": "crowded"}, "selection=crowded needs a fitness that gives objectives"),
        ({"replacement": "nsga2"}, "replacement=nsga2 needs a fitness that gives objectives"),
    ],
)
def test_what_a_plan_lacks_is_told_before_generation_0_is_there(given, message):
    problem = Problem("ones", Bits(4), fitness=sum, plan=replace(SMALL, **given))
    with pytest.raises(BadParameter, match=message):
        next(problem.run(seed=1))


@pytest.fixture
def enter():
    """Return what enters a function as an operator called test-wrong, for one test."""
    tables = {"replacement": replacement, "breeding": breeding, "crossover": crossover}
    whole = {
        "replacement": lambda act: lambda run, parents, children, stream: act(children),
        "breeding": lambda act: lambda run, generation: act(generation),
        "crossover": lambda act: lambda a, b, stream: act(a, b),
    }
    yield lambda sort, act: tables[sort]("test-wrong", "wrong")(whole[sort](act))
    for table in tables.values():
        table.others.pop("test-wrong", None)


@pytest.mark.parametrize(
    "sort, act, message",
    [
        ("replacement", lambda people: 3, "replacement=test-wrong must return individuals, at least one, got 3"),
        ("replacement", lambda people: [], "must return individuals, at least one"),
        ("replacement", lambda people: [replace(people[0], fitness=float("nan"))], "whose fitness is nan"),
        ("replacement", lambda people: (1 / 0 for _ in people), "replacement=test-wrong raised ZeroDivisionError"),
        ("breeding", lambda old: [1], "breeding=test-wrong must return a generation, got list"),
        ("breeding", lambda old: old, "must return generation 1, got 0; run.followed"),
        ("breeding", lambda old: replace(old, number=1, individuals=(1,)), "must return individuals, got 1 among them"),
        ("crossover", lambda a, b: a, "must return two vectors of 6, got"),
        ("crossover", lambda a, b: (a[:2], b), "must return two vectors of 6, got one of 2"),
        ("crossover", lambda a, b: ((7,) * 6, b), "which is outside of what bits may be"),
    ],
)
def test_operators_of_ones_own_that_return_the_wrong_thing_are_told_in_one_line(enter, sort, act, message):
    enter(sort, act)
    given = {} if sort == "crossover" else {sort: "test-wrong"}
    kind = Bits(6, crossover="test-wrong") if sort == "crossover" else Bits(6)
    told(Problem("wrong", kind, fitness=sum, plan=replace(SMALL, crossover=1.0, **given)), message)


def test_a_mutation_of_ones_own_that_grows_too_large_leaves_the_parent():
    @mutation("test-doubling", "twice itself")
    def doubling(tree, stream, limits):
        return join(tree.language, "Add", tree, tree)

    try:
        kind = single(ARITHMETIC, Limits(9, 20), low=1, high=2, mutations=(("test-doubling", 1.0),))
        plan = Plan(population=10, generations=8, breeding="gp", crossover=0.0, mutation=1.0)
        last = list(evolve(kind, Nodes(), plan, 1))[-1]
    finally:
        del mutation.others["test-doubling"]
    assert 10 < max(one.size for one in last.individuals) <= 20


class Nodes:
    """Scores by size."""

    def score(self, genomes, generation, stream):
        return [(float(len(genome[0])), {}) for genome in genomes]


@pytest.mark.parametrize(
    "given, message",
    [
        ({"fitness": lambda: 1}, r"fitness must take 1 or 2 arguments, it is '\(\)'"),
        ({"fitness": lambda g, stream, more: 1}, "fitness must take 1 or 2 arguments"),
        ({"fitness": sum, "test": lambda g, *, more: 1}, "test must take 1 or 2 arguments"),
        ({"meet": lambda host: (1, 1), "parasites": Bits(2)}, "meet must take 2 or 3 arguments"),
    ],
)
def test_functions_of_other_arguments_are_refused_when_a_problem_is_made(given, message):
    with pytest.raises(BadParameter, match=message):
        Problem("odd", Bits(4), plan=SMALL, **given)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"fitness": sum, "identity": {"data": 3}}, "odd: data in identity must be a text of one line"),
        ({"fitness": sum, "identity": {"data": "x" * 2001}}, "data in identity must be a text of one line, of at most"),
        ({"fitness": sum, "identity": {"a\nb": "x"}}, "a name in identity must be a text of one line"),
        ({"fitness": sum, "identity": {"texts": "x"}}, "identity says texts of the problem's file"),
        ({"fitness": sum, "metric": "\x1b[31m"}, "odd: metric must be a text of one line"),
        ({"fitness": sum, "unit": "u" * 51}, "odd: unit must be a text of one line, of at most 50 characters"),
        ({"fitness": sum, "tested_on": "x" * 2001}, "tested_on must be a text of one line, of at most 2000"),
        ({"fitness": sum, "statistics": {"a\n": len}}, "the name of a statistic must be a text of one line"),
        ({"meet": lambda a, b: (1, 1), "parasites": Bits(2), "failed": 0.0}, "meet returns the points of both"),
    ],
)
def test_what_the_files_of_a_run_could_not_hold_is_refused_when_a_problem_is_made(given, message):
    with pytest.raises(BadParameter, match=message):
        Problem("odd", Bits(4), plan=SMALL, **given)


@pytest.mark.parametrize("answer", [None, "much", 1j])
def test_what_is_no_number_counts_as_failed_where_failed_has_a_score(answer):
    def some(genome):
        return answer if genome[0] else sum(genome)

    plan = replace(SMALL, population=20, generations=15, mutation=0.5)
    best = Problem("some", Bits(8), fitness=some, failed=-5.0, plan=plan).solve(seed=1).best
    assert best.genome[0] == 0 and best.fitness > 5
    told(Problem("some", Bits(8), fitness=some, plan=plan), r"a number was wanted, for '1\d+'; Problem\(failed=…\)")
    lists = Problem("some", Bits(8), fitness=lambda g: None if g[0] else g, cases=True, failed=-5.0, plan=plan)
    assert lists.solve(seed=1).best.genome[0] == 0


def test_a_fitness_without_any_case_is_told_by_its_name():
    told(Problem("none", Bits(4), fitness=lambda g: [], cases=True, plan=SMALL), "none: fitness returned .* no cases")


def test_a_fitness_of_values_may_be_a_function():
    kind, plan = SelfAdaptive(Reals(2, low=-1.0, high=1.0)), Plan(population=5, generations=15, breeding="mu,lambda")
    for fitness in (lambda v: v[0] ** 2 + v[1] ** 2, lambda v, stream: v[0] ** 2 + v[1] ** 2 + 0 * stream.uniform()):
        near = Problem("near", kind, fitness=OnValues(fitness), direction="less", plan=plan)
        assert near.score_of(near.solve(seed=1, workers=2)) < 1e-3
    wrong = Problem("wrong", kind, fitness=OnValues(lambda v: 1 / 0), plan=plan)
    told(wrong, r"fitness raised ZeroDivisionError: .* \(line \d{3}\)")
    with pytest.raises(BadParameter, match="OnValues takes a fitness: a function, or an object with score, got 3"):
        OnValues(3)


def test_constants_stay_where_sums_of_them_are_finite():
    number = Primitive("N", "Float", rule="v", draws=(-1.0, 1.0))
    kind = Constants(leaf(Language("numbers", ("Float",), (number,)), "N", value=1.0), step=1e6)
    far = kind.first
    for k in range(2000):
        far = kind.mutate(tuple(3 * x for x in far), Stream(k))
    assert abs(far[0]) == 1e300
    with pytest.raises(BadParameter, match="constants: step must be at most 1e"):
        replace(kind, step=1e7)
    with pytest.raises(BadParameter, match=r"its range must be two finite numbers below 1e\+300"):
        Language("numbers", ("Float",), (replace(number, draws=(-1e308, 1e308)),))


def test_numbers_that_could_not_be_read_again_are_not_stored(tmp_path):
    experiment = Problem("ones", Bits(4), fitness=sum, plan=SMALL).experiment()
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {}), 1)
    with Store(run.folder, write=True) as store:
        for state, detail in (({"step": math.inf}, {}), ({}, {"points": math.nan})):
            one = Individual((0, 0, 0, 0), 1.0, detail)
            with pytest.raises(BadParameter, match="infinite number, or nan, in a genome, a detail or a step size"):
                store.add_generation(EVOLUTION, Generation(0, (one,), 1, (), state), Bits(4))
        assert store.points(EVOLUTION) == []


@pytest.mark.parametrize(
    "given, message",
    [
        ({"fitness": lambda g: 1 / 0}, "fitness raised ZeroDivisionError"),
        ({"fitness": sum, "test": lambda g: 1 / 0}, "test raised ZeroDivisionError"),
        ({"fitness": sum, "player": lambda g: {"text": "x"}}, "player returned 'text', which the champion's file says"),
        ({"fitness": sum, "player": lambda g: 1 / 0}, "player raised ZeroDivisionError"),
        ({"fitness": sum, "program": lambda g: 3}, "program returned 3, a Tree was wanted"),
        ({"batch": lambda genomes: (1 / 0 for _ in genomes)}, "batch raised ZeroDivisionError"),
        ({"batch": lambda genomes: dict.fromkeys(genomes, 1)}, "batch returned .*, a list was wanted"),
    ],
)
def test_a_run_that_came_to_nothing_leaves_no_folder_in_the_way_of_the_mended_one(tmp_path, given, message):
    folder = tmp_path / "run"

    def run(problem):
        experiment = problem.experiment()
        made = create(folder, experiment, "quick", settle(experiment, "quick", {}), 1)
        carry_out(made)

    with pytest.raises(LudwinError, match=message):
        run(Problem("ones", Bits(4), plan=SMALL, **given))
    assert not folder.exists()
    run(Problem("ones", Bits(4), fitness=sum, plan=SMALL))
    assert (folder / "report.html").is_file()


def test_a_series_whose_first_run_came_to_nothing_leaves_no_folder_either(tmp_path):
    experiment = Problem("ones", Bits(4), fitness=lambda g: 1 / 0, plan=SMALL).experiment()
    series = create_series(tmp_path / "series", experiment, "quick", settle(experiment, "quick", {}), 1, 2)
    with pytest.raises(BadParameter, match="fitness raised ZeroDivisionError"):
        carry_out_series(series)
    assert not (tmp_path / "series").exists()


def test_a_run_that_fails_later_keeps_what_it_has(tmp_path):
    asked = []

    def fails(genome, stream):
        asked.append(genome)
        return 1 / 0 if len(asked) > 40 else sum(genome)

    problem = Problem("late", Bits(20), fitness=fails, test=lambda g: 1.0, plan=replace(SMALL, generations=30))
    experiment = problem.experiment()
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {}), 1)
    way_out = r"run keeps generations 0 to \d+, with which the same files go on \(--resume\); changed ones begin a new"
    with pytest.raises(BadParameter, match=f"raised ZeroDivisionError.*{way_out}"):
        carry_out(run)
    assert reopen(tmp_path / "run", lambda name: experiment).seed == 1


def test_a_fitness_that_wavers_or_fails_is_remarked_upon_in_the_report(tmp_path):
    def told_by(name, **given):
        experiment = Problem(name, Bits(8), plan=SMALL, **given).experiment()
        run = create(tmp_path / name, experiment, "quick", settle(experiment, "quick", {}), 1)
        carry_out(run)
        page = (run.folder / "report.html").read_text(encoding="utf8")
        return "asked again" in page, "the score of failed genomes" in page

    asked = []
    assert told_by("plain", fitness=sum, direction="less") == (False, False)
    assert told_by("two", fitness=lambda g: (sum(g), g[0]), direction=("more", "less")) == (False, False)
    assert told_by("noisy", fitness=lambda g, stream: stream.uniform()) == (False, False)
    assert told_by("beside", batch=lambda genomes: [sum(g) + len(genomes) for g in genomes]) == (False, False)
    assert told_by("waver", fitness=lambda g: asked.append(g) or sum(g) + len(asked)) == (True, False)
    assert told_by("fails", fitness=lambda g: None, failed=-1.0) == (False, True)


class Odd(BaseException):
    """What some libraries raise to be caught by nobody."""


def test_a_fitness_that_raises_what_is_no_exception_or_ends_its_process_is_told_in_one_line(tmp_path):
    def raises(genome):
        raise Odd("odd")

    told(Problem("odd", Bits(4), fitness=raises, plan=SMALL), r"fitness raised Odd: 'odd' \(line \d+\)")
    experiment = Problem("ends", Bits(4), fitness=lambda genome: os._exit(7), plan=SMALL).experiment()
    run = create(tmp_path / "run", experiment, "quick", settle(experiment, "quick", {}), 1)
    with pytest.raises(BadParameter, match=r"exit status 7\): a function that is asked must not end its process"):
        carry_out(run, workers=2)
    assert not run.folder.exists()


def test_a_fitness_may_go_to_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "away").mkdir()

    def leaves(genome):
        os.chdir(tmp_path / "away")
        return sum(genome)

    experiment = Problem("leaves", Bits(4), fitness=leaves, plan=SMALL).experiment()
    run = create(Path("run"), experiment, "quick", settle(experiment, "quick", {}), 1)
    carry_out(run)
    assert run.is_finished and Path.cwd() == tmp_path and not list((tmp_path / "away").iterdir())


@pytest.mark.parametrize(
    "given, message",
    [
        ({"seed": "x"}, "ones: seed must be a whole number, got 'x'"),
        ({"seed": 1.5}, "ones: seed must be a whole number, got 1.5"),
        ({"workers": "2"}, "ones: workers must be a whole number"),
        ({"workers": 0}, "ones: workers must be at least 1, got 0"),
        ({"plan": {"population": 3}}, r"ones: plan must be a Plan\(population=…, …\), got"),
        ({"start": 5}, "ones: start must be a generation of an earlier run, got 5"),
        ({"callbacks": print}, "ones: callbacks are a list of functions, got"),
        ({"callbacks": None}, "ones: callbacks are a list of functions, got None"),
    ],
)
def test_what_no_run_can_be_made_of_is_refused_in_one_line(given, message):
    with pytest.raises(BadParameter, match=message):
        Problem("ones", Bits(4), fitness=sum, plan=SMALL).solve(**given)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Bits("x"), "bits: length must be a whole number, got 'x'"),
        (lambda: Bits(2.5), "bits: length must be a whole number, got 2.5"),
        (lambda: Bits(5, rate="x"), "bits: rate must be a number, got 'x'"),
        (lambda: Integers(2, low=0.5, high=3.5), "integers: a bound must be a whole number, got 0.5"),
        (lambda: Integers(2, low=None), "integers: a bound must be a whole number, got None"),
        (lambda: Reals(2, low="a"), "reals: a bound must be a number, got 'a'"),
        (lambda: Reals(2, low=[0.0, 0.0]), r"reals: a bound must be a number, got \[0.0, 0.0\]"),
        (lambda: SelfAdaptive(Bits(3)), "SelfAdaptive takes Reals, got Bits"),
        (lambda: Parts((("a", 3),)), "parts are pairs of a role and a kind of genome"),
        (lambda: Parts("ab"), "parts are pairs of a role and a kind of genome, got 'ab'"),
        (lambda: Parts((("a", Bits(1)),), exchange="x"), "parts: exchange must be a number, got 'x'"),
        (lambda: Parts((("a", Bits(1)),), rates=("x",)), "parts: rates are a tuple of numbers"),
        (lambda: Policies((("a", 3),), ()), "policy: 'a': int is no kind of genome, it has no begin"),
        (lambda: Policies((("a", Bits(1)),), (), rule_share="x"), "policy: rule_share must be a number"),
        (lambda: Reals(2, step="a"), "reals: step must be a number, got 'a'"),
        (lambda: Integers(2, step=1.5, mutation="creep"), "integers: step must be a whole number, got 1.5"),
        (lambda: Constants((1,)), "constants are those of one program"),
        (lambda: Problem("p", Bits, fitness=sum), "p: Bits is no kind of genome, it is a class"),
        (lambda: Problem("p", Bits(3), parasites=3, meet=max), "p: int is no kind of genome, it has no begin"),
        (lambda: Problem("p", Bits(3), fitness=sum, direction=3), "p: direction is a word or a tuple of words"),
        (lambda: own(None, None), "own: make must be a function, got None"),
        (lambda: own(int, int, text="x"), "own: text must be a function, got 'x'"),
        (lambda: grammar(ARITHMETIC, "<a> ::= " + "Add(" * 3000), "an alternative is deeper than 100 levels"),
    ],
)
def test_kinds_of_the_wrong_things_are_refused_when_they_are_made(make, message):
    with pytest.raises(BadParameter, match=message):
        make()


def test_a_callback_that_raises_is_told_in_one_line():
    problem = Problem("ones", Bits(4), fitness=sum, plan=SMALL)
    with pytest.raises(BadParameter, match=r"ones: a callback raised ZeroDivisionError: .* \(line \d+\)"):
        problem.solve(seed=1, callbacks=[lambda generation: 1 / 0])


def test_a_problem_is_found_wherever_a_file_names_it_and_missed_by_name(tmp_path):
    path = tmp_path / "problem.py"
    head = "from ludwin.evolve import Bits, Problem\n"
    for text in (
        "if True:\n    PROBLEM = Problem('a', Bits(3), fitness=sum)\n",
        "X, PROBLEM = 1, Problem('a', Bits(3), fitness=sum)\n",
    ):
        path.write_text(head + text, encoding="utf8")
        assert find(str(path)).name == "problem.py"
    path.write_text(head + "mine = Problem('a', Bits(3), fitness=sum)\n", encoding="utf8")
    with pytest.raises(LudwinError, match=r"problem.py defines no PROBLEM: name the problem .* PROBLEM = Problem\(…\)"):
        find(str(path))
    path.write_text("FIELDS = {'turn': int}\n" + head, encoding="utf8")
    assert problem_source(str(path)) is None


class _Odd:
    """A fitness of which one method is made by a test."""

    def score(self, genomes, generation, stream):
        return [Scored(float(sum(one))) for one in genomes]


@pytest.mark.parametrize(
    "more, method, answer, message",
    [
        ({"breeding": "map-elites"}, "niche", lambda one: 1 // 0, r"_Odd.niche raised ZeroDivisionError"),
        ({"selection": "comparator"}, "compare", lambda a, b: None, "_Odd.compare returned None, a number was wanted"),
        ({"selection": "comparator"}, "compare", lambda a, b: math.nan, "_Odd.compare returned nan"),
        ({"selection": "comparator"}, "compare", lambda a, b: 1 // 0, r"_Odd.compare raised ZeroDivisionError"),
        ({}, "admit", lambda *given: None, "_Odd.admit returned None, genomes were wanted"),
        ({}, "admit", lambda *given: 1 // 0, r"_Odd.admit raised ZeroDivisionError: .* \(line"),
        ({}, "admit", lambda *given: [(1, 2)], r"wants to remember \(1, 2\), which is no genome of bits"),
    ],
)
def test_what_a_fitness_says_beside_its_score_is_examined(more, method, answer, message):
    odd = _Odd()
    setattr(odd, method, answer)
    told(Problem("odd", Bits(4), fitness=odd, plan=replace(SMALL, crossover=0.4, **more)), message)
