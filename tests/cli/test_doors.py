"""The doors: one table, help by purpose, examples that can be typed, old names that still work."""

import json
import re
import shlex
import sys
import time
from types import ModuleType

import pytest

from ludwin import games
from ludwin.cli import doors, main
from ludwin.cli.doors import DOORS, GROUPS, Door
from ludwin.discover.problems import MOVES


def run(capsys, *words):
    """Run a command; return exit code, stdout and stderr."""
    try:
        code = main([str(word) for word in words])
    except SystemExit as stop:
        code = stop.code
    return code, *capsys.readouterr()


# The overview


def test_the_overview_names_every_command_once_under_its_purpose():
    text = doors.overview(80)
    for group in GROUPS:
        section = text.partition(f"\n{group}:\n")[2].partition("\n\n")[0]
        listed = re.findall(r"^  (\S+)", section, re.M)
        assert listed == [name for name, door in DOORS.items() if door.group == group and not door.now]
    for name, door in DOORS.items():
        assert not door.now or f"{name} ({door.now})" in text
    assert text.count("ludwin play draughts") == 1


@pytest.mark.parametrize("width", [40, 80, 110, 300])
def test_the_overview_fits_its_screen(width):
    long = [line for line in doors.overview(width).splitlines() if len(line) > max(width, 60)]
    assert long == []


def test_the_overview_is_what_is_said_to_a_line_without_a_command(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "") and out.startswith("usage: ludwin")
    assert run(capsys, "--help") == (0, out, "") and run(capsys, "-h") == (0, out, "")


def test_the_overview_costs_less_than_three_tenths_of_a_second(python):
    began = time.monotonic()
    script = "import sys, time\nfrom ludwin.__main__ import main\nsys.argv = ['ludwin', '--help']\n"
    said = python(script + "try: main()\nexcept SystemExit: print(time.process_time())")
    assert float(said.splitlines()[-1]) < 0.3, f"{time.monotonic() - began:.2f} s by the wall"


# Every command


@pytest.mark.parametrize("name", DOORS)
def test_a_command_has_add_run_a_group_and_examples_that_its_parser_reads(name, capsys):
    door, module = DOORS[name], doors.opened(name)
    assert door.group in GROUPS and door.line[0].islower() and len(door.line) < 68 and not door.line.endswith(".")
    assert callable(module.add) and callable(module.run) and module.EXAMPLES
    said = doors.parser_of(name).format_help()
    for line, words in module.EXAMPLES:
        assert line in said and words in said
        typed = re.search(r"ludwin ([^>)]*)", line)[1]
        other, options = doors.read(shlex.split(typed))
        assert options.command in DOORS and other.__name__ == DOORS[options.command].module
    assert any(f"ludwin {name}" in line for line, _ in module.EXAMPLES)


@pytest.mark.parametrize("name", doors.of_games())
def test_a_command_of_a_game_has_examples_that_its_parser_reads(name):
    said = doors.parser_of(name).format_help()
    examples = doors.opened(name).EXAMPLES
    assert any(f"ludwin {name}" in line for line, _ in examples)
    for line, words in examples:
        assert line in said and words in said
        doors.read(shlex.split(line)[1:])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("td --games x", "--games: must be a whole number, got 'x'"),
        ("td --rate x", "--rate: must be a number, got 'x'"),
        ("match nim random random --seed 1.5", "--seed: must be a whole number, got '1.5'"),
        ("tanks fight walls crazy", "battle: invalid choice: 'fight'"),
    ],
)
def test_numbers_and_words_are_refused_in_our_words(line, said, capsys):
    with pytest.raises(SystemExit):
        doors.read(line.split())
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", DOORS)
def test_every_option_of_every_command_is_explained(name):
    for action in doors.parser_of(name)._actions:
        assert action.help, f"{name}: {action.option_strings or action.dest}"


