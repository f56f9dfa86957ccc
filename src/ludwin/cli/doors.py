"""The doors: which commands there are, in which module each lives, and what it is for.

Why it is here.  A command is one module with `add(parser)` and `run(options)`, and one line of this table.  Nothing
else knows its name: the overview, the did-you-mean, the completion of shells and the reference are made from here.
A module is imported when its command is typed, so nobody waits for the others.

A module may say more: EXAMPLES, which its `--help` shows; `read(parser, words)`, if argparse alone cannot read its
line; `offers()`, words that a shell may complete; CLOSES, if it ends in its own way after Ctrl-C (it has files or
processes to close, and tells how to go on).
"""

import sys
from collections.abc import Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

from ludwin.errors import did_you_mean

if TYPE_CHECKING:
    import argparse

    from ludwin.cli.parsing import CommandParser

PLAY, WRITE, MATCHES = "Play and look", "Write a game", "Matches"
EVOLUTION, DISCOVERY, LABORATORY, MACHINE = "Evolution", "Discovery", "Laboratory", "Machine room"
GROUPS = (PLAY, WRITE, MATCHES, EVOLUTION, DISCOVERY, LABORATORY, MACHINE)


class Door(NamedTuple):
    """One command: where it lives, under which heading it stands, and what it is for in one line."""

    module: str
    group: str
    line: str
    now: str = ""  # of an old name that still works: the command that does the same today


DOORS = {
    "play": Door("ludwin.cli.play", PLAY, "play against agents, or watch them"),
    "games": Door("ludwin.cli.games", PLAY, "list the games"),
    "agents": Door("ludwin.cli.agents", PLAY, "list the agents, or explain one"),
    "moves": Door("ludwin.cli.moves", PLAY, "list the legal moves of a position"),
    "choose": Door("ludwin.cli.choose", PLAY, "let an agent choose a move and give its reasons"),
    "analyse": Door("ludwin.cli.analyse", PLAY, "watch a search think: values, nodes and lines, deepening"),
    "web": Door("ludwin.cli.web", PLAY, "play, analyse, watch and explain in a browser"),
    "uci": Door("ludwin.cli.uci", PLAY, "be a chess engine for other programs (UCI on stdin and stdout)"),
    "tree": Door("ludwin.cli.tree", PLAY, "grow a Monte Carlo search tree and look at it"),
    "solve": Door("ludwin.cli.solve", PLAY, "solve a puzzle, or check somebody's plan for it"),
    "new": Door("ludwin.cli.new", WRITE, "write a commented game file to begin with"),
    "check": Door("ludwin.cli.check", WRITE, "try a game by the laws of games, in all modes"),
    "perft": Door("ludwin.cli.perft", WRITE, "count the positions at exactly a depth"),
    "match": Door("ludwin.cli.match", MATCHES, "play two agents against each other, sides swapped"),
    "tournament": Door("ludwin.cli.tournament", MATCHES, "play agents against each other: crosstable and ratings"),
    "replay": Door("ludwin.cli.replay", MATCHES, "show recorded games, or play them again and examine them"),
    "rate": Door("ludwin.cli.rate", MATCHES, "rate the agents of record files"),
    "tune": Door("ludwin.cli.tune", MATCHES, "tune an agent's parameters by matches, and confirm them"),
    "evolve": Door("ludwin.cli.evolve", EVOLUTION, "evolve programs into a folder that can be resumed and compared"),
    "show": Door("ludwin.cli.show", EVOLUTION, "show what was made: a champion, a folder of runs, a derivation"),
    "export": Door("ludwin.cli.export", EVOLUTION, "write a champion for other programs: Python, C++, Java"),
    "runs": Door("ludwin.cli.runs", EVOLUTION, "list runs of evolution, or compare two", now="show"),
    "discover": Door("ludwin.cli.discover", DISCOVERY, "find a search algorithm by transforming a plain program"),
    "derivation": Door("ludwin.cli.derivation", DISCOVERY, "print a derivation, or check it again", now="show"),
    "reproduce": Door("ludwin.cli.reproduce", LABORATORY, "re-run a published table and compare, or run a study"),
    "study": Door("ludwin.cli.study", LABORATORY, "run an experiment that has no published table", now="reproduce"),
    "gather": Door("ludwin.cli.gather", LABORATORY, "put the parts of a --part run together, as one run"),
    "worker": Door("ludwin.cli.worker", MACHINE, "work for a coordinator on another machine (--cluster listen)"),
    "cluster": Door("ludwin.cli.cluster", MACHINE, "make keys for a cluster, or check who is there and fits"),
    "bench": Door("ludwin.cli.bench", MACHINE, "measure speed: modes, C++ reference, OpenSpiel"),
    "compile": Door("ludwin.cli.compile", MACHINE, "compile an agent for a game, and look at the code"),
    "cache": Door("ludwin.cli.cache", MACHINE, "show or clear the compiled code kept on disk"),
    "completion": Door("ludwin.cli.completion", MACHINE, "print a script that completes commands in your shell"),
}

