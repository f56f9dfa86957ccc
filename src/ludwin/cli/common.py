"""What all commands share: how they run, speak, and load a game.

Why it is here.  Mistakes become one line and exit code 2 in one place; results look alike, for people and for machines;
and a user's file is announced before it runs, whichever command has named it.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

from ludwin import library
from ludwin.cli import crash, terminal
from ludwin.errors import LudwinError, brief
from ludwin.game import Game, State
from ludwin.kernel import cache, specialise
from ludwin.library import split, whereabouts
from ludwin.rules.folder import OURS
from ludwin.rules.source import Source, read
from ludwin.search import choice


def carry_out(run: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Run a command with its options and return the exit code; mistakes become one line and 2."""
    specialise.announce = say
    cache.announce = say
    choice.advise = _say_once
    choice.announce = announce
    choice.aside = _aside
    crash.listen()
    _announced.clear()
    try:
        return run(options)
    except BrokenPipeError:
        raise
    except (LudwinError, ValueError) as error:
        say(str(error))
        return 2
    except OSError as error:
        say(f"{error.strerror}: {brief(error.filename, 250)}" if error.strerror and error.filename else str(error))
        return 2
    except RecursionError:
        say("the search is too deep for plain Python; use --mode fast")
        return 2


def say(line: str) -> None:
    """Tell the person something on stderr, so that stdout holds results only."""
    terminal.tell(line)


_announced: set[str] = set()  # what this command has said, of files of rules and of settings


def _say_once(line: str) -> None:
    if line not in _announced:
        _announced.add(line)
        say(line)


def announce(path: str) -> None:
    """Say that a file of rules or of an agent will run, once."""
    if path not in _announced:
        _announced.add(path)
        say(f"running {path}, which is Python code and has your rights")


@contextmanager
def _aside() -> Iterator[None]:
    """Send what code of others prints to stderr, and what its children print: stdout holds results only."""
    try:
        sys.stdout.flush()
        kept = os.dup(1)
    except (OSError, ValueError, AttributeError):  # there is none, or it is closed
        with redirect_stdout(sys.stderr):
            yield
        return
    try:
        with suppress(OSError):
            os.dup2(2, 1)
        with redirect_stdout(sys.stderr):
            yield
    finally:
        with suppress(OSError, ValueError, AttributeError):
            sys.__stdout__.flush()  # type: ignore[union-attr]  # what was printed past `print`
        os.dup2(kept, 1)
        os.close(kept)


def print_json(data: dict[str, Any]) -> None:
    """Print the one object of `--json`."""
    import json

    print(json.dumps(data, ensure_ascii=False))


def print_table(title: str, columns: list[str], rows: list[list[str]], right: tuple[int, ...] = ()) -> None:
    """Print a table: framed and coloured in a terminal, aligned text elsewhere."""
    if sys.stdout.isatty():
        from rich.console import Console
        from rich.table import Table

        table = Table(title=title, title_justify="left")
        for i, column in enumerate(columns):
            table.add_column(column, justify="right" if i in right else "left")
        for row in rows:
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
        Console().print(table)
        return
    widths = [max(len(row[i]) for row in [columns, *rows]) for i in range(len(columns))]
    for row in [columns, *rows]:
        cells = (
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  ".join(cells).rstrip())


def load(text: str) -> Game:
    """Load a game; a user's file is announced before it runs, and checked when it is new."""
    _announce_new(text)
    game = library.load(text)
    if not game.is_ours:
        from ludwin.laws import first_look

        began = time.process_time()
        if first_look(game):
            say(f"{game.name} keeps the laws of games ({time.process_time() - began:.1f} s, once)")
    return game


def _announce_new(text: str) -> None:
    """Say that a file, a folder or a package's game will run, before it does, unless it was checked here before or has
    just been announced.
    """
    path, name = whereabouts(split(text)[0])
    if name not in _announced and not path.is_relative_to(OURS):
        from ludwin.laws import is_known

        source = read(path)
        if not is_known(source):
            _announced.add(name)
            say(f"{name} is new: {_code_of(source)}, so it runs with your rights; checking it …")


def _code_of(source: Source) -> str:
    """Return what of a game is code; of a folder every file is named that may ever run."""
    if source.home is None:
        return "it is Python code"
    files = [found.path.name for found in source.whole() if found.path.is_relative_to(source.home)]
    return f"it is Python code ({', '.join(files)})"


def position(game: Game, options: argparse.Namespace) -> State:
    """Return the position of --from, else the start."""
    return game.position(options.position) if options.position else game.start()
