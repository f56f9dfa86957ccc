"""How a line is read: argparse, with one line for a mistake, and examples in the help of every command.

Why it is here.  Misuse is no reason to print a screen of usage: what was wrong, the nearest word there is, and where
the explanation stands.  This module imports argparse, which the overview (`ludwin --help`) does without.
"""

import argparse
import shutil
from collections.abc import Sequence

from ludwin.cli.doors import example_lines, refuse
from ludwin.errors import did_you_mean


class CommandParser(argparse.ArgumentParser):
    """The parser of one command. Every command takes --json."""

    def __init__(self, name: str, description: str, examples: Sequence[tuple[str, str]] = ()):
        width = min(shutil.get_terminal_size().columns, 110) - 2
        epilog = "\n".join(["examples:", *example_lines(examples, width)]) if examples else None
        super().__init__(
            f"ludwin {name}",
            description=description,
            epilog=epilog,
            formatter_class=lambda prog: _Examples(prog, max_help_position=28, width=width),
        )
        self.register("type", int, whole)  # in our words, whoever writes type=int
        self.register("type", float, number)
        self.add_argument("--json", action="store_true", help="print one JSON object")

    def error(self, message: str) -> None:  # type: ignore[override]
        """Say misuse in one line, without the usage screen."""
        refuse(message if message.isprintable() else repr(message), f"`{self.prog} --help` explains")

    def refuse_words(self, words: Sequence[str]) -> None:
        """Say that words were not understood; an option nearly so called is named."""
        known = [text for action in self._actions for text in action.option_strings]
        options = [word.partition("=")[0] for word in words if word.startswith("-") and len(word) < 60]
        near = next(filter(None, (did_you_mean(option, known) for option in options)), "")
        shown = " ".join(word if word.isprintable() else repr(word) for word in words)
        self.error(f"unrecognized arguments: {shown}{near}")


def whole(text: str) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None


def number(text: str) -> float:
    """Read a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None


class _Examples(argparse.HelpFormatter):
    """Fills descriptions, and leaves examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith("examples:\n") else super()._fill_text(text, width, indent)


def read_plainly(parser: CommandParser, words: list[str]) -> argparse.Namespace:
    """Return the options of a line, as argparse reads it."""
    options, left = parser.parse_known_args(words)
    if left:
        parser.refuse_words(left)
    return options
