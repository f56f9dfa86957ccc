"""A run's folder: what it holds, how it is written, and how it is read with suspicion.

Why it is here.  A run may last a day and may be killed at any moment.  All that evolution found out is
in one SQLite file, written in one transaction per generation and per measurement, so that a kill
loses at most what was in flight; other files are written beside their place and renamed.  Nothing
in them depends on workers, paths or time, so the same run gives the same bytes; dates and durations
go to `log.jsonl`.  `docs/reference/evolve.md` describes the formats.

Files may come from anywhere: they are examined, and nothing in them is executed.
"""

import hashlib
import json
import math
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from ludwin import formats
from ludwin.arena.records import SEED
from ludwin.errors import BadParameter, brief
from ludwin.evolve.experiment import Measure
from ludwin.evolve.kind import Representation
from ludwin.evolve.minds import PLAYER, renamed
from ludwin.evolve.population import Generation, Individual, detail_of, kinds_beside, read_generation
from ludwin.files import BESIDE, lock, open_log
from ludwin.formats import (
    BadFile,
    Either,
    Format,
    List,
    Mismatch,
    Number,
    Shape,
    Table,
    Text,
    Truth,
    Whole,
    finite,
    maybe,
)
from ludwin.measure import DIRECTIONS
from ludwin.trust import NAME

APPLICATION = 0x4C756477  # "Ludw": what `file` and we recognise a database of ours by
DATABASE_VERSION = 2  # 1 had no seals, and did not count distinct games
METRIC_VERSION = 3  # a run becomes this when it first measures something else than the score of games
SYNCHRONOUS = (
    "FULL"  # wait for the disk at every step, so that a power failure is survived as a kill is (some 20 ms each)
)
EVOLUTION, BASELINE, LATE = "evolution", "baseline", "late"  # LATE: tuning for a greater depth

MOST_SEEDS = 10_000  # of a series
COUNT = Whole(0, 10**15)
SCORE = Number(0, 1)
OPPONENT = Text(2000, line=True)
MEASURE_KEYS: dict[str, Shape] = {"opponent": OPPONENT, "score": SCORE, "low": SCORE, "high": SCORE, "games": COUNT}
GAMES = Table(
    MEASURE_KEYS,
    {
        "counts": Either(List(COUNT, 3, 3), List(COUNT, 5, 5), List(COUNT, 0, 0)),
        "distinct": COUNT,
        "effective": Number(0, 1e15),
    },
)
METRIC: dict[str, Shape] = {
    "metric": Text(200, line=True),
    "unit": Text(50, line=True),
    "direction": Text(choices=DIRECTIONS),
}
MEASURED_KEYS: dict[str, Shape] = {
    "opponent": OPPONENT,
    "value": Number(),
    "low": maybe(Number()),
    "high": maybe(Number()),
    "n": COUNT,
    **METRIC,
}


@dataclass(frozen=True)
class ByMetric(Shape):
    """A measure: the score of games by its own keys, or one that says its metric."""

    games: Shape
    other: Shape

    def words(self) -> str:
        return self.games.words()

    def examine(self, value: Any, place: str) -> None:
        (self.other if isinstance(value, dict) and "metric" in value else self.games).examine(value, place)


MEASURE = ByMetric(GAMES, Table(MEASURED_KEYS))
SETTINGS = Table(each=Either(Truth(), Number(), Text()))
ABOUT: dict[str, Shape] = {"experiment": NAME, "preset": NAME, "seed": SEED, "settings": SETTINGS}
IDENTITY = Table(each=Text(2000))
FOLDER = Text(like="seed--?[0-9]{1,50}", said="the folder of a seed")
RUN_OF: dict[str, Shape] = {"folder": FOLDER, "seed": SEED}
BESIDE_IT: dict[str, Shape] = {"baseline": maybe(MEASURE)}
ROW = ByMetric(
    Table({**MEASURE_KEYS, **RUN_OF}, {**GAMES.optional, **BESIDE_IT}), Table({**MEASURED_KEYS, **RUN_OF}, BESIDE_IT)
)
LATE_MEAN = Table({"opponent": OPPONENT, "value": Number(), "low": Number(), "high": Number()})
MEAN = Table({"value": Number()}, {"low": maybe(Number()), "high": maybe(Number())})

