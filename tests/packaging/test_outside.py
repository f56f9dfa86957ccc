"""The package from outside: built files in environments of their own, on every Python at hand, and typed programs.

What needs packages from an index skips where there is none.  CI runs this (`.ci/run`); it takes minutes.
"""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf8"))["project"]
LEAST, NEWEST = 11, 15  # minor versions that are looked for
PROGRAM = """
import ludwin


def best(name: str) -> int:
    game = ludwin.load(name)
    choice: ludwin.Choice = ludwin.agent("alphabeta:depth=3").choose(game, game.start())
    result = ludwin.match(game, "uct:playouts=10", "random", games=2, seed=1)
    rows: list[dict[str, object]] = result.rows()
    assert rows and 0.0 <= result.low <= result.score <= result.high <= 1.0
    assert ludwin.perft(name, 2) > 0 and ludwin.rate is not None
    found = ludwin.analyse(game, "uct:playouts=10")
    assert found.unit == "payoff" and isinstance(found.to_dict(), dict)
    return choice.move


print(best("nim:heap=7"))
"""
MORE = """
import ludwin
event = ludwin.tournament("nim", ["random", "greedy", "uct:playouts=9"], games=2, out="t.jsonl")
assert len(event.rows()) == len(ludwin.rate("t.jsonl").rows()) == 3
run = ludwin.evolve("onemax", seed=1, out="run", settings={"generations": 2, "length": 9})
assert run.champion["size"] == 9 and ludwin.perft("draughts", 4) == 1469
assert 0 <= ludwin.match("carcassonne", "mcts:playouts=5", "random", games=2, seed=1).score <= 1
assert ludwin.load("chess").start()._repr_svg_().startswith("<svg")
print(ludwin.__file__)
"""


def pythons() -> dict[str, str]:
    """Return the Pythons at hand that the package wants, by their versions."""
    found = {}
    known = [shutil.which(f"python3.{minor}") for minor in range(LEAST, NEWEST)]
    kept = sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob("3.*/bin/python"))
    for path in (sys.executable, *kept, *filter(None, known)):
        say = "import sys; print('%d.%d' % sys.version_info[:2])"
        run = subprocess.run([str(path), "-c", say], capture_output=True, text=True)
        version = run.stdout.strip()
        if run.returncode == 0 and int(version.partition(".")[2]) >= LEAST:
            found.setdefault(version, str(path))
    return found


