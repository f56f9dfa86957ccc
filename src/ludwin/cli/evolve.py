"""The command `evolve`: programs bred into a folder. What it does lives in `evolving`."""

import argparse

from ludwin.cli import options as take

CLOSES = True
EXAMPLES = (
    ("ludwin evolve", "list the experiments"),
    ("ludwin evolve lose-checkers --explain", "its settings, with their presets and meanings"),
    ("ludwin evolve reversi --seed 1 --workers 2", "a quick run into runs/reversi-seed1"),
    ("ludwin evolve ./my_game.py --set population=200 --out mine", "a game of your own"),
    ("ludwin evolve --resume mine", "go on with a run that was stopped"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take an experiment and its settings. A resumed run has its own, so nothing has a default here."""
    parser.add_argument(
        "experiment",
        metavar="EXPERIMENT",
        nargs="?",
        help="which, or a game or problem of yours: ./mygame.py, ./mygame/ (without: list the experiments)",
    )
    parser.add_argument("--preset", choices=take.PRESETS, help="how much work (default: quick)")
    parser.add_argument("--seed", type=int, metavar="S", help="same seed, same run (default: 0)")
    parser.add_argument(
        "--seeds", type=take.positive, metavar="N", help="runs with seeds S, S+1, …, and a summary (default: 1)"
    )
    take.threads(parser)
    parser.add_argument(
        "--out", metavar="DIR", help="a new or empty folder for the run (default: runs/EXPERIMENT-seedS)"
    )
    parser.add_argument(
        "--resume", metavar="DIR", help="go on with a run that was stopped, or show the result of a finished one"
    )
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="append",
        help="settings instead of the preset's; --explain lists them",
    )
    parser.add_argument(
        "--language",
        metavar="FILE",
        help="what programs of a game are made of, as TOML (default: its queries, or else its fields)",
    )
    parser.add_argument(
        "--baseline",
        action=argparse.BooleanOptionalAction,
        help="also search at random with equal evaluations (default: the preset's)",
    )
    parser.add_argument(
        "--explain", action="store_true", help="list the experiment's settings with their presets and meanings"
    )
    take.trust(parser)
    take.part(parser)
    take.cluster(parser)


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    from ludwin.evolve.register import names

    return {"experiment": names()}


def run(options: argparse.Namespace) -> int:
    """Evolve, go on with a run, explain an experiment's settings, or list the experiments."""
    from ludwin.cli.evolving import evolve

    return evolve(options)
