"""The command `new`: a game file to begin with."""

import argparse

EXAMPLES = (
    ("ludwin new my_game", "write ./my_game.py, a small game explained line by line"),
    ("ludwin new my_game --folder", "write ./my_game/, with notation, drawings and a player beside the rules"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take the name of the game."""
    parser.add_argument("name", metavar="NAME", help="the game's name; writes NAME.py into this folder")
    parser.add_argument(
        "--folder", action="store_true", help="write a folder NAME/: rules, notation, drawing, a player"
    )


def run(options: argparse.Namespace) -> int:
    """Write the file, and say what to do with it."""
    from ludwin.cli.common import print_json
    from ludwin.cli.template import write_folder, write_template

    path = write_folder(options.name) if options.folder else write_template(options.name)
    text = f"{path}/" if options.folder else f"{path}"
    if options.json:
        print_json({"file": text})
    else:
        print(
            f"wrote {text}; next: `ludwin check ./{text}`, `ludwin play ./{text}`, `ludwin match ./{text} uct random`"
        )
    return 0