def test_a_command_is_one_module_and_one_line(capsys, monkeypatch):
    module = ModuleType("greeting")
    module.EXAMPLES = (("ludwin greet you", "say hello"),)
    module.add = lambda parser: parser.add_argument("whom")
    module.run = lambda options: print(f"hello {options.whom}") or 0
    monkeypatch.setitem(sys.modules, "greeting", module)
    monkeypatch.setitem(DOORS, "greet", Door("greeting", GROUPS[0], "greet somebody"))
    assert run(capsys, "greet", "you") == (0, "hello you\n", "")
    assert "  greet       greet somebody\n" in doors.overview(80)
    assert "say hello" in run(capsys, "greet", "--help")[1]
    assert "did you mean 'greet'?" in run(capsys, "gret")[2]


def test_the_moves_of_discovery_are_those_of_the_library():
    assert doors.opened("discover").MOVES == MOVES


# Mistakes


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("mtach nim", "no command called 'mtach'; did you mean 'match'? `ludwin --help` lists all"),
        ("xyzzy", "no command called 'xyzzy'; `ludwin --help` lists all"),
        (
            "--hlep",
            "the line begins with '--hlep', not with a command; did you mean '--help'? `ludwin --help` lists all",
        ),
        ("games nim chess", "unrecognized arguments: chess; `ludwin games --help` explains"),
        ("perft nim 3 --mdoe fast", "unrecognized arguments: --mdoe fast; did you mean '--mode'?"),
        ("match nim uct uct --gmaes=4", "unrecognized arguments: --gmaes=4; did you mean '--games'?"),
        ("perft nim", "the following arguments are required: DEPTH; `ludwin perft --help` explains"),
        ("completion tcsh", "invalid choice: 'tcsh'"),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_in_one_line(line, reason, capsys):
    code, out, err = run(capsys, *line.split())
    assert (code, out, err.count("\n")) == (2, "", 1) and reason in err


@pytest.mark.parametrize("word", ["a\nb", "x" * 5000, "☃", "", " ", "\x00", "--" + "y" * 5000, "%s", "-1"])
@pytest.mark.parametrize("command", [[], ["games"], ["match", "nim", "uct", "uct", "--json"]])
def test_odd_words_are_refused_in_one_line(command, word, capsys):
    code, out, err = run(capsys, *command, word)
    said = json.loads(out)["error"]["message"] if "--json" in command else ""
    assert (code, out == "" or said in err, err.count("\n")) == (2, True, 1) and err.startswith("ludwin: ")


# Old names


