"""What lies in the folders that were named at the start, known by opaque ids: no request ever carries a path.

Why it is here.  A page that takes paths can be made to read any file.  Here a folder is listed, every file of ours in
it gets an id, and an id that was not listed means nothing.  Before a file is read its place is looked at again: it must
still lie inside the folder after all links, and must be an ordinary file or folder.
"""

import hashlib
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ludwin.errors import BadParameter, LudwinError

LARGEST = 64 * 2**20


class NotListed(LudwinError, KeyError):
    """An id that means no file."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Shelf:
    """A folder that may be read, and whether it may be written."""

    id: str
    path: Path
    write: bool = False
    own: bool = False  # of the server, where it keeps tables and the results of jobs


@dataclass(frozen=True)
class Listed:
    """A file or a run in a shelf."""

    id: str
    shelf: Shelf
    name: str
    kind: str
    size: int = 0
    time: float = 0.0

    @property
    def path(self) -> Path:
        """Where it is; only `Shelves.open` says whether it may be read."""
        return self.shelf.path / self.name

    def to_dict(self) -> dict[str, Any]:
        """Return what the page is told: no folder of the machine, except its name."""
        about = {"id": self.id, "name": self.name, "kind": self.kind, "folder": self.shelf.path.name or "/"}
        return {**about, "size": self.size, "time": self.time, "write": self.shelf.write}


def ident(folder: Path, name: str = "") -> str:
    """Return the id of a folder, or of a file in it."""
    return hashlib.sha256(f"{folder}\0{name}".encode("utf8", "surrogateescape")).hexdigest()[:12]


class Shelves:
    """All folders that were named, and what was found in them."""

    def __init__(self, folders: list[Path], write: bool, own: Path | None = None):
        self.shelves = [Shelf(ident(path), path, write) for path in folders]
        if own is not None:
            self.shelves.append(Shelf(ident(own), own, False, own=True))
        self.files: dict[str, Listed] = {}

    def learn(self, shelf: Shelf, rows: list[dict[str, Any]]) -> list[Listed]:
        """Enter what a listing has found, and return it."""
        found = []
        for row in rows:
            name = str(row["name"])
            one = Listed(ident(shelf.path, name), shelf, name, str(row["kind"]), int(row["size"]), float(row["time"]))
            self.files[one.id] = one
            found.append(one)
        return found

    def open(self, number: str, *kinds: str) -> Listed:
        """Return a file that may be read now. Raises NotListed, or BadParameter if it is not what it was."""
        one = self.files.get(number)
        if one is None or (kinds and one.kind not in kinds):
            raise NotListed(f"nothing here is called {number[:20]!r}; look at the list again")
        place = Path(os.path.realpath(one.path))
        if not place.is_relative_to(os.path.realpath(one.shelf.path)):
            raise BadParameter(f"{one.name} leads out of its folder")
        try:
            mode = place.lstat()
        except OSError:
            raise NotListed(f"{one.name} is not there any more") from None
        if not stat.S_ISREG(mode.st_mode) and not stat.S_ISDIR(mode.st_mode):
            raise BadParameter(f"{one.name} is no ordinary file")
        if stat.S_ISREG(mode.st_mode) and mode.st_size > LARGEST:
            raise BadParameter(f"{one.name} has more than {LARGEST // 2**20} MB")
        return one

    def place_for(self, shelf_id: str, name: str) -> Path:
        """Return where a new file of a writable folder may be written. Raises BadParameter."""
        shelf = next((one for one in self.shelves if one.id == shelf_id and one.write), None)
        if shelf is None:
            raise BadParameter("nothing is written there; start with --write")
        if not name.endswith((".py", ".toml")) or name.startswith(".") or name != Path(name).name or len(name) > 100:
            raise BadParameter(f"the name of a new file is NAME.py or NAME.toml, got {name[:60]!r}")
        if not all(c.isalnum() or c in "-_." for c in name):
            raise BadParameter(f"a name has letters, digits, - and _, got {name[:60]!r}")
        return shelf.path / name
