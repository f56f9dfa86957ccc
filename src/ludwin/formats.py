"""Files that may come from anywhere: one reader, one way to say what a file must look like.

Why it is here.  Records, saved games, runs, champions and tables are all JSON, and none of them is believed.
A text is decoded with suspicion (`decode`), an object of ours must say which format and version it is
and must have the shape that its module declares (`Format.read`), and whatever does not fit is told
in one line.  Formats grow: a file of an older version is brought up to date by its migrations, a
newer one is refused.

What no file of ours holds, and every reader refuses: bytes that are not UTF-8, a key that stands twice,
NaN and infinities, whole numbers of more than 400 digits, values nested more than 64 deep, texts with
NUL or with half a character (a lone surrogate), files that are no ordinary files, files that are too long.

Shapes.  A shape is a value: `Text()`, `Whole(least=0)`, `Number()`, `Truth()`, `Nothing()`, `Shape()` (anything),
`List(of)`, `Table(required, optional)`, `Either(a, b, …)`.

>>> shape = Table({"seats": List(Whole(least=0), least=1)}, {"position": Text()})
>>> examine({"seats": [0, 1]}, shape)
>>> examine({"seats": [0, "x"]}, shape)
Traceback (most recent call last):
ludwin.formats.Mismatch: 'seats'[1] must be a whole number of at least 0, got 'x'
"""

import json
import math
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from ludwin.errors import LudwinError
from ludwin.files import write_whole

LARGEST = 2**26  # bytes of a file, or of a line; more is none of ours
DEEPEST = 64  # lists within lists
DIGITS = 400  # of a whole number
SHOWN = 60  # characters of a wrong value that a message repeats
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
HALF = re.compile(r"[\x00\ud800-\udfff]")


class BadFile(LudwinError, ValueError):
    """A file is not what it should be: which, and why."""


class Mismatch(ValueError):
    """A value does not have the shape that it should have: where, and why."""


# ---- Shapes -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shape:
    """Whatever JSON can say."""

    def words(self) -> str:
        """Return what is wanted, for a message."""
        return "a value"

    def examine(self, value: Any, place: str) -> None:
        """Raise Mismatch or pass."""


@dataclass(frozen=True)
class Nothing(Shape):
    """`null`."""

    def words(self) -> str:
        return "null"

    def examine(self, value: Any, place: str) -> None:
        if value is not None:
            _fail(self, value, place)


@dataclass(frozen=True)
class Truth(Shape):
    """`true` or `false`."""

    def words(self) -> str:
        return "true or false"

    def examine(self, value: Any, place: str) -> None:
        if not isinstance(value, bool):
            _fail(self, value, place)


@dataclass(frozen=True)
class Text(Shape):
    """A text. One `line` holds no control characters; `like` is a pattern for all of it, `choices` all there is."""

    longest: int = LARGEST
    line: bool = False
    choices: tuple[str, ...] = ()
    like: str = ""
    said: str = ""  # what a text that is `like` this is called

    def words(self) -> str:
        if self.choices:
            return "one of " + ", ".join(self.choices)
        return self.said or ("a text of one line" if self.line else "a text")

    def examine(self, value: Any, place: str) -> None:
        if (
            not isinstance(value, str)
            or (self.line and CONTROL.search(value))
            or (self.choices and value not in self.choices)
        ):
            _fail(self, value, place)
        if len(value) > self.longest:
            raise Mismatch(f"{place or 'the file'} must have at most {self.longest} characters, got {len(value)}")
        if self.like and not re.fullmatch(self.like, value):
            _fail(self, value, place)


@dataclass(frozen=True)
class Number(Shape):
    """A finite number."""

    least: float | None = None
    most: float | None = None
    noun = "a number"

    def words(self) -> str:
        if self.least is not None and self.most is not None:
            return f"{self.noun} from {_short(self.least)} to {_short(self.most)}"
        if self.least is not None:
            return f"{self.noun} of at least {_short(self.least)}"
        return self.noun if self.most is None else f"{self.noun} of at most {_short(self.most)}"

    def examine(self, value: Any, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float) or type(value) not in self.kinds:
            _fail(self, value, place)
        if abs(value) > 2**1000 or value != value:  # what no float can be
            _fail(self, value, place)
        if (self.least is not None and value < self.least) or (self.most is not None and value > self.most):
            _fail(self, value, place)

    @property
    def kinds(self) -> tuple[type, ...]:
        """The types of Python that do."""
        return int, float


