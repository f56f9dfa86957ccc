"""What lies in the cache, told to people: images, what they are for, and what nobody can use any more.

Why it is here.  The cache grows with every edited rule and every new version.  An image says in its index what it is
for and which compiler made it, so a person can look, and throw away what is old without losing the rest.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ludwin.kernel import cache
from ludwin.kernel.image import MAGIC, BadImage, unpack
from ludwin.kernel.specialise import maker

SEEN = "ludwin_seen"
REFERENCE = "ludwin_reference_"
USELESS = ("old", "damaged", "refused", "unfinished")


@dataclass(frozen=True)
class CacheEntry:
    """One folder of the cache.

    `state` is `ready`, or why the image is of no use: `old` (of another version), `damaged`, `refused` (others can
    write it), `unfinished` (there is no image, or not yet); `notes` and `reference` are no images. What an image that
    cannot be read is for, is empty.
    """

    name: str
    bytes: int
    state: str
    game: str = ""
    kernel: str = ""
    mode: str = ""
    target: str = ""

    @property
    def is_image(self) -> bool:
        """Whether this is, or was, compiled code for a game."""
        return self.state not in ("notes", "reference")


def entries() -> list[CacheEntry]:
    """Return everything in the cache that is ours, sorted by name."""
    place = cache.folder()
    return [_entry(place / name, size) for name, size in cache.entries()]


def _entry(folder: Path, size: int) -> CacheEntry:
    name = folder.name
    if name == SEEN or name.startswith(REFERENCE):
        return CacheEntry(name, size, "notes" if name == SEEN else "reference")
    if _has_numba_files(folder):
        return CacheEntry(name, size, "old")
    if not os.path.lexists(folder / "image"):
        return CacheEntry(name, size, "unfinished")
    blob = cache.read(name)
    if blob is None:
        return CacheEntry(name, size, "refused")
    try:
        image = unpack(blob)
    except BadImage:
        other = blob[:6] == MAGIC[:6] and blob[: len(MAGIC)] != MAGIC  # a version of the format that we do not know
        return CacheEntry(name, size, "old" if other else "damaged")
    about = image.index["about"]
    state = "ready" if about.get("maker") == maker() else "old"
    if image.index["name"] != name:
        state = "damaged"  # under a name that is not its own it is never run
    words = (about.get("game", ""), about.get("kernel", ""), about.get("mode", ""))
    return CacheEntry(name, size, state, *words, image.index["target"])


def _has_numba_files(folder: Path) -> bool:
    """Tell whether a folder was written when numba kept our code: `__pycache__/*.nbi` and `.nbc`."""
    return any(file.suffix in (".nbi", ".nbc") for file in folder.rglob("*.nb[ic]"))


def remove_useless(found: Iterable[CacheEntry]) -> int:
    """Remove what this version cannot use and return how many bytes that freed; what is being compiled now stays."""
    import shutil

    freed = 0
    for entry in found:
        folder = cache.folder() / entry.name
        if entry.state in USELESS and not _is_locked(folder):
            shutil.rmtree(folder, ignore_errors=True)
            freed += 0 if folder.exists() else entry.bytes
    return freed


def _is_locked(folder: Path) -> bool:
    """Tell whether another process is compiling into a folder."""
    try:
        import fcntl
    except ImportError:
        return False
    try:
        handle = os.open(folder / "lock", os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return False
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(handle)