OF_GAMES = "Of single games"  # commands that the folder of a game brings, see `ludwin.games.commands`
WHAT = "A laboratory for game-playing programs: write a game as one Python file, search it at the speed of C++."
EXAMPLES = (
    ("ludwin play draughts", "play against uct"),
    ("ludwin new my_game", "write a game file to begin with"),
    ("ludwin match ./my_game.py uct random", "let two agents play it, sides swapped"),
    ("ludwin evolve lose-checkers", "evolve a player"),
)
WORDS = (
    "A GAME is a name with parameters (draughts:size=10), a file (./nim.py:heap=5) or a folder (./mygame/), an AGENT "
    "is uct:playouts=1000, … `ludwin COMMAND --help` explains a command, with examples."
)


def overview(width: int | None = None) -> str:
    """Return what `ludwin --help` says: the commands by purpose, and where to begin."""
    import shutil
    import textwrap

    width = min(width or shutil.get_terminal_size().columns, 110) - 2
    shown = {name: door for name, door in (of_games() | DOORS).items() if not door.now}
    column = max(map(len, shown)) + 4
    lines = ["usage: ludwin [-h] [--version] COMMAND ...", "", *textwrap.wrap(WHAT, width)]
    for group in (*GROUPS, *([OF_GAMES] if of_games() else [])):
        lines += ["", f"{group}:"]
        for name, door in shown.items():
            if door.group == group:
                head = f"  {name:<{column - 2}}"
                lines += textwrap.wrap(door.line, width, initial_indent=head, subsequent_indent=" " * column)
    lines += ["", "Examples:", *example_lines(EXAMPLES, width), "", *textwrap.wrap(WORDS, width)]
    old = ", ".join(f"{name} ({door.now})" for name, door in DOORS.items() if door.now)
    lines += textwrap.wrap(f"Older names still work: {old}.", width)
    return "\n".join(lines) + "\n"


def example_lines(examples: Sequence[tuple[str, str]], width: int) -> list[str]:
    """Return examples with their meanings: all beside them, or all below if one would be too wide."""
    column = max((len(line) for line, _ in examples), default=0) + 4
    if all(column + len(words) <= width for _, words in examples):
        return [f"  {line:<{column - 2}}{words}".rstrip() for line, words in examples]
    return [text for line, words in examples for text in (f"  {line}", f"      {words}") if text.strip()]


def of_games() -> dict[str, Door]:
    """Return the commands that games' folders bring; nothing of them is imported."""
    from ludwin.games import commands

    return {
        name: Door(f"ludwin.games.{game.replace('-', '_')}.commands", OF_GAMES, line)
        for name, (game, line) in commands().items()
    }


def find(name: str) -> Door:
    """Return the door of a command. Raises SystemExit, after one line, if there is none."""
    if name not in DOORS and name in of_games():
        return of_games()[name]
    if name not in DOORS:
        shown = repr(name) if len(name) < 60 else f"{name[:57]!r}…"
        near = did_you_mean(name, [*DOORS, *of_games()]) if len(name) < 60 else ""
        refuse(f"no command called {shown}{near}", "`ludwin --help` lists all")
    return DOORS[name]


def opened(name: str) -> ModuleType:
    """Return the module of a command, imported now; of one that a game brings its two functions, as if in a module."""
    door = find(name)
    module = import_module(door.module)
    if door.group != OF_GAMES:
        return module
    word, alone = name.replace("-", "_"), ModuleType(f"{door.module}:{name}", door.line)
    vars(alone).update(add=getattr(module, f"add_{word}"), run=getattr(module, f"run_{word}"))
    vars(alone)["EXAMPLES"] = getattr(module, "EXAMPLES", {}).get(name, ())
    return alone


def parser_of(name: str) -> "CommandParser":
    """Return the parser of one command; nothing of the others is imported."""
    from ludwin.cli.parsing import CommandParser

    module, door = opened(name), find(name)
    line = door.line
    now = f" (An older name: `ludwin {door.now}` does this, too.)" if door.now else ""
    parser = CommandParser(name, f"{line[0].upper()}{line[1:]}.{now}", getattr(module, "EXAMPLES", ()))
    module.add(parser)
    return parser


def read(words: Sequence[str]) -> "tuple[ModuleType, argparse.Namespace]":
    """Return the module of the command that a line names, and its options. Raises SystemExit for a line that cannot
    be read, after one line that says why.
    """
    from ludwin.cli.parsing import read_plainly

    module, parser = opened(words[0]), parser_of(words[0])
    reader = getattr(module, "read", read_plainly)
    options = reader(parser, list(words[1:]))
    options.command = words[0]
    return module, options


as_objects = False  # whether the line has asked for JSON, so that mistakes in it are objects, too


def refuse(what: str, way: str) -> None:
    """Say in one line what is wrong with a command line, and the way out; exit with 2."""
    told = f"{what}{' ' if what.endswith('?') else '; '}{way}"
    print(f"ludwin: {told}", file=sys.stderr)
    if as_objects:
        import json

        print(json.dumps({"error": {"kind": "BadLine", "message": told}}, ensure_ascii=False))
    raise SystemExit(2)