def clean() -> dict[str, str]:
    """Return the environment without what leads to this tree."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def run(*words, cwd, **more):
    """Run a program outside of this tree and return what it says."""
    found = subprocess.run(
        [str(word) for word in words], cwd=cwd, env={**clean(), **more}, capture_output=True, text=True
    )
    assert found.returncode == 0, f"{' '.join(map(str, words))}\n{found.stdout}\n{found.stderr}"
    return found.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """A wheel and a source distribution of this tree, by their kinds."""
    if importlib.util.find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed (extra test)")
    folder = tmp_path_factory.mktemp("built")
    build = f"from hatchling.build import build_wheel, build_sdist; w, s = {str(folder)!r}, {str(folder)!r}"
    made = subprocess.run(
        [sys.executable, "-c", f"{build}; print(build_wheel(w)); print(build_sdist(s))"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    wheel, sdist = made.stdout.split()[-2:]
    return {"wheel": folder / wheel, "sdist": folder / sdist}


def environment(folder: Path, python: str, *packages: str) -> Path:
    """Make an environment with some packages and return its `bin`; skip where there is no index."""
    subprocess.run([python, "-m", "venv", str(folder)], check=True, capture_output=True, env=clean())
    command = [str(folder / "bin" / "pip"), "install", "-q", *packages]
    found = subprocess.run(command, cwd=folder, env=clean(), capture_output=True, text=True)
    if found.returncode and ("No matching distribution" in found.stderr or "connection" in found.stderr.lower()):
        pytest.skip(f"no index has {', '.join(packages)}: {found.stderr.splitlines()[-1]}")
    assert found.returncode == 0, found.stderr
    return folder / "bin"


def demand_works(bin_: Path, folder: Path) -> None:
    """Use the installed package as a program and as a command."""
    cache = {"LUDWIN_CACHE": str(folder / "cache")}
    (folder / "program.py").write_text(PROGRAM)
    (folder / "more.py").write_text(MORE)
    assert run(bin_ / "python", "-W", "error", "program.py", cwd=folder, **cache).strip() in "123"
    where = run(bin_ / "python", "-W", "error", "more.py", cwd=folder, **cache)
    assert Path(where.split()[-1]).resolve().is_relative_to(bin_.parent.resolve())
    told = json.loads(run(bin_ / "ludwin", "--version", "--json", cwd=folder, **cache))
    assert told["ludwin"] == PROJECT["version"] and all(
        told["packages"][name] for name in ("llvmlite", "numpy", "scipy")
    )
    assert "draughts" in run(bin_ / "ludwin", "games", cwd=folder, **cache)


@pytest.mark.slow
def test_a_small_program_passes_mypy_strict(tmp_path):
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed (extra dev)")
    (tmp_path / "program.py").write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "program.py"]
    run(*command, cwd=tmp_path, MYPYPATH=str(ROOT / "src"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wheel", "sdist"])
def test_built_files_hold_what_is_needed_and_no_tests(built, kind):
    if kind == "wheel":
        with zipfile.ZipFile(built[kind]) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(built[kind]) as sdist:
            names = sdist.getnames()
    for wanted in ("ludwin/py.typed", "ludwin/cli/schema.json", "ludwin/games/chess/rules.py"):
        assert any(name.endswith(wanted) for name in names), f"{wanted} is missing"
    assert kind == "sdist" or not any("tests/" in name for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("version", sorted(pythons()))
def test_the_wheel_works_on_every_python_at_hand(version, built, tmp_path):
    demand_works(environment(tmp_path / "env", pythons()[version], str(built["wheel"])), tmp_path)


@pytest.mark.slow
def test_the_source_distribution_works(built, tmp_path):
    demand_works(environment(tmp_path / "env", sys.executable, str(built["sdist"])), tmp_path)


@pytest.mark.slow
def test_the_lowest_declared_versions_are_enough(built, tmp_path):
    named = [one.replace(">=", "==") for one in PROJECT["dependencies"]]
    lowest = [one + ".0" * (2 - one.count(".")) for one in named]
    oldest = pythons()[min(pythons(), key=lambda version: int(version.partition(".")[2]))]
    bin_ = environment(tmp_path / "env", oldest, *lowest, str(built["wheel"]))
    found = json.loads(run(bin_ / "ludwin", "--version", "--json", cwd=tmp_path))["packages"]
    assert [f"{name}=={found[name]}" for name in ("llvmlite", "numpy", "rich", "scipy")] == lowest
    demand_works(bin_, tmp_path)


@pytest.mark.slow
def test_pipx_installs_the_command(built, tmp_path):
    bin_ = environment(tmp_path / "env", sys.executable, "pipx")
    homes = {
        "PIPX_HOME": str(tmp_path / "home"),
        "PIPX_BIN_DIR": str(tmp_path / "bin"),
        "PIPX_MAN_DIR": str(tmp_path / "man"),
    }
    run(bin_ / "pipx", "install", built["wheel"], cwd=tmp_path, **homes)
    assert f"ludwin {PROJECT['version']}" in run(tmp_path / "bin" / "ludwin", "--version", cwd="/")
    run(tmp_path / "bin" / "ludwin", "new", "stones", cwd=tmp_path)
    said = run(
        tmp_path / "bin" / "ludwin", "match", "./stones.py", "uct:playouts=9", "random", "--games", "2", cwd=tmp_path
    )
    assert "score" in said


@pytest.mark.slow
def test_a_typed_program_is_checked_against_the_installed_wheel(built, tmp_path):
    bin_ = environment(tmp_path / "env", sys.executable, str(built["wheel"]), "mypy")
    (tmp_path / "program.py").write_text(PROGRAM)
    run(bin_ / "mypy", "--strict", "program.py", cwd=tmp_path)
    (tmp_path / "wrong.py").write_text(PROGRAM.replace('print(best("nim:heap=7"))', "print(best(7))"))
    found = subprocess.run([str(bin_ / "mypy"), "--strict", "wrong.py"], cwd=tmp_path, env=clean(), capture_output=True)
    assert found.returncode == 1  # types are there, and they are looked at