RUN = Format("ludwin-run", 1, Table({**ABOUT, "ludwin": NAME, "identity": IDENTITY}), "run")
SERIES = Format(
    "ludwin-series",
    1,
    Table({**ABOUT, "seeds": Whole(2, MOST_SEEDS)}, {"ludwin": NAME, "identity": IDENTITY}),
    "series of runs",
)
SUMMARY = Format(
    SERIES.name,
    SERIES.version,
    Table(
        {
            "runs": List(ROW, least=1),
            "mean": Table({"value": Number(), "low": Number(), "high": Number()}),
            "best": ROW,
        },
        {
            "baseline": Table({"mean": MEAN, "test": Table({"name": NAME, "p": SCORE})}),
            "late": Table({"depth": COUNT, "means": List(LATE_MEAN)}),
        },
    ),
    "summary of a series",
)
CHAMPION = Format(
    "ludwin-champion",
    2,
    Table(
        {
            **{key: shape for key, shape in ABOUT.items() if key != "preset"},
            "text": Text(),
            "size": COUNT,
            "generation": COUNT,
            "score": MEASURE,
            "record": List(MEASURE),
            "genome": Shape(),
        },
        {
            "preset": NAME,
            "ludwin": NAME,
            "origin": NAME,
            "fitness": maybe(Number()),
            "identity": IDENTITY,
            "game": NAME,
            "player": PLAYER,
        },
    ),
    "champion",
    {1: renamed},
)

GENERATIONS = """CREATE TABLE generations (
    branch TEXT NOT NULL, number INTEGER NOT NULL, evaluations INTEGER NOT NULL, best INTEGER NOT NULL,
    best_fitness REAL NOT NULL, mean_fitness REAL NOT NULL, best_size INTEGER NOT NULL, mean_size REAL NOT NULL,
    largest_size INTEGER NOT NULL,
    distinct_genomes INTEGER NOT NULL, individuals INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (branch, number)) WITHOUT ROWID"""
INDIVIDUALS = """CREATE TABLE individuals (
    branch TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL, fitness NOT NULL,
    size INTEGER NOT NULL, origin TEXT NOT NULL, parents TEXT NOT NULL, genome TEXT NOT NULL, detail TEXT NOT NULL,
    PRIMARY KEY (branch, generation, number)) WITHOUT ROWID"""
MEMORY = """CREATE TABLE memory (
    branch TEXT NOT NULL, number INTEGER NOT NULL, genome TEXT NOT NULL,
    PRIMARY KEY (branch, number)) WITHOUT ROWID"""
OLD_MEASURES = """CREATE TABLE measures (
    branch TEXT NOT NULL, purpose TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL,
    opponent TEXT NOT NULL, score REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, games INTEGER NOT NULL,
    counts TEXT NOT NULL,
    PRIMARY KEY (branch, purpose, generation, number, opponent)) WITHOUT ROWID"""
MEASURES = """CREATE TABLE measures (
    branch TEXT NOT NULL, purpose TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL,
    opponent TEXT NOT NULL, score REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL, games INTEGER NOT NULL,
    counts TEXT NOT NULL,
    distinct_games INTEGER NOT NULL, effective REAL NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (branch, purpose, generation, number, opponent)) WITHOUT ROWID"""
SEALS = """CREATE TABLE seals (
    branch TEXT NOT NULL, number INTEGER NOT NULL, individuals TEXT NOT NULL, seal TEXT NOT NULL,
    PRIMARY KEY (branch, number)) WITHOUT ROWID"""
METRICS = """CREATE TABLE metrics (
    branch TEXT NOT NULL, purpose TEXT NOT NULL, generation INTEGER NOT NULL, number INTEGER NOT NULL,
    opponent TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL,
    PRIMARY KEY (branch, purpose, generation, number, opponent)) WITHOUT ROWID"""
TABLES = {
    1: (GENERATIONS, INDIVIDUALS, MEMORY, OLD_MEASURES),
    2: (GENERATIONS, INDIVIDUALS, MEMORY, MEASURES, SEALS),
    3: (GENERATIONS, INDIVIDUALS, MEMORY, MEASURES, SEALS, METRICS),
}

ALL_SETTINGS = "settings"  # the branch of the seal of settings.json
ALL_MEASURES = "measures"  # the branch of the seal of all measurements of a finished run
LAST_MEMORY = -1  # the number of the seal of what the last generation remembers

