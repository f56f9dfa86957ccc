"""Files of games as a program asks about them: `ludwin.replay`, `ludwin.rate` and `ludwin.analyse_file`.

Why it is here.  The commands print what these return.  Replaying needs the rules, which are code: those of a user's
game run only if the caller names their file (`trust`).  Rating does not: who won stands in the records, so files of
games whose rules are elsewhere, or lost, can be rated all the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path, PurePath
from typing import Any

from ludwin import library
from ludwin.arena.analysis import MISTAKE, GameAnalysis, Searching, analyse_game
from ludwin.arena.portable import format_of
from ludwin.arena.records import UNFINISHED, Record, read_header, read_records
from ludwin.arena.replay import Event, Loader, examine, is_kept_game, open_event, result_on_file, states
from ludwin.arena.results import flat, standing_json, standing_table, standing_text, unique
from ludwin.arena.standing import Standing
from ludwin.errors import BadParameter, LudwinError, brief
from ludwin.game import State
from ludwin.library import is_path, split
from ludwin.paths import typed
from ludwin.play.saved import about_game
from ludwin.search.choice import Agent
from ludwin.settings import one_of
from ludwin.trust import Asking, Permit, nobody, without_folder
from ludwin.words import MODES, html_table

File = str | Path


def path_of(file: Any) -> Path:
    """Return a file that a caller names. Raises BadParameter for what is no name."""
    if not isinstance(file, str | PurePath) or not str(file) or "\0" in str(file):
        raise BadParameter(f"a file of games is named by a text or a path, got {brief(file)}")
    return typed(str(file))


def permit_of(trust: Any) -> Permit:
    """Return what a caller permits to run: nothing, or the files that it names. Raises BadParameter."""
    if trust is None:
        return nobody
    named = [trust] if isinstance(trust, str | PurePath) else trust
    files = list(named) if isinstance(named, Iterable) else [None]
    if not all(isinstance(one, str | PurePath) for one in files):
        raise BadParameter(f"trust names files of rules that may run, got {brief(trust)}")
    return Asking(tuple(map(str, files)), None)


@dataclass(frozen=True, repr=False)
class Replayed:
    """A file of games, played again: how many there are, and which are not what they say."""

    file: Path
    game: str
    agents: tuple[str, ...]
    games: int
    faults: tuple[dict[str, Any], ...]
    unfinished: int = 0  # games that were broken off: their moves are legal, and they have no payoffs yet

    @property
    def ok(self) -> bool:
        """Whether all games replay: to their payoffs, or to where they were broken off."""
        return not self.faults

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin replay --json` prints."""
        about = {"file": str(self.file), "game": self.game, "agents": list(self.agents), "games": self.games}
        return {**about, "unfinished": self.unfinished, "ok": self.ok, "faults": list(self.faults)}

    def __repr__(self) -> str:
        bad, rest = len(self.faults), self.games - self.unfinished
        if bad:
            said = "it does not replay" if self.games == 1 else f"{bad} {'does' if bad == 1 else 'do'} not replay"
        elif not self.unfinished:
            said = "it replays to its payoffs" if self.games == 1 else "all replay to their payoffs"
        elif not rest:
            said = "it is unfinished, its moves are legal"
            said = said if self.games == 1 else "all are unfinished, their moves are legal"
        else:
            said = f"{rest} replay to their payoffs, {self.unfinished} are unfinished, and legal so far"
        about = f"{counted(self.games)} of {self.game}: {said}"
        return "\n".join([*(fault["error"]["message"] for fault in self.faults), about])


def counted(games: int) -> str:
    """Return a number of games in words."""
    return f"{games} game{'s' * (games != 1)}"


def replay(file: File, *, trust: File | Sequence[File] | None = None) -> Replayed:
    """Play every game of a file again, and say which are not what they say.

    The file holds records of a match or tournament, a kept game, PDN or PGN. `trust` names the file of a user's rules
    that may run. Raises LudwinError if the file is none, or its rules may not run.
    """
    return examined(open_event(path_of(file), library.load, permit_of(trust)))


def examined(event: Event) -> Replayed:
    """Play the games of an event again."""
    faults, count, unfinished = [], 0, 0
    for line, record in event.games:
        count += 1
        try:
            examine(event, line, record)
            unfinished += record.end == UNFINISHED
        except LudwinError as error:
            told = {"kind": type(error).__name__, "message": str(error)}
            faults.append({"game": record.game, "line": line, "error": told})
    return Replayed(event.path, event.game.text, event.agents, count, tuple(faults), unfinished)


@dataclass(frozen=True)
class Results:
    """Games of a file as far as they can be read without rules."""

    game: str
    rules: str
    agents: tuple[str, ...]
    games: Iterator[tuple[int, Record]]


