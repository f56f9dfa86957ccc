"""Events: matches and tournaments whose files are the same bytes, however they came about.

Why it is here.  Games may be played by many workers, in any order, and be interrupted at any moment.
What is written down depends on none of this: games are recorded in the order of their numbers, a
sequential test looks at prefixes of that order only, and a resumed event plays exactly the games
that are missing.
"""

import operator
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, TypedDict, Unpack

from ludwin import __version__, library, trust
from ludwin.arena.desk import Desk, demand_suitable
from ludwin.arena.errands import Guests
from ludwin.arena.openings import is_book, read_openings
from ludwin.arena.records import (
    AGENT,
    BadRecords,
    Record,
    Writer,
    create,
    parse_record,
    read_header,
    read_kept,
    read_records,
)
from ludwin.arena.replay import examine, open_event
from ludwin.arena.results import Outcome
from ludwin.arena.schedule import Job, jobs, total_games
from ludwin.arena.score import points
from ludwin.arena.standing import Standing, Tally
from ludwin.arena.stats import Sprt, pentanomial
from ludwin.arena.terms import Adjudication, Clock, Terms, parse_sprt
from ludwin.arena.workers import Pool
from ludwin.arena.world_desk import desk_of
from ludwin.errors import BadParameter, LudwinError, brief, did_you_mean
from ludwin.files import open_log
from ludwin.game import Game
from ludwin.progress import SILENT, Progress
from ludwin.search.choice import Agent
from ludwin.settings import one_of, within
from ludwin.spread import elsewhere
from ludwin.words import MODES

WINDOW = 8192  # so many finished games may wait in memory for an earlier one, or as many as the crew's chunks hold
MOST_KEPT = 4 << 30  # bytes of waiting games on disk, beside the record; then the crew waits, too
NEWS_SECONDS = 0.1


class Conditions(TypedDict, total=False):
    """What `tournament` and `match` take beside game and agents, in the words of the command line."""

    games: int
    seed: int
    format: str
    rounds: int | None
    openings: int | str | Path | Sequence[str] | None
    sprt: str | Sprt | None
    clock: str | Clock | None
    patience: float | None
    adjudicate: str | Adjudication | None
    repetition: int


def tournament(
    game: Game | str | Path,
    agents: Sequence[Agent | str],
    *,
    workers: int = 1,
    out: Path | str | None = None,
    resume: Path | str | None = None,
    mode: str = "fast",
    progress: Progress = SILENT,
    **conditions: Unpack[Conditions],
) -> Outcome:
    """Play an event and return its results; `out` records every game, `resume` goes on with such a file.

    Game and agents may be texts. `openings` is a number of random plies, a book of the game such as "ballots", the
    path of a file, or a list of texts; the other conditions (`games`, `seed`, `format`, `sprt`, `clock`, …) are those
    of the command line. Raises LudwinError for terms that do not fit, and for a file that is not of this event.
    """
    terms = settle_terms(conditions)
    played = game if isinstance(game, Game) else library.load(game)
    return play_event(
        played,
        library.agents(agents, played),
        terms,
        workers=workers,
        out=out,
        resume=resume,
        mode=mode,
        progress=progress,
    )


def settle_terms(conditions: Conditions) -> Terms:
    """Return conditions as terms. Raises BadParameter, and TypeError for a word that is none."""
    given: dict[str, Any] = dict(conditions)
    for word in given:
        if word not in Conditions.__annotations__:
            raise TypeError(f"an event has no {word!r}{did_you_mean(word, Conditions.__annotations__)}")
    readers: dict[str, Callable[[Any], Any]] = {
        "openings": settle_openings,
        "adjudicate": lambda text: Adjudication.parse(text) if isinstance(text, str) else text,
        "clock": lambda text: Clock.parse(text) if isinstance(text, str) else text,
        "patience": _seconds,
        "sprt": lambda text: parse_sprt(text) if isinstance(text, str) else text,
    }
    settled = {word: readers.get(word, _whole)(value) for word, value in given.items()}
    if "format" in settled:
        settled["event"] = settled.pop("format")
    return Terms(**settled)


