"""The command `gather`: the parts of a `--part` run, put together."""

import argparse

from ludwin.cli import options as take

CLOSES = True
EXAMPLES = (
    ("ludwin gather runs/hundred", "the parts of `ludwin evolve … --seeds 100 --part K/N --out runs/hundred`"),
    ("ludwin gather event --json", "the parts of a tournament; the merged record is event/games.jsonl"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take the folder that the parts share."""
    parser.add_argument("folder", metavar="DIR", help="the --out of the parts")
    parser.add_argument("name", metavar="NAME", nargs="?", help="the file of a study of your own, if it has moved")
    parser.add_argument(
        "--accept-arithmetic", action="store_true", help="take parts of machines that round differently, too"
    )
    parser.add_argument(
        "--workers", type=take.positive, default=1, metavar="W", help="for what needs all parts (default: 1)"
    )
    take.trust(parser)


def run(options: argparse.Namespace) -> int:
    """Put parts together, and show what came out as one run would."""
    from ludwin.cli.parting import gather

    options.cluster = options.keys = None
    options.insecure = options.dashboard = False
    return gather(options)
