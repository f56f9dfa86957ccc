"""Files of decisions: what searches thought, kept beside a table's records and read back with suspicion.

Why it is here.  Tables about searches need more than moves and results; whoever resumes a table goes on with what is on
file.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ludwin.errors import LudwinError
from ludwin.formats import BadFile, Format, read_json
from ludwin.lab.experiment import TableRun, file_name

Made = TypeVar("Made")


def path_of(run: TableRun, label: str) -> Path | None:
    """Return where the decisions of this label are kept, if the run has a folder."""
    return run.folder / "decisions" / f"{file_name(label)}.json" if run.folder else None


def read(path: Path, one: Format, head: Mapping[str, Any], make: Callable[[dict[str, Any]], Made]) -> Made:
    """Make something of a file that begins with this head. Raises LudwinError if it is not what was written."""
    try:
        data = read_json(path, one)
        if {key: data.get(key) for key in head} != head:
            raise ValueError("it was made with other settings")
        return make(data)
    except (BadFile, ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        why = str(error).removeprefix(f"{path}: ")
        raise LudwinError(
            f"{path} does not hold the {one.what} of {head['agent']}: {why}; remove it to have it made again"
        ) from None
