"""Regression: linear scaling is least squares, belongs to the program, and is stored and resumed."""

import json

import numpy as np
import pytest

from ludwin.cli import main
from ludwin.errors import BadParameter
from ludwin.evolve import Bits, Parts, Plan, regression
from ludwin.evolve.fitted import WORST, Fit, linear, scaled
from ludwin.evolve.formulas import FORMULAS, problem
from ludwin.evolve.operators import error, scaling
from ludwin.evolve.toys import ARITHMETIC
from ludwin.evolve.trees import single
from ludwin.program.export import python
from ludwin.program.generate import ramped
from ludwin.program.rows import Columns
from ludwin.program.stream import Stream
from ludwin.program.text import read, write

KIND = single(ARITHMETIC)
X = np.linspace(-1.0, 1.0, 21)


def fit_of(wanted, scaling="linear", error="absolute"):
    return Fit(KIND, Columns({"x": X}), wanted, scaling, error)


def test_linear_scaling_is_least_squares():
    """Oracle: numpy's polyfit."""
    wanted = np.sin(3 * X)
    trees = [tree for tree in ramped(ARITHMETIC, 40, Stream(2)) if "X" in write(tree)]
    values = Columns({"x": X}).values(trees)
    for one, (intercept, slope) in zip(values, linear(values, wanted), strict=True):
        if np.ptp(one) > 1e-6 and np.isfinite(one).all():
            assert np.allclose((slope, intercept), np.polyfit(one, wanted, 1), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("power", [-300, -200, -155, 0, 154, 200, 305])
@pytest.mark.parametrize("wanted_power", [-300, -160, 0, 160, 300])
def test_linear_scaling_fits_values_whose_squares_are_no_numbers(power, wanted_power):
    values, wanted = X[None, :] * float(f"1e{power}"), (3 * X + 5) * float(f"1e{wanted_power}")
    with np.errstate(over="ignore"):  # as a fitness asks
        ((intercept, slope),) = linear(values, wanted)
    if abs(wanted_power - power) <= 307:
        assert intercept == pytest.approx(5 * float(f"1e{wanted_power}"), rel=1e-12, abs=0)
        assert intercept + slope * values[0] == pytest.approx(wanted, rel=1e-12, abs=0)
    else:  # no slope is a number of all digits
        assert slope == 0.0 and intercept == pytest.approx(wanted.mean(), rel=1e-12, abs=0)


def test_a_constant_program_gets_the_mean_and_what_is_no_number_the_worst_error():
    wanted = X + 5
    fit = fit_of(wanted)
    constant = read(ARITHMETIC, "Sub(X, X)")
    assert fit.coefficients([constant])[0].tolist() == [pytest.approx(5.0), 0.0]
    assert fit.score([(constant,)], 0, None)[0].value == pytest.approx(-np.abs(X).mean())
    huge = "X"
    for _ in range(8):
        huge = f"Mul({huge}, {huge})"
    steep = Fit(KIND, Columns({"x": X * 1e30}), wanted, "linear", "squared")
    assert steep.score([(read(ARITHMETIC, huge.replace("X", "Add(X, X)")),)], 0, None)[0].value < -0.9 * WORST


def test_a_score_does_not_depend_on_who_else_is_scored():
    genomes = [(tree,) for tree in ramped(ARITHMETIC, 30, Stream(4))]
    fit = fit_of(np.cos(X))
    together = fit.score(genomes, 0, None)
    assert [fit.score([one], 0, None)[0] for one in genomes] == together


def test_a_champion_of_a_problem_is_told_as_a_formula_with_four_digits():
    curve = regression("curve", {"x": X}, 100.12345 - 3.98765 * X**2, ARITHMETIC)
    facts = curve.experiment().facts(
        {"scaling": "linear", "error": "absolute", "genome": "tree", "selection": "tournament"},
        (read(ARITHMETIC, "Mul(X, X)"),),
    )
    assert facts["formula"] == "100.1 + X * X * -3.988"


@pytest.mark.parametrize("coefficients", [(0.0, 1.0), (3.0, 1.0), (0.0, -2.0), (1.5, 0.1), (1.0, 2.0, 3.0), (7.0,)])
def test_a_scaled_program_computes_what_its_errors_were_counted_by(coefficients):
    tree = read(ARITHMETIC, "Mul(X, Add(X, X))")
    program = scaled(tree, coefficients)
    columns = Columns({"x": X})
    wanted = sum(c * columns.values([tree])[0] ** k for k, c in enumerate(coefficients))
    assert np.allclose(columns.values([program])[0], wanted)
    space = {}
    exec(python(program), space)
    assert [space["evaluate"](lambda name, place, x=x: x) for x in X] == columns.values([program])[0].tolist()


def test_test_rows_are_scaled_by_what_was_seen():
    wanted = 10 * X * X
    made = regression("p", {"x": X}, wanted, ARITHMETIC, test=({"x": X + 5}, 10 * (X + 5) ** 2 + 1))
    assert made.test(read(ARITHMETIC, "Mul(X, X)")).tolist() == pytest.approx([1.0] * 21)
    assert made.measure((read(ARITHMETIC, "Mul(X, X)"),)).value == pytest.approx(1.0)


def test_users_add_scalings_and_errors_with_a_function():
    @scaling("through-zero")
    def slope_only(values, wanted):
        return np.column_stack((np.zeros(len(values)), (values * wanted).sum(axis=1) / (values * values).sum(axis=1)))

    @error("worst-row")
    def worst(values, wanted):
        return np.broadcast_to(np.abs(values - wanted).max(axis=1)[:, None], values.shape)

    made = regression("p", {"x": X}, 3 * X, ARITHMETIC, scaling="through-zero", error="worst-row")
    assert made.fitness.coefficients([read(ARITHMETIC, "X")]).tolist() == [[0.0, pytest.approx(3.0)]]
    assert made.fitness.score([(read(ARITHMETIC, "X"),)], 0, None)[0].value == pytest.approx(0.0)

    @error("raising")
    def raising(values, wanted):
        raise ValueError("oh dear")

    with pytest.raises(BadParameter, match="error=raising raised ValueError: 'oh dear'"):
        regression("p", {"x": X}, 3 * X, ARITHMETIC, error="raising").solve(plan=Plan(population=4, generations=0))

    @scaling("broken")
    def broken(values, wanted):
        return [1.0]

    with pytest.raises(BadParameter, match="scaling=broken must return a line of coefficients for each program"):
        regression("p", {"x": X}, 3 * X, ARITHMETIC, scaling="broken").solve(plan=Plan(population=4, generations=0))


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: regression("p", {"x": X}, X[:5], ARITHMETIC), "21 rows need as many wanted values"),
        (lambda: regression("p", {"x": X}, [float("nan")] * 21, ARITHMETIC), "must be finite"),
        (lambda: regression("p", {"x": [float("inf")] * 21}, X, ARITHMETIC), "the columns must hold finite numbers"),
        (lambda: regression("p", {"x": X}, ["a"] * 21, ARITHMETIC), "must be numbers"),
        (lambda: regression("p", {"x": X}, X, ARITHMETIC, scaling="linar"), "did you mean 'linear'"),
        (lambda: regression("p", {"x": X}, X, ARITHMETIC, error="square"), "did you mean 'squared'"),
    ],
)
def test_tables_that_do_not_fit_are_refused_in_one_line(make, message):
    with pytest.raises(BadParameter, match=message) as found:
        make()
    assert "\n" not in str(found.value)


