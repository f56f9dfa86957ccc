"""How fast programs run on rows: beside gplearn, DEAP and pyoperon, the same programs on the same rows.

Why it is here.  Symbolic regression is node evaluations.  Every library gets the same programs, translated before
the clock runs, and computes all of them on the same rows; the contenders take turns.  Two populations, since programs
of a generation have much in common, which ours computes once: random ones (ramped, depth 2 to 6), and generation 20 of
a run.  What counts is nodes times rows per CPU second.  Each runs as its manual has it: gplearn executes on
NumPy's columns, DEAP compiles each program and calls it row by row, pyoperon evaluates all in one call, in single
precision, as its wheel is built.

Machine code for each program (`native=True`) takes turns with the interpreter, compiling apart: from how many rows on
it gains, and how often a program must be asked before compiling it has paid.
"""

import operator
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ludwin.bench import News, Timing, _repeated, best_times
from ludwin.evolve.plan import NEVER
from ludwin.evolve.toys import ARITHMETIC, symbolic_regression
from ludwin.program.generate import ramped
from ludwin.program.rows import Columns
from ludwin.program.stream import Stream
from ludwin.program.text import write
from ludwin.program.tree import Tree

COUNT = 200
FEW = 40  # of them that DEAP runs, which takes long enough
GENERATION = 20
ROWS = (20, 100, 1000)
NATIVE_ROWS = (100, 1000, 10_000, 100_000)
LONG = 0.01  # seconds of a turn of each contender

Run = Callable[[], Any]


def populations() -> dict[str, list[Tree]]:
    """Return the programs that everybody runs, by what they are."""
    from ludwin.evolve.engine import evolve

    toy = symbolic_regression(population=COUNT, generations=GENERATION)
    *_, last = evolve(toy.kind, toy.fitness, replace(toy.plan, stop_at=NEVER), seed=2)
    return {
        "random programs": ramped(ARITHMETIC, COUNT, Stream(1), low=2, high=6),
        f"generation {last.number}": [one.genome[0] for one in last.individuals],
    }


def _gplearn(trees: Sequence[Tree], x: Any) -> Run:
    from gplearn._program import _Program
    from gplearn.functions import _function_map
    from sklearn.utils import check_random_state

    names = {"Add": "add", "Sub": "sub", "Mul": "mul", "Div": "div"}
    functions = [_function_map[name] for name in names.values()]
    given = {"function_set": functions, "arities": {2: functions}, "init_depth": (2, 6), "n_features": 1}
    given |= {"init_method": "half and half", "const_range": None, "metric": None, "p_point_replace": 0.05}
    chance = check_random_state(1)
    programs = []
    for tree in trees:
        spelt = [_function_map[names[p.name]] if p.takes else 0 for p in map(tree.primitive, range(len(tree)))]
        programs.append(_Program(**given, parsimony_coefficient=0, random_state=chance, program=spelt))
    table = x[:, None]

    return lambda: [program.execute(table) for program in programs]


def divide(a: float, b: float) -> float:
    """A division that cannot fail."""
    return a / b if b else 1.0


def _deap(trees: Sequence[Tree], x: Any) -> Run:
    from deap import gp

    primitives = gp.PrimitiveSet("rows", 1)
    functions = {"Add": operator.add, "Sub": operator.sub, "Mul": operator.mul, "Div": divide}
    for name, function in functions.items():
        primitives.addPrimitive(function, 2, name=name)
    programs = [gp.PrimitiveTree.from_string(write(tree).replace("X", "ARG0"), primitives) for tree in trees]
    numbers = x.tolist()

    def run() -> list[list[float]]:
        return [[function(x) for x in numbers] for function in (gp.compile(one, primitives) for one in programs)]

    return run


