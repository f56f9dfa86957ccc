"""What commands print with --json has one form: a schema file of the package says it, and every command keeps to it."""

import json
import shlex
from pathlib import Path

import pytest

from ludwin.cli import doors, main

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed (extra test)")
SCHEMA = json.loads((Path(doors.__file__).parent / "schema.json").read_text(encoding="utf8"))
TOY = """
games = ["nim:heap=5"]
agents = ["uct:playouts=5"]
opponents = ["random"]
play = 2
"""

# Lines of every command, run in this order in one folder, so that the later ones find the files of the former.
LINES = """
--version
games
games pig
agents
agents uct
moves nim
moves nim --from 0:1
choose nim uct:playouts=20
analyse nim uct:playouts=20 --lines 2
analyse nim alphabeta:depth=3
analyse pig expectimax:depth=1 --moves roll
play
play nim random random --seed 3 --save game.json
play pig:goal=10 random random --seed 3
tree nim uct:playouts=20
tree nim mcts:playouts=20
tree nim ea-mcts:playouts=60
solve tiles:rows=2,columns=2 bfs --plan plan.txt
solve tiles:rows=2,columns=2 astar --from #1..2
solve tiles:rows=2,columns=2 --check plan.txt
new my_game
new my_folder --folder
check ./my_game.py --playouts 2
perft nim 2
perft nim 2 --divide
match nim uct:playouts=5 random --games 4 --out m.jsonl
match nim uct:playouts=5 random --games 4 --sprt 0,50
tournament nim random greedy uct:playouts=5 --games 2
tournament li-nim random random random --games 6
tournament fop random --games 2
replay m.jsonl
replay m.jsonl --game 0
replay m.jsonl --svg p.svg
replay game.json
analyse m.jsonl alphabeta:depth=2
rate m.jsonl
tune nim uct:playouts=5 --over c=0.1..2,playouts=5|9 --candidates 3 --stages 1 --games 2 --confirm 4
evolve
evolve onemax --explain
evolve onemax --set generations=2 --set length=12 --out run
evolve onemax --set generations=1 --set length=12 --seeds 2 --out series
evolve lose-checkers --baseline --out late --set budget=300 generations=2 shape_generations=1 label_games=8 \
 population=4 offspring=4 fitness=4guide1 race=4 depth=1 children=4 yardstick_games=4 finalist_games=4 \
 champion_games=8 record_games=2 finalists=1 last=1 late_depth=2 late_games=100
show run
show --list .
show --compare run series/seed-0
runs .
export run --csv
export m.jsonl --csv
export m.jsonl --csv --out m.csv
discover beta-cut --out cut.json
show cut.json
show cut.json --replay
derivation cut.json
reproduce --list
study --list
study ./mine.toml
reproduce ./mine.toml
bench list
compile nim random
compile nim random --ir
completion bash
endgame KQK
endgame KQK --probe "8/8/8/8/8/2k5/8/KQ6 w - - 0 1"
race oval hold
tanks battle sitting-duck walls --rounds 1 --seed 1
tournament nim random greedy --games 2 --part 1/1 --out parts
gather parts
cluster check
cache
"""
SILENT = {"uci"}  # speaks another protocol
# Learns for minutes, reads runs of minutes, or serves until it is stopped: tests/games, tests/cluster, tests/web.
ELSEWHERE = {"td", "boards", "web", "worker"}
WRONG = """
nonsense
--nonsense
choose nim
choose nim nonsense
choose ./absent.py random
match nim random random --games 3
show absent
replay absent.jsonl
evolve nonsense
reproduce nonsense
solve nim bfs
tune nim uct --over x=1..2
"""


def validator(*path):
    """Return what examines an object by one part of the schema."""
    where = "/".join(("#/$defs", *path))
    return jsonschema.Draft202012Validator({**SCHEMA, "$ref": where})


def run(line, capsys):
    """Run a line with --json and return its exit code and the one object that it prints."""
    try:
        code = main([*shlex.split(line, posix=True), "--json"])
    except SystemExit as error:
        code = error.code
    out = capsys.readouterr().out
    assert out.count("\n") == 1, f"ludwin {line} --json printed {out[:300]!r}"
    return code, json.loads(out, parse_constant=lambda word: pytest.fail(f"ludwin {line}: {word} is no JSON"))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for name, part in {**SCHEMA["$defs"], **SCHEMA["$defs"]["commands"]}.items():
        if name != "commands":
            jsonschema.Draft202012Validator.check_schema(part)


def test_every_command_prints_what_the_schema_says(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text(TOY)
    tried, wrong = set(), []
    for line in LINES.strip().splitlines():
        command = line.split()[0]
        if command == "cache":
            monkeypatch.setenv("LUDWIN_CACHE", str(tmp_path / "cache"))  # one that is not searched for seconds
        code, data = run(line, capsys)
        found = jsonschema.exceptions.best_match(validator("commands", command).iter_errors(data))
        if code not in (0, 1) or found:
            wrong.append(f"ludwin {line}: {found and (found.json_path + ' ' + found.message[:200])} in {data}"[:700])
        demand_one_form(data, line)
        tried.add(command)
    assert not wrong, "\n".join(wrong)
    assert tried - {"--version"} == {*doors.DOORS, *doors.of_games()} - SILENT - ELSEWHERE
    assert set(SCHEMA["$defs"]["commands"]) == tried | ELSEWHERE


def demand_one_form(data, line, key=""):
    """Fail on what the house does not say: a score that is no number, half an interval, a move without its code."""
    if isinstance(data, list):
        for one in data:
            demand_one_form(one, line, key)
    if not isinstance(data, dict):
        return
    assert ("low" in data) == ("high" in data), f"ludwin {line}: half an interval under {key!r}"
    assert "summary" not in data and "help" not in data, f"ludwin {line}: what a thing is, is said under `about`"
    assert not isinstance(data.get("score"), dict | list), f"ludwin {line}: score must be a number"
    if isinstance(data.get("move"), str):
        assert isinstance(data["code"], int), f"ludwin {line}: a move without its code"
    for name, one in data.items():
        demand_one_form(one, line, name)


@pytest.mark.parametrize("line", WRONG.strip().splitlines())
def test_a_mistake_is_an_object_too(line, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, data = run(line, capsys)
    assert code == 2 and validator("error").is_valid(data) and "\n" not in data["error"]["message"]


def test_a_broken_game_and_a_broken_proof_have_errors_of_the_same_form(capsys, workshop, tmp_path):
    code, data = run(f"check {workshop.spoil('s.heap -= m', 's.heap -= 1 // (m - m)')}", capsys)
    assert code == 1 and validator("commands", "check").is_valid(data) and data["line"]


def test_a_number_that_json_cannot_say_is_null(capsys):
    from ludwin.cli.common import print_json

    print_json({"value": float("nan"), "ends": [float("inf"), 1.0]})
    assert json.loads(capsys.readouterr().out) == {"value": None, "ends": [None, 1.0]}