@pytest.fixture
def made(tmp_path, monkeypatch, capsys):
    """A folder with two runs and a derivation."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("ludwin.evolve.store.SYNCHRONOUS", "OFF")
    for seed in (1, 2):
        small = ["--set", "length=20", "population=10", "generations=2"]
        assert run(capsys, "evolve", "onemax", "--seed", seed, *small)[0] == 0
    assert run(capsys, "discover", "beta-cut", "--out", "cut.json")[0] == 0
    (tmp_path / "notes.txt").write_text("milk, bread")
    return tmp_path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("runs", "show"),
        ("runs --json", "show --json"),
        ("runs runs", "show runs"),
        ("runs runs/onemax-seed1", "show --list runs/onemax-seed1"),
        ("runs runs/onemax-seed1 runs/onemax-seed2", "show runs/onemax-seed1 runs/onemax-seed2"),
        ("runs nowhere", "show --list nowhere"),
        ("runs --compare runs/onemax-seed1 runs/onemax-seed2", "show --compare runs/onemax-seed1 runs/onemax-seed2"),
        ("runs x --compare a b", "show x --compare a b"),
        ("derivation cut.json", "show cut.json"),
        ("derivation cut.json --replay", "show cut.json --replay"),
        ("derivation cut.json --steps", "show cut.json --steps"),
        ("derivation cut.json --replay --json", "show cut.json --replay --json"),
        ("derivation nowhere.json --replay", "show nowhere.json --replay"),
        ("derivation notes.txt --steps", "show notes.txt --steps"),
        ("study twist-killers --games 1 --seed 2", "reproduce twist-killers --games 1 --seed 2"),
    ],
)
def test_an_old_name_says_what_the_new_one_says(old, new, made, capsys):
    before, after = run(capsys, *old.split()), run(capsys, *new.split())
    assert before == after and (before[1] or before[0] == 2)


def test_a_broken_derivation_fails_alike_under_both_names(made, capsys):
    text = (made / "cut.json").read_text()
    (made / "cut.json").write_text(text.replace('"steps": [', '"steps": [{}, ', 1))
    before, after = (run(capsys, *words, "cut.json", "--replay") for words in (["derivation"], ["show"]))
    assert before == after and before[0] in (1, 2) and before[2].count("\n") == 1


def test_reproduce_names_tables_and_studies_and_study_its_own(capsys):
    studies = {row["experiment"] for row in json.loads(run(capsys, "study", "--list", "--json")[1])["experiments"]}
    both = {row["experiment"] for row in json.loads(run(capsys, "reproduce", "--list", "--json")[1])["experiments"]}
    assert "twist-killers" in studies and "lose-checkers-3.5" in both - studies and studies < both
    assert run(capsys, "reproduce", "--list")[1].endswith(run(capsys, "study", "--list")[1])
    assert "no experiment called 'lose-checkers-3.5'" in run(capsys, "study", "lose-checkers-3.5")[2]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("show cut.json --svg x.svg", "--svg: not for a derivation"),
        ("show runs/onemax-seed1 --steps --smt x", "--steps, --smt: not for a champion"),
        ("show --seed 3", "--seed: not for a list of runs"),
        ("show --compare a b --games 3", "--games: not for a comparison of runs"),
        ("show /dev/null", "/dev/null"),
        ("show runs/onemax-seed1/log.jsonl", "log.jsonl"),
        ("show empty", "there is no run in that folder"),
        ("show nowhere", "cannot read nowhere"),
    ],
)
def test_show_refuses_what_does_not_belong_together(line, reason, made, capsys):
    (made / "empty").mkdir()
    code, out, err = run(capsys, *line.split())
    assert (code, out, err.count("\n")) == (2, "", 1) and reason in err


def test_a_derivation_is_known_by_its_format_wherever_it_stands(made, capsys):
    data = json.loads((made / "cut.json").read_text())
    turned = dict(reversed(list(data.items())))
    (made / "turned.json").write_text(json.dumps(turned, indent=1))
    assert run(capsys, "show", "turned.json") == run(capsys, "derivation", "turned.json")


COMMANDS = '''"""Commands of a game."""
COMMANDS = {"count-up": "count to a number"}


def add_count_up(parser):
    parser.add_argument("number", type=int)


def run_count_up(options):
    print(*range(1, options.number + 1))
    return 0
'''


def test_the_folder_of_a_game_brings_commands(tmp_path, monkeypatch, capsys):
    home = tmp_path / "abacus"
    home.mkdir()
    for name, text in {"rules": "", "commands": COMMANDS, "__init__": ""}.items():
        (home / f"{name}.py").write_text(text)
    monkeypatch.setattr(games, "homes", lambda: {"abacus": home})
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    for listed in (games.domains, games.commands):
        listed.cache_clear()
    try:
        assert main(["count-up", "3"]) == 0
        assert capsys.readouterr().out == "1 2 3\n"
        assert "Of single games:\n  count-up" in doors.overview()
        with pytest.raises(SystemExit):
            main(["count-upp", "3"])
        assert "did you mean 'count-up'?" in capsys.readouterr().err
        with pytest.raises(SystemExit):
            main(["count-up", "x"])
        assert capsys.readouterr().err.count("\n") == 1
    finally:
        for listed in (games.domains, games.commands):
            listed.cache_clear()
        for name in [name for name in sys.modules if name.startswith("ludwin.games.abacus")]:
            del sys.modules[name]