def _operon(trees: Sequence[Tree], x: Any) -> Run:
    import pyoperon

    data = pyoperon.Dataset(np.asfortranarray(x[:, None]))
    name = data.VariableHashes[0]

    def node(word: str) -> Any:
        if word != "X":
            return getattr(pyoperon.Node, word)()
        found = pyoperon.Node.Variable(1.0)
        found.HashValue = name
        return found

    def postfix(tree: Tree, at: int) -> list[Any]:
        return [one for child in tree.children(at) for one in postfix(tree, child)] + [node(tree.primitive(at).name)]

    programs = [pyoperon.Tree(postfix(tree, 0)).UpdateNodes() for tree in trees]
    out, whole = np.zeros(len(trees) * len(x), dtype=np.float32), pyoperon.Range(0, len(x))
    return lambda: pyoperon.EvaluateTrees(programs, data, whole, out, 1)


OTHERS: dict[str, tuple[Callable[[Sequence[Tree], Any], Run], int]] = {
    "gplearn": (_gplearn, COUNT),
    "DEAP": (_deap, FEW),
    "pyoperon": (_operon, COUNT),
}


def formulas(rounds: int, news: News) -> list[Timing]:
    """Measure node evaluations per second on rows."""
    found = []
    warnings.filterwarnings("ignore", category=RuntimeWarning)
    for what, trees in populations().items():
        news(f"{what}: {len(trees)} of {sum(map(len, trees)) / len(trees):.0f} nodes on average")
        for rows in ROWS:
            found += _beside(what, trees, rows, rounds, news)
        found += _compiled(what, trees[:FEW], rounds)
    return found


def _compiled(what: str, trees: list[Tree], rounds: int) -> list[Timing]:
    """Compare machine code of each program with the interpreter of all."""
    began = time.process_time()
    Columns({"x": np.zeros(1)}).values(trees, native=True)
    compiling = (time.process_time() - began) / len(trees)
    lines = []
    for rows in NATIVE_ROWS:
        columns = Columns({"x": np.linspace(-1.0, 1.0, rows)}, reuse=True)
        runs: tuple[Run, ...] = (partial(columns.values, trees), partial(columns.values, trees, native=True))
        turns = [_turns(run) for run in runs]
        times = best_times([_repeated(run, n) for run, n in zip(runs, turns, strict=True)], rounds)
        asked, native = (spent / n for spent, n in zip(times, turns, strict=True))
        saved = (asked - native) / len(trees)
        after = f"paid for after {round(compiling / saved):,} questions" if saved > 0 else "never worth compiling"
        rate = rows * sum(map(len, trees)) / native
        said = f"{what}, {rows} rows, native code, {1e3 * compiling:.1f} ms to compile each, {after}"
        lines.append(Timing("formulas", said, rate, "nodes", native / asked, "of the interpreter's time"))
    return lines


def _turns(run: Run) -> int:
    """Return how often something is to be run so that it takes long enough to be timed."""
    run()  # makes machine code, and warms up
    began = time.process_time()
    run()
    return max(1, round(LONG / max(time.process_time() - began, 1e-5)))


def _beside(what: str, trees: list[Tree], rows: int, rounds: int, news: News) -> list[Timing]:
    x = np.linspace(-1.0, 1.0, rows)
    columns = Columns({"x": x}, reuse=True)
    runs: dict[str, tuple[Run, int]] = {"ludwin": (lambda: columns.values(trees), sum(map(len, trees)))}
    for name, (make, count) in OTHERS.items():
        try:
            runs[name] = make(trees[:count], x), sum(map(len, trees[:count]))
        except ImportError:
            news(f"no {name}: `pip install ludwin[bench]` brings it")
    turns = {name: _turns(run) for name, (run, _) in runs.items()}
    times = best_times([_repeated(run, turns[name]) for name, (run, _) in runs.items()], rounds)
    rates = {
        name: turns[name] * rows * nodes / spent for (name, (_, nodes)), spent in zip(runs.items(), times, strict=True)
    }
    lines = []
    for name, rate in rates.items():
        ratio = None if name == "ludwin" else rates["ludwin"] / rate
        said = f"{what}, {rows} rows, {name}"
        lines.append(Timing("formulas", said, rate, "nodes", ratio, "times slower than ours" if ratio else ""))
    return lines
