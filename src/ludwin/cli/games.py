"""The command `games`: which games there are, and what they offer."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludwin.game import Game

EXAMPLES = (
    ("ludwin games", "every registered game with its parameters"),
    ("ludwin games carcassonne", "explain one: rules, parameters, levels, what it offers"),
    ("ludwin games --json", "the list for a program"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take the name of a game, or nothing."""
    parser.add_argument("game", metavar="GAME", nargs="?", help="explain this game (default: list all)")


def run(options: argparse.Namespace) -> int:
    """List the registered games, or explain one."""
    if options.game is not None:
        return _explain(options)
    from ludwin.cli.common import print_json, print_table
    from ludwin.games import homes
    from ludwin.library import kind_of, load
    from ludwin.rules.brought import brought

    found = [load(name) for name in homes()]
    found += [game for name in brought() if (game := _brought(name)) is not None]
    lines = {game.name: (game.module.__doc__ or "").strip().splitlines()[0].rstrip(".") for game in found}
    if options.json:
        rows = [
            {
                "game": g.name,
                "players": g.players,
                "about": lines[g.name],
                "kind": kind_of(g),
                "parameters": g.source.parameters,
                "offers": sorted(g.offers),
            }
            for g in found
        ]
        print_json({"games": rows})
        return 0
    if sys.stdout.isatty():
        _print_all(found, lines)
        return 0
    table = []
    for g in found:
        parameters = " ".join(f"{k}={v}" for k, v in g.source.parameters.items())
        table.append([g.name, str(g.players), kind_of(g), parameters, lines[g.name].partition(": ")[2]])
    print_table("games", ["game", "players", "kind", "parameters", "about"], table, right=(1,))
    return 0


def _print_all(found: "list[Game]", lines: dict[str, str]) -> None:
    """Print the games for a screen: what each is, and below it players, kind and parameters."""
    from ludwin.cli.common import print_list, print_words
    from ludwin.library import kind_of

    rows = []
    for g in found:
        parameters = " ".join(f"{k}={v}" for k, v in g.source.parameters.items())
        remark = f"{g.players} player{'s' * (g.players != 1)}, {kind_of(g)}{'; ' if parameters else ''}{parameters}"
        rows.append((g.name, lines[g.name].partition(": ")[2], remark))
    print_list(rows)
    print()
    print_words("`ludwin games NAME` explains one, `ludwin new NAME` writes one of your own.")


def _explain(options: argparse.Namespace) -> int:
    """Say what a game is, what can be set, who plays it, and how to begin."""
    from ludwin.cli.common import load, print_json, print_page, print_words
    from ludwin.library import kind_of, levels, opponents

    game = load(options.game)
    text = (game.module.__doc__ or "").strip()
    about = text.splitlines()[0].rstrip(".") if text else game.name
    players = {} if game.is_world or game.players > 2 else levels(game)
    own = [*opponents(game), *(f"own:driver={name}" for name in game.variants("control_"))]
    if options.json:
        known = {"game": game.text, "players": game.players, "about": about, "kind": kind_of(game)}
        more = {"parameters": game.source.parameters, "offers": sorted(game.offers), "levels": players, "text": text}
        more["opponents"] = own
        print_json({**known, **more})
        return 0
    print_page(text or game.name)
    print(f"\n{game.text}: {game.players} player{'s' * (game.players != 1)}, {kind_of(game)}")
    if game.source.parameters:
        print_words("parameters: " + ", ".join(f"{key}={value}" for key, value in game.source.parameters.items()))
    if players:
        print_words("levels: " + ", ".join(f"{level} is {agent}" for level, agent in players.items()))
    if own:
        print_words(f"brings along: {', '.join(own)}")
    print_words(f"offers: {', '.join(sorted(game.offers)) or 'nothing beyond the rules'}")
    if not game.is_world:
        print(f"\nto begin: ludwin play {game.text}\n{game.start().show()}")
    return 0


def _brought(name: str) -> "Game | None":
    """Load a game of another package; None, and a line that says why, if it cannot be had."""
    from ludwin.cli.common import load, say
    from ludwin.errors import LudwinError
    from ludwin.games import homes
    from ludwin.rules.brought import brought

    one = brought()[name]
    if name in homes():
        say(f"the package {one.package} brings a game called {name}, which is one of ours: ours is played")
        return None
    try:
        return load(name)
    except LudwinError as error:
        say(f"{name}, which the package {one.package} brings, cannot be played: {str(error).splitlines()[0]}")
        return None