POINT = (COUNT, COUNT, COUNT, Number(), Number(), COUNT, Number(), COUNT, COUNT, COUNT)


class BadRun(BadFile):
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


def read_json(path: Path, *wanted: Format) -> dict[str, Any]:
    """Return an object of one of our formats, examined. Raises BadRun for anything else, and for what a newer version
    wrote.
    """
    return formats.read_json(path, *wanted, refusal=BadRun)


def is_empty(folder: Path) -> bool:
    """Tell whether a folder holds nothing but what a killed start left behind."""
    return all(path.name.startswith(BESIDE) for path in folder.iterdir())


def demand_own_files(folder: Path) -> None:
    """Raise BadRun if something in a run's folder is a link, a pipe or a device: going on would write through it."""
    for path in sorted(folder.iterdir()):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise BadRun(f"{path} is a link or no ordinary file; a run goes on only in files of its own")


def tidy(folder: Path) -> None:
    """Remove the unfinished files of a run that was killed; the run must be locked by us."""
    for path in folder.glob(f"{BESIDE}*"):
        path.unlink(missing_ok=True)


# ---- The log ------------------------------------------------------------------------------------


class Log:
    """`log.jsonl`: dates, workers and durations, beside the results; locked while a process works on the run."""

    def __init__(self, folder: Path):
        demand_own_files(folder)
        self.file: BinaryIO = open_log(folder / "log.jsonl")
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
    """Return the seconds that each phase of a run took, over all sessions, as its log tells; it is nobody's result, so
    torn lines are left out.
    """
    seconds: dict[str, float] = {}
    try:
        lines = formats.read_bytes(folder / "log.jsonl").splitlines()
    except BadFile:
        return seconds
    shape = Table({"phase": NAME, "seconds": Number(0, 1e12)})
    for line in lines:
        try:
            data = formats.decode(line)
            formats.examine(data, shape)
        except Mismatch:
            continue  # a torn line, or one without a duration
        seconds[data["phase"]] = seconds.get(data["phase"], 0.0) + data["seconds"]
    return seconds


# ---- The database -------------------------------------------------------------------------------


