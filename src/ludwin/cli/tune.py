"""The command `tune`: parameters of an agent, found by matches and confirmed by fresh ones."""

import argparse

from ludwin.cli import options as take

CLOSES = True
EXAMPLES = (
    ("ludwin tune connect-four uct:playouts=200 --over c=0.001..10", "exploration, from four orders of magnitude"),
    (
        "ludwin tune nim mcts --over c=0.1..2,final=robust|max --out tuned",
        "two at a time, recorded; the same line goes on",
    ),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, an agent, the ranges, and how much to play."""
    take.game(parser, position=False)
    parser.add_argument("agent", metavar="AGENT", help=f"whose parameters: {take.AGENT}")
    parser.add_argument(
        "--over",
        metavar="KEY=LOW..HIGH,…",
        required=True,
        help="the parameters and where to look; KEY=A|B names choices. Wide ranges are searched by factors",
    )
    parser.add_argument("--candidates", type=take.positive, default=12, metavar="N", help="of a stage (default: 12)")
    parser.add_argument("--stages", type=take.positive, default=5, metavar="N", help="each looks nearer (default: 5)")
    parser.add_argument(
        "--games", type=take.positive, default=4, metavar="N", help="of every two candidates of a stage (default: 4)"
    )
    parser.add_argument(
        "--confirm",
        type=take.count,
        default=2000,
        metavar="N",
        help="games at most against AGENT as it is, on fresh seeds; 0: none (default: 2000)",
    )
    parser.add_argument(
        "--sprt", default="0,30", metavar="LO,HI", help="the test that ends the confirmation (default: 0,30)"
    )
    take.seed(parser)
    parser.add_argument(
        "--workers",
        type=take.positive,
        default=1,
        metavar="W",
        help="processes that play; the result does not depend on it (default: 1)",
    )
    parser.add_argument("--out", metavar="DIR", help="record all games there; the same line goes on with it")
    take.mode(parser)
    take.cluster(parser)


def run(options: argparse.Namespace) -> int:
    """Tune an agent."""
    from ludwin.cli.common import load, print_json, say
    from ludwin.cli.crew import crew
    from ludwin.cli.terminal import Terminal
    from ludwin.lab.tune import TuningPlan, tune

    names = ("seed", "candidates", "stages", "games", "confirm", "sprt")
    plan = TuningPlan(**{name: getattr(options, name) for name in names})
    game = load(options.game)
    try:
        with crew(options) as workers, Terminal() as progress:
            found = tune(
                game,
                options.agent,
                options.over,
                plan=plan,
                workers=workers,
                out=options.out,
                mode=options.mode,
                progress=progress,
            )
    except KeyboardInterrupt:
        say(
            f"interrupted; the same line goes on in {options.out}"
            if options.out
            else "interrupted; it had no --out DIR"
        )
        return 130
    if options.json:
        print_json(found.to_dict())
    else:
        print(found)
    return 0
