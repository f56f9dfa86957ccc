"""A run's folder: what it holds, how it is written, and how it is read with suspicion.

Why it is here.  A run may last a day and may be killed at any moment.  All that evolution found out is
in one SQLite file, written in one transaction per generation and per measurement, so that a kill
loses at most what was in flight; other files are written beside their place and renamed.  Nothing
in them depends on workers, paths or time, so the same run gives the same bytes; dates and durations
go to `log.jsonl`.  `docs/reference/evolve.md` describes the formats.

Files may come from anywhere: they are examined, and nothing in them is executed.
"""

import json
import math
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, TypeGuard

from ludwin.errors import BadParameter, LudwinError
from ludwin.evolve.experiment import Measure
from ludwin.evolve.kind import Kind
from ludwin.evolve.population import Generation, Individual, read_generation
from ludwin.files import BESIDE, lock

RUN, SERIES, CHAMPION = "ludwin-run", "ludwin-series", "ludwin-champion"
VERSIONS = {RUN: 1, SERIES: 1, CHAMPION: 1}
APPLICATION = 0x4C756477  # "Ludw": what `file` and we recognise a database of ours by
DATABASE_VERSION = 1
SYNCHRONOUS = "FULL"  # wait for the disk at every step, so that a power failure is survived as a kill is (some 20 ms each)
LARGEST = 2**26  # bytes of a settings or champion file; more is none
EVOLUTION, BASELINE = "evolution", "baseline"

TABLES = """
CREATE TABLE generations (
    branch TEXT NOT NULL, number INTEGER NOT NULL, evaluations INTEGER NOT NULL, best INTEGER NOT NULL, best_fitness REAL NOT NULL, mean_fitness REAL NOT NULL,
    best_size INTEGER NOT NULL, mean_size REAL NOT NULL, largest_size INTEGER NOT NULL, distinct_genomes INTEGER NOT NULL, individuals INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (branch, number)) WITHOUT ROWID;
CREATE TABLE individuals (
    branch TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL, fitness NOT NULL, size INTEGER NOT NULL, origin TEXT NOT NULL,
    parents TEXT NOT NULL, genome TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (branch, generation, number)) WITHOUT ROWID;
CREATE TABLE memory (
    branch TEXT NOT NULL, number INTEGER NOT NULL, genome TEXT NOT NULL,
    PRIMARY KEY (branch, number)) WITHOUT ROWID;
CREATE TABLE measures (
    branch TEXT NOT NULL, purpose TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL, opponent TEXT NOT NULL,
    score REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, games INTEGER NOT NULL, counts TEXT NOT NULL,
    PRIMARY KEY (branch, purpose, generation, number, opponent)) WITHOUT ROWID;
"""


class BadRun(LudwinError, ValueError):
    """A folder or file is not the run or champion that it should be: which, and why."""


@dataclass(frozen=True)
class Point:
    """One generation in numbers: the columns of the table `generations`, in their order."""

    number: int
    evaluations: int
    best: int  # the number of the best individual
    best_fitness: float
    mean_fitness: float
    best_size: int
    mean_size: float
    largest_size: int
    distinct: int
    individuals: int


@dataclass(frozen=True)
class Note:
    """A measurement, and which individual it was about."""

    generation: int
    number: int
    measure: Measure


# ---- Files ---------------------------------------------------------------------------------------


