"""The language editor's questions: what a language is good for, and what it breaks.

Why it is here.  The book's man in the loop edits the language and sees at once what follows: mistakes with their line,
what the game answers, twenty random programs, and which champions are lost.  Nothing is executed but the examined
arithmetic of the rules.
"""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludwin.errors import LudwinError


def language(game: str) -> dict[str, Any]:
    """Return a language for a registered game as TOML, to begin with: its folder's own, or one made of its queries."""
    from ludwin.evolve.generic import language as made
    from ludwin.games import domains, open_part
    from ludwin.library import load
    from ludwin.program.language import Language
    from ludwin.program.toml import to_toml

    found = load(game)
    own = None
    if found.is_ours and found.name in domains("language"):
        part = open_part(found.name, "language")
        own = getattr(part, "LANGUAGE", None)
    one = own if isinstance(own, Language) else made(found)
    return {"game": found.text, "toml": to_toml(one)}


def read_language(path: str) -> dict[str, Any]:
    """Return a language file."""
    from ludwin.formats import read_text

    return {"toml": read_text(Path(path), 2**22)}


def check_language(toml: str, game: str | None = None, runs: list[str] | None = None) -> dict[str, Any]:
    """Return what a language is good for: problems with their line, what the game answers, twenty random programs with
    their values, and which stored champions and populations still parse.
    """
    from ludwin.program.generate import ramped
    from ludwin.program.stream import Stream
    from ludwin.program.text import write
    from ludwin.program.toml import from_toml

    try:
        found = from_toml(toml)
    except (LudwinError, ValueError) as error:
        return {"ok": False, "message": str(error), "line": _line_of(toml, str(error))}
    answer: dict[str, Any] = {"ok": True, "name": found.name, "primitives": len(found.primitives)}
    rules = None
    if game:
        from ludwin.library import load

        rules = load(game)
        known = {name: size for name, (_, size) in rules.queries.items()} | {"mobility": 0}
        answer["reads"] = [
            {"primitive": one.name, "reads": one.reads, "answered": one.reads in known}
            for one in found.primitives
            if one.reads
        ]
    try:
        trees = ramped(found, 20, Stream(1, 7))
        answer["programs"] = [{"text": write(tree), "size": len(tree), "value": None} for tree in trees]
        if rules is not None and all(one["answered"] for one in answer["reads"]):
            _values(answer, trees, rules)
    except (LudwinError, ValueError, ArithmeticError) as error:
        answer["programs"] = []
        answer["message"] = str(error)
    answer["space"] = _space(found)
    answer["champions"] = [_still_parses(Path(path), found) for path in runs or []]
    return answer


def _values(answer: dict[str, Any], trees: list[Any], rules: Any) -> None:
    """Add what programs say of the start."""
    from ludwin.program.values import values

    state = rules.start()
    for row, tree in zip(answer["programs"], trees, strict=True):
        try:
            (value,) = values(tree, rules, [state], mode="plain")
            row["value"] = value if math.isfinite(value) else None
        except (LudwinError, ArithmeticError, ValueError) as error:
            row["trouble"] = str(error)


def _line_of(toml: str, message: str) -> int | None:
    """Return the line that a message is about: as the reader says, or where the word it quotes stands."""
    said = re.search(r"at line (\d+)", message)
    if said:
        return int(said[1])
    if "at end of document" in message:
        return max(toml.count("\n") + (not toml.endswith("\n")), 1)
    words = re.findall(r"'([^']+)'|\b([A-Z][A-Za-z]{2,})\b", message)
    for word in (one or other for one, other in words):
        for number, line in enumerate(toml.splitlines(), 1):
            if word in line:
                return number
    return None


def _space(found: Any) -> list[str]:
    """Return how many programs there are by depth, for the first few depths."""
    counts: dict[str, float] = {}
    rows = []
    for depth in range(5):
        now: dict[str, float] = {}
        for kind in found.types:
            total = 0.0
            for one in found.primitives:
                if kind not in found.sets.get(one.returns, (one.returns,)):
                    continue
                if one.takes and depth:
                    ways = float(max(one.places, 1))
                    for taken in one.takes:
                        ways *= sum(counts.get(inner, 0.0) for inner in found.sets.get(taken, (taken,)))
                    total += ways
                elif not one.takes:
                    total += max(one.places, 1)
            now[kind] = total
        counts = now
        rows.append(f"{sum(counts.get(kind, 0.0) for kind in found.sets.get(found.root, (found.root,))):.3g}")
    return rows


def _still_parses(folder: Path, found: Any) -> dict[str, Any]:
    """Return whether the champion and the last population of a run are programs of this language, and if not why."""
    from ludwin.evolve.store import Store, find_champion, read_champion
    from ludwin.program.text import read

    name = folder.name
    told: dict[str, Any] = {"run": name, "ok": None, "why": ""}
    try:
        data = read_champion(find_champion(folder))
        brain = (data.get("player") or {}).get("brain") or {}
        programs = list(brain.get("programs") or [])
        if not programs:
            return {**told, "why": "its champion is no program"}
        for text in programs:
            read(found, text)
        told["ok"] = True
    except LudwinError as error:
        told.update(ok=False, why=str(error).replace(str(folder), folder.name))
    try:
        with Store(folder) as store:
            last = store.points("evolution")[-1].number
            genomes = list(store._individuals("evolution", last))
        good = sum(_parses(found, row, read) for row in genomes)
        told["population"] = [good, len(genomes)]
    except (LudwinError, IndexError, KeyError, OSError):
        told["population"] = None
    return told


def _parses(found: Any, row: Any, read: Callable[[Any, str], Any]) -> bool:
    text = next((one for one in row if isinstance(one, str) and "(" in one), None)
    if text is None:
        return False
    from ludwin.formats import decode

    try:
        value = decode(text)
        while isinstance(value, dict | list):
            value = next(iter(value.values())) if isinstance(value, dict) else value[0]
        read(found, str(value))
        return True
    except (LudwinError, ValueError, IndexError, StopIteration):
        return False
