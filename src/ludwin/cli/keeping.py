"""Games that last: a game at the prompt as a file, ours or one that other programs read, and such a file as a game.

Why it is here.  `save game.pdn` and `play --load game.pdn` cross the border between a game in progress (`ludwin.play`)
and the files of events (`ludwin.arena`), which do not know each other.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ludwin.errors import BadParameter, BadPosition
from ludwin.paths import typed

if TYPE_CHECKING:
    from ludwin.game import Game
    from ludwin.play.clock import Clock
    from ludwin.play.seats import Seat
    from ludwin.play.session import PlaySession


def keep(session: "PlaySession", path: Path) -> bool:
    """Keep a game in a file of the kind that its name asks for; tell whether one can go on with all of it.

    A file of other programs has neither seed nor agents that could go on. Raises BadParameter.
    """
    from ludwin.arena.portable import format_of, write_portable
    from ludwin.arena.replay import kept_record

    if format_of(path) is None:
        session.save(path)
        return True
    if path.exists() and not _is_one_of_ours(path):
        raise BadParameter(f"{path} exists and was not written here; choose another name")
    begins = session.referee.states[0]
    record = kept_record(
        session.game, begins, session.referee.played, session.payoffs, session.end or "unfinished", session.loser
    )
    write_portable(path, session.game, session.told.names, [record])
    return False


def _is_one_of_ours(path: Path) -> bool:
    """Tell whether a file of other programs' notation holds one game that was played here."""
    from ludwin.formats import BadFile, read_text

    try:
        text = read_text(path)
    except BadFile:
        return False
    return "[LudwinGame " in text and text.count("[Result ") == 1


def game_in(options: argparse.Namespace) -> "Game":
    """Return the game that a kept game is of; a user's rules must be permitted to run."""
    from ludwin.arena.replay import open_event
    from ludwin.cli.common import load
    from ludwin.cli.permission import permit

    return open_event(typed(options.load), load, permit(options)).game


def go_on(game: "Game", agents: "Sequence[Seat]", options: argparse.Namespace, clock: "Clock | None") -> "PlaySession":
    """Return a kept game in progress again. Raises BadPosition or BadParameter."""
    from ludwin.arena.portable import format_of
    from ludwin.play.session import open_session

    path = typed(options.load)
    if options.position or options.moves:
        raise BadParameter("a saved game brings its own start: give --load or --from, not both")
    if format_of(path) is None:
        return open_session(game, agents, load=path, mode=options.mode, clock=clock)
    from ludwin.arena.replay import first_state, open_event
    from ludwin.cli.common import load

    event = open_event(path, load)
    if event.game != game:
        raise BadPosition(f"{path} is a game of {event.game.text!r}, not of {game.text!r}")
    _, record = next(iter(event.games))
    session = open_session(
        game, agents, start=first_state(game, record), seed=options.seed or 0, mode=options.mode, clock=clock
    )
    for move in record.moves:
        session.referee.play(move)
    session.kept = tuple(session.referee.played)
    return session


def demand_place(session: "PlaySession", name: str) -> Path:
    """Return where a game will be kept, before it begins. Raises BadParameter for a name that cannot be."""
    from ludwin.arena.portable import OUR_SUFFIXES, demand_format

    path = typed(name)
    if path.is_dir() or not path.parent.is_dir():
        raise BadParameter(f"{name!r} cannot be the name of a file to keep the game in")
    if path.suffix.lower() not in OUR_SUFFIXES and path.suffix.lower() in (".pdn", ".pgn"):
        demand_format(path, session.game)
    return path
