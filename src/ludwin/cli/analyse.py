"""The command `analyse`: watch a search think, and see its reasons.

Why it is here.  A move without reasons teaches nothing.  Deepening searches are shown depth by depth,
Monte Carlo searches at doubling budgets, each with value, nodes and line; the last one in full.
"""

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ludwin.cli import options as take

if TYPE_CHECKING:
    from ludwin.game import State
    from ludwin.search.choice import Agent, Choice

FIRST_PLAYOUTS = 100
EXAMPLES = (
    ("ludwin analyse tic-tac-toe alphabeta:depth=9", "depth by depth"),
    ("ludwin analyse connect-four uct:playouts=10000", "at doubling budgets, then the visits of every move"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, a position and an agent."""
    take.game(parser)
    parser.add_argument("agent", metavar="AGENT", help=take.AGENT)
    take.seed(parser)
    take.mode(parser)


def stages(player: "Agent") -> "Iterator[Agent]":
    """Yield the agent at growing budgets; the last is the agent itself."""
    import dataclasses

    from ludwin.search.alphabeta import AlphaBeta
    from ludwin.search.uct import UCT

    if isinstance(player, AlphaBeta) and not (player.nodes or player.seconds):
        for depth in range(1, player.depth):
            yield dataclasses.replace(player, depth=depth)
    elif isinstance(player, UCT) and player.playouts:
        playouts = FIRST_PLAYOUTS
        while playouts < player.playouts:
            yield dataclasses.replace(player, playouts=playouts)
            playouts *= 2
    yield player


def line_text(state: "State", line: tuple[int, ...]) -> str:
    """Return a principal variation in the game's own notation."""
    words = []
    for move in line:
        words.append(state.name(move))
        state = state.play(move)
    return " ".join(words)


def reasons(state: "State", player: "Agent", choice: "Choice") -> dict[str, Any]:
    """Return everything that a choice says, with moves named."""
    data: dict[str, Any] = {"agent": str(player), "move": state.name(choice.move), "code": choice.move}
    data |= {
        "value": choice.value,
        "decided": choice.decided,
        "nodes": choice.nodes,
        "kinds": choice.kinds,
        "depth": choice.depth,
    }
    data["line"] = line_text(state, choice.line).split(" ") if choice.line else []
    if choice.visits or choice.values:
        moves = sorted(choice.visits or choice.values, key=lambda m: -(choice.visits or choice.values)[m])
        data["moves"] = [
            {"move": state.name(m), "code": m, "visits": choice.visits.get(m), "value": choice.values.get(m)}
            for m in moves
        ]
    return data


def run(options: argparse.Namespace) -> int:
    """Print how a search comes to its move, stage by stage."""
    from ludwin.cli.common import load, position, print_json
    from ludwin.library import agent

    game = load(options.game)
    state = position(game, options)
    player = agent(options.agent, game)
    player.suits(game)
    if not options.json:
        print(state.show())
        print(f"{'budget':<18} {'value':>9} {'nodes':>12}  line")
    for stage in stages(player):
        choice = stage.choose(game, state, seed=options.seed, mode=options.mode)
        if not options.json:
            budget = f"depth {choice.depth}" if choice.depth else f"{choice.kinds.get('playouts', 0):,} playouts"
            sure = "=" if choice.decided else " "
            print(
                f"{budget:<18} {sure}{choice.value:8.4f} {choice.nodes:12,}  {line_text(state, choice.line)}",
                flush=True,
            )
    data = reasons(state, player, choice)
    if options.json:
        print_json({"game": game.text, "position": state.write(), **data})
        return 0
    counts = ", ".join(f"{count:,} {kind}" for kind, count in choice.kinds.items())
    print(f"{player} plays {data['move']}" + (f" ({counts})" if counts else ""))
    for entry in data.get("moves", [])[:12]:
        visits = "" if entry["visits"] is None else f"{entry['visits']:>9,} visits"
        print(f"  {entry['move']:<12} {entry['value']:8.4f} {visits}")
    return 0