def results_of(path: Path, load: Loader = library.load, permit: Permit = nobody) -> Results:
    """Return the games of a file; only files of other programs, and kept games of earlier versions, need the rules.

    Raises LudwinError.
    """
    if format_of(path) is None and not is_kept_game(path):
        header = read_header(path)
        return Results(header["game"], str(header.get("rules", "")), tuple(header["agents"]), read_records(path))
    if format_of(path) is None:
        data, kept = about_game(path)
        if is_path(split(data["game"])[0]) and (kept.payoffs is not None or kept.end):
            game, rules = without_folder(data["game"]), str(data.get("rules", ""))
            return Results(game, rules, kept.names, iter([(1, result_on_file(data, kept))]))
    event = open_event(path, load, permit)
    return Results(event.game.text, event.game.fingerprint[:16], event.agents, event.games)


@dataclass(frozen=True, repr=False)
class Rated:
    """The agents of files of games, rated from all their games together."""

    game: str
    files: tuple[str, ...]
    standing: Standing
    unfinished: int

    def to_dict(self) -> dict[str, Any]:
        """Return what `ludwin rate --json` prints."""
        return {"game": self.game, "files": list(self.files), **standing_json(self.standing)}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each agent, for a data frame."""
        data = standing_json(self.standing)
        return [flat(row) for row in data.get("ratings", data.get("payoffs", []))]

    def _repr_html_(self) -> str:
        title, columns, rows, right = standing_table(self.standing)
        return html_table(f"{self.game}: {title}", columns, rows, right)

    def __repr__(self) -> str:
        head = f"{self.game}: {counted(self.standing.games)} of {len(self.standing.agents)} agents"
        return f"{head}\n{standing_text(self.standing)}"


def rate(*files: File, trust: File | Sequence[File] | None = None) -> Rated:
    """Rate the agents of files of games of one game. Raises LudwinError.

    No rules of a user's run: who won stands in the files.
    """
    return rated([path_of(file) for file in files], library.load, permit_of(trust))


def rated(files: Sequence[Path], load: Loader, permit: Permit) -> Rated:
    """Rate the agents of files; `load` finds games, as far as they are needed."""
    if not files:
        raise BadParameter("rate wants files of games, got none")
    found = [results_of(path, load, permit) for path in files]
    games = list(dict.fromkeys(one.game for one in found))
    if len(games) > 1:
        raise BadParameter(f"ratings of different games cannot be compared: {', '.join(games)}")
    own = library.is_path(library.split(games[0])[0])
    if own and len({one.rules for one in found}) > 1:
        raise BadParameter(f"ratings of different games cannot be compared: rules of {games[0]} that differ")
    names = [unique(one.agents) for one in found]
    standing = Standing(list(dict.fromkeys(name for of_file in names for name in of_file)))
    unfinished = 0
    for one, of_file in zip(found, names, strict=True):
        numbers = [standing.agents.index(name) for name in of_file]
        for _, record in one.games:
            if record.end == UNFINISHED:
                unfinished += 1
                continue
            standing.note(replace(record, seats=tuple(numbers[k] for k in record.seats)))
        for tally in standing.tallies.values():
            tally.open = None  # the second game of the last pair is missing
    return Rated(games[0], tuple(map(str, files)), standing, unfinished)


def analyse_file(
    file: File,
    agent: Agent | str,
    *,
    number: int = 0,
    mistake: float = MISTAKE,
    seed: int = 0,
    mode: str = "fast",
    trust: File | Sequence[File] | None = None,
) -> GameAnalysis:
    """Judge every move of a game of a file: what `ludwin analyse FILE AGENT` prints. Raises LudwinError."""
    event = open_event(path_of(file), library.load, permit_of(trust))
    if event.game.is_world:
        raise event.game.has_no_moves()
    for name, value in (("number", number), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise BadParameter(f"{name} must be a whole number, got {brief(value)}")
    if isinstance(mistake, bool) or not isinstance(mistake, int | float) or not 0 < mistake <= 1:
        raise BadParameter(f"mistake is a part of all values, above 0 and at most 1, got {brief(mistake)}")
    one_of("mode", mode, MODES)
    (player,) = library.agents([agent], event.game)
    boards, codes, names = game_of(event, number)
    return analyse_game(Searching(event.game, player, seed, mode), boards, codes, names, mistake=mistake)


def game_of(event: Event, number: int) -> tuple[list[State], list[int], list[str]]:
    """Return the positions, moves and players' names of a game, examined. Raises BadParameter if there is none."""
    found = next(islice(event.games, number, None), None) if number >= 0 else None
    if found is None:
        raise BadParameter(f"{event.path} has no game {number}; the first is game 0")
    examine(event, *found)
    record = found[1]
    return list(states(event.game, record)), list(record.moves), [event.agents[k] for k in record.seats]
