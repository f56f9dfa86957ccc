"""Record files: every game of an event, one line of JSON each.

Why it is here.  A result that cannot be replayed must be taken on trust.  The first line holds all
that the games depend on, each other line one game, in the order of their numbers; nothing in a file
depends on workers, paths or time, so the same event gives the same bytes.  `docs/reference/records.md`
describes the format.

Files are append-only.  Whatever moment the writer is killed at, a torn last line is dropped on resume.
Games that are finished while an earlier one still runs wait in FILE.ahead, so that they survive too.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from ludwin import formats
from ludwin.errors import LudwinError
from ludwin.files import lock, open_log
from ludwin.formats import BadFile, Format, List, Mismatch, Number, Table, Text, Truth, Whole, maybe
from ludwin.trust import FINGERPRINT, NAME, RULES, without_folder
from ludwin.trust import SEED as SEED

FORMAT, VERSION = "ludwin-games", 1
ENDS = ("rules", "repetition", "length", "adjudication", "forfeit")
UNFINISHED = "unfinished"  # a game that was left, in a file of one: it can be looked at, and counts for nobody
MOST = 10**9  # games, plies, rounds: more is a mistake
MOST_AGENTS = 1000  # of one file: ratings take memory by their square
AGENT = Text(longest=4000, line=True)  # a command may be long
COUNT = Whole(0, MOST)
MOVES = List(Whole())

HEADER = Format(
    FORMAT,
    VERSION,
    Table(
        {"game": NAME, "agents": List(AGENT, 1, MOST_AGENTS), "seed": SEED},
        {
            "ludwin": NAME,
            **RULES,
            "code": List(maybe(FINGERPRINT), 1, MOST_AGENTS),
            "timed": Truth(),
            "games": Whole(1, MOST),
            "event": NAME,
            "rounds": maybe(Whole(1, MOST)),
            "openings": formats.Either(COUNT, NAME, List(Text(line=True)), formats.Nothing()),
            "repetition": COUNT,
            "adjudicate": maybe(NAME),
            "clock": maybe(NAME),
            "patience": maybe(Number(0)),
            "sprt": maybe(NAME),
        },
    ),
    "record file",
)
GAME = Table(
    {
        "game": COUNT,
        "pair": COUNT,
        "seats": List(COUNT, least=1),
        "moves": MOVES,
        "payoffs": List(Number(), least=1),
        "end": Text(choices=ENDS),
    },
    {
        "opening": MOVES,
        "position": Text(),
        "by": COUNT,
        "reason": maybe(Text()),
        "ticks": COUNT,
        "final": Whole(0, 2**63),
        "lost": List(Table({"player": COUNT, "tick": COUNT, "reason": Text()})),
        "controls": List(maybe(Text())),
    },
)


@dataclass(frozen=True)
class Loss:
    """A player who lost its control of a world that ticks: at which tick, and why."""

    player: int
    tick: int
    reason: str


@dataclass(frozen=True)
class Course:
    """What the record of a run has in the place of moves: how long it was, and how to make it again.

    `final` is a hash of the last state. `controls` holds, for each player whose driver a replay cannot ask, what it
    answered at every tick, packed (`simulate.pack`).
    """

    ticks: int
    final: int
    lost: tuple[Loss, ...] = ()
    controls: tuple[str | None, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the keys that it adds to a line."""
        data: dict[str, Any] = {"ticks": self.ticks, "final": self.final}
        if self.lost:
            reasons = [(loss.player, loss.tick, formats.printable(loss.reason)) for loss in self.lost]
            data["lost"] = [{"player": player, "tick": tick, "reason": reason} for player, tick, reason in reasons]
        if any(self.controls):
            data["controls"] = self.controls
        return data


class BadRecords(BadFile):
    """A record file is not what it should be: which file, which line, and why."""

    def __init__(self, path: Path | str, line: int, reason: str):
        super().__init__(f"{path}:{line}: {reason}")


