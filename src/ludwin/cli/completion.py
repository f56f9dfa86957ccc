"""The command `completion`: a script with which a shell completes our commands, options and names.

Why it is here.  Thirty commands and a dozen options each are more than anybody remembers.  The script is made from the
parsers themselves, so it cannot know an option that a command does not take.  It holds the names of games, agents and
experiments that are registered when it is made, and asks nobody at the prompt: completing costs no start of Python.

How a value is completed is settled by its metavar (GAME, AGENT, FILE, DIR …) or its choices; a command that knows
better says so in `offers()`, which returns words by destination.
"""

import argparse
import re
from collections.abc import Iterable
from typing import NamedTuple

SHELLS = ("bash", "zsh", "fish")
EXAMPLES = (
    ("source <(ludwin completion bash)", "complete in this bash; the same line in ~/.bashrc: always"),
    ("ludwin completion zsh > ~/.zfunc/_ludwin", "a folder of your fpath, before compinit"),
    ("ludwin completion fish > ~/.config/fish/completions/ludwin.fish", ""),
)
KINDS = {
    "GAME": "game",
    "AGENT": "agent",
    "EXPERIMENT": "game",
    "FILE": "file",
    "FILE|N|ballots": "file",
    "PATH": "file",
    "PYTHON": "file",
    "PROBLEM": "file",
    "DIR": "folder",
    "A": "folder",
    "B": "folder",
}


class Completable(NamedTuple):
    """What may stand in one place: words, and names or files of a kind ("" if nobody can tell)."""

    name: str
    words: tuple[str, ...] = ()
    kind: str = ""


class Flag(NamedTuple):
    """An option, what it takes, and whether any number of values may follow."""

    names: tuple[str, ...]
    help: str
    values: tuple[Completable, ...] = ()
    many: bool = False


class Positional(NamedTuple):
    """An argument without a name; the last may repeat."""

    value: Completable
    optional: bool = False
    many: bool = False


class CommandLine(NamedTuple):
    """All that a command takes."""

    about: str
    flags: tuple[Flag, ...]
    places: tuple[Positional, ...]


def add(parser: argparse.ArgumentParser) -> None:
    """Take the name of a shell."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(options: argparse.Namespace) -> int:
    """Print the script."""
    from ludwin.cli import shells
    from ludwin.cli.common import print_json

    script = shells.script(options.shell, lines(), names())
    if options.json:
        print_json({"shell": options.shell, "script": script})
    else:
        print(script, end="")
    return 0


def names() -> dict[str, tuple[str, ...]]:
    """Return the registered names by kind."""
    from ludwin.library import AGENT_NAMES, games

    return {"game": _plain(games()), "agent": _plain(AGENT_NAMES)}


def _plain(words: Iterable[object]) -> tuple[str, ...]:
    """Return the words that mean nothing else to a shell; a name of another package may be anything."""
    return tuple(str(word) for word in words if re.fullmatch(r"[\w.,:+-]+", str(word)))


def lines() -> dict[str, CommandLine]:
    """Return what every command takes, read off its parser."""
    from ludwin.cli.doors import DOORS, of_games, opened, parser_of

    found = {}
    for name, door in (DOORS | of_games()).items():
        module = opened(name)
        offered: dict[str, list[str]] = module.offers() if hasattr(module, "offers") else {}
        flags, places = [], []
        for action in parser_of(name)._actions:
            values = _values(action, offered.get(action.dest, ()))
            many = action.nargs in ("*", "+")
            if action.option_strings:
                flags.append(Flag(tuple(action.option_strings), _help(action), values, many))
            else:
                places.append(Positional(values[0], action.nargs in ("?", "*"), many))
        found[name] = CommandLine(door.line, tuple(flags), tuple(places))
    return found


def _values(action: argparse.Action, offered: Iterable[str]) -> tuple[Completable, ...]:
    """Return what an action takes, one value for each place behind it."""
    if action.nargs == 0:
        return ()
    metavars = action.metavar if isinstance(action.metavar, tuple) else (action.metavar or action.dest.upper(),)
    words = _plain(offered or action.choices or ())
    return tuple(Completable(metavar, words, "" if action.choices else KINDS.get(metavar, "")) for metavar in metavars)


def _help(action: argparse.Action) -> str:
    return "" if action.help in (None, argparse.SUPPRESS) else str(action.help).replace("%%", "%")
