"""Published figures, as CSV files that a reviewer can hold against the page.

Why it is here.  A number that was copied by hand is a number that may be wrong, and a table in a program is hard to
proofread.  So every printed table is a small file in its domain's `data`: its first lines say where it was printed,
columns stand as they stand there, and nothing is computed.  What is made of the figures, the module of a table tells.

>>> from ludwin import games
>>> guides = data_of(games.__path__[0] + "/lose_checkers/rules.py") / "lose_checkers_3_5.csv"
>>> rows(guides)[0]
{'first': '2', 'second': '0', 'score': '0.9665'}
>>> source(guides).partition(",")[0]
'M. Sipper'
"""

import csv
from dataclasses import dataclass
from functools import lru_cache
from math import sqrt
from pathlib import Path

REMARK = "#"

Line = dict[str, str]  # a row of a file: column -> what is printed there


@dataclass(frozen=True)
class Published:
    """A printed mean, the deviation of one sample, and how many samples it is the mean of."""

    mean: float
    deviation: float
    games: int

    @property
    def error(self) -> float:
        """The standard error of the mean."""
        return self.deviation / sqrt(self.games)


def data_of(module: str) -> Path:
    """Return the folder of data of the domain that a module (its `__file__`) belongs to."""
    return next(folder / "data" for folder in Path(module).parents if (folder / "data").is_dir())


def rows(path: Path) -> list[Line]:
    """Return the rows of a file, every cell as it is printed."""
    return [dict(line) for line in _read(path)[1]]


def source(path: Path) -> str:
    """Return where the figures of a file were printed, and what is to be known about them."""
    return _read(path)[0]


def figure(cell: str) -> float:
    """Return the number in a cell; what is printed as a whole number stays one.

    >>> figure("0.49"), figure("12.0"), figure("-3")
    (0.49, 12.0, -3)
    """
    return int(cell) if cell.removeprefix("-").isdigit() else float(cell)


def number(cell: str) -> float | None:
    """Return the number in a cell, None if nothing is printed there."""
    return figure(cell) if cell else None


@lru_cache(maxsize=None)
def _read(path: Path) -> tuple[str, tuple[Line, ...]]:
    lines = path.read_text(encoding="utf8").splitlines()
    remarks = [line.removeprefix(REMARK).strip() for line in lines if line.startswith(REMARK)]
    found = tuple(csv.DictReader([line for line in lines if not line.startswith(REMARK)], strict=True))
    assert remarks and all(None not in row and None not in row.values() for row in found), f"{path} is not in order"
    return " ".join(remarks), found
