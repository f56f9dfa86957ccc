"""Replay: a recorded game played again, and examined on the way.

Why it is here.  A record is believed because anybody can play it again: every move must be legal, and
the rules, or the referee's, must give the recorded payoffs.  Moves of nature are taken as recorded.
What agents thought is not on record, so of an adjudicated or forfeited game only moves and payoffs
are examined.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ludwin import trust
from ludwin.arena.desk import forfeit_payoffs
from ludwin.arena.portable import format_of, read_portable
from ludwin.arena.records import UNFINISHED, BadRecords, Record, read_header, read_records
from ludwin.arena.world_replay import examine_run
from ludwin.errors import LudwinError
from ludwin.game import Game, State
from ludwin.play.referee import REPETITIONS, Referee
from ludwin.play.saved import KeptGame, about_game, read_game
from ludwin.trust import Permit, nobody

Loader = Callable[[str], Game]
REASONS = {"resignation": "resigned", "time": "time is up"}  # of a person who has lost at a board


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
    if is_kept_game(path):
        return _open_kept(path, load, permit)
    header = read_header(path)
    plies = 0
    for part in str(header.get("adjudicate") or "").split(","):
        plies = int(part[6:]) if part.startswith("plies=") and part[6:].isdecimal() and len(part) < 20 else plies
    game = trust.load(trust.described(header, path), permit, load)
    repetition = header.get("repetition", REPETITIONS)
    return Event(path, game, tuple(header["agents"]), repetition, plies, read_records(path), header["seed"])


def is_kept_game(path: Path) -> bool:
    """Tell whether a file begins as a game that was kept at the board does; what else is in it is not looked at."""
    try:
        with open(path, "rb") as file:
            head = file.read(200) if path.is_file() else b""
    except OSError:
        return False
    return b'"ludwin-play"' in head


def _open_kept(path: Path, load: Loader, permit: Permit) -> Event:
    """Open a game that was kept at the board, as an event of one game. Raises LudwinError."""
    data, kept = about_game(path)
    game = trust.load(trust.described({**data, "game": trust.without_folder(data["game"])}, path), permit, load)
    referee, _ = read_game(path, game, [None] * game.players, one_screen=False)
    end = kept.end or referee.end or "unfinished"
    payoffs = referee.payoffs if referee.end else None
    record = kept_record(game, referee.states[0], referee.played, payoffs, end, kept.loser)
    return Event(path, game, kept.names, REPETITIONS, 0, iter([(1, record)]), data["seed"])


def kept_record(
    game: Game,
    start: State,
    moves: Sequence[int],
    payoffs: tuple[float, ...] | None,
    end: str,
    loser: int | None,
) -> Record:
    """Return a game at a board as a record of one game; who gave up, or whose time was up, has forfeited it.

    An unfinished game has no payoffs: a draw stands there, its end says so, and nobody counts it.
    """
    seats = tuple(range(game.players))
    position = None if start == game.start() else start.fields_text()
    share = ((game.payoff_sum or 0) / game.players,) * game.players
    if end in REASONS and loser is not None:
        worth = forfeit_payoffs(game, loser)
        return Record(0, 0, seats, tuple(moves), worth, "forfeit", (), position, loser, REASONS[end])
    return Record(0, 0, seats, tuple(moves), payoffs or share, end if payoffs else UNFINISHED, (), position)


def result_on_file(data: Mapping[str, Any], kept: KeptGame) -> Record:
    """Return a game at a board as a record, as its file tells it: nothing is played, so that no rules are needed."""
    players = len(data["seats"])
    seats, moves = tuple(range(players)), tuple(data["codes"])
    if kept.end in REASONS and kept.loser is not None:
        worth = tuple(-1.0 if p == kept.loser else 1 / max(players - 1, 1) for p in range(players))
        return Record(0, 0, seats, moves, worth, "forfeit", (), None, kept.loser, REASONS[kept.end])
    return Record(0, 0, seats, moves, kept.payoffs or (0.0,) * players, "rules" if kept.payoffs else UNFINISHED)


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
    if record.end == UNFINISHED:
        return [record.payoffs]
    if record.end == "forfeit":
        return [forfeit_payoffs(game, record.by or 0)]
    if record.end == "adjudication" and not referee.end:
        share = (game.payoff_sum or 0) / game.players
        draw, first, second = (share,) * game.players, (share + 1, share - 1), (share - 1, share + 1)
        return [draw] if game.players != 2 or 0 < event.plies == len(record.moves) else [draw, first, second]
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
