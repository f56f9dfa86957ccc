"""Parts: the K-th of N shares of a long piece of work, done by itself, and put together later.

Why it is here.  Most people's cluster is a queue: a job array whose tasks know their number and nothing of each other.
`--part K/N` lets each of them do its share into a folder of its own, and `ludwin gather` puts the shares together; no
port, no daemon, and a task that died is simply run again.  A part says of which run it is, which share, whether it is
finished, and what the arithmetic of its machines was, for a mixture would not be the bytes of one machine.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ludwin
from ludwin.errors import BadParameter, LudwinError
from ludwin.formats import Format, List, Table, Text, Truth, Whole, read_json, write_json

MOST = 100_000
FILE = "part.json"
MARK = Text(like="[0-9a-f]{16}", said="a fingerprint of arithmetic")
PART = Format(
    "ludwin-part",
    1,
    Table(
        {
            "command": Text(choices=("evolve", "tournament", "reproduce", "study")),
            "part": Whole(1, MOST),
            "of": Whole(1, MOST),
            "ludwin": Text(longest=40, line=True),
            "arithmetic": List(MARK, 1, 100),
            "finished": Truth(),
        }
    ),
    "part of a run",
)


@dataclass(frozen=True)
class Portion:
    """The K-th of N shares."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> "Portion":
        """Read K/N. Raises BadParameter.

        >>> Portion.parse("3/8").folder
        'part-3-of-8'
        >>> Portion.parse("9/8")
        Traceback (most recent call last):
        ludwin.errors.BadParameter: --part K/N takes two whole numbers, K from 1 to N, got '9/8'
        """
        found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
        if not found or not 1 <= int(found[1]) <= int(found[2]) <= MOST:
            raise BadParameter(f"--part K/N takes two whole numbers, K from 1 to N, got {text!r}")
        return cls(int(found[1]), int(found[2]))

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return f"part-{self.number}-of-{self.of}"

    def owns(self, index: int) -> bool:
        """Tell whether a piece belongs to this part, the pieces being numbered from 0.

        >>> [k for k in range(8) if Portion(1, 3).owns(k)]
        [0, 3, 6]
        """
        return index % self.of == self.number - 1

    def span(self, total: int) -> range:
        """Return the stretch of pieces that belong to this part, where neighbours should stay together.

        >>> [list(Portion(k, 3).span(7)) for k in (1, 2, 3)]
        [[0, 1], [2, 3], [4, 5, 6]]
        """
        return range(total * (self.number - 1) // self.of, total * self.number // self.of)

    def __str__(self) -> str:
        return f"part {self.number} of {self.of}"


class BadParts(LudwinError, ValueError):
    """Parts that do not make a whole: which, and what to do."""


def begin_part(folder: Path, command: str, part: Portion, arithmetic: str, accept: bool = False) -> Path:
    """Make the folder of a part, or go on with it; return it. Raises BadParts if another part or machine made it."""
    own = folder / part.folder
    own.mkdir(parents=True, exist_ok=True)
    marks = [arithmetic]
    if (own / FILE).exists():
        told = read_json(own / FILE, PART)
        if (told["command"], told["part"], told["of"]) != (command, part.number, part.of):
            raise BadParts(f"{own} is part {told['part']} of {told['of']} of another {told['command']}")
        if told["ludwin"] != ludwin.__version__:
            raise BadParts(f"{own} was begun by ludwin {told['ludwin']}, this is {ludwin.__version__}; begin it anew")
        if arithmetic not in told["arithmetic"] and not accept:
            raise BadParts(
                f"{own} was begun on a machine that rounds differently ({told['arithmetic'][0]}, here {arithmetic}); "
                f"go on there, remove it to begin anew, or add --accept-arithmetic"
            )
        marks = list(dict.fromkeys([*told["arithmetic"], arithmetic]))
    _write(own, command, part, marks, finished=False)
    return own


def finish_part(own: Path) -> None:
    """Note that a part is finished."""
    told = read_json(own / FILE, PART)
    _write(own, told["command"], Portion(told["part"], told["of"]), told["arithmetic"], finished=True)


def _write(own: Path, command: str, part: Portion, marks: list[str], *, finished: bool) -> None:
    body = {"command": command, "part": part.number, "of": part.of, "ludwin": ludwin.__version__}
    write_json(own / FILE, PART, {**body, "arithmetic": marks, "finished": finished}, indent=1)


def find_parts(folder: Path, accept: bool = False) -> tuple[str, list[Path]]:
    """Return the command and the folders of all parts, in their order. Raises BadParts unless they make a whole."""
    if not folder.is_dir():
        raise BadParts(f"{folder} is no folder with parts; `--part K/N --out {folder}` makes one")
    told: dict[Path, dict[str, Any]] = {}
    for own in sorted(path for path in folder.iterdir() if path.is_dir()):
        if (own / FILE).is_file():
            told[own] = read_json(own / FILE, PART)
        elif own.name.startswith("part-"):
            raise BadParts(f"{own} has no {FILE}: it is no part, or was begun and never came so far; run it again")
    if not told:
        raise BadParts(f"{folder} holds no parts; `--part K/N --out {folder}` makes them")
    for word, what in (("of", "cut into"), ("command", "of"), ("ludwin", "by ludwin")):
        several = sorted({str(one[word]) for one in told.values()})
        if len(several) > 1:
            raise BadParts(f"{folder} holds parts of different runs: {what} {' and '.join(several)}")
    count = next(iter(told.values()))["of"]
    by_number: dict[int, Path] = {}
    for own, one in told.items():
        if one["part"] in by_number:
            raise BadParts(
                f"part {one['part']} of {count} is there twice: {by_number[one['part']].name} and {own.name}"
            )
        by_number[one["part"]] = own
    missing = [number for number in range(1, count + 1) if number not in by_number]
    if missing:
        raise BadParts(f"{_listed(missing)} of {count} {'is' if len(missing) == 1 else 'are'} missing in {folder}")
    late = [number for number, own in sorted(by_number.items()) if not told[own]["finished"]]
    if late:
        raise BadParts(f"{_listed(late)} of {count} {'is' if len(late) == 1 else 'are'} not finished; run it again")
    marks = {mark: own.name for own, one in told.items() for mark in one["arithmetic"]}
    if len(marks) > 1 and not accept:
        (one_mark, first), (other, second) = list(marks.items())[:2]
        raise BadParts(
            f"{first} and {second} come from machines that round differently ({one_mark} and {other}), so this would "
            f"be no run of either; make one of them again there, or add --accept-arithmetic"
        )
    return str(next(iter(told.values()))["command"]), [by_number[number] for number in sorted(by_number)]


def _listed(numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:8])) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
    return f"part{'s' * (len(numbers) > 1)} {shown}"