def json_text(data: Mapping[str, Any]) -> str:
    """Return an object as people read it: a line for each key of the outermost levels.

    Numbers that are not finite become null, for JSON has none.
    """
    return json.dumps(finite(data), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def finite(data: Any) -> Any:
    """Return JSON values with None instead of what JSON cannot say."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    return [finite(value) for value in data] if isinstance(data, list | tuple) else data


def read_json(path: Path, *formats: str) -> dict[str, Any]:
    """Return an object of one of our formats. Raises BadRun for anything else, and for what a newer version wrote."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise BadRun(f"cannot read {path}: {error.strerror or error}") from None
    try:
        data = json.loads(raw) if len(raw) <= LARGEST else None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.get("format") not in formats:
        raise BadRun(f"{path} is not ours: it does not begin with the format {' or '.join(map(repr, formats))}")
    known, version = VERSIONS[data["format"]], data.get("version")
    if type(version) is not int or version < 1:
        raise BadRun(f"{path} has no sensible version: {version!r:.40}")
    if version > known:
        raise BadRun(f"{path} was written by a newer Ludwin (version {version} of {data['format']}, this one reads up to {known})")
    return data


def demand(path: Path, data: Mapping[str, Any], kinds: Mapping[str, type]) -> None:
    """Raise BadRun unless the object has these keys with values of these types."""
    for key, kind in kinds.items():
        if type(data.get(key)) is not kind:
            raise BadRun(f"{path}: {key!r} must be a {kind.__name__}, got {data.get(key)!r:.60}")


def is_empty(folder: Path) -> bool:
    """Tell whether a folder holds nothing but what a killed start left behind."""
    return all(path.name.startswith(BESIDE) for path in folder.iterdir())


def tidy(folder: Path) -> None:
    """Remove the unfinished files of a run that was killed; the run must be locked by us."""
    for path in folder.glob(f"{BESIDE}*"):
        path.unlink(missing_ok=True)


# ---- The log ------------------------------------------------------------------------------------


class Log:
    """`log.jsonl`: dates, workers and durations, beside the results; locked while a process works on the run."""

    def __init__(self, folder: Path):
        self.file: BinaryIO = open(folder / "log.jsonl", "ab")  # noqa: SIM115
        lock(self.file, BadRun(f"another process is working on {folder}"))

    def write(self, event: str, **facts: Any) -> None:
        """Append a line."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({"event": event, "date": now, **finite(facts)}, ensure_ascii=False) + "\n"
        self.file.write(line.encode())
        self.file.flush()

    def close(self) -> None:
        """Let others work on the run."""
        self.file.close()


def log_seconds(folder: Path) -> dict[str, float]:
    """Return the seconds that each phase of a run took, over all sessions, as its log tells."""
    seconds: dict[str, float] = {}
    try:
        lines = (folder / "log.jsonl").read_bytes().splitlines()
    except OSError:
        return seconds
    for line in lines:
        try:
            data = json.loads(line)
            phase, spent = data["phase"], float(data["seconds"])
        except (ValueError, KeyError, TypeError):
            continue  # a torn line, or one without a duration
        seconds[phase] = seconds.get(phase, 0.0) + spent
    return seconds


# ---- The database -------------------------------------------------------------------------------


class Store:
    """`run.sqlite`: generations, individuals and measurements of a run, of its evolution and of its baseline."""

    def __init__(self, folder: Path, *, write: bool = False):
        self.path = folder / "run.sqlite"
        if not write and not self.path.is_file():
            raise BadRun(f"{folder} holds no run.sqlite")
        with self._asking():
            # A reader opens the file as a writer would: what a killed writer left half done must be undone first.
            self.link = sqlite3.connect(f"{self.path.absolute().as_uri()}?mode={'rwc' if write else 'rw'}", uri=True, isolation_level=None, timeout=10)
            self.link.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            self._prepare(write)

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise BadRun(f"{self.path}: {error}") from None

    def _prepare(self, write: bool) -> None:
        application = self.link.execute("PRAGMA application_id").fetchone()[0]
        version = self.link.execute("PRAGMA user_version").fetchone()[0]
        is_new = not application and not version and not self.link.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if write and is_new:
            self.link.executescript(f"BEGIN; {TABLES} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {DATABASE_VERSION}; COMMIT;")
        elif not is_new and application != APPLICATION:
            raise BadRun(f"{self.path} is no database of ours")
        elif version > DATABASE_VERSION:
            raise BadRun(f"{self.path} was written by a newer Ludwin (version {version} of its tables, this one reads up to {DATABASE_VERSION})")
        elif is_new:
            raise BadRun(f"{self.path} is empty: the run has not begun")

    def close(self) -> None:
        """Close the file."""
        self.link.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._asking():
            self.link.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self.link.execute("ROLLBACK")
                raise
            self.link.execute("COMMIT")

    def add_generation(self, branch: str, generation: Generation[Any], kind: Kind[Any]) -> Point:
        """Write a generation with all its individuals, at once or not at all. Of a memory the last state is kept."""
        point, individuals = _point(generation), []
        for number, one in enumerate(generation.individuals):
            facts = (_json(one.parents), _json(kind.write(one.genome)), json.dumps(one.detail, sort_keys=True))
            individuals.append((branch, generation.number, number, one.fitness, one.size, one.origin, *facts))
        values = (branch, *vars(point).values(), json.dumps(generation.state, sort_keys=True))
        memory = [(branch, number, _json(kind.write(genome))) for number, genome in enumerate(generation.memory)]
        with self._transaction():
            self.link.execute(f"INSERT INTO generations VALUES ({', '.join('?' * len(values))})", values)
            self.link.executemany("INSERT INTO individuals VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", individuals)
            self.link.execute("DELETE FROM memory WHERE branch = ?", (branch,))
            self.link.executemany("INSERT INTO memory VALUES (?, ?, ?)", memory)
        return point

    def points(self, branch: str) -> list[Point]:
        """Return the generations in numbers."""
        rows = self._rows("SELECT * FROM generations WHERE branch = ? ORDER BY number", branch)
        return [Point(*row[1:-1]) for row in rows]

    def last_generation(self, branch: str, kind: Kind[Any]) -> Generation[Any] | None:
        """Return the last stored generation as it was, None if there is none."""
        rows = self._rows("SELECT number, evaluations, state FROM generations WHERE branch = ? ORDER BY number DESC LIMIT 1", branch)
        if not rows:
            return None
        number, evaluations, state = rows[0]
        found = self._rows(f"SELECT {INDIVIDUAL} FROM individuals WHERE branch = ? AND generation = ? ORDER BY number", branch, number)
        memory = [row[0] for row in self._rows("SELECT genome FROM memory WHERE branch = ? ORDER BY number", branch)]
        data = {"number": number, "evaluations": evaluations, "state": self._value(state), "memory": [self._value(genome) for genome in memory]}
        return self._read({**data, "individuals": [self._item(row) for row in found]}, kind)

    def individual(self, branch: str, generation: int, number: int, kind: Kind[Any]) -> Individual[Any]:
        """Return one stored individual."""
        rows = self._rows(f"SELECT {INDIVIDUAL} FROM individuals WHERE branch = ? AND generation = ? AND number = ?", branch, generation, number)
        if not rows:
            raise BadRun(f"{self.path}: individual {number} of generation {generation} is missing")
        return self._read({"number": generation, "evaluations": 0, "state": {}, "memory": [], "individuals": [self._item(rows[0])]}, kind).individuals[0]

    def _read(self, data: dict[str, Any], kind: Kind[Any]) -> Generation[Any]:
        try:
            return read_generation(kind, data)
        except BadParameter as error:
            raise BadRun(f"{self.path}: {error}") from None

    def _rows(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._asking():
            return self.link.execute(question, values).fetchall()

    def add_measure(self, branch: str, purpose: str, note: Note) -> None:
        """Write a measurement."""
        m = note.measure
        values = (branch, purpose, note.generation, note.number, m.opponent, m.score, m.low, m.high, m.games, json.dumps(m.counts))
        with self._transaction():
            self.link.execute(f"INSERT INTO measures VALUES ({', '.join('?' * len(values))})", values)

    def measures(self, branch: str, purpose: str) -> list[Note]:
        """Return the measurements for a purpose (yardstick, finalist, champion, record), by generation."""
        rows = self._rows(
            "SELECT generation, number, opponent, score, low, high, games, counts FROM measures WHERE branch = ? AND purpose = ? "
            "ORDER BY generation, number, opponent",
            branch,
            purpose,
        )
        found = []
        for generation, number, *values, counts in rows:
            data = dict(zip(("opponent", "score", "low", "high", "games"), values, strict=True))
            found.append(Note(generation, number, read_measure(self.path, {**data, "counts": self._value(counts)})))
        return found

    def _item(self, row: tuple[Any, ...]) -> dict[str, Any]:
        """Return a row of `individuals` as `read_generation` takes it."""
        fitness, origin, *texts = row
        return {"fitness": fitness, "origin": origin, **dict(zip(("parents", "genome", "detail"), map(self._value, texts), strict=True))}

    def _value(self, text: Any) -> Any:
        """Return what a stored text of JSON says. Raises BadRun."""
        try:
            return json.loads(text)
        except (ValueError, TypeError, RecursionError):
            raise BadRun(f"{self.path}: {text!r:.60} is not JSON") from None


INDIVIDUAL = "fitness, origin, parents, genome, detail"  # the columns that `Store._item` takes


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _point(generation: Generation[Any]) -> Point:
    best = next(k for k, one in enumerate(generation.individuals) if one is generation.best)
    sizes = generation.sizes
    fitness = generation.best.fitness, generation.mean
    return Point(generation.number, generation.evaluations, best, *fitness, sizes[best], generation.mean_size, max(sizes), generation.distinct, len(sizes))


def find_champion(path: Path) -> Path:
    """Return the champion's file that a path means: the file itself, a run's, or the best one of a series."""
    if not path.is_dir():
        return path
    if (path / "summary.json").is_file():
        data = read_json(path / "summary.json", SERIES)
        folder = str(data.get("best", {}).get("folder", "")) if isinstance(data.get("best"), dict) else ""
        if folder and (path / Path(folder).name / "champion.json").is_file():
            return path / Path(folder).name / "champion.json"
    if not (path / "champion.json").is_file():
        what = "the run there is not finished" if (path / "settings.json").is_file() else "there is no run in that folder"
        raise BadRun(f"{path} holds no champion.json: {what}")
    return path / "champion.json"


def read_champion(path: Path | str) -> dict[str, Any]:
    """Return a champion, from its file or from the folder of its run. Raises BadRun.

    What every champion has is examined here; what its experiment adds, by the experiment.
    """
    found = find_champion(Path(path))
    data = read_json(found, CHAMPION)
    demand(found, data, {"experiment": str, "settings": dict, "seed": int, "text": str, "size": int, "generation": int, "score": dict, "record": list})
    for measure in (data["score"], *data["record"]):
        read_measure(found, measure)
    if "genome" not in data:
        raise BadRun(f"{found}: 'genome' is missing")
    return data


def _are_counts(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(one) is int and one >= 0 for one in value)


def read_measure(path: Path, data: Any) -> Measure:
    """Return a stored measure, examined. Raises BadRun."""
    numbers = [data.get(key) for key in ("score", "low", "high")] if isinstance(data, dict) else [None]
    counts = data.get("counts", []) if isinstance(data, dict) else None
    if any(isinstance(number, bool) or not isinstance(number, int | float) for number in numbers) or not _are_counts(counts):
        raise BadRun(f"{path}: a measure has an opponent, score, low, high and games, got {data!r:.60}")
    demand(path, data, {"opponent": str, "games": int})
    return Measure(data["opponent"], data["score"], data["low"], data["high"], data["games"], tuple(counts))
