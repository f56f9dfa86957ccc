"""Two installations are compared by their answers first, and by their times only if these agree."""

import json
import os
import sys

import pytest

from ludwin.bench import beside
from ludwin.cli import main
from ludwin.library import agent, load

pytestmark = pytest.mark.skipif(os.name != "posix", reason="the other installation is a script with a first line")
SMALL = (("nim", "perft:4"), ("pig", "expectimax:depth=2"))


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(beside, "WORKLOADS", SMALL)


@pytest.fixture
def other(tmp_path):
    """Return how to write a stand-in for another Python."""

    def write(body):
        path = tmp_path / "python"
        path.write_text(f"#!{sys.executable}\n{body}", encoding="utf8")
        path.chmod(0o700)
        return str(path)

    return write


def test_the_same_installation_answers_the_same(small, capsys):
    assert main(["bench", "--beside", sys.executable, "--rounds", "2", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["rounds"] == 2 and [(row["game"], row["who"]) for row in data["rows"]] == list(SMALL)
    for row in data["rows"]:
        assert row["same"] and row["seconds"] > 0 and row["ratio"] == row["seconds"] / row["other_seconds"]
    assert data["rows"][0]["answers"] == [81, 81]  # three moves each


def test_a_table_is_for_people(small, capsys):
    assert main(["bench", "--beside", sys.executable, "--rounds", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["workload", "ms", "here", "ms", "there", "ratio", "answers"]
    assert [line.split()[:2] for line in lines[1:]] == [list(work) for work in SMALL]


LIAR = """
import json, sys
print(json.dumps(["0.0", "/nowhere/ludwin/__init__.py"]), flush=True)
for line in sys.stdin:
    print(json.dumps([0.5, 81 if "nim" in line else [1, 0.0, 7]]), flush=True)
"""


def test_answers_that_differ_are_an_error(small, other, capsys):
    assert main(["bench", "--beside", other(LIAR), "--rounds", "1"]) == 1
    said = capsys.readouterr()
    assert "same" in said.out.splitlines()[1] and "DIFFER" in said.out.splitlines()[2]
    assert said.err.splitlines()[-1] == "ludwin: 1 of 2 answers differ, so their times cannot be compared"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("raise ImportError('there is none')", "has no ludwin that can be used: ImportError: there is none"),
        (
            "print('[1, 2]', flush=True)\ninput()\nraise ValueError('no such game')",
            "cannot run nim perft:4: ValueError: no such game",
        ),
        ("print('hello')", "has no ludwin that can be used"),
    ],
)
def test_another_installation_that_fails_gets_one_line(body, line, small, other, capsys):
    python = other(body)
    assert main(["bench", "--beside", python, "--rounds", "1"]) == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"ludwin: {python} {line}"


def test_misuse_gets_one_line(small, capsys):
    assert main(["bench", "--beside", "/nowhere/python"]) == 2
    line = "ludwin: /nowhere/python cannot be started: No such file or directory"
    assert capsys.readouterr().err.splitlines()[-1] == line
    assert main(["bench", "uct", "--beside", sys.executable]) == 2
    assert capsys.readouterr().err == "ludwin: --beside has its own workloads: name no benchmark\n"


def test_the_other_installation_does_not_get_our_package(other, monkeypatch, tmp_path):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    says = "import json, os\nprint(json.dumps([os.environ.get('PYTHONPATH', 'none'), '']), flush=True)\ninput()"
    side = beside.Side(other(says))
    side.close()
    assert side.version == "none"


def test_every_workload_is_a_game_and_an_agent_that_plays_it():
    for game, who in beside.WORKLOADS:
        if not who.startswith("perft:"):
            agent(who).suits(load(game))
