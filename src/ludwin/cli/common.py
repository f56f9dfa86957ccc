"""What all commands share: how they run, speak, and load a game.

Why it is here.  Mistakes become one line and exit code 2 in one place; results look alike, for people and for machines;
and a user's file is announced before it runs, whichever command has named it.
"""

import argparse
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import Any

from ludwin import library
from ludwin.cli import crash, terminal
from ludwin.errors import BadParameter, IllegalMove, LudwinError, brief
from ludwin.game import Game, State
from ludwin.kernel import cache, specialise
from ludwin.library import split, whereabouts
from ludwin.rules.folder import OURS
from ludwin.rules.source import Source, read
from ludwin.search import choice
from ludwin.words import aligned, described, laid_out


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
    except BrokenPipeError as error:
        if nobody_reads():
            raise
        return _failed(f"a program that was asked is gone: {error}", type(error).__name__, options)
    except (LudwinError, ValueError) as error:
        return _failed(str(error), type(error).__name__, options)
    except OSError as error:
        told = f"{error.strerror}: {brief(error.filename, 250)}" if error.strerror and error.filename else str(error)
        return _failed(told, type(error).__name__, options)
    except RecursionError:
        return _failed("the search is too deep for plain Python; use --mode fast", "RecursionError", options)


def nobody_reads() -> bool:
    """Tell whether whoever read what we print has gone (`ludwin … | head`); other pipes may break, too."""
    import select

    if not hasattr(select, "poll"):
        return True
    ends = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):  # closed, or no file at all
            ends.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in ends.poll(0))


def _failed(told: str, kind: str, options: argparse.Namespace) -> int:
    """Say what was wrong, with --json as an object on stdout, too; return the exit code of a mistake."""
    say(told)
    if getattr(options, "json", False):
        print_json({"error": {"kind": kind, "message": told}})
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
    """Print the one object of `--json`; a number that is not finite becomes null, for JSON has none."""
    import json

    try:
        text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    except ValueError:
        from ludwin.formats import finite

        text = json.dumps(finite(data), ensure_ascii=False, allow_nan=False)
    print(text)


def print_table(title: str, columns: list[str], rows: list[list[str]], right: tuple[int, ...] = ()) -> None:
    """Print a table: framed in a terminal that is wide enough, laid out anew in one that is not; else aligned text.

    No name is ever cut, and none is broken where two could no longer be told apart.
    """
    if sys.stdout.isatty():
        frame = sum(max(len(row[i]) for row in [columns, *rows]) + 3 for i in range(len(columns))) + 1
        if frame > screen_width():
            print(laid_out(columns, rows, right, screen_width()))
            return
        from rich.console import Console
        from rich.table import Table

        table = Table(title=title, title_justify="left")
        for i, column in enumerate(columns):
            table.add_column(column, justify="right" if i in right else "left", overflow="fold")
        for row in rows:
            table.add_row(*(cell.replace("[", "\\[") for cell in row))
        Console(width=screen_width(), height=25).print(table)  # both, or a dumb terminal is 80 columns wide
        return
    print(aligned(columns, rows, right))


def screen_width() -> int:
    """Return how wide the terminal is; nothing is laid out for less than 40 columns."""
    import shutil

    return max(shutil.get_terminal_size().columns, 40)


def print_words(text: str) -> None:
    """Print a sentence; in a terminal it goes on in the next line between words."""
    import textwrap

    wide = min(screen_width(), 110) if sys.stdout.isatty() else len(text) + 1
    print("\n".join(textwrap.wrap(text, wide, break_on_hyphens=False)))


def print_page(text: str) -> None:
    """Print paragraphs; in a terminal they are filled anew, but for what is indented."""
    if not sys.stdout.isatty():
        print(text)
        return
    for number, block in enumerate(text.split("\n\n")):
        print(end="\n" * (number > 0))
        if any(line.startswith(" ") for line in block.splitlines()):
            print(block)
        else:
            print_words(" ".join(block.split()))


def print_list(rows: list[tuple[str, str, str]]) -> None:
    """Print things with what they are, at most 110 columns wide: longer lines are hard to read."""
    print(described(rows, min(screen_width(), 110)))


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


def drawn(state: State) -> str:
    """Return a drawing of a position for stdout: with colours if that is a terminal and the game has them."""
    return state.paint() if sys.stdout.isatty() else state.show()


def position(game: Game, options: argparse.Namespace) -> State:
    """Return the position of --from, else the start, after the moves of --moves. Raises LudwinError."""
    state = game.position(options.position) if options.position is not None else game.start()
    for number, word in enumerate(_words(options.moves or ""), 1):
        try:
            state = state.play(word)
        except IllegalMove as error:
            raise IllegalMove(f"--moves, number {number}: {str(error).splitlines()[0]}") from None
    return state


def _words(text: str) -> list[str]:
    """Split moves at blanks; quotation marks keep one together."""
    if text.count('"') % 2:
        raise BadParameter(f"--moves: a quotation mark is never closed in {brief(text)}")
    return [word.strip('"') for word in re.findall(r'"[^"]*"|[^\s"]+', text)]