class Store:
    """`run.sqlite`: generations, individuals and measurements of a run, of its evolution and of its baseline.

    Everything is sealed as it is written: every generation by a hash of itself, of the seal before it and, at the
    beginning, of `settings.json`.  `verify` tells whether somebody has edited or removed something since.  A seal is
    no signature: whoever computes all hashes anew is not found out.  Databases of version 1 have none.
    """

    def __init__(self, folder: Path, *, write: bool = False):
        self.folder, self.path = folder, folder / "run.sqlite"
        if not write and not self.path.is_file():
            raise BadRun(f"{folder} holds no run.sqlite")
        with self._asking():
            # A reader opens the file as a writer would: what a killed writer left half done must be undone first.
            self.link = sqlite3.connect(
                f"{self.path.absolute().as_uri()}?mode={'rwc' if write else 'rw'}",
                uri=True,
                isolation_level=None,
                timeout=10,
            )
            self.link.execute(f"PRAGMA synchronous = {SYNCHRONOUS}")
            self.link.execute("PRAGMA trusted_schema = OFF")
            try:
                self.version = self._prepare(write)
            except BaseException:
                self.link.close()
                raise

    @property
    def is_sealed(self) -> bool:
        """Whether edits can be noticed."""
        return self.version >= 2

    @contextmanager
    def _asking(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OverflowError) as error:
            raise BadRun(f"{self.path}: {error}") from None

    def _prepare(self, write: bool) -> int:
        """Return the version of the tables, which are made if the file is new. They must be exactly ours: a view or a
        trigger may do anything.
        """
        application = self.link.execute("PRAGMA application_id").fetchone()[0]
        version: int = self.link.execute("PRAGMA user_version").fetchone()[0]
        found = {
            _plain(sql)
            for (sql,) in self.link.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite~_%' ESCAPE '~'")
        }
        is_new = not application and not version and not found
        if write and is_new:
            script = "; ".join(
                [
                    *TABLES[DATABASE_VERSION],
                    f"PRAGMA application_id = {APPLICATION}",
                    f"PRAGMA user_version = {DATABASE_VERSION}",
                ]
            )
            self.link.executescript(f"BEGIN; {script}; COMMIT;")
            self._seal_settings()
            return DATABASE_VERSION
        if is_new:
            raise BadRun(f"{self.path} is empty: the run has not begun")
        if application != APPLICATION:
            raise BadRun(f"{self.path} is no database of ours")
        if version > METRIC_VERSION:
            raise BadRun(
                f"{self.path} was written by a newer Ludwin (version {version} of its tables, this one reads up to "
                f"{METRIC_VERSION})"
            )
        if version not in TABLES or found != {_plain(sql) for sql in TABLES[version]}:
            raise BadRun(f"{self.path} is no database of ours: its tables are not those of version {version}")
        return version

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

    # Generations

    def add_generation(self, branch: str, generation: Generation[Any], kind: Representation[Any]) -> Point:
        """Write a generation with all its individuals and all populations beside it, at once or not at all.

        Of a memory the last state is kept.
        """
        kinds = kinds_beside(kind)
        with self._transaction():
            point = self._put_generation(branch, generation, kind)
            for name, other in generation.others:
                self._put_generation(beside(branch, name), replace(other, number=generation.number), kinds[name])
        return point

    def _put_generation(self, branch: str, generation: Generation[Any], kind: Representation[Any]) -> Point:
        point, individuals = _point(generation), []
        for number, one in enumerate(generation.individuals):
            facts = (_json(one.parents), _json(kind.write(one.genome)), _json(detail_of(one), ordered=True))
            individuals.append((branch, generation.number, number, one.fitness, one.size, one.origin, *facts))
        values = (branch, *vars(point).values(), _json(generation.state, ordered=True))
        memory = [(branch, number, _json(kind.write(genome))) for number, genome in enumerate(generation.memory)]
        _insert(self.link, "generations", [values])
        _insert(self.link, "individuals", individuals)
        self.link.execute("DELETE FROM memory WHERE branch = ?", (branch,))
        _insert(self.link, "memory", memory)
        if self.is_sealed:
            self._seal_generation(branch, generation.number)
        return point

    def points(self, branch: str) -> list[Point]:
        """Return the generations in numbers, examined."""
        rows = self._rows("SELECT * FROM generations WHERE branch = ? ORDER BY number", branch)
        return [Point(*self._examined(row[1:-1], POINT, "generations")) for row in rows]

    def states(self, branch: str) -> list[dict[str, float]]:
        """Return the numbers that each generation keeps beside its individuals: games, shapes, a step size."""
        rows = self._rows("SELECT state FROM generations WHERE branch = ? ORDER BY number", branch)
        found = [self._value(row[0]) for row in rows]
        return [
            {key: value for key, value in one.items() if isinstance(value, int | float)}
            if isinstance(one, dict)
            else {}
            for one in found
        ]

    def games(self, branch: str) -> list[int]:
        """Return the games that had been played by each generation, nothing if the breeding does not count them."""
        states = self.states(branch)
        return [int(one["games"]) for one in states] if all("games" in one for one in states) else []

    def last_generation(self, branch: str, kind: Representation[Any]) -> Generation[Any] | None:
        """Return the last stored generation as it was, None if there is none."""
        rows = self._rows(
            "SELECT number, evaluations, state FROM generations WHERE branch = ? ORDER BY number DESC LIMIT 1", branch
        )
        if not rows:
            return None
        number, evaluations, state = rows[0]
        found = self._rows(
            f"SELECT {INDIVIDUAL} FROM individuals WHERE branch = ? AND generation = ? ORDER BY number", branch, number
        )
        memory = [row[0] for row in self._rows("SELECT genome FROM memory WHERE branch = ? ORDER BY number", branch)]
        data = {
            "number": number,
            "evaluations": evaluations,
            "state": self._value(state),
            "memory": [self._value(genome) for genome in memory],
        }
        generation = self._read({**data, "individuals": [self._item(row) for row in found]}, kind)
        others = []
        for name, other in kinds_beside(kind).items():
            population = self.last_generation(beside(branch, name), other)
            if population is None or population.number != number:
                raise BadRun(f"{self.path}: the population {name} of generation {number} is missing")
            others.append((name, population))
        return replace(generation, others=tuple(others))

    def individual(self, branch: str, generation: int, number: int, kind: Representation[Any]) -> Individual[Any]:
        """Return one stored individual."""
        rows = self._rows(
            f"SELECT {INDIVIDUAL} FROM individuals WHERE branch = ? AND generation = ? AND number = ?",
            branch,
            generation,
            number,
        )
        if not rows:
            raise BadRun(f"{self.path}: individual {number} of generation {generation} is missing")
        return self._read(
            {"number": generation, "evaluations": 0, "state": {}, "memory": [], "individuals": [self._item(rows[0])]},
            kind,
        ).individuals[0]

    def _read(self, data: dict[str, Any], kind: Representation[Any]) -> Generation[Any]:
        try:
            return read_generation(kind, data)
        except BadParameter as error:
            raise BadRun(f"{self.path}: {error}") from None

    def _rows(self, question: str, *values: Any) -> list[tuple[Any, ...]]:
        with self._asking():
            return self.link.execute(question, values).fetchall()

    # Measurements

    def add_measure(self, branch: str, purpose: str, note: Note) -> None:
        """Write a measurement; the first that is no score of games makes the tables those of version 3."""
        m = note.measure
        found = *map(float, (m.value, m.low, m.high)), m.n, json.dumps(m.counts)
        place: tuple[Any, ...] = (branch, purpose, note.generation, note.number, m.opponent)
        metric = () if m.is_score else (m.metric, m.unit, m.direction)
        if metric and not self.is_sealed:
            raise BadRun(f"{self.path} is of an older version, which knows the score of games only; begin a new run")
        values = (*place, *found)
        if self.is_sealed:
            values = (*values, m.distinct, float(m.effective))
            values = (*values, _hash(values, *metric))
        with self._transaction():
            if metric and self.version < METRIC_VERSION:
                self.link.execute(METRICS)
                self.link.execute(f"PRAGMA user_version = {METRIC_VERSION}")
            _insert(self.link, "measures", [values])
            _insert(self.link, "metrics", [(*place, *metric)] if metric else [])
            if self.is_sealed and self._seal(ALL_MEASURES, 0):
                self._put_seal_of_measures()
        self.version = max(self.version, METRIC_VERSION) if metric else self.version

    def measures(self, branch: str, purpose: str) -> list[Note]:
        """Return the measurements for a purpose (yardstick, finalist, champion, record), by generation."""
        rows = self._rows(
            "SELECT * FROM measures WHERE branch = ? AND purpose = ? ORDER BY generation, number, opponent",
            branch,
            purpose,
        )
        metrics = self._metrics(branch, purpose)
        found = []
        for row in rows:
            metric = metrics.get(row[2:5], ())
            if self.is_sealed and row[-1] != _hash(row[:-1], *metric):
                raise BadRun(
                    f"{self.path}: a measurement ({purpose} of generation {formats.shown(row[2])}) was edited after "
                    f"it was stored"
                )
            generation, number = self._examined(row[2:4], (COUNT, COUNT), "measures")
            if metric:
                ends = {"low": _end(row[6], -math.inf), "high": _end(row[7], math.inf)}
                about = dict(zip(METRIC, metric, strict=True))
                data = {"opponent": row[4], "value": row[5], **ends, "n": row[8], **about}
            else:
                more = {"distinct": row[10], "effective": row[11]} if self.is_sealed and row[8] else {}
                data = {**dict(zip(MEASURE_KEYS, row[4:9], strict=True)), "counts": self._value(row[9]), **more}
            found.append(Note(generation, number, read_measure(self.path, data)))
        return found

    def _metrics(self, branch: str, purpose: str) -> dict[tuple[Any, ...], tuple[Any, ...]]:
        """Return metric, unit and direction of the measurements that are no scores, by their place."""
        if self.version < METRIC_VERSION:
            return {}
        rows = self._rows("SELECT * FROM metrics WHERE branch = ? AND purpose = ?", branch, purpose)
        return {row[2:5]: row[5:] for row in rows}

    def _item(self, row: tuple[Any, ...]) -> dict[str, Any]:
        """Return a row of `individuals` as `read_generation` takes it."""
        fitness, origin, *texts = row
        return {
            "fitness": fitness,
            "origin": origin,
            **dict(zip(("parents", "genome", "detail"), map(self._value, texts), strict=True)),
        }

    def _value(self, text: Any) -> Any:
        """Return what a stored text of JSON says. Raises BadRun."""
        try:
            formats.examine(text, Text())
            return formats.decode(text)
        except Mismatch as error:
            raise BadRun(f"{self.path}: {formats.shown(text)} is not JSON: {error}") from None

    def _examined(self, row: Sequence[Any], shapes: Sequence[Shape], table: str) -> Sequence[Any]:
        for value, shape in zip(row, shapes, strict=True):
            try:
                shape.examine(value, f"a value of {table}")
            except Mismatch as error:
                raise BadRun(f"{self.path}: {error}") from None
        return row

    # Seals

    def _seal_settings(self) -> None:
        path = self.folder / "settings.json"
        if path.is_file():  # tables keep measurements in a folder that has none
            _insert(self.link, "seals", [(ALL_SETTINGS, 0, "", hashlib.sha256(path.read_bytes()).hexdigest())])

    def seal_measures(self) -> None:
        """Seal that there are these measurements and no others: the run is finished."""
        if self.is_sealed and self._seal(ALL_MEASURES, 0) != self._all_measures():
            with self._transaction():
                self._put_seal_of_measures()

    def _put_seal_of_measures(self) -> None:
        self.link.execute("DELETE FROM seals WHERE branch = ?", (ALL_MEASURES,))
        _insert(self.link, "seals", [(ALL_MEASURES, 0, "", self._all_measures())])

    def _all_measures(self) -> str:
        """Return a hash of what was measured; each result has a seal of its own."""
        order = "branch, purpose, generation, number, opponent"
        return _hash(*self._rows(f"SELECT {order}, seal FROM measures ORDER BY {order}"))

    def _seal(self, branch: str, number: int) -> str:
        rows = self._rows("SELECT seal FROM seals WHERE branch = ? AND number = ?", branch, number)
        return str(rows[0][0]) if rows else ""

    def _seal_generation(self, branch: str, number: int) -> None:
        """Seal what was just written, as the database gives it back (where a whole number may have become a float)."""
        before = self._seal(branch, number - 1) if number else self._seal(ALL_SETTINGS, 0)
        inside = _hash(*self._individuals(branch, number))
        (row,) = self._rows("SELECT * FROM generations WHERE branch = ? AND number = ?", branch, number)
        self.link.execute("DELETE FROM seals WHERE branch = ? AND number = ?", (branch, LAST_MEMORY))
        _insert(
            self.link,
            "seals",
            [
                (branch, number, inside, _hash(before, row, inside)),
                (branch, LAST_MEMORY, "", _hash(*self._memory(branch))),
            ],
        )

    def _individuals(self, branch: str, number: int) -> list[tuple[Any, ...]]:
        return self._rows(
            "SELECT * FROM individuals WHERE branch = ? AND generation = ? ORDER BY number", branch, number
        )

    def _memory(self, branch: str) -> list[tuple[Any, ...]]:
        return self._rows("SELECT * FROM memory WHERE branch = ? ORDER BY number", branch)

    def verify(self, *, fully: bool = True) -> None:
        """Raise BadRun if settings, a generation or an individual was edited or removed after it was stored.

        Not `fully`: the individuals themselves are left out, which makes a long list of runs quick.
        """
        if not self.is_sealed:
            return
        settings = self.folder / "settings.json"
        if self._seal(ALL_SETTINGS, 0) != (
            hashlib.sha256(formats.read_bytes(settings)).hexdigest() if settings.is_file() else ""
        ):
            raise BadRun(
                f"{settings} was edited after the run began, so the run cannot be believed; begin a new one with --out"
            )
        for branch in self.branches():
            self._verify_branch(branch, fully)
        if self._seal(ALL_MEASURES, 0) not in ("", self._all_measures()):
            raise BadRun(f"{self.path}: a measurement was added or removed after the run was finished")

    def branches(self) -> list[str]:
        """Return the branches that something is stored of: evolution, random search, populations beside them."""
        tables = ("generations", "individuals", "memory", "seals") if self.is_sealed else ("generations",)
        asked = " UNION ".join(f"SELECT branch FROM {table}" for table in tables)
        found = {str(row[0]) for row in self._rows(asked)} | {EVOLUTION, BASELINE}
        return sorted(found - {ALL_SETTINGS, ALL_MEASURES})

    def _verify_branch(self, branch: str, fully: bool) -> None:
        rows = {row[1]: row for row in self._rows("SELECT * FROM generations WHERE branch = ?", branch)}
        seals = {
            row[0]: row[1:]
            for row in self._rows(
                "SELECT number, individuals, seal FROM seals WHERE branch = ? AND number >= 0", branch
            )
        }
        counts = dict(
            self._rows("SELECT generation, count(*) FROM individuals WHERE branch = ? GROUP BY generation", branch)
        )
        before = self._seal(ALL_SETTINGS, 0)
        for number in sorted({*range(len(seals)), *rows, *seals, *counts}, key=str):
            if number not in rows or number not in seals or rows[number][-2] != counts.get(number):
                raise self._broken(branch, number)
        for number in range(len(seals)):
            inside, seal = seals[number]
            if seal != _hash(before, rows[number], inside):
                raise self._broken(branch, number)
            before = seal
            if fully and inside != _hash(*self._individuals(branch, number)):
                raise self._broken(branch, number)
        if seals and self._seal(branch, LAST_MEMORY) != _hash(*self._memory(branch)):
            raise BadRun(
                f"{self.path}: what the last generation remembers was edited after it was stored; begin a new run "
                f"with --out"
            )

    def _broken(self, branch: str, number: object) -> BadRun:
        return BadRun(
            f"{self.path}: generation {formats.shown(number)} of {_known(branch)} was edited or removed after it was "
            f"stored; begin a new run with --out"
        )


