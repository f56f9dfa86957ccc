"""The command `new`: a game file to begin with."""

import argparse

EXAMPLES = (("ludwin new my_game", "write ./my_game.py, a small game explained line by line"),)


def add(parser: argparse.ArgumentParser) -> None:
    """Take the name of the game."""
    parser.add_argument("name", metavar="NAME", help="the game's name; writes NAME.py into this folder")


def run(options: argparse.Namespace) -> int:
    """Write the file, and say what to do with it."""
    from ludwin.cli.common import print_json
    from ludwin.cli.template import write_template

    path = write_template(options.name)
    if options.json:
        print_json({"file": str(path)})
    else:
        print(
            f"wrote {path}; next: `ludwin check ./{path}`, `ludwin play ./{path}`, `ludwin match ./{path} uct random`"
        )
    return 0
