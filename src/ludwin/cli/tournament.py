"""The command `tournament`: many agents, a crosstable and ratings."""

import argparse
from typing import TYPE_CHECKING

from ludwin.cli import events
from ludwin.cli import options as take
from ludwin.cli.events import read as read
from ludwin.words import EVENTS

if TYPE_CHECKING:
    from ludwin.arena.results import Outcome
    from ludwin.arena.terms import Terms

CLOSES = True
EXAMPLES = (
    ("ludwin tournament nim uct greedy random", "everybody meets everybody"),
    ("ludwin tournament draughts uct alphabeta random --format gauntlet", "the first meets all others"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, agents, the terms, and who meets whom."""
    events.add(parser, "the agents", "games of each pair of agents, an even number (default: 20)")
    parser.add_argument(
        "--format", choices=EVENTS, help="who meets whom (default: round-robin; gauntlet: the first meets all others)"
    )
    parser.add_argument(
        "--rounds",
        type=take.positive,
        metavar="R",
        help="rounds of a Swiss event (default: log2 of the agents, rounded up)",
    )
    take.mode(parser)
    take.cluster(parser)
    take.part(parser)


def run(options: argparse.Namespace) -> int:
    """Play an event of many agents."""
    from ludwin.cli.arena import play, settle

    game, agents, terms = settle(options)
    if options.part:
        from ludwin.cli.parting import tournament_part

        return tournament_part(options, game, agents, terms, options.workers or 1)
    return report(options, play(options, game, agents, terms), terms)


def report(options: argparse.Namespace, outcome: "Outcome", terms: "Terms") -> int:
    """Show what came out of an event."""
    from ludwin.cli.common import print_json, say
    from ludwin.cli.report import print_standing, warn_of_repeats

    warn_of_repeats(outcome.standing, terms, say)
    if options.json:
        print_json(outcome.to_dict())
        return 0
    print(
        f"{outcome.game}: {terms.event} of {len(outcome.agents)} agents, {outcome.standing.games} games, "
        f"seed {terms.seed}"
    )
    print_standing(outcome.standing, outcome)
    return 0
