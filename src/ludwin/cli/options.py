"""Arguments that several commands share, each written once.

Why it is here.  `--seed` means the same everywhere, and is explained in the same words.  Nothing is imported here but
argparse and a few words: the help of a command must not load what the command needs.
"""

import argparse

from ludwin.words import MODES as MODES
from ludwin.words import PRESETS as PRESETS

AGENT = "e.g. alphabeta:depth=9, uct:playouts=10000, ./my_agent.py or process:./bot"


def game(parser: argparse.ArgumentParser, *, position: bool = True) -> None:
    """Add GAME, and --from where a position can be given."""
    parser.add_argument("game", metavar="GAME", help="a game's name, file or folder, e.g. draughts:size=10 or ./nim.py")
    if position:
        parser.add_argument(
            "--from", dest="position", metavar="POSITION", help="begin at this position instead of the start"
        )


def mode(parser: argparse.ArgumentParser) -> None:
    """Add --mode."""
    parser.add_argument("--mode", choices=MODES, default="fast", help="how the rules run (default: fast)")


def seed(parser: argparse.ArgumentParser) -> None:
    """Add --seed."""
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="same seed, same result (default: 0)")


def trust(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """Add --trust."""
    parser.add_argument(
        "--trust",
        metavar="FILE",
        action="append",
        help="run this file of rules, or of an agent, if the data name it: it is Python code and has your rights",
    )


def threads(parser: argparse.ArgumentParser) -> None:
    """Add --workers of a command whose workers are threads."""
    parser.add_argument(
        "--workers",
        type=positive,
        default=1,
        metavar="W",
        help="threads that play; the result does not depend on it (default: 1)",
    )


def positive(text: str) -> int:
    """Read a whole number from 1."""
    return _whole(text, 1)


def count(text: str) -> int:
    """Read a whole number from 0."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
    if value < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}, got {value}")
    return value
