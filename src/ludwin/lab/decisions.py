"""Files of decisions: what searches thought, kept beside a table's records and read back with suspicion.

Why it is here.  Tables about searches need more than moves and results; whoever resumes a table goes on with what is on
file.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ludwin.errors import LudwinError
from ludwin.formats import decode, read_bytes
from ludwin.lab.experiment import TableRun, file_name

Kind = TypeVar("Kind")


def path_of(run: TableRun, label: str) -> Path | None:
    """Return where the decisions of this label are kept, if the run has a folder."""
    return run.folder / "decisions" / f"{file_name(label)}.json" if run.folder else None


def read(path: Path, head: Mapping[str, Any], make: Callable[[dict[str, Any]], Kind], what: str) -> Kind:
    """Make something of a file that begins with this head. Raises LudwinError if the file is not what was written."""
    try:
        data = decode(read_bytes(path))
        if not isinstance(data, dict) or {key: data.get(key) for key in head} != head:
            raise ValueError("it was made with other settings")
        return make(data)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise LudwinError(
            f"{path} does not hold the {what} of {head['agent']}: {error}; remove it to have it made again"
        ) from None
