"""The command `match`: two agents, sides swapped."""

import argparse

from ludwin.cli import events
from ludwin.cli import options as take
from ludwin.cli.events import read as read

CLOSES = True
EXAMPLES = (
    ("ludwin match draughts alphabeta:depth=4 uct --games 100", "score and Elo with their intervals"),
    ("ludwin match nim uct random --workers 2 --out games.jsonl", "with two processes; record all games"),
    ("ludwin match --resume games.jsonl", "go on where it was interrupted"),
    ("ludwin match reversi uct:c=0.7 uct --sprt 0,20 --games 2000", "stop as soon as it is decided"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, two agents, and the terms."""
    events.add(parser, "the two agents; the result is seen from the first", "an even number of games (default: 20)")
    parser.set_defaults(format=None, rounds=None)
    take.mode(parser)


def run(options: argparse.Namespace) -> int:
    """Play two agents against each other."""
    from ludwin.arena.results import MatchResult
    from ludwin.cli.arena import play, settle
    from ludwin.cli.common import print_json, say
    from ludwin.cli.report import print_match, warn_of_repeats
    from ludwin.errors import BadParameter

    game, agents, terms = settle(options)
    if game.players != 2 or len(agents) != 2:
        raise BadParameter(
            f"a match is between two agents at a game of two; got {len(agents)} and {game.name} with {game.players} "
            f"(`ludwin tournament` takes more)"
        )
    outcome = play(options, game, agents, terms)
    warn_of_repeats(outcome.standing, terms, say)
    if options.json:
        print_json(MatchResult(outcome).to_dict())
    else:
        print_match(outcome)
    return 0
