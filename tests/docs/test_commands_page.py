"""The page of commands has every command and names no option that is not there."""

import re
from pathlib import Path

import pytest

from ludwin.cli import doors

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "commands.md").read_text(encoding="utf8")
COMMANDS = sorted({*doors.DOORS, *doors.of_games()})
ROW = re.compile(r"^\| `ludwin ([\w-]+)(.*?)` \| (.+) \|$", re.M)
ROWS = [(name, rest, told) for name, rest, told in ROW.findall(PAGE)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_row_under_the_heading_of_its_purpose(command):
    door = doors.find(command)
    heading = "Older names" if door.now else door.group
    section = PAGE.split(f"\n### {heading}\n")[1].split("\n## ")[0].split("\n### ")[0]
    assert re.search(rf"^\| `ludwin {command}\b", section, re.M), f"ludwin {command} is not under {heading}"


@pytest.mark.parametrize("command", COMMANDS)
def test_options_of_a_row_are_those_of_the_parser(command):
    known = {text for action in doors.parser_of(command)._actions for text in action.option_strings}
    named = {option for name, rest, _ in ROWS if name == command for option in re.findall(r"--[a-z-]+", rest)}
    assert named <= known, f"ludwin {command} has no {', '.join(sorted(named - known))}"


def test_no_row_stands_twice_and_none_is_of_a_command_that_is_gone():
    heads = [(name, rest) for name, rest, _ in ROWS]
    assert len(heads) == len(set(heads)) and {name for name, _ in heads} <= {*COMMANDS, "--version"}