@dataclass(frozen=True)
class Whole(Number):
    """A whole number; without bounds it is one of 64 bits."""

    noun = "a whole number"

    def examine(self, value: Any, place: str) -> None:
        super().examine(value, place)
        if not -(2**63) <= value < 2**63 and (self.most is None or value > self.most):
            _fail(self, value, place)

    @property
    def kinds(self) -> tuple[type, ...]:
        return (int,)


@dataclass(frozen=True)
class List(Shape):
    """A list of values of one shape."""

    of: Shape = field(default_factory=Shape)
    least: int = 0
    most: int | None = None

    def words(self) -> str:
        if self.least == self.most:
            return f"a list of {self.least}"
        return "a list" if not self.least else f"a list of at least {self.least}"

    def examine(self, value: Any, place: str) -> None:
        if not isinstance(value, list) or len(value) < self.least or (self.most is not None and len(value) > self.most):
            _fail(self, value, place)
        if type(self.of) is Shape:
            return
        for number, item in enumerate(value):
            self.of.examine(item, f"{place or 'the list'}[{number}]")


@dataclass(frozen=True)
class Table(Shape):
    """An object: keys that must be there, keys that may; others are allowed unless it is `closed`. `each` is the shape
    of all.
    """

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)
    closed: bool = False
    each: Shape | None = None

    def words(self) -> str:
        return "an object"

    def examine(self, value: Any, place: str) -> None:
        if not isinstance(value, dict):
            _fail(self, value, place)
        for key in self.required:
            if key not in value:
                raise Mismatch(f"{_inside(place, key)} is missing")
        for key, item in value.items():
            shape = self.required.get(key) or self.optional.get(key) or self.each
            if shape is not None:
                shape.examine(item, _inside(place, key))
            elif self.closed:
                raise Mismatch(
                    f"{_inside(place, key)} is not known here (there are {', '.join([*self.required, *self.optional])})"
                )


@dataclass(frozen=True, init=False)
class Either(Shape):
    """One of several shapes."""

    shapes: tuple[Shape, ...]

    def __init__(self, *shapes: Shape):
        object.__setattr__(self, "shapes", shapes)

    def words(self) -> str:
        return " or ".join(dict.fromkeys(shape.words() for shape in self.shapes))

    def examine(self, value: Any, place: str) -> None:
        inside: Mismatch | None = None
        for shape in self.shapes:
            try:
                shape.examine(value, place)
                return
            except Mismatch as error:
                if isinstance(value, list | dict) and isinstance(shape, List | Table):
                    inside = error  # the shape was meant, and something in it is wrong
        if inside is not None:
            raise inside
        _fail(self, value, place)


def maybe(shape: Shape) -> Either:
    """Return the shape of something that may be null."""
    return Either(shape, Nothing())


def examine(value: Any, shape: Shape) -> None:
    """Raise Mismatch or pass: does a value have a shape?"""
    shape.examine(value, "")


def shown(value: object) -> str:
    """Return a value in a message: short, in one line, whatever it is."""
    text = ascii(value) if isinstance(value, str) and HALF.search(value) else f"{value!r}"
    text = CONTROL.sub("?", text)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def printable(text: str) -> str:
    """Return a text, perhaps a stranger's, as a file of ours may hold it: ? for NUL and for half characters."""
    return HALF.sub("?", text)


def _short(number: float) -> str:
    return str(number) if isinstance(number, int) else f"{number:g}"


def _inside(place: str, key: str) -> str:
    return shown(key) if not place else f"{place}.{key}" if key.isidentifier() else f"{place}[{shown(key)}]"


def _fail(shape: Shape, value: Any, place: str) -> NoReturn:
    got = f"one of {len(value)}" if isinstance(shape, List) and isinstance(value, list) else shown(value)
    raise Mismatch(f"{place or 'the file'} must be {shape.words()}, got {got}")


# ---- Bytes ------------------------------------------------------------------------------------------------


