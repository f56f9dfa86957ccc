"""The command `moves`: a position and what can be played there."""

import argparse
from typing import Any

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin moves draughts", "the moves of the start position"),
    ('ludwin moves nim --from "heap=5 turn=1"', "of another one"),
    ("ludwin moves carcassonne --svg table.svg", "draw it"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, a position, and where to draw it."""
    parser.add_argument("--svg", metavar="FILE", help="draw the position there")
    take.game(parser)


def run(options: argparse.Namespace) -> int:
    """List the legal moves of a position."""
    from ludwin.cli.common import drawn, load, position, print_json
    from ludwin.primitives import CHANCE

    game = load(options.game)
    state = position(game, options)
    legal = [(state.name(m), m) for m in state.moves()]
    if options.svg:
        from ludwin.cli.saving import save
        from ludwin.svg import dressed

        save(options.svg, dressed(state.picture()))
    if options.json:
        data: dict[str, Any] = {"game": game.text, "position": state.write(), "mover": state.mover, "over": state.over}
        data["moves"] = [{"move": name, "code": m} for name, m in legal]
        if state.over:
            data["payoffs"] = list(state.payoffs())
        print_json(data)
        return 0
    print(drawn(state))
    if not legal:
        print("the game is over; payoffs " + ", ".join(f"{p}: {v:g}" for p, v in enumerate(state.payoffs())))
        return 0
    who = "nature" if state.mover == CHANCE else f"player {state.mover}"
    print(f"{who} has {len(legal)} move{'s' if len(legal) > 1 else ''}: " + " ".join(name for name, _ in legal))
    return 0