def test_lexicase_gets_cases_and_the_others_do_not_store_them():
    kept = problem("nguyen-1", 1, plan=Plan(population=10, generations=0, selection="epsilon-lexicase")).solve()
    plain = problem("nguyen-1", 1, plan=Plan(population=10, generations=0)).solve()
    assert len(kept.best.cases) == 20 and plain.best.cases == ()


def test_a_run_stores_its_scaling_and_goes_on_with_it(tmp_path):
    from ludwin.evolve.door import evolve

    chosen = {"formula": "nguyen-8", "scaling": "linear", "genome": "adf", "population": 30, "generations": 3}
    run = evolve("regression", seed=3, out=tmp_path / "run", settings={**chosen, "selection": "epsilon-lexicase"})
    stored = json.loads((tmp_path / "run" / "settings.json").read_text())["settings"]
    assert stored["scaling"] == "linear" and stored["genome"] == "adf"
    assert "ADF0(ARG0) = " in run.champion["text"]


def test_formulas_draw_the_same_rows_from_the_same_seed():
    for formula in FORMULAS.values():
        columns, wanted = formula.rows(7)
        assert len(wanted) == formula.points and np.isfinite(wanted).all()
        again, _ = formula.rows(7)
        assert all(np.array_equal(columns[name], again[name]) for name in formula.variables)
        assert all(((formula.low <= x) & (x < formula.high)).all() for x in columns.values())
    bowl = FORMULAS["vladislavleva-4"]
    assert bowl.function(3, 3, 3, 3, 3) == 2 and len(bowl.unseen(1)[1]) == 5000


