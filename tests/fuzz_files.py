"""Spoilt files: every format of ours, changed at random, opened by every command that reads it.

`run(seed, count)` makes `count` files from good ones, each by a change that its number and the seed settle, and opens
each by all commands that take it, in this process.  What is not an exit code of 0, 1 or 2, is a traceback, takes too
long, says more than one line of misuse, or runs the planted `evil.py` is returned as a fault, with all that is needed
to see it again: `python -m tests.fuzz_files SEED COUNT`, and `open_one(seed, number)` for a single file.
"""

import contextlib
import io
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SECONDS = 60  # for a command on one file; a good one takes hundredths of a second
TRACE = "the-planted-file-has-run"  # what evil.py leaves behind

GAME = '''"""Take one or two from a heap."""

HEAP = 7
FIELDS = {"heap": int, "turn": int}
MAX_MOVES = 2
MAX_PLIES = 20


def setup(s):
    s.heap = HEAP
    s.turn = 0


def mover(s):
    return s.turn


def moves(s, out):
    n = min(2, s.heap)
    for k in range(n):
        out[k] = k + 1
    return n


def play(s, m):
    s.heap -= m
    s.turn = 1 - s.turn


def payoff(s, p):
    return -1 if s.turn == p else 1
'''
EVIL = f'from pathlib import Path\n\nPath(__file__).with_name("{TRACE}").touch()\n' + GAME


@dataclass(frozen=True)
class Kind:
    """One kind of file: its good text, where it lies, how it is changed, and what is typed to open it."""

    name: str
    place: str  # of the file, below the sandbox
    commands: tuple[tuple[str, ...], ...]
    spoil: Callable[[random.Random, bytes], bytes]


class TooLong(BaseException):
    """A file kept us busy for too long."""


# ---- Good files ---------------------------------------------------------------------------------------


def build(folder: Path) -> None:
    """Write good files of all formats, and the planted one, into a folder."""
    from ludwin.cli import main
    from ludwin.evolve.experiment import settle
    from ludwin.evolve.store import CHAMPION, json_text
    from ludwin.games.lose_checkers.evolve import LOSE_CHECKERS
    from ludwin.program.stream import Stream
    from ludwin.program.toml import to_toml

    folder.mkdir(parents=True, exist_ok=True)
    with inside(folder), quiet():
        Path("evil.py").write_text(EVIL)
        Path("evil.jsonl").write_text(EVIL)
        Path("stones.py").write_text(GAME)
        plain = ["--mode", "plain", "--games", "4"]
        assert (
            main(
                [
                    "match",
                    "nim",
                    "random",
                    "greedy",
                    "--out",
                    "match.jsonl",
                    "--sprt",
                    "0,50",
                    "--openings",
                    "2",
                    *plain,
                ]
            )
            == 0
        )
        assert main(["tournament", "nim", "random", "greedy", "random", "--out", "event.jsonl", *plain]) == 0
        assert main(["match", "./stones.py", "random", "greedy", "--out", "users.jsonl", *plain]) == 0
        assert (
            main(["match", "draughts", "random", "greedy", "--out", "games.pdn", "--adjudicate", "plies=6", *plain])
            == 0
        )
        lines = Path("match.jsonl").read_text().splitlines(keepends=True)
        Path("torn.jsonl").write_text("".join(lines[:3]))
        Path("torn.jsonl.ahead").write_text(lines[4])
        Path("openings.txt").write_text("1 2\n3\nheap=9 turn=1  # a position\n")
        moves = {"moves": ["1", "3"], "codes": [1, 3]}
        saved = {
            "format": "ludwin-play",
            "version": 1,
            "game": "nim",
            "start": "heap=21 turn=0",
            "seats": ["random", "greedy"],
            "seed": 0,
            **moves,
        }
        Path("saved.json").write_text(json.dumps(saved))
        small = ["--set", "population=4", "generations=2", "length=6"]
        assert main(["evolve", "onemax", "--out", "run", *small]) == 0
        assert main(["evolve", "onemax", "--out", "series", "--seeds", "2", *small]) == 0
        assert (
            main(
                [
                    "evolve",
                    "symbolic-regression",
                    "--out",
                    "curve",
                    "--set",
                    "population=6",
                    "generations=1",
                    "champion_games=20",
                ]
            )
            == 0
        )
        settings = settle(LOSE_CHECKERS, "quick", {"depth": 1})
        kind = LOSE_CHECKERS.kind(settings)
        genome = kind.make(Stream(3))
        score = {
            "opponent": "random",
            "score": 0.5,
            "low": 0.4,
            "high": 0.6,
            "games": 20,
            "counts": [1, 2, 4, 2, 1],
            "distinct": 20,
            "effective": 20.0,
        }
        about = {
            "experiment": "lose-checkers",
            "preset": "quick",
            "seed": 0,
            "ludwin": "0.1.0",
            "identity": {},
            "settings": settings,
        }
        facts = {
            "text": kind.text(genome),
            "size": 3,
            "score": score,
            "record": [score],
            "generation": 1,
            "fitness": 2.5,
            "origin": "random",
        }
        extra = LOSE_CHECKERS.champion(settings, genome)
        Path("player.json").write_text(
            json_text({**CHAMPION.head, **about, **facts, "genome": kind.write(genome), **extra})
        )
        Path("language.toml").write_text(to_toml(genome[0].language))
        Path("lab").mkdir()
        Path("lab/settings.json").write_text(
            '{\n "format": "ludwin-experiment",\n "version": 1,\n "name": "lose-checkers-3.5"\n}\n'
        )
        Path("decisions.json").write_text(
            '{"format": "ludwin-decisions", "version": 1, "agent": "uct", "values": [1, 2.5, [3]]}'
        )


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


