"""The command `rate`: ratings from record files."""

import argparse

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin rate games.jsonl more.jsonl", "one rating from all games of both files"),
    ("ludwin rate games.jsonl --plot elo.svg", "draw the ratings with their intervals"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take files of records, and what to draw."""
    parser.add_argument("files", metavar="FILE", nargs="+", help="records of matches and tournaments of one game")
    parser.add_argument(
        "--plot", metavar="FILE", help="draw the ratings with their intervals (.png or .svg; extra `plot`)"
    )
    parser.add_argument("--matrix", metavar="FILE", help="draw the score of every pair (.png or .svg; extra `plot`)")
    take.trust(parser)


def run(options: argparse.Namespace) -> int:
    """Rate the agents of record files from all their games together."""
    from dataclasses import replace

    from ludwin.arena.replay import open_event
    from ludwin.arena.results import standing_json, unique
    from ludwin.arena.standing import Standing
    from ludwin.cli.common import load, print_json, say
    from ludwin.cli.permission import permit
    from ludwin.cli.report import draw_standing, print_standing, warn_of_repeats
    from ludwin.errors import BadParameter

    events = [open_event(file, load, permit(options)) for file in options.files]
    games = list(dict.fromkeys(event.game.text for event in events))
    if len(games) > 1:
        raise BadParameter(f"ratings of different games cannot be compared: {', '.join(games)}")
    names = [unique(event.agents) for event in events]
    standing = Standing(list(dict.fromkeys(name for of_file in names for name in of_file)))
    for event, own in zip(events, names, strict=True):
        numbers = [standing.agents.index(name) for name in own]
        for _, found in event.games:
            record = replace(found, seats=tuple(numbers[k] for k in found.seats))
            standing.note(record)
        for tally in standing.tallies.values():
            tally.open = None  # the second game of the last pair is missing
    warn_of_repeats(standing, None, say)
    if options.plot or options.matrix:
        draw_standing(standing, options.plot, options.matrix)
    if options.json:
        print_json({"game": games[0], "files": list(options.files), **standing_json(standing)})
    else:
        print(f"{games[0]}: {standing.games} games of {len(standing.agents)} agents")
        print_standing(standing)
    return 0