def read_bytes(path: Path, largest: int = LARGEST) -> bytes:
    """Return what an ordinary file holds. Raises BadFile for a folder, a device or a pipe, and for what is too long.

    A pipe must not be opened: that would wait for a writer.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadFile(f"cannot read {path}: it is {'a folder' if path.is_dir() else 'not an ordinary file'}")
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
    except BadFile:
        raise
    except ValueError:  # a NUL in the name
        raise BadFile(f"cannot read {shown(str(path))}: no file can have this name") from None
    if len(raw) > largest:
        raise BadFile(f"{path} is too long: more than {largest} bytes")
    return raw


def read_text(path: Path, largest: int = LARGEST) -> str:
    """Return the text of an ordinary file. Raises BadFile."""
    try:
        return read_bytes(path, largest).decode("utf8")
    except UnicodeDecodeError as error:
        raise BadFile(f"{path} is not text in UTF-8 (byte {error.start})") from None


def decode(raw: bytes | str) -> Any:
    """Return what a text of JSON says. Raises Mismatch for what is no JSON, and for what no file of ours holds."""
    try:
        text = raw.decode("utf8") if isinstance(raw, bytes) else raw
    except UnicodeDecodeError as error:
        raise Mismatch(f"this is not text in UTF-8 (byte {error.start})") from None
    if not text.strip():
        raise Mismatch("there is nothing in it")
    try:
        data = json.loads(
            text, object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_whole, parse_float=_float
        )
    except Mismatch:
        raise
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise Mismatch(f"this is not JSON: {error.msg[0].lower()}{error.msg[1:]} ({where})") from None
    except RecursionError:
        raise Mismatch(f"values are nested more than {DEEPEST} deep") from None
    _not_deep(data)
    return data


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Mismatch(f"the key {shown(twice)} stands twice")
    return found


def _constant(word: str) -> NoReturn:
    raise Mismatch(f"{word} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > DIGITS:
        raise Mismatch(f"a whole number of {len(digits)} digits is too large")
    return int(digits)


def _float(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise Mismatch(f"the number {digits[:SHOWN]} is too large")
    return value


def _not_deep(data: Any) -> None:
    """Raise Mismatch for values that are nested too deeply, and for texts that no system can print."""
    level: list[Any] = [data]
    for _ in range(DEEPEST + 1):
        if not level:
            return
        below: list[Any] = []
        for value in level:
            if isinstance(value, str):
                _whole_text(value)
            elif isinstance(value, list):
                below += value
            elif isinstance(value, dict):
                below += value.values()
                for key in value:
                    _whole_text(key)
        level = below
    raise Mismatch(f"values are nested more than {DEEPEST} deep")


def _whole_text(text: str) -> None:
    if HALF.search(text):
        raise Mismatch(f"the text {shown(text)} holds NUL or half a character")


# ---- Formats -------------------------------------------------------------------------------------------------

Migration = Callable[[dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Format:
    """A format of ours: its name and version, its shape, and how older versions become this one.

    `migrations[k]` makes version k + 1 of version k.
    """

    name: str
    version: int
    shape: Table
    what: str = ""  # what a person calls such a file
    migrations: Mapping[int, Migration] = field(default_factory=dict)
    largest: int = LARGEST

    @property
    def head(self) -> dict[str, Any]:
        """How such a file begins."""
        return {"format": self.name, "version": self.version}

    def accept(self, data: Any) -> dict[str, Any]:
        """Return an object of this format in its newest version, examined. Raises Mismatch."""
        if not isinstance(data, dict) or data.get("format") != self.name:
            raise Mismatch(f"it does not begin with the format {self.name!r}")
        version = data.get("version")
        if isinstance(version, bool) or not isinstance(version, int) or version < 1:
            raise Mismatch(f"'version' must be a whole number of at least 1, got {shown(version)}")
        if version > self.version:
            what = f"version {shown(version)} of {self.name}, this one reads up to {self.version}"
            raise Mismatch(f"it was written by a newer Ludwin ({what})")
        found: dict[str, Any] = data
        for older in range(version, self.version):
            found = {**self.migrations[older](found), "version": older + 1}
        examine(found, self.shape)
        return found


def read_json(path: Path, *formats: Format, refusal: type[LudwinError] = BadFile) -> dict[str, Any]:
    """Return an object of one of these formats, examined. Raises `refusal` with one line for anything else."""
    what = " or ".join(one.what or one.name for one in formats)
    try:
        data = decode(read_bytes(path, max(one.largest for one in formats)))
    except BadFile as error:
        raise refusal(str(error)) from None
    except Mismatch as error:
        raise refusal(f"{path} is no {what}: {error}") from None
    told = data.get("format") if isinstance(data, dict) else None
    for one in formats:
        if told == one.name:
            try:
                return one.accept(data)
            except Mismatch as error:
                raise refusal(f"{path}: {error}") from None
    but = f" but with {told!r}" if isinstance(told, str) and told in FORMATS else ""
    raise refusal(
        f"{path} is no {what}: it does not begin with the format {' or '.join(repr(one.name) for one in formats)}{but}"
    )


def write_json(path: Path, one: Format, body: Mapping[str, Any], **style: Any) -> None:
    """Write a file of a format, whole or not at all: its head, then the body. What we could not read is not written."""
    data = {**one.head, **body}
    text = json.dumps(data, ensure_ascii=False, **style)
    examine(decode(text), one.shape)
    write_whole(path, text + "\n")


# Every format that is read here, and where it is declared: with its version, its shape and its migrations.  Two have
# readers of their own, and good reasons: the proof checker shares no code with what writes derivations, and an image
# is bytes to be hashed before anything in it is looked at.
FORMATS: Mapping[str, str] = {
    "ludwin-backgammon-network": "ludwin.games.backgammon.opponents.network:NETWORK",
    "ludwin-carcassonne-solo": "ludwin.games.carcassonne.tables.solo:DETAILS",
    "ludwin-champion": "ludwin.evolve.store:CHAMPION",
    "ludwin-deals": "ludwin.games.freecell.tables.runner:FORMAT",
    "ludwin-endgame": "ludwin.games.chess.opponents.endgames:FORMAT",
    "ludwin-experiment": "ludwin.lab.experiment:EXPERIMENT",
    "ludwin-fop": "ludwin.games.fop.tables.samples:DECISIONS",
    "ludwin-games": "ludwin.arena.records:HEADER",
    "ludwin-learner": "ludwin.games.backgammon.tables.learners:FOUND",
    "ludwin-part": "ludwin.parts:PART",
    "ludwin-plan": "ludwin.arena.plans:PLAN",
    "ludwin-play": "ludwin.play.saved:SAVED",
    "ludwin-search-for-a-formula": "ludwin.lab.regression:SEARCH",
    "ludwin-run": "ludwin.evolve.store:RUN",
    "ludwin-series": "ludwin.evolve.store:SERIES",
    "ludwin-solutions": "ludwin.arena.plans:SOLUTIONS",
    "ludwin-table": "ludwin.lab.experiment:TABLE",
    "ludwin-tests": "ludwin.games.fop.tables.tests:TESTS",
    "ludwin-thoughts": "ludwin.games.carcassonne.tables.thoughts:THOUGHTS",
    "ludwin-tune": "ludwin.lab.tune:TUNING",
    "ludwin-time": "ludwin.lab.mcts_options:TIME",
}


def read_lines(
    path: Path, refusal: Callable[[int, str], LudwinError], largest: int = LARGEST
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that end with a newline, numbered from 1: what follows the last newline is torn.

    Raises BadFile if there is no such file, and what `refusal` makes of line and reason for a line that is no text.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise BadFile(f"cannot read {path}: it is {'a folder' if path.is_dir() else 'not an ordinary file'}")
        with open(path, "rb") as file:
            number = 0
            while line := file.readline(largest + 1):
                number += 1
                if len(line) > largest:
                    raise refusal(number, f"the line is too long: more than {largest} bytes")
                if line.endswith(b"\n"):
                    try:
                        yield number, line.decode("utf8")
                    except UnicodeDecodeError:
                        raise refusal(number, "this is not text in UTF-8") from None
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, LudwinError):
            raise
        raise BadFile(f"cannot read {shown(str(path))}: no file can have this name") from None


def table_of(keys: Sequence[str], shape: Shape) -> dict[str, Shape]:
    """Return a table in which all keys have one shape."""
    return dict.fromkeys(keys, shape)


def finite(data: Any) -> Any:
    """Return JSON values with None instead of what JSON cannot say."""
    if isinstance(data, float) and not math.isfinite(data):
        return None
    if isinstance(data, Mapping):
        return {key: finite(value) for key, value in data.items()}
    return [finite(value) for value in data] if isinstance(data, list | tuple) else data
