"""The bots of the how-to in other languages play as they stand there."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ludwin import match

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "agents-of-your-own.md"


def fence(name):
    return re.search(rf"^```\w+ {re.escape(name)}\n(.*?)^```$", PAGE.read_text(encoding="utf8"), re.M | re.S)[1]


@pytest.mark.parametrize(("name", "tool"), [("first.sh", "sh"), ("first.cpp", "c++")])
@pytest.mark.parametrize("game", ["nim", "tic-tac-toe", "kuhn-poker"])
def test_a_bot_in_another_language_plays(tmp_path, monkeypatch, name, tool, game):
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool} here")
    monkeypatch.chdir(tmp_path)
    Path(name).write_text(fence(name), encoding="utf8")
    command = f"sh {name}"
    if name.endswith(".cpp"):
        subprocess.run([tool, "-O1", "-o", "first", name], check=True, timeout=120)
        command = "./first"
    Path("same.py").write_text("def choose(state):\n    return state.moves()[0]\n", encoding="utf8")
    theirs = match(game, f'process:"{command}"', "random", games=6, seed=2).to_dict()
    ours = match(game, "./same.py", "random", games=6, seed=2).to_dict()
    assert theirs["forfeits"] == [0, 0]
    assert {**theirs, "agents": None} == {**ours, "agents": None}  # move for move the same player
