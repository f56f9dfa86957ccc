"""Events: matches and tournaments whose files are the same bytes, however they came about.

Why it is here.  Games may be played by many workers, in any order, and be interrupted at any moment.
What is written down depends on none of this: games are recorded in the order of their numbers, a
sequential test looks at prefixes of that order only, and a resumed event plays exactly the games
that are missing.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ludwin import __version__, trust
from ludwin.arena.desk import Desk, fresh
from ludwin.arena.openings import read_openings
from ludwin.arena.records import BadRecords, Record, Writer, create, parse_record, read_header, read_kept, read_records
from ludwin.arena.schedule import Job, jobs, total_games
from ludwin.arena.standing import Standing, Tally
from ludwin.arena.stats import Sprt, pentanomial
from ludwin.arena.terms import Adjudication, Clock, Terms, parse_sprt
from ludwin.arena.workers import Finished, Pool
from ludwin.errors import BadParameter, LudwinError
from ludwin.files import open_log
from ludwin.game import Game
from ludwin.play.referee import REPETITIONS
from ludwin.progress import SILENT, Progress
from ludwin.search.choice import Agent
from ludwin.settings import within

WINDOW = 8192  # so many finished games may wait for an earlier one
NEWS_SECONDS = 0.1


@dataclass(frozen=True)
class Outcome:
    """An event and its results."""

    game: str
    agents: tuple[str, ...]
    terms: Terms
    standing: Standing
    total: int  # games of the whole event
    timed: bool  # whether results depend on the machine's speed
    verdict: str | None = None  # of a sequential test: accept, reject or continue


def tournament(
    game: Game,
    agents: Sequence[Agent],
    *,
    games: int = 20,
    seed: int = 0,
    workers: int = 1,
    format: str = "round-robin",
    rounds: int | None = None,
    openings: int | str | Path | Sequence[str] | None = None,
    sprt: str | Sprt | None = None,
    out: Path | str | None = None,
    resume: Path | str | None = None,
    clock: str | Clock | None = None,
    patience: float | None = None,
    adjudicate: str | Adjudication | None = None,
    repetition: int = REPETITIONS,
    mode: str = "fast",
    progress: Progress = SILENT,
) -> Outcome:
    """Play an event and return its results; `out` records every game, `resume` goes on with such a file.

    `openings` is a number of random plies, "ballots", the path of a file, or a list of texts. Raises
    LudwinError for terms that do not fit, and for a file that is not of this event.
    """
    terms = Terms(
        games,
        seed,
        format,
        rounds,
        settle_openings(openings),
        repetition,
        Adjudication.parse(adjudicate) if isinstance(adjudicate, str) else adjudicate,
        Clock.parse(clock) if isinstance(clock, str) else clock,
        None if patience is None else float(patience),
        parse_sprt(sprt) if isinstance(sprt, str) else sprt,
    )
    return play_event(game, agents, terms, workers=workers, out=out, resume=resume, mode=mode, progress=progress)


def settle_openings(openings: int | str | Path | Sequence[str] | None) -> int | str | tuple[str, ...] | None:
    """Return openings as the terms hold them: a file is replaced by what it says."""
    if isinstance(openings, Path):
        return read_openings(openings)
    if isinstance(openings, str) and openings != "ballots":
        return int(openings) if openings.lstrip("-").isdigit() else read_openings(openings)
    return openings if openings is None or isinstance(openings, int | str) else tuple(openings)


def header_of(game: Game, agents: Sequence[Agent], terms: Terms) -> dict[str, Any]:
    """Return what the first line of the event's record file says."""
    names = [str(agent) for agent in agents]
    timed = bool(terms.clock or terms.patience or any(agent.timed for agent in agents))
    return {
        "ludwin": __version__,
        "game": trust.named(game),
        **trust.marks(game),
        "agents": names,
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
    within("workers", workers, least=1)
    if out and resume and Path(out) != Path(resume):
        raise BadParameter("give --out to begin a file or --resume to go on with it, not both")
    for agent in agents:
        agent.suits(game)
        fresh(agent)
    desk = Desk(game, agents, terms, mode)
    header = header_of(game, agents, terms)
    wanted = resume or out
    path = Path(wanted) if wanted else None
    if resume and path:
        same_event(path, header)
    elif path:
        create(path, header)
    event = _Event(desk, path, progress)
    _log(
        path,
        f"{'resumed' if resume else 'began'} with {workers} worker{'s' if workers > 1 else ''}, mode {mode}, ludwin "
        f"{__version__}",
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


def same_event(path: Path, header: dict[str, Any]) -> None:
    """Raise LudwinError unless the file is of the event with this header; the first difference is named."""
    found = read_header(path)
    for name, value in header.items():
        if name == "texts" and name not in found:
            continue  # a file of an older version; its fingerprint covers the texts
        if found.get(name) != value:
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
        self.standing = Standing([str(agent) for agent in desk.agents])
        self.total = total_games(self.terms, len(desk.agents), self.players)
        self.writer = Writer(path) if path else None
        self.old: Iterator[tuple[int, Record]] = read_records(path) if path else iter(())
        try:
            self.kept = read_kept(path) if path else {}
        except BaseException:
            if self.writer:
                self.writer.close()
            raise
        self.waiting: dict[int, Finished] = {}  # finished games that an earlier one keeps from being written
        self.next = 0  # the number of the next game to write
        self.verdict: str | None = "continue" if self.terms.sprt else None
        self.news = 0.0

    def play(self, workers: int) -> None:
        """Play all games that are missing."""
        self.progress.total(self.total, unit="games", done=self.next)
        pool = Pool(self.desk, workers, self.writer.handles if self.writer else list)
        try:
            for games in jobs(self.terms, self.players, self.standing):
                self._round(pool, games)
                if self._decided():
                    break
            for number, _ in self.old:
                raise BadRecords(self.path or "", number, "the event was over before this game")
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

    def _round(self, pool: Pool, games: Iterator[Job]) -> None:
        missing = self._missing(games, pool)
        for batch in pool.run(missing, lambda: len(self.waiting) < WINDOW):
            self.waiting.update((done.job.number, done) for done in batch)
            self._write()
            if self._decided():
                return
            early = [done.line for done in batch if done.job.number in self.waiting]
            if self.writer and early:
                self.writer.keep(early)
        self._write()
        assert not self.waiting, "every game of a round is written"

    def _missing(self, games: Iterator[Job], pool: Pool) -> Iterator[Job]:
        """Yield the games that are not on file; those that are, are entered."""
        warmed: tuple[int, ...] | None = None
        for job in games:
            if self._decided():
                return
            found = next(self.old, None)
            if found:
                number, record = found
                self._fits(job, record, self.path or "", number)
                self.waiting[job.number] = Finished(job, record.payoffs, record.end, record.by, "", record.mark)
                if len(self.waiting) > WINDOW:
                    self._write()
            elif job.number in self.kept:
                line = self.kept.pop(job.number)
                record = parse_record(line, f"{self.path}.ahead", 1)
                self._fits(job, record, f"{self.path}.ahead", 1)
                self.waiting[job.number] = Finished(job, record.payoffs, record.end, record.by, line, record.mark)
            else:
                if self.next in self.waiting:
                    self._write()
                    if self._decided():
                        return
                if job.agents != warmed:
                    warmed = job.agents
                    pool.desk.warm(job.agents)
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

        Games that are on file already have no line.
        """
        ready: list[Finished] = []
        while (done := self.waiting.pop(self.next + len(ready), None)) is not None:
            ready.append(done)
        last = self._until_decision(ready)
        if last < len(ready) and not ready[last].line:
            raise BadRecords(self.path or "", ready[last].job.number + 2, "the event was over before this game")
        for done in ready[:last]:
            self.standing.note(done.job.seats, done.payoffs, done.end, done.by, done.mark)
        self.next += last
        if self._decided():
            self.waiting.clear()
        lines = [done.line for done in ready[:last] if done.line]
        if self.writer and lines:
            self.writer.write(lines)
            if not self.waiting:
                self.writer.caught_up()
        if (now := time.monotonic()) - self.news > NEWS_SECONDS:
            self.news = now
            self._tell()

    def _until_decision(self, games: list[Finished]) -> int:
        """Return how many of these games, the next in order, are played before the sequential test decides."""
        test = self.terms.sprt
        if test is None or not games:
            return len(games)
        tally = self.standing.tallies.get((0, 1), Tally())
        open_game = [] if tally.open is None else [tally.open]
        scores = [*open_game, *(_score(done) for done in games)]
        pairs = [first + second for first, second in zip(scores[::2], scores[1::2], strict=False)]
        shares = tally.repeats.shares_after([done.mark for done in games])[1 - len(open_game) :: 2]
        found = test.first_decision(pairs, before=tally.pairs, shares=shares)
        if found is None:
            return len(games)
        counts = [n + more for n, more in zip(tally.pairs, pentanomial(pairs[: found // 2]), strict=True)]
        self.verdict = test.decide(counts, shares[found // 2 - 1])
        return found - len(open_game)

    def _decided(self) -> bool:
        return self.verdict in ("accept", "reject")


def _score(done: Finished) -> float:
    """Return the first agent's score in a game of two."""
    mine = done.job.seats.index(0)
    difference = done.payoffs[mine] - done.payoffs[1 - mine]
    return 1.0 if difference > 0 else 0.5 if difference == 0 else 0.0


def _log(path: Path | None, line: str) -> None:
    """Add to the log beside the record file: it has what depends on the machine."""
    if path:
        with open_log(path.with_name(path.name + ".log")) as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {line}\n".encode("utf8", "replace"))
