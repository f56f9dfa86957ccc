"""Commands of backgammon: `td` lets a network learn the game against itself."""

import argparse
from pathlib import Path

COMMANDS = {"td": "let a network learn backgammon by temporal differences, for the agent td:file=FILE"}
EXAMPLES = {
    "td": (
        ("ludwin td --games 20000 --out my.json", "learn for a while, and measure it"),
        ("ludwin td --resume my.json --games 60000", "go on with it"),
        ("ludwin match backgammon td:file=my.json pubeval", "let it play"),
    )
}
RATES = (0.03, 0.001)  # first and last
TELL_EVERY = 20  # blocks of a thousand games; the network is kept after each


def add_td(parser: argparse.ArgumentParser) -> None:
    """Take the size of the network, the games, the rates and the file."""
    parser.add_argument("--hidden", type=int, default=20, metavar="N", help="units of the network (20)")
    parser.add_argument("--games", type=int, default=20_000, metavar="N", help="games against itself (20000)")
    parser.add_argument("--rate", type=float, default=RATES[0], metavar="R", help="rate of learning at first (0.03)")
    parser.add_argument("--last-rate", type=float, default=RATES[1], metavar="R", help="and at the end (0.001)")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed (0)")
    parser.add_argument("--out", metavar="FILE", help="where the network is kept, every thousand games")
    parser.add_argument("--resume", metavar="FILE", help="go on with a network; --games counts all of its games")
    parser.add_argument("--test", type=int, default=1000, metavar="N", help="games against Pubeval at the end (1000)")


def run_td(options: argparse.Namespace) -> int:
    """Learn, keep the network, and measure it against Pubeval."""
    import json
    import sys

    from ludwin.arena.match import match
    from ludwin.errors import BadParameter
    from ludwin.games.backgammon.opponents.network import LearntByDifferences
    from ludwin.games.backgammon.opponents.oneply import Pubeval
    from ludwin.games.backgammon.opponents.td import Learner
    from ludwin.library import load

    if not (options.out or options.resume):
        raise BadParameter("td keeps its network in a file: give --out FILE")
    if options.games < 1 or options.test < 0 or options.test % 2:
        raise BadParameter("games must be at least 1, and test games an even number")
    if not 0 < options.last_rate <= options.rate <= 1:
        raise BadParameter("rates are between 0 and 1, and the last is not above the first")
    path = Path(options.out or options.resume)
    if options.out and not options.resume and path.exists():
        raise BadParameter(f"{path} exists; go on with --resume {path}, or choose another name")
    learner = Learner.read(Path(options.resume)) if options.resume else Learner.begin(options.hidden, options.seed)
    again = f"go on with: ludwin td --resume {path} --games {options.games}"
    if (options.rate, options.last_rate) != RATES:
        again += f" --rate {options.rate} --last-rate {options.last_rate}"
    try:
        for k, now in enumerate(learner.train(options.games, (options.rate, options.last_rate)), 1):
            now.save(path)
            if k == 1:
                print(f"ludwin: after an interruption {again}", file=sys.stderr)
            if k % TELL_EVERY == 0:
                print(f"ludwin: {now.games:,} of {options.games:,} games", file=sys.stderr)
    except KeyboardInterrupt:
        print(f"ludwin: interrupted; {again if path.exists() else 'nothing is kept yet'}", file=sys.stderr)
        return 130
    learner.save(path)
    found = {"file": str(path), "hidden": learner.network.hidden, "games": learner.games, "seed": learner.seed}
    if options.test:
        player = LearntByDifferences(file=str(path))
        played = match(load("backgammon"), player, Pubeval(), games=options.test, seed=options.seed)
        found |= {"test": options.test, "score": played.score, "low": played.low, "high": played.high}
    if options.json:
        print(json.dumps(found))
        return 0
    print(f"{path}: {found['hidden']} units after {found['games']:,} games against itself")
    if options.test:
        ends = f"[{found['low']:.4f}, {found['high']:.4f}]"
        print(f"  against pubeval, {options.test} games: score {found['score']:.4f} {ends}")
    return 0
