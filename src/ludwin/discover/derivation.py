"""A derivation is a value: it prints as a proof, saves, loads, replays, and is checked by somebody else.

Why it is here.  What the engine finds is worth as much as the reader's trust in it.  So every step keeps
the clauses it took and gave and the obligation it met, the file holds nothing but text, and
`ludwin.discover.checker`, which shares no code with the search, goes through it again after loading.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ludwin.discover.rules import RULES, Step, replace_clauses
from ludwin.discover.syntax import parse, parse_clause, parse_goals, write, write_clause, write_goal
from ludwin.discover.term import Clause, Goal, Program
from ludwin.errors import LudwinError
from ludwin.files import write_whole

FORMAT, VERSION = "ludwin-derivation", 1


class BadDerivation(LudwinError, ValueError):
    """A file that is no derivation, or a derivation that does not hold."""


@dataclass(frozen=True)
class Derivation:
    """From a seed program to a result, step by step. `entry` is the predicate that a caller asks."""

    problem: str
    entry: str
    seed: Program
    steps: tuple[Step, ...]
    result: Program
    notes: Mapping[str, Any] = field(default_factory=dict)

    def programs(self) -> list[Program]:
        """Return the programs before the first step and after each one."""
        found = [self.seed]
        for step in self.steps:
            found.append(follow(found[-1], step))
        return found

    def proof(self, *, steps: bool = True) -> str:
        """Return the derivation as text to read: numbered clauses, each with its reason."""
        number: dict[Clause, int] = {}
        lines = [f"{self.problem}: {len(self.steps)} steps", "", "The plain program:"]
        for clause in self.seed.clauses:
            number[clause] = len(number) + 1
            lines.append(f"{number[clause]:>4}. {write_clause(clause)}")
        if steps:
            lines += ["", "The steps:"]
            for step in self.steps:
                of = ", ".join(str(number[c]) for c in step.removed if c in number)
                goal = next((f" at {_show(v)}" for k, v in step.data if k in ("goal", "test")), "")
                lines.append(f"   {step.rule}{' ' + of if of else ''}{goal}: {step.because} [{step.by}]")
                for clause in step.added:
                    number[clause] = len(number) + 1
                    lines.append(f"{number[clause]:>4}. {write_clause(clause)}")
        lines += ["", "The derived program:"]
        for clause in self.result.clauses:
            lines.append(f"{number.get(clause, 0):>4}. {write_clause(clause)}" if steps else f"      {write_clause(clause)}")
        return "\n".join(lines) + "\n"

    def obligations(self) -> dict[tuple[str, str], int]:
        """Return how often each rule's obligation was discharged, and by whom."""
        found: dict[tuple[str, str], int] = {}
        for step in self.steps:
            found[step.rule, step.by] = found.get((step.rule, step.by), 0) + 1
        return found

    def to_json(self) -> dict[str, Any]:
        """Return the derivation as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "problem": self.problem,
            "entry": self.entry,
            "seed": write(self.seed).splitlines(),
            "steps": [
                {
                    "rule": step.rule,
                    "removed": [write_clause(c) for c in step.removed],
                    "added": [write_clause(c) for c in step.added],
                    "because": step.because,
                    "by": step.by,
                    "data": {key: _show(value) for key, value in step.data},
                }
                for step in self.steps
            ],
            "result": write(self.result).splitlines(),
            "notes": dict(self.notes),
        }

    def save(self, path: Path | str) -> None:
        """Write the file, whole or not at all."""
        write_whole(Path(path), json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n")


def _show(value: Any) -> Any:
    if isinstance(value, Goal):
        return write_goal(value)
    if isinstance(value, Clause):
        return write_clause(value)
    if isinstance(value, tuple):
        return [_show(item) for item in value]
    return value


def follow(program: Program, step: Step) -> Program:
    """Return the program after a step; a definition brings its declaration with it."""
    for key, value in step.data:
        if key == "declare":
            extra = parse(str(value))
            (pred,) = extra.preds.values()
            program = program.with_pred(pred, extra.heads.get(pred.name), extra.pre.get(pred.name, ()), extra.facts.get(pred.name, ()))
    missing = [c for c in step.removed if c not in program.clauses]
    if missing:
        raise BadDerivation(f"a {step.rule} step removes a clause that is not there: {write_clause(missing[0])}")
    return replace_clauses(program, step)


def _text(data: Mapping[str, Any], key: str, kind: type, where: str) -> Any:
    if not isinstance(data.get(key), kind):
        raise BadDerivation(f"{where}: {key!r} is missing or not a {kind.__name__}")
    return data[key]


def from_json(data: Any, where: str = "derivation") -> Derivation:
    """Return the derivation that plain data describe, its steps re-enacted (not yet checked)."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadDerivation(f"{where}: this is no derivation (a file of ours begins with its format, {FORMAT!r})")
    if data.get("version") != VERSION:
        raise BadDerivation(f"{where}: version {data.get('version')} is not known, this program reads version {VERSION}")
    seed = parse("\n".join(_text(data, "seed", list, where)), f"{where}: seed")
    steps = []
    for i, item in enumerate(_text(data, "steps", list, where)):
        place = f"{where}: step {i + 1}"
        if not isinstance(item, dict) or item.get("rule") not in RULES:
            raise BadDerivation(f"{place}: no rule called {item.get('rule') if isinstance(item, dict) else item!r}")
        removed, added = ([parse_clause(text, place) for text in _text(item, key, list, place)] for key in ("removed", "added"))
        extra: list[tuple[str, Any]] = []
        for key, value in _text(item, "data", dict, place).items():
            if key in ("goal", "test"):
                extra.append((key, parse_goals(value, place)[0]))
            elif key == "other":
                extra.append((key, parse_clause(value, place)))
            else:
                extra.append((key, value))
        steps.append(Step(item["rule"], tuple(removed), tuple(added), str(item.get("because", "")), str(item.get("by", "")), tuple(extra)))
    result = parse("\n".join(_text(data, "result", list, where)), f"{where}: result")
    found = Derivation(str(data.get("problem")), str(data.get("entry")), seed, tuple(steps), result, data.get("notes") or {})
    if set(found.programs()[-1].clauses) != set(result.clauses):
        raise BadDerivation(f"{where}: the steps do not lead to the result")
    return found


def load(path: Path | str, *, check: bool = True) -> Derivation:
    """Read a derivation file; every obligation is checked again unless told otherwise.

    Raises BadDerivation with the step that does not hold.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf8"))
    except FileNotFoundError:
        raise BadDerivation(f"there is no file {str(path)!r}; `ludwin discover alpha-beta --out FILE` writes one") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise BadDerivation(f"{path.name}: this is no derivation: {error}") from None
    found = from_json(data, path.name)
    if check:
        from ludwin.discover.checker import recheck

        recheck(data, path.name)
    return found
