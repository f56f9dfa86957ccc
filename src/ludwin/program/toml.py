"""Languages in files: the declaration of a language as TOML, read and written.

A file says what the Python declaration says, with the same words; nothing in it is ever executed
but the examined arithmetic of the rules:

    name = "toy"
    types = ["Float", "Bool"]
    root = "Float"                    # the type of a whole program (default: the first type)

    [sets]                            # types that stand for several (may be left out)
    Query = ["Float", "Bool"]

    [primitives.Plus]
    returns = "Float"
    takes = ["Float", "Float"]
    rule = "a + b"

    [primitives.ERC]
    returns = "Float"
    rule = "v"
    draws = [-5, 5]

    [primitives.Try]                  # an action is named, never described: the domain knows what it does
    returns = "Float"
    takes = ["Float"]
    acts = "try"
    branches = "a"
"""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, did_you_mean
from ludwin.formats import BadFile, read_text
from ludwin.program.language import Language, Primitive

FIELDS = ("name", "types", "root", "sets", "primitives")
LARGEST = 2**22  # bytes of a language
DEEPEST = 100  # parts of a key; a language needs three
KEY = re.compile(r"""\s*[\w"'-]+\s*""")


def load(path: str | Path) -> Language:
    """Return the language of a file; raises BadParameter that names the file and the mistake."""
    try:
        text = read_text(Path(path), LARGEST)
    except BadFile as error:
        reason = str(error).removeprefix(f"cannot read {path}: ").removeprefix(f"{path} ")
        raise BadParameter(f"cannot read the language {path}: {reason}") from None
    try:
        return from_toml(text, Path(path).stem)
    except BadParameter as error:
        raise BadParameter(f"{path}: {error}") from None


def from_toml(text: str, name: str = "language") -> Language:
    """Return the language of a text; `name` is used if the text has none."""
    _demand_shallow(text)
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadParameter(f"not TOML: {str(error).splitlines()[0]}") from None
    for word in data:
        if word not in FIELDS:
            raise BadParameter(f"a language has no {word!r}{did_you_mean(word, FIELDS)} (it has {', '.join(FIELDS)})")
    types = _take(data, "types", _texts, "a list of names", "the language")
    if not types:
        raise BadParameter('the language needs types, such as types = ["Float", "Bool"]')
    sets = _take(data, "sets", _table_of_texts, "a table of lists of types", "the language") or {}
    primitives = _take(data, "primitives", _table, "a table", "the language")
    if not primitives:
        raise BadParameter("the language needs primitives, such as [primitives.Plus]")
    return Language(
        _take(data, "name", _text, "a text", "the language") or name,
        types,
        tuple(_primitive(word, fields) for word, fields in primitives.items()),
        _take(data, "root", _text, "a text", "the language") or types[0],
        sets,
    )


def _demand_shallow(text: str) -> None:
    """Raise BadParameter for keys like a.a.a.a…, for which the standard library's reader takes minutes."""
    run = 0
    for part in text.split("."):
        run = run + 1 if KEY.fullmatch(part) else 0
        if run > DEEPEST:
            raise BadParameter(f"not TOML of a language: a key has more than {DEEPEST} parts")


def _primitive(name: str, fields: Any) -> Primitive:
    what = f"primitive {name if name.isprintable() else repr(name)}"
    if not isinstance(fields, dict):
        raise BadParameter(f"{what} must be a table")
    for word in fields:
        if word not in READERS:
            raise BadParameter(f"{what} has no {word!r}{did_you_mean(word, READERS)} (it has {', '.join(READERS)})")
    known = {
        word: _take(fields, word, reader, wanted, what) for word, (reader, wanted) in READERS.items() if word in fields
    }
    if "returns" not in known:
        raise BadParameter(f"{what} needs returns, the type of its value")
    return Primitive(name, **known)


def _take(data: Mapping[str, Any], word: str, reader: Callable[[Any], Any], wanted: str, what: str) -> Any:
    """Return one field as `reader` gives it, None if it is absent; raises BadParameter if it is something else."""
    if word not in data:
        return None
    value = reader(data[word])
    if value is None:
        raise BadParameter(f"{what}: {word} must be {wanted}, got {json.dumps(data[word], default=str)}")
    return value


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _texts(value: Any) -> tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) and all(isinstance(item, str) for item in value) else None


def _table(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _table_of_texts(value: Any) -> dict[str, tuple[str, ...]] | None:
    if not isinstance(value, dict):
        return None
    read = {word: _texts(items) for word, items in value.items()}
    return None if None in read.values() else {word: items for word, items in read.items() if items is not None}


def _numbers(value: Any) -> tuple[float, ...] | None:
    if not isinstance(value, list) or not all(type(item) in (int, float) for item in value):
        return None
    try:
        return tuple(float(item) for item in value)
    except OverflowError:
        return None


def _pair(value: Any) -> tuple[float, ...] | None:
    numbers = _numbers(value)
    return numbers if numbers is not None and len(numbers) == 2 else None


def _whole(value: Any) -> int | None:
    return value if type(value) is int else None


READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "returns": (_text, "a type"),
    "takes": (_texts, "a list of types"),
    "rule": (_text, "a text"),
    "reads": (_text, "a text"),
    "draws": (_pair, "two numbers"),
    "choices": (_numbers, "a list of numbers"),
    "places": (_whole, "a whole number"),
    "acts": (_text, "a text"),
    "branches": (_text, "letters of arguments"),
    "help": (_text, "a text"),
}


def to_toml(language: Language) -> str:
    """Return the text of a language, which `from_toml` reads back to an equal one."""
    parts = [f"name = {_value(language.name)}", f"types = {_value(language.types)}", f"root = {_value(language.root)}"]
    if language.sets:
        parts += ["", "[sets]", *(f"{_key(word)} = {_value(items)}" for word, items in language.sets.items())]
    for primitive in language.primitives:
        parts += ["", f"[primitives.{primitive.name}]"]
        for word in READERS:
            value = getattr(primitive, word)
            if value:
                parts.append(f"{word} = {_value(value)}")
    return "\n".join(parts) + "\n"


def _key(word: str) -> str:
    return word if word.isidentifier() and word.isascii() else _value(word)


def _value(value: Any) -> str:
    """Return a value as TOML: JSON's texts and lists are TOML's, too."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, tuple):
        return f"[{', '.join(_value(item) for item in value)}]"
    return repr(value)
