"""What the lines of `match` and `tournament` share: their options, and how such a line is read.

Why it is here.  Nothing has a default here: a resumed event has its own terms, and the line says only what is new.
"""

import argparse

from ludwin.cli import options as take
from ludwin.cli.parsing import CommandParser


def add(parser: argparse.ArgumentParser, agents: str, games: str) -> None:
    """Add game, agents and terms."""
    parser.add_argument(
        "game",
        metavar="GAME",
        nargs="?",
        help="a game's name or file, e.g. draughts:size=10 or ./nim.py (with --resume: as in the file)",
    )
    parser.add_argument("agents", metavar="AGENT", nargs="*", help=agents)
    parser.add_argument("--games", type=take.positive, metavar="N", help=games)
    parser.add_argument("--seed", type=int, metavar="S", help="same seed, same result (default: 0)")
    parser.add_argument(
        "--workers",
        type=take.positive,
        default=1,
        metavar="W",
        help="processes that play; the result does not depend on it (default: 1)",
    )
    parser.add_argument(
        "--openings",
        metavar="FILE|N|ballots",
        help="begin pairs at the openings of a file, after N random plies, or at the ballots of draughts",
    )
    parser.add_argument(
        "--sprt",
        metavar="LO,HI",
        help="stop when it is decided whether the first agent is LO or HI normalised Elo stronger",
    )
    parser.add_argument(
        "--clock",
        metavar="SECONDS[+INC]",
        help="each agent's time for a game, and what a move adds; who overdraws it forfeits",
    )
    parser.add_argument(
        "--patience",
        type=float,
        metavar="SECONDS",
        help="a move that takes longer forfeits (default: 300 for agents that are not built in)",
    )
    parser.add_argument(
        "--adjudicate",
        metavar="KEY=VALUE,…",
        help="end games early: plies=200, or win=0.5,draw=0.01,moves=4,after=40 by both agents' values",
    )
    parser.add_argument(
        "--repetition",
        type=take.count,
        metavar="K",
        help="a position that occurs K times is a draw; 0: never (default: 3)",
    )
    parser.add_argument(
        "--out", metavar="FILE", help="record all games there (JSON Lines; FILE.pdn: PDN too, for draughts)"
    )
    parser.add_argument("--resume", metavar="FILE", help="go on with an event that was interrupted")
    take.trust(parser)


def read(parser: CommandParser, words: list[str]) -> argparse.Namespace:
    """Read a line. Options may stand between GAME and AGENTs, and a bound of --sprt may be negative."""
    for k in range(len(words) - 1, 0, -1):
        if words[k - 1] == "--sprt" and words[k][:1] == "-" and words[k][1:2].isdigit():
            words[k - 1 : k + 1] = [f"--sprt={words[k]}"]
    options, left = parser.parse_known_args(words)
    unknown = [word for word in left if word.startswith("-")]
    if unknown:
        parser.refuse_words(unknown)
    if left:
        named = [*filter(None, [options.game]), *options.agents, *left]
        options.game, options.agents = named[0], named[1:]
    return options
