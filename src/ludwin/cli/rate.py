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
    from ludwin.arena.reading import counted, path_of, rated
    from ludwin.cli.common import load, print_json, say
    from ludwin.cli.permission import permit
    from ludwin.cli.report import draw_standing, print_standing, warn_of_repeats

    found = rated([path_of(file) for file in options.files], load, permit(options))
    standing = found.standing
    if found.unfinished:
        say(f"{found.unfinished} unfinished game{'s' * (found.unfinished > 1)} left out")
    warn_of_repeats(standing, None, say)
    if options.plot or options.matrix:
        draw_standing(standing, options.plot, options.matrix)
    if options.json:
        print_json({**found.to_dict(), "files": list(options.files)})
    else:
        print(f"{found.game}: {counted(standing.games)} of {len(standing.agents)} agents")
        print_standing(standing)
    return 0