INDIVIDUAL = "fitness, origin, parents, genome, detail"  # the columns that `Store._item` takes


def _end(value: Any, none: float) -> Any:
    """Return the end of an interval as files hold it: None where there is none."""
    return None if value == none else value


def beside(branch: str, name: str) -> str:
    """Return the branch of a population that lives beside another one.

    >>> beside("evolution", "parasites")
    'evolution: parasites'
    """
    return f"{branch}: {name}"


def _known(branch: str) -> str:
    """Return the name of a branch as it is, of a stranger's as a text in quotation marks."""
    return branch if branch.isprintable() else brief(branch)


def _plain(sql: Any) -> str:
    return " ".join(str(sql).split())


def _insert(link: sqlite3.Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    if rows:
        link.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)


def _hash(*values: Any) -> str:
    """Return a hash of values as the database gives them back."""
    text = json.dumps(values, ensure_ascii=True, separators=(",", ":"), default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


def _json(value: Any, *, ordered: bool = False) -> str:
    """Return a value of a generation as JSON, `ordered` by its keys and in ASCII.

    Raises BadParameter for numbers that could not be read again.
    """
    try:
        return json.dumps(value, ensure_ascii=ordered, sort_keys=ordered, allow_nan=False)
    except ValueError:
        raise BadParameter(
            "a generation was bred that holds an infinite number, or nan, in a genome, a detail or a step size, so it "
            "cannot be stored; bound the genes, or what the fitness rewards"
        ) from None


def _point(generation: Generation[Any]) -> Point:
    best = next(k for k, one in enumerate(generation.individuals) if one is generation.best)
    sizes = generation.sizes
    fitness = generation.best.fitness, generation.mean
    return Point(
        generation.number,
        generation.evaluations,
        best,
        *fitness,
        sizes[best],
        generation.mean_size,
        max(sizes),
        generation.distinct,
        len(sizes),
    )


def find_champion(path: Path) -> Path:
    """Return the champion's file that a path means: the file itself, a run's, or the best one of a series."""
    if not path.is_dir():
        return path
    if (path / "summary.json").is_file():
        folder = path / str(read_json(path / "summary.json", SUMMARY)["best"]["folder"])
        if (folder / "champion.json").is_file():
            return folder / "champion.json"
    if not (path / "champion.json").is_file():
        what = (
            "the run there is not finished" if (path / "settings.json").is_file() else "there is no run in that folder"
        )
        raise BadRun(f"{path} holds no champion.json: {what}")
    return path / "champion.json"


def read_champion(path: Path | str) -> dict[str, Any]:
    """Return a champion, from its file or from the folder of its run. Raises BadRun.

    What every champion has is examined here; what its experiment adds, by the experiment.
    """
    return read_json(find_champion(Path(path)), CHAMPION)


def read_measure(path: Path, data: Any) -> Measure:
    """Return a stored measure, examined. Raises BadRun."""
    try:
        formats.examine(data, MEASURE)
        return Measure.from_json(data)
    except (Mismatch, BadParameter) as error:
        raise BadRun(f"{path}: a measurement: {error}") from None