def _whole(value: Any) -> Any:
    """Return a whole number of NumPy's as one of Python's, which JSON can hold; anything else as it is."""
    return value if isinstance(value, int | str) or not hasattr(value, "__index__") else operator.index(value)


def _seconds(value: Any) -> Any:
    """Return seconds as terms hold them; what is no number is left to them to refuse."""
    return float(value) if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**53 else value


def settle_openings(openings: int | str | Path | Sequence[str] | None) -> int | str | tuple[str, ...] | None:
    """Return openings as the terms hold them: a file is replaced by what it says."""
    if isinstance(openings, Path):
        return read_openings(openings)
    if isinstance(openings, str) and not is_book(openings):
        return int(openings) if openings.lstrip("-").isdigit() else read_openings(openings)
    return tuple(openings) if isinstance(openings, Iterable) and not isinstance(openings, str | bytes) else openings


def header_of(game: Game, agents: Sequence[Agent], terms: Terms) -> dict[str, Any]:
    """Return what the first line of the event's record file says."""
    names = [agent.label for agent in agents]
    timed = bool(terms.clock or terms.patience or any(agent.timed for agent in agents))
    return {
        "ludwin": __version__,
        "game": trust.named(game),
        **trust.marks(game),
        "agents": names,
        **trust.agent_marks(agents),
        "timed": timed,
        **terms.as_json(),
    }


def play_event(
    game: Game,
    agents: Sequence[Agent],
    terms: Terms,
    *,
    workers: int = 1,
    out: Path | str | None = None,
    resume: Path | str | None = None,
    mode: str = "fast",
    progress: Progress = SILENT,
) -> Outcome:
    """Play an event under terms that are settled; see `tournament`."""
    terms.check(game.players, len(agents))
    if not isinstance(workers, int) or isinstance(workers, bool):
        raise BadParameter(f"workers must be a whole number, got {brief(workers)}")
    within("workers", workers, least=1)
    one_of("mode", mode, MODES)
    for path in (out, resume):
        if path is not None and (not isinstance(path, str | PurePath) or not Path(path).name):
            raise BadParameter(f"a record needs the name of a file, got {brief(path)}")
    if out and resume and Path(out) != Path(resume):
        raise BadParameter("give --out to begin a file or --resume to go on with it, not both")
    demand_suitable(game, agents, terms)
    desk = desk_of(game, agents, terms, mode)
    header = header_of(game, agents, terms)
    for name in header["agents"]:
        if len(name) > AGENT.longest:
            raise BadParameter(f"the text of an agent may have {AGENT.longest} letters, {_brief(name)} has {len(name)}")
    wanted = resume or out
    path = Path(wanted) if wanted else None
    if resume and path:
        same_event(path, header, game)
    elif path:
        create(path, header)
    event = _Event(desk, path, progress)
    _log(
        path,
        f"{'resumed' if resume else 'began'} with {_crew(workers)}, mode {mode}, ludwin {__version__}",
    )
    try:
        event.play(workers)
    except BaseException as error:
        _log(path, f"stopped after {event.standing.games} games: {type(error).__name__}")
        raise
    _log(path, f"finished: {event.standing.games} games, {sum(event.standing.forfeits)} forfeits")
    return Outcome(
        game.text, tuple(header["agents"]), terms, event.standing, event.total, header["timed"], event.verdict
    )


