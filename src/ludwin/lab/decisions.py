"""Files of decisions: what searches thought, kept beside a table's records and read back with suspicion.

Why it is here.  Tables about searches need more than moves and results; whoever resumes a table goes on with what is on file.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from ludwin.errors import LudwinError
from ludwin.lab.experiment import Run, file_name

LARGEST = 2**26  # bytes of a file; more are none
Kind = TypeVar("Kind")


def path_of(run: Run, label: str) -> Path | None:
    """Return where the decisions of this label are kept, if the run has a folder."""
    return run.folder / "decisions" / f"{file_name(label)}.json" if run.folder else None


def read(path: Path, head: Mapping[str, Any], make: Callable[[dict[str, Any]], Kind], what: str) -> Kind:
    """Make something of a file that begins with this head. Raises LudwinError if the file is not what was written."""
    try:
        if path.stat().st_size > LARGEST:
            raise ValueError("it is too long")
        data = json.loads(path.read_text(encoding="utf8"))
        if {key: data.get(key) for key in head} != head:
            raise ValueError("it was made with other settings")
        return make(data)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LudwinError(f"{path} does not hold the {what} of {head['agent']}: {error}; remove it to have it made again") from None