@contextlib.contextmanager
def quiet() -> Iterator[tuple[io.StringIO, io.StringIO]]:
    """Keep what is printed, and give nothing to read."""
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield out, err
    finally:
        sys.stdin = stdin


# ---- Changes ------------------------------------------------------------------------------------------------

NAMES = (
    "evil.py",
    "./evil.py",
    "evil",
    "./evil.jsonl",
    "../evil.py",
    "./evil.py:heap=5",
    "evolved:./evil.py",
    "derived:./evil.py",
    "process:touch x",
)
TEXTS = (
    "",
    " ",
    "\n",
    "x" * 5000,
    "☃",
    "\u202e",
    "a\nb",
    "%s%n",
    "{0}",
    "../../etc/passwd",
    "/dev/zero",
    "nan",
    "1e999",
    "-1",
    "null",
    *NAMES,
)
NUMBERS = (0, -1, 1, 2, 3, 255, 2**31, 2**63, -(2**63) - 1, 10**30, 10**399, 0.5, -0.0, 1e308, 5e-324, 1e-9)
VALUES = (None, True, False, [], {}, [[]], [None], {"": None}, {"a": {"b": []}}, *NUMBERS, *TEXTS)
RAW = (
    "NaN",
    "Infinity",
    "-Infinity",
    "1e999",
    "9" * 500,
    '"\\ud800"',
    '"\\u0000"',
    "[" * 500 + "]" * 500,
    "[" * 100_000,
    "01",
    "'x'",
    "{,}",
    "0x10",
    '"\t"',
)


def spoil_bytes(rng: random.Random, good: bytes) -> bytes:
    """Change bytes: cut, torn, doubled, turned over, exchanged for others."""
    raw = bytearray(good)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at, length = rng.randrange(len(raw) + 1), rng.choice((1, 2, 3, 8, 40))
        match rng.randrange(9):
            case 0:
                del raw[at:]
            case 1:
                del raw[at : at + length]
            case 2:
                raw[at:at] = rng.randbytes(length)
            case 3:
                raw[at : at + 1] = bytes([rng.randrange(256)])
            case 4:
                raw[at:at] = raw[at : at + length * 20]
            case 5:
                raw[at:at] = rng.choice(
                    (
                        b"\0",
                        b"\xff",
                        b"\xef\xbb\xbf",
                        b"\xed\xa0\x80",
                        b"\r\n",
                        b"\n",
                        b"\x1b[31m",
                        b"{",
                        b"]",
                        b'"',
                        b"\\",
                    )
                )
            case 6:
                raw[:] = rng.choice(
                    (
                        b"",
                        b"\n",
                        b"\0" * 100,
                        b"{}",
                        b"[]",
                        b"null",
                        b'"x"',
                        rng.randbytes(200),
                        b"{" * 2000,
                        b"PK\x03\x04",
                        b"SQLite format 3\0",
                    )
                )
            case 7:
                here, there = at, rng.randrange(len(raw) + 1)
                raw[here : here + length], raw[there : there + length] = (
                    raw[there : there + length],
                    raw[here : here + length],
                )
            case _:
                raw[:] = raw[at:] + raw[:at]
    return bytes(raw)


