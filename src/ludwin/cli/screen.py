"""The screen of `ludwin play`: what is printed where, and work that a person may interrupt."""

import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, TextIO

from ludwin.game import State
from ludwin.search.choice import Choice

STACK = 2**24  # bytes: threads have little on some systems, and compiling is deep


class Screen:
    """Where a person reads and types; colours and a line editor only in a terminal."""

    def __init__(self, stdin: TextIO, talk: TextIO):
        self.stdin, self.talk = stdin, talk
        self.offers: Callable[[str], list[str]] = lambda begin: []  # what Tab may complete
        self.rich: Any = None
        if talk.isatty():
            from rich.console import Console

            self.rich = Console(file=talk, highlight=False, soft_wrap=True)

    def say(self, text: str = "", style: str = "") -> None:
        """Print a text; styles are for terminals."""
        encoding = getattr(self.talk, "encoding", None) or "utf8"
        text = text.encode(encoding, "backslashreplace").decode(encoding)
        if self.rich is None:
            print(text, file=self.talk, flush=True)
        else:
            self.rich.print(text, style=style or None, markup=False, emoji=False)

    @property
    def is_coloured(self) -> bool:
        """Whether colours are seen."""
        return self.rich is not None

    @property
    def is_terminal(self) -> bool:
        """Whether a person types here and reads here."""
        return self.rich is not None and self.talk is sys.stdout and self.stdin is sys.stdin and self.stdin.isatty()

    def say_styled(self, text: str, styles: Mapping[tuple[int, int], str]) -> None:
        """Print a drawing in a terminal; `styles` are those of single characters, by line and column."""
        from rich.text import Text

        lines = text.splitlines()
        drawn = Text("\n".join(lines))
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        for (row, column), style in styles.items():
            if row < len(lines) and column < len(lines[row]):
                drawn.stylize(style, starts[row] + column, starts[row] + column + 1)
        self.rich.print(drawn)

    def show(self, state: State) -> None:
        """Draw a position; colours are for terminals."""
        if self.rich is None or "show_colours" not in state.game.offers:
            self.say(state.show())
            return
        from rich.text import Text

        self.rich.print(Text.from_ansi(state.paint()))

    def say_list(self, texts: Sequence[str]) -> None:
        """Print a list of words, wrapped between them."""
        width = min(shutil.get_terminal_size().columns if self.rich else 80, 100)
        whole = "  ".join(text.replace(" ", "\0") for text in texts)
        lines = textwrap.wrap(whole, width - 2, break_on_hyphens=False, break_long_words=False)
        self.say("\n".join("  " + line.replace("\0", " ") for line in lines))

    def wait(self, who: str, work: Callable[[], Choice]) -> Choice:
        """Let somebody think, and show it; Ctrl-C is heard meanwhile."""
        if self.rich is None:
            return beside(work)
        from rich.text import Text

        with self.rich.status(Text(f"{who} thinks …")):
            return beside(work)

    def _complete(self, begin: str, number: int) -> str | None:
        """Return the so manieth word that Tab may put there, as readline asks; a fault must not end the line."""
        with suppress(Exception):
            found = self.offers(begin)
            return found[number] if number < len(found) else None
        return None

    def read(self, prompt: str) -> str | None:
        """Return a typed line, None at the end of the input."""
        if self.is_terminal:
            with suppress(ImportError):
                import readline  # gives input() its line editor

                readline.set_completer(self._complete)
                readline.set_completer_delims("")  # a move may hold any character
                libedit = "libedit" in (readline.__doc__ or "")
                readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
            try:
                return input(prompt)
            except EOFError:
                self.say()
                return None
            except UnicodeDecodeError:
                return "\ufffd"
        print(prompt, end="", file=self.talk, flush=True)
        try:
            line = self.stdin.readline()
        except UnicodeDecodeError:
            line = "\ufffd\n"
        if not self.stdin.isatty() or not line:
            self.say(line.rstrip("\n"))  # so that a transcript reads as in a terminal
        return line.rstrip("\n") if line else None


def beside(work: Callable[[], Choice]) -> Choice:
    """Do some work in a thread: compiled code does not hear Ctrl-C, but a waiting main thread does.

    The thread of an interrupted work ends with the process.
    """
    found: list[Choice] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:
            failed.append(error)

    usual = threading.stack_size(STACK)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    threading.stack_size(usual)
    while thread.is_alive():
        thread.join(0.1)  # a join without an end cannot be interrupted on Windows
    if failed:
        raise failed[0]
    return found[0]
