"""The screen of `ludwin play`: what is printed where, and work that a person may interrupt."""

import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TextIO

from ludwin.search.choice import Choice

STACK = 2**24  # bytes: threads have little on some systems, and compiling is deep


class Screen:
    """Where a person reads and types; colours and a line editor only in a terminal."""

    def __init__(self, stdin: TextIO, talk: TextIO):
        self.stdin, self.talk = stdin, talk
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

    def read(self, prompt: str) -> str | None:
        """Return a typed line, None at the end of the input."""
        if self.rich is not None and self.talk is sys.stdout and self.stdin is sys.stdin and self.stdin.isatty():
            with suppress(ImportError):
                import readline  # noqa: F401  (gives input() its line editor)
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