def places(data: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value."""
    yield here
    if isinstance(data, dict):
        for key in data:
            yield from places(data[key], (*here, key))
    elif isinstance(data, list):
        for number in range(len(data)):
            yield from places(data[number], (*here, number))


def replaced(data: Any, place: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    """Return a copy with one value changed; a change that returns `...` removes it."""
    if not place:
        return change(data)
    copy = dict(data) if isinstance(data, dict) else list(data)
    value = replaced(copy[place[0]], place[1:], change)
    if value is ...:
        del copy[place[0]]
    else:
        copy[place[0]] = value
    return copy


def spoil_value(rng: random.Random, data: Any) -> str:
    """Return JSON with one to three values changed, removed, added or doubled."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        place = rng.choice(list(places(data)))
        match rng.randrange(6):
            case 0 if place:
                data = replaced(data, place, lambda value: ...)
            case 1:
                data = replaced(
                    data,
                    place,
                    lambda value: (
                        {**value, rng.choice(TEXTS): rng.choice(VALUES)} if isinstance(value, dict) else [value]
                    ),
                )
            case 2:
                data = replaced(data, place, lambda value: _near(rng, value))
            case _:
                data = replaced(data, place, lambda value: rng.choice(VALUES))
    text = json.dumps(data)
    if rng.random() < 0.2:
        marks = [k for k, letter in enumerate(text) if letter == ":"]
        if marks:
            at = rng.choice(marks) + 1
            text = (
                f"{text[:at]} {rng.choice(RAW)}, {json.dumps(rng.choice(TEXTS))}: {text[at:]}"
                if rng.random() < 0.5
                else f"{text[:at]} {rng.choice(RAW)}{text[at:]}"
            )
    if rng.random() < 0.1 and text.startswith("{") and len(text) > 2:
        text = text[:-1] + ", " + text[1:]  # every key stands twice
    return text


def _near(rng: random.Random, value: Any) -> Any:
    """Return a value that is nearly right."""
    if isinstance(value, bool) or value is None:
        return rng.choice((0, 1, "true", not value))
    if isinstance(value, int | float):
        return rng.choice((value + 1, -value, float(value), str(value), value * 2, value / 3, [value]))
    if isinstance(value, str):
        at = rng.randrange(len(value) + 1)
        return rng.choice(
            (
                value[:at],
                value[at:],
                value * 2,
                value.upper(),
                value[:at] + rng.choice(TEXTS) + value[at:],
                [value],
                list(value),
                value.encode().hex(),
            )
        )
    if isinstance(value, list):
        return rng.choice(
            (
                value * 2,
                value[:-1],
                value[::-1],
                dict(enumerate(value)) and {str(k): v for k, v in enumerate(value)},
                [value],
            )
        )
    return rng.choice((list(value), list(value.items()), {key.upper(): one for key, one in value.items()}, {}))


def spoil_json(rng: random.Random, good: bytes) -> bytes:
    """Change a file that is one object."""
    if rng.random() < 0.25:
        return spoil_bytes(rng, good)
    return spoil_value(rng, json.loads(good)).encode("utf8", "surrogatepass")


def spoil_lines(rng: random.Random, good: bytes) -> bytes:
    """Change one line of a file of objects, or their order."""
    if rng.random() < 0.25:
        return spoil_bytes(rng, good)
    lines = good.decode().splitlines(keepends=True)
    at = 0 if rng.random() < 0.5 else rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, rng.choice(lines))
        case 2:
            rng.shuffle(lines)
        case _:
            lines[at] = spoil_value(rng, json.loads(lines[at])) + "\n"
    return "".join(lines).encode("utf8", "surrogatepass")


def spoil_text(rng: random.Random, good: bytes) -> bytes:
    """Change a text word by word, or its bytes."""
    if rng.random() < 0.5:
        return spoil_bytes(rng, good)
    lines = good.decode().split("\n")
    for _ in range(rng.choice((1, 2, 4))):
        at = rng.randrange(len(lines))
        words = lines[at].split(" ")
        words[rng.randrange(len(words))] = str(
            rng.choice((*VALUES, "[[", "]]", "=", '"""', "(" * 3000, "{" * 3000, "a" * 3000, "1" * 5000))
        )
        lines[at] = " ".join(words)
    return "\n".join(lines).encode("utf8", "surrogatepass")


