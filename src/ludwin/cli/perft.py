"""The command `perft`: how many positions there are at exactly a depth."""

import argparse
import time
from typing import Any

from ludwin.cli import options as take

EXAMPLES = (
    ("ludwin perft draughts 6", "count the positions six plies deep"),
    ("ludwin perft ./my_game.py 4 --divide", "the count behind each move, to find a wrong one"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, a position and a depth."""
    take.game(parser)
    parser.add_argument("depth", type=take.count, metavar="DEPTH", help="how many plies deep")
    parser.add_argument("--divide", action="store_true", help="list the count behind each move")
    parser.add_argument("--each", action="store_true", help="play the last ply, too, instead of counting its moves")
    take.mode(parser)


def run(options: argparse.Namespace) -> int:
    """Count the positions at exactly a depth."""
    from ludwin.cli.common import load, position, print_json
    from ludwin.kernel import specialise
    from ludwin.search.perft import PERFT, PERFT_EACH, divide, perft

    game = load(options.game)
    state = position(game, options)
    if options.depth:
        specialise.specialise(game, PERFT_EACH if options.each and not options.divide else PERFT, options.mode)
    began = time.perf_counter()
    per_move = divide(game, options.depth, state, options.mode) if options.divide else {}
    leaves = sum(per_move.values()) if per_move else perft(game, options.depth, state, options.mode, each=options.each)
    seconds = time.perf_counter() - began
    if options.json:
        data: dict[str, Any] = {"game": game.text, "depth": options.depth, "leaves": leaves, "seconds": seconds}
        if options.divide:
            data["moves"] = [{"move": state.name(m), "code": m, "leaves": n} for m, n in per_move.items()]
        print_json(data)
        return 0
    for m, n in per_move.items():
        print(f"{state.name(m)}: {n}")
    print(
        f"{game.text} depth {options.depth}: {leaves} leaves ({seconds:.3f} s, "
        f"{leaves / max(seconds, 1e-9) / 1e6:.1f} million/s)"
    )
    return 0
