"""The command `play`: a game at the prompt. What happens there lives in `prompt`, the game itself in `ludwin.play`."""

import argparse

from ludwin.cli import options as take

CLOSES = True
EXAMPLES = (
    ("ludwin play draughts", "you against uct"),
    ("ludwin play draughts hard", "against a strong player: easy, medium or hard"),
    ("ludwin play connect-four human alphabeta:depth=6 --clock 300+5", "five minutes, five seconds more a move"),
    ("ludwin play reversi uct human", "you move second"),
    ("ludwin play nim random greedy --seed 3", "watch two agents"),
    ("ludwin play --load game.json", "go on with a kept game"),
)


def add(parser: argparse.ArgumentParser) -> None:
    """Take a game, who sits where, and what to begin with."""
    take.game(parser, optional=True)
    parser.add_argument(
        "agents",
        metavar="AGENT",
        nargs="*",
        help="the other seats: an agent, easy, medium, hard, or human; as many as seats settles all (default: uct)",
    )
    parser.add_argument("--load", metavar="FILE", help="go on with a kept game (ours, or PDN, PGN)")
    parser.add_argument(
        "--clock", metavar="SECONDS[+INC]", help="people's time for the game, and what a move adds (default: none)"
    )
    parser.add_argument("--save", metavar="FILE", help="keep the game there when it is over or left")
    parser.add_argument("--name", metavar="NAME", help="what to call you in a kept game (default: human)")
    take.seed(parser, fresh=True)
    take.mode(parser)
    take.trust(parser)


def offers() -> dict[str, list[str]]:
    """Return the words that a shell may complete."""
    return {"agents": ["human", "easy", "medium", "hard"]}


def run(options: argparse.Namespace) -> int:
    """Play one game with a person, or let agents play it."""
    from ludwin.cli.common import load
    from ludwin.cli.keeping import game_in, go_on
    from ludwin.cli.prompt import play
    from ludwin.library import agent
    from ludwin.play.clock import Clock
    from ludwin.play.session import open_session
    from ludwin.search.human import Human

    if not options.game and not options.load:
        return _what_to_type(options)
    game = load(options.game) if options.game else game_in(options)
    if game.is_world:
        raise game.has_no_moves()
    found = [None if isinstance(one, Human) else one for one in (agent(text, game) for text in options.agents)]
    clock = Clock.parse(options.clock) if options.clock else None
    if options.load:
        session = go_on(game, found, options, clock)
    else:
        from ludwin.cli.common import position

        start = position(game, options) if options.position is not None or options.moves else None
        session = open_session(game, found, start=start, seed=_seed(options), mode=options.mode, clock=clock)
    session.person = options.name or "human"
    from ludwin.cli.keeping import demand_place

    keep_to = demand_place(session, options.save) if options.save else None
    return play(session, as_json=options.json, other_seats=bool(options.load and options.agents), keep_to=keep_to)


def _seed(options: argparse.Namespace) -> int:
    """Return the seed of the line, else a fresh one: nobody wants the same cards every time."""
    if options.seed is not None:
        return int(options.seed)
    from random import SystemRandom

    return SystemRandom().randrange(10**6)


def _what_to_type(options: argparse.Namespace) -> int:
    """Say what can be played, and what to type for it."""
    from ludwin.cli.common import print_json, print_list, print_words
    from ludwin.games import homes
    from ludwin.library import load

    found = [game for game in map(load, homes()) if not game.is_world]
    lines = {game.name: (game.module.__doc__ or "").strip().splitlines()[0].rstrip(".") for game in found}
    if options.json:
        print_json({"games": [{"game": name, "about": about} for name, about in lines.items()]})
        return 0
    print("Which game? Type one of these:")
    print_list([(f"  ludwin play {name}", about.partition(": ")[2] or about, "") for name, about in lines.items()])
    words = "An opponent may follow: easy, medium, hard, or an agent (`ludwin agents`); human seats a person anywhere."
    print_words(f"{words} `ludwin new NAME` writes a game of your own: ludwin play ./NAME.py")
    return 0