def spoil_database(rng: random.Random, good: bytes) -> bytes:
    """Change a database: its bytes, or values, rows, tables and what they do."""
    if rng.random() < 0.3:
        return spoil_bytes(rng, good)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.sqlite"
        path.write_bytes(good)
        link = sqlite3.connect(path)
        with contextlib.suppress(sqlite3.Error, OverflowError, UnicodeError):
            tables = [
                row[0] for row in link.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            ]
            table = rng.choice(tables)
            columns = [row[1] for row in link.execute(f"PRAGMA table_info({table})")]
            value = rng.choice((*NUMBERS, *TEXTS, b"\xff", "[", "[1", '{"a":NaN}', "[[[[", '"' * 3, float("inf")))
            match rng.randrange(9):
                case 0:
                    link.execute(f"DROP TABLE {table}")
                case 1:
                    link.execute(
                        f"DELETE FROM {table} WHERE rowid IN (SELECT 1)"
                        if table == "x"
                        else f"DELETE FROM {table} WHERE {columns[1]} = 1"
                    )
                case 2:
                    link.execute(f"CREATE TRIGGER t AFTER INSERT ON {table} BEGIN DELETE FROM {table}; END")
                case 3:
                    link.execute(f"PRAGMA user_version = {rng.choice((0, 1, 2, 3, 99))}")
                case 4:
                    link.execute(f"ALTER TABLE {table} ADD COLUMN more TEXT")
                case 5:
                    link.execute("DROP TABLE generations")
                    link.execute(
                        "CREATE VIEW generations AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) "
                        "SELECT i FROM n"
                    )
                case _:
                    link.execute(f"UPDATE {table} SET {rng.choice(columns)} = ?", (value,))
            if rng.random() < 0.5:  # as an older version wrote it, so that nothing is sealed
                from ludwin.evolve.store import OLD_MEASURES

                kept = "branch, purpose, generation, number, opponent, score, low, high, games, counts"
                link.executescript(
                    f"ALTER TABLE measures RENAME TO newer; {OLD_MEASURES}; INSERT INTO measures SELECT {kept} FROM "
                    f"newer;"
                    " DROP TABLE newer; DROP TABLE seals; PRAGMA user_version = 1"
                )
        link.commit()
        link.close()
        return path.read_bytes()


# ---- Commands --------------------------------------------------------------------------------------------------

PLAIN = ("--mode", "plain", "--games", "4")
RECORDS = (
    ("replay", "{}"),
    ("replay", "{}", "--json"),
    ("replay", "{}", "--game", "1"),
    ("rate", "{}"),
    ("rate", "{}", "{}", "--json"),
    ("match", "--resume", "{}", *PLAIN),
    ("match", "nim", "random", "greedy", "--resume", "{}", *PLAIN),
    ("tournament", "--resume", "{}", "--seed", "0", *PLAIN),
)
TRUSTED = tuple((*command, "--trust", "stones.py") for command in RECORDS)
CHAMPIONS = (
    ("show", "{}"),
    ("show", "{}", "--json"),
    ("show", "{}", "--svg", "x.svg", "--python", "x.out"),
    ("show", "{}", "--games", "2"),
)
PLAYERS = (
    ("choose", "lose-checkers", "evolved:{}", "--mode", "plain"),
    ("match", "lose-checkers", "evolved:{}", "random", "--mode", "plain", "--games", "2", "--adjudicate", "plies=2"),
)
RUNS = (
    ("runs", "{}"),
    ("runs", "{}", "--json"),
    ("runs", "--compare", "{}", "curve"),
    ("evolve", "--resume", "{}"),
    ("evolve", "--resume", "{}", "--json"),
    ("evolve", "--resume", "{}", "--explain"),
    ("show", "{}"),
)

KINDS = (
    Kind("records of a match", "match.jsonl", RECORDS, spoil_lines),
    Kind("records of a tournament", "event.jsonl", RECORDS, spoil_lines),
    Kind("records of a user's game", "users.jsonl", (*RECORDS[:1], *TRUSTED), spoil_lines),
    Kind("games that wait", "torn.jsonl.ahead", (("match", "--resume", "torn.jsonl", "--mode", "plain"),), spoil_lines),
    Kind("PDN", "games.pdn", (("replay", "{}"), ("replay", "{}", "--game", "0"), ("rate", "{}", "--json")), spoil_text),
    Kind("openings", "openings.txt", (("match", "nim", "random", "random", "--openings", "{}", *PLAIN),), spoil_text),
    Kind(
        "a saved game",
        "saved.json",
        (
            ("play", "nim", "--load", "{}", "--mode", "plain"),
            ("play", "nim", "--load", "{}", "--json", "--mode", "plain"),
        ),
        spoil_json,
    ),
    Kind("a champion", "run/champion.json", CHAMPIONS, spoil_json),
    Kind("a champion that plays", "player.json", (*CHAMPIONS[:2], *PLAYERS), spoil_json),
    Kind("a run's settings", "run/settings.json", RUNS, spoil_json),
    Kind("a run's database", "curve/run.sqlite", RUNS, spoil_database),
    Kind("a run's log", "run/log.jsonl", RUNS[3:4], spoil_lines),
    Kind("a series' settings", "series/settings.json", RUNS, spoil_json),
    Kind("a series' summary", "series/summary.json", RUNS, spoil_json),
    Kind("a language", "language.toml", (), spoil_text),
    Kind(
        "a table's settings",
        "lab/settings.json",
        (("reproduce", "lose-checkers-3.5", "--games", "2", "--resume", "lab"),),
        spoil_json,
    ),
    Kind("decisions", "decisions.json", (), spoil_json),
)