def same_event(path: Path, header: dict[str, Any], game: Game) -> None:
    """Raise LudwinError unless the file is of the event with this header; the first difference is named.

    A game of ours is known by its name and the version: if its text has been written anew since, the games on file are
    played again, and must come out as they did.
    """
    found = read_header(path)
    if found.get("agents") == header["agents"] and found.get("code") != header.get("code"):
        raise LudwinError(f"{path} is another event: the file of an agent has changed since it was written")
    for name, value in header.items():
        if name == "texts" and name not in found:
            continue  # a file of an older version; its fingerprint covers the texts
        if name == "rules" and found.get(name) != value and game.is_ours:
            event = open_event(path, lambda text: game)
            for line, record in event.games:
                examine(event, line, record)
        elif found.get(name) != value:
            raise LudwinError(f"{path} is another event: its {name} is {_brief(found.get(name))}, not {_brief(value)}")


def _brief(value: object) -> str:
    text = str(value)
    return text if len(text) < 60 else text[:57] + "…"


class _Event:
    """An event as it runs: what is finished, what is written, what the test says."""

    def __init__(self, desk: Desk, path: Path | None, progress: Progress):
        self.desk, self.terms, self.players, self.path, self.progress = (
            desk,
            desk.terms,
            desk.game.players,
            path,
            progress,
        )
        self.standing = Standing([agent.label for agent in desk.agents])
        self.total = total_games(self.terms, len(desk.agents), self.players)
        self.writer = Writer(path) if path else None
        self.old: Iterator[tuple[int, Record]] = read_records(path) if path else iter(())
        try:
            self.kept = read_kept(path) if path else {}
        except BaseException:
            if self.writer:
                self.writer.close()
            raise
        self.waiting: dict[int, Record] = {}  # finished games that an earlier one keeps from being written
        self.shelved: dict[int, int] = {}  # where those of them lie that are too many to hold
        self.on_file: set[int] = set()  # which of them need not be written
        self.next = 0  # the number of the next game to write
        self.verdict: str | None = "continue" if self.terms.sprt else None
        self.news = 0.0

    def play(self, workers: int) -> None:
        """Play all games that are missing."""
        self.progress.total(self.total, unit="games", done=self.next)
        spread = elsewhere(workers)
        pool: Pool | Guests = (
            Guests(self.desk, spread)
            if spread
            else Pool(self.desk, workers, self.writer.handles if self.writer else list)
        )
        try:
            for games in jobs(self.terms, self.players, self.standing):
                self._round(pool, games)
                if self._decided():
                    break
            for number, _ in self.old:
                raise BadRecords(self.path or "", number, "the event was over before this game")
            pool.close(orderly=True)
        finally:
            pool.close()
            if self.writer:
                self.writer.close()
        if self.writer:
            self.writer.finish()
        self._tell()

    def _tell(self) -> None:
        """Tell how far the event is; of two players also how it stands, from the first agent's side."""
        is_match = len(self.standing.agents) == self.players == 2
        about = "+{} ={} -{}".format(*self.standing.results(0)) if is_match else ""
        self.progress.done(self.standing.games, about)

    def _round(self, pool: "Pool | Guests", games: Iterator[Job]) -> None:
        missing = self._missing(games, pool)
        for batch in pool.run(missing, lambda: self._has_room(pool)):
            self.waiting.update((record.game, record) for record in batch)
            self._write()
            if self._decided():
                return
            early = [record for record in batch if record.game in self.waiting]
            if self.writer and early:
                places = self.writer.keep(record.line() for record in early)
                if len(self.waiting) > WINDOW:
                    for record, place in zip(early, places, strict=True):
                        del self.waiting[record.game]
                        self.shelved[record.game] = place
        self._write()
        assert not self.waiting and not self.shelved, "every game of a round is written"

    def _has_room(self, pool: "Pool | Guests") -> bool:
        """Tell whether more games may be begun: those that wait for an earlier one are on disk, or fit into memory."""
        if self.writer:
            return self.writer.kept < MOST_KEPT
        return len(self.waiting) < max(WINDOW, pool.window)

    def _missing(self, games: Iterator[Job], pool: "Pool | Guests") -> Iterator[Job]:
        """Yield the games that are not on file; those that are, are entered."""
        warmed: tuple[int, ...] | None = None
        for job in games:
            if self._decided():
                return
            found = next(self.old, None)
            if found:
                number, record = found
                self._fits(job, record, self.path or "", number)
                self.waiting[job.number] = record
                self.on_file.add(job.number)
                if len(self.waiting) > WINDOW:
                    self._write()
            elif job.number in self.kept:
                assert self.writer is not None
                record = self._shelved(self.kept.pop(job.number))
                self._fits(job, record, f"{self.path}.ahead", 1)
                self.waiting[job.number] = record
                if len(self.waiting) > WINDOW:
                    self._write()
            else:
                if self.next in self.waiting:
                    self._write()
                    if self._decided():
                        return
                if job.agents != warmed:
                    warmed = job.agents
                    pool.warm(job.agents)
                yield job

    def _fits(self, job: Job, record: Record, path: Path | str, line: int) -> None:
        if (record.game, record.pair, record.seats) != (job.number, job.pair, job.seats):
            raise BadRecords(
                path,
                line,
                f"game {job.number} should be pair {job.pair} with seats {list(job.seats)}, as this event goes",
            )

    def _write(self) -> None:
        """Write the games that are next in order, as far as they are finished and the test goes on.

        Games that are on file already are entered and not written again.
        """
        ready: list[Record] = []
        while (record := self._next(self.next + len(ready))) is not None:
            ready.append(record)
        last = self._until_decision(ready)
        if last < len(ready) and ready[last].game in self.on_file:
            raise BadRecords(self.path or "", ready[last].game + 2, "the event was over before this game")
        lines = []
        for record in ready[:last]:
            self.standing.note(record)
            if record.game in self.on_file:
                self.on_file.remove(record.game)
            else:
                lines.append(record.line())
        self.next += last
        if self._decided():
            self.waiting.clear()
            self.shelved.clear()
        if self.writer and lines:
            self.writer.write(lines)
            if not self.waiting and not self.shelved and not self.kept:
                self.writer.caught_up()
        if (now := time.monotonic()) - self.news > NEWS_SECONDS:
            self.news = now
            self._tell()

    def _next(self, number: int) -> Record | None:
        """Return a finished game that waits, which is taken from there; None if it is not finished."""
        place = self.shelved.pop(number, None)
        return self.waiting.pop(number, None) if place is None else self._shelved(place)

    def _shelved(self, place: int) -> Record:
        """Return a game that lies beside the file."""
        assert self.writer is not None
        return parse_record(self.writer.kept_line(place), f"{self.path}.ahead", 1)

    def _until_decision(self, games: list[Record]) -> int:
        """Return how many of these games, the next in order, are played before the sequential test decides."""
        test = self.terms.sprt
        if test is None or not games:
            return len(games)
        tally = self.standing.tallies.get((0, 1), Tally())
        open_game = [] if tally.open is None else [tally.open]
        scores = [*open_game, *(points(record.payoffs, record.seats.index(0)) for record in games)]
        pairs = [first + second for first, second in zip(scores[::2], scores[1::2], strict=False)]
        shares = tally.repeats.shares_after([record.mark for record in games])[1 - len(open_game) :: 2]
        found = test.first_decision(pairs, before=tally.pairs, shares=shares)
        if found is None:
            return len(games)
        counts = [n + more for n, more in zip(tally.pairs, pentanomial(pairs[: found // 2]), strict=True)]
        self.verdict = test.decide(counts, shares[found // 2 - 1])
        return found - len(open_game)

    def _decided(self) -> bool:
        return self.verdict in ("accept", "reject")


def _crew(workers: int) -> str:
    spread = elsewhere(workers)
    return f"a cluster of {spread.cores} cores" if spread else f"{workers} worker{'s' if workers > 1 else ''}"


def _log(path: Path | None, line: str) -> None:
    """Add to the log beside the record file: it has what depends on the machine."""
    if path:
        with open_log(path.with_name(path.name + ".log")) as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n".encode("utf8", "replace"))
