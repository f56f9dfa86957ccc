"""Arguments that several commands share, each written once.

Why it is here.  `--seed` means the same everywhere, and is explained in the same words.  Nothing is imported here but
argparse and a few words: the help of a command must not load what the command needs.
"""

import argparse

from ludwin.cli.parsing import whole
from ludwin.words import MODES as MODES
from ludwin.words import PRESETS as PRESETS

AGENT = "e.g. alphabeta:depth=9, uct:playouts=10000, ./my_agent.py or process:./bot"


def game(parser: argparse.ArgumentParser, *, position: bool = True, optional: bool = False) -> None:
    """Add GAME, and --from and --moves where a position can be given."""
    words = "a game's name, file or folder, e.g. draughts:size=10 or ./nim.py"
    if optional:
        parser.add_argument("game", metavar="GAME", nargs="?", help=words)
    else:
        parser.add_argument("game", metavar="GAME", help=words)
    if position:
        begin(parser)


def begin(parser: argparse.ArgumentParser) -> None:
    """Add --from and --moves: where to begin."""
    parser.add_argument(
        "--from", dest="position", metavar="POSITION", help="begin at this position instead of the start"
    )
    parser.add_argument(
        "--moves",
        metavar='"MOVE …"',
        help="play these moves first, nature's included; one with blanks in it stands in quotation marks",
    )


def mode(parser: argparse.ArgumentParser) -> None:
    """Add --mode."""
    parser.add_argument("--mode", choices=MODES, default="fast", help="how the rules run (default: fast)")


def seed(parser: argparse.ArgumentParser, *, fresh: bool = False) -> None:
    """Add --seed; `fresh` is for games that people play, each of which should be another."""
    words = "same seed, same game (default: a fresh one)" if fresh else "same seed, same result (default: 0)"
    parser.add_argument("--seed", type=int, default=None if fresh else 0, metavar="S", help=words)


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


def cluster(parser: argparse.ArgumentParser) -> None:
    """Add --cluster and what belongs to it; --workers, added before, has no default then (`cli/crew.py` settles it)."""
    parser.set_defaults(workers=None)
    group = parser.add_argument_group("other machines (docs/how-to/cluster.md)")
    group.add_argument(
        "--cluster",
        metavar="WHERE",
        help="machines instead of workers: listen, an address, local:N or slurm:FILE; the result is the same",
    )
    group.add_argument("--keys", metavar="DIR", help="keys of the cluster (`ludwin cluster keys DIR` makes them)")
    group.add_argument(
        "--insecure", action="store_true", help="plain TCP beyond this machine: anybody there can run anything"
    )
    group.add_argument(
        "--accept-arithmetic",
        action="store_true",
        help="let machines take part that round other than this one: results may depend on who computed what",
    )
    group.add_argument("--dashboard", action="store_true", help="Dask's dashboard on this machine's port 8787")


def part(parser: argparse.ArgumentParser) -> None:
    """Add --part."""
    parser.add_argument(
        "--part",
        metavar="K/N",
        help="do the K-th of N shares into a folder of its own below --out; `ludwin gather` puts all together",
    )


def positive(text: str) -> int:
    """Read a whole number from 1."""
    return _whole(text, 1)


def count(text: str) -> int:
    """Read a whole number from 0."""
    return _whole(text, 0)


def _whole(text: str, least: int) -> int:
    value = whole(text)
    if value < least:
        raise argparse.ArgumentTypeError(f"must be at least {least}, got {value}")
    return value
