"""Replay: a recorded game played again, and examined on the way.

Why it is here.  A record is believed because anybody can play it again: every move must be legal, and
the rules, or the referee's, must give the recorded payoffs.  Moves of nature are taken as recorded.
What agents thought is not on record, so of an adjudicated or forfeited game only moves and payoffs
are examined.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ludwin import trust
from ludwin.arena.desk import forfeit_payoffs
from ludwin.arena.portable import format_of, read_portable
from ludwin.arena.records import BadRecords, Record, read_header, read_records
from ludwin.arena.world_replay import examine_run
from ludwin.errors import LudwinError
from ludwin.game import Game, State
from ludwin.play.referee import REPETITIONS, Referee
from ludwin.trust import Permit, nobody

Loader = Callable[[str], Game]


@dataclass(frozen=True)
class Event:
    """A record file as it is read: games come one by one, each with its line in the file."""

    path: Path
    game: Game
    agents: tuple[str, ...]
    repetition: int
    plies: int  # where the referee ends a game; 0: nowhere
    games: Iterator[tuple[int, Record]]
    seed: int = 0


def open_event(path: Path | str, load: Loader, permit: Permit = nobody) -> Event:
    """Open a record file, JSON Lines or a notation of other programs; `load` finds the game that it names.

    A file of a user's rules is opened only if `permit` says which file of rules may run. Raises LudwinError.
    """
    path = Path(path)
    portable = format_of(path)
    if portable is not None:
        game, agents, games = read_portable(path, portable, load)
        return Event(path, game, agents, REPETITIONS, 0, games)
    header = read_header(path)
    plies = 0
    for part in str(header.get("adjudicate") or "").split(","):
        plies = int(part[6:]) if part.startswith("plies=") and part[6:].isdecimal() and len(part) < 20 else plies
    game = trust.load(trust.described(header, path), permit, load)
    repetition = header.get("repetition", REPETITIONS)
    return Event(path, game, tuple(header["agents"]), repetition, plies, read_records(path), header["seed"])


def first_state(game: Game, record: Record) -> State:
    """Return the position where the agents took over. Raises LudwinError if there is none."""
    state = game.position(record.position) if record.position is not None else game.start()
    for move in record.opening:
        state = state.play(move)
    return state


def states(game: Game, record: Record) -> Iterator[State]:
    """Yield the positions of a game, from where the agents took over to its end. Raises IllegalMove."""
    state = first_state(game, record)
    yield state
    for move in record.moves:
        state = state.play(move)
        yield state


def examine(event: Event, line: int, record: Record) -> None:
    """Play a game again. Raises BadRecords if it is not legal or not worth what the record says."""
    game = event.game
    try:
        if len(record.seats) != game.players:
            raise LudwinError(f"{len(record.seats)} seats at a game of {game.players} players")
        if game.is_world:
            return examine_run(game, event.agents, event.seed, record, event.path)
        if record.course:
            raise LudwinError(f"{game.name} is played in moves, and the record has ticks")
        referee = Referee(game, 0, first_state(game, record), repetitions=event.repetition)
        for ply, move in enumerate(record.moves):
            if referee.end:
                raise LudwinError(
                    f"the game was over ({referee.end}) after {ply} moves, the record has {len(record.moves)}"
                )
            if move not in referee.state.moves():
                raise LudwinError(f"move {ply + 1}, {move}, is not legal")
            referee.play(move)
        expected = _expected(event, record, referee)
    except LudwinError as error:
        raise BadRecords(event.path, line, f"game {record.game}: {str(error).splitlines()[0]}") from None
    if record.payoffs not in expected:
        shown = " or ".join(str(list(payoffs)) for payoffs in expected)
        raise BadRecords(
            event.path, line, f"game {record.game}: payoffs should be {shown}, the record says {list(record.payoffs)}"
        )


def _expected(event: Event, record: Record, referee: Referee) -> list[tuple[float, ...]]:
    """Return the payoffs that a game may have that ended here as the record says. Raises LudwinError."""
    game = event.game
    if record.end == "forfeit":
        return [forfeit_payoffs(game, record.by or 0)]
    if record.end == "adjudication" and not referee.end:
        share = (game.payoff_sum or 0) / game.players
        draw, first, second = (share,) * game.players, (share + 1, share - 1), (share - 1, share + 1)
        return [draw] if game.players != 2 or len(record.moves) == event.plies else [draw, first, second]
    if referee.end != record.end:
        raise LudwinError(
            f"the game ends by {record.end} in the record, but {'by ' + referee.end if referee.end else 'not'} when "
            f"played again"
        )
    return [referee.payoffs]


def named(record: Record, game: Game) -> list[str]:
    """Return the names of a game's moves, those of the opening included."""
    state = first_state(game, replace(record, opening=()))
    names = []
    for move in (*record.opening, *record.moves):
        names.append(state.name(move))
        state = state.play(move)
    return names