def read_directly(kind: Kind) -> None:
    """Read a format that no command opens by its path."""
    from ludwin.formats import Format, List, Table, Text
    from ludwin.lab.sources.decisions import read
    from ludwin.program.text import read as read_program
    from ludwin.program.toml import load

    if kind.name == "decisions":
        one = Format("ludwin-decisions", 1, Table({"agent": Text(), "values": List()}), "values")
        read(Path(kind.place), one, {"agent": "uct"}, lambda data: [float(value) for value in data["values"][:2]])
    elif kind.name == "a language":
        read_program(load(kind.place), "Plus(One, One)")


def words_of(kind: Kind) -> Iterator[list[str]]:
    """Yield the command lines that open a file of a kind."""
    target = (
        kind.place if kind.place.count("/") == 0 or kind.commands[:1] == CHAMPIONS[:1] else kind.place.partition("/")[0]
    )
    for command in kind.commands:
        yield [word.format(target) for word in command]


# ---- Opening ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TooLong after some seconds, where the system can."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def stop(*_: object) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


NEWS = (
    "running stones.py",
    "is finished; this is its result",
    "going on in",
    "was begun before runs were sealed",
    "wrote x.",
    "compiling",
    "differ",
    "the whole against",
    "games",
)


def attempt(kind: Kind, folder: Path) -> list[str]:
    """Open the file of a kind by all its commands in a sandbox; return what was wrong."""
    from ludwin.cli import main
    from ludwin.errors import LudwinError

    faults = []
    for words in list(words_of(kind)) or [[]]:
        with inside(folder), quiet() as (_, err):
            shown = " ".join(["ludwin", *words]) if words else f"read {kind.place}"
            try:
                with within(SECONDS):
                    code = main(words) if words else read_directly(kind) or 0
            except SystemExit as stop:
                code = stop.code
            except TooLong:
                faults.append(f"{shown}: more than {SECONDS} seconds")
                continue
            except LudwinError as error:
                code = 2 if not words and "\n" not in str(error) else str(error)
            except BaseException:
                faults.append(f"{shown}: {traceback.format_exc()}")
                continue
            text = err.getvalue()
        if code not in (0, 1, 2) or "Traceback" in text:
            faults.append(f"{shown}: exit {code!r}, {text[-2000:]}")
        lines = [line for line in text.splitlines() if not any(word in line for word in NEWS)]
        if code == 2 and words and words[0] != "play" and (len(lines) > 1 or not text.startswith("ludwin: ")):
            faults.append(f"{shown}: misuse is one line, got {text[-2000:]!r}")
        if (folder / TRACE).exists():
            (folder / TRACE).unlink()
            faults.append(f"{shown}: the planted file has run")
    return faults


def open_one(seed: int, number: int, good: Path | None = None) -> list[str]:
    """Spoil one file as `run` does, open it, and return what was wrong."""
    with tempfile.TemporaryDirectory(prefix="ludwin-fuzz-") as folder:
        if good is None:
            good = Path(folder) / "good"
            build(good)
        rng = random.Random(f"{seed} {number}")
        kind = KINDS[number % len(KINDS)]
        sandbox = Path(folder) / "sandbox"
        shutil.copytree(good, sandbox)
        path = sandbox / kind.place
        path.write_bytes(kind.spoil(rng, path.read_bytes()))
        return [f"seed {seed}, file {number} ({kind.name}): {fault}" for fault in attempt(kind, sandbox)]


def run(seed: int, count: int, news: Callable[[int], None] = lambda number: None) -> list[str]:
    """Spoil and open `count` files of all formats in turn; return all faults, none if all is well."""
    faults = []
    with tempfile.TemporaryDirectory(prefix="ludwin-fuzz-") as folder:
        good = Path(folder) / "good"
        build(good)
        for number in range(count):
            faults += open_one(seed, number, good)
            news(number)
    return faults


if __name__ == "__main__":
    wanted, many = int(sys.argv[1]), int(sys.argv[2])
    found = run(wanted, many, lambda number: print(f"\r{number + 1}/{many}", end="", file=sys.stderr, flush=True))
    print("\n".join(found) or f"{many} files of {len(KINDS)} formats: no fault")
    sys.exit(bool(found))
