"""The command `match`: two agents, sides swapped."""

import argparse
from typing import TYPE_CHECKING

from ludwin.cli import events
from ludwin.cli import options as take
from ludwin.cli.events import read as read

if TYPE_CHECKING:
    from ludwin.arena.results import Outcome
    from ludwin.arena.terms import Terms
    from ludwin.game import Game
    from ludwin.search.choice import Agent

CLOSES = True
EXAMPLES = (
    ("ludwin match draughts alphabeta:depth=4 uct --games 100", "score and Elo with their intervals"),
    ("ludwin match nim uct random --workers 2 --out games.jsonl", "with two processes; record all games"),
    ("ludwin match --resume games.jsonl", "go on where it was interrupted"),
    ("ludwin match reversi uct:c=0.7 uct --sprt 0,20 --games 2000", "stop as soon as it is decided"),
    ("ludwin match connect-four hard easy --html match.html", "a page with the result, the games and a board"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, two agents, and the terms."""
    events.add(parser, "the two agents; the result is seen from the first", "an even number of games (default: 20)")
    parser.add_argument(
        "--html", metavar="FILE", help="write a page there: the result, all games in a table, the first board by board"
    )
    parser.set_defaults(format=None, rounds=None)
    take.mode(parser)
    take.cluster(parser)


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
    if options.html:
        outcome = _with_page(options, game, agents, terms)
    else:
        outcome = play(options, game, agents, terms)
    warn_of_repeats(outcome.standing, terms, say)
    if options.json:
        print_json(MatchResult(outcome).to_dict())
    else:
        print_match(outcome)
    return 0


def _with_page(options: argparse.Namespace, game: "Game", agents: "list[Agent]", terms: "Terms") -> "Outcome":
    """Play, and write the page; games that are recorded nowhere else are recorded for that long."""
    import tempfile
    from pathlib import Path

    from ludwin.arena.pages import match_page
    from ludwin.arena.replay import open_event
    from ludwin.cli.arena import _jsonl, play
    from ludwin.cli.saving import demand_file, save

    path = demand_file(options.html, ".html")
    with tempfile.TemporaryDirectory() as spare:
        kept = options.resume or options.out
        if not kept:
            options.out = str(Path(spare) / "games.jsonl")
        outcome = play(options, game, agents, terms)
        event = open_event(_jsonl(Path(kept or options.out)), lambda text: game, lambda rules: game.text)
        save(path, match_page(outcome, event))
    return outcome