@dataclass(frozen=True)
class Record:
    """One game: who sat where, how it began, its moves, its payoffs by seat and why it ended."""

    game: int
    pair: int
    seats: tuple[int, ...]  # the agents' numbers, by player
    moves: tuple[int, ...]
    payoffs: tuple[float, ...]
    end: str
    opening: tuple[int, ...] = ()  # moves from the start that nobody chose
    position: str | None = None  # where the game began, if not at the start
    by: int | None = None  # the player who forfeited
    reason: str | None = None  # and why
    course: Course | None = None  # of a world that ticks, where nobody moves

    @cached_property
    def mark(self) -> int:
        """A number that games of the same moves by the same agents in the same seats share, and others do not."""
        text = f"{self.seats}{self.position!r}{self.opening + self.moves}"
        if self.course:
            text += f"{self.course.ticks} {self.course.final}"
        return int.from_bytes(hashlib.blake2b(text.encode("utf8", "replace"), digest_size=8).digest(), "little")

    def prepare(self) -> None:
        """Compute line and mark now; they are kept, also on the way to another process."""
        assert self.mark is not None and self._line

    def line(self) -> str:
        """Return the game as a line of JSON."""
        return self._line

    @cached_property
    def _line(self) -> str:
        data: dict[str, Any] = {"game": self.game, "pair": self.pair, "seats": self.seats}
        if self.position is not None:
            data["position"] = self.position
        if self.opening:
            data["opening"] = self.opening
        data["moves"] = self.moves
        data["payoffs"] = [int(v) if v == int(v) else v for v in self.payoffs]
        data["end"] = self.end
        if self.course:
            data |= self.course.as_json()
        if self.by is not None:
            data["by"], data["reason"] = self.by, None if self.reason is None else formats.printable(self.reason)
        return json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n"


def header_line(header: dict[str, Any]) -> str:
    """Return the first line of a file."""
    return (
        json.dumps({"format": FORMAT, "version": VERSION, **header}, ensure_ascii=False, separators=(",", ":")) + "\n"
    )


def _whole_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines that end with a newline, numbered from 1: what follows the last newline is torn."""
    return formats.read_lines(path, lambda number, reason: BadRecords(path, number, reason))


def read_header(path: Path | str) -> dict[str, Any]:
    """Return the first line of a record file. Raises BadRecords if it is none of ours.

    A user's rules are called by the name of their file alone; older files have its path, too.
    """
    for number, line in _whole_lines(Path(path)):
        try:
            header = formats.decode(line)
            if not isinstance(header, dict) or header.get("format") != FORMAT:
                raise Mismatch(f'the first line must say {{"format": "{FORMAT}", …}}')
            header = HEADER.accept(header)
        except Mismatch as error:
            raise BadRecords(path, number, str(error)) from None
        return {**header, "game": without_folder(header["game"])}
    torn = "its only line does not end, so it is torn, or these are no games of ours"
    raise BadRecords(path, 1, torn if Path(path).stat().st_size else "the file is empty")


def parse_record(line: str, path: Path | str, number: int) -> Record:
    """Return the game that a line describes. Raises BadRecords."""
    try:
        data = formats.decode(line)
        formats.examine(data, GAME)
    except Mismatch as error:
        raise BadRecords(path, number, str(error).replace("the file must be", "a game must be")) from None
    record = Record(
        game=data["game"],
        pair=data["pair"],
        seats=tuple(data["seats"]),
        moves=tuple(data["moves"]),
        payoffs=tuple(float(v) for v in data["payoffs"]),
        end=data["end"],
        opening=tuple(data.get("opening", ())),
        position=data.get("position"),
        by=data.get("by"),
        reason=data.get("reason"),
        course=_course(data) if "ticks" in data else None,
    )
    if record.course:
        _examine_course(record.course, len(record.seats), lambda reason: BadRecords(path, number, reason))
    if len(record.payoffs) != len(record.seats):
        raise BadRecords(path, number, f"{len(record.seats)} seats, but {len(record.payoffs)} payoffs")
    if len(set(record.seats)) != len(record.seats):
        raise BadRecords(path, number, f"an agent takes one seat, got {list(record.seats)}")
    if (record.end == "forfeit") != (record.by is not None) or not 0 <= (record.by or 0) < len(record.seats):
        raise BadRecords(path, number, f"a forfeit, and nothing else, says by which player, got {record.by!r}")
    return record


def _course(data: Mapping[str, Any]) -> Course:
    lost = tuple(Loss(one["player"], one["tick"], one["reason"]) for one in data.get("lost", ()))
    return Course(data["ticks"], data.get("final", 0), lost, tuple(data.get("controls", ())))


def _examine_course(course: Course, seats: int, bad: Callable[[str], BadRecords]) -> None:
    """Raise what `bad` makes of the reason if a run cannot have gone like this."""
    if course.controls and len(course.controls) != seats:
        raise bad(f"{seats} seats, but {len(course.controls)} rows of controls")
    players = [loss.player for loss in course.lost]
    if len(set(players)) < len(players) or any(not 0 <= player < seats for player in players):
        raise bad(f"a player loses its control once, got players {players} of {seats}")
    if any(loss.tick >= max(course.ticks, 1) for loss in course.lost):
        raise bad(f"a control is lost at one of the {course.ticks} ticks of the run")


def read_records(path: Path | str) -> Iterator[tuple[int, Record]]:
    """Yield each game of a file with its line number, examined, in order. Raises BadRecords."""
    header = read_header(path)
    for number, line in _whole_lines(Path(path)):
        if number > 1:
            record = parse_record(line, path, number)
            if record.game != number - 2:
                raise BadRecords(path, number, f"game {number - 2} should stand here, not {record.game}")
            if not all(0 <= seat < len(header["agents"]) for seat in record.seats):
                raise BadRecords(
                    path, number, f"seats are agents 0 to {len(header['agents']) - 1}, got {list(record.seats)}"
                )
            yield number, record


def create(path: Path, header: dict[str, Any]) -> None:
    """Make a file of nothing but its first line, whole or not at all. Raises LudwinError if it exists."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(header_line(header), encoding="utf8")
        try:
            os.link(beside, path)
        except FileExistsError:
            raise LudwinError(f"{path} exists; go on with --resume {path}, or choose another name") from None
        except OSError:  # a file system without hard links
            if path.exists():
                raise LudwinError(f"{path} exists; go on with --resume {path}, or choose another name") from None
            os.replace(beside, path)
        path.with_name(path.name + ".ahead").unlink(missing_ok=True)  # of a file that somebody has removed
    except OSError as error:
        raise LudwinError(f"cannot write {path}: {error.strerror}") from None
    finally:
        beside.unlink(missing_ok=True)


