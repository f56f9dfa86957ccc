"""What a kernel's text amounts to, remembered, so that a search which is compiled already need not be read again.

Why it is here.  The name of compiled code is a hash of the functions that a kernel is gathered from.  To gather the
largest of them, 94 functions out of ten files have to be parsed and walked, and that takes longer than a small search.
So the outcome is kept beside the compiled code, under a hash of everything it can depend on: all texts of the rooms
that kernels live in, the entry, and what is bound to its names.  Whatever is not from these rooms, or written as a text
that bears its own hash, is gathered anew each time.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import Any

import ludwin.primitives
from ludwin.formats import decode
from ludwin.kernel import cache
from ludwin.kernel.text import Kernel, KernelText
from ludwin.rules.source import digest, hashed

ROOT = Path(ludwin.primitives.__file__).parent
ROOMS = ("kernel", "program", "search")
GENERATED = "ludwin_text_"  # modules whose name is a hash of their text


@dataclass(frozen=True)
class Brief:
    """What the name of compiled code needs of a text, and the files by whose numbers its faults are known."""

    source: str
    files: tuple[str, ...]


class _Foreign(Exception):
    """Something that is not from our rooms is bound in the kernel."""


def brief_of(text: KernelText) -> Brief:
    """Return what is to be remembered of a text."""
    guests = [str(source.path) for guest in text.guests.values() for source in guest.source.family()]
    return Brief(text.source(), tuple(dict.fromkeys([*guests, *(file for file, _ in text.functions.values())])))


def remembered(kernel: Kernel, defaults: Mapping[str, Any]) -> tuple[str, Brief | None]:
    """Return the key of a kernel ("" if it must always be gathered) and what is known under it."""
    try:
        key = digest(_rooms(), *_marks(kernel), sorted(f"{name} {_place(one)}" for name, one in defaults.items()))
    except _Foreign:
        return "", None
    try:
        data = decode(_file(key).read_bytes())
        return key, Brief(data["source"], tuple(_absolute(name) for name in data["files"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return key, None  # not there, or damaged: gathered anew


def remember(key: str, brief: Brief) -> None:
    """Keep a brief, if there is a place to keep it."""
    if not key:
        return
    try:
        file = _file(key)
        file.parent.mkdir(mode=0o700, exist_ok=True)
        file.unlink(missing_ok=True)  # it was damaged
        cache.write_once(file, json.dumps({"source": brief.source, "files": [_relative(name) for name in brief.files]}))
    except (OSError, ValueError):
        return


def _file(key: str) -> Path:
    return cache.folder() / "ludwin_seen" / f"text-{key}"


def _relative(name: str) -> str:
    return name if name.startswith("<") else str(Path(name).relative_to(ROOT))


def _absolute(name: str) -> str:
    return name if name.startswith("<") else str(ROOT / name)


def _marks(kernel: Kernel) -> Iterator[object]:
    """Yield all that the gathered text of a kernel depends on, but for the texts of the rooms."""
    yield _place(kernel.entry)
    for name, value in sorted(kernel.bind.items()):
        yield name
        if isinstance(value, Kernel):
            yield tuple(_marks(value))
        elif isinstance(value, FunctionType):
            yield _place(value)
        elif isinstance(value, str | int | float):
            yield value
        else:
            raise _Foreign


def _place(function: Any) -> str:
    home = str(function.__module__)
    if not home.startswith(GENERATED) and home.split(".")[:2] not in [["ludwin", room] for room in ROOMS]:
        raise _Foreign
    return f"{home}:{function.__qualname__}"


@lru_cache(maxsize=None)
def _rooms() -> str:
    """Return a hash of all texts in which kernels can be, and of the primitives."""
    texts = [hashed((ROOT / name).read_bytes()) for name in ("primitives.py", "elementary.py")]
    for room in ROOMS:
        for folder, inner, files in os.walk(ROOT / room):
            inner.sort()
            for name in sorted(files):
                if name.endswith(".py"):
                    texts.append(hashed(Path(folder, name).read_bytes()))
    return digest(*texts)
