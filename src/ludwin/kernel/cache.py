"""Where compiled code is kept, and how it is found again.

Why it is here.  Compiling a search for a game takes a second or two; loading it takes milliseconds.
Each entry is a folder named after a fingerprint of everything that the code depends on, so that
nothing stale is ever found: an edited rule has another name.  The folder is the user's own and
private (mode 700), because compiled code that somebody else could write would be run.

`LUDWIN_CACHE` names another place. Where the place cannot be written (a read-only home), a private
temporary folder serves for the process, and everything works, only slower.
"""

import atexit
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

OURS = re.compile(r"ludwin_(seen|(fast|checked|reference)_.*[0-9a-f]{16,})")
FIXED_TIME = 1_000_000_000  # every entry's text bears this time, because numba compares times


@lru_cache(maxsize=None)
def _folder(wanted: str | None, home: str) -> Path:
    if wanted:
        place = Path(wanted).expanduser()
    elif sys.platform == "win32":
        place = Path(os.environ.get("LOCALAPPDATA", home)) / "ludwin" / "cache"
    elif sys.platform == "darwin":
        place = Path(home) / "Library" / "Caches" / "ludwin"
    else:
        place = Path(os.environ.get("XDG_CACHE_HOME") or Path(home) / ".cache") / "ludwin"
    try:
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            return place.resolve()
    except OSError:
        return _temporary()


@lru_cache(maxsize=None)
def _temporary() -> Path:
    place = Path(tempfile.mkdtemp(prefix="ludwin-cache-"))
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:  # not in a forked worker
            shutil.rmtree(place, ignore_errors=True)

    atexit.register(remove)
    return place


def folder() -> Path:
    """Return the cache folder; it exists and can be written."""
    wanted = os.environ.get("LUDWIN_CACHE")
    if not wanted and os.name != "nt" and "HOME" not in os.environ:
        return _temporary()  # a guessed place could be somebody else's
    return _folder(wanted, str(Path.home()) if not wanted else "")


def is_temporary() -> bool:
    """Tell whether the cache had to be put into a temporary folder."""
    return folder().name.startswith("ludwin-cache-")


def write_once(path: Path, text: str) -> None:
    """Write a file so that it appears whole or not at all; the first writer wins."""
    if path.exists():
        return
    handle, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf8") as file:
            file.write(text)
        os.utime(name, (FIXED_TIME, FIXED_TIME))
        try:
            os.link(name, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links
            os.replace(name, path)
            return
    finally:
        Path(name).unlink(missing_ok=True)


@contextmanager
def lock(entry: Path) -> Iterator[None]:
    """Let one process at a time compile an entry; the others then load what it has written."""
    try:
        import fcntl
    except ImportError:  # Windows: both compile, both write the same
        yield
        return
    with open(entry / "lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def entries() -> list[tuple[str, int]]:
    """Return the cached entries and their sizes in bytes, sorted by name."""
    found = []
    for entry in sorted(folder().iterdir()):
        if entry.is_dir() and OURS.fullmatch(entry.name):  # the folder may be shared with other things
            found.append((entry.name, sum(f.stat().st_size for f in entry.rglob("*") if f.is_file())))
    return found


def clear() -> int:
    """Remove all entries and return how many bytes that freed."""
    freed = 0
    for name, size in entries():
        shutil.rmtree(folder() / name, ignore_errors=True)
        freed += size
    return freed
