"""The command `uci`: an agent as an engine for other programs."""

import argparse

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin uci", "our best player of chess; programs for chess start this command as an engine"),
    ("ludwin uci uct:playouts=5000", "any other agent"),
)
CLOSES = True


def add(parser: argparse.ArgumentParser) -> None:
    """Take an agent."""
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", default="", help=f"{take.AGENT} (default: the game's own player)"
    )
    parser.add_argument(
        "--game", metavar="GAME", default="chess", help="a game that engines can be asked about (default: chess)"
    )
    take.seed(parser)


def run(options: argparse.Namespace) -> int:
    """Read commands and write answers until quit."""
    import sys

    from ludwin.adapters.engines import protocol_of
    from ludwin.adapters.uci_door import UciDoor
    from ludwin.cli.common import load
    from ludwin.errors import BadParameter
    from ludwin.library import agent

    game = load(options.game)
    player = agent(options.agent or protocol_of(game, "uci").player, game)
    if player.name == "human":
        raise BadParameter("uci: an engine cannot ask a human; name another agent")
    player.suits(game)
    results = sys.stdout

    def write(line: str) -> None:
        try:
            print(line, file=results, flush=True)
        except (BrokenPipeError, ValueError):  # nobody listens any more; the end of input will come
            return

    UciDoor(game, player, write, options.seed).serve(sys.stdin or ())  # None: it was closed before we began
    player.leave()
    return 0
