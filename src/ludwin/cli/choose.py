"""The command `choose`: one move of an agent, with its reasons."""

import argparse

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin choose draughts alphabeta:depth=9", "what alpha-beta plays, and what it thinks of it"),
    ("ludwin choose tic-tac-toe uct --from .X./.O./...", "at another position"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, a position and an agent."""
    take.game(parser)
    parser.add_argument("agent", metavar="AGENT", help=take.AGENT)
    take.seed(parser)
    take.mode(parser)


def run(options: argparse.Namespace) -> int:
    """Let an agent choose a move."""
    from ludwin.cli.common import drawn, load, position, print_json
    from ludwin.library import agent

    game = load(options.game)
    player = agent(options.agent, game)
    state = position(game, options)
    choice = player.choose(game, state, seed=options.seed, mode=options.mode)
    if options.json:
        print_json(
            {
                "move": state.name(choice.move),
                "code": choice.move,
                "value": choice.value,
                "decided": choice.decided,
                "nodes": choice.nodes,
            }
        )
        return 0
    print(drawn(state))
    worth = f"{'decided, payoff' if choice.decided else 'value'} {choice.value:g} to player {state.mover}"
    print(f"{player} plays {state.name(choice.move)}: {worth}, {choice.nodes:,} nodes")
    return 0
