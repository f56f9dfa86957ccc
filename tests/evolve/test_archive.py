"""The archive of several objectives: kept in a stored run, resumed, and never dominated."""

import json

import pytest

import ludwin
from ludwin.errors import BadParameter
from ludwin.evolve import Plan, Problem, Reals
from ludwin.evolve.pareto import dominates
from ludwin.evolve.store import Store

PLAN = Plan(population=12, generations=8, selection="crowded", replacement="nsga2", crossover=0.9, mutation=0.5)
FILE = """
from ludwin.evolve import Plan, Problem, Reals

def aims(x):
    return [x[0] ** 2, (x[0] - 2) ** 2 + x[1] ** 2]

PROBLEM = Problem("two aims", Reals(2, low=-3.0, high=3.0), fitness=aims, direction=("less", "less"), archive=9,
    plan=Plan(population=12, generations=6, selection="crowded", replacement="nsga2", crossover=0.9, mutation=0.5))
"""


def aims(x):
    return [x[0] ** 2, (x[0] - 2) ** 2 + x[1] ** 2]


def problem(**more):
    return Problem("two", Reals(2, low=-3.0, high=3.0), fitness=aims, direction=("less", "less"), plan=PLAN, **more)


def test_nobody_in_the_archive_is_dominated_by_anybody_who_ever_lived():
    everybody, last = [], None
    for last in problem(archive=1000).run(seed=1):
        everybody += [one.objectives for one in last.individuals]
    kept = [one.objectives for one in last.beside("archive").individuals]
    assert len(kept) > 5 and len(set(kept)) == len(kept)
    assert not any(dominates(a, b) for a in everybody for b in kept)


def test_an_archive_is_bounded_and_goes_on_where_it_was():
    whole = list(problem(archive=7).run(seed=2))
    assert max(len(one.beside("archive").individuals) for one in whole) == 7
    assert list(problem(archive=7).run(seed=2, start=whole[3])) == whole[4:]
    assert not any(one.others for one in problem(archive=0).run(seed=2))


def test_a_stored_run_keeps_its_archive(tmp_path, monkeypatch):
    from ludwin.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.py").write_text(FILE)
    line = ["evolve", "./two.py", "--seed", "1", "--out", "run", "--json", "--set", "finalists=1", "last=1"]
    assert main(line) == 0
    with Store(tmp_path / "run") as store:
        store.verify()
        points = store.points("evolution: archive")
    assert len(points) == 7 and 1 < points[-1].individuals <= 9
    assert json.loads((tmp_path / "run" / "champion.json").read_text())["generation"] >= 0


@pytest.mark.parametrize("most", [-1, 1.5, True, "many"])
def test_an_archive_is_a_number(most):
    with pytest.raises(BadParameter, match="archive is a number of individuals"):
        problem(archive=most)


def test_the_archive_of_a_stored_run_can_be_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "aims.py").write_text(
        "from ludwin.evolve import Plan, Problem, Reals\n"
        "PLAN = Plan(population=8, generations=3, selection='crowded', replacement='nsga2')\n"
        "PROBLEM = Problem('aims', Reals(2), fitness=lambda g: (g[0], g[1] - g[0]), direction=('less', 'less'),\n"
        "                  archive=5, plan=PLAN)\n",
        encoding="utf8",
    )
    done = ludwin.evolve("./aims.py", seed=1, out="run")
    assert done.last.number == 3 and 1 <= len(done.last.beside("archive").individuals) <= 5
    assert done.last.best.genome in {one.genome for one in done.last.individuals}
    assert ludwin.evolve("./aims.py", seed=1, out="run").last == done.last