class Writer:
    """Appends games to a file in their order, and keeps those that came too early beside it."""

    def __init__(self, path: Path):
        self.path = path
        self.early = path.with_name(path.name + ".ahead")
        self.file: BinaryIO = open(path, "r+b")  # noqa: SIM115
        lock(self.file, LudwinError(f"{path} is being written by another event"))
        self.file.truncate(_whole_size(self.file))
        self.file.seek(0, os.SEEK_END)
        self.ahead: BinaryIO | None = None
        self.reader: BinaryIO | None = None  # of what was kept
        self.kept = 0  # bytes of it

    def write(self, lines: Iterable[str]) -> None:
        """Append finished games, the next in order."""
        _write(self.file, "".join(lines))

    def keep(self, lines: Iterable[str]) -> list[int]:
        """Keep finished games that must wait for an earlier one, and return where each of them lies."""
        if self.ahead is None:
            self.ahead = open_log(self.early)
            self.kept = self.early.stat().st_size
        places, blobs = [], []
        for line in lines:
            blobs.append(line.encode("utf8"))
            places.append(self.kept)
            self.kept += len(blobs[-1])
        self.ahead.write(b"".join(blobs))
        self.ahead.flush()
        return places

    def kept_line(self, place: int) -> str:
        """Return a game that was kept."""
        if self.reader is None:
            self.reader = open(self.early, "rb")  # noqa: SIM115
        self.reader.seek(place)
        return self.reader.readline().decode("utf8")

    def caught_up(self) -> None:
        """Nothing waits any more: what was kept is in the file."""
        if self.ahead is not None:
            self.ahead.truncate(0)
            self.kept = 0

    def finish(self) -> None:
        """The event is over: nothing is kept beside the file."""
        self.close()
        self.early.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the files; closing twice is fine."""
        for file in (self.file, self.ahead, self.reader):
            if file is not None:
                file.close()
        self.ahead = self.reader = None

    def handles(self) -> list[int]:
        """Return the open files, which a worker must not keep open."""
        files = (self.file, self.ahead, self.reader)
        return [file.fileno() for file in files if file is not None and not file.closed]


def read_kept(path: Path) -> dict[int, int]:
    """Return where the lines of games lie that waited when the event was stopped, by number; all are examined.

    A torn last line is cut off, so that what is kept next does not go on with it.
    """
    early = path.with_name(path.name + ".ahead")
    if not early.exists():
        return {}
    found, place = {}, 0
    for number, line in _whole_lines(early):
        found[parse_record(line, early, number).game] = place
        place += len(line.encode("utf8"))
    if place < early.stat().st_size and not early.is_symlink():
        os.truncate(early, place)
    return found


def _write(file: BinaryIO, text: str) -> None:
    file.write(text.encode("utf8"))
    file.flush()


def _whole_size(file: BinaryIO) -> int:
    """Return how many bytes of the file are whole lines."""
    size = file.seek(0, os.SEEK_END)
    while size:
        step = min(size, 65536)
        file.seek(size - step)
        found = file.read(step).rfind(b"\n")
        if found >= 0:
            return size - step + found + 1
        size -= step
    return 0