def test_a_run_of_other_data_is_another_run(tmp_path, capsys):
    path, data, out = tmp_path / "curve.py", tmp_path / "data.txt", tmp_path / "run"
    path.write_text(
        "from pathlib import Path\n"
        "from ludwin.evolve import Plan, regression\n"
        "from ludwin.evolve.toys import ARITHMETIC\n"
        "TEXT = Path(__file__).with_name('data.txt').read_text()\n"
        "ROWS = [tuple(map(float, line.split())) for line in TEXT.splitlines()]\n"
        "PROBLEM = regression('curve', {'x': [row[0] for row in ROWS]}, [row[1] for row in ROWS], ARITHMETIC,\n"
        "                     plan=Plan(population=10, generations=2, breeding='gp'))\n",
        encoding="utf8",
    )
    data.write_text("1 2\n2 5\n3 9\n", encoding="utf8")
    assert main(["evolve", str(path), "--out", str(out)]) == 0
    assert main(["show", str(out), "--trust", str(path)]) == 0
    (out / "report.html").unlink()
    data.write_text("1 2\n2 5\n3 8\n", encoding="utf8")
    capsys.readouterr()
    assert main(["evolve", str(path), "--resume", str(out)]) == 2
    assert "the rows of curve.py has changed since the run began" in capsys.readouterr().err
    assert main(["show", str(out), "--trust", str(path)]) == 2
    assert "the rows of curve.py has changed since it evolved" in capsys.readouterr().err


def test_a_row_that_is_no_row_of_numbers_is_named():
    with pytest.raises(BadParameter, match=r"the columns must hold finite numbers; .*, such as row 3 of 4"):
        regression("p", {"x": [1, 2, float("nan"), 4]}, [1, 2, 3, 4], ARITHMETIC)
    with pytest.raises(BadParameter, match=r"must be finite; .*, such as row 2 of 2"):
        regression("p", {"x": [1, 2]}, [1, float("inf")], ARITHMETIC)


@pytest.mark.parametrize(
    "given, more, message",
    [
        (ARITHMETIC, {"direction": "more"}, "a regression says itself what direction is"),
        (ARITHMETIC, {"failed": 3.0}, "a regression says itself what failed is"),
        (ARITHMETIC, {"fitness": sum}, "a regression says itself what fitness is"),
        (ARITHMETIC, {"test": {"x": [1]}}, "test is columns and wanted values, a pair"),
        (Bits(3), {}, "rows are what programs are evaluated on, got "),
        (Parts((("a", single(ARITHMETIC)), ("b", Bits(3)))), {}, "rows are what programs are evaluated on, got "),
    ],
)
def test_what_a_regression_cannot_heed_is_refused(given, more, message):
    with pytest.raises(BadParameter, match=message):
        regression("p", {"x": [1, 2]}, [1, 2], given, **more).solve(seed=1)


@pytest.mark.parametrize("columns, target", [({"x": [10**400]}, [1.0]), ({"x": [1.0]}, [10**400]), ([[1.0]], [1.0])])
def test_tables_that_floats_cannot_hold_are_refused(columns, target):
    with pytest.raises(BadParameter, match=r"numbers that a float holds|rows are a dict of columns"):
        regression("p", columns, target, ARITHMETIC)


def test_less_may_be_said_of_a_regression():
    assert regression("p", {"x": [1, 2]}, [1, 2], ARITHMETIC, direction="less").directions == ("less",)


def test_an_exported_program_says_whose_value_it_returns():
    x = read(ARITHMETIC, "X")
    assert "evaluate(read) returns the value of the program" in python(x)
    assert "returns how good a position is for the player to move" in python(x, "nim")
    assert "returns how good a position is for nobody" in python(x, "nim", whose="nobody")
