"""The command `play`: a game at the prompt. What happens there lives in `prompt`, the game itself in `ludwin.play`."""

import argparse

from ludwin.cli import options as take

CLOSES = True
EXAMPLES = (
    ("ludwin play draughts", "you against uct"),
    ("ludwin play connect-four human alphabeta:depth=6 --clock 300+5", "five minutes, five seconds more a move"),
    ("ludwin play nim random greedy --seed 3", "watch two agents"),
    ("ludwin play draughts --load game.json", "go on with a saved game"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, who sits where, and what to begin with."""
    take.game(parser)
    parser.add_argument(
        "agents", metavar="AGENT", nargs="*", help="the other seats; as many agents as seats: watch (default: uct)"
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a saved game")
    parser.add_argument(
        "--clock", metavar="SECONDS[+INC]", help="people's time for the game, and what a move adds (default: none)"
    )
    take.seed(parser)
    take.mode(parser)


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    return {"agents": ["human"]}


def run(options: argparse.Namespace) -> int:
    """Play one game with a person, or let agents play it."""
    from pathlib import Path

    from ludwin.cli.common import load
    from ludwin.cli.prompt import play
    from ludwin.library import agent
    from ludwin.play.clock import Clock
    from ludwin.play.session import open_session
    from ludwin.search.human import Human

    game = load(options.game)
    if game.is_world:
        raise game.has_no_moves()
    session = open_session(
        game,
        [None if isinstance(one, Human) else one for one in (agent(text, game) for text in options.agents)],
        start=game.position(options.position) if options.position else None,
        seed=options.seed,
        load=Path(options.load) if options.load else None,
        mode=options.mode,
        clock=Clock.parse(options.clock) if options.clock else None,
    )
    return play(session, as_json=options.json, other_seats=bool(options.load and options.agents))
