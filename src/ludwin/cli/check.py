"""The command `check`: whether a game keeps the laws of games."""

import argparse

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin check ./my_game.py", "try it in all modes; the first fault is named with its line"),
    ("ludwin check ./my_game.py:size=5 --playouts 1000", "other parameters, more games"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, and how long to try it."""
    take.game(parser, position=False)
    parser.add_argument(
        "--playouts", type=take.positive, default=200, metavar="N", help="random games to play (default: 200)"
    )
    take.seed(parser)


def run(options: argparse.Namespace) -> int:
    """Try a game by the laws of games; exit code 1 if it breaks one."""
    from ludwin.cli.common import print_json, say
    from ludwin.errors import RuleError
    from ludwin.laws import check
    from ludwin.library import load

    try:
        game = load(options.game)
        report = check(game, options.playouts, options.seed, progress=say)
    except RuleError as error:
        if options.json:
            told = {"kind": type(error).__name__, "message": error.reason}
            print_json({"game": options.game, "ok": False, "error": told, "file": error.path, "line": error.line})
        else:
            say(str(error))
        return 1
    if options.json:
        print_json({"ok": True, **vars(report), "seed": options.seed})
        return 0
    if game.is_world:
        print(f"{report.game} keeps the laws of worlds: {report.playouts} runs, {report.positions} ticks")
        print(f"  longest run {report.longest} ticks (MAX_TICKS {game.max_plies})")
        print(f"  {' = '.join(report.modes)} at every tick")
        return 0
    print(f"{report.game} keeps the laws of games: {report.playouts} random games, {report.positions} positions")
    print(
        f"  longest game {report.longest} plies (MAX_PLIES {game.max_plies}), most moves {report.most_moves} "
        f"(MAX_MOVES {game.max_moves})"
    )
    print(f"  {' = '.join(report.modes)} on playouts and {report.searches} small searches")
    return 0
