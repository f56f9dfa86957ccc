"""The command `games`: which games there are, and what they offer."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ludwin.game import Game

EXAMPLES = (
    ("ludwin games", "every registered game with its parameters"),
    ("ludwin games --json", "the same for a program"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take nothing but --json."""


def run(options: argparse.Namespace) -> int:
    """List the registered games."""
    from ludwin.cli.common import print_json, print_table
    from ludwin.games import homes
    from ludwin.library import load
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
                "kind": _describe(g),
                "parameters": g.source.parameters,
                "offers": sorted(g.offers),
            }
            for g in found
        ]
        print_json({"games": rows})
        return 0
    table = []
    for g in found:
        parameters = " ".join(f"{k}={v}" for k, v in g.source.parameters.items())
        table.append([g.name, str(g.players), _describe(g), parameters, lines[g.name].partition(": ")[2]])
    print_table("games", ["game", "players", "kind", "parameters", "about"], table, right=(1,))
    if not sys.stdout.isatty():
        return 0
    print("`ludwin new NAME` writes a game of your own; every command takes its file: ./NAME.py")
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


def _describe(game: "Game") -> str:
    kinds = ["ticks"] if game.is_world else []
    if game.has_chance:
        kinds.append("chance")
    if game.has_secrets:
        kinds.append("hidden information")
    return ", ".join(kinds) or "perfect information"
